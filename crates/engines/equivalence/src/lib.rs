//! When two systems are the same to an observer: bisimulations, simulations, traces.
//!
//! **Here:** partitions of a labelled transition system by strong, branching, divergence-preserving and weak bisimulation; quotients;
//! lumping of systems with weights ([`weighted`]); simulation preorders; inclusion of traces; formulas and plays that tell two systems apart.
//!
//! **Not here:** the systems ([`entail_model::Lts`]), their files (languages), the checkers of what is claimed here
//! (`entail-evidence`).

mod compare;
mod formulas;
pub mod game;
mod partition;
mod simulation;
mod traces;

pub use compare::{CompareError, compare};
pub use entail_evidence::equivalence::{Bisimulation, Partition};
pub use partition::{bisimulation, weighted};
