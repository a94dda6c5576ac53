//! The nodes sorted by variable, and the swap of two adjacent levels.
//!
//! While a reordering is under way, nodes are labelled by their *variable*, each variable has its own hash table,
//! and every node has a reference count. Swapping the levels of x (above) and y then touches only the nodes of x
//! that have a child at y: such a node `x ? (y ? a : b) : (y ? c : d)` becomes `y ? (x ? a : c) : (x ? b : d)` in
//! place, with at most two new x-nodes; nodes of y that lose their last reference are freed at once. All other
//! nodes stay as they are, in particular every node keeps its number and its function.
//!
//! The new hi child is regular because the hi child of a regular hi child is; so complement edges stay canonical.
//!
//! Cost: one visit of each x-node and constant work for each that depends on y. If x and y never occur in the
//! same function, the swap is free.
//!
//! A swap cannot be undone half-way, so it is refused beforehand if the slots it may need are not there.

use super::interaction::Interaction;
use super::{Meter, ReorderEnd};
use crate::edge::Edge;
use crate::kernel::{Kernel, NIL};
use std::sync::atomic::Ordering::Relaxed;

pub(super) struct LevelTables<'k> {
    pub(super) kernel: &'k mut Kernel,
    tables: Vec<VariableTable>,
    references: Vec<u32>,
    pub(super) interaction: Interaction,
    total: usize,
    pub(super) swaps: u64,
    pub(super) free_swaps: u64,
    /// Nodes looked at in swaps.
    pub(super) visits: u64,
    moved: Vec<u32>,
}

/// The nodes of one variable, chained through their links.
struct VariableTable {
    heads: Vec<u32>,
    len: usize,
}

