//! Properties in PSL as a checker in SystemVerilog, for simulators and emulators: `entail convert bus.psl checker.sv`.
//!
//! Each module that units are bound to becomes a module with the signals as inputs. A property is watched by its monitor, one register for each state: `NAME_fails` is true at the
//! tick that shows a violation, `NAME_failed` from then on (`NAME_covers` and `NAME_covered` of covers). All of it can be synthesised. Properties that no finite run can violate,
//! and those whose monitors have to guess, have no such checker; they are named in the notes.

use entail_automata::assertion::{Acceptance, Gate, Monitor};
use entail_logic::{Assertion, Guard};
use entail_systemverilog::{
    Check, Claim, Design, Directive, Edge, Form, OUTPUTS, Timing, atom_wire, clock_wire, end_wire,
    marker_wire,
};
use std::fmt::Write as _;

/// The checker of a design that is nothing but signals and properties, and what is left out.
pub(crate) fn checker(design: &Design) -> (String, Vec<String>) {
    let mut notes = Vec::new();
    let mut text =
        "// Made by entail from properties in PSL. A signal is as wide as its parameter says.\n".to_owned();
    for module in design.text.split_inclusive("endmodule") {
        let name = module.split_whitespace().nth(1).unwrap_or("");
        if !module.trim_start().starts_with("module") {
            continue;
        }
        let (mut outputs, mut kept) = (Vec::new(), Vec::new());
        let mut body = String::new();
        let checks = design.checks.iter().enumerate();
        for (number, check) in checks.filter(|(_, check)| check.module == name) {
            match watched(design, number, check, &mut body) {
                Ok(more) => {
                    outputs.extend(more);
                    kept.push(number);
                }
                Err(reason) => notes.push(format!("{} is left out: {reason}", check.name)),
            }
        }
        let ports: Vec<String> = outputs.iter().map(|port| format!(",\n  output {port}")).collect();
        let module = module.trim_start();
        let (header, declared) = module.split_once(");\n").unwrap_or((module, ""));
        let header = header.replacen(OUTPUTS, &ports.concat(), 1);
        let declared = declarations(declared, &kept);
        let _ = write!(text, "\n{header}\n);\n{declared}{body}endmodule\n");
    }
    // (Names that begin with `entail$` are those of designs under way.)
    (text.replace("\\entail$", "\\psl$"), notes)
}

/// The declarations that some checks need, one in a line, without the wires that only find things again.
fn declarations(text: &str, kept: &[usize]) -> String {
    let is_needed = |line: &&str| {
        let is_mark =
            |check: usize| line.contains(&marker_wire(check)) || line.contains(&clock_wire(check, 0));
        kept.iter()
            .any(|&check| line.contains(&format!("entail$p{check}$")) && !is_mark(check))
    };
    let lines = text.split_inclusive("; ").filter(is_needed);
    let lines = lines.map(|line| format!("  {}\n", line.trim().replace("(* keep *) ", "")));
    lines.collect()
}

