//! What is easy to solve: vertices with a winning edge to themselves, cycles that the winner controls, games with one parity.
//!
//! A *winner-controlled cycle* is one on which one player owns all vertices and likes the highest priority. All of them are found by components of the
//! part that the player owns: a component whose highest priority the player likes is won, since from everywhere in it the player can go to a vertex of
//! that priority again and again; from another one the vertices above the player's highest priority are taken away. (Van Dijk, TACAS 2018, calls
//! them trivial cycles.) Linear in the edges for each change of parity along the priorities of a component.

use crate::attractor::spread;
use crate::board::{Board, NONE, Outcome};
use crate::components::Components;
use entail_budget::{Budget, Spent};

/// Solves what is easy. Afterwards every open vertex has an open successor, and none has a solved one that its owner wins.
pub(crate) fn preprocess(board: &Board, outcome: &mut Outcome, budget: &Budget) -> Result<(), Spent> {
    loops(board, outcome, budget)?;
    for player in [0, 1] {
        controlled_cycles(board, outcome, player, budget)?;
    }
    single_parity(board, outcome);
    Ok(())
}

fn loops(board: &Board, outcome: &mut Outcome, budget: &Budget) -> Result<(), Spent> {
    let mut fresh = Vec::new();
    for vertex in 0..board.len() as u32 {
        budget.check()?;
        // A losing loop is on the board only where there is no other edge.
        if outcome.is_open(vertex) && board.successors(vertex).contains(&vertex) {
            outcome.set(vertex, board.parity(vertex), vertex);
            fresh.push(vertex);
        }
    }
    spread(board, outcome, &mut fresh, budget)
}

fn controlled_cycles(board: &Board, outcome: &mut Outcome, player: u8, budget: &Budget) -> Result<(), Spent> {
    // Which part a vertex is in; edges between parts are not followed.
    let mut part = vec![NONE; board.len()];
    let mut waiting: Vec<u32> = Vec::new();
    for vertex in 0..board.len() as u32 {
        if outcome.is_open(vertex) && board.owner(vertex) == player {
            part[vertex as usize] = 0;
            waiting.push(vertex);
        }
    }
    let mut components = Components::new(board.len());
    let mut parts = 1;
    let mut won: Vec<Vec<u32>> = Vec::new();
    while !waiting.is_empty() {
        let mut left: Vec<Vec<u32>> = Vec::new();
        for &root in &waiting {
            let home = part[root as usize];
            components.from(
                root,
                &|v| board.successors(v),
                &|v| part[v as usize] == home,
                budget,
                &mut |component| {
                    // Edges from a vertex to itself have been dealt with.
                    if component.len() == 1 {
                        return;
                    }
                    let likes = |v: &&u32| board.parity(**v) == player;
                    let best = component.iter().filter(likes).map(|&v| board.priority(v)).max();
                    let highest = component.iter().map(|&v| board.priority(v)).max();
                    if let Some(best) = best {
                        match Some(best) == highest {
                            true => won.push(component.to_vec()),
                            false => left.push(
                                (component.iter().copied())
                                    .filter(|&v| board.priority(v) <= best)
                                    .collect(),
                            ),
                        }
                    }
                },
            )?;
        }
        for vertex in waiting.drain(..) {
            part[vertex as usize] = NONE;
            components.forget(vertex);
        }
        for component in left {
            component.iter().for_each(|&v| part[v as usize] = parts);
            parts += 1;
            waiting.extend(component);
        }
    }
    let mut fresh = Vec::new();
    for component in won {
        stay(board, outcome, player, &component);
        fresh.extend(component);
    }
    spread(board, outcome, &mut fresh, budget)
}

/// Moves for a component that its player controls: towards a vertex of the highest priority, and from there anywhere inside.
fn stay(board: &Board, outcome: &mut Outcome, player: u8, component: &[u32]) {
    let Some(&goal) = component.iter().max_by_key(|&&v| board.priority(v)) else {
        return;
    };
    let mut inside: Vec<u32> = component.to_vec();
    inside.sort_unstable();
    let is_inside = |v: u32| inside.binary_search(&v).is_ok();
    let onward = board.successors(goal).iter().copied().find(|&to| is_inside(to));
    outcome.set(goal, player, onward.unwrap_or(NONE));
    let mut fresh = vec![goal];
    while let Some(vertex) = fresh.pop() {
        for &from in board.predecessors(vertex) {
            if outcome.is_open(from) && board.owner(from) == player && is_inside(from) {
                outcome.set(from, player, vertex);
                fresh.push(from);
            }
        }
    }
}

/// If only one parity is left, its player wins everything.
fn single_parity(board: &Board, outcome: &mut Outcome) {
    let mut open = (0..board.len() as u32).filter(|&v| outcome.is_open(v));
    let Some(first) = open.next() else {
        return;
    };
    let winner = board.parity(first);
    if open.any(|v| board.parity(v) != winner) {
        return;
    }
    // Winners are set last, so that what is open can be seen until then.
    for vertex in 0..board.len() as u32 {
        if outcome.is_open(vertex) && board.owner(vertex) == winner {
            let stay = board.successors(vertex).iter().find(|&&to| outcome.is_open(to));
            outcome.choice[vertex as usize] = stay.copied().unwrap_or(NONE);
        }
    }
    for vertex in 0..board.len() {
        if outcome.is_open(vertex as u32) {
            outcome.winner[vertex] = winner;
        }
    }
}
