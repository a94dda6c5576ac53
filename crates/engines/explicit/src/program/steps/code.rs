//! Expressions compiled to where things are in bytes.
//!
//! A fault while evaluating is remembered in the [`View`] and the value is 0: the common case stays a plain number.

use super::enabled::Tests;
use super::layout::{CHANNEL_TAG, LAST, LENGTH, Layout, MESSAGES, PRIORITY, Records, Width, location};
use entail_program::{
    Binary, Expression, Fault, Pattern, Place, Probe, ProcessTypeId, Program, Scope, Unary,
};
use std::cell::Cell;

/// A state as a process sees it.
pub struct View<'a> {
    pub bytes: &'a [u8],
    pub records: &'a Records,
    pub layout: &'a Layout,
    pub facts: &'a Facts,
    /// The executing process, and its record.
    pub process: usize,
    pub record: usize,
    pub timeout: bool,
    /// Where the first fault goes.
    pub fault: Cell<Option<Fault>>,
}

/// What expressions ask about locations.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// For each process type and location, whether it is progress.
    pub progress: Vec<Vec<bool>>,
    /// When edges can be executed.
    pub tests: Tests,
}

impl Facts {
    pub fn of(program: &Program, compiler: Compiler<'_>) -> Result<Facts, String> {
        Ok(Facts {
            tests: Tests::of(program, compiler)?,
            progress: program
                .processes
                .iter()
                .map(|process| {
                    process
                        .locations
                        .iter()
                        .map(|location| location.is_progress)
                        .collect()
                })
                .collect(),
        })
    }
}

/// A compiled place.
#[derive(Clone, Debug)]
pub struct Spot {
    pub owner: Owner,
    pub base: usize,
    pub indices: Vec<(Code, u32, usize)>,
    pub width: Width,
}

impl Spot {
    /// Where it is, if nothing has to be computed: from the beginning of the state, or of the process's record.
    pub fn fixed(&self) -> Option<u32> {
        let fixed = self.indices.is_empty() && !matches!(self.owner, Owner::Remote(..));
        fixed.then_some(self.base as u32)
    }
}

#[derive(Clone, Debug)]
pub enum Owner {
    Global,
    Local,
    Remote(u8, Option<Box<Code>>),
}

/// A compiled expression.
#[derive(Clone, Debug)]
pub enum Code {
    Constant(i32),
    GlobalByte(u32),
    LocalByte(u32),
    GlobalFixed(u32, Width),
    LocalFixed(u32, Width),
    Load(Box<Spot>),
    Unary(Unary, Box<Code>),
    Binary(Binary, Box<Code>, Box<Code>),
    /// One side is a constant, which is common.
    WithConstant(Binary, Box<Code>, i32),
    Conditional(Box<[Code; 3]>),
    Probe(Probe, Box<Code>),
    Poll(Box<Code>, Vec<Option<Code>>, bool),
    ProcessNumber,
    ProcessCount,
    LastProcess,
    Priority(Box<Code>),
    Timeout,
    NonProgress,
    At(u8, Option<Box<Code>>, u16),
    LocationOf(Box<Code>),
    Enabled(Box<Code>),
}

/// Compiles expressions of one process type (or of none).
#[derive(Clone, Copy)]
pub struct Compiler<'a> {
    pub layout: &'a Layout,
    pub process: Option<ProcessTypeId>,
}

