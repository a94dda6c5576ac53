//! Branching bisimulation in O(m log n): Jansen, Groote, Keiren and Wijs, "An O(m log n) algorithm for branching bisimilarity on labelled
//! transition systems" (TACAS 2020).
//!
//! A step is *inert* if it is hidden and stays in its block. The transitions that are not inert are in slices, and these in bunches, as for strong bisimulation.
//! The partition is stable under a bunch if in every block that has a transition in it, all *bottom states* (those without an inert step) have one; then
//! all other states of the block reach one by inert steps. When a slice is taken out of a bunch, each block is split by the slice, and the part that has
//! it by the rest.
//!
//! A split can end the inertness of steps, all from one part to the other. They become a bunch of their own, and the states that reach them
//! a block of their own, all of whose bottom states are new: for that block it is checked anew whether it is stable under all bunches. A
//! state becomes a bottom state once, so that this costs O(m) altogether.
//!
//! Each split costs as much as its smaller part ([`search`]), except for what can be charged to new bottom states.
//!
//! Memory: 44 bytes a transition and about 50 a state, beside the system; more is needed only for contracting cycles of hidden steps (12 a transition),
//! before the rest.

mod blocks;
mod outgoing;
mod search;

use super::bunches::Bunches;
use super::refinable::Refinable;
use super::signatures::{Guess, SILENT, Steps, guess};
use super::silent::{Contracted, contract};
use blocks::Blocks;
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Partition;
use entail_model::Lts;
use outgoing::{INERT, Outgoing};
use search::Search;
use std::ops::Range;

const NONE: u32 = u32::MAX;

/// The coarsest branching bisimulation that is finer than the colours; divergence-preserving if divergence is seen.
pub(super) fn branching(lts: &Lts, sees_divergence: bool, budget: &Budget) -> Result<Partition, Spent> {
    let contracted = contract(lts, sees_divergence, budget)?;
    let partition = match guess(&contracted, colours(lts, &contracted), budget)? {
        Guess::Stable(partition) => partition,
        Guess::Coarser(partition) => return refine(contracted, &partition, budget),
    };
    Ok(of_states(&contracted.component_of, partition.blocks()))
}

/// The components by the colour of their states.
fn colours(lts: &Lts, contracted: &Contracted) -> Partition {
    let mut colours = vec![0; contracted.states];
    for state in lts.states() {
        colours[contracted.component_of[state.index()] as usize] = lts.colour(state).index() as u32;
    }
    Partition::from_keys(&colours)
}

/// The same without a guess.
#[cfg(test)]
pub(super) fn from_colours(lts: &Lts, sees_divergence: bool, budget: &Budget) -> Result<Partition, Spent> {
    let contracted = contract(lts, sees_divergence, budget)?;
    let start = colours(lts, &contracted);
    refine(contracted, &start, budget)
}

/// The coarsest branching bisimulation that is finer than a partition of the contracted system, in which silent steps either stay in a block or do not.
fn refine(mut contracted: Contracted, start: &Partition, budget: &Budget) -> Result<Partition, Spent> {
    // Steps between blocks are not silent; the second label is that of hidden steps that are seen.
    contracted.reveal(start);
    let component_of = std::mem::take(&mut contracted.component_of);
    let mut refinement = Refinement::new(contracted, start);
    refinement.start(budget)?;
    while refinement.blocks.count() < refinement.graph.states {
        let Some(slice) = refinement.bunches.take_small_slice() else {
            break;
        };
        refinement.stabilise(slice, budget)?;
    }
    Ok(of_states(&component_of, refinement.blocks.all()))
}

/// A partition of components as one of states.
fn of_states(component_of: &[u32], blocks: &[u32]) -> Partition {
    let keys: Vec<u32> = (component_of.iter())
        .map(|&component| blocks[component as usize])
        .collect();
    Partition::from_keys(&keys)
}

impl Steps for Contracted {
    fn state_count(&self) -> usize {
        self.states
    }

    fn transition_count(&self) -> usize {
        self.target.len()
    }

    fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        let row = self.offsets[state as usize]..self.offsets[state as usize + 1];
        row.map(|transition| {
            let label = self.label[transition as usize];
            let label = if label == 0 { SILENT } else { label };
            (label, self.target[transition as usize])
        })
    }
}

