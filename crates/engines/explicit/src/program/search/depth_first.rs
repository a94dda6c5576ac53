//! Depth-first search: deep states early, with no more than a set of visited states.
//!
//! The stack holds the states of the run at hand and, above each, its successors that are still to be visited. So a violation's run is on the stack, and what
//! is visited may be a set that leaves states out.
//!
//! With reduction, the steps of some processes stand for all, if at least one of them leads to a state that was not visited: it comes later in the order of
//! visits, so what is put off can be put off only until the last visit.

use super::ending::{Counts, Ending, Violation};
use crate::program::explorer::{Explorer, Model};
use crate::program::steps::space::Successors;
use crate::program::store::Visited;
use entail_budget::{Budget, Progress, Snapshot};

/// A state on the way, with its successors that are still to be visited.
struct Frame {
    /// Where its bytes begin and end.
    state: (usize, usize),
    /// Its successors are from here on in the list of those that wait.
    waiting: usize,
}

/// Searches all states.
pub fn search<M: Model, V: Visited>(
    model: &M,
    visited: &mut V,
    counts: &mut Counts,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending {
    let mut bytes = match model.initial() {
        Ok(state) => state,
        Err(fault) => return Ending::no_beginning(fault),
    };
    let mut explorer = model.explorer(budget);
    let mut out = Successors::default();
    let mut frames: Vec<Frame> = Vec::new();
    let mut waiting = vec![(0, bytes.len())];
    loop {
        while let Some(frame) = frames.pop_if(|frame| frame.waiting == waiting.len()) {
            bytes.truncate(frame.state.0);
        }
        let Some((begin, end)) = waiting.pop() else {
            return Ending::Finished;
        };
        bytes.truncate(end);
        let state = &bytes[begin..end];
        match visited.insert(state) {
            Ok(true) => counts.states += 1,
            Ok(false) => {
                bytes.truncate(begin);
                continue;
            }
            Err(_) => return Ending::TooMany,
        }
        if counts.states.is_multiple_of(8192) {
            progress.report(&Snapshot {
                phase: "searching states depth first",
                depth: Some(frames.len() as u64),
                states: Some(counts.states),
                ..Snapshot::default()
            });
        }
        if let Err(spent) = budget.check().and_then(|()| explorer.expand(state, &mut out)) {
            return Ending::Spent(spent);
        }
        counts.depth = counts.depth.max(frames.len() as u64);
        let fault = out.list.iter().find_map(|successor| successor.fault.clone());
        if fault.is_some() || out.list.is_empty() && !out.diverges && !explorer.is_valid_end(state) {
            let states = frames.iter().map(|frame| frame.state).chain([(begin, end)]);
            let path = states.map(|(begin, end)| bytes[begin..end].to_vec()).collect();
            return Ending::Violation(Violation { path, fault });
        }
        counts.diverges |= out.diverges;
        frames.push(Frame {
            state: (begin, end),
            waiting: waiting.len(),
        });
        let choices = explorer.choices(&out).iter().map(|(_, set)| set);
        let chosen = choices.copied().find(|set| {
            let mut of_set = (0..out.list.len()).filter(|&position| set.contains(out.list[position].process));
            of_set.any(|position| !visited.contains(out.state(position)))
        });
        let is_chosen = |position: &usize| {
            chosen
                .as_ref()
                .is_none_or(|set| set.contains(out.list[*position].process))
        };
        // The first is to be on top.
        for position in (0..out.list.len()).rev().filter(is_chosen) {
            let begin = bytes.len();
            bytes.extend_from_slice(out.state(position));
            waiting.push((begin, bytes.len()));
            counts.transitions += 1;
        }
    }
}
