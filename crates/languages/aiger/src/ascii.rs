//! The ASCII format: definitions in any order within their sections.

use crate::circuit::{Aiger, Latch, Literal};
use crate::header::Header;
use crate::renumber::{Gate, Renumbering};
use crate::scanner::{Problem, Scanner};
use crate::sections;
use entail_source::Span;

pub(crate) fn read(scanner: &mut Scanner<'_>, header: &Header) -> Result<Aiger, Problem> {
    let mut circuit = header.circuit();
    let mut renumbering = Renumbering::new(header, scanner.bytes.len());
    for position in 0..header.inputs {
        let literal = defined(scanner, header, "the literal of an input")?;
        let number = circuit.input(position);
        renumbering.define(scanner, literal, number, 1 + position as usize)?;
        scanner.end_line()?;
    }
    circuit.latches.reserve_exact(header.latches as usize);
    let first_latch = 1 + header.inputs as usize;
    for position in 0..header.latches {
        let literal = defined(scanner, header, "the literal of a latch")?;
        let number = circuit.latch(position);
        renumbering.define(scanner, literal, number, first_latch + position as usize)?;
        let next = sections::literal(scanner, header, "the next value of a latch")?;
        let reset = sections::reset(scanner, header, literal)?;
        scanner.end_line()?;
        circuit.latches.push(Latch { next, reset });
    }
    sections::properties(scanner, header, &mut circuit)?;
    let first_property = first_latch + header.latches as usize;
    let justice: usize = circuit
        .justice
        .iter()
        .map(|conditions| 1 + conditions.len())
        .sum();
    let lists = [
        &circuit.outputs,
        &circuit.bad,
        &circuit.constraints,
        &circuit.fairness,
    ];
    let first_gate = first_property + justice + lists.iter().map(|list| list.len()).sum::<usize>();
    let mut gates = Vec::with_capacity(header.gates as usize);
    for position in 0..header.gates {
        let gate = defined(scanner, header, "the literal of an and-gate")?;
        renumbering.define_gate(scanner, gate, position, first_gate + position as usize)?;
        let a = sections::literal(scanner, header, "the first operand of an and-gate")?;
        let b = sections::literal(scanner, header, "the second operand of an and-gate")?;
        scanner.end_line()?;
        gates.push(Gate {
            gate,
            operands: [a, b],
        });
    }
    circuit.gates = renumbering.order_gates(scanner, &gates, first_gate)?;
    drop(gates);

    // Every use gets its new number. Lines follow the sections.
    let mut line = first_latch;
    for latch in &mut circuit.latches {
        latch.next = renumbering.new_literal(scanner, latch.next, line)?;
        line += 1;
    }
    for list in [&mut circuit.outputs, &mut circuit.bad, &mut circuit.constraints] {
        for literal in list {
            *literal = renumbering.new_literal(scanner, *literal, line)?;
            line += 1;
        }
    }
    line += circuit.justice.len();
    for literal in circuit.justice.iter_mut().flatten().chain(&mut circuit.fairness) {
        *literal = renumbering.new_literal(scanner, *literal, line)?;
        line += 1;
    }
    Ok(circuit)
}

/// A literal that stands for what is defined here: not a constant, not negated.
fn defined(scanner: &mut Scanner<'_>, header: &Header, what: &str) -> Result<Literal, Problem> {
    scanner.blanks();
    let start = scanner.at;
    let literal = sections::literal(scanner, header, what)?;
    if literal.variable() == 0 || literal.is_negated() {
        let reason = if literal.variable() == 0 {
            "a constant"
        } else {
            "negated"
        };
        return Err(scanner.problem(
            "aiger::definition",
            format!("literal {} cannot be defined: it is {reason}", literal.0),
            Span::new(start, scanner.at),
            format!("expected {what}, an even number from 2"),
        ));
    }
    Ok(literal)
}
