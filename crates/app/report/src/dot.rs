//! Timelines and graphs as DOT, for Graphviz.

use crate::steps::{assignment, changes, in_loop, loop_start, next};
use entail_show::{ColumnRole, Graph, GraphNode, Move, Timeline};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

const NODES: &str = "  node [shape=box, fontname=monospace];\n";
const EDGES: &str = "  edge [fontname=monospace, fontsize=10];\n";

/// A timeline: a node a state with what changes there, the loop closed. Inputs, or who moves and how, stand on the edges.
pub fn timeline(name: &str, timeline: &Timeline) -> String {
    match timeline.moves.is_empty() {
        true => states(name, timeline),
        false => moves(name, timeline),
    }
}

fn states(name: &str, timeline: &Timeline) -> String {
    let mut out = format!("digraph {} {{\n{NODES}", quoted(name));
    let of_role = |inputs: bool| {
        let columns = timeline.columns.iter();
        columns.filter(move |column| (column.role == ColumnRole::Input) == inputs)
    };
    for step in 0..timeline.positions {
        let changed = of_role(false).filter(|column| column.changes_at(step));
        let lines = changed.filter_map(|column| assignment(column, step));
        let lines: Vec<String> = std::iter::once(format!("step {step}")).chain(lines).collect();
        let style = if in_loop(timeline, step) {
            ", color=purple"
        } else {
            ""
        };
        let _ = writeln!(out, "  s{step} [label={}{style}];", label(&lines));
    }
    for step in 0..timeline.positions {
        let Some(next) = next(timeline, step) else {
            continue;
        };
        let inputs: Vec<String> = of_role(true)
            .filter_map(|column| assignment(column, step))
            .collect();
        let back = if next <= step {
            ", color=purple, constraint=false"
        } else {
            ""
        };
        let _ = writeln!(out, "  s{step} -> s{next} [label={}{back}];", label(&inputs));
    }
    out.push_str("}\n");
    out
}

fn moves(name: &str, timeline: &Timeline) -> String {
    let mut out = format!("digraph {} {{\n{NODES}{EDGES}", quoted(name));
    // Values that are not worth showing when they are the first ones are left out.
    let first = timeline.columns.iter().filter(|column| column.is_news_at(0));
    let first = first.filter_map(|column| assignment(column, 0));
    let first: Vec<String> = std::iter::once("initial".to_owned()).chain(first).collect();
    let _ = writeln!(out, "  s0 [label={}, peripheries=2];", label(&first));
    for (position, step) in timeline.moves.iter().enumerate() {
        let after = position + 1;
        let to = match next(timeline, position) {
            Some(next) if after >= timeline.positions => next,
            _ => after,
        };
        if to == after {
            let (lines, bad) = match after < timeline.positions {
                true => (changes(timeline, timeline.columns.iter(), position), ""),
                false => (timeline.ending.clone(), ", color=red"),
            };
            let style = if in_loop(timeline, after) {
                ", color=purple"
            } else {
                bad
            };
            let _ = writeln!(out, "  s{after} [label={}{style}];", label(&lines));
        }
        let _ = writeln!(out, "  s{position} -> s{to} [label={}];", label(&parties(step)));
    }
    out.push_str("}\n");
    out
}

/// Who moves and how.
fn parties(step: &Move) -> Vec<String> {
    let partner = step.partner.as_ref();
    let partner = partner.map(|partner| format!("{}: {}", partner.lane, partner.text));
    let mover = format!("{}: {}", step.lane, step.text);
    std::iter::once(mover).chain(partner).collect()
}

/// A graph, with the states and steps of a timeline marked if one is given. Nodes have their labels; where these do not say enough, what
/// is known of them, which is their tooltip, too.
pub fn graph(name: &str, graph: &Graph, marked: Option<&Timeline>) -> String {
    let path = Path::new(graph, marked);
    let mut out = format!("digraph {} {{\n{NODES}", quoted(name));
    if graph.edges.iter().any(|edge| !edge.label.is_empty()) {
        out.push_str(EDGES);
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        let mut style = String::new();
        if node.is_initial {
            style += ", peripheries=2";
        }
        if node.is_marked {
            style += ", style=filled, fillcolor=mistyrose";
        }
        if path.nodes.contains(&number) {
            style += ", color=red, penwidth=2";
        }
        let known = known(graph, node);
        if !known.is_empty() {
            let _ = write!(style, ", tooltip={}", label(&known));
        }
        let lines = match is_enough(node) || known.is_empty() {
            true if node.label.is_empty() => vec![number.to_string()],
            true => node.label.clone(),
            false => known,
        };
        let _ = writeln!(out, "  s{number} [label={}{style}];", label(&lines));
    }
    for edge in &graph.edges {
        let mut style: Vec<String> = Vec::new();
        if !edge.label.is_empty() {
            let lines: Vec<String> = edge.label.lines().map(String::from).collect();
            style.push(format!("label={}", label(&lines)));
        }
        if edge.is_dashed {
            style.push("style=dashed".into());
        }
        if path.steps.contains(&(edge.from, edge.to)) {
            style.push("color=red, penwidth=2".into());
        }
        let style = match style.is_empty() {
            true => String::new(),
            false => format!(" [{}]", style.join(", ")),
        };
        let _ = writeln!(out, "  s{} -> s{}{style};", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

/// What is known of a node.
fn known(graph: &Graph, node: &GraphNode) -> Vec<String> {
    let pairs = graph.names.iter().zip(&node.values);
    let known = pairs.filter(|(_, value)| !value.is_empty());
    known.map(|(name, value)| format!("{name} = {value}")).collect()
}

/// Whether a label says more than a number, and says it in full.
fn is_enough(node: &GraphNode) -> bool {
    let is_short = |line: &String| line.ends_with('…') || line.contains("…=");
    let is_number = node.label.len() == 1 && node.label[0].parse::<usize>().is_ok();
    !node.label.is_empty() && !is_number && !node.label.iter().any(is_short)
}

/// Where a timeline is in a graph.
#[derive(Default)]
struct Path {
    nodes: FxHashSet<usize>,
    steps: FxHashSet<(usize, usize)>,
}

impl Path {
    fn new(graph: &Graph, timeline: Option<&Timeline>) -> Path {
        let Some(timeline) = timeline else {
            return Path::default();
        };
        let at = positions(graph, timeline);
        // Positions inside an atomic step have no node: the edge leads to the next that has.
        let again = loop_start(timeline).map_or(&[][..], |start| at.get(start..).unwrap_or(&[]));
        let way: Vec<usize> = at.iter().chain(again).flatten().copied().collect();
        Path {
            steps: way.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            nodes: at.iter().flatten().copied().collect(),
        }
    }
}

/// The node of each position of a timeline, as far as they are known.
pub(crate) fn positions(graph: &Graph, timeline: &Timeline) -> Vec<Option<usize>> {
    let nodes = graph.nodes.iter().enumerate();
    let known: FxHashMap<_, _> = nodes
        .filter_map(|(number, node)| Some((node.key?, number)))
        .collect();
    timeline.keys.iter().map(|key| known.get(key).copied()).collect()
}

/// Lines as a quoted label.
fn label(lines: &[String]) -> String {
    let escaped: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    format!("\"{}\"", escaped.join("\\n"))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escape(text))
}

fn escape(text: &str) -> String {
    text.chars()
        .map(|letter| match letter {
            '"' => "\\\"".to_string(),
            '\\' => "\\\\".to_string(),
            letter if letter.is_control() => " ".to_string(),
            letter => letter.to_string(),
        })
        .collect()
}
