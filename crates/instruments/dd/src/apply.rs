//! Conjunction, exclusive or, if-then-else, and the test for disjointness (chapter 7, section 5).
//!
//! Each is a Shannon expansion on the topmost variable with memoised results. With complement edges, negation is
//! free, so that *and* serves for every operator with one or three true rows, *xor* for the two with two, and
//! *ite* is only left with the truly ternary calls. Arguments are put into a normal form first (chapter 7,
//! feature 11), so that calls which must have the same result share one cache entry.
//!
//! Cost: at most one call for each pair (triple) of nodes of the operands.

use crate::computed_cache::Op;
use crate::edge::Edge;
use crate::kernel::{Step, Unwind};
use crate::recursion::Recursion;

impl Recursion<'_> {
    pub(crate) fn and(&mut self, f: Edge, g: Edge) -> Step {
        if f == g || g == Edge::TRUE {
            return Ok(f);
        }
        if f == Edge::TRUE {
            return Ok(g);
        }
        if f == !g || f == Edge::FALSE || g == Edge::FALSE {
            return Ok(Edge::FALSE);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.kernel.cache.get(Op::And, f.0, g.0, 0) {
            return Ok(known);
        }
        self.tick()?;
        let level = self.kernel.level(f).min(self.kernel.level(g));
        let (f0, f1) = self.kernel.cofactors_at(f, level);
        let (g0, g1) = self.kernel.cofactors_at(g, level);
        let (lo, hi) = self.both(|r| r.and(f0, g0), |r| r.and(f1, g1))?;
        let result = self.node(level, lo, hi)?;
        self.kernel.cache.put(Op::And, f.0, g.0, 0, result);
        Ok(result)
    }

    pub(crate) fn or(&mut self, f: Edge, g: Edge) -> Step {
        Ok(!self.and(!f, !g)?)
    }

    pub(crate) fn xor(&mut self, f: Edge, g: Edge) -> Step {
        // xor(¬f, g) = ¬xor(f, g): work on regular edges only.
        let parity = f.parity() ^ g.parity();
        let (f, g) = (f.regular(), g.regular());
        if f == g {
            return Ok(Edge::FALSE.with_parity(parity));
        }
        if f == Edge::TRUE {
            return Ok((!g).with_parity(parity));
        }
        if g == Edge::TRUE {
            return Ok((!f).with_parity(parity));
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.kernel.cache.get(Op::Xor, f.0, g.0, 0) {
            return Ok(known.with_parity(parity));
        }
        self.tick()?;
        let level = self.kernel.level(f).min(self.kernel.level(g));
        let (f0, f1) = self.kernel.cofactors_at(f, level);
        let (g0, g1) = self.kernel.cofactors_at(g, level);
        let (lo, hi) = self.both(|r| r.xor(f0, g0), |r| r.xor(f1, g1))?;
        let result = self.node(level, lo, hi)?;
        self.kernel.cache.put(Op::Xor, f.0, g.0, 0, result);
        Ok(result.with_parity(parity))
    }

    pub(crate) fn ite(&mut self, f: Edge, mut g: Edge, mut h: Edge) -> Step {
        if f == Edge::TRUE || g == h {
            return Ok(g);
        }
        if f == Edge::FALSE {
            return Ok(h);
        }
        // Occurrences of the condition in the branches are constants there.
        if g.regular() == f.regular() {
            g = Edge::TRUE.with_parity((g != f).into());
        }
        if h.regular() == f.regular() {
            h = Edge::TRUE.with_parity((h == f).into());
        }
        if g == h {
            return Ok(g);
        }
        if g == !h {
            return Ok(!self.xor(f, g)?);
        }
        if g == Edge::TRUE {
            return self.or(f, h);
        }
        if g == Edge::FALSE {
            return self.and(!f, h);
        }
        if h == Edge::FALSE {
            return self.and(f, g);
        }
        if h == Edge::TRUE {
            return self.or(!f, g);
        }
        // Normal form: condition and then-branch regular.
        let (f, g, h) = if f.is_complemented() {
            (!f, h, g)
        } else {
            (f, g, h)
        };
        let parity = g.parity();
        let (g, h) = (g.with_parity(parity), h.with_parity(parity));
        if let Some(known) = self.kernel.cache.get(Op::IfThenElse, f.0, g.0, h.0) {
            return Ok(known.with_parity(parity));
        }
        self.tick()?;
        let kernel = self.kernel;
        let level = kernel.level(f).min(kernel.level(g)).min(kernel.level(h));
        let (f0, f1) = kernel.cofactors_at(f, level);
        let (g0, g1) = kernel.cofactors_at(g, level);
        let (h0, h1) = kernel.cofactors_at(h, level);
        let (lo, hi) = self.both(|r| r.ite(f0, g0, h0), |r| r.ite(f1, g1, h1))?;
        let result = self.node(level, lo, hi)?;
        self.kernel.cache.put(Op::IfThenElse, f.0, g.0, h.0, result);
        Ok(result.with_parity(parity))
    }

    /// Whether `f ∧ g` is false, without building it: stops at the first common model.
    pub(crate) fn disjoint(&mut self, f: Edge, g: Edge) -> std::result::Result<bool, Unwind> {
        if f == !g || f == Edge::FALSE || g == Edge::FALSE {
            return Ok(true);
        }
        if f == g || f == Edge::TRUE || g == Edge::TRUE {
            return Ok(false);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        if let Some(known) = self.kernel.cache.get(Op::Disjoint, f.0, g.0, 0) {
            return Ok(known == Edge::TRUE);
        }
        if let Some(conjunction) = self.kernel.cache.get(Op::And, f.0, g.0, 0) {
            return Ok(conjunction == Edge::FALSE);
        }
        self.tick()?;
        let level = self.kernel.level(f).min(self.kernel.level(g));
        let (f0, f1) = self.kernel.cofactors_at(f, level);
        let (g0, g1) = self.kernel.cofactors_at(g, level);
        let result = self.disjoint(f1, g1)? && self.disjoint(f0, g0)?;
        let answer = Edge::TRUE.with_parity((!result).into());
        self.kernel.cache.put(Op::Disjoint, f.0, g.0, 0, answer);
        Ok(result)
    }
}
