//! Which pairs of variables occur together in the support of some function.
//!
//! Two variables that never do can swap their levels for nothing, and do not bound each other's movement. The
//! matrix is symmetric and does not change while functions are only reordered. It is computed from the supports
//! of the maximal functions (nodes that no other node refers to).
//!
//! Cost: the sum of the sizes of the maximal functions. When they share so much that this exceeds a fixed multiple
//! of the number of nodes, the rest of the functions is treated as one function (which is safe, and coarser).

use crate::kernel::Kernel;
use fixedbitset::FixedBitSet;

/// Visits per node before supports are merged.
const PATIENCE: usize = 16;

pub(super) struct Interaction {
    /// Row-major bits, by variable.
    bits: FixedBitSet,
    variables: usize,
}

impl Interaction {
    /// From the nodes of a kernel labelled by level, given their reference counts (handles included).
    pub(super) fn of(kernel: &Kernel, references: &[u32]) -> Interaction {
        let variables = kernel.var_at.len();
        let mut matrix = Interaction {
            bits: FixedBitSet::with_capacity(variables * variables),
            variables,
        };
        // A maximal function has no reference but the one that stands for its handles.
        let roots: Vec<u32> = (1..kernel.end())
            .filter(|&node| {
                kernel.is_node(node)
                    && references[node as usize] == 1
                    && kernel.external[node as usize].load(std::sync::atomic::Ordering::Relaxed) > 0
            })
            .collect();
        let mut visits = PATIENCE * references.len();
        let mut stamp = vec![0u32; references.len()];
        let mut stack = Vec::new();
        let mut support = FixedBitSet::with_capacity(variables);
        let mut last = FixedBitSet::with_capacity(variables);
        let mut round = 0;
        for root in roots {
            if visits > 0 {
                round += 1;
                matrix.add(&support, &mut last);
                support.clear();
            } else if round != u32::MAX {
                // From here on, one merged function.
                round = u32::MAX;
                matrix.add(&support, &mut last);
                support.clear();
            }
            stack.push(root);
            stamp[root as usize] = round;
            while let Some(node) = stack.pop() {
                visits = visits.saturating_sub(1);
                support.insert(kernel.var_at[kernel.label(node) as usize] as usize);
                let (lo, hi) = kernel.children(node);
                for child in [lo.node(), hi.node()] {
                    if child != 0 && stamp[child as usize] != round {
                        stamp[child as usize] = round;
                        stack.push(child);
                    }
                }
            }
        }
        matrix.add(&support, &mut last);
        matrix
    }

    /// All pairs from a support. Equal supports in a row are common and cost only the comparison.
    fn add(&mut self, support: &FixedBitSet, last: &mut FixedBitSet) {
        if support == last {
            return;
        }
        last.clone_from(support);
        let members: Vec<usize> = support.ones().collect();
        for &x in &members {
            for &y in &members {
                self.bits.insert(x * self.variables + y);
            }
        }
    }

    #[inline(always)]
    pub(super) fn interact(&self, x: u32, y: u32) -> bool {
        self.bits.contains(x as usize * self.variables + y as usize)
    }
}
