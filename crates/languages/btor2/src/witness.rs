//! BTOR2 witnesses: what drives a circuit into a bad state.
//!
//! ```text
//! sat
//! b0 j2              the properties it is about
//! #0                 frame 0: values of states that are chosen (at first those without `init`, later those without `next`)
//! 0 10 counter@0     position among the states, bits, perhaps a name
//! 2 [01] 1111 mem@0  an element of an array; `[*]` stands for all
//! @0                 frame 0: values of inputs
//! 1 1 enable@0
//! @1
//! .
//! ```
//!
//! What is left out is zero, and a frame may be left out wherever nothing is chosen in it.

use entail_model::{
    Claim, Registers, Sort, Stimulus, TransitionSystem, Value, VarId, Witness, WitnessError, Word,
};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Arrays with more elements are not written out.
const MOST_ELEMENTS: u64 = 1 << 20;

/// No witness has more frames.
const MOST_FRAMES: usize = 1 << 24;

/// Reads all witnesses of a file for a circuit.
pub fn read_witnesses(
    text: &str,
    system: &TransitionSystem,
    registers: &Registers,
) -> Result<Vec<Witness>, WitnessError> {
    let mut reader = Reader {
        lines: text.lines().map(str::trim).collect(),
        at: 0,
        system,
        registers,
    };
    let mut witnesses = Vec::new();
    while let Some(line) = reader.next_line() {
        match line {
            "sat" => {
                let witness = reader.witness()?;
                witnesses.push(witness);
            }
            "unsat" | "unknown" => reader.skip_to_dot(),
            other => return Err(reader.wrong(format!("expected `sat`, found `{other}`"))),
        }
    }
    Ok(witnesses)
}

/// Where the values of a frame go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    States,
    Inputs,
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
    system: &'a TransitionSystem,
    registers: &'a Registers,
}

/// The elements of an array named so far: one for all, and single ones.
type Elements = (Option<Value>, Vec<(u64, Value)>);

impl<'a> Reader<'a> {
    fn wrong(&self, message: impl Into<String>) -> WitnessError {
        WitnessError {
            line: self.at.max(1),
            message: message.into(),
        }
    }

