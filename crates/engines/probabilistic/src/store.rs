//! All states found so far, in one long array, found again by hashing.
//!
//! A state's number is its position. The table is open, with linear probing; a slot holds a number and 32 bits of the hash, whose upper bits
//! are the position of the slot. So growing never looks at the states and writes the new table from front to back. States are looked up many
//! at a time, in three passes: reading slots, comparing states, and the rest one by one. Each pass but the last is made of independent reads,
//! which the processor overlaps, for nearly each one misses its caches.
//!
//! The table has sixteen parts, by the uppermost bits of the hash, and probing goes round within a part. So several threads can put states into different parts at the same
//! time ([`crate::newcomers`]), and let the parts grow.

use crate::packing::Layout;
use crate::sparse::NONE;
use entail_markov::Network;
use rayon::prelude::*;

/// A slot without a state. It is zero, so that fresh memory is an empty table.
pub(crate) const EMPTY: u64 = 0;
/// Slots of the smallest table, as a power of two.
const FEWEST: u32 = 10;
/// Parts of the table, as a power of two.
const PARTS: u32 = 4;

/// The slot of a state: its hash above, its number, and one more, below.
#[inline]
pub(crate) fn slot(hash: u32, number: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(number + 1)
}

/// The hash and the number in a slot that is not empty.
#[inline]
pub(crate) fn in_slot(slot: u64) -> (u32, u32) {
    ((slot >> 32) as u32, (slot as u32).wrapping_sub(1))
}

/// All states found so far.
#[derive(Clone, Debug)]
pub struct StateStore {
    pub(crate) layout: Layout,
    words: Vec<u64>,
    slots: Vec<u64>,
    /// The slot of a hash is the hash shifted so far.
    shift: u32,
    /// How many states each part of the table has.
    filled: Vec<u32>,
}

/// The states that are stored, while slots are filled.
#[derive(Clone, Copy)]
pub(crate) struct Known<'s> {
    words: &'s [u64],
    pub width: usize,
    pub shift: u32,
}

impl Known<'_> {
    /// A state as it is packed.
    #[inline]
    pub fn packed(&self, number: u32) -> &[u64] {
        let from = number as usize * self.width;
        &self.words[from..from + self.width]
    }
}

/// What was found out about many states.
#[derive(Default)]
pub(crate) struct Lookup {
    pub hashes: Vec<u32>,
    pub numbers: Vec<u32>,
    /// Positions of states without a number, in increasing order.
    pub unknown: Vec<u32>,
}

/// 32 bits of a good hash: products of 128 bits, folded.
#[inline]
fn hash(packed: &[u64]) -> u32 {
    let mut sum = 0x9e37_79b9_7f4a_7c15_u64;
    for &word in packed {
        let product = u128::from(word ^ sum) * 0xa076_1d64_78bd_642f_u128;
        let folded = product as u64 ^ (product >> 64) as u64;
        sum = folded.wrapping_add(0x2d35_8dcc_aa6c_78a5);
    }
    let product = u128::from(sum) * 0x8ebc_6af0_9c88_c6e3_u128;
    ((product as u64 ^ (product >> 64) as u64) >> 32) as u32
}

impl StateStore {
    pub(crate) fn new(network: &Network) -> StateStore {
        StateStore {
            layout: Layout::new(network),
            words: Vec::new(),
            slots: vec![EMPTY; 1 << FEWEST],
            shift: 32 - FEWEST,
            filled: vec![0; 1 << PARTS],
        }
    }

    /// The part of the table in which a hash belongs.
    #[inline]
    pub(crate) fn part(hash: u32) -> usize {
        (hash >> (32 - PARTS)) as usize
    }

    /// How many parts the table has.
    pub(crate) fn parts(&self) -> usize {
        self.filled.len()
    }

