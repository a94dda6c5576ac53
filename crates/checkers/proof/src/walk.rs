//! The way through a formula of branching time that the checker of [`entail_evidence::FixpointProof`] takes.
//!
//! The operators are numbered as that module says, and every part of the formula is read as a Boolean combination of atoms and operators.

use crate::induction::Refusal;
use entail_logic::{Binary, Formula, Node, Quantifier, Unary};
use entail_model::TermId;

/// Nested formulas grow the stack when so little of it is left, by so much.
const STACK_LEFT: usize = 64 << 10;
const STACK_MORE: usize = 1 << 20;

/// Which paths an operator is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steps {
    All,
    Some,
}

/// The operators that everything is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Next,
    Until,
    Release,
}

/// A temporal operator below a quantifier.
#[derive(Clone, Debug)]
pub(crate) struct Operator {
    pub(crate) number: usize,
    pub(crate) kind: Kind,
    pub(crate) steps: Steps,
    /// The left operand; of a next step, nothing.
    pub(crate) left: Reading,
    pub(crate) right: Reading,
}

/// What a part of the formula says about a state, with the truth that is wanted of it.
#[derive(Clone, Debug)]
pub(crate) enum Reading {
    Constant(bool),
    Atom(TermId, bool),
    All(Vec<Reading>),
    Any(Vec<Reading>),
    Operator(usize),
    /// A state formula, of all paths that begin there.
    StateOnAllPaths(Box<Reading>),
    /// A state formula, of some path that begins there.
    StateOnSomePath(Box<Reading>),
}

/// A formula with its operators.
#[derive(Debug)]
pub(crate) struct Walk {
    pub(crate) operators: Vec<Operator>,
    /// The atoms that are read.
    pub(crate) atoms: Vec<TermId>,
    pub(crate) whole: Reading,
}

/// Whether a formula has path quantifiers.
fn is_quantified(formula: &Formula<TermId>) -> bool {
    let mut pending = vec![formula];
    while let Some(formula) = pending.pop() {
        if matches!(formula.node(), Node::Quantified(..)) {
            return true;
        }
        pending.extend(formula.operands());
    }
    false
}

/// Whether a path formula has the truth that is wanted on every infinite path because it only says that there is a next state.
fn only_goes_on(path: &Formula<TermId>, wanted: bool) -> bool {
    let mut path = path;
    while let Node::Unary(Unary::Next, _, after) = path.node() {
        path = after;
    }
    matches!(path.node(), Node::Constant(truth) if *truth == wanted)
}

fn outside(what: &str) -> Refusal {
    Refusal::NotEncoded(format!("{what} in a proof by sets of states"))
}

impl Walk {
    pub(crate) fn through(formula: &Formula<TermId>) -> Result<Walk, Refusal> {
        let mut walk = Walk {
            operators: Vec::new(),
            atoms: Vec::new(),
            whole: Reading::Constant(true),
        };
        walk.whole = walk.state(formula, true)?;
        walk.atoms.sort_unstable();
        walk.atoms.dedup();
        Ok(walk)
    }

