//! The part of PSL that is temporal logic in other words.
//!
//! `always f` is `G f`, `never f` is `G !f`, `eventually! f` is `F f`, `next f` and `next! f` are `X f`, `f until! g` is `f U g`; the letters of LTL and
//! the operators of CTL (PSL's optional branching extension) are PSL too. `always` and `never` reach as far to the right as they can.
//! `->` and `<->` bind alike and group to the left (`a -> b -> c` is `(a -> b) -> c`), unlike in the rest of SMV: so NuSMV reads them.
//! A specification that uses anything else (sequences, clocks, weak operators, replicators) is kept as text, and answered "not yet".

use super::ast::{Expr, ExprId, Item, SpecKind, TemporalUnary, Unary};
use super::expression::Level;
use super::lexer::Token;
use super::parser::{Parse, Parser};
use entail_source::Span;

impl Parser<'_> {
    /// What follows `PSLSPEC`, which starts at `start`.
    pub(super) fn psl_specification(&mut self, start: Span) -> Parse<Item> {
        let (position, said) = (self.position, self.diagnostics.len());
        let speaks_logic = self.psl_is_free_of_sequences();
        (self.psl, self.ctl_star) = (true, true);
        let read = self.named_specification(SpecKind::CtlStar);
        (self.psl, self.ctl_star) = (false, false);
        if let Ok(item) = read
            && speaks_logic
            && (self.token().opens_section() || matches!(self.token(), Token::End | Token::Module))
        {
            return Ok(item);
        }
        self.position = position;
        (self.nesting, self.case_depth) = (0, 0);
        self.diagnostics.truncate(said);
        self.advance();
        // A semicolon inside braces is a sequence's.
        let mut braces = 0usize;
        while !self.token().opens_section() && !self.at(Token::End) {
            match self.token() {
                Token::Semicolon if braces == 0 => break,
                Token::LeftBrace => braces += 1,
                Token::RightBrace => braces = braces.saturating_sub(1),
                _ => {}
            }
            self.advance();
        }
        let span = start.to(self.previous_span());
        self.eat(Token::Semicolon);
        Ok(Item::Psl { span })
    }

    /// Braces are sequences, unless they are the set of an `in`.
    fn psl_is_free_of_sequences(&self) -> bool {
        let mut ahead = 1;
        loop {
            match self.peek(ahead) {
                Token::End | Token::Semicolon | Token::Module => return true,
                // Without a semicolon it ends where the next section begins.
                token if token.opens_section() => return true,
                Token::LeftBrace if self.peek(ahead - 1) != Token::SetIn => return false,
                _ => ahead += 1,
            }
        }
    }

    /// Whether the word here is followed by the exclamation mark of a strong operator: at once, for `next !x` is about `!x`, as NuSMV reads it.
    pub(super) fn psl_is_strong(&self) -> bool {
        self.peek(1) == Token::Not && self.peek_span(1).start == self.span().end
    }

    /// `always`, `never`, `eventually!`, `next` and `next!` with their operands.
    pub(super) fn psl_prefix(&mut self, start: Span) -> Option<Parse<ExprId>> {
        let strong = self.psl_is_strong();
        let (words, operator, level) = match (self.token(), self.text()) {
            (Token::Identifier, "always" | "never") => (1, TemporalUnary::G, Level::Implies),
            (Token::Identifier, "eventually") if strong => (2, TemporalUnary::F, Level::TemporalUnary),
            // On endless paths there is always a next state: `next` and `next!` are the same.
            (_, "next") => (1 + usize::from(strong), TemporalUnary::X, Level::TemporalUnary),
            (_, "eventually" | "forall") => return Some(Err(self.expected("a strong operator"))),
            _ => return None,
        };
        let never = self.text() == "never";
        for _ in 0..words {
            self.advance();
        }
        Some(self.psl_operand(operator, level, never, start))
    }

    fn psl_operand(
        &mut self,
        operator: TemporalUnary,
        level: Level,
        never: bool,
        start: Span,
    ) -> Parse<ExprId> {
        let mut inner = self.climb(level, true)?;
        let span = start.to(self.previous_span());
        if never {
            inner = self.add(Expr::Unary(Unary::Not, inner), span)?;
        }
        self.add(Expr::Temporal(operator, inner), span)
    }
}
