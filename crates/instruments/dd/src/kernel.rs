//! The node store: one array of nodes, one unique table over it (chapter 7, section 5), and their growth.
//!
//! A node is two words: its children (the hi edge is never complemented, which makes complement edges canonical),
//! and its level with the link of its hash chain. Nodes never move, so an edge keeps its meaning until its node
//! is collected, also through reordering. The array is reserved at once for all nodes that the memory limit
//! allows; pages that were never used cost nothing. The hash table and the computed cache grow with the nodes.
//!
//! Nodes carry no reference counts. What must survive is known from `external` counts (kept by the handles, and
//! shared with them so that dropping a handle needs no lock); collection is mark and sweep, and reordering counts
//! references when it begins.
//!
//! **Invariant.** Between operations: every node in a chain is reduced (lo ≠ hi), its hi edge is regular, its
//! level is above those of its children, and no two nodes agree on (level, lo, hi). Hence two edges are equal iff
//! their functions are.
//!
//! The store may be used by several threads at once through [`crate::recursion::Recursion`]: insertion is a
//! compare-and-swap on the chain's head. Growing, collecting and reordering need `&mut`.

use crate::computed_cache::ComputedCache;
use crate::edge::{Edge, LEAF_LEVEL};
use fixedbitset::FixedBitSet;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex};

/// The level written into slots that hold no node.
pub(crate) const FREE_LEVEL: u32 = u32::MAX - 1;
/// End of a hash chain and of the free list. Slot 0 is the leaf, which is in no chain.
pub(crate) const NIL: u32 = 0;
/// Edges have 31 bits in the computed cache.
pub(crate) const MAX_CAPACITY: usize = 1 << 30;
/// How many slots a thread takes at a time.
const REFILL: u32 = 256;

/// Why a recursion has to be unwound. Whoever started it mends the cause and starts again, or gives up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unwind {
    /// No free slot.
    Full,
    /// The tables should be made larger, the garbage collected, or the order improved first.
    Attend,
    /// The budget is spent.
    Spent,
    /// The operation is long enough for several threads.
    Widen,
}

pub(crate) type Step = std::result::Result<Edge, Unwind>;

/// A node as two words, see [`Kernel`].
type Node = [AtomicU64; 2];

pub(crate) struct Kernel {
    nodes: Box<[Node]>,
    buckets: Box<[AtomicU32]>,
    bucket_shift: u32,
    pub(crate) cache: ComputedCache,
    max_cache_bits: u32,
    /// How many handles hold each node.
    pub(crate) external: Arc<Box<[AtomicU32]>>,
    /// Slots from here on were never used.
    fresh: AtomicU32,
    free: Mutex<FreeList>,
    /// Slots handed out: nodes in chains plus the slots threads hold in stock.
    taken: AtomicUsize,
    /// An operation that takes more slots than this is interrupted.
    attend_at: usize,
    /// Slots in stock of the sequential thread between operations.
    pub(crate) stock: Vec<u32>,
    pub(crate) level_of: Vec<u32>,
    pub(crate) var_at: Vec<u32>,
    /// Nodes that survived the last collection.
    pub(crate) live_after_collection: usize,
    pub(crate) collections: usize,
    pub(crate) peak: usize,
}

#[derive(Default)]
struct FreeList {
    head: u32,
    returned: Vec<u32>,
}

