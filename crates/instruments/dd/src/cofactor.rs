//! Generalized cofactors: simplification of a function by what one does not care about outside a care set.
//!
//! Both operators of Coudert and Madre agree with `f` wherever `care` holds:
//!
//! * *constrain* maps each point outside the care set to the nearest one inside (distance weighted by the order).
//!   It commutes with Boolean operations, and turns images into ranges, but may pull variables of `care` into the
//!   result. With a cube of literals it is the ordinary cofactor (`RESTRICT` of chapter 7).
//! * *restrict* quantifies the variables of `care` on which `f` does not depend, so that the support never grows;
//!   it is the one to use for making diagrams smaller. Either may also make them larger: see
//!   [`crate::Bdd::simplify`], which keeps the smaller.
//!
//! Cost: at most one call for each pair of nodes (for *restrict*, also the disjunctions of care sets).

use crate::computed_cache::Op;
use crate::edge::Edge;
use crate::kernel::Step;
use crate::recursion::Recursion;

impl Recursion<'_> {
    /// Cases in which either generalized cofactor is known at once. An empty care set gives false.
    fn cofactor_terminal(f: Edge, care: Edge) -> Option<Edge> {
        if care == Edge::TRUE || (f.is_constant() && care != Edge::FALSE) {
            Some(f)
        } else if f == care {
            Some(Edge::TRUE.with_parity((care == Edge::FALSE).into()))
        } else if care == Edge::FALSE || f == !care {
            Some(Edge::FALSE)
        } else {
            None
        }
    }

    pub(crate) fn constrain(&mut self, f: Edge, care: Edge) -> Step {
        if let Some(result) = Self::cofactor_terminal(f, care) {
            return Ok(result);
        }
        let parity = f.parity();
        let f = f.regular();
        if let Some(known) = self.kernel.cache.get(Op::Constrain, f.0, care.0, 0) {
            return Ok(known.with_parity(parity));
        }
        self.tick()?;
        let level = self.kernel.level(f).min(self.kernel.level(care));
        let (f0, f1) = self.kernel.cofactors_at(f, level);
        let (care0, care1) = self.kernel.cofactors_at(care, level);
        let result = if care1 == Edge::FALSE {
            self.constrain(f0, care0)?
        } else if care0 == Edge::FALSE {
            self.constrain(f1, care1)?
        } else {
            let (lo, hi) = self.both(|r| r.constrain(f0, care0), |r| r.constrain(f1, care1))?;
            self.node(level, lo, hi)?
        };
        self.kernel.cache.put(Op::Constrain, f.0, care.0, 0, result);
        Ok(result.with_parity(parity))
    }

    pub(crate) fn restrict(&mut self, f: Edge, mut care: Edge) -> Step {
        let level = self.kernel.level(f);
        // Variables above f are no use to it. (A constant f ends the loop at the leaf or at a terminal case.)
        while self.kernel.level(care) < level && !f.is_constant() {
            let (care0, care1) = self.kernel.cofactors(care);
            care = self.or(care0, care1)?;
        }
        if let Some(result) = Self::cofactor_terminal(f, care) {
            return Ok(result);
        }
        let parity = f.parity();
        let f = f.regular();
        if let Some(known) = self.kernel.cache.get(Op::Restrict, f.0, care.0, 0) {
            return Ok(known.with_parity(parity));
        }
        self.tick()?;
        let (f0, f1) = self.kernel.cofactors(f);
        let (care0, care1) = self.kernel.cofactors_at(care, level);
        let result = if care1 == Edge::FALSE {
            self.restrict(f0, care0)?
        } else if care0 == Edge::FALSE {
            self.restrict(f1, care1)?
        } else {
            let (lo, hi) = self.both(|r| r.restrict(f0, care0), |r| r.restrict(f1, care1))?;
            self.node(level, lo, hi)?
        };
        self.kernel.cache.put(Op::Restrict, f.0, care.0, 0, result);
        Ok(result.with_parity(parity))
    }
}
