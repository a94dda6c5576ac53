//! Tangle learning (van Dijk, *Attracting Tangles to Solve Parity Games*, CAV 2018).
//!
//! A *tangle* is a strongly connected part of the game with a strategy for one player under which every cycle in it is won by that player. The opponent must
//! leave it, or lose; so a tangle is attracted as a whole when all that is left outside of it are vertices that are already attracted. Each round
//! partitions the game into regions from the highest priority down, as Zielonka's algorithm would, attracting vertices and known tangles; new tangles are
//! the bottom components of what remains of a region without the vertices from which it leaks to lower ones. A tangle that the opponent cannot leave
//! at all is won. The lowest region never leaks, so every round learns something.
//!
//! The recursive variant looks also inside of regions that leak: what the opponent cannot force to a leak is a game of its own, and is partitioned again.

use crate::attractor::spread;
use crate::board::{Board, NONE, Outcome};
use crate::components::Components;
use entail_budget::{Budget, Spent};

/// How far the search for tangles goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// One partition in each round.
    Plain,
    /// Regions that leak are partitioned again.
    Recursive,
}

struct Tangle {
    player: u8,
    /// The vertices, with the player's moves at the player's own.
    vertices: Vec<(u32, u32)>,
    /// Where the opponent can leave to.
    escapes: Vec<u32>,
}

struct Learner<'b> {
    board: &'b Board,
    budget: &'b Budget,
    outcome: Outcome,
    tangles: Vec<Tangle>,
    /// For each vertex, the tangles that can be left to it.
    leads_here: Vec<Vec<u32>>,
    /// Whether a vertex is in the part that is not yet partitioned.
    in_rest: Vec<bool>,
    /// Whether a vertex is in the region at hand, and not known to leak.
    in_region: Vec<bool>,
    choice: Vec<u32>,
    components: Components,
    /// Vertices that were looked at, tangles' included.
    seen: u64,
}

/// Solves a board.
pub(crate) fn solve(board: &Board, depth: Depth, budget: &Budget) -> Result<Outcome, Spent> {
    loop {
        if let Some(outcome) = solve_within(board, depth, u64::MAX, budget)? {
            return Ok(outcome);
        }
    }
}

/// Solves a board if that takes looking at no more than so many vertices.
pub(crate) fn solve_within(
    board: &Board,
    depth: Depth,
    patience: u64,
    budget: &Budget,
) -> Result<Option<Outcome>, Spent> {
    let mut learner = Learner {
        board,
        budget,
        outcome: Outcome::open(board.len()),
        tangles: Vec::new(),
        leads_here: vec![Vec::new(); board.len()],
        in_rest: vec![false; board.len()],
        in_region: vec![false; board.len()],
        choice: vec![NONE; board.len()],
        components: Components::new(board.len()),
        seen: 0,
    };
    loop {
        if learner.seen > patience {
            return Ok(None);
        }
        let open: Vec<u32> = (0..board.len() as u32)
            .filter(|&v| learner.outcome.is_open(v))
            .collect();
        if open.is_empty() {
            return Ok(Some(learner.outcome));
        }
        let mut waiting = vec![open];
        while let Some(part) = waiting.pop() {
            let dominion = learner.partition(&part, depth, &mut waiting)?;
            part.iter().for_each(|&v| learner.in_rest[v as usize] = false);
            if dominion {
                break;
            }
        }
    }
}

