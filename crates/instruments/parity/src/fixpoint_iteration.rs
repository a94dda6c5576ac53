//! Distraction fixpoint iteration with freezing (van Dijk and Rubbens, *Simple Fixpoint Iteration To Solve Parity Games*, GandALF 2019).
//!
//! Everybody is first believed to win where they like the priority. From the lowest priority up, a vertex is a *distraction* if one step from it shows that
//! the other player wins it. When distractions are found at a priority `p`, the belief about lower vertices is founded on something wrong: those
//! that the player of `p` was believed to win are forgotten, and it starts again from below; those that the opponent wins are won all the more, and
//! are *frozen* until `p` has no new distraction. It is the naive iteration of the nested fixpoints of the game's formula, with what the freezing saves
//! and makes of the moves at the last look a winning strategy.
//!
//! With several threads the vertices of a priority are looked at side by side, all before any of them changes, and so are lower vertices forgotten and frozen.

use crate::board::{Board, NONE, Outcome};
use crate::side_by_side::Threads;
use entail_budget::{Budget, Spent};

/// Not frozen.
const FREE: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let size = board.len();
    let mut iteration = Iteration {
        board,
        threads,
        budget,
        outcome: Outcome::open(size),
        frozen: vec![FREE; size],
    };
    for vertex in 0..size as u32 {
        iteration.outcome.winner[vertex as usize] = board.parity(vertex);
    }
    let mut level = 0;
    while level < board.levels() {
        let distracted = match threads.share(board.block(level).len()) {
            true => iteration.look_side_by_side(level)?,
            false => iteration.look(level)?,
        };
        match distracted {
            true => iteration.forget_below(level)?,
            false => iteration.thaw_below(level)?,
        }
        level = if distracted { 0 } else { level + 1 };
    }
    Ok(iteration.outcome)
}

struct Iteration<'b> {
    board: &'b Board,
    threads: Threads,
    budget: &'b Budget,
    /// Who is believed to win, and the move at the last look.
    outcome: Outcome,
    /// The level for which a vertex is frozen.
    frozen: Vec<u32>,
}

/// Who wins a vertex by what is believed of its successors, and its move.
fn one_step(board: &Board, winner: &[u8], vertex: u32) -> (u8, u32) {
    let owner = board.owner(vertex);
    let step = (board.successors(vertex).iter()).find(|&&to| winner[to as usize] == owner);
    match step {
        Some(&to) => (owner, to),
        None => (1 - owner, NONE),
    }
}

impl Iteration<'_> {
    /// Looks for distractions at a level one vertex after the other; whether there are any.
    fn look(&mut self, level: usize) -> Result<bool, Spent> {
        let player = (level % 2) as u8;
        let mut distracted = false;
        for vertex in self.board.block(level) {
            self.budget.check()?;
            let at = vertex as usize;
            if self.frozen[at] != FREE || self.outcome.winner[at] != player {
                continue;
            }
            let (winner, choice) = one_step(self.board, &self.outcome.winner, vertex);
            self.outcome.choice[at] = choice;
            if winner != player {
                self.outcome.winner[at] = winner;
                distracted = true;
            }
        }
        Ok(distracted)
    }

    /// The same for all vertices of the level at once.
    fn look_side_by_side(&mut self, level: usize) -> Result<bool, Spent> {
        let player = (level % 2) as u8;
        let block = self.board.block(level);
        let block = block.start as usize..block.end as usize;
        let (board, budget) = (self.board, self.budget);
        let Outcome { winner, choice } = &mut self.outcome;
        let believed = &*winner;
        let begin = block.start;
        let found = self.threads.run(
            &mut choice[block.clone()],
            &mut self.frozen[block],
            |places, choices, frozen| {
                let mut distractions = Vec::new();
                for ((place, choice), frozen) in places.zip(choices).zip(frozen) {
                    budget.check()?;
                    let at = begin + place;
                    if *frozen != FREE || believed[at] != player {
                        continue;
                    }
                    let (winner, step) = one_step(board, believed, at as u32);
                    *choice = step;
                    if winner != player {
                        distractions.push(at);
                    }
                }
                Ok(distractions)
            },
        )?;
        for &at in found.iter().flatten() {
            winner[at] = 1 - player;
        }
        Ok(found.iter().any(|list| !list.is_empty()))
    }

    /// Forgets what the player of a level was believed to win below, and freezes the rest.
    fn forget_below(&mut self, level: usize) -> Result<(), Spent> {
        let player = (level % 2) as u8;
        let below = self.board.block(level).start as usize;
        let board = self.board;
        (self.threads).run(
            &mut self.outcome.winner[..below],
            &mut self.frozen[..below],
            |places, winners, frozen| {
                for ((at, winner), frozen) in places.zip(winners).zip(frozen) {
                    if *frozen != FREE {
                        continue;
                    }
                    match *winner == player {
                        true => *winner = board.parity(at as u32),
                        false => *frozen = level as u32,
                    }
                }
                Ok(())
            },
        )?;
        Ok(())
    }

    /// Frees what was frozen for a level.
    fn thaw_below(&mut self, level: usize) -> Result<(), Spent> {
        let below = self.board.block(level).start as usize;
        (self.threads).run(
            &mut self.outcome.winner[..below],
            &mut self.frozen[..below],
            |_, _, frozen| {
                for frozen in frozen {
                    if *frozen == level as u32 {
                        *frozen = FREE;
                    }
                }
                Ok(())
            },
        )?;
        Ok(())
    }
}
