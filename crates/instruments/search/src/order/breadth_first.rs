//! Breadth-first search on any number of threads.
//!
//! Level by level: the states of a level are expanded by all threads, which take them in chunks; what is new belongs to the next level. Since numbers rise,
//! a level is a range of numbers, and the store is the queue. The first level with a violation is found, so the run to it is a shortest one. What is counted is the same for any
//! number of threads, if the search is finished; which of several shortest runs is shown is not.
//!
//! With reduction, the steps of some groups stand for all, if at least one of them leads to a level behind the state's own: then nobody is
//! ignored for ever, since a step that was put off can be put off only until the last level. (Bošnački, Leue and Lafuente, *Partial-order
//! reduction for general state exploring algorithms*, STTT 2009, have the condition on the queue; asking for levels makes the result
//! independent of the order within a level.)
//!
//! A state that is wrong by itself belongs to the next level. Before it is told, the rest of this level is judged, without inserting anything more: a wrong step or end there is nearer.
//!
//! Successors are not inserted at once: while the next states are expanded, the processor fetches what inserting them will need.
//!
//! Threads stop together where the store must grow, and where the search is to pause: to be saved, or to go on in a store that needs less memory.

use super::sleep_sets::{Asleep, Behind, Frontier};
use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, GroupSet, Searchable, Successors};
use crate::options::SearchOptions;
use crate::store::{Refusal, StateNumber, Store};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Threads take so many states at a time, and so many numbers.
const CHUNK: u32 = 64;
const BLOCK: u32 = 256;
/// Bytes of a thread's stack.
const STACK: usize = 16 << 20;
/// After so many states it is asked whether to pause.
const PAUSE_EVERY: u32 = 4096;

/// How far a search has come.
#[derive(Clone, Debug)]
pub struct Position {
    /// Numbers from here on are of the next level.
    pub level_end: u32,
    /// The states of this level that are not yet expanded.
    pub pending: Vec<Range<u32>>,
    pub counts: Counts,
}

/// What a search comes to.
pub enum Progression<F> {
    Ended(Ending<F>),
    /// It was asked to pause, and can go on.
    Paused,
}

/// Why a thread stops before its work is done.
enum WorkerEnd<F> {
    Refused(Refusal),
    Spent(Spent),
    Pause,
    /// A step of this state goes wrong, or the system must not stop in it.
    Violation(StateNumber, Cause<F>),
    /// This state of the next level is wrong.
    Wrong(StateNumber, F),
}

impl<F> From<Refusal> for WorkerEnd<F> {
    fn from(refusal: Refusal) -> WorkerEnd<F> {
        WorkerEnd::Refused(refusal)
    }
}

impl<F> From<Spent> for WorkerEnd<F> {
    fn from(spent: Spent) -> WorkerEnd<F> {
        WorkerEnd::Spent(spent)
    }
}

/// The states that threads still have to take.
struct Work {
    ranges: Mutex<Vec<Range<u32>>>,
    stops: AtomicBool,
    /// A state of the next level is wrong: states are only judged.
    only_judges: AtomicBool,
}

impl Work {
    fn take(&self, most: u32) -> Option<Range<u32>> {
        let mut ranges = self.ranges.lock().unwrap_or_else(PoisonError::into_inner);
        let first = ranges.last_mut()?;
        let end = first.end.min(first.start.saturating_add(most));
        let taken = first.start..end;
        first.start = end;
        if first.start == first.end {
            ranges.pop();
        }
        Some(taken)
    }
}

/// So many states wait until their successors are inserted.
const WAITING: usize = 3;

/// A state with its successors.
#[derive(Default)]
struct Batch<O> {
    from: u32,
    out: O,
    /// Positions of successors that are to be inserted, prepared.
    chosen: Vec<(usize, u64)>,
    /// Who sleeps behind each of them, with sleep sets.
    asleep: Vec<Asleep>,
}

