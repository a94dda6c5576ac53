//! Which fairness conditions an edge meets, and which it has to.
//!
//! A condition over the current state is met by every edge that leaves a state satisfying it; a condition over inputs or next
//! values is met by single edges. Both are bits of one *mark* per edge. What has to be met is [`Acceptance`]:
//! generalized Büchi (every required bit) and Streett (for each pair, the first bit only with the second).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// Interned sets of bits.
#[derive(Debug, Default)]
pub struct MarkSets {
    words: usize,
    sets: Vec<u64>,
    ids: HashMap<Box<[u64]>, u32, FxBuildHasher>,
}

impl MarkSets {
    /// Sets of so many bits.
    pub fn new(bits: usize) -> MarkSets {
        MarkSets {
            words: bits.div_ceil(64),
            ..MarkSets::default()
        }
    }

    /// Words in a set.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of a set.
    pub fn intern(&mut self, set: &[u64]) -> u32 {
        if let Some(&id) = self.ids.get(set) {
            return id;
        }
        let id = self.ids.len() as u32;
        self.sets.extend_from_slice(set);
        self.ids.insert(set.into(), id);
        id
    }

    /// The set of a number.
    pub fn get(&self, id: u32) -> &[u64] {
        &self.sets[id as usize * self.words..(id as usize + 1) * self.words]
    }

    /// Whether a set contains a bit.
    pub fn contains(&self, id: u32, bit: usize) -> bool {
        contains(self.get(id), bit)
    }
}

/// Whether the bit is in the set.
pub fn contains(set: &[u64], bit: usize) -> bool {
    set[bit / 64] >> (bit % 64) & 1 == 1
}

/// Adds a bit to the set.
pub fn insert(set: &mut [u64], bit: usize) {
    set[bit / 64] |= 1 << (bit % 64);
}

/// Adds all bits of another set.
pub fn unite(set: &mut [u64], other: &[u64]) {
    for (word, more) in set.iter_mut().zip(other) {
        *word |= more;
    }
}

/// Whether two sets have a bit in common.
pub fn intersects(a: &[u64], b: &[u64]) -> bool {
    a.iter().zip(b).any(|(a, b)| a & b != 0)
}

/// What an infinite path has to meet infinitely often.
#[derive(Clone, Debug, Default)]
pub struct Acceptance {
    /// Words in a mark.
    pub words: usize,
    /// Bits that must be met.
    pub required: Vec<usize>,
    /// Pairs of bits: if the first is met, so is the second.
    pub pairs: Vec<(usize, usize)>,
}

/// One way to be accepted, where there are several.
#[derive(Clone, Debug, Default)]
pub struct Branch {
    /// Bits that are met only finitely often.
    pub avoid: Vec<usize>,
    /// What is met infinitely often.
    pub meet: Acceptance,
}

impl Branch {
    /// Rabin acceptance of pairs of bits: for one of them the first is met finitely and the second infinitely often.
    pub fn rabin(words: usize, pairs: &[(usize, usize)]) -> Vec<Branch> {
        let branch = |&(avoid, meet): &(usize, usize)| Branch {
            avoid: vec![avoid],
            meet: Acceptance {
                words,
                required: vec![meet],
                pairs: Vec::new(),
            },
        };
        pairs.iter().map(branch).collect()
    }

    /// Parity acceptance, where bit `p` is priority `p`: the greatest priority that is met infinitely often is even.
    pub fn parity(words: usize, priorities: usize) -> Vec<Branch> {
        let branch = |even: usize| Branch {
            avoid: (even + 1..priorities).collect(),
            meet: Acceptance {
                words,
                required: vec![even],
                pairs: Vec::new(),
            },
        };
        (0..priorities).step_by(2).map(branch).collect()
    }
}
