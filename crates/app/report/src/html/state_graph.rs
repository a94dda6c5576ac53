//! The state graph of a small model, ready to be drawn.

use super::HtmlOptions;
use super::layers::{Drawing, Layout, lay_out};
use entail_budget::Budget;
use entail_evidence::{CheckLimits, Graph, NotRechecked, Trace};
use entail_model::{TransitionSystem, Value};
use serde_json::{Value as Json, json};
use std::time::Duration;

/// The graph, or why there is none.
pub(super) enum StateGraph {
    Drawn { graph: Box<Graph>, json: Json },
    NotDrawn { reason: String },
}

/// Variables shown in a node; with more, nodes show their number only.
const SHOWN: usize = 4;
/// Characters in a line of a node.
const LONGEST: usize = 22;
const CHARACTER: f64 = 7.2;
const LINE: f64 = 16.0;

pub(super) fn state_graph(system: &TransitionSystem, options: &HtmlOptions) -> StateGraph {
    let not_drawn = |reason: String| StateGraph::NotDrawn { reason };
    if options.graph_states == 0 {
        return not_drawn("The state graph was not asked for.".into());
    }
    let limits = CheckLimits {
        states: options.graph_states,
        steps: 20 * options.graph_states,
        values: 1 << 12,
    };
    let budget = Budget::unlimited().with_timeout(Some(Duration::from_millis(options.graph_milliseconds)));
    match Graph::of(system, limits, &budget) {
        Ok(graph) => {
            let json = drawn(system, &graph);
            StateGraph::Drawn {
                graph: Box::new(graph),
                json,
            }
        }
        Err(NotRechecked::TooLarge(why)) => {
            not_drawn(format!("The state graph is too large to be drawn: {why}."))
        }
        Err(why) => not_drawn(format!("The state graph was not drawn: {why}.")),
    }
}

fn drawn(system: &TransitionSystem, graph: &Graph) -> Json {
    let labels: Vec<Vec<String>> = (0..graph.states().len())
        .map(|state| label(system, graph, state))
        .collect();
    let boxes = labels
        .iter()
        .map(|lines| {
            let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1);
            (
                longest as f64 * CHARACTER + 18.0,
                lines.len() as f64 * LINE + 12.0,
            )
        })
        .collect();
    let edges: Vec<(usize, usize)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let drawing = Drawing {
        boxes,
        edges,
        first: graph.initial_states(),
    };
    let Layout {
        width,
        height,
        middles,
        curves,
    } = lay_out(&drawing);
    let nodes: Vec<Json> = (0..labels.len())
        .map(|state| {
            let ((x, y), (w, h)) = (middles[state], drawing.boxes[state]);
            json!({"x": round(x), "y": round(y), "w": round(w), "h": round(h), "label": labels[state],
                   "initial": state < graph.initial_states(), "values": values(system, &graph.states()[state])})
        })
        .collect();
    let edges: Vec<Json> = drawing
        .edges
        .iter()
        .zip(curves)
        .map(|(&(from, to), curve)| json!([from, to, curve]))
        .collect();
    let names: Vec<&str> = system
        .state_variables()
        .map(|variable| &*system.variable(variable).name)
        .collect();
    json!({"width": round(width), "height": round(height), "names": names, "nodes": nodes, "edges": edges})
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn values(system: &TransitionSystem, state: &[Option<Value>]) -> Vec<String> {
    let value = |variable: entail_model::VarId| state[variable.index()].as_ref().map(Value::to_string);
    system
        .state_variables()
        .map(|variable| value(variable).unwrap_or_default())
        .collect()
}

/// A line a variable, for the variables that differ between states; the number of the state if these are too many.
fn label(system: &TransitionSystem, graph: &Graph, state: usize) -> Vec<String> {
    let differs = |variable: &entail_model::VarId| {
        let first = &graph.states()[0][variable.index()];
        graph
            .states()
            .iter()
            .any(|state| state[variable.index()] != *first)
    };
    let shown: Vec<entail_model::VarId> = system.state_variables().filter(differs).collect();
    if shown.is_empty() || shown.len() > SHOWN {
        return vec![state.to_string()];
    }
    shown
        .into_iter()
        .map(|variable| {
            let name = &system.variable(variable).name;
            match &graph.states()[state][variable.index()] {
                Some(Value::Bool(true)) => cut(name, LONGEST),
                Some(Value::Bool(false)) => format!("!{}", cut(name, LONGEST - 1)),
                Some(value) => {
                    // The value says more than the end of a long name.
                    let value = cut(&value.to_string(), LONGEST - 8);
                    let room = LONGEST.saturating_sub(value.chars().count() + 1);
                    format!("{}={value}", cut(name, room))
                }
                None => cut(name, LONGEST),
            }
        })
        .collect()
}

/// At most so many characters.
fn cut(text: &str, longest: usize) -> String {
    if text.chars().count() > longest {
        text.chars()
            .take(longest.saturating_sub(1))
            .chain(['…'])
            .collect()
    } else {
        text.to_string()
    }
}

impl StateGraph {
    /// What the page gets.
    pub fn json(&self) -> Json {
        match self {
            StateGraph::Drawn { json, .. } => json.clone(),
            StateGraph::NotDrawn { reason } => json!({"reason": reason}),
        }
    }

    /// The node of each step of a trace.
    pub fn nodes(&self, system: &TransitionSystem, trace: &Trace) -> Json {
        match self {
            StateGraph::Drawn { graph, .. } => {
                trace.steps.iter().map(|step| graph.find(system, step)).collect()
            }
            StateGraph::NotDrawn { .. } => Json::Null,
        }
    }
}
