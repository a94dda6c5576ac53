//! Judging solutions of games whose objective is not parity.
//!
//! Strategies with memory are judged on their own graph: a position is a vertex with what is remembered, the winner's move or all moves of the opponent lead on, and nothing leads out of what
//! the winner is said to win. Then every endless path of the graph must be the winner's, which is a question about its cycles:
//! - reachability: where the goal must come, no cycle avoids it; where it must not, it is nowhere;
//! - colours: no cycle, not even one that goes round several simple ones, shows a set of colours that the loser wants (the emptiness of Emerson–Lei conditions: components, and a loser's colour that
//!   must be given up is taken away);
//! - mean payoff, energy: no cycle has a sum on the loser's side (Bellman and Ford).
//!
//! Discounted values are judged by the equations that have them as their only solution.

use crate::cycles::{Graph, has_negative_cycle};
use crate::plays::{Node, Refuted, numbered, reported, won, wrong};
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_game::{MeanValue, Objective, ObjectiveGame, ObjectiveProof, Player, Position, Rational, Vertex};
use std::collections::HashMap;

/// Whether the player wins from a vertex, as the proof claims.
pub fn check(
    game: &ObjectiveGame,
    start: Vertex,
    winner: Player,
    proof: &ObjectiveProof,
    budget: &Budget,
) -> CheckReport {
    reported(match proof {
        ObjectiveProof::Strategies(positions) => strategies(game, start, winner, positions, budget),
        ObjectiveProof::Values(values) => discounted(game, start, winner, values, budget),
    })
}

fn strategies(
    game: &ObjectiveGame,
    start: Vertex,
    winner: Player,
    positions: &[Position],
    budget: &Budget,
) -> Result<(), Refuted> {
    let places = positions
        .iter()
        .map(|position| (position.vertex, position.memory));
    let numbers = numbered(places, game.arena().vertex_count())?;
    if positions[numbers[&(start, 0)]].winner != winner {
        return wrong("the strategies say otherwise about the start vertex");
    }
    let nodes: Vec<Node> = positions
        .iter()
        .map(|position| Node {
            vertex: position.vertex,
            colours: game.colours(position.vertex),
            winner: position.winner,
        })
        .collect();
    let graph = graph(game, positions, &nodes, &numbers, budget)?;
    match &game.objective {
        Objective::Reach(_) | Objective::Stay(_) | Objective::Recurring(_) => {
            won(&nodes, &graph, &game.objective, budget)
        }
        Objective::Energy => mean(positions, &graph, &Rational::from(0u8), budget),
        Objective::MeanPayoff(at_least) => mean(positions, &graph, at_least, budget),
        Objective::Discounted { .. } => wrong("discounted sums are shown by values"),
    }
}

/// The positions with the moves that are left, each with its weight; none leads from what one player wins to what the other does.
fn graph(
    game: &ObjectiveGame,
    positions: &[Position],
    nodes: &[Node],
    numbers: &HashMap<(Vertex, u32), usize>,
    budget: &Budget,
) -> Result<Graph, Refuted> {
    let mut graph = Graph::new();
    for (position, node) in positions.iter().zip(nodes) {
        budget.check()?;
        let mut row = Vec::new();
        let own = game.arena().owner(position.vertex) == position.winner;
        if own && position.choice.is_none() {
            return wrong(format!(
                "vertex {} belongs to {}, who is said to win it but has no move there",
                position.vertex, position.winner
            ));
        }
        let mut moved = false;
        for (to, weight) in game.edges(position.vertex) {
            if own && position.choice != Some(to) {
                continue;
            }
            moved = true;
            if node.is_decided(&game.objective) {
                continue;
            }
            match numbers.get(&(to, position.next)) {
                Some(&next) if positions[next].winner == position.winner => row.push((next, weight)),
                _ => {
                    return wrong(format!(
                        "a play that {} is said to win leaves what {} wins from vertex {} to {to}",
                        position.winner, position.winner, position.vertex
                    ));
                }
            }
        }
        if !moved {
            return wrong(format!(
                "the move from vertex {} is no edge of the game",
                position.vertex
            ));
        }
        graph.push(row);
    }
    Ok(graph)
}

/// The weights of a graph less a threshold, made whole.
fn shifted(graph: &Graph, threshold: &Rational) -> Result<Vec<Vec<(usize, i128)>>, Refuted> {
    let too_large = || Refuted::Open("weights that are too large".to_owned());
    let numerator = i128::try_from(threshold.numerator().clone()).map_err(|_| too_large())?;
    let denominator = i128::try_from(threshold.denominator().clone()).map_err(|_| too_large())?;
    let room = i128::MAX / 8 / (graph.len() as i128 + 1);
    let shift = |&(to, weight): &(usize, i64)| {
        let shifted = i128::from(weight)
            .checked_mul(denominator)?
            .checked_sub(numerator)?;
        (shifted.abs() < room).then_some((to, shifted))
    };
    let rows: Option<Vec<Vec<(usize, i128)>>> =
        graph.iter().map(|row| row.iter().map(shift).collect()).collect();
    rows.ok_or_else(too_large)
}

