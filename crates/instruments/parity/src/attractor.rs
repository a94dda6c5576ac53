//! Attractors: the vertices from which a player can force the play into a set, vertex by vertex backwards. An opponent's vertex is attracted when no
//! successor is left outside; that is looked up when an edge from it is met, without counters, since most vertices have few edges.

use crate::board::{Board, NONE, Outcome};
use entail_budget::{Budget, Spent};

/// Extends what is solved: `fresh` are solved vertices whose predecessors have not been looked at. Afterwards every open vertex has an open
/// successor, and no open vertex has a solved successor that its owner wins.
pub(crate) fn spread(
    board: &Board,
    outcome: &mut Outcome,
    fresh: &mut Vec<u32>,
    budget: &Budget,
) -> Result<(), Spent> {
    while let Some(vertex) = fresh.pop() {
        budget.check()?;
        let winner = outcome.winner[vertex as usize];
        for &from in board.predecessors(vertex) {
            if !outcome.is_open(from) {
                continue;
            }
            if board.owner(from) == winner {
                outcome.set(from, winner, vertex);
            } else if (board.successors(from).iter()).all(|&to| outcome.winner[to as usize] == winner) {
                outcome.set(from, winner, NONE);
            } else {
                continue;
            }
            fresh.push(from);
        }
    }
    Ok(())
}
