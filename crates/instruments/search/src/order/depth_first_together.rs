//! Depth-first search on several threads.
//!
//! Each thread searches as one does alone, with a stack of its own, and all share the set of visited states: who inserts a state first visits it. A thread with nothing left waits; one that has much gives half of what waits lowest on its stack, where most is behind it,
//! with the path that leads there. So every path is known, and a violation is found by whoever comes to it first.
//!
//! With reduction, the steps of some groups stand for all, if at least one of them leads to a state that nobody has visited after this one was: it comes later in the order of visits, as on one thread.

use super::Tally;
use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, Searchable, Successors};
use crate::store::Visited;
use crate::store::sharded::Sharded;
use entail_budget::{Budget, Progress, Snapshot};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A thread looks after so many states whether others wait.
const LOOK_EVERY: u64 = 32;

/// States one after the other.
#[derive(Clone, Debug, Default)]
struct States {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl States {
    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len());
    }

    /// Takes the last one out into `state`.
    fn pop(&mut self, state: &mut Vec<u8>) -> bool {
        if self.ends.pop().is_none() {
            return false;
        }
        let begin = self.ends.last().copied().unwrap_or(0);
        state.clear();
        state.extend_from_slice(&self.bytes[begin..]);
        self.bytes.truncate(begin);
        true
    }
}

/// A state on the way, and its successors that wait.
#[derive(Debug, Default)]
struct Frame {
    state: Vec<u8>,
    /// There is no state: initial states wait.
    is_root: bool,
    waiting: States,
}

/// Work that is given away: states that wait, and the path to them.
#[derive(Debug, Default)]
struct Gift {
    path: Vec<Vec<u8>>,
    waiting: States,
}

/// What all threads see.
struct Shared<'s, V, F> {
    visited: &'s Sharded<V>,
    gifts: Mutex<Gifts<F>>,
    arrived: Condvar,
    /// How many threads wait.
    idle: AtomicUsize,
    /// Everybody is to stop.
    halts: AtomicBool,
    states: AtomicU64,
    threads: usize,
}

struct Gifts<F> {
    list: Vec<Gift>,
    ending: Option<Ending<F>>,
    dead_end: Option<Vec<u8>>,
}

