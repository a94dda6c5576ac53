//! CTL in the mu-calculus (chapter 26, section 4.2; the surveys' feature 4), with fairness.
//!
//! Existential operators are translated by their fixpoint characterisation, universal ones as the duals of the existential
//! operator over the negated operands:
//!
//! - `E X f = <> f`, `E [f U g] = mu Z. g | f & <>Z`, `E G f = nu Z. f & <>Z`,
//!   `E [f V g] = nu Z. g & (f | <>Z)`, `E [f W g] = nu Z. g | f & <>Z`;
//! - under justice `J`, `E G f = nu Z. f & AND_j <> mu Y. Z & j | f & <>Y` (Emerson and Lei), and every operator
//!   that stops at a state asks there for a fair path, `E G TRUE`.
//!
//! Without fairness the result is alternation-free; with justice it has alternation depth 2. The size is linear in the formula
//! and in the number of justice conditions.

use super::{Fixpoint, Mu, MuVar};
use crate::nesting::deep;
use crate::{Binary, BoundTooLarge, Formula, Fragment, Node, Quantifier, Unary};

/// Which paths the quantifiers range over.
#[derive(Clone, Copy, Debug)]
pub enum Fairness<'a, A> {
    /// All paths, of a structure in which every state has a successor.
    Total,
    /// The infinite paths that meet each of these propositional conditions infinitely often; states may lack successors. With
    /// no condition: all infinite paths.
    Justice(&'a [Formula<A>]),
}

/// Why a formula was not translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotCtl {
    /// It is not CTL.
    #[error("the formula is not in CTL")]
    NotCtl,
    /// A justice condition is temporal.
    #[error("a justice condition is not propositional")]
    TemporalJustice,
    /// A bound is too large to be written out.
    #[error(transparent)]
    Bound(#[from] BoundTooLarge),
}

/// Bounds up to this are written out.
const MAX_BOUND: u32 = 10_000;

impl<A: Clone> Formula<A> {
    /// The CTL formula in the mu-calculus; modalities without action labels.
    pub fn to_mu(&self, fairness: Fairness<'_, A>) -> Result<Mu<A>, NotCtl> {
        if !self.is_in(Fragment::Ctl) {
            return Err(NotCtl::NotCtl);
        }
        let justice = match fairness {
            Fairness::Total => None,
            Fairness::Justice(conditions) => {
                if !conditions.iter().all(Formula::is_propositional) {
                    return Err(NotCtl::TemporalJustice);
                }
                Some(
                    conditions
                        .iter()
                        .map(|condition| propositional(&condition.positive_normal_form()))
                        .collect(),
                )
            }
        };
        let mut translation = Translation {
            justice,
            fresh: 0,
            fair: None,
        };
        let formula = self.expand_bounds(MAX_BOUND)?.positive_normal_form();
        Ok(translation.state(&formula))
    }
}

fn propositional<A: Clone>(formula: &Formula<A>) -> Mu<A> {
    match formula.node() {
        Node::Constant(truth) => Mu::constant(*truth),
        Node::Atom(atom) => Mu::atom(atom.clone()),
        Node::Not(inner) => propositional(inner).dual(),
        Node::And(list) => Mu::and(list.iter().map(|operand| deep(|| propositional(operand)))),
        Node::Or(list) => Mu::or(list.iter().map(|operand| deep(|| propositional(operand)))),
        _ => unreachable!("a propositional formula in positive normal form"),
    }
}

struct Translation<A> {
    justice: Option<Vec<Mu<A>>>,
    fresh: usize,
    fair: Option<Mu<A>>,
}

impl<A: Clone> Translation<A> {
    fn state(&mut self, formula: &Formula<A>) -> Mu<A> {
        deep(|| match formula.node() {
            Node::And(list) => Mu::and(list.iter().map(|operand| self.state(operand)).collect::<Vec<_>>()),
            Node::Or(list) => Mu::or(list.iter().map(|operand| self.state(operand)).collect::<Vec<_>>()),
            Node::Quantified(Quantifier::Exists, path) => self.exists(path),
            Node::Quantified(Quantifier::Forall, path) => self.exists(&path.negated_normal_form()).dual(),
            _ => propositional(formula),
        })
    }

    /// `E path` for a path formula of CTL.
    fn exists(&mut self, path: &Formula<A>) -> Mu<A> {
        match path.node() {
            Node::Unary(op, _, a) => {
                let a = self.state(a);
                match op {
                    Unary::Next => self.ending(a).some_next(),
                    Unary::Finally => self.until(Mu::constant(true), a),
                    Unary::Globally => self.globally(a),
                    past => unreachable!("{past:?} in CTL"),
                }
            }
            Node::Binary(op, _, a, b) => {
                let (a, b) = (self.state(a), self.state(b));
                match op {
                    Binary::Until => self.until(a, b),
                    Binary::StrongRelease => self.until(b.clone(), Mu::and([a, b])),
                    Binary::WeakUntil if self.justice.is_none() => {
                        let z = self.variable();
                        let on = Mu::and([a, Mu::variable(&z).some_next()]);
                        Mu::or([b, on]).fixpoint(Fixpoint::Greatest, &z)
                    }
                    Binary::Release if self.justice.is_none() => {
                        let z = self.variable();
                        let on = Mu::or([a, Mu::variable(&z).some_next()]);
                        Mu::and([b, on]).fixpoint(Fixpoint::Greatest, &z)
                    }
                    Binary::WeakUntil => Mu::or([self.until(a.clone(), b), self.globally(a)]),
                    Binary::Release => {
                        let met = self.until(b.clone(), Mu::and([a, b.clone()]));
                        Mu::or([met, self.globally(b)])
                    }
                    past => unreachable!("{past:?} in CTL"),
                }
            }
            _ => {
                let here = self.state(path);
                self.ending(here)
            }
        }
    }

    fn variable(&mut self) -> MuVar {
        self.fresh += 1;
        MuVar::new(format!("Z{}", self.fresh))
    }

    /// `f`, and a fair path begins here.
    fn ending(&mut self, f: Mu<A>) -> Mu<A> {
        if self.justice.is_none() {
            return f;
        }
        if self.fair.is_none() {
            self.fair = Some(self.globally(Mu::constant(true)));
        }
        Mu::and(std::iter::once(f).chain(self.fair.clone()))
    }

    fn until(&mut self, f: Mu<A>, g: Mu<A>) -> Mu<A> {
        let goal = self.ending(g);
        self.plain_until(f, goal)
    }

    fn plain_until(&mut self, f: Mu<A>, g: Mu<A>) -> Mu<A> {
        let z = self.variable();
        let on = self.held(f, Mu::variable(&z).some_next());
        Mu::or([g, on]).fixpoint(Fixpoint::Least, &z)
    }

    fn globally(&mut self, f: Mu<A>) -> Mu<A> {
        let z = self.variable();
        let justice = self.justice.clone().unwrap_or_default();
        if justice.is_empty() {
            let on = Mu::variable(&z).some_next();
            return self.held(f, on).fixpoint(Fixpoint::Greatest, &z);
        }
        let mut conjuncts = Vec::new();
        for condition in justice {
            let again = Mu::and([Mu::variable(&z), condition]);
            conjuncts.push(self.plain_until(f.clone(), again).some_next());
        }
        let on = Mu::and(conjuncts);
        self.held(f, on).fixpoint(Fixpoint::Greatest, &z)
    }

    fn held(&self, f: Mu<A>, on: Mu<A>) -> Mu<A> {
        match f.node() {
            super::MuNode::Constant(true) => on,
            _ => Mu::and([f, on]),
        }
    }
}
