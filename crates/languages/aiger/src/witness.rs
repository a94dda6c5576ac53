//! AIGER witnesses: what drives a circuit into a bad state or around a just loop.
//!
//! A file is a sequence of witnesses:
//!
//! ```text
//! 1                  the verdict: 1 some property fails, 0 it holds, 2 not known
//! b0 j2              the properties it is about
//! 010x               first values of the latches
//! 1001               inputs, one line a step
//! .
//! ```
//!
//! `x` is a value that does not matter. Lines that begin with `u` (a bound) or `c` (a comment) outside the vectors are passed over. A
//! witness of a justice property drives the circuit once around its loop: after the last inputs it is in a state that it was in before.

use entail_model::{Claim, Stimulus, Value, Witness, WitnessError};
use std::fmt::Write;

/// Reads all witnesses of failing properties in a file, for a circuit with so many latches and inputs. Witnesses that claim
/// nothing of the kind (verdict 0 or 2) are passed over.
pub fn read_witnesses(text: &str, latches: usize, inputs: usize) -> Result<Vec<Witness>, WitnessError> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut reader = Lines { lines, at: 0 };
    let mut witnesses = Vec::new();
    while let Some(first) = reader.next_meaningful() {
        let fails = match first {
            "1" | "sat" => true,
            "0" | "2" | "unsat" => false,
            other => return Err(reader.wrong(format!("expected a verdict (0, 1 or 2), found `{other}`"))),
        };
        let claims = reader.claims()?;
        if !fails {
            reader.skip_to_dot();
            continue;
        }
        let Some(state) = reader.line() else {
            return Err(reader.wrong("the file ends before the first values of the latches"));
        };
        let mut stimulus = Stimulus {
            registers: vec![reader.vector(state, latches, "latches")?],
            inputs: Vec::new(),
        };
        loop {
            match reader.line() {
                None => return Err(reader.wrong("the file ends without the `.` that ends a witness")),
                Some(".") => break,
                Some(line) => {
                    let vector = reader.vector(line, inputs, "inputs")?;
                    stimulus.inputs.push(vector);
                }
            }
        }
        if stimulus.inputs.is_empty() {
            return Err(reader.wrong("a witness needs the inputs of at least one step"));
        }
        witnesses.push(Witness { claims, stimulus });
    }
    Ok(witnesses)
}

struct Lines<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Lines<'a> {
    fn wrong(&self, message: impl Into<String>) -> WitnessError {
        WitnessError {
            line: self.at.max(1),
            message: message.into(),
        }
    }

    fn line(&mut self) -> Option<&'a str> {
        let line = self.lines.get(self.at).copied()?;
        self.at += 1;
        Some(line)
    }

    /// The next line that is neither empty nor a comment nor a bound.
    fn next_meaningful(&mut self) -> Option<&'a str> {
        while let Some(line) = self.line() {
            if !(line.is_empty() || line.starts_with('c') || line.starts_with('u') && line != "unsat") {
                return Some(line);
            }
        }
        None
    }

    fn claims(&mut self) -> Result<Vec<Claim>, WitnessError> {
        let mut claims = Vec::new();
        while let Some(line) = self.lines.get(self.at).copied() {
            let names_properties = line.starts_with(['b', 'j']);
            let is_comment = claims.is_empty() && line.starts_with('c');
            if !names_properties && !is_comment {
                break;
            }
            self.at += 1;
            for word in line.split_whitespace().filter(|_| names_properties) {
                let number = word[1..]
                    .parse()
                    .map_err(|_| self.wrong(format!("`{word}` is not a property such as b0 or j1")))?;
                claims.push(if word.starts_with('j') {
                    Claim::Justice(number)
                } else {
                    Claim::Bad(number)
                });
            }
        }
        if claims.is_empty() {
            return Err(WitnessError {
                line: self.at + 1,
                message: "expected the properties the witness is about, such as b0".into(),
            });
        }
        Ok(claims)
    }

    fn vector(&self, line: &str, length: usize, what: &str) -> Result<Vec<(usize, Value)>, WitnessError> {
        if line.chars().count() != length {
            return Err(self.wrong(format!(
                "{} values for {length} {what}; is this a witness for another model?",
                line.chars().count()
            )));
        }
        let mut values = Vec::with_capacity(length);
        for (position, value) in line.chars().enumerate() {
            match value {
                '0' | '1' => values.push((position, Value::Bool(value == '1'))),
                'x' => {}
                other => return Err(self.wrong(format!("expected 0, 1 or x, found `{other}`"))),
            }
        }
        Ok(values)
    }

    fn skip_to_dot(&mut self) {
        while let Some(line) = self.line() {
            if line == "." {
                break;
            }
        }
    }
}

/// Writes a witness: for each frame the values of the inputs, and the first values of the latches. What has no value is `x`.
pub fn write_witness(
    claim: Claim,
    first: &[Option<bool>],
    frames: impl IntoIterator<Item = Vec<Option<bool>>>,
) -> String {
    let mut out = String::from("1\n");
    let _ = match claim {
        Claim::Bad(number) => writeln!(out, "b{number}"),
        Claim::Justice(number) => writeln!(out, "j{number}"),
    };
    let vector = |values: &[Option<bool>]| -> String {
        values
            .iter()
            .map(|value| match value {
                Some(true) => '1',
                Some(false) => '0',
                None => 'x',
            })
            .collect()
    };
    let _ = writeln!(out, "{}", vector(first));
    for frame in frames {
        let _ = writeln!(out, "{}", vector(&frame));
    }
    out += ".\n";
    out
}
