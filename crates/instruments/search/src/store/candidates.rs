//! States that were met and may be known already: a set in memory of bounded size, written out as a sorted one.
//!
//! Most states are met several times on a level, so each is kept once: a table of places in a list of bytes, probed one after the other. Sorting compares twelve bytes behind what all states have in
//! common at their beginning, kept beside the place of each state, and looks at the states themselves only where those are equal.

use super::hash;
use super::run::{Run, RunWriter};
use super::tape::Folder;
use std::cmp::Ordering;
use std::io;

/// Places of states are numbers of 32 bits.
const MOST_BYTES: usize = u32::MAX as usize - (1 << 17);
/// Entries of the smallest table.
const SMALLEST: usize = 1 << 10;
/// Bytes of a key for sorting.
const KEY: usize = 12;

/// A set of states.
#[derive(Debug)]
pub struct Candidates {
    /// Two bytes for the length of a state, then the state.
    bytes: Vec<u8>,
    count: usize,
    /// Where a state begins, plus one; 0 where there is none.
    table: Vec<u32>,
    /// Bytes of memory that it may take, sorting included.
    most: usize,
}

impl Candidates {
    /// An empty set that takes at most so much memory (some thousand bytes more if that is very little).
    pub fn new(most: usize) -> Candidates {
        Candidates {
            bytes: Vec::new(),
            count: 0,
            table: vec![0; SMALLEST],
            most,
        }
    }

    fn at(&self, place: u32) -> &[u8] {
        at(&self.bytes, place)
    }

    /// Whether the set must be written out before another state comes.
    #[inline]
    pub fn is_full(&self) -> bool {
        // Lists double when they grow, and sorting takes 16 bytes for each state.
        let table = match 2 * self.count >= self.table.len() {
            true => 8 * self.table.len(),
            false => 4 * self.table.len(),
        };
        self.bytes.len() > MOST_BYTES || 2 * self.bytes.len() + table + 16 * self.count >= self.most
    }

    /// Adds a state if it is not there.
    #[inline]
    pub fn insert(&mut self, state: &[u8]) {
        if 2 * self.count >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let mut slot = hash(state) as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                place if self.at(place - 1) == state => return,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.table[slot] = self.bytes.len() as u32 + 1;
        self.bytes.extend_from_slice(&(state.len() as u16).to_le_bytes());
        self.bytes.extend_from_slice(state);
        self.count += 1;
    }

    fn grow(&mut self) {
        let mut larger = vec![0; 2 * self.table.len()];
        let mask = larger.len() - 1;
        for &place in self.table.iter().filter(|&&place| place != 0) {
            let mut slot = hash(self.at(place - 1)) as usize & mask;
            while larger[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            larger[slot] = place;
        }
        self.table = larger;
    }

    /// Writes the states in order and forgets them; nothing if there are none.
    pub fn write(&mut self, folder: &Folder) -> io::Result<Option<Run>> {
        if self.count == 0 {
            return Ok(None);
        }
        let common = self.common();
        let mut keys: Vec<u128> = Vec::with_capacity(self.count);
        let mut place = 0;
        while place < self.bytes.len() {
            let state = self.at(place as u32);
            let rest = &state[common..];
            let mut key = [0; 16];
            let length = rest.len().min(KEY);
            key[..length].copy_from_slice(&rest[..length]);
            keys.push(u128::from_be_bytes(key) | place as u128);
            place += 2 + state.len();
        }
        let bytes = &self.bytes;
        keys.sort_unstable_by(|&left, &right| match (left >> 32).cmp(&(right >> 32)) {
            Ordering::Equal => at(bytes, left as u32).cmp(at(bytes, right as u32)),
            other => other,
        });
        let mut run = RunWriter::new(folder);
        for key in keys {
            run.push(at(bytes, key as u32))?;
        }
        self.bytes.clear();
        self.table.fill(0);
        self.count = 0;
        run.finish().map(Some)
    }

    /// How many bytes all states begin with alike.
    fn common(&self) -> usize {
        let first = self.at(0);
        let (mut common, mut place) = (first.len(), 0);
        while place < self.bytes.len() && common > 0 {
            let state = self.at(place as u32);
            let pairs = first[..common].iter().zip(state);
            common = pairs.take_while(|(left, right)| left == right).count();
            place += 2 + state.len();
        }
        common
    }
}

/// The state at a place.
#[inline]
fn at(bytes: &[u8], place: u32) -> &[u8] {
    let begin = place as usize + 2;
    let length = u16::from_le_bytes([bytes[begin - 2], bytes[begin - 1]]);
    &bytes[begin..begin + usize::from(length)]
}
