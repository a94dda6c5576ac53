//! Gates that are always true, seen from a few gates around them.
//!
//! A *window* of a literal is a part of the gates it is made of, below which other literals are taken for free (a cut). Gates of the window are opened from the latest to the earliest, as long as the
//! cut has few members; then all values of the cut are tried, 64 at once. A literal that is true for all of them is true. What depends on gates outside of the window is not seen;
//! that is a question for the solver. Small windows are tried first, and grow: most agreements are seen in the smallest. (Cuts and exhaustive simulation: Mishchenko et al., "Improvements to
//! combinational equivalence checking", 2006.) The cost is bounded by a constant.

use crate::gates::{Gate, Gates};
use crate::solver::Lit;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How large a window may be.
#[derive(Clone, Copy)]
struct Size {
    /// The most members of its cut.
    leaves: usize,
    /// The most gates.
    gates: usize,
}

/// The windows that are tried, one after the other.
const SIZES: [Size; 3] = [
    Size { leaves: 8, gates: 60 },
    Size {
        leaves: 11,
        gates: 200,
    },
    Size {
        leaves: 14,
        gates: 300,
    },
];

/// The values of a member of the cut, in one word of 64 of all values of the cut.
fn of_leaf(place: usize, word: usize) -> u64 {
    const WITHIN: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    match WITHIN.get(place) {
        Some(&pattern) => pattern,
        None if word >> (place - 6) & 1 == 1 => u64::MAX,
        None => 0,
    }
}

/// A part of the gates, by the variables of their outputs.
struct Window {
    leaves: BTreeSet<u32>,
    gates: BTreeSet<u32>,
}

/// A literal as its place among the simulated variables, and a mask that complements it.
type Read = (usize, u64);

impl Gates {
    /// The literals that a gate is made of, as new gates would read them.
    pub(crate) fn inputs(&self, gate: &Gate) -> Vec<Lit> {
        let inputs = match gate {
            Gate::And(inputs) => inputs.clone(),
            Gate::Xor(left, right) => vec![*left, *right],
            Gate::Mux(condition, then, otherwise) => vec![*condition, *then, *otherwise],
        };
        inputs.into_iter().map(|input| self.resolved(input)).collect()
    }

    /// Whether a literal is true whatever the members of some cut are. "No" says nothing.
    pub(crate) fn is_true_in_window(&self, literal: Lit) -> bool {
        let root = self.resolved(literal);
        let truth = self.constant(true).variable();
        let mut window = Window {
            leaves: [root.variable()]
                .into_iter()
                .filter(|one| *one != truth)
                .collect(),
            gates: BTreeSet::new(),
        };
        for size in SIZES {
            let before = window.gates.len();
            self.open(&mut window, size);
            if before > 0 && window.gates.len() == before {
                continue;
            }
            if self.is_true_for_all(root, &window) {
                return true;
            }
        }
        false
    }

    /// Opens gates of a window, the latest first, as long as it stays within the size.
    fn open(&self, window: &mut Window, size: Size) {
        let truth = self.constant(true).variable();
        let Window { leaves, gates } = window;
        while gates.len() < size.gates {
            let opened = leaves.iter().rev().find_map(|&leaf| {
                let mut below: Vec<u32> = self
                    .inputs(self.definition(leaf)?)
                    .into_iter()
                    .map(Lit::variable)
                    .filter(|input| *input != truth && !gates.contains(input) && !leaves.contains(input))
                    .collect();
                below.sort_unstable();
                below.dedup();
                (leaves.len() - 1 + below.len() <= size.leaves).then_some((leaf, below))
            });
            let Some((leaf, below)) = opened else {
                break;
            };
            leaves.remove(&leaf);
            gates.insert(leaf);
            leaves.extend(below);
        }
    }

