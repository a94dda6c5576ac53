//! Conditions on the colours that are seen again and again.
//!
//! The Zielonka tree of the condition tells what must be remembered: a leaf. Reading the colours of a vertex moves to another leaf and announces a priority, and the condition
//! is true of a play if and only if the highest priority announced again and again is even. So the game is a parity game of vertices and leaves, in which strategies need no
//! more memory; in the game itself they remember the leaf. For Rabin and Streett pairs this is the index appearance record.

use crate::NotSolved;
use entail_automata::acceptance::{Acceptance, Marks};
use entail_automata::algebra::zielonka::ZielonkaTree;
use entail_budget::Budget;
use entail_game::{ArenaBuilder, Condition, ObjectiveGame, ParityGame, Position, Priority, Vertex};
use entail_parity::{Solver, solve as solve_parity};
use rustc_hash::FxHashMap;

/// Both players' strategies, for every vertex with the memory at first, and for what is reached from there.
pub fn solve(
    game: &ObjectiveGame,
    condition: &Condition,
    budget: &Budget,
) -> Result<Vec<Position>, NotSolved> {
    let arena = game.arena();
    let used = arena
        .vertices()
        .fold(0, |used, vertex| used | game.colours(vertex).0);
    let tree = ZielonkaTree::new(&acceptance(condition), Marks(used), budget)?;
    let mut leaves = Numbers::default();
    leaves.number(tree.start());
    // The product, in the order in which its positions are found: every vertex first, with the first leaf.
    let mut positions: Vec<(Vertex, u32)> = arena.vertices().map(|vertex| (vertex, 0)).collect();
    let mut numbers: FxHashMap<(Vertex, u32), u32> = (positions.iter().zip(0..))
        .map(|(&position, number)| (position, number))
        .collect();
    let mut after: Vec<u32> = Vec::new();
    let mut product = ArenaBuilder::default();
    let mut priorities = Vec::new();
    let mut at = 0;
    while let Some(&(vertex, memory)) = positions.get(at) {
        budget.check()?;
        let (leaf, priority) = tree.step(leaves.nodes[memory as usize], Marks(game.colours(vertex).0));
        let next = leaves.number(leaf);
        let mut row = Vec::new();
        for to in arena.successors(vertex) {
            let fresh = positions.len() as u32;
            let number = *numbers.entry((to, next)).or_insert(fresh);
            if number == fresh {
                positions.push((to, next));
            }
            row.push(number);
        }
        product.vertex(arena.owner(vertex), row);
        priorities.push(Priority(priority));
        after.push(next);
        at += 1;
    }
    let parity = product
        .finish()
        .ok()
        .and_then(|product| ParityGame::new(product, priorities));
    let Some(parity) = parity else {
        return Err(NotSolved::TooLarge(
            "the game with its memory is too large".into(),
        ));
    };
    let (solution, _) = solve_parity(&parity, Solver::Auto, budget)?;
    let mut solved = Vec::with_capacity(positions.len());
    for (number, &(vertex, memory)) in positions.iter().enumerate() {
        let place = Vertex(number as u32);
        let Some(winner) = solution.winner(place) else {
            return Err(NotSolved::TooLarge("a position was not solved".into()));
        };
        solved.push(Position {
            vertex,
            memory,
            winner,
            choice: solution.choice(place).map(|to| positions[to.index()].0),
            next: after[number],
        });
    }
    Ok(solved)
}

/// Leaves of the tree, numbered as they are met.
#[derive(Default)]
struct Numbers {
    nodes: Vec<usize>,
    numbers: FxHashMap<usize, u32>,
}

impl Numbers {
    fn number(&mut self, leaf: usize) -> u32 {
        let fresh = self.nodes.len() as u32;
        let number = *self.numbers.entry(leaf).or_insert(fresh);
        if number == fresh {
            self.nodes.push(leaf);
        }
        number
    }
}

/// The condition as automata have it.
fn acceptance(condition: &Condition) -> Acceptance {
    match condition {
        Condition::Constant(true) => Acceptance::True,
        Condition::Constant(false) => Acceptance::False,
        Condition::Infinitely(colour) => Acceptance::Inf(*colour),
        Condition::Finitely(colour) => Acceptance::Fin(*colour),
        Condition::All(parts) => Acceptance::And(parts.iter().map(acceptance).collect()),
        Condition::Any(parts) => Acceptance::Or(parts.iter().map(acceptance).collect()),
    }
}
