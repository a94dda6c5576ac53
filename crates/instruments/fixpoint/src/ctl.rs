//! CTL with justice over any region algebra, bounded operators included, keeping what witnesses are built from.
//!
//! Existential operators are computed by their fixpoints; a universal one is the complement of the existential dual on
//! complemented operands. `E G f` under justice is the nested fixpoint of Emerson and Lei: the largest set `Z` inside `f`
//! such that from every state of `Z`, for each justice set, a path of at least one step inside `f` leads to a state of
//! `Z` in that set. Operators that stop at a state ask there for a path that counts (`fair`).
//!
//! **Which paths count** is the caller's choice ([`Paths`]). With [`Paths::Infinite`] a state from which every path ends
//! begins none. With [`Paths::Maximal`] paths that end in a dead end count as well, and as fair: `G` has to hold up to the
//! end, `F` and `U` have to be met before it, and `X` is false at it (also under `A`).
//!
//! Every temporal subformula is evaluated once. Cost: a bounded number of iterations over the depth of the graph per operator
//! without justice; per justice set and round of the outer fixpoint with it.

use crate::RegionAlgebra;
use crate::bounded::{BoundedSteps, Shape};
use entail_logic::{Binary, Formula, Interval, Node, Paths, Quantifier, Unary};
use hashbrown::HashMap;

/// Why a formula was not evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CtlError<E> {
    /// An operation of the algebra failed.
    #[error(transparent)]
    Region(E),
    /// The formula is not CTL.
    #[error("the formula is not in CTL")]
    NotCtl,
}

impl<E> From<E> for CtlError<E> {
    fn from(error: E) -> Self {
        CtlError::Region(error)
    }
}

/// The states where a formula is true, with the approximants behind them.
#[derive(Clone, Debug)]
pub struct Labelled<R> {
    /// The states.
    pub region: R,
    /// For a quantified formula: how the existential side was computed. For `E ψ` they lead from a state of the region along
    /// a path with `ψ`; for `A ψ` from a state *outside* the region along a path with `!ψ`.
    pub approximants: Option<Approximants<R>>,
}

/// What the fixpoint of an existential operator left behind. Regions called rings grow: `rings[k]` has the states that need
/// at most `k` steps.
#[derive(Clone, Debug)]
pub enum Approximants<R> {
    /// `E p` with `p` a state formula: the state itself, if a path that counts begins there.
    Here,
    /// `E X f`: go to a state of the target.
    Next {
        /// `f`, where a path that counts begins.
        target: R,
        /// With [`Paths::Maximal`] and for `!A X f` only: the dead ends, where `X` is false.
        dead_ends: Option<R>,
    },
    /// `E [f U g]`: rings around `g`.
    Until {
        /// `rings[0]` is `g` where a path that counts begins.
        rings: Vec<R>,
    },
    /// `E G f`.
    Globally {
        /// The states from which an infinite fair path stays in `f`.
        core: R,
        /// For each justice set, rings inside `f` around the states of `core` in that set.
        to_justice: Vec<Vec<R>>,
        /// With [`Paths::Maximal`]: rings inside `f` around the dead ends.
        to_dead_end: Option<Vec<R>>,
    },
    /// Either way will do, each from the states of its region.
    Either(Box<Labelled<R>>, Box<Labelled<R>>),
    /// A bounded operator: step by step.
    Bounded(BoundedSteps<R>),
}

/// Evaluates CTL formulas over one algebra.
pub struct CtlEvaluator<'a, G: RegionAlgebra> {
    pub(crate) algebra: &'a mut G,
    pub(crate) paths: Paths,
    justice: Vec<G::Region>,
    keep: bool,
    fair: Option<G::Region>,
    dead: Option<G::Region>,
    /// Results by the address of the formula's node.
    done: HashMap<usize, Done<G::Atom, G::Region>>,
}

/// A result, with the formula it belongs to: holding it keeps its address from being used again.
struct Done<A, R> {
    _formula: Formula<A>,
    labelled: Labelled<R>,
}

