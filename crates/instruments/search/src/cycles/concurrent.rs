//! Accepted cycles on several threads: nested depth-first searches that help each other.
//!
//! Evangelista, Laarman, Petrucci, van de Pol, *Improved multi-core nested depth-first search* (ATVA 2012). Every thread makes the blue search of the nested depth-first search
//! of Courcoubetis, Vardi, Wolper and Yannakakis, each in another order of the steps, and does not enter what any of them has left (*blue*). Where it leaves an accepting pair, it searches for a way back
//! to a pair that is still on its own stack (*cyan*), through pairs that are not *red*; then it waits until the accepting pairs among those it met are red, too, and makes them
//! all red. Linear in the product for each thread; how much they help each other is a matter of luck.
//!
//! Threads stop together where a store must grow, with their stacks, and go on.

use super::linear::{Judged, Lasso, Verdict};
use super::product::{LinearModel, Seat, Shared, Stop};
use crate::ending::Counts;
use crate::options::SearchOptions;
use crate::store::segments::Segments;
use entail_budget::{Budget, Progress, Snapshot};
use fixedbitset::FixedBitSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes of a thread's stack.
const STACK: usize = 16 << 20;
const BLOCK: u32 = 256;

/// All threads have left the pair, or one has.
const BLUE: u8 = 1;
/// No accepted cycle goes through the pair.
const RED: u8 = 2;

/// What all threads see.
struct Field {
    shared: Shared,
    colours: Segments<AtomicU8, 12>,
}

impl Field {
    fn has<F>(&self, pair: u32, colour: u8) -> Result<bool, Stop<F>> {
        self.colours.reserve(pair.into(), u64::from(pair) + 1)?;
        Ok(self.colours.at(pair).load(Ordering::SeqCst) & colour != 0)
    }

    fn paint<F>(&self, pair: u32, colour: u8) -> Result<(), Stop<F>> {
        self.colours.reserve(pair.into(), u64::from(pair) + 1)?;
        self.colours.at(pair).fetch_or(colour, Ordering::SeqCst);
        Ok(())
    }
}

/// A pair on a stack, with its moves that are still to be made.
struct Frame {
    pair: u32,
    accepting: bool,
    moves: Range<usize>,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug)]
enum Phase {
    /// Takes the next initial pair.
    Begin,
    /// Enters a pair in the blue search.
    EnterBlue(u32),
    /// Goes on with the pair on top of the blue stack.
    Blue,
    /// Enters a pair in the red search.
    EnterRed(u32),
    /// Goes on with the pair on top of the red stack.
    Red,
    /// Waits until what others are about to make red is red.
    Wait,
    Done,
}

/// A thread's own things.
struct Worker<'m, M: LinearModel + 'm> {
    seat: Seat<'m, M>,
    phase: Phase,
    initial: Vec<u32>,
    begun: bool,
    /// Pairs on the blue stack.
    cyan: FixedBitSet,
    blue: Vec<Frame>,
    red: Vec<Frame>,
    /// Pairs that the red search has met, and whether they are accepting.
    met: Vec<(u32, bool)>,
    in_met: FixedBitSet,
    /// The moves of the pairs on both stacks.
    pending: Vec<u32>,
    scratch: Vec<(u32, u64)>,
    random: u64,
    transitions: u64,
    depth: u64,
    entered: u64,
    result: Option<Result<Found, Stop<M::Flaw>>>,
}

/// An accepted path by pairs.
struct Found {
    stem: Vec<u32>,
    round: Vec<u32>,
}

