//! Spoiler wins where systems differ, whatever is answered; Duplicator always has an answer where they do not.

use crate::reference;
use entail_budget::Budget;
use entail_equivalence::compare;
use entail_equivalence::game::{Duplicator, Spoiler, Turn, Won};
use entail_evidence::equivalence::{Comparison, Relation, RelationQuery, Side, Unrelated};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reference::{random_lts, random_shape};

#[test]
fn the_winning_side_wins_random_plays() {
    let mut random = StdRng::seed_from_u64(3);
    let (mut spoiled, mut answered) = (0, 0);
    for _ in 0..1500 {
        let shape = random_shape(&mut random);
        let (first, second) = (random_lts(&mut random, shape), random_lts(&mut random, shape));
        for relation in [
            Relation::Strong,
            Relation::Branching,
            Relation::DivergenceBranching,
            Relation::Weak,
            Relation::Simulation,
            Relation::ReadySimulation,
        ] {
            let question = match random.random_range(0..2) {
                0 => RelationQuery::preorder(relation),
                _ => RelationQuery::equivalence(relation),
            };
            match compare(&first, &second, question, &Budget::unlimited()).unwrap() {
                Comparison::Unrelated(Unrelated::Formula { formula, holds_in }) => {
                    let mut spoiler = Spoiler::new(&first, &second, &formula, holds_in).unwrap();
                    let other = if holds_in == Side::First { &second } else { &first };
                    let start = random.random_range(0..other.initial().len());
                    spoiler.begin_in(other.initial()[start]);
                    let mut rounds = 0;
                    loop {
                        let (step, answers) = match spoiler.turn() {
                            Turn::Challenge { step, answers } => (step, answers),
                            Turn::Won(won) => {
                                assert!(!matches!(won, Won::Formula(_)), "{formula:?}");
                                break;
                            }
                        };
                        let chosen = random.random_range(0..answers.len());
                        assert!(spoiler.best_answer(&step, &answers).is_some());
                        spoiler.play(&step, &answers[chosen]);
                        rounds += 1;
                        assert!(rounds < 100, "{question:?} {formula:?}\n{first:?}\n{second:?}");
                    }
                    spoiled += 1;
                }
                Comparison::Unrelated(other) => panic!("{other:?}"),
                Comparison::Related(related) => {
                    let Some(mut duplicator) = Duplicator::new(&first, &second, question, &related) else {
                        continue;
                    };
                    let (begun, lts) = match question.both_ways && random.random_range(0..2) == 0 {
                        true => (Side::Second, &second),
                        false => (Side::First, &first),
                    };
                    let start = random.random_range(0..lts.initial().len());
                    assert!(duplicator.begin(begun, lts.initial()[start]));
                    for _ in 0..20 {
                        let moves: Vec<_> = (duplicator.sides(begun).into_iter())
                            .flat_map(|side| duplicator.moves(side))
                            .collect();
                        if moves.is_empty() {
                            break;
                        }
                        let chosen = random.random_range(0..moves.len());
                        assert!(
                            duplicator.answer(&moves[chosen]).is_some(),
                            "{question:?}\n{first:?}\n{second:?}"
                        );
                        answered += 1;
                    }
                }
            }
        }
    }
    assert!(spoiled > 500 && answered > 1000, "{spoiled} {answered}");
}
