//! Mu-calculus formulas from text.
//!
//! ```text
//! tt  ff  p  "any name"  !f  f & g  f | g  <a>f  [a]f  <>f  []f  mu X. f  nu X. f  (f)
//! ```
//!
//! Between the brackets of a modality stands a program of propositional dynamic logic: `a`, `true` (any action), `false` (none), `!a`, `a|b` (also `a+b`, `a,b`), `P;Q` (also `P.Q`), `P*`, `?p`
//! and `?(f)`, `(P)`; `*` binds tightest, then `;`. Steps that are chosen between are one set of actions.
//!
//! `!` and modalities bind tightest, then `&`, then `|`; `mu` and `nu` reach as far right as they can. A name is a variable
//! where a binder of that name is around it, and an atom otherwise. Negation is pushed to the atoms while reading: the parser
//! knows under how many negations it is and builds the dual where that is odd. A variable must be under an even number of
//! negations within its binder, or the fixpoint might not exist. Full stops belong to the binders; an atom with a full stop
//! in its name is written in quotes.

use super::print::KEYWORDS;
use super::program::Program;
use super::{Action, Actions, Fixpoint, Modality, Mu, MuNode, MuVar};
use crate::MAX_NESTING;
use crate::nesting::deep;
use crate::token::{Names, Token, tokenize};
use entail_source::{Diagnostic, Diagnostics, Span};
use hashbrown::HashSet;

/// Reads a formula without free variables over named atoms.
pub fn parse_mu(text: &str) -> Result<Mu<String>, Diagnostics> {
    parse_text(text).map_err(|problems| problems.within(text))
}

fn parse_text(text: &str) -> Result<Mu<String>, Diagnostics> {
    let tokens = tokenize(text, Names::Plain);
    let words = tokens.iter().filter_map(|(token, _)| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    });
    let mut parser = Parser {
        words: words.collect(),
        fresh: 0,
        tokens,
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
    /// The words of the text, which new variables are not named after.
    words: HashSet<&'t str>,
    /// How many new variables there are.
    fresh: usize,
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
        let program = match closing {
            None => Program::Step(Actions::any()),
            Some(closing) => {
                // `[?g] f` is `!g | f`: what is tested in a box is negated once more.
                let outside = self.positive;
                self.positive = outside == (modality == Modality::Some);
                let program = self.program();
                self.positive = outside;
                let program = program?;
                self.expect(closing)?;
                program
            }
        };
        let operand = self.prefix()?;
        let modality = if self.positive { modality } else { modality.dual() };
        let (words, fresh) = (&self.words, &mut self.fresh);
        Ok(program.modality(modality, operand, &mut || {
            loop {
                *fresh += 1;
                let name = format!("Z{fresh}");
                if !words.contains(name.as_str()) {
                    return MuVar::new(name);
                }
            }
        }))
    }

    /// Programs to choose from.
    fn program(&mut self) -> Parse<Program> {
        self.nested(|parser| {
            let mut parts = vec![parser.sequence()?];
            while parser.eat(&["|", "||", "+", ","]) {
                parts.push(parser.sequence()?);
            }
            Ok(Program::choice(parts))
        })
    }

    fn sequence(&mut self) -> Parse<Program> {
        let mut parts = vec![self.repetition()?];
        while self.eat(&[";", "."]) {
            parts.push(self.repetition()?);
        }
        Ok(match parts.len() {
            1 => parts.remove(0),
            _ => Program::Sequence(parts),
        })
    }

    fn repetition(&mut self) -> Parse<Program> {
        let mut program = self.simple_program()?;
        while self.eat(&["*"]) {
            // A repetition of a repetition is the same.
            if !matches!(program, Program::Star(_)) {
                program = Program::Star(Box::new(program));
            }
        }
        Ok(program)
    }

    fn simple_program(&mut self) -> Parse<Program> {
        let from = self.span();
        let actions = match self.token() {
            Token::Word("true" | "TRUE" | "tt") => Actions::any(),
            Token::Word("false" | "FALSE" | "ff") => Actions::of([]),
            Token::Word(name) | Token::Quoted(name) => Actions::one(Action::from(name)),
            Token::Symbol("(") => {
                self.advance();
                let program = self.program()?;
                self.expect(")")?;
                return Ok(program);
            }
            Token::Symbol("?") => {
                self.advance();
                return Ok(Program::Test(self.prefix()?));
            }
            Token::Symbol("!") => {
                self.advance();
                return match self.nested(Parser::simple_program)? {
                    Program::Step(actions) => Ok(Program::Step(actions.complement())),
                    _ => Err(Diagnostic::error(
                        "mu::complement",
                        "only sets of actions have a complement",
                        from,
                        "negated here",
                    )
                    .with_help("write the actions that are left out: `!a`, or `!(a|b)`")),
                };
            }
            _ => return Err(self.expected("an action or a program")),
        };
        self.advance();
        Ok(Program::Step(actions))
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
            ("<a+b,c>p", "<a|b|c>p"),
            ("[!a]p & <!(a|b)>q", "[!a]p & <!(a|b)>q"),
            ("<!a|a>p", "<>p"),
            ("<true>p | [!true]q", "<>p | [false]q"),
            ("<a;b>p", "<a><b>p"),
            ("<a*>p", "mu Z1. p | <a>Z1"),
            ("[(a;b)*]Z1", "nu Z2. Z1 & [a][b]Z2"),
            ("!<a*>p", "nu Z1. !p & [a]Z1"),
            ("<?p;a>q", "p & <a>q"),
            ("[?p]q", "!p | q"),
            ("![?(p & q)]r", "p & q & !r"),
            ("<(a*|b)*>p", "mu Z1. p | <b>Z1 | (mu Z2. Z1 | <a>Z2)"),
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
            ("mu X. [?X]p", "mu::negative-variable"),
            ("<!(a;b)>p", "mu::complement"),
            ("<a;>p", "mu::syntax"),
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
