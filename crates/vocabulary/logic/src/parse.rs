//! Formulas from text: CTL* with past and bounded operators over named atoms.
//!
//! The syntax is the one [`Formula`]'s `Display` writes, and SMV's: `G (p -> F q)`, `AG EF p`, `E [p U q]`,
//! `EBF 1..3 p`, `A [p BU 0..2 q]`, `F[1,3] p`, `p U[2,+oo) q`, `p S q`, `A (F G p | G F q)`. Precedence from loosest to
//! tightest: `->` (to the right), `<->`, `|` `xor` `xnor`, `&`, the binary temporal operators `U V W M S T` (`R` is `V`;
//! all group to the left, as in SMV), the unary ones and quantifiers, `!`. As in SMV, in `A [p U q]` the operands are
//! whole formulas in which `U` needs parentheses. Names that are keywords or not words can be put in double quotes.
//!
//! Precedence climbing over the tokens; every recursive step counts against [`MAX_NESTING`], and so does the depth of the
//! tree, so no text of any length can exhaust the stack here or in later passes.

use crate::nesting::deep;
use crate::token::{Names, Token, tokenize};
use crate::{Binary, Formula, Interval, Quantifier, Unary};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::borrow::Cow;

/// The deepest formula accepted.
pub const MAX_NESTING: usize = 2_000;

/// Reads a formula over named atoms.
pub fn parse(text: &str) -> Result<Formula<String>, Diagnostics> {
    parse_text(text).map_err(|problems| problems.within(text))
}

fn parse_text(text: &str) -> Result<Formula<String>, Diagnostics> {
    let mut parser = Parser {
        tokens: tokenize(text, Names::Dotted),
        at: 0,
        nesting: 0,
    };
    let parsed = parser.climb(Level::Implies, true)?;
    match parser.token() {
        Token::End => Ok(parsed.formula),
        _ => Err(parser.expected("an operator or the end").into()),
    }
}

/// A name as [`parse`] reads it back: in double quotes unless it is a plain word that is no keyword. (A name that contains a
/// double quote cannot be written.)
pub fn quoted(name: &str) -> Cow<'_, str> {
    match tokenize(name, Names::Dotted).as_slice() {
        [(Token::Word(word), _), (Token::End, _)] if *word == name && !is_keyword(word) => name.into(),
        _ => format!("\"{name}\"").into(),
    }
}

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Implies,
    Iff,
    Or,
    And,
    TemporalBinary,
    TemporalUnary,
}

impl Level {
    fn tighter(self) -> Level {
        match self {
            Level::Implies => Level::Iff,
            Level::Iff => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::TemporalBinary,
            Level::TemporalBinary | Level::TemporalUnary => Level::TemporalUnary,
        }
    }
}

const UNARY: [(&str, Unary); 7] = [
    ("X", Unary::Next),
    ("F", Unary::Finally),
    ("G", Unary::Globally),
    ("Y", Unary::Yesterday),
    ("Z", Unary::WeakYesterday),
    ("O", Unary::Once),
    ("H", Unary::Historically),
];

const BINARY: [(&str, Binary); 7] = [
    ("U", Binary::Until),
    ("V", Binary::Release),
    ("R", Binary::Release),
    ("W", Binary::WeakUntil),
    ("M", Binary::StrongRelease),
    ("S", Binary::Since),
    ("T", Binary::Triggered),
];

/// Quantifier and operator written as one word; `true` if bounds follow (`EBF 1..3 p`).
const FUSED: [(&str, Quantifier, Unary, bool); 10] = [
    ("AX", Quantifier::Forall, Unary::Next, false),
    ("AF", Quantifier::Forall, Unary::Finally, false),
    ("AG", Quantifier::Forall, Unary::Globally, false),
    ("EX", Quantifier::Exists, Unary::Next, false),
    ("EF", Quantifier::Exists, Unary::Finally, false),
    ("EG", Quantifier::Exists, Unary::Globally, false),
    ("ABF", Quantifier::Forall, Unary::Finally, true),
    ("ABG", Quantifier::Forall, Unary::Globally, true),
    ("EBF", Quantifier::Exists, Unary::Finally, true),
    ("EBG", Quantifier::Exists, Unary::Globally, true),
];