#[inline(always)]
fn pack(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

#[inline(always)]
fn hash(children: u64, label: u32) -> u64 {
    (children ^ u64::from(label).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

fn zeroed<T: bytemuck::Zeroable>(len: usize) -> Option<Box<[T]>> {
    bytemuck::allocation::try_zeroed_slice_box(len).ok()
}

impl Kernel {
    /// A store for at most `capacity` nodes and a cache of at most `2^max_cache_bits` entries.
    pub(crate) fn new(capacity: usize, max_cache_bits: u32) -> Option<Kernel> {
        let capacity = capacity.clamp(1 << 10, MAX_CAPACITY);
        let mut nodes: Box<[Node]> = zeroed(capacity)?;
        *nodes[0][1].get_mut() = pack(LEAF_LEVEL, NIL);
        let external: Box<[AtomicU32]> = zeroed(capacity)?;
        let bits = 12;
        Some(Kernel {
            nodes,
            buckets: zeroed(1 << bits)?,
            bucket_shift: 64 - bits,
            cache: ComputedCache::new(12.min(max_cache_bits))?,
            max_cache_bits,
            external: Arc::new(external),
            fresh: AtomicU32::new(1),
            free: Mutex::default(),
            taken: AtomicUsize::new(0),
            attend_at: 1 << 12,
            stock: Vec::new(),
            level_of: Vec::new(),
            var_at: Vec::new(),
            live_after_collection: 0,
            collections: 0,
            peak: 0,
        })
    }

    pub(crate) fn capacity(&self) -> usize {
        self.nodes.len()
    }

    /// Nodes in the table, dead ones included.
    pub(crate) fn used(&self) -> usize {
        self.taken.load(Relaxed) - self.stock.len()
    }

    pub(crate) fn set_attend_at(&mut self, slots: usize) {
        self.attend_at = slots;
    }

    /// How many slots fit the hash table at a load of two.
    pub(crate) fn comfortable(&self) -> usize {
        self.buckets.len() * 2
    }

    #[inline(always)]
    pub(crate) fn level(&self, edge: Edge) -> u32 {
        self.label(edge.node())
    }

    /// The level of a node (its variable, while a reordering is under way).
    #[inline(always)]
    pub(crate) fn label(&self, node: u32) -> u32 {
        (self.nodes[node as usize][1].load(Relaxed) >> 32) as u32
    }

    #[inline(always)]
    pub(crate) fn next(&self, node: u32) -> u32 {
        self.nodes[node as usize][1].load(Relaxed) as u32
    }

    #[inline(always)]
    pub(crate) fn set_label_and_next(&mut self, node: u32, label: u32, next: u32) {
        *self.nodes[node as usize][1].get_mut() = pack(label, next);
    }

    /// The children (lo, hi) of a node, as stored.
    #[inline(always)]
    pub(crate) fn children(&self, node: u32) -> (Edge, Edge) {
        let word = self.nodes[node as usize][0].load(Relaxed);
        (Edge(word as u32), Edge((word >> 32) as u32))
    }

    #[inline(always)]
    pub(crate) fn set_children(&mut self, node: u32, lo: Edge, hi: Edge) {
        *self.nodes[node as usize][0].get_mut() = pack(hi.0, lo.0);
    }

    /// The cofactors (lo, hi) of a function by its top variable.
    #[inline(always)]
    pub(crate) fn cofactors(&self, edge: Edge) -> (Edge, Edge) {
        let (lo, hi) = self.children(edge.node());
        (lo.with_parity(edge.parity()), hi.with_parity(edge.parity()))
    }

    /// The cofactors (lo, hi) by the variable at `level`, which is not below the function's top.
    #[inline(always)]
    pub(crate) fn cofactors_at(&self, edge: Edge, level: u32) -> (Edge, Edge) {
        if self.level(edge) == level {
            self.cofactors(edge)
        } else {
            (edge, edge)
        }
    }

    /// Whether a slot holds a node (alive or not yet collected).
    pub(crate) fn is_node(&self, node: u32) -> bool {
        node < self.end() && node > 0 && self.label(node) < FREE_LEVEL
    }

    /// One past the highest slot ever used.
    pub(crate) fn end(&self) -> u32 {
        self.fresh.load(Relaxed)
    }

    /// Finds or inserts the node `(level, lo, hi)`, where lo ≠ hi and hi is regular, taking a slot from `stock` if
    /// it is new. With `exclusive`, no other thread works on the table.
    #[inline(always)]
    pub(crate) fn find_or_insert(
        &self,
        level: u32,
        lo: Edge,
        hi: Edge,
        stock: &mut Vec<u32>,
        exclusive: bool,
    ) -> Step {
        debug_assert!(lo != hi && !hi.is_complemented());
        debug_assert!(level < self.level(lo) && level < self.level(hi));
        let children = pack(hi.0, lo.0);
        let bucket = &self.buckets[(hash(children, level) >> self.bucket_shift) as usize];
        let mut head = bucket.load(Acquire);
        let mut seen = NIL;
        let mut slot = NIL;
        loop {
            let mut node = head;
            while node != seen {
                let entry = &self.nodes[node as usize];
                let link = entry[1].load(Relaxed);
                if entry[0].load(Relaxed) == children && (link >> 32) as u32 == level {
                    if slot != NIL {
                        stock.push(slot);
                    }
                    return Ok(Edge::to_node(node));
                }
                node = link as u32;
            }
            if slot == NIL {
                slot = match stock.pop() {
                    Some(slot) => slot,
                    None => self.refill(stock)?,
                };
            }
            let entry = &self.nodes[slot as usize];
            entry[0].store(children, Relaxed);
            entry[1].store(pack(level, head), Relaxed);
            if exclusive {
                bucket.store(slot, Relaxed);
                return Ok(Edge::to_node(slot));
            }
            match bucket.compare_exchange(head, slot, AcqRel, Acquire) {
                Ok(_) => return Ok(Edge::to_node(slot)),
                // Somebody inserted: only the new front of the chain has to be searched again.
                Err(now) => (seen, head) = (head, now),
            }
        }
    }

    /// Whether a node can be found in the hash table.
    pub(crate) fn is_chained(&self, node: u32) -> bool {
        let children = self.nodes[node as usize][0].load(Relaxed);
        let bucket = (hash(children, self.label(node)) >> self.bucket_shift) as usize;
        let mut at = self.buckets[bucket].load(Acquire);
        while at != NIL && at != node {
            at = self.next(at);
        }
        at == node
    }

    /// Takes slots from the free list or from the unused end, and returns one of them.
    #[cold]
    fn refill(&self, stock: &mut Vec<u32>) -> std::result::Result<u32, Unwind> {
        if self.taken.load(Relaxed) >= self.attend_at {
            return Err(Unwind::Attend);
        }
        let mut free = self
            .free
            .lock()
            .expect("no thread panics while it holds the free list");
        if !free.returned.is_empty() {
            std::mem::swap(stock, &mut free.returned);
        } else if free.head != NIL {
            while free.head != NIL && stock.len() < REFILL as usize {
                stock.push(free.head);
                free.head = self.next(free.head);
            }
            stock.reverse();
            self.taken.fetch_add(stock.len(), Relaxed);
        } else {
            let start = self.fresh.load(Relaxed);
            let end = (start as usize + REFILL as usize).min(self.capacity()) as u32;
            self.fresh.store(end, Relaxed);
            stock.extend((start..end).rev());
            self.taken.fetch_add(stock.len(), Relaxed);
        }
        stock.pop().ok_or(Unwind::Full)
    }

    /// Takes back the slots a helping thread did not use.
    pub(crate) fn give_back(&self, stock: &mut Vec<u32>) {
        let mut free = self
            .free
            .lock()
            .expect("no thread panics while it holds the free list");
        free.returned.append(stock);
    }

    /// Takes one slot, for reordering.
    pub(crate) fn take_slot(&mut self) -> u32 {
        let free = self
            .free
            .get_mut()
            .expect("no thread panics while it holds the free list");
        let taken = self.taken.get_mut();
        *taken += 1;
        let slot = free.head;
        if slot != NIL {
            free.head = *self.nodes[slot as usize][1].get_mut() as u32;
            return slot;
        }
        let fresh = self.fresh.get_mut();
        let slot = *fresh;
        *fresh += 1;
        slot
    }

    /// Frees one slot, for reordering.
    pub(crate) fn free_slot(&mut self, slot: u32) {
        let free = self
            .free
            .get_mut()
            .expect("no thread panics while it holds the free list");
        *self.nodes[slot as usize][1].get_mut() = pack(FREE_LEVEL, free.head);
        free.head = slot;
        *self.taken.get_mut() -= 1;
    }

    /// Slots that are neither taken nor in stock.
    pub(crate) fn room(&self) -> usize {
        self.capacity() - 1 - self.taken.load(Relaxed)
    }

    /// How many nodes the handles reach. Collects nothing.
    pub(crate) fn count_live(&self) -> usize {
        self.alive().count_ones(..) - 1
    }

    fn alive(&self) -> FixedBitSet {
        self.reachable((1..self.end()).filter(|&node| self.external[node as usize].load(Relaxed) > 0))
    }

    /// Marks everything reachable from the handles; the rest becomes free. Costs one pass over the nodes and the
    /// cache.
    pub(crate) fn collect(&mut self) {
        self.peak = self.peak.max(self.used());
        let end = self.end();
        let alive = self.alive();
        self.cache.retain(|node| alive.contains(node as usize));
        self.stock.clear();
        let mut free = FreeList::default();
        let mut live = 0;
        // Downwards, so that the free list hands out slots upwards.
        for node in (1..end).rev() {
            if alive.contains(node as usize) {
                live += 1;
            } else {
                *self.nodes[node as usize][1].get_mut() = pack(FREE_LEVEL, free.head);
                free.head = node;
            }
        }
        self.free = Mutex::new(free);
        *self.taken.get_mut() = live;
        self.live_after_collection = live;
        self.collections += 1;
        self.rebuild_table();
    }

    /// The nodes reachable from `roots`, the leaf included.
    pub(crate) fn reachable(&self, roots: impl Iterator<Item = u32>) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.end() as usize);
        seen.insert(0);
        let mut stack = Vec::new();
        for root in roots {
            if !seen.put(root as usize) {
                stack.push(root);
            }
            while let Some(node) = stack.pop() {
                let (lo, hi) = self.children(node);
                for child in [lo.node(), hi.node()] {
                    if !seen.put(child as usize) {
                        stack.push(child);
                    }
                }
            }
        }
        seen
    }

    /// Puts every node into a hash table fit for their number. Keeps the size if there is no memory for more.
    pub(crate) fn rebuild_table(&mut self) {
        let wanted = self.taken.load(Relaxed).next_power_of_two().max(1 << 12);
        let replacement = if wanted > self.buckets.len() || wanted * 8 < self.buckets.len() {
            zeroed(wanted)
        } else {
            None
        };
        match replacement {
            Some(buckets) => {
                self.bucket_shift = 64 - wanted.trailing_zeros();
                self.buckets = buckets;
            }
            None => self.buckets.iter_mut().for_each(|head| *head.get_mut() = NIL),
        }
        for node in 1..self.end() {
            let [children, link] = &mut self.nodes[node as usize];
            let level = (*link.get_mut() >> 32) as u32;
            // Slots in stock carry no level yet (0 children) or a stale one; they are not nodes.
            if level < FREE_LEVEL {
                let head =
                    self.buckets[(hash(*children.get_mut(), level) >> self.bucket_shift) as usize].get_mut();
                *link.get_mut() = pack(level, *head);
                *head = node;
            }
        }
    }

    /// Makes hash table and cache fit the number of nodes, keeping all nodes and all results.
    pub(crate) fn grow_tables(&mut self) {
        self.return_stock();
        if self.taken.load(Relaxed) > self.buckets.len() {
            self.rebuild_table();
        }
        let wanted =
            (self.taken.load(Relaxed).next_power_of_two().trailing_zeros() + 1).min(self.max_cache_bits);
        if 1usize << wanted > self.cache.len() {
            self.cache.grow(wanted);
        }
    }

    /// Puts slots in stock on the free list, so that every slot is a node or marked free.
    pub(crate) fn return_stock(&mut self) {
        let mut stock = std::mem::take(&mut self.stock);
        stock.append(
            &mut self
                .free
                .get_mut()
                .expect("no thread panics while it holds the free list")
                .returned,
        );
        for slot in stock.drain(..) {
            self.free_slot(slot);
        }
        self.stock = stock;
    }

    /// Gives back the hash table's memory during reordering, when the nodes are in tables by variable.
    pub(crate) fn drop_table(&mut self) {
        self.buckets = Box::default();
    }
}
