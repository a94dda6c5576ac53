//! Whether a system has a trace: the set of states it may be in, step by step.
//!
//! A step is *seen* unless it is hidden and leads to a state with the same propositions; where hidden steps do not count, the
//! set is closed under steps that are not seen.

use entail_evidence::equivalence::ObservedTrace;
use entail_model::{ActionId, Lts, StateId, TAU};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Adds all that is reached by steps that are not seen.
pub(super) fn close_unseen(lts: &Lts, set: &mut Vec<StateId>) {
    let mut known: FxHashSet<StateId> = set.iter().copied().collect();
    let mut next = 0;
    while let Some(&state) = set.get(next) {
        next += 1;
        for &target in lts.successors(state, TAU) {
            if lts.propositions(target) == lts.propositions(state) && known.insert(target) {
                set.push(target);
            }
        }
    }
}

/// Where steps of this action lead to states with these propositions, in increasing order.
pub(super) fn after(lts: &Lts, set: &[StateId], action: ActionId, propositions: &[Arc<str>]) -> Vec<StateId> {
    let targets = set.iter().flat_map(|&state| lts.successors(state, action));
    let mut after: Vec<StateId> = (targets.copied())
        .filter(|&target| lts.propositions(target) == propositions)
        .collect();
    after.sort_unstable();
    after.dedup();
    after
}

pub(super) fn has_trace(lts: &Lts, weak: bool, trace: &ObservedTrace) -> bool {
    let mut here: Vec<StateId> = (lts.initial().iter().copied())
        .filter(|&state| lts.propositions(state) == trace.start)
        .collect();
    for step in &trace.steps {
        if weak {
            close_unseen(lts, &mut here);
        }
        let Some(action) = lts.actions().iter().position(|name| *name == step.action) else {
            return false;
        };
        here = after(lts, &here, ActionId::new(action as u32), &step.propositions);
    }
    !here.is_empty()
}
