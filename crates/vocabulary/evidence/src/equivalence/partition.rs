//! Partitions of the states of a system, and the relations they may be claimed to be.

use entail_model::{Lts, LtsBuilder, LtsError, StateId, TAU};
use std::fmt;

/// An equivalence of states that is a bisimulation of some kind. States of different colours are never equivalent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bisimulation {
    /// Every step is matched by a step (Park 1981). Of Kripke structures: bisimulation; keeps CTL* and the mu-calculus.
    Strong,
    /// Every step is matched by hidden steps inside the class, then a step; hidden steps inside the class need no match (van Glabbeek,
    /// Weijland 1996). Of Kripke structures: stuttering equivalence that is blind to divergence.
    Branching,
    /// Branching, and a state that can take hidden steps inside its class for ever is matched by such states only. Of Kripke structures:
    /// divergence-sensitive stuttering equivalence; keeps CTL* without X.
    DivergenceBranching,
    /// Every step is matched by a step with hidden steps before and after (Milner 1980). Hidden steps that change the colour are
    /// seen: they count as steps, not as what may come before and after.
    Weak,
    /// Weak, and a state that can take hidden steps inside its class for ever is matched by such states only.
    DivergenceWeak,
}

impl Bisimulation {
    /// All, the finest first.
    pub const ALL: [Bisimulation; 5] = [
        Bisimulation::Strong,
        Bisimulation::DivergenceBranching,
        Bisimulation::Branching,
        Bisimulation::DivergenceWeak,
        Bisimulation::Weak,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Bisimulation::Strong => "strong",
            Bisimulation::Branching => "branching",
            Bisimulation::DivergenceBranching => "divergence-branching",
            Bisimulation::Weak => "weak",
            Bisimulation::DivergenceWeak => "divergence-weak",
        }
    }

    /// The relation of this name.
    pub fn named(name: &str) -> Option<Bisimulation> {
        Bisimulation::ALL
            .into_iter()
            .find(|relation| relation.name() == name)
    }

    /// Whether hidden steps may be left out.
    pub fn hides(self) -> bool {
        self != Bisimulation::Strong
    }

    /// Whether hidden steps for ever are seen although hidden steps are not.
    pub fn sees_divergence(self) -> bool {
        matches!(
            self,
            Bisimulation::DivergenceBranching | Bisimulation::DivergenceWeak
        )
    }
}

impl fmt::Display for Bisimulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The states of a system in disjoint blocks. Blocks are numbered from 0 in the order of their first states, so that equal
/// partitions are equal values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    block_of: Vec<u32>,
    blocks: u32,
}

impl Partition {
    /// The partition whose blocks are the states with equal keys. Keys are small numbers: memory grows with the largest.
    pub fn from_keys(keys: &[u32]) -> Partition {
        let bound = keys.iter().max().map_or(0, |&key| key as usize + 1);
        let mut number = vec![u32::MAX; bound];
        let mut blocks = 0;
        let block_of = keys.iter().map(|&key| {
            let number = &mut number[key as usize];
            if *number == u32::MAX {
                *number = blocks;
                blocks += 1;
            }
            *number
        });
        Partition {
            block_of: block_of.collect(),
            blocks,
        }
    }

    /// Number of states.
    pub fn state_count(&self) -> usize {
        self.block_of.len()
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.blocks as usize
    }

    /// The block of a state.
    #[inline]
    pub fn block(&self, state: StateId) -> u32 {
        self.block_of[state.index()]
    }

    /// The block of every state.
    #[inline]
    pub fn blocks(&self) -> &[u32] {
        &self.block_of
    }

    /// Whether two states are in one block.
    #[inline]
    pub fn same(&self, left: StateId, right: StateId) -> bool {
        self.block(left) == self.block(right)
    }

    /// The partition that first takes a state to its block here, and then this block, as a state, to its block there.
    pub fn then(&self, coarser: &Partition) -> Partition {
        let keys: Vec<u32> = (self.block_of.iter())
            .map(|&block| coarser.block_of[block as usize])
            .collect();
        Partition::from_keys(&keys)
    }

    /// The smallest system with these blocks as states, for a partition that is a bisimulation of this kind. A block has the colour of its
    /// states and their steps, those to blocks. Hidden steps inside a block are left out where the relation hides them; where it sees
    /// divergence, a block whose states can take hidden steps for ever keeps a hidden loop.
    pub fn quotient(&self, lts: &Lts, relation: Bisimulation) -> Result<Lts, LtsError> {
        let mut builder = LtsBuilder::new(self.blocks.into());
        for name in lts.actions() {
            builder.action(name);
        }
        let block = |state: StateId| StateId::new(self.block(state));
        let divergent = match relation.sees_divergence() {
            true => self.divergent_blocks(lts),
            false => Vec::new(),
        };
        let mut steps = Vec::new();
        // Strong bisimulation: one state speaks for its block. Otherwise what only some states of a block do directly counts as well.
        let mut seen = vec![false; self.block_count()];
        for from in lts.states() {
            let source = block(from);
            let first = !std::mem::replace(&mut seen[source.index()], true);
            if relation == Bisimulation::Strong && !first {
                continue;
            }
            steps.clear();
            steps.extend(lts.steps(from).map(|(action, to)| (action, block(to))));
            steps.sort_unstable();
            steps.dedup();
            for &(action, target) in &steps {
                let inside = relation.hides() && action == TAU && source == target;
                if !inside {
                    builder.transition(source, action, target);
                }
            }
            if first && lts.is_coloured() {
                let colour = builder.colour(lts.propositions(from).iter().cloned());
                builder.paint(source, colour);
            }
        }
        for block in divergent {
            builder.transition(block, TAU, block);
        }
        for &state in lts.initial() {
            builder.initial(block(state));
        }
        builder.build()
    }

    /// The blocks inside which a cycle of hidden steps lies. In a partition that respects divergence, all their states can go on for ever.
    fn divergent_blocks(&self, lts: &Lts) -> Vec<StateId> {
        let inside = |from: StateId| {
            (lts.successors(from, TAU).iter().copied()).filter(move |&to| self.same(from, to))
        };
        // The hidden steps inside blocks, by target: those into state `s` are `sources[offsets[s]..offsets[s + 1]]`.
        let mut offsets = vec![0u32; lts.state_count() + 1];
        for to in lts.states().flat_map(inside) {
            offsets[to.index()] += 1;
        }
        let mut sum = 0;
        for offset in &mut offsets {
            sum += *offset;
            *offset = sum;
        }
        let mut sources = vec![StateId::new(0); sum as usize];
        let mut steps = vec![0u32; lts.state_count()];
        for from in lts.states() {
            for to in inside(from) {
                steps[from.index()] += 1;
                offsets[to.index()] -= 1;
                sources[offsets[to.index()] as usize] = from;
            }
        }
        // A cycle is what is left when states without such steps are taken away again and again.
        let mut ended: Vec<StateId> = lts.states().filter(|state| steps[state.index()] == 0).collect();
        while let Some(state) = ended.pop() {
            let range = offsets[state.index()] as usize..offsets[state.index() + 1] as usize;
            for from in &sources[range] {
                steps[from.index()] -= 1;
                if steps[from.index()] == 0 {
                    ended.push(*from);
                }
            }
        }
        let mut blocks: Vec<StateId> = (lts.states().filter(|state| steps[state.index()] > 0))
            .map(|state| StateId::new(self.block(state)))
            .collect();
        blocks.sort_unstable();
        blocks.dedup();
        blocks
    }
}
