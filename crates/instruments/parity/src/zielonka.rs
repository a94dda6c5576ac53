//! Zielonka's recursive algorithm, without recursion.
//!
//! Let the player `a` like the highest priority of a game. Take `Z`, what `a` attracts to it, away and solve the rest. If the opponent wins nothing of the
//! rest, `a` wins the game. Otherwise the opponent wins `B`, what it attracts to its part of the rest, and the game without `B` is solved again.
//!
//! Three shortcuts, as in van Dijk's *Oink* (TACAS 2018): all priorities at the top that `a` likes are attracted at once; if `B` takes nothing of `Z`, the rest is
//! `a`'s without solving again; the second call is the last thing that happens, so it needs no frame.
//!
//! The subgame at hand is a doubly linked list of vertices in ascending order. Vertices that are taken away go on a trail, and the list is mended
//! in the opposite order of removal. So a call costs no more than the vertices and edges it meets, whatever has been taken away before. When a
//! call returns, its whole subgame is on the trail from where it began.

use crate::board::{Board, NONE, OPEN, Outcome};
use entail_budget::{Budget, Spent};

/// A call that waits for the rest to be solved.
struct Frame {
    /// Where its subgame begins on the trail.
    start: usize,
    /// Where `Z` ends there.
    end: usize,
    player: u8,
}

struct Zielonka<'b> {
    board: &'b Board,
    outcome: Outcome,
    trail: Vec<u32>,
    /// Position on the trail; [`NONE`] of vertices that are in the subgame.
    position: Vec<u32>,
    /// The next lower and the next higher vertex of the subgame; the last place is the list's end on both sides.
    lower: Vec<u32>,
    higher: Vec<u32>,
    /// In which round a vertex was last attracted by the opponent.
    mark: Vec<u32>,
    round: u32,
    /// Vertices that may still be looked at.
    patience: u64,
    budget: &'b Budget,
}

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    loop {
        if let Some(outcome) = solve_within(board, u64::MAX, budget)? {
            return Ok(outcome);
        }
    }
}

/// Solves a board if that takes looking at no more than so many vertices.
pub(crate) fn solve_within(board: &Board, patience: u64, budget: &Budget) -> Result<Option<Outcome>, Spent> {
    let size = board.len() as u32;
    let around = size + 1;
    let mut zielonka = Zielonka {
        board,
        outcome: Outcome::open(board.len()),
        trail: Vec::with_capacity(board.len()),
        position: vec![NONE; board.len()],
        lower: (0..around).map(|at| (at + around - 1) % around).collect(),
        higher: (0..around).map(|at| (at + 1) % around).collect(),
        mark: vec![0; board.len()],
        round: 0,
        patience,
        budget,
    };
    let done = zielonka.run()?;
    Ok(done.then_some(zielonka.outcome))
}

