//! What engines claim about labelled transition systems, and the checkers of it.
//!
//! Two systems are *related* by a relation that is closed under what the other side can do: a partition that is a bisimulation,
//! pairs of a simulation, or pairs of a state and a set of states for inclusion of traces. They are *not related* by a formula
//! that is true on one side only, or by a trace that only one side has. All of it is plain data; the checkers know
//! [`entail_model::Lts`] and nothing else.

mod check;
mod claim;
mod evaluate;
mod hml;
mod inclusion;
mod json;
mod partition;
mod partition_check;
mod partition_reference;
mod print;
mod relation;
mod shown;
mod simulation;
mod traces;

pub use check::check_comparison;
pub use claim::{Comparison, ObservedStep, ObservedTrace, Question, Related, Side, Unrelated};
pub use evaluate::states_where;
pub use hml::{Hml, HmlGraph, HmlId, HmlNode};
pub use partition::{Bisimulation, Partition};
pub use partition_check::{Coarsest, PartitionError, check_coarsest, check_partition};
pub use partition_reference::coarsest_partition;
pub use print::{Printed, Style};
pub use relation::{Rejected, Relation};
pub use shown::ShownComparison;
