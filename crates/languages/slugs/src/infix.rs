//! Formulas of structured slugs: infix notation with numbers, as Slugs' own compiler reads them.
//!
//! From loose to tight: `<->`, `->` (both to the left), `^`, `|`, `&`, then `!`, `~`, `next`, `X` and `()`; parentheses and brackets; comparisons of sums of numbers. `x'` is the next value of `x`, and
//! `next` makes every value below it the next one. A parenthesis belongs to a number if an operator of numbers stands behind it.

use crate::formula::{Primes, Signals, signal};
use crate::number::{Comparison, Number};
use entail_logic::Formula;
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// A number that is declared with a range.
#[derive(Clone, Debug)]
pub(crate) struct Ranged {
    pub least: u64,
    /// The signals that are its bits, the lowest first; they hold the value less the least one.
    pub bits: Vec<String>,
}

/// The numbers by their names.
pub(crate) type Numbers = HashMap<String, Ranged>;

/// Parentheses may be nested so deep.
const DEEPEST: usize = 300;

/// Operators, longer ones first.
const OPERATORS: [&str; 25] = [
    "<-->", "<->", "-->", "->", "<=", ">=", "!=", "&&", "||", "/\\", "\\/", "<>", "()", "[]", "<", ">", "=",
    "&", "|", "^", "!", "~", "+", "-", "*",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token<'t> {
    text: &'t str,
    span: Span,
}

/// The tokens of a line that begins at a place of the file.
fn tokens(line: &str, begin: usize) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = line[at..].chars().next() {
        let rest = &line[at..];
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        let in_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\'' | '@');
        let length = if letter.is_ascii_digit() {
            rest.find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(rest.len())
        } else if in_name(letter) {
            rest.find(|letter| !in_name(letter)).unwrap_or(rest.len())
        } else if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            operator.len()
        } else if matches!(letter, '(' | ')' | '[' | ']') {
            1
        } else {
            let span = Span::new(begin + at, begin + at + letter.len_utf8());
            let message = format!("`{letter}` means nothing here");
            return Err(Diagnostic::error("slugs::letter", message, span, "here").with_help(SYNTAX));
        };
        found.push(Token {
            text: &rest[..length],
            span: Span::new(begin + at, begin + at + length),
        });
        at += length;
    }
    Ok(found)
}

const SYNTAX: &str =
    "formulas have <->, ->, ^, |, &, !, next, TRUE, FALSE, and comparisons such as x' + 1 <= y";

/// The formula of a line.
pub(crate) fn parse(
    line: &str,
    begin: usize,
    signals: &Signals,
    numbers: &Numbers,
    primes: Primes,
) -> Result<Formula<String>, Diagnostic> {
    let tokens = tokens(line, begin)?;
    let mut reader = Reader {
        closing: closing(&tokens),
        tokens: &tokens,
        at: 0,
        end: Span::new(begin + line.trim_end().len(), begin + line.trim_end().len()),
        depth: 0,
        signals,
        numbers,
        primes,
    };
    let formula = reader.level(0, false)?;
    match reader.peek() {
        None => Ok(formula),
        Some(_) => Err(reader.wrong("the end of the formula")),
    }
}

/// For each opening parenthesis the one that closes it.
fn closing(tokens: &[Token<'_>]) -> HashMap<usize, usize> {
    let mut open = Vec::new();
    let mut closing = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" => open.push(at),
            ")" => {
                if let Some(begin) = open.pop() {
                    closing.insert(begin, at);
                }
            }
            _ => {}
        }
    }
    closing
}

struct Reader<'r, 't> {
    tokens: &'r [Token<'t>],
    closing: HashMap<usize, usize>,
    at: usize,
    /// Behind the last token.
    end: Span,
    depth: usize,
    signals: &'r Signals,
    numbers: &'r Numbers,
    primes: Primes,
}

type Read<T> = Result<T, Diagnostic>;

/// The binary operators from loose to tight.
const LEVELS: [&[&str]; 5] = [
    &["<->", "<-->"],
    &["->", "-->"],
    &["^"],
    &["|", "||", "\\/"],
    &["&", "&&", "/\\"],
];

