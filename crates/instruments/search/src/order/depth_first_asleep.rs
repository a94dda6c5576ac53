//! Depth-first search with sleep sets.
//!
//! As [`super::depth_first`], with the groups that sleep beside every state that is kept ([`super::sleep_sets`]). A state that is reached again while fewer sleep is visited again: the steps of the groups that wake up are taken, before all others in the order of its groups,
//! so that nothing that was taken before has to be done again (Godefroid 1996, section 5.3). With persistent sets, one is used if one of its steps that are awake leads to a state that was not visited.
//!
//! Eight bytes a state more than without; each step is taken at most once.

use super::Tally;
use super::sleep_sets::{Asleep, Behind};
use crate::ending::{Cause, Ending, Violation};
use crate::model::{Explorer, GroupSet, Searchable, Successors};
use crate::store::Store;
use entail_budget::{Budget, Progress, Snapshot};

/// A state on the way, with its successors that are still to be visited.
struct Frame {
    /// Where its bytes begin and end.
    state: (usize, usize),
    /// Its successors are from here on in the list of those that wait.
    waiting: usize,
}

/// A state that waits to be visited.
struct Waiting {
    begin: usize,
    end: usize,
    asleep: Asleep,
}

/// The path at hand and what waits.
#[derive(Default)]
struct Stack {
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    waiting: Vec<Waiting>,
}

impl Stack {
    fn push(&mut self, state: &[u8], asleep: Asleep) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(state);
        self.waiting.push(Waiting {
            begin,
            end: self.bytes.len(),
            asleep,
        });
    }

    /// Takes what is on top of those that wait; its bytes are the last.
    fn pop(&mut self) -> Option<Waiting> {
        while let Some(frame) = self.frames.pop_if(|frame| frame.waiting == self.waiting.len()) {
            self.bytes.truncate(frame.state.0);
        }
        let taken = self.waiting.pop()?;
        self.bytes.truncate(taken.end);
        Some(taken)
    }

    fn path_to(&self, last: (usize, usize)) -> Vec<Vec<u8>> {
        let states = self.frames.iter().map(|frame| frame.state).chain([last]);
        states
            .map(|(begin, end)| self.bytes[begin..end].to_vec())
            .collect()
    }
}

/// Searches all states.
pub fn search<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    tally: Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    run(model, store, tally, budget, progress).unwrap_or_else(|ending| ending)
}

fn run<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    (counts, dead_end): Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Ending<M::Flaw>, Ending<M::Flaw>> {
    let mut explorer = model.explorer(budget);
    let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
    let mut pen = store.pen(1);
    let mut behind = Behind::default();
    // Who sleeps, by the number of the state.
    let mut asleep_in: Vec<Asleep> = Vec::new();
    explorer.initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
        return Ok(Ending::Violation(Violation { path, cause }));
    }
    let mut stack = Stack::default();
    // The first is to be on top.
    (0..out.len())
        .rev()
        .for_each(|position| stack.push(out.state(position), Asleep::NOBODY));
    loop {
        let Some(Waiting { begin, end, asleep }) = stack.pop() else {
            return Ok(Ending::Finished);
        };
        let state = &stack.bytes[begin..end];
        let (number, new) = store.insert(&mut pen, state, None)?;
        if asleep_in.len() <= number.index() {
            asleep_in.resize(number.index() + 1, Asleep::NOBODY);
        }
        let known = &mut asleep_in[number.index()];
        // Nobody wakes up in a state that is new.
        let (asleep, woken) = match new {
            true => (asleep, Asleep::NOBODY),
            false => (known.both(asleep), known.without(asleep)),
        };
        *known = asleep;
        if !new && woken.is_nobody() {
            stack.bytes.truncate(begin);
            continue;
        }
        counts.states += u64::from(new);
        if new && counts.states.is_multiple_of(8192) {
            progress.report(&Snapshot {
                phase: "searching states depth first",
                depth: Some(stack.frames.len() as u64),
                states: Some(counts.states),
                ..Snapshot::default()
            });
        }
        counts.depth = counts.depth.max(stack.frames.len() as u64);
        budget.check()?;
        let mut cause = match new {
            true => explorer.inspect(state).map(Cause::State),
            false => None,
        };
        if cause.is_none() {
            // Of a state that is visited again, only those who wake up are wanted.
            let left_out = match new {
                true => asleep,
                false => woken.others(),
            };
            explorer.expand_awake(state, &left_out.groups(), &mut out)?;
            let is_end = out.is_empty() && !out.diverges() && left_out.is_nobody();
            cause = match out.first_flaw() {
                Some(flaw) => Some(Cause::Step(flaw.clone())),
                None if is_end && !explorer.may_end(state) => Some(Cause::End),
                None => None,
            };
            if is_end && dead_end.is_none() {
                *dead_end = Some(state.to_vec());
            }
        }
        if let Some(cause) = cause {
            let path = stack.path_to((begin, end));
            return Ok(Ending::Violation(Violation { path, cause }));
        }
        counts.diverges |= out.diverges();
        let chosen = match new {
            true => choose(&mut explorer, &out, asleep, |state| {
                let prepared = store.prepare(&mut pen, state);
                prepared.is_ok_and(|prepared| store.find_prepared(state, prepared).is_some())
            }),
            false => Some(woken.groups()),
        };
        let is_taken =
            |group: u8| !asleep.contains(group) && chosen.as_ref().is_none_or(|set| set.contains(group));
        behind.settle(&mut explorer, &out, asleep, is_taken);
        stack.frames.push(Frame {
            state: (begin, end),
            waiting: stack.waiting.len(),
        });
        for position in (0..out.len()).rev() {
            let group = out.group(position);
            if is_taken(group) {
                stack.push(out.state(position), behind.steps_of(group));
                counts.transitions += 1;
            }
        }
    }
}

/// The first set that suffices of which a step that is awake leads to a state that is not known.
fn choose<E: Explorer>(
    explorer: &mut E,
    out: &E::Successors,
    asleep: Asleep,
    mut is_known: impl FnMut(&[u8]) -> bool,
) -> Option<GroupSet> {
    let choices = explorer.choices(out).iter().map(|(_, set)| *set);
    choices.into_iter().find(|set| {
        let mut steps = (0..out.len()).filter(|&position| {
            let group = out.group(position);
            set.contains(group) && !asleep.contains(group)
        });
        steps.any(|position| !is_known(out.state(position)))
    })
}
