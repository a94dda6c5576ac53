//! All states found so far, in one long array, found again by hashing.
//!
//! A state's number is its position. The table is open, with linear probing; a slot holds a number and 32 bits of the hash, whose upper bits
//! are the position of the slot. So growing never looks at the states and writes the new table from front to back. States are looked up many
//! at a time, in three passes: reading slots, comparing states, and the rest one by one. Each pass but the last is made of independent reads,
//! which the processor overlaps, for nearly each one misses its caches.

use crate::packing::Layout;
use crate::sparse::NONE;
use entail_markov::Network;

/// A slot without a state.
const EMPTY: u64 = u64::MAX;
/// Slots of the smallest table, as a power of two.
const FEWEST: u32 = 10;

/// All states found so far.
#[derive(Clone, Debug)]
pub struct StateStore {
    pub(crate) layout: Layout,
    words: Vec<u64>,
    /// Hash above, number below.
    slots: Vec<u64>,
    /// The slot of a hash is the hash shifted so far.
    shift: u32,
}

/// What was found out about many states.
#[derive(Default)]
pub(crate) struct Lookup {
    hashes: Vec<u32>,
    pub numbers: Vec<u32>,
    /// Positions of states without a number, in increasing order.
    unknown: Vec<u32>,
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
        }
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
    fn is(&self, number: u32, packed: &[u64]) -> bool {
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
        let last = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at];
            if slot == EMPTY {
                return Err(at);
            }
            if (slot >> 32) as u32 == hash && self.is(slot as u32, packed) {
                return Ok(slot as u32);
            }
            at = (at + 1) & last;
        }
    }

    fn intern_hashed(&mut self, hash: u32, packed: &[u64]) -> u32 {
        let at = match self.find(hash, packed) {
            Ok(number) => return number,
            Err(at) => at,
        };
        let number = self.len() as u32;
        self.words.extend_from_slice(packed);
        self.slots[at] = u64::from(hash) << 32 | u64::from(number);
        if (number as usize + 1) * 10 > self.slots.len() * 7 {
            self.grow();
        }
        number
    }

    /// Doubles the table. Slots come in the order of their hashes, but for the few that were moved around its end.
    fn grow(&mut self) {
        let Some(shift) = self.shift.checked_sub(1) else {
            return;
        };
        let mut slots = vec![EMPTY; self.slots.len() * 2];
        let last = slots.len() - 1;
        for &slot in self.slots.iter().filter(|&&slot| slot != EMPTY) {
            let mut at = ((slot >> 32) as u32 >> shift) as usize;
            while slots[at] != EMPTY {
                at = (at + 1) & last;
            }
            slots[at] = slot;
        }
        self.slots = slots;
        self.shift = shift;
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
            let slot = self.slots[(hash >> self.shift) as usize];
            match (slot >> 32) as u32 == hash {
                true => slot as u32,
                false => NONE,
            }
        }));
        unknown.clear();
        for (at, (number, state)) in numbers.iter_mut().zip(packed.chunks_exact(width)).enumerate() {
            if *number == NONE || !self.is(*number, state) {
                unknown.push(at as u32);
            }
        }
    }

    /// Looks in further slots for the states that [`StateStore::look_up`] has not found.
    pub(crate) fn look_further(&self, packed: &[u64], found: &mut Lookup) {
        let width = self.layout.words;
        let Lookup {
            hashes,
            numbers,
            unknown,
        } = found;
        unknown.retain(|&at| {
            let at = at as usize;
            let known = self.find(hashes[at], &packed[at * width..(at + 1) * width]);
            numbers[at] = known.unwrap_or(NONE);
            known.is_err()
        });
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
        }
    }

    /// Frees what only exploring needs.
    pub(crate) fn finish(&mut self) {
        self.slots = Vec::new();
        self.words.shrink_to_fit();
    }
}
