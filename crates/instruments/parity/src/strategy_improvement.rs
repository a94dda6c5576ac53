//! Strategy improvement (Vöge and Jurdziński, CAV 2000), with an exit (Luttenberger, 2008).
//!
//! Even may end the play at each of its vertices, and does so everywhere at first. The value of a play that ends is how often each priority was seen:
//! the highest priority at which two values differ decides, where more is better for Even if it is even. A play that goes on for ever is worth more than
//! all that end, since Even never closes a cycle that Odd wins, and cycles that Odd wins without Even are solved beforehand. Odd answers Even's strategy as well as it can, itself by improvement; then Even
//! changes every vertex to a step of higher value. When nothing can be improved, Even wins where plays go on for ever, and Odd everywhere else: around a
//! cycle that keeps to Odd's moves values cannot fall, so its highest priority is odd.

use crate::board::{Board, NONE, Outcome};
use crate::preprocess::preprocess;
use crate::side_by_side::Threads;
use crate::solve::take_over;
use entail_budget::{Budget, Spent};
use std::cmp::Ordering;

/// The move that ends the play.
const EXIT: u32 = NONE;

/// Solves a board.
pub(crate) fn solve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let mut outcome = Outcome::open(board.len());
    preprocess(board, &mut outcome, budget)?;
    let open: Vec<u32> = (0..board.len() as u32).filter(|&v| outcome.is_open(v)).collect();
    if !open.is_empty() {
        let part = board.part(open, &mut vec![NONE; board.len()]);
        take_over(&part, &improve(&part, threads, budget)?, &mut outcome);
    }
    Ok(outcome)
}

/// Solves a board on which every cycle that Odd wins has a vertex of Even.
fn improve(board: &Board, threads: Threads, budget: &Budget) -> Result<Outcome, Spent> {
    let first = |v: u32| match board.owner(v) {
        0 => EXIT,
        _ => board.successors(v)[0],
    };
    let mut players = Players {
        board,
        threads,
        choice: (0..board.len() as u32).map(first).collect(),
        values: vec![0; board.len() * board.levels()],
        row: vec![NO_END; board.len()],
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
        let winner = u8::from(players.row[vertex] != NO_END);
        outcome.set(vertex as u32, winner, players.choice[vertex]);
    }
    Ok(outcome)
}

/// The row of a play that goes on for ever.
const NO_END: u32 = NONE;

struct Players<'b> {
    board: &'b Board,
    threads: Threads,
    choice: Vec<u32>,
    /// Rows that say how often a play sees each priority. They are in the order in which ends are found backwards, so that all plays with the same number of steps stand side by side.
    values: Vec<u32>,
    /// The row of the play from each vertex, if it ends.
    row: Vec<u32>,
}

impl Players<'_> {
    fn value(&self, vertex: u32) -> &[u32] {
        let levels = self.board.levels();
        &self.values[self.row[vertex as usize] as usize * levels..][..levels]
    }

    /// The order of what comes after a step, from Even's point of view.
    fn compare(&self, one: u32, other: u32) -> Ordering {
        let ends = |v: u32| v == EXIT || self.row[v as usize] != NO_END;
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

    /// The values of all plays, backwards from where they end: those of one step, of two, and so on.
    fn evaluate(&mut self, budget: &Budget) -> Result<(), Spent> {
        self.row.fill(NO_END);
        let levels = self.board.levels();
        let mut layer: Vec<u32> = (0..self.board.len() as u32)
            .filter(|&v| self.choice[v as usize] == EXIT)
            .collect();
        let mut done = 0;
        while !layer.is_empty() {
            budget.check()?;
            for (at, &vertex) in layer.iter().enumerate() {
                self.row[vertex as usize] = (done + at) as u32;
            }
            let (before, rows) = self.values.split_at_mut(done * levels);
            let mut rows: Vec<&mut [u32]> = rows.chunks_mut(levels).take(layer.len()).collect();
            let (board, row, choice) = (self.board, &self.row, &self.choice);
            let earlier = |vertex: u32, found: &mut Vec<u32>| {
                let mut last = NONE;
                for &from in board.predecessors(vertex) {
                    // An edge may be there twice, side by side.
                    if choice[from as usize] == vertex && row[from as usize] == NO_END && from != last {
                        found.push(from);
                    }
                    last = from;
                }
            };
            let next = self.threads.run(&mut layer, &mut rows, |_, layer, rows| {
                let mut next = Vec::new();
                for (&mut vertex, value) in layer.iter_mut().zip(rows) {
                    budget.check()?;
                    match choice[vertex as usize] {
                        EXIT => value.fill(0),
                        to => {
                            let after = row[to as usize] as usize * levels;
                            value.copy_from_slice(&before[after..after + levels]);
                        }
                    }
                    value[board.priority(vertex) as usize] += 1;
                    earlier(vertex, &mut next);
                }
                Ok(next)
            })?;
            done += layer.len();
            layer = next.concat();
        }
        Ok(())
    }

    /// Changes the moves of a player to better ones, all at once; whether there were any.
    fn improve(&mut self, player: u8, budget: &Budget) -> Result<bool, Spent> {
        let better = match player {
            0 => Ordering::Greater,
            _ => Ordering::Less,
        };
        let mut choice = std::mem::take(&mut self.choice);
        let mut changed = vec![false; choice.len()];
        let result = self
            .threads
            .run(&mut choice, &mut changed, |vertices, choices, changed| {
                for ((vertex, choice), changed) in vertices.zip(choices).zip(changed) {
                    budget.check()?;
                    if self.board.owner(vertex as u32) != player {
                        continue;
                    }
                    for &to in self.board.successors(vertex as u32) {
                        if self.compare(to, *choice) == better {
                            *choice = to;
                            *changed = true;
                        }
                    }
                }
                Ok(())
            });
        self.choice = choice;
        result?;
        Ok(changed.contains(&true))
    }
}