impl Learner<'_> {
    /// Partitions a part of the game (in ascending order), and learns tangles; whether something was won.
    fn partition(&mut self, part: &[u32], depth: Depth, again: &mut Vec<Vec<u32>>) -> Result<bool, Spent> {
        part.iter().for_each(|&v| self.in_rest[v as usize] = true);
        let mut tops = part.iter().rev().copied().peekable();
        let mut learned: Vec<Tangle> = Vec::new();
        let mut won = false;
        while let Some(&top) = tops.peek() {
            if !self.in_rest[top as usize] {
                tops.next();
                continue;
            }
            let player = self.board.parity(top);
            let mut region: Vec<u32> = Vec::new();
            let mut heads: Vec<u32> = Vec::new();
            // All vertices at the top that the player likes.
            while let Some(&head) = tops.peek() {
                if self.in_rest[head as usize] {
                    if self.board.parity(head) != player {
                        break;
                    }
                    heads.push(head);
                    self.add(head, NONE, &mut region);
                    self.attract(player, &mut region)?;
                }
                tops.next();
            }
            let leaks = self.close(player, &region)?;
            let before = learned.len();
            won |= self.extract(player, &region, &mut learned)?;
            region.iter().for_each(|&v| self.in_region[v as usize] = false);
            // What was won may reach into what is not partitioned yet, also for the other player's regions: the next round begins without it.
            if won {
                break;
            }
            if leaks && depth == Depth::Recursive && learned.len() == before {
                let inner = self.without_leaks(player, &region, &heads)?;
                if !inner.is_empty() {
                    again.push(inner);
                }
            }
        }
        for tangle in learned {
            let number = self.tangles.len() as u32;
            for &escape in &tangle.escapes {
                self.leads_here[escape as usize].push(number);
            }
            self.tangles.push(tangle);
        }
        Ok(won)
    }

    fn add(&mut self, vertex: u32, choice: u32, region: &mut Vec<u32>) {
        let at = vertex as usize;
        self.in_rest[at] = false;
        self.in_region[at] = true;
        self.choice[at] = choice;
        region.push(vertex);
    }

    /// Attracts vertices and tangles to the last vertex of the region.
    fn attract(&mut self, player: u8, region: &mut Vec<u32>) -> Result<(), Spent> {
        let mut seen = region.len() - 1;
        while let Some(&vertex) = region.get(seen) {
            self.budget.check()?;
            seen += 1;
            for &from in self.board.predecessors(vertex) {
                if !self.in_rest[from as usize] {
                    continue;
                }
                if self.board.owner(from) == player {
                    self.add(from, vertex, region);
                } else if !self
                    .board
                    .successors(from)
                    .iter()
                    .any(|&to| self.in_rest[to as usize])
                {
                    self.add(from, NONE, region);
                }
            }
            let tangles = std::mem::take(&mut self.leads_here[vertex as usize]);
            self.seen += 1 + tangles.len() as u64;
            for &number in &tangles {
                self.attract_tangle(number, player, region);
            }
            self.leads_here[vertex as usize] = tangles;
        }
        Ok(())
    }

    fn attract_tangle(&mut self, number: u32, player: u8, region: &mut Vec<u32>) {
        let tangle = &self.tangles[number as usize];
        let is_free = |v: u32| self.in_rest[v as usize];
        let in_subgame = |v: u32| is_free(v) || self.in_region[v as usize];
        if tangle.player != player
            || tangle.escapes.iter().any(|&to| is_free(to))
            || !tangle.vertices.iter().all(|&(v, _)| in_subgame(v))
            || !tangle.vertices.iter().any(|&(v, _)| is_free(v))
        {
            return;
        }
        let vertices: Vec<(u32, u32)> = tangle
            .vertices
            .iter()
            .copied()
            .filter(|&(v, _)| is_free(v))
            .collect();
        for (vertex, choice) in vertices {
            self.add(vertex, choice, region);
        }
    }

    /// Takes out of the region what leaks: vertices from which the opponent can go to a lower region, or the player must. Heads get moves that stay.
    fn close(&mut self, player: u8, region: &[u32]) -> Result<bool, Spent> {
        let mut leaking: Vec<u32> = Vec::new();
        for &vertex in region {
            let at = vertex as usize;
            if self.board.owner(vertex) == player {
                if self.choice[at] == NONE {
                    let stay =
                        (self.board.successors(vertex).iter()).find(|&&to| self.in_region[to as usize]);
                    match stay {
                        Some(&to) => self.choice[at] = to,
                        None => leaking.push(vertex),
                    }
                }
            } else if self
                .board
                .successors(vertex)
                .iter()
                .any(|&to| self.in_rest[to as usize])
            {
                leaking.push(vertex);
            }
        }
        let leaks = !leaking.is_empty();
        leaking.iter().for_each(|&v| self.in_region[v as usize] = false);
        while let Some(vertex) = leaking.pop() {
            self.budget.check()?;
            for &from in self.board.predecessors(vertex) {
                let at = from as usize;
                if !self.in_region[at] {
                    continue;
                }
                if self.board.owner(from) == player && self.choice[at] != vertex {
                    continue;
                }
                self.in_region[at] = false;
                leaking.push(from);
            }
        }
        Ok(leaks)
    }

    /// New tangles: the bottom components of what is left of the region. Those that cannot be left are won.
    fn extract(&mut self, player: u8, region: &[u32], learned: &mut Vec<Tangle>) -> Result<bool, Spent> {
        let mut found: Vec<Vec<u32>> = Vec::new();
        let (board, choice, in_region) = (self.board, &self.choice, &self.in_region);
        let successors = |v: u32| match board.owner(v) == player {
            true => std::slice::from_ref(&choice[v as usize]),
            false => board.successors(v),
        };
        for &root in region {
            if !in_region[root as usize] {
                continue;
            }
            let inside = |v: u32| in_region[v as usize];
            self.components
                .from(root, &successors, &inside, self.budget, &mut |component| {
                    found.push(component.to_vec());
                })?;
        }
        region.iter().for_each(|&v| self.components.forget(v));
        let mut dominions: Vec<Tangle> = Vec::new();
        for mut component in found {
            component.sort_unstable();
            let inside = |v: u32| component.binary_search(&v).is_ok();
            let stays = |&v: &u32| {
                successors(v)
                    .iter()
                    .all(|&to| inside(to) || !in_region[to as usize])
            };
            let cycles = |&v: &u32| successors(v).iter().any(|&to| inside(to));
            if !component.iter().all(stays) || !component.iter().any(cycles) {
                continue;
            }
            let opponents = component.iter().filter(|&&v| board.owner(v) != player);
            let mut escapes: Vec<u32> = opponents
                .flat_map(|&v| board.successors(v))
                .copied()
                .filter(|&to| self.outcome.is_open(to) && !inside(to))
                .collect();
            escapes.sort_unstable();
            escapes.dedup();
            let vertices = component.iter().map(|&v| (v, choice[v as usize])).collect();
            let tangle = Tangle {
                player,
                vertices,
                escapes,
            };
            match tangle.escapes.is_empty() {
                true => dominions.push(tangle),
                false => learned.push(tangle),
            }
        }
        let won = !dominions.is_empty();
        let mut fresh = Vec::new();
        for tangle in dominions {
            for (vertex, choice) in tangle.vertices {
                // All are open: the partition ends where something is won.
                self.outcome.set(vertex, player, choice);
                fresh.push(vertex);
            }
        }
        let mut spreading = fresh;
        spread(self.board, &mut self.outcome, &mut spreading, self.budget)?;
        Ok(won)
    }

    /// What of a region the opponent cannot force to a vertex that leaks, in ascending order.
    fn without_leaks(&mut self, player: u8, region: &[u32], heads: &[u32]) -> Result<Vec<u32>, Spent> {
        region.iter().for_each(|&v| self.in_region[v as usize] = true);
        let leaks = |v: u32| {
            let mut successors = self.board.successors(v).iter();
            match self.board.owner(v) == player {
                true => !successors.any(|&to| self.in_region[to as usize]),
                false => successors.any(|&to| self.in_rest[to as usize]),
            }
        };
        let mut taken: Vec<u32> = heads.iter().copied().filter(|&v| leaks(v)).collect();
        taken.iter().for_each(|&v| self.in_region[v as usize] = false);
        while let Some(vertex) = taken.pop() {
            self.budget.check()?;
            for &from in self.board.predecessors(vertex) {
                let at = from as usize;
                if !self.in_region[at] {
                    continue;
                }
                let opponents = self.board.owner(from) != player;
                if opponents || !(self.board.successors(from).iter()).any(|&to| self.in_region[to as usize]) {
                    self.in_region[at] = false;
                    taken.push(from);
                }
            }
        }
        let mut inner: Vec<u32> = region
            .iter()
            .copied()
            .filter(|&v| self.in_region[v as usize])
            .collect();
        region.iter().for_each(|&v| self.in_region[v as usize] = false);
        inner.sort_unstable();
        inner.retain(|&v| self.outcome.is_open(v));
        Ok(inner)
    }
}
