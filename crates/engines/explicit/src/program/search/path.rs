//! From the states of a search back to the run that led there.

use crate::program::reduction::Symmetry;
use crate::program::steps::space::{Space, Successors};
use entail_budget::Spent;
use entail_program::{Fault, Run, Step};
use entail_search::Violation;

/// The run of a violation of safety; with symmetry, its states are those of the path up to who is who.
pub fn run_along(
    space: &mut Space<'_>,
    violation: &Violation<Fault>,
    symmetry: Option<&Symmetry>,
) -> Result<Run, Spent> {
    let mut steps = Vec::new();
    let mut here = violation.path.first().cloned();
    for next in violation.path.iter().skip(1) {
        let Some(from) = &here else {
            break;
        };
        here = match symmetry {
            None => {
                steps.extend(steps_between(space, from, next, None)?);
                Some(next.clone())
            }
            Some(symmetry) => {
                let found = step_up_to(space, from, next, symmetry)?;
                found.map(|(small, after)| {
                    steps.extend(small);
                    after
                })
            }
        };
    }
    if let (Some(fault), Some(last)) = (violation.cause.flaw(), &here) {
        steps.extend(steps_to_fault(space, last, fault)?);
    }
    Ok(Run {
        steps,
        loop_start: None,
    })
}

/// The small steps from a state to a successor whose representative is given, and that successor.
fn step_up_to(
    space: &mut Space<'_>,
    from: &[u8],
    representative: &[u8],
    symmetry: &Symmetry,
) -> Result<Option<(Vec<Step>, Vec<u8>)>, Spent> {
    let mut out = Successors::default();
    space.records_steps = true;
    let expanded = space.expand(from, &mut out);
    space.records_steps = false;
    expanded?;
    let found = (0..out.list.len()).find(|&position| {
        let mut state = out.state(position).to_vec();
        symmetry.canonize(&mut state);
        out.list[position].fault.is_none() && state == representative
    });
    Ok(found.map(|position| (out.steps(position).to_vec(), out.state(position).to_vec())))
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
