//! Concurrent games: known ones, and random ones beside naive references. Surely: every choice of one action at each vertex is tried. Almost surely: every choice of a set of actions at each vertex,
//! thrown evenly. In the limit: the value is iterated from below, with the exact value of each 2×2 matrix.

use crate::effort;
use crate::random_games::condition;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{
    Certainty, ChancePosition, Choices, Colours, ConcurrentGame, ConcurrentProof, Condition, Objective,
    Player, Vertex,
};
use entail_games_checker::concurrent::check;
use entail_objectives::solve_concurrent;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn game(tables: &[&[&[u32]]], goals: &[usize], objective: Objective, certainty: Certainty) -> ConcurrentGame {
    let rows = |table: &&[&[u32]]| table.iter().map(|row| row.to_vec()).collect::<Vec<_>>();
    let choices = tables
        .iter()
        .map(|table| Choices::new(&rows(table)).expect("a table"));
    let colours = (0..tables.len()).map(|at| Colours(u64::from(goals.contains(&at))));
    ConcurrentGame::new(choices.collect(), colours.collect(), objective, certainty).expect("a game")
}

fn winners(game: &ConcurrentGame) -> Vec<Player> {
    let budget = Budget::unlimited();
    let proof = solve_concurrent(game, &budget).expect("nothing is limited");
    let winner = |vertex| {
        let winner = proof.winner(vertex).expect("every vertex has a winner");
        let report = check(game, vertex, winner, &proof, &budget);
        assert_eq!(report, CheckReport::Accepted, "{game:?} {proof:?}");
        let other = check(game, vertex, winner.other(), &proof, &budget);
        assert!(matches!(other, CheckReport::Rejected { .. }));
        winner
    };
    game.vertices().map(winner).collect()
}

#[test]
fn certainties_differ_in_hide_or_run_and_in_matching_pennies() {
    use Certainty::{Almost, Limit, Sure};
    use Player::{Even, Odd};
    // 0 hides; 1 is home; 2 is wet.
    let snowballs: &[&[&[u32]]] = &[&[&[0, 1], &[1, 2]], &[&[1]], &[&[2]]];
    let pennies: &[&[&[u32]]] = &[&[&[1, 0], &[0, 1]], &[&[1]]];
    for (tables, answers) in [(snowballs, [Odd, Odd, Even]), (pennies, [Odd, Even, Even])] {
        for (certainty, answer) in [Sure, Almost, Limit].into_iter().zip(answers) {
            let reach = game(tables, &[1], Objective::Reach(0), certainty);
            assert_eq!(winners(&reach)[0], answer, "{certainty:?}");
        }
    }
    // Seen again and again: home leads back to hiding.
    let again: &[&[&[u32]]] = &[&[&[0, 1], &[1, 2]], &[&[0]], &[&[2]]];
    let buchi = || Objective::Recurring(Condition::Infinitely(0));
    assert_eq!(winners(&game(again, &[1], buchi(), Almost))[0], Odd);
    assert_eq!(winners(&game(again, &[1], buchi(), Limit))[0], Even);
}

/// A game of a few vertices with one or two actions of each player; the last vertex is a goal.
fn random(dice: &mut StdRng, count: u32, objective: Objective, certainty: Certainty) -> ConcurrentGame {
    let mut choices = Vec::new();
    let mut colours = Vec::new();
    for vertex in 0..count {
        let (even, odd) = (dice.random_range(1..3), dice.random_range(1..3));
        let rows: Vec<Vec<u32>> = (0..even)
            .map(|_| (0..odd).map(|_| dice.random_range(0..count)).collect())
            .collect();
        choices.push(Choices::new(&rows).expect("a table"));
        let goal = vertex + 1 == count;
        colours.push(Colours(u64::from(goal) | dice.random_range(0..16) << 1));
    }
    ConcurrentGame::new(choices, colours, objective, certainty).expect("a game")
}

