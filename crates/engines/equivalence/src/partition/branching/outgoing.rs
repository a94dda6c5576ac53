//! The transitions that are not inert, by the block they leave and the bunch they are in.
//!
//! The sets of one block are a list, so that a block with new bottom states can be looked at set by set. A set may be *pending*: it is not known
//! whether all bottom states of its block have a transition in it. Then the bottom states that have one are listed with it (and perhaps states that
//! are in other blocks by now).

use super::Graph;
use super::blocks::Blocks;
use crate::partition::refinable::Refinable;

const NONE: u32 = u32::MAX;

/// The set of the inert transitions.
pub(super) const INERT: u32 = 0;

pub(super) struct Outgoing {
    pub sets: Refinable,
    /// The list of each block, doubly linked.
    head: Vec<u32>,
    next: Vec<u32>,
    before: Vec<u32>,
    /// Sets that may be pending.
    waiting: Vec<u32>,
    is_pending: Vec<bool>,
    /// The bottom states listed with a pending set: the first entry; entries are a state and the next entry.
    entry_of: Vec<u32>,
    entries: Vec<(u32, u32)>,
    /// The sets that came out of one that is watched, it included.
    pub watched: Vec<u32>,
    is_watched: Vec<bool>,
    parts: Vec<(u32, Option<u32>)>,
}

impl Outgoing {
    /// Sets by label, for one block of all states; the label 0 is that of inert transitions.
    pub fn new(labels: &[u32], bound: usize) -> Outgoing {
        let sets = Refinable::by_keys(labels, bound);
        let count = sets.set_count();
        let mut outgoing = Outgoing {
            sets,
            head: vec![NONE],
            next: vec![NONE; count],
            before: vec![NONE; count],
            waiting: Vec::new(),
            is_pending: vec![false; count],
            entry_of: vec![NONE; count],
            entries: Vec::new(),
            watched: Vec::new(),
            is_watched: vec![false; count],
            parts: Vec::new(),
        };
        for set in 1..count as u32 {
            if outgoing.sets.size(set) > 0 {
                outgoing.link(set, 0);
            }
        }
        outgoing
    }

    /// The block that the transitions of a set leave.
    pub fn block(&self, set: u32, graph: &Graph, blocks: &Blocks) -> u32 {
        blocks.of(graph.source[self.sets.elements(set)[0] as usize])
    }

    fn link(&mut self, set: u32, block: u32) {
        if self.head.len() <= block as usize {
            self.head.resize(block as usize + 1, NONE);
        }
        let first = std::mem::replace(&mut self.head[block as usize], set);
        self.next[set as usize] = first;
        self.before[set as usize] = NONE;
        if first != NONE {
            self.before[first as usize] = set;
        }
    }

    fn unlink(&mut self, set: u32, block: u32) {
        let (before, next) = (self.before[set as usize], self.next[set as usize]);
        match before {
            NONE => self.head[block as usize] = next,
            before => self.next[before as usize] = next,
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
    }

    /// Enters a set that has just been split off another one, or of inert transitions.
    pub fn enter(&mut self, set: u32, block: u32) {
        self.next.push(NONE);
        self.before.push(NONE);
        self.is_pending.push(false);
        self.entry_of.push(NONE);
        self.is_watched.push(false);
        self.link(set, block);
    }

    /// Makes sets of their own of the marked transitions, which leave a block that has just been parted from another one.
    pub fn follow_part(&mut self, graph: &Graph, blocks: &Blocks, old: u32, new: u32) {
        let mut parts = std::mem::take(&mut self.parts);
        self.sets.split_off_marked(|set, part| parts.push((set, part)));
        for (set, part) in parts.drain(..) {
            let Some(part) = part else {
                self.unlink(set, old);
                self.link(set, new);
                continue;
            };
            self.enter(part, new);
            if self.is_watched[set as usize] {
                self.watch(part);
            }
            if self.is_pending[set as usize] {
                self.make_pending(part);
                for place in self.sets.range(part) {
                    let state = graph.source[self.sets.element(place) as usize];
                    if blocks.is_bottom(state) {
                        self.list(part, state);
                    }
                }
            }
        }
        self.parts = parts;
    }

    pub fn watch(&mut self, set: u32) {
        self.is_watched[set as usize] = true;
        self.watched.push(set);
    }

    pub fn forget_watched(&mut self) {
        for set in self.watched.drain(..) {
            self.is_watched[set as usize] = false;
        }
    }

    fn make_pending(&mut self, set: u32) {
        if !std::mem::replace(&mut self.is_pending[set as usize], true) {
            self.waiting.push(set);
        }
    }

    fn list(&mut self, set: u32, state: u32) {
        let entry = self.entries.len() as u32;
        self.entries.push((state, self.entry_of[set as usize]));
        self.entry_of[set as usize] = entry;
    }

    /// All bottom states of a block are new: all its sets are pending.
    pub fn make_all_pending(&mut self, graph: &Graph, blocks: &Blocks, block: u32) {
        for &state in blocks.bottoms(block) {
            for transition in graph.outgoing(state) {
                self.list(self.sets.set_of(transition), state);
            }
        }
        let mut set = self.head.get(block as usize).copied().unwrap_or(NONE);
        while set != NONE {
            self.make_pending(set);
            set = self.next[set as usize];
        }
    }

    /// A set that is not pending any more, with the bottom states of its block that have a transition in it (marked).
    pub fn take_pending(&mut self, graph: &Graph, blocks: &mut Blocks) -> Option<(u32, u32)> {
        let Some(set) = self.waiting.pop() else {
            self.entries.clear();
            return None;
        };
        self.is_pending[set as usize] = false;
        let block = self.block(set, graph, blocks);
        let mut entry = std::mem::replace(&mut self.entry_of[set as usize], NONE);
        while entry != NONE {
            let (state, next) = self.entries[entry as usize];
            if blocks.of(state) == block {
                blocks.mark(state);
            }
            entry = next;
        }
        Some((block, set))
    }
}