    fn state(&mut self, formula: &Formula<TermId>, wanted: bool) -> Result<Reading, Refusal> {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.state_here(formula, wanted))
    }

    fn state_here(&mut self, formula: &Formula<TermId>, wanted: bool) -> Result<Reading, Refusal> {
        Ok(match formula.node() {
            Node::Constant(truth) => Reading::Constant(*truth == wanted),
            Node::Atom(atom) => {
                self.atoms.push(*atom);
                Reading::Atom(*atom, wanted)
            }
            Node::Not(p) => self.state(p, !wanted)?,
            Node::And(list) | Node::Or(list) => {
                let parts = list.iter().map(|p| self.state(p, wanted));
                let parts = parts.collect::<Result<Vec<Reading>, Refusal>>()?;
                match matches!(formula.node(), Node::And(_)) == wanted {
                    true => Reading::All(parts),
                    false => Reading::Any(parts),
                }
            }
            Node::Implies(p, q) => {
                let parts = vec![self.state(p, !wanted)?, self.state(q, wanted)?];
                match wanted {
                    true => Reading::Any(parts),
                    false => Reading::All(parts),
                }
            }
            Node::Iff(p, q) | Node::Xor(p, q) => {
                if is_quantified(p) || is_quantified(q) {
                    return Err(outside("an equivalence of formulas about paths"));
                }
                let same = matches!(formula.node(), Node::Iff(..)) == wanted;
                let both = vec![self.state(p, true)?, self.state(q, same)?];
                let neither = vec![self.state(p, false)?, self.state(q, !same)?];
                Reading::Any(vec![Reading::All(both), Reading::All(neither)])
            }
            Node::Quantified(quantifier, path)
                if (*quantifier == Quantifier::Exists) == wanted && only_goes_on(path, wanted) =>
            {
                Reading::Constant(true)
            }
            Node::Quantified(quantifier, path) => {
                let steps = match (*quantifier == Quantifier::Forall) == wanted {
                    true => Steps::All,
                    false => Steps::Some,
                };
                self.path(path, wanted, steps)?
            }
            Node::Unary(..) | Node::Binary(..) => return Err(outside("an operator without a quantifier")),
        })
    }

    fn path(&mut self, path: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        stacker::maybe_grow(STACK_LEFT, STACK_MORE, || self.path_here(path, wanted, steps))
    }

    fn path_here(&mut self, path: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        if path.is_state_formula() {
            return self.operand(path, wanted, steps);
        }
        let operands: Vec<(&Formula<TermId>, bool)> = match path.node() {
            Node::Not(p) => return self.path(p, !wanted, steps),
            Node::And(list) | Node::Or(list) => list.iter().map(|p| (p, wanted)).collect(),
            Node::Implies(p, q) => vec![(p, !wanted), (q, wanted)],
            Node::Unary(..) | Node::Binary(..) => return self.temporal(path, wanted, steps),
            _ => return Err(outside("an equivalence of formulas about paths")),
        };
        let together = matches!(path.node(), Node::And(_)) == wanted;
        let distributes = together == (steps == Steps::All);
        let moving = operands.iter().filter(|(p, _)| !p.is_state_formula()).count();
        if !distributes && moving > 1 {
            return Err(outside("a quantifier that cannot be moved inwards"));
        }
        let parts = operands
            .into_iter()
            .map(|(p, wanted)| self.path(p, wanted, steps));
        let parts = parts.collect::<Result<Vec<Reading>, Refusal>>()?;
        Ok(match together {
            true => Reading::All(parts),
            false => Reading::Any(parts),
        })
    }

    /// A state formula below a quantifier.
    fn operand(&mut self, formula: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        let reading = Box::new(self.state(formula, wanted)?);
        Ok(match steps {
            Steps::All => Reading::StateOnAllPaths(reading),
            Steps::Some => Reading::StateOnSomePath(reading),
        })
    }

    /// A state formula that says nothing of how the path goes on.
    fn held(&mut self, formula: &Formula<TermId>, wanted: bool) -> Result<Reading, Refusal> {
        match formula.is_state_formula() {
            true => self.state(formula, wanted),
            false => Err(outside("a quantifier that cannot be moved inwards")),
        }
    }

    fn push(&mut self, kind: Kind, steps: Steps, left: Reading, right: Reading) -> Reading {
        let number = self.operators.len();
        self.operators.push(Operator {
            number,
            kind,
            steps,
            left,
            right,
        });
        Reading::Operator(number)
    }

    fn temporal(&mut self, path: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        let (truth, falsity) = (Reading::Constant(true), Reading::Constant(false));
        match path.node() {
            Node::Unary(_, interval, _) | Node::Binary(_, interval, ..) if !interval.is_always() => {
                Err(outside("a bound"))
            }
            Node::Unary(Unary::Next, _, p) => {
                let operand = self.path(p, wanted, steps)?;
                Ok(self.push(Kind::Next, steps, truth, operand))
            }
            Node::Unary(op @ (Unary::Finally | Unary::Globally), _, p) => {
                if (*op == Unary::Finally) == wanted {
                    let goal = self.goal(p, wanted, steps)?;
                    Ok(self.push(Kind::Until, steps, truth, goal))
                } else {
                    let kept = self.kept(p, wanted, steps)?;
                    Ok(self.push(Kind::Release, steps, falsity, kept))
                }
            }
            Node::Binary(op, _, p, q) => {
                let op = if wanted { *op } else { op.dual() };
                match op {
                    Binary::Until => {
                        let left = self.held(p, wanted)?;
                        let right = self.goal(q, wanted, steps)?;
                        Ok(self.push(Kind::Until, steps, left, right))
                    }
                    Binary::StrongRelease => {
                        let (goal, held) = (self.held(p, wanted)?, self.held(q, wanted)?);
                        let both = Reading::All(vec![goal, held.clone()]);
                        let both = match steps {
                            Steps::All => Reading::StateOnAllPaths(Box::new(both)),
                            Steps::Some => Reading::StateOnSomePath(Box::new(both)),
                        };
                        Ok(self.push(Kind::Until, steps, held, both))
                    }
                    Binary::Release if steps == Steps::All => {
                        let left = self.held(p, wanted)?;
                        let right = self.kept(q, wanted, steps)?;
                        Ok(self.push(Kind::Release, steps, left, right))
                    }
                    Binary::WeakUntil if steps == Steps::All => {
                        let (held, goal) = (self.held(p, wanted)?, self.held(q, wanted)?);
                        let either = Reading::Any(vec![held, goal.clone()]);
                        Ok(self.push(Kind::Release, steps, goal, either))
                    }
                    Binary::Release | Binary::WeakUntil => Err(outside("a release on some path")),
                    Binary::Since | Binary::Triggered => Err(outside("the past")),
                }
            }
            _ => Err(outside("the past")),
        }
    }

    /// What an until waits for: a path formula where some path is asked for.
    fn goal(&mut self, formula: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        match (formula.is_state_formula(), steps) {
            (true, _) => self.operand(formula, wanted, steps),
            (false, Steps::Some) => self.path(formula, wanted, steps),
            (false, Steps::All) => Err(outside("a quantifier that cannot be moved inwards")),
        }
    }

    /// What a release keeps: a path formula where all paths are asked for.
    fn kept(&mut self, formula: &Formula<TermId>, wanted: bool, steps: Steps) -> Result<Reading, Refusal> {
        match (formula.is_state_formula(), steps) {
            (true, _) => self.state(formula, wanted),
            (false, Steps::All) => self.path(formula, wanted, steps),
            (false, Steps::Some) => Err(outside("a quantifier that cannot be moved inwards")),
        }
    }
}
