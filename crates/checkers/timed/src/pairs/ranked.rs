//! Pairs from which moves lead to smaller ranks, whatever the answers.

use super::{Judge, Shifted, States, after, before, strictly_before};
use crate::Objection;
use crate::matrix::Matrix;
use crate::within::{both, without};
use entail_budget::Budget;
use entail_clocks::Rational;
use entail_clocks::pairs::Loss;
use std::collections::HashMap;

/// Matrices with their ranks.
type Ranked = HashMap<States, Vec<(u32, Matrix)>>;

/// Whether every answer to a beginning is among the pairs, and every move leads from them to smaller ranks.
pub(super) fn none_answered(
    judge: &Judge<'_>,
    start: (usize, bool),
    losses: &[Loss],
    budget: &Budget,
) -> Result<(), Objection> {
    let mut ranked = Ranked::new();
    let mut read = Vec::new();
    for loss in losses {
        let (states, matrix) = judge.read(&loss.pairs)?;
        let all = ranked.entry(states.clone()).or_default();
        all.push((loss.rank, matrix.clone()));
        read.push((states, matrix));
    }
    let side = usize::from(start.1);
    if !judge.sides().contains(&side) {
        return Err("the second side is not challenged".into());
    }
    let starts = judge.starts(side)?;
    let own = starts.get(start.0).ok_or("there is no such beginning")?;
    let origin = vec![Rational::ZERO; judge.size()];
    for other in judge.starts(1 - side)? {
        let states = match side {
            0 => [own.clone(), other],
            _ => [other, own.clone()],
        };
        let mut all = ranked.get(&states).into_iter().flatten();
        if !all.any(|(_, matrix)| matrix.contains(&origin)) {
            return Err("an answer to the first choice is not in the list".into());
        }
    }
    for (loss, (states, matrix)) in losses.iter().zip(&read) {
        budget.check()?;
        let side = usize::from(loss.challenge.by_second);
        if !judge.sides().contains(&side) {
            return Err("the second side is not challenged".into());
        }
        let below = |states: &States| -> Vec<Matrix> {
            let all = ranked.get(states).into_iter().flatten();
            all.filter(|(rank, _)| *rank < loss.rank)
                .map(|(_, matrix)| matrix.clone())
                .collect()
        };
        let wins = match loss.challenge.edges.is_empty() {
            true => delay_wins(judge, states, matrix, side, &below(states))?,
            false => step_wins(judge, states, matrix, side, &loss.challenge.edges, &below)?,
        };
        if !wins {
            return Err("a move has an answer that does not lead to smaller ranks".into());
        }
    }
    Ok(())
}

/// Whether a step along these edges can be taken from all values of a matrix, and all answers lead to smaller ranks.
fn step_wins(
    judge: &Judge<'_>,
    states: &States,
    matrix: &Matrix,
    side: usize,
    edges: &[usize],
    below: &dyn Fn(&States) -> Vec<Matrix>,
) -> Result<bool, Objection> {
    let (own, other) = (
        judge.state(side, &states[side])?,
        judge.state(1 - side, &states[1 - side])?,
    );
    let is_way = |step: &&Shifted| {
        step.step.edges == *edges && (step.able.as_ref()).is_some_and(|able| matrix.is_within(able))
    };
    for step in own.steps.iter().filter(is_way) {
        let mut is_won = true;
        for answer in other.steps.iter().filter(|answer| answer.name == step.name) {
            let Some(able) = answer.able.as_ref().and_then(|able| both(able, matrix)) else {
                continue;
            };
            let target = after(side, step, answer)?;
            let lost: Vec<Matrix> = (below(&target).iter())
                .filter_map(|into| before(step, answer, into))
                .collect();
            is_won &= without(vec![able], &lost)?.is_empty();
        }
        if is_won {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether, from all values of a matrix, some delay of a side has no answer that does not lead to smaller ranks.
fn delay_wins(
    judge: &Judge<'_>,
    states: &States,
    matrix: &Matrix,
    side: usize,
    below: &[Matrix],
) -> Result<bool, Objection> {
    let (own, other) = (
        judge.state(side, &states[side])?,
        judge.state(1 - side, &states[1 - side])?,
    );
    if !own.may_delay {
        return Ok(false);
    }
    let mut winning = Vec::new();
    if judge.relation.is_abstract() {
        let Some(inside) = both(&own.inside, &other.inside) else {
            return Ok(false);
        };
        // From which values some delay of the other side leads out of the smaller ranks.
        let mut answered = without(vec![inside.clone()], below)?;
        if other.may_delay {
            answered.iter_mut().for_each(|one| one.sink_but(&judge.own(side)));
        }
        winning = without(vec![inside], &answered)?;
        winning
            .iter_mut()
            .for_each(|one| one.sink_but(&judge.own(1 - side)));
    } else if other.may_delay {
        winning.extend(without(
            vec![own.inside.clone()],
            std::slice::from_ref(&other.inside),
        )?);
        winning.extend(below.iter().cloned());
        winning.iter_mut().for_each(Matrix::sink);
    } else {
        winning.extend(strictly_before(&own.inside));
    }
    Ok(without(vec![matrix.clone()], &winning)?.is_empty())
}
