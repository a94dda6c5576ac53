//! CTL operators, by their definitions: least and greatest sets over the successor relation. Only the graph counts; paths are infinite.

use crate::graph::least;
use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Row};

fn not(set: &[bool]) -> Vec<bool> {
    set.iter().map(|inside| !inside).collect()
}

fn both(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a && *b).collect()
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}

fn meets(rows: &[Row], set: &[bool]) -> bool {
    rows.iter()
        .any(|row| row.targets.iter().any(|(target, _)| set[*target as usize]))
}

/// Some successor is in a set.
pub(crate) fn exists_next(model: &Explicit, set: &[bool]) -> Vec<bool> {
    model.rows.iter().map(|rows| meets(rows, set)).collect()
}

/// Some path stays in one set until it meets another.
pub(crate) fn exists_until(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    least(model, goal, stay, budget, &mut |_, rows, found| {
        meets(rows, found)
    })
}

/// Some path stays in a set for ever.
pub(crate) fn exists_always(model: &Explicit, stay: &[bool], budget: &Budget) -> Result<Vec<bool>, Spent> {
    // The largest set in which every state has a successor in it: what is lost is a least set.
    let mut inside = stay.to_vec();
    loop {
        let mut changed = false;
        for state in 0..inside.len() {
            budget.check()?;
            if inside[state] && !meets(&model.rows[state], &inside) {
                inside[state] = false;
                changed = true;
            }
        }
        if !changed {
            return Ok(inside);
        }
    }
}

/// Some path stays in one set until it meets another, or for ever.
pub(crate) fn exists_weak(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    Ok(either(
        &exists_until(model, stay, goal, budget)?,
        &exists_always(model, stay, budget)?,
    ))
}

/// Some path has the second set up to and including the moment of the first, or for ever.
pub(crate) fn exists_release(
    model: &Explicit,
    first: &[bool],
    second: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    exists_weak(model, second, &both(first, second), budget)
}

/// All paths stay in one set until they meet another.
pub(crate) fn always_until(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    // It fails if the goal is avoided up to a state that has neither, or for ever.
    let (no_stay, no_goal) = (not(stay), not(goal));
    Ok(not(&exists_weak(
        model,
        &no_goal,
        &both(&no_stay, &no_goal),
        budget,
    )?))
}

/// All paths stay in one set until they meet another, or for ever.
pub(crate) fn always_weak(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    let (no_stay, no_goal) = (not(stay), not(goal));
    Ok(not(&exists_until(
        model,
        &no_goal,
        &both(&no_stay, &no_goal),
        budget,
    )?))
}

/// All paths release.
pub(crate) fn always_release(
    model: &Explicit,
    first: &[bool],
    second: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    Ok(not(&exists_until(model, &not(first), &not(second), budget)?))
}

/// All successors are in a set.
pub(crate) fn always_next(model: &Explicit, set: &[bool]) -> Vec<bool> {
    not(&exists_next(model, &not(set)))
}
