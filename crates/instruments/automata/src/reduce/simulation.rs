//! Simulation reductions, forwards and backwards.
//!
//! State `t` *simulates* `s` if every edge of `s` is matched, letter by letter, by edges of `t` that are at least as good
//! for acceptance and lead to a state that simulates the target. States that simulate each other are merged, and an edge is
//! cut back by the letters for which a sibling is strictly better (its "little brother"). Backwards the same is done with
//! incoming edges, where an initial state is only simulated by an initial one. Acceptance is on edges, so both directions
//! are one algorithm over lists of neighbours (direct simulation of transition-based automata, as in Spot's signature
//! method; Babiak et al. 2013). Both are language-preserving; they are iterated until nothing changes.
//!
//! For state-based automata the backward direction also asks that an accepting state be simulated by accepting ones only,
//! so that acceptance stays on states. The relation is a matrix, refined to its greatest fixpoint: `O(n^2)` pairs checked a
//! few times each. Automata above [`LARGEST_SIMULATED`] states are only reduced by bisimulation.

use crate::acceptance::Marks;
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::label::{Label, Labels};
use crate::reduce::components::Components;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// Above this number of states the simulation matrix is not computed.
pub const LARGEST_SIMULATED: usize = 600;

/// What a state looks like to the refinement: its class, and its edges by class of the target.
type Signature = (u32, Vec<(u32, Marks, Label)>);

/// A neighbour: letters, the state at the other end, marks.
type Neighbour = (Label, u32, Marks);

/// Which marks help and which hurt.
#[derive(Clone, Copy)]
struct MarkOrder {
    helpful: Marks,
    harmful: Marks,
    both: Marks,
}

impl MarkOrder {
    fn of(automaton: &Automaton) -> MarkOrder {
        let (inf, fin) = automaton.acceptance().polarities();
        MarkOrder {
            helpful: inf.without(fin),
            harmful: fin.without(inf),
            both: inf.common(fin),
        }
    }

    /// Whether `b` is at least as good as `a`.
    fn at_most(self, a: Marks, b: Marks) -> bool {
        a.common(self.helpful).subset(b)
            && b.common(self.harmful).subset(a)
            && a.common(self.both) == b.common(self.both)
    }
}

/// A relation on states: `row(s)` is the set of states that simulate `s`.
pub(crate) struct SimulationRelation {
    size: usize,
    words: usize,
    bits: Vec<u64>,
}

impl SimulationRelation {
    pub(crate) fn new(size: usize, allowed: impl Fn(usize, usize) -> bool) -> SimulationRelation {
        let words = size.div_ceil(64);
        let mut relation = SimulationRelation {
            size,
            words,
            bits: vec![0; words * size],
        };
        for s in 0..size {
            for t in 0..size {
                if allowed(s, t) {
                    relation.bits[s * words + t / 64] |= 1 << (t % 64);
                }
            }
        }
        relation
    }

    /// Whether `t` simulates `s`.
    pub(crate) fn has(&self, s: usize, t: usize) -> bool {
        self.bits[s * self.words + t / 64] >> (t % 64) & 1 == 1
    }

    /// The states that simulate `s`.
    pub(crate) fn row(&self, s: usize) -> &[u64] {
        &self.bits[s * self.words..(s + 1) * self.words]
    }

    /// Makes the relation transitive (Warshall).
    pub(crate) fn close(&mut self) {
        for between in 0..self.size {
            let through = self.row(between).to_vec();
            for s in 0..self.size {
                if self.has(s, between) {
                    let row = &mut self.bits[s * self.words..(s + 1) * self.words];
                    row.iter_mut()
                        .zip(&through)
                        .for_each(|(word, more)| *word |= more);
                }
            }
        }
    }

    pub(crate) fn add(&mut self, s: usize, t: usize) {
        self.bits[s * self.words + t / 64] |= 1 << (t % 64);
    }

    pub(crate) fn remove(&mut self, s: usize, t: usize) {
        self.bits[s * self.words + t / 64] &= !(1 << (t % 64));
    }
}

