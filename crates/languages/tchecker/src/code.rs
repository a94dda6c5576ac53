//! Expressions and statements: reading them with their types, by recursive descent.
//!
//! A text is typed while it is read: integers, clocks, differences of clocks, clocks with something added, truths. Conditions are conjunctions; a conjunct with clocks stands alone and is not
//! negated, because the complement of a zone is no zone. Nesting is limited, so that neither reading nor evaluating can overflow the stack.

use crate::tokens::{Token, tokens};
use crate::types::{
    Meaning, Names, Read, Typed, added, as_conditions, as_integer, assigned, compared, conjoined, folded,
    named, not_a,
};
use entail_clocks::{Binary, Comparison, Condition, Expression, Place, Statement};
use entail_source::{Diagnostic, Span};

/// Nesting of expressions and statements, at most.
const MOST_NESTING: usize = 100;

/// Operators in a row, at most.
const MOST_OPERATORS: usize = 400;

pub(crate) struct Reader<'t, 'n> {
    tokens: Vec<(Token<'t>, Span)>,
    at: usize,
    names: &'n Names,
    /// Names of local variables, with the block they belong to.
    locals: Vec<(&'t str, Meaning)>,
    /// First slot behind the integers of the model, and how many local slots are used.
    first_local: usize,
    next_local: usize,
    pub most_locals: usize,
    nesting: usize,
}

impl<'t, 'n> Reader<'t, 'n> {
    pub fn new(text: &'t str, part: Span, names: &'n Names, integers: usize) -> Read<Reader<'t, 'n>> {
        Ok(Reader {
            tokens: tokens(text, part)?,
            at: 0,
            names,
            locals: Vec::new(),
            first_local: integers,
            next_local: 0,
            most_locals: 0,
            nesting: 0,
        })
    }

    pub fn peek(&self) -> Token<'t> {
        self.tokens[self.at].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    pub fn next(&mut self) -> (Token<'t>, Span) {
        let token = self.tokens[self.at];
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub fn take(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.peek(), Token::Sign(one) | Token::Word(one) if one == sign);
        if is_it {
            self.next();
        }
        is_it
    }

    pub fn expect(&mut self, sign: &str) -> Read<()> {
        match self.take(sign) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{sign}`"))),
        }
    }

    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Number(number) => format!("`{number}`"),
            Token::Word(text) | Token::Sign(text) => format!("`{text}`"),
        };
        let message = format!("{wanted} is expected, and {found} is there");
        Diagnostic::error("tchecker::syntax", message, self.span(), "here")
    }

    pub fn end(&self) -> Read<()> {
        match self.peek() {
            Token::End => Ok(()),
            Token::Sign("=") => {
                let message = "this is an assignment, and a condition is expected";
                Err(
                    Diagnostic::error("tchecker::syntax", message, self.span(), "here")
                        .with_help("compare with `==`"),
                )
            }
            _ => Err(self.unexpected("the end")),
        }
    }

    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.nesting += 1;
        if self.nesting > MOST_NESTING {
            let message = "this is nested too deeply";
            return Err(Diagnostic::error(
                "tchecker::nesting",
                message,
                self.span(),
                "here",
            ));
        }
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// A guard or an invariant.
    pub fn conditions(&mut self) -> Read<Vec<Condition>> {
        let start = self.span();
        let read = self.conjunction()?;
        self.end()?;
        as_conditions(read, start)
    }

    /// A condition without clocks.
    fn decision(&mut self) -> Read<Expression> {
        let start = self.span();
        match self.conjunction()? {
            Typed::Integer(expression) | Typed::Truth(expression) => Ok(expression),
            Typed::Conditions(_) => {
                let message = "clocks cannot be tested here";
                let problem =
                    Diagnostic::error("tchecker::clock-condition", message, start, "this condition");
                Err(problem.with_help("test clocks in `provided:`, and use an edge for each case"))
            }
            other => Err(not_a(&other, "a condition", start)),
        }
    }

    fn conjunction(&mut self) -> Read<Typed> {
        self.deeper(|reader| {
            let start = reader.span();
            let first = reader.negation()?;
            if !matches!(reader.peek(), Token::Sign("&&")) {
                return Ok(first);
            }
            let mut all = as_conditions(first, start)?;
            while reader.take("&&") {
                let start = reader.span();
                let next = reader.negation()?;
                all.extend(as_conditions(next, start)?);
            }
            Ok(conjoined(all))
        })
    }

    fn negation(&mut self) -> Read<Typed> {
        let start = self.span();
        if !self.take("!") {
            return self.comparison();
        }
        let inner = self.deeper(|reader| reader.negation())?;
        match inner {
            Typed::Integer(expression) | Typed::Truth(expression) => {
                Ok(Typed::Truth(Expression::Not(Box::new(expression))))
            }
            other => {
                let message = format!("{} cannot be negated", other.name());
                Err(Diagnostic::error("tchecker::type", message, start, "here"))
            }
        }
    }

    fn comparison_sign(&mut self) -> Option<Comparison> {
        let comparison = match self.peek() {
            Token::Sign("==") => Comparison::Equal,
            Token::Sign("!=") => Comparison::Different,
            Token::Sign("<=") => Comparison::LessEqual,
            Token::Sign(">=") => Comparison::GreaterEqual,
            Token::Sign("<") => Comparison::Less,
            Token::Sign(">") => Comparison::Greater,
            _ => return None,
        };
        self.next();
        Some(comparison)
    }

    /// A comparison, or an expression alone.
    pub fn relation(&mut self) -> Read<Typed> {
        self.comparison()
    }

    fn comparison(&mut self) -> Read<Typed> {
        let start = self.span();
        let left = self.sum()?;
        let Some(comparison) = self.comparison_sign() else {
            return Ok(left);
        };
        let right = self.sum()?;
        let whole = start.to(self.tokens[self.at.saturating_sub(1)].1);
        let first = compared(left, comparison, right.clone(), whole)?;
        let second_place = self.span();
        let Some(second) = self.comparison_sign() else {
            return Ok(first);
        };
        let is_less = |one: Comparison| matches!(one, Comparison::Less | Comparison::LessEqual);
        if !is_less(comparison) || !is_less(second) {
            let message = "only `<` and `<=` can be combined";
            return Err(Diagnostic::error(
                "tchecker::syntax",
                message,
                second_place,
                "here",
            ));
        }
        let last = self.sum()?;
        let mut all = as_conditions(first, whole)?;
        let whole = start.to(self.tokens[self.at.saturating_sub(1)].1);
        all.extend(as_conditions(compared(right, second, last, whole)?, whole)?);
        Ok(conjoined(all))
    }

    fn sum(&mut self) -> Read<Typed> {
        let start = self.span();
        let mut left = self.product()?;
        let mut length = 0;
        loop {
            let operator = match self.peek() {
                Token::Sign("+") => Binary::Add,
                Token::Sign("-") => Binary::Subtract,
                _ => return Ok(left),
            };
            self.next();
            let right = self.product()?;
            let whole = start.to(self.tokens[self.at.saturating_sub(1)].1);
            left = added(left, operator, right, whole)?;
            length += 1;
            self.limit(length, whole)?;
        }
    }

    /// A chain of operators is a tree as deep as it is long.
    fn limit(&self, length: usize, span: Span) -> Read<()> {
        match length > MOST_OPERATORS {
            true => {
                let message = format!("this has more than {MOST_OPERATORS} operators");
                Err(Diagnostic::error("tchecker::nesting", message, span, "here"))
            }
            false => Ok(()),
        }
    }

    fn product(&mut self) -> Read<Typed> {
        let start = self.span();
        let mut left = self.unary()?;
        let mut length = 0;
        loop {
            let operator = match self.peek() {
                Token::Sign("*") => Binary::Multiply,
                Token::Sign("/") => Binary::Divide,
                Token::Sign("%") => Binary::Remainder,
                _ => return Ok(left),
            };
            self.next();
            let right = self.unary()?;
            let whole = start.to(self.tokens[self.at.saturating_sub(1)].1);
            let (left_number, right_number) = (as_integer(left, whole)?, as_integer(right, whole)?);
            left = Typed::Integer(folded(Expression::binary(operator, left_number, right_number)));
            length += 1;
            self.limit(length, whole)?;
        }
    }

    fn unary(&mut self) -> Read<Typed> {
        let start = self.span();
        if self.take("-") {
            let inner = self.deeper(|reader| reader.unary())?;
            let inner = as_integer(inner, start)?;
            return Ok(Typed::Integer(folded(Expression::Negate(Box::new(inner)))));
        }
        self.primary()
    }

    fn primary(&mut self) -> Read<Typed> {
        match self.peek() {
            Token::Number(number) => {
                self.next();
                Ok(Typed::Integer(Expression::Constant(number)))
            }
            Token::Sign("(") => {
                self.next();
                if !self.take("if") {
                    let inner = self.conjunction()?;
                    self.expect(")")?;
                    return Ok(inner);
                }
                let condition = self.decision()?;
                self.expect("then")?;
                let then = self.integer()?;
                self.expect("else")?;
                let otherwise = self.integer()?;
                self.expect(")")?;
                Ok(Typed::Integer(Expression::Choice(Box::new([
                    condition, then, otherwise,
                ]))))
            }
            Token::Word(name) if !is_keyword(name) => {
                let (_, span) = self.next();
                let meaning = self.meaning(name, span)?;
                let index = self.index()?;
                named(name, meaning, index, span)
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    /// A whole expression of integers.
    pub fn integer(&mut self) -> Read<Expression> {
        self.deeper(|reader| {
            let start = reader.span();
            let read = reader.sum()?;
            as_integer(read, start)
        })
    }

    fn index(&mut self) -> Read<Option<Expression>> {
        if !self.take("[") {
            return Ok(None);
        }
        let index = self.integer()?;
        self.expect("]")?;
        Ok(Some(index))
    }

    fn meaning(&self, name: &str, span: Span) -> Read<Meaning> {
        if let Some((_, meaning)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            return Ok(*meaning);
        }
        self.names.get(name).copied().ok_or_else(|| {
            let message = format!("`{name}` is not declared");
            Diagnostic::error("tchecker::unknown", message, span, "this name")
                .with_help("declare it before with `int:` or `clock:`, or in the statement with `local`")
        })
    }

    /// The statements of an edge.
    pub fn action(&mut self) -> Read<Vec<Statement>> {
        let statements = self.sequence(&[])?;
        self.end()?;
        Ok(statements)
    }

    fn sequence(&mut self, ends: &[&str]) -> Read<Vec<Statement>> {
        self.deeper(|reader| {
            let (locals, next_local) = (reader.locals.len(), reader.next_local);
            let mut statements = Vec::new();
            loop {
                reader.statement(&mut statements)?;
                let at_end = |reader: &Self| match reader.peek() {
                    Token::End => true,
                    Token::Word(word) => ends.contains(&word),
                    _ => false,
                };
                if at_end(reader) {
                    break;
                }
                reader.expect(";")?;
                if at_end(reader) {
                    break;
                }
            }
            reader.locals.truncate(locals);
            reader.next_local = next_local;
            Ok(statements)
        })
    }

    fn statement(&mut self, found: &mut Vec<Statement>) -> Read<()> {
        let start = self.span();
        if self.take("nop") {
            return Ok(());
        }
        if self.take("if") {
            let condition = self.decision()?;
            self.expect("then")?;
            let then = self.sequence(&["else", "end"])?;
            let otherwise = match self.take("else") {
                true => self.sequence(&["end"])?,
                false => Vec::new(),
            };
            self.expect("end")?;
            found.push(Statement::If(condition, then, otherwise));
            return Ok(());
        }
        if self.take("while") {
            let condition = self.decision()?;
            self.expect("do")?;
            let body = self.sequence(&["end"])?;
            self.expect("end")?;
            found.push(Statement::While(condition, body));
            return Ok(());
        }
        if self.take("local") {
            return self.local(found);
        }
        let (token, span) = self.next();
        let Token::Word(name) = token else {
            self.at = self.at.saturating_sub(1);
            return Err(self.unexpected("a statement"));
        };
        let meaning = self.meaning(name, span)?;
        let index = self.index()?;
        if !matches!(self.peek(), Token::Sign("=")) {
            return Err(self.unexpected("`=`"));
        }
        self.next();
        let value_place = self.span();
        let value = self.sum()?;
        let whole = start.to(self.tokens[self.at.saturating_sub(1)].1);
        found.push(assigned(
            named(name, meaning, index, span)?,
            value,
            whole,
            value_place,
        )?);
        Ok(())
    }

    fn local(&mut self, found: &mut Vec<Statement>) -> Read<()> {
        let (token, span) = self.next();
        let Token::Word(name) = token else {
            self.at = self.at.saturating_sub(1);
            return Err(self.unexpected("the name of a local variable"));
        };
        if self.names.contains_key(name) || self.locals.iter().any(|(local, _)| *local == name) {
            let message = format!("a variable `{name}` exists already");
            return Err(Diagnostic::error(
                "tchecker::duplicate",
                message,
                span,
                "declared again here",
            ));
        }
        let slot = self.first_local + self.next_local;
        let size_place = self.span();
        let size = match self.index()? {
            None => 1,
            Some(Expression::Constant(size @ 1..=65_536)) => size as usize,
            Some(_) => {
                let message = "the size of a local array must be a positive constant";
                return Err(Diagnostic::error(
                    "tchecker::range",
                    message,
                    size_place,
                    "this size",
                ));
            }
        };
        found.push(Statement::Clear(slot, size));
        if self.take("=") {
            let value = self.integer()?;
            let whole = span.to(self.tokens[self.at.saturating_sub(1)].1);
            found.push(Statement::Assign {
                target: Place::variable(slot),
                value,
                span: whole,
            });
        }
        self.locals.push((name, Meaning::Local(slot, size)));
        self.next_local += size;
        self.most_locals = self.most_locals.max(self.next_local);
        Ok(())
    }
}

fn is_keyword(name: &str) -> bool {
    ["if", "then", "else", "end", "while", "do", "local", "nop"].contains(&name)
}
