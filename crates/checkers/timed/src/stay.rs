//! Maximal runs on which a condition holds from some point on: replayed in exact time, the cycle for a whole zone at once.
//!
//! While a run waits, the condition must hold at every moment: the delays after which each part of it holds are intervals, which together must leave no gap.

use crate::Objection;
use crate::deadlock::{self, Delays};
use crate::game::earlier;
use crate::matrix::Matrix;
use crate::replay::{Exact, beginning, meet};
use crate::round::{Back, goes_round};
use crate::within::Within;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::Stay;
use entail_clocks::{Formula, Meaning, Move, Network, Query, Rational};

/// How long a condition must hold while time passes.
pub(crate) enum Until {
    /// Up to this delay, included.
    Delay(Rational),
    /// As long as the invariant allows.
    End,
}

/// Whether clock values satisfy a condition of the query.
pub(crate) fn satisfies(
    meaning: &dyn Meaning,
    formulas: &[Formula],
    position: usize,
    state: &Exact,
) -> Result<bool, Objection> {
    let conjunctions = meaning.satisfying(formulas, position, &state.discrete)?;
    Ok(conjunctions.iter().any(|one| meet(&state.clocks, one)))
}

/// The delays after which constraints hold.
pub(crate) fn delays(state: &Exact, constraints: &[ClockConstraint]) -> Option<Delays> {
    let mut found = Delays::new(true);
    for one in constraints {
        let slope = i32::from(one.left > 0) - i32::from(one.right > 0);
        let value = &state.clocks[one.left] - &state.clocks[one.right];
        if !found.keep(&value, slope, one.bound, one.strict) {
            return None;
        }
    }
    (!found.is_empty()).then_some(found)
}

/// Whether the first condition holds at every moment of a wait; says too whether the wait is endless.
pub(crate) fn holds_while_waiting(
    meaning: &dyn Meaning,
    formulas: &[Formula],
    state: &Exact,
    until: Until,
) -> Result<(bool, bool), Objection> {
    let invariant = meaning
        .invariant(&state.discrete)?
        .ok_or("an invariant is false")?;
    let may_delay = meaning.may_delay(&state.discrete)?;
    let limit = match until {
        Until::Delay(delay) => Some((delay, false)),
        Until::End if !may_delay => Some((Rational::ZERO, false)),
        Until::End => delays(state, &invariant).ok_or("an invariant is false")?.most,
    };
    let endless = limit.is_none();
    let conjunctions = meaning.satisfying(formulas, 0, &state.discrete)?;
    let mut intervals: Vec<Delays> = (conjunctions.iter())
        .filter_map(|one| delays(state, one))
        .collect();
    intervals.sort_by(|one, other| one.least.cmp(&other.least));
    // Everything before `covered` is covered; with `included`, that moment is too.
    let (mut covered, mut included) = (Rational::ZERO, false);
    let is_done = |covered: &Rational, included: bool| match &limit {
        Some((end, excluded)) => covered > end || (covered == end && (included || *excluded)),
        None => false,
    };
    for one in intervals {
        if is_done(&covered, included) {
            break;
        }
        let (from, excluded) = &one.least;
        let has_gap = *from > covered || (*from == covered && *excluded && !included);
        if has_gap {
            return Ok((false, endless));
        }
        match &one.most {
            None => return Ok((true, endless)),
            Some((to, excluded)) => {
                if *to > covered {
                    (covered, included) = (to.clone(), !excluded);
                } else if *to == covered {
                    included |= !excluded;
                }
            }
        }
    }
    Ok((is_done(&covered, included), endless))
}

/// Whether a run is maximal, and the condition holds on it from the claimed point on.
pub fn is_maximal(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    stay: &Stay,
) -> Result<(), Objection> {
    let formulas = query.formulas();
    let run = &stay.stem;
    let mut state = beginning(meaning, network, run)?;
    if stay.since > run.steps.len() || (formulas.len() == 1 && stay.since != 0) {
        return Err("the condition begins to hold where it may not".into());
    }
    let waits =
        (run.steps.iter().map(|step| (&step.delay.0, Some(&step.edges)))).chain([(&run.rest.0, None)]);
    for (number, (delay, edges)) in waits.enumerate() {
        if number == stay.since {
            if formulas.len() > 1 && !satisfies(meaning, formulas, 1, &state)? {
                return Err("the run does not satisfy the condition with which it is to begin".into());
            }
            if !satisfies(meaning, formulas, 0, &state)? {
                return Err("the condition does not hold where it is to begin".into());
            }
        }
        if number >= stay.since {
            let until = Until::Delay(delay.clone());
            if *delay >= Rational::ZERO && !holds_while_waiting(meaning, formulas, &state, until)?.0 {
                return Err(format!("before step {}: the condition ceases to hold", number + 1).into());
            }
        }
        if !state.wait(meaning, delay)? {
            return Err(format!("before step {}: time may not pass so long", number + 1).into());
        }
        let Some(edges) = edges.filter(|edges| !edges.is_empty()) else {
            continue;
        };
        if !state.step(meaning, edges)? {
            return Err(format!("step {} is not enabled", number + 1).into());
        }
        if number >= stay.since && !satisfies(meaning, formulas, 0, &state)? {
            return Err(format!("after step {} the condition does not hold", number + 1).into());
        }
    }
    match stay.cycle.is_empty() {
        true => ends(meaning, formulas, &state),
        false => goes_round(&All(meaning), meaning, formulas, &state, stay),
    }
}

/// Whether a run may end in a state.
fn ends(meaning: &dyn Meaning, formulas: &[Formula], state: &Exact) -> Result<(), Objection> {
    let (holds, endless) = holds_while_waiting(meaning, formulas, state, Until::End)?;
    if !holds {
        return Err("the condition ceases to hold after the end of the run".into());
    }
    match endless || deadlock::is_one(meaning, state)? {
        true => Ok(()),
        false => Err("the run ends where a step is possible and time does not pass for ever".into()),
    }
}

/// Every step of the model, and any wait.
struct All<'m>(&'m dyn Meaning);

impl Back for All<'_> {
    fn before_step(
        &self,
        state: &Discrete,
        ways: &[Move],
        _: &Discrete,
        into: &[Matrix],
    ) -> Result<Vec<Matrix>, Objection> {
        let invariant = self.0.invariant(state)?.ok_or("an invariant is false")?;
        let before = |target: &Matrix| {
            let values = ways.iter().filter_map(|way| earlier(way, target, &invariant));
            values.collect::<Vec<Matrix>>()
        };
        Ok(into.iter().flat_map(before).collect())
    }

    fn before_wait(&self, _: &Discrete, within: &Within, part: &Matrix) -> Result<Vec<Matrix>, Objection> {
        within.earlier(part)
    }
}
