//! Runs, step by step in exact time; lassos, whose cycle is checked for a whole zone at once.

use crate::Objection;
use crate::matrix::Matrix;
use entail_clocks::evidence::{Lasso, Run};
use entail_clocks::interpreter::{self, State, satisfies};
use entail_clocks::{Formula, Network};

/// The state at the end of a run, or why it is none.
pub fn end_of(network: &Network, run: &Run) -> Result<State, Objection> {
    let initial = interpreter::initial(network)?;
    let mut state = (initial
        .into_iter()
        .find(|state| state.discrete.locations == run.first))
    .ok_or("the run does not begin in an initial state")?;
    for (number, step) in run.steps.iter().enumerate() {
        if step.edges.iter().any(|&edge| edge >= network.edges.len()) {
            return Err("the run names an edge that does not exist".into());
        }
        state = interpreter::delay(network, &state, &step.delay.0)?
            .ok_or_else(|| format!("before step {}: time may not pass so long", number + 1))?;
        state = interpreter::step(network, &state, &step.edges)?
            .ok_or_else(|| format!("step {} is not enabled", number + 1))?;
    }
    Ok(interpreter::delay(network, &state, &run.rest.0)?.ok_or("at the end, time may not pass so long")?)
}

/// Whether a run ends in a state that satisfies the goal.
pub fn reaches(network: &Network, goal: &Formula, run: &Run) -> Result<(), Objection> {
    let state = end_of(network, run)?;
    let conjunctions = goal.satisfying(network, &state.discrete)?;
    let holds = |one: &Vec<_>| one.iter().all(|constraint| satisfies(&state.clocks, constraint));
    match conjunctions.iter().any(holds) {
        true => Ok(()),
        false => Err("the run does not end in a state that is looked for".into()),
    }
}

/// Whether a lasso goes on for ever and meets each goal in its cycle.
pub fn repeats(network: &Network, goals: &[Formula], lasso: &Lasso) -> Result<(), Objection> {
    let head = end_of(network, &lasso.stem)?;
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
    for joint in &lasso.cycle {
        for (goal, met) in goals.iter().zip(&mut met) {
            *met |= !goal.mentions_clocks() && !goal.satisfying(network, &here)?.is_empty();
        }
        if !network.joint_edges(&here.locations).contains(joint) {
            return Err("the cycle takes a step that does not exist".into());
        }
        let (mut guard, mut updates, mut before) = (Vec::new(), Vec::new(), Vec::new());
        if !network.invariant(&here, &mut before)? || !network.guard(joint, &here.integers, &mut guard)? {
            return Err("a guard or an invariant of the cycle is false".into());
        }
        let next = network
            .act(joint, &here, &mut updates)?
            .ok_or("an action of the cycle disables its step")?;
        let mut after = Vec::new();
        if !network.invariant(&next, &mut after)? {
            return Err("an invariant of the cycle is false".into());
        }
        rounds.push((network.may_delay(&here.locations), before, guard, updates, after));
        here = next;
    }
    if here != head.discrete {
        return Err("the cycle does not close".into());
    }
    if !met.iter().all(|&met| met) {
        return Err("the cycle does not meet everything that is to be met again and again".into());
    }
    // The values from which the cycle leads into the zone: those of the zone must be among them.
    let mut before_all = zone.clone();
    for (may_delay, before, guard, updates, after) in rounds.iter().rev() {
        let mut is_left = before_all.cut_all(after);
        for update in updates.iter().rev() {
            is_left = is_left && before_all.unset(update);
        }
        is_left = is_left && before_all.cut_all(guard) && before_all.cut_all(before);
        if is_left && *may_delay {
            before_all.sink();
            is_left = before_all.cut_all(before);
        }
        if !is_left {
            return Err("the cycle cannot be run from the zone of the lasso".into());
        }
    }
    match zone.is_within(&before_all) {
        true => Ok(()),
        false => Err("the cycle does not lead from all of the zone of the lasso back into it".into()),
    }
}
