//! Complementation by rank functions (Kupferman and Vardi; tight rankings of Friedgut, Kupferman, Vardi and Schewe).
//!
//! A word is rejected iff the graph of all runs can be ranked: ranks never grow along an edge, a marked edge leads to an
//! even rank or one below, and every path gets stuck in an odd rank. The complement first follows plain sets of states, then guesses the moment from which the
//! ranking is *tight* (the largest rank is odd and every odd rank below it occurs) and keeps its largest rank. A second
//! set `O` holds states of even rank that must still go down; whenever it is empty the edge is marked.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::label::Label;
use crate::numbering::Numbering;
use crate::reduce::powerset::split_letters;
use entail_budget::Budget;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Level {
    /// The states reached, before ranks are guessed.
    Set(Vec<State>),
    /// Ranks of the states reached, and those that owe a descent.
    Ranked(Vec<(State, u32)>, Vec<State>),
}

/// The complement of a Büchi automaton with the mark on edges, or nothing above `limit` states.
pub fn rank_complement(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Option<Automaton>> {
    let everything = *automaton.acceptance() == Acceptance::True;
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    let mut initial = automaton.initial().to_vec();
    initial.sort_unstable();
    let mut found = Numbering::new();
    let first = found.state(Level::Set(initial), &mut result);
    result.add_initial(first);
    let mut at = 0;
    while let Some(level) = found.get(at) {
        budget.check()?;
        if found.len() > limit {
            return Ok(None);
        }
        let sources: Vec<State> = match &level {
            Level::Set(states) => states.clone(),
            Level::Ranked(ranks, _) => ranks.iter().map(|(state, _)| *state).collect(),
        };
        let parts: Vec<(Label, (usize, State, bool))> = sources
            .iter()
            .enumerate()
            .flat_map(|(position, state)| {
                automaton.edges(*state).iter().map(move |edge| {
                    (
                        edge.label,
                        (position, edge.target, everything || !edge.marks.is_empty()),
                    )
                })
            })
            .collect();
        for (label, taken) in split_letters(parts, &mut result.labels) {
            let mut targets: Vec<State> = taken.iter().map(|(_, target, _)| *target).collect();
            targets.sort_unstable();
            targets.dedup();
            let mut successors: Vec<(Level, bool)> = Vec::new();
            match &level {
                Level::Set(_) => {
                    // No run left: accept from here on.
                    successors.push((Level::Set(targets.clone()), targets.is_empty()));
                    let highest = (2 * automaton.state_count()).saturating_sub(1) as u32;
                    if !targets.is_empty() {
                        let bounds: Vec<(State, u32)> =
                            targets.iter().map(|state| (*state, highest)).collect();
                        for ranks in tight_rankings(&bounds, None) {
                            let owing = even(&ranks);
                            successors.push((Level::Ranked(ranks, owing), false));
                        }
                    }
                }
                Level::Ranked(ranks, owing) => {
                    let mut bounds: Vec<(State, u32)> =
                        targets.iter().map(|state| (*state, u32::MAX)).collect();
                    for (source, target, marked) in &taken {
                        let rank = ranks[*source].1;
                        let bound = if *marked { rank - rank % 2 } else { rank };
                        let entry = bounds
                            .iter_mut()
                            .find(|(state, _)| state == target)
                            .expect("every target has a bound");
                        entry.1 = entry.1.min(bound);
                    }
                    if bounds.is_empty() {
                        successors.push((Level::Set(Vec::new()), true));
                    } else {
                        let highest = ranks.iter().map(|(_, rank)| *rank).max().expect("not empty");
                        for next in tight_rankings(&bounds, Some(highest)) {
                            let descend: Vec<State> = if owing.is_empty() {
                                even(&next)
                            } else {
                                let from_owing: Vec<State> = taken
                                    .iter()
                                    .filter(|(source, ..)| owing.contains(&ranks[*source].0))
                                    .map(|(_, target, _)| *target)
                                    .collect();
                                even(&next)
                                    .into_iter()
                                    .filter(|state| from_owing.contains(state))
                                    .collect()
                            };
                            let marked = descend.is_empty();
                            successors.push((Level::Ranked(next, descend), marked));
                        }
                    }
                }
            }
            for (next, marked) in successors {
                let target = found.state(next, &mut result);
                let marks = if marked { Marks::one(0) } else { Marks::NONE };
                result.add_edge(State(at as u32), label, target, marks);
            }
        }
        at += 1;
    }
    result.merge_edges();
    Ok(Some(result))
}

fn even(ranks: &[(State, u32)]) -> Vec<State> {
    ranks
        .iter()
        .filter(|(_, rank)| rank % 2 == 0)
        .map(|(state, _)| *state)
        .collect()
}

/// The tight rankings within the bounds; with `highest`, exactly those whose largest rank it is.
fn tight_rankings(bounds: &[(State, u32)], highest: Option<u32>) -> Vec<Vec<(State, u32)>> {
    let limit = highest.unwrap_or(2 * bounds.len() as u32 - 1);
    let mut all: Vec<Vec<(State, u32)>> = vec![vec![]];
    for (state, bound) in bounds {
        all = all
            .into_iter()
            .flat_map(|ranks| {
                (0..=(*bound).min(limit)).map(move |rank| {
                    let mut longer = ranks.clone();
                    longer.push((*state, rank));
                    longer
                })
            })
            .collect();
    }
    all.retain(|ranks| {
        let largest = ranks.iter().map(|(_, rank)| *rank).max().unwrap_or(0);
        largest % 2 == 1
            && highest.is_none_or(|highest| highest == largest)
            && (1..=largest)
                .step_by(2)
                .all(|odd| ranks.iter().any(|(_, rank)| *rank == odd))
    });
    all
}