const COMPARISONS: [(&str, Comparison); 6] = [
    ("<", Comparison::Less),
    ("<=", Comparison::LessEqual),
    ("=", Comparison::Equal),
    ("!=", Comparison::Unequal),
    (">=", Comparison::GreaterEqual),
    (">", Comparison::Greater),
];

const OVERWRITES: &str = "LEASTSIGNIFICANTBITOVERWRITES";

fn comparison(text: &str) -> Option<Comparison> {
    COMPARISONS
        .iter()
        .find(|(sign, _)| *sign == text)
        .map(|(_, meaning)| *meaning)
}

impl<'t> Reader<'_, 't> {
    fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| token.text)
    }

    fn here(&self) -> Span {
        self.tokens.get(self.at).map_or(self.end, |token| token.span)
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        let found = self.peek().map_or("the end of the line".to_owned(), |text| {
            format!("`{}`", text.chars().take(60).collect::<String>())
        });
        let message = format!("expected {what}, found {found}");
        Diagnostic::error("slugs::syntax", message, self.here(), "here").with_help(SYNTAX)
    }

    fn expect(&mut self, text: &str) -> Read<()> {
        match self.peek() == Some(text) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => Err(self.wrong(&format!("`{text}`"))),
        }
    }

    /// Operands of one level and the operators between them.
    fn level(&mut self, level: usize, is_next: bool) -> Read<Formula<String>> {
        let Some(signs) = LEVELS.get(level) else {
            return self.unary(is_next);
        };
        let mut value = self.level(level + 1, is_next)?;
        while self.peek().is_some_and(|text| signs.contains(&text)) {
            self.at += 1;
            let other = self.level(level + 1, is_next)?;
            value = match level {
                0 => value.iff(&other),
                1 => value.implies(&other),
                2 => value.xor(&other),
                3 => Formula::or([value, other]),
                _ => Formula::and([value, other]),
            };
        }
        Ok(value)
    }

    fn unary(&mut self, mut is_next: bool) -> Read<Formula<String>> {
        let mut negated = false;
        loop {
            match self.peek() {
                Some("!" | "~") => negated = !negated,
                Some("next" | "X" | "()") if is_next => {
                    let problem =
                        Diagnostic::error("slugs::prime", "a `next` inside of another", self.here(), "here");
                    return Err(problem.with_help("transitions speak of this step and the next one"));
                }
                Some("next" | "X" | "()") => is_next = true,
                Some("F" | "G" | "U" | "W" | "<>" | "[]") => {
                    let message = "temporal operators other than `next` have no place in GR(1) formulas";
                    let problem = Diagnostic::error("slugs::temporal", message, self.here(), "here");
                    return Err(problem.with_help(
                        "what must hold always stands in [SYS_TRANS], what must recur in [SYS_LIVENESS]",
                    ));
                }
                _ => break,
            }
            self.at += 1;
        }
        let value = self.atom(is_next)?;
        Ok(if negated { value.not() } else { value })
    }

    fn atom(&mut self, is_next: bool) -> Read<Formula<String>> {
        let here = self.here();
        match self.peek() {
            Some(constant @ ("TRUE" | "FALSE")) => {
                self.at += 1;
                Ok(Formula::constant(constant == "TRUE"))
            }
            Some(open @ ("(" | "[")) if open == "[" || !self.is_number() => {
                self.at += 1;
                self.deeper(here)?;
                let value = self.level(0, is_next)?;
                self.depth -= 1;
                self.expect(if open == "(" { ")" } else { "]" })?;
                Ok(value)
            }
            Some(name) if self.is_signal(name) => {
                self.at += 1;
                let primed = if is_next {
                    format!("{name}'")
                } else {
                    name.to_owned()
                };
                if is_next && name.ends_with('\'') {
                    return Err(twice_next(here));
                }
                signal(&primed, here, self.signals, self.primes)
            }
            _ => {
                let left = self.number(is_next)?;
                let Some(comparison) = self.peek().and_then(comparison) else {
                    return Err(self.wrong("a comparison of numbers"));
                };
                self.at += 1;
                let right = self.number(is_next)?;
                Ok(left.compared(comparison, &right))
            }
        }
    }

    fn deeper(&mut self, here: Span) -> Read<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => {
                let message = format!("parentheses are nested more than {DEEPEST} deep");
                Err(Diagnostic::error("slugs::nesting", message, here, "here"))
            }
            false => Ok(()),
        }
    }

    fn is_signal(&self, name: &str) -> bool {
        self.signals.contains_key(name.strip_suffix('\'').unwrap_or(name))
    }

    /// Whether the parenthesis here encloses a number: an operator of numbers stands behind it.
    fn is_number(&self) -> bool {
        let behind = self
            .closing
            .get(&self.at)
            .and_then(|end| self.tokens.get(end + 1));
        behind.is_some_and(|token| {
            comparison(token.text).is_some() || matches!(token.text, "+" | "-" | "*" | OVERWRITES)
        })
    }

    /// A sum.
    fn number(&mut self, is_next: bool) -> Read<Number> {
        let mut sum = self.overwritten(is_next)?;
        while let Some(sign @ ("+" | "-" | "*")) = self.peek() {
            if sign != "+" {
                let message = format!("`{sign}` is not defined for numbers");
                let problem = Diagnostic::error("slugs::operator", message, self.here(), "here");
                return Err(problem.with_help(
                    "as in Slugs, numbers are only added; instead of x' = x - 1 write x' + 1 = x",
                ));
            }
            self.at += 1;
            sum = sum.plus(&self.overwritten(is_next)?);
        }
        Ok(sum)
    }

    fn overwritten(&mut self, is_next: bool) -> Read<Number> {
        let low = self.single(is_next)?;
        if self.peek() != Some(OVERWRITES) {
            return Ok(low);
        }
        let here = self.here();
        self.at += 1;
        let high = self.single(is_next)?;
        high.overwritten_by(&low).ok_or_else(|| {
            let message = "the number whose bits are overwritten has no more bits than the other";
            Diagnostic::error("slugs::bits", message, here, "here")
        })
    }

    fn single(&mut self, is_next: bool) -> Read<Number> {
        let here = self.here();
        let Some(text) = self.peek() else {
            return Err(self.wrong("a number or a signal"));
        };
        if text == "(" {
            self.at += 1;
            self.deeper(here)?;
            let number = self.number(is_next)?;
            self.depth -= 1;
            self.expect(")")?;
            return Ok(number);
        }
        if text.starts_with(|letter: char| letter.is_ascii_digit()) {
            self.at += 1;
            let too_large = || Diagnostic::error("slugs::number", "the number is too large", here, "here");
            return Ok(Number::constant(text.parse().map_err(|_| too_large())?));
        }
        let (name, primed) = match text.strip_suffix('\'') {
            Some(name) => (name, true),
            None => (text, false),
        };
        let Some(ranged) = self.numbers.get(name) else {
            return Err(
                match text.starts_with(|letter: char| letter.is_alphabetic() || letter == '_') {
                    // Says that it is not declared.
                    true => match signal(text, here, self.signals, self.primes) {
                        Err(problem) => problem,
                        Ok(_) => self.wrong("a number"),
                    },
                    false => self.wrong("a number or a signal"),
                },
            );
        };
        self.at += 1;
        if primed && is_next {
            return Err(twice_next(here));
        }
        let bit = |bit: &String| match primed || is_next {
            true => signal(&format!("{bit}'"), here, self.signals, self.primes),
            false => signal(bit, here, self.signals, self.primes),
        };
        let bits = Number(ranged.bits.iter().map(bit).collect::<Read<_>>()?);
        Ok(bits.plus(&Number::constant(ranged.least)))
    }
}

fn twice_next(here: Span) -> Diagnostic {
    let problem = Diagnostic::error("slugs::prime", "a next value inside of `next`", here, "here");
    problem.with_help("transitions speak of this step and the next one")
}
