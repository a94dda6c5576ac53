//! Expressions: operators by their strength, sets, ranges, big operators and patterns.

use super::{Parsed, Parser};
use crate::deep;
use crate::lexer::Kind;
use crate::syntax::*;
use entail_source::{Diagnostic, Span};

/// Expressions that are nested more deeply are refused.
const MOST_DEPTH: usize = 2_000;

impl<'a> Parser<'_, 'a> {
    /// The infix operator that comes next.
    fn infix(&self) -> Option<(Infix, u8, bool)> {
        let spelling = match self.peek() {
            Kind::Symbol(symbol) => symbol,
            Kind::Name(name) => name,
            _ => return None,
        };
        let row = INFIX
            .iter()
            .find(|(_, spellings, ..)| spellings.contains(&spelling))?;
        // A big operator begins a new expression, and a bound belongs to it.
        (self.peek_second() != Kind::Symbol("[")).then_some((row.0, row.2, row.3))
    }

    pub(super) fn expression(&mut self, strength: u8) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            let problem = Diagnostic::error(
                "tlsf::depth",
                "the expression is nested too deeply",
                self.span(),
                "here",
            );
            return Err(problem.into());
        }
        let begin = self.span().start;
        let mut left = deep(|| self.operand())?;
        while let Some((operator, own, right_grouping)) = self.infix() {
            if own < strength {
                break;
            }
            self.at += 1;
            let right = self.expression(if right_grouping { own } else { own + 1 })?;
            left = Expr {
                node: Node::Infix(operator, Box::new(left), Box::new(right)),
                span: Span::new(begin, self.last_end()),
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A term, perhaps with operators before it.
    fn operand(&mut self) -> Parsed<Expr> {
        let begin = self.span().start;
        let spelling = match self.peek() {
            Kind::Symbol(symbol) => symbol,
            Kind::Name(name) => name,
            _ => return self.term(),
        };
        let made = |parser: &Self, node: Node| Expr {
            node,
            span: Span::new(begin, parser.last_end()),
        };
        if self.peek_second() == Kind::Symbol("[") {
            let big = match spelling {
                "&&" | "AND" | "FORALL" => Some((Big::And, LTL_PREFIX)),
                "||" | "OR" | "EXISTS" => Some((Big::Or, LTL_PREFIX)),
                "+" | "SUM" => Some((Big::Sum, NUMBER_PREFIX)),
                "*" | "PROD" => Some((Big::Product, NUMBER_PREFIX)),
                "(+)" | "CUP" => Some((Big::Cup, SET_PREFIX)),
                "(*)" | "CAP" => Some((Big::Cap, SET_PREFIX)),
                _ => None,
            };
            if let Some((big, strength)) = big {
                self.at += 2;
                let mut conditions = vec![self.expression(0)?];
                while self.take_symbol(",") {
                    conditions.push(self.expression(0)?);
                }
                self.symbol(
                    "]",
                    "a big operator is written as &&[i IN {0, 1 .. n}] or &&[0 <= i < n]",
                )?;
                let body = self.expression(strength + 1)?;
                return Ok(made(self, Node::Big(big, conditions, Box::new(body))));
            }
        }
        let prefix = match spelling {
            "!" | "NOT" => Some((Prefix::Not, LTL_PREFIX)),
            "X" => Some((Prefix::Next, LTL_PREFIX)),
            "Y" => Some((Prefix::Previous, LTL_PREFIX)),
            "G" => Some((Prefix::Globally, LTL_PREFIX)),
            "F" => Some((Prefix::Finally, LTL_PREFIX)),
            "H" => Some((Prefix::Historically, LTL_PREFIX)),
            "O" => Some((Prefix::Once, LTL_PREFIX)),
            "SIZEOF" => Some((Prefix::SizeOf, NUMBER_PREFIX)),
            "SIZE" => Some((Prefix::Size, NUMBER_PREFIX)),
            "MIN" => Some((Prefix::Min, NUMBER_PREFIX)),
            "MAX" => Some((Prefix::Max, NUMBER_PREFIX)),
            _ => None,
        };
        let Some((prefix, strength)) = prefix else {
            return self.term();
        };
        self.at += 1;
        let temporal = strength == LTL_PREFIX && prefix != Prefix::Not;
        if temporal && self.take_symbol("[") {
            let mut strong = self.take_symbol("!");
            if strong && self.take_symbol("]") {
                if prefix != Prefix::Next {
                    self.at -= 1;
                    return Err(self.expected("a bound", "only X can be strong without a bound: `X[!]`"));
                }
                let operand = self.prefixed(strength)?;
                return Ok(made(self, Node::Prefix(Prefix::StrongNext, Box::new(operand))));
            }
            let bound = self.expression(0)?;
            strong |= self.take_symbol("!");
            self.symbol("]", "a bound is written as X[n], F[n:m] or G[n:m]")?;
            let operand = self.prefixed(strength)?;
            return Ok(made(
                self,
                Node::Bounded(prefix, Box::new(bound), strong, Box::new(operand)),
            ));
        }
        let operand = self.prefixed(strength)?;
        Ok(made(self, Node::Prefix(prefix, Box::new(operand))))
    }

    /// The operand of a prefix operator: perhaps another one of the same strength.
    fn prefixed(&mut self, strength: u8) -> Parsed<Expr> {
        self.expression(strength + 1)
    }

    fn term(&mut self) -> Parsed<Expr> {
        let begin = self.span().start;
        let help = "an expression is a signal, a number, a set, or a formula such as G (r -> F g)";
        let node = match self.peek() {
            Kind::Number(number) => {
                self.at += 1;
                Node::Number(number)
            }
            Kind::Symbol("(") => {
                self.at += 1;
                let inner = self.expression(0)?;
                self.symbol(")", "every `(` needs its `)`")?;
                return Ok(Expr {
                    node: inner.node,
                    span: Span::new(begin, self.last_end()),
                });
            }
            Kind::Symbol("|") => {
                self.at += 1;
                let inner = self.expression(0)?;
                self.symbol("|", "the size of a set is written as |S|")?;
                Node::Prefix(Prefix::Size, Box::new(inner))
            }
            Kind::Symbol("{") => {
                self.at += 1;
                self.set()?
            }
            Kind::Name("true") => self.constant(Node::True),
            Kind::Name("false") => self.constant(Node::False),
            Kind::Name("otherwise") => self.constant(Node::Otherwise),
            Kind::Name("_") => self.constant(Node::Wild),
            Kind::Name(_) => {
                let (name, _) = self.identifier("an expression")?;
                if self.take_symbol("(") {
                    let mut arguments = vec![self.expression(0)?];
                    while self.take_symbol(",") {
                        arguments.push(self.expression(0)?);
                    }
                    self.symbol(")", "arguments are separated by `,`")?;
                    Node::Call(name, arguments)
                } else if self.take_symbol("[") {
                    let index = self.expression(0)?;
                    self.symbol("]", "a part of a bus is written as name[index]")?;
                    Node::Index(name, Box::new(index))
                } else {
                    Node::Name(name)
                }
            }
            _ => return Err(self.expected("an expression", help)),
        };
        Ok(Expr {
            node,
            span: Span::new(begin, self.last_end()),
        })
    }

    fn constant(&mut self, node: Node) -> Node {
        self.at += 1;
        node
    }

    /// The rest of a set: elements, or the first two and the last of a range.
    fn set(&mut self) -> Parsed<Node> {
        let help = "sets are written as {1, 4, 9} or {0, 1 .. n}";
        let mut elements = Vec::new();
        if self.take_symbol("}") {
            return Ok(Node::Set(elements));
        }
        loop {
            elements.push(self.expression(0)?);
            if elements.len() == 2 && self.take_symbol("..") {
                let last = self.expression(0)?;
                self.symbol("}", help)?;
                let (Some(second), Some(first)) = (elements.pop(), elements.pop()) else {
                    return Err(self.expected("two elements before `..`", help));
                };
                return Ok(Node::Range(Box::new(first), Box::new(second), Box::new(last)));
            }
            if self.take_symbol("}") {
                return Ok(Node::Set(elements));
            }
            self.symbol(",", help)?;
        }
    }
}
