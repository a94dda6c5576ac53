//! The recursive algorithm in quasi-polynomial time (Parys, MFCS 2019), in the simpler form of Lehtinen, Schewe and Wojtczak (*Improving the complexity of Parys' recursive algorithm*, 2019; with Parys in
//! LMCS 2022).
//!
//! Zielonka's algorithm makes two calls of full size; this one asks each call only for *dominions* up to a size, sets in which a player can stay and win. `Parys::keep` keeps, for a player, a part of the game that contains all its
//! dominions of at most `own` vertices and meets none of its opponent's of at most `other`. Of the layers that make up a dominion of the opponent, without the highest priority in the way, at most one
//! has more than half of its vertices: so half of `other` is enough before and after one call with all of it. With both sizes that of the game, what is kept is what the player wins. The calls follow a universal tree:
//! `n` to the power of `log(1 + d / log n)`, up to a small factor.
//!
//! That gives regions, not strategies. They are found afterwards in each region by itself (`Parys::play`): where the player likes the highest priority, it attracts to it, and wins what is left as before; where the opponent
//! does, some part that avoids that priority is won, found by asking for the region again, and attracted to. So there are at most as many questions as vertices times priorities.

use crate::board::{Board, NONE, Outcome};
use entail_budget::{Budget, Spent};

/// Room that a call needs at least, and how much is taken when there is less.
const RED_ZONE: usize = 64 * 1024;
const MORE_STACK: usize = 1024 * 1024;

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let mut parys = Parys {
        board,
        budget,
        outcome: Outcome::open(board.len()),
        inside: vec![true; board.len()],
    };
    let all: Vec<u32> = (0..board.len() as u32).collect();
    let even = parys.region(0, all.clone())?;
    let mut wins = vec![1u8; board.len()];
    even.iter().for_each(|&v| wins[v as usize] = 0);
    for player in [0, 1] {
        let won: Vec<u32> = (all.iter().copied())
            .filter(|&v| wins[v as usize] == player)
            .collect();
        parys.only(&all, &won);
        parys.play(player, won)?;
        parys.put(&all, true);
    }
    for (vertex, &player) in wins.iter().enumerate() {
        parys.outcome.winner[vertex] = player;
    }
    Ok(parys.outcome)
}

struct Parys<'b> {
    board: &'b Board,
    budget: &'b Budget,
    outcome: Outcome,
    /// The subgame at hand. Whoever takes vertices away puts them back, except where a result says otherwise.
    inside: Vec<bool>,
}

