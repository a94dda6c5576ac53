//! Reachability and safety: the attractor of a set, backwards, with a counter for each vertex of the opponent. Linear in the edges.

use crate::{NotSolved, plain};
use entail_budget::Budget;
use entail_game::{ObjectiveGame, Player, Position, Vertex};

/// Both strategies of the game in which `player` wants to see a vertex that has the colour (or, if not `having`, lacks it).
pub fn reach(
    game: &ObjectiveGame,
    player: Player,
    colour: u32,
    having: bool,
    budget: &Budget,
) -> Result<Vec<Position>, NotSolved> {
    let arena = game.arena();
    let count = arena.vertex_count();
    let mut predecessors: Vec<Vec<Vertex>> = vec![Vec::new(); count];
    for from in arena.vertices() {
        for to in arena.successors(from) {
            predecessors[to.index()].push(from);
        }
    }
    let mut left: Vec<usize> = arena.vertices().map(|v| arena.row(v).len()).collect();
    let mut attracted = vec![false; count];
    let mut choice: Vec<Option<Vertex>> = vec![None; count];
    let mut waiting: Vec<Vertex> = arena
        .vertices()
        .filter(|&v| game.colours(v).has(colour) == having)
        .collect();
    for target in &waiting {
        attracted[target.index()] = true;
        // The goal is reached: any move will do.
        choice[target.index()] = arena.successors(*target).next();
    }
    while let Some(vertex) = waiting.pop() {
        budget.check()?;
        for &from in &predecessors[vertex.index()] {
            if attracted[from.index()] {
                continue;
            }
            left[from.index()] -= 1;
            if arena.owner(from) == player {
                choice[from.index()] = Some(vertex);
            } else if left[from.index()] > 0 {
                continue;
            }
            attracted[from.index()] = true;
            waiting.push(from);
        }
    }
    let position = |vertex: Vertex| {
        let winner = if attracted[vertex.index()] {
            player
        } else {
            player.other()
        };
        let own = arena.owner(vertex) == winner;
        let step = match winner == player {
            true => choice[vertex.index()],
            false => arena.successors(vertex).find(|to| !attracted[to.index()]),
        };
        plain(vertex, winner, step.filter(|_| own))
    };
    Ok(arena.vertices().map(position).collect())
}
