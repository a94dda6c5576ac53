//! Threads that live as long as a solver runs, and share its rounds.
//!
//! A solver with many short rounds cannot start threads for each of them: that takes longer than the round. Here helpers are started once and wait for tasks, first by looking again and again,
//! for some microseconds, then asleep. A task is about a range of positions, which is cut into pieces; whoever is free takes the next piece. What helpers change is shared and
//! atomic; the end of a task is a barrier, so that everything written during a task is seen after it. Short ranges are done by the leader alone.

use crate::side_by_side::Threads;
use std::ops::Range;
use std::sync::atomic::{
    AtomicBool, AtomicUsize,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Positions in a piece.
const PIECE: usize = 1 << 12;
/// How often a helper looks for a task before it goes to sleep.
const LOOKS: usize = 1 << 14;

/// What helpers wait for.
struct Calls<T> {
    /// How many tasks there have been, times [`CALL`]; [`OPEN`] as long as helpers may join the last; how many have joined and are not done.
    state: AtomicUsize,
    task: Mutex<Option<(T, usize)>>,
    /// The first position that nobody has taken.
    taken: AtomicUsize,
    /// There will be no more tasks.
    ended: AtomicBool,
}

const CALL: usize = 1 << 16;
const OPEN: usize = 1 << 15;

/// The leader's side: whom tasks are given to.
pub(crate) struct Crew<'c, T, W> {
    calls: &'c Calls<T>,
    helpers: &'c [std::thread::Thread],
    threads: Threads,
    work: &'c W,
}

impl<T: Copy + Send, W: Fn(T, Range<usize>) + Sync> Crew<'_, T, W> {
    /// Does a task for all positions below a number, and returns when it is done. Helpers who come too late are not waited for.
    pub fn run(&self, task: T, positions: usize) {
        if self.helpers.is_empty() || !self.threads.share(positions) {
            return (self.work)(task, 0..positions);
        }
        let calls = self.calls;
        *held(&calls.task) = Some((task, positions));
        calls.taken.store(0, Relaxed);
        calls.state.fetch_add(CALL | OPEN, Release);
        self.helpers.iter().for_each(std::thread::Thread::unpark);
        calls.share(self.work, task, positions);
        calls.state.fetch_and(!OPEN, AcqRel);
        let mut looks = 0;
        while !calls.state.load(Acquire).is_multiple_of(CALL) {
            wait(&mut looks, std::thread::yield_now);
        }
    }
}

fn held<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a moment, and after many moments by other means.
fn wait(looks: &mut usize, longer: impl FnOnce()) {
    *looks += 1;
    match *looks < LOOKS {
        true => std::hint::spin_loop(),
        false => longer(),
    }
}

impl<T: Copy + Send> Calls<T> {
    /// Does pieces of a task as long as there are any.
    fn share(&self, work: &impl Fn(T, Range<usize>), task: T, positions: usize) {
        loop {
            let begin = self.taken.fetch_add(PIECE, Relaxed);
            if begin >= positions {
                return;
            }
            work(task, begin..positions.min(begin + PIECE));
        }
    }

    /// A helper's life.
    fn help(&self, work: &impl Fn(T, Range<usize>)) {
        let mut known = 0;
        loop {
            let mut looks = 0;
            let state = loop {
                if self.ended.load(Acquire) {
                    return;
                }
                let state = self.state.load(Acquire);
                if state / CALL != known && state & OPEN != 0 {
                    break state;
                }
                wait(&mut looks, std::thread::park);
            };
            if self
                .state
                .compare_exchange(state, state + 1, AcqRel, Relaxed)
                .is_err()
            {
                continue;
            }
            known = state / CALL;
            // Whatever happens, the leader must not wait for ever.
            let _done = Done(&self.state);
            let task = *held(&self.task);
            if let Some((task, positions)) = task {
                self.share(work, task, positions);
            }
        }
    }
}

/// Says that a helper is done when it is dropped.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Release);
    }
}

/// Ends the life of helpers when it is dropped.
struct End<'c, T>(&'c Calls<T>, &'c [std::thread::Thread]);

impl<T> Drop for End<'_, T> {
    fn drop(&mut self) {
        self.0.ended.store(true, Release);
        self.1.iter().for_each(std::thread::Thread::unpark);
    }
}

/// Leads a crew of so many threads, all of which do tasks by `work`.
pub(crate) fn with_crew<T: Copy + Send, W: Fn(T, Range<usize>) + Sync, R>(
    threads: Threads,
    work: W,
    lead: impl FnOnce(&Crew<'_, T, W>) -> R,
) -> R {
    let calls = Calls {
        state: AtomicUsize::new(0),
        task: Mutex::new(None),
        taken: AtomicUsize::new(0),
        ended: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let (calls, work) = (&calls, &work);
        let helpers: Vec<std::thread::Thread> = (1..threads.count())
            .map(|_| scope.spawn(move || calls.help(work)).thread().clone())
            .collect();
        let _end = End(calls, &helpers);
        lead(&Crew {
            calls,
            helpers: &helpers,
            threads,
            work,
        })
    })
}
