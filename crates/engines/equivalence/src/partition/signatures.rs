//! The partition by rounds of signatures (Blom, Orzan 2003), as far as that is fast.
//!
//! In a round, states of one block stay together if what they can do into which blocks is the same. Only states with a step into a block that is new are looked
//! at. When no state is left, the partition is the coarsest bisimulation. On most systems that takes a few passes over the transitions; on some, as many as there are
//! states. So all rounds together may look at O(m log n) transitions; then the refinement that never needs more, whatever it starts from, does the rest.
//!
//! Signatures are told apart by a hash: two that are taken for the same make the partition coarser, never wrong. At the end they are compared exactly,
//! and if a block falls apart then, the refinement goes on from there, too.

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Partition;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// A system as rounds of signatures read it.
pub(super) trait Steps {
    fn state_count(&self) -> usize;

    fn transition_count(&self) -> usize;

    /// The steps of a state: label and target. Silent steps have label [`SILENT`] and lead to states with smaller numbers.
    fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u32)> + '_;
}

/// The label of steps that are inert inside a block.
pub(super) const SILENT: u32 = u32::MAX;

/// What the rounds came to.
pub(super) enum Guess {
    /// The partition is coarser than the coarsest bisimulation, or is that.
    Coarser(Partition),
    /// It is the coarsest bisimulation.
    Stable(Partition),
}

/// Rounds of signatures from a partition on, as long as they are worth their time.
pub(super) fn guess(system: &impl Steps, start: Partition, budget: &Budget) -> Result<Guess, Spent> {
    let states = system.state_count();
    let mut rounds = Rounds::new(system, start);
    let mut left = (system.transition_count() + states) as f64 * (states.max(2) as f64).log2();
    while !rounds.dirty.is_empty() && left > 0.0 {
        budget.check_now()?;
        left -= rounds.round(budget)? as f64;
    }
    let settled = rounds.dirty.is_empty();
    let partition = Partition::from_keys(&rounds.block_of);
    drop(rounds);
    let stable = settled && (partition.block_count() == states || agree(system, &partition, budget)?);
    Ok(match stable {
        true => Guess::Stable(partition),
        false => Guess::Coarser(partition),
    })
}

/// A signature is a set of these: a label and a block.
type Signature = (u32, u32);

fn hash(signature: &[Signature]) -> u64 {
    let mut hash = signature.len() as u64;
    for &(label, target) in signature {
        hash ^= u64::from(label) << 32 | u64::from(target);
        hash = hash
            .wrapping_add(0x9e37_79b9_7f4a_7c15)
            .wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash ^= hash >> 29;
    }
    hash
}

struct Rounds<'a, S> {
    system: &'a S,
    block_of: Vec<u32>,
    size: Vec<u32>,
    /// The hash of the signature that the states of a block have which are not to be looked at.
    hash_of: Vec<u64>,
    /// The states with steps into each state, one for each step.
    offsets: Vec<u32>,
    before: Vec<u32>,
    /// The states to be looked at, and whether a state is one of them.
    dirty: Vec<u32>,
    is_dirty: Vec<bool>,
    /// The signatures of states that silent steps lead to: ranges of a list.
    ranges: Vec<Range<u32>>,
    /// When signatures of no use are left out next.
    compact_at: usize,
    list: Vec<Signature>,
    has_silent: bool,
}

/// States of one block with one signature.
struct Group {
    block: u32,
    hash: u64,
    size: u32,
    number: u32,
}

impl<'a, S: Steps> Rounds<'a, S> {
    fn new(system: &'a S, start: Partition) -> Self {
        let states = system.state_count();
        let mut offsets = vec![0u32; states + 1];
        let mut has_silent = false;
        for (label, target) in (0..states as u32).flat_map(|state| system.steps(state)) {
            offsets[target as usize] += 1;
            has_silent |= label == SILENT;
        }
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut before = vec![0u32; sum as usize];
        for state in (0..states as u32).rev() {
            for (_, target) in system.steps(state) {
                let place = &mut offsets[target as usize];
                *place -= 1;
                before[*place as usize] = state;
            }
        }
        let mut size = vec![0; start.block_count()];
        for &block in start.blocks() {
            size[block as usize] += 1;
        }
        Rounds {
            system,
            block_of: start.blocks().to_vec(),
            hash_of: vec![0; size.len()],
            size,
            offsets,
            before,
            dirty: (0..states as u32).collect(),
            is_dirty: vec![true; states],
            compact_at: 4 * system.transition_count() + (1 << 20),
            ranges: match has_silent {
                true => vec![0..0; states],
                false => Vec::new(),
            },
            list: Vec::new(),
            has_silent,
        }
    }