impl<V, F> Shared<'_, V, F> {
    fn gifts(&self) -> MutexGuard<'_, Gifts<F>> {
        self.gifts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the search; the first ending counts.
    fn end(&self, ending: Ending<F>) {
        self.gifts().ending.get_or_insert(ending);
        self.halts.store(true, Ordering::Relaxed);
        self.arrived.notify_all();
    }

    /// Waits for work; nothing when there is none left anywhere.
    fn take(&self) -> Option<Gift> {
        let mut gifts = self.gifts();
        self.idle.fetch_add(1, Ordering::Relaxed);
        loop {
            if self.halts.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(gift) = gifts.list.pop() {
                self.idle.fetch_sub(1, Ordering::Relaxed);
                return Some(gift);
            }
            if self.idle.load(Ordering::Relaxed) == self.threads {
                self.halts.store(true, Ordering::Relaxed);
                self.arrived.notify_all();
                return None;
            }
            gifts = self.arrived.wait(gifts).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Searches all states on several threads.
pub fn search<M: Searchable, V: Visited + Send>(
    model: &M,
    visited: &Sharded<V>,
    threads: usize,
    (counts, dead_end): Tally<'_>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Ending<M::Flaw> {
    let mut first = Gift::default();
    {
        let mut explorer = model.explorer(budget);
        let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
        if let Err(spent) = explorer.initial(&mut out) {
            return spent.into();
        }
        if let Some(flaw) = out.first_flaw() {
            let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
            return Ending::Violation(Violation { path, cause });
        }
        (0..out.len())
            .rev()
            .for_each(|position| first.waiting.push(out.state(position)));
    }
    let shared = Shared {
        visited,
        gifts: Mutex::new(Gifts {
            list: vec![first],
            ending: None,
            dead_end: None,
        }),
        arrived: Condvar::new(),
        idle: AtomicUsize::new(0),
        halts: AtomicBool::new(false),
        states: AtomicU64::new(0),
        threads,
    };
    let budgets: Vec<Budget> = (1..threads).map(|_| budget.same_limits()).collect();
    std::thread::scope(|scope| {
        let shared = &shared;
        let mut others = Vec::new();
        for budget in &budgets {
            let work = move || Worker::new(model, shared, budget).run(None);
            match std::thread::Builder::new().spawn_scoped(scope, work) {
                Ok(thread) => others.push(thread),
                // Where there are no more threads, the others do the work.
                Err(_) => {
                    shared.idle.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        counts.add(Worker::new(model, shared, budget).run(Some(progress)));
        for other in others {
            match other.join() {
                Ok(more) => counts.add(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let gifts = shared.gifts.into_inner().unwrap_or_else(PoisonError::into_inner);
    *dead_end = dead_end.take().or(gifts.dead_end);
    gifts.ending.unwrap_or(Ending::Finished)
}

/// One thread at work.
struct Worker<'w, 'm, M: Searchable + 'm, V> {
    explorer: M::Explorer<'m>,
    out: <M::Explorer<'m> as Explorer>::Successors,
    shared: &'w Shared<'w, V, M::Flaw>,
    budget: &'w Budget,
    /// The path to the lowest frame.
    path: Vec<Vec<u8>>,
    frames: Vec<Frame>,
    /// Frames that can be used again.
    free: Vec<Frame>,
    counts: Counts,
}

impl<'w: 'm, 'm, M: Searchable, V: Visited + Send> Worker<'w, 'm, M, V> {
    fn new(model: &'m M, shared: &'w Shared<'w, V, M::Flaw>, budget: &'w Budget) -> Self {
        Worker {
            explorer: model.explorer(budget),
            out: Default::default(),
            shared,
            budget,
            path: Vec::new(),
            frames: Vec::new(),
            free: Vec::new(),
            counts: Counts::default(),
        }
    }

    fn run(mut self, progress: Option<&dyn Progress>) -> Counts {
        let mut state = Vec::new();
        while let Some(gift) = self.shared.take() {
            self.path = gift.path;
            // The lowest frame is the state whose successors were given; before the initial states there is none.
            let last = self.path.pop();
            self.frames.push(Frame {
                is_root: last.is_none(),
                state: last.unwrap_or_default(),
                waiting: gift.waiting,
            });
            while let Some(frame) = self.frames.last_mut() {
                if !frame.waiting.pop(&mut state) {
                    self.free.extend(self.frames.pop());
                    continue;
                }
                if self.shared.halts.load(Ordering::Relaxed) {
                    return self.counts;
                }
                if let Err(ending) = self.visit(&state, progress) {
                    self.shared.end(ending);
                    return self.counts;
                }
            }
        }
        self.counts
    }

    /// Visits a state, unless somebody has.
    fn visit(&mut self, state: &[u8], progress: Option<&dyn Progress>) -> Result<(), Ending<M::Flaw>> {
        if !self.shared.visited.insert(state)? {
            return Ok(());
        }
        self.counts.states += 1;
        if self.counts.states.is_multiple_of(LOOK_EVERY) {
            let all = self.shared.states.fetch_add(LOOK_EVERY, Ordering::Relaxed);
            if self.shared.idle.load(Ordering::Relaxed) > 0 {
                self.give();
            }
            if let (Some(progress), 0) = (progress, self.counts.states % 8192) {
                progress.report(&Snapshot {
                    phase: "searching states depth first",
                    depth: Some(self.depth()),
                    states: Some(all),
                    ..Snapshot::default()
                });
            }
        }
        self.counts.depth = self.counts.depth.max(self.depth());
        self.budget.check()?;
        let mut cause = self.explorer.inspect(state).map(Cause::State);
        if cause.is_none() {
            self.explorer.expand(state, &mut self.out)?;
            cause = match self.out.first_flaw() {
                Some(flaw) => Some(Cause::Step(flaw.clone())),
                None if self.out.is_empty() && !self.out.diverges() && !self.explorer.may_end(state) => {
                    Some(Cause::End)
                }
                None => None,
            };
        }
        if let Some(cause) = cause {
            let mut path = self.path_through(self.frames.len());
            path.push(state.to_vec());
            return Err(Ending::Violation(Violation { path, cause }));
        }
        self.counts.diverges |= self.out.diverges();
        if self.out.is_empty() {
            if !self.out.diverges() {
                self.shared.gifts().dead_end.get_or_insert_with(|| state.to_vec());
            }
            return Ok(());
        }
        let out = &self.out;
        let of_group = |position: &usize, set: &crate::model::GroupSet| set.contains(out.group(*position));
        let choices = self.explorer.choices(out).iter().map(|(_, set)| set);
        let chosen = choices.copied().find(|set| {
            let mut of_set = (0..out.len()).filter(|position| of_group(position, set));
            of_set.any(|position| !self.shared.visited.contains(out.state(position)))
        });
        let mut frame = self.free.pop().unwrap_or_default();
        frame.is_root = false;
        frame.state.clear();
        frame.state.extend_from_slice(state);
        frame.waiting.clear();
        for position in (0..out.len()).rev() {
            if chosen.as_ref().is_none_or(|set| of_group(&position, set)) {
                frame.waiting.push(out.state(position));
                self.counts.transitions += 1;
            }
        }
        self.frames.push(frame);
        Ok(())
    }

    /// How many states are on the way to what is visited now.
    fn depth(&self) -> u64 {
        let is_rooted = self.frames.first().is_some_and(|frame| frame.is_root);
        (self.path.len() + self.frames.len() - usize::from(is_rooted)) as u64
    }

    /// The states on the way to the successors of a frame, itself included.
    fn path_through(&self, frames: usize) -> Vec<Vec<u8>> {
        let frames = self.frames[..frames].iter().filter(|frame| !frame.is_root);
        let states = frames.map(|frame| frame.state.clone());
        self.path.iter().cloned().chain(states).collect()
    }

    /// Gives half of what waits lowest to somebody who waits.
    fn give(&mut self) {
        let wealthy = self.frames.iter().position(|frame| frame.waiting.ends.len() > 1);
        let Some(lowest) = wealthy else {
            return;
        };
        let mut gift = Gift {
            path: self.path_through(lowest + 1),
            waiting: States::default(),
        };
        let waiting = &mut self.frames[lowest].waiting;
        let mut state = Vec::new();
        for _ in 0..waiting.ends.len() / 2 {
            waiting.pop(&mut state);
            gift.waiting.push(&state);
        }
        self.shared.gifts().list.push(gift);
        self.shared.arrived.notify_one();
    }
}
