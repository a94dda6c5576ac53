//! Mean payoff by energy: with weights from which the threshold is taken away, Even wins where some credit is enough; Odd wins where every cycle can be kept below zero, and that
//! is again an energy game, for Odd: a cycle of whole numbers that is below zero is at least one below, so times the number of vertices, less one a step, it is never
//! below zero when turned round.

use crate::energy::{choice, credits};
use crate::{NotSolved, plain};
use entail_budget::Budget;
use entail_game::{MeanValue, ObjectiveGame, Player, Position, Rational, Vertex};

/// Both players' strategies, without memory.
pub(crate) fn solve(
    game: &ObjectiveGame,
    at_least: &Rational,
    budget: &Budget,
) -> Result<Vec<Position>, NotSolved> {
    let (numerator, denominator) = parts(at_least)?;
    let above = weights(game, denominator, -numerator)?;
    let even = credits(game.arena(), &above, Player::Even, budget)?;
    let count = game.arena().vertex_count() as i128;
    let below: Vec<Vec<i128>> = above
        .iter()
        .map(|row| row.iter().map(|weight| -weight * count - 1).collect())
        .collect();
    let odd = credits(game.arena(), &below, Player::Odd, budget)?;
    let position = |vertex: Vertex| {
        let (winner, step) = match even[vertex.index()].is_some() {
            true => (Player::Even, choice(game.arena(), &above, &even, vertex)),
            false => (Player::Odd, choice(game.arena(), &below, &odd, vertex)),
        };
        let own = game.arena().owner(vertex) == winner;
        plain(vertex, winner, step.filter(|_| own))
    };
    Ok(game.arena().vertices().map(position).collect())
}

fn too_large() -> NotSolved {
    NotSolved::TooLarge("the weights and the threshold are too large".into())
}

fn parts(number: &Rational) -> Result<(i128, i128), NotSolved> {
    let numerator = i128::try_from(number.numerator().clone()).map_err(|_| too_large())?;
    let denominator = u64::try_from(number.denominator().clone()).map_err(|_| too_large())?;
    Ok((numerator, i128::from(denominator)))
}

/// Every weight times the factor plus the offset, small enough that sums of as many as there are vertices, squared, do not overflow.
fn weights(game: &ObjectiveGame, factor: i128, offset: i128) -> Result<Vec<Vec<i128>>, NotSolved> {
    let count = game.arena().vertex_count() as i128 + 1;
    let room = i128::MAX / 4 / count / count;
    let row = |vertex: Vertex| -> Option<Vec<i128>> {
        game.edges(vertex)
            .map(|(_, weight)| {
                let scaled = i128::from(weight).checked_mul(factor)?.checked_add(offset)?;
                (scaled.abs() < room).then_some(scaled)
            })
            .collect()
    };
    let rows: Option<Vec<Vec<i128>>> = game.arena().vertices().map(row).collect();
    rows.ok_or_else(too_large)
}

/// The value of the mean-payoff game from a vertex, with both players' strategies for it. The value is the mean of a cycle, so its denominator is at most the number of vertices: it is
/// found by halving an interval until only one such number is left.
pub fn mean_value(game: &ObjectiveGame, from: Vertex, budget: &Budget) -> Result<MeanValue, NotSolved> {
    let arena = game.arena();
    let every = || {
        arena
            .vertices()
            .flat_map(|vertex| game.edges(vertex).map(|(_, weight)| weight))
    };
    let (least, most) = (every().min().unwrap_or(0), every().max().unwrap_or(0));
    // The value is at least `low`, and below `high`.
    let mut low = Rational::from(least);
    let mut high = Rational::from(most) + Rational::from(1u8);
    let count = arena.vertex_count() as u64;
    let gap = Rational::from_parts(1.into(), (count * count).into());
    let mut best = solve(game, &low, budget)?;
    while &high - &low >= gap {
        let middle = (&low + &high) / Rational::from(2u8);
        // Whole numbers first, so that denominators stay below twice the square.
        let whole = Rational::from(middle.floor());
        let middle = if whole > low { whole } else { middle };
        let solved = solve(game, &middle, budget)?;
        if solved[from.index()].winner == Player::Even {
            (low, best) = (middle, solved);
        } else {
            high = middle;
        }
    }
    // Two fractions with denominators up to n differ by at least 1/n², so one at most is in the interval.
    let value = (1..=count)
        .map(|denominator| {
            let scale = Rational::from(denominator);
            Rational::from((&low * &scale).ceil()) / scale
        })
        .find(|candidate| *candidate < high)
        .ok_or_else(too_large)?;
    // A strategy that keeps above a number just below the value keeps it: no mean of a cycle lies in between.
    let even = moves(game, &best, Player::Even);
    let tiny = Rational::from_parts(1.into(), (2 * count * count).into());
    let above = solve(game, &(&value + tiny), budget)?;
    let odd = moves(game, &above, Player::Odd);
    Ok(MeanValue { value, even, odd })
}

fn moves(game: &ObjectiveGame, solved: &[Position], player: Player) -> Vec<(Vertex, Vertex)> {
    let own = solved
        .iter()
        .filter(|position| position.winner == player && game.arena().owner(position.vertex) == player);
    own.filter_map(|position| Some((position.vertex, position.choice?)))
        .collect()
}
