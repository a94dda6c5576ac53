//! CTL in the mu-calculus (chapter 26, section 4.2; the surveys' feature 4), with fairness.
//!
//! Existential operators are translated by their fixpoint characterisation, universal ones as the duals of the existential
//! operator over the negated operands,
//! built at once ([`Build::Dual`]) so that nesting costs nothing:
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

/// Whether an operator is built as described, or as its dual: every connective, modality and fixpoint exchanged. The dual of
/// an existential operator over negated operands is the universal operator over the operands themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    Plain,
    Dual,
}

impl Build {
    fn and<A>(self, operands: impl IntoIterator<Item = Mu<A>>) -> Mu<A> {
        match self {
            Build::Plain => Mu::and(operands),
            Build::Dual => Mu::or(operands),
        }
    }

    fn or<A>(self, operands: impl IntoIterator<Item = Mu<A>>) -> Mu<A> {
        match self {
            Build::Plain => Mu::or(operands),
            Build::Dual => Mu::and(operands),
        }
    }

    fn next<A>(self, operand: &Mu<A>) -> Mu<A> {
        match self {
            Build::Plain => operand.some_next(),
            Build::Dual => operand.every_next(),
        }
    }

    fn fixpoint<A>(self, fixpoint: Fixpoint, variable: &MuVar, body: &Mu<A>) -> Mu<A> {
        match self {
            Build::Plain => body.fixpoint(fixpoint, variable),
            Build::Dual => body.fixpoint(fixpoint.dual(), variable),
        }
    }
}

struct Translation<A> {
    justice: Option<Vec<Mu<A>>>,
    fresh: usize,
    /// `E G TRUE`.
    fair: Option<Mu<A>>,
}

impl<A: Clone> Translation<A> {
    fn state(&mut self, formula: &Formula<A>) -> Mu<A> {
        deep(|| match formula.node() {
            Node::And(list) => Mu::and(list.iter().map(|operand| self.state(operand)).collect::<Vec<_>>()),
            Node::Or(list) => Mu::or(list.iter().map(|operand| self.state(operand)).collect::<Vec<_>>()),
            Node::Quantified(Quantifier::Exists, path) => self.path(path, Build::Plain),
            Node::Quantified(Quantifier::Forall, path) => self.path(path, Build::Dual),
            _ => propositional(formula),
        })
    }

    /// `E path`, or built dually `A path`.
    fn path(&mut self, path: &Formula<A>, build: Build) -> Mu<A> {
        match path.node() {
            Node::Unary(op, _, a) => {
                let a = self.state(a);
                match (op, build) {
                    (Unary::Next, _) => {
                        let target = self.ending(a, build);
                        build.next(&target)
                    }
                    (Unary::Finally, Build::Plain) | (Unary::Globally, Build::Dual) => {
                        self.until(None, a, build)
                    }
                    (Unary::Globally, Build::Plain) | (Unary::Finally, Build::Dual) => {
                        self.globally(Some(a), build)
                    }
                    (past, _) => unreachable!("{past:?} in CTL"),
                }
            }
            Node::Binary(op, _, a, b) => {
                let (a, b) = (self.state(a), self.state(b));
                let op = match build {
                    Build::Plain => *op,
                    Build::Dual => op.dual(),
                };
                match op {
                    Binary::Until => self.until(Some(a), b, build),
                    Binary::StrongRelease => {
                        let goal = build.and([a, b.clone()]);
                        self.until(Some(b), goal, build)
                    }
                    Binary::WeakUntil if self.justice.is_none() => {
                        let z = self.variable();
                        let on = build.and([a, build.next(&Mu::variable(&z))]);
                        build.fixpoint(Fixpoint::Greatest, &z, &build.or([b, on]))
                    }
                    Binary::Release if self.justice.is_none() => {
                        let z = self.variable();
                        let on = build.or([a, build.next(&Mu::variable(&z))]);
                        build.fixpoint(Fixpoint::Greatest, &z, &build.and([b, on]))
                    }
                    Binary::WeakUntil => {
                        let met = self.until(Some(a.clone()), b, build);
                        build.or([met, self.globally(Some(a), build)])
                    }
                    Binary::Release => {
                        let goal = build.and([a, b.clone()]);
                        let met = self.until(Some(b.clone()), goal, build);
                        build.or([met, self.globally(Some(b), build)])
                    }
                    past => unreachable!("{past:?} in CTL"),
                }
            }
            _ => {
                let here = self.state(path);
                self.ending(here, build)
            }
        }
    }

    fn variable(&mut self) -> MuVar {
        self.fresh += 1;
        MuVar::new(format!("Z{}", self.fresh))
    }

    /// `f`, and a fair path begins here.
    fn ending(&mut self, f: Mu<A>, build: Build) -> Mu<A> {
        if self.justice.is_none() {
            return f;
        }
        if self.fair.is_none() {
            self.fair = Some(self.globally(None, Build::Plain));
        }
        let fair = self.fair.iter().map(|fair| match build {
            Build::Plain => fair.clone(),
            Build::Dual => fair.dual(),
        });
        build.and(std::iter::once(f).chain(fair))
    }

    fn until(&mut self, f: Option<Mu<A>>, g: Mu<A>, build: Build) -> Mu<A> {
        let goal = self.ending(g, build);
        self.plain_until(f, goal, build)
    }

    fn plain_until(&mut self, f: Option<Mu<A>>, g: Mu<A>, build: Build) -> Mu<A> {
        let z = self.variable();
        let on = build.next(&Mu::variable(&z));
        let on = build.and(f.into_iter().chain([on]));
        build.fixpoint(Fixpoint::Least, &z, &build.or([g, on]))
    }

    fn globally(&mut self, f: Option<Mu<A>>, build: Build) -> Mu<A> {
        let z = self.variable();
        let justice = self.justice.clone().unwrap_or_default();
        let mut conjuncts: Vec<Mu<A>> = f.iter().cloned().collect();
        for condition in &justice {
            let condition = match build {
                Build::Plain => condition.clone(),
                Build::Dual => condition.dual(),
            };
            let again = build.and([Mu::variable(&z), condition]);
            let round = self.plain_until(f.clone(), again, build);
            conjuncts.push(build.next(&round));
        }
        if justice.is_empty() {
            conjuncts.push(build.next(&Mu::variable(&z)));
        }
        build.fixpoint(Fixpoint::Greatest, &z, &build.and(conjuncts))
    }
}
