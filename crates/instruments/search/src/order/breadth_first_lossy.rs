//! Breadth-first search with a set that may leave states out.
//!
//! The set does not have the states, so they wait in a queue, which is in a file once it is large. Where a state came from is in a log:
//! the number of the state before, and which of its successors it is. So the path of a violation is found by taking those successors again from the initial state on.
//!
//! With reduction, the steps of some groups stand for all, if at least one of them leads to a new state, which is of the next level.
//!
//! A state that is wrong by itself belongs to the next level. Before it is told, the rest of this level is looked at: a wrong step or end there is nearer.

use super::Tally;
use crate::ending::{Cause, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::store::Visited;
use crate::store::spill::{Log, Queue};
use entail_budget::{Budget, Progress, Snapshot};

/// An entry of the log has the number of the state before, plus one (0 before initial states), above so many bits for the position of the successor.
pub const POSITION_BITS: u32 = 24;
/// A state with more successors is too much for the log.
pub const MOST_SUCCESSORS: u64 = 1 << POSITION_BITS;

/// Searches all states, as far as the set tells.
pub fn search<M: Searchable, V: Visited>(
    model: &M,
    visited: &mut V,
    (counts, dead_end): Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    run(model, visited, (counts, dead_end), budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Searchable, V: Visited>(
    model: &M,
    visited: &mut V,
    (counts, dead_end): Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>> {
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut queue = Queue::default();
    let mut log = Log::default();
    let mut state = Vec::new();
    explorer.initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
        return Ok(Ending::Violation(Violation { path, cause }));
    }
    // Entries of the log are in the order in which states are found, which is the order in which they are expanded.
    let mut expanded = 0u64;
    let mut parent = 0;
    // The first wrong state of the next level, by its number.
    let mut wrong: Option<(u64, M::Flaw)> = None;
    loop {
        // Sets that suffice are tried one after the other, then all.
        let choices = match parent {
            0 => Vec::new(),
            _ => explorer.choices(&out).to_vec(),
        };
        let mut sets = choices.iter().map(|(_, set)| Some(set)).chain([None]);
        while let Some(set) = sets.next().filter(|_| wrong.is_none()) {
            let (mut taken, mut goes_on) = (0, false);
            for position in 0..out.len() {
                if set.is_some_and(|set| !set.contains(out.group(position))) {
                    continue;
                }
                taken += 1;
                let next = out.state(position);
                if visited.insert(next)? {
                    if position as u64 >= MOST_SUCCESSORS {
                        return Err(Ending::TooMany);
                    }
                    queue.push(next)?;
                    log.push(parent << POSITION_BITS | position as u64)?;
                    if let Some(flaw) = explorer.inspect(next).filter(|_| wrong.is_none()) {
                        wrong = Some((counts.states, flaw));
                    }
                    counts.states += 1;
                    goes_on = true;
                }
            }
            if goes_on || set.is_none() {
                counts.transitions += if parent > 0 { taken } else { 0 };
                break;
            }
        }
        counts.diverges |= out.diverges();
        if !queue.pop(&mut state)? {
            if let Some((number, flaw)) = wrong {
                let (path, cause) = (path_to(&mut explorer, &mut log, number)?, Cause::State(flaw));
                return Ok(Ending::Violation(Violation { path, cause }));
            }
            if queue.pushed() == 0 {
                return Ok(Ending::Finished);
            }
            counts.depth += u64::from(expanded > 0);
            queue.turn()?;
            queue.pop(&mut state)?;
        }
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
        let cause = match out.first_flaw() {
            Some(flaw) => Some(Cause::Step(flaw.clone())),
            None if out.is_empty() && !out.diverges() && !explorer.may_end(&state) => Some(Cause::End),
            None => None,
        };
        if let Some(cause) = cause {
            let path = path_to(&mut explorer, &mut log, expanded)?;
            return Ok(Ending::Violation(Violation { path, cause }));
        }
        if out.is_empty() && !out.diverges() && dead_end.is_none() {
            *dead_end = Some(state.clone());
        }
        expanded += 1;
        parent = expanded;
    }
}

/// The states that lead to the one with this number.
pub fn path_to<E: Explorer>(
    explorer: &mut E,
    log: &mut Log,
    goal: u64,
) -> Result<Vec<Vec<u8>>, Ending<E::Flaw>> {
    let mut positions = Vec::new();
    let mut at = goal + 1;
    while at > 0 {
        let entry = log.get(at - 1)?;
        positions.push((entry % MOST_SUCCESSORS) as usize);
        at = entry >> POSITION_BITS;
    }
    let mut path: Vec<Vec<u8>> = Vec::new();
    let mut out = E::Successors::default();
    for position in positions.into_iter().rev() {
        match path.last() {
            None => explorer.initial(&mut out)?,
            Some(last) => explorer.expand(last, &mut out)?,
        }
        path.push(out.state(position).to_vec());
    }
    Ok(path)
}
