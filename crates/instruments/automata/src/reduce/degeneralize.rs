//! From several acceptance marks to one: generalized Büchi to Büchi.
//!
//! The marks are awaited one after the other in a fixed order; the *level* says how many have been seen in this round.
//! With acceptance on edges `k` levels suffice; on states there are `k + 1`, the last one accepting. Three things keep the
//! result small (Gastin and Oddoux; Babiak, Badie, Duret-Lutz, Křetínský, Strejček 2013): several marks on one edge climb several levels at
//! once; an edge between components forgets its level and joins a copy of its target that exists already; a state all of
//! whose edges carry the awaited mark is entered one level higher. In components where every edge has all marks no
//! counting is done at all. At most `n (k + 1)` states.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::decide::emptiness::accepting_component;
use crate::error::{AutomataError, Result};
use crate::reduce::components::Components;
use crate::reduce::late_copies::join_late_copies;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// Where the single mark goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Placement {
    /// On edges.
    Edges,
    /// On states: all edges of a state agree.
    States,
}

/// A Büchi automaton for a generalized Büchi automaton, awaiting the marks in `order`.
pub fn degeneralize_in_order(
    automaton: &Automaton,
    order: &[u32],
    placement: Placement,
) -> Result<Automaton> {
    let components = Components::of(automaton);
    let top = order.len() as u32;
    let count = components.members.len();
    let accepting: Vec<bool> = (0..count)
        .map(|component| accepting_component(automaton, &components, component))
        .collect();
    let wanted = order
        .iter()
        .fold(Marks::NONE, |all, mark| all.with(Marks::one(*mark)));
    // Components whose inner edges all carry every mark.
    let full: Vec<bool> = (0..count)
        .map(|component| {
            let inside = components.inside(automaton, component, |_, _| true);
            inside.cyclic && wanted.subset(inside.common)
        })
        .collect();
    let common_out: Vec<Marks> = automaton
        .states()
        .map(|state| {
            let mut common = Marks(u64::MAX);
            let mut any = false;
            for edge in automaton.edges(state) {
                if components.inner(state, edge) {
                    any = true;
                    common = common.common(edge.marks);
                }
            }
            if any { common } else { Marks::NONE }
        })
        .collect();
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    result.name = automaton.name.clone();
    let climb = |mut level: u32, marks: Marks| {
        while level < top && marks.has(order[level as usize]) {
            level += 1;
        }
        level
    };
    let settle = |level: u32, state: State| match placement {
        Placement::States if level < top => climb(level, common_out[state.index()]),
        _ => level,
    };
    let entry_level = |state: State| {
        let component = components.of[state.index()] as usize;
        if !accepting[component] {
            0
        } else if full[component] {
            if placement == Placement::States { top } else { 0 }
        } else {
            settle(0, state)
        }
    };
    let mut number: FxHashMap<(State, u32), State> = FxHashMap::default();
    let mut pending: Vec<(State, u32)> = Vec::new();
    let mut copies: FxHashMap<State, State> = FxHashMap::default();
    let mut visit = |state: State,
                     level: u32,
                     result: &mut Automaton,
                     copies: &mut FxHashMap<State, State>,
                     pending: &mut Vec<(State, u32)>| {
        *number.entry((state, level)).or_insert_with(|| {
            pending.push((state, level));
            let fresh = result.add_state();
            copies.entry(state).or_insert(fresh);
            fresh
        })
    };
    for &state in automaton.initial() {
        let fresh = visit(state, entry_level(state), &mut result, &mut copies, &mut pending);
        result.add_initial(fresh);
    }
    let mut at = 0;
    while at < pending.len() {
        let (state, level) = pending[at];
        let component = components.of[state.index()] as usize;
        for edge in automaton.edges(state) {
            let inner = components.inner(state, edge);
            let (target, marked) = if !inner {
                let target = match copies.get(&edge.target) {
                    Some(&existing) => existing,
                    None => visit(
                        edge.target,
                        entry_level(edge.target),
                        &mut result,
                        &mut copies,
                        &mut pending,
                    ),
                };
                (target, false)
            } else if !accepting[component] {
                (
                    visit(edge.target, 0, &mut result, &mut copies, &mut pending),
                    false,
                )
            } else if full[component] {
                (
                    visit(edge.target, level, &mut result, &mut copies, &mut pending),
                    true,
                )
            } else {
                let (next, marked) = match placement {
                    Placement::States => {
                        let start = if level == top { 0 } else { level };
                        (climb(start, edge.marks), false)
                    }
                    Placement::Edges => {
                        let reached = climb(level, edge.marks);
                        if reached == top {
                            (climb(0, edge.marks) % top.max(1), true)
                        } else {
                            (reached, false)
                        }
                    }
                };
                let next = settle(next, edge.target);
                (
                    visit(edge.target, next, &mut result, &mut copies, &mut pending),
                    marked,
                )
            };
            let marked = match placement {
                Placement::Edges => marked,
                Placement::States => level == top && accepting[component],
            };
            let marks = if marked { Marks::one(0) } else { Marks::NONE };
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    let origins: Vec<State> = pending.iter().map(|(state, _)| *state).collect();
    join_late_copies(&mut result, &origins);
    result.merge_edges();
    Ok(result)
}

/// A small Büchi automaton for a generalized Büchi automaton: some orders of the marks are tried, each result reduced.
pub fn degeneralize(automaton: &Automaton, placement: Placement, budget: &Budget) -> Result<Automaton> {
    let Some(wanted) = automaton.acceptance().as_generalized_buchi() else {
        return Err(AutomataError::NotApplicable(
            "only generalized Büchi automata are degeneralized",
        ));
    };
    let marks: Vec<u32> = wanted.iter().collect();
    let mut best: Option<Automaton> = None;
    if placement == Placement::States && marks.len() == 1 && automaton.is_state_based() {
        let mut same = automaton.clone();
        same.reduce_as(true, budget)?;
        best = Some(same);
    }
    for order in orders(&marks) {
        let mut candidate = degeneralize_in_order(automaton, &order, placement)?;
        candidate.reduce_as(placement == Placement::States, budget)?;
        if placement == Placement::States && candidate.mark_count() == 0 {
            candidate = candidate.with_acceptance(Acceptance::True, 0);
        }
        let size = |automaton: &Automaton| (automaton.state_count(), automaton.edge_count());
        if best.as_ref().is_none_or(|known| size(&candidate) < size(known)) {
            best = Some(candidate);
        }
    }
    Ok(best.expect("there is at least one order"))
}

/// All orders of up to three marks; of more, the rotations of the given order and of its reverse.
fn orders(marks: &[u32]) -> Vec<Vec<u32>> {
    if marks.len() <= 1 {
        return vec![marks.to_vec()];
    }
    if marks.len() <= 3 {
        let mut all = Vec::new();
        permute(&mut marks.to_vec(), 0, &mut all);
        return all;
    }
    let mut all = Vec::new();
    for rotation in 0..marks.len().min(4) {
        let mut order = marks.to_vec();
        order.rotate_left(rotation);
        all.push(order.clone());
        order.reverse();
        all.push(order);
    }
    all
}

fn permute(marks: &mut Vec<u32>, fixed: usize, all: &mut Vec<Vec<u32>>) {
    if fixed == marks.len() {
        all.push(marks.clone());
        return;
    }
    for position in fixed..marks.len() {
        marks.swap(fixed, position);
        permute(marks, fixed + 1, all);
        marks.swap(fixed, position);
    }
}
