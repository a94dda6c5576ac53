//! The operators, as a table: their names and which sorts go together.

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // Their names are those of the format.
pub enum Operator {
    Not,
    Inc,
    Dec,
    Neg,
    Redand,
    Redor,
    Redxor,
    Iff,
    Implies,
    Eq,
    Neq,
    Sgt,
    Ugt,
    Sgte,
    Ugte,
    Slt,
    Ult,
    Slte,
    Ulte,
    And,
    Nand,
    Nor,
    Or,
    Xnor,
    Xor,
    Rol,
    Ror,
    Sll,
    Sra,
    Srl,
    Add,
    Mul,
    Sdiv,
    Udiv,
    Smod,
    Srem,
    Urem,
    Sub,
    Saddo,
    Uaddo,
    Sdivo,
    Smulo,
    Umulo,
    Ssubo,
    Usubo,
    Concat,
    Slice,
    Sext,
    Uext,
    Read,
    Write,
    Ite,
}

/// Which sorts an operator takes and gives. `n` stands for any width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `n → n`
    Unary,
    /// `n → 1`
    Reduction,
    /// `1 × 1 → 1`
    Logical,
    /// `s × s → 1` for any sort
    Equality,
    /// `n × n → 1`
    Predicate,
    /// `n × n → n`
    Binary,
    /// `n × m → n + m`
    Concat,
    /// `n → upper - lower + 1`
    Slice,
    /// `n → n + bits`
    Extension,
    /// `array × index → element`
    Read,
    /// `array × index × element → array`
    Write,
    /// `1 × s × s → s` for any sort
    Choice,
}

impl Shape {
    /// How many arguments there are.
    pub fn arguments(self) -> usize {
        match self {
            Shape::Unary | Shape::Reduction | Shape::Slice | Shape::Extension => 1,
            Shape::Write | Shape::Choice => 3,
            _ => 2,
        }
    }

    /// How many plain numbers follow the arguments.
    pub fn numbers(self) -> usize {
        match self {
            Shape::Slice => 2,
            Shape::Extension => 1,
            _ => 0,
        }
    }
}

use Operator::*;

/// Name, operator, shape.
pub(crate) const OPERATORS: [(&str, Operator, Shape); 52] = [
    ("not", Not, Shape::Unary),
    ("inc", Inc, Shape::Unary),
    ("dec", Dec, Shape::Unary),
    ("neg", Neg, Shape::Unary),
    ("redand", Redand, Shape::Reduction),
    ("redor", Redor, Shape::Reduction),
    ("redxor", Redxor, Shape::Reduction),
    ("iff", Iff, Shape::Logical),
    ("implies", Implies, Shape::Logical),
    ("eq", Eq, Shape::Equality),
    ("neq", Neq, Shape::Equality),
    ("sgt", Sgt, Shape::Predicate),
    ("ugt", Ugt, Shape::Predicate),
    ("sgte", Sgte, Shape::Predicate),
    ("ugte", Ugte, Shape::Predicate),
    ("slt", Slt, Shape::Predicate),
    ("ult", Ult, Shape::Predicate),
    ("slte", Slte, Shape::Predicate),
    ("ulte", Ulte, Shape::Predicate),
    ("and", And, Shape::Binary),
    ("nand", Nand, Shape::Binary),
    ("nor", Nor, Shape::Binary),
    ("or", Or, Shape::Binary),
    ("xnor", Xnor, Shape::Binary),
    ("xor", Xor, Shape::Binary),
    ("rol", Rol, Shape::Binary),
    ("ror", Ror, Shape::Binary),
    ("sll", Sll, Shape::Binary),
    ("sra", Sra, Shape::Binary),
    ("srl", Srl, Shape::Binary),
    ("add", Add, Shape::Binary),
    ("mul", Mul, Shape::Binary),
    ("sdiv", Sdiv, Shape::Binary),
    ("udiv", Udiv, Shape::Binary),
    ("smod", Smod, Shape::Binary),
    ("srem", Srem, Shape::Binary),
    ("urem", Urem, Shape::Binary),
    ("sub", Sub, Shape::Binary),
    ("saddo", Saddo, Shape::Predicate),
    ("uaddo", Uaddo, Shape::Predicate),
    ("sdivo", Sdivo, Shape::Predicate),
    ("smulo", Smulo, Shape::Predicate),
    ("umulo", Umulo, Shape::Predicate),
    ("ssubo", Ssubo, Shape::Predicate),
    ("usubo", Usubo, Shape::Predicate),
    ("concat", Concat, Shape::Concat),
    ("slice", Slice, Shape::Slice),
    ("sext", Sext, Shape::Extension),
    ("uext", Uext, Shape::Extension),
    ("read", Read, Shape::Read),
    ("write", Write, Shape::Write),
    ("ite", Ite, Shape::Choice),
];

impl Operator {
    /// All operators.
    pub fn all() -> impl Iterator<Item = Operator> {
        OPERATORS.iter().map(|row| row.1)
    }

    /// The operator of this name.
    pub fn named(name: &str) -> Option<Operator> {
        OPERATORS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    fn row(self) -> &'static (&'static str, Operator, Shape) {
        OPERATORS
            .iter()
            .find(|row| row.1 == self)
            .expect("the table has every operator")
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// Which sorts it takes and gives.
    pub fn shape(self) -> Shape {
        self.row().2
    }
}
