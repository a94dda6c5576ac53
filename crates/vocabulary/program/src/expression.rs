//! Expressions over the state of a program, and the places that can be assigned.

use crate::program::{CellType, LocationId, ProcessTypeId};

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `!x`: 1 if `x` is 0, else 0.
    Not,
    /// `-x`
    Negate,
    /// `~x`
    Complement,
}

/// Operators with two operands, on 32-bit integers that wrap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// The second operand is evaluated only if it decides.
    And,
    /// The second operand is evaluated only if it decides.
    Or,
}

/// What can be asked of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// How many messages are in it.
    Length,
    /// It has room for none.
    Full,
    /// It has room for one more.
    NotFull,
    /// It has no message.
    Empty,
    /// It has a message.
    NotEmpty,
}

/// Whose cells a place is among.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The program's.
    Global,
    /// The program's, too, but no part of the state: nobody looks at them other than for printing. Engines may forget what is stored there.
    Unseen,
    /// The executing process's.
    Local,
    /// Those of a process of this type: the one with this number, or without a number the first that there is.
    Remote(ProcessTypeId, Option<Box<Expression>>),
}

/// One index of an array: the value must be below the length, and moves the place by so many cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The value.
    pub value: Expression,
    /// Length of the array.
    pub length: u32,
    /// Cells an element has.
    pub stride: u32,
}

/// A cell that is computed when it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose cell.
    pub scope: Scope,
    /// The cell if all indices are zero.
    pub base: u32,
    /// The indices, which move it from the base.
    pub indices: Vec<Index>,
    /// The type of the cell.
    pub kind: CellType,
}

/// What a receiver expects in a field of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// This value.
    Match(Expression),
    /// Anything; it is stored here.
    Bind(Place),
    /// Anything.
    Ignore,
}

/// A 32-bit value computed from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(i32),
    /// The content of a cell.
    Load(Box<Place>),
    /// An operator with one operand.
    Unary(Unary, Box<Expression>),
    /// An operator with two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// The second if the first is not zero, else the third.
    Conditional(Box<[Expression; 3]>),
    /// A question about a channel.
    Probe(Probe, Box<Expression>),
    /// Whether a receive of these patterns could be executed: at the head, or with `anywhere` at any message.
    Poll {
        /// The channel.
        channel: Box<Expression>,
        /// What is expected.
        patterns: Vec<Pattern>,
        /// Any message may match, not only the first.
        anywhere: bool,
    },
    /// The number of the executing process.
    ProcessNumber,
    /// How many processes there are.
    ProcessCount,
    /// The process that made the last step.
    LastProcess,
    /// The priority of a process.
    Priority(Box<Expression>),
    /// `timeout`: no process can make a step.
    Timeout,
    /// No process is at a location marked as progress.
    NonProgress,
    /// A process of this type (the one with this number, or the first that there is) is at this location.
    At(ProcessTypeId, Option<Box<Expression>>, LocationId),
    /// The location of the process with this number, as a number.
    LocationOf(Box<Expression>),
    /// The process with this number has an executable edge, a `provided` clause aside. Asked by conditions and claims only.
    Enabled(Box<Expression>),
}

impl Expression {
    /// Whether it is this number.
    pub fn is_constant(&self, number: i32) -> bool {
        matches!(self, Expression::Constant(value) if *value == number)
    }

    /// Whether it is a variable that is no part of the state, without indices, plus or minus a number: its value can always be computed.
    pub(crate) fn is_counting(&self) -> bool {
        let Expression::Binary(Binary::Add | Binary::Subtract, variable, by) = self else {
            return false;
        };
        let is_plain = matches!(&**variable, Expression::Load(place) if place.scope == Scope::Unseen && place.indices.is_empty());
        is_plain && matches!(**by, Expression::Constant(_))
    }

    /// Calls `visit` with this expression and all that are inside, places' indices included.
    pub fn visit(&self, visit: &mut impl FnMut(&Expression)) {
        visit(self);
        match self {
            Expression::Constant(_)
            | Expression::ProcessNumber
            | Expression::ProcessCount
            | Expression::LastProcess
            | Expression::Timeout
            | Expression::NonProgress => {}
            Expression::Load(place) => place.visit(visit),
            Expression::Unary(_, operand)
            | Expression::Probe(_, operand)
            | Expression::Priority(operand)
            | Expression::LocationOf(operand)
            | Expression::Enabled(operand) => operand.visit(visit),
            Expression::Binary(_, left, right) => {
                left.visit(visit);
                right.visit(visit);
            }
            Expression::Conditional(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Expression::Poll {
                channel, patterns, ..
            } => {
                channel.visit(visit);
                patterns.iter().for_each(|pattern| pattern.visit(visit));
            }
            Expression::At(_, number, _) => {
                if let Some(number) = number {
                    number.visit(visit);
                }
            }
        }
    }
}

impl Place {
    /// Calls `visit` with every expression that the place is computed from.
    pub fn visit(&self, visit: &mut impl FnMut(&Expression)) {
        if let Scope::Remote(_, Some(number)) = &self.scope {
            number.visit(visit);
        }
        self.indices.iter().for_each(|index| index.value.visit(visit));
    }
}

impl Pattern {
    /// Calls `visit` with every expression inside.
    pub fn visit(&self, visit: &mut impl FnMut(&Expression)) {
        match self {
            Pattern::Match(value) => value.visit(visit),
            Pattern::Bind(place) => place.visit(visit),
            Pattern::Ignore => {}
        }
    }
}
