//! Searches for cycles in the states of a program, and what is said of searches.

mod advised;
pub mod closed;
mod graph;
pub mod lasso;
pub mod path;
pub mod ranked;
pub mod reduced;
pub mod verdict;
pub mod watch;
pub mod watched;