impl Parys<'_> {
    fn put(&mut self, vertices: &[u32], inside: bool) {
        vertices.iter().for_each(|&v| self.inside[v as usize] = inside);
    }

    /// Takes away the vertices of a list that are not in another.
    fn only(&mut self, vertices: &[u32], kept: &[u32]) {
        self.put(vertices, false);
        self.put(kept, true);
    }

    /// What a player wins of the subgame with these vertices.
    fn region(&mut self, player: u8, vertices: Vec<u32>) -> Result<Vec<u32>, Spent> {
        let size = vertices.len();
        let all = vertices.clone();
        let kept = self.keep(player, vertices, size, size)?;
        self.put(&all, true);
        Ok(kept)
    }

    /// The vertices of the highest priority among some in ascending order, if a player likes it.
    fn top(&self, player: u8, vertices: &[u32]) -> Vec<u32> {
        let Some(&last) = vertices.last().filter(|&&last| self.board.parity(last) == player) else {
            return Vec::new();
        };
        let highest = self.board.priority(last);
        let from = vertices.partition_point(|&v| self.board.priority(v) < highest);
        vertices[from..].to_vec()
    }

    /// Takes away what a player attracts to vertices of the subgame, with these, and gives it back. If it is to be played, moves are written down.
    fn attract(&mut self, player: u8, mut taken: Vec<u32>, is_played: bool) -> Result<Vec<u32>, Spent> {
        self.put(&taken, false);
        let mut seen = 0;
        while let Some(&vertex) = taken.get(seen) {
            self.budget.check()?;
            seen += 1;
            for &from in self.board.predecessors(vertex) {
                if !self.inside[from as usize] {
                    continue;
                }
                let own = self.board.owner(from) == player;
                if own && is_played {
                    self.outcome.choice[from as usize] = vertex;
                }
                let inside = |&to: &u32| self.inside[to as usize];
                if own || !self.board.successors(from).iter().any(inside) {
                    self.inside[from as usize] = false;
                    taken.push(from);
                }
            }
        }
        Ok(taken)
    }

    /// What is left of some vertices, in the same order.
    fn left(&self, vertices: &[u32]) -> Vec<u32> {
        (vertices.iter().copied())
            .filter(|&v| self.inside[v as usize])
            .collect()
    }

    /// A part of the subgame, in ascending order, that contains the player's dominions of at most `own` vertices and meets none of the opponent's of at most `other`. It is the subgame afterwards.
    fn keep(&mut self, player: u8, vertices: Vec<u32>, own: usize, other: usize) -> Result<Vec<u32>, Spent> {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            self.budget.check()?;
            let (own, other) = (own.min(vertices.len()), other.min(vertices.len()));
            if vertices.is_empty() || other == 0 {
                return Ok(vertices);
            }
            if own == 0 {
                self.put(&vertices, false);
                return Ok(Vec::new());
            }
            let likes = self.board.parity(vertices[vertices.len() - 1]) == player;
            if !likes {
                // Nothing is to be attracted to: it is the opponent's turn.
                return Ok(self.give_up(player, vertices, own, other)?.0);
            }
            let vertices = self.keep(player, vertices, own, other / 2)?;
            let (vertices, lost) = self.give_up(player, vertices, own, other)?;
            match lost {
                true => self.keep(player, vertices, own, other / 2),
                // Without a dominion that avoids the highest priority, the opponent has none.
                false => Ok(vertices),
            }
        })
    }

    /// Takes away what the opponent attracts to what it keeps of the game without the player's attractor of the highest priority; and whether that is something.
    fn give_up(
        &mut self,
        player: u8,
        vertices: Vec<u32>,
        own: usize,
        other: usize,
    ) -> Result<(Vec<u32>, bool), Spent> {
        let top = self.top(player, &vertices);
        self.attract(player, top, false)?;
        let rest = self.left(&vertices);
        let lost = self.keep(1 - player, rest, other, own)?;
        let is_lost = !lost.is_empty();
        self.put(&vertices, true);
        self.attract(1 - player, lost, false)?;
        Ok((self.left(&vertices), is_lost))
    }

    /// Moves of a player for the subgame of these vertices, all of which it wins. The subgame is empty afterwards.
    fn play(&mut self, player: u8, mut vertices: Vec<u32>) -> Result<(), Spent> {
        stacker::maybe_grow(RED_ZONE, MORE_STACK, || {
            while let Some(&last) = vertices.last() {
                self.budget.check()?;
                if self.board.parity(last) == player {
                    let top = self.top(player, &vertices);
                    for &vertex in &top {
                        let inside = |to: &&u32| self.inside[**to as usize];
                        let choice = self.board.successors(vertex).iter().find(inside);
                        self.outcome.choice[vertex as usize] = choice.copied().unwrap_or(NONE);
                    }
                    self.attract(player, top, true)?;
                } else {
                    let top = self.top(1 - player, &vertices);
                    self.attract(1 - player, top, false)?;
                    let rest = self.left(&vertices);
                    let won = self.region(player, rest.clone())?;
                    self.only(&rest, &won);
                    self.play(player, won.clone())?;
                    self.put(&vertices, true);
                    self.attract(player, won, true)?;
                }
                vertices = self.left(&vertices);
            }
            Ok(())
        })
    }
}
