//! Deadlocks: states from which no step can be taken, now or after any delay.
//!
//! For each step of a discrete state, the values from which waiting and taking it is possible form a zone: the invariant and guard, and the target's invariant before the updates, let back in
//! time within the invariant. What a zone has outside all of these is deadlocked; it is a union of zones, and any of them will do.

use crate::concrete::constraints_of;
use crate::predecessor::constrain;
use crate::space::{Constraint, Space, StateId};
use entail_zones::Zone;
use std::sync::Arc;

impl Space<'_> {
    /// The values at a state from which some step can be taken sooner or later, one zone for each step.
    pub(crate) fn able(&mut self, state: StateId) -> Arc<[Zone]> {
        if let Some(known) = self.able.get(&state) {
            return Arc::clone(known);
        }
        let transitions = match self.observing() {
            Some(_) => self.unobserved_steps(state).into(),
            None => self.transitions(state),
        };
        let dimension = self.network.dimension();
        let mut found = Vec::new();
        for &transition in transitions.iter() {
            let before = match self.effect(transition.effect).waits {
                true => self.before_wait(state, transition),
                false => self.earlier(state, transition, &Zone::universal(dimension)),
            };
            let Some(mut zone) = before else {
                continue;
            };
            let info = self.info(state);
            if info.may_delay {
                zone.undelay();
                if !constrain(&mut zone, info.invariant) {
                    continue;
                }
            }
            found.push(zone);
        }
        let found: Arc<[Zone]> = found.into();
        self.able.insert(state, Arc::clone(&found));
        found
    }

    /// The parts of a zone that meet the query's formula.
    pub(crate) fn parts_that_meet(&mut self, state: StateId, formula: usize, zone: &Zone) -> Vec<Zone> {
        let conjunctions = self.info(state).goals[formula].clone();
        let mut found = Vec::new();
        for conjunction in conjunctions {
            let is_about_deadlock = |one: &&Constraint| one.0 == usize::MAX;
            let wanted: Vec<bool> = (conjunction.iter())
                .filter(is_about_deadlock)
                .map(|(_, _, bound)| !bound.is_strict())
                .collect();
            let mut rest = zone.clone();
            let mut clocks = conjunction.iter().filter(|one| one.0 != usize::MAX);
            if !clocks.all(|&(left, right, bound)| rest.constrain(left, right, bound)) {
                continue;
            }
            let mut parts = vec![rest];
            if wanted.contains(&true) {
                for able in self.able(state).iter() {
                    parts = parts.iter().flat_map(|part| part.without(able)).collect();
                }
            }
            if wanted.contains(&false) {
                let able = self.able(state);
                let meet = |part: &Zone| {
                    let constraints = constraints_of(part.dimension(), part.cells());
                    let with = |able: &Zone| {
                        let mut both = able.clone();
                        let all = constraints
                            .iter()
                            .all(|&(left, right, bound)| both.constrain(left, right, bound));
                        all.then_some(both)
                    };
                    able.iter().filter_map(with).collect::<Vec<Zone>>()
                };
                parts = parts.iter().flat_map(meet).collect();
            }
            found.extend(parts);
        }
        found
    }
}
