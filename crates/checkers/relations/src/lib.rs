//! The checker of what is claimed about pairs of labelled transition systems, and about partitions of one.
//!
//! **Here:** whether a partition is a bisimulation ([`check_partition`]) and a coarsest one ([`check_coarsest`]), whether a comparison stands
//! ([`check_comparison`]): relations closed under what the other side can do, formulas true on one side only, traces that only one side has.
//!
//! **Not here:** anything that finds them. This crate knows [`entail_model::Lts`] and the claims, nothing else.

mod check;
mod evaluate;
mod inclusion;
mod partition_check;
mod partition_reference;
mod simulation;
mod traces;

pub use check::check_comparison;
pub use evaluate::states_where;
pub use partition_check::{Coarsest, PartitionError, check_coarsest, check_partition};
pub use partition_reference::coarsest_partition;
