//! Bisimulations by partition refinement.

mod branching;
mod bunches;
mod refinable;
mod silent;
mod strong;
mod weak;

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Bisimulation, Partition};
use entail_model::Lts;

/// The coarsest bisimulation of this kind: states are in one block if and only if they are equivalent.
pub fn bisimulation(lts: &Lts, relation: Bisimulation, budget: &Budget) -> Result<Partition, Spent> {
    match relation {
        Bisimulation::Strong => strong::strong(lts, budget),
        Bisimulation::Branching | Bisimulation::DivergenceBranching => {
            branching::branching(lts, relation.sees_divergence(), budget)
        }
        Bisimulation::Weak | Bisimulation::DivergenceWeak => {
            weak::weak(lts, relation.sees_divergence(), budget)
        }
    }
}

/// The states by what holds in them.
fn by_colour(lts: &Lts) -> Partition {
    let colours: Vec<u32> = (lts.states())
        .map(|state| lts.colour(state).index() as u32)
        .collect();
    Partition::from_keys(&colours)
}
