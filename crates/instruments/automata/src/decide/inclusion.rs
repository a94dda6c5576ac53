//! Inclusion, equivalence and universality, with a word that tells the difference.
//!
//! Both automata are reduced. If `B` simulates `A` there is nothing more to do; random walks through `A` look for a difference;
//! both are reduced further, by delayed simulation with lookahead, which leaves little of automata that accept almost everything;
//! if `B` is deterministic or weak, or soon made deterministic, its complement is cheap and must have no word in common with `A`;
//! otherwise antichains decide (see `decide::antichain`), and where they grow too large, the complement after all. For formulas, ask with the automaton of the negation instead of complementing.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::complement::{complement, complement_deterministic};
use crate::algebra::determinize::deterministic_parity_within;
use crate::algebra::product::{intersection, union};
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::automaton::{Automaton, joint_propositions};
use crate::decide::antichain::{Answer, Limits, inclusion};
use crate::error::{AutomataError, Result};
use crate::label::Label;
use crate::ltl::random::Random;
use crate::reduce::degeneralize::{Placement, degeneralize};
use crate::reduce::simulation::direct_simulation;
use crate::word::LassoWord;
use entail_budget::Budget;

/// A word accepted by `a` and not by `b`, if there is one.
pub fn difference_word(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<Option<LassoWord>> {
    let mut left = to_generalized_buchi(a)?;
    let mut right = to_generalized_buchi(b)?;
    left.reduce_as(false, budget)?;
    right.reduce_as(false, budget)?;
    if left.is_empty() {
        return Ok(None);
    }
    if simulated(&left, &right, budget)? {
        return Ok(None);
    }
    if let Some(word) = sampled_difference(&left, &right, WALKS, budget)? {
        return Ok(Some(word));
    }
    if right.is_deterministic() || right.is_weak() {
        return word_outside(&left, &complement(&right, budget)?);
    }
    let propositions = joint_propositions(&left, &right);
    let on_edges = |automaton: &Automaton| -> Result<Automaton> {
        let mut buchi = degeneralize(&automaton.over(&propositions)?, Placement::Edges, budget)?;
        buchi.reduce_buchi(false, budget)?;
        Ok(buchi)
    };
    let (left, right) = (on_edges(&left)?, on_edges(&right)?);
    if right.is_deterministic() || right.is_weak() {
        return word_outside(&left, &complement(&right, budget)?);
    }
    match deterministic_parity_within(&right, LARGEST_TRIED, budget) {
        Ok(deterministic) => return word_outside(&left, &complement_deterministic(&deterministic)?),
        Err(AutomataError::TooLarge(_)) => {}
        Err(error) => return Err(error),
    }
    // What follows may take long: a longer look for a difference is cheap beside it.
    if let Some(word) = sampled_difference(&left, &right, MORE_WALKS, budget)? {
        return Ok(Some(word));
    }
    match inclusion(&left, &right, LIMITS, budget)? {
        Answer::Included => Ok(None),
        Answer::Difference(word) => Ok(Some(word)),
        Answer::GivenUp => word_outside(&left, &complement(&right, budget)?),
    }
}

fn word_outside(left: &Automaton, complement: &Automaton) -> Result<Option<LassoWord>> {
    Ok(intersection(left, complement)?.0.accepted_word())
}

/// A deterministic automaton of at most this size is tried before antichains.
const LARGEST_TRIED: usize = 500;

/// Where the search by antichains is given up for a complement.
const LIMITS: Limits = Limits {
    letters: 256,
    elements: 20_000,
};

/// Whether every word of `a` is a word of `b`.
pub fn is_included(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<bool> {
    Ok(difference_word(a, b, budget)?.is_none())
}

/// A word accepted by exactly one of the two, if there is one.
pub fn separating_word(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<Option<LassoWord>> {
    match difference_word(a, b, budget)? {
        Some(word) => Ok(Some(word)),
        None => difference_word(b, a, budget),
    }
}

/// Whether both accept the same words.
pub fn is_equivalent(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<bool> {
    Ok(separating_word(a, b, budget)?.is_none())
}

/// A word that is not accepted, if there is one.
pub fn rejected_word(automaton: &Automaton, budget: &Budget) -> Result<Option<LassoWord>> {
    let mut everything = Automaton::new(automaton.propositions().to_vec(), Acceptance::True, 0)?;
    let state = everything.add_state();
    everything.add_initial(state);
    everything.add_edge(state, Label::TRUE, state, Marks::NONE);
    difference_word(&everything, automaton, budget)
}

/// Whether every word is accepted.
pub fn is_universal(automaton: &Automaton, budget: &Budget) -> Result<bool> {
    Ok(rejected_word(automaton, budget)?.is_none())
}

/// How many random walks are tried before anything is complemented, and how many before antichains.
const WALKS: usize = 200;
const MORE_WALKS: usize = 3_000;

/// A word of `a` and not of `b` found by random walks through `a` that close a cycle: differences are usually many, and
/// one is found long before a complement is built. Reproducible: the walks start from a fixed seed.
fn sampled_difference(
    a: &Automaton,
    b: &Automaton,
    walks: usize,
    budget: &Budget,
) -> Result<Option<LassoWord>> {
    let mut random = Random::new(1);
    for _ in 0..walks {
        budget.check()?;
        let mut at = a.initial()[random.below(a.initial().len().max(1))];
        let mut visited = vec![at];
        let mut letters = Vec::new();
        let closed = loop {
            let edges = a.edges(at);
            if edges.is_empty() {
                break None;
            }
            let edge = edges[random.below(edges.len())];
            letters.push(a.labels.pick(edge.label).map_or(0, |cube| cube.positive));
            at = edge.target;
            // Sometimes a repeated state is passed by, so that longer cycles are tried too.
            let before = visited.iter().rposition(|state| *state == at);
            if let Some(start) = before
                && (random.below(3) > 0 || visited.len() > 4 * a.state_count())
            {
                break Some(start);
            }
            visited.push(at);
        };
        if let Some(start) = closed {
            let cycle = letters.split_off(start);
            let word = LassoWord::new(a.propositions().to_vec(), letters, cycle).shortened();
            if a.accepts(&word) && !b.accepts(&word) {
                return Ok(Some(word));
            }
        }
    }
    Ok(None)
}

/// Whether each initial state of `a` is simulated by one of `b`.
fn simulated(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<bool> {
    if a.state_count() + b.state_count() > crate::reduce::simulation::LARGEST_SIMULATED {
        return Ok(false);
    }
    let propositions = joint_propositions(a, b);
    let mut both = union(&a.over(&propositions)?, &b.over(&propositions)?)?;
    let shift = a.state_count();
    let relation = direct_simulation(&mut both, budget)?;
    Ok(a.initial().iter().all(|s| {
        b.initial()
            .iter()
            .any(|t| relation.has(s.index(), t.index() + shift))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_automaton::RandomAutomaton;

    #[test]
    fn every_route_to_inclusion_agrees_with_the_complement() {
        let budget = Budget::unlimited();
        let mut random = Random::new(5);
        let (mut included, mut different) = (0, 0);
        for round in 0..1_000 {
            let marks = 1 + round % 2;
            let mut draw = |states: usize, edges: usize| {
                let shape = RandomAutomaton {
                    states,
                    propositions: 1,
                    edges,
                    acceptance: (Acceptance::generalized_buchi(marks), marks),
                    marked: 30 + random.below(60),
                };
                shape.draw(&mut random).expect("small")
            };
            let (a, b) = (draw(1 + round as usize % 5, 2), draw(1 + round as usize % 6, 4));
            let outside = complement(&b, &budget).expect("small");
            let expected = intersection(&a, &outside).expect("small").0.is_empty();
            match difference_word(&a, &b, &budget).expect("small") {
                None => {
                    assert!(expected, "{a:?}{b:?}");
                    included += 1;
                }
                Some(word) => {
                    assert!(a.accepts(&word) && !b.accepts(&word), "{word}");
                    different += 1;
                }
            }
        }
        assert!(included > 100 && different > 100, "{included} and {different}");
    }
}
