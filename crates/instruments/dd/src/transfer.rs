//! Copying functions between managers, which may have different orders.
//!
//! Bottom-up, one if-then-else a node. With the same relative order this is linear; otherwise the size of the result
//! decides. A way to try an order without disturbing the diagrams, and to hand a result to another thread's manager.

use crate::bdd::Bdd;
use crate::edge::{Edge, Var};
use crate::error::Result;
use crate::manager::Manager;
use crate::structure::bottom_up;
use rustc_hash::FxHashMap;

impl Manager {
    /// A function of another manager, as a function of this one; `rename` says which variable here stands for each
    /// variable of its support. Panics if `f` belongs to this manager: that is a substitution.
    pub fn import(&self, f: &Bdd, rename: impl Fn(Var) -> Var) -> Result<Bdd> {
        let source = f.manager();
        assert!(
            !std::sync::Arc::ptr_eq(&self.0, &source.0),
            "the function is here already"
        );
        // Everything that is needed of the source is copied first: its lock is not held while this manager works.
        let nodes: Vec<(u32, Var, Edge, Edge)> = {
            let state = source.state();
            let kernel = &state.kernel;
            bottom_up(kernel, [f.edge()])
                .into_iter()
                .map(|node| {
                    let (lo, hi) = kernel.children(node);
                    (node, Var(kernel.var_at[kernel.label(node) as usize]), lo, hi)
                })
                .collect()
        };
        let mut copies: FxHashMap<u32, Bdd> = FxHashMap::default();
        copies.insert(0, self.one());
        let copy_of = |copies: &FxHashMap<u32, Bdd>, edge: Edge| {
            let copy = &copies[&edge.node()];
            if edge.is_complemented() {
                copy.not()
            } else {
                copy.clone()
            }
        };
        for (node, var, lo, hi) in nodes {
            let (lo, hi) = (copy_of(&copies, lo), copy_of(&copies, hi));
            copies.insert(node, self.var(rename(var))?.ite(&hi, &lo)?);
        }
        Ok(copy_of(&copies, f.edge()))
    }
}
