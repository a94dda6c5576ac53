//! PSL (IEEE 1850): the grammar of its properties and sequences, generic in its Boolean layer.
//!
//! What a Boolean expression is, and what a clock, is a question of the language around: whoever reads a property hands in a [`Layer`] that makes atoms of
//! their texts. An expression is the longest run of tokens outside brackets that are not operators of PSL (`boolean.rs`). A property becomes an
//! [`Assertion`]: operators are rewritten into its few by their definitions (IEEE 1850-2010, annex B), clocks too; a sequence
//! without `!` is weak. What stands in front of it ([`replicators`]) is read apart. Verification units and the modelling layer are not read here.

mod boolean;
mod branching;
mod clock;
mod property;
mod replicator;
mod sequence;
mod token;

pub use branching::{is_branching, read_branching_in};
pub use replicator::{ReplicatedValues, Replicator, replicators};

use crate::{Assertion, Guard, Sequence};
use entail_source::{Diagnostic, Span};
use token::{Token, tokens};

pub(crate) type Result<T> = std::result::Result<T, Diagnostic>;

/// How Boolean expressions are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// As in SMV: `|` and `&` are the connectives, `--` begins a comment.
    Plain,
    /// As in formulas of temporal logic: besides, the operators of one letter (`U`, `G`, …) bind as they do there, tighter than the connectives, and there are
    /// `M`, `xor`, `<>->`, `<>=>`, `[]->`, `[]=>` (the first two: *some* match leads to what follows), `[:*n]` and `first_match(…)`.
    Formula,
    /// As in Verilog: `|` and `&` are about bits, `{a, b}` is a word, comments are those of C++.
    Verilog,
}

/// What the language around makes of the parts of a property that are its own. Offsets are those of the text that is read.
pub trait Layer<A> {
    /// The condition that a Boolean expression is.
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<A>>;

    /// The number that a constant is which is not written as one.
    fn constant(&mut self, _text: &str, span: Span) -> Result<u32> {
        Err(wrong("a number is expected", span))
    }

    /// A clock is in force from here on.
    fn enter_clock(&mut self, _text: &str, span: Span) -> Result<()> {
        Err(not_yet("clocks are not read", span))
    }

    /// The clock that was in force before is so again.
    fn leave_clock(&mut self) {}

    /// Whether there is a clock in force.
    fn has_clock(&self) -> bool {
        false
    }

    /// The letters that are ticks of the clock in force; nothing if all are.
    fn tick(&mut self) -> Result<Option<Guard<A>>> {
        Ok(None)
    }
}

/// Makes an atom of the text of a Boolean expression, which begins at an offset.
pub type Booleans<'b, A> = dyn FnMut(&str, usize) -> std::result::Result<Guard<A>, Diagnostic> + 'b;

/// Boolean expressions, and no clocks.
struct Unclocked<'f, 'b, A>(&'f mut Booleans<'b, A>);

impl<A> Layer<A> for Unclocked<'_, '_, A> {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<A>> {
        (self.0)(text, at)
    }
}

/// Reads a property without clocks; places in diagnostics are counted from the beginning of the text.
pub fn read<A: Clone + PartialEq>(text: &str, booleans: &mut Booleans<'_, A>) -> Result<Assertion<A>> {
    read_in(text, Flavour::Plain, &mut Unclocked(booleans))
}

/// Reads a formula: PSL among the operators of temporal logic ([`Flavour::Formula`]).
pub fn read_formula<A: Clone + PartialEq>(
    text: &str,
    booleans: &mut Booleans<'_, A>,
) -> Result<Assertion<A>> {
    read_in(text, Flavour::Formula, &mut Unclocked(booleans))
}

/// Reads a property.
pub fn read_in<A: Clone + PartialEq>(
    text: &str,
    flavour: Flavour,
    layer: &mut dyn Layer<A>,
) -> Result<Assertion<A>> {
    let tokens = tokens(text, flavour);
    let mut parser = Parser::new(text, flavour, &tokens, layer);
    let property = parser.property()?;
    parser.end(property)
}

/// Reads a sequence in braces.
pub fn read_sequence_in<A: Clone + PartialEq>(
    text: &str,
    flavour: Flavour,
    layer: &mut dyn Layer<A>,
) -> Result<Sequence<A>> {
    let tokens = tokens(text, flavour);
    let mut parser = Parser::new(text, flavour, &tokens, layer);
    let sequence = parser.clocked_braces()?;
    parser.end(sequence)
}

/// Whether a word is one of PSL's own: an operator, a function, or a word of its declarations and directives.
pub fn is_word_of_psl(word: &str) -> bool {
    let tails = ["", "!", "_", "!_"];
    let is_operator = tails
        .iter()
        .any(|tail| token::is_temporal(&format!("{word}{tail}")));
    is_operator || OTHER_WORDS.contains(&word)
}

/// Words of PSL that are not operators.
const OTHER_WORDS: [&str; 32] = [
    "eventually",
    "true",
    "false",
    "inf",
    "to",
    "in",
    "boolean",
    "posedge",
    "negedge",
    "prev",
    "rose",
    "fell",
    "stable",
    "onehot",
    "onehot0",
    "countones",
    "isunknown",
    "nondet",
    "nondet_vector",
    "ended",
    "forall",
    "assert",
    "assume",
    "restrict",
    "cover",
    "fairness",
    "strong",
    "report",
    "severity",
    "default",
    "clock",
    "union",
];

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
    flavour: Flavour,
    tokens: &'t [Token<'t>],
    at: usize,
    depth: u32,
    layer: &'b mut dyn Layer<A>,
}

impl<'t, 'b, A: Clone + PartialEq> Parser<'t, 'b, A> {
    fn new(
        text: &'t str,
        flavour: Flavour,
        tokens: &'t [Token<'t>],
        layer: &'b mut dyn Layer<A>,
    ) -> Parser<'t, 'b, A> {
        Parser {
            text,
            flavour,
            tokens,
            at: 0,
            depth: 0,
            layer,
        }
    }

    /// What was read, if it is all there is.
    fn end<T>(&self, read: T) -> Result<T> {
        match self.peek() {
            None => Ok(read),
            Some(token) => Err(wrong("the property ends before this", token.span)),
        }
    }

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

    /// Whether the operators of one letter bind tighter than the connectives.
    fn is_formula(&self) -> bool {
        self.flavour == Flavour::Formula
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
                "(" | "{" | "[" | "[*" | "[=" | "[->" | "[:*" => depth += 1,
                ")" | "}" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return place + 1;
            }
        }
        self.tokens.len()
    }

    /// The text of some tokens, of which there are some.
    fn between(&self, from: usize, to: usize) -> (&'t str, Span) {
        let (first, last) = (self.tokens[from].span, self.tokens[to - 1].span);
        (&self.text[first.start..last.end], first.to(last))
    }

    /// A number, `inf` being none.
    fn number(&mut self) -> Result<Option<u32>> {
        let span = self.span();
        if self.take("inf") || self.take("$") {
            return Ok(None);
        }
        let number = self.peek().and_then(|token| token.text.parse().ok());
        if let Some(number) = number {
            self.at += 1;
            return Ok(Some(number));
        }
        let begin = self.at;
        while (self.peek()).is_some_and(|token| !matches!(token.text, ":" | ".." | "to" | "]" | ";")) {
            self.at += 1;
        }
        let (text, span) = match self.at > begin {
            true => self.between(begin, self.at),
            false => ("", span),
        };
        self.layer.constant(text, span).map(Some)
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
