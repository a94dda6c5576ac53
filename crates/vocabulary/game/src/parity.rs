//! Parity games.

use crate::{Arena, Player, Vertex};

/// A priority of a parity game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Priority(pub u32);

impl Priority {
    /// Who likes to see it: Even if it is even.
    pub fn player(self) -> Player {
        match self.0 % 2 {
            0 => Player::Even,
            _ => Player::Odd,
        }
    }
}

impl std::fmt::Display for Priority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A game that Even wins if the highest priority that is seen again and again is even.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParityGame {
    arena: Arena,
    priorities: Vec<Priority>,
}

impl ParityGame {
    /// The game on an arena in which each vertex has a priority. Nothing if there are not as many priorities as vertices.
    pub fn new(arena: Arena, priorities: Vec<Priority>) -> Option<ParityGame> {
        (arena.vertex_count() == priorities.len()).then_some(ParityGame { arena, priorities })
    }

    /// Where it is played.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The priority of a vertex.
    pub fn priority(&self, vertex: Vertex) -> Priority {
        self.priorities[vertex.index()]
    }

    /// The priorities of all vertices.
    pub fn priorities(&self) -> &[Priority] {
        &self.priorities
    }

    /// Number of different priorities.
    pub fn distinct_priorities(&self) -> usize {
        let mut all: Vec<Priority> = self.priorities.clone();
        all.sort_unstable();
        all.dedup();
        all.len()
    }
}
