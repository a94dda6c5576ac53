//! On random games with every kind of objective, the solution of both players is accepted by the judge, who knows the game alone; so it is right. Damaged solutions are rejected or still right.

use crate::effort;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    ArenaBuilder, Colours, Condition, Objective, ObjectiveGame, ObjectiveProof, Player, Rational, Vertex,
};
use entail_games_checker::objective::{check, check_mean_value};
use entail_objectives::{mean_value, solve};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

pub(crate) fn condition(dice: &mut StdRng, depth: u32) -> Condition {
    let colour = dice.random_range(0..5);
    match dice.random_range(0..if depth == 0 { 2 } else { 5 }) {
        0 => Condition::Infinitely(colour),
        1 => Condition::Finitely(colour),
        kind => {
            let parts = (0..dice.random_range(2..4))
                .map(|_| condition(dice, depth - 1))
                .collect();
            match kind {
                2 | 3 => Condition::All(parts),
                _ => Condition::Any(parts),
            }
        }
    }
}

fn objective(dice: &mut StdRng) -> Objective {
    let number = |dice: &mut StdRng| {
        let (above, below) = (dice.random_range(-9i64..10), dice.random_range(1u64..5));
        Rational::from(above) / Rational::from(below)
    };
    match dice.random_range(0..8) {
        0 => Objective::Reach(0),
        1 => Objective::Stay(0),
        2 => Objective::Energy,
        3 => Objective::MeanPayoff(number(dice)),
        4 => Objective::Discounted {
            factor: Rational::from(1u8) / Rational::from(dice.random_range(2u64..5)),
            at_least: number(dice),
        },
        _ => Objective::Recurring(condition(dice, 2)),
    }
}

fn game(dice: &mut StdRng) -> ObjectiveGame {
    let count = dice.random_range(1..12u32);
    let (mut arena, mut colours, mut weights) = (ArenaBuilder::default(), Vec::new(), Vec::new());
    for _ in 0..count {
        let owner = if dice.random_range(0..2) == 0 {
            Player::Even
        } else {
            Player::Odd
        };
        let mut row: Vec<u32> = (0..dice.random_range(1..4))
            .map(|_| dice.random_range(0..count))
            .collect();
        row.sort_unstable();
        row.dedup();
        weights.push(row.iter().map(|_| dice.random_range(-6..7)).collect());
        arena.vertex(owner, row);
        colours.push(Colours(dice.random_range(0..32u64) & dice.random_range(0..32u64)));
    }
    let arena = arena.finish().expect("every vertex has a successor");
    ObjectiveGame::new(arena, colours, weights, objective(dice)).expect("as many as vertices")
}

fn claimed(game: &ObjectiveGame, proof: &ObjectiveProof, vertex: Vertex) -> Player {
    match proof {
        ObjectiveProof::Strategies(positions) => positions
            .iter()
            .find(|position| position.vertex == vertex && position.memory == 0)
            .map(|position| position.winner)
            .expect("every vertex has a position"),
        ObjectiveProof::Values(values) => match &game.objective {
            Objective::Discounted { at_least, .. } if values[vertex.index()] >= *at_least => Player::Even,
            _ => Player::Odd,
        },
    }
}

#[test]
fn solutions_of_random_games_are_accepted() {
    let mut dice = StdRng::seed_from_u64(27);
    let budget = Budget::unlimited();
    for round in 0..3_000 * effort() {
        let game = game(&mut dice);
        let proof = solve(&game, &budget).expect("nothing is limited");
        for vertex in game.arena().vertices() {
            let winner = claimed(&game, &proof, vertex);
            let report = check(&game, vertex, winner, &proof, &budget);
            assert_eq!(report, CheckReport::Accepted, "round {round}: {game:?} {proof:?}");
            let other = check(&game, vertex, winner.other(), &proof, &budget);
            assert!(matches!(other, CheckReport::Rejected { .. }), "round {round}");
        }
    }
}

#[test]
fn values_of_mean_payoff_games_are_accepted_and_others_are_not() {
    let mut dice = StdRng::seed_from_u64(28);
    let budget = Budget::unlimited();
    for round in 0..600 * effort() {
        let game = game(&mut dice);
        let start = Vertex(0);
        let mut claim = mean_value(&game, start, &budget).expect("nothing is limited");
        let report = check_mean_value(&game, start, &claim, &budget);
        assert_eq!(report, CheckReport::Accepted, "round {round}: {game:?} {claim:?}");
        for wrong in [1i64, -1] {
            let right = claim.value.clone();
            claim.value += Rational::from(wrong) / Rational::from(1000u32);
            let report = check_mean_value(&game, start, &claim, &budget);
            assert!(matches!(report, CheckReport::Rejected { .. }), "round {round}");
            claim.value = right;
        }
    }
}

/// A winner that is turned round at one vertex is never believed: exactly one player wins.
#[test]
fn another_winner_is_rejected() {
    let mut dice = StdRng::seed_from_u64(29);
    let budget = Budget::unlimited();
    for round in 0..2_000 * effort() {
        let game = game(&mut dice);
        let Ok(ObjectiveProof::Strategies(mut positions)) = solve(&game, &budget) else {
            continue;
        };
        let at = dice.random_range(0..positions.len());
        let vertex = positions[at].vertex;
        positions[at].winner = positions[at].winner.other();
        positions[at].choice = game.arena().successors(vertex).next();
        if positions[at].memory == 0 {
            let proof = ObjectiveProof::Strategies(positions.clone());
            let report = check(&game, vertex, positions[at].winner, &proof, &budget);
            assert!(
                matches!(report, CheckReport::Rejected { .. }),
                "round {round}: {game:?} {proof:?}"
            );
        }
    }
}
