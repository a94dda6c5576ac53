//! Conditions on the symbolic variables as gates.

use crate::gates::Gates;
use crate::solver::Lit;
use entail_trajectories::{Condition, ConditionId, Conditions};
use rustc_hash::FxHashMap;

/// The literals of conditions and variables that were made.
#[derive(Clone, Default)]
pub(super) struct Literals {
    variables: FxHashMap<u32, Lit>,
    conditions: FxHashMap<ConditionId, Lit>,
}

impl Literals {
    /// The literal of a variable.
    pub(super) fn variable(&mut self, gates: &mut Gates, number: u32) -> Lit {
        *self.variables.entry(number).or_insert_with(|| gates.fresh())
    }

    /// Reads a variable as another literal from now on; conditions that were made of it must be forgotten.
    pub(super) fn set_variable(&mut self, number: u32, literal: Lit) {
        self.variables.insert(number, literal);
    }

    /// Forgets all conditions, but not the variables.
    pub(super) fn forget_conditions(&mut self) {
        self.conditions.clear();
    }

    /// The literal of a condition.
    pub(super) fn condition(&mut self, gates: &mut Gates, conditions: &Conditions, id: ConditionId) -> Lit {
        let mut open = vec![(id, false)];
        while let Some((id, ready)) = open.pop() {
            if self.conditions.contains_key(&id) {
                continue;
            }
            let literal = match conditions.get(id) {
                Condition::Constant(truth) => gates.constant(truth),
                Condition::Variable(number) => self.variable(gates, number),
                Condition::Not(a) if ready => !self.conditions[&a],
                Condition::And(a, b) if ready => gates.and(self.conditions[&a], self.conditions[&b]),
                Condition::Xor(a, b) if ready => gates.xor(self.conditions[&a], self.conditions[&b]),
                Condition::Not(a) => {
                    open.extend([(id, true), (a, false)]);
                    continue;
                }
                Condition::And(a, b) | Condition::Xor(a, b) => {
                    open.extend([(id, true), (a, false), (b, false)]);
                    continue;
                }
            };
            self.conditions.insert(id, literal);
        }
        self.conditions[&id]
    }
}

/// Adds functions of the variables, given as choices by a variable between earlier ones (0 is false, 1 is true), to some conditions. Nothing if they are none.
pub(super) fn as_conditions(
    conditions: &mut Conditions,
    functions: &[(u32, u32, u32)],
    variables: usize,
) -> Option<Vec<ConditionId>> {
    let mut made = vec![ConditionId::FALSE, ConditionId::TRUE];
    for &(variable, when_true, when_false) in functions {
        let known = |number: u32| made.get(number as usize).copied();
        let (high, low) = (known(when_true)?, known(when_false)?);
        if variable as usize >= variables {
            return None;
        }
        let variable = conditions.variable(variable);
        let high = conditions.and(variable, high);
        let otherwise = conditions.not(variable);
        let low = conditions.and(otherwise, low);
        made.push(conditions.or(high, low));
    }
    Some(made)
}