/// The transitions by source and by target. Silent ones, which may be inert, come first.
struct Graph {
    states: usize,
    offsets: Vec<u32>,
    silent_end: Vec<u32>,
    source: Vec<u32>,
    target: Vec<u32>,
    incoming: Vec<u32>,
    incoming_offsets: Vec<u32>,
    incoming_silent_end: Vec<u32>,
}

impl Graph {
    fn outgoing(&self, state: u32) -> Range<u32> {
        self.offsets[state as usize]..self.offsets[state as usize + 1]
    }

    fn silent_outgoing(&self, state: u32) -> Range<u32> {
        self.offsets[state as usize]..self.silent_end[state as usize]
    }

    fn incoming(&self, state: u32) -> &[u32] {
        let start = self.incoming_offsets[state as usize];
        &self.incoming[start as usize..self.incoming_offsets[state as usize + 1] as usize]
    }

    #[inline]
    fn silent_incoming(&self, state: u32) -> &[u32] {
        let start = self.incoming_offsets[state as usize];
        &self.incoming[start as usize..self.incoming_silent_end[state as usize] as usize]
    }

    fn new(contracted: Contracted) -> Graph {
        let Contracted {
            states,
            offsets,
            silent_end,
            source,
            target,
            label,
            ..
        } = contracted;
        let mut incoming_offsets = vec![0u32; states + 1];
        let mut incoming_silent_end = vec![0u32; states];
        for (&target, &label) in target.iter().zip(&label) {
            incoming_offsets[target as usize + 1] += 1;
            incoming_silent_end[target as usize] += u32::from(label == 0);
        }
        for state in 0..states {
            incoming_offsets[state + 1] += incoming_offsets[state];
            incoming_silent_end[state] += incoming_offsets[state];
        }
        let mut silent = incoming_offsets[..states].to_vec();
        let mut seen = incoming_silent_end.clone();
        let mut incoming = vec![0u32; target.len()];
        for (transition, (&target, &label)) in target.iter().zip(&label).enumerate() {
            let place = if label == 0 { &mut silent } else { &mut seen };
            let place = &mut place[target as usize];
            incoming[*place as usize] = transition as u32;
            *place += 1;
        }
        Graph {
            states,
            offsets,
            silent_end,
            source,
            target,
            incoming,
            incoming_offsets,
            incoming_silent_end,
        }
    }
}

struct Refinement {
    graph: Graph,
    blocks: Blocks,
    bunches: Bunches,
    outgoing: Outgoing,
    search: Search,
    /// For each transition that is not inert the number of its counter: how many transitions its source has in its bunch.
    counter_of: Vec<u32>,
    counters: Vec<u32>,
    /// For each state its counter for a new bunch, while one is made.
    fresh: Vec<u32>,
    /// For each source of a slice that was taken out of a bunch whether it has transitions in the rest.
    has_rest: Vec<bool>,
    /// Bottom states of a block with transitions in both.
    both: Vec<u32>,
    /// Transitions that a split makes no longer inert.
    lost: Vec<u32>,
    /// States that a split makes bottom states.
    new_bottoms: Vec<u32>,
}

/// What a split made of a block.
struct Parts {
    /// The states that reach the splitter.
    red: u32,
    /// The set of the transitions from them to the others that are no longer inert.
    lost: Option<u32>,
}

impl Refinement {
    fn new(contracted: Contracted, start: &Partition) -> Refinement {
        let (states, labels) = (contracted.states, contracted.labels as usize);
        let inert: Vec<u32> = (0..states)
            .map(|state| contracted.silent_end[state] - contracted.offsets[state])
            .collect();
        // One counter for each state and label.
        let mut counters: Vec<u32> = Vec::new();
        let mut counter_of = vec![NONE; contracted.label.len()];
        let mut last = None;
        for (transition, counter) in counter_of.iter_mut().enumerate() {
            let key = (contracted.source[transition], contracted.label[transition]);
            if key.1 == 0 {
                continue;
            }
            if last.replace(key) != Some(key) {
                counters.push(0);
            }
            *counter = counters.len() as u32 - 1;
            counters[*counter as usize] += 1;
        }
        let slices = Refinable::by_keys(&contracted.label, labels);
        let outgoing = Outgoing::new(&contracted.label, labels);
        let mut refinement = Refinement {
            graph: Graph::new(contracted),
            blocks: Blocks::new(start.blocks(), start.block_count(), inert),
            bunches: Bunches::new(slices),
            outgoing,
            search: Search::new(states),
            counter_of,
            counters,
            fresh: vec![NONE; states],
            has_rest: vec![false; states],
            both: Vec::new(),
            lost: Vec::new(),
            new_bottoms: Vec::new(),
        };
        // All transitions are said to leave block 0 and to lead to it.
        for block in 1..refinement.blocks.count() as u32 {
            refinement.follow_part(0, block);
        }
        refinement
    }

