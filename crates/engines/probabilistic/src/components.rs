//! Strongly connected components, and maximal end components.
//!
//! Components by Tarjan's algorithm without recursion, in the order in which they are finished: targets before sources. End components by
//! repeated decomposition (de Alfaro 1997): choices that may leave a component are dropped, and only the components that lost something
//! are decomposed again.

use crate::sparse::Sparse;
use entail_budget::{Budget, Spent};
use fixedbitset::FixedBitSet;

/// The strongly connected components of a graph, targets first; inside a component nodes are in the order in which the search finished with
/// them, so that most edges lead to earlier ones. `successors` gives the successors of a node.
pub(crate) fn strongly_connected<'g, I: Iterator<Item = u32>>(
    roots: impl Iterator<Item = u32>,
    size: usize,
    successors: impl Fn(u32) -> I + 'g,
    budget: &Budget,
) -> Result<Vec<Vec<u32>>, Spent> {
    const UNSEEN: u32 = u32::MAX;
    let mut index = vec![UNSEEN; size];
    let mut low = vec![0u32; size];
    let mut on_stack = FixedBitSet::with_capacity(size);
    let mut stack: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0u32;
    let mut calls: Vec<(u32, I)> = Vec::new();
    let mut finished: Vec<u32> = Vec::new();
    for root in roots {
        if index[root as usize] != UNSEEN {
            continue;
        }
        index[root as usize] = next;
        low[root as usize] = next;
        next += 1;
        stack.push(root);
        on_stack.insert(root as usize);
        calls.push((root, successors(root)));
        while let Some((node, rest)) = calls.last_mut() {
            budget.check()?;
            let node = *node as usize;
            if let Some(target) = rest.next() {
                let target_at = target as usize;
                if index[target_at] == UNSEEN {
                    index[target_at] = next;
                    low[target_at] = next;
                    next += 1;
                    stack.push(target);
                    on_stack.insert(target_at);
                    calls.push((target, successors(target)));
                } else if on_stack.contains(target_at) {
                    low[node] = low[node].min(index[target_at]);
                }
                continue;
            }
            calls.pop();
            finished.push(node as u32);
            if let Some((parent, _)) = calls.last() {
                let parent = *parent as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == index[node] {
                let mut component = Vec::new();
                while let Some(top) = stack.pop() {
                    on_stack.set(top as usize, false);
                    component.push(top);
                    if top as usize == node {
                        break;
                    }
                }
                // Tarjan is done with these nodes: their low points are free for the number of the component.
                for &member in &component {
                    low[member as usize] = found.len() as u32;
                }
                component.clear();
                found.push(component);
            }
        }
    }
    for node in finished {
        found[low[node as usize] as usize].push(node);
    }
    Ok(found)
}

/// A maximal end component: states, and the choices that stay inside.
#[derive(Clone, Debug)]
pub(crate) struct EndComponent {
    pub states: Vec<u32>,
    pub choices: Vec<u32>,
}

/// The maximal end components among some states, with those choices that `allowed` keeps.
pub(crate) fn end_components(
    model: &Sparse,
    states: &FixedBitSet,
    allowed: &dyn Fn(usize) -> bool,
    budget: &Budget,
) -> Result<Vec<EndComponent>, Spent> {
    let mut kept = FixedBitSet::with_capacity(model.rows.len() - 1);
    let mut inside = states.clone();
    for state in states.ones() {
        for choice in model.choices_of(state) {
            if allowed(choice)
                && model
                    .targets_of(choice)
                    .iter()
                    .all(|&target| states.contains(target as usize))
            {
                kept.insert(choice);
            }
        }
    }
    let mut label = vec![0u32; model.states()];
    let mut fresh = 0u32;
    let mut found = Vec::new();
    let mut waiting: Vec<u32> = states.ones().map(|state| state as u32).collect();
    while !waiting.is_empty() {
        let successors = |state: u32| {
            let kept = &kept;
            model
                .choices_of(state as usize)
                .filter(move |&choice| kept.contains(choice))
                .flat_map(|choice| model.targets_of(choice).iter().copied())
        };
        let components = strongly_connected(waiting.iter().copied(), model.states(), successors, budget)?;
        let mut again = Vec::new();
        for component in components {
            budget.check()?;
            fresh += 1;
            for &state in &component {
                label[state as usize] = fresh;
            }
            let mut changed = false;
            for &state in &component {
                let mut any = false;
                for choice in model.choices_of(state as usize) {
                    if !kept.contains(choice) {
                        continue;
                    }
                    let stays =
                        |&target: &u32| label[target as usize] == fresh && inside.contains(target as usize);
                    if model.targets_of(choice).iter().all(stays) {
                        any = true;
                    } else {
                        kept.set(choice, false);
                        changed = true;
                    }
                }
                if !any {
                    inside.set(state as usize, false);
                    changed = true;
                }
            }
            if changed {
                again.extend(
                    component
                        .into_iter()
                        .filter(|&state| inside.contains(state as usize)),
                );
                continue;
            }
            let choices = (component.iter())
                .flat_map(|&state| model.choices_of(state as usize))
                .filter(|&choice| kept.contains(choice))
                .map(|choice| choice as u32)
                .collect();
            found.push(EndComponent {
                states: component,
                choices,
            });
        }
        waiting = again;
    }
    Ok(found)
}
