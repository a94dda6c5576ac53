//! Programs of communicating processes: compiled steps, and searches over them.
//!
//! [`ProgramEngine`] decides what is asked about a program. [`steps`] gives the steps between packed states, [`reduction`] says which steps suffice,
//! [`search`] has the searches for cycles and what is said of searches for safety, which are those of `entail-search`.

#[cfg(feature = "distributed")]
mod distributed;
mod engine;
mod explorer;
mod reduction;
mod search;
mod steps;
mod structure;

#[cfg(feature = "distributed")]
pub use distributed::{Cluster, Limits, Secret, check_together};
pub use engine::{Closing, ProgramEngine};
pub use structure::{ListingError, labelled_program};
