//! Expressions.

use crate::TypeExpr;
use entail_source::Span;

/// An expression with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Number(i64),
    /// A floating-point number, as written.
    Double(String),
    /// A text between quotation marks.
    Text(String),
    /// `true` or `false`.
    Truth(bool),
    /// A name.
    Name(String),
    /// `deadlock`.
    Deadlock,
    /// An operator before an operand.
    Unary(Unary, Box<Expr>),
    /// An operator between operands.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// `a ? b : c`.
    Choice(Box<[Expr; 3]>),
    /// `a[i]`.
    Index(Box<Expr>, Box<Expr>),
    /// `a.name`.
    Field(Box<Expr>, String),
    /// `f(a, b)`, or a process of a template: `P(1)`.
    Call(Box<Expr>, Vec<Expr>),
    /// `x'`.
    Rate(Box<Expr>),
    /// `a = b`, `a += b`.
    Assign(Option<Operator>, Box<Expr>, Box<Expr>),
    /// `a++` and its kin.
    Step {
        /// Whether the value is that before the step.
        after: bool,
        /// 1 or −1.
        by: i64,
        /// What is changed.
        target: Box<Expr>,
    },
    /// `forall (i : T) e` and its kin.
    Quantified(Quantifier, String, Box<TypeExpr>, Box<Expr>),
}

/// An operator before an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `!`, `not`
    Not,
}

/// An operator between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `**`
    Power,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<?`
    Minimum,
    /// `>?`
    Maximum,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    Different,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`, `and`
    And,
    /// `||`, `or`
    Or,
    /// `xor`
    Xor,
    /// `imply`
    Imply,
}

/// A quantifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `forall`
    ForAll,
    /// `exists`
    Exists,
    /// `sum`
    Sum,
}
