//! Mu-calculus formulas as text: modalities bind tightest, then `&`, then `|`; a fixpoint reaches as far right as it can and
//! is put in parentheses as an operand. Names are put in double quotes where the reader would take them for something else: what is not
//! one word, keywords, and atoms with the name of a variable that is bound where they stand.

use super::{Actions, Fixpoint, Modality, Mu, MuNode, MuVar};
use crate::nesting::deep;
use crate::token::{Names, Token, tokenize};
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
        print(self, Level::Fixpoint, &mut Vec::new(), f)
    }
}

/// Words that are no names.
pub(super) const KEYWORDS: [&str; 8] = ["mu", "nu", "tt", "ff", "TRUE", "FALSE", "true", "false"];

/// A name as the reader takes it for a name.
fn name(text: String, bound: &[&MuVar]) -> String {
    let is_word = matches!(
        tokenize(&text, Names::Plain).as_slice(),
        [(Token::Word(word), _), (Token::End, _)] if *word == text && !KEYWORDS.contains(word)
    );
    match is_word && bound.iter().all(|variable| variable.name() != text) {
        true => text,
        false => format!("\"{text}\""),
    }
}

/// A set of actions as it stands in a modality.
fn label(actions: &Actions) -> String {
    let names: Vec<String> = actions
        .names()
        .iter()
        .map(|one| name(one.to_string(), &[]))
        .collect();
    match (actions.is_complement(), names.as_slice()) {
        (true, []) => String::new(),
        (false, []) => "false".to_owned(),
        (false, names) => names.join("|"),
        (true, [one]) => format!("!{one}"),
        (true, names) => format!("!({})", names.join("|")),
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

fn print<'f, A: fmt::Display>(
    formula: &'f Mu<A>,
    needed: Level,
    bound: &mut Vec<&'f MuVar>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if level(formula) < needed {
        f.write_str("(")?;
        deep(|| print(formula, Level::Fixpoint, bound, f))?;
        return f.write_str(")");
    }
    let mut list = |operands: &'f [Mu<A>], symbol: &str, level: Level, f: &mut fmt::Formatter<'_>| {
        for (position, operand) in operands.iter().enumerate() {
            if position > 0 {
                f.write_str(symbol)?;
            }
            deep(|| print(operand, level, bound, f))?;
        }
        Ok(())
    };
    match formula.node() {
        MuNode::Constant(truth) => f.write_str(if *truth { "tt" } else { "ff" }),
        MuNode::Literal(atom, positive) => {
            let sign = if *positive { "" } else { "!" };
            write!(f, "{sign}{}", name(atom.to_string(), bound))
        }
        MuNode::Variable(variable) => write!(f, "{variable}"),
        MuNode::And(operands) => list(operands, " & ", Level::Prefix, f),
        MuNode::Or(operands) => list(operands, " | ", Level::And, f),
        MuNode::Modal(modality, actions, operand) => {
            let label = label(actions);
            match modality {
                Modality::Some => write!(f, "<{label}>")?,
                Modality::Every => write!(f, "[{label}]")?,
            }
            deep(|| print(operand, Level::Prefix, bound, f))
        }
        MuNode::Fixpoint(fixpoint, variable, body) => {
            let word = match fixpoint {
                Fixpoint::Least => "mu",
                Fixpoint::Greatest => "nu",
            };
            write!(f, "{word} {variable}. ")?;
            bound.push(variable);
            let printed = deep(|| print(body, Level::Fixpoint, bound, f));
            bound.pop();
            printed
        }
    }
}
