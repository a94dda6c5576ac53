//! The automaton of a formula, built while a search walks through it.
//!
//! An explicit-state search needs, for a state of the property and the valuation of the current model state, the successor
//! states and their marks. [`OnTheFly`] is that interface. [`Translated`] answers from a finished (small) automaton; [`Lazy`] expands
//! the formula as it goes and never builds what the model does not visit. Accepting means: every mark below
//! [`OnTheFly::mark_count`] infinitely often.

use crate::acceptance::Marks;
use crate::algebra::remove_fin::to_generalized_buchi;
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::label::{Label, Letter};
use crate::ltl::arena::{Arena, Ltl};
use crate::ltl::expand::to_arena;
use crate::translate::expansion::Expansion;
use entail_budget::Budget;
use entail_logic::Formula;
use rustc_hash::FxHashMap;

/// A generalized Büchi automaton that is asked state by state.
pub trait OnTheFly {
    /// The propositions a letter speaks about, by bit.
    fn propositions(&self) -> &[String];
    /// How many marks exist at most; valid after the search for judging a cycle.
    fn mark_count(&self) -> u32;
    /// The initial states.
    fn initial(&mut self) -> Vec<State>;
    /// The successors by a letter, with the marks seen.
    fn successors(&mut self, state: State, letter: Letter) -> Vec<(State, Marks)>;
}

/// A finished automaton as a walk.
pub struct Translated(Automaton);

impl Translated {
    /// Wraps an automaton, bringing its acceptance to generalized Büchi.
    pub fn new(automaton: &Automaton) -> Result<Translated> {
        Ok(Translated(to_generalized_buchi(automaton)?))
    }
}

impl OnTheFly for Translated {
    fn propositions(&self) -> &[String] {
        self.0.propositions()
    }

    fn mark_count(&self) -> u32 {
        self.0.mark_count()
    }

    fn initial(&mut self) -> Vec<State> {
        self.0.initial().to_vec()
    }

    fn successors(&mut self, state: State, letter: Letter) -> Vec<(State, Marks)> {
        self.0.successors(state, letter).collect()
    }
}

/// A formula expanded on demand.
pub struct Lazy<'a> {
    expansion: Expansion<'a>,
    propositions: Vec<String>,
    formulas: Vec<Ltl>,
    numbers: FxHashMap<Label, State>,
    edges: FxHashMap<State, Vec<(Label, State, Marks)>>,
}

impl<'a> Lazy<'a> {
    /// Prepares a future-time formula; the arena must be fresh.
    pub fn new(formula: &Formula<String>, arena: &'a mut Arena) -> Result<Lazy<'a>> {
        let raw = to_arena(formula, arena)?;
        let simple = arena.simplify(raw);
        let propositions = arena.propositions.clone();
        let mut expansion = Expansion::new(arena)?;
        let key = expansion.expand(simple);
        Ok(Lazy {
            expansion,
            propositions,
            formulas: vec![simple],
            numbers: FxHashMap::from_iter([(key, State(0))]),
            edges: FxHashMap::default(),
        })
    }

    /// Number of states met so far.
    pub fn state_count(&self) -> usize {
        self.formulas.len()
    }
}

impl OnTheFly for Lazy<'_> {
    fn propositions(&self) -> &[String] {
        &self.propositions
    }

    fn mark_count(&self) -> u32 {
        64
    }

    fn initial(&mut self) -> Vec<State> {
        vec![State(0)]
    }

    fn successors(&mut self, state: State, letter: Letter) -> Vec<(State, Marks)> {
        if !self.edges.contains_key(&state) {
            let mut list = Vec::new();
            let edges = self
                .expansion
                .edges(self.formulas[state.index()], &Budget::unlimited())
                .expect("an unlimited budget is not spent");
            for edge in edges {
                let key = self.expansion.expand(edge.target);
                let fresh = State(self.formulas.len() as u32);
                let target = *self.numbers.entry(key).or_insert(fresh);
                if target == fresh {
                    self.formulas.push(edge.target);
                }
                // Promises not made yet are kept by every edge, so marks can be told before all promises are known.
                list.push((edge.label, target, Marks(!edge.owed.0)));
            }
            self.edges.insert(state, list);
        }
        self.edges[&state]
            .iter()
            .filter(|(label, ..)| self.expansion.labels.satisfied(*label, letter))
            .map(|(_, target, marks)| (*target, *marks))
            .collect()
    }
}
