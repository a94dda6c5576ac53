//! Existential quantification, and conjunction with quantification in one pass (the relational product).
//!
//! The quantified variables come as a positive cube, walked down in step with the operands. ∀ is ¬∃¬ (chapter 7,
//! section 5, with the erratum: the disjunction is of the *quantified* children). The relational product never
//! builds the conjunction (Burch, Clarke, Long 1991): at a quantified level it stops as soon as one branch is
//! true.
//!
//! Cost: exponential in the worst case, because each quantified level adds a disjunction; in practice close to
//! the size of the operands when quantified variables lie low in the order.

use crate::computed_cache::Op;
use crate::edge::Edge;
use crate::kernel::Step;
use crate::recursion::Recursion;

impl Recursion<'_> {
    /// The cube without its variables above `level`.
    #[inline(always)]
    fn cube_from(&self, mut cube: Edge, level: u32) -> Edge {
        while self.kernel.level(cube) < level {
            cube = self.kernel.children(cube.node()).1;
        }
        cube
    }

    pub(crate) fn exists(&mut self, f: Edge, cube: Edge) -> Step {
        if f.is_constant() {
            return Ok(f);
        }
        let level = self.kernel.level(f);
        let cube = self.cube_from(cube, level);
        if cube == Edge::TRUE {
            return Ok(f);
        }
        if let Some(known) = self.kernel.cache.get(Op::Exists, f.0, cube.0, 0) {
            return Ok(known);
        }
        self.tick()?;
        let (f0, f1) = self.kernel.cofactors(f);
        let result = if self.kernel.level(cube) == level {
            let below = self.kernel.children(cube.node()).1;
            self.some(|r| r.exists(f1, below), |r| r.exists(f0, below))?
        } else {
            let (lo, hi) = self.both(|r| r.exists(f0, cube), |r| r.exists(f1, cube))?;
            self.node(level, lo, hi)?
        };
        self.kernel.cache.put(Op::Exists, f.0, cube.0, 0, result);
        Ok(result)
    }

    pub(crate) fn forall(&mut self, f: Edge, cube: Edge) -> Step {
        Ok(!self.exists(!f, cube)?)
    }

    /// The disjunction of two branches; the second is not even begun if the first is true.
    #[inline(always)]
    fn some<A, B>(&mut self, first: A, second: B) -> Step
    where
        A: FnOnce(&mut Self) -> Step + Send,
        B: FnOnce(&mut Self) -> Step + Send,
    {
        if self.forks > 0 {
            let (f, g) = self.both(second, first)?;
            return self.or(f, g);
        }
        let f = first(self)?;
        if f == Edge::TRUE {
            return Ok(f);
        }
        let g = second(self)?;
        self.or(f, g)
    }

    pub(crate) fn and_exists(&mut self, f: Edge, g: Edge, cube: Edge) -> Step {
        if f == !g || f == Edge::FALSE || g == Edge::FALSE {
            return Ok(Edge::FALSE);
        }
        if f == g || g == Edge::TRUE {
            return self.exists(f, cube);
        }
        if f == Edge::TRUE {
            return self.exists(g, cube);
        }
        let (f, g) = if f < g { (f, g) } else { (g, f) };
        let level = self.kernel.level(f).min(self.kernel.level(g));
        let cube = self.cube_from(cube, level);
        if cube == Edge::TRUE {
            return self.and(f, g);
        }
        if let Some(known) = self.kernel.cache.get(Op::AndExists, f.0, g.0, cube.0) {
            return Ok(known);
        }
        self.tick()?;
        let (f0, f1) = self.kernel.cofactors_at(f, level);
        let (g0, g1) = self.kernel.cofactors_at(g, level);
        let result = if self.kernel.level(cube) == level {
            let below = self.kernel.children(cube.node()).1;
            self.some(|r| r.and_exists(f1, g1, below), |r| r.and_exists(f0, g0, below))?
        } else {
            let (lo, hi) = self.both(|r| r.and_exists(f0, g0, cube), |r| r.and_exists(f1, g1, cube))?;
            self.node(level, lo, hi)?
        };
        self.kernel.cache.put(Op::AndExists, f.0, g.0, cube.0, result);
        Ok(result)
    }
}
