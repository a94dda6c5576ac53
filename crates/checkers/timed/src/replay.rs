//! Runs, step by step in exact time; lassos, whose cycle is checked for a whole zone at once.

use crate::Objection;
use crate::matrix::Matrix;
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::evidence::{Lasso, Run};
use entail_clocks::{Formula, Meaning, Move, Network, Query, Rational};

/// Combinations of cases around a cycle, at most.
const MOST_CASES: usize = 256;

/// A state with exact clock values; the first is the reference clock.
pub struct Exact {
    /// Locations and integers.
    pub discrete: Discrete,
    /// Clock values.
    pub clocks: Vec<Rational>,
}

/// Whether clock values meet constraints.
pub fn meet(clocks: &[Rational], constraints: &[ClockConstraint]) -> bool {
    constraints.iter().all(|one| {
        let difference = &clocks[one.left] - &clocks[one.right];
        let bound = Rational::from(one.bound);
        difference < bound || (!one.strict && difference == bound)
    })
}

impl Exact {
    /// Waits; nothing if time may not pass so long.
    pub(crate) fn wait(&mut self, meaning: &dyn Meaning, time: &Rational) -> Result<bool, Objection> {
        if *time < Rational::ZERO {
            return Ok(false);
        }
        if *time > Rational::ZERO && !meaning.may_delay(&self.discrete)? {
            return Ok(false);
        }
        let stopped = meaning.stopped(&self.discrete)?;
        for (number, clock) in self.clocks.iter_mut().enumerate().skip(1) {
            if !stopped.contains(&number) {
                *clock += time;
            }
        }
        // Invariants are convex: one that holds before and after a delay holds in between.
        let invariant = meaning.invariant(&self.discrete)?;
        Ok(invariant.is_some_and(|invariant| meet(&self.clocks, &invariant)))
    }

    /// Takes a step along these edges; false if there is none.
    pub(crate) fn step(&mut self, meaning: &dyn Meaning, edges: &[usize]) -> Result<bool, Objection> {
        let moves = meaning.moves(&self.discrete)?;
        let is_it = |one: &&Move| one.edges == edges && meet(&self.clocks, &one.guard);
        let Some(step) = moves.iter().find(is_it) else {
            return Ok(false);
        };
        let target = step.target.clone()?;
        for update in &step.updates {
            let value = &self.clocks[update.source] + Rational::from(update.offset);
            if value < Rational::ZERO {
                return Err("a clock becomes negative".into());
            }
            self.clocks[update.target] = value;
        }
        self.discrete = target;
        Ok(meet(&self.clocks, &step.invariant))
    }
}

/// The state at the end of a run, or why it is none.
pub fn end_of(meaning: &dyn Meaning, network: &Network, run: &Run) -> Result<Exact, Objection> {
    let mut state = beginning(meaning, network, run)?;
    for (number, step) in run.steps.iter().enumerate() {
        if !state.wait(meaning, &step.delay.0)? {
            return Err(format!("before step {}: time may not pass so long", number + 1).into());
        }
        if !state.step(meaning, &step.edges)? {
            return Err(format!("step {} is not enabled", number + 1).into());
        }
    }
    match state.wait(meaning, &run.rest.0)? {
        true => Ok(state),
        false => Err("at the end, time may not pass so long".into()),
    }
}

/// The state in which a run begins.
pub(crate) fn beginning(meaning: &dyn Meaning, network: &Network, run: &Run) -> Result<Exact, Objection> {
    let starts = meaning.starts()?;
    let discrete = (starts.into_iter())
        .find(|state| state.locations == run.first)
        .ok_or("the run does not begin in an initial state")?;
    let mut state = Exact {
        discrete,
        clocks: vec![Rational::ZERO; network.dimension()],
    };
    if !state.wait(meaning, &Rational::ZERO)? {
        return Err("the initial state does not meet its invariant".into());
    }
    Ok(state)
}

