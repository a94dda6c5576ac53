//! The symbolic states of a cover, packed: a cover of a large model has a hundred thousand of them, and mostly small numbers.
//!
//! Each state is a run of bytes: its numbers one after the other, seven bits to a byte, the last byte below 128. Numbers with a sign have it in the lowest bit; in zones, 0 is no bound and
//! all others are one more. Many states have the same zone: it stands at the first of them, and the others have that one's number. Zones that differ have mostly rows in common: these stand in a table
//! of their own, and a zone is a list of their numbers. In evidence that is saved they are a list of [`CoverNode`]s.

use crate::discrete::Discrete;
use crate::evidence::{CoverNode, NO_BOUND};
use hashbrown::HashTable;
use rustc_hash::FxHasher;
use serde::de::{SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};

/// Room that is made for a zone before it is read, at most.
const MOST_RESERVED: usize = 1024;

/// Symbolic states.
#[derive(Clone, Default)]
pub struct CoverNodes {
    states: Records,
    /// Rows of zones.
    rows: Records,
}

/// Runs of bytes, one after the other.
#[derive(Clone, Default)]
struct Records {
    bytes: Vec<u8>,
    /// Where each begins.
    starts: Vec<usize>,
}

impl Records {
    fn len(&self) -> usize {
        self.starts.len()
    }

    fn push(&mut self, record: &[u8]) {
        self.starts.push(self.bytes.len());
        self.bytes.extend_from_slice(record);
    }

    fn get(&self, number: usize) -> &[u8] {
        let end = self.starts.get(number + 1).copied();
        &self.bytes[self.starts[number]..end.unwrap_or(self.bytes.len())]
    }
}

impl CoverNodes {
    /// Their number.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.states.len() == 0
    }

    /// Adds one. Many are packed better together, from an iterator.
    pub fn push(&mut self, node: &CoverNode) {
        let mut zone = Vec::new();
        write_rows(node, &mut zone, |row| {
            self.rows.push(row);
            self.rows.len() - 1
        });
        self.push_with(node, None, &zone);
    }

    /// Adds one with a zone of rows by number, or with the zone of an earlier one.
    fn push_with(&mut self, node: &CoverNode, same: Option<usize>, zone: &[u8]) {
        let mut record = Vec::new();
        write(&mut record, u64::from(node.rank));
        write_discrete(&mut record, &node.locations, &node.integers);
        write(&mut record, same.map_or(0, |same| same as u64 + 1));
        if same.is_none() {
            record.extend_from_slice(zone);
        }
        self.states.push(&record);
    }

    fn reader(&self, node: usize) -> Reader<'_> {
        Reader(self.states.get(node))
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
        reader.skip_discrete();
        reader
    }

    /// The zone that comes next, or whose state is named next.
    fn zone_in(&self, mut reader: Reader<'_>) -> Vec<i32> {
        if let Some(earlier) = reader.number().checked_sub(1) {
            return self.zone(earlier as usize);
        }
        // Rows are as long as there are of them, of a byte and more each.
        let mut zone = Vec::with_capacity((reader.0.len() * reader.0.len()).min(MOST_RESERVED));
        while !reader.0.is_empty() {
            let mut row = Reader(self.rows.get(reader.number() as usize));
            while !row.0.is_empty() {
                zone.push(match row.number() {
                    0 => NO_BOUND,
                    number => unsigned(number - 1) as i32,
                });
            }
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

    /// The discrete part of the state at a position, as [`CoverNodes::key`] writes it.
    pub fn key_of(&self, node: usize) -> &[u8] {
        let mut reader = self.reader(node);
        reader.number();
        let all = reader.0;
        reader.skip_discrete();
        &all[..all.len() - reader.0.len()]
    }

    /// Whether the discrete part of the state at a position is the one that [`CoverNodes::key`] has written.
    pub fn has_key(&self, node: usize, key: &[u8]) -> bool {
        let mut reader = self.reader(node);
        reader.number();
        // Keys say how long they are: none begins another one.
        reader.0.starts_with(key)
    }

    /// Writes a discrete state as it stands in the states here, in place of what was there: equal states are equal bytes.
    pub fn key(discrete: &Discrete, into: &mut Vec<u8>) {
        into.clear();
        write_discrete(into, &discrete.locations, &discrete.integers);
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = CoverNode> {
        (0..self.len()).map(|node| self.get(node))
    }
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes locations and integers, each with their number first.
fn write_discrete(bytes: &mut Vec<u8>, locations: &[usize], integers: &[i64]) {
    write(bytes, locations.len() as u64);
    locations.iter().for_each(|&one| write(bytes, one as u64));
    write(bytes, integers.len() as u64);
    integers.iter().for_each(|&one| write(bytes, signed(one)));
}

/// Writes a state's zone as numbers of its rows. One that is no square, in evidence that is malformed, is a single row.
fn write_rows(node: &CoverNode, bytes: &mut Vec<u8>, mut number: impl FnMut(&[u8]) -> usize) {
    let count = node.zone.len();
    let size = match count.isqrt() {
        root if root * root == count => root,
        _ => count,
    };
    let mut record = Vec::new();
    for row in node.zone.chunks(size.max(1)) {
        record.clear();
        for &bound in row {
            let bound = match bound {
                NO_BOUND => 0,
                bound => signed(i64::from(bound)) + 1,
            };
            write(&mut record, bound);
        }
        write(bytes, number(&record) as u64);
    }
}

/// A number with its sign in the lowest bit.
fn signed(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

fn unsigned(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The bytes of a state that are still to be read; they were written by [`write`].
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

    fn skip_discrete(&mut self) {
        for _ in 0..2 {
            let count = self.number();
            for _ in 0..count {
                self.number();
            }
        }
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

/// Packs states, and recognises zones and rows that come again.
#[derive(Default)]
struct Packing {
    nodes: CoverNodes,
    /// The first states with their zones, by the hashes of these.
    zones: HashTable<u32>,
    rows: HashTable<u32>,
    /// The zone of the state that is added.
    scratch: Vec<u8>,
}

fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}

impl Packing {
    fn push(&mut self, node: &CoverNode) {
        let mut zone = std::mem::take(&mut self.scratch);
        zone.clear();
        let (rows, known) = (&mut self.nodes.rows, &mut self.rows);
        write_rows(node, &mut zone, |row| {
            let hash = hash_of(row);
            if let Some(&number) = known.find(hash, |&number| rows.get(number as usize) == row) {
                return number as usize;
            }
            let number = rows.len();
            rows.push(row);
            known.insert_unique(hash, number as u32, |&number| hash_of(rows.get(number as usize)));
            number
        });
        let (nodes, hash) = (&self.nodes, hash_of(&zone));
        let stands_at = |&number: &u32| {
            let mut reader = nodes.behind_discrete(number as usize);
            reader.number();
            reader.0
        };
        let same = (self.zones.find(hash, |number| stands_at(number) == zone)).copied();
        if same.is_none() {
            let number = nodes.len() as u32;
            self.zones
                .insert_unique(hash, number, |number| hash_of(stands_at(number)));
        }
        self.nodes.push_with(node, same.map(|same| same as usize), &zone);
        self.scratch = zone;
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
