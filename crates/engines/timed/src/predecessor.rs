//! One step backwards: the values from which a step leads into a zone.

use crate::space::{Constraint, Space, StateId, Target, Transition};
use entail_zones::Zone;

/// Intersects a zone with constraints; false if nothing is left.
pub(crate) fn constrain(zone: &mut Zone, all: &[Constraint]) -> bool {
    all.iter()
        .all(|&(left, right, bound)| zone.constrain(left, right, bound))
}

impl Space<'_> {
    /// The values of a state, within its invariant, from which a step leads into a zone of its target; nothing if there are none. For a step that goes wrong: the values that meet its guard.
    pub(crate) fn earlier(&self, state: StateId, transition: Transition, into: &Zone) -> Option<Zone> {
        let mut zone = into.clone();
        let effect = self.effect(transition.effect);
        if let Target::State(target) = transition.target {
            let is_left = constrain(&mut zone, self.info(target).invariant)
                && (effect.updates.iter().rev())
                    .all(|update| zone.unassign(update.target, update.source, update.offset as i32));
            if !is_left {
                return None;
            }
        }
        let is_left = constrain(&mut zone, &effect.guard) && constrain(&mut zone, self.info(state).invariant);
        is_left.then_some(zone)
    }

    /// The values of a state from which a wait leads into its target; nothing if there are none.
    pub(crate) fn before_wait(&self, state: StateId, wait: Transition) -> Option<Zone> {
        let Target::State(target) = wait.target else {
            return None;
        };
        let mut zone = Zone::universal(self.network.dimension());
        let guard = &self.effect(wait.effect).guard;
        if !constrain(&mut zone, guard) || !constrain(&mut zone, self.info(target).invariant) {
            return None;
        }
        zone.undelay();
        constrain(&mut zone, self.info(state).invariant).then_some(zone)
    }
}
