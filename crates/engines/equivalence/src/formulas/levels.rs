//! Refinement level by level: which states are apart after `k` rounds, and when two states came apart.
//!
//! Two states are together at level 0 if they look the same, and at level `k + 1` if they are together at level `k` and can do the
//! same steps into the blocks of level `k`: their *signatures* are equal (Blom, Orzan 2003). The level at which two states come
//! apart is the least depth of a formula that separates them (Martens, Groote 2023), and choosing what to observe at each level is
//! what makes formulas short. Fast partition refinement forgets this; here it is kept, as a tree of blocks in which the children
//! of a block are what it fell into. Jump pointers (Myers 1983) find the block of a state at a level in O(log n).
//!
//! Only the states with a step to a state that has another block now are looked at again (for branching bisimulation, also those from
//! which hidden steps inside their block lead to one), and the largest part of a block keeps its number: a state gets another
//! one at most log n times.

use entail_budget::{Budget, Spent};
use entail_model::{Lts, StateId, TAU};
use rustc_hash::{FxHashMap, FxHashSet};

/// What the signature of a state consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Observation {
    /// Its steps.
    Steps,
    /// What it can do after hidden steps inside its block, except for those. The system has no cycles of hidden steps between
    /// states that look the same, other than loops.
    Branching {
        /// Whether endless hidden steps (loops) are observed.
        divergence: bool,
    },
}

#[derive(Clone, Copy)]
struct Block {
    parent: u32,
    jump: u32,
    level: u32,
    depth: u32,
}

/// The history of the refinement.
pub(crate) struct Levels {
    leaf: Vec<u32>,
    blocks: Vec<Block>,
}

/// A step as seen by a signature: action and block. Divergence has an action of its own.
type Seen = (u32, u32);

impl Levels {
    /// Refines until nothing changes, or until `enough` says so: it is asked after each level with the current block of each state.
    pub fn refine(
        lts: &Lts,
        observation: Observation,
        budget: &Budget,
        mut enough: impl FnMut(&[u32]) -> bool,
    ) -> Result<Levels, Spent> {
        let mut refinement = Refinement::new(lts);
        let mut branching = match observation {
            Observation::Steps => None,
            Observation::Branching { divergence } => Some(BranchingSignatures::new(lts, divergence)),
        };
        let mut dirty: Vec<u32> = (0..lts.state_count() as u32).collect();
        let mut level = 0;
        while !dirty.is_empty() && !enough(&refinement.block_of) {
            level += 1;
            let moved = match &mut branching {
                None => refinement.split(level, &dirty, budget, |state, block_of, signature| {
                    for (action, target) in lts.steps(StateId::new(state)) {
                        signature.push((action.index() as u32, block_of[target.index()]));
                    }
                })?,
                Some(signatures) => {
                    signatures.update(&mut dirty, &refinement.block_of, budget)?;
                    refinement.split(level, &dirty, budget, |state, _, signature| {
                        signature.extend_from_slice(&signatures.of[state as usize]);
                    })?
                }
            };
            dirty = refinement.sources(&moved);
            if branching.is_some() {
                // Where the own block is another one, other hidden steps stay inside it; and what is done after hidden steps
                // inside the block is done before them, too.
                dirty.extend(moved);
                refinement.close_inside(lts, &mut dirty);
            }
        }
        let leaf = (refinement.block_of.iter())
            .map(|&block| refinement.tree_node[block as usize])
            .collect();
        Ok(Levels {
            leaf,
            blocks: refinement.tree,
        })
    }

    /// The block of a state at a level, by a number that only this block has.
    pub fn block_at(&self, state: StateId, level: u32) -> u32 {
        let mut at = self.leaf[state.index()];
        loop {
            let block = &self.blocks[at as usize];
            if block.level <= level {
                return at;
            }
            let jumped = &self.blocks[block.jump as usize];
            at = if jumped.level > level {
                block.jump
            } else {
                block.parent
            };
        }
    }

    /// The first level at which two states are apart, if there is one.
    pub fn apart(&self, s: StateId, t: StateId) -> Option<u32> {
        let (mut s, mut t) = (self.leaf[s.index()], self.leaf[t.index()]);
        if s == t {
            return None;
        }
        let block = |at: u32| self.blocks[at as usize];
        // Down to equal depth, then down together as long as they differ.
        while block(s).depth != block(t).depth {
            if block(s).depth < block(t).depth {
                std::mem::swap(&mut s, &mut t);
            }
            let goal = block(t).depth;
            let jump = block(s).jump;
            s = if block(jump).depth >= goal {
                jump
            } else {
                block(s).parent
            };
        }
        if s == t {
            return None;
        }
        while block(s).parent != block(t).parent {
            let (js, jt) = (block(s).jump, block(t).jump);
            (s, t) = match js != jt {
                true => (js, jt),
                false => (block(s).parent, block(t).parent),
            };
        }
        Some(block(s).level)
    }
}

