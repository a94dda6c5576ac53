//! The binary format: everything in order, gates as differences.
//!
//! The gate with literal `g` is written as `g - a` and `a - b` for its operands `a >= b`, each difference as a number in groups of
//! seven bits, the lowest first, the eighth bit saying that more follow.

use crate::circuit::{Aiger, Latch, Literal};
use crate::header::Header;
use crate::scanner::{Problem, Scanner};
use crate::sections;
use entail_source::Span;

pub(crate) fn read(scanner: &mut Scanner<'_>, header: &Header) -> Result<Aiger, Problem> {
    let mut circuit = header.circuit();
    circuit.latches.reserve_exact(header.latches as usize);
    for position in 0..header.latches {
        let latch = circuit.latch(position);
        let next = sections::literal(scanner, header, "the next value of a latch")?;
        let reset = sections::reset(scanner, header, latch)?;
        scanner.end_line()?;
        circuit.latches.push(Latch { next, reset });
    }
    sections::properties(scanner, header, &mut circuit)?;
    let start = scanner.at;
    scanner.binary = Some((start, scanner.bytes.len()));
    gates(scanner, header, &mut circuit)?;
    scanner.binary = Some((start, scanner.at));
    Ok(circuit)
}

fn gates(scanner: &mut Scanner<'_>, header: &Header, circuit: &mut Aiger) -> Result<(), Problem> {
    circuit.gates.reserve_exact(header.gates as usize);
    let mut gate = circuit.gate(0).0;
    for position in 0..header.gates {
        let start = scanner.at;
        let first = difference(scanner, position)?;
        let second = difference(scanner, position)?;
        let operands = gate
            .checked_sub(first)
            .filter(|_| first > 0)
            .and_then(|a| Some((a, a.checked_sub(second)?)));
        let Some((a, b)) = operands else {
            let reason = if first == 0 {
                "it would be its own operand"
            } else {
                "an operand would be negative"
            };
            return Err(in_gate(
                scanner,
                position,
                start,
                &format!("the differences {first} and {second} do not fit literal {gate}: {reason}"),
            ));
        };
        circuit.gates.push([Literal(a), Literal(b)]);
        gate += 2;
    }
    Ok(())
}

fn difference(scanner: &mut Scanner<'_>, gate: u32) -> Result<u32, Problem> {
    let start = scanner.at;
    let mut number = 0u64;
    for shift in [0, 7, 14, 21, 28] {
        let Some(byte) = scanner.peek() else {
            let mut problem = in_gate(scanner, gate, start, "the file ends in the middle of it");
            problem.code = "aiger::truncated";
            return Err(problem);
        };
        scanner.at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number)
                .map_err(|_| in_gate(scanner, gate, start, "a difference does not fit 32 bits"));
        }
    }
    Err(in_gate(
        scanner,
        gate,
        start,
        "a difference takes more than five bytes",
    ))
}

fn in_gate(scanner: &Scanner<'_>, gate: u32, byte: usize, reason: &str) -> Problem {
    scanner.problem(
        "aiger::gate",
        format!("and-gate {gate}, at byte {byte} of the file, is wrong: {reason}"),
        Span::new(byte, byte),
        "in the binary part after this",
    )
}
