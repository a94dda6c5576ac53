//! Runs and state graphs of programs as DOT, for Graphviz: nodes say what changed, edges which statements did it.

use crate::dot::{label, quoted};
use crate::program::{changes, shown_steps, statement, values};
use entail_program::{GraphEdge, Program, Replayed, Run, State, StateGraph, Step};
use std::collections::HashMap;
use std::fmt::Write;

const NODES: &str = "  node [shape=box, fontname=monospace];\n  edge [fontname=monospace, fontsize=10];\n";

/// A run: a node a state, the loop closed.
pub fn run(name: &str, program: &Program, run: &Run, replayed: &Replayed) -> String {
    let mut out = format!("digraph {} {{\n{NODES}", quoted(name));
    let shown = shown_steps(program, run, replayed);
    let Some(first) = replayed.situations.first() else {
        out.push_str("}\n");
        return out;
    };
    let _ = writeln!(
        out,
        "  s0 [label={}, peripheries=2];",
        label(&beginning(program, &first.state))
    );
    // The state in which a loop closes is the one it began with.
    let last = match run.loop_start {
        Some(start) if start < run.steps.len() => start,
        _ => run.steps.len(),
    };
    for (position, step) in shown.iter().enumerate() {
        let from = position;
        let to = if position + 1 == shown.len() {
            last
        } else {
            position + 1
        };
        if to == position + 1 {
            let lines = match (&replayed.fault, replayed.situations.get(to)) {
                (Some(fault), None) => vec![fault.to_string()],
                _ => pairs(&step.changes),
            };
            let bad = if replayed.situations.get(to).is_none() {
                ", color=red"
            } else {
                ""
            };
            let in_loop = run.loop_start.is_some_and(|start| to >= start);
            let style = if in_loop { ", color=purple" } else { bad };
            let _ = writeln!(out, "  s{to} [label={}{style}];", label(&lines));
        }
        let mut lines = vec![format!("{}: {}", step.process, step.statement)];
        if let Some((who, _, statement)) = &step.receiver {
            lines.push(format!("{who}: {statement}"));
        }
        let _ = writeln!(out, "  s{from} -> s{to} [label={}];", label(&lines));
    }
    out.push_str("}\n");
    out
}

/// The state graph of a program. States of the run are marked, if there is one; ends are doubly bordered, bad ones red.
pub fn state_graph(name: &str, program: &Program, graph: &StateGraph, marked: Option<&Replayed>) -> String {
    let mut out = format!("digraph {} {{\n{NODES}", quoted(name));
    let numbers: HashMap<&State, usize> = graph.states.iter().zip(0..).collect();
    let resting = marked.map_or(&[][..], |run| &run.situations).iter();
    let on_run: Vec<usize> = resting
        .filter(|situation| situation.control.is_none())
        .filter_map(|situation| numbers.get(&situation.state).copied())
        .collect();
    // A node says what changed on the first way to it.
    let mut way: Vec<Option<usize>> = vec![None; graph.states.len()];
    let mut goes_on = vec![false; graph.states.len()];
    for edge in &graph.edges {
        goes_on[edge.from] = true;
        if let Ok(to) = edge.to
            && to > edge.from
        {
            way[to].get_or_insert(edge.from);
        }
    }
    for (number, state) in graph.states.iter().enumerate() {
        let lines = match way[number] {
            Some(before) => pairs(&changes(program, &graph.states[before], state)),
            None => beginning(program, state),
        };
        let mut style = String::new();
        if number == 0 || !goes_on[number] {
            style += ", peripheries=2";
        }
        if !goes_on[number] && !state.is_valid_end(program) {
            style += ", style=filled, fillcolor=mistyrose";
        }
        if on_run.contains(&number) {
            style += ", color=red, penwidth=2";
        }
        let _ = writeln!(out, "  s{number} [label={}{style}];", label(&lines));
    }
    let mut faults = 0;
    for edge in &graph.edges {
        let to = match &edge.to {
            Ok(to) => {
                let pair = |two: &[usize]| two == [edge.from, *to];
                let style = match on_run.windows(2).any(pair) {
                    true => ", color=red, penwidth=2",
                    false => "",
                };
                format!("s{to} [label={}{style}]", label(&statements(program, edge)))
            }
            Err(fault) => {
                faults += 1;
                let _ = writeln!(
                    out,
                    "  fault{faults} [label={}, style=filled, fillcolor=mistyrose];",
                    label(&[fault.to_string()])
                );
                format!("fault{faults} [label={}]", label(&statements(program, edge)))
            }
        };
        let _ = writeln!(out, "  s{} -> {to};", edge.from);
    }
    out.push_str("}\n");
    out
}

fn statements(program: &Program, edge: &GraphEdge) -> Vec<String> {
    let one = |state: &State, process: u8, edge: u16| {
        let (who, _, text) = statement(program, state, process, edge);
        format!("{who}: {text}")
    };
    edge.steps
        .iter()
        .flat_map(|(state, step): &(State, Step)| {
            let receiver = step.receiver.map(|(process, edge)| one(state, process, edge));
            std::iter::once(one(state, step.process, step.edge)).chain(receiver)
        })
        .collect()
}

/// The values of the beginning; what is zero is left out.
fn beginning(program: &Program, state: &State) -> Vec<String> {
    let mut all = values(program, state);
    all.retain(|(_, value)| value != "0" && value != "[]");
    std::iter::once("initial".to_owned()).chain(pairs(&all)).collect()
}

fn pairs(values: &[(String, String)]) -> Vec<String> {
    values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect()
}
