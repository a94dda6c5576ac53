//! Equations, one after the other. A right-hand side is read with a stack of operators that wait for their operands, so that nesting is bounded by memory only.

use crate::tokens::{Token, tokens};
use entail_game::{BooleanEquation, BooleanEquations, BooleanNode};
use entail_source::{Diagnostic, Diagnostics, Span};
use std::collections::HashMap;

/// A system that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EquationFile {
    /// The system.
    pub system: BooleanEquations,
    /// The variable that is asked about, by the number of its equation.
    pub start: u32,
}

const ITEMS: &str =
    "a file has equations `mu X = …;` and `nu X = …;`, blocks `mu { X = …; Y = …; }`, and `init X;`";

/// Reads a system.
pub fn read(text: &str) -> Result<EquationFile, Diagnostics> {
    tokens(text)
        .and_then(|tokens| Reader::new(&tokens).file())
        .map_err(Diagnostics::from)
}

struct Reader<'r, 't> {
    tokens: &'r [(Token<'t>, Span)],
    at: usize,
    nodes: Vec<BooleanNode>,
    equations: Vec<BooleanEquation>,
    /// Variables in the order in which they are met, for which an equation may still come.
    numbers: HashMap<&'t str, u32>,
    /// Where each was met first.
    mentioned: Vec<(&'t str, Span)>,
    /// For each variable its equation.
    defined: Vec<Option<u32>>,
}

/// Operators that wait.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Waiting {
    Parenthesis,
    Any,
    All,
}

type Read<T> = Result<T, Diagnostic>;

