//! Expressions: precedence climbing with NuSMV's levels.
//!
//! From loosest to tightest: `->` (right), `<->`, `?:` (right), `|` `xor` `xnor` (one level), `&`, the binary temporal
//! operators `U V S T`, then the unary temporal ones, the relations, `in`, `union`, `<<` `>>`, `+` `-`,
//! `*` `/` `mod`, `::`, and last the prefixes `!` `-`, which bind tighter than any infix operator: `!a = b` is `(!a) = b`, but `!G a = b` is `!(G (a = b))`. Inside
//! `A [ p U q ]` the operands are implications in which `U` is no operator, so `A [a -> b U c]` is `A [(a -> b) U c]`.

use super::ast::{
    Binary, BoundedUnary, Distance, Expr, ExprId, Function, MAX_DEPTH, Nary, SpecKind, TemporalBinary,
    TemporalUnary, Unary,
};
use super::lexer::Token;
use super::parser::{Failed, MAX_NESTING, Parse, Parser};
use super::word_literal;
use entail_source::{Diagnostic, Span};

/// How tightly an operator binds. The order of the variants is the order of tightness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Implies,
    Iff,
    Ite,
    Or,
    And,
    TemporalBinary,
    TemporalUnary,
    Relation,
    In,
    Union,
    /// Where sets `{…}` and ranges `1..2` may stand.
    Set,
    Shift,
    Sum,
    Product,
    Concat,
    Prefix,
}

impl Level {
    /// The next tighter level: what stands right of a left-associative operator.
    fn tighter(self) -> Level {
        use Level::*;
        match self {
            Implies => Iff,
            Iff => Ite,
            Ite => Or,
            Or => And,
            And => TemporalBinary,
            TemporalBinary => TemporalUnary,
            TemporalUnary => Relation,
            Relation => In,
            In => Union,
            Union => Set,
            Set => Shift,
            Shift => Sum,
            Sum => Product,
            Product => Concat,
            Concat | Prefix => Prefix,
        }
    }
}

#[derive(Clone, Copy)]
enum Infix {
    Binary(Binary),
    Nary(Nary),
    Temporal(TemporalBinary),
    Question,
}

