//! Boolean equation systems: random ones beside nested iteration by the definition, damaged solutions, and games that become systems and games again.

use crate::effort;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{BooleanEquation, BooleanEquations, BooleanNode, ParityGame, Player, Solution, Vertex};
use entail_games_checker::equations::check;
use entail_objectives::{equations_of_game, game_of_equations};
use entail_parity::{Solver, solve};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn system(dice: &mut StdRng) -> BooleanEquations {
    let count = dice.random_range(1..6u32);
    let (mut nodes, mut equations) = (Vec::new(), Vec::new());
    for number in 0..count {
        let first = nodes.len() as u32;
        for _ in 0..dice.random_range(1..6) {
            let last = nodes.len() as u32;
            let operands = |dice: &mut StdRng| {
                (0..dice.random_range(1..4))
                    .map(|_| dice.random_range(first..last))
                    .collect()
            };
            let node = match dice.random_range(0..8) {
                0 => BooleanNode::Constant(dice.random_range(0..2) == 0),
                1 | 2 if last > first => BooleanNode::All(operands(dice)),
                3 | 4 if last > first => BooleanNode::Any(operands(dice)),
                _ => BooleanNode::Variable(dice.random_range(0..count)),
            };
            nodes.push(node);
        }
        equations.push(BooleanEquation {
            name: format!("X{number}"),
            is_greatest: dice.random_range(0..2) == 0,
            body: nodes.len() as u32 - 1,
        });
    }
    BooleanEquations::new(nodes, equations).expect("a system")
}

fn holds(system: &BooleanEquations, node: u32, values: &[bool]) -> bool {
    match &system.nodes()[node as usize] {
        BooleanNode::Constant(truth) => *truth,
        BooleanNode::Variable(variable) => values[*variable as usize],
        BooleanNode::All(operands) => operands.iter().all(|&operand| holds(system, operand, values)),
        BooleanNode::Any(operands) => operands.iter().any(|&operand| holds(system, operand, values)),
    }
}

/// By the definition: the value of the first equation is the least or greatest one that, with the rest solved for it, is that of its right-hand side; so the other one of the two values is tried only if this is none.
fn naive(system: &BooleanEquations, from: usize, values: &mut Vec<bool>) {
    let Some(equation) = system.equations().get(from) else {
        return;
    };
    values[from] = equation.is_greatest;
    naive(system, from + 1, values);
    if holds(system, equation.body, values) != equation.is_greatest {
        values[from] = !equation.is_greatest;
        naive(system, from + 1, values);
    }
}

fn winners(game: &ParityGame) -> Solution {
    solve(game, Solver::Auto, &Budget::unlimited())
        .expect("nothing is limited")
        .0
}

#[test]
fn solutions_of_random_systems_are_those_of_the_definition_and_damaged_ones_are_rejected() {
    let mut dice = StdRng::seed_from_u64(41);
    let budget = Budget::unlimited();
    for round in 0..3_000 * effort() {
        let system = system(&mut dice);
        let mut values = vec![false; system.equations().len()];
        naive(&system, 0, &mut values);
        let mut solution = winners(&game_of_equations(&system).expect("small"));
        for (variable, &value) in (0..).zip(&values) {
            let report = check(&system, variable, value, &solution, &budget);
            assert_eq!(report, CheckReport::Accepted, "round {round}: {system:?}");
            let other = check(&system, variable, !value, &solution, &budget);
            assert!(matches!(other, CheckReport::Rejected { .. }));
        }
        let at = Vertex(dice.random_range(0..values.len() as u32));
        let winner = solution.winner(at).expect("solved").other();
        solution.claim(at, winner, solution.choice(at));
        let damaged = check(&system, at.0, winner == Player::Even, &solution, &budget);
        assert!(
            matches!(damaged, CheckReport::Rejected { .. }),
            "round {round}: {system:?}"
        );
    }
}

#[test]
fn a_game_is_won_where_its_system_is_true() {
    let mut dice = StdRng::seed_from_u64(42);
    for _ in 0..1_000 * effort() {
        // Any game will do: that of a system is one.
        let game = game_of_equations(&system(&mut dice)).expect("small");
        let (system, numbers) = equations_of_game(&game, |vertex| format!("X{vertex}")).expect("small");
        let (before, after) = (
            winners(&game),
            winners(&game_of_equations(&system).expect("small")),
        );
        for vertex in game.arena().vertices() {
            assert_eq!(
                before.winner(vertex),
                after.winner(Vertex(numbers[vertex.index()]))
            );
        }
    }
}
