//! Ranks of a graph without accepted cycles: a level and a missing mark for each node, such that levels never rise along an edge, and along an edge that keeps the level the mark stays the same and is not met.
//!
//! Components come from Tarjan's algorithm, those that can be reached first. Edges inside a component that is not accepted all miss some mark: it gets the highest level that it leads to, if it can miss the mark of that
//! level as well and every edge to that level does, and otherwise one more. So levels count how often a path must change what it misses, and are small. One pass over the edges.

use super::components::{MarkedGraph, components_in_order};
use entail_budget::{Budget, Spent};

/// The level of a node and the bit of the mark that it misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeRank {
    /// The level.
    pub level: u32,
    /// The bit.
    pub missing: u32,
}

/// The ranks of all nodes, where `required` are the bits that a cycle must meet to be accepted. If there is such a cycle, its nodes have ranks that break the rule.
pub fn ranks<G: MarkedGraph>(graph: &G, required: u64, budget: &Budget) -> Result<Vec<NodeRank>, Spent> {
    let mut ranks = vec![
        NodeRank {
            level: u32::MAX,
            missing: 0,
        };
        graph.node_count()
    ];
    let marks = |node: u32, edge: usize| {
        let mut marks = [0];
        graph.add_marks(node, edge, &mut marks);
        marks[0]
    };
    let mut inside = vec![u32::MAX; graph.node_count()];
    for (number, component) in components_in_order(graph, budget)?.into_iter().enumerate() {
        budget.check()?;
        let number = number as u32;
        component.iter().for_each(|&node| inside[node as usize] = number);
        let (mut met, mut highest) = (0, None);
        for &node in &component {
            for edge in graph.edges(node) {
                let target = graph.target(edge) as usize;
                match inside[target] == number {
                    true => met |= marks(node, edge),
                    false => highest = highest.max(Some(ranks[target].level)),
                }
            }
        }
        let missing = required & !met;
        // The bit of the highest level, if all edges to it agree on it and miss it.
        let mut kept: Option<u32> = None;
        let mut agrees = highest.is_some();
        for &node in &component {
            for edge in graph.edges(node) {
                let target = graph.target(edge) as usize;
                if inside[target] != number && Some(ranks[target].level) == highest {
                    let bit = ranks[target].missing;
                    agrees &= *kept.get_or_insert(bit) == bit && marks(node, edge) >> bit & 1 == 0;
                }
            }
        }
        let kept = kept.filter(|bit| agrees && missing >> bit & 1 == 1);
        let rank = match (highest, kept) {
            (Some(level), Some(missing)) => NodeRank { level, missing },
            (highest, _) => NodeRank {
                level: highest.map_or(0, |level| level + 1),
                missing: missing.trailing_zeros().min(63),
            },
        };
        component.iter().for_each(|&node| ranks[node as usize] = rank);
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    struct Rows {
        begins: Vec<usize>,
        edges: Vec<(u32, u64)>,
    }

    impl MarkedGraph for Rows {
        fn node_count(&self) -> usize {
            self.begins.len() - 1
        }

        fn edges(&self, node: u32) -> Range<usize> {
            self.begins[node as usize]..self.begins[node as usize + 1]
        }

        fn target(&self, edge: usize) -> u32 {
            self.edges[edge].0
        }

        fn add_marks(&self, _: u32, edge: usize, mark: &mut [u64]) {
            mark[0] |= self.edges[edge].1;
        }
    }

    /// Whether some cycle meets all bits: a node that reaches itself through edges among nodes that reach each other.
    fn has_accepted_cycle(rows: &Rows, required: u64) -> bool {
        let count = rows.node_count();
        let mut reach = vec![vec![false; count]; count];
        for from in 0..count {
            let mut pending: Vec<u32> = rows.edges(from as u32).map(|edge| rows.target(edge)).collect();
            while let Some(node) = pending.pop() {
                if !std::mem::replace(&mut reach[from][node as usize], true) {
                    pending.extend(rows.edges(node).map(|edge| rows.target(edge)));
                }
            }
        }
        (0..count).any(|node| {
            let inside = (0..count).filter(|&other| reach[node][other] && reach[other][node]);
            let edges = inside.flat_map(|other| rows.edges(other as u32));
            let met = edges
                .filter(|&edge| reach[rows.target(edge) as usize][node])
                .fold(0, |met, edge| met | rows.edges[edge].1);
            reach[node][node] && met & required == required
        })
    }

    #[test]
    fn ranks_obey_the_rule_exactly_where_no_cycle_is_accepted() {
        let mut seed = 5u64;
        let mut below = |bound: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % bound
        };
        let mut empty = 0;
        for round in 0..600 {
            let count = 1 + below(12) as usize;
            let mut rows = Rows {
                begins: vec![0],
                edges: Vec::new(),
            };
            for _ in 0..count {
                for _ in 0..below(3) {
                    let marks = below(8) & below(8);
                    rows.edges.push((below(count as u64) as u32, marks));
                }
                rows.begins.push(rows.edges.len());
            }
            let required = [0, 1, 3, 7][round % 4];
            let ranks = ranks(&rows, required, &Budget::unlimited()).expect("no limit");
            let obeys = (0..count as u32).all(|node| {
                rows.edges(node).all(|edge| {
                    let (from, to) = (ranks[node as usize], ranks[rows.target(edge) as usize]);
                    let bit = 1 << from.missing;
                    to.level < from.level
                        || to == from && required & bit != 0 && rows.edges[edge].1 & bit == 0
                })
            });
            assert_eq!(obeys, !has_accepted_cycle(&rows, required));
            empty += u32::from(obeys);
        }
        assert!((100..500).contains(&empty), "{empty}");
    }
}
