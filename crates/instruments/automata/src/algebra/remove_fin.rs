//! From any acceptance condition to generalized Büchi.
//!
//! The condition in disjunctive normal form is a choice of "these marks finitely, those infinitely often". A run first goes
//! through a copy of the automaton where nothing counts, then guesses a disjunct and the moment after which its finite
//! marks are over, and moves to a copy without the edges that carry them. One copy for each disjunct with a `Fin`, plus
//! the first: `n (1 + d)` states — for Rabin with `k` pairs the `n (k + 1)` of the textbook, for Streett up to `2^k` copies.
//! Disjuncts without `Fin` need no copy of their own if they are alone.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::reduce::components::Components;

/// An equivalent generalized Büchi automaton (marks on edges), pruned.
pub fn to_generalized_buchi(automaton: &Automaton) -> Result<Automaton> {
    if automaton.acceptance().as_generalized_buchi().is_some() {
        let mut same = automaton.clone();
        same.prune_marks();
        return Ok(same);
    }
    let disjuncts = automaton.acceptance().disjuncts();
    if disjuncts.is_empty() {
        return Automaton::empty(automaton.propositions().to_vec()).map(|mut empty| {
            empty.acceptance = Acceptance::buchi();
            empty.mark_count = 1;
            empty
        });
    }
    let count = disjuncts
        .iter()
        .map(|(_, inf)| inf.0.count_ones())
        .max()
        .unwrap_or(0)
        .max(1);
    if count > 64 {
        return Err(AutomataError::TooManyMarks(count as usize));
    }
    let components = Components::of(automaton);
    let size = automaton.state_count() as u32;
    let mut result = automaton.skeleton();
    result.acceptance = Acceptance::generalized_buchi(count);
    result.mark_count = count;
    result.edges = vec![Vec::new(); size as usize * (1 + disjuncts.len())];
    result.initial = automaton.initial().to_vec();
    for state in automaton.states() {
        for edge in automaton.edges(state) {
            result.add_edge(state, edge.label, edge.target, Marks::NONE);
        }
    }
    for (number, (fin, inf)) in disjuncts.iter().enumerate() {
        let offset = size * (number as u32 + 1);
        let wanted: Vec<u32> = inf.iter().collect();
        let fill = Marks::first(count).without(Marks::first(wanted.len() as u32));
        for state in automaton.states() {
            for edge in automaton.edges(state) {
                // Only inside a component can a run stay for ever.
                if components.of[state.index()] == u32::MAX || !components.inner(state, edge) {
                    continue;
                }
                if !edge.marks.common(*fin).is_empty() {
                    continue;
                }
                let marks = wanted
                    .iter()
                    .enumerate()
                    .filter(|(_, mark)| edge.marks.has(**mark))
                    .fold(fill, |all, (position, _)| all.with(Marks::one(position as u32)));
                let target = State(edge.target.0 + offset);
                result.add_edge(State(state.0 + offset), edge.label, target, marks);
                // The jump: take this edge and be in the copy from now on.
                result.add_edge(state, edge.label, target, Marks::NONE);
            }
        }
        for state in automaton.initial() {
            result.initial.push(State(state.0 + offset));
        }
    }
    result.prune_marks();
    Ok(result)
}
