//! The things that are shown about an answer, one after the other.

use super::{Context, TextOptions, paint, tree, write_timeline};
use crate::clean::one_line;
use crate::{chart, schedule, sequence, table};
use entail_show::{Exhibit, Graph, MarkedSource, Prominence, Shown, View};
use std::fmt::Write;

/// Larger graphs are counted, not listed.
const MOST_NODES: usize = 32;

/// Writes what is to be shown: timelines and trees as the context says, the rest indented by `deeper`.
pub(super) fn write(
    shown: &Shown,
    context: &Context<'_>,
    deeper: &str,
    options: &TextOptions,
    out: &mut String,
) {
    for exhibit in shown.exhibits.iter().filter(|exhibit| is_shown(exhibit, options)) {
        // A chart follows the steps it is drawn of.
        let is_chart = matches!(exhibit.view, View::Sequence(_));
        if let Some(title) = exhibit.title.as_ref().filter(|_| !is_chart) {
            let _ = writeln!(out, "{}{}", context.indent, paint::strong(&one_line(title)));
        }
        view(&exhibit.view, context, deeper, options, out);
    }
}

fn is_shown(exhibit: &Exhibit, options: &TextOptions) -> bool {
    match (&exhibit.view, exhibit.prominence) {
        (_, Prominence::Main) => true,
        (View::Sequence(_), _) => options.sequence,
        (_, Prominence::Detail) => options.detail,
        (_, Prominence::Report) => false,
    }
}

fn view(view: &View, context: &Context<'_>, indent: &str, options: &TextOptions, out: &mut String) {
    match view {
        View::Timeline(timeline) => write_timeline(timeline, context, options, out),
        View::Tree(claim) => tree::write(claim, context, options, out),
        View::Table(rows) => table::write(rows, indent, out),
        View::Graph(drawn) => graph(drawn, indent, out),
        View::Chart(drawn) => table::write(&chart::table(drawn), indent, out),
        View::Schedule(drawn) => table::write(&schedule::table(drawn), indent, out),
        View::Drawing(drawn) => {
            let _ = writeln!(out, "{indent}{}", drawn.about);
        }
        View::Sequence(drawn) => sequence::write(drawn, out),
        View::Source(source) => marked(source, indent, out),
        View::Notes(lines) => {
            for line in lines {
                let _ = writeln!(out, "{}", format!("{indent}{line}").trim_end());
            }
        }
    }
}

/// A small graph: one line a node, with where its edges lead. `*` marks initial nodes, `?` dashed edges.
fn graph(graph: &Graph, indent: &str, out: &mut String) {
    let count = |number: usize, word: &str| match number {
        1 => format!("1 {word}"),
        _ => format!("{number} {word}s"),
    };
    let (nodes, edges) = (count(graph.nodes.len(), "node"), count(graph.edges.len(), "edge"));
    let _ = writeln!(out, "{indent}{nodes}, {edges}");
    if graph.nodes.len() > MOST_NODES {
        return;
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        let mark = if node.is_initial { '*' } else { ' ' };
        let lines: Vec<String> = node.label.iter().map(|line| one_line(line)).collect();
        let leaves = graph.edges.iter().filter(|edge| edge.from == number);
        let leaves = leaves.map(|edge| {
            let doubt = if edge.is_dashed { "?" } else { "" };
            match edge.label.is_empty() {
                true => format!("{}{doubt}", edge.to),
                false => format!("{}{doubt} ({})", edge.to, one_line(&edge.label)),
            }
        });
        let leaves: Vec<String> = leaves.collect();
        let text = format!("{indent} {mark}{number}  {}", lines.join(", "));
        let _ = match leaves.is_empty() {
            true => writeln!(out, "{}", text.trim_end()),
            false => writeln!(out, "{text}  -> {}", leaves.join(", ")),
        };
    }
}

/// The marked lines of a text.
fn marked(source: &MarkedSource, indent: &str, out: &mut String) {
    let _ = writeln!(out, "{indent}{}", one_line(&source.name));
    let lines: Vec<&str> = source.text.lines().collect();
    for mark in &source.marks {
        let text = mark.line.checked_sub(1).and_then(|at| lines.get(at));
        let text = one_line(text.unwrap_or(&""));
        let said = paint::faint(&one_line(&mark.text));
        let _ = writeln!(out, "{indent}{:>5}  {text}  {said}", mark.line);
    }
}
