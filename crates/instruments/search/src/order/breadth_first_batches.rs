//! Breadth-first search with a set that may leave states out, on several threads.
//!
//! As on one thread ([`super::breadth_first_lossy`]), states are taken from the queue and their successors inserted in a fixed order, so that everything that is found, counted and left out is the same. What takes most of the time, making the successors, is done
//! for many states of a level at once, each thread for a part of them.

use super::Tally;
use super::breadth_first_lossy::{MOST_SUCCESSORS, POSITION_BITS, path_to};
use crate::ending::{Cause, Ending, Violation};
use crate::model::{Explorer, GroupSet, Searchable, Successors};
use crate::store::Visited;
use crate::store::spill::{Log, Queue};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use std::sync::{Mutex, PoisonError};

/// Successors are made of so many states at once; of fewer than this, by one thread.
const BATCH: usize = 4096;
const WORTHWHILE: usize = 128;
/// States that a thread takes at once.
const PART: usize = 64;

/// A state with its successors.
#[derive(Debug)]
struct Expanded<F> {
    state: Vec<u8>,
    bytes: Vec<u8>,
    /// Where each successor ends, and the group of the step.
    ends: Vec<(usize, u8)>,
    /// Sets of groups that suffice.
    choices: Vec<GroupSet>,
    cause: Option<Cause<F>>,
    is_end: bool,
    diverges: bool,
}

impl<F: Clone> Expanded<F> {
    fn of(state: Vec<u8>) -> Expanded<F> {
        Expanded {
            state,
            bytes: Vec::new(),
            ends: Vec::new(),
            choices: Vec::new(),
            cause: None,
            is_end: false,
            diverges: false,
        }
    }

    fn fill<E: Explorer<Flaw = F>>(&mut self, explorer: &mut E, out: &mut E::Successors) -> Result<(), Spent>
    where
        E::Successors: Successors<Flaw = F>,
    {
        explorer.expand(&self.state, out)?;
        self.diverges = out.diverges();
        self.is_end = out.is_empty() && !self.diverges;
        self.cause = match out.first_flaw() {
            Some(flaw) => Some(Cause::Step(flaw.clone())),
            None if self.is_end && !explorer.may_end(&self.state) => Some(Cause::End),
            None => None,
        };
        for position in 0..out.len() {
            self.bytes.extend_from_slice(out.state(position));
            self.ends.push((self.bytes.len(), out.group(position)));
        }
        self.choices = explorer.choices(out).iter().map(|(_, set)| *set).collect();
        Ok(())
    }

    fn successor(&self, position: usize) -> (&[u8], u8) {
        let begin = position.checked_sub(1).map_or(0, |before| self.ends[before].0);
        let (end, group) = self.ends[position];
        (&self.bytes[begin..end], group)
    }
}

/// Searches all states, as far as the set tells.
pub fn search<M: Searchable, V: Visited>(
    model: &M,
    visited: &mut V,
    threads: usize,
    tally: Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    run(model, visited, threads, tally, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Searchable, V: Visited>(
    model: &M,
    visited: &mut V,
    threads: usize,
    (counts, dead_end): Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>> {
    let budgets: Vec<Budget> = (0..threads).map(|_| budget.same_limits()).collect();
    let mut explorers: Vec<_> = budgets.iter().map(|budget| model.explorer(budget)).collect();
    let (mut queue, mut log) = (Queue::default(), Log::default());
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    explorers[0].initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
        return Ok(Ending::Violation(Violation { path, cause }));
    }
    // The initial states are the successors of nothing.
    let mut before = Expanded::of(Vec::new());
    for position in 0..out.len() {
        before.bytes.extend_from_slice(out.state(position));
        before.ends.push((before.bytes.len(), 0));
    }
    let mut batch = vec![before];
    // How many states were expanded, which is the number of the next one.
    let mut expanded = 0u64;
    let mut is_begun = false;
    // The first wrong state of the next level, by its number.
    let mut wrong: Option<(u64, M::Flaw)> = None;
    loop {
        for here in &batch {
            let parent = if is_begun { expanded + 1 } else { 0 };
            if let Some(cause) = &here.cause {
                let (path, cause) = (path_to(&mut explorers[0], &mut log, expanded)?, cause.clone());
                return Ok(Ending::Violation(Violation { path, cause }));
            }
            if is_begun && here.is_end && dead_end.is_none() {
                *dead_end = Some(here.state.clone());
            }
            counts.diverges |= here.diverges;
            let mut sets = here.choices.iter().map(Some).chain([None]);
            while let Some(set) = sets.next().filter(|_| wrong.is_none()) {
                let (mut taken, mut goes_on) = (0, false);
                for position in 0..here.ends.len() {
                    let (next, group) = here.successor(position);
                    if set.is_some_and(|set| !set.contains(group)) {
                        continue;
                    }
                    taken += 1;
                    if visited.insert(next)? {
                        if position as u64 >= MOST_SUCCESSORS {
                            return Err(Ending::TooMany);
                        }
                        queue.push(next)?;
                        log.push(parent << POSITION_BITS | position as u64)?;
                        if let Some(flaw) = explorers[0].inspect(next).filter(|_| wrong.is_none()) {
                            wrong = Some((counts.states, flaw));
                        }
                        counts.states += 1;
                        goes_on = true;
                    }
                }
                if goes_on || set.is_none() {
                    counts.transitions += if is_begun { taken } else { 0 };
                    break;
                }
            }
            expanded += u64::from(is_begun);
        }
        budget.check()?;
        batch.clear();
        let mut state = Vec::new();
        while batch.len() < BATCH && queue.pop(&mut state)? {
            batch.push(Expanded::of(std::mem::take(&mut state)));
        }
        if batch.is_empty() {
            if let Some((number, flaw)) = wrong {
                let path = path_to(&mut explorers[0], &mut log, number)?;
                let cause = Cause::State(flaw);
                return Ok(Ending::Violation(Violation { path, cause }));
            }
            if queue.pushed() == 0 {
                return Ok(Ending::Finished);
            }
            counts.depth += u64::from(is_begun);
            is_begun = true;
            queue.turn()?;
            continue;
        }
        progress.report(&Snapshot {
            phase: "searching states",
            depth: Some(counts.depth),
            states: Some(counts.states),
            frontier: Some(queue.pushed()),
            nodes: None,
        });
        fill_all(&mut explorers, &mut batch)?;
    }
}

/// Makes the successors of all states of a batch: threads take parts of it, one after the other.
fn fill_all<E: Explorer>(explorers: &mut [E], batch: &mut [Expanded<E::Flaw>]) -> Result<(), Spent> {
    let threads = match batch.len() < WORTHWHILE {
        true => 1,
        false => explorers.len(),
    };
    let parts = Mutex::new(batch.chunks_mut(PART).collect::<Vec<_>>());
    let next = || parts.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let fill = |explorer: &mut E| -> Result<(), Spent> {
        let mut out = E::Successors::default();
        while let Some(part) = next() {
            part.iter_mut()
                .try_for_each(|here| here.fill(explorer, &mut out))?;
        }
        Ok(())
    };
    let Some((first, others)) = explorers[..threads].split_first_mut() else {
        return Ok(());
    };
    std::thread::scope(|scope| {
        let fill = &fill;
        // Where there are no more threads, the others do the work.
        let threads: Vec<_> = others
            .iter_mut()
            .filter_map(|other| {
                std::thread::Builder::new()
                    .spawn_scoped(scope, move || fill(other))
                    .ok()
            })
            .collect();
        let mut result = fill(first);
        for thread in threads {
            match thread.join() {
                Ok(filled) => result = result.and(filled),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        result
    })
}
