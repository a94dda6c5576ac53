//! The solver that is used when the user names none.
//!
//! Measured beside each other on Oink's games, random games, two-counters and `counter_*` families (`bench/README.md`): Zielonka's algorithm is the fastest on almost all,
//! but exponential on the `counter_*` games, which tangle learning solves at once; on two-counters games it is the other way around. So they take turns,
//! each with four times the patience of its last turn, which is counted in vertices that are looked at and not by the clock: the result does
//! not depend on the machine, and takes at most a small multiple of what the better one needs.

use crate::board::{Board, Outcome};
use crate::{tangle_learning, zielonka};
use entail_budget::{Budget, Spent};

/// In its first turn, a solver may look at so many vertices for each vertex and edge of the game.
const PATIENCE: u64 = 60;
/// Patience grows by this factor.
const GROWTH: u64 = 4;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let mut patience = PATIENCE * (board.len() + board.edges()) as u64 + 100_000;
    loop {
        if let Some(outcome) = zielonka::solve_within(board, patience, budget)? {
            return Ok(outcome);
        }
        let depth = tangle_learning::Depth::Plain;
        if let Some(outcome) = tangle_learning::solve_within(board, depth, patience, budget)? {
            return Ok(outcome);
        }
        patience = patience.saturating_mul(GROWTH);
    }
}
