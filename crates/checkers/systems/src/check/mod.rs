//! The checkers: they know the meaning of models and formulas, and nothing about engines.
//!
//! - `replay`: a trace is a path of the system;
//! - `ending`: what may follow the last state of a finite trace, and whether a loop is fair;
//! - `explanation`: trees of paths, node by node;
//! - `certificate`: inductive invariants;
//! - `modal`: abstract models;
//! - `state_sets`: sets of states that no step leaves, with ranks where infinite paths are meant;
//! - `searched_again`, `quantity`: what only a search of all states shows;
//! - `outcome`: an engine's whole answer to a property.

mod certificate;
mod ending;
mod explanation;
mod modal;
mod outcome;
mod quantity;
mod replay;
mod searched_again;
mod state_sets;

#[cfg(test)]
mod abstractions;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod mutation;

pub use outcome::{Checker, KnownGraph, check_outcome, check_outcome_once};
pub use replay::{ReplayError, replay};
pub use state_sets::{Observed, observer_of};
