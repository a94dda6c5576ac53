//! Types as they are written: Boolean, ranges, enumerations, words, arrays, numbers without bounds, instances of modules.

use super::ast::{ExprId, TypeExpr, TypeKind};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use entail_source::Span;

impl Parser<'_> {
    pub(super) fn type_expression(&mut self, instances: bool) -> Parse<TypeExpr> {
        let start = self.span();
        let kind = self.type_kind(instances)?;
        Ok(TypeExpr {
            kind,
            span: start.to(self.previous_span()),
        })
    }

    /// A type of an argument, or of the result, of a function. `integer * boolean` is no product of two bounds there.
    pub(super) fn factor_type(&mut self) -> Parse<TypeExpr> {
        let kind = match (self.token(), self.text()) {
            (Token::Identifier, "integer") => TypeKind::Integer,
            (Token::Identifier, "real") => TypeKind::Real,
            _ => return self.type_expression(false),
        };
        let span = self.advance().span();
        Ok(TypeExpr { kind, span })
    }

    fn type_kind(&mut self, instances: bool) -> Parse<TypeKind> {
        match self.token() {
            Token::Boolean => {
                self.advance();
                Ok(TypeKind::Boolean)
            }
            Token::Word => self.word_type(false),
            Token::Signed | Token::Unsigned => {
                let signed = self.advance().token == Token::Signed;
                self.word_type(signed)
            }
            Token::LeftBrace => self.enumeration(),
            Token::Array => self.array_type(),
            Token::Process => {
                let span = self.advance().span();
                if !instances {
                    return Err(self.instance_out_of_place(span));
                }
                self.instance(true)
            }
            Token::Identifier if !self.at_bound() => {
                let span = self.span();
                let unbounded = match self.text() {
                    "integer" => Some(TypeKind::Integer),
                    "real" => Some(TypeKind::Real),
                    "clock" => Some(TypeKind::Clock),
                    _ => None,
                };
                match unbounded {
                    Some(kind) if self.peek(1) != Token::LeftParen => {
                        self.advance();
                        Ok(kind)
                    }
                    _ if !instances => Err(self.instance_out_of_place(span)),
                    _ => self.instance(false),
                }
            }
            _ => self.range_type(),
        }
    }

    fn instance_out_of_place(&mut self, span: Span) -> super::parser::Failed {
        self.error(
            "smv::syntax",
            "only VAR sections instantiate modules",
            span,
            "a module's name",
        )
    }

    /// Whether the identifier here begins the lower bound of a range rather than names a module.
    fn at_bound(&self) -> bool {
        matches!(
            self.peek(1),
            Token::DotDot
                | Token::Dot
                | Token::LeftBracket
                | Token::Plus
                | Token::Minus
                | Token::Times
                | Token::Divide
                | Token::Mod
                | Token::ShiftLeft
                | Token::ShiftRight
                | Token::Concat
        )
    }

    fn range_type(&mut self) -> Parse<TypeKind> {
        if self.token().is_keyword()
            && !matches!(
                self.token(),
                Token::Count
                    | Token::SizeOf
                    | Token::ToInt
                    | Token::Abs
                    | Token::Min
                    | Token::Max
                    | Token::SelfRef
                    | Token::Case
            )
        {
            return Err(self.expected("a type"));
        }
        let low = self.bound()?;
        self.expect(Token::DotDot, "`..`")?;
        let high = self.bound()?;
        Ok(TypeKind::Range(low, high))
    }

    fn word_type(&mut self, signed: bool) -> Parse<TypeKind> {
        self.expect(Token::Word, "`word`")?;
        self.expect(Token::LeftBracket, "`[`")?;
        let width = self.expression()?;
        self.expect(Token::RightBracket, "`]`")?;
        Ok(TypeKind::Word { signed, width })
    }

    fn enumeration(&mut self) -> Parse<TypeKind> {
        self.expect(Token::LeftBrace, "`{`")?;
        let mut values = Vec::new();
        loop {
            values.push(self.enumeration_value()?);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightBrace, "`,` or `}`")?;
        Ok(TypeKind::Enum(values))
    }

    fn enumeration_value(&mut self) -> Parse<ExprId> {
        use super::ast::Expr;
        let span = self.span();
        let expr = match self.token() {
            Token::Identifier => Expr::Name(self.constant_name()?.symbol),
            Token::True | Token::False => Expr::Bool(self.advance().token == Token::True),
            Token::Number | Token::Plus | Token::Minus => Expr::Number(self.integer()?),
            _ => return Err(self.expected("a value: an identifier or an integer")),
        };
        let span = span.to(self.previous_span());
        Ok(self.arena.add(expr, span))
    }

    fn array_type(&mut self) -> Parse<TypeKind> {
        let mut dimensions = Vec::new();
        while self.eat(Token::Array) {
            let is_map = match self.token() {
                Token::Word | Token::Signed | Token::Unsigned => true,
                Token::Identifier => self.text() == "integer" && !self.at_bound(),
                _ => false,
            };
            if is_map {
                let map = self.map_type()?;
                return Ok(match dimensions.is_empty() {
                    true => map.kind,
                    false => TypeKind::Array(dimensions, Box::new(map)),
                });
            }
            let low = self.bound()?;
            self.expect(Token::DotDot, "`..`")?;
            let high = self.bound()?;
            self.expect(Token::Of, "`of`")?;
            dimensions.push((low, high));
        }
        let is_number = matches!(self.text(), "integer" | "real" | "clock");
        if self.at(Token::Identifier) && !self.at_bound() && !is_number {
            return Err(self.error(
                "smv::array-of-modules",
                "arrays of modules are not part of the language any more",
                self.span(),
                "a module's name",
            ));
        }
        let element = self.type_expression(false)?;
        Ok(TypeKind::Array(dimensions, Box::new(element)))
    }

    /// What follows `array` where indices are all integers or all words: `integer of T`, `word[8] of T`.
    fn map_type(&mut self) -> Parse<TypeExpr> {
        let start = self.span();
        let index = self.type_expression(false)?;
        self.expect(Token::Of, "`of`")?;
        let element = self.type_expression(false)?;
        Ok(TypeExpr {
            kind: TypeKind::Map(Box::new(index), Box::new(element)),
            span: start.to(self.previous_span()),
        })
    }

    fn instance(&mut self, process: bool) -> Parse<TypeKind> {
        let module = self.identifier("a module's name (an identifier)")?;
        let mut arguments = Vec::new();
        if self.eat(Token::LeftParen) && !self.eat(Token::RightParen) {
            arguments.push(self.expression()?);
            while self.eat(Token::Comma) {
                arguments.push(self.expression()?);
            }
            self.expect(Token::RightParen, "`,` or `)`")?;
        }
        Ok(TypeKind::Instance {
            module,
            arguments,
            process,
        })
    }
}
