//! Syntactic implication: a cheap, sound, incomplete test whether one formula implies another.
//!
//! The rules are those of Somenzi and Bloem extended by pure eventualities and universalities. Each looks at the outermost
//! operators and asks about subformulas, so with memoisation the cost is bounded by the product of the two formulas' sizes.
//! Formulas without temporal operators are compared exactly, as decision diagrams.

use super::arena::{Arena, Ltl, LtlNode, deep};

impl Arena {
    /// Whether `f` implies `g` at every position of every word, as far as the rules can tell.
    pub fn implies(&mut self, f: Ltl, g: Ltl) -> bool {
        if f == g || f == Arena::FALSE || g == Arena::TRUE {
            return true;
        }
        if f == Arena::TRUE || g == Arena::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        // A question that comes back to itself is not yet answered yes.
        self.implications.insert((f, g), false);
        let result = deep(|| self.implies_by_rules(f, g));
        self.implications.insert((f, g), result);
        result
    }

    /// Whether `f` and `g` exclude each other, as far as the rules can tell.
    pub fn excludes(&mut self, f: Ltl, g: Ltl) -> bool {
        let not_g = self.negate(g);
        if self.implies(f, not_g) {
            return true;
        }
        let not_f = self.negate(f);
        self.implies(g, not_f)
    }

    fn implies_by_rules(&mut self, f: Ltl, g: Ltl) -> bool {
        let (of_f, of_g) = (self.traits(f), self.traits(g));
        if of_f.boolean && of_g.boolean {
            let (a, b) = (self.boolean_label(f), self.boolean_label(g));
            return self.booleans.implies(a, b);
        }
        let (left, right) = (self.node(f).clone(), self.node(g).clone());
        if let LtlNode::Or(list) = &left {
            return list.iter().all(|&operand| self.implies(operand, g));
        }
        if let LtlNode::And(list) = &right {
            return list.iter().all(|&operand| self.implies(f, operand));
        }
        if let LtlNode::And(list) = &left {
            if list.iter().any(|&operand| self.implies(operand, g)) {
                return true;
            }
            // The Boolean operands may do together what none does alone.
            let booleans: Vec<Ltl> = list.iter().copied().filter(|&o| self.traits(o).boolean).collect();
            if booleans.len() > 1 && booleans.len() < list.len() {
                let together = self.raw_and(booleans);
                if self.implies(together, g) {
                    return true;
                }
            }
        }
        if let LtlNode::Or(list) = &right {
            if list.iter().any(|&operand| self.implies(f, operand)) {
                return true;
            }
            let booleans: Vec<Ltl> = list.iter().copied().filter(|&o| self.traits(o).boolean).collect();
            if booleans.len() > 1 && booleans.len() < list.len() {
                let together = self.raw_or(booleans);
                if self.implies(f, together) {
                    return true;
                }
            }
        }
        self.implied_from_left(f, &left, g)
            || self.implied_from_right(f, g, &right)
            || self.both_sides(&left, &right)
    }

    /// What `f` gives now, or gives to a `g` that looks ahead.
    fn implied_from_left(&mut self, _f: Ltl, left: &LtlNode, g: Ltl) -> bool {
        let eventual = self.traits(g).eventual;
        match *left {
            LtlNode::Globally(a) => self.implies(a, g),
            LtlNode::Next(a) => eventual && self.implies(a, g),
            LtlNode::Finally(a) => eventual && self.implies(a, g),
            LtlNode::Until(a, b) => self.implies(b, g) && (eventual || self.implies(a, g)),
            LtlNode::WeakUntil(a, b) => self.implies(a, g) && self.implies(b, g),
            LtlNode::Release(_, b) => self.implies(b, g),
            LtlNode::StrongRelease(a, b) => self.implies(b, g) || (eventual && self.implies(a, g)),
            _ => false,
        }
    }

    /// What is enough for `g`.
    fn implied_from_right(&mut self, f: Ltl, _g: Ltl, right: &LtlNode) -> bool {
        let universal = self.traits(f).universal;
        match *right {
            LtlNode::Finally(b) => self.implies(f, b),
            LtlNode::Globally(b) => universal && self.implies(f, b),
            LtlNode::Next(b) => universal && self.implies(f, b),
            LtlNode::Until(_, b) => self.implies(f, b),
            LtlNode::WeakUntil(a, b) => self.implies(f, b) || (universal && self.implies(f, a)),
            LtlNode::Release(a, b) => self.implies(f, b) && (universal || self.implies(f, a)),
            LtlNode::StrongRelease(a, b) => self.implies(f, a) && self.implies(f, b),
            _ => false,
        }
    }

    /// The same kind of operator on both sides.
    fn both_sides(&mut self, left: &LtlNode, right: &LtlNode) -> bool {
        use LtlNode::{Finally, Globally, Next, Release, StrongRelease, Until, WeakUntil};
        match (left, right) {
            (&Next(a), &Next(b)) | (&Globally(a), &Globally(b)) | (&Finally(a), &Finally(b)) => {
                self.implies(a, b)
            }
            (&Globally(a), &Next(b)) => self.implies(a, b),
            (&Until(a, b), &Until(c, d))
            | (&WeakUntil(a, b), &WeakUntil(c, d))
            | (&Until(a, b), &WeakUntil(c, d)) => self.implies(b, d) && self.implies(a, c),
            (&Release(a, b), &Release(c, d))
            | (&StrongRelease(a, b), &StrongRelease(c, d))
            | (&StrongRelease(a, b), &Release(c, d)) => self.implies(b, d) && self.implies(a, c),
            // a M b keeps b until a & b.
            (&StrongRelease(a, b), &Until(c, d)) => {
                self.implies(b, c) && (self.implies(a, d) || self.implies(b, d))
            }
            (&StrongRelease(a, b), &WeakUntil(c, d)) | (&Release(a, b), &WeakUntil(c, d)) => {
                self.implies(b, c) && self.implies(a, d)
            }
            // a U b with a, b inside d and the end inside c.
            (&Until(a, b), &StrongRelease(c, d)) => {
                self.implies(a, d) && self.implies(b, d) && self.implies(b, c)
            }
            (&Until(a, b), &Release(c, d)) | (&WeakUntil(a, b), &Release(c, d)) => {
                self.implies(a, d) && self.implies(b, d) && self.implies(b, c)
            }
            (&Globally(a), &WeakUntil(c, _)) => self.implies(a, c),
            (&Globally(a), &Release(_, d)) => self.implies(a, d),
            _ => false,
        }
    }
}
