//! Minimal weak deterministic Büchi automata for obligation properties.
//!
//! An obligation (a Boolean combination of safety and guarantee properties) has a unique minimal weak deterministic Büchi
//! automaton. Dax, Eisinger and Klaedtke: take the subset construction of any automaton for the property and decide for
//! each component, by one word that cycles in it, whether it accepts. Löding: colour the states as high as the order of the
//! components allows, and minimise as automata on finite words with the even colours final. For a property that is no
//! obligation the result is some other language, so unless the class is known the result must be compared with the source
//! and with an automaton for the complement.

use crate::acceptance::{Acceptance, Marks};
use crate::algebra::product::intersection;
use crate::automaton::{Automaton, Edge, State};
use crate::error::Result;
use crate::label::Label;
use crate::reduce::components::Components;
use crate::reduce::powerset::powerset;
use crate::word::LassoWord;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// The minimal weak deterministic automaton that is equivalent to `automaton` *if that is an obligation*. Complete,
/// acceptance on states.
pub fn minimal_weak_candidate(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Automaton> {
    let subsets = powerset(automaton, limit, budget)?;
    let mut deterministic = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    deterministic.labels = subsets.labels;
    deterministic.edges = subsets
        .edges
        .iter()
        .map(|list| {
            list.iter()
                .map(|(label, target)| Edge {
                    label: *label,
                    target: State(*target),
                    marks: Marks::NONE,
                })
                .collect()
        })
        .collect();
    deterministic.initial = vec![State(0)];
    let components = Components::of(&deterministic);
    let mut colours: Vec<u32> = vec![0; deterministic.state_count()];
    let highest = 2 * components.members.len() as u32 + 2;
    for component in 0..components.members.len() {
        budget.check()?;
        let members = &components.members[component];
        let ahead = members
            .iter()
            .flat_map(|state| deterministic.edges(*state).iter().map(|edge| edge.target))
            .filter(|target| components.of[target.index()] as usize != component)
            .map(|target| colours[target.index()])
            .min()
            .unwrap_or(highest);
        let colour = match cycle_word(&deterministic, &components, component) {
            None => ahead,
            Some((state, word)) => {
                let accepting = automaton.accepts_from(&subsets.sets[state.index()], &word);
                if (ahead % 2 == 0) == accepting {
                    ahead
                } else {
                    ahead - 1
                }
            }
        };
        for state in members {
            colours[state.index()] = colour;
        }
    }
    minimise(deterministic, &colours, budget)
}

/// A word that stays in the component for ever from the given state, if there is one.
fn cycle_word(
    automaton: &Automaton,
    components: &Components,
    component: usize,
) -> Option<(State, LassoWord)> {
    let start = components.members[component][0];
    let mut parent: FxHashMap<State, (State, Label)> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for edge in automaton.edges(state) {
            if !components.inner(state, edge) {
                continue;
            }
            if edge.target == start {
                let mut labels = vec![edge.label];
                let mut at = state;
                while at != start {
                    let (source, label) = parent[&at];
                    labels.push(label);
                    at = source;
                }
                labels.reverse();
                let letters = labels
                    .into_iter()
                    .map(|label| automaton.labels.pick(label).map_or(0, |cube| cube.positive));
                let word = LassoWord::new(automaton.propositions().to_vec(), vec![], letters.collect());
                return Some((start, word));
            }
            if edge.target != start && !parent.contains_key(&edge.target) {
                parent.insert(edge.target, (state, edge.label));
                queue.push_back(edge.target);
            }
        }
    }
    None
}

/// Moore's minimisation with the even colours final.
fn minimise(automaton: Automaton, colours: &[u32], budget: &Budget) -> Result<Automaton> {
    let mut marked = automaton;
    for (state, list) in marked.edges.iter_mut().enumerate() {
        for edge in list {
            edge.marks = if colours[state].is_multiple_of(2) {
                Marks::one(0)
            } else {
                Marks::NONE
            };
        }
    }
    // The automaton is complete and deterministic, so bisimilarity is language equality of the finite-word automaton.
    marked.reduce_bisimilar(budget)?;
    Ok(marked)
}

/// The complement of a complete weak deterministic automaton with acceptance on states.
fn weak_complement(automaton: &Automaton) -> Automaton {
    let mut result = automaton.clone();
    for edge in result.edges.iter_mut().flatten() {
        edge.marks = if edge.marks.is_empty() {
            Marks::one(0)
        } else {
            Marks::NONE
        };
    }
    result
}

/// The minimal weak deterministic automaton, if the language is an obligation. `complement` accepts the other words.
pub fn minimal_weak(
    automaton: &Automaton,
    complement: &Automaton,
    limit: usize,
    budget: &Budget,
) -> Result<Option<Automaton>> {
    let candidate = match minimal_weak_candidate(automaton, limit, budget) {
        Ok(candidate) => candidate,
        Err(crate::error::AutomataError::NotApplicable(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    budget.check_now()?;
    if !intersection(&candidate, complement)?.0.is_empty() {
        return Ok(None);
    }
    if !intersection(&weak_complement(&candidate), automaton)?
        .0
        .is_empty()
    {
        return Ok(None);
    }
    Ok(Some(candidate))
}
