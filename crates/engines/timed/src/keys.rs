//! Discrete states by their locations and integers, packed: large models have millions of them, and mostly small numbers.
//!
//! A key is the numbers of a state one after the other, seven bits to a byte, the last byte of a number below 128; the sign is the lowest bit. All keys of a network have equally many numbers, so none begins another one.

use crate::space::StateId;
use entail_clocks::discrete::Discrete;
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The keys of discrete states, by number and by content.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    bytes: Vec<u8>,
    /// For each state: where its key begins.
    starts: Starts,
    known: HashTable<StateId>,
    /// Numbers of a key.
    size: usize,
}

/// Where keys begin. As long as all of them have the same length, that is all there is to know; then it is five bytes for each: a terabyte is enough.
#[derive(Debug, Default)]
struct Starts {
    count: usize,
    /// The length of all keys, until one has another.
    length: Option<usize>,
    low: Vec<u32>,
    high: Vec<u8>,
}

impl Starts {
    /// The next key begins at a place, and is so long.
    fn push(&mut self, start: usize, length: usize) {
        let common = *self.length.get_or_insert(length);
        let is_regular = self.low.is_empty() && length == common && start == self.count * common;
        if !is_regular {
            (self.low.len()..self.count).for_each(|place| self.write(place * common));
            self.write(start);
        }
        self.count += 1;
    }

    fn write(&mut self, start: usize) {
        self.low.push(start as u32);
        self.high.push((start >> 32) as u8);
    }

    fn at(&self, state: StateId) -> usize {
        let place = state as usize;
        match self.low.get(place) {
            Some(&low) => usize::from(self.high[place]) << 32 | low as usize,
            None => place * self.length.unwrap_or(0),
        }
    }
}

fn hash_of(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

/// The key of a state.
pub(crate) fn key_of(discrete: &Discrete) -> Vec<u8> {
    let locations = discrete.locations.iter().map(|&location| location as i64);
    key_of_numbers(locations.chain(discrete.integers.iter().copied()))
}

/// The key of some numbers.
pub(crate) fn key_of_numbers(numbers: impl Iterator<Item = i64>) -> Vec<u8> {
    let mut key = Vec::with_capacity(numbers.size_hint().0);
    write_numbers(&mut key, numbers);
    key
}

/// Writes numbers.
pub(crate) fn write_numbers(key: &mut Vec<u8>, numbers: impl Iterator<Item = i64>) {
    for number in numbers {
        let mut rest = ((number << 1) ^ (number >> 63)) as u64;
        while rest >= 128 {
            key.push(rest as u8 | 128);
            rest >>= 7;
        }
        key.push(rest as u8);
    }
}

impl Keys {
    /// The state with a key.
    pub fn find(&self, key: &[u8]) -> Option<StateId> {
        let is_it = |&state: &StateId| self.bytes[self.starts.at(state)..].starts_with(key);
        self.known.find(hash_of(key), is_it).copied()
    }

    /// Gives the next state a key, which has so many numbers.
    pub fn add(&mut self, key: &[u8], size: usize) {
        let state = self.starts.count as StateId;
        self.size = size;
        self.starts.push(self.bytes.len(), key.len());
        self.bytes.extend_from_slice(key);
        let (bytes, starts) = (&self.bytes, &self.starts);
        let rehash = |&state: &StateId| hash_of(read(&bytes[starts.at(state)..], size).0);
        self.known.insert_unique(hash_of(key), state, rehash);
    }

    /// The next state is a part of another, and has its key.
    pub fn share(&mut self, base: StateId) {
        self.starts.push(self.starts.at(base), 0);
    }

    /// Forgets how keys are found: they are only read from now on.
    pub fn end_search(&mut self) {
        self.known = HashTable::new();
    }

    /// The discrete state of a number, of which so many numbers are locations.
    pub fn discrete(&self, state: StateId, locations: usize) -> Discrete {
        let (_, numbers) = read(&self.bytes[self.starts.at(state)..], self.size);
        let (locations, integers) = numbers.split_at(locations);
        Discrete {
            locations: locations.iter().map(|&location| location as usize).collect(),
            integers: integers.to_vec(),
        }
    }
}

/// The first key of some bytes, with its numbers.
fn read(bytes: &[u8], size: usize) -> (&[u8], Vec<i64>) {
    let mut numbers = Vec::with_capacity(size);
    let mut at = 0;
    while numbers.len() < size {
        numbers.push(read_number(bytes, &mut at));
    }
    (&bytes[..at], numbers)
}

/// All numbers of some bytes.
pub(crate) fn read_numbers(bytes: &[u8]) -> Vec<i64> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        numbers.push(read_number(bytes, &mut at));
    }
    numbers
}

fn read_number(bytes: &[u8], at: &mut usize) -> i64 {
    let (mut number, mut shift) = (0u64, 0);
    loop {
        let byte = bytes[*at];
        *at += 1;
        number |= u64::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            break;
        }
    }
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_come_back_as_they_were_and_are_found_again() {
        let state = |locations: &[usize], integers: &[i64]| Discrete {
            locations: locations.to_vec(),
            integers: integers.to_vec(),
        };
        let all = [
            state(&[0, 3], &[0, -1, 7]),
            state(&[200, 3], &[i64::from(i32::MIN), 63, 64]),
            state(&[100_000, 0], &[-64, -65, i64::from(i32::MAX)]),
        ];
        let mut keys = Keys::default();
        for one in &all {
            assert_eq!(keys.find(&key_of(one)), None);
            keys.add(&key_of(one), 5);
        }
        keys.share(1);
        for (number, one) in (0..).zip(all.iter().chain([&all[1]])) {
            assert_eq!(keys.discrete(number, 2), *one);
        }
        for (number, one) in (0..).zip(&all) {
            assert_eq!(keys.find(&key_of(one)), Some(number));
        }
    }
}