/// Adds what watches a check; the names of its outputs.
fn watched(design: &Design, number: usize, check: &Check, body: &mut String) -> Result<[String; 2], String> {
    if let Some(problem) = &check.problem {
        return Err(problem.message.clone());
    }
    if check.form != Form::Property {
        return Err("it is no property".to_owned());
    }
    if !check.replicated.is_empty() {
        return Err("`forall` would need a checker for each value".to_owned());
    }
    let edge = match &check.clocks[..] {
        [clock] => Edge::of(clock).filter(|edge| edge.gate.is_none() && edge.rises.is_some()),
        _ => None,
    };
    let edge = edge.ok_or("its clock is not one edge of one signal")?;
    let word = if edge.rises == Some(true) {
        "posedge"
    } else {
        "negedge"
    };
    let event = format!("{word} {} ", edge.signal);
    let meaning = design.assertion(number, Timing::Ticks, &|_| None);
    let meaning = meaning.map_err(|problem| problem.message)?;
    let Claim::Linear(assertion) = &meaning.claim else {
        return Err("a checker sees one run, which has no branches".to_owned());
    };
    let is_cover = check.directive == Directive::Cover;
    let monitor = match is_cover {
        true => Monitor::of_witnesses(assertion),
        false => Monitor::of_violations(assertion),
    };
    let too_large = |_| "its automaton would be too large".to_owned();
    let atom = |atom: usize| format!("\\{} ", atom_wire(number, atom));
    let mut text = String::new();
    for (place, end) in meaning.ends.iter().enumerate() {
        // Of `sequence |-> z`, `z` being false, a violation is just where a match ends.
        let zero = check.atoms;
        let never = Assertion::guard(Guard::Atom(zero)).implied_by(end.sequence.clone(), true);
        let monitor = Monitor::of_violations(&never.always()).map_err(too_large)?;
        let named = |one: usize| if one == zero { "1'b0".to_owned() } else { atom(one) };
        let prefix = format!("entail_{number}_end{place}");
        let signal = gates(&monitor, &prefix, &event, &named, &mut text)?;
        let _ = writeln!(text, "  assign \\{} = {signal};", end_wire(number, place));
    }
    let monitor = monitor.map_err(too_large)?;
    let signal = gates(&monitor, &format!("entail_{number}"), &event, &atom, &mut text)?;
    let name: String = check
        .name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let (now, since) = match is_cover {
        true => (format!("{name}_covers"), format!("{name}_covered")),
        false => (format!("{name}_fails"), format!("{name}_failed")),
    };
    let _ = writeln!(body, "\n  // {}", check.text);
    body.push_str(&text);
    let _ = writeln!(body, "  assign {now} = {signal};");
    let _ = writeln!(
        body,
        "  reg entail_{number}_since = 1'b0;\n  always @({event}) if ({now}) entail_{number}_since <= 1'b1;\n  assign {since} = entail_{number}_since;"
    );
    if !is_cover {
        let _ = writeln!(
            body,
            "`ifndef SYNTHESIS\n  always @({event}) if ({now}) $display(\"%0t: {} fails\", $time);\n`endif",
            check.name
        );
    }
    Ok([now, since])
}

/// Adds a monitor's gates and registers; the signal that it accepts by.
fn gates(
    monitor: &Monitor<usize>,
    prefix: &str,
    event: &str,
    atom: &dyn Fn(usize) -> String,
    text: &mut String,
) -> Result<String, String> {
    let Acceptance::Reached(accepted) = monitor.acceptance else {
        return Err("no finite run decides it".to_owned());
    };
    if monitor.choices > 0 {
        return Err("its monitor would have to guess".to_owned());
    }
    for (place, register) in monitor.registers.iter().enumerate() {
        let first = u8::from(register.initial);
        let _ = writeln!(text, "  reg {prefix}_r{place} = 1'b{first};");
    }
    let gate = |one: entail_automata::assertion::GateId| format!("{prefix}_g{}", one.0);
    for (place, one) in monitor.gates.iter().enumerate() {
        let value = match one {
            Gate::Constant(truth) => format!("1'b{}", u8::from(*truth)),
            Gate::Atom(one) => atom(*one),
            Gate::Register(register) => format!("{prefix}_r{register}"),
            Gate::Choice(_) => return Err("its monitor would have to guess".to_owned()),
            Gate::Not(inner) => format!("!{}", gate(*inner)),
            Gate::And(left, right) => format!("{} && {}", gate(*left), gate(*right)),
        };
        let _ = writeln!(text, "  wire {prefix}_g{place} = {value};");
    }
    for (place, register) in monitor.registers.iter().enumerate() {
        let _ = writeln!(
            text,
            "  always @({event}) {prefix}_r{place} <= {};",
            gate(register.next)
        );
    }
    Ok(gate(accepted))
}
