//! Simplifying conjunctions and disjunctions: laws that relate two operands.
//!
//! Written once for conjunctions; a disjunction is handled by the same laws through duality of the operators involved.
//! First operands of the same shape are joined (`G a & G b = G (a & b)`, `(a U b) & (c U b) = (a & c) U b`, …), then pairs
//! that make a stronger operator (`a W b & F b = a U b`), then operands implied by others are dropped.

use super::arena::{Arena, Ltl, LtlNode, deep};

/// The operands of longer lists are not compared pair by pair.
const LONGEST_COMPARED: usize = 200;

/// The shapes that join: operator, and the operand they must share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    Next,
    Globally,
    Finally,
    FinallyGlobally,
    GloballyFinally,
    /// Same right operand.
    Until(Ltl),
    WeakUntil(Ltl),
    /// Same left operand.
    Release(Ltl),
    StrongRelease(Ltl),
    /// Same left operand (disjunctions).
    UntilLeft(Ltl),
    WeakUntilLeft(Ltl),
    /// Same right operand (disjunctions).
    ReleaseRight(Ltl),
    StrongReleaseRight(Ltl),
}

impl Arena {
    /// The conjunction, simplified.
    pub fn and(&mut self, operands: Vec<Ltl>) -> Ltl {
        let start = self.raw_and(operands);
        self.simplify_list(start, true)
    }

    /// The disjunction, simplified.
    pub fn or(&mut self, operands: Vec<Ltl>) -> Ltl {
        let start = self.raw_or(operands);
        self.simplify_list(start, false)
    }

    fn simplify_list(&mut self, start: Ltl, conjunction: bool) -> Ltl {
        if self.simplified.get(&start) == Some(&start) {
            return start;
        }
        let mut list = match (self.node(start), conjunction) {
            (LtlNode::And(list), true) | (LtlNode::Or(list), false) => list.clone(),
            _ => return start,
        };
        if self.traits(start).boolean {
            let label = self.boolean_label(start);
            if label.is_constant() {
                return Arena::constant(label == crate::label::Label::TRUE);
            }
        }
        if let Some(joined) = self.join_one(&list, conjunction) {
            return self.make(joined, conjunction);
        }
        if list.len() <= LONGEST_COMPARED
            && let Some(fused) = self.fuse_one(&list, conjunction)
        {
            return self.make(fused, conjunction);
        }
        if list.len() <= LONGEST_COMPARED {
            let mut position = 0;
            while position < list.len() {
                let this = list[position];
                let superfluous = (0..list.len()).any(|other| {
                    other != position
                        && if conjunction {
                            self.implies(list[other], this)
                        } else {
                            self.implies(this, list[other])
                        }
                });
                if superfluous {
                    list.remove(position);
                } else {
                    position += 1;
                }
            }
            for left in 0..list.len() {
                for right in left + 1..list.len() {
                    let clash = if conjunction {
                        self.excludes(list[left], list[right])
                    } else {
                        let (a, b) = (self.negate(list[left]), self.negate(list[right]));
                        self.excludes(a, b)
                    };
                    if clash {
                        return Arena::constant(!conjunction);
                    }
                }
            }
        }
        let result = if conjunction {
            self.raw_and(list)
        } else {
            self.raw_or(list)
        };
        if result == start {
            self.simplified.insert(start, start);
            return result;
        }
        self.simplify_list(result, conjunction)
    }

    fn make(&mut self, list: Vec<Ltl>, conjunction: bool) -> Ltl {
        deep(|| {
            if conjunction {
                self.and(list)
            } else {
                self.or(list)
            }
        })
    }

