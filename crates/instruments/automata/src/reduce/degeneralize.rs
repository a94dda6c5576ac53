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
    let levels = Levels::new(automaton, order, placement);
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    result.name = automaton.name.clone();
    let mut copies = Copies::default();
    for &state in automaton.initial() {
        let fresh = copies.of(state, levels.entry(state), &mut result);
        result.add_initial(fresh);
    }
    let mut at = 0;
    while at < copies.made.len() {
        let (state, level) = copies.made[at];
        let component = levels.component(state);
        for edge in automaton.edges(state) {
            let (target, marked) = if !levels.components.inner(state, edge) {
                let target = match copies.first.get(&edge.target) {
                    Some(&existing) => existing,
                    None => copies.of(edge.target, levels.entry(edge.target), &mut result),
                };
                (target, false)
            } else if !levels.accepting[component] {
                (copies.of(edge.target, 0, &mut result), false)
            } else if levels.full[component] {
                (copies.of(edge.target, level, &mut result), true)
            } else {
                let (next, marked) = levels.after(level, edge.marks);
                let next = levels.settle(next, edge.target);
                (copies.of(edge.target, next, &mut result), marked)
            };
            let marked = match placement {
                Placement::Edges => marked,
                Placement::States => level == levels.top() && levels.accepting[component],
            };
            let marks = if marked { Marks::one(0) } else { Marks::NONE };
            result.add_edge(State(at as u32), edge.label, target, marks);
        }
        at += 1;
    }
    let origins: Vec<State> = copies.made.iter().map(|(state, _)| *state).collect();
    join_late_copies(&mut result, &origins);
    result.merge_edges();
    Ok(result)
}

/// The states of the result: copies of states at levels.
#[derive(Default)]
struct Copies {
    number: FxHashMap<(State, u32), State>,
    /// In the order of their numbers.
    made: Vec<(State, u32)>,
    /// The first copy of each state.
    first: FxHashMap<State, State>,
}

impl Copies {
    fn of(&mut self, state: State, level: u32, result: &mut Automaton) -> State {
        *self.number.entry((state, level)).or_insert_with(|| {
            self.made.push((state, level));
            let fresh = result.add_state();
            self.first.entry(state).or_insert(fresh);
            fresh
        })
    }
}

/// How levels change: what is known of the automaton, component by component.
struct Levels<'a> {
    order: &'a [u32],
    placement: Placement,
    components: Components,
    accepting: Vec<bool>,
    /// Components whose inner edges all carry every mark.
    full: Vec<bool>,
    /// For each state, the marks that all its inner edges carry.
    common_out: Vec<Marks>,
}

impl<'a> Levels<'a> {
    fn new(automaton: &Automaton, order: &'a [u32], placement: Placement) -> Levels<'a> {
        let components = Components::of(automaton);
        let count = components.members.len();
        let wanted = order
            .iter()
            .fold(Marks::NONE, |all, mark| all.with(Marks::one(*mark)));
        let is_full = |component| {
            let inside = components.inside(automaton, component, |_, _| true);
            inside.cyclic && wanted.subset(inside.common)
        };
        let common_out = |state: State| {
            let inner = automaton
                .edges(state)
                .iter()
                .filter(|edge| components.inner(state, edge));
            let common = inner.map(|edge| edge.marks).reduce(Marks::common);
            common.unwrap_or(Marks::NONE)
        };
        Levels {
            order,
            placement,
            accepting: (0..count)
                .map(|component| accepting_component(automaton, &components, component))
                .collect(),
            full: (0..count).map(is_full).collect(),
            common_out: automaton.states().map(common_out).collect(),
            components,
        }
    }

    /// The level at which all marks have been seen.
    fn top(&self) -> u32 {
        self.order.len() as u32
    }

    fn component(&self, state: State) -> usize {
        self.components.of[state.index()] as usize
    }

    /// The level after marks have been seen that are awaited next.
    fn climb(&self, mut level: u32, marks: Marks) -> u32 {
        while level < self.top() && marks.has(self.order[level as usize]) {
            level += 1;
        }
        level
    }

    /// The level after an edge inside of an accepting component, and whether a round is complete.
    fn after(&self, level: u32, marks: Marks) -> (u32, bool) {
        let top = self.top();
        match self.placement {
            Placement::States => {
                let start = if level == top { 0 } else { level };
                (self.climb(start, marks), false)
            }
            Placement::Edges => match self.climb(level, marks) {
                reached if reached == top => (self.climb(0, marks) % top.max(1), true),
                reached => (reached, false),
            },
        }
    }

    /// The level at which a state is entered: higher if all its edges carry what is awaited.
    fn settle(&self, level: u32, state: State) -> u32 {
        match self.placement {
            Placement::States if level < self.top() => self.climb(level, self.common_out[state.index()]),
            _ => level,
        }
    }

    /// The level at which a component is entered.
    fn entry(&self, state: State) -> u32 {
        let component = self.component(state);
        if !self.accepting[component] {
            0
        } else if self.full[component] {
            match self.placement {
                Placement::States => self.top(),
                Placement::Edges => 0,
            }
        } else {
            self.settle(0, state)
        }
    }
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
