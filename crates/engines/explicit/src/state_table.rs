//! The set of visited states.
//!
//! Packed states lie one after the other in chunks that never move; a hash table holds their numbers only and finds
//! a state by comparing it in place. Each state also has the number of the state it was first reached from, which is all
//! that shortest traces need: states are numbered in the order of discovery, so a breadth-first queue is the sequence of
//! numbers itself.
//!
//! Cost beyond the packed state: 4 bytes for the parent, and a 4-byte entry with its control byte at a load between 7/16
//! and 7/8, so 10 to 16 bytes a state.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

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
    table: HashTable<u32>,
}

/// There is no number left for another state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableFull;

impl StateTable {
    pub fn new(words: usize) -> StateTable {
        StateTable {
            words,
            chunks: Vec::new(),
            parents: Vec::new(),
            table: HashTable::new(),
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

    /// The number of a visited state.
    #[cfg(test)]
    pub fn find(&self, packed: &[u64]) -> Option<StateId> {
        self.table
            .find(hash(packed), |&other| self.state(StateId(other)) == packed)
            .map(|&id| StateId(id))
    }

    /// The number of the state, and whether it is new.
    pub fn insert(&mut self, packed: &[u64], parent: Option<StateId>) -> Result<(StateId, bool), TableFull> {
        let StateTable {
            words,
            chunks,
            parents,
            table,
        } = self;
        let words = *words;
        let same = |&other: &u32| {
            let (chunk, at) = (other as usize >> CHUNK_BITS, other as usize & (CHUNK - 1));
            chunks[chunk][at * words..(at + 1) * words] == *packed
        };
        let rehash = |&other: &u32| {
            let (chunk, at) = (other as usize >> CHUNK_BITS, other as usize & (CHUNK - 1));
            hash(&chunks[chunk][at * words..(at + 1) * words])
        };
        match table.entry(hash(packed), same, rehash) {
            hashbrown::hash_table::Entry::Occupied(found) => Ok((StateId(*found.get()), false)),
            hashbrown::hash_table::Entry::Vacant(vacant) => {
                let id = u32::try_from(parents.len())
                    .ok()
                    .filter(|&id| id != NO_PARENT)
                    .ok_or(TableFull)?;
                vacant.insert(id);
                parents.push(parent.map_or(NO_PARENT, |parent| parent.0));
                if id as usize & (CHUNK - 1) == 0 {
                    chunks.push(Vec::with_capacity(CHUNK * words));
                }
                chunks
                    .last_mut()
                    .expect("a chunk was just made if there was none")
                    .extend_from_slice(packed);
                Ok((StateId(id), true))
            }
        }
    }

    /// Bytes this table holds.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let chunks: usize = self.chunks.iter().map(|chunk| chunk.capacity() * 8).sum();
        chunks + self.parents.capacity() * 4 + self.table.allocation_size()
    }
}

#[inline]
fn hash(packed: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in packed {
        hasher.write_u64(word);
    }
    hasher.finish()
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
