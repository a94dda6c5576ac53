//! Expressions as machine code.
//!
//! What goes wrong, and what is rare, gives up: then the interpreter is asked, which knows what the matter is.

use crate::program::steps::action::Compiled;
use crate::program::steps::code::{Code, Owner, Spot};
use crate::program::steps::layout::{CELLS, CHANNEL_TAG, LAST, LENGTH, MESSAGES, PROCESSES, Width};
use entail_machine::{Assembler, Label, Operation, Size, Value, Window};
use entail_program::{Binary, Probe, Unary};

/// There is no machine code for something rare.
#[derive(Clone, Copy, Debug)]
pub struct Unsupported;

/// Writes the code of one process type.
pub struct Translator<'t, 'f> {
    pub compiled: &'t Compiled,
    pub kind: usize,
    pub out: &'t mut Assembler<'f>,
    /// Header and global variables.
    pub globals: Window,
    /// The process's own record.
    pub own: Window,
    pub process: Value,
    pub timeout: Value,
    depth: u32,
}

/// A process's number and the timeout are one argument; the timeout is this bit.
pub const TIMEOUT_BIT: u32 = 16;

/// More kinds of channels than this make too much code.
const MOST_KINDS: usize = 4;

/// Expressions nested more deeply are left to the interpreter.
const MOST_NESTED: u32 = 200;

impl<'t, 'f> Translator<'t, 'f> {
    pub fn new(compiled: &'t Compiled, kind: usize, out: &'t mut Assembler<'f>) -> Translator<'t, 'f> {
        let zero = out.constant(0);
        let globals = out.window(zero, compiled.layout.records as u32);
        let record = out.argument(false);
        let own = out.window(record, compiled.layout.process_sizes[kind].max(CELLS) as u32);
        let who = out.argument(true);
        let mask = out.constant((1 << TIMEOUT_BIT) - 1);
        let bit = out.constant(TIMEOUT_BIT as i32);
        Translator {
            process: out.combine(Operation::And, who, mask),
            timeout: out.combine(Operation::ShiftRight, who, bit),
            compiled,
            kind,
            out,
            globals,
            own,
            depth: 0,
        }
    }

    pub fn combine_constant(&mut self, operation: Operation, left: Value, right: i32) -> Value {
        let right = self.out.constant(right);
        self.out.combine(operation, left, right)
    }

    /// 1 if the expression is not zero, else 0.
    pub fn truth(&mut self, code: &Code) -> Result<Value, Unsupported> {
        let value = self.value(code)?;
        Ok(match is_truth(code) {
            true => value,
            false => self.combine_constant(Operation::NotEqual, value, 0),
        })
    }

    pub fn value(&mut self, code: &Code) -> Result<Value, Unsupported> {
        if self.depth == MOST_NESTED {
            return Err(Unsupported);
        }
        self.depth += 1;
        let value = self.operation(code);
        self.depth -= 1;
        value
    }

