//! Statements and sequences.

use super::ast::*;
use super::parser::{Fail, MOST_ERRORS, Parser, wrong};
use super::token::Kind;
use entail_program::{Binary, Origin};
use rustc_hash::FxHashSet;

impl Parser<'_> {
    /// Statements up to a closing mark or word, or the next option. Separators may be left out where a statement begins.
    pub(super) fn sequence(&mut self, close: &str) -> Result<Sequence, Fail> {
        let mut statements = Vec::new();
        let mut failed = false;
        loop {
            while self.accept(";") || self.accept("->") {}
            let token = self.peek();
            // (What closes something else around, or begins another unit, tells that the own close is missing.)
            let closes = token.is("}") || token.is_name("fi") || token.is_name("od") || self.starts_unit();
            if token.is(close) || closes || token.is("::") || token.kind == Kind::End {
                break;
            }
            let (before, depth) = (self.at, self.depth);
            if let Err(error) = self.step(&mut statements) {
                if self.known.errors.len() >= MOST_ERRORS {
                    return Err(error);
                }
                self.known.errors.push(error);
                failed = true;
                self.depth = depth;
                self.skip_statement(before);
            }
        }
        if statements.is_empty() && !failed {
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
        let mut statement = self.statement()?;
        if let StatementKind::SelectFromMany(variable, low, high) = &statement.kind {
            let (first, rest) = select_from_many(&statement, variable, low, high);
            statements.push(first);
            statement = rest;
        }
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
                let label = parser.name("a label")?;
                parser.declare_label(&label)?;
                labels.push(label);
                parser.at += 1;
            }
            let (start, began) = (parser.here(), parser.at);
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
                at: parser.stated(began, start),
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
            "select" => self.select()?,
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
            "return" => self.return_value()?,
            _ if self.is_call() => self.call(None)?,
            _ => self.simple()?,
        })
    }

    pub(super) fn braces(&mut self) -> Result<Sequence, Fail> {
        self.expect("{")?;
        self.labels.push(FxHashSet::default());
        let sequence = self.sequence("}");
        self.labels.pop();
        let sequence = sequence?;
        self.expect("}")?;
        Ok(sequence)
    }

    /// A label is known in its block and those inside; each call of an inline function has its own. As in SPIN, a block may have a label
    /// of the same name as one that comes after it further out.
    fn declare_label(&mut self, (name, at): &(Name, Origin)) -> Result<(), Fail> {
        if self.labels.iter().any(|known| known.contains(name)) {
            return Err(wrong(
                *at,
                "promela::declared-twice",
                format!("there are two labels `{name}`"),
                "the second",
                "give one of them another name",
            ));
        }
        if let Some(innermost) = self.labels.last_mut() {
            innermost.insert(name.clone());
        }
        Ok(())
    }

    fn options(&mut self, close: &'static str) -> Result<Vec<Sequence>, Fail> {
        let at = self.here();
        self.at += 1;
        let mut options = Vec::new();
        while self.accept("::") {
            options.push(self.sequence(close)?);
        }
        if !self.accept_name(close) {
            let opened = if close == "fi" { "if" } else { "do" };
            let message = format!("expected `::` or `{close}`, found {}", self.peek().describe());
            let help = format!("the `{opened}` is closed by `{close}`, which is missing here or before");
            let (file, problem) = wrong(self.here(), "promela::syntax", message, "here", &help);
            // (Another file cannot be pointed at.)
            return Err(match at.file == file {
                true => (
                    file,
                    problem.with_label(at.span, format!("this `{opened}` is not closed")),
                ),
                false => (file, problem),
            });
        }
        match options.is_empty() {
            true => self.fail(at, "there is no option", "begin every option with `::`"),
            false => Ok(options),
        }
    }

    /// SPIN replaces a `select` of a plain name between plain numbers by an `if` over the values, or by a loop if there are more than 33, but
    /// not in inline functions.
    fn select(&mut self) -> Result<StatementKind, Fail> {
        let start = self.next().origin;
        self.expect("(")?;
        let named = matches!(&self.peek().kind, Kind::Name(name) if name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let plain = named && self.ahead(1).is(":") && {
            let is_number = |distance: usize| matches!(self.ahead(distance).kind, Kind::Number(0..));
            is_number(2) && self.ahead(3).is("..") && is_number(4) && self.ahead(5).is(")")
        };
        let variable = self.variable()?;
        self.expect(":")?;
        let low = self.expression()?;
        self.expect("..")?;
        let high = self.expression()?;
        self.expect(")")?;
        let (ExprKind::Number(first), ExprKind::Number(last), true) =
            (&low.kind, &high.kind, plain && !self.in_inline)
        else {
            return Ok(StatementKind::Select(variable, low, high));
        };
        let at = self.since(start);
        if first > last {
            return self.fail(at, "the range is empty", "write the smaller number first");
        }
        if last - first > 32 {
            return Ok(StatementKind::SelectFromMany(variable, low, high));
        }
        let option = |value: i32| {
            let value = Expr {
                kind: ExprKind::Number(value),
                at,
            };
            vec![Statement {
                labels: Vec::new(),
                kind: StatementKind::Assign(variable.clone(), value),
                at,
            }]
        };
        Ok(StatementKind::If((*first..=*last).map(option).collect()))
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
            Range::Between(Box::new(low), Box::new(high))
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
                    if self.is_call() {
                        return self.call(Some(variable));
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
}

/// `x = low; do :: (x < high) -> x++ :: break od`, the first statement and the rest.
fn select_from_many(
    whole: &Statement,
    variable: &Variable,
    low: &Expr,
    high: &Expr,
) -> (Statement, Statement) {
    let at = whole.at;
    let statement = |kind| Statement {
        labels: Vec::new(),
        kind,
        at,
    };
    let value = Expr {
        kind: ExprKind::Variable(variable.clone()),
        at,
    };
    let less = Expr {
        kind: ExprKind::Binary(Binary::Less, Box::new(value), Box::new(high.clone())),
        at,
    };
    let more = vec![
        statement(StatementKind::Expression(less)),
        statement(StatementKind::Change(variable.clone(), Binary::Add)),
    ];
    let leave = vec![statement(StatementKind::Break)];
    let first = Statement {
        labels: whole.labels.clone(),
        kind: StatementKind::Assign(variable.clone(), low.clone()),
        at,
    };
    (first, statement(StatementKind::Do(vec![more, leave])))
}
