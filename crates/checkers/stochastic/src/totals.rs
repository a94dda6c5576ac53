//! Certificates of total rewards: what is earned for ever. Rewards are not negative.
//!
//! The total reward is the least solution of its equations over numbers from 0 to infinity, for the greatest as for the least value, so upper
//! values with `u ≥ r + Σ p u` (for all choices, or for one) are above it. Lower values need more: for the greatest, choices that keep them and
//! lead with positive probability to a state where nothing is claimed; for the least, that nothing is claimed where a scheduler can
//! avoid all rewards for ever (elsewhere a run comes to such a state or earns infinitely much).

use crate::components::end_components;
use crate::graph;
use crate::inequality::{Nature, Side, compare};
use crate::operators::Wrong;
use entail_budget::{Budget, Spent};
use entail_markov::{Bracket, Explicit, Optimum, Rational, Row, naive};
use std::cmp::Ordering;

/// Judges a bracket of total rewards.
pub(crate) fn total(
    model: &Explicit,
    structure: usize,
    (optimum, nature): (Optimum, Nature),
    bracket: &Bracket,
    budget: &Budget,
) -> Result<Wrong, Spent> {
    let size = model.rows.len();
    let extreme = nature.of(optimum);
    let wrong = |what: &str, state: usize| Ok(Some(format!("{what} (state {state})")));
    if bracket.len() != size {
        return Ok(Some("the certificate has another number of states".to_owned()));
    }
    let earned = |state: usize, row: &Row| naive::step_value(model, structure, state, row);
    let free = |state: usize, row: &Row| earned(state, row).is_zero();
    for (state, rows) in model.rows.iter().enumerate() {
        budget.check()?;
        if rows.iter().any(|row| earned(state, row) < Rational::ZERO) {
            return Ok(Some(
                "negative rewards are not covered by these certificates".to_owned(),
            ));
        }
    }
    let infinite = infinite(model, optimum, &free, budget)?;
    let keeps_upper = |state: usize, row: &Row| {
        Some(compare(bracket, Side::Upper, state, row, &earned(state, row), extreme)? != Ordering::Less)
    };
    let keeps_lower = |state: usize, row: &Row| {
        Some(compare(bracket, Side::Lower, state, row, &earned(state, row), extreme)? != Ordering::Greater)
    };
    for (state, rows) in model.rows.iter().enumerate() {
        budget.check()?;
        if bracket.lower(state).is_none() && !infinite[state] {
            return wrong("a finite reward is said to be infinite", state);
        }
        let (Some(upper), lower) = (bracket.upper(state), bracket.lower(state)) else {
            continue;
        };
        if upper < Rational::ZERO || lower.is_some_and(|lower| lower > upper) {
            return wrong("the bounds are no bounds of a reward", state);
        }
        let fine = |row: &Row| keeps_upper(state, row) == Some(true);
        let fine = match optimum {
            Optimum::Max => rows.iter().all(fine),
            Optimum::Min => rows.iter().any(fine),
        };
        if !fine {
            return wrong("the upper bound is exceeded after one step", state);
        }
    }
    let positive: Vec<bool> = (0..size)
        .map(|state| bracket.lower(state).is_some_and(|lower| lower > Rational::ZERO))
        .collect();
    match optimum {
        Optimum::Max => {
            // Where the lower value is zero or infinite it is enough to arrive.
            let nothing: Vec<bool> = positive.iter().map(|positive| !positive).collect();
            let reached = graph::least(model, &nothing, &positive, budget, &mut |state, rows, found| {
                rows.iter().any(|row| {
                    let touches = row.targets.iter().any(|(target, _)| found[*target as usize]);
                    // A choice that may lead to infinity keeps every bound, because infinity is proved.
                    touches && keeps_lower(state, row).unwrap_or(true)
                })
            })?;
            if let Some(state) = (0..size).find(|&state| !reached[state]) {
                return wrong("no choice keeps the lower bound and comes to an end", state);
            }
        }
        Optimum::Min => {
            let at_rest = at_rest(model, &free, budget)?;
            for state in (0..size).filter(|&state| positive[state]) {
                budget.check()?;
                if at_rest[state] {
                    return wrong(
                        "a state where rewards can be avoided has a positive lower bound",
                        state,
                    );
                }
                let fine = |row: &Row| keeps_lower(state, row).unwrap_or(true);
                if !model.rows[state].iter().all(fine) {
                    return wrong("the lower bound is missed after one step", state);
                }
            }
        }
    }
    Ok(None)
}

/// States from which a scheduler earns nothing for ever: the largest set with a free choice that stays in it.
fn at_rest(
    model: &Explicit,
    free: &dyn Fn(usize, &Row) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    let mut inside = vec![true; model.rows.len()];
    loop {
        let mut changed = false;
        for state in 0..inside.len() {
            budget.check()?;
            let stays = |row: &Row| {
                free(state, row) && row.targets.iter().all(|(target, _)| inside[*target as usize])
            };
            if inside[state] && !model.rows[state].iter().any(stays) {
                inside[state] = false;
                changed = true;
            }
        }
        if !changed {
            return Ok(inside);
        }
    }
}

/// Where the total reward is infinite.
fn infinite(
    model: &Explicit,
    optimum: Optimum,
    free: &dyn Fn(usize, &Row) -> bool,
    budget: &Budget,
) -> Result<Vec<bool>, Spent> {
    let everywhere = vec![true; model.rows.len()];
    if optimum == Optimum::Min {
        let rest = at_rest(model, free, budget)?;
        let finite = graph::surely_some(model, &everywhere, &rest, budget)?;
        return Ok(finite.into_iter().map(|finite| !finite).collect());
    }
    let mut endless = vec![false; model.rows.len()];
    for component in end_components(&model.rows, &everywhere, &|_, _| true, budget)? {
        let mut inside = vec![false; model.rows.len()];
        for &state in &component {
            inside[state] = true;
        }
        let earns = component.iter().any(|&state| {
            model.rows[state].iter().any(|row| {
                !free(state, row) && row.targets.iter().all(|(target, _)| inside[*target as usize])
            })
        });
        if earns {
            for state in component {
                endless[state] = true;
            }
        }
    }
    graph::reach_some(model, &everywhere, &endless, budget)
}
