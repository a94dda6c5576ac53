//! Energy progress measures: the least credits with which a player keeps a sum of weights from ever falling below zero, by lifting from zero (Brim, Chaloupka, Doyen, Gentilini,
//! Raskin, *Faster algorithms for mean-payoff games*, FMSD 2011). A credit above the sum of what can be lost on a path without repetition never becomes enough. `O(n m W)` lifts.

use crate::NotSolved;
use entail_budget::Budget;
use entail_game::{Arena, Player, Vertex};

/// A credit that no play will use up; none if there is none.
pub type Credit = Option<i128>;

/// The least credits of `player`, where `weights` are what an edge gives the player, in the order of successors.
pub fn credits(
    arena: &Arena,
    weights: &[Vec<i128>],
    player: Player,
    budget: &Budget,
) -> Result<Vec<Credit>, NotSolved> {
    let count = arena.vertex_count();
    let mut predecessors: Vec<Vec<Vertex>> = vec![Vec::new(); count];
    for from in arena.vertices() {
        for to in arena.successors(from) {
            predecessors[to.index()].push(from);
        }
    }
    // On a path without repetition every vertex is left once at most.
    let loss = |row: &Vec<i128>| row.iter().map(|weight| -weight).max().unwrap_or(0).max(0);
    let most: i128 = weights.iter().map(loss).sum();
    let mut credits: Vec<Credit> = vec![Some(0); count];
    let mut waiting: Vec<Vertex> = arena.vertices().collect();
    let mut waits = vec![true; count];
    while let Some(vertex) = waiting.pop() {
        budget.check()?;
        waits[vertex.index()] = false;
        let needed = needed(arena, weights, player, &credits, most, vertex);
        if is_more(needed, credits[vertex.index()]) {
            credits[vertex.index()] = needed;
            for &from in &predecessors[vertex.index()] {
                if !std::mem::replace(&mut waits[from.index()], true) {
                    waiting.push(from);
                }
            }
        }
    }
    Ok(credits)
}

fn is_more(one: Credit, other: Credit) -> bool {
    match (one, other) {
        (None, other) => other.is_some(),
        (Some(one), Some(other)) => one > other,
        (Some(_), None) => false,
    }
}

/// What a vertex needs, given what its successors need.
fn needed(
    arena: &Arena,
    weights: &[Vec<i128>],
    player: Player,
    credits: &[Credit],
    most: i128,
    vertex: Vertex,
) -> Credit {
    let through = |(to, weight): (Vertex, &i128)| through(credits[to.index()], *weight, most);
    let each = arena
        .successors(vertex)
        .zip(&weights[vertex.index()])
        .map(through);
    let better = |one: Credit, other: Credit| if is_more(one, other) { other } else { one };
    let worse = |one: Credit, other: Credit| if is_more(one, other) { one } else { other };
    let best = match arena.owner(vertex) == player {
        true => each.reduce(better),
        false => each.reduce(worse),
    };
    best.flatten()
}

/// What an edge needs.
fn through(credit: Credit, weight: i128, most: i128) -> Credit {
    credit
        .map(|credit| (credit - weight).max(0))
        .filter(|credit| *credit <= most)
}

/// A move at a vertex of the player that keeps what is promised there.
pub fn choice(arena: &Arena, weights: &[Vec<i128>], credits: &[Credit], vertex: Vertex) -> Option<Vertex> {
    let here = credits[vertex.index()]?;
    arena
        .successors(vertex)
        .zip(&weights[vertex.index()])
        .find(|(to, weight)| credits[to.index()].is_some_and(|credit| (credit - **weight).max(0) <= here))
        .map(|(to, _)| to)
}