    fn shape(&self, formula: Ltl, conjunction: bool) -> Option<(Join, Ltl)> {
        Some(match (self.outline(formula), conjunction) {
            (Shape::Next(a), _) => (Join::Next, a),
            // GF and other pure eventualities under G stay apart.
            (Shape::Globally(a), true) if self.traits(a).eventual => return None,
            (Shape::Globally(a), true) => (Join::Globally, a),
            (Shape::Globally(a), false) => match *self.node(a) {
                LtlNode::Finally(b) => (Join::GloballyFinally, b),
                _ => return None,
            },
            (Shape::Finally(a), false) => (Join::Finally, a),
            (Shape::Finally(a), true) => match *self.node(a) {
                LtlNode::Globally(b) => (Join::FinallyGlobally, b),
                _ => return None,
            },
            (Shape::Until(a, b), true) => (Join::Until(b), a),
            (Shape::Until(a, b), false) => (Join::UntilLeft(a), b),
            (Shape::WeakUntil(a, b), true) => (Join::WeakUntil(b), a),
            (Shape::WeakUntil(a, b), false) => (Join::WeakUntilLeft(a), b),
            (Shape::Release(a, b), true) => (Join::Release(a), b),
            (Shape::Release(a, b), false) => (Join::ReleaseRight(b), a),
            (Shape::StrongRelease(a, b), true) => (Join::StrongRelease(a), b),
            (Shape::StrongRelease(a, b), false) => (Join::StrongReleaseRight(b), a),
            (Shape::Other, _) => return None,
        })
    }

    /// The list with all operands of one shape joined, if two have the same.
    fn join_one(&mut self, list: &[Ltl], conjunction: bool) -> Option<Vec<Ltl>> {
        let shapes: Vec<Option<(Join, Ltl)>> = list.iter().map(|&x| self.shape(x, conjunction)).collect();
        for (first, shape) in shapes.iter().enumerate() {
            let Some((join, _)) = *shape else { continue };
            let same = |other: &Option<(Join, Ltl)>| other.is_some_and(|(kind, _)| kind == join);
            if !shapes[first + 1..].iter().any(same) {
                continue;
            }
            let parts: Vec<Ltl> = shapes
                .iter()
                .filter(|s| same(s))
                .flatten()
                .map(|(_, part)| *part)
                .collect();
            let mut rest: Vec<Ltl> = list
                .iter()
                .zip(&shapes)
                .filter(|(_, s)| !same(s))
                .map(|(formula, _)| *formula)
                .collect();
            let inner = self.make(parts, conjunction);
            rest.push(match join {
                Join::Next => self.next(inner),
                Join::Globally => self.globally(inner),
                Join::Finally => self.finally(inner),
                Join::FinallyGlobally => {
                    let always = self.globally(inner);
                    self.finally(always)
                }
                Join::GloballyFinally => {
                    let later = self.finally(inner);
                    self.globally(later)
                }
                Join::Until(b) => self.until(inner, b),
                Join::WeakUntil(b) => self.weak_until(inner, b),
                Join::Release(a) => self.release(a, inner),
                Join::StrongRelease(a) => self.strong_release(a, inner),
                Join::UntilLeft(a) => self.until(a, inner),
                Join::WeakUntilLeft(a) => self.weak_until(a, inner),
                Join::ReleaseRight(b) => self.release(inner, b),
                Join::StrongReleaseRight(b) => self.strong_release(inner, b),
            });
            return Some(rest);
        }
        None
    }

    /// Two operands that together are one other operator.
    fn fuse_one(&mut self, list: &[Ltl], conjunction: bool) -> Option<Vec<Ltl>> {
        for (i, &one) in list.iter().enumerate() {
            for (j, &two) in list.iter().enumerate() {
                if i == j {
                    continue;
                }
                if let Some((first, second)) = self.fuse_pair(one, two, conjunction) {
                    let mut rest: Vec<Ltl> = list
                        .iter()
                        .enumerate()
                        .filter(|(k, _)| *k != i && *k != j)
                        .map(|(_, f)| *f)
                        .collect();
                    rest.push(first);
                    rest.push(second);
                    return Some(rest);
                }
            }
        }
        None
    }

