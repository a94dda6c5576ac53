//! A game as solvers want it: vertices in ascending order of priority, priorities compressed, edges in both directions.
//!
//! *Compressed* means: 0 or 1 is the lowest priority, no number in between is missing, and so neighbouring priorities have different parities. Priorities
//! of one parity with none of the other between them are the same to both players. *Sorted* means that the vertices of a priority, and of all
//! priorities up to one, are a range. An edge from a vertex to itself is left out where its owner loses by it and can go elsewhere.

use entail_game::{ParityGame, Vertex};

/// The winner of a vertex that is not solved.
pub(crate) const OPEN: u8 = 2;
/// No vertex.
pub(crate) const NONE: u32 = u32::MAX;

/// Edges from each vertex, in compressed rows.
#[derive(Clone, Debug, Default)]
struct Rows {
    begins: Vec<u32>,
    ends: Vec<u32>,
}

impl Rows {
    #[inline]
    fn of(&self, vertex: u32) -> &[u32] {
        let at = vertex as usize;
        &self.ends[self.begins[at] as usize..self.begins[at + 1] as usize]
    }

    /// The same edges in the other direction.
    fn reversed(&self) -> Rows {
        let vertices = self.begins.len() - 1;
        let mut begins = vec![0u32; vertices + 1];
        for &to in &self.ends {
            begins[to as usize + 1] += 1;
        }
        for at in 0..vertices {
            begins[at + 1] += begins[at];
        }
        let mut free = begins.clone();
        let mut ends = vec![0u32; self.ends.len()];
        for from in 0..vertices as u32 {
            for &to in self.of(from) {
                let place = &mut free[to as usize];
                ends[*place as usize] = from;
                *place += 1;
            }
        }
        Rows { begins, ends }
    }
}

/// A parity game, sorted and compressed.
#[derive(Clone, Debug)]
pub struct Board {
    priority: Vec<u32>,
    owner: Vec<u8>,
    out: Rows,
    into: Rows,
    /// Where each priority begins, and the number of vertices at the end.
    blocks: Vec<u32>,
    /// What each vertex is called where the board was made from.
    origin: Vec<u32>,
}

/// The compressed priorities: for each priority in ascending order, what becomes of it.
fn compressed(mut priorities: Vec<u32>) -> Vec<(u32, u32)> {
    priorities.sort_unstable();
    priorities.dedup();
    let mut low = None;
    let rename = |priority: u32| {
        let new = match low {
            None => priority % 2,
            Some(last) if last % 2 == priority % 2 => last,
            Some(last) => last + 1,
        };
        low = Some(new);
        (priority, new)
    };
    priorities.into_iter().map(rename).collect()
}

impl Board {
    /// A game, sorted and compressed.
    pub fn new(game: &ParityGame) -> Board {
        let arena = game.arena();
        let order: Vec<u32> = (0..arena.vertex_count() as u32).collect();
        let mut new_name = vec![NONE; arena.vertex_count()];
        Board::made(
            order,
            &mut new_name,
            arena.edge_count(),
            |v| game.priority(Vertex(v)).0,
            |v| arena.owner(Vertex(v)) as u8,
            |v| arena.row(Vertex(v)),
        )
    }

    /// The part of this board on some vertices, each of which must have a successor among them. `names` is a table over all vertices, filled with
    /// [`NONE`], which is given back as it was.
    pub(crate) fn part(&self, vertices: Vec<u32>, names: &mut [u32]) -> Board {
        let edges = vertices.iter().map(|&v| self.successors(v).len()).sum();
        Board::made(
            vertices,
            names,
            edges,
            |v| self.priority(v),
            |v| self.owner(v),
            |v| self.successors(v),
        )
    }

