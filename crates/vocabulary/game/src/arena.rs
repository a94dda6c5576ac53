//! The graph on which a game is played, in compressed rows: the successors of all vertices one after the other, and for each vertex where its own
//! begin. Four bytes an edge and five a vertex.

use crate::{Player, Vertex};

/// A finite graph whose every vertex belongs to a player and has a successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arena {
    owners: Vec<Player>,
    /// One more than there are vertices: the successors of vertex `v` are at `rows[v]..rows[v + 1]`.
    rows: Vec<u32>,
    successors: Vec<u32>,
}

/// Why a graph is no arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArenaError {
    /// There is no vertex.
    #[error("a game needs a vertex")]
    Empty,
    /// A vertex has no successor.
    #[error("vertex {0} has no successor")]
    DeadEnd(Vertex),
    /// An edge leads to a vertex that does not exist.
    #[error("vertex {from} has a successor {to} that is no vertex")]
    NoVertex {
        /// Where it begins.
        from: Vertex,
        /// Where it should lead.
        to: Vertex,
    },
    /// There are more vertices or edges than can be numbered.
    #[error("games have at most {} vertices and as many edges", u32::MAX - 1)]
    TooLarge,
}

impl Arena {
    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.owners.len()
    }

    /// Number of edges.
    pub fn edge_count(&self) -> usize {
        self.successors.len()
    }

    /// All vertices.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = Vertex> + use<> {
        (0..self.owners.len() as u32).map(Vertex)
    }

    /// Who moves at a vertex.
    pub fn owner(&self, vertex: Vertex) -> Player {
        self.owners[vertex.index()]
    }

    /// The successors of a vertex, in the order in which they were given; an edge may occur twice.
    pub fn successors(&self, vertex: Vertex) -> impl ExactSizeIterator<Item = Vertex> + Clone + '_ {
        self.row(vertex).iter().map(|&to| Vertex(to))
    }

    /// The same as plain numbers.
    pub fn row(&self, vertex: Vertex) -> &[u32] {
        let at = vertex.index();
        &self.successors[self.rows[at] as usize..self.rows[at + 1] as usize]
    }

    /// Whether there is an edge.
    pub fn has_edge(&self, from: Vertex, to: Vertex) -> bool {
        self.row(from).contains(&to.0)
    }
}

/// Builds an arena, one vertex after the other.
#[derive(Clone, Debug, Default)]
pub struct ArenaBuilder {
    owners: Vec<Player>,
    rows: Vec<u32>,
    successors: Vec<u32>,
}

impl ArenaBuilder {
    /// With room for so many vertices and edges.
    pub fn with_capacity(vertices: usize, edges: usize) -> ArenaBuilder {
        let mut rows = Vec::with_capacity(vertices + 1);
        rows.push(0);
        ArenaBuilder {
            owners: Vec::with_capacity(vertices),
            rows,
            successors: Vec::with_capacity(edges),
        }
    }

    /// Adds the next vertex with its successors, which may come later.
    pub fn vertex(&mut self, owner: Player, successors: impl IntoIterator<Item = u32>) -> Vertex {
        if self.rows.is_empty() {
            self.rows.push(0);
        }
        let vertex = Vertex(self.owners.len() as u32);
        self.owners.push(owner);
        self.successors.extend(successors);
        // Too many edges are refused in the end.
        self.rows
            .push(u32::try_from(self.successors.len()).unwrap_or(u32::MAX));
        vertex
    }

    /// Number of vertices so far.
    pub fn vertex_count(&self) -> usize {
        self.owners.len()
    }

    /// The arena, if it is one.
    pub fn finish(self) -> Result<Arena, ArenaError> {
        let ArenaBuilder {
            owners,
            rows,
            successors,
        } = self;
        let most = u32::MAX as usize - 1;
        if owners.is_empty() {
            return Err(ArenaError::Empty);
        }
        if owners.len() > most || successors.len() > most {
            return Err(ArenaError::TooLarge);
        }
        if let Some(dead) = rows.windows(2).position(|pair| pair[0] == pair[1]) {
            return Err(ArenaError::DeadEnd(Vertex(dead as u32)));
        }
        if let Some(edge) = successors.iter().position(|&to| to as usize >= owners.len()) {
            let from = rows.partition_point(|&begin| begin as usize <= edge) - 1;
            return Err(ArenaError::NoVertex {
                from: Vertex(from as u32),
                to: Vertex(successors[edge]),
            });
        }
        Ok(Arena {
            owners,
            rows,
            successors,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(rows: &[&[u32]]) -> Result<Arena, ArenaError> {
        let mut builder = ArenaBuilder::default();
        for row in rows {
            builder.vertex(Player::Even, row.iter().copied());
        }
        builder.finish()
    }

    #[test]
    fn rows_are_given_back_as_they_were() {
        let arena = build(&[&[1, 0], &[2], &[0, 1, 2]]).expect("an arena");
        assert_eq!((arena.vertex_count(), arena.edge_count()), (3, 6));
        assert_eq!(arena.row(Vertex(0)), [1, 0]);
        assert_eq!(arena.row(Vertex(2)), [0, 1, 2]);
        assert!(arena.has_edge(Vertex(1), Vertex(2)) && !arena.has_edge(Vertex(1), Vertex(0)));
    }

    #[test]
    fn dead_ends_and_edges_to_nowhere_are_refused() {
        assert_eq!(build(&[]), Err(ArenaError::Empty));
        assert_eq!(build(&[&[1], &[]]), Err(ArenaError::DeadEnd(Vertex(1))));
        let nowhere = ArenaError::NoVertex {
            from: Vertex(1),
            to: Vertex(7),
        };
        assert_eq!(build(&[&[1, 1], &[0, 7]]), Err(nowhere));
    }
}
