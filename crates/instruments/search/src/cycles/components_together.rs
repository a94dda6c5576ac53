//! Accepted cycles on several threads: strongly connected components that are found together.
//!
//! Bloemen, Laarman, van de Pol, *Multi-core on-the-fly SCC decomposition* (PPoPP 2016), with the marks of generalized acceptance (Bloemen, van de Pol, *Multi-core SCC-based LTL model checking*, HVC 2016). Every thread makes a depth-first search, each in another order of the steps, and does not enter what any of them has found to be
//! a whole component. Where a step leads to a set of nodes in which the thread has been, all sets on its way since then are on a cycle, and are united for everybody. A node whose steps one thread has followed to the end is closed for all; a thread that comes to the end of its part of a
//! set goes on with the nodes that are still open in it, and a set without any is a component. As soon as the steps inside a set meet all marks, there is an accepted cycle. So each step of the product is followed about once by all threads together, any number of marks costs the same, and there is no second search from accepting nodes.
//!
//! What is accepted is found by threads, the path by one of them afterwards: a shortest way into the component and round in it.
//!
//! Threads stop together where a store must grow, with their stacks, and go on.

use super::lassos::Known;
use super::linear::{Judged, Verdict};
use super::product::{LinearModel, Seat, Shared, Stop};
use super::united::{Claim, United};
use crate::ending::Counts;
use crate::options::SearchOptions;
use entail_budget::{Budget, Progress, Snapshot};
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Bytes of a thread's stack.
const STACK: usize = 16 << 20;
const BLOCK: u32 = 256;
/// A set has a bit for each thread.
const MOST_THREADS: usize = 64;

/// What all threads see.
struct Field {
    shared: Shared,
    united: United,
}

/// A pair on the way, with its moves that are still to be made.
struct Frame {
    pair: u32,
    /// Where its moves begin.
    begin: usize,
    moves: Range<usize>,
    /// The marks of the step that led here.
    entered: u64,
}

/// The first pair of a set on the way, by the position of its frame.
struct Root {
    frame: usize,
    pair: u32,
    /// The marks of the step that led to it.
    entered: u64,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Takes the next initial pair.
    Begin,
    /// Enters a pair, by a step with these marks.
    Enter(u32, u64),
    /// Goes on with another open pair of the set of the pair on top, in its place.
    Replace(u32),
    /// Takes the next move of the pair on top.
    Go,
    Done,
}

/// What a thread has found.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// The watcher has come to its end.
    End(u32),
    /// The set of this pair has all marks.
    Cycle(u32),
}

/// A thread's own things.
struct Worker<'m, M: LinearModel + 'm> {
    thread: u32,
    seat: Seat<'m, M>,
    phase: Phase,
    initial: Vec<u32>,
    begun: bool,
    frames: Vec<Frame>,
    roots: Vec<Root>,
    /// The moves of the pairs on the way.
    pending: Vec<(u32, u64)>,
    random: u64,
    transitions: u64,
    depth: u64,
    /// Pairs that nobody had entered before.
    pairs: u64,
    entered: u64,
    result: Option<Result<Found, Stop<M::Flaw>>>,
}

