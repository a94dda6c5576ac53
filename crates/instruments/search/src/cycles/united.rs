//! Sets of nodes that threads unite: what several of them know together about strongly connected components.
//!
//! The structure of Bloemen, Laarman and van de Pol, *Multi-core on-the-fly SCC decomposition* (PPoPP 2016): union-find without a lock for the whole, where every set knows which threads have been in it, which of its nodes are still *open*
//! (some of their edges were followed by nobody to the end), the marks of the edges inside, and whether it is *dead*, a whole component from which nothing new can be reached.
//! The open nodes are on a ring; nodes that are no longer open stay on it, and are skipped by making their pointers longer. A set whose ring has no open node is dead.
//!
//! Roots are the greatest nodes of their sets, so pointers only rise. Two rings are joined by exchanging the pointers of one open node of each, which are locked meanwhile, that of the smaller root's set first; the smaller root is locked, too. So whoever
//! waits for a lock waits for somebody with a greater root, and nobody waits in a circle. 32 bytes a node; finding a root is nearly constant.

use crate::store::Refusal;
use crate::store::segments::Segments;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

/// Where the words of a node are: its parent, the next on the ring (each plus one in the lower half, 0 for itself, with flags above), the threads and the marks of a root.
const PARENT: usize = 0;
const RING: usize = 1;
const THREADS: usize = 2;
const MARKS: usize = 3;

/// The lower half of a word.
const LOW: u64 = u32::MAX as u64;
/// Somebody changes the node.
const LOCKED: u64 = 1 << 32;
/// The set is a whole component (flag of a root's parent), or the node is no longer open (flag of the ring).
const OVER: u64 = 1 << 33;
/// Somebody has entered the node (flag of the ring).
const SEEN: u64 = 1 << 34;

/// What a thread is told about a node that it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Its component is done with.
    Dead,
    /// The thread has been in its set, and has not left it.
    Known,
    /// The thread has not been in its set.
    New,
}

/// The sets. Nodes have to be reserved before anything is asked about them.
pub struct United {
    nodes: Segments<[AtomicU64; 4], 10>,
}

/// The node that a word points to.
fn pointed(word: u64, node: u32) -> u32 {
    match word & LOW {
        0 => node,
        other => (other - 1) as u32,
    }
}

/// Waits a moment for somebody else.
fn pause(rounds: &mut u32) {
    *rounds += 1;
    match rounds.is_multiple_of(64) {
        true => std::thread::yield_now(),
        false => std::hint::spin_loop(),
    }
}

impl United {
    /// Every node is a set of its own.
    pub fn new() -> United {
        United {
            nodes: Segments::new(),
        }
    }

    /// Makes sure that a node can be asked about.
    #[inline]
    pub fn reserve(&self, node: u32) -> Result<(), Refusal> {
        self.nodes.reserve(node.into(), u64::from(node) + 1)
    }

    #[inline]
    fn word(&self, node: u32, which: usize) -> &AtomicU64 {
        &self.nodes.at(node)[which]
    }

    /// Notes that a node is entered; whether nobody has before.
    pub fn enter(&self, node: u32) -> bool {
        self.word(node, RING).fetch_or(SEEN, SeqCst) & SEEN == 0
    }

    /// Whether somebody has entered a node.
    pub fn is_seen(&self, node: u32) -> bool {
        self.word(node, RING).load(SeqCst) & SEEN != 0
    }

    /// The root of a node's set. It may have become another's child by the time it is told.
    pub fn root(&self, mut node: u32) -> u32 {
        loop {
            let word = self.word(node, PARENT).load(SeqCst);
            let parent = pointed(word, node);
            if parent == node {
                return node;
            }
            let above = self.word(parent, PARENT).load(SeqCst) & LOW;
            if above == 0 {
                return parent;
            }
            let shorter = word & !LOW | above;
            let _ = (self.word(node, PARENT)).compare_exchange(word, shorter, SeqCst, SeqCst);
            node = parent;
        }
    }

    fn is_root(&self, node: u32) -> bool {
        self.word(node, PARENT).load(SeqCst) & LOW == 0
    }

    /// Whether two nodes are in one set.
    pub fn are_together(&self, one: u32, other: u32) -> bool {
        loop {
            let (first, second) = (self.root(one), self.root(other));
            if first == second {
                return true;
            }
            if self.is_root(first) {
                return false;
            }
        }
    }

    /// Adds bits to a word of the root of a node; what is there afterwards.
    fn add(&self, node: u32, which: usize, bits: u64) -> u64 {
        loop {
            let root = self.root(node);
            let before = self.word(root, which).fetch_or(bits, SeqCst);
            // Who makes the root a child reads the word after that.
            if self.is_root(root) {
                return before | bits;
            }
        }
    }

    /// Adds marks that are met inside the set of a node; all that are met there.
    pub fn meet(&self, node: u32, marks: u64) -> u64 {
        self.add(node, MARKS, marks)
    }

    /// A thread comes to a node.
    pub fn claim(&self, node: u32, thread: u32) -> Claim {
        let own = 1 << thread;
        loop {
            let root = self.root(node);
            let word = self.word(root, PARENT).load(SeqCst);
            if word & LOW != 0 {
                continue;
            }
            if word & OVER != 0 {
                return Claim::Dead;
            }
            let threads = self.word(root, THREADS);
            if threads.load(SeqCst) & own != 0 {
                return Claim::Known;
            }
            self.add(root, THREADS, own);
            return Claim::New;
        }
    }