/// The greatest simulation on lists of neighbours.
fn simulation(
    lists: &[Vec<Neighbour>],
    labels: &mut Labels,
    order: MarkOrder,
    allowed: impl Fn(usize, usize) -> bool,
    budget: &Budget,
) -> Result<SimulationRelation> {
    let size = lists.len();
    let enabled: Vec<Label> = lists
        .iter()
        .map(|list| list.iter().fold(Label::FALSE, |all, edge| labels.or(all, edge.0)))
        .collect();
    let mut relation = SimulationRelation::new(size, |s, t| s == t || allowed(s, t));
    for s in 0..size {
        for t in 0..size {
            if s != t && relation.has(s, t) && !labels.implies(enabled[s], enabled[t]) {
                relation.remove(s, t);
            }
        }
    }
    // A pair is looked at again only if a relation between targets was lost.
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (source, list) in lists.iter().enumerate() {
        for (_, target, _) in list {
            if predecessors[*target as usize].last() != Some(&(source as u32)) {
                predecessors[*target as usize].push(source as u32);
            }
        }
    }
    for list in &mut predecessors {
        list.sort_unstable();
        list.dedup();
    }
    let mut dirty = vec![true; size];
    while dirty.contains(&true) {
        let mut next_dirty = vec![false; size];
        for s in 0..size {
            if !dirty[s] {
                continue;
            }
            for t in 0..size {
                if s == t || !relation.has(s, t) {
                    continue;
                }
                budget.check()?;
                if !matches(lists, labels, order, &relation, s, t) {
                    relation.remove(s, t);
                    for &p in &predecessors[s] {
                        next_dirty[p as usize] = true;
                    }
                }
            }
        }
        dirty = next_dirty;
    }
    Ok(relation)
}

/// Whether every neighbour of `s` is matched by neighbours of `t`.
fn matches(
    lists: &[Vec<Neighbour>],
    labels: &mut Labels,
    order: MarkOrder,
    relation: &SimulationRelation,
    s: usize,
    t: usize,
) -> bool {
    lists[s].iter().all(|&(label, target, marks)| {
        let mut left = label;
        for &(other, other_target, other_marks) in &lists[t] {
            if order.at_most(marks, other_marks) && relation.has(target as usize, other_target as usize) {
                left = labels.minus(left, other);
                if left == Label::FALSE {
                    return true;
                }
            }
        }
        left == Label::FALSE
    })
}

/// The quotient: for each class its representative's neighbours, little brothers cut away. Also the class of each state.
fn quotient(
    lists: &[Vec<Neighbour>],
    labels: &mut Labels,
    order: MarkOrder,
    relation: &SimulationRelation,
) -> (Vec<Vec<Neighbour>>, Vec<u32>, Vec<usize>) {
    let size = lists.len();
    let mut class = vec![u32::MAX; size];
    let mut representatives = Vec::new();
    for s in 0..size {
        if class[s] != u32::MAX {
            continue;
        }
        let number = representatives.len() as u32;
        for (t, own) in class.iter_mut().enumerate().skip(s) {
            if relation.has(s, t) && relation.has(t, s) {
                *own = number;
            }
        }
        representatives.push(s);
    }
    let reduced = representatives
        .iter()
        .map(|&s| {
            let mut merged: FxHashMap<(u32, Marks), Label> = FxHashMap::default();
            let mut keys: Vec<(u32, Marks)> = Vec::new();
            for &(label, target, marks) in &lists[s] {
                let key = (class[target as usize], marks);
                let known = merged.entry(key).or_insert_with(|| {
                    keys.push(key);
                    Label::FALSE
                });
                *known = labels.or(*known, label);
            }
            let mut result = Vec::new();
            for &(target, marks) in &keys {
                let mut label = merged[&(target, marks)];
                for &(other, other_marks) in &keys {
                    if (other, other_marks) == (target, marks) {
                        continue;
                    }
                    let better = order.at_most(marks, other_marks)
                        && relation.has(representatives[target as usize], representatives[other as usize]);
                    // Marks that are as good both ways break the tie by their number.
                    let strictly =
                        target != other || !order.at_most(other_marks, marks) || (other_marks < marks);
                    if better && strictly {
                        label = labels.minus(label, merged[&(other, other_marks)]);
                    }
                }
                if label != Label::FALSE {
                    result.push((label, target, marks));
                }
            }
            result
        })
        .collect();
    (reduced, class, representatives)
}

