//! Breadth-first search with a set that may leave states out.
//!
//! The set does not have the states, so they wait in a queue, which is in a file once it is large. Where a state came from is in a log:
//! the number of the state before, and which of its successors it is. So the run of a violation is found by taking those successors again from the initial state on.
//!
//! With reduction, the steps of some processes stand for all, if at least one of them leads to a new state, which is of the next level.

use super::ending::{Counts, Ending, Violation};
use crate::program::explorer::{Explorer, Model};
use crate::program::steps::space::Successors;
use crate::program::store::Visited;
use crate::program::store::spill::{Log, Queue};
use entail_budget::{Budget, Progress, Snapshot};
use entail_program::Fault;

/// A state with more successors is too much for the log.
const MOST_SUCCESSORS: u64 = 1 << 16;

/// Searches all states, as far as the set tells.
pub fn search<M: Model, V: Visited>(
    model: &M,
    visited: &mut V,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending {
    run(model, visited, counts, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Model, V: Visited>(
    model: &M,
    visited: &mut V,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending, Ending> {
    let initial = model.initial().map_err(Ending::no_beginning)?;
    let mut explorer = model.explorer(budget);
    let mut out = Successors::default();
    let mut queue = Queue::default();
    let mut log = Log::default();
    let mut state = Vec::new();
    visited.insert(&initial)?;
    queue.push(&initial)?;
    log.push(0)?;
    counts.states = 1;
    let mut expanded = 0u64;
    loop {
        if queue.pushed() == 0 {
            return Ok(Ending::Finished);
        }
        counts.depth += u64::from(expanded > 0);
        queue.turn()?;
        // States are taken in the order in which they were logged.
        while queue.pop(&mut state)? {
            if expanded.is_multiple_of(8192) {
                progress.report(&Snapshot {
                    phase: "searching states",
                    depth: Some(counts.depth),
                    states: Some(counts.states),
                    frontier: Some(queue.pushed()),
                    nodes: None,
                });
            }
            budget.check()?;
            explorer.expand(&state, &mut out)?;
            let fault = out.list.iter().find_map(|successor| successor.fault.clone());
            if fault.is_some() || out.list.is_empty() && !out.diverges && !explorer.is_valid_end(&state) {
                return violation(initial, &mut explorer, &mut log, expanded, fault);
            }
            // Sets that suffice are tried one after the other, then all.
            let choices = explorer.choices(&out);
            for set in choices.iter().map(|(_, set)| Some(set)).chain([None]) {
                let (mut taken, mut goes_on) = (0, false);
                for (position, successor) in out.list.iter().enumerate() {
                    if set.is_some_and(|set| !set.contains(successor.process)) {
                        continue;
                    }
                    taken += 1;
                    let next = out.state(position);
                    if visited.insert(next)? {
                        if position as u64 >= MOST_SUCCESSORS {
                            return Err(Ending::TooMany);
                        }
                        queue.push(next)?;
                        log.push(expanded << 16 | position as u64)?;
                        counts.states += 1;
                        goes_on = true;
                    }
                }
                if goes_on || set.is_none() {
                    counts.transitions += taken;
                    break;
                }
            }
            counts.diverges |= out.diverges;
            expanded += 1;
        }
    }
}

/// The states that lead to the one with this number.
fn violation<E: Explorer>(
    initial: Vec<u8>,
    explorer: &mut E,
    log: &mut Log,
    goal: u64,
    fault: Option<Fault>,
) -> Result<Ending, Ending> {
    let mut positions = Vec::new();
    let mut at = goal;
    while at > 0 {
        let entry = log.get(at)?;
        positions.push((entry % MOST_SUCCESSORS) as usize);
        at = entry >> 16;
    }
    let mut path = vec![initial];
    let mut out = Successors::default();
    for position in positions.into_iter().rev() {
        let last = path.last().map_or(&[][..], Vec::as_slice);
        explorer.expand(last, &mut out)?;
        path.push(out.state(position).to_vec());
    }
    Ok(Ending::Violation(Violation { path, fault }))
}
