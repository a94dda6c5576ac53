//! Sets of states as evidence for what always holds of a system written in Rust.
//!
//! [`Checker::closed_set`] gives all reachable states, packed with `serde`, sorted and compressed; it can be kept. [`Checker::accepts`] looks at each of them by itself, with nothing of the search: the
//! initial states are in the set, every action leads into it, and what is asked to hold always does. That is an induction over paths, up to the symmetry that the system claims.

use super::System;
use super::checker::{Checker, RustProperty};
use super::steps::{RustSteps, pack, unpack};
use entail_answer::ClosedSet;

impl<S: System> Checker<'_, S> {
    /// All reachable states (representatives, where the system joins what is alike); nothing if the budget does not suffice or a state cannot be packed.
    pub fn closed_set(&self) -> Option<ClosedSet> {
        let steps = RustSteps {
            system: self.system,
            watched: Vec::new(),
            estimate: None,
            automaton: None,
        };
        steps.all(&self.budget).map(ClosedSet::new)
    }

    /// Whether a set of states shows that everything that was asked with [`Checker::always`] and [`Checker::no_dead_ends`] is so. The error says why not. Other questions are not looked at.
    pub fn accepts(&self, set: &ClosedSet) -> Result<(), String> {
        let has = |state: &S::State| {
            let bytes = pack::<S>(&self.system.representative(state));
            bytes.is_some_and(|bytes| set.contains(&bytes))
        };
        if !self.system.initial().iter().all(has) {
            return Err("an initial state is not in the set".into());
        }
        set.for_each(|bytes| {
            self.budget.check().map_err(|spent| spent.to_string())?;
            let state =
                unpack::<S>(bytes).filter(|state| pack::<S>(state).is_some_and(|again| again == bytes));
            let state = state.ok_or("the set has something that is no state")?;
            let mut is_end = true;
            for action in self.system.actions(&state) {
                if let Some(next) = self.system.step(&state, &action) {
                    is_end = false;
                    if !has(&next) {
                        return Err("a step leaves the set".to_owned());
                    }
                }
            }
            for (name, question) in &self.questions {
                let is_wrong = match question {
                    RustProperty::Always(condition) => !condition(&state),
                    RustProperty::NoDeadEnds => is_end,
                    _ => false,
                };
                if is_wrong {
                    return Err(format!("`{name}` does not hold in a state of the set"));
                }
            }
            Ok(())
        })
    }
}