/// A thread's own things.
struct Seat<'m, M: Searchable + 'm, S: Store> {
    explorer: M::Explorer<'m>,
    budget: &'m Budget,
    pen: S::Pen,
    state: Vec<u8>,
    /// States whose successors are still to be inserted, the first one first.
    waiting: VecDeque<Batch<OutOf<'m, M>>>,
    /// Memory for more of them.
    spare: Vec<Batch<OutOf<'m, M>>>,
    /// Sets that suffice in the state at hand.
    choices: Vec<(usize, GroupSet)>,
    behind: Behind,
    counts: Counts,
    unfinished: Vec<Range<u32>>,
    /// States it has expanded, in all levels.
    done: u32,
    /// The first wrong state of the next level that it has found.
    wrong: Option<(StateNumber, M::Flaw)>,
    halt: Option<WorkerEnd<M::Flaw>>,
}

type OutOf<'m, M> = <<M as Searchable>::Explorer<'m> as Explorer>::Successors;

/// What all threads see.
struct Round<'r, S> {
    store: &'r S,
    work: Work,
    level_end: u32,
    /// Who sleeps, with sleep sets.
    sleep: Option<&'r Frontier>,
    progress: Option<&'r dyn Progress>,
    known: Counts,
    pauses: &'r (dyn Fn() -> bool + Sync),
}

impl<S> Round<'_, S> {
    /// Whether a wrong state of the next level is known.
    #[inline]
    fn only_judges(&self) -> bool {
        self.work.only_judges.load(Ordering::Relaxed)
    }
}

impl<'m, M: Searchable, S: Store> Seat<'m, M, S> {
    /// Expands states until there are none, or all are to stop.
    fn work(&mut self, round: &Round<'_, S>, chunk: u32, leads: bool) {
        while let Some(range) = round.work.take(chunk) {
            if let Err(halt) = self.work_on(round, range.clone(), leads) {
                // What waits belongs to this range, and is done again.
                let first = self.waiting.front().map_or(range.end, |batch| batch.from);
                self.spare.extend(self.waiting.drain(..));
                let expanded = self.unfinished.pop().map_or(range.end, |rest| rest.start);
                self.unfinished.push(first.min(expanded)..range.end);
                if let Some(halt) = halt {
                    round.work.stops.store(true, Ordering::Relaxed);
                    self.halt = Some(halt);
                }
                return;
            }
        }
    }

    /// Expands the states of a range. If it stops early (for no reason of its own if others stop), the rest is the last that is unfinished.
    fn work_on(
        &mut self,
        round: &Round<'_, S>,
        range: Range<u32>,
        leads: bool,
    ) -> Result<(), Option<WorkerEnd<M::Flaw>>> {
        for number in range.clone() {
            let result = match round.work.stops.load(Ordering::Relaxed) {
                true => Err(None),
                false
                    if leads
                        && self.done % PAUSE_EVERY == PAUSE_EVERY - 1
                        && !round.only_judges()
                        && (round.pauses)() =>
                {
                    // Not asked again before the search has gone on.
                    self.done = self.done.wrapping_add(1);
                    Err(Some(WorkerEnd::Pause))
                }
                false => {
                    let expanded = self.expand(round, StateNumber(number));
                    self.judge_only_if_wrong(round, expanded).map_err(Some)
                }
            };
            if result.is_err() {
                self.unfinished.push(number..range.end);
                return result;
            }
            self.done = self.done.wrapping_add(1);
            if leads && self.done.is_multiple_of(PAUSE_EVERY) {
                self.report(round);
            }
        }
        let inserted = self.insert_waiting(round, 0);
        let result = self.judge_only_if_wrong(round, inserted);
        if result.is_err() {
            self.unfinished.push(range.end..range.end);
        }
        result.map_err(Some)
    }

    /// Where a wrong state was found, it is remembered, and the states of this level that are left are only judged. Those that wait to be inserted have been.
    fn judge_only_if_wrong(
        &mut self,
        round: &Round<'_, S>,
        result: Result<(), WorkerEnd<M::Flaw>>,
    ) -> Result<(), WorkerEnd<M::Flaw>> {
        let Err(WorkerEnd::Wrong(number, flaw)) = result else {
            return result;
        };
        round.work.only_judges.store(true, Ordering::Relaxed);
        self.spare.extend(self.waiting.drain(..));
        self.wrong.get_or_insert((number, flaw));
        Ok(())
    }

