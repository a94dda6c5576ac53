//! Judging a solution of a parity game.
//!
//! A claim is right if and only if, for each player,
//! 1. at every vertex of the player in the player's region the claimed move is an edge that stays in the region,
//! 2. no edge of the opponent leads out of the region (it is a *trap*), and
//! 3. in the graph that is left, the claimed moves and all edges of the opponent, no cycle has a highest priority of the opponent's parity.
//!
//! The third is decided by strongly connected components: a component whose highest priority is the opponent's has such a cycle; from another, the
//! vertices above the opponent's highest priority lie on no such cycle and are taken away, and what is left falls into smaller components. Every
//! round takes away a block of priorities of one parity, so there are at most half as many rounds as priorities, each linear in what is left.

use entail_answer::CheckReport;
use entail_budget::{Budget, Spent};
use entail_game::{ParityGame, Player, Solution, Vertex};

/// At most so many vertices of a cycle are named.
const NAMED: usize = 12;

/// Whether a claimed solution of a game is right. `name` says what the user calls a vertex.
pub fn check(
    game: &ParityGame,
    claim: &Solution,
    name: &dyn Fn(Vertex) -> String,
    budget: &Budget,
) -> CheckReport {
    if claim.len() != game.arena().vertex_count() {
        return CheckReport::rejected(format!(
            "it is about {} vertices, and the game has {}",
            claim.len(),
            game.arena().vertex_count()
        ));
    }
    let judge = Judge { game, claim, name };
    match judge.traps(budget).and_then(|()| judge.cycles(budget)) {
        Err(Refuted::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Refuted::Spent(spent)) => CheckReport::unchecked(format!("the solution ({spent})")),
        Ok(()) => {
            let silent = game.arena().vertices().filter(|&v| claim.winner(v).is_none());
            match silent.count() {
                0 => CheckReport::Accepted,
                some => CheckReport::unchecked(format!("{some} vertices, about which nothing is claimed")),
            }
        }
    }
}

enum Refuted {
    Wrong(String),
    Spent(Spent),
}

impl From<Spent> for Refuted {
    fn from(spent: Spent) -> Refuted {
        Refuted::Spent(spent)
    }
}

struct Judge<'a> {
    game: &'a ParityGame,
    claim: &'a Solution,
    name: &'a dyn Fn(Vertex) -> String,
}

/// The component of vertices that are out of consideration.
const NOWHERE: u32 = u32::MAX;
/// The number of a vertex that the search has not seen.
const UNSEEN: u32 = u32::MAX;

