//! States with what they share kept once: tree compression.
//!
//! Laarman, van de Pol, Weber, *Parallel recursive state compression for free* (SPIN 2011). A state is a binary tree whose leaves are eight bytes each.
//! Equal subtrees are kept once, so a subtree is a number, and a state is a pair of numbers: its root. Successors differ from a
//! state in a few leaves, so that only the paths from those to the root are looked up.
//!
//! States have any length. The first leaf begins with it, and a root also holds the depth of the tree, which leads to the first leaf; so a root
//! belongs to one state only, whatever its length. Where a level has an odd number of subtrees, the last one goes up as it is.
//!
//! Cost of a state: 8 bytes for the root, 4 for the parent, about 6 for the entry in the index; of a subtree about 14. In most models states have far fewer
//! subtrees of their own than states there are.

use super::index::{Index, mix};
use super::numbers::{Block, Numbers, Parents};
use super::segments::Segments;
use super::{Refusal, StateNumber, Store, Words, from_words, word_count};
use std::sync::atomic::{AtomicU64, Ordering};

/// The states.
#[derive(Debug)]
pub struct Tree {
    nodes: Nodes,
    /// For each state its root; 0 for numbers that stand for none.
    roots: Segments<AtomicU64, 12>,
    parents: Parents,
    numbers: Numbers,
    index: Index,
}

/// The subtrees: pairs of subtrees, or leaves.
#[derive(Debug)]
struct Nodes {
    pairs: Segments<AtomicU64, 12>,
    numbers: Numbers,
    index: Index,
}

/// Subtrees have numbers of so many bits.
const NODE_BITS: u32 = 30;
const NODE_MASK: u64 = (1 << NODE_BITS) - 1;
const DEPTH_SHIFT: u32 = 2 * NODE_BITS;

/// A state taken apart.
#[derive(Clone, Debug, Default)]
struct Image {
    leaves: Vec<u64>,
    /// The numbers of the leaves, then of pairs of them, and so on, down to the two below the root.
    levels: Vec<Vec<u32>>,
}

/// What a thread has taken.
#[derive(Debug)]
pub struct Pen {
    block: Block,
    nodes: NodePen,
    /// The state that was opened last.
    base: Image,
    image: Image,
}

/// What a thread needs to insert subtrees.
#[derive(Debug)]
struct NodePen {
    block: Block,
    /// Subtrees that it has met lately, with their numbers: each at the place that its hash says.
    recent: Box<[(u64, u32)]>,
}

/// So many bits tell the place.
const RECENT_BITS: u32 = 12;

impl Nodes {
    /// The number of a subtree.
    #[inline]
    fn insert(&self, pen: &mut NodePen, pair: u64) -> Result<u32, Refusal> {
        let hash = mix(pair);
        // Places are filled with the number of no subtree.
        let recent = &mut pen.recent[(hash & ((1 << RECENT_BITS) - 1)) as usize];
        if recent.0 == pair && recent.1 != u32::MAX {
            return Ok(recent.1);
        }
        let number = self.find_or_insert(&mut pen.block, pair, hash)?;
        *recent = (pair, number);
        Ok(number)
    }

    fn find_or_insert(&self, block: &mut Block, pair: u64, hash: u64) -> Result<u32, Refusal> {
        let is_it = |number: u32| self.pairs.at(number).load(Ordering::Relaxed) == pair;
        let vacancy = match self.index.find(hash, is_it) {
            Ok(number) => return Ok(number),
            Err(vacancy) => vacancy,
        };
        let limit = self.index.limit();
        let number = self
            .numbers
            .next(block, limit, |from, to| self.pairs.reserve(from, to))?;
        if u64::from(number) > NODE_MASK {
            return Err(Refusal::Full);
        }
        self.pairs.at(number).store(pair, Ordering::Relaxed);
        match self.index.claim(vacancy, hash, number, is_it) {
            Ok(()) => {
                block.take();
                Ok(number)
            }
            Err(other) => Ok(other),
        }
    }

