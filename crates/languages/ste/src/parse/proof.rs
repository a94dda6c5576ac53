//! How an assertion is to be proved: `by PROOF` or `by index R` behind it.
//!
//! A proof is the name of an earlier assertion, a rule with proofs in brackets, or a statement of its own, `(A => C by PROOF)`.

use super::{Parsed, Parser};
use crate::syntax::{MethodText, ProofText, StatementText};

/// The rules that take any number of proofs.
const LISTS: [&str; 3] = ["conjunction", "cases", "transitivity"];

impl Parser<'_> {
    /// What follows `by`, if it is there.
    pub(super) fn method(&mut self) -> Parsed<MethodText> {
        if !self.take_word("by") {
            return Ok(MethodText::Simulation);
        }
        if self.take_word("index") {
            return Ok(MethodText::Index(self.expression()?));
        }
        Ok(MethodText::Rules(self.proof()?))
    }

    fn proof(&mut self) -> Parsed<ProofText> {
        self.nested(|parser| {
            parser.count()?;
            if parser.take_mark("(") {
                let stated = parser.stated()?;
                parser.mark(")")?;
                return Ok(stated);
            }
            let (word, span) = parser.name("a rule, or the name of an assertion")?;
            if !parser.is_rule(&word) {
                return Ok(ProofText::Premise(word, span));
            }
            let steps = match word.as_str() {
                // (Not any expression: the bracket after it is no part of it.)
                "shift" => Some(parser.primary()?),
                _ => None,
            };
            let mut substituted = Vec::new();
            if word == "substitution" {
                loop {
                    let (name, place) = parser.name("the name of a variable")?;
                    parser.mark("=")?;
                    substituted.push((name, place, parser.expression()?));
                    if !parser.take_mark(",") {
                        break;
                    }
                }
                parser.word("in")?;
            }
            parser.mark("(")?;
            if word == "reflexivity" {
                let formula = parser.formula()?;
                parser.mark(")")?;
                return Ok(ProofText::Reflexivity(formula));
            }
            let mut parts = vec![parser.proof()?];
            while LISTS.contains(&word.as_str()) && parser.take_mark(",") {
                parts.push(parser.proof()?);
            }
            parser.mark(")")?;
            Ok(match (LISTS.iter().find(|rule| **rule == word), steps) {
                (Some(rule), _) => ProofText::List(rule, parts),
                (None, steps) => {
                    let inner = Box::new(parts.swap_remove(0));
                    match steps {
                        Some(steps) => ProofText::Shift(steps, inner),
                        None => ProofText::Substitution(substituted, inner),
                    }
                }
            })
        })
    }

    /// Whether a word is a rule here: an assertion may be called like one, but no bracket follows it then.
    fn is_rule(&self, word: &str) -> bool {
        match word {
            "shift" => !self.is_mark(",") && !self.is_mark(")") && !self.is_mark(";"),
            "substitution" => matches!(self.peek(), Some(crate::lexer::Token::Name(_))),
            "reflexivity" => self.is_mark("("),
            _ => LISTS.contains(&word) && self.is_mark("("),
        }
    }

    /// `P |= A => C by PROOF`, within brackets.
    fn stated(&mut self) -> Parsed<ProofText> {
        let (assumption, antecedent, consequent) = self.sides()?;
        self.word("by")?;
        let statement = StatementText {
            assumption,
            antecedent,
            consequent,
        };
        Ok(ProofText::Consequence(
            Box::new(statement),
            Box::new(self.proof()?),
        ))
    }
}
