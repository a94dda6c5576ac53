//! Rewriting formulas into equivalent, simpler ones.
//!
//! Bottom-up: each operator is rebuilt over simplified operands by a constructor that knows the laws of temporal logic —
//! Boolean laws, distribution of operators over their like, the laws of pure eventualities and universalities
//! (Etessami and Holzmann; extended in Spot), and laws that need an implication between operands (Somenzi and Bloem),
//! decided by [`crate::ltl::implication`]. Every law either shrinks the formula or moves it towards a fixed shape: `X`
//! outside, `G` joined over conjunctions, `F` over disjunctions. Results are memoised; cost is polynomial in the formula.

use super::arena::{Arena, Ltl, LtlNode, deep};

impl Arena {
    /// An equivalent, usually simpler formula.
    pub fn simplify(&mut self, formula: Ltl) -> Ltl {
        if let Some(&known) = self.simplified.get(&formula) {
            return known;
        }
        let result = deep(|| match self.node(formula).clone() {
            LtlNode::True | LtlNode::False | LtlNode::Literal(..) => formula,
            LtlNode::And(list) => {
                let list: Vec<Ltl> = list.into_iter().map(|operand| self.simplify(operand)).collect();
                self.and(list)
            }
            LtlNode::Or(list) => {
                let list: Vec<Ltl> = list.into_iter().map(|operand| self.simplify(operand)).collect();
                self.or(list)
            }
            LtlNode::Next(a) => {
                let a = self.simplify(a);
                self.next(a)
            }
            LtlNode::Finally(a) => {
                let a = self.simplify(a);
                self.finally(a)
            }
            LtlNode::Globally(a) => {
                let a = self.simplify(a);
                self.globally(a)
            }
            LtlNode::Until(a, b) => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                self.until(a, b)
            }
            LtlNode::Release(a, b) => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                self.release(a, b)
            }
            LtlNode::WeakUntil(a, b) => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                self.weak_until(a, b)
            }
            LtlNode::StrongRelease(a, b) => {
                let (a, b) = (self.simplify(a), self.simplify(b));
                self.strong_release(a, b)
            }
        });
        self.simplified.insert(formula, result);
        self.simplified.insert(result, result);
        result
    }

    /// `X a`, simplified.
    pub fn next(&mut self, a: Ltl) -> Ltl {
        if self.traits(a).positionless() {
            a
        } else {
            self.raw_next(a)
        }
    }

    /// `F a`, simplified.
    pub fn finally(&mut self, a: Ltl) -> Ltl {
        if self.traits(a).eventual {
            return a;
        }
        match self.node(a).clone() {
            LtlNode::Next(b) => {
                let inner = self.finally(b);
                self.next(inner)
            }
            LtlNode::Until(_, c) => self.finally(c),
            LtlNode::StrongRelease(b, c) => {
                let both = self.and(vec![b, c]);
                self.finally(both)
            }
            LtlNode::WeakUntil(b, c) => {
                let always = self.globally(b);
                let either = self.or(vec![c, always]);
                self.finally(either)
            }
            LtlNode::Release(b, c) => {
                let always = self.globally(c);
                let both = self.and(vec![b, c]);
                let either = self.or(vec![both, always]);
                self.finally(either)
            }
            LtlNode::And(list) => {
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).positionless());
                if out.is_empty() {
                    return self.raw_finally(a);
                }
                let inside = self.and(inside);
                let mut parts = out;
                parts.push(self.finally(inside));
                self.and(parts)
            }
            LtlNode::Or(list) => {
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).eventual);
                if out.is_empty() {
                    return self.raw_finally(a);
                }
                // F (F b | c) = F (b | c); other eventualities stand outside.
                let mut inside = inside;
                let mut parts = Vec::new();
                for operand in out {
                    match *self.node(operand) {
                        LtlNode::Finally(b) => inside.push(b),
                        _ => parts.push(operand),
                    }
                }
                let inside = self.or(inside);
                parts.push(self.finally(inside));
                self.or(parts)
            }
            LtlNode::Globally(b) => self.finally_globally(b),
            _ => self.raw_finally(a),
        }
    }

    /// `F G b`
    fn finally_globally(&mut self, b: Ltl) -> Ltl {
        if let LtlNode::Next(c) = *self.node(b) {
            return self.finally_globally(c);
        }
        if let LtlNode::Or(list) = self.node(b).clone() {
            let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                .into_iter()
                .partition(|&operand| self.traits(operand).universal);
            if !out.is_empty() {
                let inside = self.or(inside);
                let always = self.globally(inside);
                let mut parts: Vec<Ltl> = out.into_iter().map(|operand| self.finally(operand)).collect();
                parts.push(self.finally(always));
                return self.or(parts);
            }
        }
        if let LtlNode::And(list) = self.node(b).clone() {
            let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                .into_iter()
                .partition(|&operand| self.traits(operand).eventual);
            if !out.is_empty() {
                let inside = self.and(inside);
                let always = self.globally(inside);
                let mut parts: Vec<Ltl> = out.into_iter().map(|operand| self.globally(operand)).collect();
                parts.push(self.finally(always));
                return self.and(parts);
            }
        }
        let inner = self.raw_globally(b);
        self.raw_finally(inner)
    }

    /// `G a`, simplified.
    pub fn globally(&mut self, a: Ltl) -> Ltl {
        if self.traits(a).universal {
            return a;
        }
        match self.node(a).clone() {
            LtlNode::Next(b) => {
                let inner = self.globally(b);
                self.next(inner)
            }
            LtlNode::Release(_, c) => self.globally(c),
            LtlNode::WeakUntil(b, c) => {
                let either = self.or(vec![b, c]);
                self.globally(either)
            }
            LtlNode::Until(b, c) => {
                let eventually = self.finally(c);
                let either = self.or(vec![b, c]);
                let both = self.and(vec![either, eventually]);
                self.globally(both)
            }
            LtlNode::StrongRelease(b, c) => {
                let eventually = self.finally(b);
                let both = self.and(vec![c, eventually]);
                self.globally(both)
            }
            LtlNode::Or(list) => {
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).positionless());
                if out.is_empty() {
                    return self.raw_globally(a);
                }
                let inside = self.or(inside);
                let mut parts = out;
                parts.push(self.globally(inside));
                self.or(parts)
            }
            LtlNode::And(list) => {
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).universal || self.traits(operand).eventual);
                if out.is_empty() {
                    return self.raw_globally(a);
                }
                let mut inside = inside;
                let mut parts = Vec::new();
                for operand in out {
                    match *self.node(operand) {
                        LtlNode::Globally(b) if !self.traits(b).eventual => inside.push(b),
                        _ => parts.push(self.globally(operand)),
                    }
                }
                let inside = self.and(inside);
                parts.push(self.globally(inside));
                self.and(parts)
            }
            LtlNode::Finally(b) => self.globally_finally(b),
            _ => self.raw_globally(a),
        }
    }

    /// `G F b`
    fn globally_finally(&mut self, b: Ltl) -> Ltl {
        if let LtlNode::Next(c) = *self.node(b) {
            return self.globally_finally(c);
        }
        if let LtlNode::And(list) = self.node(b).clone() {
            let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                .into_iter()
                .partition(|&operand| self.traits(operand).eventual);
            if !out.is_empty() {
                let inside = self.and(inside);
                let eventually = self.finally(inside);
                let mut parts: Vec<Ltl> = out.into_iter().map(|operand| self.globally(operand)).collect();
                parts.push(self.globally(eventually));
                return self.and(parts);
            }
        }
        if let LtlNode::Or(list) = self.node(b).clone() {
            let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                .into_iter()
                .partition(|&operand| self.traits(operand).universal);
            if !out.is_empty() {
                let inside = self.or(inside);
                let eventually = self.finally(inside);
                let mut parts: Vec<Ltl> = out.into_iter().map(|operand| self.finally(operand)).collect();
                parts.push(self.globally(eventually));
                return self.or(parts);
            }
        }
        let inner = self.raw_finally(b);
        self.raw_globally(inner)
    }

    /// The operands of a conjunction, or the formula alone.
    pub(crate) fn conjuncts(&self, formula: Ltl) -> Vec<Ltl> {
        match self.node(formula) {
            LtlNode::And(list) => list.clone(),
            _ => vec![formula],
        }
    }

    pub(crate) fn disjuncts(&self, formula: Ltl) -> Vec<Ltl> {
        match self.node(formula) {
            LtlNode::Or(list) => list.clone(),
            _ => vec![formula],
        }
    }

    /// What is left of `a` in `a U b` and `a W b`, where it matters only while `b` is false.
    fn while_not(&mut self, a: Ltl, b: Ltl) -> Ltl {
        let not_b = self.negate(b);
        match self.node(a).clone() {
            LtlNode::And(list) => {
                let kept: Vec<Ltl> = list
                    .iter()
                    .copied()
                    .filter(|&x| !self.implies(not_b, x))
                    .collect();
                if kept.len() < list.len() {
                    self.and(kept)
                } else {
                    a
                }
            }
            LtlNode::Or(list) => {
                let kept: Vec<Ltl> = list.iter().copied().filter(|&x| !self.implies(x, b)).collect();
                if kept.len() < list.len() { self.or(kept) } else { a }
            }
            _ => a,
        }
    }

    /// `a U b`, simplified.
    pub fn until(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if a == Arena::TRUE {
            return self.finally(b);
        }
        if self.traits(b).eventual || self.implies(a, b) {
            return b;
        }
        let not_a = self.negate(a);
        if self.implies(not_a, b) {
            return self.finally(b);
        }
        let smaller = self.while_not(a, b);
        if smaller != a {
            return self.until(smaller, b);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (LtlNode::Next(c), LtlNode::Next(d)) => {
                let inner = self.until(c, d);
                return self.next(inner);
            }
            (_, LtlNode::Until(c, d)) => {
                if self.implies(a, c) {
                    return b;
                }
                if self.implies(c, a) {
                    return self.until(a, d);
                }
            }
            (LtlNode::Until(_, d), _) if d == b => return a,
            (LtlNode::WeakUntil(c, d), _) if d == b => return self.until(c, b),
            (_, LtlNode::Or(list)) => {
                // a U (b | G a) = a W b
                let always = self.globally(a);
                if list.contains(&always) {
                    let rest = self.or(list.into_iter().filter(|&x| x != always).collect());
                    return self.weak_until(a, rest);
                }
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).eventual);
                if !out.is_empty() {
                    let inside = self.or(inside);
                    let mut parts = out;
                    parts.push(self.until(a, inside));
                    return self.or(parts);
                }
            }
            (_, LtlNode::And(list)) => {
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .iter()
                    .partition(|&&operand| self.traits(operand).positionless());
                if !out.is_empty() {
                    let inside = self.and(inside);
                    let mut parts = out;
                    parts.push(self.until(a, inside));
                    return self.and(parts);
                }
                // a U (a & c) = c M a
                let parts_of_a = self.conjuncts(a);
                if parts_of_a.iter().all(|part| list.contains(part)) {
                    let rest = list.into_iter().filter(|x| !parts_of_a.contains(x)).collect();
                    let rest = self.and(rest);
                    return self.strong_release(rest, a);
                }
            }
            _ => {}
        }
        self.raw_until(a, b)
    }

    /// `a W b`, simplified.
    pub fn weak_until(&mut self, a: Ltl, b: Ltl) -> Ltl {
        if b == Arena::FALSE {
            return self.globally(a);
        }
        if self.implies(a, b) {
            return b;
        }
        let not_a = self.negate(a);
        if self.implies(not_a, b) {
            return Arena::TRUE;
        }
        if self.traits(a).universal {
            return self.or(vec![a, b]);
        }
        if self.traits(b).eventual {
            let always = self.globally(a);
            return self.or(vec![always, b]);
        }
        let smaller = self.while_not(a, b);
        if smaller != a {
            return self.weak_until(smaller, b);
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (LtlNode::Next(c), LtlNode::Next(d)) => {
                let inner = self.weak_until(c, d);
                return self.next(inner);
            }
            (_, LtlNode::WeakUntil(c, d)) => {
                if self.implies(a, c) {
                    return b;
                }
                if self.implies(c, a) {
                    return self.weak_until(a, d);
                }
            }
            (_, LtlNode::Until(c, d)) if self.implies(c, a) => return self.weak_until(a, d),
            (_, LtlNode::Globally(c)) if self.implies(c, a) => return self.globally(a),
            (LtlNode::WeakUntil(c, d), _) if d == b => return self.weak_until(c, b),
            (_, LtlNode::Or(list)) => {
                let always = self.globally(a);
                if list.contains(&always) {
                    let rest = self.or(list.into_iter().filter(|&x| x != always).collect());
                    return self.weak_until(a, rest);
                }
                let (out, inside): (Vec<Ltl>, Vec<Ltl>) = list
                    .into_iter()
                    .partition(|&operand| self.traits(operand).eventual);
                if !out.is_empty() {
                    let inside = self.or(inside);
                    let mut parts = out;
                    parts.push(self.weak_until(a, inside));
                    return self.or(parts);
                }
            }
            (_, LtlNode::And(list)) => {
                // a W (a & c) = c R a
                let parts_of_a = self.conjuncts(a);
                if parts_of_a.iter().all(|part| list.contains(part)) {
                    let rest = list.into_iter().filter(|x| !parts_of_a.contains(x)).collect();
                    let rest = self.and(rest);
                    return self.release(rest, a);
                }
            }
            _ => {}
        }
        self.raw_weak_until(a, b)
    }

    /// `a R b`, simplified: the dual of `U`, law by law.
    pub fn release(&mut self, a: Ltl, b: Ltl) -> Ltl {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        let violation = self.until(not_a, not_b);
        self.negate(violation)
    }

    /// `a M b`, simplified: the dual of `W`, law by law.
    pub fn strong_release(&mut self, a: Ltl, b: Ltl) -> Ltl {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        let violation = self.weak_until(not_a, not_b);
        self.negate(violation)
    }
}
