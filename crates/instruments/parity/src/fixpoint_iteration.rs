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
use crate::crew::with_crew;
use crate::side_by_side::Threads;
use entail_budget::{Budget, Spent};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering::Relaxed};

/// Not frozen.
const FREE: u32 = NONE;

/// What is done with the vertices of a level, or with all below it.
#[derive(Clone, Copy)]
enum Task {
    /// Distractions are looked for at a level.
    Look(u32),
    /// What the player of a level was believed to win below is forgotten, the rest is frozen.
    Forget(u32),
    /// What was frozen for a level is freed.
    Thaw(u32),
}

/// Solves a board.
pub(crate) fn solve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let size = board.len();
    let everywhere = |value: u32| (0..size).map(|_| AtomicU32::new(value)).collect();
    let iteration = Iteration {
        board,
        budget,
        winner: (0..size as u32)
            .map(|vertex| AtomicU8::new(board.parity(vertex)))
            .collect(),
        choice: everywhere(NONE),
        frozen: everywhere(FREE),
        changed: AtomicBool::new(false),
        spent: OnceLock::new(),
    };
    with_crew(
        threads,
        |task, places| iteration.work(task, places),
        |crew| {
            // Whether something is frozen for a level.
            let mut holds = vec![false; board.levels()];
            let changes = |task: Task, positions: u32| {
                iteration.changed.store(false, Relaxed);
                crew.run(task, positions as usize);
                match iteration.spent.get() {
                    Some(spent) => Err(*spent),
                    None => Ok(iteration.changed.load(Relaxed)),
                }
            };
            let mut level = 0;
            while level < board.levels() {
                let block = board.block(level);
                let number = level as u32;
                if changes(Task::Look(number), block.end - block.start)? {
                    holds[level] |= changes(Task::Forget(number), block.start)?;
                    level = 0;
                } else {
                    if std::mem::take(&mut holds[level]) {
                        changes(Task::Thaw(number), block.start)?;
                    }
                    level += 1;
                }
            }
            Ok(())
        },
    )?;
    let mut outcome = Outcome::open(size);
    outcome.winner = iteration.winner.into_iter().map(AtomicU8::into_inner).collect();
    outcome.choice = iteration.choice.into_iter().map(AtomicU32::into_inner).collect();
    Ok(outcome)
}

struct Iteration<'b> {
    board: &'b Board,
    budget: &'b Budget,
    /// Who is believed to win.
    winner: Vec<AtomicU8>,
    /// The move at the last look.
    choice: Vec<AtomicU32>,
    /// The level for which a vertex is frozen.
    frozen: Vec<AtomicU32>,
    /// Whether the task has changed a belief (a look), or frozen something.
    changed: AtomicBool,
    /// Set when the budget is spent; what is believed then means nothing.
    spent: OnceLock<Spent>,
}

impl Iteration<'_> {
    fn work(&self, task: Task, places: Range<usize>) {
        if let Err(spent) = self.budget.check() {
            // Another thread may have said so already.
            let _ = self.spent.set(spent);
            return;
        }
        let changed = match task {
            Task::Look(level) => self.look(level, places),
            Task::Forget(level) => self.forget(level, places),
            Task::Thaw(level) => self.thaw(level, places),
        };
        if changed {
            self.changed.store(true, Relaxed);
        }
    }

    /// Who wins a vertex by what is believed of its successors, and its move.
    fn one_step(&self, vertex: u32) -> (u8, u32) {
        let owner = self.board.owner(vertex);
        let mut steps = self.board.successors(vertex).iter();
        match steps.find(|&&to| self.winner[to as usize].load(Relaxed) == owner) {
            Some(&to) => (owner, to),
            None => (1 - owner, NONE),
        }
    }

    /// Looks for distractions at some places of a level; whether there are any.
    fn look(&self, level: u32, places: Range<usize>) -> bool {
        let player = (level % 2) as u8;
        let begin = self.board.block(level as usize).start as usize;
        let mut distracted = false;
        for at in begin + places.start..begin + places.end {
            if self.frozen[at].load(Relaxed) != FREE || self.winner[at].load(Relaxed) != player {
                continue;
            }
            let (winner, step) = self.one_step(at as u32);
            self.choice[at].store(step, Relaxed);
            if winner != player {
                self.winner[at].store(winner, Relaxed);
                distracted = true;
            }
        }
        distracted
    }

    /// Forgets what the player of a level was believed to win below, and freezes the rest; whether something is frozen.
    fn forget(&self, level: u32, places: Range<usize>) -> bool {
        let player = (level % 2) as u8;
        let mut froze = false;
        for at in places {
            if self.frozen[at].load(Relaxed) != FREE {
                continue;
            }
            match self.winner[at].load(Relaxed) == player {
                true => self.winner[at].store(self.board.parity(at as u32), Relaxed),
                false => {
                    self.frozen[at].store(level, Relaxed);
                    froze = true;
                }
            }
        }
        froze
    }

    /// Frees what was frozen for a level.
    fn thaw(&self, level: u32, places: Range<usize>) -> bool {
        for at in places {
            if self.frozen[at].load(Relaxed) == level {
                self.frozen[at].store(FREE, Relaxed);
            }
        }
        false
    }
}
