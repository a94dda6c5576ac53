//! Distraction fixpoint iteration with freezing (van Dijk and Rubbens, *Simple Fixpoint Iteration To Solve Parity Games*, GandALF 2019).
//!
//! Everybody is first believed to win where they like the priority. From the lowest priority up, a vertex is a *distraction* if one step from it shows that
//! the other player wins it. When distractions are found at a priority `p`, the belief about lower vertices is founded on something wrong: those
//! that the player of `p` was believed to win are forgotten, and it starts again from below; those that the opponent wins are won all the more, and
//! are *frozen* until `p` has no new distraction. It is the naive iteration of the nested fixpoints of the game's formula, with what the freezing saves
//! and makes of the moves at the last look a winning strategy.

use crate::board::{Board, NONE, Outcome};
use entail_budget::{Budget, Spent};

/// Not frozen.
const FREE: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let size = board.len();
    let mut outcome = Outcome::open(size);
    let mut frozen = vec![FREE; size];
    for vertex in 0..size as u32 {
        outcome.winner[vertex as usize] = board.parity(vertex);
    }
    let mut level = 0;
    while level < board.levels() {
        let player = (level % 2) as u8;
        let mut distracted = false;
        for vertex in board.block(level) {
            budget.check()?;
            let at = vertex as usize;
            if frozen[at] != FREE || outcome.winner[at] != player {
                continue;
            }
            let owner = board.owner(vertex);
            let step = (board.successors(vertex).iter()).find(|&&to| outcome.winner[to as usize] == owner);
            let winner = match step {
                Some(&to) => {
                    outcome.choice[at] = to;
                    owner
                }
                None => {
                    outcome.choice[at] = NONE;
                    1 - owner
                }
            };
            if winner != player {
                outcome.winner[at] = winner;
                distracted = true;
            }
        }
        let below = 0..board.block(level).start;
        if distracted {
            for vertex in below {
                let at = vertex as usize;
                if frozen[at] != FREE {
                    continue;
                }
                if outcome.winner[at] == player {
                    outcome.winner[at] = board.parity(vertex);
                } else {
                    frozen[at] = level as u32;
                }
            }
            level = 0;
        } else {
            for vertex in below {
                if frozen[vertex as usize] == level as u32 {
                    frozen[vertex as usize] = FREE;
                }
            }
            level += 1;
        }
    }
    Ok(outcome)
}
