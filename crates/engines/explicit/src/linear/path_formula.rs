//! Path formulas in positive normal form over numbered atoms, interned.
//!
//! Atoms are state formulas already decided (a set of states) or terms about the step. There are few operators: next
//! (strong, and weak at the end of a finite path), until and release with bounds, yesterday (strong and weak at the start),
//! since and triggered. The others are what the following laws say:
//!
//! - `F p = true U p`, `G p = false R p`, `p W q = q R (p | q)`, `p M q = q U (p & q)`; the same for `O`, `H`;
//! - bounds on past operators are written out: `p S[0,n] q = q | p & Y (p S[0,n-1] q)`.
//!
//! Negation is gone.

use crate::graph::labelling::Labelling;
use crate::graph::state_graph::StateSet;
use crate::search::explore::ExplorationEnd;
use entail_evidence::Statistics;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_model::TermId;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::rc::Rc;

/// A formula of one [`PathFormulas`] store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathId(pub u32);

/// Whether an operator asks for the position it looks at to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Strength {
    Strong,
    Weak,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Path {
    Constant(bool),
    Literal { atom: u32, positive: bool },
    And(Box<[PathId]>),
    Or(Box<[PathId]>),
    Next(PathId, Strength),
    Until(PathId, PathId, Interval),
    Release(PathId, PathId, Interval),
    Yesterday(PathId, Strength),
    Since(PathId, PathId),
    Triggered(PathId, PathId),
}

/// Where an atom's truth comes from.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    /// A state formula and the states that satisfy it.
    State(Formula<TermId>, Rc<StateSet>),
    /// A term about the step, by its bit on edges.
    Step(usize),
}

/// Bounds on past operators are written out up to this many steps.
const LARGEST_PAST_BOUND: u32 = 1 << 12;

/// A store of path formulas over one list of atoms.
#[derive(Debug, Default)]
pub(crate) struct PathFormulas {
    nodes: Vec<Path>,
    ids: HashMap<Path, PathId, FxBuildHasher>,
    pub atoms: Vec<Atom>,
    atom_ids: HashMap<Formula<TermId>, u32, FxBuildHasher>,
}

impl PathFormulas {
    pub fn node(&self, id: PathId) -> &Path {
        &self.nodes[id.0 as usize]
    }

    /// All formulas so far.
    pub fn ids(&self) -> impl Iterator<Item = PathId> + use<> {
        (0..self.nodes.len() as u32).map(PathId)
    }

    pub fn intern(&mut self, node: Path) -> PathId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let id = PathId(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.ids.insert(node, id);
        id
    }

    pub fn constant(&mut self, truth: bool) -> PathId {
        self.intern(Path::Constant(truth))
    }

    fn connective(&mut self, operands: Vec<PathId>, conjunction: bool) -> PathId {
        let mut flat = Vec::new();
        for operand in operands {
            match (self.node(operand), conjunction) {
                (Path::Constant(truth), _) if *truth == conjunction => {}
                (Path::Constant(_), _) => return operand,
                (Path::And(inner), true) | (Path::Or(inner), false) => flat.extend(inner.iter().copied()),
                _ => flat.push(operand),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        match flat.as_slice() {
            [] => self.constant(conjunction),
            [single] => *single,
            _ if conjunction => self.intern(Path::And(flat.into())),
            _ => self.intern(Path::Or(flat.into())),
        }
    }

    pub fn and(&mut self, operands: Vec<PathId>) -> PathId {
        self.connective(operands, true)
    }

    pub fn or(&mut self, operands: Vec<PathId>) -> PathId {
        self.connective(operands, false)
    }

    /// The formula (or with `truth` false, its negation) in normal form. State subformulas are decided on the way.
    pub fn translate(
        &mut self,
        labelling: &mut Labelling<'_>,
        formula: &Formula<TermId>,
        truth: bool,
    ) -> Result<PathId, ExplorationEnd> {
        stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            self.translate_node(labelling, formula, truth)
        })
    }

    fn translate_node(
        &mut self,
        labelling: &mut Labelling<'_>,
        formula: &Formula<TermId>,
        truth: bool,
    ) -> Result<PathId, ExplorationEnd> {
        if let Node::Constant(constant) = formula.node() {
            return Ok(self.constant(*constant == truth));
        }
        if labelling.is_about_state(formula) {
            let states = labelling.states(formula)?;
            return Ok(self.literal(formula, truth, Atom::State(formula.clone(), states)));
        }
        Ok(match formula.node() {
            Node::Constant(_) | Node::Quantified(..) => unreachable!("speaks of the state"),
            Node::Atom(term) => {
                let bit = labelling
                    .graph
                    .step_bit(*term)
                    .expect("atoms about steps are observed");
                self.literal(formula, truth, Atom::Step(bit))
            }
            Node::Not(p) => self.translate(labelling, p, !truth)?,
            Node::And(list) | Node::Or(list) => {
                let mut operands = Vec::new();
                for operand in list {
                    operands.push(self.translate(labelling, operand, truth)?);
                }
                self.connective(operands, matches!(formula.node(), Node::And(_)) == truth)
            }
            Node::Implies(p, q) => {
                let operands = vec![
                    self.translate(labelling, p, !truth)?,
                    self.translate(labelling, q, truth)?,
                ];
                self.connective(operands, !truth)
            }
            Node::Iff(p, q) => self.equivalence(labelling, p, q, truth)?,
            Node::Xor(p, q) => self.equivalence(labelling, p, q, !truth)?,
            Node::Unary(op, interval, p) => {
                let p = self.translate(labelling, p, truth)?;
                self.unary(*op, truth, *interval, p)?
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (
                    self.translate(labelling, p, truth)?,
                    self.translate(labelling, q, truth)?,
                );
                self.binary(if truth { *op } else { op.dual() }, *interval, p, q)?
            }
        })
    }