/// Words that are no names.
const OTHER_KEYWORDS: [&str; 9] = ["A", "E", "TRUE", "FALSE", "true", "false", "BU", "xor", "xnor"];

fn is_keyword(word: &str) -> bool {
    OTHER_KEYWORDS.contains(&word)
        || UNARY.iter().any(|(name, _)| *name == word)
        || BINARY.iter().any(|(name, _)| *name == word)
        || FUSED.iter().any(|(name, ..)| *name == word)
}

/// A formula with its depth.
struct Parsed {
    formula: Formula<String>,
    depth: usize,
}

type Parse<T> = Result<T, Diagnostic>;

enum Infix {
    Implies,
    Iff,
    Or,
    Xor,
    Xnor,
    And,
    Temporal(Binary),
}

struct Parser<'t> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    nesting: usize,
}

impl<'t> Parser<'t> {
    fn token(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) {
        // The last token is the end, which nothing moves past.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let found = matches!(self.token(), Token::Symbol(s) if s == symbol);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Parse<()> {
        if self.eat(symbol) {
            return Ok(());
        }
        Err(self.expected(&format!("`{symbol}`")))
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.token() {
            Token::Word(word) => format!("`{word}`"),
            Token::Quoted(name) => format!("\"{name}\""),
            Token::Number(digits) => format!("the number {digits}"),
            Token::Symbol(symbol) => format!("`{symbol}`"),
            Token::Unknown => "something that is no word of the language".to_string(),
            Token::End => "the end".to_string(),
        };
        Diagnostic::error(
            "logic::syntax",
            format!("expected {what}, found {found}"),
            self.span(),
            format!("expected {what}"),
        )
    }

    fn too_deep(&self) -> Diagnostic {
        Diagnostic::error(
            "logic::nesting",
            format!("the formula nests too deeply: {MAX_NESTING} levels is the limit"),
            self.span(),
            "too deep here",
        )
    }

    /// A node one deeper than its operands.
    fn node(&self, formula: Formula<String>, below: usize) -> Parse<Parsed> {
        if below >= MAX_NESTING {
            return Err(self.too_deep());
        }
        Ok(Parsed {
            formula,
            depth: below + 1,
        })
    }

    /// A formula whose infix operators bind at least as tightly as `level`; binary temporal ones only if `temporal`.
    fn climb(&mut self, level: Level, temporal: bool) -> Parse<Parsed> {
        if self.nesting >= MAX_NESTING {
            return Err(self.too_deep());
        }
        self.nesting += 1;
        let result = deep(|| {
            let left = self.prefix()?;
            self.infixes(left, level, temporal)
        });
        self.nesting -= 1;
        result
    }

    fn infix(&self, temporal: bool) -> Option<(Infix, Level)> {
        Some(match self.token() {
            Token::Symbol("->") => (Infix::Implies, Level::Implies),
            Token::Symbol("<->") => (Infix::Iff, Level::Iff),
            Token::Symbol("|" | "||") => (Infix::Or, Level::Or),
            Token::Word("xor") => (Infix::Xor, Level::Or),
            Token::Word("xnor") => (Infix::Xnor, Level::Or),
            Token::Symbol("&" | "&&") => (Infix::And, Level::And),
            Token::Word(word) if temporal => {
                let (_, op) = BINARY.iter().find(|(name, _)| *name == word)?;
                (Infix::Temporal(*op), Level::TemporalBinary)
            }
            _ => return None,
        })
    }

