//! Complementation by slices (Vardi and Wilke 2008; Kähler and Wilke 2008).
//!
//! The *reduced split tree* of a word has sets of states as nodes: the left child of a node holds the successors by marked edges, the right one those
//! by other edges, and on each level a state stays only where it is leftmost. A level, read from left to right, is a *slice*. The word is
//! accepted iff some infinite branch goes left infinitely often, and the tree is at most `n` wide; so it is rejected iff from some level on
//! no infinite branch goes left at all.
//!
//! The complement follows the slices, guesses that level, and guesses for each node there whether its branch to the right goes on for ever
//! or all that comes from it dies. A left child of a node that goes on must die. Those that must die are waited for in turns: children that join later wait
//! until the ones before are gone, and then the edge is marked. Neighbours that must die are one set. At most about `(3n)^n` states.

use crate::acceptance::{Acceptance, Marks};
use crate::automaton::{Automaton, State};
use crate::error::Result;
use crate::label::Label;
use crate::numbering::Numbering;
use crate::reduce::powerset::split_letters;
use entail_budget::Budget;

/// What is guessed of a node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Fate {
    /// Its branch to the right never ends.
    GoesOn,
    /// All that comes from it dies, and is waited for.
    Dies,
    /// All that comes from it dies, and will be waited for next.
    DiesLater,
}

type Node = Vec<State>;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Slice {
    /// Nothing is guessed yet.
    Plain(Vec<Node>),
    Judged(Vec<(Node, Fate)>),
}

/// The complement of a Büchi automaton with the mark on edges, or nothing above `limit` states.
pub fn slice_complement(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Option<Automaton>> {
    let everything = *automaton.acceptance() == Acceptance::True;
    let mut result = Automaton::new(automaton.propositions().to_vec(), Acceptance::buchi(), 1)?;
    result.labels = automaton.labels.clone();
    let mut initial = automaton.initial().to_vec();
    initial.sort_unstable();
    let mut found = Numbering::new();
    let root = if initial.is_empty() { vec![] } else { vec![initial] };
    let first = found.state(Slice::Plain(root), &mut result);
    result.add_initial(first);
    let mut at = 0;
    while let Some(slice) = found.get(at) {
        budget.check()?;
        if found.len() > limit {
            return Ok(None);
        }
        let nodes: Vec<Node> = match &slice {
            Slice::Plain(nodes) => nodes.clone(),
            Slice::Judged(nodes) => nodes.iter().map(|(node, _)| node.clone()).collect(),
        };
        let mut parts: Vec<(Label, (usize, bool, State))> = Vec::new();
        for (position, node) in nodes.iter().enumerate() {
            for edge in node.iter().flat_map(|state| automaton.edges(*state)) {
                let right = !(everything || edge.marks.has(0));
                parts.push((edge.label, (position, right, edge.target)));
            }
        }
        for (label, reached) in split_letters(parts, &mut result.labels) {
            let children = children(nodes.len(), &reached);
            let mut successors: Vec<(Slice, bool)> = Vec::new();
            match &slice {
                Slice::Plain(_) => {
                    let next: Vec<Node> = children
                        .into_iter()
                        .flatten()
                        .filter(|node| !node.is_empty())
                        .collect();
                    successors.extend(judgements(&next).into_iter().map(|judged| (judged, false)));
                    successors.push((Slice::Plain(next), false));
                }
                Slice::Judged(judged) => successors.extend(follow(judged, children)),
            }
            for (next, marked) in successors {
                let target = found.state(next, &mut result);
                let marks = if marked { Marks::one(0) } else { Marks::NONE };
                result.add_edge(State(at as u32), label, target, marks);
            }
        }
        at += 1;
    }
    result.merge_edges();
    Ok(Some(result))
}

/// The left and the right child of each node; a state stays where it is leftmost.
fn children(nodes: usize, reached: &[(usize, bool, State)]) -> Vec<[Node; 2]> {
    let mut children: Vec<[Node; 2]> = vec![[vec![], vec![]]; nodes];
    let mut seen: Vec<State> = Vec::new();
    // Sorted: by node from left to right, the left child first.
    for &(position, right, target) in reached {
        if !seen.contains(&target) {
            seen.push(target);
            children[position][usize::from(right)].push(target);
        }
    }
    for node in children.iter_mut().flatten() {
        node.sort_unstable();
    }
    children
}

/// Every guess about the nodes of a slice.
fn judgements(nodes: &[Node]) -> Vec<Slice> {
    let guesses = 0..1u64 << nodes.len().min(63);
    let judged = guesses.map(|guess| {
        let each = nodes.iter().enumerate().map(|(position, node)| {
            let dies = guess >> position & 1 == 1;
            (node.clone(), if dies { Fate::Dies } else { Fate::GoesOn })
        });
        Slice::Judged(joined(each.collect()))
    });
    judged.collect()
}

/// The next slice, and whether a turn of waiting has ended; none if a node that should go on does not.
fn follow(judged: &[(Node, Fate)], children: Vec<[Node; 2]>) -> Option<(Slice, bool)> {
    let mut next: Vec<(Node, Fate)> = Vec::new();
    for ((_, fate), [left, right]) in judged.iter().zip(children) {
        match fate {
            Fate::GoesOn if right.is_empty() => return None,
            Fate::GoesOn => next.extend([(left, Fate::DiesLater), (right, Fate::GoesOn)]),
            fate => next.extend([(left, *fate), (right, *fate)]),
        }
    }
    next.retain(|(node, _)| !node.is_empty());
    let waited = next.iter().all(|(_, fate)| *fate != Fate::Dies);
    if waited {
        for (_, fate) in next.iter_mut().filter(|(_, fate)| *fate == Fate::DiesLater) {
            *fate = Fate::Dies;
        }
    }
    Some((Slice::Judged(joined(next)), waited))
}

/// Neighbours that die in the same turn as one node: what is to the right of them only sees all their states.
fn joined(nodes: Vec<(Node, Fate)>) -> Vec<(Node, Fate)> {
    let mut result: Vec<(Node, Fate)> = Vec::new();
    for (node, fate) in nodes {
        match result.last_mut() {
            Some((before, last)) if *last == fate && fate != Fate::GoesOn => {
                before.extend(node);
                before.sort_unstable();
            }
            _ => result.push((node, fate)),
        }
    }
    result
}
