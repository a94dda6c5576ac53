//! Expressions: precedence climbing with NuSMV's levels.
//!
//! From loosest to tightest: `->` (right), `<->`, `?:` (right), `|` `xor` `xnor` (one level), `&`, the binary temporal
//! operators `U V S T`, then the unary temporal ones, the relations, `in`, `union`, `<<` `>>`, `+` `-`,
//! `*` `/` `mod`, `::`, and last the prefixes `!` `-`, which bind tighter than any infix operator: `!a = b` is `(!a) = b`, but `!G a = b` is `!(G (a = b))`. Inside
//! `A [ p U q ]` the operands are implications in which `U` is no operator, so `A [a -> b U c]` is `A [(a -> b) U c]`.

use super::ast::{
    Binary, Distance, Expr, ExprId, Function, MAX_DEPTH, Nary, SpecKind, TemporalBinary, Unary,
};
use super::lexer::Token;
use super::parser::{Failed, MAX_NESTING, Parse, Parser};
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
pub(super) enum Infix {
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
    pub(super) fn until_operand(&mut self) -> Parse<ExprId> {
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

    pub(super) fn add_call(&mut self, function: Function, arguments: &[ExprId], span: Span) -> Parse<ExprId> {
        let list = self.arena.add_list(arguments);
        self.add(Expr::Call(function, list), span)
    }

    pub(super) fn infix(&self, temporal: bool) -> Option<(Infix, Level)> {
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

    pub(super) fn infixes(&mut self, mut left: ExprId, level: Level, temporal: bool) -> Parse<ExprId> {
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
    pub(super) fn chain(&mut self, left: ExprId, nary: Nary, level: Level, temporal: bool) -> Parse<ExprId> {
        let token = self.token();
        let start = self.arena.span(left);
        let mut members = vec![left];
        while self.eat(token) {
            members.push(self.climb(level.tighter(), temporal)?);
        }
        let list = self.arena.add_list(&members);
        self.add(Expr::Nary(nary, list), start.to(self.previous_span()))
    }

    pub(super) fn prefix(&mut self, level: Level, temporal: bool) -> Parse<ExprId> {
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
    pub(super) fn nested_prefix(&mut self, level: Level, temporal: bool) -> Parse<ExprId> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_deep(self.span()));
        }
        let result = stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.prefix(level, temporal));
        self.nesting = self.nesting.saturating_sub(1);
        result
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
