//! Cycles of graphs that strategies leave: components that have one (Tarjan, without recursion), and cycles of negative weight (Bellman and Ford).

use entail_budget::{Budget, Spent};

/// For each node where its edges lead, and their weights.
pub(crate) type Graph = Vec<Vec<(usize, i64)>>;

/// The strongly connected components, of the part of a graph that is listed, in which there is a cycle.
pub(crate) fn components(graph: &Graph, part: &[usize], budget: &Budget) -> Result<Vec<Vec<usize>>, Spent> {
    const OUTSIDE: u32 = u32::MAX;
    const UNSEEN: u32 = 0;
    let mut order = vec![OUTSIDE; graph.len()];
    let mut low = vec![0u32; graph.len()];
    let mut on_stack = vec![false; graph.len()];
    part.iter().for_each(|&node| order[node] = UNSEEN);
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 1u32);
    for &root in part {
        if order[root] != UNSEEN {
            continue;
        }
        let mut path: Vec<(usize, usize)> = vec![(root, 0)];
        while let Some(&(node, edge)) = path.last() {
            budget.check()?;
            if edge == 0 {
                order[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            if let Some(&(to, _)) = graph[node].get(edge) {
                if let Some(top) = path.last_mut() {
                    top.1 += 1;
                }
                if order[to] == UNSEEN {
                    path.push((to, 0));
                } else if order[to] != OUTSIDE && on_stack[to] {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            path.pop();
            if let Some(&(before, _)) = path.last() {
                low[before] = low[before].min(low[node]);
            }
            if low[node] == order[node] {
                let begin = stack.iter().rposition(|&other| other == node).unwrap_or(0);
                let component = stack.split_off(begin);
                component.iter().for_each(|&member| on_stack[member] = false);
                let turns = component.len() > 1 || graph[node].iter().any(|&(to, _)| to == node);
                if turns {
                    found.push(component);
                }
            }
        }
    }
    Ok(found)
}

/// Whether some cycle has a sum below zero; costs are pairs, of which the first counts more.
pub(crate) fn has_negative_cycle(
    costs: &[Vec<(usize, (i128, i128))>],
    budget: &Budget,
) -> Result<bool, Spent> {
    let mut potential = vec![(0i128, 0i128); costs.len()];
    for _ in 0..=costs.len() {
        let mut changed = false;
        for (from, row) in costs.iter().enumerate() {
            budget.check()?;
            for &(to, (first, second)) in row {
                let reached = (potential[from].0 + first, potential[from].1 + second);
                if reached < potential[to] {
                    potential[to] = reached;
                    changed = true;
                }
            }
        }
        if !changed {
            return Ok(false);
        }
    }
    Ok(true)
}