/// Where Even is said to win, no cycle has a mean below the threshold; where Odd is, every one has.
fn mean(positions: &[Position], graph: &Graph, threshold: &Rational, budget: &Budget) -> Result<(), Refuted> {
    let weights = shifted(graph, threshold)?;
    // Both at once: no edge leads from one region to the other. Odd's cycles must be below zero even if they are only not above it, which the second number decides.
    let signed = |(from, row): (usize, &Vec<(usize, i128)>)| -> Vec<(usize, (i128, i128))> {
        let even = positions[from].winner == Player::Even;
        let cost = |&(to, weight): &(usize, i128)| match even {
            true => (to, (weight, 0)),
            false => (to, (-weight, -1)),
        };
        row.iter().map(cost).collect()
    };
    let costs: Vec<Vec<(usize, (i128, i128))>> = weights.iter().enumerate().map(signed).collect();
    match has_negative_cycle(&costs, budget)? {
        true => wrong("a cycle has a mean on the wrong side of the threshold"),
        false => Ok(()),
    }
}

/// The equations of discounted values.
fn discounted(
    game: &ObjectiveGame,
    start: Vertex,
    winner: Player,
    values: &[Rational],
    budget: &Budget,
) -> Result<(), Refuted> {
    let Objective::Discounted { factor, at_least } = &game.objective else {
        return wrong("the objective is not a discounted sum");
    };
    if values.len() != game.arena().vertex_count() {
        return wrong("there is not one value for each vertex");
    }
    for vertex in game.arena().vertices() {
        budget.check()?;
        let each = game
            .edges(vertex)
            .map(|(to, weight)| Rational::from(weight) + factor * &values[to.index()]);
        let best = match game.arena().owner(vertex) {
            Player::Even => each.max(),
            Player::Odd => each.min(),
        };
        if best.as_ref() != Some(&values[vertex.index()]) {
            return wrong(format!(
                "the value of vertex {vertex} is not that of its best move"
            ));
        }
    }
    let good = values[start.index()] >= *at_least;
    match good == (winner == Player::Even) {
        true => Ok(()),
        false => wrong("the value of the start vertex is on the other side of the threshold"),
    }
}

/// Whether the mean payoff from a vertex is what is claimed.
pub fn check_mean_value(
    game: &ObjectiveGame,
    start: Vertex,
    claim: &MeanValue,
    budget: &Budget,
) -> CheckReport {
    let judged = Player::BOTH.into_iter().try_for_each(|player| {
        let moves: HashMap<Vertex, Vertex> = match player {
            Player::Even => claim.even.iter().copied().collect(),
            Player::Odd => claim.odd.iter().copied().collect(),
        };
        one_sided(game, start, player, &moves, &claim.value, budget)
    });
    reported(judged)
}

/// A player's moves keep every cycle on the player's side of a value, which may be met.
fn one_sided(
    game: &ObjectiveGame,
    start: Vertex,
    player: Player,
    moves: &HashMap<Vertex, Vertex>,
    value: &Rational,
    budget: &Budget,
) -> Result<(), Refuted> {
    let mut numbers: HashMap<Vertex, usize> = HashMap::from([(start, 0)]);
    let mut found = vec![start];
    let mut graph = Graph::new();
    while let Some(&vertex) = found.get(graph.len()) {
        budget.check()?;
        let own = game.arena().owner(vertex) == player;
        let mut row = Vec::new();
        for (to, weight) in game.edges(vertex) {
            if own && moves.get(&vertex) != Some(&to) {
                continue;
            }
            let fresh = found.len();
            let number = *numbers.entry(to).or_insert(fresh);
            if number == fresh {
                found.push(to);
            }
            row.push((number, weight));
        }
        if row.is_empty() {
            return wrong(format!("{player} has no move at vertex {vertex}"));
        }
        graph.push(row);
    }
    let weights = shifted(&graph, value)?;
    let sign = if player == Player::Even { 1 } else { -1 };
    let costs: Vec<Vec<(usize, (i128, i128))>> = weights
        .iter()
        .map(|row| row.iter().map(|&(to, weight)| (to, (sign * weight, 0))).collect())
        .collect();
    match has_negative_cycle(&costs, budget)? {
        true => wrong(format!("{player} does not keep the mean at the value")),
        false => Ok(()),
    }
}
