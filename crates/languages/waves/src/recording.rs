//! VCD files (IEEE 1800-2017, 21.7): signals, and their values at the times that the file names.
//!
//! Changes are kept signal by signal, so that the value at a time is found by bisection. A time of the file is a number here, counted from 0; a last time after which nothing changes
//! says where the run ends, and is none. Several names of one signal share its changes.

use crate::word::{Bit, MOST_BITS, Word};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use rustc_hash::FxHashMap;
use vcd::{Command, IdCode, ReferenceIndex, Value, VarType};

/// A name in a recorded run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The scopes that it is in, the outermost first.
    pub scope: Vec<String>,
    /// Its name.
    pub name: String,
    /// Number of bits.
    pub width: u32,
    /// The numbers of its highest and lowest bit.
    pub range: (i64, i64),
    /// Whether it is read with a sign.
    pub signed: bool,
    /// Whether it is a constant of the design.
    pub is_parameter: bool,
    /// Whether its values are no words: real numbers, texts.
    pub is_other: bool,
    /// Which changes are its own.
    changes: usize,
}

impl Signal {
    /// The name with its scopes.
    pub fn path(&self) -> String {
        let parts: Vec<&str> = self
            .scope
            .iter()
            .map(String::as_str)
            .chain([self.name.as_str()])
            .collect();
        parts.join(".")
    }
}

/// A recorded run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Its signals.
    pub signals: Vec<Signal>,
    /// The scopes, each with those around it.
    pub scopes: Vec<Vec<String>>,
    /// The times that the file names, in its unit.
    pub times: Vec<u64>,
    /// For each signal: when it changes (numbers of times), and its value then.
    changes: Vec<Vec<(u32, Word)>>,
}

impl Recording {
    /// The value of a signal at a time, all changes of that time included.
    pub fn value(&self, signal: usize, time: usize) -> Word {
        let signal = &self.signals[signal];
        let changes = &self.changes[signal.changes];
        let after = changes.partition_point(|(at, _)| *at as usize <= time);
        match after.checked_sub(1) {
            Some(last) => changes[last].1.clone(),
            None => Word::filled(Bit::X, signal.width),
        }
    }

    /// The numbers of the times at which a signal changes, with its value from then on.
    pub fn changes(&self, signal: usize) -> &[(u32, Word)] {
        &self.changes[self.signals[signal].changes]
    }

    /// The signal of a name with dots: looked for in a scope, then in those around it.
    pub fn find(&self, scope: &[String], name: &str) -> Option<usize> {
        let parts: Vec<&str> = name.split('.').collect();
        let (last, inner) = parts.split_last()?;
        (0..=scope.len()).rev().find_map(|depth| {
            self.signals.iter().position(|signal| {
                let around = scope[..depth]
                    .iter()
                    .map(String::as_str)
                    .chain(inner.iter().copied());
                signal.name == *last && signal.scope.iter().map(String::as_str).eq(around)
            })
        })
    }
}

fn problem(source: &Source, line: u64, message: &str) -> Diagnostics {
    let place = source.lines().nth(line.saturating_sub(1) as usize);
    let place = place.map_or(Span::new(0, 0), |(span, _)| span);
    Diagnostic::error("vcd::syntax", message.to_owned(), place, "here").into()
}

