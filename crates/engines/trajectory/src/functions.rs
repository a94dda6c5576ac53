//! Functions of the symbolic variables, in any representation: what simulation needs of them.

use entail_budget::Spent;
use entail_trajectories::{Condition, ConditionId, Conditions};
use rustc_hash::FxHashMap;

/// Why there is no function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// Time or memory.
    Spent(Spent),
    /// Decision diagrams are too large.
    TooLarge(String),
}

impl From<Spent> for Stop {
    fn from(spent: Spent) -> Stop {
        Stop::Spent(spent)
    }
}

impl From<entail_dd::Error> for Stop {
    fn from(error: entail_dd::Error) -> Stop {
        match error {
            entail_dd::Error::Spent(spent) => Stop::Spent(spent),
            other => Stop::TooLarge(other.to_string()),
        }
    }
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Spent(spent) => write!(f, "{spent}"),
            Stop::TooLarge(message) => f.write_str(message),
        }
    }
}

/// Boolean functions of the symbolic variables.
pub(crate) trait Functions {
    /// A function.
    type Function: Clone;

    /// A constant.
    fn constant(&self, truth: bool) -> Self::Function;

    /// A variable.
    fn variable(&mut self, number: u32) -> Result<Self::Function, Stop>;

    /// Both.
    fn and(&mut self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Stop>;

    /// Not.
    fn not(&self, a: &Self::Function) -> Self::Function;

    /// Whether a function is too large to go on with.
    fn is_too_large(&self, _function: &Self::Function) -> bool {
        false
    }

    /// At least one.
    fn or(&mut self, a: &Self::Function, b: &Self::Function) -> Result<Self::Function, Stop> {
        let neither = self.and(&self.not(a), &self.not(b))?;
        Ok(self.not(&neither))
    }
}

/// Conditions of a specification as functions, made when they are first needed.
pub(crate) struct Translated<'c, F: Functions> {
    conditions: &'c Conditions,
    known: FxHashMap<ConditionId, F::Function>,
}

impl<'c, F: Functions> Translated<'c, F> {
    pub(crate) fn new(conditions: &'c Conditions) -> Self {
        Translated {
            conditions,
            known: FxHashMap::default(),
        }
    }

    /// The function of a condition.
    pub(crate) fn get(&mut self, functions: &mut F, id: ConditionId) -> Result<F::Function, Stop> {
        let mut open = vec![id];
        while let Some(&next) = open.last() {
            if self.known.contains_key(&next) {
                open.pop();
                continue;
            }
            let condition = self.conditions.get(next);
            let operands: &[ConditionId] = match &condition {
                Condition::Constant(_) | Condition::Variable(_) => &[],
                Condition::Not(a) => &[*a],
                Condition::And(a, b) | Condition::Xor(a, b) => &[*a, *b],
            };
            let before = open.len();
            open.extend(
                operands
                    .iter()
                    .filter(|operand| !self.known.contains_key(operand)),
            );
            if open.len() > before {
                continue;
            }
            let function = match condition {
                Condition::Constant(truth) => functions.constant(truth),
                Condition::Variable(number) => functions.variable(number)?,
                Condition::Not(a) => functions.not(&self.known[&a]),
                Condition::And(a, b) => functions.and(&self.known[&a], &self.known[&b])?,
                Condition::Xor(a, b) => {
                    let (a, b) = (self.known[&a].clone(), self.known[&b].clone());
                    let both = functions.and(&a, &b)?;
                    let some = functions.or(&a, &b)?;
                    functions.and(&some, &functions.not(&both))?
                }
            };
            self.known.insert(next, function);
            open.pop();
        }
        Ok(self.known[&id].clone())
    }
}
