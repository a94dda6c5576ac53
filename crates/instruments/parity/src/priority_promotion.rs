//! Priority promotion (Benerecetti, Dell'Erba, Mogavero, *Solving Parity Games via Priority Promotion*, CAV 2016).
//!
//! Every vertex has a *rank*, first its priority. From the highest rank `p` down, the player who likes `p` attracts, among vertices of no higher rank, to those of
//! rank `p`: its *region*. If the opponent can stay out of the region from inside by a step to a lower rank, or the player is forced out, the next
//! lower rank is looked at. Otherwise the opponent can leave to higher regions only, all of them the player's; the region is *promoted* to the lowest
//! of them and everything lower starts anew. If the opponent cannot leave at all, the player wins the region.

use crate::attractor::spread;
use crate::board::{Board, NONE, Outcome};
use entail_budget::{Budget, Spent};

/// Solves a board.
pub(crate) fn solve(board: &Board, budget: &Budget) -> Result<Outcome, Spent> {
    let mut outcome = Outcome::open(board.len());
    let mut search = Search {
        board,
        rank: (0..board.len() as u32).map(|v| board.priority(v)).collect(),
        choice: vec![NONE; board.len()],
        regions: vec![Vec::new(); board.levels()],
    };
    for vertex in 0..board.len() as u32 {
        search.regions[board.priority(vertex) as usize].push(vertex);
    }
    let mut level = board.levels() as u32;
    while level > 0 {
        budget.check()?;
        let rank = level - 1;
        search.tidy(rank, &outcome);
        if search.regions[rank as usize].is_empty() {
            level -= 1;
            continue;
        }
        search.attract(rank, &outcome, budget)?;
        match search.exit(rank, &outcome) {
            Exit::Below => level -= 1,
            Exit::Above(higher) => {
                search.promote(rank, higher, &outcome);
                level = higher + 1;
            }
            Exit::Nowhere => {
                let region = std::mem::take(&mut search.regions[rank as usize]);
                let player = (rank % 2) as u8;
                for &vertex in &region {
                    outcome.set(vertex, player, search.choice[vertex as usize]);
                }
                spread(board, &mut outcome, &mut region.clone(), budget)?;
                search.reset_below(board.levels() as u32, &outcome);
                level = board.levels() as u32;
            }
        }
    }
    Ok(outcome)
}

/// Where the opponent can go from a region.
enum Exit {
    /// To lower ranks; or the player has to.
    Below,
    /// To this higher rank at least.
    Above(u32),
    Nowhere,
}

struct Search<'b> {
    board: &'b Board,
    rank: Vec<u32>,
    choice: Vec<u32>,
    /// The vertices of each rank, and perhaps some that have got another rank since.
    regions: Vec<Vec<u32>>,
}

impl Search<'_> {
    /// Leaves out what is not of the rank any more.
    fn tidy(&mut self, rank: u32, outcome: &Outcome) {
        let ranks = &self.rank;
        self.regions[rank as usize].retain(|&v| ranks[v as usize] == rank && outcome.is_open(v));
    }

    fn attract(&mut self, rank: u32, outcome: &Outcome, budget: &Budget) -> Result<(), Spent> {
        let player = (rank % 2) as u8;
        let mut region = std::mem::take(&mut self.regions[rank as usize]);
        let mut seen = 0;
        while let Some(&vertex) = region.get(seen) {
            budget.check()?;
            seen += 1;
            for &from in self.board.predecessors(vertex) {
                let at = from as usize;
                if self.rank[at] >= rank || !outcome.is_open(from) {
                    continue;
                }
                if self.board.owner(from) == player {
                    self.choice[at] = vertex;
                } else if (self.board.successors(from).iter())
                    .all(|&to| self.rank[to as usize] >= rank || !outcome.is_open(to))
                {
                    self.choice[at] = NONE;
                } else {
                    continue;
                }
                self.rank[at] = rank;
                region.push(from);
            }
        }
        self.regions[rank as usize] = region;
        Ok(())
    }

    /// How a region is left; the player's vertices without a move get one inside.
    fn exit(&mut self, rank: u32, outcome: &Outcome) -> Exit {
        let player = (rank % 2) as u8;
        let mut above: Option<u32> = None;
        for &vertex in &self.regions[rank as usize] {
            let at = vertex as usize;
            let mut open = self
                .board
                .successors(vertex)
                .iter()
                .filter(|&&to| outcome.is_open(to));
            if self.board.owner(vertex) == player {
                let choice = self.choice[at];
                if choice == NONE || self.rank[choice as usize] != rank || !outcome.is_open(choice) {
                    match open.find(|&&to| self.rank[to as usize] == rank) {
                        Some(&inside) => self.choice[at] = inside,
                        None => return Exit::Below,
                    }
                }
            } else {
                for &to in open {
                    match self.rank[to as usize] {
                        lower if lower < rank => return Exit::Below,
                        higher if higher > rank => {
                            above = Some(above.map_or(higher, |best| best.min(higher)))
                        }
                        _ => {}
                    }
                }
            }
        }
        above.map_or(Exit::Nowhere, Exit::Above)
    }

    fn promote(&mut self, rank: u32, higher: u32, outcome: &Outcome) {
        let region = std::mem::take(&mut self.regions[rank as usize]);
        for &vertex in &region {
            self.rank[vertex as usize] = higher;
        }
        self.regions[higher as usize].extend(region);
        self.reset_below(higher, outcome);
    }

    /// Vertices of lower rank get their own priority again.
    fn reset_below(&mut self, rank: u32, outcome: &Outcome) {
        for lower in 0..rank {
            for vertex in std::mem::take(&mut self.regions[lower as usize]) {
                let own = self.board.priority(vertex);
                if self.rank[vertex as usize] == lower && own != lower && outcome.is_open(vertex) {
                    self.rank[vertex as usize] = own;
                    self.choice[vertex as usize] = NONE;
                }
            }
        }
        // A vertex may be listed under its own priority although it has been elsewhere in between.
        for lower in 0..rank {
            let block = self.board.block(lower as usize);
            let ranks = &self.rank;
            let home = block.filter(|&v| ranks[v as usize] == lower && outcome.is_open(v));
            self.regions[lower as usize] = home.collect();
        }
    }
}