/// Reads a VCD file.
pub fn read(source: &Source) -> Result<Recording, Diagnostics> {
    let mut parser = vcd::Parser::new(source.text().as_bytes());
    let said = |error: std::io::Error, line: u64| {
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<vcd::ParseError>());
        let (line, message) = match inner {
            Some(known) => (known.line(), format!("this is not VCD: {known}")),
            None => (line, format!("this is not VCD: {error}")),
        };
        problem(source, line, &message)
    };
    let mut recording = Recording::default();
    let mut codes: FxHashMap<IdCode, usize> = FxHashMap::default();
    let mut widths: Vec<u32> = Vec::new();
    let mut scope: Vec<String> = Vec::new();
    let mut has_ended = false;
    // Whether something is said about the last time.
    let mut is_used = false;
    loop {
        let command = match parser.next() {
            None => break,
            Some(Ok(command)) => command,
            Some(Err(error)) => return Err(said(error, parser.line())),
        };
        match command {
            Command::ScopeDef(_, name) => {
                scope.push(name);
                if !recording.scopes.contains(&scope) {
                    recording.scopes.push(scope.clone());
                }
            }
            Command::Upscope if scope.pop().is_none() => {
                return Err(problem(source, parser.line(), "no scope is open here"));
            }
            Command::VarDef(kind, size, code, name, index) => {
                let is_other = matches!(kind, VarType::Real | VarType::String | VarType::Event);
                if !is_other && !(1..=MOST_BITS).contains(&size) {
                    let message = format!("a signal has 1 to {MOST_BITS} bits");
                    return Err(problem(source, parser.line(), &message));
                }
                let next = widths.len();
                let changes = *codes.entry(code).or_insert(next);
                if changes == next {
                    widths.push(size.max(1));
                    recording.changes.push(Vec::new());
                }
                if widths[changes] != size.max(1) {
                    return Err(problem(
                        source,
                        parser.line(),
                        "two names of one signal have different widths",
                    ));
                }
                // (Some writers join name and range.)
                let (name, index) = match (index, name.split_once('[')) {
                    (None, Some((plain, rest))) if !name.starts_with('\\') => {
                        (plain.to_owned(), format!("[{rest}").parse().ok())
                    }
                    (index, _) => (name, index),
                };
                let range = match index {
                    Some(ReferenceIndex::Range(high, low)) => (i64::from(high), i64::from(low)),
                    Some(ReferenceIndex::BitSelect(bit)) if size == 1 => (i64::from(bit), i64::from(bit)),
                    _ => (i64::from(size) - 1, 0),
                };
                let range = match range.0.abs_diff(range.1) + 1 == u64::from(size) {
                    true => range,
                    false => (i64::from(size.max(1)) - 1, 0),
                };
                recording.signals.push(Signal {
                    scope: scope.clone(),
                    name: name.trim_start_matches('\\').to_owned(),
                    width: size.max(1),
                    range,
                    signed: matches!(kind, VarType::Integer),
                    is_parameter: kind == VarType::Parameter,
                    is_other,
                    changes,
                });
            }
            Command::Enddefinitions => has_ended = true,
            Command::Timestamp(time) => {
                if recording.times.last().is_some_and(|last| *last > time) {
                    return Err(problem(source, parser.line(), "time goes back here"));
                }
                if recording.times.last() != Some(&time) {
                    recording.times.push(time);
                    is_used = false;
                }
            }
            Command::ChangeScalar(code, value) => {
                let word = Word::bit(bit(value));
                change(&mut recording, &codes, &widths, code, word)
                    .map_err(|message| problem(source, parser.line(), message))?;
                is_used = true;
            }
            Command::ChangeVector(code, value) => {
                let bits: Vec<Bit> = value.iter().map(bit).collect();
                let word = Word(bits.into_iter().rev().collect());
                change(&mut recording, &codes, &widths, code, word)
                    .map_err(|message| problem(source, parser.line(), message))?;
                is_used = true;
            }
            Command::ChangeReal(..) | Command::ChangeString(..) => is_used = true,
            _ => {}
        }
        if recording.times.len() > u32::MAX as usize - 1 {
            return Err(problem(source, parser.line(), "there are too many times"));
        }
    }
    if !has_ended {
        let last = source.lines().count() as u64;
        return Err(problem(source, last, "`$enddefinitions $end` is missing"));
    }
    if !is_used {
        recording.times.pop();
    }
    Ok(recording)
}

fn bit(value: Value) -> Bit {
    match value {
        Value::V0 => Bit::Zero,
        Value::V1 => Bit::One,
        Value::X => Bit::X,
        Value::Z => Bit::Z,
    }
}

/// Notes a change, or says what is wrong with it.
fn change(
    recording: &mut Recording,
    codes: &FxHashMap<IdCode, usize>,
    widths: &[u32],
    code: IdCode,
    word: Word,
) -> Result<(), &'static str> {
    let Some(&number) = codes.get(&code) else {
        return Err("this signal is not declared");
    };
    // What changes before the first time is there from the beginning.
    if recording.times.is_empty() {
        recording.times.push(0);
    }
    let time = recording.times.len() as u32 - 1;
    let width = widths[number];
    if word.width() > width {
        return Err("this value has more bits than its signal");
    }
    // A value that is written short goes on with zeros, or with what is not known.
    let fill = match word.0.last() {
        Some(&highest @ (Bit::X | Bit::Z)) => highest,
        _ => Bit::Zero,
    };
    let mut bits = word.0;
    bits.resize(width as usize, fill);
    let changes = &mut recording.changes[number];
    match changes.last_mut() {
        Some((at, last)) if *at == time => *last = Word(bits),
        Some((_, last)) if last.0 == bits => {}
        _ => changes.push((time, Word(bits))),
    }
    Ok(())
}
