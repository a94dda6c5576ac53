//! The product of a system and a watcher, made as searches ask for it, by any number of threads.
//!
//! States lie in one exact store, and the steps of a state are found once, by whichever thread asks first; what a watcher is at plays no part in
//! them. Pairs of a state and the watcher's place are numbered by both, if the watcher has few places, and are in a second store otherwise.
//!
//! With reduction, a state may have fewer steps than all if a persistent set of them suffices and no cycle consists of such states only. Who finds the steps of a state
//! claims it first; fewer steps are taken only if none of the states they lead to is claimed yet. In a cycle of states with fewer steps, the one claimed last would lead to a state
//! that was claimed before it.

use crate::model::{Explorer, Searchable, Successors};
use crate::store::exact::{Exact, Pen};
use crate::store::segments::Segments;
use crate::store::{Refusal, StateNumber, Store};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// A system together with what watches its infinite paths.
pub trait LinearModel: Searchable {
    /// What watches; each thread has one.
    type Watcher<'m>: Watcher
    where
        Self: 'm;

    /// Another watcher, the same as the others.
    fn watcher<'m>(&'m self, budget: &'m Budget) -> Self::Watcher<'m>;

    /// Whether a step that goes wrong ends the search; otherwise it is left out.
    fn stops_at_flaws(&self) -> bool {
        true
    }

    /// Whether a state without successors is repeated for ever.
    fn repeats_ends(&self) -> bool {
        true
    }
}

/// An automaton that reads what it sees of the states of a path. A path is accepted if the watcher can follow it and meets every mark again and again, or comes to its end.
pub trait Watcher: Send {
    /// Where it may begin.
    fn initial(&self) -> Vec<u16>;

    /// How many marks there are; they are the first bits of a set.
    fn marks(&self) -> u32;

    /// What it sees of a state; or why it cannot look.
    fn letter(&mut self, state: &[u8]) -> Result<u64, String>;

    /// Adds what it can do at a place where it sees a letter: where it goes, and the marks it meets; or why that cannot be said.
    fn moves(&mut self, at: u16, letter: u64, out: &mut Vec<(u16, u64)>) -> Result<(), String>;

    /// How many places it has, if that is known: they are the numbers below.
    fn places(&self) -> Option<u32> {
        None
    }

    /// Whether it has come to its end: whatever follows is accepted.
    fn is_done(&self, _at: u16) -> bool {
        false
    }
}

/// Why a product cannot be made further.
#[derive(Clone, Debug)]
pub enum Stop<F> {
    /// Time or memory is spent.
    Spent(Spent),
    /// The stores must grow first, when no thread is inside.
    Crowded,
    /// There are more states than can be numbered.
    Full,
    /// Something goes wrong in the system: a state, and what.
    Flaw(Vec<u8>, F),
    /// The watcher cannot go on; the sentence says why.
    Blind(String),
    /// Other threads were asked to stop.
    Halted,
}

impl<F> From<Spent> for Stop<F> {
    fn from(spent: Spent) -> Stop<F> {
        Stop::Spent(spent)
    }
}

impl<F> From<Refusal> for Stop<F> {
    fn from(refusal: Refusal) -> Stop<F> {
        match refusal {
            Refusal::Crowded => Stop::Crowded,
            Refusal::Full => Stop::Full,
        }
    }
}

/// A pair of a state and the watcher's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The number of the state.
    pub state: u32,
    /// The watcher's place.
    pub at: u16,
}

impl Pair {
    fn bytes(self) -> [u8; 6] {
        let (state, at) = (self.state.to_le_bytes(), self.at.to_le_bytes());
        [state[0], state[1], state[2], state[3], at[0], at[1]]
    }

    fn of(bytes: &[u8]) -> Pair {
        Pair {
            state: u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            at: u16::from_le_bytes([bytes[4], bytes[5]]),
        }
    }
}

/// With at most so many places, pairs have numbers by state and place.
const FEW_PLACES: u32 = 8;

/// A row that is not known, and one that a thread is about to find.
const UNKNOWN: u64 = 0;
const CLAIMED: u64 = 1;
/// Other rows have the first target, plus one, above so many bits for how many there are.
const COUNT_BITS: u32 = 24;
/// Targets are taken in blocks of at least so many.
const BLOCK: u64 = 1 << 12;

