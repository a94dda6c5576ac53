//! Machines for people: a table of small ones, and a drawing.

use entail_game::{Decision, ReactiveMachine};
use entail_show::Table;
use std::fmt::Write;

/// Machines with more steps are not shown as a table.
const MOST_ROWS: usize = 40;

/// A step of a machine: one way through a state's diagram.
pub(crate) struct Step {
    pub state: usize,
    /// What is tested on the way, with its value.
    pub read: Vec<(u32, bool)>,
    pub written: Vec<bool>,
    pub next: u32,
}

/// Steps, state by state.
pub(crate) type Steps = Vec<Step>;

/// One row for each way through the diagrams: state, what is read, what is written, next state.
pub(crate) fn table(machine: &ReactiveMachine) -> Option<Table> {
    let steps = steps(machine, MOST_ROWS)?;
    let heads = ["state", "reads", "writes", "next"].map(String::from).to_vec();
    let row = |step: Step| {
        let (read, written) = (tested(machine, &step.read), named(machine, &step.written));
        vec![step.state.to_string(), read, written, step.next.to_string()]
    };
    Some(Table {
        heads,
        rows: steps.into_iter().map(row).collect(),
    })
}

/// All steps; nothing if there are more than this.
pub(crate) fn steps(machine: &ReactiveMachine, most: usize) -> Option<Steps> {
    let mut found = Vec::new();
    for (state, &root) in machine.states.iter().enumerate() {
        let mut waiting = vec![(root, Vec::new())];
        while let Some((at, read)) = waiting.pop() {
            match &machine.nodes[at as usize] {
                Decision::Test {
                    read: signal,
                    low,
                    high,
                } => {
                    let with = |value: bool| {
                        let mut more: Vec<(u32, bool)> = read.clone();
                        more.push((*signal, value));
                        more
                    };
                    waiting.push((*high, with(true)));
                    waiting.push((*low, with(false)));
                }
                Decision::Step { written, next } => {
                    found.push(Step {
                        state,
                        read,
                        written: written.clone(),
                        next: *next,
                    });
                    if found.len() > most {
                        return None;
                    }
                }
            }
        }
    }
    Some(found)
}

/// What is read: the names, with `!` where they are false.
fn tested(machine: &ReactiveMachine, read: &[(u32, bool)]) -> String {
    let literal = |&(signal, value): &(u32, bool)| {
        let sign = if value { "" } else { "!" };
        format!("{sign}{}", machine.reads[signal as usize])
    };
    match read.is_empty() {
        true => "anything".to_owned(),
        false => read.iter().map(literal).collect::<Vec<_>>().join(" "),
    }
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
    for step in steps(machine, usize::MAX).unwrap_or_default() {
        let (read, written) = (tested(machine, &step.read), named(machine, &step.written));
        let _ = writeln!(
            text,
            "  s{} -> s{} [label=\"{read} / {written}\"];",
            step.state, step.next
        );
    }
    for state in 0..machine.states.len() {
        let _ = writeln!(text, "  s{state} [label=\"{state}\"];");
    }
    text += "}\n";
    text
}