    /// Makes the blocks by colour stable under the bunches of all labels.
    fn start(&mut self, budget: &Budget) -> Result<(), Spent> {
        for block in 0..self.blocks.count() as u32 {
            self.outgoing.make_all_pending(&self.graph, &self.blocks, block);
        }
        self.settle(budget)
    }

    /// The transitions of a block that has been parted from another one get sets and slices of their own.
    fn follow_part(&mut self, old: u32, new: u32) {
        for &state in self.blocks.states(new) {
            for transition in self.graph.outgoing(state) {
                if self.outgoing.sets.set_of(transition) != INERT {
                    self.outgoing.sets.mark(transition);
                }
            }
            for &transition in self.graph.incoming(state) {
                if self.bunches.slices.set_of(transition) != INERT {
                    self.bunches.slices.mark(transition);
                }
            }
        }
        self.outgoing.follow_part(&self.graph, &self.blocks, old, new);
        self.bunches.split_slices();
    }

    /// Makes the blocks stable under a slice and under the bunch that it was taken out of.
    fn stabilise(&mut self, slice: u32, budget: &Budget) -> Result<(), Spent> {
        budget.check()?;
        let sources = self.count_anew(slice);
        for place in self.bunches.slices.range(slice) {
            self.outgoing.sets.mark(self.bunches.slices.element(place));
        }
        let mut pairs = Vec::new();
        self.outgoing
            .sets
            .split_off_marked(|set, part| pairs.push((set, part)));
        for (set, part) in &pairs {
            if let Some(part) = part {
                let block = self.outgoing.block(*set, &self.graph, &self.blocks);
                self.outgoing.enter(*part, block);
            }
        }
        for (rest, part) in pairs {
            let Some(part) = part else {
                continue;
            };
            let block = self.outgoing.block(part, &self.graph, &self.blocks);
            self.both.clear();
            for &transition in self.outgoing.sets.elements(part) {
                let state = self.graph.source[transition as usize];
                if self.blocks.is_bottom(state) {
                    self.blocks.mark(state);
                    if self.has_rest[state as usize] {
                        self.both.push(state);
                    }
                }
            }
            self.outgoing.watch(rest);
            let red = self.split_and_part_new_bottoms(block, part);
            let watched = (self.outgoing.watched.iter().copied())
                .find(|&set| red == Some(self.outgoing.block(set, &self.graph, &self.blocks)));
            self.outgoing.forget_watched();
            if let (Some(rest), Some(red)) = (watched, red) {
                for &state in &self.both {
                    if self.blocks.of(state) == red {
                        self.blocks.mark(state);
                    }
                }
                self.split_and_part_new_bottoms(red, rest);
            }
            self.settle(budget)?;
        }
        for state in sources {
            self.has_rest[state as usize] = false;
        }
        Ok(())
    }

    /// Gives the transitions of a slice counters of their own. Gives their sources, of which `has_rest` tells whether the old counter is not zero.
    fn count_anew(&mut self, slice: u32) -> Vec<u32> {
        let mut sources = Vec::new();
        for &transition in self.bunches.slices.elements(slice) {
            self.counters[self.counter_of[transition as usize] as usize] -= 1;
        }
        for &transition in self.bunches.slices.elements(slice) {
            let state = self.graph.source[transition as usize];
            let counter = &mut self.counter_of[transition as usize];
            let fresh = &mut self.fresh[state as usize];
            if *fresh == NONE {
                // A counter that has come to zero is used again.
                *fresh = *counter;
                if self.counters[*counter as usize] > 0 {
                    *fresh = self.counters.len() as u32;
                    self.counters.push(0);
                    self.has_rest[state as usize] = true;
                }
                sources.push(state);
            }
            *counter = *fresh;
            self.counters[*fresh as usize] += 1;
        }
        for &state in &sources {
            self.fresh[state as usize] = NONE;
        }
        sources
    }

