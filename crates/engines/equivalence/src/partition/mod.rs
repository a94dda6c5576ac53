//! Bisimulations by partition refinement.

mod branching;
mod bunches;
mod refinable;
mod signatures;
mod silent;
mod strong;
mod weak;
pub mod weighted;

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

#[cfg(test)]
#[path = "../../tests/all/partitions/systems.rs"]
mod systems;

#[cfg(test)]
mod tests {
    use super::systems::{random_stairs, random_system, shapes};
    use super::*;
    use entail_relations_checker::coarsest_partition;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    /// On small systems the guess is all there is to do; so here the refinements start from the colours.
    #[test]
    fn refinement_needs_no_guess() {
        let budget = Budget::unlimited();
        let mut random = StdRng::seed_from_u64(10);
        for round in 0..3000 {
            let mut shape = shapes(&mut random);
            if round % 10 == 0 {
                shape.states *= 20;
                shape.degree = [0.8, 1.1, 1.4][round / 10 % 3];
            }
            let lts = match round % 3 {
                0 => random_stairs(&mut random, 1 + round as u32 % 61),
                _ => random_system(&mut random, shape),
            };
            let start = by_colour(&lts);
            let naive = coarsest_partition(&lts, Bisimulation::Strong, &budget).unwrap();
            assert_eq!(strong::refine(&lts, &start, &budget).unwrap(), naive, "{lts:?}");
            for relation in [Bisimulation::Branching, Bisimulation::DivergenceBranching] {
                let naive = coarsest_partition(&lts, relation, &budget).unwrap();
                let fast = branching::from_colours(&lts, relation.sees_divergence(), &budget).unwrap();
                assert_eq!(fast, naive, "{relation}: {lts:?}");
            }
        }
    }
}
