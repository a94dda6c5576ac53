//! The game of the product, while it grows.
//!
//! Each state of the product is a vertex of the player who moves first; its successors are the turns, vertices of the other, each known by the set of
//! what can be reached from it; between a turn and a state stands a vertex for the priority, unless that is 0. Two vertices more are won and lost for good.

use crate::problem::SynthesisError;
use crate::product::{Product, Step, Steps, Target};
use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Solution, Vertex};
use entail_parity::{Components, Solver, solve};
use rustc_hash::FxHashMap;

/// The vertex that the system has won, and the one that it has lost.
pub(crate) const WON: u32 = 0;
pub(crate) const LOST: u32 = 1;

/// The game so far.
pub(crate) struct Growing {
    owner: Vec<Player>,
    priority: Vec<u32>,
    successors: Vec<Vec<u32>>,
    /// The vertex of each state of the product, where it has one.
    vertex_of: Vec<u32>,
    /// The states whose steps have not been looked at.
    pub border: std::collections::VecDeque<u32>,
    turns: FxHashMap<Vec<u32>, u32>,
    passages: FxHashMap<(u32, u32), u32>,
    first: Player,
}

/// No vertex.
const NONE: u32 = u32::MAX;

impl Growing {
    pub fn new(first: Player) -> Growing {
        Growing {
            owner: vec![Player::Even, Player::Even],
            priority: vec![0, 1],
            successors: vec![vec![WON], vec![LOST]],
            vertex_of: Vec::new(),
            border: std::collections::VecDeque::new(),
            turns: FxHashMap::default(),
            passages: FxHashMap::default(),
            first,
        }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.owner.len()
    }

    fn add(&mut self, owner: Player, priority: u32, successors: Vec<u32>) -> u32 {
        self.owner.push(owner);
        self.priority.push(priority);
        self.successors.push(successors);
        self.owner.len() as u32 - 1
    }

    /// The vertex of a state.
    pub fn state(&mut self, state: u32) -> u32 {
        if self.vertex_of.len() <= state as usize {
            self.vertex_of.resize(state as usize + 1, NONE);
        }
        if self.vertex_of[state as usize] == NONE {
            let vertex = self.add(self.first, 0, Vec::new());
            self.vertex_of[state as usize] = vertex;
            self.border.push_back(state);
        }
        self.vertex_of[state as usize]
    }

    /// The vertex of where a step leads.
    pub fn target(&mut self, target: Target) -> u32 {
        match target {
            Target::Won => WON,
            Target::Lost => LOST,
            Target::State(state, 0) => self.state(state),
            Target::State(state, priority) => {
                if let Some(&known) = self.passages.get(&(state, priority)) {
                    return known;
                }
                let next = self.state(state);
                let passage = self.add(Player::Even, priority, vec![next]);
                self.passages.insert((state, priority), passage);
                passage
            }
        }
    }

