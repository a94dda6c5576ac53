//! The symbolic states of a cover, packed: a cover of a large model has a hundred thousand of them, and mostly small numbers.
//!
//! Each state is a run of bytes: its numbers one after the other, seven bits to a byte, the last byte below 128. Numbers with a sign have it in the lowest bit; in zones, 0 is no bound and
//! all others are one more. In evidence that is saved they are a list of [`CoverNode`]s.

use crate::discrete::Discrete;
use crate::evidence::{CoverNode, NO_BOUND};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Symbolic states.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct CoverNodes {
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<usize>,
}

impl CoverNodes {
    /// Their number.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Adds one.
    pub fn push(&mut self, node: &CoverNode) {
        self.starts.push(self.bytes.len());
        self.write(u64::from(node.rank));
        self.write(node.locations.len() as u64);
        node.locations.iter().for_each(|&one| self.write(one as u64));
        self.write(node.integers.len() as u64);
        node.integers.iter().for_each(|&one| self.write(signed(one)));
        for &bound in &node.zone {
            self.write(match bound {
                NO_BOUND => 0,
                bound => signed(i64::from(bound)) + 1,
            });
        }
    }

    fn write(&mut self, mut number: u64) {
        while number >= 128 {
            self.bytes.push(number as u8 | 128);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn reader(&self, node: usize) -> Reader<'_> {
        let end = self.starts.get(node + 1).copied().unwrap_or(self.bytes.len());
        Reader(&self.bytes[self.starts[node]..end])
    }

    /// The state at a position.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn get(&self, node: usize) -> CoverNode {
        let mut reader = self.reader(node);
        let rank = reader.number() as u32;
        let Discrete { locations, integers } = reader.discrete();
        let mut zone = Vec::new();
        while !reader.0.is_empty() {
            zone.push(match reader.number() {
                0 => NO_BOUND,
                number => unsigned(number - 1) as i32,
            });
        }
        CoverNode {
            locations,
            integers,
            zone,
            rank,
        }
    }

    /// The rank of the state at a position.
    pub fn rank(&self, node: usize) -> u32 {
        self.reader(node).number() as u32
    }

    /// The discrete part of the state at a position.
    pub fn discrete(&self, node: usize) -> Discrete {
        let mut reader = self.reader(node);
        reader.number();
        reader.discrete()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CoverNode> {
        (0..self.len()).map(|node| self.get(node))
    }
}

/// A number with its sign in the lowest bit.
fn signed(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unsigned(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The bytes of a state that are still to be read; they were written by [`CoverNodes::push`].
struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn number(&mut self) -> u64 {
        let (mut number, mut shift) = (0, 0);
        while let Some((&byte, rest)) = self.0.split_first() {
            self.0 = rest;
            number |= u64::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        number
    }

    fn discrete(&mut self) -> Discrete {
        let count = self.number();
        let locations = (0..count).map(|_| self.number() as usize).collect();
        let count = self.number();
        let integers = (0..count).map(|_| unsigned(self.number())).collect();
        Discrete { locations, integers }
    }
}

impl fmt::Debug for CoverNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl FromIterator<CoverNode> for CoverNodes {
    fn from_iter<I: IntoIterator<Item = CoverNode>>(nodes: I) -> CoverNodes {
        let mut packed = CoverNodes::default();
        nodes.into_iter().for_each(|node| packed.push(&node));
        packed
    }
}

impl Serialize for CoverNodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for CoverNodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<CoverNodes, D::Error> {
        struct Listed;

        impl<'de> Visitor<'de> for Listed {
            type Value = CoverNodes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of symbolic states")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<CoverNodes, A::Error> {
                let mut nodes = CoverNodes::default();
                while let Some(node) = list.next_element::<CoverNode>()? {
                    nodes.push(&node);
                }
                Ok(nodes)
            }
        }

        deserializer.deserialize_seq(Listed)
    }
}