fn certainty(dice: &mut StdRng) -> Certainty {
    [Certainty::Sure, Certainty::Almost, Certainty::Limit][dice.random_range(0..3)]
}

#[test]
fn solutions_of_random_concurrent_games_are_accepted() {
    let mut dice = StdRng::seed_from_u64(31);
    for _ in 0..1_500 * effort() {
        let certainty = certainty(&mut dice);
        let objective = match (dice.random_range(0..4), certainty) {
            (0, _) => Objective::Reach(0),
            (1, _) => Objective::Stay(1),
            (_, Certainty::Sure) => Objective::Recurring(condition(&mut dice, 2)),
            _ => Objective::Recurring(Condition::Infinitely(0)),
        };
        let count = dice.random_range(1..9);
        winners(&random(&mut dice, count, objective, certainty));
    }
}

/// The sets of Even's actions at each vertex, as bits; with `single`, sets of one.
fn supports(game: &ConcurrentGame, single: bool) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for vertex in game.vertices() {
        let own = game.actions(vertex, Player::Even).len() as u32;
        let sets = (1..1u32 << own).filter(|set| !single || set.count_ones() == 1);
        let longer = |head: &Vec<u32>| {
            let with = |set| head.iter().copied().chain([set]).collect();
            sets.clone().map(with).collect::<Vec<Vec<u32>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The greatest set of vertices without the goal in which Odd can keep a play: with an action that stays against all of Even's (`always`), or with some pair (Even's dice decide, and one play counts).
fn kept(game: &ConcurrentGame, support: &[u32], always: bool) -> Vec<bool> {
    let mut inside: Vec<bool> = game.vertices().map(|v| !game.colours(v).has(0)).collect();
    loop {
        let before = inside.clone();
        for vertex in game.vertices() {
            let own = |even: &u32| support[vertex.index()] >> even & 1 == 1;
            let even = || game.actions(vertex, Player::Even).filter(own);
            let stays = |even, odd| before[game.target(vertex, even, odd).index()];
            let mut odd = game.actions(vertex, Player::Odd);
            inside[vertex.index()] &= match always {
                true => odd.any(|odd| even().all(|even| stays(even, odd))),
                false => odd.any(|odd| even().any(|even| stays(even, odd))),
            };
        }
        if inside == before {
            return inside;
        }
    }
}

/// From where a set can be reached without passing the goal, with Even's actions in the support.
fn reaching(game: &ConcurrentGame, support: &[u32], mut set: Vec<bool>) -> Vec<bool> {
    loop {
        let before = set.clone();
        for vertex in game.vertices().filter(|v| !game.colours(*v).has(0)) {
            for even in game.actions(vertex, Player::Even) {
                let own = support[vertex.index()] >> even & 1 == 1;
                let mut odd = game.actions(vertex, Player::Odd);
                let leads = odd.any(|odd| before[game.target(vertex, even, odd).index()]);
                set[vertex.index()] |= own && leads;
            }
        }
        if set == before {
            return set;
        }
    }
}

#[test]
fn reachability_agrees_with_every_strategy_tried() {
    let mut dice = StdRng::seed_from_u64(32);
    for round in 0..1_000 * effort() {
        let certainty = [Certainty::Sure, Certainty::Almost][round as usize % 2];
        let count = dice.random_range(2..6);
        let game = random(&mut dice, count, Objective::Reach(0), certainty);
        let sure = certainty == Certainty::Sure;
        let mut naive = vec![Player::Odd; game.vertex_count()];
        for support in supports(&game, sure) {
            let lost = reaching(&game, &support, kept(&game, &support, !sure));
            for vertex in game.vertices().filter(|v| !lost[v.index()]) {
                naive[vertex.index()] = Player::Even;
            }
        }
        assert_eq!(winners(&game), naive, "round {round}: {game:?}");
    }
}

/// The value of a matrix with at most two rows and columns, for the one who chooses the row.
fn matrix_value(rows: &[Vec<f64>]) -> f64 {
    let least = |row: &Vec<f64>| row.iter().copied().fold(f64::INFINITY, f64::min);
    let low = rows.iter().map(least).fold(0.0, f64::max);
    let most = |column: usize| rows.iter().map(|row| row[column]).fold(0.0, f64::max);
    let high = (0..rows[0].len()).map(most).fold(f64::INFINITY, f64::min);
    match rows {
        [one, two] if one.len() == 2 && low < high => {
            let (a, b, c, d) = (one[0], one[1], two[0], two[1]);
            (a * d - b * c) / (a + d - b - c)
        }
        _ => low,
    }
}

#[test]
fn the_limit_agrees_with_values_iterated_from_below() {
    let mut dice = StdRng::seed_from_u64(33);
    for round in 0..150 * effort() {
        let count = dice.random_range(2..5);
        let game = random(&mut dice, count, Objective::Reach(0), Certainty::Limit);
        let goal = |vertex: Vertex| game.colours(vertex).has(0);
        let mut values: Vec<f64> = game.vertices().map(|v| f64::from(u8::from(goal(v)))).collect();
        for _ in 0..4_000 {
            let next = |vertex: Vertex| {
                let odd = |even| {
                    let all = game.actions(vertex, Player::Odd);
                    all.map(|odd| values[game.target(vertex, even, odd).index()])
                        .collect()
                };
                let rows: Vec<Vec<f64>> = game.actions(vertex, Player::Even).map(odd).collect();
                if goal(vertex) { 1.0 } else { matrix_value(&rows) }
            };
            values = game.vertices().map(next).collect();
        }
        // Below the limit, three stages of two actions leave Odd at least an eighth.
        let naive = values.iter().map(|value| match *value > 0.9 {
            true => Player::Even,
            false => Player::Odd,
        });
        let naive: Vec<Player> = naive.collect();
        assert_eq!(winners(&game), naive, "round {round}: {game:?} {values:?}");
    }
}

#[test]
fn damaged_chances_are_rejected_or_still_right() {
    let mut dice = StdRng::seed_from_u64(34);
    let budget = Budget::unlimited();
    for round in 0..1_500 * effort() {
        let certainty = [Certainty::Almost, Certainty::Limit][dice.random_range(0..2)];
        let objective = match dice.random_range(0..2) {
            0 => Objective::Reach(0),
            _ => Objective::Recurring(Condition::Infinitely(0)),
        };
        let count = dice.random_range(2..7);
        let game = random(&mut dice, count, objective, certainty);
        let proof = solve_concurrent(&game, &budget).expect("nothing is limited");
        let right: Vec<Option<Player>> = game.vertices().map(|v| proof.winner(v)).collect();
        let ConcurrentProof::Chances(mut positions) = proof else {
            panic!("chances");
        };
        let at = dice.random_range(0..positions.len());
        let numbers = |dice: &mut StdRng| -> Vec<u32> {
            (0..dice.random_range(0..3))
                .map(|_| dice.random_range(0..3))
                .collect()
        };
        positions[at] = match dice.random_range(0..2) {
            0 => ChancePosition::Fails {
                stage: dice.random_range(0..4),
                answers: numbers(&mut dice),
            },
            _ => ChancePosition::Wins {
                rank: dice.random_range(0..4),
                levels: numbers(&mut dice)
                    .into_iter()
                    .map(|own| (own, dice.random_range(0..3)))
                    .collect(),
            },
        };
        let damaged = ConcurrentProof::Chances(positions);
        for vertex in game.vertices() {
            let claimed = damaged.winner(vertex).expect("every vertex has a winner");
            if check(&game, vertex, claimed, &damaged, &budget) == CheckReport::Accepted {
                assert_eq!(
                    Some(claimed),
                    right[vertex.index()],
                    "round {round}: {game:?} {damaged:?}"
                );
            }
        }
    }
}