/// Searches for an accepted path.
pub fn search<M: LinearModel>(
    model: &M,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Judged<M::Flaw> {
    let threads = options.cycle_threads.min(MOST_THREADS);
    let budgets: Vec<Budget> = (0..threads).map(|_| budget.same_limits()).collect();
    let mut field = Field {
        shared: Shared::new(model, budget),
        united: United::new(),
    };
    let mut workers: Vec<Worker<'_, M>> = (budgets.iter().enumerate())
        .map(|(number, budget)| Worker {
            thread: number as u32,
            seat: Seat::new(model, &field.shared, BLOCK, options.reduction, budget),
            phase: Phase::Begin,
            initial: Vec::new(),
            begun: false,
            frames: Vec::new(),
            roots: Vec::new(),
            pending: Vec::new(),
            random: number as u64,
            transitions: 0,
            depth: 0,
            pairs: 0,
            entered: 0,
            result: None,
        })
        .collect();
    let stop = loop {
        field.shared.stops.store(false, Ordering::SeqCst);
        if let Some((first, others)) = workers.split_first_mut() {
            let field = &field;
            std::thread::scope(|scope| {
                for worker in others {
                    // Where there are no more threads, the others do the work.
                    let _ = std::thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, move || worker.work(field, None));
                }
                first.work(field, Some(progress));
            });
        }
        let mut crowded = false;
        let mut stop = None;
        for worker in &mut workers {
            match worker.result.take() {
                Some(Ok(found)) => stop = Some(Ok(found)),
                Some(Err(Stop::Crowded)) => crowded = true,
                Some(Err(Stop::Halted)) | None => {}
                Some(Err(other)) => stop = stop.or(Some(Err(other))),
            }
        }
        match stop {
            Some(stop) => break Some(stop),
            None if crowded && field.shared.grow(workers.len()).is_err() => break Some(Err(Stop::Full)),
            None if crowded => {}
            // Whoever is done has seen that everything is: what it did not enter itself is dead.
            None if workers.iter().any(|worker| matches!(worker.phase, Phase::Done)) => break None,
            None => {}
        }
    };
    let counts = Counts {
        states: workers.iter().map(|worker| worker.pairs).sum(),
        transitions: workers.iter().map(|worker| worker.transitions).sum(),
        depth: workers.iter().map(|worker| worker.depth).max().unwrap_or(0),
        ..Counts::default()
    };
    let system_states = workers.iter().map(|worker| worker.seat.new_states).sum();
    let initial = workers
        .iter_mut()
        .find_map(|worker| worker.begun.then(|| worker.seat.initial(&field.shared)));
    drop(workers);
    let Field { shared, united } = field;
    let bytes = shared.bytes();
    let verdict = match stop {
        Some(Ok(found)) => {
            let mut known = Known {
                seat: Seat::new(model, &shared, 1, options.reduction, budget),
                shared,
            };
            let initial = initial.unwrap_or(Ok(Vec::new()));
            match initial.and_then(|initial| known.lasso_of(&initial, &united, found)) {
                Ok(lasso) => Verdict::Accepted(lasso),
                Err(stop) => Verdict::Stopped(stop),
            }
        }
        Some(Err(stop)) => Verdict::Stopped(stop),
        None if shared.diverges.load(Ordering::Relaxed) => Verdict::Diverges,
        None => Verdict::Nothing,
    };
    Judged {
        verdict,
        counts,
        system_states,
        bytes,
    }
}

impl<M: LinearModel> Known<'_, M> {
    /// The path to what was found.
    fn lasso_of(
        &mut self,
        initial: &[u32],
        united: &United,
        found: Found,
    ) -> Result<super::linear::Lasso, Stop<M::Flaw>> {
        let is_seen = |pair: u32| united.reserve(pair).is_ok() && united.is_seen(pair);
        match found {
            Found::End(goal) => self.path_to_end(initial, goal, is_seen),
            Found::Cycle(pair) => {
                let is_inside = |other: u32| is_seen(other) && united.are_together(pair, other);
                self.cycle(initial, is_seen, is_inside)
            }
        }
    }
}

