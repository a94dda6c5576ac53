//! A graph, laid out and ready to be drawn.

use super::layers::{Drawing, Layout, lay_out};
use crate::clean::clipped;
use entail_show::Graph;
use serde_json::{Value as Json, json};

/// Characters in a line of a node.
const LONGEST: usize = 32;
const CHARACTER: f64 = 7.2;
const LINE: f64 = 16.0;

/// A graph that is laid out.
pub(crate) struct Boxes {
    /// The lines of each node.
    pub labels: Vec<Vec<String>>,
    /// The edges between nodes, each pair once.
    pub edges: Vec<(usize, usize)>,
    pub layout: Layout,
    /// Width and height of each node.
    pub sizes: Vec<(f64, f64)>,
}

/// The graph, laid out.
pub(crate) fn boxes(graph: &Graph) -> Boxes {
    let labels: Vec<Vec<String>> = (0..graph.nodes.len()).map(|node| label(graph, node)).collect();
    let drawing = Drawing {
        boxes: labels.iter().map(|lines| size(lines)).collect(),
        edges: joined(graph).iter().map(|edge| (edge.from, edge.to)).collect(),
        first: (0..graph.nodes.len())
            .filter(|&node| graph.nodes[node].is_initial)
            .collect(),
    };
    Boxes {
        layout: lay_out(&drawing),
        labels,
        edges: drawing.edges,
        sizes: drawing.boxes,
    }
}

/// The room that a node with these lines takes.
fn size(lines: &[String]) -> (f64, f64) {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1);
    (
        longest as f64 * CHARACTER + 18.0,
        lines.len() as f64 * LINE + 12.0,
    )
}

/// What the page gets.
pub(super) fn drawn(graph: &Graph) -> Json {
    let Boxes {
        labels,
        layout,
        sizes,
        ..
    } = boxes(graph);
    let Layout {
        width,
        height,
        middles,
        curves,
    } = layout;
    let nodes: Vec<Json> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(number, node)| {
            let ((x, y), (w, h)) = (middles[number], sizes[number]);
            json!({"x": round(x), "y": round(y), "w": round(w), "h": round(h), "label": labels[number],
                   "initial": node.is_initial, "marked": node.is_marked, "values": node.values})
        })
        .collect();
    let edges: Vec<Json> = joined(graph)
        .iter()
        .zip(curves)
        .map(|(edge, curve)| json!([edge.from, edge.to, curve, edge.labels.join("; "), edge.is_dashed]))
        .collect();
    json!({"width": round(width), "height": round(height), "names": graph.names, "nodes": nodes, "edges": edges})
}

/// All edges between the same nodes, drawn as one.
struct Joined<'a> {
    from: usize,
    to: usize,
    labels: Vec<&'a str>,
    is_dashed: bool,
}

fn joined(graph: &Graph) -> Vec<Joined<'_>> {
    let mut edges: Vec<Joined<'_>> = Vec::new();
    let mut known = rustc_hash::FxHashMap::default();
    let count = graph.nodes.len();
    for edge in (graph.edges.iter()).filter(|edge| edge.from < count && edge.to < count) {
        let at = *known.entry((edge.from, edge.to)).or_insert_with(|| {
            edges.push(Joined {
                from: edge.from,
                to: edge.to,
                labels: Vec::new(),
                is_dashed: true,
            });
            edges.len() - 1
        });
        edges[at].is_dashed &= edge.is_dashed;
        if !edge.label.is_empty() && !edges[at].labels.contains(&edge.label.as_str()) {
            edges[at].labels.push(&edge.label);
        }
    }
    edges
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn label(graph: &Graph, node: usize) -> Vec<String> {
    let lines = &graph.nodes[node].label;
    match lines.is_empty() {
        true => vec![node.to_string()],
        false => lines.iter().map(|line| clipped(line, LONGEST)).collect(),
    }
}
