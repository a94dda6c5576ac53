//! Values of expressions: numbers, sets, signals, and formulas as they were written.

use std::collections::BTreeSet;
use std::rc::Rc;

/// A formula. Conjunctions and disjunctions have two operands, so that patterns can take them apart, unless they come from a big operator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ltl {
    Constant(bool),
    /// A signal, by its number.
    Signal(u32),
    Not(Term),
    And(Vec<Term>),
    Or(Vec<Term>),
    Implies(Term, Term),
    Equiv(Term, Term),
    /// The next step, if there is one: for finite words, true at the end.
    Next(Term),
    /// The next step, which must be there.
    StrongNext(Term),
    Previous(Term),
    Globally(Term),
    Finally(Term),
    Historically(Term),
    Once(Term),
    Until(Term, Term),
    Release(Term, Term),
    Weak(Term, Term),
    Since(Term, Term),
    Triggered(Term, Term),
}

/// A shared formula.
pub type Term = Rc<Ltl>;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    Number(i64),
    Formula(Term),
    Set(BTreeSet<Value>),
    /// A value of an enumeration: its codes.
    Code(Vec<Vec<Option<bool>>>),
    /// A bus: the number of its first signal, and of how many there are.
    Bus(u32, u32),
}

impl Value {
    /// What it is, in words.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Formula(_) => "a formula",
            Value::Set(_) => "a set",
            Value::Code(_) => "a value of an enumeration",
            Value::Bus(..) => "a bus",
        }
    }
}

/// A constant.
pub fn constant(truth: bool) -> Term {
    Rc::new(Ltl::Constant(truth))
}

/// A negation; constants are computed.
pub fn not(term: &Term) -> Term {
    match **term {
        Ltl::Constant(truth) => constant(!truth),
        _ => Rc::new(Ltl::Not(term.clone())),
    }
}

/// A conjunction; constants are computed.
pub fn and(terms: Vec<Term>) -> Term {
    joined(terms, true)
}

/// A disjunction; constants are computed.
pub fn or(terms: Vec<Term>) -> Term {
    joined(terms, false)
}

fn joined(mut terms: Vec<Term>, neutral: bool) -> Term {
    if terms.iter().any(|term| **term == Ltl::Constant(!neutral)) {
        return constant(!neutral);
    }
    terms.retain(|term| **term != Ltl::Constant(neutral));
    match (terms.len(), neutral) {
        (0, _) => constant(neutral),
        (1, _) => terms.remove(0),
        (_, true) => Rc::new(Ltl::And(terms)),
        (_, false) => Rc::new(Ltl::Or(terms)),
    }
}