impl Compiler<'_> {
    /// Compiles an expression, or says what is not supported.
    pub fn code(&self, expression: &Expression) -> Result<Code, String> {
        let boxed = |expression: &Expression| self.code(expression).map(Box::new);
        let optional = |expression: &Option<Box<Expression>>| expression.as_deref().map(boxed).transpose();
        Ok(match expression {
            Expression::Constant(value) => Code::Constant(*value),
            Expression::Load(place) => {
                let spot = self.spot(place)?;
                match (&spot.owner, spot.indices.is_empty(), spot.width) {
                    (Owner::Global, true, Width::Bit | Width::Byte) => Code::GlobalByte(spot.base as u32),
                    (Owner::Local, true, Width::Bit | Width::Byte) => Code::LocalByte(spot.base as u32),
                    (Owner::Global, true, width) => Code::GlobalFixed(spot.base as u32, width),
                    (Owner::Local, true, width) => Code::LocalFixed(spot.base as u32, width),
                    _ => Code::Load(Box::new(spot)),
                }
            }
            Expression::Unary(operator, operand) => Code::Unary(*operator, boxed(operand)?),
            Expression::Binary(operator, left, right) => match (&**left, &**right) {
                (left, Expression::Constant(value)) if !matches!(operator, Binary::And | Binary::Or) => {
                    Code::WithConstant(*operator, boxed(left)?, *value)
                }
                _ => Code::Binary(*operator, boxed(left)?, boxed(right)?),
            },
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                Code::Conditional(Box::new([
                    self.code(condition)?,
                    self.code(then)?,
                    self.code(otherwise)?,
                ]))
            }
            Expression::Probe(probe, channel) => Code::Probe(*probe, boxed(channel)?),
            Expression::Poll {
                channel,
                patterns,
                anywhere,
            } => {
                let wanted: Result<Vec<Option<Code>>, String> = patterns
                    .iter()
                    .map(|pattern| match pattern {
                        Pattern::Match(value) => self.code(value).map(Some),
                        Pattern::Bind(_) | Pattern::Ignore => Ok(None),
                    })
                    .collect();
                Code::Poll(boxed(channel)?, wanted?, *anywhere)
            }
            Expression::ProcessNumber => Code::ProcessNumber,
            Expression::ProcessCount => Code::ProcessCount,
            Expression::LastProcess => Code::LastProcess,
            Expression::Priority(number) => Code::Priority(boxed(number)?),
            Expression::Timeout => Code::Timeout,
            Expression::NonProgress => Code::NonProgress,
            Expression::At(kind, number, location) => Code::At(kind.0, optional(number)?, location.0),
            Expression::LocationOf(number) => Code::LocationOf(boxed(number)?),
            Expression::Enabled(number) => Code::Enabled(boxed(number)?),
        })
    }

    pub fn spot(&self, place: &Place) -> Result<Spot, String> {
        let (owner, cells) = match &place.scope {
            Scope::Global | Scope::Unseen => (Owner::Global, &self.layout.globals),
            Scope::Local => {
                let process = self.process.ok_or("a local variable outside of a process")?;
                (Owner::Local, &self.layout.cells[process.0 as usize])
            }
            Scope::Remote(kind, number) => {
                let number = number
                    .as_deref()
                    .map(|number| self.code(number).map(Box::new))
                    .transpose()?;
                (Owner::Remote(kind.0, number), &self.layout.cells[kind.0 as usize])
            }
        };
        let base = place.base as usize;
        let mut indices = Vec::new();
        for index in &place.indices {
            // Elements are alike, so the first two tell how far they are apart.
            let stride = match index.length {
                0 | 1 => 0,
                _ => cells[base + index.stride as usize] - cells[base],
            };
            indices.push((self.code(&index.value)?, index.length, stride));
        }
        Ok(Spot {
            owner,
            base: cells[base],
            indices,
            width: Width::of(place.kind),
        })
    }
}

