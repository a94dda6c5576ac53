//! The solver that is used when the user names none.
//!
//! Measured beside each other on Oink's games, extended-HOA games of SYNTCOMP and random games (`bench/games`): Zielonka's algorithm is the fastest or near it
//! on all of them, but it is exponential on two-counters games and their kin, on which tangle learning is not. So Zielonka's gets a time that
//! grows with the game, in steps of work and not of the clock, and what it has not solved by then is given to tangle learning.

use crate::board::{Board, Outcome};
use crate::{tangle_learning, zielonka};
use entail_budget::{Budget, Spent};

/// Zielonka's algorithm may look at so many vertices for each vertex and edge of the game.
const PATIENCE: u64 = 200;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let most = PATIENCE * (board.len() + board.edges()) as u64 + 100_000;
    match zielonka::solve_within(board, most, budget)? {
        Some(outcome) => Ok(outcome),
        None => tangle_learning::solve(board, tangle_learning::Depth::Plain, budget),
    }
}
