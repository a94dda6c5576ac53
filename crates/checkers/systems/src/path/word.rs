//! A trace read as a word, and path formulas evaluated on it.
//!
//! An atom at position `k` is read along the step from `k` to its successor: current variables and inputs from step `k`,
//! next values from the successor. Path quantifiers are not decided here: the caller says what is known about such a
//! subformula at a position. Everything else is three-valued: what lies beyond a finite path is unknown, so a definite
//! answer holds for every continuation.

use super::sequence::{Horizon, Sequence};
use crate::condition::Condition;
use entail_evidence::{DeadEnds, Trace, Truth};
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_model::{TermId, Terms, TransitionSystem, Valuation, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What comes after the last step of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEnd {
    /// The step at this position again.
    Loop(usize),
    /// Some infinite continuation, not known.
    Open,
    /// Some continuation, not known, which may be empty (maximal paths).
    OpenMaximal,
    /// Nothing: the last state is a dead end and the path is complete.
    Ended,
    /// The last state, repeated for ever.
    Stutter,
}

impl PathEnd {
    /// The end of a trace whose last state is not known to be a dead end.
    pub fn of(trace: &Trace, dead_ends: DeadEnds) -> PathEnd {
        match (trace.loop_start, dead_ends) {
            (Some(start), _) => PathEnd::Loop(start),
            (None, DeadEnds::Maximal) => PathEnd::OpenMaximal,
            (None, _) => PathEnd::Open,
        }
    }
}

/// The truth of a subformula at each step of a trace (in the first round of its loop).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubformulaTruth {
    /// The subformula.
    pub formula: Formula<TermId>,
    /// How deep it is nested; the whole formula has depth 0.
    pub depth: usize,
    /// One value a step.
    pub at: Vec<Truth>,
}

/// What the caller knows about a state subformula at a position.
type Known<'a> = dyn Fn(usize, &Formula<TermId>) -> Option<bool> + 'a;

/// A trace as a word, on which formulas can be evaluated.
pub struct PathWord<'a> {
    terms: &'a Terms,
    steps: &'a [Vec<Option<Value>>],
    end: PathEnd,
    horizon: Horizon,
    known: Box<Known<'a>>,
    cache: FxHashMap<usize, Rc<Sequence>>,
    /// Keeps cached formulas alive, so that their addresses stay theirs.
    kept: Vec<Formula<TermId>>,
}

