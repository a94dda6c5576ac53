//! Shortest and longest paths by iteration on sets of states.
//!
//! The start states are the reachable states on fair paths that satisfy the first condition. The shortest path is
//! found by images until a final state is met. For the longest, `avoiding(k)` is the set of states with a path of `k` steps
//! that has not met a final state; the answer is the least `k` for which no start state is in it, and infinite if the sets
//! stop shrinking before.

use super::graph::{Graph, Target};
use entail_evidence::Quantity;

/// The length of the shortest path from a state of `start` to one of `goal`.
pub(crate) fn shortest_path(graph: &Graph, start: &[bool], goal: &[bool]) -> Quantity {
    let mut frontier: Vec<usize> = (0..start.len()).filter(|&state| start[state]).collect();
    let mut seen = start.to_vec();
    let mut length = 0;
    while !frontier.is_empty() {
        if frontier.iter().any(|&state| goal[state]) {
            return Quantity::whole(length);
        }
        let mut next = Vec::new();
        for &state in &frontier {
            for step in graph.steps_of(state) {
                if let Target::State(to) = graph.targets[step]
                    && !seen[to]
                {
                    seen[to] = true;
                    next.push(to);
                }
            }
        }
        frontier = next;
        length += 1;
    }
    Quantity::Infinite
}

/// The length of the longest path from a state of `start` that has not met `goal` before.
/// No state of either set makes the question meaningless.
pub(crate) fn longest_path(graph: &Graph, start: &[bool], goal: &[bool], fair: &[bool]) -> Quantity {
    if !start.contains(&true) || !goal.contains(&true) {
        return Quantity::Undefined;
    }
    let mut avoiding: Vec<bool> = goal.iter().zip(fair).map(|(&met, &fair)| fair && !met).collect();
    let mut length = 0;
    loop {
        if (0..start.len()).all(|state| !(start[state] && avoiding[state])) {
            return Quantity::whole(length);
        }
        let longer: Vec<bool> = (0..start.len())
            .map(|state| {
                let goes_on = |step: usize| match graph.targets[step] {
                    Target::State(to) => avoiding[to],
                    Target::End => false,
                };
                fair[state] && !goal[state] && graph.steps_of(state).any(goes_on)
            })
            .collect();
        if longer == avoiding {
            return Quantity::Infinite;
        }
        avoiding = longer;
        length += 1;
    }
}
