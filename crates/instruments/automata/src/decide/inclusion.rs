//! Inclusion, equivalence and universality, with a word that tells the difference.
//!
//! `L(A) ⊆ L(B)` iff `A` and the complement of `B` have no common word. The complement is the cheapest available (see
//! [`crate::algebra::complement`]); before it is built, `B` is reduced, and if `B` simulates `A` nothing needs to be
//! built at all. For formulas, ask with the automaton of the negation instead of complementing.

use crate::algebra::complement::complement;
use crate::algebra::product::{intersection, union};
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::automaton::{Automaton, joint_propositions};
use crate::error::Result;
use crate::reduce::simulation::direct_simulation;
use crate::word::LassoWord;
use entail_budget::Budget;

/// A word accepted by `a` and not by `b`, if there is one.
pub fn difference_word(a: &Automaton, b: &Automaton, budget: &Budget) -> Result<Option<LassoWord>> {
    let mut left = to_generalized_buchi(a)?;
    let mut right = to_generalized_buchi(b)?;
    left.reduce_as(false);
    right.reduce_as(false);
    if left.is_empty() {
        return Ok(None);
    }
    if simulated(&left, &right)? {
        return Ok(None);
    }
    let other = complement(&right, budget)?;
    Ok(intersection(&left, &other)?.0.accepted_word())
}

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
    Ok(complement(automaton, budget)?.accepted_word())
}

/// Whether every word is accepted.
pub fn is_universal(automaton: &Automaton, budget: &Budget) -> Result<bool> {
    Ok(rejected_word(automaton, budget)?.is_none())
}

/// Whether each initial state of `a` is simulated by one of `b`.
fn simulated(a: &Automaton, b: &Automaton) -> Result<bool> {
    if a.state_count() + b.state_count() > crate::reduce::simulation::LARGEST_SIMULATED {
        return Ok(false);
    }
    let propositions = joint_propositions(a, b);
    let mut both = union(&a.over(&propositions)?, &b.over(&propositions)?)?;
    let shift = a.state_count();
    let relation = direct_simulation(&mut both);
    Ok(a.initial().iter().all(|s| {
        b.initial()
            .iter()
            .any(|t| relation.has(s.index(), t.index() + shift))
    }))
}
