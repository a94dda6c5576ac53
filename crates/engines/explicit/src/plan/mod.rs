//! Plans: how to enumerate the solutions of a conjunction without trying every valuation.
//!
//! A set of conditions over known and unknown variables is turned, once for a model, into a tree of steps: test what is
//! known, assign what is determined, branch on known conditions, try the disjuncts of a disjunction one after the
//! other, count through a domain only where nothing else is left. `support` knows the unknown variables of each term,
//! `condition` takes conditions apart, `schedule` orders them, `emit` turns a plan into code.
//!
//! **Invariant:** a plan's solutions, projected to the unknown variables, are exactly the solutions of the conjunction
//! with every variable inside its domain; a solution may come more than once.

mod condition;
pub(crate) mod emit;
mod estimate;
pub(crate) mod schedule;
mod support;

use crate::layout::Register;
use entail_model::{Op, TermId, Terms, VarId};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use std::ops::Range;

/// A condition: a Boolean term, or its negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Literal {
    pub term: TermId,
    pub positive: bool,
}

impl Literal {
    pub fn new(term: TermId, positive: bool) -> Literal {
        Literal { term, positive }
    }

    /// The same condition without negations at the top.
    fn stripped(self, terms: &Terms) -> Literal {
        let mut literal = self;
        while *terms.op(literal.term) == Op::Not {
            literal = Literal::new(terms.operands(literal.term)[0], !literal.positive);
        }
        literal
    }
}

/// A variable to be found, by its position among the plan's unknowns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Unknown(pub u32);

impl Unknown {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where an unknown lives.
#[derive(Clone, Debug)]
pub(crate) struct UnknownVariable {
    pub variable: VarId,
    pub registers: Range<Register>,
    /// Number of values, roughly.
    pub size: f64,
}

/// The variables a plan has to find.
#[derive(Debug, Default)]
pub(crate) struct Unknowns {
    list: Vec<UnknownVariable>,
    current: HashMap<VarId, Unknown, FxBuildHasher>,
    next: HashMap<VarId, Unknown, FxBuildHasher>,
}

impl Unknowns {
    /// Adds a variable's value now, or after the step.
    pub fn add(&mut self, unknown: UnknownVariable, next: bool) {
        let number = Unknown(self.list.len() as u32);
        let map = if next { &mut self.next } else { &mut self.current };
        map.insert(unknown.variable, number);
        self.list.push(unknown);
    }

    pub fn get(&self, unknown: Unknown) -> &UnknownVariable {
        &self.list[unknown.index()]
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The unknown that a term is, if it is one.
    pub fn of_term(&self, terms: &Terms, term: TermId) -> Option<Unknown> {
        match terms.op(term) {
            Op::Current(variable) => self.current.get(variable).copied(),
            Op::Next(variable) => self.next.get(variable).copied(),
            _ => None,
        }
    }
}

/// A value that an unknown is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// The value of a term (its complement, if true).
    Term(TermId, bool),
    /// A truth value.
    Truth(bool),
}

/// One step of a plan.
#[derive(Debug)]
pub(crate) enum Step {
    /// Give up unless the condition, all of whose variables are known, is true.
    Test(Literal),
    /// The unknown is the value of a term whose variables are known (its complement, if `negated`).
    Assign {
        unknown: Unknown,
        value: TermId,
        negated: bool,
    },
    /// The unknown is this truth value.
    Decide { unknown: Unknown, truth: bool },
    /// Give up if the two values, both known, are equal.
    Distinct(Given, Given),
    /// The unknown takes each value of its domain.
    Each(Unknown),
    /// If one of the known conditions is true, the first plan; otherwise the second.
    Branch {
        any_of: Vec<Literal>,
        then: Plan,
        otherwise: Plan,
    },
    /// Each of the plans in turn.
    Alternatives(Vec<Plan>),
    /// There is no solution.
    Never,
}

/// Steps one after the other.
pub(crate) type Plan = Vec<Step>;
