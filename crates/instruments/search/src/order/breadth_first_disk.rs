//! Breadth-first search whose states are in files: more than fit into memory, and none is left out.
//!
//! Level by level. The states of a level are read from its tape in batches, which threads expand; where they lead is gathered by each thread in a set of bounded size, written as a sorted run when it is full
//! ([`crate::store::candidates`]). When the level is done, what is new among them is the next one ([`crate::store::levels`]). A state is judged before it is expanded, so a violation is at the end of a shortest path.
//!
//! Nothing is kept about where a state came from. A path is found from its end: the level before is read again until a state is found that has the last one among its successors, and so on.
//! That costs at most one more search.
//!
//! With reduction, the steps of some groups stand for all if at least one of them leads to a level behind the state's own, as in [`super::breadth_first`]. Which states are known is seen only when the level is done, so a filter is asked
//! (a Bloom filter of all known states): what it does not have is new, and what it seems to have is taken for known. So the more states there are for a filter of its size, the less is left out; what is left out does not depend on
//! the order or the number of threads. The filter is made when a state with such a choice is met, and until then all steps are taken.

use super::Tally;
use crate::ending::{Cause, Counts, Ending, Violation};
use crate::model::{Explorer, GroupSet, Searchable, Steps, Successors};
use crate::options::{Checkpoints, SearchOptions};
use crate::order::breadth_first::Position;
use crate::store::candidates::Candidates;
use crate::store::levels::{Halt, Levels, SAVED, thin_out};
use crate::store::lossy::Bitstate;
use crate::store::run::{Entries, Run, Section, SectionWriter};
use crate::store::tape::{Folder, Tape};
use crate::store::{StateNumber, Store, Visited};
use entail_budget::{Budget, Progress, Snapshot, machine_memory_bytes, resident_memory_bytes};
use std::io::{self, BufRead, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// States that a thread takes at once.
const BATCH: usize = 128;
/// Threads are used for levels of so many batches.
const WORTHWHILE: u64 = 4;
/// Bytes of a thread's stack.
const STACK: usize = 16 << 20;
/// Memory for gathered states, where nobody says how much: at least, and at most.
const LEAST: u64 = 4 << 20;
const MOST: u64 = 4 << 30;
/// The filter has this share of what the gathered states have.
const FILTER_SHARE: u64 = 8;

impl<F> From<Halt> for Ending<F> {
    fn from(halt: Halt) -> Ending<F> {
        match halt {
            Halt::File(error) => error.into(),
            Halt::Spent(spent) => spent.into(),
        }
    }
}

/// A search on disk.
pub struct OnDisk<'s, M: Searchable> {
    pub model: &'s M,
    pub options: &'s SearchOptions,
    pub budget: &'s Budget,
    pub progress: &'s dyn Progress,
    folder: Folder,
    levels: Levels,
    /// What is to be expanded of the last level, if not all of it: states that are on a tape of their own, and those that were met before.
    rest: Option<(Tape, Section, Vec<Run>)>,
    filter: Option<Bitstate>,
}

/// A thread's own things.
struct Seat<'m, M: Searchable + 'm> {
    explorer: M::Explorer<'m>,
    budget: &'m Budget,
    out: <M::Explorer<'m> as Explorer>::Successors,
    batch: Steps<()>,
    gathered: Gathered<'m>,
    counts: Counts,
    dead_end: Option<Vec<u8>>,
    /// A state with such a choice was met without a filter.
    wants_filter: bool,
    halt: Option<SeatEnd<M::Flaw>>,
}

/// Why a thread stops before its work is done.
enum SeatEnd<F> {
    Halt(Halt),
    Violation(Vec<u8>, Cause<F>),
}

impl<F, E: Into<Halt>> From<E> for SeatEnd<F> {
    fn from(halt: E) -> SeatEnd<F> {
        SeatEnd::Halt(halt.into())
    }
}

