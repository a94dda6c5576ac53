//! States that were met and may be known already: a set in memory of bounded size, written out as a sorted one.
//!
//! Most states are met several times on a level, so each is kept once: a table of places in a list of bytes, each with the hash that its own place follows from, probed one after the other. States wait until some have come, so that
//! the processor fetches what inserting them needs at the same time for all of them. Sorting compares twelve bytes behind what all states have in
//! common at their beginning, kept beside the place of each state, and looks at the states themselves only where those are equal.

use super::hash;
use super::run::{Run, RunWriter};
use super::tape::Folder;
use entail_machine::prefetch;
use std::cmp::Ordering;
use std::io;

/// Places of states are numbers of 32 bits.
const MOST_BYTES: usize = u32::MAX as usize - (1 << 17);
/// Entries of the smallest table.
const SMALLEST: usize = 1 << 10;
/// Bytes of a key for sorting.
const KEY: usize = 12;

/// So many states are inserted together.
const TOGETHER: usize = 32;

/// A set of states.
#[derive(Debug)]
pub struct Candidates {
    /// Two bytes for the length of a state, then the state.
    bytes: Vec<u8>,
    count: usize,
    /// Where a state begins, plus one, and above it the state's hash; 0 where there is none.
    table: Vec<u64>,
    /// Hashes of states that wait to be inserted, and where each ends among their bytes.
    waiting: Vec<(u32, usize)>,
    waiting_bytes: Vec<u8>,
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
            waiting: Vec::with_capacity(TOGETHER),
            waiting_bytes: Vec::new(),
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
        let table = match self.is_crowded() {
            true => 16 * self.table.len(),
            false => 8 * self.table.len(),
        };
        self.bytes.len() > MOST_BYTES || 2 * self.bytes.len() + table + 16 * self.count >= self.most
    }

    fn is_crowded(&self) -> bool {
        2 * (self.count + TOGETHER) >= self.table.len()
    }

    /// Adds a state if it is not there.
    #[inline]
    pub fn insert(&mut self, state: &[u8]) {
        let hash = (hash(state) >> 32) as u32;
        prefetch(&self.table, slot(hash, self.table.len()));
        self.waiting_bytes.extend_from_slice(state);
        self.waiting.push((hash, self.waiting_bytes.len()));
        if self.waiting.len() == TOGETHER {
            self.insert_waiting();
        }
    }

    fn insert_waiting(&mut self) {
        if self.is_crowded() {
            self.grow();
        }
        let length = self.table.len();
        for &(hash, _) in &self.waiting {
            let found = self.table[slot(hash, length)];
            if (found >> 32) as u32 == hash && found as u32 != 0 {
                prefetch(&self.bytes, found as u32 as usize);
            }
        }
        let mut begin = 0;
        for position in 0..self.waiting.len() {
            let (hash, end) = self.waiting[position];
            let state = &self.waiting_bytes[begin..end];
            begin = end;
            let mut slot = slot(hash, length);
            let is_there = loop {
                let found = self.table[slot];
                if found == 0 {
                    break false;
                }
                if (found >> 32) as u32 == hash && at(&self.bytes, found as u32 - 1) == state {
                    break true;
                }
                slot = if slot + 1 == length { 0 } else { slot + 1 };
            };
            if !is_there {
                self.table[slot] = u64::from(hash) << 32 | (self.bytes.len() as u64 + 1);
                self.bytes.extend_from_slice(&(state.len() as u16).to_le_bytes());
                self.bytes.extend_from_slice(state);
                self.count += 1;
            }
        }
        self.waiting.clear();
        self.waiting_bytes.clear();
    }

    fn grow(&mut self) {
        let length = 2 * self.table.len();
        let mut larger = vec![0; length];
        for &entry in self.table.iter().filter(|&&entry| entry != 0) {
            let mut slot = slot((entry >> 32) as u32, length);
            while larger[slot] != 0 {
                slot = if slot + 1 == length { 0 } else { slot + 1 };
            }
            larger[slot] = entry;
        }
        self.table = larger;
    }

    /// Writes the states in order and forgets them; nothing if there are none.
    pub fn write(&mut self, folder: &Folder) -> io::Result<Option<Run>> {
        self.insert_waiting();
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
        // After a wide level there may be many narrow ones, each of which would clear a large table.
        let suits = (4 * self.count).next_power_of_two().max(SMALLEST);
        match suits < self.table.len() / 4 {
            true => self.table = vec![0; suits],
            false => self.table.fill(0),
        }
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

/// Where a hash belongs in a table of some length.
#[inline]
fn slot(hash: u32, length: usize) -> usize {
    ((u64::from(hash) * length as u64) >> 32) as usize
}

/// The state at a place.
#[inline]
fn at(bytes: &[u8], place: u32) -> &[u8] {
    let begin = place as usize + 2;
    let length = u16::from_le_bytes([bytes[begin - 2], bytes[begin - 1]]);
    &bytes[begin..begin + usize::from(length)]
}
