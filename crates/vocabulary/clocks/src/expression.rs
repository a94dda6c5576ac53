//! The integer code of networks: expressions, conditions and statements, and how they are evaluated.
//!
//! Integers are evaluated in 64 bits, and what does not fit is a [`Fault`]; so nothing wraps. A condition is a list of conjuncts, evaluated from left to right: an integer
//! conjunct that is false ends the evaluation, a clock conjunct is recorded as a constraint that whoever evaluates must impose. Local variables of a statement live in slots
//! behind the integers of the network; a statement has its own. A function has slots of its own too: functions do not call themselves, so a fixed place is enough.

use crate::code::{self, Ending};
use entail_source::Span;
use std::fmt;
use std::sync::Arc;

/// An operator of two integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// Sum.
    Add,
    /// Difference.
    Subtract,
    /// Product.
    Multiply,
    /// Quotient, rounded to zero.
    Divide,
    /// Remainder with the sign of the dividend.
    Remainder,
    /// Comparison: 1 or 0.
    Compare(Comparison),
    /// Both are not 0; the second is evaluated only if the first is not 0.
    And,
    /// One of them is not 0; the second is evaluated only if the first is 0.
    Or,
    /// Both bits.
    BitAnd,
    /// One of the bits.
    BitOr,
    /// Exactly one of the bits.
    BitXor,
    /// The bits moved up, by 0 to 31 places.
    ShiftLeft,
    /// The bits moved down, by 0 to 31 places.
    ShiftRight,
    /// The smaller.
    Minimum,
    /// The larger.
    Maximum,
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// Less.
    Less,
    /// Less or equal.
    LessEqual,
    /// Equal.
    Equal,
    /// Different.
    Different,
    /// Greater or equal.
    GreaterEqual,
    /// Greater.
    Greater,
}

impl Comparison {
    /// Whether two numbers are so.
    pub fn holds<T: Ord>(self, left: &T, right: &T) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::LessEqual => left <= right,
            Comparison::Equal => left == right,
            Comparison::Different => left != right,
            Comparison::GreaterEqual => left >= right,
            Comparison::Greater => left > right,
        }
    }

    /// The same with the operands exchanged.
    pub fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::GreaterEqual => Comparison::LessEqual,
            Comparison::Greater => Comparison::Less,
            same => same,
        }
    }

    /// Its usual sign.
    pub fn sign(self) -> &'static str {
        match self {
            Comparison::Less => "<",
            Comparison::LessEqual => "<=",
            Comparison::Equal => "==",
            Comparison::Different => "!=",
            Comparison::GreaterEqual => ">=",
            Comparison::Greater => ">",
        }
    }
}

/// A place that holds an integer: a variable, or an element of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The first slot.
    pub base: usize,
    /// Number of slots.
    pub size: usize,
    /// Which of them; nothing means the first.
    pub index: Option<Box<Expression>>,
}

impl Place {
    /// A variable.
    pub fn variable(slot: usize) -> Place {
        Place {
            base: slot,
            size: 1,
            index: None,
        }
    }

    /// The slot that it is now.
    pub fn slot(&self, integers: &[i64]) -> Result<usize, Fault> {
        match &self.index {
            None => Ok(self.base),
            Some(index) => element(self.base, self.size, index.value(integers)?),
        }
    }
}

fn element(base: usize, size: usize, index: i64) -> Result<usize, Fault> {
    match usize::try_from(index) {
        Ok(offset) if offset < size => Ok(base + offset),
        _ => Err(Fault::Index { index, size }),
    }
}