impl Judge<'_> {
    /// The first two conditions.
    fn traps(&self, budget: &Budget) -> Result<(), Refuted> {
        let (arena, claim) = (self.game.arena(), self.claim);
        for vertex in arena.vertices() {
            budget.check()?;
            let Some(winner) = claim.winner(vertex) else {
                continue;
            };
            let here = || (self.name)(vertex);
            let wrong = |what: String| Err(Refuted::Wrong(what));
            let choice = claim.choice(vertex);
            if let Some(to) = choice
                && (to.index() >= arena.vertex_count() || !arena.has_edge(vertex, to))
            {
                let to = match to.index() < arena.vertex_count() {
                    true => (self.name)(to),
                    false => to.to_string(),
                };
                return wrong(format!(
                    "the move from vertex {} to {to} is no edge of the game",
                    here()
                ));
            }
            if arena.owner(vertex) == winner {
                match choice {
                    None => {
                        return wrong(format!(
                            "vertex {} belongs to {winner}, who is said to win it but has no move there",
                            here()
                        ));
                    }
                    Some(to) if claim.winner(to) != Some(winner) => {
                        let to = (self.name)(to);
                        return wrong(format!(
                            "{winner}'s move from vertex {} to {to} leaves what {winner} is said to win",
                            here()
                        ));
                    }
                    Some(_) => {}
                }
            } else if let Some(escape) = arena
                .successors(vertex)
                .find(|&to| claim.winner(to) != Some(winner))
            {
                let escape = (self.name)(escape);
                return wrong(format!(
                    "{} escapes from vertex {}, which {winner} is said to win, to {escape}",
                    winner.other(),
                    here()
                ));
            }
        }
        Ok(())
    }

    /// The moves that are left when the winners play as claimed.
    fn moves(&self, vertex: Vertex) -> &[u32] {
        let row = self.game.arena().row(vertex);
        match (self.claim.winner(vertex), self.claim.choice(vertex)) {
            (Some(winner), Some(to)) if winner == self.game.arena().owner(vertex) => {
                let at = row.iter().position(|&successor| successor == to.0);
                at.map_or(row, |at| &row[at..=at])
            }
            _ => row,
        }
    }

    /// The third condition, for both regions at once: no edge that is left leads from one to the other.
    fn cycles(&self, budget: &Budget) -> Result<(), Refuted> {
        let vertices = self.game.arena().vertex_count();
        // Which part a vertex is in; edges between parts are on no cycle.
        let mut part: Vec<u32> = vec![0; vertices];
        for vertex in self.game.arena().vertices() {
            if self.claim.winner(vertex).is_none() {
                part[vertex.index()] = NOWHERE;
            }
        }
        let mut parts = 1;
        let mut waiting: Vec<u32> = (0..vertices as u32)
            .filter(|&v| part[v as usize] != NOWHERE)
            .collect();
        let mut search = Search {
            position: vec![UNSEEN; vertices],
            next: vec![0; vertices],
            open: Vec::new(),
            borders: Vec::new(),
            path: Vec::new(),
        };
        while !waiting.is_empty() {
            let mut left = Vec::new();
            for &root in &waiting {
                if search.position[root as usize] != UNSEEN {
                    continue;
                }
                search.components(root, &part, |v| self.moves(Vertex(v)), budget, &mut |component| {
                    self.peel(component, &mut left)
                })?;
            }
            // Vertices that were taken away, and those of other components, are in other parts from now on.
            for &vertex in &waiting {
                part[vertex as usize] = NOWHERE;
                search.position[vertex as usize] = UNSEEN;
            }
            waiting.clear();
            for component in left {
                for &vertex in &component {
                    part[vertex as usize] = parts;
                }
                parts += 1;
                waiting.extend(component);
            }
        }
        Ok(())
    }

    /// Takes from a component what lies on no cycle that the loser wins; refutes the claim if there is such a cycle.
    fn peel(&self, component: &[u32], left: &mut Vec<Vec<u32>>) -> Result<(), Refuted> {
        let Some(winner) = self.claim.winner(Vertex(component[0])) else {
            return Ok(());
        };
        if let [single] = component
            && !self.moves(Vertex(*single)).contains(single)
        {
            return Ok(());
        }
        let priority = |v: &u32| self.game.priority(Vertex(*v));
        let losers = component
            .iter()
            .map(priority)
            .filter(|p| p.player() != winner)
            .max();
        let Some(highest) = losers else {
            return Ok(());
        };
        if component.iter().map(priority).max() == Some(highest) {
            return Err(Refuted::Wrong(self.refutation(component, winner, highest.0)));
        }
        let rest: Vec<u32> = component
            .iter()
            .copied()
            .filter(|v| priority(v) <= highest)
            .collect();
        left.push(rest);
        Ok(())
    }

    /// A shortest cycle through a vertex of the component's highest priority, in words.
    fn refutation(&self, component: &[u32], winner: Player, highest: u32) -> String {
        let inside: std::collections::HashSet<u32> = component.iter().copied().collect();
        let start = component
            .iter()
            .copied()
            .find(|&v| self.game.priority(Vertex(v)).0 == highest)
            .unwrap_or(component[0]);
        let mut before = std::collections::HashMap::new();
        let mut queue = std::collections::VecDeque::from([start]);
        'search: while let Some(vertex) = queue.pop_front() {
            for &to in self.moves(Vertex(vertex)) {
                if inside.contains(&to) && !before.contains_key(&to) {
                    before.insert(to, vertex);
                    if to == start {
                        break 'search;
                    }
                    queue.push_back(to);
                }
            }
        }
        let mut cycle = vec![start];
        let mut at = before.get(&start).copied();
        while let Some(vertex) = at.filter(|&vertex| vertex != start) {
            cycle.push(vertex);
            at = before.get(&vertex).copied();
        }
        cycle.push(start);
        cycle.reverse();
        let mut names: Vec<String> = cycle.iter().map(|&v| (self.name)(Vertex(v))).collect();
        if names.len() > NAMED {
            names.truncate(NAMED);
            names.push("…".to_owned());
        }
        format!(
            "{} wins a cycle that {winner}'s moves leave open, with highest priority {highest}: {}",
            winner.other(),
            names.join(" -> ")
        )
    }
}

/// A path-based search for strongly connected components (Gabow 2000), without recursion. Solvers look for components in another way, so that a
/// mistake here is none there.
///
/// *Invariant:* the open vertices, in the order in which they were met, fall into blocks that begin at the borders; each block is strongly connected, and
/// the path leads through the blocks in their order.
struct Search {
    /// Where a vertex stands among the open ones.
    position: Vec<u32>,
    /// How many of a vertex's moves were followed.
    next: Vec<u32>,
    open: Vec<u32>,
    borders: Vec<u32>,
    path: Vec<u32>,
}

/// The position of a vertex whose component is complete.
const COMPLETE: u32 = UNSEEN - 1;

impl Search {
    fn enter(&mut self, vertex: u32) {
        let position = self.open.len() as u32;
        self.position[vertex as usize] = position;
        self.next[vertex as usize] = 0;
        self.open.push(vertex);
        self.borders.push(position);
        self.path.push(vertex);
    }