type Outcome<G, T> = Result<T, CtlError<<G as RegionAlgebra>::Error>>;
type RegionOf<G> = <G as RegionAlgebra>::Region;
type LabelledBy<G> = Labelled<RegionOf<G>>;

impl<'a, G: RegionAlgebra> CtlEvaluator<'a, G> {
    /// An evaluator for these paths that meet each justice set infinitely often.
    pub fn new(algebra: &'a mut G, paths: Paths, justice: Vec<G::Region>) -> Self {
        CtlEvaluator {
            algebra,
            paths,
            justice,
            keep: true,
            fair: None,
            dead: None,
            done: HashMap::new(),
        }
    }

    /// Keeps no approximants from here on: only the answer is wanted, and the memory they take is not.
    pub fn without_approximants(mut self) -> Self {
        self.keep = false;
        self
    }

    /// The algebra.
    pub fn algebra(&mut self) -> &mut G {
        self.algebra
    }

    /// The states where a CTL formula is true.
    pub fn label(&mut self, formula: &Formula<G::Atom>) -> Outcome<G, LabelledBy<G>> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.label_node(formula))
    }

    /// What was found for a subformula of a formula evaluated before (the same node, not an equal one).
    pub fn labelled(&self, formula: &Formula<G::Atom>) -> Option<&LabelledBy<G>> {
        self.done.get(&formula.address()).map(|done| &done.labelled)
    }

    fn label_node(&mut self, formula: &Formula<G::Atom>) -> Outcome<G, LabelledBy<G>> {
        if let Some(known) = self.labelled(formula) {
            return Ok(known.clone());
        }
        let mut labelled = match formula.node() {
            Node::Quantified(quantifier, path) => self.quantified(*quantifier, path)?,
            _ => Labelled {
                region: self.boolean(formula)?,
                approximants: None,
            },
        };
        if !self.keep {
            labelled.approximants = None;
        }
        let done = Done {
            _formula: formula.clone(),
            labelled: labelled.clone(),
        };
        self.done.insert(formula.address(), done);
        Ok(labelled)
    }

    fn region(&mut self, formula: &Formula<G::Atom>) -> Outcome<G, G::Region> {
        Ok(self.label(formula)?.region)
    }

    fn boolean(&mut self, formula: &Formula<G::Atom>) -> Outcome<G, G::Region> {
        Ok(match formula.node() {
            Node::Constant(true) => self.algebra.full()?,
            Node::Constant(false) => self.algebra.empty()?,
            Node::Atom(atom) => self.algebra.atom(atom)?,
            Node::Not(a) => {
                let a = self.region(a)?;
                self.algebra.complement(&a)?
            }
            Node::And(list) => {
                let mut result = self.algebra.full()?;
                for operand in list {
                    let value = self.region(operand)?;
                    result = self.algebra.and(&result, &value)?;
                }
                result
            }
            Node::Or(list) => {
                let mut result = self.algebra.empty()?;
                for operand in list {
                    let value = self.region(operand)?;
                    result = self.algebra.or(&result, &value)?;
                }
                result
            }
            Node::Implies(a, b) => {
                let (a, b) = (self.region(a)?, self.region(b)?);
                let not_a = self.algebra.complement(&a)?;
                self.algebra.or(&not_a, &b)?
            }
            Node::Iff(a, b) => {
                let differ = self.exclusive_or(a, b)?;
                self.algebra.complement(&differ)?
            }
            Node::Xor(a, b) => self.exclusive_or(a, b)?,
            Node::Quantified(..) | Node::Unary(..) | Node::Binary(..) => return Err(CtlError::NotCtl),
        })
    }

    fn exclusive_or(&mut self, a: &Formula<G::Atom>, b: &Formula<G::Atom>) -> Outcome<G, G::Region> {
        let (a, b) = (self.region(a)?, self.region(b)?);
        let only_a = self.algebra.difference(&a, &b)?;
        let only_b = self.algebra.difference(&b, &a)?;
        Ok(self.algebra.or(&only_a, &only_b)?)
    }

    /// `E path`, or `A path` as the complement of `E !path`.
    fn quantified(&mut self, quantifier: Quantifier, path: &Formula<G::Atom>) -> Outcome<G, LabelledBy<G>> {
        let universal = quantifier == Quantifier::Forall;
        let existential = match path.node() {
            Node::Unary(op, interval, a) if !op.is_past() => {
                let a = self.operand(a, universal)?;
                match op {
                    Unary::Next => self.next(a, universal)?,
                    _ => {
                        let asks_for_some = (*op == Unary::Finally) != universal;
                        let shape = if asks_for_some { Shape::Some } else { Shape::Every };
                        self.temporal(shape, None, a, *interval)?
                    }
                }
            }
            Node::Binary(op, interval, a, b) if !op.is_past() => {
                let (a, b) = (self.operand(a, universal)?, self.operand(b, universal)?);
                let op = if universal { op.dual() } else { *op };
                let (shape, aside, goal) = match op {
                    Binary::Until => (Shape::Some, a, b),
                    Binary::Release => (Shape::Every, a, b),
                    Binary::StrongRelease => {
                        let goal = self.algebra.and(&a, &b)?;
                        (Shape::Some, b, goal)
                    }
                    Binary::WeakUntil => {
                        let goal = self.algebra.or(&a, &b)?;
                        (Shape::Every, b, goal)
                    }
                    Binary::Since | Binary::Triggered => return Err(CtlError::NotCtl),
                };
                self.temporal(shape, Some(aside), goal, *interval)?
            }
            _ => {
                let here = self.operand(path, universal)?;
                Labelled {
                    region: self.beginning(&here)?,
                    approximants: Some(Approximants::Here),
                }
            }
        };
        if !universal {
            return Ok(existential);
        }
        Ok(Labelled {
            region: self.algebra.complement(&existential.region)?,
            approximants: existential.approximants,
        })
    }

    fn operand(&mut self, formula: &Formula<G::Atom>, negated: bool) -> Outcome<G, G::Region> {
        let region = self.region(formula)?;
        Ok(if negated {
            self.algebra.complement(&region)?
        } else {
            region
        })
    }

    /// The states where a path that counts begins.
    pub fn fair(&mut self) -> Outcome<G, G::Region> {
        if let Some(fair) = &self.fair {
            return Ok(fair.clone());
        }
        let full = self.algebra.full()?;
        let fair = self.globally(full)?.region;
        self.fair = Some(fair.clone());
        Ok(fair)
    }

    /// The states without successors.
    pub fn dead_ends(&mut self) -> Outcome<G, G::Region> {
        if let Some(dead) = &self.dead {
            return Ok(dead.clone());
        }
        let full = self.algebra.full()?;
        let alive = self.algebra.pre(&full)?;
        let dead = self.algebra.complement(&alive)?;
        self.dead = Some(dead.clone());
        Ok(dead)
    }

    /// The states of the region where a path that counts begins.
    pub(crate) fn beginning(&mut self, region: &G::Region) -> Outcome<G, G::Region> {
        let fair = self.fair()?;
        Ok(self.algebra.and(region, &fair)?)
    }

    /// `E X a`; or, for a universal operator, `E !X !a`, which on maximal paths is true at a dead end too.
    fn next(&mut self, a: G::Region, universal: bool) -> Outcome<G, LabelledBy<G>> {
        let target = self.beginning(&a)?;
        let mut region = self.algebra.pre(&target)?;
        let mut dead_ends = None;
        if universal && self.paths == Paths::Maximal {
            let dead = self.dead_ends()?;
            region = self.algebra.or(&region, &dead)?;
            dead_ends = Some(dead);
        }
        Ok(Labelled {
            region,
            approximants: Some(Approximants::Next { target, dead_ends }),
        })
    }

    fn temporal(
        &mut self,
        shape: Shape,
        aside: Option<G::Region>,
        goal: G::Region,
        interval: Interval,
    ) -> Outcome<G, LabelledBy<G>> {
        if interval.is_always() {
            self.unbounded(shape, aside, goal)
        } else {
            self.bounded(shape, aside, goal, interval)
        }
    }

    /// `E [aside U goal]` or `E [aside V goal]`; with nothing aside, `E F goal` or `E G goal`.
    pub(crate) fn unbounded(
        &mut self,
        shape: Shape,
        aside: Option<G::Region>,
        goal: G::Region,
    ) -> Outcome<G, LabelledBy<G>> {
        match (shape, aside) {
            (Shape::Some, aside) => {
                let goal = self.beginning(&goal)?;
                let rings = self.rings(aside.as_ref(), goal)?;
                Ok(until(rings))
            }
            (Shape::Every, None) => self.globally(goal),
            (Shape::Every, Some(aside)) => {
                let released = self.algebra.and(&aside, &goal)?;
                let released = self.beginning(&released)?;
                let released = until(self.rings(Some(&goal), released)?);
                let forever = self.globally(goal)?;
                Ok(Labelled {
                    region: self.algebra.or(&released.region, &forever.region)?,
                    approximants: Some(Approximants::Either(Box::new(released), Box::new(forever))),
                })
            }
        }
    }

    /// Adds the next approximant, in place of the last if they are not kept.
    pub(crate) fn append(&self, approximants: &mut Vec<G::Region>, next: G::Region) {
        if !self.keep {
            approximants.clear();
        }
        approximants.push(next);
    }

    /// `mu Z. goal | held & pre(Z)` with its approximants.
    fn rings(&mut self, held: Option<&G::Region>, goal: G::Region) -> Outcome<G, Vec<G::Region>> {
        let mut rings = vec![goal];
        loop {
            let reached = &rings[rings.len() - 1];
            let mut before = self.algebra.pre(reached)?;
            if let Some(held) = held {
                before = self.algebra.and(held, &before)?;
            }
            if self.algebra.included(&before, reached)? {
                return Ok(rings);
            }
            let larger = self.algebra.or(reached, &before)?;
            self.append(&mut rings, larger);
        }
    }

    /// `E G held`.
    fn globally(&mut self, held: G::Region) -> Outcome<G, LabelledBy<G>> {
        let mut core = held.clone();
        let mut to_justice;
        loop {
            let before = core.clone();
            to_justice = Vec::new();
            if self.justice.is_empty() {
                let staying = self.algebra.pre(&core)?;
                core = self.algebra.and(&core, &staying)?;
            }
            for set in self.justice.clone() {
                let again = self.algebra.and(&core, &set)?;
                let rings = self.rings(Some(&held), again)?;
                let reaching = self.algebra.pre(&rings[rings.len() - 1])?;
                core = self.algebra.and(&core, &reaching)?;
                to_justice.push(rings);
            }
            if self.algebra.equal(&core, &before)? {
                break;
            }
        }
        let mut region = core.clone();
        let mut to_dead_end = None;
        if self.paths == Paths::Maximal {
            let dead = self.dead_ends()?;
            let end = self.algebra.and(&held, &dead)?;
            let rings = self.rings(Some(&held), end)?;
            region = self.algebra.or(&region, &rings[rings.len() - 1])?;
            to_dead_end = Some(rings);
        }
        // On maximal paths a prefix may leave for neither: both parts are closed under steps back inside `held` already.
        Ok(Labelled {
            region,
            approximants: Some(Approximants::Globally {
                core,
                to_justice,
                to_dead_end,
            }),
        })
    }
}

fn until<R: Clone>(rings: Vec<R>) -> Labelled<R> {
    Labelled {
        region: rings[rings.len() - 1].clone(),
        approximants: Some(Approximants::Until { rings }),
    }
}
