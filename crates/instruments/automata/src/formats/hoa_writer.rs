//! Writing the Hanoi Omega-Automata format, version 1.
//!
//! Acceptance is written on states where all edges of every state agree, on edges otherwise. `acc-name` and the properties
//! that are cheap to tell are included, so that other tools can rely on them.

use crate::acceptance::Marks;
use crate::alternating::Alternating;
use crate::automaton::{Automaton, State};
use crate::label::{Cube, Label, Labels};
use std::fmt::Write;

/// The automaton as HOA text, ending with `--END--` and a newline.
pub fn to_hoa(automaton: &Automaton) -> String {
    let mut out = String::new();
    let mut labels = automaton.labels.clone();
    let state_based = automaton.is_state_based();
    out.push_str("HOA: v1\n");
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "name: {}", string(name));
    }
    let _ = writeln!(out, "States: {}", automaton.state_count());
    for state in automaton.initial() {
        let _ = writeln!(out, "Start: {}", state.0);
    }
    let _ = write!(out, "AP: {}", automaton.propositions().len());
    for name in automaton.propositions() {
        let _ = write!(out, " {}", string(name));
    }
    out.push('\n');
    if let Some(name) = automaton.kind().hoa_name() {
        let _ = writeln!(out, "acc-name: {name}");
    }
    let _ = writeln!(
        out,
        "Acceptance: {} {}",
        automaton.mark_count(),
        automaton.acceptance()
    );
    out.push_str("properties: trans-labels explicit-labels");
    out.push_str(if state_based { " state-acc" } else { " trans-acc" });
    if automaton.is_complete() {
        out.push_str(" complete");
    }
    if automaton.is_deterministic() {
        out.push_str(" deterministic");
    }
    if automaton.is_weak() {
        out.push_str(if automaton.is_terminal() {
            " terminal"
        } else if automaton.is_very_weak() {
            " very-weak"
        } else {
            " weak"
        });
    }
    out.push_str("\n--BODY--\n");
    for state in automaton.states() {
        write_state(&mut out, automaton, &mut labels, state, state_based);
    }
    out.push_str("--END--\n");
    out
}

fn write_state(
    out: &mut String,
    automaton: &Automaton,
    labels: &mut Labels,
    state: State,
    state_based: bool,
) {
    let edges = automaton.edges(state);
    let _ = write!(out, "State: {}", state.0);
    if state_based && let Some(first) = edges.first() {
        write_marks(out, first.marks);
    }
    out.push('\n');
    for edge in edges {
        let _ = write!(
            out,
            "[{}] {}",
            label_text(labels, edge.label, &|p| p.to_string()),
            edge.target.0
        );
        if !state_based {
            write_marks(out, edge.marks);
        }
        out.push('\n');
    }
}

pub(crate) fn write_marks(out: &mut String, marks: Marks) {
    if !marks.is_empty() {
        out.push_str(" {");
        for (position, mark) in marks.iter().enumerate() {
            if position > 0 {
                out.push(' ');
            }
            let _ = write!(out, "{mark}");
        }
        out.push('}');
    }
}

/// A label as a sum of cubes, propositions named by `name`.
pub(crate) fn label_text(labels: &mut Labels, label: Label, name: &impl Fn(u32) -> String) -> String {
    if label == Label::TRUE {
        return "t".into();
    }
    if label == Label::FALSE {
        return "f".into();
    }
    let cubes = labels.cubes(label);
    let texts: Vec<String> = cubes.iter().map(|cube| cube_text(*cube, name)).collect();
    texts.join(" | ")
}

fn cube_text(cube: Cube, name: &impl Fn(u32) -> String) -> String {
    let literals: Vec<String> = (0..64)
        .filter(|var| (cube.positive | cube.negative) >> var & 1 == 1)
        .map(|var| {
            if cube.positive >> var & 1 == 1 {
                name(var)
            } else {
                format!("!{}", name(var))
            }
        })
        .collect();
    literals.join("&")
}

/// A quoted HOA string.
pub(crate) fn string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// An alternating automaton as HOA text.
pub fn alternating_to_hoa(automaton: &Alternating) -> String {
    let mut labels = automaton.labels.clone();
    let mut out = String::from("HOA: v1\n");
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "name: {}", string(name));
    }
    // HOA has no empty conjunction: accepting at once is a step into a state that loops for ever.
    let sink = automaton.edges.len();
    let targets = automaton.edges.iter().flatten().map(|edge| &edge.targets);
    let sets: Vec<&Vec<State>> = targets.chain(&automaton.initial).collect();
    let needs_sink = sets.iter().any(|set| set.is_empty());
    let branches = sets.iter().any(|set| set.len() > 1);
    let conjunction = |states: &[State]| {
        if states.is_empty() {
            return sink.to_string();
        }
        let numbers: Vec<String> = states.iter().map(|state| state.0.to_string()).collect();
        numbers.join("&")
    };
    let _ = writeln!(out, "States: {}", sink + usize::from(needs_sink));
    for set in &automaton.initial {
        let _ = writeln!(out, "Start: {}", conjunction(set));
    }
    let _ = write!(out, "AP: {}", automaton.propositions.len());
    for name in &automaton.propositions {
        let _ = write!(out, " {}", string(name));
    }
    let _ = writeln!(
        out,
        "\nAcceptance: {} {}",
        automaton.mark_count, automaton.acceptance
    );
    let _ = writeln!(
        out,
        "properties:{} trans-labels explicit-labels trans-acc\n--BODY--",
        if branches { " univ-branch" } else { "" }
    );
    for (state, list) in automaton.edges.iter().enumerate() {
        let _ = writeln!(out, "State: {state}");
        for edge in list {
            let label = label_text(&mut labels, edge.label, &|p| p.to_string());
            let _ = write!(out, "[{label}] {}", conjunction(&edge.targets));
            write_marks(&mut out, edge.marks);
            out.push('\n');
        }
    }
    if needs_sink {
        let _ = write!(out, "State: {sink}\n[t] {sink}");
        let disjuncts = automaton.acceptance.disjuncts();
        write_marks(&mut out, disjuncts.first().map_or(Marks::NONE, |(_, inf)| *inf));
        out.push('\n');
    }
    out.push_str("--END--\n");
    out
}