struct Refinement {
    block_of: Vec<u32>,
    members: Vec<Vec<u32>>,
    position: Vec<u32>,
    tree: Vec<Block>,
    tree_node: Vec<u32>,
    incoming: Vec<u32>,
    source: Vec<u32>,
}

impl Refinement {
    /// Blocks of states that look the same; they hang below one root.
    fn new(lts: &Lts) -> Refinement {
        let states = lts.state_count();
        let mut incoming = vec![0u32; states + 1];
        for step in lts.transitions() {
            incoming[step.to.index() + 1] += 1;
        }
        for state in 0..states {
            incoming[state + 1] += incoming[state];
        }
        let mut place = incoming.clone();
        let mut source = vec![0u32; lts.transition_count()];
        for step in lts.transitions() {
            source[place[step.to.index()] as usize] = step.from.index() as u32;
            place[step.to.index()] += 1;
        }
        let mut refinement = Refinement {
            block_of: vec![0; states],
            members: Vec::new(),
            position: vec![0; states],
            tree: vec![Block {
                parent: 0,
                jump: 0,
                level: 0,
                depth: 0,
            }],
            tree_node: Vec::new(),
            incoming,
            source,
        };
        let mut numbers = FxHashMap::default();
        for state in lts.states() {
            let block = *numbers.entry(lts.colour(state)).or_insert_with(|| {
                let node = refinement.grow(0, 0);
                refinement.members.push(Vec::new());
                refinement.tree_node.push(node);
                refinement.tree_node.len() as u32 - 1
            });
            refinement.enter(state.index() as u32, block);
        }
        refinement
    }

    fn grow(&mut self, parent: u32, level: u32) -> u32 {
        let above = self.tree[parent as usize];
        let far = self.tree[above.jump as usize];
        let even = above.depth - far.depth == far.depth - self.tree[far.jump as usize].depth;
        self.tree.push(Block {
            parent,
            jump: if even { far.jump } else { parent },
            level,
            depth: above.depth + 1,
        });
        self.tree.len() as u32 - 1
    }

    fn enter(&mut self, state: u32, block: u32) {
        let members = &mut self.members[block as usize];
        self.block_of[state as usize] = block;
        self.position[state as usize] = members.len() as u32;
        members.push(state);
    }

    fn leave(&mut self, state: u32) {
        let members = &mut self.members[self.block_of[state as usize] as usize];
        let position = self.position[state as usize];
        members.swap_remove(position as usize);
        if let Some(&other) = members.get(position as usize) {
            self.position[other as usize] = position;
        }
    }

    /// One round: blocks fall apart by the signatures of their dirty members; all others have one signature. Gives the states
    /// that are in another block now.
    fn split(
        &mut self,
        level: u32,
        dirty: &[u32],
        budget: &Budget,
        sign: impl Fn(u32, &[u32], &mut Vec<Seen>),
    ) -> Result<Vec<u32>, Spent> {
        let mut touched: Vec<(u32, u32)> = (dirty.iter())
            .map(|&state| (self.block_of[state as usize], state))
            .filter(|&(block, _)| self.members[block as usize].len() > 1)
            .collect();
        touched.sort_unstable();
        let mut splits: Vec<(u32, Vec<Vec<u32>>)> = Vec::new();
        for group in touched.chunk_by(|a, b| a.0 == b.0) {
            budget.check()?;
            let block = group[0].0;
            let members = &self.members[block as usize];
            let signature = |state: u32| {
                let mut signature = Vec::new();
                sign(state, &self.block_of, &mut signature);
                signature.sort_unstable();
                signature.dedup();
                signature
            };
            let mut numbers: FxHashMap<Vec<Seen>, usize> = FxHashMap::default();
            let mut parts: Vec<Vec<u32>> = Vec::new();
            let clean = members.len() - group.len();
            if clean > 0 {
                let is_dirty = |state: &u32| group.binary_search(&(block, *state)).is_ok();
                let speaker = members.iter().copied().find(|state| !is_dirty(state));
                numbers.extend(speaker.map(|state| (signature(state), 0)));
                parts.push(Vec::new());
            }
            for &(_, state) in group {
                let fresh = parts.len();
                let part = *numbers.entry(signature(state)).or_insert(fresh);
                if part == fresh {
                    parts.push(Vec::new());
                }
                parts[part].push(state);
            }
            if parts.len() == 1 {
                continue;
            }
            // The largest part stays. The states that are not dirty are in the first, and not listed.
            let size = |place: usize, part: &Vec<u32>| part.len() + if place == 0 { clean } else { 0 };
            let largest = (parts.iter().enumerate()).max_by_key(|(place, part)| size(*place, part));
            let largest = largest.map_or(0, |(place, _)| place);
            if largest != 0 && clean > 0 {
                let is_dirty = |state: &u32| group.binary_search(&(block, *state)).is_ok();
                let rest: Vec<u32> = members.iter().copied().filter(|state| !is_dirty(state)).collect();
                parts[0].extend(rest);
            }
            parts.swap_remove(largest);
            splits.push((block, parts));
        }
        let mut moved = Vec::new();
        for (block, parts) in splits {
            let parent = self.tree_node[block as usize];
            self.tree_node[block as usize] = self.grow(parent, level);
            for part in parts {
                let node = self.grow(parent, level);
                let fresh = self.members.len() as u32;
                self.members.push(Vec::with_capacity(part.len()));
                self.tree_node.push(node);
                for state in part {
                    self.leave(state);
                    self.enter(state, fresh);
                    moved.push(state);
                }
            }
        }
        Ok(moved)
    }

