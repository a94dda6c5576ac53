//! Nodes from which an infinite fair path starts, by nested fixpoints.
//!
//! The core is the greatest set `Z` of nodes such that every node of `Z` has a successor in `Z`, reaches each justice set
//! inside `Z`, and, where it satisfies the `p` of a compassion pair, reaches the pair's `q` inside `Z`.
//!
//! *Every node of `Z` starts a fair path:* walk inside `Z` into a strongly connected part of it that cannot be left inside
//! `Z`; there each justice set is met, and each `p` that is met has its `q`: go round all of it for ever. *Every fair path
//! ends up in `Z`:* the nodes it visits infinitely often satisfy the conditions among themselves. So the nodes that start a
//! fair path are those that reach the core. (Emerson and Lei for justice; Kesten, Pnueli and Raviv for compassion.)

use super::NotRechecked;
use entail_budget::Budget;

/// A directed graph with fairness: node sets are bit vectors.
pub(crate) struct FairGraph {
    /// The predecessors of each node.
    pub predecessors: Vec<Vec<u32>>,
    /// How many successors each node has.
    pub successors: Vec<Vec<u32>>,
    pub justice: Vec<Vec<bool>>,
    pub compassion: Vec<(Vec<bool>, Vec<bool>)>,
}

impl FairGraph {
    pub fn new(successors: Vec<Vec<u32>>) -> FairGraph {
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (node, list) in successors.iter().enumerate() {
            for &successor in list {
                predecessors[successor as usize].push(node as u32);
            }
        }
        FairGraph {
            predecessors,
            successors,
            justice: Vec::new(),
            compassion: Vec::new(),
        }
    }

    /// The nodes of `through` (or of `goal` itself) that reach `goal` by a path of `through`: `through U goal`.
    pub fn reach(&self, through: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut reached = goal.to_vec();
        let mut work: Vec<usize> = (0..goal.len()).filter(|&node| goal[node]).collect();
        while let Some(node) = work.pop() {
            for &before in &self.predecessors[node] {
                let before = before as usize;
                if through[before] && !reached[before] {
                    reached[before] = true;
                    work.push(before);
                }
            }
        }
        reached
    }

    /// The nodes that start a fair path inside `within`.
    pub fn fair(&self, within: &[bool], budget: &Budget) -> Result<Vec<bool>, NotRechecked> {
        let mut core = within.to_vec();
        loop {
            budget.check_now()?;
            let before = core.clone();
            for justice in &self.justice {
                core = self.reach(&core, &both(&core, justice));
            }
            for (p, q) in &self.compassion {
                let met = self.reach(&core, &both(&core, q));
                for node in 0..core.len() {
                    core[node] &= !p[node] || met[node];
                }
            }
            self.remove_dead_ends(&mut core);
            if core == before {
                return Ok(self.reach(within, &core));
            }
        }
    }

    /// Leaves the nodes from which an infinite path inside the set starts.
    fn remove_dead_ends(&self, set: &mut [bool]) {
        let inside = |set: &[bool], node: usize| {
            self.successors[node]
                .iter()
                .filter(|&&successor| set[successor as usize])
                .count()
        };
        let mut count: Vec<usize> = (0..set.len()).map(|node| inside(set, node)).collect();
        let mut work: Vec<usize> = (0..set.len())
            .filter(|&node| set[node] && count[node] == 0)
            .collect();
        while let Some(node) = work.pop() {
            set[node] = false;
            for &before in &self.predecessors[node] {
                let before = before as usize;
                count[before] -= 1;
                if set[before] && count[before] == 0 {
                    work.push(before);
                }
            }
        }
    }
}

fn both(left: &[bool], right: &[bool]) -> Vec<bool> {
    left.iter()
        .zip(right)
        .map(|(&left, &right)| left && right)
        .collect()
}
