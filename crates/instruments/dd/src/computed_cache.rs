//! The computed cache: results of past recursive calls (chapter 7, section 5).
//!
//! A direct-mapped, lossy table of 16-byte entries. The key is an operation and up to three 31-bit arguments, the
//! value one edge; together 128 bits in two words. Writers overwrite without asking.
//!
//! **Several threads.** The two words are written and read separately, so a reader may see halves of two
//! different entries. The first word is therefore stored combined with a mix of the second: halves that do not
//! belong together fail the comparison (two writers of the *same* key write the same words, because results are
//! canonical). A wrong pairing survives only if 64 mixed bits coincide within a window of nanoseconds.
//!
//! Cost: one cache line per lookup.

use crate::edge::Edge;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The operations with results worth remembering. `Empty` marks unused entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Op {
    And = 1,
    Xor,
    IfThenElse,
    Exists,
    AndExists,
    Constrain,
    Restrict,
    Substitute,
    Disjoint,
}

impl Op {
    /// Which of the three arguments and the result are edges (bits 0 to 3), by operation code.
    fn edges(code: u64) -> u8 {
        match code {
            1 | 2 | 4 | 6 | 7 | 9 => 0b1011,
            3 | 5 => 0b1111,
            8 => 0b1001,
            _ => 0,
        }
    }
}

const ARGUMENT: u64 = (1 << 31) - 1;
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

pub(crate) struct ComputedCache {
    entries: Box<[[AtomicU64; 2]]>,
    shift: u32,
}

fn key(op: u8, f: u32, g: u32, h: u32) -> (u64, u64) {
    let op = u64::from(op);
    (
        u64::from(f) | u64::from(g) << 31 | (op & 3) << 62,
        u64::from(h) | (op >> 2) << 62,
    )
}

#[inline(always)]
fn mix(word: u64) -> u64 {
    let product = word.wrapping_mul(MIX);
    product ^ (product >> 32)
}

impl ComputedCache {
    /// A cache with `2^bits` entries, or `None` if there is no memory for it.
    pub(crate) fn new(bits: u32) -> Option<ComputedCache> {
        let bits = bits.clamp(4, 40);
        Some(ComputedCache {
            entries: bytemuck::allocation::try_zeroed_slice_box(1 << bits).ok()?,
            shift: 64 - bits,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    #[inline(always)]
    fn slot(&self, first: u64, second: u64) -> &[AtomicU64; 2] {
        let hash = (first ^ second.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(29)).wrapping_mul(MIX);
        &self.entries[(hash >> self.shift) as usize]
    }

    #[inline(always)]
    pub(crate) fn get(&self, op: Op, f: u32, g: u32, h: u32) -> Option<Edge> {
        let (first, second) = key(op as u8, f, g, h);
        let slot = self.slot(first, second);
        let stored = slot[1].load(Acquire);
        if stored & !(ARGUMENT << 31) == second && slot[0].load(Relaxed) ^ mix(stored) == first {
            Some(Edge(((stored >> 31) & ARGUMENT) as u32))
        } else {
            None
        }
    }

    #[inline(always)]
    pub(crate) fn put(&self, op: Op, f: u32, g: u32, h: u32, result: Edge) {
        let (first, second) = key(op as u8, f, g, h);
        let slot = self.slot(first, second);
        let word = second | u64::from(result.0) << 31;
        slot[0].store(first ^ mix(word), Relaxed);
        // Whoever reads the result must see the node it names.
        slot[1].store(word, Release);
    }

    /// Forgets everything: needed when edges change their meaning for the cache (new levels).
    pub(crate) fn clear(&mut self) {
        for entry in &mut self.entries {
            *entry[0].get_mut() = 0;
            *entry[1].get_mut() = 0;
        }
    }

    /// Forgets the entries that mention a node for which `alive` is false.
    pub(crate) fn retain(&mut self, alive: impl Fn(u32) -> bool) {
        for entry in &mut self.entries {
            let word = *entry[1].get_mut();
            let first = *entry[0].get_mut() ^ mix(word);
            let op = (first >> 62) | (word >> 62) << 2;
            let fields = [
                first & ARGUMENT,
                (first >> 31) & ARGUMENT,
                word & ARGUMENT,
                (word >> 31) & ARGUMENT,
            ];
            let edges = Op::edges(op);
            let keep = (0..4).all(|i| edges & (1 << i) == 0 || alive(Edge(fields[i] as u32).node()));
            if !keep || op == 0 {
                *entry[0].get_mut() = 0;
                *entry[1].get_mut() = 0;
            }
        }
    }

    /// Moves what is known into a larger table; keeps this one if there is no memory.
    pub(crate) fn grow(&mut self, bits: u32) {
        let Some(larger) = ComputedCache::new(bits) else {
            return;
        };
        for entry in &mut self.entries {
            let word = *entry[1].get_mut();
            let first = *entry[0].get_mut() ^ mix(word);
            if (first >> 62) | (word >> 62) == 0 {
                continue;
            }
            let slot = larger.slot(first, word & !(ARGUMENT << 31));
            slot[0].store(first ^ mix(word), Relaxed);
            slot[1].store(word, Relaxed);
        }
        *self = larger;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_found_and_nothing_else() {
        let cache = ComputedCache::new(10).unwrap();
        assert_eq!(cache.get(Op::And, 0, 0, 0), None);
        cache.put(Op::And, 7, 9, 0, Edge(12));
        assert_eq!(cache.get(Op::And, 7, 9, 0), Some(Edge(12)));
        assert_eq!(cache.get(Op::Xor, 7, 9, 0), None);
        assert_eq!(cache.get(Op::And, 7, 9, 1), None);
        assert_eq!(cache.get(Op::And, 9, 7, 0), None);
    }

    #[test]
    fn entries_with_dead_nodes_are_forgotten_and_growth_keeps_the_rest() {
        let mut cache = ComputedCache::new(10).unwrap();
        cache.put(Op::And, 2, 4, 0, Edge(6));
        cache.put(Op::Substitute, 2, 40, 0, Edge(6));
        cache.put(Op::And, 2, 40, 0, Edge(6));
        cache.retain(|node| node < 10);
        cache.grow(12);
        assert_eq!(cache.get(Op::And, 2, 4, 0), Some(Edge(6)));
        assert_eq!(cache.get(Op::Substitute, 2, 40, 0), Some(Edge(6)));
        assert_eq!(cache.get(Op::And, 2, 40, 0), None);
    }
}