    fn infixes(&mut self, mut left: Parsed, level: Level, temporal: bool) -> Parse<Parsed> {
        while let Some((operator, its_level)) = self.infix(temporal) {
            if its_level < level {
                break;
            }
            self.advance();
            let interval = match operator {
                Infix::Temporal(_) => self.bracketed_interval()?,
                _ => Interval::ALWAYS,
            };
            let right_level = match operator {
                Infix::Implies => Level::Implies,
                _ => its_level.tighter(),
            };
            let right = self.climb(right_level, temporal)?;
            let (a, b) = (left.formula, right.formula);
            let mut below = left.depth.max(right.depth);
            let formula = match operator {
                Infix::Implies => a.implies(&b),
                Infix::Iff => a.iff(&b),
                Infix::Xor => a.xor(&b),
                Infix::Xnor => a.iff(&b),
                Infix::Temporal(op) => Formula::binary_within(op, interval, &a, &b),
                // Chains are flat: collecting the whole chain keeps a long one linear.
                Infix::And | Infix::Or => {
                    let mut members = vec![a, b];
                    while self.at_same_chain(&operator) {
                        self.advance();
                        let member = self.climb(its_level.tighter(), temporal)?;
                        below = below.max(member.depth);
                        members.push(member.formula);
                    }
                    match operator {
                        Infix::And => Formula::and(members),
                        _ => Formula::or(members),
                    }
                }
            };
            left = self.node(formula, below)?;
        }
        Ok(left)
    }

    fn at_same_chain(&self, operator: &Infix) -> bool {
        match operator {
            Infix::And => matches!(self.token(), Token::Symbol("&" | "&&")),
            _ => matches!(self.token(), Token::Symbol("|" | "||")),
        }
    }