    /// One round; tells how much it looked at.
    fn round(&mut self, budget: &Budget) -> Result<usize, Spent> {
        let mut work = self.dirty.len();
        let mut numbers: HashMap<(u32, u64), u32, FxBuildHasher> =
            HashMap::with_capacity_and_hasher(self.dirty.len() / 8, FxBuildHasher);
        let mut groups: Vec<Group> = Vec::new();
        let mut group_of: Vec<u32> = Vec::with_capacity(self.dirty.len());
        let mut signature: Vec<Signature> = Vec::new();
        for at in 0..self.dirty.len() {
            budget.check()?;
            let state = self.dirty[at];
            self.is_dirty[state as usize] = false;
            work += self.signature(state, &mut signature);
            let block = self.block_of[state as usize];
            let hash = hash(&signature);
            let group = *numbers.entry((block, hash)).or_insert_with(|| {
                groups.push(Group {
                    block,
                    hash,
                    size: 0,
                    number: 0,
                });
                groups.len() as u32 - 1
            });
            groups[group as usize].size += 1;
            group_of.push(group);
        }
        drop(numbers);
        self.number(&mut groups);
        let mut moved = Vec::new();
        for (&state, &group) in self.dirty.iter().zip(&group_of) {
            let number = groups[group as usize].number;
            let old = std::mem::replace(&mut self.block_of[state as usize], number);
            if old != number {
                moved.push((state, old));
            }
        }
        self.dirty.clear();
        for &(state, old) in &moved {
            self.soil_before(state);
            // Silent steps into the block that it left were inert.
            if self.has_silent
                && (self.system.steps(state))
                    .any(|(label, to)| label == SILENT && self.block_of[to as usize] == old)
            {
                self.soil(state);
            }
        }
        self.soil_through_silent_steps();
        Ok(work + moved.len())
    }

    /// Gives each group a block. The old one stays with the states that were not looked at, whose signature has not changed, and with
    /// those that have the same; if all were looked at, with the largest group.
    fn number(&mut self, groups: &mut [Group]) {
        let mut of_block: HashMap<u32, (u32, u32), FxBuildHasher> = HashMap::default();
        for (position, group) in groups.iter().enumerate() {
            let (total, largest) = of_block.entry(group.block).or_insert((0, position as u32));
            *total += group.size;
            if group.size > groups[*largest as usize].size {
                *largest = position as u32;
            }
        }
        for (block, (total, largest)) in of_block {
            if total == self.size[block as usize] {
                self.hash_of[block as usize] = groups[largest as usize].hash;
            }
        }
        for group in groups {
            group.number = match group.hash == self.hash_of[group.block as usize] {
                true => group.block,
                false => {
                    self.size[group.block as usize] -= group.size;
                    self.size.push(group.size);
                    self.hash_of.push(group.hash);
                    self.size.len() as u32 - 1
                }
            };
        }
    }

    /// Marks a state for the next round, unless it is alone in its block.
    fn soil(&mut self, state: u32) {
        let alone = self.size[self.block_of[state as usize] as usize] == 1;
        if !alone && !std::mem::replace(&mut self.is_dirty[state as usize], true) {
            self.dirty.push(state);
        }
    }

    /// Marks the predecessors of a state that has moved to another block.
    fn soil_before(&mut self, state: u32) {
        for place in self.offsets[state as usize]..self.offsets[state as usize + 1] {
            self.soil(self.before[place as usize]);
        }
    }

    /// What a state does, those before it by inert steps do. They have larger numbers and are looked at later.
    fn soil_through_silent_steps(&mut self) {
        if !self.has_silent {
            return;
        }
        let mut at = 0;
        while at < self.dirty.len() {
            let state = self.dirty[at];
            for place in self.offsets[state as usize]..self.offsets[state as usize + 1] {
                let before = self.before[place as usize];
                if self.block_of[before as usize] == self.block_of[state as usize]
                    && !self.is_dirty[before as usize]
                    && (self.system.steps(before)).any(|(label, to)| label == SILENT && to == state)
                {
                    self.is_dirty[before as usize] = true;
                    self.dirty.push(before);
                }
            }
            at += 1;
        }
        self.dirty.sort_unstable();
    }

    /// The signature of a state, kept for those before it by silent steps; tells how much was looked at.
    fn signature(&mut self, state: u32, signature: &mut Vec<Signature>) -> usize {
        let block = self.block_of[state as usize];
        signature.clear();
        for (label, target) in self.system.steps(state) {
            let into = self.block_of[target as usize];
            match label {
                SILENT if into == block => {
                    let range = self.ranges[target as usize].clone();
                    signature.extend_from_slice(&self.list[range.start as usize..range.end as usize]);
                }
                SILENT => signature.push((SILENT, into)),
                label => signature.push((label, into)),
            }
        }
        let looked_at = signature.len();
        signature.sort_unstable();
        signature.dedup();
        if self.has_silent {
            self.keep(state, signature);
        }
        looked_at
    }

