//! Strong bisimulation in O(m log n): Paige and Tarjan (1987) for labelled systems, with the sets of Valmari (2009).
//!
//! The partition of the states is *stable* under a bunch of transitions if of every block all states or none have a transition in it. It is so
//! for the bunches of all transitions with one action, at the start; it shall be so for all slices. When a slice is taken out of a bunch, a block falls
//! into three parts: states with transitions in the slice only, in the rest only, in both. A counter for each state and bunch tells which without looking
//! at the rest. When a block has fallen apart, the transitions into its smaller part become slices of their own.
//!
//! Memory: 24 bytes a transition (4 more at the start) and 24 a state beside the system.

use super::bunches::Bunches;
use super::by_colour;
use super::refinable::Refinable;
use super::signatures::{Guess, Steps, guess};
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Partition;
use entail_model::{Lts, StateId};

const NONE: u32 = u32::MAX;

/// The coarsest strong bisimulation that is finer than the colours.
pub(crate) fn strong(lts: &Lts, budget: &Budget) -> Result<Partition, Spent> {
    match guess(lts, by_colour(lts), budget)? {
        Guess::Stable(partition) => Ok(partition),
        Guess::Coarser(partition) => refine(lts, &partition, budget),
    }
}

impl Steps for Lts {
    fn state_count(&self) -> usize {
        self.state_count()
    }

    fn transition_count(&self) -> usize {
        self.transition_count()
    }

    fn steps(&self, state: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.steps(StateId::new(state))
            .map(|(action, to)| (action.index() as u32, to.index() as u32))
    }
}

/// The coarsest strong bisimulation that is finer than a partition.
pub(super) fn refine(lts: &Lts, start: &Partition, budget: &Budget) -> Result<Partition, Spent> {
    let mut refinement = Refinement::new(lts, start);
    refinement.split_by_actions(budget)?;
    while refinement.blocks.set_count() < lts.state_count() {
        let Some(slice) = refinement.bunches.take_small_slice() else {
            break;
        };
        budget.check()?;
        refinement.stabilise(slice);
    }
    Ok(Partition::from_keys(&refinement.blocks.into_sets()))
}

/// Transitions are numbered by target: those into state `s` are `incoming[s]..incoming[s + 1]`.
struct Refinement {
    incoming: Vec<u32>,
    source: Vec<u32>,
    blocks: Refinable,
    bunches: Bunches,
    /// For each transition the number of its counter.
    counter_of: Vec<u32>,
    /// How many transitions a state has in a bunch.
    counters: Vec<u32>,
    /// For each state its counter for the new bunch, while one is made.
    fresh: Vec<u32>,
    /// The states with transitions in the new bunch, and whether they have none in the rest.
    sources: Vec<(u32, bool)>,
    new_blocks: Vec<u32>,
}

impl Refinement {
    fn new(lts: &Lts, start: &Partition) -> Refinement {
        let (states, transitions) = (lts.state_count(), lts.transition_count());
        let mut incoming = vec![0u32; states + 1];
        for step in lts.transitions() {
            incoming[step.to.index()] += 1;
        }
        let mut sum = 0;
        for offset in &mut incoming {
            sum += *offset;
            *offset = sum;
        }
        let mut source = vec![0u32; transitions];
        let mut counter_of = vec![0u32; transitions];
        let mut action = vec![0u32; transitions];
        let mut counters: Vec<u32> = Vec::new();
        let mut last = None;
        for step in lts.transitions() {
            if last.replace((step.from, step.action)) != Some((step.from, step.action)) {
                counters.push(0);
            }
            let place = &mut incoming[step.to.index()];
            *place -= 1;
            source[*place as usize] = step.from.index() as u32;
            action[*place as usize] = step.action.index() as u32;
            counter_of[*place as usize] = counters.len() as u32 - 1;
            if let Some(count) = counters.last_mut() {
                *count += 1;
            }
        }
        let slices = Refinable::by_keys(&action, lts.actions().len());
        drop(action);
        let blocks = Refinable::by_keys(start.blocks(), start.block_count());
        Refinement {
            incoming,
            source,
            blocks,
            bunches: Bunches::new(slices),
            counter_of,
            counters,
            fresh: vec![NONE; states],
            sources: Vec::new(),
            new_blocks: Vec::new(),
        }
    }

    /// Makes the blocks stable under all actions, and the slices lead to single blocks.
    fn split_by_actions(&mut self, budget: &Budget) -> Result<(), Spent> {
        for action in 0..self.bunches.slices.set_count() as u32 {
            budget.check()?;
            for &transition in self.bunches.slices.elements(action) {
                self.blocks.mark(self.source[transition as usize]);
            }
            self.blocks.split(|_, _| ());
        }
        let blocks = 0..self.blocks.set_count() as u32;
        let largest = blocks.clone().max_by_key(|&block| self.blocks.size(block));
        self.new_blocks
            .extend(blocks.filter(|&block| Some(block) != largest));
        self.slice_by_new_blocks();
        Ok(())
    }

    /// Makes the blocks stable under a slice and under the bunch that it was taken out of.
    fn stabilise(&mut self, slice: u32) {
        let transitions = self.bunches.slices.range(slice);
        for place in transitions.clone() {
            let transition = self.bunches.slices.element(place) as usize;
            self.counters[self.counter_of[transition] as usize] -= 1;
        }
        for place in transitions {
            let transition = self.bunches.slices.element(place) as usize;
            let state = self.source[transition];
            let old = self.counter_of[transition];
            let fresh = &mut self.fresh[state as usize];
            if *fresh == NONE {
                // A counter that has come to zero is used again.
                let only = self.counters[old as usize] == 0;
                *fresh = match only {
                    true => old,
                    false => {
                        self.counters.push(0);
                        self.counters.len() as u32 - 1
                    }
                };
                self.sources.push((state, only));
            }
            self.counter_of[transition] = *fresh;
            self.counters[*fresh as usize] += 1;
        }
        for &(state, _) in &self.sources {
            self.fresh[state as usize] = NONE;
            self.blocks.mark(state);
        }
        self.blocks.split(|_, new| self.new_blocks.push(new));
        for (state, only) in self.sources.drain(..) {
            if only {
                self.blocks.mark(state);
            }
        }
        self.blocks.split(|_, new| self.new_blocks.push(new));
        self.slice_by_new_blocks();
    }

    /// Makes the transitions into each new block slices of their own.
    fn slice_by_new_blocks(&mut self) {
        for block in self.new_blocks.drain(..) {
            for &state in self.blocks.elements(block) {
                for transition in self.incoming[state as usize]..self.incoming[state as usize + 1] {
                    self.bunches.slices.mark(transition);
                }
            }
            self.bunches.split_slices();
        }
    }
}
