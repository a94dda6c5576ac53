//! The fixed-point certificates of single operators: each function says why a bracket is wrong, or nothing.

use crate::graph;
use crate::inequality::{Bound, Nature, Side, compare};
use entail_budget::{Budget, Spent};
use entail_markov::Bracket;
use entail_markov::{Explicit, Optimum, Rational, Row, naive};
use std::cmp::Ordering;

/// What was found wrong; nothing if the bracket is proved.
pub(crate) type Wrong = Option<String>;

fn wrong(what: &str, state: usize) -> Result<Wrong, Spent> {
    Ok(Some(format!("{what} (state {state})")))
}

/// Probabilities of `stay U goal`.
///
/// Upper values `u ≥ 0` with `u ≥ 1` on the goal and `u ≥ Σ p u` for the choices that count are above the least solution, which is the
/// probability (Park induction). Lower values `l` are below it if `l ≤ Σ p l` for the choices that count, and from every state with `l > 0` these
/// choices reach the goal with positive probability: then `l` can only be lost by leaving the states where it is positive.
pub(crate) fn until(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    (optimum, nature): (Optimum, Nature),
    bracket: &Bracket,
    budget: &Budget,
) -> Result<Wrong, Spent> {
    let size = model.rows.len();
    let extreme = nature.of(optimum);
    if bracket.len() != size {
        return Ok(Some("the certificate has another number of states".to_owned()));
    }
    let none = Rational::ZERO;
    for state in 0..size {
        budget.check()?;
        let bound = |side| Bound::of(bracket, state, side);
        let (Some(lower), Some(upper)) = (bound(Side::Lower), bound(Side::Upper)) else {
            return wrong("a probability is infinite", state);
        };
        if lower.is_above(upper) || upper.to_whole(0).is_lt() || lower.to_whole(1).is_gt() {
            return wrong("the bounds are no bounds of a probability", state);
        }
        if goal[state] {
            if upper.to_whole(1).is_lt() {
                return wrong("the goal has an upper bound below 1", state);
            }
            continue;
        }
        if !stay[state] {
            if lower.to_whole(0).is_gt() {
                return wrong("a lost state has a positive lower bound", state);
            }
            continue;
        }
        if upper.to_whole(1).is_lt() {
            let covers = |row: &Row| {
                let order = compare(bracket, Side::Upper, state, row, &none, extreme);
                order.is_some_and(|order| order != Ordering::Less)
            };
            let fine = match optimum {
                Optimum::Max => model.rows[state].iter().all(covers),
                Optimum::Min => model.rows[state].iter().any(covers),
            };
            if !fine {
                return wrong("the upper bound is exceeded after one step", state);
            }
        }
    }
    // Lower bounds: the choices that keep the bound must reach the goal.
    let holds = |state: usize, row: &Row| {
        let order = compare(bracket, Side::Lower, state, row, &none, extreme)?;
        Some(order != Ordering::Greater)
    };
    let is_positive = |state: usize| {
        let lower = Bound::of(bracket, state, Side::Lower);
        lower.is_some_and(|lower| lower.to_whole(0).is_gt())
    };
    let positive: Vec<bool> = (0..size)
        .map(|state| !goal[state] && is_positive(state))
        .collect();
    if optimum == Optimum::Min {
        for state in (0..size).filter(|&state| positive[state]) {
            budget.check()?;
            if !model.rows[state]
                .iter()
                .all(|row| holds(state, row) == Some(true))
            {
                return wrong("the lower bound is missed after one step", state);
            }
        }
    }
    let reached = graph::least(model, goal, &positive, budget, &mut |state, rows, found| {
        let touches = |row: &Row| row.targets.iter().any(|(target, _)| found[*target as usize]);
        match optimum {
            Optimum::Max => rows
                .iter()
                .any(|row| touches(row) && holds(state, row) == Some(true)),
            Optimum::Min => rows.iter().all(touches),
        }
    })?;
    match (0..size).find(|&state| positive[state] && !reached[state]) {
        Some(state) => wrong("no choice keeps the lower bound and reaches the goal", state),
        None => Ok(None),
    }
}