/// What all threads see of a level.
struct Round<'r> {
    states: Mutex<Entries<'r>>,
    stops: AtomicBool,
    filter: Option<&'r Bitstate>,
    /// States are only judged.
    is_last: bool,
    /// States of the level.
    width: u64,
    known: Counts,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<M: Searchable> Seat<'_, M> {
    /// Expands states until there are none, or all are to stop. One thread reports.
    fn work(&mut self, round: &Round<'_>, progress: Option<&dyn Progress>) {
        if let Err(halt) = self.work_on(round, progress) {
            round.stops.store(true, Ordering::Relaxed);
            self.halt = Some(halt);
        }
    }

    fn work_on(
        &mut self,
        round: &Round<'_>,
        progress: Option<&dyn Progress>,
    ) -> Result<(), SeatEnd<M::Flaw>> {
        let mut expanded = 0;
        loop {
            self.batch.clear();
            {
                let mut states = lock(&round.states);
                while self.batch.len() < BATCH && states.advance()? {
                    self.batch.push(0, states.state());
                }
            }
            if self.batch.is_empty() {
                break;
            }
            let batch = std::mem::take(&mut self.batch);
            for position in 0..batch.len() {
                if round.stops.load(Ordering::Relaxed) {
                    return Ok(());
                }
                self.budget.check()?;
                self.expand(round, batch.state(position))?;
            }
            self.batch = batch;
            expanded += BATCH;
            if let Some(progress) = progress.filter(|_| expanded.is_multiple_of(64 * BATCH)) {
                progress.report(&Snapshot {
                    phase: "searching states on disk",
                    depth: Some(round.known.depth),
                    states: Some(round.known.states),
                    frontier: Some(round.width),
                    nodes: None,
                });
            }
        }
        Ok(())
    }

    fn expand(&mut self, round: &Round<'_>, state: &[u8]) -> Result<(), SeatEnd<M::Flaw>> {
        let violation = |cause| SeatEnd::Violation(state.to_vec(), cause);
        if let Some(flaw) = self.explorer.inspect(state) {
            return Err(violation(Cause::State(flaw)));
        }
        if round.is_last {
            return Ok(());
        }
        self.explorer.expand(state, &mut self.out)?;
        let out = &self.out;
        if let Some(flaw) = out.first_flaw() {
            return Err(violation(Cause::Step(flaw.clone())));
        }
        if out.is_empty() && !out.diverges() {
            if !self.explorer.may_end(state) {
                return Err(violation(Cause::End));
            }
            self.dead_end.get_or_insert_with(|| state.to_vec());
        }
        self.counts.diverges |= out.diverges();
        let choices = self.explorer.choices(out);
        let is_of = |set: &GroupSet, position: usize| set.contains(out.group(position));
        let chosen = match round.filter {
            None => {
                self.wants_filter |= !choices.is_empty();
                None
            }
            Some(filter) => {
                let goes_on = |set: &GroupSet| {
                    let mut of_set = (0..out.len()).filter(|&position| is_of(set, position));
                    of_set.any(|position| !filter.has(out.state(position)))
                };
                choices.iter().map(|(_, set)| *set).find(goes_on)
            }
        };
        for position in 0..out.len() {
            if chosen.as_ref().is_none_or(|set| is_of(set, position)) {
                self.counts.transitions += 1;
                self.gathered.push(out.state(position))?;
            }
        }
        Ok(())
    }
}

/// What was found, as far as a whole level was searched.
type Ended<F> = Result<Ending<F>, Ending<F>>;

impl<'s, M: Searchable> OnDisk<'s, M> {
    /// A search in the folder that the options name. Nothing is known yet.
    pub fn new(
        model: &'s M,
        options: &'s SearchOptions,
        budget: &'s Budget,
        progress: &'s dyn Progress,
    ) -> OnDisk<'s, M> {
        let folder = Folder::new(options.disk.folder.as_deref());
        OnDisk {
            model,
            options,
            budget,
            progress,
            levels: Levels::new(&folder),
            folder,
            rest: None,
            filter: None,
        }
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Bytes in files and of memory for states that are known.
    pub fn bytes(&self) -> u64 {
        let filter = self.filter.as_ref().map_or(0, |filter| filter.bytes());
        self.levels.bytes() + filter
    }

