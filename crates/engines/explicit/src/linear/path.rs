//! Paths and lassos of the state graph, and how to find fair ones.

use crate::code::evaluator::Evaluator;
use crate::search::explore::ExplorationEnd;
use crate::search::rows::Rows;
use crate::search::trace;
use crate::stepper::Stepper;
use entail_budget::Budget;
use entail_evidence::{DeadEnds, Trace};
use entail_search::cycles::components::{FairComponent, MarkedGraph};
use entail_search::cycles::marks::{Acceptance, contains, intersects, unite};
use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// What comes after the last state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The state at this position again.
    Loop(usize),
    /// Any fair path: what is to be shown is already decided.
    Open,
    /// Nothing: a dead end of a maximal path.
    Ended,
}

/// A path of the state graph: `edges[i]` leads from `states[i]` to the next state (the last one of a lasso, to the start of
/// the loop).
#[derive(Clone, Debug)]
pub(crate) struct GraphPath {
    pub states: Vec<u32>,
    pub edges: Vec<usize>,
    pub ending: Ending,
}

impl GraphPath {
    /// Appends another path that starts where this one ends.
    pub fn continued(mut self, rest: GraphPath) -> GraphPath {
        let offset = self.states.len() - 1;
        self.states.pop();
        self.states.extend(rest.states);
        self.edges.extend(rest.edges);
        self.ending = match rest.ending {
            Ending::Loop(start) => Ending::Loop(start + offset),
            other => other,
        };
        self
    }

    /// The values along the path, with the inputs of its steps.
    pub fn trace(
        &self,
        stepper: &Stepper,
        rows: &impl Rows,
        policy: DeadEnds,
        budget: &Budget,
    ) -> Result<Trace, ExplorationEnd> {
        let mut evaluator = Evaluator::new(&stepper.system, &stepper.layout, rows.step_terms())?;
        let stutters = |state: u32| policy == DeadEnds::Stutter && rows.is_dead_end(state);
        let next = |position: usize| {
            let edge = self.edges.get(position);
            edge.filter(|_| !stutters(self.states[position]))
                .map(|&edge| rows.target(edge))
        };
        let table = &rows.explored().table;
        let steps = trace::along(stepper, table, &self.states, next, budget, |position, leaves| {
            let edge = self.edges[position];
            evaluator.load(leaves);
            (0..rows.step_terms().len())
                .all(|bit| evaluator.truth(&stepper.system, &stepper.layout, bit) == rows.meets(edge, bit))
        });
        let steps = steps.ok_or_else(|| ExplorationEnd::Unknown {
            reason: "a path was found, but the budget was spent before its inputs were".into(),
            statistics: rows.explored().statistics(),
        })?;
        let loop_start = match self.ending {
            Ending::Loop(start) => Some(start),
            Ending::Open | Ending::Ended => None,
        };
        Ok(Trace { steps, loop_start })
    }
}

/// A path through a marked graph, as edges from a node.
#[derive(Clone, Debug)]
pub(crate) struct Walk {
    pub nodes: Vec<u32>,
    pub edges: Vec<usize>,
}

impl Walk {
    fn at(node: u32) -> Walk {
        Walk {
            nodes: vec![node],
            edges: Vec::new(),
        }
    }

    pub fn last(&self) -> u32 {
        self.nodes[self.nodes.len() - 1]
    }

    fn extend(&mut self, rest: Walk) {
        self.nodes.extend(&rest.nodes[1..]);
        self.edges.extend(rest.edges);
    }
}

/// The shortest walk from one of the nodes to a goal, over allowed edges.
pub(crate) fn shortest_walk<G: MarkedGraph>(
    graph: &G,
    from: &[u32],
    mut is_goal: impl FnMut(u32) -> bool,
    mut allows: impl FnMut(u32, usize) -> bool,
) -> Option<Walk> {
    let mut reached: HashMap<u32, (u32, usize), FxBuildHasher> = HashMap::default();
    let mut seen = FixedBitSet::with_capacity(graph.node_count());
    let mut queue: Vec<u32> = Vec::new();
    for &node in from {
        if !seen.put(node as usize) {
            queue.push(node);
        }
    }
    let mut at = 0;
    while at < queue.len() {
        let node = queue[at];
        at += 1;
        if is_goal(node) {
            let mut walk = Walk::at(node);
            let mut back = node;
            while let Some(&(before, edge)) = reached.get(&back) {
                walk.nodes.push(before);
                walk.edges.push(edge);
                back = before;
            }
            walk.nodes.reverse();
            walk.edges.reverse();
            return Some(walk);
        }
        for edge in graph.edges(node) {
            let target = graph.target(edge);
            if !seen.contains(target as usize) && allows(node, edge) {
                seen.insert(target as usize);
                reached.insert(target, (node, edge));
                queue.push(target);
            }
        }
    }
    None
}

/// A closed walk from a node of a fair component that is fair: it meets every required bit, and for each pair it meets the
/// second bit if it meets the first. Greedy: the nearest edge that meets something missing, again and again, then back.
pub(crate) fn fair_loop<G: MarkedGraph>(
    graph: &G,
    acceptance: &Acceptance,
    component: &FairComponent,
    start: u32,
) -> Option<Walk> {
    let mut members = FixedBitSet::with_capacity(graph.node_count());
    members.extend(component.nodes.iter().map(|&node| node as usize));
    let marks = |node: u32, edge: usize| {
        let mut mark = vec![0; acceptance.words];
        graph.add_marks(node, edge, &mut mark);
        mark
    };
    let allows = |node: u32, edge: usize| {
        members.contains(graph.target(edge) as usize)
            && (component.forbidden.iter().all(|&word| word == 0)
                || !intersects(&marks(node, edge), &component.forbidden))
    };
    let mut missing: Vec<usize> = acceptance.required.clone();
    let mut walk = Walk::at(start);
    let mut met = vec![0; acceptance.words];
    loop {
        // To the nearest node with an edge that meets something missing, and along that edge.
        while !missing.is_empty() || walk.edges.is_empty() {
            let helps = |node: u32, edge: usize| {
                allows(node, edge)
                    && (missing.is_empty() || {
                        let mark = marks(node, edge);
                        missing.iter().any(|&bit| contains(&mark, bit))
                    })
            };
            let to = shortest_walk(
                graph,
                &[walk.last()],
                |node| graph.edges(node).any(|edge| helps(node, edge)),
                allows,
            )?;
            walk.extend(to);
            let node = walk.last();
            let candidates = graph.edges(node).filter(|&edge| helps(node, edge));
            // An edge back to the start saves the way back.
            let edge = candidates.min_by_key(|&edge| graph.target(edge) != start)?;
            walk.extend(Walk {
                nodes: vec![node, graph.target(edge)],
                edges: vec![edge],
            });
            note(&walk, &marks, &mut met);
            missing.retain(|&bit| !contains(&met, bit));
        }
        let back = shortest_walk(graph, &[walk.last()], |node| node == start, allows)?;
        walk.extend(back);
        note(&walk, &marks, &mut met);
        missing.extend(
            acceptance
                .pairs
                .iter()
                .filter(|&&(first, second)| contains(&met, first) && !contains(&met, second))
                .map(|&(_, second)| second),
        );
        if missing.is_empty() {
            return Some(walk);
        }
    }
}

fn note(walk: &Walk, marks: &impl Fn(u32, usize) -> Vec<u64>, met: &mut [u64]) {
    for (&node, &edge) in walk.nodes.iter().zip(&walk.edges) {
        unite(met, &marks(node, edge));
    }
}
