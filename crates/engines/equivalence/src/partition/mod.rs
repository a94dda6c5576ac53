//! Bisimulations by partition refinement.

mod bunches;
mod refinable;
mod strong;

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Bisimulation, Partition, coarsest_partition};
use entail_model::Lts;

/// The coarsest bisimulation of this kind: states are in one block if and only if they are equivalent.
pub fn bisimulation(lts: &Lts, relation: Bisimulation, budget: &Budget) -> Result<Partition, Spent> {
    match relation {
        Bisimulation::Strong => strong::strong(lts, budget),
        _ => coarsest_partition(lts, relation, budget),
    }
}
