//! The syntax tree.

use entail_program::{Binary, Origin, Probe, Unary};
use std::rc::Rc;

/// A name.
pub type Name = Rc<str>;

/// An expression, temporal operators included.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub at: Origin,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Variable(Variable),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<[Expr; 3]>),
    Run(Name, Vec<Expr>, Option<i32>),
    Probe(Probe, Variable),
    Poll(Variable, Vec<Argument>, bool),
    Enabled(Box<Expr>),
    Priority(Box<Expr>),
    LocationOf(Box<Expr>),
    Timeout,
    NonProgress,
    RemoteLabel(Name, Option<Box<Expr>>, Name),
    RemoteVariable(Name, Option<Box<Expr>>, Variable),
    Temporal(Temporal, Box<Expr>),
    TemporalPair(TemporalPair, Box<Expr>, Box<Expr>),
}

/// Temporal operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temporal {
    Always,
    Eventually,
    Next,
}

/// Temporal and logical operators that only formulas have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalPair {
    Until,
    WeakUntil,
    Release,
    Implies,
    Equivalent,
}

/// A variable with indices and fields.
#[derive(Clone, Debug)]
pub struct Variable {
    pub parts: Vec<(Name, Option<Expr>)>,
    pub at: Origin,
}

/// An argument of a receive.
#[derive(Clone, Debug)]
pub enum Argument {
    Value(Expr),
    Store(Variable),
    Eval(Expr),
}

/// The type in a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeName {
    Basic(entail_program::CellType),
    Record(Name),
}

/// What a variable holds first.
#[derive(Clone, Debug)]
pub enum Initializer {
    Value(Expr),
    List(Vec<Expr>),
    Channel(i32, Vec<(TypeName, Origin)>),
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Name,
    pub kind: TypeName,
    /// Of an array, its length.
    pub length: Option<u32>,
    pub initializer: Option<Initializer>,
    pub hidden: bool,
    /// Declared `local`: only one process uses it.
    pub local: bool,
    pub at: Origin,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Statement {
    pub labels: Vec<(Name, Origin)>,
    pub kind: StatementKind,
    pub at: Origin,
}

/// A sequence of statements.
pub type Sequence = Vec<Statement>;

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StatementKind {
    Expression(Expr),
    Else,
    Assign(Variable, Expr),
    /// `x++` or `x--`.
    Change(Variable, Binary),
    Send(Variable, Vec<Expr>, bool),
    Receive {
        channel: Variable,
        arguments: Vec<Argument>,
        anywhere: bool,
        keep: bool,
    },
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    For(Variable, Range, Sequence),
    Select(Variable, Expr, Expr),
    /// The same with many plain values; it becomes two statements at once.
    SelectFromMany(Variable, Expr, Expr),
    Atomic(Sequence),
    Deterministic(Sequence),
    Block(Sequence),
    Unless(Box<Statement>, Box<Statement>),
    Break,
    Goto(Name),
    Assert(Expr),
    /// A process is started, and its number is used in a statement; both are one step.
    Starting(Box<StatementKind>, Box<StatementKind>),
    Print(Rc<str>, Vec<Expr>),
    PrintMessage(Expr),
    SetPriority(Expr, Expr),
    Declare(Declared),
    Exclusive(Exclusivity, Vec<Variable>),
}

/// What a `for` runs over.
#[derive(Clone, Debug)]
pub enum Range {
    Between(Box<Expr>, Box<Expr>),
    In(Variable),
}

/// `xr` or `xs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exclusivity {
    Receive,
    Send,
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    pub name: Name,
    pub active: Option<Active>,
    pub parameters: Vec<Declared>,
    pub priority: Option<i32>,
    pub provided: Option<Expr>,
    pub body: Sequence,
    pub at: Origin,
    /// Where the body ends.
    pub end: Origin,
}

/// How many processes there are in the beginning.
#[derive(Clone, Debug)]
pub enum Active {
    Count(i32),
    /// As many as this variable's initial value says.
    Named(Name, Origin),
}

/// A unit of a program.
#[derive(Clone, Debug)]
pub enum Unit {
    Proctype(Proctype),
    Never(Proctype),
    /// `trace` or `notrace`, which is its name with colons.
    Trace(Proctype),
    Formula(Option<Name>, Expr),
    Variable(Declared),
    Record(Name, Vec<Declared>, Origin),
    Messages(Vec<(Name, Origin)>),
}
