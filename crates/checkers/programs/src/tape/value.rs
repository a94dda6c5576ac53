//! The value of an expression in a state.

use super::moves::executable;
use super::row::{CELLS, LENGTH, MESSAGES, Row};
use entail_program::{
    Binary, Expression, Fault, Pattern, Place, Probe, ProcessTypeId, Program, Scope, Unary,
};

/// Who looks at a state, and how.
#[derive(Clone, Copy, Debug)]
pub struct Eye<'p> {
    /// The program.
    pub program: &'p Program,
    /// The process that executes; `usize::MAX` for nobody in particular.
    pub process: usize,
    /// Whether `timeout` is true.
    pub timeout: bool,
    /// Most steps of a deterministic sequence.
    pub longest: u64,
}

impl Eye<'_> {
    /// Where the record of the channel with a number begins.
    pub fn channel(&self, row: &Row, number: i32) -> Result<usize, Fault> {
        let position = usize::try_from(number.wrapping_sub(1)).ok();
        let at = position.and_then(|position| row.channels.get(position));
        at.map(|&at| at as usize).ok_or(Fault::NoChannel)
    }

    /// The process that is meant by a kind and perhaps a number.
    fn remote(
        &self,
        row: &Row,
        kind: ProcessTypeId,
        number: &Option<Box<Expression>>,
    ) -> Result<usize, Fault> {
        match number {
            Some(number) => {
                let number = usize::try_from(evaluate(self, row, number)?).ok();
                number.filter(|&number| number < row.processes.len())
            }
            None => (0..row.processes.len()).find(|&process| row.kind(process) == kind),
        }
        .ok_or(Fault::NoProcess)
    }

    /// Where in the row a place is; nothing if it is no part of the state.
    #[inline]
    pub fn resolve(&self, row: &Row, place: &Place) -> Result<Option<usize>, Fault> {
        let mut cell = place.base as usize;
        for index in &place.indices {
            let value = evaluate(self, row, &index.value)?;
            let length = index.length;
            let within = u32::try_from(value).ok().filter(|&value| value < length);
            cell += within.ok_or(Fault::Index { index: value, length })? as usize * index.stride as usize;
        }
        Ok(match &place.scope {
            Scope::Global => Some(cell),
            Scope::Local => Some(row.processes[self.process].at as usize + CELLS + cell),
            Scope::Unseen => None,
            Scope::Remote(kind, number) => {
                let process = self.remote(row, *kind, number)?;
                if row.kind(process) != *kind {
                    return Err(Fault::NoProcess);
                }
                Some(row.processes[process].at as usize + CELLS + cell)
            }
        })
    }

    /// The position of the first message in the channel at a place that fits some patterns.
    pub fn matching(
        &self,
        row: &Row,
        at: usize,
        patterns: &[Pattern],
        anywhere: bool,
    ) -> Result<Option<usize>, Fault> {
        let fields = self.program.channels[row.channel_kind(at)].fields.len();
        let length = row.cells[at + LENGTH] as usize;
        let reach = if anywhere { length } else { length.min(1) };
        for position in 0..reach {
            let begin = at + MESSAGES + position * fields;
            if self.fits(row, patterns, &row.cells[begin..begin + fields])? {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }

    /// Whether a message fits some patterns, as far as both go.
    pub fn fits(&self, row: &Row, patterns: &[Pattern], message: &[i32]) -> Result<bool, Fault> {
        for (pattern, field) in patterns.iter().zip(message) {
            if let Pattern::Match(value) = pattern
                && evaluate(self, row, value)? != *field
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The process with a number, if there is one.
    fn numbered(&self, row: &Row, number: &Expression) -> Result<Option<usize>, Fault> {
        let number = usize::try_from(evaluate(self, row, number)?).ok();
        Ok(number.filter(|&number| number < row.processes.len()))
    }
}

/// The value of an expression.
pub fn evaluate(eye: &Eye<'_>, row: &Row, expression: &Expression) -> Result<i32, Fault> {
    Ok(match expression {
        Expression::Constant(value) => *value,
        Expression::Load(place) => match eye.resolve(row, place)? {
            Some(cell) => row.cells[cell],
            // It is printed or counted, and nobody can tell.
            None => 0,
        },
        Expression::Binary(operator, left, right) => {
            let left = evaluate(eye, row, left)?;
            match operator {
                Binary::And if left == 0 => 0,
                Binary::Or if left != 0 => 1,
                _ => combined(*operator, left, evaluate(eye, row, right)?)?,
            }
        }
        Expression::Unary(operator, operand) => {
            let value = evaluate(eye, row, operand)?;
            match operator {
                Unary::Not => i32::from(value == 0),
                Unary::Negate => value.wrapping_neg(),
                Unary::Complement => !value,
            }
        }
        Expression::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            match evaluate(eye, row, condition)? {
                0 => evaluate(eye, row, otherwise)?,
                _ => evaluate(eye, row, then)?,
            }
        }
        Expression::Probe(probe, channel) => {
            let at = eye.channel(row, evaluate(eye, row, channel)?)?;
            let length = row.cells[at + LENGTH];
            // A channel where sender and receiver meet counts as one with room for a message.
            let room = (eye.program.channels[row.channel_kind(at)].capacity as i32).max(1);
            match probe {
                Probe::Length => length,
                Probe::Full => i32::from(length >= room),
                Probe::NotFull => i32::from(length < room),
                Probe::Empty => i32::from(length == 0),
                Probe::NotEmpty => i32::from(length > 0),
            }
        }
        Expression::Poll {
            channel,
            patterns,
            anywhere,
        } => {
            let at = eye.channel(row, evaluate(eye, row, channel)?)?;
            if eye.program.channels[row.channel_kind(at)].capacity == 0 {
                return Err(Fault::PolledRendezvous);
            }
            i32::from(eye.matching(row, at, patterns, *anywhere)?.is_some())
        }
        Expression::ProcessNumber if eye.process == usize::MAX => 0,
        Expression::ProcessNumber => eye.process as i32,
        Expression::ProcessCount => row.processes.len() as i32,
        Expression::LastProcess => row.cells[eye.program.globals.len()],
        Expression::Priority(number) => {
            let process = eye.numbered(row, number)?;
            process.map_or(0, |process| row.priority(process))
        }
        Expression::Timeout => i32::from(eye.timeout),
        Expression::NonProgress => {
            i32::from(!row.locations(eye.program).any(|location| location.is_progress))
        }
        Expression::At(kind, number, location) => match eye.remote(row, *kind, number) {
            Ok(process) => i32::from(row.kind(process) == *kind && row.location(process) == *location),
            Err(Fault::NoProcess) => 0,
            Err(fault) => return Err(fault),
        },
        Expression::LocationOf(number) => {
            let process = eye.numbered(row, number)?;
            process.map_or(0, |process| i32::from(row.location(process).0))
        }
        Expression::Enabled(number) => match eye.numbered(row, number)? {
            Some(process) => {
                let eye = Eye { process, ..*eye };
                i32::from(executable(&eye, row, false))
            }
            None => 0,
        },
    })
}

/// Computed with twice the bits, and cut down to 32 at the end: not as engines and the reference interpreter do it, so that a mistake of theirs shows.
fn combined(operator: Binary, left: i32, right: i32) -> Result<i32, Fault> {
    let (a, b) = (i64::from(left), i64::from(right));
    if b == 0 && matches!(operator, Binary::Divide | Binary::Remainder) {
        return Err(Fault::DivisionByZero);
    }
    let order = a.cmp(&b);
    let whole = match operator {
        Binary::Add => a + b,
        Binary::Subtract => a - b,
        Binary::Multiply => a * b,
        Binary::Divide => a / b,
        Binary::Remainder => a % b,
        Binary::BitAnd => a & b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        // The machine looks at five bits of the distance.
        Binary::ShiftLeft => a << (b & 31),
        Binary::ShiftRight => a >> (b & 31),
        Binary::Equal => i64::from(order.is_eq()),
        Binary::NotEqual => i64::from(order.is_ne()),
        Binary::Less => i64::from(order.is_lt()),
        Binary::LessEqual => i64::from(order.is_le()),
        Binary::Greater => i64::from(order.is_gt()),
        Binary::GreaterEqual => i64::from(order.is_ge()),
        // The left operand did not decide.
        Binary::And | Binary::Or => i64::from(b != 0),
    };
    Ok(whole as i32)
}
