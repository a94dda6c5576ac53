//! Complementing semi-deterministic Büchi automata: NCSB (Blahoudek, Heizmann, Schewe, Strejček, Tsai 2016).
//!
//! Runs of the first, nondeterministic part are followed as a set `N`: none of them is accepting by staying there. Runs in
//! the deterministic part are either *checked* (`C`) or declared *safe* (`S`): a safe run never sees a mark again. Each
//! run must be declared safe after its last mark; the set `B` of runs that still wait for that is emptied again and again, which is what
//! acceptance asks for. At most `4^n` states, simply exponential where general complementation is not.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::decide::emptiness::accepting_component;
use crate::error::Result;
use crate::label::Label;
use crate::numbering::Numbering;
use crate::reduce::components::Components;
use crate::reduce::powerset::split_letters;
use entail_budget::Budget;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Macro {
    first: Vec<State>,
    checked: Vec<State>,
    safe: Vec<State>,
    waiting: Vec<State>,
}

fn sorted(mut states: Vec<State>) -> Vec<State> {
    states.sort_unstable();
    states.dedup();
    states
}

/// The complement of a semi-deterministic Büchi automaton with the mark on edges; nothing above `limit` states.
pub fn ncsb_complement(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Option<Automaton>> {
    let everything = *automaton.acceptance() == Acceptance::True;
    let components = Components::of(automaton);
    let mut second = vec![false; automaton.state_count()];
    for component in (0..components.members.len()).rev() {
        let members = &components.members[component];
        if accepting_component(automaton, &components, component)
            || members.iter().any(|state| second[state.index()])
        {
            for state in members {
                second[state.index()] = true;
                for edge in automaton.edges(*state) {
                    second[edge.target.index()] = true;
                }
            }
        }
    }
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    let (deterministic, first): (Vec<State>, Vec<State>) = automaton
        .initial()
        .iter()
        .partition(|state| second[state.index()]);
    let start = Macro {
        first: sorted(first),
        checked: sorted(deterministic),
        safe: Vec::new(),
        waiting: Vec::new(),
    };
    let mut found = Numbering::new();
    let first = found.state(start, &mut result);
    result.add_initial(first);
    let mut at = 0;
    while let Some(current) = found.get(at) {
        budget.check()?;
        if found.len() > limit {
            return Ok(None);
        }
        // Where each edge comes from: 0 first part, 1 checked, 2 safe; and whether it is marked.
        let mut parts: Vec<(Label, (u8, State, State, bool))> = Vec::new();
        for (origin, states) in [(0u8, &current.first), (1, &current.checked), (2, &current.safe)] {
            for state in states {
                for edge in automaton.edges(*state) {
                    let marked = everything || !edge.marks.is_empty();
                    parts.push((edge.label, (origin, *state, edge.target, marked)));
                }
            }
        }
        for (label, taken) in split_letters(parts, &mut result.labels) {
            // A safe run that sees a mark was declared safe too early.
            if taken.iter().any(|(origin, _, _, marked)| *origin == 2 && *marked) {
                continue;
            }
            let first = sorted(
                taken
                    .iter()
                    .map(|(_, _, target, _)| *target)
                    .filter(|target| !second[target.index()])
                    .collect(),
            );
            let safe = sorted(
                taken
                    .iter()
                    .filter(|(origin, ..)| *origin == 2)
                    .map(|(_, _, target, _)| *target)
                    .collect(),
            );
            let open = sorted(
                taken
                    .iter()
                    .filter(|(origin, _, target, _)| {
                        *origin != 2 && second[target.index()] && !safe.contains(target)
                    })
                    .map(|(_, _, target, _)| *target)
                    .collect(),
            );
            if open.len() > 16 {
                return Ok(None);
            }
            for choice in 0u32..1 << open.len() {
                let (mut checked, mut declared) = (Vec::new(), safe.clone());
                for (position, state) in open.iter().enumerate() {
                    if choice >> position & 1 == 1 {
                        declared.push(*state);
                    } else {
                        checked.push(*state);
                    }
                }
                let waiting: Vec<State> = if current.waiting.is_empty() {
                    checked.clone()
                } else {
                    let reached: Vec<State> = taken
                        .iter()
                        .filter(|(origin, source, ..)| *origin == 1 && current.waiting.contains(source))
                        .map(|(_, _, target, _)| *target)
                        .collect();
                    checked
                        .iter()
                        .copied()
                        .filter(|state| reached.contains(state))
                        .collect()
                };
                let marks = if waiting.is_empty() {
                    Marks::one(0)
                } else {
                    Marks::NONE
                };
                let next = Macro {
                    first: first.clone(),
                    checked,
                    safe: sorted(declared),
                    waiting,
                };
                let target = found.state(next, &mut result);
                result.add_edge(State(at as u32), label, target, marks);
            }
        }
        at += 1;
    }
    result.merge_edges();
    Ok(Some(result))
}
