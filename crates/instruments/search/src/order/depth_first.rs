//! Depth-first search: deep states early, with no more than a set of visited states.
//!
//! The stack holds the states of the path at hand and, above each, its successors that are still to be visited. So a violation's path is on the stack, and what
//! is visited may be a set that leaves states out.
//!
//! With reduction, the steps of some groups stand for all, if at least one of them leads to a state that was not visited: it comes later in the order of
//! visits, so what is put off can be put off only until the last visit.

use super::Tally;
use crate::ending::{Cause, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::store::Visited;
use entail_budget::{Budget, Progress, Snapshot};

/// A state on the way, with its successors that are still to be visited.
struct Frame {
    /// Where its bytes begin and end.
    state: (usize, usize),
    /// Its successors are from here on in the list of those that wait.
    waiting: usize,
}

/// Searches all states.
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
    explorer.initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
        return Ok(Ending::Violation(Violation { path, cause }));
    }
    let mut bytes = Vec::new();
    let mut frames: Vec<Frame> = Vec::new();
    let mut waiting = Vec::new();
    // The first is to be on top.
    for position in (0..out.len()).rev() {
        let begin = bytes.len();
        bytes.extend_from_slice(out.state(position));
        waiting.push((begin, bytes.len()));
    }
    loop {
        while let Some(frame) = frames.pop_if(|frame| frame.waiting == waiting.len()) {
            bytes.truncate(frame.state.0);
        }
        let Some((begin, end)) = waiting.pop() else {
            return Ok(Ending::Finished);
        };
        bytes.truncate(end);
        let state = &bytes[begin..end];
        if !visited.insert(state)? {
            bytes.truncate(begin);
            continue;
        }
        counts.states += 1;
        if counts.states.is_multiple_of(8192) {
            progress.report(&Snapshot {
                phase: "searching states depth first",
                depth: Some(frames.len() as u64),
                states: Some(counts.states),
                ..Snapshot::default()
            });
        }
        counts.depth = counts.depth.max(frames.len() as u64);
        budget.check()?;
        let mut cause = explorer.inspect(state).map(Cause::State);
        if cause.is_none() {
            explorer.expand(state, &mut out)?;
            cause = match out.first_flaw() {
                Some(flaw) => Some(Cause::Step(flaw.clone())),
                None if out.is_empty() && !out.diverges() && !explorer.may_end(state) => Some(Cause::End),
                None => None,
            };
        }
        if let Some(cause) = cause {
            let states = frames.iter().map(|frame| frame.state).chain([(begin, end)]);
            let path = states.map(|(begin, end)| bytes[begin..end].to_vec()).collect();
            return Ok(Ending::Violation(Violation { path, cause }));
        }
        counts.diverges |= out.diverges();
        if out.is_empty() && !out.diverges() && dead_end.is_none() {
            *dead_end = Some(state.to_vec());
        }
        frames.push(Frame {
            state: (begin, end),
            waiting: waiting.len(),
        });
        let choices = explorer.choices(&out).iter().map(|(_, set)| set);
        let chosen = choices.copied().find(|set| {
            let mut of_set = (0..out.len()).filter(|&position| set.contains(out.group(position)));
            of_set.any(|position| !visited.contains(out.state(position)))
        });
        let is_chosen = |position: &usize| {
            chosen
                .as_ref()
                .is_none_or(|set| set.contains(out.group(*position)))
        };
        for position in (0..out.len()).rev().filter(is_chosen) {
            let begin = bytes.len();
            bytes.extend_from_slice(out.state(position));
            waiting.push((begin, bytes.len()));
            counts.transitions += 1;
        }
    }
}
