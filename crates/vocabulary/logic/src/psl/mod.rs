//! PSL (IEEE 1850): the grammar of its properties and sequences, generic in its Boolean layer.
//!
//! What a Boolean expression is, is a question of the language around: whoever reads a property hands in a function that makes an atom of the
//! text of one. An expression is the longest run of tokens outside brackets that are not operators of PSL; the connectives of properties mean the same between
//! expressions, so they need not be told apart. A property becomes an [`Assertion`]: operators are rewritten into its few by their definitions (IEEE 1850-2010, annex B); a sequence
//! without `!` is weak. What stands in front of it ([`replicators`]) is read apart. Clocks and the modelling layer are not read.

mod property;
mod replicator;
mod sequence;
mod token;

pub use replicator::{ReplicatedValues, Replicator, replicators};

use crate::{Assertion, Guard};
use entail_source::{Diagnostic, Span};
use token::{Token, tokens};

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// Makes an atom of the text of a Boolean expression, which begins at an offset.
pub type Booleans<'b, A> = dyn FnMut(&str, usize) -> std::result::Result<Guard<A>, Diagnostic> + 'b;

/// Reads a property; places in diagnostics are counted from the beginning of the text.
pub fn read<A: Clone + PartialEq>(text: &str, booleans: &mut Booleans<'_, A>) -> Result<Assertion<A>> {
    let tokens = tokens(text);
    let mut parser = Parser {
        text,
        tokens: &tokens,
        at: 0,
        depth: 0,
        booleans,
    };
    let property = parser.property()?;
    match parser.peek() {
        None => Ok(property),
        Some(token) => Err(wrong("the property ends before this", token.span)),
    }
}

/// An error of syntax.
pub(crate) fn wrong(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("psl::syntax", message, span, "here")
}

/// Something that is well formed, but not read.
pub(crate) fn not_yet(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("psl::unsupported", message, span, "here")
}

/// Properties may be nested so deep.
const DEEPEST: u32 = 200;

/// Ranges of operators are written out up to this number.
const LONGEST_RANGE: u32 = 1_000;

/// Tokens, and how far they are read.
pub(crate) struct Parser<'t, 'b, A> {
    text: &'t str,
    tokens: &'t [Token<'t>],
    at: usize,
    depth: u32,
    booleans: &'b mut Booleans<'b, A>,
}

impl<'t, A: Clone + PartialEq> Parser<'t, '_, A> {
    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.text == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn span(&self) -> Span {
        let end = self.text.len();
        self.peek().map_or(Span::new(end, end), |token| token.span)
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        match self.take(text) {
            true => Ok(()),
            false => Err(wrong(&format!("`{text}` is expected"), self.span())),
        }
    }

    fn deeper(&mut self) -> Result<()> {
        self.depth += 1;
        match self.depth > DEEPEST {
            true => Err(wrong("this is nested too deeply", self.span())),
            false => Ok(()),
        }
    }

    /// The position after the bracket that closes the one at a position.
    fn after_group(&self, at: usize) -> usize {
        let mut depth = 0_u32;
        for place in at..self.tokens.len() {
            match self.tokens[place].text {
                "(" | "{" | "[" | "[*" | "[=" | "[->" => depth += 1,
                ")" | "}" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return place + 1;
            }
        }
        self.tokens.len()
    }

    /// Whether some tokens are about behaviour, so that a bracket around them is not one of an expression.
    fn is_temporal(&self, from: usize, to: usize) -> bool {
        (from..to).any(|place| {
            let text = self.tokens[place].text;
            let is_set = text == "{" && place > 0 && matches!(self.tokens[place - 1].text, "in" | "union");
            (token::is_temporal(text) && !is_set)
                || matches!(text, "|->" | "|=>" | ";" | "[*" | "[*]" | "[+]" | "[=" | "[->")
                || (text == "{" && !is_set)
        })
    }

    /// A Boolean expression: the tokens up to an operator. `stops` are the connectives that end it.
    fn boolean(&mut self, stops: &[&str]) -> Result<Guard<A>> {
        let begin = self.at;
        let mut conditions = 0_u32;
        while let Some(token) = self.peek() {
            match token.text {
                "(" | "[" => {
                    let close = self.after_group(self.at);
                    let last = self.tokens.get(close - 1);
                    if last.is_none_or(|last| !matches!(last.text, ")" | "]")) {
                        return Err(wrong("this bracket is not closed", token.span));
                    }
                    self.at = close;
                    continue;
                }
                "{" if self.at > begin => {
                    self.at = self.after_group(self.at);
                    continue;
                }
                "?" => conditions += 1,
                ":" if conditions > 0 => conditions -= 1,
                "case" => {
                    while self.peek().is_some_and(|token| token.text != "esac") {
                        self.at += 1;
                    }
                }
                text if stops.contains(&text) || token::ends_boolean(text) => break,
                _ => {}
            }
            self.at = (self.at + 1).min(self.tokens.len());
        }
        let Some(last) = self.at.checked_sub(1).filter(|last| *last >= begin) else {
            let message = match self.peek() {
                Some(token) => format!("an expression is expected before `{}`", token.text),
                None => "an expression is expected".to_owned(),
            };
            return Err(wrong(&message, self.span()));
        };
        let (start, end) = (self.tokens[begin].span.start, self.tokens[last].span.end);
        match &self.text[start..end] {
            "TRUE" | "true" | "1" => Ok(Guard::Constant(true)),
            "FALSE" | "false" | "0" => Ok(Guard::Constant(false)),
            text => (self.booleans)(text, start),
        }
    }

    /// A number, `inf` being none.
    fn number(&mut self) -> Result<Option<u32>> {
        let span = self.span();
        if self.take("inf") || self.take("$") {
            return Ok(None);
        }
        let number = self.peek().and_then(|token| token.text.parse().ok());
        self.at += usize::from(number.is_some());
        match number {
            Some(number) => Ok(Some(number)),
            None => Err(wrong("a number is expected", span)),
        }
    }

    /// `low`, `low:high`, `low..high` or `low to high`, and the closing bracket.
    fn range(&mut self) -> Result<(u32, Option<u32>)> {
        let span = self.span();
        let low = self.number()?;
        let high = match self.take(":") || self.take("..") || self.take("to") {
            true => self.number()?,
            false => low,
        };
        self.expect("]")?;
        match (low, high) {
            (None, _) => Err(wrong("a range does not begin with `inf`", span)),
            (Some(low), Some(high)) if high < low => {
                Err(wrong(&format!("the range from {low} to {high} is empty"), span))
            }
            (Some(low), high) => Ok((low, high)),
        }
    }
}

#[cfg(test)]
mod tests;
