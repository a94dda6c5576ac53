//! Expressions over the variables of a network, and their meaning.
//!
//! A tree without names: constants are values, variables are positions, formulas and functions are unfolded (shared, not copied). Integers
//! are 64 bits wide and never wrap: overflow is an error of the model. Real numbers are exact rationals; only `log` and powers with
//! fractional exponents are rounded to the nearest double.

use crate::{Rational, from_float, to_float};
use std::sync::Arc;

/// A variable: a position in [`Network::variables`](crate::Network::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(pub u32);

impl VarId {
    /// The position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What kind of value an expression has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A rational number.
    Real,
}

impl Sort {
    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Bool => "a Boolean",
            Sort::Int => "an integer",
            Sort::Real => "a number",
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A rational number.
    Real(Rational),
}

impl Value {
    /// Its sort.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
        }
    }

    /// The truth value.
    pub fn truth(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The number.
    pub fn number(&self) -> Option<Rational> {
        match self {
            Value::Bool(_) => None,
            Value::Int(number) => Some(Rational::from(*number)),
            Value::Real(number) => Some(number.clone()),
        }
    }

    /// How a state stores it: Booleans are 0 and 1.
    pub fn stored(&self) -> Option<i64> {
        match self {
            Value::Bool(truth) => Some(i64::from(*truth)),
            Value::Int(number) => Some(*number),
            Value::Real(_) => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Real(number) => write!(f, "{number}"),
        }
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// Negation of a truth value.
    Not,
    /// Minus.
    Neg,
    /// The largest integer not above.
    Floor,
    /// The smallest integer not below.
    Ceil,
    /// The nearest integer; halves go up.
    Round,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    And,
    Or,
    Implies,
    Iff,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    /// Always a real number.
    Div,
    /// Never negative.
    Mod,
    Pow,
    /// Logarithm of the first to the base of the second, rounded to a double.
    Log,
    Min,
    Max,
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A constant.
    Value(Value),
    /// The value of a variable.
    Var(VarId),
    /// An operator with one operand.
    Unary(UnaryOp, Arc<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Arc<Expr>, Arc<Expr>),
    /// The second if the first is true, else the third.
    If(Arc<Expr>, Arc<Expr>, Arc<Expr>),
}

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalError {
    /// A number does not fit into 64 bits.
    #[error("integer overflow")]
    Overflow,
    /// Division by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The divisor of `mod` is not positive.
    #[error("mod by {0}, which is not positive")]
    Modulus(i64),
    /// A power of a whole number that is none.
    #[error("a whole number to the power of a negative exponent: write 2.0 for 2")]
    NegativeExponent,
    /// A power or logarithm without a value.
    #[error("{0} has no value here")]
    NoValue(&'static str),
    /// A truth value where a number is needed, or the other way round.
    #[error("a value of the wrong type")]
    Type,
}

impl From<bool> for Expr {
    fn from(truth: bool) -> Expr {
        Expr::Value(Value::Bool(truth))
    }
}

impl From<i64> for Expr {
    fn from(number: i64) -> Expr {
        Expr::Value(Value::Int(number))
    }
}

impl From<Rational> for Expr {
    fn from(number: Rational) -> Expr {
        Expr::Value(Value::Real(number))
    }
}

impl Expr {
    /// The constant true.
    pub fn truth() -> Expr {
        Expr::from(true)
    }

    /// An operator applied; constants are folded, and `and`/`or` with constants disappear.
    pub fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
        match (op, &left, &right) {
            (BinaryOp::And, Expr::Value(Value::Bool(true)), _)
            | (BinaryOp::Or, Expr::Value(Value::Bool(false)), _) => {
                return right;
            }
            (BinaryOp::And, _, Expr::Value(Value::Bool(true)))
            | (BinaryOp::Or, _, Expr::Value(Value::Bool(false))) => {
                return left;
            }
            (BinaryOp::And, Expr::Value(Value::Bool(false)), _) => return Expr::from(false),
            (BinaryOp::Or, Expr::Value(Value::Bool(true)), _) => return Expr::from(true),
            (_, Expr::Value(a), Expr::Value(b)) => {
                if let Ok(value) = apply_binary(op, a, b) {
                    return Expr::Value(value);
                }
            }
            _ => {}
        }
        Expr::Binary(op, Arc::new(left), Arc::new(right))
    }

    /// An operator applied; constants are folded.
    pub fn unary(op: UnaryOp, operand: Expr) -> Expr {
        if let Expr::Value(value) = &operand
            && let Ok(value) = apply_unary(op, value)
        {
            return Expr::Value(value);
        }
        Expr::Unary(op, Arc::new(operand))
    }

    /// A choice; a constant condition is decided.
    pub fn choose(condition: Expr, yes: Expr, no: Expr) -> Expr {
        match condition {
            Expr::Value(Value::Bool(true)) => yes,
            Expr::Value(Value::Bool(false)) => no,
            condition => Expr::If(Arc::new(condition), Arc::new(yes), Arc::new(no)),
        }
    }

    /// The conjunction.
    pub fn and(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::And, self, other)
    }

    /// The disjunction.
    pub fn or(self, other: Expr) -> Expr {
        Expr::binary(BinaryOp::Or, self, other)
    }

    /// The negation.
    pub fn negated(self) -> Expr {
        Expr::unary(UnaryOp::Not, self)
    }

    /// The value, if it is a constant.
    pub fn constant(&self) -> Option<&Value> {
        match self {
            Expr::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Its sort, where `sort_of` gives that of variables; a mixture of integers and reals is real.
    pub fn sort(&self, sort_of: &dyn Fn(VarId) -> Sort) -> Result<Sort, EvalError> {
        use BinaryOp::*;
        let number = |sort: Sort| match sort {
            Sort::Bool => Err(EvalError::Type),
            other => Ok(other),
        };
        Ok(match self {
            Expr::Value(value) => value.sort(),
            Expr::Var(var) => sort_of(*var),
            Expr::Unary(UnaryOp::Not, operand) => match operand.sort(sort_of)? {
                Sort::Bool => Sort::Bool,
                _ => return Err(EvalError::Type),
            },
            Expr::Unary(UnaryOp::Neg, operand) => number(operand.sort(sort_of)?)?,
            Expr::Unary(_, operand) => {
                number(operand.sort(sort_of)?)?;
                Sort::Int
            }
            Expr::Binary(op, left, right) => {
                let (left, right) = (left.sort(sort_of)?, right.sort(sort_of)?);
                match op {
                    And | Or | Implies | Iff => match (left, right) {
                        (Sort::Bool, Sort::Bool) => Sort::Bool,
                        _ => return Err(EvalError::Type),
                    },
                    Eq | Ne if left == Sort::Bool && right == Sort::Bool => Sort::Bool,
                    Eq | Ne | Lt | Le | Gt | Ge => {
                        number(left)?;
                        number(right)?;
                        Sort::Bool
                    }
                    Add | Sub | Mul | Min | Max | Pow => {
                        if number(left)? == Sort::Int && number(right)? == Sort::Int {
                            Sort::Int
                        } else {
                            Sort::Real
                        }
                    }
                    Mod => {
                        if left != Sort::Int || right != Sort::Int {
                            return Err(EvalError::Type);
                        }
                        Sort::Int
                    }
                    Div | Log => {
                        number(left)?;
                        number(right)?;
                        Sort::Real
                    }
                }
            }
            Expr::If(condition, yes, no) => {
                if condition.sort(sort_of)? != Sort::Bool {
                    return Err(EvalError::Type);
                }
                match (yes.sort(sort_of)?, no.sort(sort_of)?) {
                    (a, b) if a == b => a,
                    (Sort::Bool, _) | (_, Sort::Bool) => return Err(EvalError::Type),
                    _ => Sort::Real,
                }
            }
        })
    }

    /// The value in a state; `sort_of` tells Booleans from integers.
    pub fn eval(&self, state: &[i64], sort_of: &dyn Fn(VarId) -> Sort) -> Result<Value, EvalError> {
        Ok(match self {
            Expr::Value(value) => value.clone(),
            Expr::Var(var) => match sort_of(*var) {
                Sort::Bool => Value::Bool(state[var.index()] != 0),
                _ => Value::Int(state[var.index()]),
            },
            Expr::Unary(op, operand) => apply_unary(*op, &operand.eval(state, sort_of)?)?,
            Expr::Binary(op, left, right) => {
                let left = left.eval(state, sort_of)?;
                match (op, left.truth()) {
                    (BinaryOp::And, Some(false)) => return Ok(Value::Bool(false)),
                    (BinaryOp::Or | BinaryOp::Implies, Some(truth)) if truth == (*op == BinaryOp::Or) => {
                        return Ok(Value::Bool(true));
                    }
                    _ => {}
                }
                apply_binary(*op, &left, &right.eval(state, sort_of)?)?
            }
            Expr::If(condition, yes, no) => {
                let chosen = match condition.eval(state, sort_of)?.truth().ok_or(EvalError::Type)? {
                    true => yes,
                    false => no,
                };
                chosen.eval(state, sort_of)?
            }
        })
    }

    /// The truth value in a state: what [`Expr::eval`] says, without making values of comparisons between integers.
    pub fn holds(&self, state: &[i64], sort_of: &dyn Fn(VarId) -> Sort) -> Result<bool, EvalError> {
        let whole = |expr: &Expr| match expr {
            Expr::Value(Value::Int(number)) => Some(*number),
            Expr::Var(var) if sort_of(*var) == Sort::Int => Some(state[var.index()]),
            _ => None,
        };
        if let Expr::Binary(op, left, right) = self {
            match op {
                BinaryOp::And => return Ok(left.holds(state, sort_of)? && right.holds(state, sort_of)?),
                BinaryOp::Or => return Ok(left.holds(state, sort_of)? || right.holds(state, sort_of)?),
                _ => {}
            }
            if let (Some(left), Some(right)) = (whole(left), whole(right)) {
                match op {
                    BinaryOp::Eq => return Ok(left == right),
                    BinaryOp::Ne => return Ok(left != right),
                    BinaryOp::Lt => return Ok(left < right),
                    BinaryOp::Le => return Ok(left <= right),
                    BinaryOp::Gt => return Ok(left > right),
                    BinaryOp::Ge => return Ok(left >= right),
                    _ => {}
                }
            }
        }
        self.eval(state, sort_of)?.truth().ok_or(EvalError::Type)
    }

    /// Calls `visit` for every variable, as often as it occurs.
    pub fn for_each_variable(&self, visit: &mut dyn FnMut(VarId)) {
        match self {
            Expr::Value(_) => {}
            Expr::Var(var) => visit(*var),
            Expr::Unary(_, operand) => operand.for_each_variable(visit),
            Expr::Binary(_, left, right) => {
                left.for_each_variable(visit);
                right.for_each_variable(visit);
            }
            Expr::If(condition, yes, no) => {
                condition.for_each_variable(visit);
                yes.for_each_variable(visit);
                no.for_each_variable(visit);
            }
        }
    }

    /// The same with variables replaced.
    pub fn substitute(&self, replace: &dyn Fn(VarId) -> Option<Expr>) -> Expr {
        match self {
            Expr::Value(_) => self.clone(),
            Expr::Var(var) => replace(*var).unwrap_or_else(|| self.clone()),
            Expr::Unary(op, operand) => Expr::unary(*op, operand.substitute(replace)),
            Expr::Binary(op, left, right) => {
                Expr::binary(*op, left.substitute(replace), right.substitute(replace))
            }
            Expr::If(condition, yes, no) => Expr::choose(
                condition.substitute(replace),
                yes.substitute(replace),
                no.substitute(replace),
            ),
        }
    }

    /// Whether some value of it is rounded to a double, so that exact answers are exact only for the rounded number.
    pub fn is_rounded(&self) -> bool {
        match self {
            Expr::Value(_) | Expr::Var(_) => false,
            Expr::Unary(_, operand) => operand.is_rounded(),
            Expr::Binary(BinaryOp::Log, ..) => true,
            Expr::Binary(_, left, right) => left.is_rounded() || right.is_rounded(),
            Expr::If(condition, yes, no) => condition.is_rounded() || yes.is_rounded() || no.is_rounded(),
        }
    }
}

/// The value of an operator with one operand.
pub(crate) fn apply_unary(op: UnaryOp, value: &Value) -> Result<Value, EvalError> {
    let whole = |number: Result<i64, ()>| number.map(Value::Int).map_err(|()| EvalError::Overflow);
    match (op, value) {
        (UnaryOp::Not, Value::Bool(truth)) => Ok(Value::Bool(!truth)),
        (UnaryOp::Neg, Value::Int(number)) => number.checked_neg().map(Value::Int).ok_or(EvalError::Overflow),
        (UnaryOp::Neg, Value::Real(number)) => Ok(Value::Real(-number.clone())),
        (UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round, Value::Int(number)) => Ok(Value::Int(*number)),
        (UnaryOp::Floor, Value::Real(number)) => whole(i64::try_from(number.floor()).map_err(|_| ())),
        (UnaryOp::Ceil, Value::Real(number)) => whole(i64::try_from(number.ceil()).map_err(|_| ())),
        (UnaryOp::Round, Value::Real(number)) => {
            let half = Rational::ONE / Rational::from(2u8);
            whole(i64::try_from((number + half).floor()).map_err(|_| ()))
        }
        _ => Err(EvalError::Type),
    }
}

/// The value of an operator with two operands.
pub(crate) fn apply_binary(op: BinaryOp, left: &Value, right: &Value) -> Result<Value, EvalError> {
    use BinaryOp::*;
    if let (Value::Bool(a), Value::Bool(b)) = (left, right) {
        return Ok(Value::Bool(match op {
            And => *a && *b,
            Or => *a || *b,
            Implies => !*a || *b,
            Iff | Eq => a == b,
            Ne => a != b,
            _ => return Err(EvalError::Type),
        }));
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let (a, b) = (*a, *b);
        let whole = |number: Option<i64>| number.map(Value::Int).ok_or(EvalError::Overflow);
        match op {
            Eq => return Ok(Value::Bool(a == b)),
            Ne => return Ok(Value::Bool(a != b)),
            Lt => return Ok(Value::Bool(a < b)),
            Le => return Ok(Value::Bool(a <= b)),
            Gt => return Ok(Value::Bool(a > b)),
            Ge => return Ok(Value::Bool(a >= b)),
            Add => return whole(a.checked_add(b)),
            Sub => return whole(a.checked_sub(b)),
            Mul => return whole(a.checked_mul(b)),
            Min => return Ok(Value::Int(a.min(b))),
            Max => return Ok(Value::Int(a.max(b))),
            Mod if b <= 0 => return Err(EvalError::Modulus(b)),
            Mod => return Ok(Value::Int(a.rem_euclid(b))),
            // Whole numbers have whole powers.
            Pow if b < 0 => return Err(EvalError::NegativeExponent),
            Pow => return whole(u32::try_from(b).ok().and_then(|b| a.checked_pow(b))),
            _ => {}
        }
    }
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        return Err(EvalError::Type);
    };
    let real = |number: Rational| Ok(Value::Real(number));
    match op {
        Eq => Ok(Value::Bool(a == b)),
        Ne => Ok(Value::Bool(a != b)),
        Lt => Ok(Value::Bool(a < b)),
        Le => Ok(Value::Bool(a <= b)),
        Gt => Ok(Value::Bool(a > b)),
        Ge => Ok(Value::Bool(a >= b)),
        Add => real(a + b),
        Sub => real(a - b),
        Mul => real(a * b),
        Div if b.is_zero() => Err(EvalError::DivisionByZero),
        Div => real(a / b),
        Min => real(a.min(b)),
        Max => real(a.max(b)),
        Pow => power(a, b),
        Log => {
            let value = to_float(&a).ln() / to_float(&b).ln();
            from_float(value)
                .map(Value::Real)
                .ok_or(EvalError::NoValue("the logarithm"))
        }
        And | Or | Implies | Iff | Mod => Err(EvalError::Type),
    }
}

/// Powers are exact for whole exponents of reasonable size, otherwise rounded to a double.
fn power(base: Rational, exponent: Rational) -> Result<Value, EvalError> {
    const LARGEST: i64 = 100_000;
    match i64::try_from(exponent.clone()) {
        Ok(whole) if whole.abs() <= LARGEST => {
            if base.is_zero() && whole < 0 {
                return Err(EvalError::DivisionByZero);
            }
            Ok(Value::Real(base.pow(whole as isize)))
        }
        _ => {
            let value = to_float(&base).powf(to_float(&exponent));
            from_float(value)
                .map(Value::Real)
                .ok_or(EvalError::NoValue("the power"))
        }
    }
}
