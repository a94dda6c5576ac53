//! Determinisation to parity automata (Safra's trees in the compact form of Piterman and Redziejowski).
//!
//! A state is a set of source states, each in a *brace*; braces are nested and numbered by age, older ones smaller. Reading
//! a letter, a run that takes a marked edge opens a new brace inside its own; a state reached by several runs keeps the
//! oldest path of braces, and the deeper of two where one extends the other. A brace whose states have all moved into inner braces is *green*:
//! its runs have all seen a mark, the inner braces are dissolved. A brace without states is *red* and is removed. The edge
//! gets the most important event: red `b` counts `2b`, green `b` counts `2b + 1`, the smallest wins and odd is good (parity min odd):
//! a run is accepting iff some brace is green infinitely often and eventually never red.
//!
//! A state that a better placed state simulates is left out (Löding and Pirogov).
//!
//! The source is a Büchi automaton with the mark on edges; generalized conditions are degeneralised first, others brought to Büchi. Edges between
//! components carry no mark after pruning, which keeps braces few. At most `2^O(n log n)` states.

use crate::acceptance::{Acceptance, Extreme, Marks, Winner};
use crate::algebra::parity::normalise_parity;
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::Label;
use crate::reduce::degeneralize::{Placement, degeneralize};
use crate::reduce::late_copies::join_late_copies;
use crate::reduce::powerset::split_letters;
use crate::reduce::simulation::{SimulationRelation, direct_simulation};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// A set of states in nested braces: a state of the deterministic automaton. Callers whose source is not an [`Automaton`] step through these themselves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Nesting {
    /// Each state with its innermost brace, sorted by state.
    states: Vec<(State, u32)>,
    /// The brace around each brace; `NONE` for outermost ones. An inner brace has a larger number than what is around it.
    parents: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// Sources above this size are determinised without comparing their states by simulation.
const LARGEST_COMPARED: usize = 200;

impl Nesting {
    /// These states in one brace.
    pub fn around(mut states: Vec<State>) -> Nesting {
        states.sort_unstable();
        states.dedup();
        Nesting {
            parents: if states.is_empty() { vec![] } else { vec![NONE] },
            states: states.into_iter().map(|state| (state, 0)).collect(),
        }
    }

    /// The states, in order.
    pub fn states(&self) -> impl ExactSizeIterator<Item = State> + '_ {
        self.states.iter().map(|(state, _)| *state)
    }

    /// The successor along the given edges (position of the source among the states, target, marked), and the priority of the step: the smallest that comes again and again decides, odd ones
    /// for acceptance; nothing if it does not matter.
    pub fn along(&self, edges: &[(usize, State, bool)]) -> (Nesting, Option<u32>) {
        self.step(edges, None)
    }

    /// The path of braces around `brace`, outermost first.
    fn path(parents: &[u32], mut brace: u32) -> Vec<u32> {
        let mut path = Vec::new();
        while brace != NONE {
            path.push(brace);
            brace = parents[brace as usize];
        }
        path.reverse();
        path
    }

    /// Whether the path `a` is to be preferred to `b`: older at the first difference, deeper if one extends the other.
    fn better(a: &[u32], b: &[u32]) -> bool {
        for (x, y) in a.iter().zip(b) {
            if x != y {
                return x < y;
            }
        }
        a.len() > b.len()
    }

    /// The successor along the given edges (source position, target, marked), and the priority of the step.
    fn step(
        &self,
        edges: &[(usize, State, bool)],
        relation: Option<&SimulationRelation>,
    ) -> (Nesting, Option<u32>) {
        let mut parents = self.parents.clone();
        let mut opened: FxHashMap<u32, u32> = FxHashMap::default();
        // New braces are numbered by the age of the brace they open in.
        let mut opening: Vec<u32> = edges
            .iter()
            .filter(|edge| edge.2)
            .map(|edge| self.states[edge.0].1)
            .collect();
        opening.sort_unstable();
        opening.dedup();
        for brace in opening {
            opened.insert(brace, parents.len() as u32);
            parents.push(brace);
        }
        let mut best: FxHashMap<State, (u32, Vec<u32>)> = FxHashMap::default();
        for &(source, target, marked) in edges {
            let own = self.states[source].1;
            let brace = if marked { opened[&own] } else { own };
            let path = Nesting::path(&parents, brace);
            let replace = best
                .get(&target)
                .is_none_or(|(_, known)| Nesting::better(&path, known));
            if replace {
                best.insert(target, (brace, path));
            }
        }
        if let Some(relation) = relation {
            drop_simulated(&mut best, relation);
        }
        let mut states: Vec<(State, u32)> = best
            .into_iter()
            .map(|(state, (brace, _))| (state, brace))
            .collect();
        states.sort_unstable();
        let priority = close(&mut states, &mut parents);
        (Nesting { states, parents }, priority)
    }
}

/// Drops states that a state in a better place simulates: whatever they could still do, the other does as well.
fn drop_simulated(best: &mut FxHashMap<State, (u32, Vec<u32>)>, relation: &SimulationRelation) {
    let mut order: Vec<State> = best.keys().copied().collect();
    order.sort_unstable();
    for &state in &order {
        let path = &best[&state].1;
        let dropped = order.iter().any(|&other| {
            other != state
                && relation.has(state.index(), other.index())
                && best.get(&other).is_some_and(|(_, better)| {
                    Nesting::better(better, path)
                        || (better == path && (other < state || !relation.has(other.index(), state.index())))
                })
        });
        if dropped {
            best.remove(&state);
        }
    }
}

