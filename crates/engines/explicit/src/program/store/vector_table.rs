//! The set of visited states of programs.
//!
//! As `state_table`, but states are byte strings of any length: each lies in an arena behind two bytes for its length, and a state's place is
//! a number of four-byte units. Cost beyond the state: 2 bytes and at most 3 of padding, 4 for the place, 4 for the parent, 8 for the entry at a load between 3/8 and 3/4.

use crate::hash_index::HashIndex;

/// The number of a visited state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateNumber(pub u32);

impl StateNumber {
    /// For tables indexed by states.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

const CHUNK: usize = 1 << 22;
const UNIT: usize = 4;
const NO_PARENT: u32 = u32::MAX;
const SMALLEST_TABLE: usize = 1 << 12;

/// There is no room for another state.
#[derive(Clone, Copy, Debug)]
pub struct TableFull;

/// The visited states.
#[derive(Debug)]
pub struct VectorTable {
    chunks: Vec<Vec<u8>>,
    places: Vec<u32>,
    parents: Vec<u32>,
    index: HashIndex,
}

impl VectorTable {
    pub fn new() -> VectorTable {
        VectorTable {
            chunks: Vec::new(),
            places: Vec::new(),
            parents: Vec::new(),
            index: HashIndex::new(SMALLEST_TABLE),
        }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The state of a number.
    #[inline]
    pub fn state(&self, number: StateNumber) -> &[u8] {
        let at = self.places[number.index()] as usize * UNIT;
        let (chunk, at) = (&self.chunks[at / CHUNK], at % CHUNK);
        let length = u16::from_le_bytes([chunk[at], chunk[at + 1]]) as usize;
        &chunk[at + 2..at + 2 + length]
    }

    /// The state it was first reached from; none for the initial state.
    pub fn parent(&self, number: StateNumber) -> Option<StateNumber> {
        match self.parents[number.index()] {
            NO_PARENT => None,
            parent => Some(StateNumber(parent)),
        }
    }

    /// The number of a visited state.
    #[cfg(test)]
    pub fn find(&self, state: &[u8]) -> Option<StateNumber> {
        let found = self
            .index
            .find(hash(state), |number| self.state(StateNumber(number)) == state);
        found.ok().map(StateNumber)
    }

    /// The hash of a state that will be inserted soon. What inserting it will need is touched, so that the processor fetches it for
    /// several states at the same time.
    #[inline]
    pub fn prepare(&self, state: &[u8]) -> u32 {
        let hash = hash(state);
        if let Some(number) = self.index.likely(hash) {
            std::hint::black_box(self.state(StateNumber(number)).first());
        }
        hash
    }

    /// The number of the state, and whether it is new.
    pub fn insert(
        &mut self,
        state: &[u8],
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), TableFull> {
        self.insert_prepared(state, hash(state), parent)
    }

    /// The same for a state whose hash is known.
    #[inline]
    pub fn insert_prepared(
        &mut self,
        state: &[u8],
        hash: u32,
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), TableFull> {
        let found = self
            .index
            .find(hash, |number| self.state(StateNumber(number)) == state);
        let vacancy = match found {
            Ok(number) => return Ok((StateNumber(number), false)),
            Err(vacancy) => vacancy,
        };
        let size = (state.len() + 2).next_multiple_of(UNIT);
        let length = u16::try_from(state.len()).map_err(|_| TableFull)?;
        if self.chunks.last().is_none_or(|chunk| chunk.len() + size > CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let number = u32::try_from(self.places.len())
            .ok()
            .filter(|&number| number < NO_PARENT - 1)
            .ok_or(TableFull)?;
        let begin = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.last_mut().ok_or(TableFull)?;
        let place = u32::try_from((begin + chunk.len()) / UNIT).map_err(|_| TableFull)?;
        chunk.extend_from_slice(&length.to_le_bytes());
        chunk.extend_from_slice(state);
        chunk.resize(chunk.len().next_multiple_of(UNIT), 0);
        self.places.push(place);
        self.parents.push(parent.map_or(NO_PARENT, |parent| parent.0));
        self.index.occupy(vacancy, hash, number);
        Ok((StateNumber(number), true))
    }
}

/// Eight bytes at a time, mixed by a multiplication whose halves are folded.
#[inline]
fn hash(state: &[u8]) -> u32 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |value: u64| {
        let product = u128::from(value) * u128::from(FACTOR ^ 0x5851_f42d_4c95_7f2d);
        (product as u64) ^ (product >> 64) as u64
    };
    let mut hash = state.len() as u64 ^ FACTOR;
    let (words, rest) = state.as_chunks::<8>();
    for word in words {
        hash = fold(hash ^ u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    hash = fold(hash ^ u64::from_le_bytes(last));
    (fold(hash) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_any_length_are_numbered_and_found_again() {
        let mut table = VectorTable::new();
        let state = |number: u32| number.to_le_bytes().repeat(1 + number as usize % 30);
        for number in 0..200_000u32 {
            let (found, new) = table.insert(&state(number), None).expect("room");
            assert!(new && found.0 == number);
        }
        for number in (0..200_000u32).step_by(997) {
            assert_eq!(table.find(&state(number)), Some(StateNumber(number)));
            assert_eq!(table.state(StateNumber(number)), state(number));
        }
        assert_eq!(table.find(&[1, 2, 3]), None);
    }
}