/// What all threads share.
pub struct Shared {
    states: Exact,
    pairs: Exact,
    rows: Segments<AtomicU64, 12>,
    targets: Segments<AtomicU32, 12>,
    next_target: AtomicU64,
    /// By state: the number of its letter, plus one.
    letters: Segments<AtomicU32, 12>,
    alphabet: Mutex<Vec<u64>>,
    /// How many places the watcher has, if pairs are numbered by state and place.
    places: Option<u32>,
    /// Something goes on for ever without coming to another state.
    pub diverges: AtomicBool,
    /// Threads are to stop.
    pub stops: AtomicBool,
}

/// A thread's own things.
pub struct Seat<'m, M: LinearModel + 'm> {
    model: &'m M,
    explorer: M::Explorer<'m>,
    watcher: M::Watcher<'m>,
    out: <M::Explorer<'m> as Explorer>::Successors,
    state: Vec<u8>,
    states: Pen,
    pairs: Pen,
    block: (u64, u64),
    found: Vec<u32>,
    steps: Vec<(u16, u64)>,
    known: FxHashMap<u64, u32>,
    spelled: Vec<u64>,
    marks: u32,
    budget: &'m Budget,
    reduces: bool,
    /// States that this thread was the first to find.
    pub new_states: u64,
}

impl Shared {
    /// An empty product of a system and its watcher.
    pub fn new<M: LinearModel>(model: &M, budget: &Budget) -> Shared {
        let places = model.watcher(budget).places();
        Shared {
            places: places.filter(|&places| (1..=FEW_PLACES).contains(&places)),
            states: Exact::new(),
            pairs: Exact::new(),
            rows: Segments::new(),
            targets: Segments::new(),
            next_target: AtomicU64::new(0),
            letters: Segments::new(),
            alphabet: Mutex::new(Vec::new()),
            diverges: AtomicBool::new(false),
            stops: AtomicBool::new(false),
        }
    }

    /// Pairs have numbers less than this.
    pub fn pair_numbers(&self) -> u32 {
        match self.places {
            Some(places) => self.states.numbers().saturating_mul(places),
            None => self.pairs.numbers(),
        }
    }

    /// The pair of a number, if pairs are numbered by state and place.
    #[inline]
    fn numbered(&self, number: u32) -> Option<Pair> {
        self.places.map(|places| Pair {
            state: number / places,
            at: (number % places) as u16,
        })
    }

    /// Steps between states that are known.
    pub fn step_count(&self) -> u64 {
        self.next_target.load(Ordering::Relaxed)
    }

    /// The pair of a number.
    pub fn pair(&self, number: u32) -> Pair {
        let stored = || Pair::of(&self.pairs.copy(StateNumber(number)));
        self.numbered(number).unwrap_or_else(stored)
    }

    /// The state of a number.
    pub fn state(&self, number: u32) -> Vec<u8> {
        self.states.copy(StateNumber(number))
    }

    /// Bytes of memory.
    pub fn bytes(&self) -> u64 {
        let by_state = u64::from(self.states.numbers()) * 12;
        self.states.bytes() + self.pairs.bytes() + by_state + self.step_count() * 4
    }

    /// Makes room for more, when no thread is inside.
    pub fn grow(&mut self, threads: usize) -> Result<(), Refusal> {
        let all = !self.states.is_crowded() && !self.pairs.is_crowded();
        for store in [&mut self.states, &mut self.pairs] {
            if all || store.is_crowded() {
                store.grow(threads)?;
            }
        }
        Ok(())
    }

    /// The number of a letter.
    fn spell(&self, letter: u64) -> u32 {
        let mut alphabet = self.alphabet.lock().unwrap_or_else(PoisonError::into_inner);
        let known = alphabet.iter().position(|&other| other == letter);
        known.unwrap_or_else(|| {
            alphabet.push(letter);
            alphabet.len() - 1
        }) as u32
    }
}

