//! Machines in files: as circuits (AIGER, Verilog, SMV) or as lists of steps (HOA, KISS, Graphviz).
//!
//! A circuit always can be written. A list of steps needs the machine's states one by one, which only small circuits have.

use crate::machine_table::{Steps, print_dot, steps};
use entail_aiger::{Aiger, Literal, Reset, SymbolKind, write_ascii};
use entail_game::ReactiveMachine;
use std::fmt::Write;

/// The formats, by how files end.
const CIRCUITS: [&str; 3] = ["aag", "v", "smv"];
const LISTS: [&str; 3] = ["dot", "hoa", "kiss"];

/// A machine in a format; nothing if there is no such format.
pub(crate) fn print(
    circuit: &Aiger,
    machine: Option<&ReactiveMachine>,
    writes: &[String],
    extension: &str,
) -> Option<Result<String, String>> {
    if CIRCUITS.contains(&extension) {
        return Some(Ok(match extension {
            "v" => verilog(circuit),
            "smv" => smv(circuit),
            _ => write_ascii(circuit),
        }));
    }
    if !LISTS.contains(&extension) {
        return None;
    }
    let Some(machine) = machine else {
        return Some(Err(format!(
            "the machine has too many steps to be listed as `.{extension}`; write a circuit ({})",
            CIRCUITS.join(", ")
        )));
    };
    Some(Ok(match extension {
        "hoa" => hoa(machine, writes),
        "kiss" => kiss(machine),
        _ => print_dot(machine),
    }))
}

/// How a language writes names, constants and operators.
struct Notation {
    not: &'static str,
    and: &'static str,
    truths: [&'static str; 2],
}

/// Names for everything in a circuit that are words of letters, digits and underscores, none of them twice.
fn words(circuit: &Aiger) -> Vec<String> {
    let mut taken = std::collections::HashSet::new();
    let mut fresh = |wanted: Option<&str>, other: String| {
        let word: String = (wanted.unwrap_or(&other).chars())
            .map(|letter| {
                if letter.is_ascii_alphanumeric() {
                    letter
                } else {
                    '_'
                }
            })
            .collect();
        let mut word = match word.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
            true => word,
            false => format!("s_{word}"),
        };
        while RESERVED.contains(&word.as_str()) || !taken.insert(word.clone()) {
            word.push('_');
        }
        word
    };
    let mut names = Vec::new();
    for at in 0..circuit.inputs {
        names.push(fresh(circuit.symbol(SymbolKind::Input, at), format!("input{at}")));
    }
    for at in 0..circuit.outputs.len() as u32 {
        names.push(fresh(
            circuit.symbol(SymbolKind::Output, at),
            format!("output{at}"),
        ));
    }
    for at in 0..circuit.latches.len() {
        names.push(fresh(None, format!("state{at}")));
    }
    for at in 0..circuit.gates.len() {
        names.push(fresh(None, format!("gate{at}")));
    }
    names
}

/// Words that mean something in Verilog or SMV and are likely as names of signals.
const RESERVED: [&str; 30] = [
    "A", "E", "F", "G", "H", "O", "S", "T", "U", "V", "X", "Y", "Z", "MODULE", "TRUE", "FALSE", "VAR",
    "init", "next", "in", "mod", "case", "esac", "input", "output", "reg", "wire", "and", "clock", "reset",
];

/// A circuit with names for its parts.
struct Named<'a> {
    circuit: &'a Aiger,
    names: Vec<String>,
    notation: Notation,
}

impl<'a> Named<'a> {
    fn new(circuit: &'a Aiger, notation: Notation) -> Named<'a> {
        Named {
            circuit,
            names: words(circuit),
            notation,
        }
    }

    fn inputs(&self) -> &[String] {
        &self.names[..self.circuit.inputs as usize]
    }

    fn outputs(&self) -> &[String] {
        &self.names[self.circuit.inputs as usize..][..self.circuit.outputs.len()]
    }

    /// Latches, then gates.
    fn inner(&self) -> (&[String], &[String]) {
        let first = self.circuit.inputs as usize + self.circuit.outputs.len();
        self.names[first..].split_at(self.circuit.latches.len())
    }

    fn literal(&self, literal: Literal) -> String {
        let (inputs, (latches, gates)) = (self.circuit.inputs as usize, self.inner());
        let name = match literal.variable() as usize {
            0 => return self.notation.truths[usize::from(literal.is_negated())].to_owned(),
            at if at <= inputs => &self.names[at - 1],
            at if at - inputs <= latches.len() => &latches[at - inputs - 1],
            at => &gates[at - inputs - latches.len() - 1],
        };
        match literal.is_negated() {
            true => format!("{}{name}", self.notation.not),
            false => name.clone(),
        }
    }

    fn gate(&self, gate: [Literal; 2]) -> String {
        let [a, b] = gate.map(|literal| self.literal(literal));
        format!("{a} {} {b}", self.notation.and)
    }
}

/// A Verilog module with a clock and a reset that is seen at the clock's edge.
fn verilog(circuit: &Aiger) -> String {
    let named = Named::new(
        circuit,
        Notation {
            not: "~",
            and: "&",
            truths: ["1'b0", "1'b1"],
        },
    );
    let (latches, gates) = named.inner();
    let ports = named.inputs().iter().chain(named.outputs());
    let ports: Vec<&str> = ["clock", "reset"]
        .into_iter()
        .chain(ports.map(String::as_str))
        .collect();
    let mut text = format!(
        "module machine({});\n  input clock;\n  input reset;\n",
        ports.join(", ")
    );
    for name in named.inputs() {
        let _ = writeln!(text, "  input {name};");
    }
    for name in named.outputs() {
        let _ = writeln!(text, "  output {name};");
    }
    for name in latches {
        let _ = writeln!(text, "  reg {name};");
    }
    for (name, &gate) in gates.iter().zip(&circuit.gates) {
        let _ = writeln!(text, "  wire {name} = {};", named.gate(gate));
    }
    for (name, &output) in named.outputs().iter().zip(&circuit.outputs) {
        let _ = writeln!(text, "  assign {name} = {};", named.literal(output));
    }
    if !latches.is_empty() {
        text += "  initial begin\n";
        for (name, latch) in latches.iter().zip(&circuit.latches) {
            let _ = writeln!(text, "    {name} = {};", reset(latch.reset));
        }
        text += "  end\n  always @(posedge clock) begin\n    if (reset) begin\n";
        for (name, latch) in latches.iter().zip(&circuit.latches) {
            let _ = writeln!(text, "      {name} <= {};", reset(latch.reset));
        }
        text += "    end else begin\n";
        for (name, latch) in latches.iter().zip(&circuit.latches) {
            let _ = writeln!(text, "      {name} <= {};", named.literal(latch.next));
        }
        text += "    end\n  end\n";
    }
    text += "endmodule\n";
    text
}

fn reset(reset: Reset) -> &'static str {
    match reset {
        Reset::One => "1'b1",
        Reset::Zero | Reset::Free => "1'b0",
    }
}

