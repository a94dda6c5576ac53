//! Inline functions: kept as tokens, and read as a block where they are called.
//!
//! Arguments are put for parameters as they are written. `x = f(a)` is a call whose `return e` stands for `x = e`; what follows a `return`
//! is executed all the same.

use super::ast::*;
use super::parser::{Fail, Parser};
use super::token::{Kind, Token};
use entail_program::Origin;
use std::rc::Rc;

/// An inline function.
pub(super) struct Inline {
    pub parameters: Vec<Name>,
    pub body: Vec<Token>,
}

/// Inline functions that call each other without end are stopped here.
const MOST_INLINED: usize = 500_000;

impl Parser<'_> {
    /// A definition.
    pub(super) fn inline(&mut self) -> Result<(), Fail> {
        self.at += 1;
        let (name, _) = self.name("the name of the inline function")?;
        self.expect("(")?;
        let mut parameters = Vec::new();
        while !self.accept(")") {
            if !self.accept(",") {
                parameters.push(self.name("a parameter, or `)`")?.0);
            }
        }
        let start = self.at;
        self.expect("{")?;
        let mut open = 1;
        while open > 0 {
            match &self.next().kind {
                Kind::Mark("{") => open += 1,
                Kind::Mark("}") => open -= 1,
                Kind::End => {
                    return self.fail(
                        self.tokens[start].origin,
                        "the body of this inline function is not closed",
                        "close it with `}`",
                    );
                }
                _ => {}
            }
        }
        let body = self.tokens[start..self.at].to_vec();
        self.known
            .inlines
            .insert(name, Rc::new(Inline { parameters, body }));
        Ok(())
    }

    /// Whether a call begins here.
    pub(super) fn is_call(&self) -> bool {
        self.ahead(1).is("(")
            && matches!(&self.peek().kind, Kind::Name(name) if self.known.inlines.contains_key(name))
    }

    /// `return e`: the variable of the call gets the value.
    pub(super) fn return_value(&mut self) -> Result<StatementKind, Fail> {
        let at = self.next().origin;
        let value = self.expression()?;
        match &self.returns {
            Some(variable) => Ok(StatementKind::Assign(variable.clone(), value)),
            None => self.fail(
                at,
                "`return` where no value is asked for",
                "call the inline function as `x = f(...)`",
            ),
        }
    }

    /// A call of an inline function: its body with arguments put for parameters. If it returns a value, the variable gets it.
    pub(super) fn call(&mut self, returns: Option<Variable>) -> Result<StatementKind, Fail> {
        let (name, at) = self.name("an inline function")?;
        let Some(inline) = self.known.inlines.get(&name).cloned() else {
            return self.unexpected("an inline function");
        };
        self.expect("(")?;
        let arguments = self.call_arguments(at)?;
        if arguments.len() != inline.parameters.len() {
            let message = format!(
                "`{name}` has {} parameters, {} arguments are given",
                inline.parameters.len(),
                arguments.len()
            );
            return self.fail(at, message, "give one argument for each parameter");
        }
        let mut tokens: Vec<Token> = Vec::with_capacity(inline.body.len());
        let mut places: Vec<Origin> = Vec::with_capacity(inline.body.len());
        for token in &inline.body {
            if self.known.inlined + tokens.len() > MOST_INLINED {
                return self.fail(
                    at,
                    "inline functions expand to too much text",
                    "look for functions that call each other",
                );
            }
            let parameter = match &token.kind {
                Kind::Name(name) => inline.parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            match parameter {
                Some(position) => tokens.extend(arguments[position].iter().cloned()),
                None => tokens.push(token.clone()),
            }
            places.resize(tokens.len(), token.origin);
        }
        self.known.inlined += tokens.len();
        tokens.push(Token {
            kind: Kind::End,
            origin: at,
            starts_line: true,
            spaced: true,
        });
        let call = self.since(at);
        let mut inner = Parser {
            tokens: &tokens,
            at: 0,
            known: &mut *self.known,
            depth: self.depth + 1,
            in_formula: false,
            in_inline: true,
            inlined: Some((&places, call)),
            returns,
            labels: Vec::new(),
            height: 0,
        };
        if inner.depth >= super::parser::DEEPEST {
            return self.fail(
                at,
                "the nesting is too deep",
                "inline functions cannot call themselves",
            );
        }
        let body = inner.braces()?;
        // The variable, and those in its indices, are meant as the caller knows them.
        let mut meant: Vec<Name> = Vec::new();
        if let Some(variable) = &inner.returns {
            variable.used(&mut |expr| {
                if let ExprKind::Variable(variable) = &expr.kind {
                    meant.extend(variable.parts.first().map(|(name, _)| name.clone()));
                }
            });
        }
        let mut hiding = None;
        body.iter().for_each(|statement| {
            statement.each(&mut |inner| match &inner.kind {
                StatementKind::Declare(declared) if meant.contains(&declared.name) => {
                    hiding = Some(declared.at);
                }
                _ => {}
            })
        });
        match hiding {
            Some(at) => self.fail(
                at,
                "this variable hides the one that gets the returned value",
                "give it another name",
            ),
            None => Ok(StatementKind::Block(body)),
        }
    }

    fn call_arguments(&mut self, at: Origin) -> Result<Vec<Vec<Token>>, Fail> {
        let mut arguments: Vec<Vec<Token>> = Vec::new();
        if self.accept(")") {
            return Ok(arguments);
        }
        arguments.push(Vec::new());
        let mut open = 0;
        loop {
            let token = self.next();
            match token.kind {
                Kind::Mark("(" | "[" | "{") => open += 1,
                Kind::Mark(")") if open == 0 => return Ok(arguments),
                Kind::Mark(")" | "]" | "}") => open -= 1,
                Kind::Mark(",") if open == 0 => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::End => {
                    return self.fail(
                        at,
                        "the arguments of this call are not closed",
                        "close them with `)`",
                    );
                }
                _ => {}
            }
            if let Some(last) = arguments.last_mut() {
                last.push(token.clone());
            }
        }
    }
}
