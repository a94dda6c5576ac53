//! The set of visited states.
//!
//! Packed states lie one after the other in chunks that never move, and are found by their hashes (`hash_index`). Each state also has the number of
//! the state it was first reached from, which is all that shortest traces need: states are numbered in the order of discovery,
//! so a breadth-first queue is the sequence of numbers itself.
//!
//! Cost beyond the packed state: 4 bytes for the parent (8 while its vector grows), and 8 bytes for the entry at a load
//! between 3/8 and 3/4, so 15 to 29 bytes a state.

use crate::hash_index::{HashIndex, Vacancy};

/// The number of a visited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StateId(pub u32);

impl StateId {
    /// For tables indexed by states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const CHUNK_BITS: u32 = 14;
const CHUNK: usize = 1 << CHUNK_BITS;
const NO_PARENT: u32 = u32::MAX;

/// The visited states.
#[derive(Debug)]
pub(crate) struct StateTable {
    words: usize,
    chunks: Vec<Vec<u64>>,
    parents: Vec<u32>,
    index: HashIndex,
}

const SMALLEST_TABLE: usize = 1 << 10;

/// There is no number left for another state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableFull;

impl StateTable {
    pub fn new(words: usize) -> StateTable {
        StateTable {
            words,
            chunks: Vec::new(),
            parents: Vec::new(),
            index: HashIndex::new(SMALLEST_TABLE),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// The packed state of a number.
    #[inline]
    pub fn state(&self, id: StateId) -> &[u64] {
        let (chunk, at) = (id.index() >> CHUNK_BITS, id.index() & (CHUNK - 1));
        &self.chunks[chunk][at * self.words..(at + 1) * self.words]
    }

    /// The state it was first reached from; none for initial states.
    pub fn parent(&self, id: StateId) -> Option<StateId> {
        match self.parents[id.index()] {
            NO_PARENT => None,
            parent => Some(StateId(parent)),
        }
    }

    /// All numbers, in the order of discovery.
    pub fn ids(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.parents.len() as u32).map(StateId)
    }

    #[inline]
    fn look_up(&self, packed: &[u64], hash: u32) -> Result<u32, Vacancy> {
        // States are a few words; calling a comparison routine costs more than comparing.
        let is_same = |id| self.state(StateId(id)).iter().zip(packed).all(|(a, b)| a == b);
        self.index.find(hash, is_same)
    }

    /// Touches what looking these states up will need, so that the processor fetches it for all of them at the same time.
    pub fn warm(&self, states: &[u64]) {
        let mut touched = 0;
        for packed in states.chunks_exact(self.words) {
            if let Some(id) = self.index.likely(hash(packed)) {
                touched ^= self.state(StateId(id))[0];
            }
        }
        std::hint::black_box(touched);
    }

    /// The number of a visited state.
    #[cfg(test)]
    pub fn find(&self, packed: &[u64]) -> Option<StateId> {
        self.look_up(packed, hash(packed)).ok().map(StateId)
    }

    /// The number of the state, and whether it is new.
    #[inline]
    pub fn insert(&mut self, packed: &[u64], parent: Option<StateId>) -> Result<(StateId, bool), TableFull> {
        let hash = hash(packed);
        let vacancy = match self.look_up(packed, hash) {
            Ok(id) => return Ok((StateId(id), false)),
            Err(vacancy) => vacancy,
        };
        let id = u32::try_from(self.parents.len())
            .ok()
            .filter(|&id| id < NO_PARENT - 1)
            .ok_or(TableFull)?;
        self.index.occupy(vacancy, hash, id);
        self.parents.push(parent.map_or(NO_PARENT, |parent| parent.0));
        if id as usize & (CHUNK - 1) == 0 {
            self.chunks.push(Vec::with_capacity(CHUNK * self.words));
        }
        self.chunks
            .last_mut()
            .expect("a chunk was just made if there was none")
            .extend_from_slice(packed);
        Ok((StateId(id), true))
    }

    /// Bytes this table holds.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.capacity() * 8).sum();
        chunks + self.parents.capacity() * 4 + self.index.bytes()
    }
}

#[inline]
fn hash(packed: &[u64]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = 0u64;
    for &word in packed {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
        hash ^= hash >> 32;
    }
    (hash.wrapping_mul(FACTOR) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_numbered_in_the_order_of_discovery_and_found_again() {
        let mut table = StateTable::new(2);
        for number in 0..100_000u64 {
            let parent = number.checked_sub(1).map(|before| StateId(before as u32));
            let (id, new) = table.insert(&[number, number * 7], parent).expect("room");
            assert!(new && id.0 as u64 == number);
        }
        assert_eq!(
            table.insert(&[5, 35], None).map(|found| found.1).ok(),
            Some(false)
        );
        assert_eq!(table.find(&[99_999, 699_993]), Some(StateId(99_999)));
        assert_eq!(table.find(&[99_999, 0]), None);
        assert_eq!(table.state(StateId(77)), [77, 539]);
        assert_eq!(table.parent(StateId(77)), Some(StateId(76)));
        assert!(table.bytes() / table.len() <= 16 + 40);
    }
}
