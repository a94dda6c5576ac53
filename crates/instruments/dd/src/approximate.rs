//! Smaller functions below or above a given one, for searches that would otherwise run out of memory.
//!
//! The subset follows the heavy branch (Ravi and Somenzi 1995): from the root it walks down the child with more
//! models, giving up the other, until what is left is small enough. Among subsets of that size it tends to keep many
//! models. A superset is the complement of a subset of the complement.
//!
//! Cost: a count of the models and a size for each node on the walk.

use crate::bdd::Bdd;
use crate::error::Result;

impl Bdd {
    /// A function of at most about `max_nodes` nodes that implies this one; not false unless this one is.
    pub fn subset(&self, max_nodes: usize) -> Result<Bdd> {
        let manager = self.manager();
        let mut path = Vec::new();
        let mut rest = self.clone();
        while rest.node_count() + path.len() > max_nodes {
            let Some((var, lo, hi)) = rest.top() else {
                break;
            };
            let heavy_hi = hi.density_log2() > lo.density_log2();
            path.push((var, heavy_hi));
            rest = if heavy_hi { hi } else { lo };
        }
        rest.and(&manager.cube(path)?)
    }

    /// A function of at most about `max_nodes` nodes that is implied by this one; not true unless this one is.
    pub fn superset(&self, max_nodes: usize) -> Result<Bdd> {
        Ok(self.not().subset(max_nodes)?.not())
    }

    /// The base-2 logarithm of the fraction of assignments that satisfy the function.
    pub fn density_log2(&self) -> f64 {
        self.count_log2(&[])
    }
}