#[inline(always)]
fn hash(lo: Edge, hi: Edge) -> u64 {
    (u64::from(lo.0) << 32 | u64::from(hi.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl VariableTable {
    #[inline(always)]
    fn bucket(&self, lo: Edge, hi: Edge) -> usize {
        (hash(lo, hi) >> (64 - self.heads.len().trailing_zeros())) as usize
    }
}

impl<'k> LevelTables<'k> {
    /// Takes the nodes of a freshly collected kernel.
    pub(super) fn open(kernel: &'k mut Kernel) -> LevelTables<'k> {
        kernel.drop_table();
        let variables = kernel.var_at.len();
        let end = kernel.end();
        let mut references = vec![0u32; end as usize];
        let mut sizes = vec![0usize; variables];
        for node in 1..end {
            if kernel.is_node(node) {
                sizes[kernel.label(node) as usize] += 1;
                let (lo, hi) = kernel.children(node);
                references[lo.node() as usize] += 1;
                references[hi.node() as usize] += 1;
                if kernel.external[node as usize].load(Relaxed) > 0 {
                    references[node as usize] += 1;
                }
            }
        }
        references[0] = u32::MAX / 2;
        let interaction = Interaction::of(kernel, &references);
        // Labels are levels until here; `sizes` is by level too.
        let mut tables: Vec<VariableTable> = (0..variables)
            .map(|var| {
                let len = sizes[kernel.level_of[var] as usize];
                VariableTable {
                    heads: vec![NIL; len.next_power_of_two().max(4)],
                    len,
                }
            })
            .collect();
        for node in 1..end {
            if kernel.is_node(node) {
                let var = kernel.var_at[kernel.label(node) as usize];
                let (lo, hi) = kernel.children(node);
                let table = &mut tables[var as usize];
                let bucket = table.bucket(lo, hi);
                kernel.set_label_and_next(node, var, table.heads[bucket]);
                table.heads[bucket] = node;
            }
        }
        let total = sizes.iter().sum();
        LevelTables {
            kernel,
            tables,
            references,
            interaction,
            total,
            swaps: 0,
            free_swaps: 0,
            visits: 0,
            moved: Vec::new(),
        }
    }

    /// Gives the nodes back, labelled by level, and forgets cached results (they depend on the order's shape).
    pub(super) fn close(self) {
        let kernel = self.kernel;
        for node in 1..kernel.end() {
            if kernel.is_node(node) {
                let level = kernel.level_of[kernel.label(node) as usize];
                kernel.set_label_and_next(node, level, NIL);
            }
        }
        kernel.live_after_collection = self.total;
        kernel.rebuild_table();
        kernel.cache.clear();
    }

    /// Nodes in all.
    pub(super) fn total(&self) -> usize {
        self.total
    }

    /// Nodes of a variable.
    pub(super) fn size_of(&self, var: u32) -> usize {
        self.tables[var as usize].len
    }

    pub(super) fn var_at(&self, level: usize) -> u32 {
        self.kernel.var_at[level]
    }

    /// Swaps the variables at `level` and `level + 1`.
    pub(super) fn swap(&mut self, level: usize) -> Result<(), ReorderEnd> {
        let (x, y) = (self.var_at(level), self.var_at(level + 1));
        self.swaps += 1;
        if self.interaction.interact(x, y) {
            if self.kernel.room() < 2 * self.size_of(x) {
                return Err(ReorderEnd::Full);
            }
            self.visits += self.size_of(x) as u64;
            self.exchange(x, y);
        } else {
            self.free_swaps += 1;
        }
        self.kernel.var_at.swap(level, level + 1);
        self.kernel.level_of[x as usize] = level as u32 + 1;
        self.kernel.level_of[y as usize] = level as u32;
        Ok(())
    }

    fn exchange(&mut self, x: u32, y: u32) {
        // A walk over many empty buckets would cost more than the nodes.
        let table = &self.tables[x as usize];
        if table.heads.len() > 16 * table.len.max(1) {
            self.resize(x, table.len.next_power_of_two().max(4));
        }
        let mut moved = std::mem::take(&mut self.moved);
        self.unchain_dependents(x, y, &mut moved);
        let count = moved.len();
        self.tables[x as usize].len -= count;
        self.total -= count;
        for &node in &moved {
            let (lo, hi) = self.kernel.children(node);
            let (lo0, lo1) = self.cofactors_by(lo, y);
            let (hi0, hi1) = self.cofactors_by(hi, y);
            let new_hi = self.node(x, lo1, hi1);
            let new_lo = self.node(x, lo0, hi0);
            debug_assert!(!new_hi.is_complemented() && new_lo != new_hi);
            self.kernel.set_children(node, new_lo, new_hi);
            self.chain(y, node, new_lo, new_hi);
            self.release(lo, y);
            self.release(hi, y);
        }
        moved.clear();
        self.moved = moved;
    }

    /// Takes out of x's table the nodes that have a child at y.
    fn unchain_dependents(&mut self, x: u32, y: u32, moved: &mut Vec<u32>) {
        let kernel = &mut *self.kernel;
        for head in &mut self.tables[x as usize].heads {
            let mut kept = NIL;
            let mut node = *head;
            while node != NIL {
                let next = kernel.next(node);
                let (lo, hi) = kernel.children(node);
                if kernel.label(lo.node()) == y || kernel.label(hi.node()) == y {
                    moved.push(node);
                    if kept == NIL {
                        *head = next;
                    } else {
                        kernel.set_label_and_next(kept, x, next);
                    }
                } else {
                    kept = node;
                }
                node = next;
            }
        }
    }

    #[inline(always)]
    fn cofactors_by(&self, edge: Edge, var: u32) -> (Edge, Edge) {
        if self.kernel.label(edge.node()) == var {
            self.kernel.cofactors(edge)
        } else {
            (edge, edge)
        }
    }

    /// The node of `var` with these children, with one more reference.
    fn node(&mut self, var: u32, lo: Edge, hi: Edge) -> Edge {
        if lo == hi {
            self.references[lo.node() as usize] += 1;
            return lo;
        }
        let parity = hi.parity();
        let (lo, hi) = (lo.with_parity(parity), hi.with_parity(parity));
        let table = &self.tables[var as usize];
        let mut node = table.heads[table.bucket(lo, hi)];
        while node != NIL {
            if self.kernel.children(node) == (lo, hi) {
                self.references[node as usize] += 1;
                return Edge::to_node(node).with_parity(parity);
            }
            node = self.kernel.next(node);
        }
        let slot = self.kernel.take_slot();
        if slot as usize >= self.references.len() {
            self.references.resize(slot as usize + 1, 0);
        }
        self.kernel.set_children(slot, lo, hi);
        self.references[slot as usize] = 1;
        self.references[lo.node() as usize] += 1;
        self.references[hi.node() as usize] += 1;
        self.chain(var, slot, lo, hi);
        Edge::to_node(slot).with_parity(parity)
    }

    /// Inserts a node into the table of a variable.
    fn chain(&mut self, var: u32, node: u32, lo: Edge, hi: Edge) {
        if self.tables[var as usize].len > 2 * self.tables[var as usize].heads.len() {
            self.resize(var, self.tables[var as usize].heads.len() * 4);
        }
        let table = &mut self.tables[var as usize];
        let bucket = table.bucket(lo, hi);
        self.kernel.set_label_and_next(node, var, table.heads[bucket]);
        table.heads[bucket] = node;
        table.len += 1;
        self.total += 1;
    }

    #[cold]
    fn resize(&mut self, var: u32, heads: usize) {
        let table = &mut self.tables[var as usize];
        for mut node in std::mem::replace(&mut table.heads, vec![NIL; heads]) {
            while node != NIL {
                let next = self.kernel.next(node);
                let (lo, hi) = self.kernel.children(node);
                let bucket = table.bucket(lo, hi);
                self.kernel.set_label_and_next(node, var, table.heads[bucket]);
                table.heads[bucket] = node;
                node = next;
            }
        }
    }

    /// Drops one reference; a node of `y` without references is freed. Its children have other references: the
    /// rewritten nodes reach them.
    fn release(&mut self, edge: Edge, y: u32) {
        let node = edge.node();
        if node == 0 {
            return;
        }
        self.references[node as usize] -= 1;
        if self.references[node as usize] > 0 {
            return;
        }
        debug_assert_eq!(self.kernel.label(node), y);
        let (lo, hi) = self.kernel.children(node);
        for child in [lo.node(), hi.node()] {
            self.references[child as usize] -= 1;
            debug_assert!(self.references[child as usize] > 0);
        }
        let table = &mut self.tables[y as usize];
        let bucket = table.bucket(lo, hi);
        let next = self.kernel.next(node);
        if table.heads[bucket] == node {
            table.heads[bucket] = next;
        } else {
            let mut before = table.heads[bucket];
            while self.kernel.next(before) != node {
                before = self.kernel.next(before);
            }
            self.kernel.set_label_and_next(before, y, next);
        }
        table.len -= 1;
        self.total -= 1;
        self.kernel.free_slot(node);
    }

    /// Reaches an order by moving, from the top down, each variable up to its place.
    pub(super) fn move_to(&mut self, order: &[u32], meter: &Meter) -> Result<(), ReorderEnd> {
        for (target, &var) in order.iter().enumerate() {
            let mut level = self.kernel.level_of[var as usize] as usize;
            while level > target {
                meter.check(self)?;
                self.swap(level - 1)?;
                level -= 1;
            }
        }
        Ok(())
    }
}
