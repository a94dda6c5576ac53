//! From hashes to numbers: a table that threads share without locks.
//!
//! Open addressing with linear probing over 32-bit entries. An entry holds a number and, in the bits that numbers do not need, a piece of the hash, so that a
//! probe looks at what a number stands for only where the pieces agree. Entries are claimed by compare-and-swap and never change afterwards.
//! Growing, when no thread is inside, needs the hashes again. The load is between 1/2 and 3/4 (less in small tables).

use super::Refusal;
use entail_machine::{prefer_large_pages, prefetch};
use std::ops::Range;
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
/// Filling a table takes so many numbers at a time.
const TOGETHER: usize = 32;
/// So many numbers are worth several threads.
const WORTHWHILE: u32 = 1 << 16;
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
        let zeros: Box<[AtomicU32]> = bytemuck::allocation::zeroed_slice_box(entries);
        prefer_large_pages(&zeros);
        Index {
            entries: zeros,
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

    /// Fills a table on several threads: what each item up to some number stands for, if for anything, is told with its hash.
    pub fn fill(&self, threads: usize, items: u32, item: impl Fn(u32) -> Option<(u32, u64)> + Sync) {
        let put = |items: Range<u32>| {
            let mut items = items.filter_map(&item).fuse();
            // Several at a time, so that the processor can fetch their entries together.
            let mut some = Vec::with_capacity(TOGETHER);
            loop {
                some.clear();
                some.extend(items.by_ref().take(TOGETHER));
                if some.is_empty() {
                    return;
                }
                some.iter().for_each(|&(_, hash)| self.prefetch(hash));
                for &(number, hash) in &some {
                    let entry = self.entry(hash, number);
                    let mut at = self.home(hash);
                    while self.entries[at]
                        .compare_exchange(0, entry, Ordering::Relaxed, Ordering::Relaxed)
                        .is_err()
                    {
                        at = self.after(at);
                    }
                }
            }
        };
        if threads < 2 || items < WORTHWHILE {
            return put(0..items);
        }
        let part = items.div_ceil(threads as u32);
        let put = &put;
        std::thread::scope(|scope| {
            for thread in 0..threads as u32 {
                scope.spawn(move || put((part * thread).min(items)..(part * (thread + 1)).min(items)));
            }
        });
    }

    /// How many entries there are, used or not.
    pub fn len(&self) -> u32 {
        self.entries.len().min(u32::MAX as usize) as u32
    }

    /// The number in an entry.
    pub fn number_at(&self, entry: u32) -> Option<u32> {
        let entry = self.entries[entry as usize].load(Ordering::Relaxed);
        ((u64::from(entry) & ((1 << self.number_bits) - 1)) as u32).checked_sub(1)
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

    /// The processor begins to fetch the entry where a search for this hash begins.
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.entries, self.home(hash));
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

/// The hash of a list of words: the sum of their products with keys of their positions, halves folded. No product waits for another.
#[derive(Clone, Copy, Debug)]
pub struct FoldedHash {
    sum: u64,
    key: u64,
}

impl FoldedHash {
    const FIRST_KEY: u64 = 0x9e37_79b9_7f4a_7c15;
    const STRIDE: u64 = 0xd1b5_4a32_d192_ed03;

    #[inline]
    pub fn new(first: u64) -> FoldedHash {
        let empty = FoldedHash {
            sum: 0,
            key: FoldedHash::FIRST_KEY,
        };
        empty.with(first)
    }

    #[inline]
    pub fn with(self, word: u64) -> FoldedHash {
        let product = u128::from(word ^ self.key) * u128::from(self.key.rotate_left(32) | 1);
        FoldedHash {
            sum: self.sum.wrapping_add((product as u64) ^ (product >> 64) as u64),
            key: self.key.wrapping_add(FoldedHash::STRIDE),
        }
    }

    #[inline]
    pub fn finish(self) -> u64 {
        mix(self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::hash as hash_of_state;

    #[test]
    fn numbers_are_found_again_after_growing() {
        let mut index = Index::new();
        let hash = |number: u32| mix(u64::from(number) / 2 * 2 + 77);
        for number in 0..100_000 {
            if number == index.limit() {
                let larger = index.larger().expect("room");
                larger.fill(3, index.len(), |entry| {
                    index.number_at(entry).map(|number| (number, hash(number)))
                });
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

    /// States of models differ in few bytes, and in small numbers.
    #[test]
    fn hashes_of_states_that_differ_little_are_spread() {
        for length in [3, 8, 15, 16, 17, 40, 100, 200] {
            let mut hashes = Vec::new();
            for value in 0..60_000u32 {
                let mut state = vec![0; length];
                let [low, high, ..] = value.to_le_bytes();
                state[(value as usize * 7) % length] = low;
                state[length / 2] ^= high;
                state[length - 1] ^= low;
                hashes.push((state.clone(), hash_of_state(&state)));
            }
            hashes.sort();
            hashes.dedup();
            let states = hashes.len();
            let distinct = |shift: u32| {
                let mut pieces: Vec<u32> = hashes.iter().map(|(_, hash)| (hash >> shift) as u32).collect();
                pieces.sort_unstable();
                pieces.dedup();
                states - pieces.len()
            };
            // Of 60,000 random 32-bit numbers less than one is expected twice.
            assert!(
                distinct(0) <= 4 && distinct(32) <= 4 && distinct(16) <= 4,
                "{length}"
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
