//! Making automata smaller without changing their languages.

pub mod components;
pub mod degeneralize;
pub mod delayed_simulation;
pub(crate) mod late_copies;
pub mod merging;
pub mod powerset;
pub mod prune;
#[cfg(feature = "sat")]
pub mod sat_minimization;
pub mod simulation;
pub mod state_based;
pub mod weak_minimization;
