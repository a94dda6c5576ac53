//! Mu-calculus formulas from text.
//!
//! ```text
//! tt  ff  p  "any name"  !f  f & g  f | g  <a>f  [a]f  <>f  []f  mu X. f  nu X. f  (f)
//! ```
//!
//! `!` and modalities bind tightest, then `&`, then `|`; `mu` and `nu` reach as far right as they can. A name is a variable
//! where a binder of that name is around it, and an atom otherwise. Negation is pushed to the atoms while reading: the parser
//! knows under how many negations it is and builds the dual where that is odd. A variable must be under an even number of
//! negations within its binder, or the fixpoint might not exist. Full stops belong to the binders; an atom with a full stop
//! in its name is written in quotes.

use super::print::KEYWORDS;
use super::{Fixpoint, Modality, Mu, MuNode, MuVar};
use crate::MAX_NESTING;
use crate::nesting::deep;
use crate::token::{Names, Token, tokenize};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::sync::Arc;

/// Reads a formula without free variables over named atoms.
pub fn parse_mu(text: &str) -> Result<Mu<String>, Diagnostics> {
    parse_text(text).map_err(|problems| problems.within(text))
}

fn parse_text(text: &str) -> Result<Mu<String>, Diagnostics> {
    let mut parser = Parser {
        tokens: tokenize(text, Names::Plain),
        at: 0,
        nesting: 0,
        positive: true,
        bound: Vec::new(),
    };
    let formula = parser.disjunction()?;
    match parser.token() {
        Token::End => Ok(formula),
        _ => Err(parser.expected("`&`, `|` or the end").into()),
    }
}

