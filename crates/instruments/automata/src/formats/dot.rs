//! Automata as Graphviz graphs, and alternating automata with their branching shown.

use crate::automaton::Automaton;
use crate::formats::hoa_writer::{label_text, string, write_marks};
use std::fmt::Write;

/// The automaton in DOT.
pub fn to_dot(automaton: &Automaton) -> String {
    let mut labels = automaton.labels.clone();
    let mut out = String::from("digraph automaton {\n  rankdir=LR\n  node [shape=circle]\n");
    let title = automaton.name.clone().unwrap_or_default();
    let _ = writeln!(
        out,
        "  label={}",
        string(&format!("{title}\n[{}]", automaton.acceptance()))
    );
    for (position, state) in automaton.initial().iter().enumerate() {
        let _ = writeln!(
            out,
            "  start{position} [shape=point, width=0, label=\"\"]\n  start{position} -> {}",
            state.0
        );
    }
    let state_based = automaton.is_state_based() && automaton.mark_count() > 0;
    for state in automaton.states() {
        let mut text = state.0.to_string();
        if state_based && let Some(edge) = automaton.edges(state).first() {
            write_marks(&mut text, edge.marks);
        }
        let _ = writeln!(out, "  {} [label={}]", state.0, string(&text));
        for edge in automaton.edges(state) {
            let name = |p: u32| automaton.propositions()[p as usize].clone();
            let mut text = label_text(&mut labels, edge.label, &name);
            if !state_based {
                write_marks(&mut text, edge.marks);
            }
            let _ = writeln!(
                out,
                "  {} -> {} [label={}]",
                state.0,
                edge.target.0,
                string(&text)
            );
        }
    }
    out.push_str("}\n");
    out
}
