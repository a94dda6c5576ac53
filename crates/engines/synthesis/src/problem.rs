//! What is asked.

use entail_automata::{AutomataError, Automaton};
use entail_budget::Spent;
use entail_game::FirstMover;
use entail_logic::Formula;

/// What the runs of the machine must be.
#[derive(Clone)]
pub enum Goal {
    /// They satisfy a formula over inputs and outputs.
    Formula(Formula<String>),
    /// They are accepted by a deterministic, complete parity automaton.
    Automaton(Box<ParityAutomaton>),
}

/// A deterministic, complete automaton with a parity condition.
#[derive(Clone)]
pub struct ParityAutomaton {
    /// Its states and edges.
    pub automaton: Automaton,
    /// The priorities of the edges of each state, max even, where the automaton's marks do not tell: there are only 64 of them.
    pub priorities: Option<Vec<Vec<u32>>>,
}

impl From<Automaton> for ParityAutomaton {
    fn from(automaton: Automaton) -> ParityAutomaton {
        ParityAutomaton {
            automaton,
            priorities: None,
        }
    }
}

/// A synthesis problem.
#[derive(Clone)]
pub struct Problem {
    /// What is wanted.
    pub goal: Goal,
    /// What the environment decides.
    pub inputs: Vec<String>,
    /// What the machine decides.
    pub outputs: Vec<String>,
    /// Who decides first in each step: for Mealy machines the environment, for Moore machines the machine.
    pub first: FirstMover,
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum SynthesisError {
    /// The budget ran out.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// An automaton could not be made.
    #[error("{0}")]
    Automata(AutomataError),
    /// The given automaton is not what it should be.
    #[error("{0}")]
    Refused(String),
    /// A construction is larger than can be stored.
    #[error("{0}")]
    TooLarge(&'static str),
}

impl From<AutomataError> for SynthesisError {
    fn from(error: AutomataError) -> SynthesisError {
        match error {
            AutomataError::Spent(spent) => SynthesisError::Spent(spent),
            other => SynthesisError::Automata(other),
        }
    }
}
