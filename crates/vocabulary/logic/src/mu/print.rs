//! Mu-calculus formulas as text: modalities bind tightest, then `&`, then `|`; a fixpoint reaches as far right as it can and
//! is put in parentheses as an operand.

use super::{Fixpoint, Modality, Mu, MuNode};
use crate::nesting::deep;
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Fixpoint,
    Or,
    And,
    Prefix,
}

impl<A: fmt::Display> fmt::Display for Mu<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        print(self, Level::Fixpoint, f)
    }
}

fn level<A>(formula: &Mu<A>) -> Level {
    match formula.node() {
        MuNode::Fixpoint(..) => Level::Fixpoint,
        MuNode::Or(_) => Level::Or,
        MuNode::And(_) => Level::And,
        MuNode::Constant(_) | MuNode::Literal(..) | MuNode::Variable(_) | MuNode::Modal(..) => Level::Prefix,
    }
}

fn print<A: fmt::Display>(formula: &Mu<A>, needed: Level, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if level(formula) < needed {
        f.write_str("(")?;
        deep(|| print(formula, Level::Fixpoint, f))?;
        return f.write_str(")");
    }
    let list = |operands: &[Mu<A>], symbol: &str, level: Level, f: &mut fmt::Formatter<'_>| {
        for (position, operand) in operands.iter().enumerate() {
            if position > 0 {
                f.write_str(symbol)?;
            }
            deep(|| print(operand, level, f))?;
        }
        Ok(())
    };
    match formula.node() {
        MuNode::Constant(truth) => f.write_str(if *truth { "tt" } else { "ff" }),
        MuNode::Literal(atom, positive) => write!(f, "{}{atom}", if *positive { "" } else { "!" }),
        MuNode::Variable(variable) => write!(f, "{variable}"),
        MuNode::And(operands) => list(operands, " & ", Level::Prefix, f),
        MuNode::Or(operands) => list(operands, " | ", Level::And, f),
        MuNode::Modal(modality, action, operand) => {
            let label = action.as_deref().unwrap_or("");
            match modality {
                Modality::Some => write!(f, "<{label}>")?,
                Modality::Every => write!(f, "[{label}]")?,
            }
            deep(|| print(operand, Level::Prefix, f))
        }
        MuNode::Fixpoint(fixpoint, variable, body) => {
            let word = match fixpoint {
                Fixpoint::Least => "mu",
                Fixpoint::Greatest => "nu",
            };
            write!(f, "{word} {variable}. ")?;
            deep(|| print(body, Level::Fixpoint, f))
        }
    }
}
