//! What engines claim about pairs of labelled transition systems.
//!
//! Two systems are *related* by a relation that is closed under what the other side can do: a partition that is a bisimulation,
//! pairs of a simulation, or pairs of a state and a set of states for inclusion of traces. They are *not related* by a formula
//! that is true on one side only, or by a trace that only one side has. All of it is plain data; the checkers are a room of their own (`crates/checkers/relations`).

mod claim;
mod hml;
mod json;
mod partition;
mod print;
mod relation;
mod shown;

pub use claim::{Comparison, ObservedStep, ObservedTrace, Related, RelationQuery, Side, Unrelated};
pub use hml::{Hml, HmlGraph, HmlId, HmlNode};
pub use partition::{Bisimulation, Partition};
pub use print::{Printed, Style};
pub use relation::{Rejected, Relation};
pub use shown::ShownComparison;
