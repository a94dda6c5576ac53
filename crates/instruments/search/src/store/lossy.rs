//! Sets that keep less than the states: where memory does not suffice for all of them, much can still be searched.
//!
//! - *Hash compaction* (Wolper, Leroy, *Reliable hashing without collision detection*, CAV 1993) keeps a hash of each state.
//! - *Bitstate hashing* (Holzmann, *An improved protocol reachability analysis technique*, 1988) keeps a few bits for each state in an array of fixed size: a Bloom filter.
//!
//! Both may take a new state for a visited one and leave it out, with everything behind it; never the other way round. So what is found is real, and
//! that nothing is found proves nothing. How much was likely left out is estimated along the way.

use super::index::mix;
use super::{Refusal, Visited, hash};

/// Hashes of the states, with so many bits.
#[derive(Debug)]
pub struct HashCompact {
    /// The hashes, placed by their leading bits; 0 where there is none. What hashes to 0 counts as 1.
    slots: Slots,
    bits: u32,
    used: u64,
}

#[derive(Debug)]
enum Slots {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl Slots {
    fn new(bits: u32, length: usize) -> Slots {
        match bits {
            ..=32 => Slots::Narrow(vec![0; length]),
            _ => Slots::Wide(vec![0; length]),
        }
    }

    fn len(&self) -> usize {
        match self {
            Slots::Narrow(slots) => slots.len(),
            Slots::Wide(slots) => slots.len(),
        }
    }

    #[inline]
    fn get(&self, at: usize) -> u64 {
        match self {
            Slots::Narrow(slots) => slots[at].into(),
            Slots::Wide(slots) => slots[at],
        }
    }

    fn set(&mut self, at: usize, hash: u64) {
        match self {
            Slots::Narrow(slots) => slots[at] = hash as u32,
            Slots::Wide(slots) => slots[at] = hash,
        }
    }

    /// Where a hash is, or where it belongs.
    #[inline]
    fn find(&self, hash: u64, bits: u32) -> Result<usize, usize> {
        let mut at = ((u128::from(hash) * self.len() as u128) >> bits) as usize;
        loop {
            match self.get(at) {
                0 => return Err(at),
                found if found == hash => return Ok(at),
                _ => at = if at + 1 == self.len() { 0 } else { at + 1 },
            }
        }
    }
}

impl HashCompact {
    /// Hashes have from 8 to 64 bits.
    pub fn new(bits: u32) -> HashCompact {
        let bits = bits.clamp(8, 64);
        HashCompact {
            slots: Slots::new(bits, 1 << 12),
            bits,
            used: 0,
        }
    }

    fn key(&self, state: &[u8]) -> u64 {
        (hash(state) >> (64 - self.bits)).max(1)
    }
}

impl Visited for HashCompact {
    fn contains(&mut self, state: &[u8]) -> bool {
        self.slots.find(self.key(state), self.bits).is_ok()
    }

    fn insert(&mut self, state: &[u8]) -> Result<bool, Refusal> {
        let key = self.key(state);
        let Err(vacancy) = self.slots.find(key, self.bits) else {
            return Ok(false);
        };
        self.slots.set(vacancy, key);
        self.used += 1;
        if self.used > self.slots.len() as u64 / 4 * 3 {
            let length = self.slots.len() + self.slots.len() / 2;
            let mut larger = Slots::new(self.bits, length);
            for old in (0..self.slots.len()).map(|at| self.slots.get(at)) {
                if old != 0
                    && let Err(vacancy) = larger.find(old, self.bits)
                {
                    larger.set(vacancy, old);
                }
            }
            self.slots = larger;
        }
        Ok(true)
    }

    /// Each pair of states has the same hash with probability `2^-bits`.
    fn expected_omissions(&self) -> f64 {
        let states = self.used as f64;
        states * (states - 1.0).max(0.0) / 2.0 / 2f64.powi(self.bits as i32)
    }

    fn bytes(&self) -> u64 {
        match &self.slots {
            Slots::Narrow(slots) => slots.len() as u64 * 4,
            Slots::Wide(slots) => slots.len() as u64 * 8,
        }
    }
}

/// A Bloom filter of the states.
#[derive(Debug)]
pub struct Bitstate {
    words: Vec<u64>,
    hashes: u32,
    ones: u64,
    omissions: f64,
}

impl Bitstate {
    /// Three bits for a state, as SPIN has by default.
    pub const HASHES: u32 = 3;

    /// A filter of so many bytes, if there is memory for it.
    pub fn new(bytes: u64, hashes: u32) -> Option<Bitstate> {
        let length = usize::try_from(bytes / 8).ok()?.max(1);
        // Asked for without being used, so that a size that cannot be had is an answer and not the end of the program.
        Vec::<u64>::new().try_reserve_exact(length).ok()?;
        Some(Bitstate {
            words: vec![0; length],
            hashes,
            ones: 0,
            omissions: 0.0,
        })
    }

    /// The bits of a state, by double hashing.
    #[inline]
    fn bits(&self, state: &[u8]) -> impl Iterator<Item = (usize, u64)> + use<> {
        let first = hash(state);
        let step = mix(first ^ 0x9e37_79b9_7f4a_7c15) | 1;
        let length = self.words.len() as u128 * 64;
        (0..u64::from(self.hashes)).map(move |count| {
            let hash = first.wrapping_add(count.wrapping_mul(step));
            let bit = ((u128::from(hash) * length) >> 64) as u64;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }

    /// Whether a state is there, or seems to be.
    #[inline]
    pub fn has(&self, state: &[u8]) -> bool {
        self.bits(state).all(|(word, bit)| self.words[word] & bit != 0)
    }

    /// The share of bits that are set.
    fn load(&self) -> f64 {
        self.ones as f64 / (self.words.len() as f64 * 64.0)
    }
}

impl Visited for Bitstate {
    fn contains(&mut self, state: &[u8]) -> bool {
        self.has(state)
    }

    fn insert(&mut self, state: &[u8]) -> Result<bool, Refusal> {
        let taken = self.load().powi(self.hashes as i32);
        let mut new = false;
        for (word, bit) in self.bits(state) {
            if self.words[word] & bit == 0 {
                self.words[word] |= bit;
                self.ones += 1;
                new = true;
            }
        }
        if new {
            // For each new state that is seen to be new, so many are not.
            self.omissions += taken / (1.0 - taken).max(f64::EPSILON);
        }
        Ok(new)
    }

    fn expected_omissions(&self) -> f64 {
        self.omissions
    }

    fn bytes(&self) -> u64 {
        self.words.len() as u64 * 8
    }
}
