//! From a symbolic cycle to a lasso: the clock values from which the cycle can be run for ever.
//!
//! Let `pre(Z)` be the values from which the cycle leads into Z. The largest Z with `Z ⊆ pre(Z)` is found by `Z := Z ∩ pre(Z)` from all values on: these are zones, unions of regions, of
//! which there are finitely many below the constants of the cycle, so the iteration ends. If Z is not empty, every valuation in it begins a run along the cycle for ever; a stem that ends
//! in it is a lasso whose claim is checked by one computation of `pre`. Clocks that grow for ever and delays that converge need no special treatment.

use crate::concrete::{Path, PathStep};
use crate::space::{Space, StateId};
use entail_budget::Budget;
use entail_zones::Zone;

/// Rounds of the iteration, at most.
const MOST_ROUNDS: usize = 100_000;

/// The values at the head of a cycle from which it leads into a zone; nothing if there are none.
pub fn before(space: &Space<'_>, head: StateId, cycle: &[PathStep], zone: &Zone) -> Option<Zone> {
    let mut zone = zone.clone();
    for position in (0..cycle.len()).rev() {
        let step = &cycle[position];
        let effect = space.effect(step.effect);
        let source = match position {
            0 => head,
            later => cycle[later - 1].target,
        };
        let target = space.info(step.target);
        let meets = |zone: &mut Zone, constraints: &[crate::space::Constraint]| {
            (constraints.iter()).all(|&(left, right, bound)| zone.constrain(left, right, bound))
        };
        if !meets(&mut zone, target.invariant) {
            return None;
        }
        for update in effect.updates.iter().rev() {
            if !zone.unassign(update.target, update.source, update.offset as i32) {
                return None;
            }
        }
        let info = space.info(source);
        if !meets(&mut zone, &effect.guard) || (!effect.waits && !meets(&mut zone, info.invariant)) {
            return None;
        }
        if info.may_delay {
            zone.undelay();
            if !meets(&mut zone, info.invariant) {
                return None;
            }
        }
    }
    Some(zone)
}

/// The largest zone at the head of a cycle from which the cycle can be run for ever; nothing if it is empty or the budget is spent.
pub fn for_ever(space: &Space<'_>, head: StateId, cycle: &[PathStep], budget: &Budget) -> Option<Zone> {
    let dimension = space.network.dimension();
    let mut zone = Zone::universal(dimension);
    for _ in 0..MOST_ROUNDS {
        budget.check().ok()?;
        let before = before(space, head, cycle, &zone)?;
        let mut next = zone.clone();
        for left in 0..dimension {
            for right in (0..dimension).filter(|&right| right != left) {
                if !next.constrain(left, right, before.bound(left, right)) {
                    return None;
                }
            }
        }
        if next == zone {
            return Some(zone);
        }
        zone = next;
    }
    None
}

/// The path with a cycle at its end, unrolled so often.
pub fn unrolled(stem: &Path, cycle: &[PathStep], times: usize) -> Path {
    let mut path = stem.clone();
    for _ in 0..times {
        path.steps.extend_from_slice(cycle);
    }
    path
}