    fn operation(&mut self, code: &Code) -> Result<Value, Unsupported> {
        Ok(match code {
            Code::Constant(value) => self.out.constant(*value),
            Code::GlobalByte(at) => self.out.load(self.globals, *at, Size::Byte),
            Code::LocalByte(at) => self.out.load(self.own, *at, Size::Byte),
            Code::GlobalFixed(at, width) => self.out.load(self.globals, *at, size(*width)),
            Code::LocalFixed(at, width) => self.out.load(self.own, *at, size(*width)),
            Code::Load(spot) => {
                let (window, offset) = self.locate(spot)?;
                self.out.load(window, offset, size(spot.width))
            }
            Code::Unary(operator, operand) => {
                let value = self.value(operand)?;
                match operator {
                    Unary::Not => self.combine_constant(Operation::Equal, value, 0),
                    Unary::Negate => {
                        let zero = self.out.constant(0);
                        self.out.combine(Operation::Subtract, zero, value)
                    }
                    Unary::Complement => self.combine_constant(Operation::Xor, value, -1),
                }
            }
            Code::Binary(Binary::And, left, right) => self.either(left, right, false)?,
            Code::Binary(Binary::Or, left, right) => self.either(left, right, true)?,
            Code::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                self.out.combine(operation(*operator), left, right)
            }
            Code::WithConstant(operator, left, right) => {
                let left = self.value(left)?;
                self.combine_constant(operation(*operator), left, *right)
            }
            Code::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let first = self.value(condition)?;
                let result = self.out.variable(first);
                let (yes, no, end) = (self.out.label(), self.out.label(), self.out.label());
                self.out.branch(first, yes, no);
                for (label, code) in [(yes, then), (no, otherwise)] {
                    self.out.place(label);
                    let value = self.value(code)?;
                    self.out.set(result, value);
                    self.out.jump(end);
                }
                self.out.place(end);
                self.out.get(result)
            }
            Code::Probe(probe, channel) => self.probe(*probe, channel)?,
            Code::Poll(_, _, true) => return Err(Unsupported),
            Code::Poll(channel, wanted, false) => {
                let zero = self.out.constant(0);
                let result = self.out.variable(zero);
                let (no, end) = (self.out.label(), self.out.label());
                let wanted: Vec<Option<&Code>> = wanted.iter().map(Option::as_ref).collect();
                self.each_kind(channel, |this, kind, window| {
                    // The interpreter says what is wrong with polling a rendezvous channel.
                    if this.compiled.layout.channels[kind].capacity == 0 {
                        this.out.give_up();
                        return Ok(());
                    }
                    this.first_matches(kind, window, &wanted, no)?;
                    let one = this.out.constant(1);
                    this.out.set(result, one);
                    this.out.jump(end);
                    Ok(())
                })?;
                self.out.place(no);
                self.out.place(end);
                self.out.get(result)
            }
            Code::ProcessNumber => self.process,
            Code::ProcessCount => self.out.load(self.globals, PROCESSES as u32, Size::Byte),
            Code::LastProcess => self.out.load(self.globals, LAST as u32, Size::Byte),
            Code::Timeout => self.timeout,
            Code::Priority(_) | Code::NonProgress | Code::At(..) | Code::LocationOf(_) | Code::Enabled(_) => {
                return Err(Unsupported);
            }
        })
    }

    /// `&&`, or `||` if `stops` is true: the second is evaluated only if the first is not `stops`.
    fn either(&mut self, left: &Code, right: &Code, stops: bool) -> Result<Value, Unsupported> {
        let first = self.truth(left)?;
        if is_harmless(right) {
            let second = self.truth(right)?;
            let operation = if stops { Operation::Or } else { Operation::And };
            return Ok(self.out.combine(operation, first, second));
        }
        let result = self.out.variable(first);
        let (more, end) = (self.out.label(), self.out.label());
        match stops {
            true => self.out.branch(first, end, more),
            false => self.out.branch(first, more, end),
        }
        self.out.place(more);
        let second = self.truth(right)?;
        self.out.set(result, second);
        self.out.place(end);
        Ok(self.out.get(result))
    }

    /// A window, and where in it the place begins.
    pub fn locate(&mut self, spot: &Spot) -> Result<(Window, u32), Unsupported> {
        let mut window = match spot.owner {
            Owner::Global => self.globals,
            Owner::Local => self.own,
            Owner::Remote(..) => return Err(Unsupported),
        };
        if spot.indices.iter().any(|(_, length, _)| *length == 0) {
            return Err(Unsupported);
        }
        let mut offset = spot.base as u32;
        for (position, (code, length, stride)) in spot.indices.iter().enumerate() {
            let behind = spot.indices[position + 1..].iter();
            let extent = behind.fold(bytes(spot.width), |extent, (_, length, stride)| {
                extent + (length - 1) * *stride as u32
            });
            let index = self.value(code)?;
            window = self
                .out
                .piece(window, offset, (index, *length, *stride as u32), extent);
            offset = 0;
        }
        Ok((window, offset))
    }

    pub fn store(&mut self, window: Window, offset: u32, width: Width, value: Value) {
        let value = match width {
            Width::Bit => self.combine_constant(Operation::And, value, 1),
            Width::Masked(_, mask) => self.combine_constant(Operation::And, value, mask),
            _ => value,
        };
        self.out.store(window, offset, size(width), value);
    }

    /// Where the record of a channel begins.
    fn channel(&mut self, channel: &Code) -> Result<Value, Unsupported> {
        let number = self.value(channel)?;
        let position = self.combine_constant(Operation::Subtract, number, 1);
        Ok(self.out.entry(position))
    }

    fn tag(&mut self, record: Value) -> Value {
        let header = self.out.window(record, MESSAGES as u32);
        self.out.load(header, 0, Size::Byte)
    }

    /// Code for each kind of channel that this one may be of. All of them must leave.
    pub fn each_kind(
        &mut self,
        channel: &Code,
        mut each: impl FnMut(&mut Self, usize, Window) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let kinds = self.compiled.layout.channels.len();
        if kinds == 0 || kinds > MOST_KINDS {
            return Err(Unsupported);
        }
        let record = self.channel(channel)?;
        let tag = self.tag(record);
        for kind in 0..kinds {
            let next = match kind + 1 < kinds {
                true => {
                    let (here, next) = (self.out.label(), self.out.label());
                    let is_it =
                        self.combine_constant(Operation::Equal, tag, i32::from(CHANNEL_TAG) + kind as i32);
                    self.out.branch(is_it, here, next);
                    self.out.place(here);
                    Some(next)
                }
                false => None,
            };
            let size = self.compiled.layout.channel_sizes[kind];
            let window = self.out.window(record, size as u32);
            each(self, kind, window)?;
            if let Some(next) = next {
                self.out.place(next);
            }
        }
        Ok(())
    }

    fn probe(&mut self, probe: Probe, channel: &Code) -> Result<Value, Unsupported> {
        let record = self.channel(channel)?;
        let header = self.out.window(record, MESSAGES as u32);
        let length = self.out.load(header, LENGTH as u32, Size::Byte);
        Ok(match probe {
            Probe::Length => length,
            Probe::Empty => self.combine_constant(Operation::Equal, length, 0),
            Probe::NotEmpty => self.combine_constant(Operation::NotEqual, length, 0),
            Probe::Full | Probe::NotFull => {
                let capacity = self.capacity(record, true)?;
                let operation = match probe {
                    Probe::Full => Operation::GreaterEqual,
                    _ => Operation::Less,
                };
                self.out.combine(operation, length, capacity)
            }
        })
    }

    /// The capacity of the channel with this record; for a probe, that of a rendezvous channel is one.
    fn capacity(&mut self, record: Value, probed: bool) -> Result<Value, Unsupported> {
        let channels = &self.compiled.layout.channels;
        if channels.is_empty() || channels.len() > MOST_KINDS {
            return Err(Unsupported);
        }
        let capacity = |kind: usize| channels[kind].capacity.max(usize::from(probed)) as i32;
        if (1..channels.len()).all(|kind| capacity(kind) == capacity(0)) {
            return Ok(self.out.constant(capacity(0)));
        }
        // The sum of those capacities whose tag it is.
        let tag = self.tag(record);
        let mut sum = self.out.constant(0);
        for kind in 0..channels.len() {
            let is_it = self.combine_constant(Operation::Equal, tag, i32::from(CHANNEL_TAG) + kind as i32);
            let part = self.combine_constant(Operation::Multiply, is_it, capacity(kind));
            sum = self.out.combine(Operation::Add, sum, part);
        }
        Ok(sum)
    }

    /// 1 if a message can be put into the channel. Gives up where a partner is needed.
    pub fn has_room(&mut self, channel: &Code) -> Result<Value, Unsupported> {
        let record = self.channel(channel)?;
        let header = self.out.window(record, MESSAGES as u32);
        let length = self.out.load(header, LENGTH as u32, Size::Byte);
        let capacity = self.capacity(record, false)?;
        self.out.give_up_unless(capacity);
        Ok(self.out.combine(Operation::Less, length, capacity))
    }

    /// Goes on if the channel's first message has the wanted fields, else at `no`.
    pub fn first_matches(
        &mut self,
        kind: usize,
        window: Window,
        wanted: &[Option<&Code>],
        no: Label,
    ) -> Result<(), Unsupported> {
        let length = self.out.load(window, LENGTH as u32, Size::Byte);
        let there = self.out.label();
        self.out.branch(length, there, no);
        self.out.place(there);
        let compiled = self.compiled;
        for (code, (offset, width)) in wanted.iter().zip(&compiled.layout.channels[kind].fields) {
            if let Some(code) = code {
                let value = self.value(code)?;
                let field = self.out.load(window, (MESSAGES + offset) as u32, size(*width));
                let same = self.out.combine(Operation::Equal, value, field);
                let next = self.out.label();
                self.out.branch(same, next, no);
                self.out.place(next);
            }
        }
        Ok(())
    }
}

