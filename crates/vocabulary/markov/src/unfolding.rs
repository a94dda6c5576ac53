//! The explicit model as it is met: a state's rows are worked out when they are first asked for, and kept.
//!
//! States are numbered in the order in which they are met, which need not be that of [`crate::explore`]; their rows are the same.

use crate::SemanticError;
use crate::explicit::{Row, States, resting, rows_of};
use crate::interpreter::Interpreter;
use crate::network::Network;

/// The states that were met so far.
pub struct Unfolding<'n> {
    network: &'n Network,
    interpreter: Interpreter<'n>,
    states: States,
    rows: Vec<Vec<Row>>,
    deadlocks: Vec<bool>,
}

impl<'n> Unfolding<'n> {
    /// Nothing was met yet.
    pub fn new(network: &'n Network) -> Unfolding<'n> {
        Unfolding {
            network,
            interpreter: Interpreter::new(network),
            states: States::default(),
            rows: Vec::new(),
            deadlocks: Vec::new(),
        }
    }

    /// The number of a state.
    pub fn number(&mut self, state: &[i64]) -> u32 {
        self.states.number(state.to_vec())
    }

    /// The values of the variables.
    pub fn state(&self, number: u32) -> &[i64] {
        &self.states.all[number as usize]
    }

    /// How many states were met.
    pub fn states(&self) -> usize {
        self.states.all.len()
    }

    /// The choices of a state; never none.
    pub fn rows(&mut self, number: u32) -> Result<&[Row], SemanticError> {
        let at = number as usize;
        if self.rows.len() <= at {
            self.rows.resize_with(self.states.all.len(), Vec::new);
            self.deadlocks.resize(self.states.all.len(), false);
        }
        if self.rows[at].is_empty() {
            let state = self.states.all[at].clone();
            let choices = self.interpreter.choices(&state)?;
            let mut own = rows_of(self.network, &state, choices, &mut self.states)?;
            if own.is_empty() {
                self.deadlocks[at] = true;
                own.push(resting(self.network, number));
            }
            self.rows[at] = own;
        }
        Ok(&self.rows[at])
    }

    /// Whether a state whose rows were asked for had no way out.
    pub fn is_deadlock(&self, number: u32) -> bool {
        self.deadlocks.get(number as usize).copied().unwrap_or(false)
    }
}