impl<'a> PathWord<'a> {
    /// The word of a trace; nothing is known about path quantifiers. `None` if the trace has no step or its loop does not
    /// start in it.
    pub fn new(system: &'a TransitionSystem, trace: &'a Trace, end: PathEnd) -> Option<PathWord<'a>> {
        let length = trace.steps.len();
        let (settled, period) = match end {
            _ if length == 0 => return None,
            PathEnd::Loop(start) if start >= length => return None,
            PathEnd::Loop(start) => (start, length - start),
            PathEnd::Stutter => (length - 1, 1),
            PathEnd::Open | PathEnd::OpenMaximal | PathEnd::Ended => (length, 1),
        };
        let beyond = match end {
            PathEnd::Ended => Truth::False,
            PathEnd::OpenMaximal => Truth::Unknown,
            _ => Truth::True,
        };
        let exists = (0..settled + period)
            .map(|position| if position < length { Truth::True } else { beyond })
            .collect();
        Some(PathWord {
            terms: &system.terms,
            steps: &trace.steps,
            end,
            horizon: Horizon {
                period,
                settled,
                exists: Sequence { values: exists },
            },
            known: Box::new(|_, _| None),
            cache: FxHashMap::default(),
            kept: Vec::new(),
        })
    }

    /// Says what is known about subformulas with path quantifiers: their truth in the state at a position.
    pub fn with_known(mut self, known: impl Fn(usize, &Formula<TermId>) -> Option<bool> + 'a) -> Self {
        self.known = Box::new(known);
        self.cache.clear();
        self
    }

    /// The truth of a formula at the first position.
    pub fn holds(&mut self, formula: &Formula<TermId>) -> Truth {
        let sequence = self.sequence(formula);
        self.horizon.at(&sequence, 0)
    }

    /// The truth of a formula and of each of its different subformulas at each step, the whole formula first.
    pub fn subformulas(&mut self, formula: &Formula<TermId>) -> Vec<SubformulaTruth> {
        let mut rows: Vec<SubformulaTruth> = Vec::new();
        self.collect(formula, 0, &mut rows);
        rows
    }

    fn collect(&mut self, formula: &Formula<TermId>, depth: usize, rows: &mut Vec<SubformulaTruth>) {
        if matches!(formula.node(), Node::Constant(_)) || rows.iter().any(|row| row.formula == *formula) {
            return;
        }
        let sequence = self.sequence(formula);
        let at = (0..self.steps.len())
            .map(|position| self.horizon.at(&sequence, position))
            .collect();
        rows.push(SubformulaTruth {
            formula: formula.clone(),
            depth,
            at,
        });
        // Below a path quantifier the formula speaks of other paths.
        if !matches!(formula.node(), Node::Quantified(..)) {
            for operand in formula.operands() {
                self.collect(operand, depth + 1, rows);
            }
        }
    }

    /// The truth of a term at each step of the trace, along the step taken there.
    pub fn term(&self, term: TermId) -> Vec<Truth> {
        let condition = Condition::new(self.terms, term);
        (0..self.steps.len())
            .map(|position| self.condition_at(&condition, position))
            .collect()
    }

    fn condition_at(&self, condition: &Condition<'_>, position: usize) -> Truth {
        let Some(current) = self.steps.get(position) else {
            return Truth::Unknown;
        };
        let successor = match self.end {
            _ if position + 1 < self.steps.len() => Some(position + 1),
            PathEnd::Loop(start) => Some(start),
            PathEnd::Stutter => Some(position),
            PathEnd::Open | PathEnd::OpenMaximal | PathEnd::Ended => None,
        };
        let valuation = match successor {
            Some(next) => Valuation::step(current, &self.steps[next]),
            None => Valuation::state(current),
        };
        condition.truth(valuation)
    }

    fn sequence(&mut self, formula: &Formula<TermId>) -> Rc<Sequence> {
        if let Some(found) = self.cache.get(&formula.address()) {
            return Rc::clone(found);
        }
        let mut sequence = self.evaluate(formula);
        if !formula.is_propositional() && formula.is_state_formula() {
            // A state formula: its truth at a position may be known from elsewhere.
            for position in 0..self.steps.len().min(sequence.values.len()) {
                if sequence.values[position] == Truth::Unknown {
                    sequence.values[position] = (self.known)(position, formula).into();
                }
            }
        }
        let sequence = Rc::new(sequence);
        self.cache.insert(formula.address(), Rc::clone(&sequence));
        self.kept.push(formula.clone());
        sequence
    }

    fn evaluate(&mut self, formula: &Formula<TermId>) -> Sequence {
        match formula.node() {
            Node::Constant(truth) => self.horizon.constant(Truth::from(*truth)),
            Node::Atom(term) => {
                // Positions past the end of a finite trace are unknown.
                let mut values = self.term(*term);
                values.resize(self.horizon.settled + self.horizon.period, Truth::Unknown);
                Sequence { values }
            }
            Node::Quantified(..) => self.horizon.constant(Truth::Unknown),
            Node::Not(p) => {
                let p = self.sequence(p);
                self.horizon.not(&p)
            }
            Node::And(operands) => self.fold(operands, Truth::True, Truth::and),
            Node::Or(operands) => self.fold(operands, Truth::False, Truth::or),
            Node::Implies(p, q) => self.combine(p, q, |p, q| (!p).or(q)),
            Node::Iff(p, q) => self.combine(p, q, Truth::iff),
            Node::Xor(p, q) => self.combine(p, q, |p, q| !p.iff(q)),
            Node::Unary(op, interval, p) => {
                let p = self.sequence(p);
                self.unary(*op, *interval, &p)
            }
            Node::Binary(op, interval, p, q) => {
                let (p, q) = (self.sequence(p), self.sequence(q));
                self.binary(*op, *interval, &p, &q)
            }
        }
    }

    fn fold(
        &mut self,
        operands: &[Formula<TermId>],
        unit: Truth,
        combine: fn(Truth, Truth) -> Truth,
    ) -> Sequence {
        let mut result = self.horizon.constant(unit);
        for operand in operands {
            let operand = self.sequence(operand);
            result = self.horizon.pointwise(&result, &operand, combine);
        }
        result
    }

    fn combine(
        &mut self,
        p: &Formula<TermId>,
        q: &Formula<TermId>,
        combine: fn(Truth, Truth) -> Truth,
    ) -> Sequence {
        let (p, q) = (self.sequence(p), self.sequence(q));
        self.horizon.pointwise(&p, &q, combine)
    }

    /// `X`, `U`, `Y` and `S` are computed; the others are what their definitions and duals say.
    fn unary(&self, op: Unary, interval: Interval, p: &Sequence) -> Sequence {
        let horizon = &self.horizon;
        let always = horizon.constant(Truth::True);
        let dual = |op: Unary| horizon.not(&self.unary(op, interval, &horizon.not(p)));
        match op {
            Unary::Next => horizon.next(p),
            Unary::Finally => horizon.until(&always, p, interval),
            Unary::Globally => dual(Unary::Finally),
            Unary::Yesterday => horizon.yesterday(p),
            Unary::WeakYesterday => dual(Unary::Yesterday),
            Unary::Once => horizon.since(&always, p, interval),
            Unary::Historically => dual(Unary::Once),
        }
    }

    fn binary(&self, op: Binary, interval: Interval, p: &Sequence, q: &Sequence) -> Sequence {
        let horizon = &self.horizon;
        let dual = |op: Binary| horizon.not(&self.binary(op, interval, &horizon.not(p), &horizon.not(q)));
        match op {
            Binary::Until => horizon.until(p, q, interval),
            Binary::StrongRelease => {
                let both = horizon.pointwise(p, q, Truth::and);
                horizon.until(q, &both, interval)
            }
            Binary::Release => dual(Binary::Until),
            Binary::WeakUntil => dual(Binary::StrongRelease),
            Binary::Since => horizon.since(p, q, interval),
            Binary::Triggered => dual(Binary::Since),
        }
    }
}
