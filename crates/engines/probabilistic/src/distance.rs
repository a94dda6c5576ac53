//! How near a state is to a condition: what importance splitting climbs.
//!
//! The distance to an equation or inequality is the difference of its sides; to a conjunction it is the sum of the distances, to a disjunction the least of them, and to anything else
//! one or nothing (as in the robustness of Fainekos and Pappas 2009, with sums, because each step counts). Nearness is minus the distance. It guides only: whatever it is, estimates are
//! right on the average, and a bad one costs time.

use crate::check::Trouble;
use entail_markov::interpreter;
use entail_markov::{BinaryOp, Expr, Network, Property, UnaryOp, to_float};
use entail_source::Span;

/// How nearness is measured.
pub(crate) struct Nearness<'n> {
    network: &'n Network,
    goal: &'n Property,
    importance: Option<&'n Expr>,
}

impl<'n> Nearness<'n> {
    /// To the goal, or what an expression says.
    pub fn new(network: &'n Network, goal: &'n Property, importance: Option<&'n Expr>) -> Nearness<'n> {
        Nearness {
            network,
            goal,
            importance,
        }
    }

    /// That of a state.
    pub fn of(&self, state: &[i64]) -> Result<f64, Trouble> {
        if let Some(importance) = self.importance {
            return number(self.network, importance, state);
        }
        match self.goal {
            Property::Expr(goal) => Ok(-distance(self.network, goal, state, true)?),
            _ => Ok(0.0),
        }
    }
}

fn number(network: &Network, expr: &Expr, state: &[i64]) -> Result<f64, Trouble> {
    let value = interpreter::number(network, expr, state, Span::new(0, 0))?;
    Ok(to_float(&value))
}

/// How far a state is from satisfying a condition, or from violating it.
fn distance(network: &Network, condition: &Expr, state: &[i64], wanted: bool) -> Result<f64, Trouble> {
    let both = |left: &Expr, right: &Expr, (first, second): (bool, bool), all: bool| {
        let left = distance(network, left, state, first)?;
        let right = distance(network, right, state, second)?;
        Ok::<f64, Trouble>(if all { left + right } else { left.min(right) })
    };
    let truth = || -> Result<f64, Trouble> {
        let truth = interpreter::truth(network, condition, state, Span::new(0, 0))?;
        Ok(if truth == wanted { 0.0 } else { 1.0 })
    };
    match condition {
        Expr::Unary(UnaryOp::Not, operand) => distance(network, operand, state, !wanted),
        Expr::Binary(BinaryOp::And, left, right) => both(left, right, (wanted, wanted), wanted),
        Expr::Binary(BinaryOp::Or, left, right) => both(left, right, (wanted, wanted), !wanted),
        Expr::Binary(BinaryOp::Implies, left, right) => both(left, right, (!wanted, wanted), !wanted),
        Expr::Binary(op, left, right) => {
            let (low, high, strict) = match (op, wanted) {
                (BinaryOp::Le, true) | (BinaryOp::Gt, false) => (left, right, false),
                (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => (left, right, true),
                (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => (right, left, false),
                (BinaryOp::Gt, true) | (BinaryOp::Le, false) => (right, left, true),
                (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                    // Truth values are equal or not.
                    let (Ok(left), Ok(right)) = (number(network, left, state), number(network, right, state))
                    else {
                        return truth();
                    };
                    return Ok((left - right).abs());
                }
                _ => return truth(),
            };
            let excess = number(network, low, state)? - number(network, high, state)?;
            Ok(match strict {
                // A whole number more, where the sides are equal.
                true if excess >= 0.0 => excess + 1.0,
                true => 0.0,
                false => excess.max(0.0),
            })
        }
        _ => truth(),
    }
}
