//! Safety of programs: no fault, no invalid end.
//!
//! Breadth-first search over states at rest. The numbers of states are the queue, so the first violation found is a nearest one, among
//! those that the reduction leaves.
//!
//! With reduction, the steps of some processes stand for all, if at least one of them leads to a level behind the state's own: then nobody is
//! ignored for ever, since a step that was put off can be put off only until the last level. (Bošnački, Leue and Lafuente, *Partial-order
//! reduction for general state exploring algorithms*, STTT 2009, have the condition on the queue; asking for levels makes the result
//! independent of the order within a level.)

use super::path::{steps_to, steps_to_fault};
use crate::program::reduction::Reducer;
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
pub fn search(
    space: &mut Space<'_>,
    reducer: Option<&mut Reducer>,
    budget: &Budget,
    progress: &dyn Progress,
) -> (Found, Counts) {
    let mut table = VectorTable::new();
    let mut counts = Counts::default();
    let found = run(space, reducer, &mut table, &mut counts, budget, progress);
    counts.states = table.len() as u64;
    (found, counts)
}

fn run(
    space: &mut Space<'_>,
    mut reducer: Option<&mut Reducer>,
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
    let mut chosen: Vec<usize> = Vec::new();
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
        if let Some(position) = out.list.iter().position(|successor| successor.fault.is_some()) {
            let fault = out.list[position].fault.clone().expect("there is a fault");
            counts.transitions += position as u64 + 1;
            return show(space, table, number, |steps, space, state| {
                steps.extend(steps_to_fault(space, state)?);
                Ok(fault)
            })
            .map_or_else(Found::Spent, |(fault, run)| Found::Fault(fault, run));
        }
        // Sets that suffice are tried one after the other, then all.
        let choices = match &mut reducer {
            Some(reducer) => reducer.choices(&space.compiled, space.entered(), &out),
            None => &[],
        };
        let sets = choices.iter().map(|(_, set)| Some(set)).chain([None]);
        for set in sets {
            chosen.clear();
            chosen.extend(
                (0..out.list.len())
                    .filter(|&position| set.is_none_or(|set| set.contains(out.list[position].process))),
            );
            hashes.clear();
            hashes.extend(chosen.iter().map(|&position| table.prepare(out.state(position))));
            let mut goes_on = false;
            for (&position, &hash) in chosen.iter().zip(&hashes) {
                match table.insert_prepared(out.state(position), hash, Some(number)) {
                    Ok((found, _)) => goes_on |= found.0 >= level_end,
                    Err(_) => return Found::TooMany,
                }
            }
            if goes_on {
                break;
            }
        }
        counts.transitions += chosen.len() as u64;
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
