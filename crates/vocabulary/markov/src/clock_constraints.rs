//! What conditions say about clocks: comparisons of one clock, or of the difference of two, with a number that no clock decides.
//!
//! A condition is a Boolean combination of expressions without clocks and of such comparisons. `comparison` reads one comparison, whichever side its terms stand on; [`split`] takes a condition apart one
//! level deep, so that who translates conditions (into regions, into zones) says for each kind of part what becomes of it. [`reach`] says which whole numbers comparisons can mention.

use crate::digital_clocks::whole_values;
use crate::expr::{BinaryOp, Expr, UnaryOp, Value, VarId};
use crate::interpreter::SemanticError;
use crate::network::Network;
use entail_source::Span;
use std::sync::Arc;

/// A comparison of `plus − minus`, each a clock or nothing (zero), with a number; at least one is a clock, and they are different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockComparison {
    /// The clock that counts positively.
    pub plus: Option<VarId>,
    /// The clock that is subtracted.
    pub minus: Option<VarId>,
    /// One of `<`, `<=`, `>`, `>=`, `=`, `!=`.
    pub op: BinaryOp,
    /// The number; no clock decides it.
    pub bound: Expr,
}

/// One level of a condition.
#[derive(Clone, Debug)]
pub enum Condition<'e> {
    /// An expression without clocks.
    Plain(&'e Expr),
    /// A comparison.
    Compare(ClockComparison),
    /// A negation.
    Not(&'e Expr),
    /// `and`, `or`, `implies`, `iff` (also `=` and `!=` of truth values).
    Both(BinaryOp, &'e Expr, &'e Expr),
    /// The second if the first, otherwise the third.
    If(&'e Expr, &'e Expr, &'e Expr),
}

/// Whether an expression looks at clocks.
pub fn looks_at_clocks(expr: &Expr, clocks: &[VarId]) -> bool {
    let mut found = false;
    expr.for_each_variable(&mut |var| found |= clocks.contains(&var));
    found
}

fn refused(what: &str, place: Span) -> SemanticError {
    let mut error = SemanticError::new(format!("{what} are not supported"), place, None);
    error.help = Some("compare a clock, or the difference of two clocks, with an integer".to_owned());
    error
}

/// One level of a condition over clocks and other variables of a network.
pub fn split<'e>(
    network: &Network,
    expr: &'e Expr,
    clocks: &[VarId],
    place: Span,
) -> Result<Condition<'e>, SemanticError> {
    use BinaryOp::*;
    if !looks_at_clocks(expr, clocks) {
        return Ok(Condition::Plain(expr));
    }
    match expr {
        Expr::Unary(UnaryOp::Not, operand) => Ok(Condition::Not(operand)),
        Expr::Binary(op @ (And | Or | Implies | Iff), left, right) => Ok(Condition::Both(*op, left, right)),
        Expr::If(condition, yes, no) => Ok(Condition::If(condition, yes, no)),
        Expr::Binary(op @ (Lt | Le | Gt | Ge | Eq | Ne), left, right) => {
            let truth = |side: &Arc<Expr>| network.sort(side) == Ok(crate::Sort::Bool);
            if truth(left) && truth(right) {
                return match op {
                    Eq => Ok(Condition::Both(Iff, left, right)),
                    _ => Err(refused(
                        "comparisons of truth values that depend on clocks",
                        place,
                    )),
                };
            }
            comparison(*op, left, right, clocks, place).map(Condition::Compare)
        }
        _ => Err(refused("expressions with clocks other than comparisons", place)),
    }
}

/// A sum of clocks and a rest.
#[derive(Default)]
struct Sum {
    clocks: Vec<(VarId, i64)>,
    rest: Option<Expr>,
}

impl Sum {
    fn add(&mut self, expr: &Expr, sign: i64, clocks: &[VarId], place: Span) -> Result<(), SemanticError> {
        match expr {
            other if !looks_at_clocks(other, clocks) => {
                let zero = Expr::from(0);
                let op = if sign > 0 { BinaryOp::Add } else { BinaryOp::Sub };
                self.rest = Some(match self.rest.take() {
                    None if sign > 0 => other.clone(),
                    None => Expr::binary(op, zero, other.clone()),
                    Some(rest) => Expr::binary(op, rest, other.clone()),
                });
                Ok(())
            }
            Expr::Var(clock) => {
                match self.clocks.iter_mut().find(|(known, _)| known == clock) {
                    Some((_, count)) => *count += sign,
                    None => self.clocks.push((*clock, sign)),
                }
                Ok(())
            }
            Expr::Unary(UnaryOp::Neg, operand) => self.add(operand, -sign, clocks, place),
            Expr::Binary(BinaryOp::Add, left, right) => {
                self.add(left, sign, clocks, place)?;
                self.add(right, sign, clocks, place)
            }
            Expr::Binary(BinaryOp::Sub, left, right) => {
                self.add(left, sign, clocks, place)?;
                self.add(right, -sign, clocks, place)
            }
            _ => Err(refused("sums and products of clocks", place)),
        }
    }
}

/// A comparison whose sides mention clocks.
fn comparison(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    clocks: &[VarId],
    place: Span,
) -> Result<ClockComparison, SemanticError> {
    // left − right, all clocks on one side, the rest on the other.
    let mut sum = Sum::default();
    sum.add(left, 1, clocks, place)?;
    sum.add(right, -1, clocks, place)?;
    let rest = sum.rest.unwrap_or_else(|| Expr::from(0));
    let bound = Expr::unary(UnaryOp::Neg, rest);
    sum.clocks.retain(|(_, count)| *count != 0);
    let (plus, minus) = match sum.clocks[..] {
        [(clock, 1)] => (Some(clock), None),
        [(clock, -1)] => (None, Some(clock)),
        [(one, 1), (other, -1)] | [(other, -1), (one, 1)] => (Some(one), Some(other)),
        _ => return Err(refused("sums of clocks", place)),
    };
    Ok(ClockComparison {
        plus,
        minus,
        op,
        bound,
    })
}

/// Around the whole numbers that the bound of a comparison can be.
pub fn reach(
    network: &Network,
    comparison: &ClockComparison,
    place: Span,
) -> Result<(i64, i64), SemanticError> {
    let values = whole_values(network, &comparison.bound);
    values
        .filter(|(low, high)| *low > -LARGEST && *high < LARGEST)
        .ok_or_else(|| {
            refused(
                "comparisons of clocks with values that may be fractional, or without a limit,",
                place,
            )
        })
}

/// Clocks are compared with smaller numbers.
pub const LARGEST: i64 = 1 << 24;

/// The value of a bound in a state.
pub fn bound_in(network: &Network, bound: &Expr, state: &[i64], place: Span) -> Result<i64, SemanticError> {
    let wrong = |message: String| SemanticError::new(message, place, network.show_state(state));
    let value = network
        .eval(bound, state)
        .map_err(|error| wrong(error.to_string()))?;
    let whole = match value {
        Value::Int(number) => Some(number),
        Value::Real(number) => i64::try_from(number).ok(),
        Value::Bool(_) => None,
    };
    whole.filter(|number| number.abs() < LARGEST).ok_or_else(|| {
        wrong("a clock is compared with a number that is no whole one, or too large".to_owned())
    })
}