/// An SMV module: inputs are variables with any value, outputs are definitions.
fn smv(circuit: &Aiger) -> String {
    let named = Named::new(
        circuit,
        Notation {
            not: "!",
            and: "&",
            truths: ["FALSE", "TRUE"],
        },
    );
    let (latches, gates) = named.inner();
    let mut text = String::from("MODULE main\n");
    if !named.inputs().is_empty() || !latches.is_empty() {
        text += "VAR\n";
    }
    for name in named.inputs().iter().chain(latches) {
        let _ = writeln!(text, "  {name} : boolean;");
    }
    if !gates.is_empty() || !named.outputs().is_empty() {
        text += "DEFINE\n";
    }
    for (name, &gate) in gates.iter().zip(&circuit.gates) {
        let _ = writeln!(text, "  {name} := {};", named.gate(gate));
    }
    for (name, &output) in named.outputs().iter().zip(&circuit.outputs) {
        let _ = writeln!(text, "  {name} := {};", named.literal(output));
    }
    if !latches.is_empty() {
        text += "ASSIGN\n";
    }
    for (name, latch) in latches.iter().zip(&circuit.latches) {
        match latch.reset {
            Reset::Zero => _ = writeln!(text, "  init({name}) := FALSE;"),
            Reset::One => _ = writeln!(text, "  init({name}) := TRUE;"),
            Reset::Free => {}
        }
        let _ = writeln!(text, "  next({name}) := {};", named.literal(latch.next));
    }
    text
}

/// The runs as an automaton that accepts all it can read, with the machine's outputs controllable (extended HOA).
fn hoa(machine: &ReactiveMachine, writes: &[String]) -> String {
    let names: Vec<&String> = machine.reads.iter().chain(&machine.writes).collect();
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
    let controllable: Vec<String> = (names.iter().enumerate())
        .filter(|(_, name)| writes.contains(name))
        .map(|(at, _)| at.to_string())
        .collect();
    let mut text = format!(
        "HOA: v1\nStates: {}\nStart: 0\nAP: {} {}\ncontrollable-AP: {}\nacc-name: all\nAcceptance: 0 t\nproperties: trans-labels explicit-labels state-acc deterministic\n--BODY--\n",
        machine.states.len(),
        names.len(),
        quoted.join(" "),
        controllable.join(" ")
    );
    let mut last = None;
    for step in all_steps(machine) {
        if last != Some(step.state) {
            let _ = writeln!(text, "State: {}", step.state);
            last = Some(step.state);
        }
        let read = step.read.iter().map(|&(at, value)| (at as usize, value));
        let written = (step.written.iter().enumerate()).map(|(at, &value)| (machine.reads.len() + at, value));
        let literals: Vec<String> = read
            .chain(written)
            .map(|(at, value)| format!("{}{at}", if value { "" } else { "!" }))
            .collect();
        let label = if literals.is_empty() {
            "t".to_owned()
        } else {
            literals.join("&")
        };
        let _ = writeln!(text, "[{label}] {}", step.next);
    }
    text += "--END--\n";
    text
}

/// KISS2: a line for each step, `-` for inputs that do not matter.
fn kiss(machine: &ReactiveMachine) -> String {
    let all = all_steps(machine);
    let mut text = format!(
        ".i {}\n.o {}\n.p {}\n.s {}\n.r s0\n",
        machine.reads.len(),
        machine.writes.len(),
        all.len(),
        machine.states.len()
    );
    if !machine.reads.is_empty() {
        let _ = writeln!(text, ".ilb {}", machine.reads.join(" "));
    }
    if !machine.writes.is_empty() {
        let _ = writeln!(text, ".ob {}", machine.writes.join(" "));
    }
    for step in all {
        let mut read = vec!['-'; machine.reads.len()];
        for &(at, value) in &step.read {
            read[at as usize] = if value { '1' } else { '0' };
        }
        let read: String = read.into_iter().collect();
        let written: String = step
            .written
            .iter()
            .map(|&value| if value { '1' } else { '0' })
            .collect();
        let _ = writeln!(text, "{read} s{} s{} {written}", step.state, step.next);
    }
    text += ".e\n";
    text
}

fn all_steps(machine: &ReactiveMachine) -> Steps {
    steps(machine, usize::MAX).unwrap_or_default()
}
