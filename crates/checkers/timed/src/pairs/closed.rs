//! Pairs among which every move has an answer.
//!
//! For each set of pairs: where a step of one side can be taken, some step of the same name of the other side leads, with it, into the pairs; what waiting leads to is among the pairs again. Where delays are matched
//! by any delays, one side waits, and some delay of the other leads into the pairs.

use super::{Judge, States, after, before, strictly_before};
use crate::Objection;
use crate::matrix::Matrix;
use crate::within::{both, without};
use entail_budget::Budget;
use entail_clocks::Rational;
use entail_clocks::pairs::PairZone;
use std::collections::HashMap;

type Pairs = HashMap<States, Vec<Matrix>>;

/// Whether the pairs contain the beginnings, and an answer to every move.
pub(super) fn all_answered(judge: &Judge<'_>, list: &[PairZone], budget: &Budget) -> Result<(), Objection> {
    let mut pairs = Pairs::new();
    for one in list {
        let (states, matrix) = judge.read(one)?;
        pairs.entry(states).or_default().push(matrix);
    }
    let origin = vec![Rational::ZERO; judge.size()];
    for &side in judge.sides() {
        let others = judge.starts(1 - side)?;
        for own in judge.starts(side)? {
            let is_answer = |other: &entail_clocks::discrete::Discrete| {
                let states = match side {
                    0 => [own.clone(), other.clone()],
                    _ => [other.clone(), own.clone()],
                };
                (pairs.get(&states)).is_some_and(|all| all.iter().any(|one| one.contains(&origin)))
            };
            if !others.iter().any(is_answer) {
                return Err("a beginning has no counterpart".into());
            }
        }
    }
    for (states, all) in &pairs {
        for matrix in all {
            budget.check()?;
            for &side in judge.sides() {
                steps_are_answered(judge, &pairs, states, matrix, side)?;
                delays_are_answered(judge, all, states, matrix, side)?;
            }
        }
    }
    Ok(())
}

fn steps_are_answered(
    judge: &Judge<'_>,
    pairs: &Pairs,
    states: &States,
    matrix: &Matrix,
    side: usize,
) -> Result<(), Objection> {
    let (own, other) = (
        judge.state(side, &states[side])?,
        judge.state(1 - side, &states[1 - side])?,
    );
    for step in &own.steps {
        let Some(able) = step.able.as_ref().and_then(|able| both(able, matrix)) else {
            continue;
        };
        step.step.target.clone()?;
        let mut left = vec![able];
        for answer in other.steps.iter().filter(|answer| answer.name == step.name) {
            if left.is_empty() || answer.able.is_none() {
                continue;
            }
            let target = after(side, step, answer)?;
            let into = pairs.get(&target).into_iter().flatten();
            let answered: Vec<Matrix> = into.filter_map(|into| before(step, answer, into)).collect();
            left = without(left, &answered)?;
        }
        if !left.is_empty() {
            return Err(format!("a step `{}` has no answer among the pairs", step.name).into());
        }
    }
    Ok(())
}

fn delays_are_answered(
    judge: &Judge<'_>,
    all: &[Matrix],
    states: &States,
    matrix: &Matrix,
    side: usize,
) -> Result<(), Objection> {
    let (own, other) = (
        judge.state(side, &states[side])?,
        judge.state(1 - side, &states[1 - side])?,
    );
    if !own.may_delay {
        return Ok(());
    }
    let mut later = matrix.clone();
    let answers: Vec<Matrix> = if judge.relation.is_abstract() {
        later.rise_but(&judge.own(1 - side));
        let earlier = |one: &Matrix| {
            let mut one = one.clone();
            if other.may_delay {
                one.sink_but(&judge.own(side));
            }
            one
        };
        all.iter().map(earlier).collect()
    } else if other.may_delay {
        later.rise();
        all.to_vec()
    } else {
        // The other side cannot wait at all.
        let waits = strictly_before(&own.inside).and_then(|waits| both(&waits, matrix));
        return match waits {
            None => Ok(()),
            Some(_) => Err("a delay has no answer".into()),
        };
    };
    let Some(later) = both(&later, &own.inside) else {
        return Ok(());
    };
    match without(vec![later], &answers)?.is_empty() {
        true => Ok(()),
        false => Err("a delay has no answer among the pairs".into()),
    }
}