    fn made<'a>(
        vertices: Vec<u32>,
        new_name: &mut [u32],
        edges: usize,
        priority: impl Fn(u32) -> u32,
        owner: impl Fn(u32) -> u8,
        successors: impl Fn(u32) -> &'a [u32],
    ) -> Board {
        // With many vertices, a table of what occurs is faster than sorting.
        let highest = vertices.iter().map(|&v| priority(v)).max().unwrap_or(0);
        let table: Box<dyn Fn(u32) -> u32> = if (highest as usize) <= 4 * vertices.len() + 1024 {
            let mut table = vec![NONE; highest as usize + 1];
            vertices.iter().for_each(|&v| table[priority(v) as usize] = 0);
            let occurring = (0..=highest).filter(|&p| table[p as usize] == 0).collect();
            for (old, new) in compressed(occurring) {
                table[old as usize] = new;
            }
            Box::new(move |old| table[old as usize])
        } else {
            let table = compressed(vertices.iter().map(|&v| priority(v)).collect());
            Box::new(move |old| {
                let at = table.partition_point(|(known, _)| *known < old);
                table[at].1
            })
        };
        let ranks: Vec<u32> = vertices.iter().map(|&v| table(priority(v))).collect();
        drop(table);
        let levels = ranks.iter().max().map_or(0, |&top| top as usize + 1);
        let mut blocks = vec![0u32; levels + 1];
        for &rank in &ranks {
            blocks[rank as usize + 1] += 1;
        }
        for level in 0..levels {
            blocks[level + 1] += blocks[level];
        }
        let mut free = blocks.clone();
        let mut origin = vec![0u32; vertices.len()];
        let mut sorted = vec![0u32; vertices.len()];
        for (&vertex, &rank) in vertices.iter().zip(&ranks) {
            let place = &mut free[rank as usize];
            origin[*place as usize] = vertex;
            sorted[*place as usize] = rank;
            new_name[vertex as usize] = *place;
            *place += 1;
        }
        let mut out = Rows {
            begins: Vec::with_capacity(vertices.len() + 1),
            ends: Vec::with_capacity(edges),
        };
        out.begins.push(0);
        for (at, &vertex) in origin.iter().enumerate() {
            let at = at as u32;
            let begin = out.ends.len();
            let owner = owner(vertex);
            let bad_loop = u32::from(owner) != sorted[at as usize] % 2;
            let mut dropped = false;
            for &to in successors(vertex) {
                let to = new_name[to as usize];
                if to == at && bad_loop {
                    dropped = true;
                } else if to != NONE {
                    out.ends.push(to);
                }
            }
            if dropped && out.ends.len() == begin {
                out.ends.push(at);
            }
            out.begins.push(out.ends.len() as u32);
        }
        for &vertex in &origin {
            new_name[vertex as usize] = NONE;
        }
        Board {
            owner: origin.iter().map(|&v| owner(v)).collect(),
            priority: sorted,
            into: out.reversed(),
            out,
            blocks,
            origin,
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.priority.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.priority.is_empty()
    }

    /// Number of edges.
    pub fn edges(&self) -> usize {
        self.out.ends.len()
    }

    /// One more than the highest priority.
    pub fn levels(&self) -> usize {
        self.blocks.len() - 1
    }

    #[inline]
    pub(crate) fn priority(&self, vertex: u32) -> u32 {
        self.priority[vertex as usize]
    }

    /// The player who likes the vertex's priority.
    #[inline]
    pub(crate) fn parity(&self, vertex: u32) -> u8 {
        (self.priority[vertex as usize] % 2) as u8
    }

    #[inline]
    pub(crate) fn owner(&self, vertex: u32) -> u8 {
        self.owner[vertex as usize]
    }

    #[inline]
    pub(crate) fn successors(&self, vertex: u32) -> &[u32] {
        self.out.of(vertex)
    }

    #[inline]
    pub(crate) fn predecessors(&self, vertex: u32) -> &[u32] {
        self.into.of(vertex)
    }

    /// The vertices of a priority.
    pub(crate) fn block(&self, priority: usize) -> std::ops::Range<u32> {
        self.blocks[priority]..self.blocks[priority + 1]
    }

    /// What a vertex is called where the board was made from.
    pub(crate) fn origin(&self, vertex: u32) -> u32 {
        self.origin[vertex as usize]
    }
}

/// Winners and moves of the vertices of a board.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// 0, 1 or [`OPEN`].
    pub winner: Vec<u8>,
    /// The move of a vertex whose owner wins it; anything elsewhere.
    pub choice: Vec<u32>,
}

impl Outcome {
    pub fn open(vertices: usize) -> Outcome {
        Outcome {
            winner: vec![OPEN; vertices],
            choice: vec![NONE; vertices],
        }
    }

    #[inline]
    pub fn is_open(&self, vertex: u32) -> bool {
        self.winner[vertex as usize] == OPEN
    }

    #[inline]
    pub fn set(&mut self, vertex: u32, winner: u8, choice: u32) {
        self.winner[vertex as usize] = winner;
        self.choice[vertex as usize] = choice;
    }
}

#[cfg(test)]
mod tests {
    use super::compressed;

    #[test]
    fn neighbouring_priorities_of_one_parity_become_the_same() {
        let table = compressed(vec![9, 4, 2, 4, 7, 12]);
        assert_eq!(table, [(2, 0), (4, 0), (7, 1), (9, 1), (12, 2)]);
        assert_eq!(compressed(vec![5, 8]), [(5, 1), (8, 2)]);
    }
}
