//! A set of states unpacked for many lookups: the states one after the other, and a table of their hashes.
//!
//! What a compressed set answers by bisection and reading a block, this answers by one comparison; it takes the memory of the unpacked states and 8 to 16 bytes for each. A hash only tells where to look: states are compared
//! byte by byte. Sets that would take too much memory are left as they are, and asked themselves.

use crate::closed_set::ClosedSet;

/// A set with more bytes than this is not unpacked.
const MOST_BYTES: usize = 1 << 30;

/// A place of the table that is free.
const FREE: u32 = u32::MAX;

/// A set of states for many lookups.
#[derive(Debug)]
pub struct SetIndex<'s> {
    set: &'s ClosedSet,
    unpacked: Option<Unpacked>,
}

#[derive(Debug)]
struct Unpacked {
    bytes: Vec<u8>,
    /// Where each state begins; one more at the end.
    begins: Vec<u32>,
    /// Numbers of states at the places that their hashes name, or behind.
    table: Vec<u32>,
}

impl<'s> SetIndex<'s> {
    /// The states of a set.
    pub fn new(set: &'s ClosedSet) -> SetIndex<'s> {
        SetIndex {
            set,
            unpacked: Unpacked::of(set),
        }
    }

    /// The position of a state in the set, if it is there.
    #[inline]
    pub fn position(&self, state: &[u8]) -> Option<u64> {
        match &self.unpacked {
            Some(unpacked) => unpacked.position(state),
            None => self.set.position(state),
        }
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: &[u8]) -> bool {
        self.position(state).is_some()
    }
}

impl Unpacked {
    fn of(set: &ClosedSet) -> Option<Unpacked> {
        let count = usize::try_from(set.len()).ok()?;
        if count >= FREE as usize / 4 {
            return None;
        }
        let mut unpacked = Unpacked {
            bytes: Vec::new(),
            begins: Vec::with_capacity(count + 1),
            table: Vec::new(),
        };
        let fits = set.for_each(|state| {
            unpacked.begins.push(unpacked.bytes.len() as u32);
            unpacked.bytes.extend_from_slice(state);
            match unpacked.bytes.len() <= MOST_BYTES {
                true => Ok(()),
                false => Err(()),
            }
        });
        fits.ok()?;
        unpacked.begins.push(unpacked.bytes.len() as u32);
        unpacked.table = vec![FREE; (count * 2).next_power_of_two().max(2)];
        let mask = unpacked.table.len() - 1;
        for number in 0..count {
            let mut place = hash(unpacked.state(number)) as usize & mask;
            while unpacked.table[place] != FREE {
                place = (place + 1) & mask;
            }
            unpacked.table[place] = number as u32;
        }
        Some(unpacked)
    }

    #[inline]
    fn state(&self, number: usize) -> &[u8] {
        &self.bytes[self.begins[number] as usize..self.begins[number + 1] as usize]
    }

    #[inline]
    fn position(&self, state: &[u8]) -> Option<u64> {
        let mask = self.table.len() - 1;
        let mut place = hash(state) as usize & mask;
        loop {
            match self.table[place] {
                FREE => return None,
                number if self.state(number as usize) == state => return Some(u64::from(number)),
                _ => place = (place + 1) & mask,
            }
        }
    }
}

/// A hash of a state, eight bytes at a time.
#[inline]
fn hash(state: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = state.len() as u64;
    let mut add = |word: u64| hash = (hash.rotate_left(23) ^ word).wrapping_mul(FACTOR);
    let (words, rest) = state.as_chunks::<8>();
    words.iter().for_each(|word| add(u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    add(u64::from_le_bytes(last));
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookups_give_what_the_set_gives() {
        for count in [0usize, 1, 2, 31, 500] {
            let states: Vec<Box<[u8]>> = (0..count)
                .map(|number| vec![number as u8; number * 7 % 23].into())
                .collect();
            let set = ClosedSet::new(states.clone());
            let index = SetIndex::new(&set);
            for length in 0..25 {
                for byte in 0..=255u8 {
                    let state = vec![byte; length];
                    assert_eq!(index.position(&state), set.position(&state));
                }
            }
            assert!(states.iter().all(|state| index.contains(state)));
        }
    }
}