    fn report(&self, round: &Round<'_, S>) {
        if let Some(progress) = round.progress {
            let mut counts = round.known;
            counts.add(self.counts);
            let numbers = round.store.numbers();
            let frontier = numbers.saturating_sub(round.level_end);
            progress.report(&Snapshot {
                phase: "searching states",
                depth: Some(counts.depth),
                states: Some(numbers.into()),
                frontier: Some(frontier.into()),
                nodes: None,
            });
        }
    }

    fn expand(&mut self, round: &Round<'_, S>, number: StateNumber) -> Result<(), WorkerEnd<M::Flaw>> {
        self.budget.check()?;
        if !round.store.open(&mut self.pen, number, &mut self.state) {
            return Ok(());
        }
        let mut batch = self.spare.pop().unwrap_or_default();
        batch.from = number.0;
        let asleep = match round.sleep {
            Some(frontier) => frontier.asleep(number.0)?,
            None => Asleep::NOBODY,
        };
        match asleep.is_nobody() {
            true => self.explorer.expand(&self.state, &mut batch.out)?,
            false => {
                let groups = asleep.groups();
                self.explorer.expand_awake(&self.state, &groups, &mut batch.out)?;
            }
        }
        let out = &batch.out;
        if let Some(flaw) = out.first_flaw() {
            return Err(WorkerEnd::Violation(number, Cause::Step(flaw.clone())));
        }
        if out.is_empty() && !out.diverges() && asleep.is_nobody() {
            if !self.explorer.may_end(&self.state) {
                return Err(WorkerEnd::Violation(number, Cause::End));
            }
            self.counts.note_end(Some(number));
        }
        if round.only_judges() {
            self.spare.push(batch);
            return Ok(());
        }
        self.choices.clear();
        if round.sleep.is_some() {
            let is_taken = |group| !asleep.contains(group);
            self.behind.settle(&mut self.explorer, out, asleep, is_taken);
        } else {
            self.choices.extend_from_slice(self.explorer.choices(out));
        }
        if self.choices.is_empty() {
            batch.prepare(round.store, &mut self.pen, None, asleep)?;
            if round.sleep.is_some() {
                let groups = batch
                    .chosen
                    .iter()
                    .map(|&(position, _)| batch.out.group(position));
                batch.asleep.clear();
                batch
                    .asleep
                    .extend(groups.map(|group| self.behind.steps_of(group)));
            }
            for (step, earlier) in self.waiting.iter().rev().take(2).enumerate() {
                for &(_, prepared) in &earlier.chosen {
                    round.store.approach(prepared, step);
                }
            }
            self.waiting.push_back(batch);
            return self.insert_waiting(round, WAITING);
        }
        // Sets that suffice are tried one after the other, then all. Whether one does is seen when its steps are inserted.
        self.insert_waiting(round, 0)?;
        for set in self.choices.iter().map(|(_, set)| Some(set)).chain([None]) {
            batch.prepare(round.store, &mut self.pen, set, Asleep::NOBODY)?;
            if batch.insert(round, &mut self.explorer, &mut self.pen, &mut self.counts)? {
                break;
            }
        }
        batch.count(&mut self.counts);
        self.spare.push(batch);
        Ok(())
    }

    /// Inserts the successors of those that have waited longest, until so many wait.
    fn insert_waiting(&mut self, round: &Round<'_, S>, most: usize) -> Result<(), WorkerEnd<M::Flaw>> {
        while self.waiting.len() > most {
            if let Some(batch) = self.waiting.front_mut() {
                batch.insert(round, &mut self.explorer, &mut self.pen, &mut self.counts)?;
                batch.count(&mut self.counts);
            }
            self.spare.extend(self.waiting.pop_front());
        }
        Ok(())
    }
}

impl<O: Successors> Batch<O> {
    /// Prepares the steps of some groups, or of all that are awake.
    fn prepare<S: Store>(
        &mut self,
        store: &S,
        pen: &mut S::Pen,
        set: Option<&GroupSet>,
        asleep: Asleep,
    ) -> Result<(), Refusal> {
        self.chosen.clear();
        for position in 0..self.out.len() {
            let group = self.out.group(position);
            if set.is_none_or(|set| set.contains(group)) && !asleep.contains(group) {
                let prepared = store.prepare(pen, self.out.state(position))?;
                self.chosen.push((position, prepared));
            }
        }
        Ok(())
    }