    /// The replacement of `one` and `two`; the second part may be the neutral constant.
    fn fuse_pair(&mut self, one: Ltl, two: Ltl, conjunction: bool) -> Option<(Ltl, Ltl)> {
        let neutral = Arena::constant(conjunction);
        match (self.outline(one), self.outline(two), conjunction) {
            // a W b & F b = a U b
            (Shape::WeakUntil(a, b), Shape::Finally(c), true) if b == c => Some((self.until(a, b), neutral)),
            // a R b & F a = a M b
            (Shape::Release(a, b), Shape::Finally(c), true) if a == c => {
                Some((self.strong_release(a, b), neutral))
            }
            // a U b | G a = a W b
            (Shape::Until(a, b), Shape::Globally(c), false) if a == c => {
                Some((self.weak_until(a, b), neutral))
            }
            // a M b | G b = a R b
            (Shape::StrongRelease(a, b), Shape::Globally(c), false) if b == c => {
                Some((self.release(a, b), neutral))
            }
            // Where c holds for ever, the left operand of the until asks nothing more.
            (Shape::Until(a, b), Shape::Globally(c), true) if self.implies(c, a) => {
                let later = self.finally(b);
                Some((later, two))
            }
            (Shape::StrongRelease(a, b), Shape::Globally(c), true) if self.implies(c, b) => {
                let later = self.finally(a);
                Some((later, two))
            }
            // The duals: where c comes anyway, the operand that would end the wait adds nothing.
            (Shape::Release(a, b), Shape::Finally(c), false) if self.implies(a, c) => {
                let always = self.globally(b);
                Some((always, two))
            }
            (Shape::WeakUntil(a, b), Shape::Finally(c), false) if self.implies(b, c) => {
                let always = self.globally(a);
                Some((always, two))
            }
            // G a | F (!a & e), e eventual: the first time a fails decides, so it is a W (!a & e).
            (Shape::Globally(a), Shape::Finally(c), false) => {
                let parts = self.conjuncts(c);
                let (eventual, rest): (Vec<Ltl>, Vec<Ltl>) =
                    parts.into_iter().partition(|&part| self.traits(part).eventual);
                let rest = self.raw_and(rest);
                if eventual.is_empty() || self.negate(a) != rest {
                    return None;
                }
                Some((self.weak_until(a, c), neutral))
            }
            // Its dual: F a & G (!a | u), u universal.
            (Shape::Finally(a), Shape::Globally(c), true) => {
                let parts = self.disjuncts(c);
                let (universal, rest): (Vec<Ltl>, Vec<Ltl>) =
                    parts.into_iter().partition(|&part| self.traits(part).universal);
                let rest = self.raw_or(rest);
                if universal.is_empty() || self.negate(a) != rest {
                    return None;
                }
                Some((self.strong_release(a, c), neutral))
            }
            // a & X (G a & r) = G a & X r
            (Shape::Next(x), _, _) => {
                let parts = match (self.node(x), conjunction) {
                    (LtlNode::And(list), true) | (LtlNode::Or(list), false) => list.clone(),
                    _ => vec![x],
                };
                for &part in &parts {
                    let whole = match (self.outline(part), conjunction) {
                        (Shape::Globally(inner), true) | (Shape::Finally(inner), false) => inner == two,
                        _ => false,
                    };
                    if whole {
                        let rest: Vec<Ltl> = parts.iter().copied().filter(|&p| p != part).collect();
                        let rest = self.make(rest, conjunction);
                        let rest = self.next(rest);
                        return Some((part, rest));
                    }
                }
                None
            }
            _ => None,
        }
    }
}

/// A node without its lists, cheap to copy.
#[derive(Clone, Copy)]
enum Shape {
    Next(Ltl),
    Finally(Ltl),
    Globally(Ltl),
    Until(Ltl, Ltl),
    Release(Ltl, Ltl),
    WeakUntil(Ltl, Ltl),
    StrongRelease(Ltl, Ltl),
    Other,
}

impl Arena {
    fn outline(&self, formula: Ltl) -> Shape {
        match *self.node(formula) {
            LtlNode::Next(a) => Shape::Next(a),
            LtlNode::Finally(a) => Shape::Finally(a),
            LtlNode::Globally(a) => Shape::Globally(a),
            LtlNode::Until(a, b) => Shape::Until(a, b),
            LtlNode::Release(a, b) => Shape::Release(a, b),
            LtlNode::WeakUntil(a, b) => Shape::WeakUntil(a, b),
            LtlNode::StrongRelease(a, b) => Shape::StrongRelease(a, b),
            _ => Shape::Other,
        }
    }
}