    /// Memory for gathered states.
    fn memory(&self) -> u64 {
        if let Some(buffer) = self.options.disk.buffer {
            return buffer;
        }
        let share = match self.budget.memory_limit() {
            Some(limit) => limit.saturating_sub(resident_memory_bytes().unwrap_or(0)) / 2,
            None => machine_memory_bytes().map_or(1 << 28, |all| all / 8),
        };
        share.clamp(LEAST, MOST)
    }

    /// Begins with the initial states.
    pub fn begin(&mut self) -> Result<(), Ending<M::Flaw>> {
        self.folder.is_usable()?;
        let mut explorer = self.model.explorer(self.budget);
        let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
        explorer.initial(&mut out)?;
        if let Some(flaw) = out.first_flaw() {
            let (path, cause) = (Vec::new(), Cause::Step(flaw.clone()));
            return Err(Ending::Violation(Violation { path, cause }));
        }
        let mut gathered = Gathered::new(&self.folder, self.memory(), self.budget);
        for position in 0..out.len() {
            gathered.push(out.state(position))?;
        }
        let runs = gathered.take()?;
        self.levels.add(runs, self.budget, |_| {})?;
        Ok(())
    }

    /// Goes on with what a store has of a search, whose levels are seen from where states came from: numbers rise, so a level begins where the state before is of the level before.
    pub fn move_here<S: Store>(&mut self, store: &S, position: &Position) -> Result<(), Ending<M::Flaw>> {
        self.folder.is_usable()?;
        let mut pen = store.pen(1);
        let mut state = Vec::new();
        let folder = self.folder.clone();
        let mut gathered = Gathered::new(&folder, self.memory(), self.budget);
        let mut level_begin = 0;
        let mut is_behind = false;
        for number in (0..store.numbers()).map(StateNumber) {
            if !store.open(&mut pen, number, &mut state) {
                continue;
            }
            let is_next = match is_behind {
                true => false,
                false if number.0 >= position.level_end => true,
                false => store.parent(number).is_some_and(|parent| parent.0 >= level_begin),
            };
            if is_next {
                self.levels.add(gathered.take()?, self.budget, |_| {})?;
                level_begin = number.0;
                is_behind = number.0 >= position.level_end;
            }
            gathered.push(&state)?;
        }
        let mut met = gathered.take()?;
        if !is_behind {
            self.levels.add(std::mem::take(&mut met), self.budget, |_| {})?;
        }
        let mut tape = Tape::new(&self.folder);
        let mut pending = SectionWriter::new(&tape);
        for number in position.pending.iter().cloned().flatten().map(StateNumber) {
            if store.open(&mut pen, number, &mut state) {
                pending.push(&mut tape, &state)?;
            }
        }
        let section = pending.finish(&mut tape)?;
        self.rest = Some((tape, section, met));
        Ok(())
    }

    /// Searches until it ends.
    pub fn go_on(&mut self, (counts, dead_end): Tally<'_>) -> Ending<M::Flaw> {
        let ended = self.run((&mut *counts, dead_end));
        counts.states = self.levels.states();
        ended.unwrap_or_else(|ending| ending)
    }

