//! The symbolic states of a cover, packed: a cover of a large model has a hundred thousand of them, and mostly small numbers.
//!
//! Each state is a run of bytes: its numbers one after the other, seven bits to a byte, the last byte below 128. Numbers with a sign have it in the lowest bit; in zones, 0 is no bound and
//! all others are one more. Many states have the same zone: it stands at the first of them, and the others have that one's number. In evidence that is saved they are a list of [`CoverNode`]s.

use crate::discrete::Discrete;
use crate::evidence::{CoverNode, NO_BOUND};
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Symbolic states.
#[derive(Clone, Default)]
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
        self.push_like(node, None);
    }

    /// Adds one, which may have the zone of an earlier one.
    fn push_like(&mut self, node: &CoverNode, same: Option<usize>) {
        self.starts.push(self.bytes.len());
        self.write(u64::from(node.rank));
        self.write(node.locations.len() as u64);
        node.locations.iter().for_each(|&one| self.write(one as u64));
        self.write(node.integers.len() as u64);
        node.integers.iter().for_each(|&one| self.write(signed(one)));
        self.write(same.map_or(0, |same| same as u64 + 1));
        if same.is_some() {
            return;
        }
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
        CoverNode {
            locations,
            integers,
            zone: self.zone_in(reader),
            rank,
        }
    }

    /// The position of the state at which a state's zone stands: its own, or an earlier one.
    pub fn first_alike(&self, node: usize) -> usize {
        match self.behind_discrete(node).number() {
            0 => node,
            earlier => earlier as usize - 1,
        }
    }

    /// The zone of the state at a position.
    pub fn zone(&self, node: usize) -> Vec<i32> {
        self.zone_in(self.behind_discrete(node))
    }

    fn behind_discrete(&self, node: usize) -> Reader<'_> {
        let mut reader = self.reader(node);
        reader.number();
        for _ in 0..2 {
            let count = reader.number();
            for _ in 0..count {
                reader.number();
            }
        }
        reader
    }

    /// The zone that comes next, or whose state is named next.
    fn zone_in(&self, mut reader: Reader<'_>) -> Vec<i32> {
        if let Some(earlier) = reader.number().checked_sub(1) {
            return self.zone(earlier as usize);
        }
        let mut zone = Vec::new();
        while !reader.0.is_empty() {
            zone.push(match reader.number() {
                0 => NO_BOUND,
                number => unsigned(number - 1) as i32,
            });
        }
        zone
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

impl PartialEq for CoverNodes {
    fn eq(&self, other: &CoverNodes) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for CoverNodes {}

impl FromIterator<CoverNode> for CoverNodes {
    fn from_iter<I: IntoIterator<Item = CoverNode>>(nodes: I) -> CoverNodes {
        let mut packing = Packing::default();
        nodes.into_iter().for_each(|node| packing.push(&node));
        packing.nodes
    }
}

/// Packs states, and recognises zones that come again.
#[derive(Default)]
struct Packing {
    nodes: CoverNodes,
    /// The first state with a zone, by the hash of the zone. If two zones have the same hash, the second is not recognised.
    zones: HashMap<u64, u32>,
}

impl Packing {
    fn push(&mut self, node: &CoverNode) {
        let mut hasher = DefaultHasher::new();
        node.zone.hash(&mut hasher);
        let number = self.nodes.len() as u32;
        let first = *self.zones.entry(hasher.finish()).or_insert(number);
        let is_same = first != number && self.nodes.zone(first as usize) == node.zone;
        self.nodes.push_like(node, is_same.then_some(first as usize));
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
                let mut packing = Packing::default();
                while let Some(node) = list.next_element::<CoverNode>()? {
                    packing.push(&node);
                }
                Ok(packing.nodes)
            }
        }

        deserializer.deserialize_seq(Listed)
    }
}
