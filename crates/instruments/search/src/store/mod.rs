//! Sets of visited states.
//!
//! A [`Store`] keeps every state and numbers them: [`exact`] as they are, [`tree`] with what they share kept once. Threads insert at the same time, each with a
//! pen of its own. Where memory does not suffice, [`levels`] of sorted [`run`]s are on disk, or [`lossy`] sets keep less than the states; their queues
//! are in [`spill`]ed files.

#[cfg(test)]
mod agreement;
pub mod candidates;
pub mod delta;
pub mod exact;
pub mod hash_index;
pub mod index;
pub mod levels;
pub mod lossy;
pub mod numbers;
pub mod run;
pub mod segments;
pub mod sharded;
pub mod spill;
pub mod tape;
pub mod tree;

use index::FoldedHash;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of a visited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateNumber(pub u32);

impl StateNumber {
    /// For tables indexed by states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why a state could not be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The store must [grow](Store::grow) first, when no thread is inside. Then the state can be inserted.
    Crowded,
    /// There is no room for another state.
    Full,
}

/// A set of states that keeps them all. States are byte strings of at most 65,535 bytes.
///
/// Numbers rise: a state that is inserted after a call of [`Store::numbers`] has at least that number. Some numbers stand for no state.
pub trait Store: Sync + Sized {
    /// What a thread needs to insert states.
    type Pen: Send;

    /// Another pen. With `block` more than one, it takes numbers in blocks, so that threads do not get into each other's way.
    fn pen(&self, block: u32) -> Self::Pen;

    /// From now on the pen takes numbers in blocks of this size, beginning with a new one.
    fn take_numbers_by(&self, pen: &mut Self::Pen, block: u32);

    /// All numbers are less.
    fn numbers(&self) -> u32;

    /// Reads a state, which is the one whose successors will be inserted next with this pen. False if the number stands for none.
    fn open(&self, pen: &mut Self::Pen, number: StateNumber, state: &mut Vec<u8>) -> bool;

    /// What identifies a state that will be inserted soon. The processor begins to fetch what inserting it will need first.
    fn prepare(&self, pen: &mut Self::Pen, state: &[u8]) -> Result<u64, Refusal>;

    /// Once the first is there, the processor begins to fetch what inserting the state will need next (step 0), and when that is there, the last of it (step 1).
    /// With other work in between nobody waits for memory.
    fn approach(&self, prepared: u64, step: usize);

    /// The number of a prepared state, and whether it is new.
    fn insert_prepared(
        &self,
        pen: &mut Self::Pen,
        state: &[u8],
        prepared: u64,
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), Refusal>;

    /// The number of a state if it is there.
    fn find_prepared(&self, state: &[u8], prepared: u64) -> Option<StateNumber>;

    /// The state it was first reached from; none for the initial state.
    fn parent(&self, number: StateNumber) -> Option<StateNumber>;

    /// Makes room for more states, on several threads.
    fn grow(&mut self, threads: usize) -> Result<(), Refusal>;

    /// Bytes of memory it holds.
    fn bytes(&self) -> u64;

    /// The number of a state, and whether it is new. Grows if it must.
    fn insert(
        &mut self,
        pen: &mut Self::Pen,
        state: &[u8],
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), Refusal> {
        loop {
            let prepared = self.prepare(pen, state);
            match prepared.and_then(|prepared| self.insert_prepared(pen, state, prepared, parent)) {
                Err(Refusal::Crowded) => self.grow(1)?,
                other => return other,
            }
        }
    }

    /// A copy of a state.
    fn copy(&self, number: StateNumber) -> Vec<u8> {
        let mut state = Vec::new();
        self.open(&mut self.pen(1), number, &mut state);
        state
    }
}

/// A set of states for one thread, which may leave some out: searches that need no more than this can be used with any storage.
pub trait Visited {
    /// Whether a state is there, or seems to be.
    fn contains(&mut self, state: &[u8]) -> bool;

    /// Inserts a state; whether it was not there.
    fn insert(&mut self, state: &[u8]) -> Result<bool, Refusal>;

    /// How many states were likely left out when they were met, those that are only behind others not counted.
    fn expected_omissions(&self) -> f64;

    /// Bytes of memory it holds.
    fn bytes(&self) -> u64;
}