impl<'r, 't> Reader<'r, 't> {
    fn new(tokens: &'r [(Token<'t>, Span)]) -> Reader<'r, 't> {
        Reader {
            tokens,
            at: 0,
            nodes: Vec::new(),
            equations: Vec::new(),
            numbers: HashMap::new(),
            mentioned: Vec::new(),
            defined: Vec::new(),
        }
    }

    fn peek(&self) -> (Token<'t>, Span) {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn take(&mut self, token: Token<'_>) -> bool {
        let here = self.peek().0 == token;
        self.at += usize::from(here);
        here
    }

    fn expect(&mut self, sign: char) -> Read<()> {
        match self.take(Token::Sign(sign)) {
            true => Ok(()),
            false => Err(self.wrong(&format!("`{sign}`"))),
        }
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        let (token, span) = self.peek();
        let found = match token {
            Token::Name(name) => format!("`{}`", name.chars().take(60).collect::<String>()),
            Token::All => "`&&`".to_owned(),
            Token::Any => "`||`".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end of the file".to_owned(),
        };
        let message = format!("expected {what}, found {found}");
        Diagnostic::error("bes::syntax", message, span, "here").with_help(ITEMS)
    }

    fn name(&mut self) -> Read<(&'t str, Span)> {
        match self.peek() {
            (Token::Name(name), span) if !matches!(name, "true" | "false" | "mu" | "nu" | "init") => {
                self.at += 1;
                Ok((name, span))
            }
            _ => Err(self.wrong("the name of a variable")),
        }
    }

    fn file(mut self) -> Read<EquationFile> {
        let mut start: Option<(u32, Span)> = None;
        self.take(Token::Name("bes"));
        while self.peek().0 != Token::End {
            let here = self.peek().1;
            if self.take(Token::Name("init")) {
                let (name, span) = self.name()?;
                if start.replace((self.variable(name, span), span)).is_some() {
                    return Err(Diagnostic::error(
                        "bes::init",
                        "there is a second `init`",
                        here,
                        "here",
                    ));
                }
                self.expect(';')?;
                continue;
            }
            let is_greatest = match (self.take(Token::Name("nu")), self.take(Token::Name("mu"))) {
                (false, false) => return Err(self.wrong("`mu`, `nu` or `init`")),
                (is_greatest, _) => is_greatest,
            };
            if !self.take(Token::Sign('{')) {
                self.equation(is_greatest)?;
                continue;
            }
            while !self.take(Token::Sign('}')) {
                self.equation(is_greatest)?;
            }
        }
        self.finish(start.map(|(variable, _)| variable))
    }

    fn equation(&mut self, is_greatest: bool) -> Read<()> {
        let (name, span) = self.name()?;
        let variable = self.variable(name, span) as usize;
        let number = self.equations.len() as u32;
        if self.defined[variable].replace(number).is_some() {
            let message = format!("`{name}` is defined twice");
            return Err(Diagnostic::error("bes::twice", message, span, "here again"));
        }
        self.expect('=')?;
        let body = self.body()?;
        self.expect(';')?;
        self.equations.push(BooleanEquation {
            name: name.to_owned(),
            is_greatest,
            body,
        });
        Ok(())
    }

    /// The number of a variable in the order in which they are met.
    fn variable(&mut self, name: &'t str, span: Span) -> u32 {
        let fresh = self.mentioned.len() as u32;
        let number = *self.numbers.entry(name).or_insert(fresh);
        if number == fresh {
            self.mentioned.push((name, span));
            self.defined.push(None);
        }
        number
    }

    fn push(&mut self, node: BooleanNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// A right-hand side.
    fn body(&mut self) -> Read<u32> {
        let mut operators: Vec<Waiting> = Vec::new();
        let mut operands: Vec<u32> = Vec::new();
        let mut open = 0;
        loop {
            while self.take(Token::Sign('(')) {
                operators.push(Waiting::Parenthesis);
                open += 1;
            }
            operands.push(self.operand()?);
            while open > 0 && self.take(Token::Sign(')')) {
                self.reduce(&mut operators, &mut operands, Waiting::Any);
                operators.pop();
                open -= 1;
            }
            let operator = match self.peek().0 {
                Token::All => Waiting::All,
                Token::Any => Waiting::Any,
                _ => break,
            };
            self.at += 1;
            // Operators of the same kind are joined when the last of them is reduced.
            if operator == Waiting::Any {
                self.reduce(&mut operators, &mut operands, Waiting::All);
            }
            operators.push(operator);
        }
        self.reduce(&mut operators, &mut operands, Waiting::Any);
        match (operators.is_empty(), operands.as_slice()) {
            (true, [body]) => Ok(*body),
            _ => Err(self.wrong("`)`, `&&` or `||`")),
        }
    }

    /// Joins operands of the operators that bind at least so tightly, those on top of the stack.
    fn reduce(&mut self, operators: &mut Vec<Waiting>, operands: &mut Vec<u32>, least: Waiting) {
        while let Some(&operator) = operators.last().filter(|operator| **operator >= least) {
            let same = operators
                .iter()
                .rev()
                .take_while(|other| **other == operator)
                .count();
            operators.truncate(operators.len() - same);
            let joined = operands.split_off(operands.len().saturating_sub(same + 1));
            let node = match operator {
                Waiting::All => BooleanNode::All(joined),
                _ => BooleanNode::Any(joined),
            };
            operands.push(self.push(node));
        }
    }

    fn operand(&mut self) -> Read<u32> {
        let (token, _) = self.peek();
        if token == Token::Name("val")
            && self
                .tokens
                .get(self.at + 1)
                .is_some_and(|next| next.0 == Token::Sign('('))
        {
            self.at += 2;
            let value = self.constant();
            let node = value.ok_or_else(|| self.wrong("`true` or `false`"))?;
            self.expect(')')?;
            return Ok(node);
        }
        if let Some(node) = self.constant() {
            return Ok(node);
        }
        let (name, span) = self.name()?;
        let variable = self.variable(name, span);
        Ok(self.push(BooleanNode::Variable(variable)))
    }

    fn constant(&mut self) -> Option<u32> {
        let value = match (self.take(Token::Name("true")), self.take(Token::Name("false"))) {
            (false, false) => return None,
            (value, _) => value,
        };
        Some(self.push(BooleanNode::Constant(value)))
    }

    fn finish(self, start: Option<u32>) -> Read<EquationFile> {
        let whole = Span::new(0, 0);
        let mut equation_of = Vec::with_capacity(self.mentioned.len());
        for (&(name, span), defined) in self.mentioned.iter().zip(&self.defined) {
            let Some(equation) = defined else {
                let message = format!("there is no equation for `{name}`");
                return Err(Diagnostic::error("bes::variable", message, span, "used here").with_help(ITEMS));
            };
            equation_of.push(*equation);
        }
        let mut nodes = self.nodes;
        for node in &mut nodes {
            if let BooleanNode::Variable(number) = node {
                *number = equation_of[*number as usize];
            }
        }
        let start = start.map_or(0, |variable| equation_of[variable as usize]);
        let system = BooleanEquations::new(nodes, self.equations);
        let empty = || {
            Diagnostic::error("bes::empty", "there is no equation", whole, "in this file").with_help(ITEMS)
        };
        Ok(EquationFile {
            system: system.ok_or_else(empty)?,
            start,
        })
    }
}
