//! Existential projection: forget propositions.
//!
//! The projected automaton accepts a word iff the forgotten propositions can be filled in, position by position, so that
//! the original accepts. Labels are quantified one by one; nothing else changes, so the size stays.

use crate::automaton::Automaton;
use rustc_hash::FxHashMap;

/// The automaton without these propositions.
pub fn project(automaton: &Automaton, forget: &[String]) -> Automaton {
    let mut result = automaton.clone();
    let forgotten: Vec<bool> = automaton
        .propositions()
        .iter()
        .map(|name| forget.contains(name))
        .collect();
    for edge in result.edges.iter_mut().flatten() {
        edge.label = result.labels.exists(edge.label, &|var| forgotten[var as usize]);
    }
    retain_propositions(&mut result, |position| !forgotten[position]);
    result.merge_edges();
    result
}

/// Removes from the list propositions that no label mentions.
pub fn remove_unused_propositions(automaton: &mut Automaton) {
    let used = automaton
        .edges
        .iter()
        .flatten()
        .fold(0u64, |all, edge| all | automaton.labels.support(edge.label));
    if used != automaton.letter_mask() {
        retain_propositions(automaton, |position| used >> position & 1 == 1);
    }
}

fn retain_propositions(automaton: &mut Automaton, keep: impl Fn(usize) -> bool) {
    let mut number = Vec::new();
    let mut kept = Vec::new();
    for (position, name) in automaton.propositions.iter().enumerate() {
        number.push(kept.len() as u32);
        if keep(position) {
            kept.push(name.clone());
        }
    }
    automaton.propositions = kept;
    let old = std::mem::take(&mut automaton.labels);
    let mut done = FxHashMap::default();
    for edge in automaton.edges.iter_mut().flatten() {
        edge.label = automaton
            .labels
            .import(&old, edge.label, &|var| number[var as usize], &mut done);
    }
}
