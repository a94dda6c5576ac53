//! Safety of programs: no fault, no invalid end.
//!
//! Breadth-first search over states at rest. The numbers of states are the queue, so the first violation found is a nearest one.

use super::path::{steps_to, steps_to_fault};
use crate::program::steps::space::{Space, Successors};
use crate::program::store::vector_table::{StateNumber, VectorTable};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_program::{Fault, Run};

/// What the search found.
#[derive(Debug)]
pub enum Found {
    /// Every state was seen.
    Nothing,
    /// Something goes wrong in the last step of the run.
    Fault(Fault, Run),
    /// The run ends where somebody must not stop.
    InvalidEnd(Run),
    /// Time or memory is spent.
    Spent(Spent),
    /// There are more states than can be numbered.
    TooMany,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub states: u64,
    pub transitions: u64,
    pub depth: u64,
    /// Some atomic sequence can go on for ever.
    pub diverges: bool,
}

/// Searches all states.
pub fn search(space: &mut Space<'_>, budget: &Budget, progress: &dyn Progress) -> (Found, Counts) {
    let mut table = VectorTable::new();
    let mut counts = Counts::default();
    let found = run(space, &mut table, &mut counts, budget, progress);
    counts.states = table.len() as u64;
    (found, counts)
}

fn run(
    space: &mut Space<'_>,
    table: &mut VectorTable,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Found {
    let initial = match space.compiled.initial() {
        Ok(state) => state.bytes,
        Err(fault) => return Found::Fault(fault, Run::default()),
    };
    if table.insert(&initial, None).is_err() {
        return Found::TooMany;
    }
    let mut out = Successors::default();
    let mut hashes: Vec<u32> = Vec::new();
    let (mut next, mut level_end) = (0u32, 1u32);
    while (next as usize) < table.len() {
        if next == level_end {
            counts.depth += 1;
            level_end = table.len() as u32;
        }
        if next.is_multiple_of(8192) {
            progress.report(&Snapshot {
                phase: "searching states",
                depth: Some(counts.depth),
                states: Some(table.len() as u64),
                frontier: Some(table.len() as u64 - u64::from(next)),
                nodes: None,
            });
        }
        if let Err(spent) = budget.check() {
            return Found::Spent(spent);
        }
        let number = StateNumber(next);
        if let Err(spent) = space.expand(table.state(number), &mut out) {
            return Found::Spent(spent);
        }
        hashes.clear();
        hashes.extend((0..out.list.len()).map(|position| table.prepare(out.state(position))));
        for (position, &hash) in hashes.iter().enumerate() {
            counts.transitions += 1;
            if let Some(fault) = out.list[position].fault.clone() {
                return show(space, table, number, |steps, space, state| {
                    steps.extend(steps_to_fault(space, state)?);
                    Ok(fault)
                })
                .map_or_else(Found::Spent, |(fault, run)| Found::Fault(fault, run));
            }
            if table
                .insert_prepared(out.state(position), hash, Some(number))
                .is_err()
            {
                return Found::TooMany;
            }
        }
        counts.diverges |= out.diverges;
        if out.list.is_empty() && !out.diverges {
            let state = table.state(number).to_vec();
            if !space.is_valid_end(&state) {
                return show(space, table, number, |_, _, _| Ok(()))
                    .map_or_else(Found::Spent, |((), run)| Found::InvalidEnd(run));
            }
        }
        next += 1;
    }
    Found::Nothing
}

/// The run to a state, and what is to be added to it.
fn show<T>(
    space: &mut Space<'_>,
    table: &VectorTable,
    goal: StateNumber,
    add: impl FnOnce(&mut Vec<entail_program::Step>, &mut Space<'_>, &[u8]) -> Result<T, Spent>,
) -> Result<(T, Run), Spent> {
    let mut steps = steps_to(space, table, goal)?;
    let added = add(&mut steps, space, table.state(goal))?;
    Ok((
        added,
        Run {
            steps,
            loop_start: None,
        },
    ))
}
