//! Searches over the states of a program.

mod graph;
pub mod lasso;
mod path;
pub mod safety;
pub mod watch;
