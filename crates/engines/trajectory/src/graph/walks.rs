//! Counterexamples of assertion graphs: for one valuation, paths with what registers are along them.
//!
//! The states of a path are vertices with a three-valued register each, so there are finitely many; they are visited breadth first, up to a limit. Other than in the fixpoint, paths that meet in a vertex are
//! kept apart. A path on which the other value stands where one is demanded is a counterexample if it can be gone on with as the graph asks: to a vertex without edges, or back to
//! a state it was in.

use super::step::{Cone, State, Stepper};
use crate::functions::Stop;
use crate::scalar::Constants;
use entail_budget::Budget;
use entail_trajectories::{
    AssertionGraph, Drive, Gate, Netlist, NodeId, Satisfaction, Specification, Vertex, Walk, Wire,
};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Most states that are visited.
const MOST_STATES: usize = 4_000;

/// Most sources of an X that are named.
const MOST_SOURCES: usize = 6;

/// What was found for a valuation.
pub(crate) enum Searched {
    /// A counterexample.
    Wrong(Walk),
    /// An X stands where a value is demanded: on an edge, at a node, coming from others.
    Unknown {
        edge: usize,
        drive: Drive,
        sources: Vec<NodeId>,
    },
    /// No path by itself disagrees: only paths taken together do.
    Nothing,
    /// There are too many states.
    TooMany,
}

/// A state that was visited: where, what registers are, and how it was first met.
struct Visited {
    vertex: Vertex,
    state: State<bool>,
    from: Option<(usize, u32)>,
    /// The edges that were taken from it, and the states they lead to.
    out: Vec<(u32, usize)>,
}

/// A place where a demanded value is the other one.
struct Wrong {
    from: usize,
    edge: u32,
    to: usize,
    node: NodeId,
}

struct Search<'s> {
    graph: &'s AssertionGraph,
    visited: Vec<Visited>,
    wrong: Vec<Wrong>,
}

/// Looks for a counterexample with these values of the variables.
pub(crate) fn search(
    netlist: &Netlist,
    specification: &Specification,
    graph: &AssertionGraph,
    cone: &Cone,
    values: &[bool],
    budget: &Budget,
) -> Result<Searched, Stop> {
    let mut constants = Constants(values);
    let mut stepper = Stepper::new(netlist, specification, cone, &mut constants, budget);
    let mut search = Search {
        graph,
        visited: vec![Visited {
            vertex: 0,
            state: stepper.all(&true),
            from: None,
            out: Vec::new(),
        }],
        wrong: Vec::new(),
    };
    let mut numbers: FxHashMap<(Vertex, State<bool>), usize> = FxHashMap::default();
    numbers.insert((0, search.visited[0].state.clone()), 0);
    let mut unknown = None;
    let mut at = 0;
    while at < search.visited.len() {
        budget.check()?;
        if search.visited.len() > MOST_STATES {
            return Ok(Searched::TooMany);
        }
        for (number, edge) in graph.edges.iter().enumerate() {
            if edge.from != search.visited[at].vertex {
                continue;
            }
            let entry = search.visited[at].state.clone();
            let stepped = stepper.step(&entry, edge, None, &cone.nodes)?;
            if !stepped.alive {
                continue;
            }
            let after = (edge.to, stepper.after(&stepped)?);
            let to = *numbers.entry(after).or_insert_with_key(|(vertex, state)| {
                search.visited.push(Visited {
                    vertex: *vertex,
                    state: state.clone(),
                    from: Some((at, number as u32)),
                    out: Vec::new(),
                });
                search.visited.len() - 1
            });
            search.visited[at].out.push((number as u32, to));
            for drive in &edge.consequent {
                let [conflict, weak] = stepper.disagreement(drive, &stepped)?;
                if conflict {
                    let (from, edge, node) = (at, number as u32, drive.node);
                    search.wrong.push(Wrong { from, edge, to, node });
                } else if weak && unknown.is_none() {
                    let is_x = |wire: Wire| {
                        let value = stepper.value(wire, &stepped);
                        value.is_ok_and(|value| value.high && value.low)
                    };
                    unknown = Some(Searched::Unknown {
                        edge: number,
                        drive: *drive,
                        sources: sources(netlist, drive.node, is_x),
                    });
                }
            }
        }
        if let Some(walk) = search.counterexample(values) {
            return Ok(Searched::Wrong(walk));
        }
        at += 1;
    }
    Ok(unknown.unwrap_or(Searched::Nothing))
}

