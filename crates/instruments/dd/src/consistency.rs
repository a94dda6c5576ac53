//! A check of the store's invariants, for tests and for hunting errors. One pass over the nodes; changes nothing.

use crate::kernel::FREE_LEVEL;
use crate::manager::Manager;
use rustc_hash::FxHashMap;
use std::sync::atomic::Ordering::Relaxed;

impl Manager {
    /// Whether every node that handles reach is reduced, has a regular hi edge, lies above its children, is alone with
    /// its level and children, and whether levels and variables are inverse to each other. Says what is wrong.
    pub fn check_consistency(&self) -> std::result::Result<(), String> {
        let state = self.state();
        let kernel = &state.kernel;
        for (var, &level) in kernel.level_of.iter().enumerate() {
            if kernel.var_at.get(level as usize) != Some(&(var as u32)) {
                return Err(format!("variable {var} is not at its level {level}"));
            }
        }
        let roots = (1..kernel.end()).filter(|&node| kernel.external[node as usize].load(Relaxed) > 0);
        let mut unique = FxHashMap::default();
        for node in kernel.reachable(roots).ones().skip(1) {
            let node = node as u32;
            let (level, (lo, hi)) = (kernel.label(node), kernel.children(node));
            if level >= FREE_LEVEL || level as usize >= kernel.var_at.len() {
                return Err(format!("node {node} is in use but not alive"));
            }
            if lo == hi || hi.is_complemented() {
                return Err(format!("node {node} is not reduced: {lo:?}, {hi:?}"));
            }
            if level >= kernel.level(lo) || level >= kernel.level(hi) {
                return Err(format!("node {node} is not above its children"));
            }
            if let Some(twin) = unique.insert((level, lo, hi), node) {
                return Err(format!("nodes {twin} and {node} are the same"));
            }
            if !kernel.is_chained(node) {
                return Err(format!("node {node} is not in the unique table"));
            }
        }
        Ok(())
    }
}
