//! From hashes to numbers: a table that threads share without locks.
//!
//! Open addressing with linear probing over 32-bit entries. An entry holds a number and, in the bits that numbers do not need, a piece of the hash, so that a
//! probe looks at what a number stands for only where the pieces agree. Entries are claimed by compare-and-swap and never change afterwards.
//! Growing, when no thread is inside, needs the hashes again. The load is between 1/2 and 3/4 (less in small tables).

use super::Refusal;
use std::sync::atomic::{AtomicU32, Ordering};

/// The table.
#[derive(Debug)]
pub struct Index {
    entries: Box<[AtomicU32]>,
    number_bits: u32,
}

/// A free entry, for a number that is not there.
#[derive(Clone, Copy, Debug)]
pub struct Vacancy(usize);

const SMALLEST: usize = 1 << 14;
/// From here on tables grow by half, not to the double.
const LARGE: usize = 1 << 22;
/// There is no table for larger numbers.
const LAST_LIMIT: u32 = u32::MAX - 1;

fn limit(entries: usize) -> u32 {
    (entries as u64 / 4 * 3).min(LAST_LIMIT.into()) as u32
}

impl Index {
    pub fn new() -> Index {
        Index::with_entries(SMALLEST)
    }

    fn with_entries(entries: usize) -> Index {
        Index {
            entries: bytemuck::allocation::zeroed_slice_box(entries),
            number_bits: 32 - limit(entries).leading_zeros(),
        }
    }

    /// Numbers must be less.
    pub fn limit(&self) -> u32 {
        limit(self.entries.len())
    }

    /// An empty table that is larger, if numbers allow for one.
    pub fn larger(&self) -> Result<Index, Refusal> {
        match (self.limit(), self.entries.len()) {
            (LAST_LIMIT, _) => Err(Refusal::Full),
            (_, small) if small < LARGE => Ok(Index::with_entries(small * 2)),
            (_, large) => Ok(Index::with_entries(large + large / 2)),
        }
    }

    /// The same, four times as large while that is little memory: for those to whom filling it costs much.
    pub fn much_larger(&self) -> Result<Index, Refusal> {
        match self.entries.len() {
            small if small < LARGE => Ok(Index::with_entries(small * 4)),
            _ => self.larger(),
        }
    }

    /// Fills an empty table.
    pub fn fill(&mut self, numbers: impl Iterator<Item = (u32, u64)>) {
        for (number, hash) in numbers {
            let entry = self.entry(hash, number);
            let mut at = self.home(hash);
            while *self.entries[at].get_mut() != 0 {
                at = self.after(at);
            }
            *self.entries[at].get_mut() = entry;
        }
    }

    /// All numbers in the table.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        let mask = (1u64 << self.number_bits) - 1;
        let entries = self.entries.iter().map(|entry| entry.load(Ordering::Relaxed));
        entries.filter_map(move |entry| ((u64::from(entry) & mask) as u32).checked_sub(1))
    }

    /// Bytes it holds.
    pub fn bytes(&self) -> u64 {
        self.entries.len() as u64 * 4
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.entries.len() as u128) >> 64) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        match at + 1 {
            end if end == self.entries.len() => 0,
            next => next,
        }
    }

    #[inline]
    fn entry(&self, hash: u64, number: u32) -> u32 {
        (hash << self.number_bits) as u32 | (number + 1)
    }

    /// The number in an entry if its piece of the hash agrees.
    #[inline]
    fn agreeing(&self, entry: u32, hash: u64) -> Option<u32> {
        let piece = u64::from(entry ^ (hash << self.number_bits) as u32) >> self.number_bits;
        (piece == 0).then(|| (u64::from(entry) & ((1 << self.number_bits) - 1)) as u32 - 1)
    }

    /// The number with this hash that is the right one, or where it belongs.
    #[inline]
    pub fn find(&self, hash: u64, is_right: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        self.probe(self.home(hash), hash, is_right)
    }

    #[inline]
    fn probe(&self, from: usize, hash: u64, mut is_right: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        let mut at = from;
        loop {
            let entry = self.entries[at].load(Ordering::Acquire);
            if entry == 0 {
                return Err(Vacancy(at));
            }
            if let Some(number) = self.agreeing(entry, hash)
                && is_right(number)
            {
                return Ok(number);
            }
            at = self.after(at);
        }
    }

    /// The number in the entry where a search for this hash begins, if the piece agrees: most likely the one that will be found.
    #[inline]
    pub fn likely(&self, hash: u64) -> Option<u32> {
        let entry = self.entries[self.home(hash)].load(Ordering::Acquire);
        match entry {
            0 => None,
            entry => self.agreeing(entry, hash),
        }
    }

    /// Puts a number where a search for it has ended, or gives the right one that another thread has put there meanwhile.
    #[inline]
    pub fn claim(
        &self,
        vacancy: Vacancy,
        hash: u64,
        number: u32,
        mut is_right: impl FnMut(u32) -> bool,
    ) -> Result<(), u32> {
        let entry = self.entry(hash, number);
        let mut at = vacancy.0;
        loop {
            let claimed = self.entries[at].compare_exchange(0, entry, Ordering::AcqRel, Ordering::Acquire);
            if claimed.is_ok() {
                return Ok(());
            }
            match self.probe(at, hash, &mut is_right) {
                Ok(number) => return Err(number),
                Err(Vacancy(next)) => at = next,
            }
        }
    }
}

/// A bijection that spreads every bit over all (the finaliser of MurmurHash3).
#[inline]
pub fn mix(mut value: u64) -> u64 {
    value ^= value >> 33;
    value = value.wrapping_mul(0xff51_afd7_ed55_8ccd);
    value ^= value >> 33;
    value = value.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    value ^ value >> 33
}

/// Eight bytes at a time, mixed by a multiplication whose halves are folded.
#[inline]
pub fn hash(state: &[u8]) -> u64 {
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
    mix(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_again_after_growing() {
        let mut index = Index::new();
        let hash = |number: u32| mix(u64::from(number) / 2 * 2 + 77);
        for number in 0..100_000 {
            if number == index.limit() {
                let mut larger = index.larger().expect("room");
                larger.fill(index.numbers().map(|number| (number, hash(number))));
                index = larger;
            }
            let Err(vacancy) = index.find(hash(number), |found| found == number) else {
                panic!("{number} is new");
            };
            assert_eq!(
                index.claim(vacancy, hash(number), number, |found| found == number),
                Ok(())
            );
        }
        for number in 0..100_000 {
            assert_eq!(
                index.find(hash(number), |found| found == number).ok(),
                Some(number)
            );
        }
    }

    #[test]
    fn of_threads_that_claim_the_same_one_wins() {
        let index = Index::new();
        let winners: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4u32)
                .map(|thread| {
                    let index = &index;
                    // Number k and thread t make 4k + t, which stands for k.
                    scope.spawn(move || {
                        (0..700u32)
                            .filter(|&key| {
                                let is_right = |number: u32| number / 4 == key;
                                match index.find(mix(key.into()), is_right) {
                                    Ok(_) => false,
                                    Err(vacancy) => index
                                        .claim(vacancy, mix(key.into()), 4 * key + thread, is_right)
                                        .is_ok(),
                                }
                            })
                            .count()
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .sum()
        });
        assert_eq!(winners, 700);
    }
}