/// The inputs and registers that an X comes from within a step.
fn sources(netlist: &Netlist, node: NodeId, mut is_x: impl FnMut(Wire) -> bool) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = VecDeque::from([node]);
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(node) = open.pop_front() {
        if !seen.insert(node) || found.len() >= MOST_SOURCES {
            continue;
        }
        let inputs: Vec<Wire> = match netlist.gate(node) {
            Gate::And(a, b) => vec![a, b],
            Gate::Copy(a) => vec![a],
            Gate::Zero | Gate::Input | Gate::Register(_) => Vec::new(),
        };
        let behind: Vec<NodeId> = inputs
            .into_iter()
            .filter(|&wire| is_x(wire))
            .map(|wire| wire.node)
            .collect();
        match behind.is_empty() {
            true => found.push(node),
            false => open.extend(behind),
        }
    }
    found
}

impl Search<'_> {
    /// A path to a wrong value that can be gone on with, if one is known by now.
    fn counterexample(&self, values: &[bool]) -> Option<Walk> {
        self.wrong.iter().find_map(|wrong| {
            let mut edges = self.path_to(wrong.from);
            let at = edges.len() as u32;
            edges.push(wrong.edge);
            let back_to = self.continued(wrong.to, &mut edges)?;
            Some(Walk {
                values: values.to_vec(),
                edges,
                at,
                node: wrong.node.0,
                back_to,
                run: None,
            })
        })
    }

    fn path_to(&self, mut state: usize) -> Vec<u32> {
        let mut edges = Vec::new();
        while let Some((before, edge)) = self.visited[state].from {
            edges.push(edge);
            state = before;
        }
        edges.reverse();
        edges
    }

    /// Goes on from a state as paths should; gives the position that is come back to, if any. Nothing if there is no way on yet.
    fn continued(&self, state: usize, edges: &mut Vec<u32>) -> Option<Option<u32>> {
        let is_terminal = |state: usize| self.graph.is_terminal(self.visited[state].vertex);
        let to_end = || self.shortest(state, &|state| is_terminal(state));
        match self.graph.satisfaction {
            Satisfaction::Strong => return Some(None),
            Satisfaction::Terminal => {
                edges.extend(to_end()?);
                return Some(None);
            }
            Satisfaction::Normal => {
                if let Some(rest) = to_end() {
                    edges.extend(rest);
                    return Some(None);
                }
            }
            Satisfaction::Fair => {}
        }
        let fair_only = self.graph.satisfaction == Satisfaction::Fair;
        let counts = |edge: u32| !fair_only || self.graph.edges[edge as usize].is_fair;
        // An edge that leads back to where it begins.
        (0..self.visited.len()).find_map(|begin| {
            let way = self.shortest(state, &|other| other == begin)?;
            let round = self.visited[begin].out.iter().find_map(|&(edge, to)| {
                let back = counts(edge).then(|| self.shortest(to, &|other| other == begin))??;
                Some([vec![edge], back].concat())
            })?;
            edges.extend(way);
            let position = edges.len() as u32;
            edges.extend(round);
            Some(Some(position))
        })
    }

    /// The edges of a shortest way to a state.
    fn shortest(&self, from: usize, is_goal: &dyn Fn(usize) -> bool) -> Option<Vec<u32>> {
        let mut before: FxHashMap<usize, Option<(usize, u32)>> = FxHashMap::from_iter([(from, None)]);
        let mut open = VecDeque::from([from]);
        while let Some(state) = open.pop_front() {
            if is_goal(state) {
                let mut edges = Vec::new();
                let mut place = state;
                while let Some((earlier, edge)) = before[&place] {
                    edges.push(edge);
                    place = earlier;
                }
                edges.reverse();
                return Some(edges);
            }
            for &(edge, to) in &self.visited[state].out {
                before.entry(to).or_insert_with(|| {
                    open.push_back(to);
                    Some((state, edge))
                });
            }
        }
        None
    }
}
