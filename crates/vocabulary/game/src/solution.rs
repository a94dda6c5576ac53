//! What it means to have solved a game.

use crate::{Player, Vertex};

/// The move of a vertex that has none.
const NO_MOVE: u32 = u32::MAX;

/// Who wins from where, and how: a claim, which a checker may believe or not. It may be silent about some vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    winners: Vec<Option<Player>>,
    moves: Vec<u32>,
}

impl Solution {
    /// Nothing is claimed about any of so many vertices.
    pub fn open(vertices: usize) -> Solution {
        Solution {
            winners: vec![None; vertices],
            moves: vec![NO_MOVE; vertices],
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.winners.len()
    }

    /// Whether it is about no vertices.
    pub fn is_empty(&self) -> bool {
        self.winners.is_empty()
    }

    /// Claims that a player wins from a vertex, with this move if it is the player's own.
    pub fn claim(&mut self, vertex: Vertex, winner: Player, choice: Option<Vertex>) {
        self.winners[vertex.index()] = Some(winner);
        self.moves[vertex.index()] = choice.map_or(NO_MOVE, |to| to.0);
    }

    /// Who wins from a vertex, where that is claimed.
    pub fn winner(&self, vertex: Vertex) -> Option<Player> {
        self.winners[vertex.index()]
    }

    /// The winner's move at a vertex, where there is one.
    pub fn choice(&self, vertex: Vertex) -> Option<Vertex> {
        match self.moves[vertex.index()] {
            NO_MOVE => None,
            to => Some(Vertex(to)),
        }
    }

    /// Number of vertices from which a player wins.
    pub fn count(&self, player: Player) -> usize {
        self.winners
            .iter()
            .filter(|winner| **winner == Some(player))
            .count()
    }

    /// The vertices from which a player wins.
    pub fn region(&self, player: Player) -> impl Iterator<Item = Vertex> + '_ {
        (self.winners.iter().enumerate())
            .filter(move |(_, winner)| **winner == Some(player))
            .map(|(at, _)| Vertex(at as u32))
    }

    /// Whether every vertex has a winner.
    pub fn is_total(&self) -> bool {
        self.winners.iter().all(Option::is_some)
    }
}