    /// Makes all blocks with pending sets stable under them.
    fn settle(&mut self, budget: &Budget) -> Result<(), Spent> {
        while let Some((block, set)) = self.outgoing.take_pending(&self.graph, &mut self.blocks) {
            budget.check()?;
            self.split_and_part_new_bottoms(block, set);
        }
        Ok(())
    }

    /// Splits a block by a set of its transitions; its bottom states that have one are marked. Then parts the states that reach new bottom states
    /// only, and makes their sets pending. Gives the block of the other states that reach the set, if there are any.
    fn split_and_part_new_bottoms(&mut self, block: u32, splitter: u32) -> Option<u32> {
        let Some(Parts { red, lost }) = self.split(block, splitter) else {
            return Some(block);
        };
        let Some(mut lost) = lost else {
            return Some(red);
        };
        let mut with_old_bottoms = None;
        let mut unstable = red;
        let mut first = true;
        loop {
            for state in std::mem::take(&mut self.new_bottoms) {
                self.blocks.mark(state);
            }
            let before = self.blocks.count() as u32;
            let parts = self.split(unstable, lost);
            let Some(parts) = parts else {
                // All bottom states are new.
                self.outgoing
                    .make_all_pending(&self.graph, &self.blocks, unstable);
                return with_old_bottoms;
            };
            let other = if parts.red == unstable { before } else { unstable };
            if first {
                with_old_bottoms = Some(other);
            } else {
                self.outgoing.make_all_pending(&self.graph, &self.blocks, other);
            }
            first = false;
            unstable = parts.red;
            match parts.lost {
                Some(further) => lost = further,
                None => {
                    self.outgoing
                        .make_all_pending(&self.graph, &self.blocks, unstable);
                    return with_old_bottoms;
                }
            }
        }
    }

    /// Splits a block into the states that reach a set of its transitions by inert steps and the others, if there are others. Its bottom states that
    /// have such a transition are marked; no marks are left.
    fn split(&mut self, block: u32, splitter: u32) -> Option<Parts> {
        if self.blocks.unmarked_bottoms(block).is_empty() {
            self.blocks.clear_marks(block);
            return None;
        }
        let (found, is_red) = self
            .search
            .run(&self.graph, &self.blocks, &self.outgoing, block, splitter);
        self.blocks.clear_marks(block);
        let (these, others) = self.blocks.part(block, found);
        self.search.forget();
        let (red, blue) = if is_red { (these, others) } else { (others, these) };
        let new = self.blocks.count() as u32 - 1;
        self.follow_part(block, new);
        Some(Parts {
            red,
            lost: self.lose_inert_steps(red, blue),
        })
    }

    /// Makes the steps from red to blue states a bunch of their own, and notes which states have become bottom states.
    fn lose_inert_steps(&mut self, red: u32, blue: u32) -> Option<u32> {
        let Refinement {
            graph,
            blocks,
            outgoing,
            lost,
            ..
        } = self;
        let is_inert = |transition: u32| outgoing.sets.set_of(transition) == INERT;
        let leaves = |&transition: &u32| {
            is_inert(transition)
                && blocks.of(graph.source[transition as usize]) == red
                && blocks.of(graph.target[transition as usize]) == blue
        };
        if red > blue {
            for &state in blocks.states(red) {
                lost.extend(graph.silent_outgoing(state).filter(leaves));
            }
        } else {
            for &state in blocks.states(blue) {
                lost.extend(graph.silent_incoming(state).iter().copied().filter(leaves));
            }
        }
        if self.lost.is_empty() {
            return None;
        }
        for &transition in &self.lost {
            self.outgoing.sets.mark(transition);
            self.bunches.slices.mark(transition);
            let state = self.graph.source[transition as usize];
            if self.blocks.lose_inert_step(state) {
                self.new_bottoms.push(state);
            }
            let fresh = &mut self.fresh[state as usize];
            if *fresh == NONE {
                *fresh = self.counters.len() as u32;
                self.counters.push(0);
            }
            self.counter_of[transition as usize] = *fresh;
            self.counters[*fresh as usize] += 1;
        }
        for transition in self.lost.drain(..) {
            self.fresh[self.graph.source[transition as usize] as usize] = NONE;
        }
        self.bunches.detach_marked(INERT);
        let set = self.outgoing.sets.detach_marked(INERT);
        self.outgoing.enter(set, red);
        Some(set)
    }
}
