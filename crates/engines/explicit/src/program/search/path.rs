//! From the states of a search back to the run that led there.

use crate::program::steps::space::{Space, Successors};
use entail_budget::Spent;
use entail_program::{Fault, Run, Step};
use entail_search::Violation;

/// The run of a violation of safety.
pub fn run_along(space: &mut Space<'_>, violation: &Violation<Fault>) -> Result<Run, Spent> {
    let mut steps = Vec::new();
    for pair in violation.path.windows(2) {
        steps.extend(steps_between(space, &pair[0], &pair[1], None)?);
    }
    if let (Some(fault), Some(last)) = (violation.cause.flaw(), violation.path.last()) {
        steps.extend(steps_to_fault(space, last, fault)?);
    }
    Ok(Run {
        steps,
        loop_start: None,
    })
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

/// The small steps from a state to its first successor that goes wrong like this.
fn steps_to_fault(space: &mut Space<'_>, from: &[u8], fault: &Fault) -> Result<Vec<Step>, Spent> {
    let mut out = Successors::default();
    space.records_steps = true;
    let expanded = space.expand(from, &mut out);
    space.records_steps = false;
    expanded?;
    let found = (0..out.list.len()).find(|&position| out.list[position].fault.as_ref() == Some(fault));
    Ok(found.map_or(Vec::new(), |position| out.steps(position).to_vec()))
}
