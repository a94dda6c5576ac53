//! A path that satisfies a path formula.
//!
//! Breadth-first through the product from the given states, to the nearest node where the formula is decided, or that lies in
//! a fair component, or where a maximal path may end. A decided path is shown as it is where every continuation counts
//! (no fairness, no dead end in the graph); otherwise it is continued by a fair path of the state graph. In a fair
//! component a short loop is closed.

use super::path::{Ending, GraphPath, Walk, fair_loop, shortest_walk};
use super::path_formula::{PathFormulas, PathId};
use super::product::Product;
use crate::graph::labelling::Labelling;
use crate::graph::state_graph::FairStateGraph;
use crate::search::explore::ExplorationEnd;
use entail_evidence::DeadEnds;
use entail_logic::Formula;
use entail_model::TermId;
use entail_search::cycles::components::{FairComponent, MarkedGraph, fair_components};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// A path of the graph, and the normal form of the path formula it satisfies.
pub(crate) struct Witness {
    pub path: GraphPath,
    pub formulas: PathFormulas,
    pub root: PathId,
}

/// A fair path from one of the states that satisfies the path formula (its negation, if `truth` is false); none if there
/// is no such path.
pub(crate) fn find(
    labelling: &mut Labelling<'_>,
    starts: &[u32],
    formula: &Formula<TermId>,
    truth: bool,
) -> Result<Option<Witness>, ExplorationEnd> {
    let mut formulas = PathFormulas::default();
    let root = formulas.translate(labelling, formula, truth)?;
    let automaton = labelling.path_automaton(formulas, root)?;
    let labelling = &*labelling;
    let mut product = Product::build(labelling, automaton, starts.iter().copied())?;
    let components = product.fair_components(labelling.budget)?;
    let component_of = index(&components);
    let every_continuation_counts = labelling.acceptance().required.is_empty()
        && labelling.acceptance().pairs.is_empty()
        && (labelling.graph.dead_ends.is_clear() || labelling.graph.policy != DeadEnds::Infinite)
        && labelling.graph.explored.is_complete();
    let decided: Vec<bool> = (0..product.node_count() as u32)
        .map(|node| {
            every_continuation_counts
                && labelling.fair.contains(product.state(node) as usize)
                && product.is_decided(node)
        })
        .collect();
    let nodes: Vec<u32> = starts.iter().flat_map(|&state| product.starts(state)).collect();
    let is_goal = |node: u32| {
        decided[node as usize]
            || product.accepting.contains(node as usize)
            || component_of.contains_key(&node)
    };
    let Some(walk) = shortest_walk(&product, &nodes, is_goal, |_, _| true) else {
        return Ok(None);
    };
    let last = walk.last();
    let state = product.state(last);
    let prefix = |walk: &Walk, ending| GraphPath {
        states: walk.nodes.iter().map(|&node| product.state(node)).collect(),
        edges: walk.edges.iter().map(|&edge| product.graph_edge(edge)).collect(),
        ending,
    };
    let path = if decided[last as usize] {
        Some(prefix(&walk, Ending::Open))
    } else if let Some(&number) = component_of.get(&last) {
        fair_loop(&product, &product.acceptance, &components[number], last)
            .map(|cycle| prefix(&walk, Ending::Open).continued(closed(prefix(&cycle, Ending::Open))))
    } else if product.is_satisfied(last) {
        fair_continuation(labelling, state)?.map(|rest| prefix(&walk, Ending::Open).continued(rest))
    } else {
        Some(prefix(&walk, Ending::Ended))
    };
    Ok(path.map(|path| Witness {
        path,
        formulas: product.into_formulas(),
        root,
    }))
}

/// A closed walk as a lasso that is all loop.
fn closed(mut path: GraphPath) -> GraphPath {
    path.states.pop();
    path.ending = Ending::Loop(0);
    path
}

fn index(components: &[FairComponent]) -> HashMap<u32, usize, FxBuildHasher> {
    let numbered = components.iter().enumerate();
    numbered
        .flat_map(|(number, component)| component.nodes.iter().map(move |&node| (node, number)))
        .collect()
}

/// A fair path from a state: to the nearest fair component and round it, or to the nearest end of a maximal path.
fn fair_continuation(labelling: &Labelling<'_>, state: u32) -> Result<Option<GraphPath>, ExplorationEnd> {
    let graph = labelling.graph;
    let fair_graph = FairStateGraph {
        graph,
        marks: &labelling.marks,
    };
    let acceptance = labelling.acceptance();
    let components = fair_components(&fair_graph, acceptance, |_| true, labelling.budget)
        .map_err(|spent| graph.spent(spent))?;
    let component_of = index(&components);
    let ends = |node: u32| graph.policy == DeadEnds::Maximal && graph.dead_ends.contains(node as usize);
    let is_goal = |node: u32| component_of.contains_key(&node) || ends(node);
    let Some(walk) = shortest_walk(&fair_graph, &[state], is_goal, |_, _| true) else {
        return Ok(None);
    };
    let last = walk.last();
    let as_path = |walk: Walk, ending| GraphPath {
        states: walk.nodes,
        edges: walk.edges,
        ending,
    };
    let Some(&number) = component_of.get(&last) else {
        return Ok(Some(as_path(walk, Ending::Ended)));
    };
    let cycle = fair_loop(&fair_graph, acceptance, &components[number], last);
    Ok(cycle.map(|cycle| as_path(walk, Ending::Open).continued(closed(as_path(cycle, Ending::Open)))))
}
