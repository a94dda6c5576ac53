//! Choosing between copies of a state that accept the same language.
//!
//! Degeneralisation and determinisation make copies of what is, for the language, one state: they differ in the level or
//! in the nesting of braces, that is, in bookkeeping that matters only for judging a run in the long term. A run changes components finitely often, so an
//! edge between components (and the start) may lead to any copy of its target. All lead to the copy in the last component,
//! and copies that nobody needs any more are dropped. Linear.

use crate::automaton::{Automaton, State};
use crate::reduce::components::Components;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// Redirects edges between components to the last copy of their target; states with equal origins are copies.
pub(crate) fn join_late_copies<T: Eq + Hash>(automaton: &mut Automaton, origins: &[T]) {
    let components = Components::of(automaton);
    let mut latest: FxHashMap<&T, State> = FxHashMap::default();
    for state in automaton.states() {
        let known = latest.entry(&origins[state.index()]).or_insert(state);
        if components.of[state.index()] < components.of[known.index()] {
            *known = state;
        }
    }
    for source in 0..automaton.edges.len() {
        for edge in &mut automaton.edges[source] {
            if components.of[source] != components.of[edge.target.index()] {
                edge.target = latest[&origins[edge.target.index()]];
            }
        }
    }
    let mut initial: Vec<State> = automaton
        .initial
        .iter()
        .map(|state| latest[&origins[state.index()]])
        .collect();
    initial.sort_unstable();
    initial.dedup();
    automaton.initial = initial;
    automaton.remove_unreachable();
}