    /// The vertices that can be reached in a turn, in ascending order.
    pub fn reached(&mut self, steps: &Steps, turn: u32) -> Vec<u32> {
        let mut found: Vec<u32> = self.ends(steps, turn).into_iter().map(|(_, end)| end).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The targets that can be reached in a turn, and their vertices.
    pub fn ends(&mut self, steps: &Steps, turn: u32) -> Vec<(Target, u32)> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![steps.turns[turn as usize]];
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            match steps.nodes[at as usize] {
                Step::Test(_, low, high) => waiting.extend([low, high]),
                Step::End(target) => found.push((target, self.target(target))),
                Step::Turn(_) => {}
            }
        }
        found
    }

    /// The vertex of a turn.
    pub fn turn(&mut self, mut reached: Vec<u32>) -> u32 {
        let second = self.first.other();
        // A player who can win at once need not look at anything else.
        let goal = if second == Player::Even { WON } else { LOST };
        if reached.contains(&goal) {
            return goal;
        }
        let bad = if second == Player::Even { LOST } else { WON };
        if reached.len() > 1 {
            reached.retain(|&vertex| vertex != bad);
        }
        if let [only] = reached[..] {
            return only;
        }
        if let Some(&known) = self.turns.get(&reached) {
            return known;
        }
        let vertex = self.add(second, 0, reached.clone());
        self.turns.insert(reached, vertex);
        vertex
    }

    /// Looks at the steps of a state of the border.
    pub fn expand(&mut self, state: u32, product: &mut Product<'_>) -> Result<(), SynthesisError> {
        let steps = product.steps(state)?;
        let mut successors = Vec::new();
        for turn in 0..steps.turns.len() as u32 {
            let reached = self.reached(&steps, turn);
            successors.push(self.turn(reached));
        }
        successors.sort_unstable();
        successors.dedup();
        let vertex = self.state(state);
        self.successors[vertex as usize] = successors;
        Ok(())
    }

    /// Who wins, if the border is lost to this player.
    pub fn solve(&self, asker: Player, budget: &Budget) -> Result<Solution, SynthesisError> {
        let edges = self.successors.iter().map(Vec::len).sum();
        let mut arena = ArenaBuilder::with_capacity(self.len(), edges);
        let mut priorities = Vec::with_capacity(self.len());
        for (at, successors) in self.successors.iter().enumerate() {
            match successors.is_empty() {
                true => {
                    arena.vertex(self.owner[at], [at as u32]);
                    priorities.push(Priority(asker.other().index() as u32));
                }
                false => {
                    arena.vertex(self.owner[at], successors.iter().copied());
                    priorities.push(Priority(self.priority[at]));
                }
            }
        }
        let arena = arena
            .finish()
            .map_err(|_| SynthesisError::TooLarge("the game is too large"))?;
        let game =
            ParityGame::new(arena, priorities).ok_or(SynthesisError::TooLarge("the game is too large"))?;
        Ok(solve(&game, Solver::Auto, budget)?.0)
    }

    /// The successors of a vertex.
    pub fn successors(&self, vertex: Vertex) -> &[u32] {
        &self.successors[vertex.index()]
    }

    /// For each vertex of the winner that it wins, the successors it may take at will: the solution's choice, and others, such that no play with these moves has a cycle of the loser's
    /// parity. All successors that are won are taken first; then, from the highest priority of the loser down, a component of lower priorities that contains it loses all moves
    /// inside which are not the solution's.
    pub fn harmless(
        &self,
        solution: &Solution,
        winner: Player,
        budget: &Budget,
    ) -> Result<Vec<Vec<u32>>, SynthesisError> {
        let wins = |vertex: u32| solution.winner(Vertex(vertex)) == Some(winner);
        let mut moves: Vec<Vec<u32>> = Vec::with_capacity(self.len());
        for (at, successors) in self.successors.iter().enumerate() {
            let is_choice = self.owner[at] == winner && wins(at as u32);
            moves.push(match is_choice {
                true => successors.iter().copied().filter(|&next| wins(next)).collect(),
                false if wins(at as u32) => successors.clone(),
                false => Vec::new(),
            });
        }
        let mut bad: Vec<u32> = (self.priority.iter().copied())
            .filter(|priority| priority % 2 != winner.index() as u32 % 2)
            .collect();
        bad.sort_unstable();
        bad.dedup();
        for &highest in bad.iter().rev() {
            loop {
                let component = components(
                    &moves,
                    &|vertex| self.priority[vertex as usize] <= highest,
                    budget,
                )?;
                let mut is_bad = vec![false; self.len()];
                for (vertex, &number) in component.iter().enumerate() {
                    let inside = |next: &u32| number != OUTSIDE && component[*next as usize] == number;
                    if self.priority[vertex] == highest && moves[vertex].iter().any(inside) {
                        is_bad[number as usize] = true;
                    }
                }
                let mut fewer = false;
                for (vertex, &number) in component.iter().enumerate() {
                    if number == OUTSIDE || !is_bad[number as usize] || self.owner[vertex] != winner {
                        continue;
                    }
                    let choice = solution.choice(Vertex(vertex as u32)).map(|choice| choice.0);
                    let before = moves[vertex].len();
                    moves[vertex].retain(|&next| Some(next) == choice || component[next as usize] != number);
                    fewer |= moves[vertex].len() < before;
                }
                if !fewer {
                    break;
                }
            }
        }
        Ok(moves)
    }
}

/// The component of a vertex that is not looked at.
const OUTSIDE: u32 = u32::MAX;

/// The strongly connected components among the vertices that count.
fn components(
    moves: &[Vec<u32>],
    counts: &dyn Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Vec<u32>, SynthesisError> {
    let mut component = vec![OUTSIDE; moves.len()];
    let mut search = Components::new(moves.len());
    let mut made = 0;
    for root in (0..moves.len() as u32).filter(|&root| counts(root)) {
        let mut found = |members: &[u32]| {
            members
                .iter()
                .for_each(|&member| component[member as usize] = made);
            made += 1;
        };
        search.from(
            root,
            &|vertex| &moves[vertex as usize],
            counts,
            budget,
            &mut found,
        )?;
    }
    Ok(component)
}
