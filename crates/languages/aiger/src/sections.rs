//! What both formats write alike: reset values, outputs and properties, one literal a line.

use crate::circuit::{Aiger, Literal, Reset};
use crate::header::Header;
use crate::scanner::{Problem, Scanner};
use entail_source::Span;

/// A literal that the header allows.
pub(crate) fn literal(scanner: &mut Scanner<'_>, header: &Header, what: &str) -> Result<Literal, Problem> {
    scanner.blanks();
    let start = scanner.at;
    let number = scanner.number(what)?;
    if number >> 1 > header.last_variable {
        let largest = u64::from(header.last_variable) * 2 + 1;
        return Err(scanner
            .problem(
                "aiger::out-of-range",
                format!("literal {number} is out of range: the largest is {largest}"),
                Span::new(start, scanner.at),
                "no such literal",
            )
            .with_label(header.span, "the header says so")
            .into());
    }
    Ok(Literal(number))
}

/// The reset value at the end of a latch's line: nothing, 0, 1, or the latch itself.
pub(crate) fn reset(scanner: &mut Scanner<'_>, header: &Header, latch: Literal) -> Result<Reset, Problem> {
    if scanner.line_ends() {
        return Ok(Reset::Zero);
    }
    let start = scanner.at;
    match literal(scanner, header, "a reset value")? {
        Literal::FALSE => Ok(Reset::Zero),
        Literal::TRUE => Ok(Reset::One),
        itself if itself == latch => Ok(Reset::Free),
        _ => Err(scanner
            .problem(
                "aiger::reset",
                "this is no reset value",
                Span::new(start, scanner.at),
                format!("expected 0, 1, or {} (uninitialised)", latch.0),
            )
            .with_help("a latch begins with a constant, or with any value if its own literal stands here")
            .into()),
    }
}

/// Outputs and properties, as written.
pub(crate) fn properties(
    scanner: &mut Scanner<'_>,
    header: &Header,
    circuit: &mut Aiger,
) -> Result<(), Problem> {
    let list = |scanner: &mut Scanner<'_>, count: u32, what: &str| {
        let mut literals = Vec::with_capacity(count as usize);
        for _ in 0..count {
            literals.push(literal(scanner, header, what)?);
            scanner.end_line()?;
        }
        Ok::<_, Problem>(literals)
    };
    circuit.outputs = list(scanner, header.outputs, "the literal of an output")?;
    circuit.bad = list(scanner, header.bad, "the literal of a bad-state property")?;
    circuit.constraints = list(scanner, header.constraints, "the literal of a constraint")?;
    let mut sizes = Vec::with_capacity(header.justice as usize);
    for _ in 0..header.justice {
        scanner.blanks();
        let start = scanner.at;
        let size = scanner.number("the size of a justice property")?;
        let span = Span::new(start, scanner.at);
        scanner.end_line()?;
        if size as usize > scanner.bytes.len() - scanner.at {
            return Err(scanner.problem(
                "aiger::truncated",
                format!("a justice property of {size} literals does not fit the rest of the file"),
                span,
                "too many",
            ));
        }
        sizes.push(size);
    }
    for size in sizes {
        let conditions = list(scanner, size, "the literal of a justice condition")?;
        circuit.justice.push(conditions);
    }
    circuit.fairness = list(scanner, header.fairness, "the literal of a fairness constraint")?;
    Ok(())
}