    /// Whether a literal is true for all values of the window's cut.
    fn is_true_for_all(&self, root: Lit, window: &Window) -> bool {
        let truth = self.constant(true);
        let words = 1usize << window.leaves.len().saturating_sub(6);
        let variables = [truth.variable()]
            .into_iter()
            .chain(window.leaves.iter().copied());
        // (What a gate is made of is older than the gate.)
        let variables = variables.chain(window.gates.iter().copied());
        let places: FxHashMap<u32, usize> = variables.zip(0..).collect();
        let read = |literal: Lit| -> Option<Read> {
            let place = *places.get(&literal.variable())?;
            Some((place * words, if literal.is_positive() { 0 } else { u64::MAX }))
        };
        let mut values: Vec<u64> = Vec::with_capacity(places.len() * words);
        values.resize(words, if truth.is_positive() { u64::MAX } else { 0 });
        for place in 0..window.leaves.len() {
            values.extend((0..words).map(|word| of_leaf(place, word)));
        }
        for &variable in &window.gates {
            let Some(gate) = self.definition(variable) else {
                return false;
            };
            let inputs: Option<Vec<Read>> = self.inputs(gate).into_iter().map(&read).collect();
            let Some(inputs) = inputs else {
                return false;
            };
            let begin = values.len();
            // The first literal, and then the others one after the other.
            let (first, flip) = inputs[0];
            for at in first..first + words {
                values.push(values[at] ^ flip);
            }
            let (known, new) = values.split_at_mut(begin);
            let of = |(start, flip): Read| known[start..start + words].iter().map(move |word| word ^ flip);
            match gate {
                Gate::And(_) => {
                    for &input in &inputs[1..] {
                        new.iter_mut().zip(of(input)).for_each(|(all, one)| *all &= one);
                    }
                }
                Gate::Xor(..) => {
                    let other = of(inputs[1]);
                    new.iter_mut().zip(other).for_each(|(left, right)| *left ^= right);
                }
                Gate::Mux(..) => {
                    let branches = of(inputs[1]).zip(of(inputs[2]));
                    for (condition, (then, otherwise)) in new.iter_mut().zip(branches) {
                        *condition = (*condition & then) | (!*condition & otherwise);
                    }
                }
            }
        }
        let Some((place, flip)) = read(root) else {
            return false;
        };
        values[place..place + words]
            .iter()
            .all(|word| word ^ flip == u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::part::Part;
    use entail_budget::Budget;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    /// Random gates, some of them merged because the solver has proved them equal: what a window or a part shows, the solver says as well.
    #[test]
    fn what_a_window_shows_is_so() {
        let effort = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1_usize));
        let budget = Budget::unlimited();
        let (mut shown, mut open, mut of_parts) = (0, 0, 0);
        for seed in 0..60 * effort as u64 {
            let mut random = StdRng::seed_from_u64(seed);
            let mut gates = Gates::new();
            let mut literals: Vec<Lit> = (0..random.random_range(3..14)).map(|_| gates.fresh()).collect();
            for _ in 0..40 {
                let mut pick =
                    || literals[random.random_range(0..literals.len())].flipped_if(random.random_bool(0.5));
                let (a, b, c) = (pick(), pick(), pick());
                let made = match random.random_range(0..4) {
                    0 => gates.xor(a, b),
                    1 => gates.mux(a, b, c),
                    2 => gates.all([a, b, c]),
                    _ => gates.and(a, b),
                };
                literals.push(made);
                let (one, other) = (
                    literals[random.random_range(0..literals.len())],
                    literals[random.random_range(0..literals.len())],
                );
                let same = !gates.xor(one, other);
                let wide = gates.or(same, made);
                for asked in [same, wide, made] {
                    let is_shown = gates.is_true_in_window(asked);
                    let is_so = gates.satisfiable(&[!asked], &budget) == Ok(false);
                    assert!(is_so || !is_shown, "seed {seed}");
                    let part = Part {
                        gates: random.random_range(1..30),
                        conflicts: 100,
                    };
                    let in_part = gates.is_true_in_part(asked, part, &budget).expect("no limit");
                    assert!(is_so || !in_part, "seed {seed}");
                    of_parts += usize::from(in_part);
                    shown += usize::from(is_shown);
                    open += usize::from(is_so && !is_shown);
                    if is_so && asked == same {
                        gates.require(same);
                        gates.merge(one, other);
                    }
                }
            }
        }
        assert!(shown > 10 * open && shown > 100, "{shown} shown, {open} not");
        assert!(of_parts > 100, "{of_parts}");
    }
}