    fn pair(&self, number: u32) -> u64 {
        self.pairs.at(number).load(Ordering::Relaxed)
    }
}

#[inline]
fn both(left: u32, right: u32) -> u64 {
    u64::from(right) << 32 | u64::from(left)
}

impl Default for Tree {
    fn default() -> Tree {
        Tree::new()
    }
}

impl Tree {
    /// An empty store.
    pub fn new() -> Tree {
        Tree {
            nodes: Nodes {
                pairs: Segments::new(),
                numbers: Numbers::default(),
                index: Index::new(),
            },
            roots: Segments::new(),
            parents: Parents::new(),
            numbers: Numbers::default(),
            index: Index::new(),
        }
    }

    fn root(&self, number: u32) -> u64 {
        self.roots.at(number).load(Ordering::Relaxed)
    }

    /// Takes a state apart, beginning with what it shares with the pen's base. Gives its root.
    #[inline]
    fn fold(&self, pen: &mut Pen, state: &[u8]) -> Result<u64, Refusal> {
        let Pen {
            nodes, base, image, ..
        } = pen;
        let count = word_count(state.len()).max(2);
        let same_shape = base.leaves.len() == count;
        image.leaves.clear();
        image.leaves.extend(Words::of(state).iter());
        image.leaves.resize(count, 0);
        if image.levels.is_empty() {
            image.levels.push(Vec::new());
        }
        let first = &mut image.levels[0];
        first.clear();
        for (at, &leaf) in image.leaves.iter().enumerate() {
            first.push(match same_shape && base.leaves[at] == leaf {
                true => base.levels[0][at],
                false => self.nodes.insert(nodes, leaf)?,
            });
        }
        let mut depth = 0;
        while image.levels[depth].len() > 2 {
            if image.levels.len() == depth + 1 {
                image.levels.push(Vec::new());
            }
            let (below, above) = image.levels.split_at_mut(depth + 1);
            let (below, above) = (&below[depth], &mut above[0]);
            above.clear();
            let (pairs, rest) = below.as_chunks::<2>();
            for (at, pair) in pairs.iter().enumerate() {
                above.push(
                    match same_shape && base.levels[depth][2 * at..2 * at + 2] == *pair {
                        true => base.levels[depth + 1][at],
                        false => self.nodes.insert(nodes, both(pair[0], pair[1]))?,
                    },
                );
            }
            above.extend_from_slice(rest);
            depth += 1;
        }
        let top = &image.levels[depth];
        Ok((depth as u64 + 1) << DEPTH_SHIFT | u64::from(top[0]) << NODE_BITS | u64::from(top[1]))
    }

    /// Takes a root apart.
    fn unfold(&self, root: u64, image: &mut Image) {
        let depth = (root >> DEPTH_SHIFT) as usize - 1;
        let top = [(root >> NODE_BITS & NODE_MASK) as u32, (root & NODE_MASK) as u32];
        // The first leaf is always below the left subtrees, and has the length.
        let mut first = top[0];
        for _ in 0..depth {
            first = self.nodes.pair(first) as u32;
        }
        let length = self.nodes.pair(first) as u16;
        let count = word_count(length.into()).max(2);
        image.levels.resize(image.levels.len().max(depth + 1), Vec::new());
        image.levels[depth].clear();
        image.levels[depth].extend_from_slice(&top);
        for level in (0..depth).rev() {
            let items = (0..level).fold(count, |items, _| items.div_ceil(2));
            let (below, above) = image.levels.split_at_mut(level + 1);
            let (below, above) = (&mut below[level], &above[0]);
            below.clear();
            for &node in &above[..items / 2] {
                let pair = self.nodes.pair(node);
                below.extend_from_slice(&[pair as u32, (pair >> 32) as u32]);
            }
            if items % 2 == 1 {
                below.extend(above.last());
            }
        }
        image.leaves.clear();
        let leaves = image.levels[0].iter().map(|&leaf| self.nodes.pair(leaf));
        image.leaves.extend(leaves);
    }
}

impl Store for Tree {
    type Pen = Pen;

