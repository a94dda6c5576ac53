//! The syntax tree.

use entail_source::Span;

/// An expression with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub node: Node,
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    True,
    False,
    /// `otherwise`
    Otherwise,
    /// `_`
    Wild,
    Number(i64),
    Name(String),
    /// A function with its arguments.
    Call(String, Vec<Expr>),
    /// A part of a bus.
    Index(String, Box<Expr>),
    Set(Vec<Expr>),
    /// First, second and last element.
    Range(Box<Expr>, Box<Expr>, Box<Expr>),
    Prefix(Prefix, Box<Expr>),
    /// A temporal operator with a number or a range, and whether it is strong.
    Bounded(Prefix, Box<Expr>, bool, Box<Expr>),
    /// An operator over all elements of sets.
    Big(Big, Vec<Expr>, Box<Expr>),
    Infix(Infix, Box<Expr>, Box<Expr>),
}

/// Operators before their operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    Not,
    Next,
    StrongNext,
    Previous,
    Globally,
    Finally,
    Historically,
    Once,
    SizeOf,
    Size,
    Min,
    Max,
}

/// Operators over sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Big {
    And,
    Or,
    Sum,
    Product,
    Cup,
    Cap,
}

/// Operators between their operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Infix {
    Colon,
    Pattern,
    Triggered,
    Since,
    Release,
    Until,
    Weak,
    Implies,
    Equiv,
    Or,
    And,
    In,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Cup,
    Cap,
    SetMinus,
    Plus,
    Minus,
    Div,
    Mod,
    Mul,
}

/// Infix operators with their spellings, how tightly they bind (the looser the smaller), and whether they group to the right; as in `syfco`.
pub const INFIX: [(Infix, &[&str], u8, bool); 26] = [
    (Infix::Colon, &[":"], 0, false),
    (Infix::Pattern, &["~"], 1, false),
    (Infix::Triggered, &["T"], 2, false),
    (Infix::Since, &["S"], 3, true),
    (Infix::Release, &["R"], 4, false),
    (Infix::Until, &["U"], 5, true),
    (Infix::Weak, &["W"], 6, true),
    (Infix::Implies, &["->", "IMPLIES"], 7, true),
    (Infix::Equiv, &["<->", "EQUIV"], 7, true),
    (Infix::Or, &["||", "OR"], 8, false),
    (Infix::And, &["&&", "AND"], 9, false),
    (Infix::In, &["<-", "IN", "ELEM"], 11, false),
    (Infix::Equal, &["==", "EQ"], 12, false),
    (Infix::Unequal, &["/=", "!=", "NEQ"], 12, false),
    (Infix::Less, &["<", "LE"], 12, false),
    (Infix::LessEqual, &["<=", "LEQ"], 12, false),
    (Infix::Greater, &[">", "GE"], 12, false),
    (Infix::GreaterEqual, &[">=", "GEQ"], 12, false),
    (Infix::Cup, &["(+)", "CUP"], 13, false),
    (Infix::Cap, &["(*)", "CAP"], 14, false),
    (Infix::SetMinus, &["(-)", "(\\)", "SETMINUS"], 15, true),
    (Infix::Plus, &["+", "PLUS"], 17, false),
    (Infix::Minus, &["-", "MINUS"], 17, false),
    (Infix::Div, &["/", "DIV"], 18, true),
    (Infix::Mod, &["%", "MOD"], 18, true),
    (Infix::Mul, &["*", "MUL"], 19, false),
];

/// How tightly temporal and Boolean operators before their operand bind.
pub const LTL_PREFIX: u8 = 10;
/// The same of big operators on sets.
pub const SET_PREFIX: u8 = 16;
/// The same of numeric operators.
pub const NUMBER_PREFIX: u8 = 20;

/// Names that are no identifiers.
pub const RESERVED: [&str; 47] = [
    "NOT",
    "AND",
    "OR",
    "IMPLIES",
    "EQUIV",
    "true",
    "false",
    "F",
    "PLUS",
    "MINUS",
    "MUL",
    "DIV",
    "MOD",
    "SIZE",
    "MIN",
    "MAX",
    "_",
    "SETMINUS",
    "CAP",
    "CUP",
    "otherwise",
    "W",
    "U",
    "R",
    "X",
    "G",
    "SUM",
    "PROD",
    "IN",
    "SIZEOF",
    "Y",
    "H",
    "O",
    "S",
    "T",
    "EQ",
    "NEQ",
    "LE",
    "GE",
    "LEQ",
    "GEQ",
    "ELEM",
    "FORALL",
    "EXISTS",
    "INPUTS",
    "OUTPUTS",
    "MAIN",
];

/// A definition, or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: String,
    pub span: Span,
    pub arguments: Vec<String>,
    /// The cases, each perhaps with a guard.
    pub cases: Vec<Expr>,
}

/// A value of an enumeration: its name, where it stands, its codes.
pub type EnumerationValue = (String, Span, Vec<Vec<Option<bool>>>);

/// An enumeration: values with their codes; a position of a code may be free.
#[derive(Clone, Debug, PartialEq)]
pub struct Enumeration {
    pub name: String,
    pub span: Span,
    pub size: usize,
    pub values: Vec<EnumerationValue>,
}

/// A declaration of signals.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    pub name: String,
    pub span: Span,
    pub kind: SignalKind,
}

/// What is declared.
#[derive(Clone, Debug, PartialEq)]
pub enum SignalKind {
    Single,
    Bus(Expr),
    /// A bus whose values are those of an enumeration.
    Typed(String),
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub title: Option<String>,
    pub description: Option<String>,
    pub semantics: Option<(Vec<String>, Span)>,
    pub target: Option<(String, Span)>,
    pub tags: Vec<String>,
    pub parameters: Vec<Definition>,
    pub definitions: Vec<Definition>,
    pub enumerations: Vec<Enumeration>,
    pub inputs: Vec<Signal>,
    pub outputs: Vec<Signal>,
    /// The formulas of the six sections, in the order of [`SECTIONS`].
    pub sections: [Vec<Expr>; 6],
}

/// The sections of formulas with their names.
pub const SECTIONS: [&[&str]; 6] = [
    &["INITIALLY"],
    &["PRESET"],
    &["REQUIRE", "REQUIREMENTS"],
    &["ASSUME", "ASSUMPTIONS"],
    &["ASSERT", "INVARIANTS"],
    &["GUARANTEE", "GUARANTEES"],
];
