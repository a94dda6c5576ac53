//! States as packed bits in one long array, found again by hashing.
//!
//! Each variable has as many bits as its range needs, none across a word boundary. A state is a fixed number of 64-bit words; its number is its
//! position. The table holds numbers only.

use entail_markov::{Domain, Network};
use hashbrown::HashTable;
use std::hash::Hasher;

#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
    low: i64,
}

/// How states are packed.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    pub words: usize,
}

impl Layout {
    pub fn new(network: &Network) -> Layout {
        let (mut word, mut used) = (0u32, 0u32);
        let mut fields = Vec::new();
        for variable in &network.variables {
            let (low, bits) = match variable.domain {
                Domain::Bool => (0, 1),
                Domain::Range(low, high) => {
                    let span = high.wrapping_sub(low) as u64;
                    (low, 64 - span.leading_zeros())
                }
                Domain::Unbounded => (0, 64),
            };
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            let mask = if bits >= 64 { u64::MAX } else { (1u64 << bits) - 1 };
            fields.push(Field {
                word,
                shift: used % 64,
                mask,
                low,
            });
            used += bits;
        }
        Layout {
            fields,
            words: word as usize + 1,
        }
    }

    pub fn pack(&self, state: &[i64], packed: &mut [u64]) {
        packed.fill(0);
        for (field, value) in self.fields.iter().zip(state) {
            packed[field.word as usize] |= (value.wrapping_sub(field.low) as u64 & field.mask) << field.shift;
        }
    }

    pub fn unpack(&self, packed: &[u64], state: &mut [i64]) {
        for (field, value) in self.fields.iter().zip(state) {
            let bits = packed[field.word as usize] >> field.shift & field.mask;
            *value = (bits as i64).wrapping_add(field.low);
        }
    }
}

/// All states found so far.
#[derive(Clone, Debug)]
pub struct StateStore {
    layout: Layout,
    words: Vec<u64>,
    table: HashTable<u32>,
    variables: usize,
}

fn hash(packed: &[u64]) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    for &word in packed {
        hasher.write_u64(word);
    }
    hasher.finish()
}

impl StateStore {
    pub(crate) fn new(network: &Network) -> StateStore {
        StateStore {
            layout: Layout::new(network),
            words: Vec::new(),
            table: HashTable::new(),
            variables: network.variables.len(),
        }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.words.len() / self.layout.words
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Packs a state.
    pub(crate) fn pack(&self, state: &[i64], packed: &mut [u64]) {
        self.layout.pack(state, packed);
    }

    /// Changes the value of one variable in a packed state.
    #[inline]
    pub(crate) fn set(&self, variable: usize, value: i64, packed: &mut [u64]) {
        let field = &self.layout.fields[variable];
        let word = &mut packed[field.word as usize];
        *word &= !(field.mask << field.shift);
        *word |= (value.wrapping_sub(field.low) as u64 & field.mask) << field.shift;
    }

    /// A state as it is packed.
    pub(crate) fn packed(&self, number: usize) -> &[u64] {
        &self.words[number * self.layout.words..(number + 1) * self.layout.words]
    }

    /// The number of a packed state, a new one if it is new.
    pub(crate) fn intern(&mut self, packed: &[u64]) -> u32 {
        let width = self.layout.words;
        let words = &self.words;
        let same = |&number: &u32| {
            let from = number as usize * width;
            &words[from..from + width] == packed
        };
        let hashed = hash(packed);
        if let Some(&number) = self.table.find(hashed, same) {
            return number;
        }
        let number = (self.words.len() / width) as u32;
        self.words.extend_from_slice(packed);
        let words = &self.words;
        self.table.insert_unique(hashed, number, |&number| {
            let from = number as usize * width;
            hash(&words[from..from + width])
        });
        number
    }

    /// The values of the variables in a state.
    pub fn read(&self, number: usize, state: &mut Vec<i64>) {
        state.resize(self.variables, 0);
        let from = number * self.layout.words;
        self.layout
            .unpack(&self.words[from..from + self.layout.words], state);
    }

    pub(crate) fn width(&self) -> usize {
        self.layout.words
    }

    /// Frees what only exploring needs.
    pub(crate) fn finish(&mut self) {
        self.table = HashTable::new();
        self.words.shrink_to_fit();
    }
}