    fn keep(&mut self, state: u32, signature: &[Signature]) {
        // Where an inert step leads to the same signature, it is shared.
        let block = self.block_of[state as usize];
        for (label, target) in self.system.steps(state) {
            if label == SILENT && self.block_of[target as usize] == block {
                let range = self.ranges[target as usize].clone();
                if self.list[range.start as usize..range.end as usize] == *signature {
                    self.ranges[state as usize] = range;
                    return;
                }
            }
        }
        if self.list.len() + signature.len() > u32::MAX as usize {
            compact(&mut self.list, &mut self.ranges);
        }
        let start = self.list.len() as u32;
        self.list.extend_from_slice(signature);
        self.ranges[state as usize] = start..self.list.len() as u32;
        if self.list.len() > self.compact_at {
            compact(&mut self.list, &mut self.ranges);
            // Only when as much again has been added: what is in use may be more than the first limit.
            self.compact_at = self.compact_at.max(2 * self.list.len());
        }
    }
}

/// Leaves out of a list what no range is about any more. Ranges are the same, or apart, or empty.
fn compact<T: Copy>(list: &mut Vec<T>, ranges: &mut [Range<u32>]) {
    let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
    // By both ends: an empty range may begin where another one does, and must not stand between two that are the same.
    order.sort_unstable_by_key(|&at| (ranges[at as usize].start, ranges[at as usize].end));
    let mut last = (0..0, 0..0);
    let mut end = 0u32;
    for at in order {
        let range = ranges[at as usize].clone();
        if range != last.0 {
            list.copy_within(range.start as usize..range.end as usize, end as usize);
            let length = range.end - range.start;
            last = (range, end..end + length);
            end += length;
        }
        ranges[at as usize] = last.1.clone();
    }
    list.truncate(end as usize);
}

/// Whether the states of each block have one signature, compared exactly: then the partition is a bisimulation. False if that would need much memory.
fn agree(system: &impl Steps, partition: &Partition, budget: &Budget) -> Result<bool, Spent> {
    let mut rounds = Exact {
        list: Vec::new(),
        ranges: Vec::with_capacity(system.state_count()),
    };
    let mut first = vec![u32::MAX; partition.block_count()];
    let most = 4 * system.transition_count() + (1 << 20);
    for state in 0..system.state_count() as u32 {
        budget.check()?;
        rounds.add(system, partition, state);
        let first = &mut first[partition.blocks()[state as usize] as usize];
        if *first == u32::MAX {
            *first = state;
        } else if !rounds.share(*first, state) {
            return Ok(false);
        }
        if rounds.list.len() > most {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The signatures of the first states.
struct Exact {
    list: Vec<Signature>,
    ranges: Vec<Range<usize>>,
}

impl Exact {
    fn add(&mut self, system: &impl Steps, partition: &Partition, state: u32) {
        let blocks = partition.blocks();
        let start = self.list.len();
        for (label, target) in system.steps(state) {
            let into = blocks[target as usize];
            match label {
                SILENT if into == blocks[state as usize] => {
                    self.list.extend_from_within(self.ranges[target as usize].clone());
                }
                label => self.list.push((label, into)),
            }
        }
        self.list[start..].sort_unstable();
        let mut kept = start;
        for at in start..self.list.len() {
            if at == start || self.list[at] != self.list[kept - 1] {
                self.list[kept] = self.list[at];
                kept += 1;
            }
        }
        self.list.truncate(kept);
        self.ranges.push(start..kept);
    }

    /// Whether the last state has the signature of an earlier one; then it is kept once.
    fn share(&mut self, earlier: u32, last: u32) -> bool {
        let range = self.ranges[earlier as usize].clone();
        let own = self.ranges[last as usize].clone();
        let same = self.list[range.clone()] == self.list[own.clone()];
        if same {
            self.list.truncate(own.start);
            self.ranges[last as usize] = range;
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::compact;

    #[test]
    fn what_is_used_survives_and_is_kept_once() {
        let mut list: Vec<u32> = (0..12).collect();
        // Shared, empty where another begins, in any order; 0..2 and 6..8 are of no use any more.
        let mut ranges = vec![8..12, 2..2, 2..6, 8..8, 8..12, 2..6, 2..2, 8..12, 12..12];
        let before: Vec<Vec<u32>> = ranges
            .iter()
            .map(|range| list[range.start as usize..range.end as usize].to_vec())
            .collect();
        compact(&mut list, &mut ranges);
        let after: Vec<Vec<u32>> = ranges
            .iter()
            .map(|range| list[range.start as usize..range.end as usize].to_vec())
            .collect();
        assert_eq!(before, after);
        assert_eq!(list, [2, 3, 4, 5, 8, 9, 10, 11]);
    }
}
