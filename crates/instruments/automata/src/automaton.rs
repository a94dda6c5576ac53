//! The automaton: states, edges labelled by Boolean functions and marked for acceptance.
//!
//! One representation serves every nondeterministic acceptance condition: edges carry a [`Label`] (a set of letters) and
//! [`Marks`]; the condition is an [`Acceptance`] over the marks. State-based acceptance is the case where all edges that
//! leave a state carry the same marks. Several initial states are allowed; none means the empty language.
//!
//! Invariants: labels belong to the automaton's own store and mention only its propositions; no edge is labelled false;
//! at most 64 propositions and 64 marks.

use crate::acceptance::{Acceptance, Kind, Marks};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels, Letter};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// A state: an index into the automaton's edge lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct State(pub u32);

impl State {
    /// The position in the automaton's lists.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of letters leading to a state, with what it means for acceptance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    /// The letters.
    pub label: Label,
    /// Where to.
    pub target: State,
    /// What is seen on the way.
    pub marks: Marks,
}

/// A nondeterministic automaton on infinite words.
#[derive(Clone)]
pub struct Automaton {
    pub(crate) propositions: Vec<String>,
    /// The store of the labels.
    pub labels: Labels,
    pub(crate) edges: Vec<Vec<Edge>>,
    pub(crate) initial: Vec<State>,
    pub(crate) acceptance: Acceptance,
    pub(crate) mark_count: u32,
    /// A name for people, such as the formula it came from.
    pub name: Option<String>,
}

impl Automaton {
    /// An automaton without states.
    pub fn new(propositions: Vec<String>, acceptance: Acceptance, mark_count: u32) -> Result<Automaton> {
        if propositions.len() > 64 {
            return Err(AutomataError::TooManyPropositions(propositions.len()));
        }
        if mark_count > 64 {
            return Err(AutomataError::TooManyMarks(mark_count as usize));
        }
        Ok(Automaton {
            propositions,
            labels: Labels::default(),
            edges: Vec::new(),
            initial: Vec::new(),
            acceptance,
            mark_count,
            name: None,
        })
    }

    /// No states yet, but the same propositions, labels and acceptance.
    pub(crate) fn skeleton(&self) -> Automaton {
        Automaton {
            propositions: self.propositions.clone(),
            labels: self.labels.clone(),
            edges: Vec::new(),
            initial: Vec::new(),
            acceptance: self.acceptance.clone(),
            mark_count: self.mark_count,
            name: self.name.clone(),
        }
    }

    /// The automaton that accepts nothing.
    pub fn empty(propositions: Vec<String>) -> Result<Automaton> {
        let mut automaton = Automaton::new(propositions, Acceptance::False, 0)?;
        let state = automaton.add_state();
        automaton.add_initial(state);
        Ok(automaton)
    }

    /// Adds a state.
    pub fn add_state(&mut self) -> State {
        self.edges.push(Vec::new());
        State(self.edges.len() as u32 - 1)
    }

    /// Makes a state initial.
    pub fn add_initial(&mut self, state: State) {
        if !self.initial.contains(&state) {
            self.initial.push(state);
        }
    }

    /// Adds an edge; one with an empty label is left out.
    pub fn add_edge(&mut self, source: State, label: Label, target: State, marks: Marks) {
        if label != Label::FALSE {
            self.edges[source.index()].push(Edge { label, target, marks });
        }
    }

    /// The atomic propositions; proposition `i` is bit `i` of a letter and variable `i` of a label.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// Number of edges, where one edge may stand for many letters.
    pub fn edge_count(&self) -> usize {
        self.edges.iter().map(Vec::len).sum()
    }

    /// Number of transitions: each edge counted once for every letter over the propositions.
    pub fn transition_count(&self) -> f64 {
        let count = self.propositions.len();
        self.edges
            .iter()
            .flatten()
            .map(|edge| self.labels.count(edge.label, count))
            .sum()
    }

    /// The states.
    pub fn states(&self) -> impl Iterator<Item = State> + use<> {
        (0..self.edges.len() as u32).map(State)
    }

    /// The edges that leave a state.
    pub fn edges(&self, state: State) -> &[Edge] {
        &self.edges[state.index()]
    }