    /// An open node of a node's set, the node itself if it is one; nothing if there is none.
    pub fn open_node(&self, node: u32) -> Option<u32> {
        let mut at = node;
        loop {
            let word = self.word(at, RING).load(SeqCst);
            if word & OVER == 0 {
                return Some(at);
            }
            let next = pointed(word, at);
            if next == at {
                return None;
            }
            let behind = self.word(next, RING).load(SeqCst);
            if behind & OVER == 0 {
                return Some(next);
            }
            let after = pointed(behind, next);
            let longer = word & !LOW | (u64::from(after) + 1);
            let longer = match after == at {
                true => word & !LOW,
                false => longer,
            };
            // Both are no longer open, so that nobody but those who skip changes their pointers.
            let _ = (self.word(at, RING)).compare_exchange(word, longer, SeqCst, SeqCst);
            at = after;
        }
    }

    /// All edges of a node were followed: it is no longer open.
    pub fn close(&self, node: u32) {
        let ring = self.word(node, RING);
        let mut rounds = 0;
        loop {
            let word = ring.load(SeqCst);
            if word & OVER != 0 {
                return;
            }
            if word & LOCKED == 0 && ring.compare_exchange(word, word | OVER, SeqCst, SeqCst).is_ok() {
                return;
            }
            pause(&mut rounds);
        }
    }

    /// The set of a node, which has no open node, is a whole component.
    pub fn finish(&self, node: u32) {
        let mut rounds = 0;
        loop {
            let root = self.root(node);
            let parent = self.word(root, PARENT);
            let word = parent.load(SeqCst);
            if word & OVER != 0 {
                return;
            }
            if word & (LOW | LOCKED) == 0
                && parent.compare_exchange(word, word | OVER, SeqCst, SeqCst).is_ok()
            {
                return;
            }
            pause(&mut rounds);
        }
    }

    /// Locks a root, if it is one of a set that is not dead.
    fn lock_root(&self, root: u32) -> bool {
        let parent = self.word(root, PARENT);
        let mut rounds = 0;
        loop {
            let word = parent.load(SeqCst);
            if word & (LOW | OVER) != 0 {
                return false;
            }
            if word & LOCKED == 0
                && parent
                    .compare_exchange(word, word | LOCKED, SeqCst, SeqCst)
                    .is_ok()
            {
                return true;
            }
            pause(&mut rounds);
        }
    }

    /// Locks an open node of a node's set, if there is one.
    fn lock_open(&self, node: u32) -> Option<u32> {
        let mut rounds = 0;
        loop {
            let open = self.open_node(node)?;
            let ring = self.word(open, RING);
            let word = ring.load(SeqCst);
            if word & (LOCKED | OVER) == 0
                && ring.compare_exchange(word, word | LOCKED, SeqCst, SeqCst).is_ok()
            {
                return Some(open);
            }
            pause(&mut rounds);
        }
    }

    /// Points a locked node of a ring to another and unlocks it.
    fn release(&self, node: u32, next: u32) {
        let ring = self.word(node, RING);
        let pointer = if next == node { 0 } else { u64::from(next) + 1 };
        let mut word = ring.load(SeqCst);
        // Meanwhile somebody may note that the node is entered.
        while let Err(now) = ring.compare_exchange(word, word & !(LOW | LOCKED) | pointer, SeqCst, SeqCst) {
            word = now;
        }
    }

    /// Unites the sets of two nodes that are on a cycle. Nothing is done if somebody has found out meanwhile that they are one dead component.
    pub fn unite(&self, one: u32, other: u32) {
        loop {
            let (first, second) = (self.root(one), self.root(other));
            if first == second {
                return;
            }
            let (lower, upper) = (first.min(second), first.max(second));
            if !self.lock_root(lower) {
                let is_over = |root: u32| self.word(root, PARENT).load(SeqCst) & OVER != 0;
                if is_over(lower) {
                    return;
                }
                continue;
            }
            let rings = self.lock_open(lower).map(|below| (below, self.lock_open(upper)));
            let (below, above) = match rings {
                Some((below, Some(above))) => (below, above),
                failed => {
                    if let Some((below, None)) = failed {
                        let next = pointed(self.word(below, RING).load(SeqCst), below);
                        self.release(below, next);
                    }
                    self.word(lower, PARENT).fetch_and(!LOCKED, SeqCst);
                    return;
                }
            };
            let behind_below = pointed(self.word(below, RING).load(SeqCst), below);
            let behind_above = pointed(self.word(above, RING).load(SeqCst), above);
            self.word(lower, PARENT)
                .store((u64::from(upper) + 1) | LOCKED, SeqCst);
            for which in [THREADS, MARKS] {
                let bits = self.word(lower, which).load(SeqCst);
                self.add(upper, which, bits);
            }
            self.release(below, behind_above);
            self.release(above, behind_below);
            self.word(lower, PARENT).fetch_and(!LOCKED, SeqCst);
            return;
        }
    }
}
