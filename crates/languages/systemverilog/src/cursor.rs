//! Tokens, read one after the other.

use crate::expression::after_group;
use crate::property::{Result, not_read};
use crate::token::Token;
use entail_source::Span;

/// Tokens, and how far they are read.
pub(crate) struct Cursor<'t> {
    pub(crate) tokens: &'t [Token],
    pub(crate) at: usize,
    /// Where the tokens end in the text.
    end: Span,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(tokens: &'t [Token]) -> Cursor<'t> {
        let end = tokens.last().map_or(Span::new(0, 0), |last| last.span);
        Cursor { tokens, at: 0, end }
    }

    pub(crate) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(crate) fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    pub(crate) fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn span(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    pub(crate) fn expect(&mut self, text: &str) -> Result<()> {
        match self.take(text) {
            true => Ok(()),
            false => Err(not_read(&format!("`{text}` is expected"), self.span())),
        }
    }

    /// The inside of a bracketed group.
    pub(crate) fn group(&mut self) -> Result<&'t [Token]> {
        if !self.is("(") {
            return Err(not_read("`(` is expected", self.span()));
        }
        let close = after_group(self.tokens, self.at);
        if self.tokens.get(close - 1).is_none_or(|last| !last.is(")")) || close < self.at + 2 {
            return Err(not_read("this bracket is not closed", self.span()));
        }
        let inner = &self.tokens[self.at + 1..close - 1];
        self.at = close;
        Ok(inner)
    }
}
