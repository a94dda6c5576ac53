//! Small progress measures (Jurdziński, STACS 2000).
//!
//! A measure of a vertex counts, for each priority that the opponent likes, how often it can be seen before something higher, up to the number of vertices that
//! have it; beyond all of that is *top*. Measures are raised until each vertex's is at least what its step demands: for the player the least of its
//! successors' measures, for the opponent the greatest, each cut off below the vertex's priority, and increased if the opponent likes that priority.
//! The player wins where the least such measures are not top, by going to the least. For the other player the same is done on what is left.

use crate::board::{Board, NONE, Outcome};
use entail_budget::{Budget, Spent};
use std::cmp::Ordering;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let mut outcome = Outcome::open(board.len());
    for player in [0, 1] {
        let open: Vec<u32> = (0..board.len() as u32).filter(|&v| outcome.is_open(v)).collect();
        if open.is_empty() {
            break;
        }
        let part = board.part(open, &mut vec![NONE; board.len()]);
        let mut measures = Measures::new(&part, player);
        measures.raise(budget)?;
        for vertex in 0..part.len() as u32 {
            if !measures.is_top[vertex as usize] {
                let to = match part.owner(vertex) == player {
                    true => part.origin(measures.best(vertex)),
                    false => NONE,
                };
                outcome.set(part.origin(vertex), player, to);
            }
        }
    }
    Ok(outcome)
}

struct Measures<'b> {
    board: &'b Board,
    player: u8,
    /// Number of priorities that the opponent likes.
    width: usize,
    /// Highest count at each of them, the highest priority first.
    most: Vec<u32>,
    /// The measures one after the other.
    counts: Vec<u32>,
    is_top: Vec<bool>,
}

impl<'b> Measures<'b> {
    fn new(board: &'b Board, player: u8) -> Measures<'b> {
        let likes = |priority: &usize| priority % 2 != usize::from(player);
        let sizes = (0..board.levels())
            .rev()
            .filter(likes)
            .map(|p| board.block(p).len() as u32);
        let most: Vec<u32> = sizes.collect();
        Measures {
            board,
            player,
            width: most.len(),
            counts: vec![0; board.len() * most.len()],
            is_top: vec![false; board.len()],
            most,
        }
    }

    /// How many counts matter at a priority: those of priorities that are not lower.
    fn matter(&self, priority: u32) -> usize {
        let levels = self.board.levels() as u32;
        (priority..levels)
            .filter(|p| p % 2 != u32::from(self.player))
            .count()
    }

    fn of(&self, vertex: u32) -> &[u32] {
        &self.counts[vertex as usize * self.width..][..self.width]
    }

    /// The order of two vertices' measures, as far as the first counts say.
    fn compare(&self, one: u32, other: u32, matter: usize) -> Ordering {
        match (self.is_top[one as usize], self.is_top[other as usize]) {
            (false, false) => self.of(one)[..matter].cmp(&self.of(other)[..matter]),
            (one, other) => one.cmp(&other),
        }
    }

    /// The successor whose measure is decisive: the least for the player, the greatest for the opponent.
    fn best(&self, vertex: u32) -> u32 {
        let matter = self.matter(self.board.priority(vertex));
        let order = |one: &u32, other: &u32| self.compare(*one, *other, matter);
        let successors = self.board.successors(vertex).iter().copied();
        match self.board.owner(vertex) == self.player {
            true => successors.min_by(order),
            false => successors.max_by(order),
        }
        .unwrap_or(vertex)
    }

    /// Raises a vertex's measure to what its step demands; whether it changed.
    fn lift(&mut self, vertex: u32) -> bool {
        let at = vertex as usize;
        if self.is_top[at] {
            return false;
        }
        let best = self.best(vertex);
        if self.is_top[best as usize] {
            self.is_top[at] = true;
            return true;
        }
        let matter = self.matter(self.board.priority(vertex));
        let mut demand: Vec<u32> = self.of(best)[..matter].to_vec();
        if self.board.parity(vertex) != self.player {
            let room = (0..matter).rev().find(|&place| demand[place] < self.most[place]);
            let Some(place) = room else {
                self.is_top[at] = true;
                return true;
            };
            demand[place] += 1;
            demand[place + 1..].fill(0);
        }
        let own = &mut self.counts[at * self.width..][..self.width];
        if demand[..] <= own[..matter] {
            return false;
        }
        own[..matter].copy_from_slice(&demand);
        own[matter..].fill(0);
        true
    }

    fn raise(&mut self, budget: &Budget) -> Result<(), Spent> {
        let mut waiting: Vec<u32> = (0..self.board.len() as u32).collect();
        let mut is_waiting = vec![true; self.board.len()];
        while let Some(vertex) = waiting.pop() {
            budget.check()?;
            is_waiting[vertex as usize] = false;
            if self.lift(vertex) {
                for &from in self.board.predecessors(vertex) {
                    if !is_waiting[from as usize] && !self.is_top[from as usize] {
                        is_waiting[from as usize] = true;
                        waiting.push(from);
                    }
                }
            }
        }
        Ok(())
    }
}
