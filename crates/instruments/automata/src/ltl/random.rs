//! Random formulas and words, reproducible from a seed.
//!
//! For differential testing: the same seed gives the same formulas on every machine. The generator is SplitMix64.

use crate::word::LassoWord;
use entail_logic::{Binary, Formula, Unary};

/// A small deterministic generator of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound` (which must not be 0).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.draw() % bound as u64) as usize
    }
}

/// What random formulas may contain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomFormula {
    /// Number of propositions `p0, p1, …`.
    pub propositions: usize,
    /// Number of nodes, roughly.
    pub size: usize,
    /// Whether past operators occur.
    pub past: bool,
}

impl RandomFormula {
    /// The next random formula.
    pub fn draw(&self, random: &mut Random) -> Formula<String> {
        self.of_size(self.size.max(1), random)
    }

    fn of_size(&self, size: usize, random: &mut Random) -> Formula<String> {
        if size <= 1 {
            return if random.below(12) == 0 {
                Formula::constant(random.below(2) == 0)
            } else {
                Formula::atom(format!("p{}", random.below(self.propositions.max(1))))
            };
        }
        const UNARY: [Unary; 3] = [Unary::Next, Unary::Finally, Unary::Globally];
        const PAST: [Unary; 4] = [
            Unary::Yesterday,
            Unary::WeakYesterday,
            Unary::Once,
            Unary::Historically,
        ];
        const BINARY: [Binary; 4] = [
            Binary::Until,
            Binary::Release,
            Binary::WeakUntil,
            Binary::StrongRelease,
        ];
        if size == 2 || random.below(5) < 2 {
            let operand = self.of_size(size - 1, random);
            return match random.below(if self.past { 8 } else { 5 }) {
                0 => operand.not(),
                choice @ 1..=3 => Formula::unary(UNARY[choice - 1], &operand),
                4 => operand.finally(),
                _ => Formula::unary(PAST[random.below(4)], &operand),
            };
        }
        let left = 1 + random.below(size - 2);
        let (a, b) = (self.of_size(left, random), self.of_size(size - 1 - left, random));
        match random.below(if self.past { 13 } else { 11 }) {
            0 | 1 => Formula::and([a, b]),
            2 | 3 => Formula::or([a, b]),
            4 => a.implies(&b),
            5 => a.iff(&b),
            6 => a.xor(&b),
            choice @ 7..=10 => Formula::binary(BINARY[choice - 7], &a, &b),
            11 => Formula::binary(Binary::Since, &a, &b),
            _ => Formula::binary(Binary::Triggered, &a, &b),
        }
    }
}

/// A random lasso word over `p0, p1, …`.
pub fn random_word(propositions: usize, longest: usize, random: &mut Random) -> LassoWord {
    let names = (0..propositions).map(|i| format!("p{i}")).collect();
    let mask = crate::label::low_bits(propositions);
    let prefix = (0..random.below(longest + 1))
        .map(|_| random.draw() & mask)
        .collect();
    let cycle = (0..1 + random.below(longest.max(1)))
        .map(|_| random.draw() & mask)
        .collect();
    LassoWord::new(names, prefix, cycle)
}
