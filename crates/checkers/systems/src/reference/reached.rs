//! Which conditions are met in some reachable state, or along some step from one.
//!
//! States are visited breadth first, as for a [`Graph`](super::Graph), but steps are not kept: each is looked at once, and a condition that was met is not evaluated
//! again. A condition whose truth cannot be told (a division by zero in it) counts as met: nobody may be told that it never is.

use super::{CheckLimits, Enumerator, NotRechecked, Visit};
use crate::condition::Conditions;
use entail_budget::Budget;
use entail_evidence::Truth;
use entail_model::{TermId, TransitionSystem, Valuation, Value};
use rustc_hash::FxHashSet;

/// What was found in the reachable states and steps.
#[derive(Debug)]
pub struct Reached {
    /// The states, without inputs.
    pub states: Vec<Vec<Option<Value>>>,
    /// How many of the first states are initial.
    pub initial: usize,
    /// For each condition whether it was met.
    pub met: Vec<bool>,
}

/// Visits all reachable states and steps of a system that is within the limits.
pub fn reached(
    system: &TransitionSystem,
    conditions: &[TermId],
    limits: CheckLimits,
    budget: &Budget,
) -> Result<Reached, NotRechecked> {
    let enumerator = Enumerator::new(system, limits, budget);
    let mut search = Search {
        system,
        known: FxHashSet::default(),
        states: Vec::new(),
        conditions: conditions.to_vec(),
        open: (0..conditions.len()).collect(),
        evaluated: Conditions::new(&system.terms, conditions),
        limits,
    };
    enumerator.initial_states(&mut |state| {
        search.number(state)?;
        Ok(Visit::Continue)
    })?;
    let initial = search.states.len();
    let (mut at, mut steps) = (0, 0usize);
    while at < search.states.len() {
        let state = search.states[at].clone();
        // What is about the state alone is met even where no step leaves it.
        search.look(Valuation::state(&state), Unknown::IsOpen);
        enumerator.steps_from(&state, &mut |now, after| {
            steps += 1;
            if steps > limits.steps {
                let reason = format!("the model has more than {} steps", limits.steps);
                return Err(NotRechecked::TooLarge(reason));
            }
            search.look(Valuation::step(now, after), Unknown::IsMet);
            search.number(after)?;
            Ok(Visit::Continue)
        })?;
        at += 1;
    }
    let mut met = vec![true; conditions.len()];
    search.open.iter().for_each(|&number| met[number] = false);
    Ok(Reached {
        states: search.states,
        initial,
        met,
    })
}

/// What a condition is whose truth is not known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    /// Only part of a step was looked at.
    IsOpen,
    IsMet,
}

struct Search<'a> {
    system: &'a TransitionSystem,
    known: FxHashSet<Vec<Option<Value>>>,
    states: Vec<Vec<Option<Value>>>,
    conditions: Vec<TermId>,
    /// The conditions that were not met yet, by position.
    open: Vec<usize>,
    /// The same, to be evaluated together.
    evaluated: Conditions<'a>,
    limits: CheckLimits,
}

impl Search<'_> {
    fn number(&mut self, state: &[Option<Value>]) -> Result<(), NotRechecked> {
        if self.known.contains(state) {
            return Ok(());
        }
        if self.states.len() >= self.limits.states {
            let reason = format!("the model has more than {} reachable states", self.limits.states);
            return Err(NotRechecked::TooLarge(reason));
        }
        self.known.insert(state.to_vec());
        self.states.push(state.to_vec());
        Ok(())
    }

    fn look(&mut self, at: Valuation<'_>, unknown: Unknown) {
        if self.open.is_empty() {
            return;
        }
        let truths = self.evaluated.truths(at);
        let is_open = |truth: &Truth| match truth {
            Truth::True => false,
            Truth::False => true,
            Truth::Unknown => unknown == Unknown::IsOpen,
        };
        let before = self.open.len();
        let mut truths = truths.iter();
        self.open.retain(|_| truths.next().is_none_or(is_open));
        if self.open.len() < before {
            let terms: Vec<TermId> = self.open.iter().map(|&number| self.conditions[number]).collect();
            self.evaluated = Conditions::new(&self.system.terms, &terms);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Numbered;

    #[test]
    fn a_condition_is_met_iff_a_reachable_state_meets_it() {
        let mut sample = Numbered::new(4, &[(0, 1), (1, 0), (2, 3)]);
        let conditions = [&[1, 2][..], &[2][..], &[0][..], &[3][..]].map(|set| sample.set(set));
        let found = reached(
            &sample.system,
            &conditions,
            CheckLimits::default(),
            &Budget::unlimited(),
        );
        let found = found.expect("two states");
        assert_eq!(found.states.len(), 2);
        assert_eq!(found.met, [true, false, true, false]);
    }

    #[test]
    fn a_state_without_steps_counts() {
        let mut sample = Numbered::new(2, &[(0, 1)]);
        let last = sample.set(&[1]);
        let found = reached(
            &sample.system,
            &[last],
            CheckLimits::default(),
            &Budget::unlimited(),
        );
        assert_eq!(found.expect("two states").met, [true]);
    }
}
