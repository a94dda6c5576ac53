//! Statements and sequences.

use super::ast::*;
use super::parser::{Fail, Parser};
use super::token::{Kind, Token};
use entail_program::{Binary, Origin};

/// Inline functions that call each other without end are stopped here.
const MOST_INLINED: usize = 500_000;

impl Parser<'_> {
    /// Statements up to a closing mark or word, or the next option. Separators may be left out where a statement begins.
    pub(super) fn sequence(&mut self, close: &str) -> Result<Sequence, Fail> {
        let mut statements = Vec::new();
        loop {
            while self.accept(";") || self.accept("->") {}
            let token = self.peek();
            if token.is(close) || token.is_name(close) || token.is("::") || token.kind == Kind::End {
                break;
            }
            self.step(&mut statements)?;
        }
        if statements.is_empty() {
            return self.fail(
                self.here(),
                "there is no statement here",
                "a sequence has at least one; use `skip` to do nothing",
            );
        }
        Ok(statements)
    }

    fn step(&mut self, statements: &mut Sequence) -> Result<(), Fail> {
        let at = self.here();
        if self.starts_declaration() {
            let mut declared = Vec::new();
            self.declaration(&mut declared)?;
            statements.extend(declared.into_iter().map(|declared| Statement {
                labels: Vec::new(),
                at: declared.at,
                kind: StatementKind::Declare(declared),
            }));
            return Ok(());
        }
        if let Some(kind) = [("xr", Exclusivity::Receive), ("xs", Exclusivity::Send)]
            .into_iter()
            .find(|(word, _)| self.peek().is_name(word))
        {
            self.at += 1;
            let mut channels = vec![self.variable()?];
            while self.accept(",") {
                channels.push(self.variable()?);
            }
            statements.push(Statement {
                labels: Vec::new(),
                kind: StatementKind::Exclusive(kind.1, channels),
                at,
            });
            return Ok(());
        }
        let statement = self.statement()?;
        if self.accept_name("unless") {
            let escape = self.statement()?;
            let at = self.since(at);
            statements.push(Statement {
                labels: Vec::new(),
                kind: StatementKind::Unless(Box::new(statement), Box::new(escape)),
                at,
            });
        } else {
            statements.push(statement);
        }
        Ok(())
    }

    fn statement(&mut self) -> Result<Statement, Fail> {
        self.deeper(|parser| {
            let mut labels = Vec::new();
            while let (Kind::Name(_), true) = (&parser.peek().kind, parser.ahead(1).is(":"))
                && !parser.known.proctypes.contains(match &parser.peek().kind {
                    Kind::Name(name) => &**name,
                    _ => "",
                })
            {
                labels.push(parser.name("a label")?);
                parser.at += 1;
            }
            let start = parser.here();
            let ends = parser.peek().is("}")
                || parser.peek().is("::")
                || parser.peek().is(";")
                || parser.peek().is_name("fi")
                || parser.peek().is_name("od");
            if !labels.is_empty() && ends {
                let skip = Expr {
                    kind: ExprKind::Number(1),
                    at: start,
                };
                let at = labels[0].1;
                return Ok(Statement {
                    labels,
                    kind: StatementKind::Expression(skip),
                    at,
                });
            }
            let kind = parser.unlabelled()?;
            Ok(Statement {
                labels,
                kind,
                at: parser.since(start),
            })
        })
    }

    fn unlabelled(&mut self) -> Result<StatementKind, Fail> {
        let word = match &self.peek().kind {
            Kind::Name(word) => word.clone(),
            Kind::Mark("{") => {
                return Ok(StatementKind::Block(self.braces()?));
            }
            _ => return Ok(StatementKind::Expression(self.expression()?)),
        };
        Ok(match &*word {
            "if" => StatementKind::If(self.options("fi")?),
            "do" => StatementKind::Do(self.options("od")?),
            "atomic" => {
                self.at += 1;
                StatementKind::Atomic(self.braces()?)
            }
            "d_step" => {
                self.at += 1;
                StatementKind::Deterministic(self.braces()?)
            }
            "for" => self.for_loop()?,
            "select" => {
                self.at += 1;
                self.expect("(")?;
                let variable = self.variable()?;
                self.expect(":")?;
                let low = self.expression()?;
                self.expect("..")?;
                let high = self.expression()?;
                self.expect(")")?;
                StatementKind::Select(variable, low, high)
            }
            "break" => {
                self.at += 1;
                StatementKind::Break
            }
            "goto" => {
                self.at += 1;
                StatementKind::Goto(self.name("a label")?.0)
            }
            "else" => {
                self.at += 1;
                StatementKind::Else
            }
            "assert" => {
                self.at += 1;
                StatementKind::Assert(self.expression()?)
            }
            "printf" => {
                self.at += 1;
                self.expect("(")?;
                let Kind::Text(text) = &self.next().kind else {
                    self.at -= 1;
                    return self.unexpected("a string");
                };
                let values = match self.accept(",") {
                    true => self.arguments(")")?,
                    false => {
                        self.expect(")")?;
                        Vec::new()
                    }
                };
                StatementKind::Print(text.clone(), values)
            }
            "printm" => {
                self.at += 1;
                self.expect("(")?;
                let value = self.expression()?;
                self.expect(")")?;
                StatementKind::PrintMessage(value)
            }
            "set_priority" => {
                self.at += 1;
                self.expect("(")?;
                let process = self.expression()?;
                self.expect(",")?;
                let value = self.expression()?;
                self.expect(")")?;
                StatementKind::SetPriority(process, value)
            }
            "c_code" | "c_expr" => return self.embedded(),
            "return" => {
                return self.fail(
                    self.here(),
                    "`return` is not supported",
                    "assign to a parameter of the inline function instead",
                );
            }
            name if self.known.inlines.contains_key(name) && self.ahead(1).is("(") => self.call()?,
            _ => self.simple()?,
        })
    }

    fn braces(&mut self) -> Result<Sequence, Fail> {
        self.expect("{")?;
        let sequence = self.sequence("}")?;
        self.expect("}")?;
        Ok(sequence)
    }

    fn options(&mut self, close: &'static str) -> Result<Vec<Sequence>, Fail> {
        let at = self.here();
        self.at += 1;
        let mut options = Vec::new();
        while self.accept("::") {
            options.push(self.sequence(close)?);
        }
        if !self.accept_name(close) {
            return self.unexpected(&format!("`::` or `{close}`"));
        }
        match options.is_empty() {
            true => self.fail(at, "there is no option", "begin every option with `::`"),
            false => Ok(options),
        }
    }

    fn for_loop(&mut self) -> Result<StatementKind, Fail> {
        self.at += 1;
        self.expect("(")?;
        let variable = self.variable()?;
        let range = if self.accept_name("in") {
            Range::In(self.variable()?)
        } else {
            self.expect(":")?;
            let low = self.expression()?;
            self.expect("..")?;
            let high = self.expression()?;
            Range::Between(low, high)
        };
        self.expect(")")?;
        let body = self.braces()?;
        Ok(StatementKind::For(variable, range, body))
    }

    /// Assignments, sends, receives, expressions.
    fn simple(&mut self) -> Result<StatementKind, Fail> {
        // What begins like a variable may be an expression: look at what follows it.
        let start = self.at;
        let is_remote = matches!(&self.peek().kind, Kind::Name(name) if self.known.proctypes.contains(name));
        if !is_remote && !matches!(&self.peek().kind, Kind::Name(name) if super::parser::is_keyword(name)) {
            let variable = self.variable()?;
            let mark = match self.peek().kind {
                Kind::Mark(mark) => mark,
                _ => "",
            };
            match mark {
                "=" => {
                    self.at += 1;
                    if matches!(&self.peek().kind, Kind::Name(name) if self.known.inlines.contains_key(name) && self.ahead(1).is("("))
                    {
                        return self.fail(
                            self.here(),
                            "inline functions that return a value are not supported",
                            "assign to a parameter of the inline function instead",
                        );
                    }
                    let value = self.expression()?;
                    return Ok(StatementKind::Assign(variable, value));
                }
                "++" | "--" => {
                    self.at += 1;
                    let operator = if mark == "++" {
                        Binary::Add
                    } else {
                        Binary::Subtract
                    };
                    return Ok(StatementKind::Change(variable, operator));
                }
                "!" | "!!" => {
                    self.at += 1;
                    let message = self.message()?;
                    return Ok(StatementKind::Send(variable, message, mark == "!!"));
                }
                "?" | "??" if !self.ahead(1).is("[") => {
                    self.at += 1;
                    let keep = self.accept("<");
                    let arguments = self.receive_arguments()?;
                    if keep {
                        self.expect(">")?;
                    }
                    return Ok(StatementKind::Receive {
                        channel: variable,
                        arguments,
                        anywhere: mark == "??",
                        keep,
                    });
                }
                _ => self.at = start,
            }
        }
        Ok(StatementKind::Expression(self.expression()?))
    }

    /// A message: `a, b`, or `a(b, c)`.
    fn message(&mut self) -> Result<Vec<Expr>, Fail> {
        let mut fields = vec![self.expression()?];
        loop {
            if self.accept(",") {
                fields.push(self.expression()?);
            } else if self.accept("(") {
                fields.extend(self.arguments(")")?);
            } else {
                return Ok(fields);
            }
        }
    }

    /// A call of an inline function: its body with arguments put for parameters.
    fn call(&mut self) -> Result<StatementKind, Fail> {
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
        for token in &inline.body {
            let parameter = match &token.kind {
                Kind::Name(name) => inline.parameters.iter().position(|parameter| parameter == name),
                _ => None,
            };
            match parameter {
                Some(position) => tokens.extend(arguments[position].iter().cloned()),
                None => tokens.push(token.clone()),
            }
        }
        self.known.inlined += tokens.len();
        if self.known.inlined > MOST_INLINED {
            return self.fail(
                at,
                "inline functions expand to too much text",
                "look for functions that call each other",
            );
        }
        tokens.push(Token {
            kind: Kind::End,
            origin: at,
            starts_line: true,
            spaced: true,
        });
        let mut inner = Parser {
            tokens: &tokens,
            at: 0,
            known: &mut *self.known,
            depth: self.depth + 1,
            in_formula: false,
        };
        if inner.depth >= super::parser::DEEPEST {
            return self.fail(
                at,
                "the nesting is too deep",
                "inline functions cannot call themselves",
            );
        }
        let body = inner.braces()?;
        Ok(StatementKind::Block(body))
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
