//! Strongly connected components that contain a fair cycle.
//!
//! Tarjan's algorithm without recursion, on the part of a graph given by nodes and forbidden marks. A component is fair if
//! its inner edges meet every required bit and, for each pair, the second bit wherever they meet the first. If only the
//! pairs fail, a fair cycle must avoid the first bits of the failing pairs altogether: those edges are forbidden and the
//! component is decomposed again (the emptiness test for Streett automata). Linear for justice; with compassion at most
//! one more round a pair.

use super::marks::{Acceptance, Branch, contains, insert, intersects, unite};
use entail_budget::{Budget, Spent};
use std::ops::Range;

/// A graph with marked edges.
pub trait MarkedGraph {
    /// How many nodes there are.
    fn node_count(&self) -> usize;
    /// The edges that leave a node.
    fn edges(&self, node: u32) -> Range<usize>;
    /// Where an edge leads.
    fn target(&self, edge: usize) -> u32;
    /// Adds what an edge meets to a mark.
    fn add_marks(&self, node: u32, edge: usize, mark: &mut [u64]);
}

/// A component every node of which lies on a fair cycle that uses no edge with a forbidden mark.
#[derive(Clone, Debug)]
pub struct FairComponent {
    /// Its nodes.
    pub nodes: Vec<u32>,
    /// The marks that the cycle avoids.
    pub forbidden: Vec<u64>,
}

const OUTSIDE: u32 = u32::MAX;
const UNVISITED: u32 = u32::MAX;

struct Decomposition<'g, G> {
    graph: &'g G,
    acceptance: &'g Acceptance,
    /// Which part of the graph a node belongs to.
    region: Vec<u32>,
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    scratch: Vec<u64>,
}

