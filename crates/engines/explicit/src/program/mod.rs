//! Programs of communicating processes: compiled steps, and searches over them.
//!
//! [`ProgramEngine`] decides what is asked about a program. [`steps`] gives the steps between packed states, [`store`] holds the states,
//! [`reduction`] says which steps suffice, [`search`] has the searches.

mod distributed;
mod engine;
mod explorer;
mod options;
mod reduction;
mod search;
mod steps;
mod store;
mod structure;

pub use distributed::{Cluster, Limits, Secret, check_together};
pub use engine::ProgramEngine;
pub use options::{Checkpoints, SearchOptions, Storage};
pub use steps::machine::MachineCode;
pub use structure::{ListingError, labelled_program};
