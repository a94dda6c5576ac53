//! What stands between operators: constants, names with their suffixes, calls, `case`, sets and ranges.

use super::ast::{Expr, ExprId, Function};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use super::word_literal;
use entail_source::Span;

impl Parser<'_> {
    pub(super) fn set_or_range(&mut self, start: Span) -> Option<Parse<ExprId>> {
        if self.eat(Token::LeftBrace) {
            return Some(self.set_members(start));
        }
        let digits_at = match self.token() {
            Token::Number => 0,
            Token::Plus | Token::Minus if self.peek(1) == Token::Number => 1,
            _ => return None,
        };
        if self.peek(digits_at + 1) != Token::DotDot {
            return None;
        }
        Some(self.integer_range().and_then(|(low, high)| {
            let span = start.to(self.previous_span());
            self.add(Expr::Range(low, high), span)
        }))
    }

    fn set_members(&mut self, start: Span) -> Parse<ExprId> {
        let mut members = vec![self.expression()?];
        while self.eat(Token::Comma) {
            members.push(self.expression()?);
        }
        self.expect(Token::RightBrace, "`,` or `}`")?;
        let list = self.arena.add_list(&members);
        self.add(Expr::Set(list), start.to(self.previous_span()))
    }

    pub(super) fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let id = match self.token() {
            Token::Number => {
                let value = self.natural()?;
                self.add(Expr::Number(value), start)?
            }
            Token::WordNumber => self.word_constant()?,
            Token::RealNumber => {
                self.advance();
                self.add(Expr::Real, start)?
            }
            Token::True | Token::False => {
                let value = self.advance().token == Token::True;
                self.add(Expr::Bool(value), start)?
            }
            // A word like any other, unless an argument follows.
            Token::Identifier if self.text() == "floor" && self.peek(1) == Token::LeftParen => {
                self.call(Function::Floor, 1, 1)?
            }
            Token::Identifier => {
                let symbol = self.arena.names.intern(self.text());
                self.advance();
                self.add(Expr::Name(symbol), start)?
            }
            Token::SelfRef => {
                self.advance();
                self.add(Expr::SelfRef, start)?
            }
            Token::LeftParen => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Token::RightParen, "`)`")?;
                self.arena.set_span(inner, start.to(self.previous_span()));
                inner
            }
            Token::Case => self.case()?,
            Token::Next => {
                self.advance();
                let inner = self.parenthesised()?;
                self.add(Expr::Next(inner), start.to(self.previous_span()))?
            }
            Token::ConstArray => self.constant_array()?,
            token => match function(token) {
                Some((function, least, most)) => self.call(function, least, most)?,
                None => return Err(self.expected("an expression")),
            },
        };
        self.suffixes(id, start)
    }

    pub(super) fn suffixes(&mut self, mut id: ExprId, start: Span) -> Parse<ExprId> {
        loop {
            match self.token() {
                Token::Dot => {
                    let named = matches!(
                        self.arena.get(id),
                        Expr::Name(_) | Expr::Dot(..) | Expr::Index(..) | Expr::SelfRef
                    );
                    if !named {
                        return Err(self.error(
                            "smv::syntax",
                            "only names have parts",
                            self.span(),
                            "`.` after something that is no name",
                        ));
                    }
                    self.advance();
                    if !matches!(self.token(), Token::Identifier | Token::Number) {
                        return Err(self.expected("an identifier"));
                    }
                    let symbol = self.arena.names.intern(self.text());
                    self.advance();
                    id = self.add(Expr::Dot(id, symbol), start.to(self.previous_span()))?;
                }
                Token::LeftBracket => {
                    self.advance();
                    let index = self.expression()?;
                    id = if self.eat(Token::Colon) {
                        let low = self.expression()?;
                        self.expect(Token::RightBracket, "`]`")?;
                        let span = start.to(self.previous_span());
                        self.add(
                            Expr::BitSelect {
                                word: id,
                                high: index,
                                low,
                            },
                            span,
                        )?
                    } else {
                        self.expect(Token::RightBracket, "`]` or `:`")?;
                        let span = start.to(self.previous_span());
                        self.add(Expr::Index(id, index), span)?
                    };
                }
                Token::LeftParen if matches!(self.arena.get(id), Expr::Name(_) | Expr::Dot(..)) => {
                    self.advance();
                    let arguments = self.arguments()?;
                    let list = self.arena.add_list(&arguments);
                    id = self.add(Expr::Apply(id, list), start.to(self.previous_span()))?;
                }
                _ => return Ok(id),
            }
        }
    }

    fn parenthesised(&mut self) -> Parse<ExprId> {
        self.expect(Token::LeftParen, "`(`")?;
        let inner = self.expression()?;
        self.expect(Token::RightParen, "`)`")?;
        Ok(inner)
    }

    fn call(&mut self, function: Function, least: usize, most: usize) -> Parse<ExprId> {
        let start = self.span();
        let name = self.text();
        self.advance();
        self.expect(Token::LeftParen, "`(`")?;
        let arguments = self.arguments()?;
        let span = start.to(self.previous_span());
        if !(least..=most).contains(&arguments.len()) {
            let message = format!(
                "`{name}` takes {least} argument{}, not {}",
                if least == 1 { "" } else { "s" },
                arguments.len()
            );
            return Err(self.error("smv::arity", &message, span, "this call"));
        }
        self.add_call(function, &arguments, span)
    }

    /// Arguments up to the closing parenthesis.
    fn arguments(&mut self) -> Parse<Vec<ExprId>> {
        let mut arguments = vec![self.expression()?];
        while self.eat(Token::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
        Ok(arguments)
    }

    /// `CONSTARRAY(type, element)`; the type is written out or that of an expression.
    fn constant_array(&mut self) -> Parse<ExprId> {
        let start = self.span();
        self.advance();
        self.expect(Token::LeftParen, "`(`")?;
        let type_start = self.span();
        let ty = match self.eat(Token::TypeOf) {
            true => Expr::TypeOf(self.parenthesised()?),
            false => {
                let ty = self.type_expression(false)?;
                Expr::Type(self.arena.add_type(ty))
            }
        };
        let ty = self.add(ty, type_start.to(self.previous_span()))?;
        self.expect(Token::Comma, "`,`")?;
        let element = self.expression()?;
        self.expect(Token::RightParen, "`)`")?;
        let span = start.to(self.previous_span());
        self.add_call(Function::ConstArray, &[ty, element], span)
    }

    fn case(&mut self) -> Parse<ExprId> {
        let start = self.span();
        self.advance();
        self.case_depth += 1;
        let mut branches = Vec::new();
        while !self.at(Token::Esac) || branches.is_empty() {
            branches.push(self.expression()?);
            self.expect(Token::Colon, "`:`")?;
            branches.push(self.expression()?);
            self.expect(Token::Semicolon, "`;`")?;
        }
        self.advance();
        self.case_depth -= 1;
        let list = self.arena.add_list(&branches);
        self.add(Expr::Case(list), start.to(self.previous_span()))
    }

    fn word_constant(&mut self) -> Parse<ExprId> {
        let span = self.span();
        match word_literal::parse(self.text()) {
            Ok(word) => {
                self.advance();
                let word = self.arena.add_word(word);
                self.add(Expr::Word(word), span)
            }
            Err(message) => Err(self.error("smv::word-constant", &message, span, "this constant")),
        }
    }

    /// A decimal integer without sign.
    pub(super) fn natural(&mut self) -> Parse<i64> {
        if !self.at(Token::Number) {
            return Err(self.expected("an integer constant"));
        }
        match self.text().parse::<i32>() {
            Ok(value) => {
                self.advance();
                Ok(i64::from(value))
            }
            Err(_) => Err(self.error(
                "smv::integer",
                "this integer is too large",
                self.span(),
                "at most 2147483647",
            )),
        }
    }

    /// A decimal integer with an optional sign.
    pub(super) fn integer(&mut self) -> Parse<i64> {
        if self.eat(Token::Minus) {
            return Ok(-self.natural()?);
        }
        self.eat(Token::Plus);
        self.natural()
    }

    pub(super) fn integer_range(&mut self) -> Parse<(i64, i64)> {
        let low = self.integer()?;
        self.expect(Token::DotDot, "`..`")?;
        let high = self.integer()?;
        Ok((low, high))
    }
}

/// A built-in function with the fewest and the most arguments it takes.
fn function(token: Token) -> Option<(Function, usize, usize)> {
    Some(match token {
        Token::Abs => (Function::Abs, 1, 1),
        Token::Min => (Function::Min, 2, 2),
        Token::Max => (Function::Max, 2, 2),
        Token::Bool => (Function::Bool, 1, 1),
        Token::Word1 => (Function::Word1, 1, 1),
        Token::ToInt => (Function::ToInt, 1, 1),
        Token::Signed => (Function::Signed, 1, 1),
        Token::Unsigned => (Function::Unsigned, 1, 1),
        Token::Extend => (Function::Extend, 2, 2),
        Token::Resize => (Function::Resize, 2, 2),
        Token::SizeOf => (Function::SizeOf, 1, 1),
        Token::UwConst => (Function::UwConst, 2, 2),
        Token::SwConst => (Function::SwConst, 2, 2),
        Token::Read => (Function::Read, 2, 2),
        Token::Write => (Function::Write, 3, 3),
        Token::Count => (Function::Count, 1, usize::MAX),
        _ => return None,
    })
}