type Parse<T> = Result<T, Diagnostic>;

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    nesting: usize,
    /// Whether the number of negations around this place is even.
    positive: bool,
    /// The binders around this place, innermost last, with the polarity of their place.
    bound: Vec<(&'t str, bool)>,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, symbols: &[&str]) -> bool {
        let found = matches!(self.token(), Token::Symbol(symbol) if symbols.contains(&symbol));
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &'static str) -> Parse<()> {
        if self.eat(&[symbol]) {
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}`")))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = match self.token() {
            Token::End => format!("expected {what}, found the end"),
            _ => format!("expected {what}"),
        };
        Diagnostic::error("mu::syntax", message, self.span(), format!("expected {what}"))
    }

    /// One level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            return Err(Diagnostic::error(
                "mu::nesting",
                format!("the formula nests too deeply: {MAX_NESTING} levels is the limit"),
                self.span(),
                "too deep here",
            ));
        }
        self.nesting += 1;
        let result = deep(|| parse(self));
        self.nesting -= 1;
        result
    }

    fn disjunction(&mut self) -> Parse<Mu<String>> {
        let mut operands = vec![self.conjunction()?];
        while self.eat(&["|", "||"]) {
            operands.push(self.conjunction()?);
        }
        Ok(if self.positive {
            Mu::or(operands)
        } else {
            Mu::and(operands)
        })
    }

    fn conjunction(&mut self) -> Parse<Mu<String>> {
        let mut operands = vec![self.prefix()?];
        while self.eat(&["&", "&&"]) {
            operands.push(self.prefix()?);
        }
        Ok(if self.positive {
            Mu::and(operands)
        } else {
            Mu::or(operands)
        })
    }

    fn prefix(&mut self) -> Parse<Mu<String>> {
        self.nested(|parser| match parser.token() {
            Token::Symbol("!") => {
                parser.advance();
                parser.positive = !parser.positive;
                let inner = parser.prefix();
                parser.positive = !parser.positive;
                inner
            }
            Token::Symbol("(") => {
                parser.advance();
                let inner = parser.disjunction()?;
                parser.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("<>") => parser.modality(Modality::Some, None),
            Token::Symbol("[]") => parser.modality(Modality::Every, None),
            Token::Symbol("<") => parser.modality(Modality::Some, Some(">")),
            Token::Symbol("[") => parser.modality(Modality::Every, Some("]")),
            Token::Quoted(name) => {
                parser.advance();
                Ok(parser.literal(name))
            }
            Token::Word("mu") => parser.fixpoint(Fixpoint::Least),
            Token::Word("nu") => parser.fixpoint(Fixpoint::Greatest),
            Token::Word("tt" | "TRUE" | "true") => {
                parser.advance();
                Ok(Mu::constant(parser.positive))
            }
            Token::Word("ff" | "FALSE" | "false") => {
                parser.advance();
                Ok(Mu::constant(!parser.positive))
            }
            Token::Word(name) => parser.name(name),
            _ => Err(parser.expected("a formula")),
        })
    }

    fn literal(&self, name: &str) -> Mu<String> {
        MuNode::Literal(name.to_string(), self.positive).into()
    }

    fn name(&mut self, name: &'t str) -> Parse<Mu<String>> {
        let binder = self.bound.iter().rev().find(|(bound, _)| *bound == name);
        let result = match binder {
            None => Ok(self.literal(name)),
            Some((_, positive)) if *positive == self.positive => Ok(Mu::variable(&MuVar::new(name))),
            Some(_) => Err(Diagnostic::error(
                "mu::negative-variable",
                format!("the variable `{name}` is under an odd number of negations"),
                self.span(),
                "negated here",
            )
            .with_help("a fixpoint is only defined if its variable occurs positively")),
        };
        self.advance();
        result
    }

    fn modality(&mut self, modality: Modality, closing: Option<&'static str>) -> Parse<Mu<String>> {
        self.advance();
        let mut action = None;
        if let Some(closing) = closing {
            let (Token::Word(name) | Token::Quoted(name)) = self.token() else {
                return Err(self.expected("the name of an action"));
            };
            action = Some(Arc::from(name));
            self.advance();
            self.expect(closing)?;
        }
        let operand = self.prefix()?;
        let modality = if self.positive { modality } else { modality.dual() };
        Ok(MuNode::Modal(modality, action, operand).into())
    }

    fn fixpoint(&mut self, fixpoint: Fixpoint) -> Parse<Mu<String>> {
        self.advance();
        let name = match self.token() {
            Token::Word(name) if !KEYWORDS.contains(&name) => name,
            _ => return Err(self.expected("the name of a variable")),
        };
        self.advance();
        self.expect(".")?;
        self.bound.push((name, self.positive));
        let body = self.disjunction();
        self.bound.pop();
        let fixpoint = if self.positive { fixpoint } else { fixpoint.dual() };
        Ok(body?.fixpoint(fixpoint, &MuVar::new(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reprint(text: &str) -> String {
        parse_mu(text).expect(text).to_string()
    }

    #[test]
    fn fixpoints_reach_far_and_modalities_bind_tightest() {
        for (text, expected) in [
            ("mu X.p|<a>X", "mu X. p | <a>X"),
            ("nu Y.mu X.(p&<a>Y)|<a>X", "nu Y. mu X. p & <a>Y | <a>X"),
            ("p & mu X. q | <>X", "p & (mu X. q | <>X)"),
            ("[a](p1|(p2&p3))", "[a](p1 | p2 & p3)"),
            ("<a>mu X.(X&p)", "<a>(mu X. X & p)"),
            ("!(nu X.p&[a]X)", "mu X. !p | <a>X"),
            ("!!<a>tt", "<a>tt"),
            ("mu X. !(p & !<>X)", "mu X. !p | <>X"),
            ("<a>X", "<a>X"),
        ] {
            assert_eq!(reprint(text), expected, "{text}");
            assert_eq!(parse_mu(&reprint(text)), parse_mu(text), "{text}");
        }
    }

    #[test]
    fn negative_variables_and_broken_texts_are_errors() {
        for (text, code) in [
            ("mu X. !X", "mu::negative-variable"),
            ("!mu X. <>!X", "mu::negative-variable"),
            ("mu X", "mu::syntax"),
            ("<a p", "mu::syntax"),
            ("", "mu::syntax"),
            ("p q", "mu::syntax"),
        ] {
            assert_eq!(parse_mu(text).expect_err(text).0[0].code, code, "{text}");
        }
        let deep_text = "<>".repeat(100_000) + "p";
        assert_eq!(
            parse_mu(&deep_text).expect_err("too deep").0[0].code,
            "mu::nesting"
        );
    }
}
