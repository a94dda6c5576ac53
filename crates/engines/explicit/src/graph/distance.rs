//! Shortest and longest paths between sets of states, as NuSMV's COMPUTE defines them.
//!
//! Both look at reachable fair states only. `MIN [f, g]` is the number of steps of the shortest path from an `f`-state to a
//! `g`-state, infinite if there is none. `MAX [f, g]` is the largest number of steps before a path from an `f`-state must
//! have met `g`, infinite if some path never does; it is undefined if no state satisfies `f` or none satisfies `g`.

use super::labelling::Labelling;
use super::state_graph::StateSet;
use crate::search::explore::ExplorationEnd;
use entail_evidence::Quantity;

const UNREACHED: u32 = u32::MAX;

/// The shortest path from `start` to `goal` through fair states, as states; empty if there is none.
pub(crate) fn shortest_path(
    labelling: &Labelling<'_>,
    start: &StateSet,
    goal: &StateSet,
) -> Result<(Quantity, Vec<u32>), ExplorationEnd> {
    let graph = labelling.graph;
    let start = start & &labelling.fair;
    let mut parent = vec![UNREACHED; graph.len()];
    let mut queue: Vec<u32> = Vec::new();
    for state in start.ones() {
        parent[state] = state as u32;
        queue.push(state as u32);
    }
    let mut at = 0;
    while at < queue.len() {
        labelling.budget.check().map_err(|spent| graph.spent(spent))?;
        let state = queue[at];
        at += 1;
        if goal.contains(state as usize) {
            let mut path = vec![state];
            let mut back = state;
            while parent[back as usize] != back {
                back = parent[back as usize];
                path.push(back);
            }
            path.reverse();
            return Ok((Quantity::whole(path.len() as u64 - 1), path));
        }
        for &next in graph.successors(state) {
            if parent[next as usize] == UNREACHED && labelling.fair.contains(next as usize) {
                parent[next as usize] = state;
                queue.push(next);
            }
        }
    }
    Ok((Quantity::Infinite, Vec::new()))
}

/// The longest path from `start` that has not met `goal` before its last state, as states; empty unless it is finite.
pub(crate) fn longest_path(
    labelling: &Labelling<'_>,
    start: &StateSet,
    goal: &StateSet,
) -> Result<(Quantity, Vec<u32>), ExplorationEnd> {
    let graph = labelling.graph;
    let (start, goal) = (start & &labelling.fair, goal & &labelling.fair);
    if start.is_clear() || goal.is_clear() {
        return Ok((Quantity::Undefined, Vec::new()));
    }
    // Depth-first: the length from a state is one more than the largest of its successors'; a state met again
    // before it is finished closes a cycle that avoids the goal.
    let mut length: Vec<Option<u64>> = vec![None; graph.len()];
    let mut open = StateSet::with_capacity(graph.len());
    let inner = |state: u32| labelling.fair.contains(state as usize) && !goal.contains(state as usize);
    for root in start.ones().map(|state| state as u32) {
        if !inner(root) || length[root as usize].is_some() {
            continue;
        }
        let mut stack = vec![(root, graph.edges(root))];
        open.insert(root as usize);
        while let Some((state, edges)) = stack.last_mut() {
            let state = *state;
            match edges.next() {
                Some(edge) => {
                    labelling.budget.check().map_err(|spent| graph.spent(spent))?;
                    let next = graph.edge_target(edge);
                    if open.contains(next as usize) {
                        return Ok((Quantity::Infinite, Vec::new()));
                    }
                    if inner(next) && length[next as usize].is_none() {
                        open.insert(next as usize);
                        stack.push((next, graph.edges(next)));
                    }
                }
                None => {
                    let longest = graph
                        .successors(state)
                        .iter()
                        .filter_map(|&next| length[next as usize])
                        .max();
                    length[state as usize] = Some(1 + longest.unwrap_or(0));
                    open.remove(state as usize);
                    stack.pop();
                }
            }
        }
    }
    let measure = |state: u32| length[state as usize].unwrap_or(0);
    let Some(first) = start
        .ones()
        .map(|state| state as u32)
        .max_by_key(|&state| measure(state))
    else {
        return Ok((Quantity::Undefined, Vec::new()));
    };
    let mut path = vec![first];
    let mut at = first;
    while measure(at) > 0 {
        let rest = measure(at) - 1;
        let next = graph
            .successors(at)
            .iter()
            .copied()
            .find(|&next| labelling.fair.contains(next as usize) && measure(next) == rest);
        match next {
            Some(next) => path.push(next),
            None => break,
        }
        at = path[path.len() - 1];
    }
    // A path that ends where paths may end has one step less than it counts: it cannot show the length.
    if (path.len() as u64) <= measure(first) {
        path.clear();
    }
    Ok((Quantity::whole(measure(first)), path))
}
