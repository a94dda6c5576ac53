//! Searches over the states of a program.

mod breadth_first;
mod context_bound;
mod depth_first;
pub mod ending;
mod graph;
pub mod lasso;
mod lossy;
pub mod path;
pub mod safety;
mod saved;
pub mod verdict;
pub mod watch;
