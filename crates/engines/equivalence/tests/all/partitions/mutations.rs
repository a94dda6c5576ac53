//! The checkers notice partitions that are too coarse and too fine.

use super::systems::{random_system, shapes};
use entail_budget::Budget;
use entail_equivalence::{Bisimulation, Partition, bisimulation};
use entail_model::Lts;
use entail_relations_checker::{check_coarsest, check_partition};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// What both checks together say.
fn accepted(lts: &Lts, partition: &Partition, relation: Bisimulation) -> bool {
    let budget = Budget::unlimited();
    check_partition(lts, partition, relation, &budget).is_ok()
        && check_coarsest(&partition.quotient(lts, relation).unwrap(), relation, &budget).is_ok()
}

#[test]
fn merged_split_and_moved_blocks_are_noticed() {
    let mut random = StdRng::seed_from_u64(31);
    let mut tried = [0; 3];
    for round in 0..3000 {
        let shape = shapes(&mut random);
        let lts = random_system(&mut random, shape);
        let relation = Bisimulation::ALL[round % Bisimulation::ALL.len()];
        let right = bisimulation(&lts, relation, &Budget::unlimited()).unwrap();
        assert!(accepted(&lts, &right, relation));
        let blocks = right.block_count() as u32;
        let state = random.random_range(0..lts.state_count());
        let other = random.random_range(0..blocks);
        let mut wrong = Vec::new();
        if other != right.blocks()[state] {
            let merged = right.blocks().iter().map(|&block| {
                if block == other {
                    right.blocks()[state]
                } else {
                    block
                }
            });
            wrong.push((0, merged.collect::<Vec<u32>>()));
            let mut moved = right.blocks().to_vec();
            moved[state] = other;
            wrong.push((1, moved));
        }
        let mut split = right.blocks().to_vec();
        split[state] = blocks;
        wrong.push((2, split));
        for (kind, keys) in wrong {
            let wrong = Partition::from_keys(&keys);
            if wrong != right {
                tried[kind] += 1;
                assert!(
                    !accepted(&lts, &wrong, relation),
                    "{relation}: {wrong:?} of {lts:?}"
                );
            }
        }
    }
    assert!(tried.iter().all(|&count| count > 300), "{tried:?}");
}

#[test]
fn a_partition_of_other_states_is_refused() {
    let mut random = StdRng::seed_from_u64(32);
    let lts = random_system(&mut random, shapes(&mut StdRng::seed_from_u64(1)));
    let wrong = Partition::from_keys(&vec![0; lts.state_count() + 1]);
    assert!(check_partition(&lts, &wrong, Bisimulation::Strong, &Budget::unlimited()).is_err());
}