/// An expression with an integer value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A number.
    Constant(i64),
    /// The value of a place.
    Read(Place),
    /// The negated value.
    Negate(Box<Expression>),
    /// 1 if the value is 0, otherwise 0.
    Not(Box<Expression>),
    /// Two values combined.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The second if the first is not 0, otherwise the third.
    Choice(Box<[Expression; 3]>),
    /// An index: the value, which must be at least 0 and below the size.
    Index(Box<Expression>, usize),
    /// The value, which must lie in a range.
    Ranged(Box<Expression>, i64, i64),
    /// An entry of a table of constants.
    Table(Arc<[i64]>, Box<Expression>),
    /// The result of a function that changes nothing but its own slots.
    Call(Arc<Function>, Box<[Expression]>),
}

/// A function of integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The slots of its arguments, in order.
    pub arguments: Vec<usize>,
    /// One more than the largest slot that it or what it calls uses.
    pub end: usize,
    /// What it does; its result is what it returns, 0 if it returns nothing.
    pub body: Vec<Statement>,
    /// An interval that contains its result.
    pub result: (i64, i64),
}

impl Function {
    /// Runs it on a copy of these integers.
    fn result(&self, integers: &[i64], arguments: &[Expression]) -> Result<i64, Fault> {
        let mut slots = integers.to_vec();
        slots.resize(slots.len().max(self.end), 0);
        for (slot, argument) in self.arguments.iter().zip(arguments) {
            slots[*slot] = argument.value(integers)?;
        }
        let mut steps = code::MOST_LOOP_STEPS;
        match code::run_alone(&self.body, &mut slots, &mut steps)? {
            Ending::Returned(value) => Ok(value),
            Ending::Through | Ending::Disabled => Ok(0),
        }
    }
}