impl<M: LinearModel> Worker<'_, M> {
    fn work(&mut self, field: &Field, progress: Option<&dyn Progress>) {
        loop {
            if matches!(self.phase, Phase::Done) {
                // Others need not go on, either.
                field.shared.stops.store(true, Ordering::SeqCst);
                return;
            }
            if field.shared.stops.load(Ordering::Relaxed) {
                self.result = Some(Err(Stop::Halted));
                return;
            }
            let result = match self.step(field, progress) {
                Ok(None) => continue,
                Ok(Some(found)) => Ok(found),
                Err(stop) => Err(stop),
            };
            field.shared.stops.store(true, Ordering::SeqCst);
            self.result = Some(result);
            return;
        }
    }

    /// Does one thing. What could not be done for lack of room is done again.
    fn step(
        &mut self,
        field: &Field,
        progress: Option<&dyn Progress>,
    ) -> Result<Option<Found>, Stop<M::Flaw>> {
        match self.phase {
            Phase::Begin => {
                if !self.begun {
                    self.initial = self.seat.initial(&field.shared)?;
                    self.begun = true;
                }
                self.phase = match self.initial.pop() {
                    None => Phase::Done,
                    Some(first) => {
                        field.united.reserve(first)?;
                        match field.united.claim(first, self.thread) {
                            Claim::New => Phase::Enter(first, 0),
                            Claim::Known | Claim::Dead => Phase::Begin,
                        }
                    }
                };
                Ok(None)
            }
            Phase::Enter(number, marks) => self.enter(number, marks, field, progress),
            Phase::Replace(number) => {
                let moves = self.moves(field, number)?;
                if let Some(frame) = self.frames.last_mut() {
                    (frame.pair, frame.moves) = (number, moves);
                }
                self.phase = Phase::Go;
                Ok(None)
            }
            Phase::Go => self.go(field),
            Phase::Done => Ok(None),
        }
    }

    /// Puts a pair on the way, unless the violation ends there.
    fn enter(
        &mut self,
        number: u32,
        marks: u64,
        field: &Field,
        progress: Option<&dyn Progress>,
    ) -> Result<Option<Found>, Stop<M::Flaw>> {
        self.seat.poll()?;
        let pair = self.seat.pair(&field.shared, number);
        if self.seat.is_done(pair) {
            field.united.enter(number);
            return Ok(Some(Found::End(number)));
        }
        let begin = self.pending.len();
        let moves = self.moves(field, number)?;
        self.pairs += u64::from(field.united.enter(number));
        self.roots.push(Root {
            frame: self.frames.len(),
            pair: number,
            entered: marks,
        });
        self.frames.push(Frame {
            pair: number,
            begin,
            moves,
            entered: marks,
        });
        self.entered += 1;
        self.depth = self.depth.max(self.frames.len() as u64);
        if let Some(progress) = progress.filter(|_| self.entered.is_multiple_of(8192)) {
            progress.report(&Snapshot {
                phase: "searching for a violating run",
                depth: Some(self.frames.len() as u64),
                states: Some(field.shared.pair_numbers().into()),
                ..Snapshot::default()
            });
        }
        self.phase = Phase::Go;
        Ok(None)
    }

    /// Takes the next move of the pair on top, or leaves it.
    fn go(&mut self, field: &Field) -> Result<Option<Found>, Stop<M::Flaw>> {
        let Some(frame) = self.frames.last_mut() else {
            self.phase = Phase::Begin;
            return Ok(None);
        };
        let pair = frame.pair;
        let Some(next) = frame.moves.next() else {
            return Ok(self.leave(pair, field));
        };
        let (to, marks) = self.pending[next];
        field.united.reserve(to)?;
        match field.united.claim(to, self.thread) {
            Claim::Dead => {}
            Claim::New => self.phase = Phase::Enter(to, marks),
            Claim::Known => {
                while !field.united.are_together(pair, to) {
                    let (Some(upper), Some(lower)) = (self.roots.pop(), self.roots.last()) else {
                        break;
                    };
                    field.united.unite(upper.pair, lower.pair);
                    field.united.meet(upper.pair, upper.entered);
                }
                if field.united.are_together(pair, to) {
                    return Ok(self.inside(pair, marks, field));
                }
            }
        }
        Ok(None)
    }

    /// A step with these marks is inside the set of a pair.
    fn inside(&self, pair: u32, marks: u64, field: &Field) -> Option<Found> {
        let met = field.united.meet(pair, marks);
        let required = self.seat.required();
        (met & required == required).then_some(Found::Cycle(pair))
    }

    /// All moves of the pair on top were made. Its set goes on with the pair before it, if that is inside, or with another open pair; otherwise it is a component.
    fn leave(&mut self, pair: u32, field: &Field) -> Option<Found> {
        let united = &field.united;
        united.close(pair);
        let top = self.frames.len() - 1;
        let before = top.checked_sub(1).map(|before| self.frames[before].pair);
        let goes_on = before.filter(|&before| united.are_together(before, pair));
        if goes_on.is_none() {
            if let Some(open) = united.open_node(pair) {
                self.pending.truncate(self.frames[top].begin);
                self.phase = Phase::Replace(open);
                return None;
            }
            united.finish(pair);
        }
        self.roots.pop_if(|root| root.frame == top);
        let frame = self.frames.pop()?;
        self.pending.truncate(frame.begin);
        self.phase = Phase::Go;
        goes_on.and_then(|before| self.inside(before, frame.entered, field))
    }

    /// The moves of a pair, in an order of this thread's own.
    fn moves(&mut self, field: &Field, number: u32) -> Result<Range<usize>, Stop<M::Flaw>> {
        let begin = self.pending.len();
        let pair = self.seat.pair(&field.shared, number);
        let found = self.seat.moves(&field.shared, pair, &mut self.pending);
        if let Err(stop) = found {
            self.pending.truncate(begin);
            return Err(stop);
        }
        let end = self.pending.len();
        self.transitions += (end - begin) as u64;
        // The first thread takes them as they come.
        if self.random != 0 {
            for position in (begin + 1..end).rev() {
                self.random = self
                    .random
                    .wrapping_mul(0x5851_f42d_4c95_7f2d)
                    .wrapping_add(0x1405_7b7e_f767_814f);
                let other = begin + (self.random >> 33) as usize % (position - begin + 1);
                self.pending.swap(position, other);
            }
        }
        Ok(begin..end)
    }
}
