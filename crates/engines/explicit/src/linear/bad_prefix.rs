//! Shortening a lasso to a prefix that no continuation can mend.
//!
//! The automaton of the violating paths is read along the lasso. As soon as it can be in a state that accepts every continuation (a loop on all letters
//! with all marks), the rest of the lasso does not matter, and a prefix that is bad already is easier to read. The prefix is found by the automaton, not
//! by the evaluation on paths with which the checker judges it. Linear in the lasso, for each state of the automaton.

use super::judge::linear_path;
use super::property_automaton::PropertyAutomaton;
use crate::code::evaluator::is_about_steps;
use entail_automata::{Label, Letter, Marks, State};
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_logic::Formula;
use entail_model::{TermId, TransitionSystem, Valuation, evaluate_bool};
use std::collections::BTreeSet;

/// Where every infinite path is fair, the lasso is cut where no continuation can change the answer any more. (That it has an infinite continuation
/// is what the lasso showed.)
pub(crate) fn as_short_as_decided(
    system: &TransitionSystem,
    lasso: Trace,
    formula: &Formula<TermId>,
    budget: &Budget,
) -> Trace {
    match decided_after(system, &lasso, formula, budget) {
        Some(length) => prefix(system, &lasso, length),
        None => lasso,
    }
}

/// Number of states after which the lasso violates the formula whatever follows.
fn decided_after(
    system: &TransitionSystem,
    lasso: &Trace,
    formula: &Formula<TermId>,
    budget: &Budget,
) -> Option<usize> {
    let path = linear_path(formula).filter(|_| !system.has_fairness())?;
    let mut violating = PropertyAutomaton::new(&path.not(), budget).ok()?;
    let accepts_everything: Vec<bool> = violating
        .automaton()
        .states()
        .map(|state| is_sink(&violating, state))
        .collect();
    // An atom about a step is known only once the next state is.
    let mut atoms = violating.atoms.iter();
    let behind = usize::from(atoms.any(|&atom| is_about_steps(system, atom)));
    let mut states: BTreeSet<State> = violating.initial().iter().copied().collect();
    for position in 0..lasso.steps.len().checked_sub(behind)? {
        if budget.check().is_err() {
            return None;
        }
        let letter = letter(system, lasso, &violating.atoms, position)?;
        states = (states.iter())
            .flat_map(|&state| {
                violating
                    .moves(state, letter)
                    .iter()
                    .map(|&(target, _)| target)
                    .collect::<Vec<_>>()
            })
            .collect();
        if states.iter().any(|state| accepts_everything[state.index()]) {
            return Some(position + 1 + behind);
        }
    }
    None
}

/// Whether a state returns to itself on every letter with every mark.
fn is_sink(violating: &PropertyAutomaton<TermId>, state: State) -> bool {
    let all = Marks::first(violating.mark_count);
    (violating.automaton().edges(state).iter())
        .any(|edge| edge.target == state && edge.label == Label::TRUE && edge.marks == all)
}

/// The atoms that are true at a position.
fn letter(system: &TransitionSystem, lasso: &Trace, atoms: &[TermId], position: usize) -> Option<Letter> {
    let next: &[_] = lasso.steps.get(position + 1).map_or(&[], Vec::as_slice);
    let valuation = Valuation::step(&lasso.steps[position], next);
    let mut letter: Letter = 0;
    for (bit, &atom) in atoms.iter().enumerate() {
        letter |= Letter::from(evaluate_bool(&system.terms, atom, valuation).ok()?) << bit;
    }
    Some(letter)
}

/// The first states of a trace, as a finite path.
fn prefix(system: &TransitionSystem, lasso: &Trace, length: usize) -> Trace {
    let mut steps = lasso.steps[..length].to_vec();
    // What is chosen in the last state is not part of a finite path.
    if let Some(last) = steps.last_mut() {
        for variable in system.input_variables() {
            last[variable.index()] = None;
        }
    }
    Trace {
        steps,
        loop_start: None,
    }
}
