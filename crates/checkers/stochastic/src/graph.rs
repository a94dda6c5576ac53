//! The checker's own searches: simple fixpoints over rows, no predecessors, no orders. Quadratic in the worst case, obviously right.

use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Row};

/// Whether a state with these rows joins, given the set so far.
type Joins<'a> = dyn FnMut(usize, &[Row], &[bool]) -> bool + 'a;

/// The least set that contains `goal` and every state of `stay` for which `joins` says so, given the set so far.
pub(crate) fn least(
    model: &Explicit,
    goal: &[bool],
    stay: &[bool],
    budget: &Budget,
    joins: &mut Joins<'_>,
) -> Result<Vec<bool>, Spent> {
    let mut found = goal.to_vec();
    loop {
        let mut changed = false;
        // Backwards, because breadth-first numbers grow along paths.
        for state in (0..found.len()).rev() {
            budget.check()?;
            if !found[state] && stay[state] && joins(state, &model.rows[state], &found) {
                found[state] = true;
                changed = true;
            }
        }
        if !changed {
            return Ok(found);
        }
    }
}

fn touches(row: &Row, set: &[bool]) -> bool {
    row.targets.iter().any(|(target, _)| set[*target as usize])
}

fn within(row: &Row, set: &[bool]) -> bool {
    row.targets.iter().all(|(target, _)| set[*target as usize])
}

/// States from which some scheduler reaches the goal with positive probability.
pub(crate) fn reach_some(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    least(model, goal, stay, budget, &mut |_, rows, found| {
        rows.iter().any(|row| touches(row, found))
    })
}

/// States from which some scheduler reaches the goal almost surely.
pub(crate) fn surely_some(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    let mut all = vec![true; model.rows.len()];
    loop {
        let found = least(model, goal, stay, budget, &mut |_, rows, found| {
            rows.iter().any(|row| within(row, &all) && touches(row, found))
        })?;
        if found == all {
            return Ok(all);
        }
        all = found;
    }
}

/// States from which every scheduler reaches the goal almost surely.
pub(crate) fn surely_all(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    let mut all = vec![true; model.rows.len()];
    loop {
        let found = least(model, goal, stay, budget, &mut |_, rows, found| {
            rows.iter().all(|row| within(row, &all) && touches(row, found))
        })?;
        if found == all {
            return Ok(all);
        }
        all = found;
    }
}
