//! What witnesses of circuits say, whichever format they are written in.

use crate::Stimulus;

/// A property that a witness is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// A bad-state property, by position.
    Bad(usize),
    /// A justice property, by position.
    Justice(usize),
}

/// A witness of failing properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The properties.
    pub claims: Vec<Claim>,
    /// What drives the circuit.
    pub stimulus: Stimulus,
}

/// What is wrong with a witness file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct WitnessError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}