    fn run(&mut self, (counts, dead_end): Tally<'_>) -> Ended<M::Flaw> {
        let threads = self.options.threads.max(1);
        let budgets: Vec<Budget> = (0..threads).map(|_| self.budget.same_limits()).collect();
        let each = self.memory() / threads as u64;
        let (model, folder) = (self.model, self.folder.clone());
        let mut seats: Vec<Seat<'_, M>> = budgets
            .iter()
            .map(|budget| Seat {
                explorer: model.explorer(budget),
                budget,
                out: Default::default(),
                batch: Steps::default(),
                gathered: Gathered::new(&folder, each, budget),
                counts: Counts::default(),
                dead_end: None,
                wants_filter: false,
                halt: None,
            })
            .collect();
        if self.levels.count() == 0 {
            return Ok(Ending::Finished);
        }
        loop {
            counts.depth = self.levels.count() as u64 - 1;
            counts.states = self.levels.states();
            let checkpoints = self.options.checkpoints.as_deref();
            if let Some(checkpoints) = checkpoints.filter(|checkpoints| checkpoints.is_due()) {
                self.save(checkpoints, counts, dead_end.as_deref());
            }
            let mut runs = match self.expand_level(&mut seats, counts) {
                Ok(runs) => runs,
                Err(ending) => {
                    if let (Ending::Spent(_), Some(checkpoints)) = (&ending, checkpoints) {
                        self.save(checkpoints, counts, dead_end.as_deref());
                    }
                    return Err(ending);
                }
            };
            if self
                .options
                .depth_bound
                .is_some_and(|bound| counts.depth >= bound)
            {
                return Ok(Ending::DepthBound(counts.depth));
            }
            let mut wants_filter = false;
            for seat in &mut seats {
                counts.add(std::mem::take(&mut seat.counts));
                if let Some(state) = seat.dead_end.take() {
                    dead_end.get_or_insert(state);
                }
                wants_filter |= seat.wants_filter;
            }
            if let Some((_, _, met)) = self.rest.take() {
                runs.extend(met);
            }
            if wants_filter && self.filter.is_none() {
                self.make_filter()?;
            }
            let filter = &mut self.filter;
            let new = self.levels.add(runs, self.budget, |state| {
                // A filter is never full.
                let _ = filter.as_mut().map(|filter| filter.insert(state));
            })?;
            if new == 0 {
                return Ok(Ending::Finished);
            }
        }
    }