pub fn size(width: Width) -> Size {
    match width {
        Width::Bit | Width::Byte | Width::Masked(1, _) => Size::Byte,
        Width::Short => Size::Short,
        Width::UnsignedShort | Width::Masked(2, _) => Size::UnsignedShort,
        Width::Word | Width::Masked(..) => Size::Word,
    }
}

fn bytes(width: Width) -> u32 {
    match size(width) {
        Size::Byte => 1,
        Size::Short | Size::UnsignedShort => 2,
        Size::Word => 4,
    }
}

fn operation(operator: Binary) -> Operation {
    match operator {
        Binary::Add => Operation::Add,
        Binary::Subtract => Operation::Subtract,
        Binary::Multiply => Operation::Multiply,
        Binary::Divide => Operation::Divide,
        Binary::Remainder => Operation::Remainder,
        // Both operands of `&&` and `||` that come here are truths.
        Binary::BitAnd | Binary::And => Operation::And,
        Binary::BitOr | Binary::Or => Operation::Or,
        Binary::BitXor => Operation::Xor,
        Binary::ShiftLeft => Operation::ShiftLeft,
        Binary::ShiftRight => Operation::ShiftRight,
        Binary::Equal => Operation::Equal,
        Binary::NotEqual => Operation::NotEqual,
        Binary::Less => Operation::Less,
        Binary::LessEqual => Operation::LessEqual,
        Binary::Greater => Operation::Greater,
        Binary::GreaterEqual => Operation::GreaterEqual,
    }
}

