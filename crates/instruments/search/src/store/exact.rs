//! States as they are.
//!
//! A state lies in an arena of eight-byte words behind two bytes for its length; its place is a number of words. Threads fill blocks of the arena of their own.
//! Cost beyond the state: 2 bytes and at most 7 of padding, 4 for the place, 4 for the parent, about 6 for the entry in the index.

use super::index::{FoldedHash, Index};
use super::numbers::{Block, Numbers, Parents};
use super::segments::Segments;
use super::{Refusal, StateNumber, Store, Words, from_words, hash, word_count};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The states.
#[derive(Debug)]
pub struct Exact {
    words: Segments<AtomicU64, ARENA_BITS>,
    /// How many blocks of the arena are taken.
    blocks: AtomicU32,
    /// Where each state is, plus one; 0 for numbers that stand for none.
    places: Segments<AtomicU32, 12>,
    parents: Parents,
    numbers: Numbers,
    index: Index,
}

/// Blocks of the arena have so many words; every state fits into one.
const ARENA_BITS: u32 = 14;
const ARENA_BLOCK: u32 = 1 << ARENA_BITS;

/// What a thread has taken.
#[derive(Debug)]
pub struct Pen {
    block: Block,
    place: u32,
    end: u32,
}

impl Default for Exact {
    fn default() -> Exact {
        Exact::new()
    }
}

impl Exact {
    /// An empty store.
    pub fn new() -> Exact {
        Exact {
            words: Segments::new(),
            blocks: AtomicU32::new(0),
            places: Segments::new(),
            parents: Parents::new(),
            numbers: Numbers::default(),
            index: Index::new(),
        }
    }

    /// Whether it must grow soon: threads stop when a few numbers are left, not only when there are none.
    pub(crate) fn is_crowded(&self) -> bool {
        self.numbers.end() > self.index.limit() / 8 * 7
    }

    fn words(&self, number: u32) -> Option<&[AtomicU64]> {
        let place = self.places.at(number).load(Ordering::Relaxed).checked_sub(1)?;
        let rest = self.words.rest(place);
        let length = rest[0].load(Ordering::Relaxed) as u16;
        Some(&rest[..word_count(length.into())])
    }

    #[inline]
    fn is(&self, number: u32, state: &[u8]) -> bool {
        let Some(found) = self.words(number) else {
            return false;
        };
        Words::of(state).are(found)
    }

    /// Room for a state at the pen's place.
    fn make_room(&self, pen: &mut Pen, words: u32) -> Result<(), Refusal> {
        if pen.end - pen.place < words {
            let taken = self
                .blocks
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |blocks| {
                    (blocks < u32::MAX >> ARENA_BITS).then_some(blocks + 1)
                });
            let place = taken.map_err(|_| Refusal::Full)? << ARENA_BITS;
            self.words
                .reserve(place.into(), u64::from(place) + u64::from(ARENA_BLOCK))?;
            (pen.place, pen.end) = (place, place + ARENA_BLOCK);
        }
        Ok(())
    }
}

impl Store for Exact {
    type Pen = Pen;

    fn pen(&self, block: u32) -> Pen {
        Pen {
            block: Block::new(block),
            place: 0,
            end: 0,
        }
    }

    fn take_numbers_by(&self, pen: &mut Pen, block: u32) {
        pen.block = Block::new(block);
    }

    fn numbers(&self) -> u32 {
        self.numbers.end()
    }

    fn open(&self, _: &mut Pen, number: StateNumber, state: &mut Vec<u8>) -> bool {
        let Some(words) = self.words(number.0) else {
            return false;
        };
        from_words(words.iter().map(|word| word.load(Ordering::Relaxed)), state);
        true
    }

    #[inline]
    fn prepare(&self, _: &mut Pen, state: &[u8]) -> Result<u64, Refusal> {
        let hash = hash(state);
        self.index.prefetch(hash);
        Ok(hash)
    }

    #[inline]
    fn approach(&self, hash: u64, step: usize) {
        let Some(number) = self.index.likely(hash) else {
            return;
        };
        match step {
            0 => self.places.prefetch(number),
            _ => {
                if let Some(place) = self.places.at(number).load(Ordering::Relaxed).checked_sub(1) {
                    self.words.prefetch(place);
                    // A line of the cache further on.
                    self.words.prefetch(place + 8);
                }
            }
        }
    }

    #[inline]
    fn insert_prepared(
        &self,
        pen: &mut Pen,
        state: &[u8],
        hash: u64,
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), Refusal> {
        let vacancy = match self.index.find(hash, |number| self.is(number, state)) {
            Ok(number) => return Ok((StateNumber(number), false)),
            Err(vacancy) => vacancy,
        };
        if state.len() > usize::from(u16::MAX) {
            return Err(Refusal::Full);
        }
        let number = self
            .numbers
            .next(&mut pen.block, self.index.limit(), |from, to| {
                self.parents.reserve(from, to)?;
                self.places.reserve(from, to)
            })?;
        let words = Words::of(state);
        let count = words.len();
        self.make_room(pen, count as u32)?;
        for (place, word) in self.words.run(pen.place, count).iter().zip(words.iter()) {
            place.store(word, Ordering::Relaxed);
        }
        let place = self.places.at(number);
        place.store(pen.place + 1, Ordering::Relaxed);
        self.parents.set(number, parent);
        match self
            .index
            .claim(vacancy, hash, number, |number| self.is(number, state))
        {
            Ok(()) => {
                pen.block.take();
                pen.place += count as u32;
                Ok((StateNumber(number), true))
            }
            Err(other) => {
                place.store(0, Ordering::Relaxed);
                Ok((StateNumber(other), false))
            }
        }
    }

    fn find_prepared(&self, state: &[u8], hash: u64) -> Option<StateNumber> {
        let found = self.index.find(hash, |number| self.is(number, state));
        found.ok().map(StateNumber)
    }

    fn parent(&self, number: StateNumber) -> Option<StateNumber> {
        self.parents.of(number)
    }

    fn grow(&mut self, threads: usize) -> Result<(), Refusal> {
        let index = self.index.much_larger()?;
        // In the order of numbers, which is the order in which states lie in memory.
        index.fill(threads, self.numbers.end(), |number| {
            let (first, rest) = self.words(number)?.split_first()?;
            let hash = FoldedHash::new(first.load(Ordering::Relaxed));
            let hash = rest
                .iter()
                .fold(hash, |hash, word| hash.with(word.load(Ordering::Relaxed)));
            Some((number, hash.finish()))
        });
        self.index = index;
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let arena = u64::from(self.blocks.load(Ordering::Relaxed)) << (ARENA_BITS + 3);
        arena + u64::from(self.numbers.end()) * 8 + self.index.bytes()
    }
}
