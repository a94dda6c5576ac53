//! Abstractions of a system, as what can still be observed of its states.
//!
//! Every abstraction here is a list of *observations*: terms about a state. A visible variable is the term `x`, a predicate
//! a Boolean term, a data map (signs, parity, ranges) a term of an enumeration. An **abstract state** is a tuple of values of the
//! observations; it stands for (γ, *concretisation*) all states with these values. Abstract states are therefore disjoint and together
//! cover every state: an abstraction is a partition that nobody has to write down.

use crate::{TermId, TransitionSystem, Valuation, Value, VarId, VarKind, evaluate};
use std::fmt;
use std::sync::Arc;

/// Something that can be observed of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// What the user calls it.
    pub name: Arc<str>,
    /// Its value: a term over current state and frozen variables.
    pub term: TermId,
}

/// What is observed of a system's states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Abstraction {
    /// The observations; an abstract state has a value for each, in this order.
    pub observations: Vec<Observation>,
}

/// A term that cannot be observed in a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotObservable {
    /// It reads inputs, which are chosen by a step.
    #[error("`{observation}` depends on the input `{variable}`, which has no value in a state")]
    Input {
        /// The observation.
        observation: Arc<str>,
        /// The input.
        variable: Arc<str>,
    },
    /// It reads next values.
    #[error("`{observation}` depends on the next value of `{variable}`, which a state does not have")]
    Next {
        /// The observation.
        observation: Arc<str>,
        /// The variable.
        variable: Arc<str>,
    },
}

impl Abstraction {
    /// The abstraction with these observations; equal terms are observed once.
    pub fn new(observations: impl IntoIterator<Item = Observation>) -> Abstraction {
        let mut abstraction = Abstraction::default();
        for observation in observations {
            abstraction.add(observation);
        }
        abstraction
    }

    /// One more observation; whether it is new.
    pub fn add(&mut self, observation: Observation) -> bool {
        let is_new = self.position(observation.term).is_none();
        if is_new {
            self.observations.push(observation);
        }
        is_new
    }

    /// Where a term is observed.
    pub fn position(&self, term: TermId) -> Option<usize> {
        self.observations
            .iter()
            .position(|observation| observation.term == term)
    }

    /// Whether every observation is about states of the system.
    pub fn check(&self, system: &TransitionSystem) -> Result<(), NotObservable> {
        for observation in &self.observations {
            let (current, next) = system.terms.support(&[observation.term]);
            let name = |id: VarId| system.variable(id).name.clone();
            if let Some(&id) = next.first() {
                return Err(NotObservable::Next {
                    observation: observation.name.clone(),
                    variable: name(id),
                });
            }
            let input = current
                .iter()
                .find(|&&id| system.variable(id).kind == VarKind::Input);
            if let Some(&id) = input {
                return Err(NotObservable::Input {
                    observation: observation.name.clone(),
                    variable: name(id),
                });
            }
        }
        Ok(())
    }

    /// The abstract state of a state: the value of each observation; none if a variable has no value.
    pub fn observe(&self, system: &TransitionSystem, state: &[Option<Value>]) -> Option<Vec<Value>> {
        self.observations
            .iter()
            .map(|observation| evaluate(&system.terms, observation.term, Valuation::state(state)).ok())
            .collect()
    }

    /// An abstract state as people read it: `x = 3, p, !q`.
    pub fn show<'a>(&'a self, values: &'a [Value]) -> impl fmt::Display + 'a {
        Shown {
            abstraction: self,
            values,
        }
    }
}

struct Shown<'a> {
    abstraction: &'a Abstraction,
    values: &'a [Value],
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.values.is_empty() {
            return f.write_str("any state");
        }
        for (position, (observation, value)) in
            self.abstraction.observations.iter().zip(self.values).enumerate()
        {
            if position > 0 {
                f.write_str(", ")?;
            }
            let name = &observation.name;
            let is_name = name
                .chars()
                .all(|letter| letter.is_alphanumeric() || "_.$#-[]".contains(letter));
            match value {
                Value::Bool(truth) => match (truth, is_name) {
                    (true, _) => f.write_str(name)?,
                    (false, true) => write!(f, "!{name}")?,
                    (false, false) => write!(f, "!({name})")?,
                },
                other => write!(f, "{name} = {other}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn states_are_observed_and_inputs_are_not() {
        let mut system = TransitionSystem::new();
        let x = system.add_variable("x", Sort::range(-2, 2), VarKind::State);
        let i = system.add_variable("i", Sort::Bool, VarKind::Input);
        let (now, zero) = (system.current(x), system.terms.integer(0));
        let negative = system.terms.less(now, zero).expect("integers");
        let observed = |name: &str, term| Observation {
            name: Arc::from(name),
            term,
        };
        let abstraction = Abstraction::new([
            observed("x < 0", negative),
            observed("x", now),
            observed("again", now),
        ]);
        assert_eq!(abstraction.observations.len(), 2);
        let mut state = system.blank();
        assert_eq!(abstraction.observe(&system, &state), None);
        state[x.index()] = Some(Value::Int(1));
        let values = abstraction.observe(&system, &state).expect("x has a value");
        assert_eq!(abstraction.show(&values).to_string(), "!(x < 0), x = 1");
        assert_eq!(abstraction.check(&system), Ok(()));
        let input = system.current(i);
        let next = system.next(x);
        let later = system.terms.equal(next, zero).expect("integers");
        assert!(matches!(
            Abstraction::new([observed("i", input)]).check(&system),
            Err(NotObservable::Input { .. })
        ));
        assert!(matches!(
            Abstraction::new([observed("later", later)]).check(&system),
            Err(NotObservable::Next { .. })
        ));
    }
}
