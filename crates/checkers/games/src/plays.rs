//! Endless plays of a graph that strategies leave, and what players want of the colours on them. Every path of the graph must be won by the one who is said to win its nodes, which is a
//! question about its cycles.

use crate::cycles::{Graph, components};
use entail_answer::CheckReport;
use entail_budget::{Budget, Spent};
use entail_game::{Colours, Condition, Objective, Player, Vertex};
use std::collections::HashMap;

/// Why a claim is not accepted.
pub(crate) enum Refuted {
    Wrong(String),
    Open(String),
    Spent(Spent),
}

impl From<Spent> for Refuted {
    fn from(spent: Spent) -> Refuted {
        Refuted::Spent(spent)
    }
}

pub(crate) fn wrong<T>(what: impl Into<String>) -> Result<T, Refuted> {
    Err(Refuted::Wrong(what.into()))
}

pub(crate) fn reported(judged: Result<(), Refuted>) -> CheckReport {
    match judged {
        Ok(()) => CheckReport::Accepted,
        Err(Refuted::Wrong(reason)) => CheckReport::rejected(reason),
        Err(Refuted::Open(what)) => CheckReport::unchecked(what),
        Err(Refuted::Spent(spent)) => CheckReport::unchecked(format!("the solution ({spent})")),
    }
}

/// A node of the graph: a place in plays.
pub(crate) struct Node {
    pub vertex: Vertex,
    pub colours: Colours,
    /// Who is said to win from here.
    pub winner: Player,
}

impl Node {
    /// Whether a play that got here is decided already: the goal of a reachability game.
    pub fn is_decided(&self, objective: &Objective) -> bool {
        match (objective, self.winner) {
            (Objective::Reach(colour), Player::Even) => self.colours.has(*colour),
            (Objective::Stay(colour), Player::Odd) => !self.colours.has(*colour),
            _ => false,
        }
    }
}

/// The numbers of positions, each a vertex with what is remembered there. None is listed twice, and every vertex has one with the first memory.
pub(crate) fn numbered(
    places: impl Iterator<Item = (Vertex, u32)>,
    vertices: usize,
) -> Result<HashMap<(Vertex, u32), usize>, Refuted> {
    let mut numbers = HashMap::new();
    for (number, (vertex, memory)) in places.enumerate() {
        if vertex.index() >= vertices {
            return wrong("a position is about a vertex that does not exist");
        }
        if numbers.insert((vertex, memory), number).is_some() {
            return wrong("a position is listed twice");
        }
    }
    match (0..vertices as u32).find(|&vertex| !numbers.contains_key(&(Vertex(vertex), 0))) {
        Some(vertex) => wrong(format!(
            "nothing is said about vertex {vertex} with the first memory"
        )),
        None => Ok(numbers),
    }
}

/// An objective about colours is met on every path from where Even is said to win, and on none from elsewhere. No edge leads from a node of one winner to one of the other.
pub(crate) fn won(
    nodes: &[Node],
    graph: &Graph,
    objective: &Objective,
    budget: &Budget,
) -> Result<(), Refuted> {
    match objective {
        Objective::Reach(colour) => reach(nodes, graph, Player::Even, (*colour, true), budget),
        Objective::Stay(colour) => reach(nodes, graph, Player::Odd, (*colour, false), budget),
        Objective::Recurring(condition) => recurring(nodes, graph, condition, budget),
        _ => wrong("the objective is not about colours"),
    }
}

/// Where `player` is said to reach the goal, no cycle avoids it; where not, there is none.
fn reach(
    nodes: &[Node],
    graph: &Graph,
    player: Player,
    (colour, having): (u32, bool),
    budget: &Budget,
) -> Result<(), Refuted> {
    let is_goal = |node: &Node| node.colours.has(colour) == having;
    let mut searched = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        match (node.winner == player, is_goal(node)) {
            (true, false) => searched.push(number),
            (false, true) => {
                return wrong(format!(
                    "{player} is said to lose from vertex {}, where the goal is",
                    node.vertex
                ));
            }
            _ => {}
        }
    }
    match components(graph, &searched, budget)?.first() {
        None => Ok(()),
        Some(cycle) => wrong(format!(
            "a cycle through vertex {} avoids the goal of {player}",
            nodes[cycle[0]].vertex
        )),
    }
}

/// No cycle shows what the loser wants.
fn recurring(nodes: &[Node], graph: &Graph, condition: &Condition, budget: &Budget) -> Result<(), Refuted> {
    for player in Player::BOTH {
        let feared = match player {
            Player::Even => condition.clone().negated(),
            Player::Odd => condition.clone(),
        };
        let own = |number: &usize| nodes[*number].winner == player;
        let mut waiting: Vec<Vec<usize>> = vec![(0..nodes.len()).filter(own).collect()];
        while let Some(part) = waiting.pop() {
            for component in components(graph, &part, budget)? {
                let colours = |number: &usize| nodes[*number].colours.0;
                let seen = Colours(component.iter().map(colours).fold(0, |all, own| all | own));
                if feared.holds(seen) {
                    return wrong(format!(
                        "a cycle through vertex {} is won by {}",
                        nodes[component[0]].vertex,
                        player.other()
                    ));
                }
                // A cycle that is feared lacks a colour of the component; if some are forbidden in any case, all of these.
                let given_up: Vec<u32> = (0..64)
                    .filter(|c| seen.has(*c) && is_forbidden(&feared, *c, seen))
                    .collect();
                let without = |lost: &[u32]| -> Vec<usize> {
                    let kept = |number: &&usize| !lost.iter().any(|c| colours(number) >> c & 1 == 1);
                    component.iter().filter(kept).copied().collect()
                };
                if !given_up.is_empty() {
                    waiting.push(without(&given_up));
                } else {
                    let mut unwanted = Vec::new();
                    unwanted_colours(&feared, &mut unwanted);
                    unwanted.retain(|c| seen.has(*c));
                    unwanted.sort_unstable();
                    unwanted.dedup();
                    waiting.extend(unwanted.iter().map(|&colour| without(&[colour])));
                }
            }
        }
    }
    Ok(())
}

/// Whether a condition cannot become true of a subset of the colours that has this one.
fn is_forbidden(condition: &Condition, colour: u32, seen: Colours) -> bool {
    fn possible(condition: &Condition, colour: u32, seen: Colours) -> bool {
        match condition {
            Condition::Constant(truth) => *truth,
            Condition::Infinitely(c) => seen.has(*c),
            Condition::Finitely(c) => *c != colour,
            Condition::All(parts) => parts.iter().all(|part| possible(part, colour, seen)),
            Condition::Any(parts) => parts.iter().any(|part| possible(part, colour, seen)),
        }
    }
    !possible(condition, colour, seen)
}

/// The colours that a condition wants only finitely often, somewhere.
fn unwanted_colours(condition: &Condition, found: &mut Vec<u32>) {
    match condition {
        Condition::Finitely(colour) => found.push(*colour),
        Condition::All(parts) | Condition::Any(parts) => {
            parts.iter().for_each(|part| unwanted_colours(part, found));
        }
        Condition::Constant(_) | Condition::Infinitely(_) => {}
    }
}