    /// The next line that is neither empty nor a comment.
    fn next_line(&mut self) -> Option<&'a str> {
        while let Some(&line) = self.lines.get(self.at) {
            self.at += 1;
            if !line.is_empty() && !line.starts_with(';') {
                return Some(line);
            }
        }
        None
    }

    fn skip_to_dot(&mut self) {
        while let Some(line) = self.next_line() {
            if line == "." {
                break;
            }
        }
    }

    fn claims(&mut self) -> Result<Vec<Claim>, WitnessError> {
        let line = self.next_line().unwrap_or("");
        let mut claims = Vec::new();
        for word in line.split_whitespace() {
            let number = word.get(1..).and_then(|digits| digits.parse().ok());
            claims.push(match (word.as_bytes()[0], number) {
                (b'b', Some(number)) => Claim::Bad(number),
                (b'j', Some(number)) => Claim::Justice(number),
                _ => return Err(self.wrong(format!("`{word}` is not a property such as b0 or j1"))),
            });
        }
        if claims.is_empty() {
            return Err(self.wrong("expected the properties the witness is about, such as b0"));
        }
        Ok(claims)
    }

    fn witness(&mut self) -> Result<Witness, WitnessError> {
        let claims = self.claims()?;
        let mut stimulus = Stimulus::default();
        let mut part = Part::States;
        let mut arrays: FxHashMap<usize, Elements> = FxHashMap::default();
        let mut frame = 0;
        loop {
            let Some(line) = self.next_line() else {
                return Err(self.wrong("the file ends without the `.` that ends a witness"));
            };
            let header = line
                .strip_prefix('#')
                .map(|digits| (Part::States, digits))
                .or_else(|| line.strip_prefix('@').map(|digits| (Part::Inputs, digits)));
            if line == "." || header.is_some() {
                self.close_arrays(&mut arrays, part, frame, &mut stimulus)?;
            }
            if line == "." {
                break;
            }
            if let Some((next_part, digits)) = header {
                let number: usize = digits
                    .trim()
                    .parse()
                    .map_err(|_| self.wrong(format!("`{line}` is not a frame such as #0 or @0")))?;
                let count = stimulus.inputs.len().max(stimulus.registers.len());
                if number > count || number + 1 < count || number >= MOST_FRAMES {
                    return Err(self.wrong(format!("frame {number} is out of order")));
                }
                (part, frame) = (next_part, number);
                let list = match part {
                    Part::States => &mut stimulus.registers,
                    Part::Inputs => &mut stimulus.inputs,
                };
                list.resize(frame + 1, Vec::new());
                continue;
            }
            self.assignment(line, part, frame, &mut stimulus, &mut arrays)?;
        }
        let frames = stimulus.inputs.len().max(stimulus.registers.len()).max(1);
        stimulus.inputs.resize(frames, Vec::new());
        stimulus.registers.resize(frames, Vec::new());
        Ok(Witness { claims, stimulus })
    }

    fn variable(&self, part: Part, position: usize) -> Result<VarId, WitnessError> {
        let (what, variable, count) = match part {
            Part::States => (
                "state",
                self.registers
                    .registers
                    .get(position)
                    .map(|register| register.variable),
                self.registers.registers.len(),
            ),
            Part::Inputs => (
                "input",
                self.registers.inputs.get(position).copied(),
                self.registers.inputs.len(),
            ),
        };
        variable.ok_or_else(|| {
            self.wrong(format!(
                "there is no {what} {position}, only {count}; is this a witness for another model?"
            ))
        })
    }

    fn assignment(
        &self,
        line: &str,
        part: Part,
        frame: usize,
        stimulus: &mut Stimulus,
        arrays: &mut FxHashMap<usize, Elements>,
    ) -> Result<(), WitnessError> {
        let list = match part {
            Part::States => &mut stimulus.registers,
            Part::Inputs => &mut stimulus.inputs,
        };
        let Some(values) = list.get_mut(frame) else {
            return Err(self.wrong("expected a frame such as #0 or @0"));
        };
        let mut words = line.split_whitespace();
        let position: usize = words
            .next()
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| self.wrong("expected the position of a state or input"))?;
        let variable = self.variable(part, position)?;
        let second = words.next().unwrap_or("");
        match &self.system.variable(variable).sort {
            Sort::Array { index, element } => {
                let (at, bits) = match second.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                    Some(index) => (index, words.next().unwrap_or("")),
                    None => ("*", second),
                };
                let value = self.bits(bits, element)?;
                let known = arrays.entry(position).or_default();
                if at == "*" {
                    known.0 = Some(value);
                } else {
                    let place = self.bits(at, index)?;
                    let place = index
                        .position(&place)
                        .filter(|_| index.size().is_some_and(|size| size <= MOST_ELEMENTS))
                        .ok_or_else(|| self.wrong("the array has too many elements to be replayed"))?;
                    known.1.push((place, value));
                }
            }
            sort => values.push((position, self.bits(second, sort)?)),
        }
        Ok(())
    }

    /// Digits as a value of a sort.
    fn bits(&self, digits: &str, sort: &Sort) -> Result<Value, WitnessError> {
        let width = sort.word_shape().map_or(1, |(width, _)| width);
        if digits.len() != width as usize || !digits.bytes().all(|byte| matches!(byte, b'0' | b'1' | b'x')) {
            return Err(self.wrong(format!("expected {width} binary digits, found `{digits}`")));
        }
        let digits = digits.replace('x', "0");
        let bits = BigUint::parse_bytes(digits.as_bytes(), 2).unwrap_or_default();
        Ok(match sort {
            Sort::Bool => Value::Bool(bits != BigUint::default()),
            _ => Value::Word(Word::new(width, false, bits)),
        })
    }

    /// Arrays are values as soon as all their elements are known.
    fn close_arrays(
        &self,
        arrays: &mut FxHashMap<usize, Elements>,
        part: Part,
        frame: usize,
        stimulus: &mut Stimulus,
    ) -> Result<(), WitnessError> {
        let mut named: Vec<(usize, Elements)> = arrays.drain().collect();
        named.sort_unstable_by_key(|&(position, _)| position);
        for (position, (all, single)) in named {
            let variable = self.variable(part, position)?;
            let Sort::Array { index, element } = &self.system.variable(variable).sort else {
                continue;
            };
            let length = index
                .size()
                .filter(|&size| size <= MOST_ELEMENTS)
                .ok_or_else(|| self.wrong("the array has too many elements to be replayed"))?;
            let default = all.unwrap_or_else(|| element.value_at(0));
            let mut elements = vec![default; length as usize];
            for (place, value) in single {
                elements[place as usize] = value;
            }
            let list = match part {
                Part::States => &mut stimulus.registers,
                Part::Inputs => &mut stimulus.inputs,
            };
            if let Some(values) = list.get_mut(frame) {
                values.push((position, Value::Array(elements.into())));
            }
        }
        Ok(())
    }
}

