//! What engines claim about labelled transition systems, and the checkers of it.
//!
//! The checkers know [`entail_model::Lts`] and nothing else.

mod partition;
mod partition_check;
mod partition_reference;
mod relation;

pub use partition::{Bisimulation, Partition};
pub use partition_check::{Coarsest, PartitionError, check_coarsest, check_partition};
pub use partition_reference::coarsest_partition;
pub use relation::{Rejected, Relation};
