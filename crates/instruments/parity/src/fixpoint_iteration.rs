//! Distraction fixpoint iteration with freezing (van Dijk and Rubbens, *Simple Fixpoint Iteration To Solve Parity Games*, GandALF 2019).
//!
//! Everybody is first believed to win where they like the priority. From the lowest priority up, a vertex is a *distraction* if one step from it shows that
//! the other player wins it. When distractions are found at a priority `p`, the belief about lower vertices is founded on something wrong: those
//! that the player of `p` was believed to win are forgotten, and it starts again from below; those that the opponent wins are won all the more, and
//! are *frozen* until `p` has no new distraction. It is the naive iteration of the nested fixpoints of the game's formula, with what the freezing saves
//! and makes of the moves at the last look a winning strategy.
//!
//! With several threads the vertices of a priority are looked at side by side, and so are lower vertices forgotten and frozen. The threads share what is believed. At one look beliefs change in one direction
//! only, and a look that changes something is followed by another, so it does not matter which of two threads is first; at the last look nothing changes, and the moves are those of what is then believed.

use crate::board::{Board, NONE, Outcome};
use crate::side_by_side::Threads;
use entail_budget::{Budget, Spent};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// Not frozen.
const FREE: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let size = board.len();
    let mut iteration = Iteration {
        board,
        threads,
        budget,
        winner: (0..size as u32)
            .map(|vertex| AtomicU8::new(board.parity(vertex)))
            .collect(),
        choice: vec![NONE; size],
        frozen: vec![FREE; size],
    };
    let mut level = 0;
    while level < board.levels() {
        let distracted = iteration.look(level)?;
        match distracted {
            true => iteration.forget_below(level)?,
            false => iteration.thaw_below(level)?,
        }
        level = if distracted { 0 } else { level + 1 };
    }
    let mut outcome = Outcome::open(size);
    outcome.winner = iteration.winner.into_iter().map(AtomicU8::into_inner).collect();
    outcome.choice = iteration.choice;
    Ok(outcome)
}

struct Iteration<'b> {
    board: &'b Board,
    threads: Threads,
    budget: &'b Budget,
    /// Who is believed to win.
    winner: Vec<AtomicU8>,
    /// The move at the last look.
    choice: Vec<u32>,
    /// The level for which a vertex is frozen.
    frozen: Vec<u32>,
}

/// Who wins a vertex by what is believed of its successors, and its move.
fn one_step(board: &Board, winner: &[AtomicU8], vertex: u32) -> (u8, u32) {
    let owner = board.owner(vertex);
    let step = (board.successors(vertex).iter()).find(|&&to| winner[to as usize].load(Relaxed) == owner);
    match step {
        Some(&to) => (owner, to),
        None => (1 - owner, NONE),
    }
}

impl Iteration<'_> {
    /// Looks for distractions at a level; whether there are any.
    fn look(&mut self, level: usize) -> Result<bool, Spent> {
        let player = (level % 2) as u8;
        let block = self.board.block(level);
        let block = block.start as usize..block.end as usize;
        let (board, budget, believed) = (self.board, self.budget, &self.winner);
        let begin = block.start;
        let distracted = AtomicBool::new(false);
        self.threads.run(
            &mut self.choice[block.clone()],
            &mut self.frozen[block],
            |places, choices, frozen| {
                for ((place, choice), frozen) in places.zip(choices).zip(frozen) {
                    budget.check()?;
                    let at = begin + place;
                    if *frozen != FREE || believed[at].load(Relaxed) != player {
                        continue;
                    }
                    let (winner, step) = one_step(board, believed, at as u32);
                    *choice = step;
                    if winner != player {
                        believed[at].store(winner, Relaxed);
                        distracted.store(true, Relaxed);
                    }
                }
                Ok(())
            },
        )?;
        Ok(distracted.into_inner())
    }

    /// Forgets what the player of a level was believed to win below, and freezes the rest.
    fn forget_below(&mut self, level: usize) -> Result<(), Spent> {
        let player = (level % 2) as u8;
        let below = self.board.block(level).start as usize;
        let (board, believed) = (self.board, &self.winner);
        self.threads.run(
            &mut self.choice[..below],
            &mut self.frozen[..below],
            |places, _, frozen| {
                for (at, frozen) in places.zip(frozen) {
                    if *frozen != FREE {
                        continue;
                    }
                    match believed[at].load(Relaxed) == player {
                        true => believed[at].store(board.parity(at as u32), Relaxed),
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
            &mut self.choice[..below],
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
