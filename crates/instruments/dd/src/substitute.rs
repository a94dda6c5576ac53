//! Simultaneous substitution of functions for variables; composition and renaming are special cases.
//!
//! The recursion rebuilds the diagram bottom-up. Where the variable at a level is replaced by another variable
//! that still lies above everything in the rebuilt branches, one node is made directly; a renaming that is
//! monotone in the order (current to next with pairs side by side) therefore costs one visit a node. Elsewhere
//! the branches are joined by if-then-else.

use crate::computed_cache::Op;
use crate::edge::Edge;
use crate::kernel::Step;
use crate::recursion::Recursion;

/// A substitution prepared for the present order.
pub(crate) struct ByLevel {
    /// Distinguishes substitutions in the computed cache.
    pub(crate) identity: u32,
    /// What replaces the variable at each level, down to the last one replaced.
    pub(crate) replacement: Vec<Option<Edge>>,
}

impl Recursion<'_> {
    pub(crate) fn substitute(&mut self, f: Edge, map: &ByLevel) -> Step {
        let level = self.kernel.level(f);
        if level as usize >= map.replacement.len() {
            return Ok(f);
        }
        let parity = f.parity();
        let f = f.regular();
        if let Some(known) = self.kernel.cache.get(Op::Substitute, f.0, map.identity, 0) {
            return Ok(known.with_parity(parity));
        }
        self.tick()?;
        let (f0, f1) = self.kernel.cofactors(f);
        let (lo, hi) = self.both(|r| r.substitute(f0, map), |r| r.substitute(f1, map))?;
        let condition = match map.replacement[level as usize] {
            Some(edge) => edge,
            None => self.variable(level)?,
        };
        let result = self.branch(condition, lo, hi)?;
        self.kernel
            .cache
            .put(Op::Substitute, f.0, map.identity, 0, result);
        Ok(result.with_parity(parity))
    }

    /// `if condition then hi else lo`, by one node if the condition is a variable above both.
    fn branch(&mut self, condition: Edge, lo: Edge, hi: Edge) -> Step {
        let kernel = self.kernel;
        let top = kernel.level(condition);
        let is_variable =
            !condition.is_constant() && kernel.children(condition.node()) == (Edge::FALSE, Edge::TRUE);
        if is_variable && top < kernel.level(lo) && top < kernel.level(hi) {
            let (lo, hi) = if condition.is_complemented() {
                (hi, lo)
            } else {
                (lo, hi)
            };
            return self.node(top, lo, hi);
        }
        self.ite(condition, hi, lo)
    }
}
