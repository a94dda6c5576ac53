//! Programs of communicating processes: compiled steps, and searches over them.
//!
//! [`ProgramEngine`] decides what is asked about a program. `layout`, `code`, `action` and `space` give the steps between packed states;
//! `vector_table` holds the states; `safety` and `lasso` are the searches.

mod action;
mod code;
mod engine;
mod lasso;
mod layout;
mod path;
mod safety;
mod space;
mod vector_table;
mod watch;

pub use engine::{ProgramEngine, SearchOptions};