    /// Inserts what was prepared; whether something of it is in a later level.
    #[inline]
    fn insert<S: Store, E: Explorer<Successors = O>>(
        &mut self,
        round: &Round<'_, S>,
        explorer: &mut E,
        pen: &mut S::Pen,
        counts: &mut Counts,
    ) -> Result<bool, WorkerEnd<E::Flaw>> {
        let mut goes_on = false;
        for (taken, &(position, prepared)) in self.chosen.iter().enumerate() {
            let state = self.out.state(position);
            let parent = Some(StateNumber(self.from));
            let (found, new) = round.store.insert_prepared(pen, state, prepared, parent)?;
            if let Some(frontier) = round.sleep {
                frontier.reach(found.0, self.asleep[taken])?;
            }
            goes_on |= found.0 >= round.level_end;
            counts.states += u64::from(new);
            if new && let Some(flaw) = explorer.inspect(state) {
                return Err(WorkerEnd::Wrong(found, flaw));
            }
        }
        Ok(goes_on)
    }

    fn count(&self, counts: &mut Counts) {
        counts.transitions += self.chosen.len() as u64;
        counts.diverges |= self.out.diverges();
    }
}

/// Begins a search: the initial states are inserted.
pub fn begin<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    budget: &Budget,
) -> Result<Position, Ending<M::Flaw>> {
    let mut explorer = model.explorer(budget);
    let mut out = OutOf::<M>::default();
    explorer.initial(&mut out)?;
    if let Some(flaw) = out.first_flaw() {
        return Err(Ending::Violation(Violation {
            path: Vec::new(),
            cause: Cause::Step(flaw.clone()),
        }));
    }
    let mut pen = store.pen(1);
    let mut counts = Counts::default();
    for position in 0..out.len() {
        budget.check()?;
        let state = out.state(position);
        let (number, new) = store.insert(&mut pen, state, None)?;
        counts.states += u64::from(new);
        if new && let Some(flaw) = explorer.inspect(state) {
            return Err(Ending::Violation(Violation {
                path: path_to(store, number),
                cause: Cause::State(flaw),
            }));
        }
    }
    Ok(Position {
        level_end: store.numbers(),
        pending: std::iter::once(0..store.numbers())
            .filter(|range| !range.is_empty())
            .collect(),
        counts,
    })
}

