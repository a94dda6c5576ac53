//! The checker's own components: strongly connected ones by two depth-first searches (Kosaraju), and maximal end components by dropping what
//! leaves a component until nothing changes. Quadratic in the worst case.

use entail_budget::{Budget, Spent};
use entail_markov::Row;

/// The number of each node's strongly connected component.
pub(crate) fn strongly_connected(edges: &[Vec<u32>], budget: &Budget) -> Result<Vec<u32>, Spent> {
    let size = edges.len();
    let mut order = Vec::with_capacity(size);
    let mut seen = vec![false; size];
    for root in 0..size {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut path = vec![(root, 0usize)];
        while let Some((node, at)) = path.last_mut() {
            budget.check()?;
            match edges[*node].get(*at) {
                Some(&next) => {
                    *at += 1;
                    if !std::mem::replace(&mut seen[next as usize], true) {
                        path.push((next as usize, 0));
                    }
                }
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    let mut backwards: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (node, targets) in edges.iter().enumerate() {
        for &target in targets {
            backwards[target as usize].push(node as u32);
        }
    }
    let mut component = vec![u32::MAX; size];
    let mut count = 0;
    for &root in order.iter().rev() {
        if component[root] != u32::MAX {
            continue;
        }
        component[root] = count;
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            budget.check()?;
            for &before in &backwards[node] {
                if component[before as usize] == u32::MAX {
                    component[before as usize] = count;
                    waiting.push(before as usize);
                }
            }
        }
        count += 1;
    }
    Ok(component)
}

/// The maximal end components among some states, by choices that `allowed` keeps.
pub(crate) fn end_components(
    rows: &[Vec<Row>],
    states: &[bool],
    allowed: &dyn Fn(usize, usize) -> bool,
    budget: &Budget,
) -> Result<Vec<Vec<usize>>, Spent> {
    let mut inside = states.to_vec();
    let mut kept: Vec<Vec<bool>> = (rows.iter().enumerate())
        .map(|(state, rows)| (0..rows.len()).map(|at| allowed(state, at)).collect())
        .collect();
    let mut component = vec![0u32; rows.len()];
    loop {
        budget.check_now()?;
        let mut changed = false;
        for state in 0..rows.len() {
            let stays = |row: &Row| {
                let there = |&(target, _): &(u32, _)| {
                    inside[target as usize] && component[target as usize] == component[state]
                };
                row.targets
                    .iter()
                    .map(|(target, weight)| (*target, weight))
                    .all(|pair| there(&pair))
            };
            if !inside[state] {
                continue;
            }
            for (row, kept) in rows[state].iter().zip(&mut kept[state]) {
                if *kept && !stays(row) {
                    *kept = false;
                    changed = true;
                }
            }
            if !kept[state].contains(&true) {
                inside[state] = false;
                changed = true;
            }
        }
        let edges: Vec<Vec<u32>> = (0..rows.len())
            .map(|state| {
                let rows = rows[state]
                    .iter()
                    .zip(&kept[state])
                    .filter(|(_, kept)| inside[state] && **kept);
                rows.flat_map(|(row, _)| row.targets.iter().map(|(target, _)| *target))
                    .collect()
            })
            .collect();
        let found = strongly_connected(&edges, budget)?;
        if !changed && found == component {
            break;
        }
        component = found;
    }
    let mut groups: std::collections::BTreeMap<u32, Vec<usize>> = std::collections::BTreeMap::new();
    for state in (0..rows.len()).filter(|&state| inside[state]) {
        groups.entry(component[state]).or_default().push(state);
    }
    Ok(groups.into_values().collect())
}
