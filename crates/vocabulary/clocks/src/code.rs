//! Running statements: the code of edges and functions.

use crate::discrete::{ClockUpdate, MOST_CONSTANT};
use crate::expression::MOST_COST;
use crate::{Expression, Fault, Integer, OutOfRange, Statement};
use entail_source::Span;

/// Steps of the loops of one action, at most.
pub(crate) const MOST_LOOP_STEPS: u32 = 10_000_000;

/// How code ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// After its last statement.
    Through,
    /// An integer would leave its range, which disables the step.
    Disabled,
    /// By a return, with this result.
    Returned(i64),
}

/// Code on its way.
pub(crate) struct Run<'a> {
    /// The integers of the network, whose ranges are kept.
    pub integers: &'a [Integer],
    pub out_of_range: OutOfRange,
    /// The integers of the network, then the local ones.
    pub slots: &'a mut Vec<i64>,
    pub updates: &'a mut Vec<ClockUpdate>,
    /// What the step costs so far.
    pub cost: &'a mut i64,
    pub steps_left: &'a mut u32,
    pub span: Span,
}

/// Runs the code of a function that changes nothing but its own slots.
pub(crate) fn run_alone(
    statements: &[Statement],
    slots: &mut Vec<i64>,
    steps_left: &mut u32,
) -> Result<Ending, Fault> {
    let mut run = Run {
        integers: &[],
        out_of_range: OutOfRange::Fault,
        slots,
        updates: &mut Vec::new(),
        cost: &mut 0,
        steps_left,
        span: Span::default(),
    };
    run.list(statements)
}

/// A number that can be a cost.
pub(crate) fn as_cost(number: i64) -> Result<i64, Fault> {
    match (-MOST_COST..=MOST_COST).contains(&number) {
        true => Ok(number),
        false => Err(Fault::Cost(number)),
    }
}

impl Run<'_> {
    fn tick(&mut self) -> Result<(), Fault> {
        *self.steps_left = self.steps_left.checked_sub(1).ok_or(Fault::EndlessLoop)?;
        Ok(())
    }

    fn assign(&mut self, slot: usize, value: i64) -> Result<Ending, Fault> {
        if let Some(one) = self.integers.get(slot)
            && !(one.low..=one.high).contains(&value)
        {
            return match self.out_of_range {
                OutOfRange::Disabled => Ok(Ending::Disabled),
                OutOfRange::Fault => Err(Fault::Range { slot, value }),
            };
        }
        self.slots[slot] = value;
        Ok(Ending::Through)
    }

    fn values(&self, arguments: &[Expression]) -> Result<Vec<i64>, Fault> {
        (arguments.iter())
            .map(|argument| argument.value(self.slots))
            .collect()
    }

    /// Runs statements in order.
    pub fn list(&mut self, statements: &[Statement]) -> Result<Ending, Fault> {
        for statement in statements {
            let ending = self.one(statement)?;
            if ending != Ending::Through {
                return Ok(ending);
            }
        }
        Ok(Ending::Through)
    }

    fn one(&mut self, statement: &Statement) -> Result<Ending, Fault> {
        match statement {
            Statement::Assign { target, value, span } => {
                self.span = *span;
                let slot = target.slot(self.slots)?;
                let value = value.value(self.slots)?;
                return self.assign(slot, value);
            }
            Statement::Clock {
                target,
                source,
                offset,
                span,
            } => {
                self.span = *span;
                let (target, source) = (target.clock(self.slots)?, source.clock(self.slots)?);
                let offset = offset.value(self.slots)?;
                if offset.abs() >= MOST_CONSTANT {
                    return Err(Fault::LargeConstant(offset));
                }
                if source == 0 && offset < 0 {
                    return Err(Fault::NegativeClock);
                }
                self.updates.push(ClockUpdate {
                    target,
                    source,
                    offset,
                });
            }
            Statement::If(condition, then, otherwise) => {
                let chosen = if condition.value(self.slots)? != 0 {
                    then
                } else {
                    otherwise
                };
                return self.list(chosen);
            }
            Statement::While(condition, body) => {
                while condition.value(self.slots)? != 0 {
                    self.tick()?;
                    let ending = self.list(body)?;
                    if ending != Ending::Through {
                        return Ok(ending);
                    }
                }
            }
            Statement::Clear(first, count) => self.slots[*first..*first + *count].fill(0),
            Statement::Return(value) => {
                let value = value.as_ref().map_or(Ok(0), |value| value.value(self.slots))?;
                return Ok(Ending::Returned(value));
            }
            Statement::Call {
                function,
                arguments,
                result,
                span,
            } => {
                self.span = *span;
                self.tick()?;
                let values = self.values(arguments)?;
                for (&slot, value) in function.arguments.iter().zip(values) {
                    self.slots[slot] = value;
                }
                let value = match self.list(&function.body)? {
                    Ending::Disabled => return Ok(Ending::Disabled),
                    Ending::Returned(value) => value,
                    Ending::Through => 0,
                };
                if let Some(place) = result {
                    let slot = place.slot(self.slots)?;
                    return self.assign(slot, value);
                }
            }
            Statement::Cost(amount, span) => {
                self.span = *span;
                let amount = amount.value(self.slots)?;
                *self.cost = as_cost(self.cost.saturating_add(as_cost(amount)?))?;
            }
            Statement::Assert(condition, span) => {
                self.span = *span;
                if condition.value(self.slots)? == 0 {
                    return Err(Fault::Assertion);
                }
            }
        }
        Ok(Ending::Through)
    }
}