    /// Hands out the components that can be reached from a vertex inside its part.
    fn components<'m>(
        &mut self,
        root: u32,
        part: &[u32],
        moves: impl Fn(u32) -> &'m [u32],
        budget: &Budget,
        found: &mut dyn FnMut(&[u32]) -> Result<(), Refuted>,
    ) -> Result<(), Refuted> {
        let home = part[root as usize];
        self.enter(root);
        while let Some(&vertex) = self.path.last() {
            budget.check()?;
            let followed = &mut self.next[vertex as usize];
            if let Some(&to) = moves(vertex).get(*followed as usize) {
                *followed += 1;
                let seen = self.position[to as usize];
                if part[to as usize] != home || seen == COMPLETE {
                    continue;
                }
                if seen == UNSEEN {
                    self.enter(to);
                } else {
                    // A cycle: all blocks from there on are one.
                    while self.borders.last().is_some_and(|&border| border > seen) {
                        self.borders.pop();
                    }
                }
                continue;
            }
            self.path.pop();
            // Nothing leads back from a block whose first vertex is left.
            let position = self.position[vertex as usize];
            if self.borders.last() == Some(&position) {
                self.borders.pop();
                let component = self.open.split_off(position as usize);
                for &member in &component {
                    self.position[member as usize] = COMPLETE;
                }
                found(&component)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_game::{ArenaBuilder, Priority};

    /// Vertices as priority, owner and successors.
    fn game(vertices: &[(u32, Player, &[u32])]) -> ParityGame {
        let mut arena = ArenaBuilder::default();
        for (_, owner, row) in vertices {
            arena.vertex(*owner, row.iter().copied());
        }
        let priorities = vertices
            .iter()
            .map(|(priority, ..)| Priority(*priority))
            .collect();
        ParityGame::new(arena.finish().expect("an arena"), priorities).expect("a game")
    }

    fn solution(claims: &[(Player, Option<u32>)]) -> Solution {
        let mut solution = Solution::open(claims.len());
        for (at, (winner, choice)) in claims.iter().enumerate() {
            solution.claim(Vertex(at as u32), *winner, choice.map(Vertex));
        }
        solution
    }

    fn judged(game: &ParityGame, claim: &Solution) -> CheckReport {
        check(game, claim, &|v| v.to_string(), &Budget::unlimited())
    }

    use Player::{Even, Odd};

    #[test]
    fn the_solution_that_pgsolver_once_accepted_is_rejected() {
        let game = game(&[(2, Even, &[0]), (3, Odd, &[1]), (4, Odd, &[0, 1])]);
        let trap = solution(&[(Even, Some(0)), (Odd, Some(1)), (Even, None)]);
        assert_eq!(
            judged(&game, &trap),
            CheckReport::rejected("odd escapes from vertex 2, which even is said to win, to 1")
        );
        let right = solution(&[(Even, Some(0)), (Odd, Some(1)), (Odd, Some(1))]);
        assert!(judged(&game, &right).is_accepted());
    }

    #[test]
    fn a_strategy_that_allows_a_losing_cycle_is_rejected_and_the_cycle_named() {
        // Even should leave for 2, and stays on the cycle with highest priority 3.
        let game = game(&[(0, Even, &[1, 2]), (3, Odd, &[0]), (4, Odd, &[2])]);
        let bad = solution(&[(Even, Some(1)), (Even, None), (Even, None)]);
        let CheckReport::Rejected { reason } = judged(&game, &bad) else {
            panic!("accepted");
        };
        assert!(reason.contains("highest priority 3: 1 -> 0 -> 1"), "{reason}");
        let good = solution(&[(Even, Some(2)), (Even, None), (Even, None)]);
        assert!(judged(&game, &good).is_accepted());
    }

    #[test]
    fn a_losing_cycle_below_a_winning_one_is_found() {
        // With 2 (priority 6) the cycle is Even's; 0 and 1 alone are Odd's, and Odd chooses at 1.
        let game = game(&[(1, Even, &[1]), (0, Odd, &[0, 2]), (6, Even, &[0])]);
        let claim = solution(&[(Even, Some(1)), (Even, None), (Even, Some(0))]);
        assert!(judged(&game, &claim).is_rejected());
    }

    #[test]
    fn what_is_not_claimed_is_said_to_be_unchecked() {
        let game = game(&[(0, Even, &[0]), (1, Odd, &[0])]);
        let mut claim = Solution::open(2);
        claim.claim(Vertex(0), Even, Some(Vertex(0)));
        assert!(matches!(judged(&game, &claim), CheckReport::Partly { .. }));
        assert!(judged(&game, &Solution::open(3)).is_rejected());
    }

    #[test]
    fn moves_that_are_no_edges_are_rejected_whoever_makes_them() {
        let game = game(&[(0, Even, &[0]), (0, Odd, &[0])]);
        for to in [1, 9] {
            let claim = solution(&[(Even, Some(0)), (Even, Some(to))]);
            assert!(judged(&game, &claim).is_rejected());
        }
        let missing = solution(&[(Even, None), (Even, None)]);
        assert!(judged(&game, &missing).is_rejected());
    }
}