    /// The initial states.
    pub fn initial(&self) -> &[State] {
        &self.initial
    }

    /// The acceptance condition.
    pub fn acceptance(&self) -> &Acceptance {
        &self.acceptance
    }

    /// Number of marks the condition speaks about.
    pub fn mark_count(&self) -> u32 {
        self.mark_count
    }

    /// The named shape of the acceptance condition.
    pub fn kind(&self) -> Kind {
        self.acceptance.kind(self.mark_count)
    }

    /// Replaces the acceptance condition, keeping the marks.
    pub fn with_acceptance(mut self, acceptance: Acceptance, mark_count: u32) -> Automaton {
        self.acceptance = acceptance;
        self.mark_count = mark_count;
        self
    }

    /// The same automaton with other marks on its edges.
    pub fn with_marks(mut self, change: impl Fn(Marks) -> Marks) -> Automaton {
        for edge in self.edges.iter_mut().flatten() {
            edge.marks = change(edge.marks);
        }
        self
    }

    /// The successors by a letter, with their marks.
    pub fn successors(&self, state: State, letter: Letter) -> impl Iterator<Item = (State, Marks)> + '_ {
        self.edges[state.index()]
            .iter()
            .filter(move |edge| self.labels.satisfied(edge.label, letter))
            .map(|edge| (edge.target, edge.marks))
    }

    /// The bits a letter may use.
    pub fn letter_mask(&self) -> Letter {
        crate::label::low_bits(self.propositions.len())
    }

    /// Joins edges with the same target and marks, and orders them.
    pub fn merge_edges(&mut self) {
        for state in 0..self.edges.len() {
            let mut merged: FxHashMap<(State, Marks), Label> = FxHashMap::default();
            let mut order = Vec::new();
            for edge in std::mem::take(&mut self.edges[state]) {
                match merged.entry((edge.target, edge.marks)) {
                    std::collections::hash_map::Entry::Occupied(mut entry) => {
                        let label = self.labels.or(*entry.get(), edge.label);
                        entry.insert(label);
                    }
                    std::collections::hash_map::Entry::Vacant(entry) => {
                        order.push((edge.target, edge.marks));
                        entry.insert(edge.label);
                    }
                }
            }
            self.edges[state] = order
                .into_iter()
                .map(|(target, marks)| Edge {
                    label: merged[&(target, marks)],
                    target,
                    marks,
                })
                .collect();
        }
    }

    /// Keeps the states marked in `keep`, renumbered in order; edges to others vanish.
    pub(crate) fn restrict_states(&mut self, keep: &[bool]) {
        let mut number = vec![None; keep.len()];
        let mut next = 0;
        for (state, &kept) in keep.iter().enumerate() {
            if kept {
                number[state] = Some(State(next));
                next += 1;
            }
        }
        let edges = std::mem::take(&mut self.edges);
        self.edges = edges
            .into_iter()
            .enumerate()
            .filter(|(state, _)| keep[*state])
            .map(|(_, list)| {
                list.into_iter()
                    .filter_map(|edge| number[edge.target.index()].map(|target| Edge { target, ..edge }))
                    .collect()
            })
            .collect();
        self.initial = self
            .initial
            .iter()
            .filter_map(|state| number[state.index()])
            .collect();
    }

    /// Removes states that no initial state reaches.
    pub fn remove_unreachable(&mut self) {
        let mut keep = vec![false; self.state_count()];
        let mut stack: Vec<State> = self.initial.clone();
        for state in &stack {
            keep[state.index()] = true;
        }
        while let Some(state) = stack.pop() {
            for edge in &self.edges[state.index()] {
                if !keep[edge.target.index()] {
                    keep[edge.target.index()] = true;
                    stack.push(edge.target);
                }
            }
        }
        if keep.iter().any(|&kept| !kept) {
            self.restrict_states(&keep);
        }
    }

    /// Moves the labels into a fresh store, dropping what intermediate steps left behind.
    pub fn compact_labels(&mut self) {
        let old = std::mem::take(&mut self.labels);
        let mut done = FxHashMap::default();
        for edge in self.edges.iter_mut().flatten() {
            edge.label = self.labels.import(&old, edge.label, &|var| var, &mut done);
        }
    }

    /// The same automaton over a larger or reordered list of propositions (which must contain its own).
    pub fn over(&self, propositions: &[String]) -> Result<Automaton> {
        self.over_in(propositions, Labels::default())
    }

    /// The same within a budget: labels can grow much when their propositions change places.
    pub fn over_within(&self, propositions: &[String], budget: &Budget) -> Result<Automaton> {
        let mut labels = Labels::default();
        labels.watch(budget);
        let mut result = self.over_in(propositions, labels)?;
        result.labels.end_watch()?;
        Ok(result)
    }

    fn over_in(&self, propositions: &[String], labels: Labels) -> Result<Automaton> {
        if self.propositions == propositions {
            return Ok(self.clone());
        }
        let mut result = Automaton::new(propositions.to_vec(), self.acceptance.clone(), self.mark_count)?;
        result.labels = labels;
        let positions: Vec<u32> = self
            .propositions
            .iter()
            .map(|name| {
                propositions
                    .iter()
                    .position(|other| other == name)
                    .map(|position| position as u32)
                    .ok_or(AutomataError::NotApplicable(
                        "a proposition is missing from the new alphabet",
                    ))
            })
            .collect::<Result<_>>()?;
        let mut done = FxHashMap::default();
        result.edges = self
            .edges
            .iter()
            .map(|list| {
                list.iter()
                    .map(|edge| Edge {
                        label: result.labels.import(
                            &self.labels,
                            edge.label,
                            &|var| positions[var as usize],
                            &mut done,
                        ),
                        ..*edge
                    })
                    .collect()
            })
            .collect();
        result.initial = self.initial.clone();
        result.name = self.name.clone();
        Ok(result)
    }

    /// One sink for missing letters, so that every letter has a successor. The sink's loop carries marks that reject; if
    /// no such marks exist a mark is added to the condition.
    pub fn complete_within(&mut self, budget: &Budget) -> Result<()> {
        self.labels.watch(budget);
        let done = self.complete();
        self.labels.end_watch()?;
        done
    }

    /// The same without a budget.
    pub fn complete(&mut self) -> Result<()> {
        let missing: Vec<Label> = self
            .edges
            .iter()
            .map(|list| {
                let labels = &mut self.labels;
                list.iter()
                    .fold(Label::FALSE, |all, edge| labels.or(all, edge.label))
                    .not()
            })
            .collect();
        if missing.iter().all(|label| *label == Label::FALSE) && !self.initial.is_empty() {
            return Ok(());
        }
        let sink_marks = self.rejecting_marks()?;
        let sink = self.add_state();
        for (state, label) in missing.into_iter().enumerate() {
            self.add_edge(State(state as u32), label, sink, Marks::NONE);
        }
        self.add_edge(sink, Label::TRUE, sink, sink_marks);
        if self.initial.is_empty() {
            self.initial.push(sink);
        }
        Ok(())
    }

    /// Marks such that a run that sees exactly them for ever is rejected.
    fn rejecting_marks(&mut self) -> Result<Marks> {
        let disjuncts = self.acceptance.dual().disjuncts();
        if let Some((_, inf)) = disjuncts.first() {
            return Ok(*inf);
        }
        if self.mark_count >= 64 {
            return Err(AutomataError::TooManyMarks(65));
        }
        // The condition accepts everything: from now on a run must see the new mark.
        let mark = self.mark_count;
        self.mark_count += 1;
        self.acceptance = Acceptance::all([self.acceptance.clone(), Acceptance::Inf(mark)]);
        for edge in self.edges.iter_mut().flatten() {
            edge.marks = edge.marks.with(Marks::one(mark));
        }
        Ok(Marks::NONE)
    }
}

impl std::fmt::Debug for Automaton {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::formats::hoa_writer::to_hoa(self))
    }
}

/// The propositions of both, those of the first in front.
pub(crate) fn joint_propositions(a: &Automaton, b: &Automaton) -> Vec<String> {
    let mut joint = a.propositions.clone();
    for name in &b.propositions {
        if !joint.contains(name) {
            joint.push(name.clone());
        }
    }
    joint
}
