//! All valuations that satisfy a list of conditions, by backtracking: the reference way, for small systems.
//!
//! Variables get values one after another. After each, the conditions that mention it are evaluated as far as the values
//! known so far decide them (see [`evaluate`](crate::evaluate)), and a false one cuts the branch. A condition `x = t`
//! whose `t` is known gives `x` its only candidate, so functional assignments cost nothing however large the domain; any other
//! variable is tried with every value of its sort, which must be small.

use crate::{Op, TermId, Terms, Valuation, Value, VarId, evaluate_bool, evaluate_with};
use crate::{TransitionSystem, VarKind};
use std::ops::ControlFlow;

/// A variable's value now or in the next state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Leaf {
    Current(VarId),
    Next(VarId),
}

impl Leaf {
    pub(crate) fn variable(self) -> VarId {
        match self {
            Leaf::Current(variable) | Leaf::Next(variable) => variable,
        }
    }

    /// The leaf that this term is; nothing if it is an operation.
    pub(crate) fn of(terms: &Terms, term: TermId) -> Option<Leaf> {
        match terms.op(term) {
            Op::Current(variable) => Some(Leaf::Current(*variable)),
            Op::Next(variable) => Some(Leaf::Next(*variable)),
            _ => None,
        }
    }
}

/// A variable has more values than can be tried one by one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{variable}` has too many values to try them all, and nothing determines it")]
pub struct DomainTooLarge {
    /// The variable.
    pub variable: String,
}

/// The largest domain that is tried value by value.
const MAX_DOMAIN: u64 = 1 << 16;

/// Is shown the current and the next state, and says whether to go on.
pub(crate) type Visit<'v> = dyn FnMut(&[Option<Value>], &[Option<Value>]) -> ControlFlow<()> + 'v;

/// Conditions over leaves to be given values.
pub(crate) struct Enumeration<'a> {
    system: &'a TransitionSystem,
    leaves: Vec<Leaf>,
    /// For each leaf, the conditions that mention it, with their cones.
    conditions: Vec<Vec<(TermId, Vec<TermId>)>>,
    /// For each leaf, the terms it has to equal, with their cones.
    equals: Vec<Vec<Vec<TermId>>>,
}

impl<'a> Enumeration<'a> {
    pub(crate) fn new(system: &'a TransitionSystem, leaves: Vec<Leaf>, conditions: &[TermId]) -> Self {
        let terms = &system.terms;
        let mut by_leaf: Vec<Vec<(TermId, Vec<TermId>)>> = vec![Vec::new(); leaves.len()];
        let mut equals: Vec<Vec<Vec<TermId>>> = vec![Vec::new(); leaves.len()];
        for &condition in conditions {
            let cone = terms.cone(&[condition]);
            for (at, leaf) in leaves.iter().enumerate() {
                if cone.iter().any(|&term| Leaf::of(terms, term) == Some(*leaf)) {
                    by_leaf[at].push((condition, cone.clone()));
                }
                if *terms.op(condition) == Op::Equal {
                    let [a, b] = [terms.operands(condition)[0], terms.operands(condition)[1]];
                    for (side, other) in [(a, b), (b, a)] {
                        if Leaf::of(terms, side) == Some(*leaf) {
                            equals[at].push(terms.cone(&[other]));
                        }
                    }
                }
            }
        }
        Enumeration {
            system,
            leaves,
            conditions: by_leaf,
            equals,
        }
    }

    /// Calls `visit` with every way to complete the two states, until it breaks off. What is already known in them stays.
    pub(crate) fn for_each(
        &self,
        current: &mut Vec<Option<Value>>,
        next: &mut Vec<Option<Value>>,
        visit: &mut Visit<'_>,
    ) -> Result<(), DomainTooLarge> {
        self.extend(0, current, next, visit).map(|_| ())
    }

    fn extend(
        &self,
        at: usize,
        current: &mut Vec<Option<Value>>,
        next: &mut Vec<Option<Value>>,
        visit: &mut Visit<'_>,
    ) -> Result<ControlFlow<()>, DomainTooLarge> {
        let Some(&leaf) = self.leaves.get(at) else {
            return Ok(visit(current, next));
        };
        for value in self.candidates(at, leaf, current, next)? {
            *slot(leaf, current, next) = Some(value);
            if self.possible(at, current, next) && self.extend(at + 1, current, next, visit)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        *slot(leaf, current, next) = None;
        Ok(ControlFlow::Continue(()))
    }

    fn candidates(
        &self,
        at: usize,
        leaf: Leaf,
        current: &[Option<Value>],
        next: &[Option<Value>],
    ) -> Result<Vec<Value>, DomainTooLarge> {
        let variable = self.system.variable(leaf.variable());
        for cone in &self.equals[at] {
            let values = evaluate_with(&self.system.terms, cone, Valuation::step(current, next));
            if let Some(Some(value)) = values.last() {
                let fits = variable.sort.contains(value);
                return Ok(fits.then(|| value.clone()).into_iter().collect());
            }
        }
        match variable.sort.size() {
            Some(size) if size <= MAX_DOMAIN => Ok(variable.sort.values().collect()),
            _ => Err(DomainTooLarge {
                variable: variable.name.to_string(),
            }),
        }
    }

    fn possible(&self, at: usize, current: &[Option<Value>], next: &[Option<Value>]) -> bool {
        self.conditions[at].iter().all(|(_, cone)| {
            let values = evaluate_with(&self.system.terms, cone, Valuation::step(current, next));
            !matches!(values.last(), Some(Some(Value::Bool(false))))
        })
    }
}

fn slot<'s>(
    leaf: Leaf,
    current: &'s mut [Option<Value>],
    next: &'s mut [Option<Value>],
) -> &'s mut Option<Value> {
    match leaf {
        Leaf::Current(variable) => &mut current[variable.index()],
        Leaf::Next(variable) => &mut next[variable.index()],
    }
}

/// Whether a condition without variables left to choose is false.
pub(crate) fn refuted(
    terms: &Terms,
    conditions: &[TermId],
    current: &[Option<Value>],
    next: &[Option<Value>],
) -> bool {
    conditions
        .iter()
        .any(|&condition| evaluate_bool(terms, condition, Valuation::step(current, next)) == Ok(false))
}

/// The leaves of a step in a good order: inputs first, since next values are usually computed from them.
pub(crate) fn step_leaves(system: &TransitionSystem) -> Vec<Leaf> {
    let inputs = system.input_variables().map(Leaf::Current);
    let next = system
        .variable_ids()
        .filter(|&variable| system.variable(variable).kind == VarKind::State)
        .map(Leaf::Next);
    inputs.chain(next).collect()
}