/// Goes on with a search until it ends or is to pause, which is asked once in a while.
pub fn go_on<M: Searchable, S: Store>(
    model: &M,
    store: &mut S,
    position: &mut Position,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
    pauses: &(dyn Fn() -> bool + Sync),
) -> Progression<M::Flaw> {
    let budgets: Vec<Budget> = (0..options.threads.max(1))
        .map(|_| budget.same_limits())
        .collect();
    let mut seats: Vec<Seat<'_, M, S>> = budgets
        .iter()
        .map(|budget| Seat {
            explorer: model.explorer(budget),
            budget,
            pen: store.pen(1),
            state: Vec::new(),
            waiting: VecDeque::new(),
            spare: Vec::new(),
            choices: Vec::new(),
            behind: Behind::default(),
            counts: Counts::default(),
            unfinished: Vec::new(),
            done: 0,
            wrong: None,
            halt: None,
        })
        .collect();
    // What was known of who sleeps when the search paused is forgotten: in the states that it had found nobody does.
    let mut sleep = options.sleep_sets.then(|| Frontier::from(store.numbers()));
    // The first wrong state of the next level.
    let mut wrong: Option<(StateNumber, M::Flaw)> = None;
    loop {
        let depth = position.counts.depth;
        if options.depth_bound.is_some_and(|bound| depth >= bound) && !position.pending.is_empty() {
            return Progression::Ended(Ending::DepthBound(depth));
        }
        let count: u32 = position.pending.iter().map(|range| range.end - range.start).sum();
        let is_wide = count >= options.wide_level && seats.len() > 1;
        let round = Round {
            store: &*store,
            work: Work {
                ranges: Mutex::new(std::mem::take(&mut position.pending)),
                stops: AtomicBool::new(false),
                only_judges: AtomicBool::new(wrong.is_some()),
            },
            level_end: position.level_end,
            sleep: sleep.as_ref(),
            progress: Some(progress),
            known: position.counts,
            pauses,
        };
        match is_wide {
            true => {
                for seat in &mut seats {
                    store.take_numbers_by(&mut seat.pen, BLOCK);
                }
                if let Some((first, others)) = seats.split_first_mut() {
                    let round = &round;
                    std::thread::scope(|scope| {
                        for seat in others {
                            // Where there are no more threads, the others do the work.
                            let _ = std::thread::Builder::new()
                                .stack_size(STACK)
                                .spawn_scoped(scope, move || seat.work(round, CHUNK, false));
                        }
                        first.work(round, CHUNK, true);
                    });
                }
            }
            false => {
                store.take_numbers_by(&mut seats[0].pen, 1);
                seats[0].work(&round, u32::MAX, true);
            }
        }
        let left = round.work.ranges.into_inner();
        position.pending = left.unwrap_or_else(PoisonError::into_inner);
        let mut halts = Vec::new();
        for seat in &mut seats {
            position.pending.append(&mut seat.unfinished);
            position.counts.add(std::mem::take(&mut seat.counts));
            halts.extend(seat.halt.take());
            if let Some(found) = seat.wrong.take()
                && wrong.as_ref().is_none_or(|(first, _)| found.0 < *first)
            {
                wrong = Some(found);
            }
        }
        if let Some((number, flaw)) = &wrong
            && !halts.iter().any(|halt| matches!(halt, WorkerEnd::Violation(..)))
        {
            if position.pending.is_empty() || halts.iter().any(|halt| matches!(halt, WorkerEnd::Spent(_))) {
                return Progression::Ended(Ending::Violation(Violation {
                    path: path_to(store, *number),
                    cause: Cause::State(flaw.clone()),
                }));
            }
            // Nothing is inserted any more, so there is no need to grow.
            continue;
        }
        if let Some(ended) = settle(store, halts, seats.len()) {
            return ended;
        }
        if position.pending.is_empty() {
            let next = position.level_end..store.numbers();
            if next.is_empty() {
                return Progression::Ended(Ending::Finished);
            }
            position.counts.depth += 1;
            position.level_end = next.end;
            if let Some(sleep) = &mut sleep {
                sleep.advance(next.end);
            }
            position.pending.push(next);
        }
    }
}

/// What follows from why threads stopped; nothing if the search can go on.
fn settle<S: Store, F>(store: &mut S, halts: Vec<WorkerEnd<F>>, threads: usize) -> Option<Progression<F>> {
    let mut violation: Option<(StateNumber, Cause<F>)> = None;
    let (mut spent, mut refusal, mut pause) = (None, None, false);
    for halt in halts {
        match halt {
            WorkerEnd::Violation(number, cause) => {
                if violation.as_ref().is_none_or(|(first, _)| number < *first) {
                    violation = Some((number, cause));
                }
            }
            WorkerEnd::Wrong(number, flaw) => violation = violation.or(Some((number, Cause::State(flaw)))),
            WorkerEnd::Spent(reason) => spent = Some(reason),
            WorkerEnd::Refused(Refusal::Full) => refusal = Some(Refusal::Full),
            WorkerEnd::Refused(Refusal::Crowded) => refusal = refusal.or(Some(Refusal::Crowded)),
            WorkerEnd::Pause => pause = true,
        }
    }
    let ended = match (violation, spent, refusal) {
        (Some((number, cause)), ..) => Ending::Violation(Violation {
            path: path_to(store, number),
            cause,
        }),
        (_, Some(spent), _) => Ending::Spent(spent),
        (.., Some(Refusal::Full)) => Ending::TooMany,
        (.., Some(Refusal::Crowded)) if store.grow(threads).is_err() => Ending::TooMany,
        _ if pause => return Some(Progression::Paused),
        _ => return None,
    };
    Some(Progression::Ended(ended))
}

/// The states along which a state was first reached.
pub fn path_to<S: Store>(store: &S, goal: StateNumber) -> Vec<Vec<u8>> {
    let mut path = vec![store.copy(goal)];
    let mut at = goal;
    while let Some(parent) = store.parent(at) {
        path.push(store.copy(parent));
        at = parent;
    }
    path.reverse();
    path
}
