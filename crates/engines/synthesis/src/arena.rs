//! The game of the product, while it grows.
//!
//! Each state of the product is a vertex of the player who moves first; its successors are the turns, vertices of the other, each known by the set of
//! what can be reached from it; between a turn and a state stands a vertex for the priority, unless that is 0. Two vertices more are won and lost for good.

use crate::problem::SynthesisError;
use crate::product::{Product, Step, Steps, Target};
use entail_budget::Budget;
use entail_game::{ArenaBuilder, ParityGame, Player, Priority, Solution, Vertex};
use entail_parity::{Solver, solve};
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
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut waiting = vec![steps.turns[turn as usize]];
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            match steps.nodes[at as usize] {
                Step::Test(_, low, high) => waiting.extend([low, high]),
                Step::End(target) => found.push(self.target(target)),
                Step::Turn(_) => {}
            }
        }
        found.sort_unstable();
        found.dedup();
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
}