impl Expression {
    /// Two expressions combined.
    pub fn binary(operator: Binary, left: Expression, right: Expression) -> Expression {
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Its value in these integers (those of the network, then the local ones).
    pub fn value(&self, integers: &[i64]) -> Result<i64, Fault> {
        Ok(match self {
            Expression::Constant(number) => *number,
            Expression::Read(place) => match &place.index {
                None => integers[place.base],
                Some(_) => integers[place.slot(integers)?],
            },
            Expression::Negate(inner) => inner.value(integers)?.checked_neg().ok_or(Fault::Overflow)?,
            Expression::Not(inner) => i64::from(inner.value(integers)? == 0),
            Expression::Choice(parts) => {
                let [condition, then, otherwise] = &**parts;
                match condition.value(integers)? {
                    0 => otherwise.value(integers)?,
                    _ => then.value(integers)?,
                }
            }
            Expression::Index(inner, size) => {
                let index = inner.value(integers)?;
                element(0, *size, index)? as i64
            }
            Expression::Ranged(inner, low, high) => {
                let value = inner.value(integers)?;
                if !(*low..=*high).contains(&value) {
                    return Err(Fault::Value {
                        value,
                        low: *low,
                        high: *high,
                    });
                }
                value
            }
            Expression::Table(table, index) => table[element(0, table.len(), index.value(integers)?)?],
            Expression::Call(function, arguments) => function.result(integers, arguments)?,
            Expression::Binary(operator, left, right) => {
                let left = left.value(integers)?;
                match operator {
                    Binary::And if left == 0 => return Ok(0),
                    Binary::Or if left != 0 => return Ok(1),
                    _ => {}
                }
                let right = right.value(integers)?;
                let whole = match operator {
                    Binary::Add => left.checked_add(right),
                    Binary::Subtract => left.checked_sub(right),
                    Binary::Multiply => left.checked_mul(right),
                    Binary::Divide | Binary::Remainder if right == 0 => return Err(Fault::DivisionByZero),
                    Binary::Divide => left.checked_div(right),
                    Binary::Remainder => left.checked_rem(right),
                    Binary::Compare(comparison) => Some(i64::from(comparison.holds(&left, &right))),
                    Binary::And | Binary::Or => Some(i64::from(right != 0)),
                    Binary::BitAnd => Some(left & right),
                    Binary::BitOr => Some(left | right),
                    Binary::BitXor => Some(left ^ right),
                    Binary::ShiftLeft | Binary::ShiftRight if !(0..32).contains(&right) => {
                        return Err(Fault::Shift(right));
                    }
                    Binary::ShiftLeft => left.checked_mul(1 << right),
                    Binary::ShiftRight => Some(left >> right),
                    Binary::Minimum => Some(left.min(right)),
                    Binary::Maximum => Some(left.max(right)),
                };
                whole.ok_or(Fault::Overflow)?
            }
        })
    }

    /// An interval that contains its value while every slot is in its range; slots beyond the ranges may hold anything.
    pub fn range(&self, ranges: &[(i64, i64)]) -> (i64, i64) {
        const ANY: (i64, i64) = (i64::MIN / 4, i64::MAX / 4);
        let clamp = |low: i128, high: i128| {
            let fit = |number: i128| number.clamp(i128::from(ANY.0), i128::from(ANY.1)) as i64;
            (fit(low), fit(high))
        };
        match self {
            Expression::Constant(number) => (*number, *number),
            Expression::Read(place) => {
                let slots = place.base..place.base + place.size.max(1);
                slots.fold((i64::MAX, i64::MIN), |(low, high), slot| {
                    let (from, to) = ranges.get(slot).copied().unwrap_or(ANY);
                    (low.min(from), high.max(to))
                })
            }
            Expression::Negate(inner) => {
                let (low, high) = inner.range(ranges);
                clamp(-i128::from(high), -i128::from(low))
            }
            Expression::Not(_) => (0, 1),
            Expression::Index(inner, size) => {
                let (low, high) = inner.range(ranges);
                let last = (*size as i64 - 1).max(0);
                (low.clamp(0, last), high.clamp(0, last))
            }
            Expression::Ranged(inner, least, most) => {
                let (low, high) = inner.range(ranges);
                (low.clamp(*least, *most), high.clamp(*least, *most))
            }
            Expression::Table(table, _) => (
                table.iter().copied().min().unwrap_or(0),
                table.iter().copied().max().unwrap_or(0),
            ),
            Expression::Call(function, _) => function.result,
            Expression::Choice(parts) => {
                let (then, otherwise) = (parts[1].range(ranges), parts[2].range(ranges));
                (then.0.min(otherwise.0), then.1.max(otherwise.1))
            }
            Expression::Binary(operator, left, right) => {
                let ((a, b), (c, d)) = (left.range(ranges), right.range(ranges));
                let [a, b, c, d] = [a, b, c, d].map(i128::from);
                match operator {
                    Binary::Add => clamp(a + c, b + d),
                    Binary::Subtract => clamp(a - d, b - c),
                    Binary::Multiply => {
                        let ends = [a * c, a * d, b * c, b * d];
                        clamp(
                            ends.into_iter().min().unwrap_or(0),
                            ends.into_iter().max().unwrap_or(0),
                        )
                    }
                    Binary::Divide => {
                        let most = a.abs().max(b.abs());
                        clamp(if a >= 0 && c >= 0 { 0 } else { -most }, most)
                    }
                    Binary::Remainder => {
                        let most = (c.abs().max(d.abs()) - 1).max(0).min(a.abs().max(b.abs()));
                        clamp(if a >= 0 { 0 } else { -most }, if b <= 0 { 0 } else { most })
                    }
                    Binary::Compare(_) | Binary::And | Binary::Or => (0, 1),
                    Binary::Minimum => clamp(a.min(c), b.min(d)),
                    Binary::Maximum => clamp(a.max(c), b.max(d)),
                    Binary::ShiftLeft => {
                        let most = (c.clamp(0, 31), d.clamp(0, 31));
                        let ends = [a << most.0, a << most.1, b << most.0, b << most.1];
                        clamp(
                            ends.into_iter().min().unwrap_or(0),
                            ends.into_iter().max().unwrap_or(0),
                        )
                    }
                    Binary::ShiftRight => clamp(a.min(0), b.max(0)),
                    Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
                        // A power of two beyond the sizes of both; the sign is that of one of them, or none.
                        let most = a.abs().max(b.abs()).max(c.abs()).max(d.abs()) + 1;
                        let power = i128::from((most as u64).next_power_of_two().min(1 << 62));
                        clamp(if a >= 0 && c >= 0 { 0 } else { -power }, power)
                    }
                }
            }
        }
    }
}

