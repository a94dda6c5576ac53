//! Gates that are always true, seen from a few gates around them.
//!
//! A *window* of a literal is a part of the gates it is made of, below which other literals are taken for free (a cut). Gates of the window are opened from the latest to the earliest, as long as the
//! cut has few members; then all values of the cut are tried, 64 at once. A literal that is true for all of them is true. What depends on gates outside of the window is not seen;
//! that is a question for the solver. (Cuts and exhaustive simulation: Mishchenko et al., "Improvements to combinational equivalence checking", 2006.) The cost is bounded by a constant.

use crate::gates::{Gate, Gates};
use crate::solver::Lit;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Most members of a cut, and the words that have a bit for each of their values.
const MOST_LEAVES: usize = 10;
const WORDS: usize = 1 << (MOST_LEAVES - 6);

/// Most gates of a window.
const MOST_GATES: usize = 150;

/// What a literal is for all values of the cut.
type Values = [u64; WORDS];

/// The values of a member of the cut.
fn of_leaf(place: usize) -> Values {
    const WITHIN: [u64; 6] = [
        0xAAAA_AAAA_AAAA_AAAA,
        0xCCCC_CCCC_CCCC_CCCC,
        0xF0F0_F0F0_F0F0_F0F0,
        0xFF00_FF00_FF00_FF00,
        0xFFFF_0000_FFFF_0000,
        0xFFFF_FFFF_0000_0000,
    ];
    std::array::from_fn(|word| match WITHIN.get(place) {
        Some(&pattern) => pattern,
        None if word >> (place - 6) & 1 == 1 => u64::MAX,
        None => 0,
    })
}

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
        let mut leaves: BTreeSet<u32> = [root.variable()]
            .into_iter()
            .filter(|one| *one != truth)
            .collect();
        let mut window: BTreeSet<u32> = BTreeSet::new();
        while window.len() < MOST_GATES {
            let opened = leaves.iter().rev().find_map(|&leaf| {
                let below: BTreeSet<u32> = self
                    .inputs(self.definition(leaf)?)
                    .into_iter()
                    .map(Lit::variable)
                    .filter(|input| *input != truth && !window.contains(input) && !leaves.contains(input))
                    .collect();
                (leaves.len() - 1 + below.len() <= MOST_LEAVES).then_some((leaf, below))
            });
            let Some((leaf, below)) = opened else {
                break;
            };
            leaves.remove(&leaf);
            window.insert(leaf);
            leaves.extend(below);
        }
        let mut values: FxHashMap<u32, Values> = FxHashMap::default();
        values.insert(
            truth,
            [if self.constant(true).is_positive() {
                u64::MAX
            } else {
                0
            }; WORDS],
        );
        for (place, &leaf) in leaves.iter().enumerate() {
            values.insert(leaf, of_leaf(place));
        }
        // (What a gate is made of is older than the gate.)
        for &variable in &window {
            let Some(gate) = self.definition(variable) else {
                return false;
            };
            let inputs: Option<Vec<Values>> = self
                .inputs(gate)
                .iter()
                .map(|input| of(&values, *input))
                .collect();
            let Some(inputs) = inputs else {
                return false;
            };
            let at = |word: usize| match gate {
                Gate::And(_) => inputs.iter().fold(u64::MAX, |all, input| all & input[word]),
                Gate::Xor(..) => inputs[0][word] ^ inputs[1][word],
                Gate::Mux(..) => (inputs[0][word] & inputs[1][word]) | (!inputs[0][word] & inputs[2][word]),
            };
            values.insert(variable, std::array::from_fn(at));
        }
        of(&values, root).is_some_and(|root| root == [u64::MAX; WORDS])
    }
}

/// The values of a literal, if those of its variable are known.
fn of(values: &FxHashMap<u32, Values>, literal: Lit) -> Option<Values> {
    let values = values.get(&literal.variable())?;
    Some(match literal.is_positive() {
        true => *values,
        false => values.map(|word| !word),
    })
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
