//! The first line: the format and how many there are of everything.
//!
//! `aag M I L O A [B [C [J [F]]]]`; the optional counts came with version 1.9 and are zero where they are left out. The counts are
//! believed only as far as the file is long enough for them, so that a short file cannot ask for much memory.

use crate::circuit::Aiger;
use crate::scanner::{Problem, Scanner};
use entail_source::Span;

/// The counts.
pub(crate) struct Header {
    pub is_binary: bool,
    pub last_variable: u32,
    pub inputs: u32,
    pub latches: u32,
    pub outputs: u32,
    pub gates: u32,
    pub bad: u32,
    pub constraints: u32,
    pub justice: u32,
    pub fairness: u32,
    /// Where the line is.
    pub span: Span,
}

/// What each number of the line is.
const NUMBERS: [&str; 9] = [
    "the largest variable (M)",
    "the number of inputs (I)",
    "the number of latches (L)",
    "the number of outputs (O)",
    "the number of and-gates (A)",
    "the number of bad-state properties (B)",
    "the number of invariant constraints (C)",
    "the number of justice properties (J)",
    "the number of fairness constraints (F)",
];

/// Numbers that every header has.
const REQUIRED: usize = 5;

impl Header {
    pub fn read(scanner: &mut Scanner<'_>) -> Result<Header, Problem> {
        let is_binary = match scanner.bytes.get(..4) {
            Some(b"aag ") => false,
            Some(b"aig ") => true,
            _ => {
                let mut problem = scanner.unexpected("`aag` or `aig`");
                problem.help = Some(
                    "an AIGER file begins with `aag` (ASCII) or `aig` (binary) and five to nine numbers"
                        .into(),
                );
                return Err(problem);
            }
        };
        scanner.at = 4;
        let mut numbers = [0; NUMBERS.len()];
        for (position, what) in NUMBERS.iter().enumerate() {
            if position >= REQUIRED && scanner.line_ends() {
                break;
            }
            numbers[position] = scanner.number(what)?;
        }
        let span = Span::new(0, scanner.at);
        scanner.end_line()?;
        let [
            last_variable,
            inputs,
            latches,
            outputs,
            gates,
            bad,
            constraints,
            justice,
            fairness,
        ] = numbers;
        let header = Header {
            is_binary,
            last_variable,
            inputs,
            latches,
            outputs,
            gates,
            bad,
            constraints,
            justice,
            fairness,
            span,
        };
        header.plausible(scanner)?;
        Ok(header)
    }

    fn plausible(&self, scanner: &Scanner<'_>) -> Result<(), Problem> {
        let wrong =
            |message: String, label: &str| Err(scanner.problem("aiger::header", message, self.span, label));
        let defined = u64::from(self.inputs) + u64::from(self.latches) + u64::from(self.gates);
        let last = u64::from(self.last_variable);
        if last > u64::from(u32::MAX >> 1) {
            return wrong(
                format!("{last} variables are more than literals of 32 bits can tell apart"),
                "M is too large",
            );
        }
        if last < defined || self.is_binary && last > defined {
            return wrong(
                format!("{defined} inputs, latches and gates, but the largest variable is {last}"),
                if self.is_binary {
                    "M must be I + L + A"
                } else {
                    "M must be at least I + L + A"
                },
            );
        }
        // Every item takes a line, hence two bytes (a binary gate, too); only inputs of binary files take nothing.
        let inputs = if self.is_binary { 0 } else { u64::from(self.inputs) };
        let items = [
            self.latches,
            self.outputs,
            self.gates,
            self.bad,
            self.constraints,
            self.justice,
            self.fairness,
        ];
        let least = items
            .iter()
            .fold(inputs, |sum, &count| sum + u64::from(count))
            .saturating_mul(2);
        let rest = (scanner.bytes.len() - scanner.at) as u64;
        // The last line may lack its end.
        if least > rest + 1 {
            return Err(scanner.problem(
                "aiger::truncated",
                format!(
                    "the file is too short: the header announces at least {least} more bytes, {rest} are there"
                ),
                self.span,
                "this announces more",
            ));
        }
        Ok(())
    }

    /// An empty circuit.
    pub fn circuit(&self) -> Aiger {
        Aiger {
            inputs: self.inputs,
            ..Aiger::default()
        }
    }
}