/// A clock, or an element of an array of clocks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClockName {
    /// The first clock.
    pub base: usize,
    /// Number of clocks.
    pub size: usize,
    /// Which of them; nothing means the first.
    pub index: Option<Expression>,
}

impl ClockName {
    /// A clock by its number; 0 is the reference clock.
    pub fn one(clock: usize) -> ClockName {
        ClockName {
            base: clock,
            size: 1,
            index: None,
        }
    }

    /// The clock that it is now.
    pub fn clock(&self, integers: &[i64]) -> Result<usize, Fault> {
        match &self.index {
            None => Ok(self.base),
            Some(index) => element(self.base, self.size, index.value(integers)?),
        }
    }

    /// All clocks that it may be.
    pub fn candidates(&self) -> std::ops::Range<usize> {
        match &self.index {
            None => self.base..self.base + 1,
            Some(Expression::Constant(index)) => {
                let offset = usize::try_from(*index)
                    .unwrap_or(0)
                    .min(self.size.saturating_sub(1));
                self.base + offset..self.base + offset + 1
            }
            Some(_) => self.base..self.base + self.size,
        }
    }
}

/// A conjunct of a guard or an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// The value is not 0.
    Integer(Expression),
    /// A clock, or the difference of two, compared with an integer.
    Clock {
        /// The clock.
        left: ClockName,
        /// The clock that is subtracted; the reference clock where there is none.
        right: ClockName,
        /// How; never [`Comparison::Different`].
        comparison: Comparison,
        /// With what.
        bound: Expression,
    },
    /// Conditions that are imposed only if the value is not 0.
    When(Expression, Vec<Condition>),
}

impl Condition {
    /// Calls `visit` with the comparisons of clocks in it.
    pub fn visit_clocks<'a>(
        &'a self,
        visit: &mut dyn FnMut(&'a ClockName, &'a ClockName, Comparison, &'a Expression),
    ) {
        match self {
            Condition::Integer(_) => {}
            Condition::Clock {
                left,
                right,
                comparison,
                bound,
            } => visit(left, right, *comparison, bound),
            Condition::When(_, inner) => inner.iter().for_each(|one| one.visit_clocks(visit)),
        }
    }

    /// The comparisons of clocks in a list, as conditions of their own.
    pub fn clock_conditions(conditions: &[Condition]) -> Vec<Condition> {
        let mut found = Vec::new();
        for condition in conditions {
            condition.visit_clocks(&mut |left, right, comparison, bound| {
                found.push(Condition::Clock {
                    left: left.clone(),
                    right: right.clone(),
                    comparison,
                    bound: bound.clone(),
                });
            });
        }
        found
    }
}

/// A piece of code that an edge runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// An integer gets a value.
    Assign {
        /// The place.
        target: Place,
        /// The value.
        value: Expression,
        /// Where it stands in the text.
        span: Span,
    },
    /// A clock gets the value of a clock (the reference clock for a number) plus an integer.
    Clock {
        /// The clock.
        target: ClockName,
        /// The clock it is copied from.
        source: ClockName,
        /// What is added.
        offset: Expression,
        /// Where it stands in the text.
        span: Span,
    },
    /// One of two lists.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// A list while a condition holds.
    While(Expression, Vec<Statement>),
    /// Local slots become 0.
    Clear(usize, usize),
    /// A function ends, with a result.
    Return(Option<Expression>),
    /// A function is run that may change integers of the network, but sets no clock; its result goes to a place.
    Call {
        /// The function.
        function: Arc<Function>,
        /// Its arguments.
        arguments: Box<[Expression]>,
        /// Where its result goes.
        result: Option<Place>,
        /// Where it stands in the text.
        span: Span,
    },
    /// The model is wrong if the value is 0.
    Assert(Expression, Span),
    /// The step costs so much more.
    Cost(Expression, Span),
}