/// Expected rewards until `goal`, infinite where the goal may be missed; rewards are not negative.
///
/// Where it is infinite is decided by the checker's own searches. Elsewhere, upper values need `u ≥ r + Σ p u` for the choices that count and
/// that these choices reach the goal almost surely; lower values need `l ≤ r + Σ p l`, which suffices for the least reward (a scheduler that
/// misses the goal pays infinitely), and for the greatest one needs a scheduler that reaches the goal almost surely.
pub(crate) fn reward(
    model: &Explicit,
    structure: usize,
    goal: &[bool],
    (optimum, nature): (Optimum, Nature),
    bracket: &Bracket,
    budget: &Budget,
) -> Result<Wrong, Spent> {
    let size = model.rows.len();
    let extreme = nature.of(optimum);
    if bracket.len() != size {
        return Ok(Some("the certificate has another number of states".to_owned()));
    }
    let everywhere = vec![true; size];
    let finite = match optimum {
        Optimum::Min => graph::surely_some(model, &everywhere, goal, budget)?,
        Optimum::Max => graph::surely_all(model, &everywhere, goal, budget)?,
    };
    let earned = |state: usize, row: &Row| naive::step_value(model, structure, state, row);
    // Choices by which the upper, and the lower, value is kept.
    let keeps_upper = |state: usize, row: &Row| {
        Some(compare(bracket, Side::Upper, state, row, &earned(state, row), extreme)? != Ordering::Less)
    };
    let keeps_lower = |state: usize, row: &Row| {
        Some(compare(bracket, Side::Lower, state, row, &earned(state, row), extreme)? != Ordering::Greater)
    };
    for state in 0..size {
        budget.check()?;
        let bound = |side| Bound::of(bracket, state, side);
        let (lower, upper) = (bound(Side::Lower), bound(Side::Upper));
        if goal[state] {
            if lower.is_none_or(|lower| lower.to_whole(0).is_gt())
                || upper.is_some_and(|upper| upper.to_whole(0).is_lt())
            {
                return wrong("the goal has a reward", state);
            }
            continue;
        }
        if !finite[state] {
            if upper.is_some() {
                return wrong("an infinite reward has an upper bound", state);
            }
            continue;
        }
        let Some(lower) = lower else {
            return wrong("a finite reward has an infinite lower bound", state);
        };
        if upper.is_some_and(|upper| lower.is_above(upper)) {
            return wrong("the lower bound is above the upper bound", state);
        }
        if model.rows[state]
            .iter()
            .any(|row| earned(state, row) < Rational::ZERO)
        {
            return Ok(Some(
                "negative rewards are not covered by these certificates".to_owned(),
            ));
        }
        let rows = &model.rows[state];
        if optimum == Optimum::Max
            && upper.is_some()
            && !rows.iter().all(|row| keeps_upper(state, row) == Some(true))
        {
            return wrong("the upper bound is exceeded after one step", state);
        }
        // A choice that may lead to infinity keeps every finite lower bound of the least reward.
        let fine = |row: &Row| keeps_lower(state, row).unwrap_or(optimum == Optimum::Min);
        if optimum == Optimum::Min && lower.to_whole(0).is_gt() && !rows.iter().all(fine) {
            return wrong("the lower bound is missed after one step", state);
        }
    }
    if optimum == Optimum::Min {
        let is_bounded = |state| Bound::of(bracket, state, Side::Upper).is_some();
        let bounded: Vec<bool> = (0..size).map(is_bounded).collect();
        let reached = graph::least(model, goal, &bounded, budget, &mut |state, rows, found| {
            let reaches = |row: &Row| {
                row.targets.iter().any(|(target, _)| found[*target as usize])
                    && row.targets.iter().all(|(target, _)| bounded[*target as usize])
            };
            rows.iter()
                .any(|row| reaches(row) && keeps_upper(state, row) == Some(true))
        })?;
        if let Some(state) = (0..size).find(|&state| bounded[state] && !goal[state] && !reached[state]) {
            return wrong("no choice keeps the upper bound and reaches the goal", state);
        }
    } else {
        let positive: Vec<bool> = (0..size)
            .map(|state| {
                let lower = Bound::of(bracket, state, Side::Lower);
                finite[state] && !goal[state] && lower.is_some_and(|lower| lower.to_whole(0).is_gt())
            })
            .collect();
        // Every scheduler reaches the goal here, so any choice that keeps the bound will do.
        for state in (0..size).filter(|&state| positive[state]) {
            budget.check()?;
            if !model.rows[state]
                .iter()
                .any(|row| keeps_lower(state, row) == Some(true))
            {
                return wrong("the lower bound is missed after one step", state);
            }
        }
    }
    Ok(None)
}