/// Searches for an accepted path.
pub fn search<M: LinearModel>(
    model: &M,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Judged<M::Flaw> {
    let budgets: Vec<Budget> = (0..options.cycle_threads).map(|_| budget.same_limits()).collect();
    let mut field = Field {
        shared: Shared::new(true),
        colours: Segments::new(),
    };
    let mut workers: Vec<Worker<'_, M>> = (budgets.iter().enumerate())
        .map(|(number, budget)| Worker {
            seat: Seat::new(model, &field.shared, BLOCK, options.reduction, budget),
            phase: Phase::Begin,
            initial: Vec::new(),
            begun: false,
            cyan: FixedBitSet::new(),
            blue: Vec::new(),
            red: Vec::new(),
            met: Vec::new(),
            in_met: FixedBitSet::new(),
            pending: Vec::new(),
            scratch: Vec::new(),
            random: number as u64,
            transitions: 0,
            depth: 0,
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
            None if workers.iter().all(|worker| matches!(worker.phase, Phase::Done)) => break None,
            None => {}
        }
    };
    let shared = &field.shared;
    let verdict = match stop {
        Some(Ok(found)) => {
            let states = |pairs: &[u32]| {
                let state = |&pair: &u32| shared.state(shared.pair(pair).state);
                pairs.iter().map(state).collect()
            };
            Verdict::Accepted(Lasso {
                stem: states(&found.stem),
                round: states(&found.round),
            })
        }
        Some(Err(stop)) => Verdict::Stopped(stop),
        None if shared.diverges.load(Ordering::Relaxed) => Verdict::Diverges,
        None => Verdict::Nothing,
    };
    Judged {
        verdict,
        counts: Counts {
            states: workers.iter().map(|worker| worker.seat.new_pairs).sum(),
            transitions: workers.iter().map(|worker| worker.transitions).sum(),
            depth: workers.iter().map(|worker| worker.depth).max().unwrap_or(0),
            ..Counts::default()
        },
        system_states: workers.iter().map(|worker| worker.seat.new_states).sum(),
        bytes: shared.bytes(),
    }
}

impl<M: LinearModel> Worker<'_, M> {
    fn work(&mut self, field: &Field, progress: Option<&dyn Progress>) {
        loop {
            if field.shared.stops.load(Ordering::Relaxed) {
                self.result = Some(Err(Stop::Halted));
                return;
            }
            let went = match self.phase {
                Phase::Done => return,
                Phase::Wait => self.wait(field),
                _ => self.step(field, progress),
            };
            match went {
                Ok(None) => {}
                Ok(Some(found)) => {
                    field.shared.stops.store(true, Ordering::SeqCst);
                    self.result = Some(Ok(found));
                    return;
                }
                Err(stop) => {
                    field.shared.stops.store(true, Ordering::SeqCst);
                    self.result = Some(Err(stop));
                    return;
                }
            }
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
                    Some(first) if field.has(first, BLUE)? => Phase::Begin,
                    Some(first) => Phase::EnterBlue(first),
                };
                Ok(None)
            }
            Phase::EnterBlue(number) => self.enter_blue(number, field, progress),
            Phase::Blue => self.step_blue(field),
            Phase::EnterRed(number) => self.enter_red(number, field),
            Phase::Red => self.step_red(field),
            Phase::Wait | Phase::Done => Ok(None),
        }
    }

    /// Puts a pair on the blue stack, unless the violation ends there.
    fn enter_blue(
        &mut self,
        number: u32,
        field: &Field,
        progress: Option<&dyn Progress>,
    ) -> Result<Option<Found>, Stop<M::Flaw>> {
        self.seat.poll()?;
        let pair = self.seat.pair(&field.shared, number);
        if self.seat.is_done(pair) {
            let way = self.blue.iter().map(|frame| frame.pair).chain([number]);
            return Ok(Some(Found {
                stem: way.collect(),
                round: Vec::new(),
            }));
        }
        let moves = self.moves(field, number)?;
        self.cyan.grow(number as usize + 1);
        self.cyan.insert(number as usize);
        let accepting = self.seat.is_accepting(pair);
        self.blue.push(Frame {
            pair: number,
            accepting,
            moves,
        });
        self.entered += 1;
        self.depth = self.depth.max(self.blue.len() as u64);
        if let Some(progress) = progress.filter(|_| self.entered.is_multiple_of(8192)) {
            progress.report(&Snapshot {
                phase: "searching for a violating run",
                depth: Some(self.blue.len() as u64),
                states: Some(field.shared.pair_numbers().into()),
                ..Snapshot::default()
            });
        }
        self.phase = Phase::Blue;
        Ok(None)
    }

    /// Takes the next move of the pair on top of the blue stack, or leaves it: an accepting one through the red search.
    fn step_blue(&mut self, field: &Field) -> Result<Option<Found>, Stop<M::Flaw>> {
        let Some(frame) = self.blue.last_mut() else {
            self.phase = Phase::Begin;
            return Ok(None);
        };
        let (pair, accepting) = (frame.pair, frame.accepting);
        if let Some(next) = frame.moves.next() {
            let to = self.pending[next];
            if self.cyan.contains(to as usize) {
                let begin = self.on_the_stack(to);
                if accepting || self.blue[begin].accepting {
                    return Ok(Some(self.closed(begin, &[])));
                }
            } else if !field.has(to, BLUE)? {
                self.phase = Phase::EnterBlue(to);
            }
            return Ok(None);
        }
        field.paint(pair, BLUE)?;
        if accepting {
            for (met, _) in self.met.drain(..) {
                self.in_met.set(met as usize, false);
            }
            self.phase = Phase::EnterRed(pair);
        } else {
            self.leave();
        }
        Ok(None)
    }

    /// Puts a pair on the red stack.
    fn enter_red(&mut self, number: u32, field: &Field) -> Result<Option<Found>, Stop<M::Flaw>> {
        self.seat.poll()?;
        let moves = self.moves(field, number)?;
        self.in_met.grow(number as usize + 1);
        self.in_met.insert(number as usize);
        let pair = self.seat.pair(&field.shared, number);
        let accepting = self.seat.is_accepting(pair);
        self.met.push((number, accepting));
        self.red.push(Frame {
            pair: number,
            accepting,
            moves,
        });
        self.phase = Phase::Red;
        Ok(None)
    }

    /// Takes the next move of the pair on top of the red stack; one to the blue stack closes a cycle.
    fn step_red(&mut self, field: &Field) -> Result<Option<Found>, Stop<M::Flaw>> {
        let Some(frame) = self.red.last_mut() else {
            self.phase = Phase::Wait;
            return Ok(None);
        };
        let Some(next) = frame.moves.next() else {
            self.red.pop();
            let end = self.top();
            self.pending.truncate(end);
            return Ok(None);
        };
        let to = self.pending[next];
        if self.cyan.contains(to as usize) {
            let begin = self.on_the_stack(to);
            // The first of the red stack is the last of the blue one.
            let red: Vec<u32> = self.red[1..].iter().map(|frame| frame.pair).collect();
            return Ok(Some(self.closed(begin, &red)));
        }
        if !self.in_met.contains(to as usize) && !field.has(to, RED)? {
            self.phase = Phase::EnterRed(to);
        }
        Ok(None)
    }

    /// Where a cyan pair is on the blue stack.
    fn on_the_stack(&self, pair: u32) -> usize {
        let place = self.blue.iter().rposition(|frame| frame.pair == pair);
        place.expect("what is cyan is on the stack")
    }

    /// Where the moves of the frames on both stacks end.
    fn top(&self) -> usize {
        let last = self.red.last().or(self.blue.last());
        last.map_or(0, |frame| frame.moves.end)
    }

    /// Waits until the accepting pairs that the red search met are red, then makes all of them red.
    fn wait(&mut self, field: &Field) -> Result<Option<Found>, Stop<M::Flaw>> {
        let seed = self.blue.last().map_or(u32::MAX, |frame| frame.pair);
        for &(pair, accepting) in &self.met {
            if accepting && pair != seed && !field.has(pair, RED)? {
                self.seat.poll()?;
                std::thread::yield_now();
                return Ok(None);
            }
        }
        for &(pair, _) in &self.met {
            field.paint(pair, RED)?;
        }
        self.leave();
        Ok(None)
    }

    /// Leaves the pair on top of the blue stack.
    fn leave(&mut self) {
        if let Some(frame) = self.blue.pop() {
            self.cyan.set(frame.pair as usize, false);
        }
        let end = self.top();
        self.pending.truncate(end);
        self.phase = Phase::Blue;
    }

    /// The moves of a pair, in an order of this thread's own.
    fn moves(&mut self, field: &Field, number: u32) -> Result<Range<usize>, Stop<M::Flaw>> {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.clear();
        let pair = self.seat.pair(&field.shared, number);
        let found = self.seat.moves(&field.shared, pair, &mut scratch);
        self.scratch = scratch;
        found?;
        let begin = self.pending.len();
        self.pending.extend(self.scratch.iter().map(|&(to, _)| to));
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

    /// The path along the blue stack whose loop begins at a position, goes on to the top, then along these pairs, and back.
    fn closed(&self, begin: usize, red: &[u32]) -> Found {
        let pair = |frame: &Frame| frame.pair;
        let back = self.blue[begin].pair;
        let round = self.blue[begin + 1..].iter().map(pair);
        Found {
            stem: self.blue[..=begin].iter().map(pair).collect(),
            round: round.chain(red.iter().copied()).chain([back]).collect(),
        }
    }
}
