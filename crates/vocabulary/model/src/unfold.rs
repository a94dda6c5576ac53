//! From a symbolic system to its explicit Kripke structure (chapter 2, lemma 1): the reachable states, breadth first.
//!
//! This is the reference, written for small systems and for tests: it enumerates by backtracking and keeps every state as a
//! vector of values. Engines have their own, faster ways.

use crate::enumerate::{DomainTooLarge, Enumeration, Leaf, refuted, step_leaves};
use crate::kripke::{Kripke, KripkeBuilder, KripkeError, StateId};
use crate::{TermId, TransitionSystem, Valuation, Value, VarKind, evaluate_bool};
use hashbrown::HashMap;
use std::ops::ControlFlow;

/// The explicit structure of a system, with what each of its states is.
#[derive(Clone, Debug)]
pub struct Unfolding {
    /// The structure; its propositions, justice and compassion are those asked for and the system's.
    pub kripke: Kripke,
    /// For every state the values of all variables (inputs have none).
    pub states: Vec<Vec<Option<Value>>>,
}

/// Why a system was not unfolded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfoldError {
    /// There are more reachable states than allowed.
    #[error("more than {0} states are reachable")]
    TooManyStates(usize),
    /// A variable cannot be enumerated.
    #[error(transparent)]
    Domain(#[from] DomainTooLarge),
    /// A reachable step has no meaning in the source language.
    #[error("a reachable step is an error of the model: {0}")]
    Hazard(String),
    /// A proposition or fairness condition uses inputs or next values: it belongs to steps, not to states.
    #[error("`{0}` is not a condition on states")]
    NotOnStates(String),
    /// There is no initial state, or a name is used twice.
    #[error(transparent)]
    Structure(#[from] KripkeError),
}

impl TransitionSystem {
    /// The reachable part as an explicit structure over the given named propositions, if it has at most `limit` states.
    pub fn unfold(&self, propositions: &[(&str, TermId)], limit: usize) -> Result<Unfolding, UnfoldError> {
        let mut search = Search {
            system: self,
            steps: Enumeration::new(self, step_leaves(self), &self.transition),
            limit,
            numbers: HashMap::new(),
            states: Vec::new(),
        };
        let mut edges = Vec::new();
        let initial = search.initial()?;
        let mut at = 0;
        while at < search.states.len() {
            for target in search.successors(at)? {
                edges.push((at as u32, target));
            }
            at += 1;
        }
        let mut builder = KripkeBuilder::new(search.states.len() as u64);
        builder.edges(edges);
        for state in initial {
            builder.initial(StateId::new(state));
        }
        for (name, term) in propositions {
            builder.proposition(name, search.satisfying(*term, name)?);
        }
        for &term in &self.justice {
            builder.justice(search.satisfying(term, "a justice condition")?);
        }
        for &(often, then) in &self.compassion {
            let place = "a compassion condition";
            builder.compassion(search.satisfying(often, place)?, search.satisfying(then, place)?);
        }
        Ok(Unfolding {
            kripke: builder.build()?,
            states: search.states,
        })
    }
}

struct Search<'a> {
    system: &'a TransitionSystem,
    steps: Enumeration<'a>,
    limit: usize,
    numbers: HashMap<Vec<Option<Value>>, u32>,
    states: Vec<Vec<Option<Value>>>,
}

impl Search<'_> {
    fn number(&mut self, state: Vec<Option<Value>>) -> Result<u32, UnfoldError> {
        if let Some(&known) = self.numbers.get(&state) {
            return Ok(known);
        }
        if self.states.len() >= self.limit {
            return Err(UnfoldError::TooManyStates(self.limit));
        }
        let number = self.states.len() as u32;
        self.numbers.insert(state.clone(), number);
        self.states.push(state);
        Ok(number)
    }

    fn initial(&mut self) -> Result<Vec<u32>, UnfoldError> {
        let system = self.system;
        let leaves: Vec<Leaf> = system.state_variables().map(Leaf::Current).collect();
        let conditions: Vec<TermId> = system.init.iter().chain(&system.invariant).copied().collect();
        let mut found = Vec::new();
        if !refuted(&system.terms, &conditions, &[], &[]) {
            Enumeration::new(system, leaves, &conditions).for_each(
                &mut system.blank(),
                &mut Vec::new(),
                &mut |current, _| {
                    found.push(current.to_vec());
                    // One more than allowed is enough to know.
                    if found.len() > self.limit {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            )?;
        }
        found.into_iter().map(|state| self.number(state)).collect()
    }

    fn successors(&mut self, at: usize) -> Result<Vec<u32>, UnfoldError> {
        let system = self.system;
        let mut current = self.states[at].clone();
        let mut next = system.blank();
        for variable in system.variable_ids() {
            if system.variable(variable).kind == VarKind::Frozen {
                next[variable.index()] = current[variable.index()].clone();
            }
        }
        if refuted(&system.terms, &system.transition, &current, &next) {
            return Ok(Vec::new());
        }
        let mut found: Vec<Vec<Option<Value>>> = Vec::new();
        let mut hazard = None;
        self.steps
            .for_each(&mut current, &mut next, &mut |current, next| {
                let on_step = |term| evaluate_bool(&system.terms, term, Valuation::step(current, next));
                hazard = system
                    .hazards
                    .iter()
                    .find(|hazard| on_step(hazard.condition) == Ok(true));
                if hazard.is_some() {
                    return ControlFlow::Break(());
                }
                let after = Valuation::state(next);
                let is_state = system
                    .invariant
                    .iter()
                    .all(|&term| evaluate_bool(&system.terms, term, after) == Ok(true));
                if is_state {
                    found.push(next.to_vec());
                }
                ControlFlow::Continue(())
            })?;
        if let Some(hazard) = hazard {
            return Err(UnfoldError::Hazard(hazard.message.clone()));
        }
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|state| self.number(state)).collect()
    }

    fn satisfying(&self, term: TermId, name: &str) -> Result<Vec<StateId>, UnfoldError> {
        let mut satisfying = Vec::new();
        for (number, state) in self.states.iter().enumerate() {
            match evaluate_bool(&self.system.terms, term, Valuation::state(state)) {
                Ok(true) => satisfying.push(StateId::new(number as u32)),
                Ok(false) => {}
                Err(_) => return Err(UnfoldError::NotOnStates(name.to_string())),
            }
        }
        Ok(satisfying)
    }
}
