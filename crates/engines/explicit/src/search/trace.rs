//! From numbered states back to paths of values.
//!
//! Inputs are not stored: the steps of a state are enumerated again until one leads to the wanted successor (and satisfies
//! what else is wanted of it).

use crate::state_table::{StateId, StateTable};
use crate::stepper::{Found, Stepper};
use entail_budget::Budget;
use entail_evidence::Trace;
use entail_model::Value;

/// The values of a state with the inputs of a step to the given successor that the caller accepts; none if there is no such
/// step (or the budget is spent before it is found).
pub(crate) fn step_between(
    stepper: &Stepper,
    from: &[u64],
    to: &[u64],
    budget: &Budget,
    mut accepts: impl FnMut(&[i64]) -> bool,
) -> Option<Vec<Option<Value>>> {
    let mut cursor = stepper.cursor();
    cursor.start_steps(from);
    while let Some(found) = cursor.next(budget).ok()? {
        if found == Found::State && cursor.packed() == to && accepts(cursor.leaves()) {
            return Some(stepper.layout.read_values(cursor.leaves(), true));
        }
    }
    None
}

/// The path along the states of first discovery, from an initial state to the given one.
pub(crate) fn path_to(table: &StateTable, state: StateId) -> Vec<StateId> {
    let mut path = vec![state];
    let mut at = state;
    while let Some(parent) = table.parent(at) {
        path.push(parent);
        at = parent;
    }
    path.reverse();
    path
}

/// The trace along packed states, from an initial one on; none if the budget is spent before it is found.
pub(crate) fn through(stepper: &Stepper, path: &[Vec<u64>], budget: &Budget) -> Option<Trace> {
    let mut steps = Vec::with_capacity(path.len());
    for pair in path.windows(2) {
        steps.push(step_between(stepper, &pair[0], &pair[1], budget, |_| true)?);
    }
    steps.push(stepper.layout.values(path.last()?));
    Some(Trace {
        steps,
        loop_start: None,
    })
}

/// The trace along [`path_to`].
pub(crate) fn to_state(
    stepper: &Stepper,
    table: &StateTable,
    state: StateId,
    budget: &Budget,
) -> Option<Trace> {
    let path = path_to(table, state);
    let path: Vec<Vec<u64>> = (path.into_iter())
        .map(|state| table.state(&stepper.layout, state))
        .collect();
    through(stepper, &path, budget)
}

/// The values along numbered states, with the inputs of the steps between them. `accepts` tells whether the step at a
/// position is the one wanted; the last position may have a step, too, if the path is a loop. None if the budget is spent.
pub(crate) fn along(
    stepper: &Stepper,
    table: &StateTable,
    states: &[u32],
    next: impl Fn(usize) -> Option<u32>,
    budget: &Budget,
    mut accepts: impl FnMut(usize, &[i64]) -> bool,
) -> Option<Vec<Vec<Option<Value>>>> {
    let packed = |state: u32| table.state(&stepper.layout, StateId(state));
    let at = |(position, &state): (usize, &u32)| match next(position) {
        Some(to) => step_between(stepper, &packed(state), &packed(to), budget, |leaves| {
            accepts(position, leaves)
        }),
        None => Some(stepper.layout.values(&packed(state))),
    };
    states.iter().enumerate().map(at).collect()
}