    /// Expands the last level; what it leads to, as sorted runs.
    fn expand_level(&self, seats: &mut [Seat<'_, M>], counts: &Counts) -> Result<Vec<Run>, Ending<M::Flaw>> {
        let level = self.levels.count() - 1;
        let states = match &self.rest {
            Some((tape, section, _)) => Entries::new(tape, *section),
            None => self.levels.level(level),
        };
        let round = Round {
            states: Mutex::new(states),
            stops: AtomicBool::new(false),
            filter: self.filter.as_ref(),
            is_last: self
                .options
                .depth_bound
                .is_some_and(|bound| level as u64 >= bound),
            known: *counts,
            width: self.levels.width(level),
        };
        let is_wide = round.width >= WORTHWHILE * BATCH as u64;
        if let Some((first, others)) = seats.split_first_mut() {
            std::thread::scope(|scope| {
                let round = &round;
                for seat in others.iter_mut().filter(|_| is_wide) {
                    // Where there are no more threads, the others do the work.
                    let _ = std::thread::Builder::new()
                        .stack_size(STACK)
                        .spawn_scoped(scope, move || seat.work(round, None));
                }
                first.work(round, Some(self.progress));
            });
        }
        let (mut halted, mut violation) = (None, None);
        for seat in seats.iter_mut() {
            match seat.halt.take() {
                Some(SeatEnd::Halt(halt)) => halted = Some(halt),
                Some(SeatEnd::Violation(state, cause)) => violation = Some((state, cause)),
                None => {}
            }
        }
        match (violation, halted) {
            (Some((state, cause)), _) => {
                let path = self.path_to(state, level)?;
                Err(Ending::Violation(Violation { path, cause }))
            }
            (None, Some(halt)) => Err(halt.into()),
            (None, None) => {
                let mut runs = Vec::new();
                for seat in seats {
                    runs.append(&mut seat.gathered.take()?);
                }
                Ok(runs)
            }
        }
    }

    /// The states that lead to one of a level.
    fn path_to(&self, goal: Vec<u8>, level: usize) -> Result<Vec<Vec<u8>>, Ending<M::Flaw>> {
        let mut explorer = self.model.explorer(self.budget);
        let mut out = <M::Explorer<'_> as Explorer>::Successors::default();
        let mut path = vec![goal];
        for level in (0..level).rev() {
            let mut states = self.levels.level(level);
            loop {
                self.budget.check()?;
                if !states.advance()? {
                    let error =
                        "a state has lost where it came from: a step is not the same when it is made again";
                    return Err(io::Error::other(error).into());
                }
                explorer.expand(states.state(), &mut out)?;
                let goal = path.last().map(Vec::as_slice);
                if (0..out.len()).any(|position| Some(out.state(position)) == goal) {
                    path.push(states.state().to_vec());
                    break;
                }
            }
        }
        path.reverse();
        Ok(path)
    }

    /// Makes the filter of all known states.
    fn make_filter(&mut self) -> Result<(), Ending<M::Flaw>> {
        let bytes = (self.memory() / FILTER_SHARE).max(1 << 16);
        let Some(mut filter) = Bitstate::new(bytes, Bitstate::HASHES) else {
            return Ok(());
        };
        for level in 0..self.levels.count() {
            let mut states = self.levels.level(level);
            while states.advance()? {
                self.budget.check()?;
                // A filter is never full.
                let _ = filter.insert(states.state());
            }
        }
        self.filter = Some(filter);
        Ok(())
    }

    /// Saves what was known before the last level was expanded. Of a level that came half expanded from a store nothing is saved: the next one is.
    fn save(&self, checkpoints: &dyn Checkpoints, counts: &Counts, dead_end: Option<&[u8]>) {
        if self.rest.is_some() {
            return;
        }
        checkpoints.save(&mut |file: &mut dyn Write| {
            for number in [SAVED, counts.transitions, counts.diverges.into()] {
                file.write_all(&number.to_le_bytes())?;
            }
            let length = dead_end.map_or(0, |state| state.len() as u32 + 1);
            file.write_all(&length.to_le_bytes())?;
            file.write_all(dead_end.unwrap_or_default())?;
            self.levels.save(file)
        });
    }

    /// Begins with a search that was saved on disk.
    pub fn load(&mut self, file: &mut dyn BufRead, tally: Tally<'_>) -> Result<(), Ending<M::Flaw>> {
        self.folder.is_usable()?;
        let loaded = self.load_from(file, tally);
        loaded.map_err(|halt| match halt {
            Halt::File(error) => Ending::File("the checkpoint", error),
            Halt::Spent(spent) => spent.into(),
        })
    }

    fn load_from(&mut self, file: &mut dyn BufRead, (counts, dead_end): Tally<'_>) -> Result<(), Halt> {
        let (mut number, mut length) = ([0; 8], [0; 4]);
        // The first number says what it is.
        file.read_exact(&mut number)?;
        file.read_exact(&mut number)?;
        counts.transitions = u64::from_le_bytes(number);
        file.read_exact(&mut number)?;
        counts.diverges = u64::from_le_bytes(number) != 0;
        file.read_exact(&mut length)?;
        if let Some(length) = u32::from_le_bytes(length).checked_sub(1) {
            let mut state = Vec::new();
            Read::take(&mut *file, length.into()).read_to_end(&mut state)?;
            *dead_end = Some(state);
        }
        self.levels = Levels::load(&self.folder, file, self.budget)?;
        Ok(())
    }
}

/// States that are gathered by one thread.
struct Gathered<'g> {
    candidates: Candidates,
    runs: Vec<Run>,
    folder: &'g Folder,
    budget: &'g Budget,
}

impl<'g> Gathered<'g> {
    fn new(folder: &'g Folder, most: u64, budget: &'g Budget) -> Gathered<'g> {
        Gathered {
            candidates: Candidates::new(usize::try_from(most).unwrap_or(usize::MAX)),
            runs: Vec::new(),
            folder,
            budget,
        }
    }

    fn push(&mut self, state: &[u8]) -> Result<(), Halt> {
        self.budget.check()?;
        if self.candidates.is_full() {
            let run = self.candidates.write(self.folder)?;
            self.runs.extend(run);
            thin_out(&mut self.runs, self.folder, self.budget)?;
        }
        self.candidates.insert(state);
        Ok(())
    }

    /// What was gathered since the last time.
    fn take(&mut self) -> Result<Vec<Run>, Halt> {
        let last = self.candidates.write(self.folder)?;
        self.runs.extend(last);
        Ok(std::mem::take(&mut self.runs))
    }
}
