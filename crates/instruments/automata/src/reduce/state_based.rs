//! Acceptance moved from edges to states, for any condition.
//!
//! A state of the result is a state and the marks of the edge that led to it, and every edge that leaves it carries those
//! marks: a run sees the same marks one step later, so infinitely often the same. Determinism is kept. At most `n` times
//! the number of different mark sets as states.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::numbering::Numbering;

/// An equivalent automaton whose edges agree on their marks state by state.
pub fn to_state_based(automaton: &Automaton) -> Automaton {
    if automaton.is_state_based() {
        return automaton.clone();
    }
    let mut result = automaton.skeleton();
    let mut found = Numbering::new();
    for &state in automaton.initial() {
        let start = found.state((state, Marks::NONE), &mut result);
        result.add_initial(start);
    }
    let mut at = 0;
    while let Some((state, marks)) = found.get(at) {
        for edge in automaton.edges(state) {
            let target = found.state((edge.target, edge.marks), &mut result);
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    result
}
