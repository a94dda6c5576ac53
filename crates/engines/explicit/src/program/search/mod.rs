//! Searches over the states of a program.

pub mod lasso;
mod path;
pub mod safety;
pub mod watch;