    /// Adds the states from which hidden steps inside their block lead to one of these.
    fn close_inside(&self, lts: &Lts, dirty: &mut Vec<u32>) {
        let mut known: FxHashSet<u32> = FxHashSet::default();
        dirty.retain(|&state| known.insert(state));
        let mut next = 0;
        while let Some(&state) = dirty.get(next) {
            next += 1;
            let row = self.incoming[state as usize] as usize..self.incoming[state as usize + 1] as usize;
            for &source in &self.source[row] {
                let inside = self.block_of[source as usize] == self.block_of[state as usize]
                    && !known.contains(&source)
                    && (lts
                        .successors(StateId::new(source), TAU)
                        .binary_search(&StateId::new(state)))
                    .is_ok();
                if inside {
                    known.insert(source);
                    dirty.push(source);
                }
            }
        }
    }

    /// The states with a step to one of these, once each.
    fn sources(&self, targets: &[u32]) -> Vec<u32> {
        let mut sources: Vec<u32> = (targets.iter())
            .flat_map(|&target| {
                let row =
                    self.incoming[target as usize] as usize..self.incoming[target as usize + 1] as usize;
                self.source[row].iter().copied()
            })
            .collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}

/// The states in an order in which hidden steps between states that look the same lead to earlier ones.
fn hidden_last(lts: &Lts) -> Vec<StateId> {
    let mut order = Vec::with_capacity(lts.state_count());
    let mut seen = vec![false; lts.state_count()];
    let mut path: Vec<(StateId, usize)> = Vec::new();
    for root in lts.states() {
        if std::mem::replace(&mut seen[root.index()], true) {
            continue;
        }
        path.push((root, 0));
        while let Some((state, next)) = path.last_mut() {
            let hidden = lts.successors(*state, TAU);
            match hidden.get(*next) {
                Some(&target) => {
                    *next += 1;
                    let alike = lts.colour(target) == lts.colour(*state);
                    if alike && !std::mem::replace(&mut seen[target.index()], true) {
                        path.push((target, 0));
                    }
                }
                None => {
                    order.push(*state);
                    path.pop();
                }
            }
        }
    }
    order
}

/// What each state can do after hidden steps inside its block.
struct BranchingSignatures<'a> {
    lts: &'a Lts,
    divergence: bool,
    /// Hidden steps between states that look the same lead to smaller places.
    place: Vec<u32>,
    of: Vec<Vec<Seen>>,
}

impl BranchingSignatures<'_> {
    fn new(lts: &Lts, divergence: bool) -> BranchingSignatures<'_> {
        let mut place = vec![0; lts.state_count()];
        for (number, state) in hidden_last(lts).into_iter().enumerate() {
            place[state.index()] = number as u32;
        }
        BranchingSignatures {
            lts,
            divergence,
            place,
            of: vec![Vec::new(); lts.state_count()],
        }
    }

    /// Computes the signatures of some states anew; those of all others are as they were.
    fn update(&mut self, dirty: &mut [u32], block_of: &[u32], budget: &Budget) -> Result<(), Spent> {
        dirty.sort_unstable_by_key(|&state| self.place[state as usize]);
        for &state in &*dirty {
            budget.check()?;
            let state = StateId::new(state);
            let here = block_of[state.index()];
            let mut signature = Vec::new();
            for (action, target) in self.lts.steps(state) {
                let there = block_of[target.index()];
                if action != TAU || there != here {
                    signature.push((action.index() as u32, there));
                } else if target != state {
                    signature.extend_from_slice(&self.of[target.index()]);
                } else if self.divergence {
                    signature.push((u32::MAX, 0));
                }
            }
            signature.sort_unstable();
            signature.dedup();
            self.of[state.index()] = signature;
        }
        Ok(())
    }
}