/// A store as a set for one thread.
pub struct Kept<S: Store> {
    store: S,
    pen: S::Pen,
}

impl<S: Store> Kept<S> {
    pub fn new(store: S) -> Kept<S> {
        Kept {
            pen: store.pen(1),
            store,
        }
    }
}

impl<S: Store> Visited for Kept<S> {
    fn contains(&mut self, state: &[u8]) -> bool {
        let prepared = self.store.prepare(&mut self.pen, state);
        prepared.is_ok_and(|prepared| self.store.find_prepared(state, prepared).is_some())
    }

    fn insert(&mut self, state: &[u8]) -> Result<bool, Refusal> {
        let (_, new) = self.store.insert(&mut self.pen, state, None)?;
        Ok(new)
    }

    fn expected_omissions(&self) -> f64 {
        0.0
    }

    fn bytes(&self) -> u64 {
        self.store.bytes()
    }
}

/// A state in eight-byte words: two bytes for its length, then the state, then zeros.
#[derive(Clone, Copy)]
pub(super) struct Words<'s> {
    first: u64,
    middle: &'s [[u8; 8]],
    last: Option<u64>,
}

impl<'s> Words<'s> {
    #[inline]
    pub(super) fn of(state: &'s [u8]) -> Words<'s> {
        let padded = |bytes: &[u8]| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        };
        let first = match state.first_chunk() {
            Some(first) => u64::from_le_bytes(*first),
            None => padded(state),
        };
        let (middle, tail) = state.get(6..).unwrap_or_default().as_chunks();
        let last = match (tail.len(), state.last_chunk()) {
            (0, _) => None,
            // The last eight bytes, without those that are in the word before.
            (length, Some(last)) => Some(u64::from_le_bytes(*last) >> (8 * (8 - length))),
            (_, None) => Some(padded(tail)),
        };
        Words {
            first: first << 16 | (state.len() as u64 & 0xffff),
            middle,
            last,
        }
    }

    pub(super) fn len(&self) -> usize {
        1 + self.middle.len() + usize::from(self.last.is_some())
    }

    /// Whether they are these.
    #[inline]
    pub(super) fn are(&self, words: &[AtomicU64]) -> bool {
        let Some((first, rest)) = words.split_first() else {
            return false;
        };
        if words.len() != self.len() {
            return false;
        }
        // Most likely all are equal, so that looking at each on its way would only take time.
        let found = |word: &AtomicU64| word.load(Ordering::Relaxed);
        let mut differences = found(first) ^ self.first;
        for (word, expected) in rest.iter().zip(self.middle) {
            differences |= found(word) ^ u64::from_le_bytes(*expected);
        }
        if let (Some(word), Some(expected)) = (rest.get(self.middle.len()), self.last) {
            differences |= found(word) ^ expected;
        }
        differences == 0
    }

    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = u64> {
        let middle = self.middle.iter().map(|word| u64::from_le_bytes(*word));
        std::iter::once(self.first).chain(middle).chain(self.last)
    }
}

/// The hash of those words.
#[inline]
pub(super) fn hash(state: &[u8]) -> u64 {
    let words = Words::of(state);
    let mut hash = FoldedHash::new(words.first);
    for word in words.middle {
        hash = hash.with(u64::from_le_bytes(*word));
    }
    match words.last {
        Some(last) => hash.with(last).finish(),
        None => hash.finish(),
    }
}

/// How many such words a state has.
#[inline]
pub(super) fn word_count(length: usize) -> usize {
    (length + 2).div_ceil(8)
}

/// The state in such words.
#[inline]
pub(super) fn from_words(mut words: impl Iterator<Item = u64>, state: &mut Vec<u8>) {
    let first = words.next().unwrap_or_default().to_le_bytes();
    state.resize(usize::from(u16::from_le_bytes([first[0], first[1]])), 0);
    let beginning = state.len().min(6);
    state[..beginning].copy_from_slice(&first[2..2 + beginning]);
    let (middle, tail) = state[beginning..].as_chunks_mut();
    for (place, word) in middle.iter_mut().zip(&mut words) {
        *place = word.to_le_bytes();
    }
    if let Some(last) = words.next() {
        let length = tail.len();
        tail.copy_from_slice(&last.to_le_bytes()[..length]);
    }
}
