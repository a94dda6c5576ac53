//! Reading declarations, functions, statements, parameters and the system line.

use crate::fragment::Fragment;
use crate::tokens::{Token, tokens};
use entail_source::{Diagnostic, Span};
use entail_uppaal_tree::{
    ArraySize, Declaration, Declarator, Function, Initial, Parameter, Prefix, Select, Statement,
    StatementKind, TypeExpr, TypeKind,
};
use std::marker::PhantomData;

/// What was read, or what is wrong.
pub(crate) type Read<T> = Result<T, Diagnostic>;

/// Depth of nested expressions and statements, at most.
const MOST_DEPTH: usize = 160;

/// Words that begin a type.
const TYPE_WORDS: [&str; 14] = [
    "int",
    "bool",
    "clock",
    "chan",
    "void",
    "double",
    "string",
    "scalar",
    "struct",
    "const",
    "urgent",
    "broadcast",
    "meta",
    "hybrid",
];

/// Reads tokens.
pub(crate) struct Parser<'f> {
    tokens: Vec<(Token, Span)>,
    at: usize,
    depth: usize,
    /// Inside a list of priorities `<` separates.
    pub less_separates: bool,
    /// The syntax of UPPAAL 3: `const N 5`, lists of guards.
    pub old: bool,
    fragment: PhantomData<&'f ()>,
}