    fn literal(&mut self, formula: &Formula<TermId>, positive: bool, source: Atom) -> PathId {
        let atom = match self.atom_ids.get(formula) {
            Some(&atom) => atom,
            None => {
                let atom = self.atoms.len() as u32;
                self.atoms.push(source);
                self.atom_ids.insert(formula.clone(), atom);
                atom
            }
        };
        self.intern(Path::Literal { atom, positive })
    }

    fn equivalence(
        &mut self,
        labelling: &mut Labelling<'_>,
        p: &Formula<TermId>,
        q: &Formula<TermId>,
        same: bool,
    ) -> Result<PathId, ExplorationEnd> {
        let both = vec![
            self.translate(labelling, p, true)?,
            self.translate(labelling, q, same)?,
        ];
        let neither = vec![
            self.translate(labelling, p, false)?,
            self.translate(labelling, q, !same)?,
        ];
        let either = vec![self.and(both), self.and(neither)];
        Ok(self.or(either))
    }

    /// The operator (its dual if `truth` is false) over an operand already in normal form.
    fn unary(
        &mut self,
        op: Unary,
        truth: bool,
        interval: Interval,
        p: PathId,
    ) -> Result<PathId, ExplorationEnd> {
        let strength = |strong: bool| if strong { Strength::Strong } else { Strength::Weak };
        Ok(match (op, truth) {
            (Unary::Next, _) => self.intern(Path::Next(p, strength(truth))),
            (Unary::Yesterday, true) | (Unary::WeakYesterday, false) => {
                self.intern(Path::Yesterday(p, Strength::Strong))
            }
            (Unary::Yesterday | Unary::WeakYesterday, _) => self.intern(Path::Yesterday(p, Strength::Weak)),
            (Unary::Finally, true) | (Unary::Globally, false) => {
                let always = self.constant(true);
                self.until(always, p, interval)
            }
            (Unary::Finally | Unary::Globally, _) => {
                let never = self.constant(false);
                self.release(never, p, interval)
            }
            (Unary::Once, true) | (Unary::Historically, false) => {
                let always = self.constant(true);
                self.since(always, p, interval)?
            }
            (Unary::Once | Unary::Historically, _) => {
                let never = self.constant(false);
                self.triggered(never, p, interval)?
            }
        })
    }

    fn binary(
        &mut self,
        op: Binary,
        interval: Interval,
        p: PathId,
        q: PathId,
    ) -> Result<PathId, ExplorationEnd> {
        Ok(match op {
            Binary::Until => self.until(p, q, interval),
            Binary::Release => self.release(p, q, interval),
            Binary::WeakUntil => {
                let either = self.or(vec![p, q]);
                self.release(q, either, interval)
            }
            Binary::StrongRelease => {
                let both = self.and(vec![p, q]);
                self.until(q, both, interval)
            }
            Binary::Since => self.since(p, q, interval)?,
            Binary::Triggered => self.triggered(p, q, interval)?,
        })
    }

    /// `p U q` at distances within the interval.
    pub fn until(&mut self, p: PathId, q: PathId, interval: Interval) -> PathId {
        if interval.is_empty() || *self.node(q) == Path::Constant(false) {
            return self.constant(false);
        }
        if interval.to == Some(0) {
            return q;
        }
        self.intern(Path::Until(p, q, interval))
    }

    /// `p R q` at distances within the interval.
    pub fn release(&mut self, p: PathId, q: PathId, interval: Interval) -> PathId {
        if interval.is_empty() || *self.node(q) == Path::Constant(true) {
            return self.constant(true);
        }
        if interval.to == Some(0) {
            return q;
        }
        self.intern(Path::Release(p, q, interval))
    }

    fn since(&mut self, p: PathId, q: PathId, interval: Interval) -> Result<PathId, ExplorationEnd> {
        if interval.is_empty() {
            return Ok(self.constant(false));
        }
        let mut result = match interval.to {
            None => self.intern(Path::Since(p, q)),
            Some(to) => {
                past_bound(to)?;
                let mut result = q;
                for _ in interval.from..to {
                    let before = self.intern(Path::Yesterday(result, Strength::Strong));
                    let kept = self.and(vec![p, before]);
                    result = self.or(vec![q, kept]);
                }
                result
            }
        };
        past_bound(interval.from)?;
        for _ in 0..interval.from {
            let before = self.intern(Path::Yesterday(result, Strength::Strong));
            result = self.and(vec![p, before]);
        }
        Ok(result)
    }

    fn triggered(&mut self, p: PathId, q: PathId, interval: Interval) -> Result<PathId, ExplorationEnd> {
        if interval.is_empty() {
            return Ok(self.constant(true));
        }
        let mut result = match interval.to {
            None => self.intern(Path::Triggered(p, q)),
            Some(to) => {
                past_bound(to)?;
                let mut result = q;
                for _ in interval.from..to {
                    let before = self.intern(Path::Yesterday(result, Strength::Weak));
                    let released = self.or(vec![p, before]);
                    result = self.and(vec![q, released]);
                }
                result
            }
        };
        past_bound(interval.from)?;
        for _ in 0..interval.from {
            let before = self.intern(Path::Yesterday(result, Strength::Weak));
            result = self.or(vec![p, before]);
        }
        Ok(result)
    }
}

fn past_bound(steps: u32) -> Result<(), ExplorationEnd> {
    if steps <= LARGEST_PAST_BOUND {
        return Ok(());
    }
    Err(ExplorationEnd::Unknown {
        reason: format!("the bound {steps} of a past operator is larger than {LARGEST_PAST_BOUND}"),
        statistics: Statistics::default(),
    })
}
