//! Partition refinement against naive refinement, on random systems.

mod formulas;
mod handbook;
mod mutations;
mod systems;

use entail_budget::Budget;
use entail_equivalence::{Bisimulation, bisimulation};
use entail_relations_checker::{check_coarsest, check_partition, coarsest_partition};
use rand::SeedableRng;
use rand::rngs::StdRng;
use systems::{random_stairs, random_system, shapes};

#[test]
fn fast_partitions_are_the_naive_ones_and_pass_the_checks() {
    let budget = Budget::unlimited();
    let mut random = StdRng::seed_from_u64(7);
    for round in 0..4000 {
        let shape = shapes(&mut random);
        let lts = random_system(&mut random, shape);
        for relation in Bisimulation::ALL {
            let fast = bisimulation(&lts, relation, &budget).unwrap();
            let naive = coarsest_partition(&lts, relation, &budget).unwrap();
            assert_eq!(fast, naive, "round {round}, {relation}, {shape:?}: {lts:?}");
            let checked = check_partition(&lts, &fast, relation, &budget);
            assert_eq!(checked, Ok(()), "round {round}, {relation}: {lts:?}");
            let quotient = fast.quotient(&lts, relation).unwrap();
            let coarsest = check_coarsest(&quotient, relation, &budget);
            assert!(
                coarsest.is_ok(),
                "round {round}, {relation}: {coarsest:?} {lts:?}"
            );
        }
    }
}

#[test]
fn fast_partitions_of_larger_systems_are_the_naive_ones() {
    let budget = Budget::unlimited();
    let mut random = StdRng::seed_from_u64(9);
    for round in 0..600 {
        let mut shape = shapes(&mut random);
        shape.states *= [5, 10, 30][round % 3];
        // Around one step a state, classes are many and large.
        shape.degree = [0.8, 1.0, 1.1, 1.3][round % 4];
        let lts = match round % 2 {
            0 => random_stairs(&mut random, shape.states),
            _ => random_system(&mut random, shape),
        };
        for relation in [
            Bisimulation::Strong,
            Bisimulation::Branching,
            Bisimulation::DivergenceBranching,
        ] {
            let fast = bisimulation(&lts, relation, &budget).unwrap();
            let naive = coarsest_partition(&lts, relation, &budget).unwrap();
            assert_eq!(fast, naive, "round {round}, {relation}, {shape:?}");
        }
    }
}

#[test]
fn quotients_are_equivalent_to_what_they_came_from_and_cannot_be_minimised_again() {
    let budget = Budget::unlimited();
    let mut random = StdRng::seed_from_u64(8);
    for _ in 0..1500 {
        let shape = shapes(&mut random);
        let lts = random_system(&mut random, shape);
        for relation in Bisimulation::ALL {
            let partition = bisimulation(&lts, relation, &budget).unwrap();
            let quotient = partition.quotient(&lts, relation).unwrap();
            let again = bisimulation(&quotient, relation, &budget).unwrap();
            assert_eq!(again.block_count(), quotient.state_count(), "{relation}: {lts:?}");
            assert_eq!(
                again.quotient(&quotient, relation).unwrap(),
                quotient,
                "{relation}"
            );
            let both = lts.beside(&quotient).unwrap();
            let together = coarsest_partition(&both, relation, &budget).unwrap();
            for state in lts.states() {
                let copy = lts.state_count() as u32 + partition.block(state);
                assert!(
                    together.same(state, entail_model::StateId::new(copy)),
                    "{relation}: state {state} of {lts:?}"
                );
            }
        }
    }
}
