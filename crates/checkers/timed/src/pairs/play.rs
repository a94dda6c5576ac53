//! A play in exact time that ends with a move that has no answer.

use super::Judge;
use crate::Objection;
use crate::replay::{Exact, meet};
use entail_clocks::discrete::Discrete;
use entail_clocks::pairs::{Play, Played, Turn};
use entail_clocks::{Meaning, Rational};

/// Whether a play is one of these networks, from this beginning, and is lost by the side that answers last.
pub(super) fn is_lost(judge: &Judge<'_>, start: (usize, bool), play: &Play) -> Result<(), Objection> {
    let side = usize::from(start.1);
    let chosen = judge.starts(side)?.get(start.0).cloned();
    let Some((first, second)) = &play.starts else {
        return match judge.starts(1 - side)?.is_empty() && play.turns.is_empty() {
            true => Ok(()),
            false => Err("the play has no beginning".into()),
        };
    };
    let begun = [first, second];
    if Some(begun[side]) != chosen.as_ref() || !judge.starts(1 - side)?.contains(begun[1 - side]) {
        return Err("the play does not begin where both do".into());
    }
    let at = |side: usize, discrete: &Discrete| Exact {
        discrete: discrete.clone(),
        clocks: vec![Rational::ZERO; judge.networks[side].dimension()],
    };
    let mut states = [at(0, first), at(1, second)];
    for (number, turn) in play.turns.iter().enumerate() {
        let side = usize::from(turn.by_second);
        if !judge.sides().contains(&side) {
            return Err("the second side is not challenged".into());
        }
        let is_last = number + 1 == play.turns.len();
        if turn.answer.is_none() != is_last {
            return Err("the play does not end with the first move that has no answer".into());
        }
        if !made(judge.meanings[side], &mut states[side], &turn.challenge)? {
            return Err("a move of the play cannot be made".into());
        }
        let other = &mut states[1 - side];
        let is_right = match &turn.answer {
            Some(answer) => answers(judge, turn, answer) && made(judge.meanings[1 - side], other, answer)?,
            None => is_unanswered(judge, turn, other)?,
        };
        if !is_right {
            return Err("an answer of the play cannot be given, or its last move has one".into());
        }
    }
    match play.turns.is_empty() {
        true => Err("nobody moves in the play".into()),
        false => Ok(()),
    }
}

/// Makes a move; false if it cannot be made.
fn made(meaning: &dyn Meaning, state: &mut Exact, played: &Played) -> Result<bool, Objection> {
    match played.edges.is_empty() {
        true => state.wait(meaning, &played.delay.0),
        false if played.delay.0 != Rational::ZERO => Ok(false),
        false => state.step(meaning, &played.edges),
    }
}

/// Whether an answer is of the kind that its move asks for.
fn answers(judge: &Judge<'_>, turn: &Turn, answer: &Played) -> bool {
    let side = usize::from(turn.by_second);
    let name = |side: usize, played: &Played| judge.networks[side].action_name(&played.edges);
    match (turn.challenge.edges.is_empty(), answer.edges.is_empty()) {
        (true, true) => judge.relation.is_abstract() || turn.challenge.delay == answer.delay,
        (false, false) => name(side, &turn.challenge) == name(1 - side, answer),
        _ => false,
    }
}

/// Whether a state has no answer to a move.
fn is_unanswered(judge: &Judge<'_>, turn: &Turn, other: &Exact) -> Result<bool, Objection> {
    let side = usize::from(turn.by_second);
    let meaning = judge.meanings[1 - side];
    if turn.challenge.edges.is_empty() {
        // Not to wait is an answer where delays are matched by any delays.
        let mut later = Exact {
            discrete: other.discrete.clone(),
            clocks: other.clocks.clone(),
        };
        return Ok(!judge.relation.is_abstract() && !later.wait(meaning, &turn.challenge.delay.0)?);
    }
    let name = judge.networks[side].action_name(&turn.challenge.edges);
    for step in meaning.moves(&other.discrete)? {
        if judge.networks[1 - side].action_name(&step.edges) != name || !meet(&other.clocks, &step.guard) {
            continue;
        }
        let mut clocks = other.clocks.clone();
        for update in &step.updates {
            clocks[update.target] = &clocks[update.source] + Rational::from(update.offset);
        }
        if meet(&clocks, &step.invariant) {
            return Ok(false);
        }
    }
    Ok(true)
}
