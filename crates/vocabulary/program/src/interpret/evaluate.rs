//! The value of an expression in a state.

use super::event::Event;
use super::state::{Channel, State};
use super::step::{Patience, process_moves};
use crate::expression::{Binary, Expression, Pattern, Place, Probe, Scope, Unary};
use crate::fault::Fault;
use crate::program::{ProcessTypeId, Program};
use std::cell::RefCell;

/// A state as a process sees it.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The program.
    pub program: &'a Program,
    /// The state.
    pub state: &'a State,
    /// The executing process.
    pub process: usize,
    /// Whether `timeout` is true: no process can move otherwise.
    pub timeout: bool,
    /// Most steps of a deterministic sequence.
    pub(super) longest: u64,
    /// Where what happens is written down, if somebody wants to know.
    pub(super) log: Option<&'a RefCell<Vec<Event>>>,
}

impl<'a> View<'a> {
    /// The state as this process sees it while others can move.
    pub fn new(program: &'a Program, state: &'a State, process: usize) -> View<'a> {
        View {
            program,
            state,
            process,
            timeout: false,
            longest: u64::MAX,
            log: None,
        }
    }

    /// The channel of a number.
    pub(super) fn channel(&self, number: i32) -> Result<&'a Channel, Fault> {
        usize::try_from(number - 1)
            .ok()
            .and_then(|position| self.state.channels.get(position))
            .ok_or(Fault::NoChannel)
    }

    fn remote(&self, kind: ProcessTypeId, number: &Option<Box<Expression>>) -> Result<usize, Fault> {
        match number {
            Some(number) => {
                let number = evaluate(self, number)?;
                usize::try_from(number)
                    .ok()
                    .filter(|&number| number < self.state.processes.len())
                    .ok_or(Fault::NoProcess)
            }
            None => self
                .state
                .processes
                .iter()
                .position(|process| process.kind == kind)
                .ok_or(Fault::NoProcess),
        }
    }

    /// Whose cell a place is (none: the program's), and which.
    pub(super) fn resolve(&self, place: &Place) -> Result<(Option<usize>, usize), Fault> {
        let mut cell = place.base as usize;
        for index in &place.indices {
            let value = evaluate(self, &index.value)?;
            let within = u32::try_from(value).ok().filter(|&value| value < index.length);
            let length = index.length;
            cell += within.ok_or(Fault::Index { index: value, length })? as usize * index.stride as usize;
        }
        let owner = match &place.scope {
            Scope::Global | Scope::Unseen => None,
            Scope::Local => Some(self.process),
            Scope::Remote(kind, number) => {
                let process = self.remote(*kind, number)?;
                // The cells are meant as those of this kind of process.
                if self.state.processes[process].kind != *kind {
                    return Err(Fault::NoProcess);
                }
                Some(process)
            }
        };
        Ok((owner, cell))
    }

    /// Where the first message that matches is.
    pub(super) fn matching(
        &self,
        channel: &Channel,
        patterns: &[Pattern],
        anywhere: bool,
    ) -> Result<Option<usize>, Fault> {
        let reach = if anywhere { channel.messages.len() } else { 1 };
        for (position, message) in channel.messages.iter().enumerate().take(reach) {
            let mut fits = true;
            for (pattern, field) in patterns.iter().zip(message) {
                if let Pattern::Match(value) = pattern
                    && evaluate(self, value)? != *field
                {
                    fits = false;
                    break;
                }
            }
            if fits {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }
}

/// The value of an expression.
pub fn evaluate(view: &View<'_>, expression: &Expression) -> Result<i32, Fault> {
    let state = view.state;
    Ok(match expression {
        Expression::Constant(value) => *value,
        Expression::Load(place) => match view.resolve(place)? {
            (None, cell) if place.scope == Scope::Unseen => state.unseen[cell],
            (None, cell) => state.globals[cell],
            (Some(process), cell) => state.processes[process].cells[cell],
        },
        Expression::Unary(operator, operand) => {
            let value = evaluate(view, operand)?;
            match operator {
                Unary::Not => i32::from(value == 0),
                Unary::Negate => value.wrapping_neg(),
                Unary::Complement => !value,
            }
        }
        Expression::Binary(Binary::And, left, right) => {
            i32::from(evaluate(view, left)? != 0 && evaluate(view, right)? != 0)
        }
        Expression::Binary(Binary::Or, left, right) => {
            i32::from(evaluate(view, left)? != 0 || evaluate(view, right)? != 0)
        }
        Expression::Binary(operator, left, right) => {
            binary(*operator, evaluate(view, left)?, evaluate(view, right)?)?
        }
        Expression::Conditional(parts) => {
            let [condition, then, otherwise] = &**parts;
            let chosen = if evaluate(view, condition)? != 0 {
                then
            } else {
                otherwise
            };
            evaluate(view, chosen)?
        }
        Expression::Probe(probe, channel) => {
            let channel = view.channel(evaluate(view, channel)?)?;
            let (length, capacity) = (
                channel.messages.len() as i32,
                view.program.channels[channel.kind].capacity as i32,
            );
            match probe {
                Probe::Length => length,
                Probe::Full => i32::from(length >= capacity.max(1)),
                Probe::NotFull => i32::from(length < capacity.max(1)),
                Probe::Empty => i32::from(length == 0),
                Probe::NotEmpty => i32::from(length > 0),
            }
        }
        Expression::Poll {
            channel,
            patterns,
            anywhere,
        } => {
            let channel = view.channel(evaluate(view, channel)?)?;
            if view.program.channels[channel.kind].capacity == 0 {
                return Err(Fault::PolledRendezvous);
            }
            i32::from(view.matching(channel, patterns, *anywhere)?.is_some())
        }
        // Whoever looks from outside is number 0 to itself, as a claim is in SPIN.
        Expression::ProcessNumber if view.process == usize::MAX => 0,
        Expression::ProcessNumber => view.process as i32,
        Expression::ProcessCount => state.processes.len() as i32,
        Expression::LastProcess => i32::from(state.last),
        Expression::Priority(number) => {
            let number = evaluate(view, number)?;
            let process = usize::try_from(number)
                .ok()
                .and_then(|at| state.processes.get(at));
            process.map_or(0, |process| i32::from(process.priority))
        }
        Expression::Timeout => i32::from(view.timeout),
        Expression::NonProgress => i32::from(!state.is_progress(view.program)),
        Expression::At(kind, number, location) => match view.remote(*kind, number) {
            Ok(process) => {
                let process = &state.processes[process];
                i32::from(process.kind == *kind && process.location == *location)
            }
            Err(Fault::NoProcess) => 0,
            Err(fault) => return Err(fault),
        },
        Expression::LocationOf(number) => {
            let number = evaluate(view, number)?;
            let process = usize::try_from(number)
                .ok()
                .and_then(|at| state.processes.get(at));
            process.map_or(0, |process| i32::from(process.location.0))
        }
        Expression::Enabled(number) => {
            let number = evaluate(view, number)?;
            match usize::try_from(number)
                .ok()
                .filter(|&at| at < state.processes.len())
            {
                Some(process) => {
                    let patience = Patience {
                        timeout: view.timeout,
                        priorities: false,
                        provided: false,
                        longest: view.longest,
                        quiet: true,
                    };
                    i32::from(!process_moves(view.program, state, process, patience).is_empty())
                }
                None => 0,
            }
        }
    })
}

fn binary(operator: Binary, left: i32, right: i32) -> Result<i32, Fault> {
    Ok(match operator {
        Binary::Add => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => return Err(Fault::DivisionByZero),
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
    })
}
