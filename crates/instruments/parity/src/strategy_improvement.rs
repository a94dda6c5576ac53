//! Strategy improvement (Vöge and Jurdziński, CAV 2000), with an exit (Luttenberger, 2008).
//!
//! Even may end the play at each of its vertices, and does so everywhere at first. The value of a play that ends is how often each priority was seen:
//! the highest priority at which two values differ decides, where more is better for Even if it is even. A play that goes on for ever is worth more than
//! all that end, since Even never closes a cycle that Odd wins, and cycles that Odd wins without Even are solved beforehand. Odd answers Even's strategy as well as it can, itself by improvement; then Even
//! changes every vertex to a step of higher value. When nothing can be improved, Even wins where plays go on for ever, and Odd everywhere else: around a
//! cycle that keeps to Odd's moves values cannot fall, so its highest priority is odd.

use crate::board::{Board, NONE, Outcome};
use crate::preprocess::preprocess;
use crate::solve::take_over;
use entail_budget::{Budget, Spent};
use std::cmp::Ordering;

/// The move that ends the play.
const EXIT: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let mut outcome = Outcome::open(board.len());
    preprocess(board, &mut outcome, budget)?;
    let open: Vec<u32> = (0..board.len() as u32).filter(|&v| outcome.is_open(v)).collect();
    if !open.is_empty() {
        let part = board.part(open, &mut vec![NONE; board.len()]);
        take_over(&part, &improve(&part, budget)?, &mut outcome);
    }
    Ok(outcome)
}

/// Solves a board on which every cycle that Odd wins has a vertex of Even.
fn improve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let first = |v: u32| match board.owner(v) {
        0 => EXIT,
        _ => board.successors(v)[0],
    };
    let mut players = Players {
        board,
        choice: (0..board.len() as u32).map(first).collect(),
        values: vec![0; board.len() * board.levels()],
        ends: vec![false; board.len()],
    };
    loop {
        loop {
            players.evaluate(budget)?;
            if !players.improve(1, budget)? {
                break;
            }
        }
        if !players.improve(0, budget)? {
            break;
        }
    }
    let mut outcome = Outcome::open(board.len());
    for vertex in 0..board.len() {
        let winner = u8::from(players.ends[vertex]);
        outcome.set(vertex as u32, winner, players.choice[vertex]);
    }
    Ok(outcome)
}

struct Players<'b> {
    board: &'b Board,
    choice: Vec<u32>,
    /// How often the play from each vertex sees each priority, if it ends.
    values: Vec<u32>,
    ends: Vec<bool>,
}

impl Players<'_> {
    fn value(&self, vertex: u32) -> &[u32] {
        let levels = self.board.levels();
        &self.values[vertex as usize * levels..][..levels]
    }

    /// The order of what comes after a step, from Even's point of view.
    fn compare(&self, one: u32, other: u32) -> Ordering {
        let ends = |v: u32| v == EXIT || self.ends[v as usize];
        match (ends(one), ends(other)) {
            (true, true) => {}
            // Going on for ever is best.
            (one, other) => return other.cmp(&one),
        }
        if one == other {
            return Ordering::Equal;
        }
        for level in (0..self.board.levels()).rev() {
            let count = |v: u32| if v == EXIT { 0 } else { self.value(v)[level] };
            let order = match level % 2 {
                0 => count(one).cmp(&count(other)),
                _ => count(other).cmp(&count(one)),
            };
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    }

    /// The values of all plays, backwards from where they end.
    fn evaluate(&mut self, budget: &Budget) -> Result<(), Spent> {
        self.ends.fill(false);
        let levels = self.board.levels();
        let mut fresh: Vec<u32> = (0..self.board.len() as u32)
            .filter(|&v| self.choice[v as usize] == EXIT)
            .collect();
        for &vertex in &fresh {
            let at = vertex as usize;
            self.ends[at] = true;
            self.values[at * levels..][..levels].fill(0);
            self.values[at * levels + self.board.priority(vertex) as usize] = 1;
        }
        while let Some(vertex) = fresh.pop() {
            budget.check()?;
            for &from in self.board.predecessors(vertex) {
                let at = from as usize;
                if self.choice[at] != vertex || self.ends[at] {
                    continue;
                }
                self.ends[at] = true;
                let next = vertex as usize * levels;
                self.values.copy_within(next..next + levels, at * levels);
                self.values[at * levels + self.board.priority(from) as usize] += 1;
                fresh.push(from);
            }
        }
        Ok(())
    }

    /// Changes the moves of a player to better ones, all at once; whether there were any.
    fn improve(&mut self, player: u8, budget: &Budget) -> Result<bool, Spent> {
        let mut changed = false;
        for vertex in 0..self.board.len() as u32 {
            budget.check()?;
            if self.board.owner(vertex) != player {
                continue;
            }
            let old = self.choice[vertex as usize];
            let mut best = old;
            for &to in self.board.successors(vertex) {
                let better = match player {
                    0 => Ordering::Greater,
                    _ => Ordering::Less,
                };
                if self.compare(to, best) == better {
                    best = to;
                }
            }
            if best != old {
                self.choice[vertex as usize] = best;
                changed = true;
            }
        }
        Ok(changed)
    }
}
