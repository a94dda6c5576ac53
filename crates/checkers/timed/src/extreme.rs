//! Extreme values of integers and clocks: a run that reaches the value, and a cover in which nothing is beyond it.
//!
//! For a clock, the values that the steps of the run allow with any delays are computed as exact matrices; their bound on the clock is the value, attained or approached.

use crate::matrix::{FREE, Matrix};
use crate::replay::{end_of, meet};
use crate::{Objection, cover};
use entail_answer::Quantity;
use entail_budget::Budget;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Extreme, Run};
use entail_clocks::{Formula, Meaning, Measured, Network, Query, Rational};

/// Ways along the steps of a run, at most.
const MOST_WAYS: usize = 10_000;

/// Whether a value is extreme: it is reached or approached, and nothing is beyond it.
pub fn is_extreme(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    extreme: &Extreme,
    budget: &Budget,
) -> Result<(), Objection> {
    match &extreme.run {
        Some(run) => is_reached(meaning, network, query, extreme, run)?,
        None if extreme.value.is_some() => return Err("no run leads to the value".into()),
        None => {}
    }
    let is_unbounded = extreme.run.is_some() && extreme.value.is_none();
    match &extreme.cover {
        Some(cover) => cover::contains_nothing_beyond(meaning, network, query, extreme, cover, budget),
        None if is_unbounded => Ok(()),
        None => Err("nothing shows that no state is beyond the value".into()),
    }
}

/// The value that the evidence is about.
pub fn value_of(extreme: &Extreme) -> Quantity {
    match (extreme.value, &extreme.run) {
        (Some(value), _) => Quantity::Exact(Rational::from(value)),
        (None, Some(_)) => Quantity::Infinite,
        (None, None) => Quantity::Undefined,
    }
}

/// Whether some values of a zone satisfy the condition and lie beyond a value.
pub fn is_beyond(
    meaning: &dyn Meaning,
    query: &Query,
    extreme: &Extreme,
    discrete: &Discrete,
    zone: &Matrix,
) -> Result<bool, Objection> {
    let Query::Extreme { measure, up, .. } = query else {
        return Ok(false);
    };
    let parts = satisfying(meaning, query.formulas(), discrete, zone)?;
    let Some(value) = extreme.value else {
        // Nothing is claimed to satisfy the condition.
        return Ok(!parts.is_empty());
    };
    if parts.is_empty() {
        return Ok(false);
    }
    match meaning.measure(measure, discrete)? {
        Measured::Number(number) => Ok(if *up { number > value } else { number < value }),
        Measured::Clock(clock) => Ok(parts.into_iter().any(|mut part| {
            // Beyond an attained value, or at one that is not attained.
            let allowed = i64::from(!extreme.attained);
            match up {
                true => part.cut(0, clock, -2 * value + allowed),
                false => part.cut(clock, 0, 2 * value + allowed),
            }
        })),
    }
}

/// The parts of a zone that satisfy the condition.
fn satisfying(
    meaning: &dyn Meaning,
    formulas: &[Formula],
    discrete: &Discrete,
    zone: &Matrix,
) -> Result<Vec<Matrix>, Objection> {
    let conjunctions = meaning.satisfying(formulas, 0, discrete)?;
    let about_deadlock = |one: &ClockConstraint| one.about_deadlock().is_some();
    if conjunctions.iter().flatten().any(about_deadlock) {
        return crate::deadlock::parts(meaning, &conjunctions, discrete, zone);
    }
    let part = |conjunction: &Vec<ClockConstraint>| {
        let mut part = zone.clone();
        part.cut_all(conjunction).then_some(part)
    };
    Ok(conjunctions.iter().filter_map(part).collect())
}

/// Whether a run reaches the value, or comes as near to it as one likes by other delays.
pub fn is_reached(
    meaning: &dyn Meaning,
    network: &Network,
    query: &Query,
    extreme: &Extreme,
    run: &Run,
) -> Result<(), Objection> {
    let Query::Extreme { measure, up, .. } = query else {
        return Err("the question asks for no value".into());
    };
    let state = end_of(meaning, network, run)?;
    let conjunctions = meaning.satisfying(query.formulas(), 0, &state.discrete)?;
    let is_deadlock = crate::deadlock::is_one(meaning, &state)?;
    let holds = |one: &Vec<ClockConstraint>| {
        one.iter().all(|constraint| match constraint.about_deadlock() {
            Some(wanted) => wanted == is_deadlock,
            None => meet(&state.clocks, std::slice::from_ref(constraint)),
        })
    };
    if !conjunctions.iter().any(holds) {
        return Err("the run does not end in a state that satisfies the condition".into());
    }
    let clock = match meaning.measure(measure, &state.discrete)? {
        Measured::Number(number) if extreme.value == Some(number) && extreme.attained => return Ok(()),
        Measured::Number(_) => return Err("the run does not reach the value".into()),
        Measured::Clock(clock) => clock,
    };
    let claimed = match extreme.value {
        None => FREE,
        Some(value) if value.abs() >= FREE / 4 => return Err("the value is out of range".into()),
        Some(value) => 2 * (if *up { value } else { -value }) + i64::from(extreme.attained),
    };
    for (discrete, zone) in along(meaning, network, run)? {
        for part in satisfying(meaning, query.formulas(), &discrete, &zone)? {
            let bound = match up {
                true => part.at(clock, 0),
                false => part.at(0, clock),
            };
            if bound >= claimed {
                return Ok(());
            }
        }
    }
    Err("the steps of the run do not allow the value".into())
}

/// The discrete state and the clock values that the steps of a run lead to with any delays; one matrix for each way.
fn along(meaning: &dyn Meaning, network: &Network, run: &Run) -> Result<Vec<(Discrete, Matrix)>, Objection> {
    let waited = |discrete: &Discrete, mut zone: Matrix| -> Result<Option<Matrix>, Objection> {
        let Some(invariant) = meaning.invariant(discrete)? else {
            return Ok(None);
        };
        if !zone.cut_all(&invariant) {
            return Ok(None);
        }
        if meaning.may_delay(discrete)? {
            zone.rise();
        }
        Ok(zone.cut_all(&invariant).then_some(zone))
    };
    let mut found = Vec::new();
    for discrete in meaning.starts()? {
        if discrete.locations == run.first
            && let Some(zone) = waited(&discrete, Matrix::origin(network.dimension()))?
        {
            found.push((discrete, zone));
        }
    }
    for step in &run.steps {
        let mut next = Vec::new();
        for (discrete, zone) in &found {
            for way in meaning.moves(discrete)? {
                if way.edges == step.edges
                    && let Some((target, after)) = cover::taken(&way, zone)?
                    && let Some(zone) = waited(&target, after)?
                {
                    next.push((target, zone));
                }
            }
        }
        found = next;
        if found.len() > MOST_WAYS {
            return Err(Objection::Unchecked("a run through very many cases".to_owned()));
        }
    }
    Ok(found)
}