    /// The slot behind a slot, in the same part.
    #[inline]
    fn behind(&self, at: usize) -> usize {
        let within = (self.slots.len() >> PARTS) - 1;
        at & !within | (at + 1) & within
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.words.len() / self.layout.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// A state as it is packed.
    #[inline]
    pub(crate) fn packed(&self, number: usize) -> &[u64] {
        &self.words[number * self.layout.words..(number + 1) * self.layout.words]
    }

    #[inline]
    pub(crate) fn is(&self, number: u32, packed: &[u64]) -> bool {
        let known = self.packed(number as usize);
        known.iter().zip(packed).all(|(a, b)| a == b)
    }

    /// The number of a packed state, a new one if it is new.
    pub(crate) fn intern(&mut self, packed: &[u64]) -> u32 {
        self.intern_hashed(hash(packed), packed)
    }

    /// Numbers states given by the values of their variables.
    pub(crate) fn intern_values(&mut self, states: Vec<Vec<i64>>) -> Vec<u32> {
        let mut packed = vec![0u64; self.layout.words];
        let number = |state: Vec<i64>| {
            self.layout.pack(&state, &mut packed);
            self.intern(&packed)
        };
        states.into_iter().map(number).collect()
    }

    /// The number of a packed state, or the slot where it belongs.
    #[inline]
    fn find(&self, hash: u32, packed: &[u64]) -> Result<u32, usize> {
        let mut at = (hash >> self.shift) as usize;
        loop {
            if self.slots[at] == EMPTY {
                return Err(at);
            }
            let (known, number) = in_slot(self.slots[at]);
            if known == hash && self.is(number, packed) {
                return Ok(number);
            }
            at = self.behind(at);
        }
    }

    fn intern_hashed(&mut self, hash: u32, packed: &[u64]) -> u32 {
        let at = match self.find(hash, packed) {
            Ok(number) => return number,
            Err(at) => at,
        };
        let number = self.len() as u32;
        self.words.extend_from_slice(packed);
        self.slots[at] = slot(hash, number);
        let part = StateStore::part(hash);
        self.filled[part] += 1;
        if self.is_tight(self.filled[part]) {
            self.grow();
        }
        number
    }

    /// Whether a part is too full with so many states.
    fn is_tight(&self, states: u32) -> bool {
        states as usize * 4 > (self.slots.len() >> PARTS) * 3
    }

    /// Doubles the table. Slots come in the order of their hashes, but for the few that were moved around the ends of parts.
    fn grow(&mut self) {
        let Some(shift) = self.shift.checked_sub(1) else {
            return;
        };
        let part = self.slots.len() >> PARTS;
        let within = 2 * part - 1;
        let mut slots = vec![EMPTY; self.slots.len() * 2];
        let fill = |(new, old): (&mut [u64], &[u64])| {
            for &slot in old.iter().filter(|&&slot| slot != EMPTY) {
                let mut at = (in_slot(slot).0 >> shift) as usize & within;
                while new[at] != EMPTY {
                    at = (at + 1) & within;
                }
                new[at] = slot;
            }
        };
        match rayon::current_thread_index() {
            // Several threads are exploring.
            Some(_) => (slots.par_chunks_mut(2 * part).zip(self.slots.par_chunks(part))).for_each(fill),
            None => (slots.chunks_mut(2 * part).zip(self.slots.chunks(part))).for_each(fill),
        }
        self.slots = slots;
        self.shift = shift;
    }

    /// Makes room for more states, so many in each part.
    pub(crate) fn reserve(&mut self, more: &[usize]) {
        let tight = |store: &StateStore| {
            let wanted = store.filled.iter().zip(more);
            wanted
                .into_iter()
                .any(|(&filled, &more)| store.is_tight(filled + more as u32))
        };
        while self.shift > 0 && tight(self) {
            self.grow();
        }
    }

    /// The parts of the table, each to be filled by one thread, with how many states each has; then the states, and how far hashes are shifted.
    pub(crate) fn in_parts(&mut self) -> (Vec<(&mut [u64], &mut u32)>, Known<'_>) {
        let part = self.slots.len() >> PARTS;
        let known = Known {
            words: &self.words,
            width: self.layout.words,
            shift: self.shift,
        };
        let parts = self.slots.chunks_mut(part).zip(&mut self.filled).collect();
        (parts, known)
    }

    /// Appends packed states whose slots are filled.
    pub(crate) fn append(&mut self, words: &[u64]) {
        self.words.extend_from_slice(words);
    }

    /// Words of a packed state.
    pub(crate) fn width(&self) -> usize {
        self.layout.words
    }

    /// Looks for many packed states that lie one after the other, each in one slot only: their hashes, the numbers of those that are there, and the positions of
    /// the others.
    pub(crate) fn look_up(&self, packed: &[u64], found: &mut Lookup) {
        let width = self.layout.words;
        let Lookup {
            hashes,
            numbers,
            unknown,
        } = found;
        hashes.clear();
        hashes.extend(packed.chunks_exact(width).map(hash));
        numbers.clear();
        numbers.extend(hashes.iter().map(|&hash| {
            // Of an empty slot that is NONE.
            match in_slot(self.slots[(hash >> self.shift) as usize]) {
                (known, number) if known == hash => number,
                _ => NONE,
            }
        }));
        unknown.clear();
        for (at, (number, state)) in numbers.iter_mut().zip(packed.chunks_exact(width)).enumerate() {
            if *number == NONE || !self.is(*number, state) {
                unknown.push(at as u32);
            }
        }
    }

    /// Numbers the states that were not found; new ones get numbers in their order.
    pub(crate) fn intern_unknown(&mut self, packed: &[u64], found: &mut Lookup) {
        let width = self.layout.words;
        for &at in &found.unknown {
            let at = at as usize;
            let state = &packed[at * width..(at + 1) * width];
            found.numbers[at] = self.intern_hashed(found.hashes[at], state);
        }
    }

    /// The values of the variables in a state.
    pub fn read(&self, number: usize, state: &mut Vec<i64>) {
        state.resize(self.layout.variables(), 0);
        self.layout.unpack(self.packed(number), state);
    }

    /// Some of the states, in another order, to be read only.
    pub(crate) fn in_order(&self, order: &[u32]) -> StateStore {
        let words = order.iter().flat_map(|&state| self.packed(state as usize));
        StateStore {
            layout: self.layout.clone(),
            words: words.copied().collect(),
            slots: Vec::new(),
            shift: self.shift,
            filled: Vec::new(),
        }
    }

    /// Frees what only exploring needs.
    pub(crate) fn finish(&mut self) {
        self.slots = Vec::new();
        self.words.shrink_to_fit();
    }
}
