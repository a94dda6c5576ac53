//! Traces and state graphs as DOT, for Graphviz.

use crate::signals::{SignalKind, SignalTable};
use entail_evidence::{Graph, Trace};
use entail_model::{TransitionSystem, Value, VarId};
use std::fmt::Write;

/// A trace: a node a step with what changes there, inputs on the edges, the loop closed.
pub fn trace(name: &str, table: &SignalTable) -> String {
    let mut out = format!(
        "digraph {} {{\n  node [shape=box, fontname=monospace];\n",
        quoted(name)
    );
    for step in 0..table.steps {
        let mut lines = vec![format!("step {step}")];
        for signal in &table.signals {
            if signal.kind != SignalKind::Input
                && signal.changes_at(step)
                && let Some(Some(value)) = signal.values.get(step)
            {
                lines.push(format!("{} = {value}", signal.name));
            }
        }
        let in_loop = table.loop_start.is_some_and(|start| step >= start);
        let style = if in_loop { ", color=purple" } else { "" };
        let _ = writeln!(out, "  s{step} [label={}{style}];", label(&lines));
    }
    for step in 0..table.steps {
        let next = if step + 1 < table.steps {
            Some(step + 1)
        } else {
            table.loop_start
        };
        let Some(next) = next else { continue };
        let inputs: Vec<String> = table
            .signals
            .iter()
            .filter(|signal| signal.kind == SignalKind::Input)
            .filter_map(|signal| {
                let value = signal.values.get(step)?.as_ref()?;
                Some(format!("{} = {value}", signal.name))
            })
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

/// The reachable graph, with the states and steps of a trace marked if one is given.
pub fn state_graph(name: &str, system: &TransitionSystem, graph: &Graph, marked: Option<&Trace>) -> String {
    let variables: Vec<VarId> = system.state_variables().collect();
    let on_path: Vec<Option<usize>> = marked
        .map(|trace| trace.steps.iter().map(|step| graph.find(system, step)).collect())
        .unwrap_or_default();
    let steps: Vec<(Option<usize>, Option<usize>)> = (0..on_path.len())
        .filter_map(|step| {
            let next = marked?.successor(step)?;
            Some((on_path[step], on_path[next]))
        })
        .collect();
    let mut out = format!(
        "digraph {} {{\n  node [shape=box, fontname=monospace];\n",
        quoted(name)
    );
    for (number, state) in graph.states().iter().enumerate() {
        let lines: Vec<String> = variables
            .iter()
            .map(|&variable| {
                let value = state[variable.index()].as_ref().map(Value::to_string);
                format!(
                    "{} = {}",
                    system.variable(variable).name,
                    value.unwrap_or_default()
                )
            })
            .collect();
        let initial = if number < graph.initial_states() {
            ", peripheries=2"
        } else {
            ""
        };
        let marked = if on_path.contains(&Some(number)) {
            ", color=red, penwidth=2"
        } else {
            ""
        };
        let _ = writeln!(out, "  s{number} [label={}{initial}{marked}];", label(&lines));
    }
    for edge in graph.edges() {
        let on = steps.contains(&(Some(edge.from), Some(edge.to)));
        let style = if on { " [color=red, penwidth=2]" } else { "" };
        let _ = writeln!(out, "  s{} -> s{}{style};", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}

/// Lines as a quoted label.
pub(crate) fn label(lines: &[String]) -> String {
    let escaped: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    format!("\"{}\"", escaped.join("\\n"))
}

pub(crate) fn quoted(text: &str) -> String {
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
