//! Acceptance moved from edges to states, for any condition.
//!
//! A state of the result is a state and the marks of the edge that led to it, and every edge that leaves it carries those
//! marks: a run sees the same marks one step later, so infinitely often the same. Determinism is kept. At most `n` times
//! the number of different mark sets as states.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use rustc_hash::FxHashMap;

/// An equivalent automaton whose edges agree on their marks state by state.
pub fn to_state_based(automaton: &Automaton) -> Automaton {
    if automaton.is_state_based() {
        return automaton.clone();
    }
    let mut result = automaton.skeleton();
    let mut number: FxHashMap<(State, Marks), State> = FxHashMap::default();
    let mut pending: Vec<(State, Marks)> = Vec::new();
    for &state in automaton.initial() {
        let fresh = result.add_state();
        number.insert((state, Marks::NONE), fresh);
        pending.push((state, Marks::NONE));
        result.add_initial(fresh);
    }
    let mut at = 0;
    while at < pending.len() {
        let (state, marks) = pending[at];
        for edge in automaton.edges(state) {
            let next = (edge.target, edge.marks);
            let target = *number.entry(next).or_insert_with(|| {
                pending.push(next);
                result.add_state()
            });
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    result
}