/// The fair components of the graph restricted to some nodes.
pub fn fair_components<G: MarkedGraph>(
    graph: &G,
    acceptance: &Acceptance,
    inside: impl Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Vec<FairComponent>, Spent> {
    decompose(graph, acceptance, &[], inside, budget)
}

/// All strongly connected components, those that can be reached from another before it.
pub fn components_in_order<G: MarkedGraph>(graph: &G, budget: &Budget) -> Result<Vec<Vec<u32>>, Spent> {
    let count = graph.node_count();
    let acceptance = Acceptance {
        words: 1,
        ..Acceptance::default()
    };
    let mut work = Decomposition {
        graph,
        acceptance: &acceptance,
        region: vec![0; count],
        index: vec![UNVISITED; count],
        low: vec![0; count],
        on_stack: vec![false; count],
        scratch: vec![0],
    };
    let whole = FairComponent {
        nodes: (0..count as u32).collect(),
        forbidden: vec![0],
    };
    work.components(&whole, budget)
}

/// The components with a cycle that satisfies one of several conditions, for acceptance that is a disjunction: Rabin and parity.
pub fn components_of_any<G: MarkedGraph>(
    graph: &G,
    branches: &[Branch],
    inside: impl Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Vec<FairComponent>, Spent> {
    let mut found = Vec::new();
    for branch in branches {
        found.extend(decompose(graph, &branch.meet, &branch.avoid, &inside, budget)?);
    }
    Ok(found)
}

fn decompose<G: MarkedGraph>(
    graph: &G,
    acceptance: &Acceptance,
    avoid: &[usize],
    inside: impl Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Vec<FairComponent>, Spent> {
    let count = graph.node_count();
    let nodes: Vec<u32> = (0..count as u32).filter(|&node| inside(node)).collect();
    let mut region = vec![OUTSIDE; count];
    for &node in &nodes {
        region[node as usize] = 0;
    }
    let mut work = Decomposition {
        graph,
        acceptance,
        region,
        index: vec![UNVISITED; count],
        low: vec![0; count],
        on_stack: vec![false; count],
        scratch: vec![0; acceptance.words],
    };
    let mut fair = Vec::new();
    let mut regions = 1;
    let mut forbidden = vec![0; acceptance.words];
    avoid.iter().for_each(|&bit| insert(&mut forbidden, bit));
    let mut waiting = vec![FairComponent { nodes, forbidden }];
    while let Some(part) = waiting.pop() {
        for nodes in work.components(&part, budget)? {
            // Give the component a region of its own, so that its inner edges can be told.
            for &node in &nodes {
                work.region[node as usize] = regions;
            }
            regions += 1;
            let component = FairComponent {
                nodes,
                forbidden: part.forbidden.clone(),
            };
            let Some(met) = work.inner_marks(&component) else {
                continue;
            };
            if !acceptance.required.iter().all(|&bit| contains(&met, bit)) {
                continue;
            }
            let failing: Vec<usize> = acceptance
                .pairs
                .iter()
                .filter(|&&(first, second)| contains(&met, first) && !contains(&met, second))
                .map(|&(first, _)| first)
                .collect();
            if failing.is_empty() {
                fair.push(component);
            } else {
                let mut forbidden = component.forbidden;
                for bit in failing {
                    insert(&mut forbidden, bit);
                }
                waiting.push(FairComponent {
                    nodes: component.nodes,
                    forbidden,
                });
            }
        }
    }
    Ok(fair)
}

impl<G: MarkedGraph> Decomposition<'_, G> {
    fn allows(&mut self, node: u32, edge: usize, forbidden: &[u64]) -> bool {
        if self.region[self.graph.target(edge) as usize] != self.region[node as usize] {
            return false;
        }
        if forbidden.iter().all(|&word| word == 0) {
            return true;
        }
        self.scratch.fill(0);
        self.graph.add_marks(node, edge, &mut self.scratch);
        !intersects(&self.scratch, forbidden)
    }

    /// What the inner edges of a component meet together; none if it has no inner edge.
    fn inner_marks(&mut self, component: &FairComponent) -> Option<Vec<u64>> {
        let mut met = vec![0; self.acceptance.words];
        let mut any = false;
        for &node in &component.nodes {
            for edge in self.graph.edges(node) {
                if self.allows(node, edge, &component.forbidden) {
                    any = true;
                    self.scratch.fill(0);
                    self.graph.add_marks(node, edge, &mut self.scratch);
                    unite(&mut met, &self.scratch);
                }
            }
        }
        any.then_some(met)
    }

    /// Tarjan's algorithm on one part.
    fn components(&mut self, part: &FairComponent, budget: &Budget) -> Result<Vec<Vec<u32>>, Spent> {
        for &node in &part.nodes {
            self.index[node as usize] = UNVISITED;
        }
        let mut components = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        let mut calls: Vec<(u32, usize)> = Vec::new();
        let mut counter = 0;
        for &root in &part.nodes {
            if self.index[root as usize] != UNVISITED {
                continue;
            }
            calls.push((root, self.graph.edges(root).start));
            self.enter(root, &mut counter, &mut stack);
            while let Some((node, edge)) = calls.pop() {
                if edge == self.graph.edges(node).end {
                    if self.low[node as usize] == self.index[node as usize] {
                        let at = stack
                            .iter()
                            .rposition(|&other| other == node)
                            .expect("a root is on the stack");
                        let component = stack.split_off(at);
                        for &member in &component {
                            self.on_stack[member as usize] = false;
                        }
                        components.push(component);
                    }
                    if let Some(&(parent, _)) = calls.last() {
                        self.low[parent as usize] = self.low[parent as usize].min(self.low[node as usize]);
                    }
                    continue;
                }
                calls.push((node, edge + 1));
                if !self.allows(node, edge, &part.forbidden) {
                    continue;
                }
                let target = self.graph.target(edge);
                if self.index[target as usize] == UNVISITED {
                    budget.check()?;
                    calls.push((target, self.graph.edges(target).start));
                    self.enter(target, &mut counter, &mut stack);
                } else if self.on_stack[target as usize] {
                    self.low[node as usize] = self.low[node as usize].min(self.index[target as usize]);
                }
            }
        }
        Ok(components)
    }

    fn enter(&mut self, node: u32, counter: &mut u32, stack: &mut Vec<u32>) {
        self.index[node as usize] = *counter;
        self.low[node as usize] = *counter;
        *counter += 1;
        stack.push(node);
        self.on_stack[node as usize] = true;
    }
}
