//! Machines for people: a table of small ones, and a drawing.

use entail_game::{Decision, ReactiveMachine};
use entail_show::Table;
use std::fmt::Write;

/// Machines with more steps are not shown as a table.
const MOST_ROWS: usize = 40;

/// One row for each way through the diagrams: state, what is read, what is written, next state.
pub(crate) fn table(machine: &ReactiveMachine) -> Option<Table> {
    let steps = steps(machine, MOST_ROWS)?;
    let heads = ["state", "reads", "writes", "next"].map(String::from).to_vec();
    let rows = steps
        .into_iter()
        .map(|(state, read, written, next)| vec![state.to_string(), read, written, next.to_string()]);
    Some(Table {
        heads,
        rows: rows.collect(),
    })
}

type Row = (usize, String, String, u32);

fn steps(machine: &ReactiveMachine, most: usize) -> Option<Vec<Row>> {
    let mut rows = Vec::new();
    for (state, &root) in machine.states.iter().enumerate() {
        let mut waiting = vec![(root, Vec::new())];
        while let Some((at, literals)) = waiting.pop() {
            match &machine.nodes[at as usize] {
                Decision::Test { read, low, high } => {
                    let name = &machine.reads[*read as usize];
                    let with = |literal: String| {
                        let mut more: Vec<String> = literals.clone();
                        more.push(literal);
                        more
                    };
                    waiting.push((*high, with(name.clone())));
                    waiting.push((*low, with(format!("!{name}"))));
                }
                Decision::Step { written, next } => {
                    let read = match literals.is_empty() {
                        true => "anything".to_owned(),
                        false => literals.join(" "),
                    };
                    rows.push((state, read, named(machine, written), *next));
                    if rows.len() > most {
                        return None;
                    }
                }
            }
        }
    }
    Some(rows)
}

/// What is written: the names of what is true.
fn named(machine: &ReactiveMachine, written: &[bool]) -> String {
    let true_ones = machine.writes.iter().zip(written).filter(|(_, truth)| **truth);
    let names: Vec<&str> = true_ones.map(|(name, _)| name.as_str()).collect();
    match names.is_empty() {
        true => "nothing".to_owned(),
        false => names.join(" "),
    }
}

/// The machine for Graphviz.
pub(crate) fn print_dot(machine: &ReactiveMachine) -> String {
    let mut text = String::from(
        "digraph machine {\n  rankdir=LR;\n  node [shape=circle];\n  start [shape=point];\n  start -> s0;\n",
    );
    for (state, read, written, next) in steps(machine, usize::MAX).unwrap_or_default() {
        let _ = writeln!(text, "  s{state} -> s{next} [label=\"{read} / {written}\"];");
    }
    for state in 0..machine.states.len() {
        let _ = writeln!(text, "  s{state} [label=\"{state}\"];");
    }
    text += "}\n";
    text
}