    fn prefix(&mut self) -> Parse<Parsed> {
        match self.token() {
            Token::Symbol("!") => {
                self.advance();
                let inner = self.operand()?;
                self.node(inner.formula.not(), inner.depth)
            }
            Token::Symbol("(") => {
                self.advance();
                let inner = self.climb(Level::Implies, true)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Quoted(name) => {
                self.advance();
                self.node(Formula::atom(name.to_string()), 0)
            }
            Token::Word(word) => self.word(word),
            _ => Err(self.expected("a formula")),
        }
    }

    /// What a prefix operator applies to: a prefix itself, no infix operators.
    fn operand(&mut self) -> Parse<Parsed> {
        self.climb(Level::TemporalUnary, true)
    }

    fn word(&mut self, word: &'t str) -> Parse<Parsed> {
        if let Some((_, op)) = UNARY.iter().find(|(name, _)| *name == word) {
            self.advance();
            let interval = match op {
                Unary::Next | Unary::Yesterday | Unary::WeakYesterday => Interval::ALWAYS,
                _ => self.bracketed_interval()?,
            };
            let inner = self.operand()?;
            return self.node(Formula::unary_within(*op, interval, &inner.formula), inner.depth);
        }
        if let Some((_, quantifier, op, bounded)) = FUSED.iter().find(|(name, ..)| *name == word) {
            self.advance();
            let interval = if *bounded {
                self.dotted_interval()?
            } else {
                Interval::ALWAYS
            };
            let inner = self.operand()?;
            let path = Formula::unary_within(*op, interval, &inner.formula);
            return self.node(path.quantified(*quantifier), inner.depth + 1);
        }
        match word {
            "TRUE" | "true" | "FALSE" | "false" => {
                self.advance();
                self.node(Formula::constant(word.eq_ignore_ascii_case("true")), 0)
            }
            "A" => self.quantified(Quantifier::Forall),
            "E" => self.quantified(Quantifier::Exists),
            _ if is_keyword(word) => Err(self.expected("a formula").with_help(format!(
                "`{word}` is an operator; write \"{word}\" if it is a name"
            ))),
            _ => {
                self.advance();
                self.node(Formula::atom(word.to_string()), 0)
            }
        }
    }

    /// What follows `A` or `E`: `[p U q]`, `[p BU a..b q]`, `[path]`, or a prefix.
    fn quantified(&mut self, quantifier: Quantifier) -> Parse<Parsed> {
        self.advance();
        if !self.eat("[") {
            let inner = self.operand()?;
            return self.node(inner.formula.quantified(quantifier), inner.depth);
        }
        let mut path = self.climb(Level::Implies, false)?;
        if let Some((op, interval)) = self.bracketed_operator()? {
            let right = self.climb(Level::Implies, false)?;
            let formula = Formula::binary_within(op, interval, &path.formula, &right.formula);
            path = self.node(formula, path.depth.max(right.depth))?;
        }
        self.expect("]")?;
        self.node(path.formula.quantified(quantifier), path.depth)
    }

    fn bracketed_operator(&mut self) -> Parse<Option<(Binary, Interval)>> {
        if self.token() == Token::Word("BU") {
            self.advance();
            return Ok(Some((Binary::Until, self.dotted_interval()?)));
        }
        let Some((Infix::Temporal(op), _)) = self.infix(true) else {
            return Ok(None);
        };
        self.advance();
        Ok(Some((op, self.bracketed_interval()?)))
    }

    /// `[a,b]`, `[a,+oo)` or nothing.
    fn bracketed_interval(&mut self) -> Parse<Interval> {
        if !self.eat("[") {
            return Ok(Interval::ALWAYS);
        }
        let from = self.number()?;
        self.expect(",")?;
        if self.eat("+oo") {
            self.expect(")")?;
            return Ok(Interval { from, to: None });
        }
        let to = self.number()?;
        self.expect("]")?;
        Ok(Interval::bounded(from, to))
    }

    /// `a..b`
    fn dotted_interval(&mut self) -> Parse<Interval> {
        let from = self.number()?;
        self.expect("..")?;
        Ok(Interval::bounded(from, self.number()?))
    }

    fn number(&mut self) -> Parse<u32> {
        let Token::Number(digits) = self.token() else {
            return Err(self.expected("a number"));
        };
        let number = digits.parse().map_err(|_| {
            Diagnostic::error(
                "logic::number",
                "a bound is at most 4294967295",
                self.span(),
                "too large",
            )
        })?;
        self.advance();
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reprint(text: &str) -> String {
        parse(text).expect(text).to_string()
    }

    #[test]
    fn precedence_is_that_of_smv() {
        for (text, expected) in [
            ("p -> q -> r", "p -> q -> r"),
            ("(p -> q) -> r", "(p -> q) -> r"),
            ("p | q & r <-> s -> t", "p | q & r <-> s -> t"),
            ("!p U q & r", "!p U q & r"),
            ("G p U q", "G p U q"),
            ("(G p) U q", "G p U q"),
            ("!(G p U q)", "!(G p U q)"),
            ("p U q U r", "(p U q) U r"),
            ("A [p -> q U r]", "A [(p -> q) U r]"),
            ("A[p U[1,2] q]", "A [p BU 1..2 q]"),
            ("E [p W q]", "E [p W q]"),
            ("E [F p & G q]", "E (F p & G q)"),
            ("A G F p", "A G F p"),
            ("A (AG p)", "A AG p"),
            ("p xnor q", "p <-> q"),
            ("m.x[", ""),
            ("!AX p & q", "!AX p & q"),
            ("\"x = 1\" -> F p", "x = 1 -> F p"),
        ] {
            if expected.is_empty() {
                assert!(parse(text).is_err(), "{text}");
            } else {
                assert_eq!(reprint(text), expected, "{text}");
            }
        }
    }

    #[test]
    fn errors_name_the_place_and_what_was_expected() {
        let error = parse("G (p ->").expect_err("incomplete").0.remove(0);
        assert_eq!(error.message, "expected a formula, found the end");
        assert_eq!(error.span(), Span::new(7, 7));
        let error = parse("p U").expect_err("incomplete").0.remove(0);
        assert_eq!(error.code, "logic::syntax");
        let error = parse("F[0,99999999999] p").expect_err("too large").0.remove(0);
        assert_eq!(error.code, "logic::number");
        let error = parse("U & p").expect_err("keyword").0.remove(0);
        assert!(error.help.is_some());
        let error = parse("p q").expect_err("two formulas").0.remove(0);
        assert_eq!(error.span(), Span::new(2, 3));
    }

    #[test]
    fn nesting_is_limited_and_long_chains_are_not() {
        let deep_text = "(".repeat(100_000) + "p" + &")".repeat(100_000);
        assert_eq!(
            parse(&deep_text).expect_err("too deep").0[0].code,
            "logic::nesting"
        );
        let left_deep = "p U ".repeat(100_000) + "p";
        assert_eq!(
            parse(&left_deep).expect_err("too deep").0[0].code,
            "logic::nesting"
        );
        let chain = "p & ".repeat(100_000) + "p";
        assert_eq!(parse(&chain).expect("flat").size(), 100_002);
    }
}