/// Whether its value is always 0 or 1.
fn is_truth(code: &Code) -> bool {
    let compares = |operator: &Binary| {
        matches!(
            operator,
            Binary::Equal
                | Binary::NotEqual
                | Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
                | Binary::And
                | Binary::Or
        )
    };
    match code {
        Code::Binary(operator, ..) | Code::WithConstant(operator, ..) => compares(operator),
        Code::Unary(Unary::Not, _) | Code::Poll(..) | Code::Timeout => true,
        Code::Probe(probe, _) => *probe != Probe::Length,
        Code::Constant(value) => matches!(value, 0 | 1),
        _ => false,
    }
}

/// Whether it can be evaluated when it need not be: it is short and cannot give up.
fn is_harmless(code: &Code) -> bool {
    match code {
        Code::Constant(_)
        | Code::GlobalByte(_)
        | Code::LocalByte(_)
        | Code::GlobalFixed(..)
        | Code::LocalFixed(..)
        | Code::ProcessNumber
        | Code::Timeout => true,
        Code::Unary(_, operand) => is_harmless(operand),
        Code::WithConstant(operator, left, _) => {
            !matches!(operator, Binary::Divide | Binary::Remainder) && is_harmless(left)
        }
        Code::Binary(operator, left, right) => {
            !matches!(operator, Binary::Divide | Binary::Remainder) && is_harmless(left) && is_harmless(right)
        }
        _ => false,
    }
}