fn forward_lists(automaton: &Automaton) -> Vec<Vec<Neighbour>> {
    automaton
        .edges
        .iter()
        .map(|list| {
            list.iter()
                .map(|edge| (edge.label, edge.target.0, edge.marks))
                .collect()
        })
        .collect()
}

fn backward_lists(automaton: &Automaton) -> Vec<Vec<Neighbour>> {
    let mut lists = vec![Vec::new(); automaton.state_count()];
    for (source, list) in automaton.edges.iter().enumerate() {
        for edge in list {
            lists[edge.target.index()].push((edge.label, source as u32, edge.marks));
        }
    }
    lists
}

/// The direct simulation between the states of an automaton: which states can answer every move of which others.
pub(crate) fn direct_simulation(automaton: &mut Automaton, budget: &Budget) -> Result<SimulationRelation> {
    let lists = forward_lists(automaton);
    let order = MarkOrder::of(automaton);
    simulation(&lists, &mut automaton.labels, order, |_, _| true, budget)
}

impl Automaton {
    /// Merges states that simulate each other and cuts dominated edges.
    pub fn reduce_forward(&mut self, budget: &Budget) -> Result<()> {
        self.merge_edges();
        let lists = forward_lists(self);
        let order = MarkOrder::of(self);
        let relation = simulation(&lists, &mut self.labels, order, |_, _| true, budget)?;
        let (reduced, class, representatives) = quotient(&lists, &mut self.labels, order, &relation);
        self.edges = vec![Vec::new(); reduced.len()];
        for (source, list) in reduced.into_iter().enumerate() {
            for (label, target, marks) in list {
                self.add_edge(State(source as u32), label, State(target), marks);
            }
        }
        let mut initial: Vec<u32> = self.initial.iter().map(|state| class[state.index()]).collect();
        initial.sort_unstable();
        initial.dedup();
        // An initial state that another simulates adds nothing.
        self.initial = initial
            .iter()
            .filter(|&&s| {
                !initial.iter().any(|&t| {
                    t != s && relation.has(representatives[s as usize], representatives[t as usize])
                })
            })
            .map(|&s| State(s))
            .collect();
        self.remove_unreachable();
        Ok(())
    }

    /// The same backwards. With `state_based`, states keep apart by their acceptance.
    pub fn reduce_backward(&mut self, state_based: bool, budget: &Budget) -> Result<()> {
        self.merge_edges();
        let lists = backward_lists(self);
        let order = MarkOrder::of(self);
        let mut is_initial = vec![false; self.state_count()];
        for state in &self.initial {
            is_initial[state.index()] = true;
        }
        let own: Vec<Marks> = self
            .edges
            .iter()
            .map(|list| list.first().map_or(Marks::NONE, |edge| edge.marks))
            .collect();
        let allowed = |s: usize, t: usize| {
            (!is_initial[s] || is_initial[t]) && (!state_based || order.at_most(own[s], own[t]))
        };
        let relation = simulation(&lists, &mut self.labels, order, allowed, budget)?;
        let (reduced, class, _) = quotient(&lists, &mut self.labels, order, &relation);
        self.edges = vec![Vec::new(); reduced.len()];
        for (target, list) in reduced.into_iter().enumerate() {
            for (label, source, marks) in list {
                self.add_edge(State(source), label, State(target as u32), marks);
            }
        }
        let mut initial: Vec<u32> = self.initial.iter().map(|state| class[state.index()]).collect();
        initial.sort_unstable();
        initial.dedup();
        self.initial = initial.into_iter().map(State).collect();
        self.remove_unreachable();
        Ok(())
    }

