//! The states of a small program as a graph to be drawn: nodes say what changed on the first way to them, edges which statements did it.

use crate::show::state_key;
use crate::show::steps::parties;
use crate::show::values::{changes, values};
use entail_program::{GraphEdge as StateEdge, Program, State, StateGraph};
use entail_show::{Graph, GraphEdge, GraphNode};
use std::collections::HashMap;

/// The state graph of a program with at most so many states, or why it is not drawn.
pub fn drawn(program: &Program, most_states: usize) -> Result<Graph, String> {
    match StateGraph::explore(program, most_states) {
        Ok(Some(graph)) => Ok(graph_of(program, &graph)),
        Ok(None) => Err(format!(
            "the model has more than {most_states} states, too many to be drawn"
        )),
        Err(fault) => Err(format!("there is no initial state: {fault}")),
    }
}

fn graph_of(program: &Program, found: &StateGraph) -> Graph {
    let mut graph = Graph::default();
    let mut way: Vec<Option<usize>> = vec![None; found.states.len()];
    let mut goes_on = vec![false; found.states.len()];
    for edge in &found.edges {
        goes_on[edge.from] = true;
        if let Ok(to) = edge.to
            && to > edge.from
        {
            way[to].get_or_insert(edge.from);
        }
    }
    // Processes come and go, so states differ in what they have values of.
    let mut columns: HashMap<String, usize> = HashMap::new();
    for (number, state) in found.states.iter().enumerate() {
        let mut node = GraphNode {
            label: match way[number] {
                Some(before) => pairs(changes(program, &found.states[before], state)),
                None => beginning(program, state),
            },
            is_initial: number == 0,
            is_marked: !goes_on[number] && !state.is_valid_end(program),
            key: Some(state_key(state, None)),
            ..GraphNode::default()
        };
        for value in values(program, state) {
            let column = *columns.entry(value.name.clone()).or_insert_with(|| {
                graph.names.push(value.name);
                graph.names.len() - 1
            });
            if node.values.len() <= column {
                node.values.resize(column + 1, String::new());
            }
            node.values[column] = value.text;
        }
        graph.nodes.push(node);
    }
    for edge in &found.edges {
        let to = match &edge.to {
            Ok(to) => *to,
            Err(fault) => {
                graph.nodes.push(GraphNode {
                    label: vec![fault.to_string()],
                    is_marked: true,
                    ..GraphNode::default()
                });
                graph.nodes.len() - 1
            }
        };
        graph.edges.push(GraphEdge {
            from: edge.from,
            to,
            label: statements(program, edge).join("\n"),
            is_dashed: false,
        });
    }
    let width = graph.names.len();
    for node in &mut graph.nodes {
        node.values.resize(width, String::new());
    }
    graph
}

fn statements(program: &Program, edge: &StateEdge) -> Vec<String> {
    let lines = edge.steps.iter().flat_map(|(state, step)| {
        let (party, partner) = parties(program, state, step);
        std::iter::once(party).chain(partner)
    });
    lines
        .map(|party| format!("{}: {}", party.name, party.statement))
        .collect()
}

/// The values of the beginning, without those that everything begins with.
fn beginning(program: &Program, state: &State) -> Vec<String> {
    let news = values(program, state)
        .into_iter()
        .filter(|value| !value.is_quiet());
    let news = pairs(news.map(|value| (value.name, value.text)).collect());
    std::iter::once("initial".to_owned()).chain(news).collect()
}

fn pairs(values: Vec<(String, String)>) -> Vec<String> {
    values
        .into_iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}
