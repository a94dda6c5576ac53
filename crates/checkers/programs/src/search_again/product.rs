//! The product of a program's states with a watcher, and whether some run through it is a violation.
//!
//! The whole product is built, then taken apart into strongly connected components (Kosaraju's two depth-first searches). A run can stay in
//! a component for ever and pass through all of it again and again, so there is a violation if some component with a step inside
//! sees every mark and, where fairness counts, for every process there is a step of it or a state in which it cannot move.

use super::states::RestingStates;
use super::watcher::Watcher;
use super::{MOST_NODES, Undecided};
use crate::processes::Processes;
use entail_budget::Budget;
use std::collections::HashMap;

/// The product: pairs of a state and a position of the watcher.
#[derive(Default)]
struct Product {
    nodes: Vec<(usize, u64)>,
    /// By node, its steps: to which node, and who moves.
    steps: Vec<Vec<(usize, Processes)>>,
}

/// Whether some run is a violation.
pub fn has_violation(
    states: &RestingStates,
    watcher: &mut dyn Watcher,
    fair: bool,
    budget: &Budget,
) -> Result<bool, Undecided> {
    let Some(product) = Product::build(states, watcher, budget)? else {
        return Ok(true);
    };
    for component in product.components(budget)? {
        budget.check()?;
        if product.is_accepting(&component, states, watcher, fair)? {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Product {
    /// The product; nothing if the watcher comes to its end somewhere.
    fn build(
        states: &RestingStates,
        watcher: &mut dyn Watcher,
        budget: &Budget,
    ) -> Result<Option<Product>, Undecided> {
        let mut product = Product::default();
        let mut numbers: HashMap<(usize, u64), usize> = HashMap::new();
        let mut number = |node: (usize, u64), nodes: &mut Vec<(usize, u64)>| {
            *numbers.entry(node).or_insert_with(|| {
                nodes.push(node);
                nodes.len() - 1
            })
        };
        for at in watcher.begin(0)? {
            number((0, at), &mut product.nodes);
        }
        let mut size = 0;
        while let Some(&(state, at)) = product.nodes.get(product.steps.len()) {
            budget.check()?;
            if watcher.ends(at, state)? {
                return Ok(None);
            }
            let here = &states.0[state];
            let mut moves: Vec<(usize, Processes)> =
                here.steps.iter().map(|step| (step.to, step.movers)).collect();
            if here.is_last() && watcher.repeats_last_state() {
                moves.push((state, Processes::default()));
            }
            let mut steps = Vec::new();
            for (to, movers) in moves {
                for next in watcher.next(at, state, to)? {
                    steps.push((number((to, next), &mut product.nodes), movers));
                }
            }
            size += 1 + steps.len();
            if size > MOST_NODES {
                return Err(Undecided::ProductTooLarge);
            }
            product.steps.push(steps);
        }
        Ok(Some(product))
    }

    /// The strongly connected components.
    fn components(&self, budget: &Budget) -> Result<Vec<Vec<usize>>, Undecided> {
        let forwards: Vec<Vec<usize>> = (self.steps.iter())
            .map(|steps| steps.iter().map(|(to, _)| *to).collect())
            .collect();
        let mut backwards: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (from, steps) in forwards.iter().enumerate() {
            steps.iter().for_each(|&to| backwards[to].push(from));
        }
        // The first search orders nodes by when it leaves them; the second goes backwards from those left last.
        let mut seen = vec![false; self.nodes.len()];
        let mut left = Vec::new();
        for node in 0..self.nodes.len() {
            left.extend(search(node, &forwards, &mut seen, budget)?);
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut components = Vec::new();
        for &node in left.iter().rev() {
            let component = search(node, &backwards, &mut seen, budget)?;
            if !component.is_empty() {
                components.push(component);
            }
        }
        Ok(components)
    }

    fn is_accepting(
        &self,
        component: &[usize],
        states: &RestingStates,
        watcher: &mut dyn Watcher,
        fair: bool,
    ) -> Result<bool, Undecided> {
        let inside: std::collections::HashSet<usize> = component.iter().copied().collect();
        let steps: Vec<&(usize, Processes)> = (component.iter())
            .flat_map(|&node| &self.steps[node])
            .filter(|(to, _)| inside.contains(to))
            .collect();
        if steps.is_empty() {
            return Ok(false);
        }
        let mut missing = vec![true; watcher.marks()];
        for &node in component {
            let (state, at) = self.nodes[node];
            for (missing, seen) in missing.iter_mut().zip(watcher.seen(at, state)?) {
                *missing &= !seen;
            }
        }
        if missing.contains(&true) {
            return Ok(false);
        }
        let is_just = |process: u8| {
            let cannot_move = |&node: &usize| !states.0[self.nodes[node].0].enabled.contains(process);
            component.iter().any(cannot_move) || steps.iter().any(|(_, movers)| movers.contains(process))
        };
        Ok(!fair || (0..=u8::MAX).all(is_just))
    }
}

/// A depth-first search from a node over what has not been seen; the nodes in the order in which it leaves them.
fn search(
    from: usize,
    follows: &[Vec<usize>],
    seen: &mut [bool],
    budget: &Budget,
) -> Result<Vec<usize>, Undecided> {
    let mut left = Vec::new();
    if std::mem::replace(&mut seen[from], true) {
        return Ok(left);
    }
    let mut stack = vec![(from, 0)];
    while let Some((node, next)) = stack.last_mut() {
        budget.check()?;
        match follows[*node].get(*next) {
            Some(&to) => {
                *next += 1;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => {
                left.push(*node);
                stack.pop();
            }
        }
    }
    Ok(left)
}