impl Statement {
    /// Whether the step may cost something by it.
    pub fn costs(&self) -> bool {
        match self {
            Statement::Cost(..) => true,
            Statement::If(_, then, otherwise) => then.iter().chain(otherwise).any(Statement::costs),
            Statement::While(_, body) => body.iter().any(Statement::costs),
            Statement::Call { function, .. } => function.body.iter().any(Statement::costs),
            _ => false,
        }
    }

    /// Whether some cost in it is negative, whatever the integers are.
    pub fn costs_less_than_nothing(&self, ranges: &[(i64, i64)]) -> bool {
        let any = |list: &[Statement]| list.iter().any(|one| one.costs_less_than_nothing(ranges));
        match self {
            Statement::Cost(amount, _) => amount.range(ranges).1 < 0,
            Statement::If(_, then, otherwise) => any(then) || any(otherwise),
            Statement::While(_, body) => any(body),
            Statement::Call { function, .. } => any(&function.body),
            _ => false,
        }
    }
}

/// The largest cost of a step or of a unit of time; the least is its opposite.
pub const MOST_COST: i64 = 1 << 30;

/// Why code has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// An index beyond an array.
    Index {
        /// The index.
        index: i64,
        /// The size of the array.
        size: usize,
    },
    /// A value that a variable cannot hold.
    Range {
        /// The slot.
        slot: usize,
        /// The value.
        value: i64,
    },
    /// A value out of the range of a local variable, a parameter or a result.
    Value {
        /// The value.
        value: i64,
        /// Least value.
        low: i64,
        /// Largest value.
        high: i64,
    },
    /// A shift by a number of places that is negative or too large.
    Shift(i64),
    /// An assertion of the model is violated.
    Assertion,
    /// Priorities or receivers with clocks leave too many cases.
    Cases,
    /// A number divided by 0.
    DivisionByZero,
    /// A number beyond 64 bits.
    Overflow,
    /// A loop of a statement that does not end.
    EndlessLoop,
    /// A clock would be set to a negative value.
    NegativeClock,
    /// A constant that clocks are compared with or set to is too large.
    LargeConstant(i64),
    /// A cost below 0, or too large.
    Cost(i64),
    /// A rate of a clock that is neither 0 nor 1.
    Rate(i64),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Index { index, size } => write!(f, "the index {index} is beyond an array of {size}"),
            Fault::Range { value, .. } => write!(f, "the value {value} is out of the variable's range"),
            Fault::Value { value, low, high } => {
                write!(f, "the value {value} is out of the range [{low}, {high}]")
            }
            Fault::Shift(places) => write!(f, "a shift by {places} places"),
            Fault::Assertion => f.write_str("an assertion is violated"),
            Fault::Cases => f.write_str("priorities and clock guards leave too many cases"),
            Fault::DivisionByZero => f.write_str("division by zero"),
            Fault::Overflow => f.write_str("a number exceeds 64 bits"),
            Fault::EndlessLoop => f.write_str("a loop does not end"),
            Fault::NegativeClock => f.write_str("a clock would become negative"),
            Fault::LargeConstant(number) => write!(f, "the constant {number} is too large for a clock"),
            Fault::Rate(number) => write!(
                f,
                "{number} is no rate of a clock: it runs (1) or stands still (0)"
            ),
            Fault::Cost(number) if number.abs() <= MOST_COST => {
                write!(
                    f,
                    "the cost {number} is negative, which only questions with --energy allow"
                )
            }
            Fault::Cost(number) => write!(
                f,
                "{number} is no cost: costs are numbers from -{MOST_COST} to {MOST_COST}"
            ),
        }
    }
}
