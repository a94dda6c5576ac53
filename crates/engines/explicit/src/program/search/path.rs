//! From the states of a search back to the run that led there.

use crate::program::steps::space::{Space, Successors};
use crate::program::store::vector_table::{StateNumber, VectorTable};
use entail_budget::Spent;
use entail_program::Step;

/// The small steps from the initial state to a state, along the states it was first reached from.
pub fn steps_to(space: &mut Space<'_>, table: &VectorTable, goal: StateNumber) -> Result<Vec<Step>, Spent> {
    let mut states = vec![goal];
    while let Some(parent) = states.last().and_then(|&state| table.parent(state)) {
        states.push(parent);
    }
    states.reverse();
    let mut steps = Vec::new();
    for pair in states.windows(2) {
        let (from, to) = (table.state(pair[0]), table.state(pair[1]));
        steps.extend(steps_between(space, from, to, None)?);
    }
    Ok(steps)
}

/// The small steps from one state to a successor of it; with `movers`, by which exactly these processes move.
pub fn steps_between(
    space: &mut Space<'_>,
    from: &[u8],
    to: &[u8],
    movers: Option<u64>,
) -> Result<Vec<Step>, Spent> {
    let mut out = Successors::default();
    space.records_steps = true;
    let expanded = space.expand(from, &mut out);
    space.records_steps = false;
    expanded?;
    let found = (0..out.list.len()).find(|&position| {
        let successor = &out.list[position];
        successor.fault.is_none()
            && movers.is_none_or(|movers| movers == successor.movers)
            && out.state(position) == to
    });
    Ok(found.map_or(Vec::new(), |position| out.steps(position).to_vec()))
}

/// The small steps from a state to its first successor that goes wrong.
pub fn steps_to_fault(space: &mut Space<'_>, from: &[u8]) -> Result<Vec<Step>, Spent> {
    let mut out = Successors::default();
    space.records_steps = true;
    let expanded = space.expand(from, &mut out);
    space.records_steps = false;
    expanded?;
    let found = (0..out.list.len()).find(|&position| out.list[position].fault.is_some());
    Ok(found.map_or(Vec::new(), |position| out.steps(position).to_vec()))
}