/// Dissolves what is inside green braces and removes red ones; renumbers. Returns the most important event.
fn close(states: &mut [(State, u32)], parents: &mut Vec<u32>) -> Option<u32> {
    let count = parents.len();
    let mut direct = vec![false; count];
    for (_, brace) in states.iter() {
        direct[*brace as usize] = true;
    }
    let mut inhabited = direct.clone();
    // Parents have smaller numbers, so one sweep from the youngest collects everything.
    for brace in (0..count).rev() {
        if inhabited[brace] && parents[brace] != NONE {
            inhabited[parents[brace] as usize] = true;
        }
    }
    let mut event: Option<u32> = None;
    let mut note = |priority: u32| event = Some(event.map_or(priority, |known: u32| known.min(priority)));
    // The brace each one is dissolved into: the outermost green brace around it, if there is one.
    let mut into: Vec<u32> = (0..count as u32).collect();
    for brace in 0..count {
        let parent = parents[brace];
        let outer = if parent == NONE {
            None
        } else {
            Some(into[parent as usize])
        };
        let dissolved = outer.is_some_and(|outer| inhabited[outer as usize] && !direct[outer as usize]);
        if dissolved {
            into[brace] = outer.expect("dissolved into something");
            note(2 * brace as u32);
        } else if !inhabited[brace] {
            note(2 * brace as u32);
        } else if !direct[brace] {
            note(2 * brace as u32 + 1);
        }
    }
    let mut number = vec![NONE; count];
    let mut next = 0;
    let mut kept = Vec::new();
    for brace in 0..count {
        if inhabited[brace] && into[brace] == brace as u32 {
            number[brace] = next;
            next += 1;
            kept.push(brace);
        }
    }
    let renumbered = kept
        .iter()
        .map(|&brace| {
            if parents[brace] == NONE {
                NONE
            } else {
                number[parents[brace] as usize]
            }
        })
        .collect();
    for (_, brace) in states.iter_mut() {
        *brace = number[into[*brace as usize] as usize];
    }
    *parents = renumbered;
    event
}

/// A deterministic, complete parity automaton (max even, marks on edges) for any automaton.
pub fn to_deterministic_parity(automaton: &Automaton, budget: &Budget) -> Result<Automaton> {
    deterministic_parity_within(automaton, usize::MAX, budget)
}

/// The same; an error if it takes more than `limit` states.
pub fn deterministic_parity_within(
    automaton: &Automaton,
    limit: usize,
    budget: &Budget,
) -> Result<Automaton> {
    if automaton.is_deterministic() {
        let mut complete = automaton.clone();
        complete.complete()?;
        return crate::algebra::zielonka::to_parity(&complete, budget);
    }
    let generalized = to_generalized_buchi(automaton)?;
    let source = degeneralize(&generalized, Placement::Edges, budget)?;
    let mut result = determinize_buchi(&source, limit, budget)?;
    normalise_parity(&mut result)?;
    result.reduce_bisimilar(budget)?;
    Ok(result)
}

/// Safra's construction on a Büchi automaton with the mark on edges: parity min odd, complete. An error beyond `limit` states.
fn determinize_buchi(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Automaton> {
    let mut source = automaton.clone();
    source.prune();
    let everything_accepts = *source.acceptance() == Acceptance::True;
    let relation = match source.state_count() {
        0..=LARGEST_COMPARED => Some(direct_simulation(&mut source, budget)?),
        _ => None,
    };
    let mut number: FxHashMap<Nesting, State> = FxHashMap::default();
    let start = Nesting::around(source.initial().to_vec());
    let mut result = Automaton::new(source.propositions().to_vec(), Acceptance::False, 0)?;
    result.labels = source.labels.clone();
    let first = result.add_state();
    result.add_initial(first);
    number.insert(start.clone(), first);
    let mut nestings = vec![start];
    let mut edges: Vec<(State, Label, State, Option<u32>)> = Vec::new();
    let mut highest = 0;
    let mut at = 0;
    while at < nestings.len() {
        budget.check()?;
        if nestings.len() > limit {
            return Err(AutomataError::TooLarge(
                "the deterministic automaton is too large",
            ));
        }
        let nesting = nestings[at].clone();
        let parts: Vec<(Label, (usize, State, bool))> = nesting
            .states
            .iter()
            .enumerate()
            .flat_map(|(position, (state, _))| {
                source.edges(*state).iter().map(move |edge| {
                    let marked = everything_accepts || !edge.marks.is_empty();
                    (edge.label, (position, edge.target, marked))
                })
            })
            .collect();
        for (label, taken) in split_letters(parts, &mut result.labels) {
            let (next, priority) = nesting.step(&taken, relation.as_ref());
            highest = highest.max(priority.map_or(0, |p| p + 1));
            let target = match number.get(&next) {
                Some(&known) => known,
                None => {
                    let fresh = result.add_state();
                    number.insert(next.clone(), fresh);
                    nestings.push(next);
                    fresh
                }
            };
            edges.push((State(at as u32), label, target, priority));
        }
        at += 1;
    }
    // A step without event counts as a losing priority behind all others, so that every edge has one.
    let silent = highest + highest % 2;
    if silent + 1 > 64 {
        return Err(AutomataError::TooManyMarks(silent as usize + 1));
    }
    result.acceptance = Acceptance::parity(Extreme::Min, Winner::Odd, silent + 1);
    result.mark_count = silent + 1;
    for (edge_source, label, target, priority) in edges {
        result.add_edge(edge_source, label, target, Marks::one(priority.unwrap_or(silent)));
    }
    // Nestings of the same states accept the same words.
    let origins: Vec<Vec<State>> = nestings
        .iter()
        .map(|nesting| nesting.states.iter().map(|(state, _)| *state).collect())
        .collect();
    join_late_copies(&mut result, &origins);
    result.merge_edges();
    Ok(result)
}
