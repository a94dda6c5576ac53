//! A model as a table: every state with its choices, their outcomes, and what they earn.

use entail_markov::{Kind, Rational, Variable};
use entail_source::{Diagnostic, Span};

/// One outcome of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The next state.
    pub target: u32,
    /// Its probability, or its rate in a continuous-time chain.
    pub weight: Rational,
}

/// A choice of a state; chains have one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What it is called: a position in [`Table::actions`].
    pub action: Option<u32>,
    /// For a choice of a Markov automaton that takes time: the rate by which the probabilities are multiplied.
    pub rate: Option<Rational>,
    /// What may happen.
    pub outcomes: Vec<Outcome>,
    /// What is earned: the structure, the position of the outcome, how much.
    pub earned: Vec<(usize, usize, Rational)>,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its choices; none makes it a deadlock.
    pub choices: Vec<Choice>,
    /// Where it stands.
    pub place: Span,
}

/// What states earn, by increasing state.
pub type Earned = Vec<(u32, Rational)>;

/// A model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its kind.
    pub kind: Kind,
    /// The states, by number.
    pub states: Vec<State>,
    /// The names of actions.
    pub actions: Vec<String>,
    /// Where it begins; at least one.
    pub initial: Vec<u32>,
    /// Names of sets of states; these in increasing order.
    pub labels: Vec<(String, Vec<u32>)>,
    /// Names of reward structures, with what states earn, by increasing state.
    pub rewards: Vec<(Option<String>, Earned)>,
    /// Variables whose values are known, with the values by state.
    pub variables: Vec<(Variable, Vec<i64>)>,
}

impl Table {
    /// A table of a kind without states.
    pub(crate) fn empty(kind: Kind) -> Table {
        Table {
            kind,
            states: Vec::new(),
            actions: Vec::new(),
            initial: Vec::new(),
            labels: Vec::new(),
            rewards: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The position of an action, a new one if it is new.
    pub(crate) fn action(&mut self, known: &mut std::collections::HashMap<String, u32>, name: &str) -> u32 {
        *known.entry(name.to_owned()).or_insert_with_key(|name| {
            self.actions.push(name.clone());
            self.actions.len() as u32 - 1
        })
    }

    /// An error where an outcome leads to a state that does not exist, or a weight is negative.
    pub(crate) fn checked(self) -> Result<Table, Diagnostic> {
        let count = self.states.len();
        for (number, state) in self.states.iter().enumerate() {
            let wrong = |message: String| {
                Err(Diagnostic::error(
                    "explicit::transition",
                    message,
                    state.place,
                    "in this state",
                ))
            };
            for outcome in state.choices.iter().flat_map(|choice| &choice.outcomes) {
                if outcome.target as usize >= count {
                    return wrong(format!(
                        "state {number} has a transition to state {}, and there are only {count} states",
                        outcome.target
                    ));
                }
                if outcome.weight < Rational::ZERO {
                    return wrong(format!("state {number} has a negative probability or rate"));
                }
            }
        }
        Ok(self)
    }
}
