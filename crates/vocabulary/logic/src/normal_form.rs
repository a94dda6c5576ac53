//! Positive normal form: negation only in front of atoms, no implication, equivalence or exclusive or.
//!
//! Negations are pushed inwards through the duality of every operator ([`Quantifier::dual`](crate::Quantifier::dual),
//! [`Unary::dual`](crate::Unary::dual), [`Binary::dual`](crate::Binary::dual)), bounds kept. `X` is its own dual only on
//! infinite paths: where finite maximal paths count, `!X p` is true at the end and `X !p` is not, so an engine that
//! admits them must negate verdicts, not formulas.
//!
//! An equivalence mentions its operands twice, negated and not. Results are shared by node and polarity, so time and
//! memory stay linear in the formula; the result read as a tree may be exponential in the nesting of equivalences.

use crate::nesting::deep;
use crate::{Formula, Node};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

impl<A> Formula<A> {
    /// The equivalent formula (on infinite paths) with negation only in front of atoms, built from constants, literals,
    /// conjunction, disjunction, quantifiers and temporal operators.
    pub fn positive_normal_form(&self) -> Formula<A> {
        Pushing::default().push(self, true)
    }

    /// The positive normal form of the negation.
    pub fn negated_normal_form(&self) -> Formula<A> {
        Pushing::default().push(self, false)
    }

    /// Whether it is in positive normal form.
    pub fn is_positive_normal_form(&self) -> bool {
        match self.node() {
            Node::Implies(..) | Node::Iff(..) | Node::Xor(..) => false,
            Node::Not(a) => matches!(a.node(), Node::Atom(_)),
            _ => self
                .operands()
                .into_iter()
                .all(|operand| deep(|| operand.is_positive_normal_form())),
        }
    }
}

/// Results so far, by the node's address and the polarity asked for. The nodes live as long as the formula being pushed.
struct Pushing<A> {
    done: HashMap<(usize, bool), Formula<A>, FxBuildHasher>,
}

impl<A> Default for Pushing<A> {
    fn default() -> Self {
        Pushing {
            done: HashMap::default(),
        }
    }
}

impl<A> Pushing<A> {
    /// The normal form of `formula` if `positive`, of its negation otherwise.
    fn push(&mut self, formula: &Formula<A>, positive: bool) -> Formula<A> {
        match formula.node() {
            Node::Constant(truth) => return Formula::constant(*truth == positive),
            Node::Atom(_) if positive => return formula.clone(),
            Node::Atom(_) => return formula.not(),
            Node::Not(a) => return deep(|| self.push(a, !positive)),
            _ => {}
        }
        let key = (formula.address(), positive);
        if let Some(done) = self.done.get(&key) {
            return done.clone();
        }
        let result = deep(|| self.push_operator(formula, positive));
        self.done.insert(key, result.clone());
        result
    }

    fn push_operator(&mut self, formula: &Formula<A>, positive: bool) -> Formula<A> {
        match formula.node() {
            Node::And(list) | Node::Or(list) => {
                let conjunction = matches!(formula.node(), Node::And(_)) == positive;
                let operands: Vec<Formula<A>> =
                    list.iter().map(|operand| self.push(operand, positive)).collect();
                if conjunction {
                    Formula::and(operands)
                } else {
                    Formula::or(operands)
                }
            }
            Node::Implies(a, b) => {
                let operands = [self.push(a, !positive), self.push(b, positive)];
                if positive {
                    Formula::or(operands)
                } else {
                    Formula::and(operands)
                }
            }
            Node::Iff(a, b) => self.equivalence(a, b, positive),
            Node::Xor(a, b) => self.equivalence(a, b, !positive),
            Node::Quantified(quantifier, path) => {
                let quantifier = if positive { *quantifier } else { quantifier.dual() };
                self.push(path, positive).quantified(quantifier)
            }
            Node::Unary(op, interval, a) => {
                let op = if positive { *op } else { op.dual() };
                Formula::unary_within(op, *interval, &self.push(a, positive))
            }
            Node::Binary(op, interval, a, b) => {
                let op = if positive { *op } else { op.dual() };
                Formula::binary_within(op, *interval, &self.push(a, positive), &self.push(b, positive))
            }
            Node::Constant(_) | Node::Atom(_) | Node::Not(_) => unreachable!("handled by `push`"),
        }
    }

    /// `(a & b) | (!a & !b)`, or with `same` false `(a & !b) | (!a & b)`.
    fn equivalence(&mut self, a: &Formula<A>, b: &Formula<A>, same: bool) -> Formula<A> {
        let both = Formula::and([self.push(a, true), self.push(b, same)]);
        let neither = Formula::and([self.push(a, false), self.push(b, !same)]);
        Formula::or([both, neither])
    }
}

#[cfg(test)]
mod tests {
    fn normal(text: &str) -> String {
        let formula = crate::parse(text).expect(text).positive_normal_form();
        assert!(formula.is_positive_normal_form());
        formula.to_string()
    }

    #[test]
    fn negation_moves_to_the_atoms_through_every_operator() {
        assert_eq!(normal("!(p U q)"), "!p V !q");
        assert_eq!(normal("!(p W[1,2] q)"), "!p M[1,2] !q");
        assert_eq!(normal("!(p S q) | !(p T q)"), "!p T !q | !p S !q");
        assert_eq!(normal("!Y p & !Z p & !O p & !H p"), "Z !p & Y !p & H !p & O !p");
        assert_eq!(normal("!AG (p -> AF q)"), "EF (p & EG !q)");
        assert_eq!(normal("!EBF 1..3 p"), "ABG 1..3 !p");
        assert_eq!(normal("p <-> q"), "p & q | !p & !q");
        assert_eq!(normal("!(p <-> F q)"), "p & G !q | !p & F q");
        assert_eq!(normal("p xor q"), "p & !q | !p & q");
        assert_eq!(normal("!!(p -> q)"), "!p | q");
    }

    #[test]
    fn nested_equivalences_take_linear_time() {
        let mut formula = crate::Formula::atom("p".to_string());
        for _ in 0..5_000 {
            formula = formula.iff(&crate::Formula::atom("q".to_string()));
        }
        // As a tree it has 2^5000 leaves; it is only built here.
        drop(formula.positive_normal_form());
    }
}