impl Zielonka<'_> {
    /// The highest vertex of the subgame.
    fn top(&self) -> Option<u32> {
        let end = self.board.len();
        let top = self.lower[end];
        (top as usize != end).then_some(top)
    }

    fn remove(&mut self, vertex: u32) {
        let at = vertex as usize;
        self.position[at] = self.trail.len() as u32;
        self.trail.push(vertex);
        let (low, high) = (self.lower[at], self.higher[at]);
        self.higher[low as usize] = high;
        self.lower[high as usize] = low;
    }

    /// Brings back the last vertex that was removed.
    fn restore(&mut self) {
        let Some(vertex) = self.trail.pop() else {
            return;
        };
        let at = vertex as usize;
        self.position[at] = NONE;
        let (low, high) = (self.lower[at], self.higher[at]);
        self.higher[low as usize] = vertex;
        self.lower[high as usize] = vertex;
    }

    /// Solves it all; false if patience has run out.
    fn run(&mut self) -> Result<bool, Spent> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            if self.patience == 0 {
                return Ok(false);
            }
            if let Some(top) = self.top() {
                let frame = self.attract_top(top)?;
                frames.push(frame);
                continue;
            }
            // A call has returned.
            let Some(frame) = frames.pop() else {
                return Ok(true);
            };
            let lost: Vec<u32> = (self.trail[frame.end..].iter().copied())
                .filter(|&v| self.outcome.winner[v as usize] != frame.player)
                .collect();
            let taken = self.attract_back(&frame, lost)?;
            if taken.is_empty() {
                self.win(&frame);
            } else {
                while self.trail.len() > frame.start {
                    self.restore();
                }
                taken.iter().for_each(|&v| self.remove(v));
            }
        }
    }

    /// Takes away what the player of the highest priority attracts to it.
    fn attract_top(&mut self, top: u32) -> Result<Frame, Spent> {
        let player = self.board.parity(top);
        let start = self.trail.len();
        let mut seen = start;
        let mut head = Some(top);
        while let Some(vertex) = head.filter(|&v| self.board.parity(v) == player) {
            self.outcome.choice[vertex as usize] = NONE;
            self.remove(vertex);
            while let Some(&vertex) = self.trail.get(seen) {
                self.budget.check()?;
                seen += 1;
                for &from in self.board.predecessors(vertex) {
                    if self.position[from as usize] != NONE {
                        continue;
                    }
                    if self.board.owner(from) == player {
                        self.outcome.choice[from as usize] = vertex;
                        self.remove(from);
                    } else if (self.board.successors(from).iter())
                        .all(|&to| self.position[to as usize] != NONE)
                    {
                        self.outcome.choice[from as usize] = NONE;
                        self.remove(from);
                    }
                }
            }
            head = self.top();
        }
        self.spend(self.trail.len() - start);
        Ok(Frame {
            start,
            end: self.trail.len(),
            player,
        })
    }

    /// What the opponent attracts in the frame's subgame to what it has won of the rest; nothing if that solves the subgame, because the player
    /// keeps all of `Z`.
    fn attract_back(&mut self, frame: &Frame, mut taken: Vec<u32>) -> Result<Vec<u32>, Spent> {
        let opponent = 1 - frame.player;
        self.round += 1;
        taken.iter().for_each(|&v| self.mark[v as usize] = self.round);
        let won = taken.len();
        let mut seen = 0;
        while let Some(&vertex) = taken.get(seen) {
            self.budget.check()?;
            seen += 1;
            for &from in self.board.predecessors(vertex) {
                let at = from as usize;
                // Everything that is not on the trail before this subgame is in it.
                if (self.position[at] as usize) < frame.start || self.mark[at] == self.round {
                    continue;
                }
                if self.board.owner(from) == opponent {
                    self.outcome.set(from, opponent, vertex);
                } else if (self.board.successors(from).iter()).all(|&to| {
                    let to = to as usize;
                    self.mark[to] == self.round || (self.position[to] as usize) < frame.start
                }) {
                    self.outcome.set(from, opponent, NONE);
                } else {
                    continue;
                }
                self.mark[at] = self.round;
                taken.push(from);
            }
        }
        self.spend(self.trail.len() - frame.start);
        if taken.len() == won {
            taken.clear();
        }
        Ok(taken)
    }

    fn spend(&mut self, vertices: usize) {
        self.patience = self.patience.saturating_sub(vertices as u64);
    }

    /// The player wins `Z`.
    fn win(&mut self, frame: &Frame) {
        for at in frame.start..frame.end {
            let vertex = self.trail[at];
            let index = vertex as usize;
            self.outcome.winner[index] = frame.player;
            // A vertex at the top goes anywhere the player wins.
            if self.board.owner(vertex) == frame.player && self.outcome.choice[index] == NONE {
                let outcome = &self.outcome;
                let in_subgame = |to: u32| self.position[to as usize] as usize >= frame.start;
                let stays = |to: u32| {
                    let in_z = (self.position[to as usize] as usize) < frame.end;
                    in_subgame(to) && (in_z || outcome.winner[to as usize] == frame.player)
                };
                let onward = self
                    .board
                    .successors(vertex)
                    .iter()
                    .copied()
                    .find(|&to| stays(to));
                debug_assert!(onward.is_some());
                self.outcome.choice[index] = onward.unwrap_or(NONE);
            }
        }
        debug_assert!(
            self.trail[frame.start..]
                .iter()
                .all(|&v| self.outcome.winner[v as usize] != OPEN)
        );
    }
}