impl<'f> Parser<'f> {
    pub fn new(fragment: &'f Fragment, is_query: bool) -> Read<Parser<'f>> {
        Ok(Parser {
            tokens: tokens(fragment, is_query)?,
            at: 0,
            depth: 0,
            less_separates: false,
            old: false,
            fragment: PhantomData,
        })
    }

    /// Drops the ends of lines.
    pub fn forget_lines(&mut self) {
        self.tokens.retain(|(token, _)| *token != Token::Line);
    }

    pub fn peek_at(&self) -> (Token, Span) {
        self.tokens[self.at].clone()
    }

    pub fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    pub fn ahead(&self, count: usize) -> &Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the token that was read last.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub fn next(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    /// Whether the next token is this sign or word.
    pub fn is(&self, wanted: &str) -> bool {
        match self.peek() {
            Token::Sign(sign) => *sign == wanted,
            Token::Word(word) => word == wanted,
            _ => false,
        }
    }

    pub fn take(&mut self, wanted: &str) -> bool {
        let is_it = self.is(wanted);
        if is_it {
            self.next();
        }
        is_it
    }

    pub fn is_end(&self) -> bool {
        *self.peek() == Token::End
    }

    pub fn expect(&mut self, wanted: &str) -> Read<()> {
        match self.take(wanted) {
            true => Ok(()),
            false => Err(self.unexpected(&format!("`{wanted}`"))),
        }
    }

    pub fn problem(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("uppaal::syntax", message, self.span(), "here")
    }

    pub fn unexpected(&self, wanted: &str) -> Diagnostic {
        let found = match self.peek() {
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Double(text) => format!("`{text}`"),
            Token::Text(_) => "a text".to_owned(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Line => "the end of the line".to_owned(),
            Token::End => "the end".to_owned(),
        };
        let problem = self.problem(format!("{wanted} is expected, not {found}"));
        match self.peek() {
            Token::Sign("=<") => problem.with_help("write `<=`"),
            Token::Sign("=>") => problem.with_help("write `>=`"),
            _ => problem,
        }
    }

    pub fn end(&self) -> Read<()> {
        match self.is_end() {
            true => Ok(()),
            false => Err(self.unexpected("the end")),
        }
    }

    pub fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        self.depth += 1;
        let result = match self.depth > MOST_DEPTH {
            true => Err(self.problem("this is nested too deeply")),
            false => stacker::maybe_grow(64 << 10, 1 << 20, || read(self)),
        };
        self.depth -= 1;
        result
    }

    pub fn name(&mut self, wanted: &str) -> Read<(String, Span)> {
        let (token, span) = self.peek_at();
        match token {
            Token::Word(word) => {
                self.next();
                Ok((word, span))
            }
            _ => Err(self.unexpected(wanted)),
        }
    }

    /// Whether a declaration begins here: a word of types, or two names in a row.
    pub fn is_declaration(&self) -> bool {
        match self.peek() {
            Token::Word(word) if word == "typedef" || TYPE_WORDS.contains(&word.as_str()) => true,
            Token::Word(_) => {
                matches!(self.ahead(1), Token::Word(word) if !["and", "or", "xor", "imply", "not"].contains(&word.as_str()))
            }
            _ => false,
        }
    }

    /// A type.
    pub fn type_expression(&mut self) -> Read<TypeExpr> {
        self.deeper(|parser| {
            let start = parser.span();
            let mut prefix = Prefix::default();
            while let Token::Word(word) = parser.peek() {
                let flag = match word.as_str() {
                    "const" => &mut prefix.constant,
                    "urgent" => &mut prefix.urgent,
                    "broadcast" => &mut prefix.broadcast,
                    "meta" => &mut prefix.meta,
                    "hybrid" => &mut prefix.hybrid,
                    _ => break,
                };
                *flag = true;
                parser.next();
            }
            let (word, _) = parser.name("a type")?;
            let kind = match word.as_str() {
                "int" if parser.take("[") => {
                    let low = parser.expression()?;
                    parser.expect(",")?;
                    let high = parser.expression()?;
                    parser.expect("]")?;
                    TypeKind::Range(Box::new(low), Box::new(high))
                }
                "int" => TypeKind::Int,
                "bool" => TypeKind::Bool,
                "clock" => TypeKind::Clock,
                "chan" => TypeKind::Channel,
                "void" => TypeKind::Void,
                "double" => TypeKind::Double,
                "string" => TypeKind::Text,
                "scalar" => {
                    parser.expect("[")?;
                    let size = parser.expression()?;
                    parser.expect("]")?;
                    TypeKind::Scalar(Box::new(size))
                }
                "struct" => {
                    parser.expect("{")?;
                    let mut fields = Vec::new();
                    while !parser.take("}") {
                        let of = parser.type_expression()?;
                        loop {
                            fields.push((of.clone(), parser.declarator(false)?));
                            if !parser.take(",") {
                                break;
                            }
                        }
                        parser.expect(";")?;
                    }
                    TypeKind::Struct(fields)
                }
                _ => TypeKind::Named(word),
            };
            Ok(TypeExpr {
                span: start.to(parser.last_span()),
                prefix,
                kind,
            })
        })
    }

    fn declarator(&mut self, with_initial: bool) -> Read<Declarator> {
        let (name, span) = self.new_name("a name")?;
        let mut sizes = Vec::new();
        while self.take("[") {
            let is_type = matches!(self.peek(), Token::Word(word) if TYPE_WORDS.contains(&word.as_str()));
            sizes.push(match is_type {
                true => ArraySize::Type(self.type_expression()?),
                false => ArraySize::Expr(self.expression()?),
            });
            self.expect("]")?;
        }
        let mut initial = None;
        if with_initial && (self.take("=") || self.take(":=")) {
            initial = Some(self.initial()?);
        }
        Ok(Declarator {
            name,
            span,
            sizes,
            initial,
        })
    }

    fn initial(&mut self) -> Read<Initial> {
        self.deeper(|parser| {
            let start = parser.span();
            if !parser.take("{") {
                return Ok(Initial::Value(parser.expression()?));
            }
            let mut all = Vec::new();
            loop {
                let is_named =
                    matches!(parser.peek(), Token::Word(_)) && *parser.ahead(1) == Token::Sign(":");
                let mut name = None;
                if is_named {
                    name = Some(parser.name("a name")?.0);
                    parser.expect(":")?;
                }
                all.push((name, parser.initial()?));
                if parser.take("}") {
                    return Ok(Initial::List(all, start.to(parser.last_span())));
                }
                parser.expect(",")?;
            }
        })
    }

    /// A declaration of variables, types or a function.
    pub fn declaration(&mut self) -> Read<Declaration> {
        if self.take("typedef") {
            let of = self.type_expression()?;
            let mut all = vec![self.declarator(false)?];
            while self.take(",") {
                all.push(self.declarator(false)?);
            }
            self.expect(";")?;
            return Ok(Declaration::Types(of, all));
        }
        if self.is("const")
            && let (Token::Word(name), after) = (self.ahead(1), self.ahead(2))
            && !TYPE_WORDS.contains(&name.as_str())
            && !matches!(after, Token::Word(_))
        {
            return self.old_constants();
        }
        let of = self.type_expression()?;
        if matches!(self.peek(), Token::Word(_)) && *self.ahead(1) == Token::Sign("(") {
            let (name, span) = self.new_name("a name")?;
            self.expect("(")?;
            let parameters = self.parameters(")")?;
            self.expect("{")?;
            let body = self.statements()?;
            return Ok(Declaration::Function(Function {
                name,
                span,
                result: of,
                parameters,
                body,
            }));
        }
        let mut all = vec![self.declarator(true)?];
        while self.take(",") {
            all.push(self.declarator(true)?);
        }
        self.expect(";")?;
        Ok(Declaration::Variables(of, all))
    }

    /// `const N 5;` of UPPAAL 3.
    fn old_constants(&mut self) -> Read<Declaration> {
        let span = self.span();
        self.next();
        let of = TypeExpr {
            span,
            prefix: Prefix {
                constant: true,
                ..Prefix::default()
            },
            kind: TypeKind::Int,
        };
        let mut all = Vec::new();
        loop {
            let mut one = self.declarator(true)?;
            if one.initial.is_none() {
                one.initial = Some(self.initial()?);
            }
            all.push(one);
            if !self.take(",") {
                self.expect(";")?;
                return Ok(Declaration::Variables(of, all));
            }
        }
    }

    /// Declarations up to the end.
    pub fn declarations(&mut self) -> Read<Vec<Declaration>> {
        let mut all = Vec::new();
        while !self.is_end() {
            if !self.take(";") {
                self.refuse_other_declarations()?;
                all.push(self.declaration()?);
            }
        }
        Ok(all)
    }

    pub fn refuse_other_declarations(&self) -> Read<()> {
        let refused = [
            ("import", "external functions are not supported"),
            ("dynamic", "dynamic templates are not supported"),
        ];
        match refused.iter().find(|(word, _)| self.is(word)) {
            Some((_, message)) => Err(Diagnostic::error(
                "uppaal::unsupported",
                *message,
                self.span(),
                "here",
            )),
            None => Ok(()),
        }
    }

    /// Parameters up to a closing sign, or to the end.
    pub fn parameters(&mut self, closing: &str) -> Read<Vec<Parameter>> {
        let mut all = Vec::new();
        let ends = |parser: &mut Self| match closing.is_empty() {
            true => parser.is_end(),
            false => parser.take(closing),
        };
        if ends(self) {
            return Ok(all);
        }
        loop {
            let of = self.type_expression()?;
            let by_reference = self.take("&");
            let declarator = self.declarator(false)?;
            all.push(Parameter {
                of,
                by_reference,
                declarator,
            });
            if ends(self) {
                return Ok(all);
            }
            if !self.take(";") {
                self.expect(",")?;
            }
        }
    }

    /// Statements up to a closing brace.
    fn statements(&mut self) -> Read<Vec<Statement>> {
        let mut all = Vec::new();
        while !self.take("}") {
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn statement(&mut self) -> Read<Statement> {
        self.deeper(|parser| {
            let start = parser.span();
            let kind = parser.statement_kind()?;
            Ok(Statement {
                span: start.to(parser.last_span()),
                kind,
            })
        })
    }

    fn list(&mut self, closing: &str) -> Read<Vec<entail_uppaal_tree::Expr>> {
        let mut all = Vec::new();
        if self.take(closing) {
            return Ok(all);
        }
        loop {
            all.push(self.expression()?);
            if self.take(closing) {
                return Ok(all);
            }
            self.expect(",")?;
        }
    }

    fn statement_kind(&mut self) -> Read<StatementKind> {
        if self.take("{") {
            return Ok(StatementKind::Block(self.statements()?));
        }
        if self.take(";") {
            return Ok(StatementKind::Block(Vec::new()));
        }
        if self.take("if") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let then = self.statement()?;
            let otherwise = match self.take("else") {
                true => Some(Box::new(self.statement()?)),
                false => None,
            };
            return Ok(StatementKind::If(condition, Box::new(then), otherwise));
        }
        if self.take("for") {
            self.expect("(")?;
            if matches!(self.peek(), Token::Word(_)) && *self.ahead(1) == Token::Sign(":") {
                let (name, _) = self.new_name("a name")?;
                self.expect(":")?;
                let of = self.type_expression()?;
                self.expect(")")?;
                let body = self.statement()?;
                return Ok(StatementKind::Iterate(name, of, Box::new(body)));
            }
            let first = self.list(";")?;
            let condition = self.list(";")?;
            let step = self.list(")")?;
            let body = self.statement()?;
            return Ok(StatementKind::For(first, condition, step, Box::new(body)));
        }
        if self.take("while") {
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            let body = self.statement()?;
            return Ok(StatementKind::While(condition, Box::new(body)));
        }
        if self.take("do") {
            let body = self.statement()?;
            self.expect("while")?;
            self.expect("(")?;
            let condition = self.expression()?;
            self.expect(")")?;
            self.expect(";")?;
            return Ok(StatementKind::DoWhile(Box::new(body), condition));
        }
        if self.take("return") {
            if self.take(";") {
                return Ok(StatementKind::Return(None));
            }
            let value = self.expression()?;
            self.expect(";")?;
            return Ok(StatementKind::Return(Some(value)));
        }
        if self.take("assert") {
            let condition = self.expression()?;
            self.expect(";")?;
            return Ok(StatementKind::Assert(condition));
        }
        if ["break", "continue", "switch"].iter().any(|word| self.is(word)) {
            return Err(self.problem("`break`, `continue` and `switch` are not part of the language"));
        }
        if self.is_declaration() {
            return Ok(StatementKind::Declare(self.declaration()?));
        }
        let expression = self.expression()?;
        self.expect(";")?;
        Ok(StatementKind::Expr(expression))
    }

    /// `i : T, j : U`, up to a sign or the end.
    pub fn selects(&mut self) -> Read<Vec<Select>> {
        let mut all = Vec::new();
        loop {
            let (name, span) = self.new_name("a name")?;
            self.expect(":")?;
            let of = self.type_expression()?;
            all.push(Select { name, span, of });
            if !self.take(",") {
                return Ok(all);
            }
        }
    }
}
