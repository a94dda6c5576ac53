//! Discounted sums, exactly.
//!
//! Strategy improvement (Howard; for two players Puri 1995): Even's strategy is improved at every vertex where another move is better against Odd's best answer, and that answer is found
//! by improving Odd's strategy in the same way. When both are fixed, every vertex has one way to go, which ends in a cycle, and the value of a vertex on a cycle is a geometric sum.
//! Values grow with every improvement, so it ends; with exact numbers "better" has one meaning.

use crate::NotSolved;
use entail_budget::Budget;
use entail_game::{ObjectiveGame, Player, Rational, Vertex};

/// Which edge is taken at each vertex, by its place in the row.
type Moves = Vec<usize>;

/// The values of all vertices.
pub fn values(game: &ObjectiveGame, factor: &Rational, budget: &Budget) -> Result<Vec<Rational>, NotSolved> {
    let mut moves: Moves = vec![0; game.arena().vertex_count()];
    loop {
        // Odd's best answer to Even's moves.
        let values = loop {
            let values = fixed(game, factor, &moves, budget)?;
            if !improve(game, factor, &values, Player::Odd, &mut moves, budget)? {
                break values;
            }
        };
        if !improve(game, factor, &values, Player::Even, &mut moves, budget)? {
            return Ok(values);
        }
    }
}

/// Takes the best move at each vertex of a player where it is better than the one that is taken; whether there was such a vertex.
fn improve(
    game: &ObjectiveGame,
    factor: &Rational,
    values: &[Rational],
    player: Player,
    moves: &mut Moves,
    budget: &Budget,
) -> Result<bool, NotSolved> {
    let mut improved = false;
    for vertex in game.arena().vertices() {
        budget.check()?;
        if game.arena().owner(vertex) != player {
            continue;
        }
        let mut best = values[vertex.index()].clone();
        for (place, (to, weight)) in game.edges(vertex).enumerate() {
            let value = Rational::from(weight) + factor * &values[to.index()];
            let better = match player {
                Player::Even => value > best,
                Player::Odd => value < best,
            };
            if better {
                best = value;
                moves[vertex.index()] = place;
                improved = true;
            }
        }
    }
    Ok(improved)
}

/// The values when every vertex has one move.
fn fixed(
    game: &ObjectiveGame,
    factor: &Rational,
    moves: &Moves,
    budget: &Budget,
) -> Result<Vec<Rational>, NotSolved> {
    let step = |vertex: Vertex| {
        let edge = game.edges(vertex).nth(moves[vertex.index()]);
        edge.unwrap_or((vertex, 0))
    };
    let mut values: Vec<Option<Rational>> = vec![None; moves.len()];
    // When each vertex was met on the way that is followed now.
    let mut met: Vec<Option<usize>> = vec![None; moves.len()];
    for first in game.arena().vertices() {
        let mut way = Vec::new();
        let mut here = first;
        while values[here.index()].is_none() && met[here.index()].is_none() {
            budget.check()?;
            met[here.index()] = Some(way.len());
            way.push(here);
            here = step(here).0;
        }
        if values[here.index()].is_none() {
            // A cycle has been closed: once around it is `sum`, and then `factor^length` of the same.
            let begin = met[here.index()].unwrap_or(0);
            let (mut sum, mut power) = (Rational::from(0u8), Rational::from(1u8));
            for &vertex in &way[begin..] {
                sum += &power * Rational::from(step(vertex).1);
                power *= factor;
            }
            values[here.index()] = Some(sum / (Rational::from(1u8) - power));
        }
        for &vertex in way.iter().rev() {
            met[vertex.index()] = None;
            if values[vertex.index()].is_none() {
                let (to, weight) = step(vertex);
                let rest = values[to.index()].clone().unwrap_or(Rational::from(0u8));
                values[vertex.index()] = Some(Rational::from(weight) + factor * rest);
            }
        }
    }
    Ok(values
        .into_iter()
        .map(|value| value.unwrap_or(Rational::from(0u8)))
        .collect())
}