impl View<'_> {
    #[cold]
    fn fail(&self, fault: Fault) -> i32 {
        let first = self.fault.take().unwrap_or(fault);
        self.fault.set(Some(first));
        0
    }

    /// The record of the channel with a number.
    #[inline]
    pub fn channel(&self, number: i32) -> Option<usize> {
        let found = self.records.channels.get((number as usize).wrapping_sub(1));
        if found.is_none() {
            self.fail(Fault::NoChannel);
        }
        found.map(|&record| record as usize)
    }

    fn remote(&self, kind: u8, number: &Option<Box<Code>>) -> Option<usize> {
        match number {
            Some(number) => {
                let number = self.value(number);
                let record = *self.records.processes.get(number as usize)? as usize;
                Some(record)
            }
            None => self
                .records
                .processes
                .iter()
                .map(|&record| record as usize)
                .find(|&record| self.bytes[record] == kind),
        }
    }

    /// The byte where a place begins.
    #[inline]
    pub fn locate(&self, spot: &Spot) -> Option<usize> {
        let mut at = match &spot.owner {
            Owner::Global => spot.base,
            Owner::Local => self.record + spot.base,
            Owner::Remote(kind, number) => {
                let record = self
                    .remote(*kind, number)
                    .filter(|&record| self.bytes[record] == *kind);
                let Some(record) = record else {
                    self.fail(Fault::NoProcess);
                    return None;
                };
                record + spot.base
            }
        };
        for (code, length, stride) in &spot.indices {
            let value = self.value(code);
            if value as u32 >= *length {
                self.fail(Fault::Index {
                    index: value,
                    length: *length,
                });
                return None;
            }
            at += value as usize * stride;
        }
        Some(at)
    }

    /// The value of an expression.
    pub fn value(&self, code: &Code) -> i32 {
        match code {
            Code::Constant(value) => *value,
            Code::GlobalByte(at) => i32::from(self.bytes[*at as usize]),
            Code::LocalByte(at) => i32::from(self.bytes[self.record + *at as usize]),
            Code::GlobalFixed(at, width) => width.load(self.bytes, *at as usize),
            Code::LocalFixed(at, width) => width.load(self.bytes, self.record + *at as usize),
            Code::Load(spot) => self.locate(spot).map_or(0, |at| spot.width.load(self.bytes, at)),
            Code::Unary(operator, operand) => {
                let value = self.value(operand);
                match operator {
                    Unary::Not => i32::from(value == 0),
                    Unary::Negate => value.wrapping_neg(),
                    Unary::Complement => !value,
                }
            }
            Code::Binary(Binary::And, left, right) => {
                i32::from(self.value(left) != 0 && self.value(right) != 0)
            }
            Code::Binary(Binary::Or, left, right) => {
                i32::from(self.value(left) != 0 || self.value(right) != 0)
            }
            Code::Binary(operator, left, right) => {
                self.binary(*operator, self.value(left), self.value(right))
            }
            Code::WithConstant(operator, left, right) => self.binary(*operator, self.value(left), *right),
            Code::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                self.value(if self.value(condition) != 0 {
                    then
                } else {
                    otherwise
                })
            }
            Code::Probe(probe, channel) => {
                let Some(record) = self.channel(self.value(channel)) else {
                    return 0;
                };
                let length = self.bytes[record + LENGTH] as usize;
                let capacity = self.layout.channels[(self.bytes[record] - CHANNEL_TAG) as usize]
                    .capacity
                    .max(1);
                match probe {
                    Probe::Length => length as i32,
                    Probe::Full => i32::from(length >= capacity),
                    Probe::NotFull => i32::from(length < capacity),
                    Probe::Empty => i32::from(length == 0),
                    Probe::NotEmpty => i32::from(length > 0),
                }
            }
            Code::Poll(channel, wanted, anywhere) => {
                let Some(record) = self.channel(self.value(channel)) else {
                    return 0;
                };
                if self.layout.channels[(self.bytes[record] - CHANNEL_TAG) as usize].capacity == 0 {
                    return self.fail(Fault::PolledRendezvous);
                }
                i32::from(
                    self.matching(record, *anywhere, |field| {
                        wanted.get(field).and_then(Option::as_ref)
                    })
                    .is_some(),
                )
            }
            Code::ProcessNumber => self.process as i32,
            Code::ProcessCount => self.records.processes.len() as i32,
            Code::LastProcess => i32::from(self.bytes[LAST]),
            Code::Priority(number) => {
                let number = self.value(number);
                let record = self.records.processes.get(number as usize);
                record.map_or(0, |&record| i32::from(self.bytes[record as usize + PRIORITY]))
            }
            Code::Timeout => i32::from(self.timeout),
            Code::NonProgress => {
                let progress = self.records.processes.iter().any(|&record| {
                    let record = record as usize;
                    self.facts.progress[self.bytes[record] as usize][location(self.bytes, record)]
                });
                i32::from(!progress)
            }
            Code::At(kind, number, wanted) => {
                let record = self.remote(*kind, number);
                i32::from(record.is_some_and(|record| {
                    self.bytes[record] == *kind && location(self.bytes, record) == *wanted as usize
                }))
            }
            Code::LocationOf(number) => {
                let number = self.value(number);
                let record = self.records.processes.get(number as usize);
                record.map_or(0, |&record| location(self.bytes, record as usize) as i32)
            }
            Code::Enabled(number) => i32::from(self.is_enabled(self.value(number))),
        }
    }

    /// The first message that has the wanted fields.
    pub fn matching<'c>(
        &self,
        record: usize,
        anywhere: bool,
        wanted: impl Fn(usize) -> Option<&'c Code>,
    ) -> Option<usize> {
        let channel = &self.layout.channels[(self.bytes[record] - CHANNEL_TAG) as usize];
        let length = self.bytes[record + LENGTH] as usize;
        let reach = if anywhere { length } else { length.min(1) };
        (0..reach).find(|position| {
            let message = record + MESSAGES + position * channel.message;
            channel.fields.iter().enumerate().all(|(field, (offset, width))| {
                wanted(field).is_none_or(|code| self.value(code) == width.load(self.bytes, message + offset))
            })
        })
    }

    #[inline]
    fn binary(&self, operator: Binary, left: i32, right: i32) -> i32 {
        match operator {
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide | Binary::Remainder if right == 0 => self.fail(Fault::DivisionByZero),
            Binary::Divide => left.wrapping_div(right),
            Binary::Remainder => left.wrapping_rem(right),
            Binary::BitAnd => left & right,
            Binary::BitOr => left | right,
            Binary::BitXor => left ^ right,
            Binary::ShiftLeft => left.wrapping_shl(right as u32),
            Binary::ShiftRight => left.wrapping_shr(right as u32),
            Binary::Equal => i32::from(left == right),
            Binary::NotEqual => i32::from(left != right),
            Binary::Less => i32::from(left < right),
            Binary::LessEqual => i32::from(left <= right),
            Binary::Greater => i32::from(left > right),
            Binary::GreaterEqual => i32::from(left >= right),
            Binary::And => i32::from(left != 0 && right != 0),
            Binary::Or => i32::from(left != 0 || right != 0),
        }
    }
}
