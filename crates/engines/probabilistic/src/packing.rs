//! States as packed bits: how the values of variables are laid out in words.
//!
//! Each variable has as many bits as its range needs, none across a word boundary. A state is a fixed number of 64-bit words. Tests and
//! assignments that concern constants are masks of such words, so that several variables are looked at or changed at once.

use entail_markov::{Domain, Network};

#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
    low: i64,
}

/// Some bits of one word with their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    pub word: u32,
    pub mask: u64,
    pub value: u64,
}

impl Bits {
    /// Whether a packed state has these bits.
    #[inline]
    pub fn are_in(self, packed: &[u64]) -> bool {
        packed[self.word as usize] & self.mask == self.value
    }

    /// Writes these bits into a packed state.
    #[inline]
    pub fn write(self, packed: &mut [u64]) {
        let word = &mut packed[self.word as usize];
        *word = *word & !self.mask | self.value;
    }

    /// Adds bits to a list in which those of one word are together; false if they contradict each other.
    pub fn join(self, list: &mut Vec<Bits>) -> bool {
        let Some(same) = list.iter_mut().find(|bits| bits.word == self.word) else {
            list.push(self);
            return true;
        };
        let agree = (same.value ^ self.value) & same.mask & self.mask == 0;
        same.mask |= self.mask;
        same.value |= self.value;
        agree
    }
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

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.fields.len()
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

    /// Changes the value of one variable in a packed state.
    #[inline]
    pub fn set(&self, variable: usize, value: i64, packed: &mut [u64]) {
        let field = &self.fields[variable];
        let word = &mut packed[field.word as usize];
        *word &= !(field.mask << field.shift);
        *word |= (value.wrapping_sub(field.low) as u64 & field.mask) << field.shift;
    }

    /// The bits of a variable that has a value; nothing if they cannot express the value.
    pub fn bits(&self, variable: usize, value: i64) -> Option<Bits> {
        let field = &self.fields[variable];
        let own = value.wrapping_sub(field.low) as u64;
        (own & field.mask == own).then_some(Bits {
            word: field.word,
            mask: field.mask << field.shift,
            value: own << field.shift,
        })
    }
}
