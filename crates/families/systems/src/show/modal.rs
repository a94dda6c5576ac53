//! Abstract models: a line for each state with where its steps lead, and a graph.
//!
//! `-> 2` is a step that must be there, `-> 2?` one that only may be; `-> {2, 3}` says that a step leads to one of them at least.

use entail_evidence::ModalModel;
use entail_model::StateId;
use entail_show::{Graph, GraphEdge, GraphNode};

/// Larger models are not shown state by state.
const MOST_STATES: usize = 32;

/// The size, and a line for each state of a small model.
pub(super) fn lines(model: &ModalModel) -> Vec<String> {
    let kmts = &model.kmts;
    let states = kmts.state_count();
    let mut lines = vec![format!(
        "abstract model: {states} states, {} may steps, {} must",
        kmts.may_count(),
        kmts.must_count()
    )];
    if states > MOST_STATES {
        return lines;
    }
    for (state, class) in kmts.states().zip(&model.classes) {
        let mark = if kmts.initial().contains(&state) { '*' } else { ' ' };
        let plain = kmts.may(state).iter().map(|&to| match kmts.is_must(state, to) {
            true => format!("{to}"),
            false => format!("{to}?"),
        });
        let hyper = kmts
            .must(state)
            .filter(|targets| targets.len() > 1)
            .map(|targets| {
                let targets: Vec<String> = targets.iter().map(StateId::to_string).collect();
                format!("{{{}}}", targets.join(", "))
            });
        let steps: Vec<String> = plain.chain(hyper).collect();
        let looks = model.abstraction.show(class);
        lines.push(format!(" {mark}{state}  {looks}  -> {}", steps.join(", ")));
    }
    lines
}

/// A small model as a graph: steps that only may be there are dashed.
pub(super) fn graph(model: &ModalModel) -> Option<Graph> {
    let kmts = &model.kmts;
    if kmts.state_count() > MOST_STATES {
        return None;
    }
    let position = |wanted: StateId| kmts.states().position(|state| state == wanted);
    let mut graph = Graph {
        names: model
            .abstraction
            .observations
            .iter()
            .map(|seen| seen.name.to_string())
            .collect(),
        ..Graph::default()
    };
    for (state, class) in kmts.states().zip(&model.classes) {
        graph.nodes.push(GraphNode {
            label: vec![model.abstraction.show(class).to_string()],
            values: class.iter().map(ToString::to_string).collect(),
            is_initial: kmts.initial().contains(&state),
            ..GraphNode::default()
        });
        for &to in kmts.may(state) {
            if let (Some(from), Some(end)) = (position(state), position(to)) {
                graph.edges.push(GraphEdge {
                    from,
                    to: end,
                    label: String::new(),
                    is_dashed: !kmts.is_must(state, to),
                });
            }
        }
    }
    Some(graph)
}