    fn pen(&self, block: u32) -> Pen {
        Pen {
            block: Block::new(block),
            nodes: NodePen {
                block: Block::new(block.min(32)),
                recent: vec![(0, u32::MAX); 1 << RECENT_BITS].into(),
            },
            base: Image::default(),
            image: Image::default(),
        }
    }

    fn take_numbers_by(&self, pen: &mut Pen, block: u32) {
        pen.block = Block::new(block);
    }

    fn numbers(&self) -> u32 {
        self.numbers.end()
    }

    fn open(&self, pen: &mut Pen, number: StateNumber, state: &mut Vec<u8>) -> bool {
        let root = self.root(number.0);
        if root == 0 {
            return false;
        }
        self.unfold(root, &mut pen.base);
        from_words(pen.base.leaves.iter().copied(), state);
        true
    }

    #[inline]
    fn prepare(&self, pen: &mut Pen, state: &[u8]) -> Result<u64, Refusal> {
        if state.len() > usize::from(u16::MAX) {
            return Err(Refusal::Full);
        }
        let root = self.fold(pen, state)?;
        self.index.prefetch(mix(root));
        Ok(root)
    }

    #[inline]
    fn approach(&self, root: u64, step: usize) {
        if step == 0
            && let Some(number) = self.index.likely(mix(root))
        {
            self.roots.prefetch(number);
        }
    }

    #[inline]
    fn insert_prepared(
        &self,
        pen: &mut Pen,
        _: &[u8],
        root: u64,
        parent: Option<StateNumber>,
    ) -> Result<(StateNumber, bool), Refusal> {
        let hash = mix(root);
        let is_it = |number: u32| self.root(number) == root;
        let vacancy = match self.index.find(hash, is_it) {
            Ok(number) => return Ok((StateNumber(number), false)),
            Err(vacancy) => vacancy,
        };
        let limit = self.index.limit();
        let number = self.numbers.next(&mut pen.block, limit, |from, to| {
            self.parents.reserve(from, to)?;
            self.roots.reserve(from, to)
        })?;
        let place = self.roots.at(number);
        place.store(root, Ordering::Relaxed);
        self.parents.set(number, parent);
        match self.index.claim(vacancy, hash, number, is_it) {
            Ok(()) => {
                pen.block.take();
                Ok((StateNumber(number), true))
            }
            Err(other) => {
                place.store(0, Ordering::Relaxed);
                Ok((StateNumber(other), false))
            }
        }
    }

    fn find_prepared(&self, _: &[u8], root: u64) -> Option<StateNumber> {
        let found = self.index.find(mix(root), |number| self.root(number) == root);
        found.ok().map(StateNumber)
    }

    fn parent(&self, number: StateNumber) -> Option<StateNumber> {
        self.parents.of(number)
    }

    fn grow(&mut self, threads: usize) -> Result<(), Refusal> {
        // Threads stop when a few numbers are left, not only when there are none.
        let is_crowded = |numbers: &Numbers, index: &Index| numbers.end() > index.limit() / 8 * 7;
        let nodes = &self.nodes;
        if is_crowded(&nodes.numbers, &nodes.index) {
            if u64::from(nodes.numbers.end()) > NODE_MASK {
                return Err(Refusal::Full);
            }
            let index = nodes.index.larger()?;
            // Not all numbers stand for subtrees.
            index.fill(threads, nodes.index.len(), |entry| {
                let number = nodes.index.number_at(entry)?;
                Some((number, mix(nodes.pair(number))))
            });
            self.nodes.index = index;
        }
        if is_crowded(&self.numbers, &self.index) {
            let index = self.index.larger()?;
            index.fill(threads, self.numbers.end(), |number| {
                let root = self.root(number);
                (root != 0).then(|| (number, mix(root)))
            });
            self.index = index;
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        let nodes = u64::from(self.nodes.numbers.end()) * 8 + self.nodes.index.bytes();
        nodes + u64::from(self.numbers.end()) * 12 + self.index.bytes()
    }
}