impl<'m, M: LinearModel> Seat<'m, M> {
    /// A seat for a thread; numbers are taken in blocks of this size.
    pub fn new(model: &'m M, shared: &Shared, block: u32, reduces: bool, budget: &'m Budget) -> Seat<'m, M> {
        let watcher = model.watcher(budget);
        Seat {
            model,
            explorer: model.explorer(budget),
            marks: watcher.marks(),
            watcher,
            out: Default::default(),
            state: Vec::new(),
            states: shared.states.pen(block),
            pairs: shared.pairs.pen(block),
            block: (0, 0),
            found: Vec::new(),
            steps: Vec::new(),
            known: FxHashMap::default(),
            spelled: Vec::new(),
            budget,
            reduces,
            new_states: 0,
        }
    }

    /// All marks.
    pub fn required(&self) -> u64 {
        1u64.checked_shl(self.marks).map_or(u64::MAX, |bit| bit - 1)
    }

    /// Whether the watcher has come to its end.
    pub fn is_done(&self, pair: Pair) -> bool {
        self.watcher.is_done(pair.at)
    }

    /// The initial pairs.
    pub fn initial(&mut self, shared: &Shared) -> Result<Vec<u32>, Stop<M::Flaw>> {
        let mut out = std::mem::take(&mut self.out);
        self.explorer.initial(&mut out)?;
        if let Some(flaw) = out.first_flaw() {
            return Err(Stop::Flaw(Vec::new(), flaw.clone()));
        }
        let mut pairs = Vec::new();
        for position in 0..out.len() {
            let state = self.insert(shared, out.state(position))?;
            for at in self.watcher.initial() {
                pairs.push(self.number(shared, Pair { state, at })?);
            }
        }
        self.out = out;
        pairs.sort_unstable();
        pairs.dedup();
        Ok(pairs)
    }

    fn insert(&mut self, shared: &Shared, state: &[u8]) -> Result<u32, Stop<M::Flaw>> {
        let prepared = shared.states.prepare(&mut self.states, state)?;
        let (number, new) = shared
            .states
            .insert_prepared(&mut self.states, state, prepared, None)?;
        let place = u64::from(number.0);
        if new {
            self.new_states += 1;
            shared.rows.reserve(place, place + 1)?;
            shared.letters.reserve(place, place + 1)?;
            if let Some(flaw) = self.explorer.inspect(state) {
                return Err(Stop::Flaw(state.to_vec(), flaw));
            }
        }
        Ok(number.0)
    }

    #[inline]
    fn number(&mut self, shared: &Shared, pair: Pair) -> Result<u32, Stop<M::Flaw>> {
        if let Some(places) = shared.places {
            let number = u64::from(pair.state) * u64::from(places) + u64::from(pair.at);
            return u32::try_from(number).map_err(|_| Stop::Full);
        }
        let bytes = pair.bytes();
        let prepared = shared.pairs.prepare(&mut self.pairs, &bytes)?;
        let inserted = shared
            .pairs
            .insert_prepared(&mut self.pairs, &bytes, prepared, None);
        Ok(inserted?.0.0)
    }

    /// The pair of a number.
    pub fn pair(&mut self, shared: &Shared, number: u32) -> Pair {
        if let Some(pair) = shared.numbered(number) {
            return pair;
        }
        let mut bytes = std::mem::take(&mut self.state);
        shared
            .pairs
            .open(&mut self.pairs, StateNumber(number), &mut bytes);
        let pair = Pair::of(&bytes);
        self.state = bytes;
        pair
    }

    /// Where the targets of a state begin, and how many there are.
    fn row(&mut self, shared: &Shared, state: u32) -> Result<(u64, u64), Stop<M::Flaw>> {
        // Another thread that inserted the state may be about to reserve its row.
        shared.rows.reserve(state.into(), u64::from(state) + 1)?;
        let row = shared.rows.at(state);
        loop {
            match row.load(Ordering::SeqCst) {
                UNKNOWN => {
                    let claimed = row.compare_exchange(UNKNOWN, CLAIMED, Ordering::SeqCst, Ordering::SeqCst);
                    if claimed.is_err() {
                        continue;
                    }
                    let expanded = self.expand(shared, state);
                    let found = match &expanded {
                        Ok((begin, count)) => (begin + 1) << COUNT_BITS | count,
                        Err(_) => UNKNOWN,
                    };
                    row.store(found, Ordering::SeqCst);
                    return expanded;
                }
                CLAIMED => {
                    if shared.stops.load(Ordering::Relaxed) {
                        return Err(Stop::Halted);
                    }
                    self.budget.check()?;
                    std::hint::spin_loop();
                }
                known => return Ok(((known >> COUNT_BITS) - 1, known & ((1 << COUNT_BITS) - 1))),
            }
        }
    }

    /// Finds the steps of a state that this thread has claimed.
    fn expand(&mut self, shared: &Shared, number: u32) -> Result<(u64, u64), Stop<M::Flaw>> {
        let mut state = std::mem::take(&mut self.state);
        shared
            .states
            .open(&mut self.states, StateNumber(number), &mut state);
        let mut out = std::mem::take(&mut self.out);
        let expanded = self.explorer.expand(&state, &mut out);
        let result = match expanded {
            Err(spent) => Err(spent.into()),
            Ok(()) => self.targets(shared, number, &state, &out),
        };
        (self.out, self.state) = (out, state);
        result
    }

    fn targets(
        &mut self,
        shared: &Shared,
        number: u32,
        state: &[u8],
        out: &<M::Explorer<'m> as Explorer>::Successors,
    ) -> Result<(u64, u64), Stop<M::Flaw>> {
        if out.diverges() {
            shared.diverges.store(true, Ordering::Relaxed);
        }
        let flaw = out.first_flaw();
        if let (Some(flaw), true) = (flaw, self.model.stops_at_flaws()) {
            return Err(Stop::Flaw(state.to_vec(), flaw.clone()));
        }
        self.found.clear();
        if out.is_empty() && !out.diverges() && self.model.repeats_ends() {
            self.found.push(number);
        }
        let choices = match self.reduces && flaw.is_none() {
            true => self.explorer.choices(out).to_vec(),
            false => Vec::new(),
        };
        for set in choices.iter().map(|(_, set)| Some(set)).chain([None]) {
            let mut all_unclaimed = true;
            let begin = self.found.len();
            for position in 0..out.len() {
                if out.flaw(position).is_some() || set.is_some_and(|set| !set.contains(out.group(position))) {
                    continue;
                }
                let target = self.insert(shared, out.state(position))?;
                self.found.push(target);
                shared.rows.reserve(target.into(), u64::from(target) + 1)?;
                all_unclaimed &= shared.rows.at(target).load(Ordering::SeqCst) == UNKNOWN;
            }
            if all_unclaimed || set.is_none() {
                break;
            }
            self.found.truncate(begin);
        }
        let count = self.found.len() as u64;
        if count >= 1 << COUNT_BITS {
            return Err(Stop::Full);
        }
        if self.block.1 - self.block.0 < count {
            let size = count.max(BLOCK);
            let begin = shared.next_target.fetch_add(size, Ordering::Relaxed);
            shared.targets.reserve(begin, begin + size)?;
            self.block = (begin, begin + size);
        }
        let begin = self.block.0;
        for (position, &target) in self.found.iter().enumerate() {
            let place = shared.targets.at((begin + position as u64) as u32);
            place.store(target, Ordering::Relaxed);
        }
        self.block.0 += count;
        Ok((begin, count))
    }

    fn letter(&mut self, shared: &Shared, number: u32) -> Result<u64, Stop<M::Flaw>> {
        shared.letters.reserve(number.into(), u64::from(number) + 1)?;
        let place = shared.letters.at(number);
        if let Some(known) = place.load(Ordering::Relaxed).checked_sub(1) {
            if let Some(&letter) = self.spelled.get(known as usize) {
                return Ok(letter);
            }
            let alphabet = shared.alphabet.lock().unwrap_or_else(PoisonError::into_inner);
            self.spelled.clone_from(&alphabet);
            return Ok(self.spelled[known as usize]);
        }
        let mut state = std::mem::take(&mut self.state);
        shared
            .states
            .open(&mut self.states, StateNumber(number), &mut state);
        let letter = self.watcher.letter(&state);
        self.state = state;
        let letter = letter.map_err(Stop::Blind)?;
        let spelled = *self.known.entry(letter).or_insert_with(|| shared.spell(letter));
        place.store(spelled + 1, Ordering::Relaxed);
        Ok(letter)
    }

    /// Adds the steps of a pair: to which pair, and the marks that are met.
    pub fn moves(
        &mut self,
        shared: &Shared,
        pair: Pair,
        moves: &mut Vec<(u32, u64)>,
    ) -> Result<(), Stop<M::Flaw>> {
        let letter = self.letter(shared, pair.state)?;
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let found = self.watcher.moves(pair.at, letter, &mut steps);
        self.steps = steps;
        found.map_err(Stop::Blind)?;
        if self.steps.is_empty() {
            return Ok(());
        }
        let (begin, count) = self.row(shared, pair.state)?;
        for step in 0..self.steps.len() {
            let (at, marks) = self.steps[step];
            for edge in begin..begin + count {
                let state = shared.targets.at(edge as u32).load(Ordering::Relaxed);
                let to = self.number(shared, Pair { state, at })?;
                moves.push((to, marks));
            }
        }
        Ok(())
    }

    /// Whether something is left of the budget.
    pub fn poll(&self) -> Result<(), Spent> {
        self.budget.check()
    }
}
