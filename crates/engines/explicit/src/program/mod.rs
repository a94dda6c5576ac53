//! Programs of communicating processes: compiled steps, and searches over them.
//!
//! [`ProgramEngine`] decides what is asked about a program. [`steps`] gives the steps between packed states, [`store`] holds the states,
//! [`search`] has the searches.

mod engine;
mod search;
mod steps;
mod store;

pub use engine::{ProgramEngine, SearchOptions};
