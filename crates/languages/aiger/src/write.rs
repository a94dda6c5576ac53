//! Circuits as files.

use crate::circuit::{Aiger, Latch, Literal, Reset};
use std::fmt::Write;

/// The circuit in the ASCII format.
pub fn write_ascii(circuit: &Aiger) -> String {
    let mut out = header("aag", circuit);
    for input in 0..circuit.inputs {
        let _ = writeln!(out, "{}", circuit.input(input).0);
    }
    for (position, latch) in circuit.latches.iter().enumerate() {
        let literal = circuit.latch(position as u32);
        let _ = writeln!(out, "{} {}", literal.0, latch_line(*latch, literal));
    }
    out += &properties(circuit);
    for (position, [a, b]) in circuit.gates.iter().enumerate() {
        let _ = writeln!(out, "{} {} {}", circuit.gate(position as u32).0, a.0, b.0);
    }
    out += &ending(circuit);
    out
}

/// The circuit in the binary format.
pub fn write_binary(circuit: &Aiger) -> Vec<u8> {
    let mut text = header("aig", circuit);
    for (position, latch) in circuit.latches.iter().enumerate() {
        let _ = writeln!(text, "{}", latch_line(*latch, circuit.latch(position as u32)));
    }
    text += &properties(circuit);
    let mut out = text.into_bytes();
    for (position, &[a, b]) in circuit.gates.iter().enumerate() {
        let (a, b) = (a.max(b), a.min(b));
        difference(&mut out, circuit.gate(position as u32).0 - a.0);
        difference(&mut out, a.0 - b.0);
    }
    out.extend_from_slice(ending(circuit).as_bytes());
    out
}

fn difference(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// The counts of version 1.9 are left out where nothing needs them.
fn header(format: &str, circuit: &Aiger) -> String {
    let late = [
        circuit.bad.len(),
        circuit.constraints.len(),
        circuit.justice.len(),
        circuit.fairness.len(),
    ];
    let needed = late.iter().rposition(|&count| count > 0).map_or(0, |at| at + 1);
    let mut line = format!(
        "{format} {} {} {} {} {}",
        circuit.last_variable(),
        circuit.inputs,
        circuit.latches.len(),
        circuit.outputs.len(),
        circuit.gates.len()
    );
    for count in &late[..needed] {
        let _ = write!(line, " {count}");
    }
    line + "\n"
}

fn latch_line(latch: Latch, literal: Literal) -> String {
    match latch.reset {
        Reset::Zero => latch.next.0.to_string(),
        Reset::One => format!("{} 1", latch.next.0),
        Reset::Free => format!("{} {}", latch.next.0, literal.0),
    }
}

fn properties(circuit: &Aiger) -> String {
    let mut out = String::new();
    let mut list = |literals: &[Literal]| {
        for literal in literals {
            let _ = writeln!(out, "{}", literal.0);
        }
    };
    list(&circuit.outputs);
    list(&circuit.bad);
    list(&circuit.constraints);
    for conditions in &circuit.justice {
        let _ = writeln!(out, "{}", conditions.len());
    }
    for literal in circuit.justice.iter().flatten().chain(&circuit.fairness) {
        let _ = writeln!(out, "{}", literal.0);
    }
    out
}

/// Names and comment. A name is one line.
fn ending(circuit: &Aiger) -> String {
    let mut out = String::new();
    for ((kind, position), name) in &circuit.symbols {
        let name = name.replace(['\n', '\r'], " ");
        let _ = writeln!(out, "{}{position} {name}", kind.letter());
    }
    if !circuit.comment.is_empty() {
        out += "c\n";
        out += &circuit.comment;
    }
    out
}