    /// Merges bisimilar states: partition refinement by signatures, `O(m log n)` rounds at worst `n`.
    pub fn reduce_bisimilar(&mut self, budget: &Budget) -> Result<()> {
        self.merge_edges();
        let size = self.state_count();
        let mut class: Vec<u32> = vec![0; size];
        let mut count = usize::from(size > 0);
        loop {
            let mut signatures: FxHashMap<Signature, u32> = FxHashMap::default();
            let mut next = vec![0u32; size];
            for state in 0..size {
                budget.check()?;
                let mut merged: FxHashMap<(u32, Marks), Label> = FxHashMap::default();
                for edge in &self.edges[state] {
                    let known = merged
                        .entry((class[edge.target.index()], edge.marks))
                        .or_insert(Label::FALSE);
                    *known = self.labels.or(*known, edge.label);
                }
                let mut signature: Vec<(u32, Marks, Label)> = merged
                    .into_iter()
                    .map(|((target, marks), label)| (target, marks, label))
                    .collect();
                signature.sort_unstable();
                let fresh = signatures.len() as u32;
                next[state] = *signatures.entry((class[state], signature)).or_insert(fresh);
            }
            let found = signatures.len();
            class = next;
            if found == count {
                break;
            }
            count = found;
        }
        if count == size {
            return Ok(());
        }
        let old = std::mem::take(&mut self.edges);
        self.edges = vec![Vec::new(); count];
        let mut done = vec![false; count];
        for (state, list) in old.into_iter().enumerate() {
            let target_class = class[state] as usize;
            if !std::mem::replace(&mut done[target_class], true) {
                for edge in list {
                    self.add_edge(
                        State(class[state]),
                        edge.label,
                        State(class[edge.target.index()]),
                        edge.marks,
                    );
                }
            }
        }
        let mut initial: Vec<State> = self
            .initial
            .iter()
            .map(|state| State(class[state.index()]))
            .collect();
        initial.sort_unstable();
        initial.dedup();
        self.initial = initial;
        self.merge_edges();
        Ok(())
    }

    /// Gives every mark to the edges between components; false if nothing changed.
    pub(crate) fn fill_passing_marks(&mut self) -> bool {
        let Some(all) = self.acceptance.as_generalized_buchi() else {
            return false;
        };
        let components = Components::of(self);
        let mut changed = false;
        for source in 0..self.edges.len() {
            for edge in &mut self.edges[source] {
                if components.of[source] != components.of[edge.target.index()] && edge.marks != all {
                    edge.marks = all;
                    changed = true;
                }
            }
        }
        changed
    }

    /// Pruning, bisimulation, and simulations in both directions until nothing changes. Keeps the kind of acceptance.
    pub fn reduce(&mut self, budget: &Budget) -> Result<()> {
        let state_based = self.is_state_based() && self.acceptance.marks() != Marks::NONE;
        self.reduce_as(state_based, budget)
    }

    /// The same, told whether acceptance must stay on states.
    pub(crate) fn reduce_as(&mut self, state_based: bool, budget: &Budget) -> Result<()> {
        let prune = |automaton: &mut Automaton| {
            if state_based {
                automaton.prune();
            } else {
                automaton.prune_marks();
            }
        };
        prune(self);
        self.reduce_bisimilar(budget)?;
        let mut before = (usize::MAX, usize::MAX);
        while (self.state_count(), self.edge_count()) < before && self.state_count() <= LARGEST_SIMULATED {
            before = (self.state_count(), self.edge_count());
            self.reduce_forward(budget)?;
            prune(self);
            if self.is_deterministic() {
                continue;
            }
            self.reduce_backward(state_based, budget)?;
            prune(self);
            // What is seen between components is seen once, so it may as well count as everything: now such edges can
            // simulate what they could not while they carried nothing.
            if !state_based && self.fill_passing_marks() {
                self.reduce_forward(budget)?;
                self.fill_passing_marks();
                self.reduce_backward(false, budget)?;
                prune(self);
            }
        }
        self.compact_labels();
        Ok(())
    }
}

impl std::fmt::Debug for SimulationRelation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list()
            .entries((0..self.size).map(|s| (0..self.size).filter(|&t| self.has(s, t)).collect::<Vec<_>>()))
            .finish()
    }
}