impl Parser<'_> {
    /// An expression of the loosest level.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.climb(Level::Implies, true)
    }

    /// The operand of `A [ … U …]`: `U` ends it.
    fn until_operand(&mut self) -> Parse<ExprId> {
        self.climb(Level::Implies, false)
    }

    /// A constant expression that bounds a range type: no sets, no relations.
    pub(super) fn bound(&mut self) -> Parse<ExprId> {
        self.climb(Level::Shift, true)
    }

    pub(super) fn climb(&mut self, level: Level, temporal: bool) -> Parse<ExprId> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
            let left = self.prefix(level, temporal)?;
            self.infixes(left, level, temporal)
        });
        self.nesting = self.nesting.saturating_sub(1);
        result
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        let diagnostic = Diagnostic::error(
            "smv::nesting",
            format!("the expression nests too deeply: {MAX_DEPTH} levels is the limit"),
            span,
            "too deep here",
        )
        .with_help("name a part of it in a DEFINE");
        self.report(diagnostic)
    }

    /// Adds a node, unless the tree would be too deep.
    pub(super) fn add(&mut self, expr: Expr, span: Span) -> Parse<ExprId> {
        let id = self.arena.add(expr, span);
        if self.arena.depth(id) > MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        Ok(id)
    }

    fn add_call(&mut self, function: Function, arguments: &[ExprId], span: Span) -> Parse<ExprId> {
        let list = self.arena.add_list(arguments);
        self.add(Expr::Call(function, list), span)
    }

    fn infix(&self, temporal: bool) -> Option<(Infix, Level)> {
        use Infix::Binary as B;
        Some(match self.token() {
            Token::Implies => (B(Binary::Implies), Level::Implies),
            // In PSL both arrows bind alike.
            Token::Iff if self.psl => (B(Binary::Iff), Level::Implies),
            Token::Iff => (B(Binary::Iff), Level::Iff),
            Token::Question => (Infix::Question, Level::Ite),
            Token::Or => (Infix::Nary(Nary::Or), Level::Or),
            Token::Xor => (B(Binary::Xor), Level::Or),
            Token::Xnor => (B(Binary::Xnor), Level::Or),
            Token::And => (Infix::Nary(Nary::And), Level::And),
            Token::Until if temporal => (Infix::Temporal(TemporalBinary::U), Level::TemporalBinary),
            Token::Releases if temporal => (Infix::Temporal(TemporalBinary::V), Level::TemporalBinary),
            Token::Since if temporal => (Infix::Temporal(TemporalBinary::S), Level::TemporalBinary),
            Token::Triggered if temporal => (Infix::Temporal(TemporalBinary::T), Level::TemporalBinary),
            Token::Identifier if temporal && self.ctl_star && self.text() == "R" => {
                (Infix::Temporal(TemporalBinary::V), Level::TemporalBinary)
            }
            Token::Identifier if self.at_psl_until() => {
                (Infix::Temporal(TemporalBinary::U), Level::TemporalBinary)
            }
            Token::Equal => (B(Binary::Equal), Level::Relation),
            Token::NotEqual => (B(Binary::NotEqual), Level::Relation),
            Token::Less => (B(Binary::Less), Level::Relation),
            Token::LessEqual => (B(Binary::LessEqual), Level::Relation),
            Token::Greater => (B(Binary::Greater), Level::Relation),
            Token::GreaterEqual => (B(Binary::GreaterEqual), Level::Relation),
            Token::SetIn => (B(Binary::In), Level::In),
            Token::Union => (B(Binary::Union), Level::Union),
            Token::ShiftLeft => (B(Binary::ShiftLeft), Level::Shift),
            Token::ShiftRight => (B(Binary::ShiftRight), Level::Shift),
            Token::Plus => (Infix::Nary(Nary::Add), Level::Sum),
            Token::Minus => (B(Binary::Subtract), Level::Sum),
            Token::Times => (B(Binary::Multiply), Level::Product),
            Token::Divide => (B(Binary::Divide), Level::Product),
            Token::Mod => (B(Binary::Modulo), Level::Product),
            Token::Concat => (B(Binary::Concat), Level::Concat),
            _ => return None,
        })
    }

    /// PSL's `until!`, which is two tokens.
    fn at_psl_until(&self) -> bool {
        self.psl && self.at(Token::Identifier) && self.text() == "until" && self.psl_is_strong()
    }

    fn infixes(&mut self, mut left: ExprId, level: Level, temporal: bool) -> Parse<ExprId> {
        while let Some((operator, its_level)) = self.infix(temporal) {
            if its_level < level {
                break;
            }
            let start = self.arena.span(left);
            left = match operator {
                Infix::Nary(nary) => self.chain(left, nary, its_level, temporal)?,
                Infix::Question => {
                    self.advance();
                    let yes = self.climb(Level::Implies, true)?;
                    self.expect(Token::Colon, "`:`")?;
                    let no = self.climb(Level::Ite, temporal)?;
                    let span = start.to(self.previous_span());
                    self.add(Expr::IfThenElse(left, yes, no), span)?
                }
                Infix::Binary(binary) => {
                    self.advance();
                    let right_level = match its_level {
                        // To the right; in PSL to the left, as NuSMV reads it.
                        Level::Implies if !self.psl => Level::Implies,
                        other => other.tighter(),
                    };
                    let right = self.climb(right_level, temporal)?;
                    let span = start.to(self.previous_span());
                    self.add(Expr::Binary(binary, left, right), span)?
                }
                Infix::Temporal(binary) => {
                    if self.at_psl_until() {
                        self.advance();
                    }
                    self.advance();
                    let right = self.climb(its_level.tighter(), temporal)?;
                    let span = start.to(self.previous_span());
                    self.add(Expr::TemporalBinary(binary, left, right), span)?
                }
            };
        }
        Ok(left)
    }

    /// `left op a op b op …` as one node.
    fn chain(&mut self, left: ExprId, nary: Nary, level: Level, temporal: bool) -> Parse<ExprId> {
        let token = self.token();
        let start = self.arena.span(left);
        let mut members = vec![left];
        while self.eat(token) {
            members.push(self.climb(level.tighter(), temporal)?);
        }
        let list = self.arena.add_list(&members);
        self.add(Expr::Nary(nary, list), start.to(self.previous_span()))
    }

    fn prefix(&mut self, level: Level, temporal: bool) -> Parse<ExprId> {
        let start = self.span();
        if self.psl
            && level <= Level::TemporalUnary
            && let Some(result) = self.psl_prefix(start)
        {
            return result;
        }
        if level <= Level::TemporalUnary
            && let Some(result) = self.temporal_prefix(start)
        {
            return result;
        }
        if level <= Level::Set
            && let Some(result) = self.set_or_range(start)
        {
            return result;
        }
        match self.token() {
            Token::Not => {
                self.advance();
                // `!` takes a whole temporal operator, but otherwise only what binds tightest.
                let inner_level = if level <= Level::TemporalUnary && self.at_negated_temporal() {
                    Level::TemporalUnary
                } else {
                    Level::Prefix
                };
                let inner = if inner_level == Level::TemporalUnary {
                    self.nested_prefix(inner_level, temporal)?
                } else {
                    self.climb(inner_level, temporal)?
                };
                let span = start.to(self.previous_span());
                self.add(Expr::Unary(Unary::Not, inner), span)
            }
            Token::Minus => {
                self.advance();
                let inner = self.climb(Level::Prefix, temporal)?;
                let span = start.to(self.previous_span());
                self.add(Expr::Unary(Unary::Negate, inner), span)
            }
            Token::Plus if self.peek(1) == Token::Number => {
                self.advance();
                self.primary()
            }
            _ => self.primary(),
        }
    }

    /// A prefix without the infix operators that might follow it.
    fn nested_prefix(&mut self, level: Level, temporal: bool) -> Parse<ExprId> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.prefix(level, temporal));
        self.nesting = self.nesting.saturating_sub(1);
        result
    }

    /// Whether, behind any number of `!`, a temporal operator follows.
    fn at_negated_temporal(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead) == Token::Not {
            ahead += 1;
        }
        temporal_operator(self.peek(ahead)).is_some()
            || matches!(self.peek(ahead), Token::PathA | Token::PathE)
            || bounded_ctl(self.peek(ahead)).is_some()
    }

    fn temporal_prefix(&mut self, start: Span) -> Option<Parse<ExprId>> {
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

    fn set_or_range(&mut self, start: Span) -> Option<Parse<ExprId>> {
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

    fn primary(&mut self) -> Parse<ExprId> {
        let start = self.span();
        let id = match self.token() {
            Token::Number => {
                let value = self.natural()?;
                self.add(Expr::Number(value), start)?
            }
            Token::WordNumber => self.word_constant()?,
            Token::RealNumber => {
                return Err(self.error(
                    "smv::not-yet",
                    "real constants are not supported yet",
                    start,
                    "a real number",
                ));
            }
            Token::True | Token::False => {
                let value = self.advance().token == Token::True;
                self.add(Expr::Bool(value), start)?
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
            Token::Read | Token::Write | Token::ConstArray | Token::TypeOf => {
                let message = format!("`{}` is not supported yet", self.text());
                return Err(self.error("smv::not-yet", &message, start, "an operator on unbounded arrays"));
            }
            token => match function(token) {
                Some((function, least, most)) => self.call(function, least, most)?,
                None => return Err(self.expected("an expression")),
            },
        };
        self.suffixes(id, start)
    }

    fn suffixes(&mut self, mut id: ExprId, start: Span) -> Parse<ExprId> {
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
                    return Err(self.error(
                        "smv::not-yet",
                        "functions are not supported",
                        self.span(),
                        "this reads as a call of a function",
                    ));
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
        let mut arguments = vec![self.expression()?];
        while self.eat(Token::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Token::RightParen, "`,` or `)`")?;
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

    fn integer_range(&mut self) -> Parse<(i64, i64)> {
        let low = self.integer()?;
        self.expect(Token::DotDot, "`..`")?;
        let high = self.integer()?;
        Ok((low, high))
    }

    /// The body of a specification of the given kind.
    pub(super) fn specification(&mut self, kind: SpecKind) -> Parse<ExprId> {
        if kind != SpecKind::Compute {
            return self.expression();
        }
        let start = self.span();
        let distance = match self.token() {
            Token::ComputeMin => Distance::Min,
            Token::ComputeMax => Distance::Max,
            _ => return Err(self.expected("`MIN` or `MAX`")),
        };
        self.advance();
        self.expect(Token::LeftBracket, "`[`")?;
        let from = self.expression()?;
        self.expect(Token::Comma, "`,`")?;
        let to = self.expression()?;
        self.expect(Token::RightBracket, "`]`")?;
        self.add(Expr::Compute(distance, from, to), start.to(self.previous_span()))
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
        Token::Count => (Function::Count, 1, usize::MAX),
        _ => return None,
    })
}
