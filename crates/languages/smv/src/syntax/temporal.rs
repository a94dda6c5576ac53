//! Temporal operators in front of their operands, with bounds, and CTL's `A [ p U q ]`.

use super::ast::{BoundedUnary, Expr, ExprId, TemporalBinary, TemporalUnary};
use super::expression::{Infix, Level};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use entail_source::Span;

impl Parser<'_> {
    /// Whether, behind any number of `!`, a temporal operator follows.
    pub(super) fn at_negated_temporal(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead) == Token::Not {
            ahead += 1;
        }
        temporal_operator(self.peek(ahead)).is_some()
            || matches!(self.peek(ahead), Token::PathA | Token::PathE)
            || bounded_ctl(self.peek(ahead)).is_some()
    }

    pub(super) fn temporal_prefix(&mut self, start: Span) -> Option<Parse<ExprId>> {
        let token = self.token();
        if let Some(operator) = temporal_operator(token) {
            self.advance();
            return Some(self.temporal_operand(operator, token, start));
        }
        if let Some(operator) = bounded_ctl(token) {
            self.advance();
            return Some(self.bounded_ctl_operand(operator, start));
        }
        match token {
            Token::PathA | Token::PathE => {
                self.advance();
                Some(self.quantified(token == Token::PathA, start))
            }
            _ => None,
        }
    }

    fn temporal_operand(&mut self, operator: TemporalUnary, token: Token, start: Span) -> Parse<ExprId> {
        let bounded = match token {
            Token::Future => Some(BoundedUnary::F),
            Token::Globally => Some(BoundedUnary::G),
            Token::Historically => Some(BoundedUnary::H),
            Token::Once => Some(BoundedUnary::O),
            _ => None,
        };
        if let (Some(bounded), Token::LeftBracket) = (bounded, self.token()) {
            self.advance();
            let low = self.natural()?;
            self.expect(Token::Comma, "`,`")?;
            let high = self.natural()?;
            self.expect(Token::RightBracket, "`]`")?;
            let inner = self.climb(Level::TemporalUnary, true)?;
            let span = start.to(self.previous_span());
            return self.add(Expr::Bounded(bounded, low, high, inner), span);
        }
        let inner = self.climb(Level::TemporalUnary, true)?;
        let span = start.to(self.previous_span());
        self.add(Expr::Temporal(operator, inner), span)
    }

    fn bounded_ctl_operand(&mut self, operator: BoundedUnary, start: Span) -> Parse<ExprId> {
        let (low, high) = self.integer_range()?;
        let inner = self.climb(Level::TemporalUnary, true)?;
        let span = start.to(self.previous_span());
        self.add(Expr::Bounded(operator, low, high, inner), span)
    }

    /// What follows `A` or `E`.
    fn quantified(&mut self, all: bool, start: Span) -> Parse<ExprId> {
        let quantifier = if all {
            TemporalUnary::All
        } else {
            TemporalUnary::Exists
        };
        if !self.at(Token::LeftBracket) {
            if !self.ctl_star {
                return Err(self.expected("`[` (a path quantifier stands before `[ p U q ]`)"));
            }
            let inner = self.climb(Level::TemporalUnary, true)?;
            let span = start.to(self.previous_span());
            return self.add(Expr::Temporal(quantifier, inner), span);
        }
        self.advance();
        let left = self.until_operand()?;
        let path = match self.token() {
            Token::Until => {
                self.advance();
                let right = self.until_operand()?;
                let operator = if all {
                    TemporalBinary::AU
                } else {
                    TemporalBinary::EU
                };
                self.expect(Token::RightBracket, "`]`")?;
                let span = start.to(self.previous_span());
                return self.add(Expr::TemporalBinary(operator, left, right), span);
            }
            Token::BoundedUntil => {
                self.advance();
                let (low, high) = self.integer_range()?;
                let right = self.until_operand()?;
                self.expect(Token::RightBracket, "`]`")?;
                let span = start.to(self.previous_span());
                return self.add(
                    Expr::BoundedUntil {
                        all,
                        low,
                        high,
                        left,
                        right,
                    },
                    span,
                );
            }
            _ if !self.ctl_star => return Err(self.expected("`U` or `BU`")),
            Token::RightBracket => left,
            _ => match self.infix(true) {
                Some((Infix::Temporal(operator), _)) => {
                    self.advance();
                    let right = self.until_operand()?;
                    let span = self.arena.span(left).to(self.previous_span());
                    self.add(Expr::TemporalBinary(operator, left, right), span)?
                }
                _ => return Err(self.expected("a temporal operator or `]`")),
            },
        };
        self.expect(Token::RightBracket, "`]`")?;
        let span = start.to(self.previous_span());
        self.add(Expr::Temporal(quantifier, path), span)
    }
}

fn temporal_operator(token: Token) -> Option<TemporalUnary> {
    Some(match token {
        Token::CtlEX => TemporalUnary::EX,
        Token::CtlAX => TemporalUnary::AX,
        Token::CtlEF => TemporalUnary::EF,
        Token::CtlAF => TemporalUnary::AF,
        Token::CtlEG => TemporalUnary::EG,
        Token::CtlAG => TemporalUnary::AG,
        Token::NextTime => TemporalUnary::X,
        Token::Future => TemporalUnary::F,
        Token::Globally => TemporalUnary::G,
        Token::Previous => TemporalUnary::Y,
        Token::WeakPrevious => TemporalUnary::Z,
        Token::Historically => TemporalUnary::H,
        Token::Once => TemporalUnary::O,
        _ => return None,
    })
}

fn bounded_ctl(token: Token) -> Option<BoundedUnary> {
    Some(match token {
        Token::CtlEBF => BoundedUnary::EBF,
        Token::CtlABF => BoundedUnary::ABF,
        Token::CtlEBG => BoundedUnary::EBG,
        Token::CtlABG => BoundedUnary::ABG,
        _ => return None,
    })
}
