//! States with exact clock values, and their steps: what replays runs.
//!
//! A step is a delay and then a joint edge. Invariants are conjunctions of bounds on clocks and their differences, so they define convex sets: one that holds before and
//! after a delay holds in between.

use crate::discrete::{ClockConstraint, Discrete, Trouble};
use crate::{EdgeId, Fault, Network, Rational};
use entail_source::Span;

/// A state of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Locations and integers.
    pub discrete: Discrete,
    /// The values of the clocks; the first is the reference clock, always 0.
    pub clocks: Vec<Rational>,
}

/// Whether a constraint holds of these clock values.
pub fn satisfies(clocks: &[Rational], constraint: &ClockConstraint) -> bool {
    let difference = &clocks[constraint.left] - &clocks[constraint.right];
    let bound = Rational::from(constraint.bound);
    difference < bound || (!constraint.strict && difference == bound)
}

/// The initial states: clocks are 0, and the invariants hold.
pub fn initial(network: &Network) -> Result<Vec<State>, Trouble> {
    let mut states = Vec::new();
    for discrete in network.initial() {
        let state = State {
            discrete,
            clocks: vec![Rational::ZERO; network.dimension()],
        };
        if meets_invariant(network, &state)? {
            states.push(state);
        }
    }
    Ok(states)
}

/// Whether a state meets the invariants of its locations.
pub fn meets_invariant(network: &Network, state: &State) -> Result<bool, Trouble> {
    let mut found = Vec::new();
    Ok(network.invariant(&state.discrete, &mut found)?
        && found
            .iter()
            .all(|constraint| satisfies(&state.clocks, constraint)))
}

/// The state after a delay, or nothing if time may not pass so long.
pub fn delay(network: &Network, state: &State, time: &Rational) -> Result<Option<State>, Trouble> {
    if *time < Rational::ZERO || (*time > Rational::ZERO && !network.may_delay(&state.discrete)?) {
        return Ok(None);
    }
    let mut later = state.clone();
    let stopped = network.stopped(&state.discrete)?;
    for (number, clock) in later.clocks.iter_mut().enumerate().skip(1) {
        if !stopped.contains(&number) {
            *clock += time;
        }
    }
    Ok(meets_invariant(network, &later)?.then_some(later))
}

/// The state after a joint edge, or nothing if it cannot be taken.
pub fn step(network: &Network, state: &State, joint: &[EdgeId]) -> Result<Option<State>, Trouble> {
    let meets = |side: &[ClockConstraint]| side.iter().all(|one| satisfies(&state.clocks, one));
    let joints = network.joints(&state.discrete)?;
    if !(joints.iter()).any(|one| one.edges == joint && meets(&one.side)) {
        return Ok(None);
    }
    let mut found = Vec::new();
    if !network.guard(joint, &state.discrete.integers, &mut found)?
        || !found
            .iter()
            .all(|constraint| satisfies(&state.clocks, constraint))
    {
        return Ok(None);
    }
    let mut updates = Vec::new();
    let Some(discrete) = network.act(joint, &state.discrete, &mut updates)? else {
        return Ok(None);
    };
    let mut clocks = state.clocks.clone();
    for update in updates {
        let value = &clocks[update.source] + Rational::from(update.offset);
        if value < Rational::ZERO {
            return Err(Trouble {
                fault: Fault::NegativeClock,
                span: Span::default(),
            });
        }
        clocks[update.target] = value;
    }
    let next = State { discrete, clocks };
    Ok(meets_invariant(network, &next)?.then_some(next))
}