/// Whether a run ends in a state that satisfies the goal.
pub fn reaches(meaning: &dyn Meaning, network: &Network, query: &Query, run: &Run) -> Result<(), Objection> {
    let state = end_of(meaning, network, run)?;
    let conjunctions = meaning.satisfying(query.formulas(), 0, &state.discrete)?;
    let mut is_deadlock = None;
    if conjunctions
        .iter()
        .flatten()
        .any(|one| one.about_deadlock().is_some())
    {
        is_deadlock = Some(crate::deadlock::is_one(meaning, &state)?);
    }
    let holds = |one: &Vec<ClockConstraint>| {
        one.iter().all(|constraint| match constraint.about_deadlock() {
            Some(wanted) => is_deadlock == Some(wanted),
            None => meet(&state.clocks, std::slice::from_ref(constraint)),
        })
    };
    match conjunctions.iter().any(holds) {
        true => Ok(()),
        false => Err("the run does not end in a state that is looked for".into()),
    }
}

/// A step of a cycle: whether the network may wait before it, the invariant there, and the ways to take it.
struct Round {
    may_delay: bool,
    before: Vec<ClockConstraint>,
    ways: Vec<Move>,
}

/// Whether a lasso goes on for ever and meets each goal in its cycle.
pub fn repeats(
    meaning: &dyn Meaning,
    network: &Network,
    goals: &[Formula],
    lasso: &Lasso,
) -> Result<(), Objection> {
    let head = end_of(meaning, network, &lasso.stem)?;
    let zone = Matrix::read(network.dimension(), &lasso.zone)
        .ok_or("the zone of the lasso is empty or malformed")?;
    if lasso.cycle.is_empty() {
        return Err("the cycle of the lasso has no step".into());
    }
    if !zone.contains(&head.clocks) {
        return Err("the stem does not end in the zone of the lasso".into());
    }
    // The discrete states around the cycle, with what each step asks and does.
    let mut here = head.discrete.clone();
    let mut rounds = Vec::new();
    let mut met = vec![false; goals.len()];
    for edges in &lasso.cycle {
        for (goal, met) in met.iter_mut().enumerate() {
            let free = |one: &Vec<ClockConstraint>| one.is_empty();
            *met |= meaning.satisfying(goals, goal, &here)?.iter().any(free);
        }
        let before = meaning
            .invariant(&here)?
            .ok_or("an invariant of the cycle is false")?;
        let moves = meaning.moves(&here)?;
        let ways: Vec<Move> = moves.into_iter().filter(|one| one.edges == *edges).collect();
        let next = match ways.first() {
            Some(way) => way.target.clone()?,
            None => return Err("the cycle takes a step that does not exist".into()),
        };
        rounds.push(Round {
            may_delay: meaning.may_delay(&here)?,
            before,
            ways,
        });
        here = next;
    }
    if here != head.discrete {
        return Err("the cycle does not close".into());
    }
    if !met.iter().all(|&met| met) {
        return Err("the cycle does not meet everything that is to be met again and again".into());
    }
    let cases = rounds.iter().map(|round| round.ways.len());
    if cases.fold(1usize, usize::saturating_mul) > MOST_CASES {
        return Err(Objection::Unchecked("a cycle through very many cases".to_owned()));
    }
    match leads_back(&rounds, &zone, zone.clone()) {
        true => Ok(()),
        false => Err("the cycle does not lead from all of the zone of the lasso back into it".into()),
    }
}

/// Whether, by one choice of cases, the values from which the rounds lead into a zone contain all of the head's.
fn leads_back(rounds: &[Round], head: &Matrix, into: Matrix) -> bool {
    let Some((round, earlier)) = rounds.split_last() else {
        return head.is_within(&into);
    };
    round.ways.iter().any(|way| {
        let mut before_all = into.clone();
        let mut is_left = before_all.cut_all(&way.invariant);
        for update in way.updates.iter().rev() {
            is_left = is_left && before_all.unset(update);
        }
        is_left = is_left && before_all.cut_all(&way.guard) && before_all.cut_all(&round.before);
        if is_left && round.may_delay {
            before_all.sink();
            is_left = before_all.cut_all(&round.before);
        }
        is_left && leads_back(earlier, head, before_all)
    })
}