/// The values chosen in one frame, by position.
#[derive(Clone, Debug, Default)]
pub struct WitnessFrame {
    /// Of states.
    pub states: Vec<(usize, String, Value)>,
    /// Of inputs.
    pub inputs: Vec<(usize, String, Value)>,
}

/// Writes a witness. The frames give what is chosen: position, name, value.
pub fn write_witness(claim: Claim, frames: &[WitnessFrame]) -> String {
    let mut out = String::from("sat\n");
    let _ = match claim {
        Claim::Bad(number) => writeln!(out, "b{number}"),
        Claim::Justice(number) => writeln!(out, "j{number}"),
    };
    for (number, frame) in frames.iter().enumerate() {
        if number == 0 || !frame.states.is_empty() {
            let _ = writeln!(out, "#{number}");
            for (position, name, value) in &frame.states {
                assignment(&mut out, *position, name, value, number);
            }
        }
        let _ = writeln!(out, "@{number}");
        for (position, name, value) in &frame.inputs {
            assignment(&mut out, *position, name, value, number);
        }
    }
    out += ".\n";
    out
}

fn assignment(out: &mut String, position: usize, name: &str, value: &Value, frame: usize) {
    let name: String = name
        .chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .collect();
    match value {
        Value::Array(elements) => {
            // The most frequent element stands for all; the others follow.
            let mut counts: FxHashMap<&Value, usize> = FxHashMap::default();
            for element in elements.iter() {
                *counts.entry(element).or_default() += 1;
            }
            let common = counts
                .iter()
                .max_by_key(|&(value, count)| (*count, std::cmp::Reverse(*value)))
                .map(|(value, _)| *value);
            let Some(common) = common else {
                return;
            };
            let _ = writeln!(out, "{position} [*] {} {name}@{frame}", digits(common));
            let width = elements.len().trailing_zeros() as usize;
            for (index, element) in elements.iter().enumerate() {
                if element != common {
                    let _ = writeln!(
                        out,
                        "{position} [{index:0width$b}] {} {name}@{frame}",
                        digits(element)
                    );
                }
            }
        }
        scalar => {
            let _ = writeln!(out, "{position} {} {name}@{frame}", digits(scalar));
        }
    }
}

fn digits(value: &Value) -> String {
    match value {
        Value::Word(word) => {
            let digits = word.bits().to_str_radix(2);
            format!("{digits:0>width$}", width = word.width() as usize)
        }
        Value::Bool(true) => "1".into(),
        _ => "0".into(),
    }
}
