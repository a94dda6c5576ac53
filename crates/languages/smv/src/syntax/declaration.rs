//! Modules and their sections.
//!
//! Sections may come in any order and any number of times. `PRED` and `MIRROR` are not reserved in NuSMV, so they are
//! recognised only where a section may begin and what follows could not be a declaration of that name; what they
//! say (predicates for abstraction) is parsed and dropped.

use super::ast::{AssignKind, ConstraintKind, ExprId, Ident, Item, Module, SpecKind, VarKind};
use super::lexer::Token;
use super::parser::{Parse, Parser};
use entail_source::{Diagnostic, Span};

impl Parser<'_> {
    /// All modules of a text.
    pub(super) fn model(&mut self) -> Vec<Module> {
        let mut modules = Vec::new();
        while !self.at(Token::End) && !self.given_up() {
            if !self.at(Token::Module) {
                self.expected("`MODULE`");
                while !matches!(self.token(), Token::Module | Token::End) {
                    self.advance();
                }
                continue;
            }
            self.advance();
            if let Ok(module) = self.module_signature() {
                modules.push(module);
            } else {
                self.skip_to_section();
                let name = self.placeholder();
                modules.push(Module {
                    name,
                    parameters: Vec::new(),
                    items: Vec::new(),
                });
            }
            let mut items = Vec::new();
            while !matches!(self.token(), Token::Module | Token::End) && !self.given_up() {
                self.section(&mut items);
            }
            if let Some(module) = modules.last_mut() {
                module.items = items;
            }
        }
        modules
    }

    /// `@TIME_DOMAIN continuous` before the modules, as nuXmv writes it; where it stands.
    pub(super) fn time_domain(&mut self) -> Option<Span> {
        let start = self.span();
        if !self.eat(Token::TimeDomain) {
            return None;
        }
        let is_continuous = match (self.token(), self.text()) {
            (Token::Identifier, "continuous") => true,
            (Token::Identifier, "none") => false,
            _ => {
                self.expected("`continuous` or `none`");
                return None;
            }
        };
        self.advance();
        self.eat(Token::Semicolon);
        is_continuous.then(|| start.to(self.previous_span()))
    }

    /// One formula and nothing else.
    pub(super) fn formula_alone(&mut self, kind: SpecKind) -> Parse<(ExprId, Option<ExprId>)> {
        let formula = self.specification(kind)?;
        let context = self.context()?;
        self.eat(Token::Semicolon);
        if !self.at(Token::End) {
            return Err(self.expected("the end of the formula"));
        }
        Ok((formula, context))
    }

    fn placeholder(&mut self) -> Ident {
        Ident {
            symbol: self.arena.names.intern(""),
            span: self.span(),
        }
    }

    fn skip_to_section(&mut self) {
        while !self.token().opens_section() && !self.at(Token::End) {
            self.advance();
        }
    }

    pub(super) fn identifier(&mut self, what: &str) -> Parse<Ident> {
        if !self.at(Token::Identifier) {
            return Err(self.expected(what));
        }
        let symbol = self.arena.names.intern(self.text());
        let span = self.advance().span();
        Ok(Ident { symbol, span })
    }

    fn module_signature(&mut self) -> Parse<Module> {
        let name = self.identifier("the module's name (an identifier)")?;
        let mut parameters = Vec::new();
        if self.eat(Token::LeftParen) && !self.eat(Token::RightParen) {
            parameters.push(self.identifier("a parameter (an identifier)")?);
            while self.eat(Token::Comma) {
                parameters.push(self.identifier("a parameter (an identifier)")?);
            }
            self.expect(Token::RightParen, "`,` or `)`")?;
        }
        Ok(Module {
            name,
            parameters,
            items: Vec::new(),
        })
    }

    fn section(&mut self, items: &mut Vec<Item>) {
        let token = self.token();
        match token {
            Token::Var | Token::IVar | Token::FrozenVar => {
                let kind = match token {
                    Token::Var => VarKind::State,
                    Token::IVar => VarKind::Input,
                    _ => VarKind::Frozen,
                };
                self.advance();
                self.declarations(items, |parser| parser.variable(kind));
            }
            Token::Define | Token::MDefine => {
                self.advance();
                self.declarations(items, Parser::define);
            }
            Token::Fun => {
                self.advance();
                self.declarations(items, Parser::function);
            }
            Token::Assign => {
                self.advance();
                self.declarations(items, Parser::assignment);
            }
            Token::Identifier if self.at_urgency() => match self.condition() {
                Ok(condition) => items.push(Item::Urgent(condition)),
                Err(_) => self.recover(),
            },
            Token::Identifier if self.at_legacy_section() => {
                self.advance();
                if self.legacy_section().is_err() {
                    self.recover();
                }
            }
            _ => match self.single(token) {
                Ok(item) => items.push(item),
                Err(_) => self.recover(),
            },
        }
    }

    /// The declarations of a section until the next one begins.
    fn declarations(&mut self, items: &mut Vec<Item>, one: impl Fn(&mut Self) -> Parse<Item>) {
        while !self.token().opens_section()
            && !self.at(Token::End)
            && !self.at_legacy_section()
            && !self.at_urgency()
            && !self.given_up()
        {
            match one(self) {
                Ok(item) => items.push(item),
                Err(_) => self.recover(),
            }
        }
    }

    /// Sections that hold one thing.
    fn single(&mut self, token: Token) -> Parse<Item> {
        let span = self.span();
        match token {
            Token::Init | Token::Trans | Token::Invar | Token::Fairness | Token::Justice => {
                let kind = match token {
                    Token::Init => ConstraintKind::Init,
                    Token::Trans => ConstraintKind::Trans,
                    Token::Invar => ConstraintKind::Invar,
                    _ => ConstraintKind::Justice,
                };
                let expr = self.condition()?;
                Ok(Item::Constraint { kind, expr })
            }
            Token::Compassion => {
                self.advance();
                self.expect(Token::LeftParen, "`(`")?;
                let often = self.expression()?;
                self.expect(Token::Comma, "`,`")?;
                let then = self.expression()?;
                self.expect(Token::RightParen, "`)`")?;
                self.eat(Token::Semicolon);
                Ok(Item::Compassion { often, then })
            }
            Token::Spec | Token::CtlSpec => self.named_specification(SpecKind::Ctl),
            Token::LtlSpec => self.named_specification(SpecKind::Ltl),
            Token::InvarSpec => self.named_specification(SpecKind::Invariant),
            Token::Compute => self.named_specification(SpecKind::Compute),
            Token::PslSpec => self.psl_specification(span),
            Token::Constants => {
                self.advance();
                let mut names = Vec::new();
                while !self.at(Token::Semicolon) {
                    names.push(self.constant_name()?);
                    if !self.eat(Token::Comma) {
                        break;
                    }
                }
                self.expect(Token::Semicolon, "`,` or `;`")?;
                Ok(Item::Constants(names))
            }
            Token::Isa => {
                self.advance();
                let name = self.identifier("a module's name (an identifier)")?;
                self.eat(Token::Semicolon);
                self.diagnostics.push(
                    Diagnostic::warning("smv::isa", "ISA is obsolete", span.to(name.span), "here")
                        .with_help("instantiate the module, or write its declarations out"),
                );
                Ok(Item::Isa(name))
            }
            _ => Err(self.expected("a section such as `VAR`, `ASSIGN` or `SPEC`")),
        }
    }

    pub(super) fn named_specification(&mut self, kind: SpecKind) -> Parse<Item> {
        self.advance();
        let name = if self.eat(Token::Name) {
            let name = self.composite_name("the property's name (an identifier)", true)?;
            self.expect(Token::Becomes, "`:=`")?;
            Some(name)
        } else {
            None
        };
        let formula = self.specification(kind)?;
        let context = self.context()?;
        self.eat(Token::Semicolon);
        Ok(Item::Spec {
            kind,
            name,
            formula,
            context,
        })
    }

    /// `IN a.b`, if it is there.
    fn context(&mut self) -> Parse<Option<ExprId>> {
        if !self.eat(Token::In) {
            return Ok(None);
        }
        if !self.at(Token::Identifier) {
            return Err(self.expected("the name of an instance (an identifier)"));
        }
        self.variable_reference().map(Some)
    }

    /// What follows a section's name.
    fn condition(&mut self) -> Parse<ExprId> {
        self.advance();
        let condition = self.expression()?;
        self.eat(Token::Semicolon);
        Ok(condition)
    }

    /// Whether `URGENT`, which is not reserved, begins a section here.
    fn at_urgency(&self) -> bool {
        self.at_section_named(&["URGENT"])
    }

    fn at_legacy_section(&self) -> bool {
        self.at_section_named(&["PRED", "MIRROR"])
    }

    /// Whether a word that is not reserved begins a section here: what follows could not be a declaration of that name.
    fn at_section_named(&self, names: &[&str]) -> bool {
        self.at(Token::Identifier)
            && names.contains(&self.text())
            && !matches!(
                self.peek(1),
                Token::Colon | Token::Becomes | Token::Dot | Token::LeftBracket
            )
    }

    fn legacy_section(&mut self) -> Parse<()> {
        if self.eat(Token::Name) {
            self.composite_name("a name (an identifier)", true)?;
            self.expect(Token::Becomes, "`:=`")?;
        }
        self.expression()?;
        self.eat(Token::Semicolon);
        Ok(())
    }

    pub(super) fn constant_name(&mut self) -> Parse<Ident> {
        let first = self.identifier("a symbolic constant (an identifier)")?;
        let mut span = first.span;
        let mut text = self.arena.names.text(first.symbol).to_string();
        while self.eat(Token::Dot) {
            let part = self.identifier("an identifier")?;
            text.push('.');
            text.push_str(self.arena.names.text(part.symbol));
            span = span.to(part.span);
        }
        Ok(Ident {
            symbol: self.arena.names.intern(&text),
            span,
        })
    }

    /// A declared name such as `a`, `a.b` or `a[3]`, as one symbol.
    fn composite_name(&mut self, what: &str, with_self: bool) -> Parse<Ident> {
        if with_self && self.at(Token::SelfRef) {
            let symbol = self.arena.names.intern("self");
            let span = self.advance().span();
            return Ok(Ident { symbol, span });
        }
        let first = self.identifier(what)?;
        if !matches!(self.token(), Token::Dot | Token::LeftBracket) {
            return Ok(first);
        }
        let mut span = first.span;
        let mut text = self.arena.names.text(first.symbol).to_string();
        loop {
            if self.eat(Token::Dot) {
                if !matches!(self.token(), Token::Identifier | Token::Number) {
                    return Err(self.expected("an identifier"));
                }
                text.push('.');
                text.push_str(self.text());
                self.advance();
            } else if self.eat(Token::LeftBracket) {
                let index = self.integer()?;
                text.push_str(&format!("[{index}]"));
                self.expect(Token::RightBracket, "`]`")?;
            } else {
                break;
            }
            span = span.to(self.previous_span());
        }
        Ok(Ident {
            symbol: self.arena.names.intern(&text),
            span,
        })
    }

    fn variable(&mut self, kind: VarKind) -> Parse<Item> {
        let name = self.composite_name("a variable's name (an identifier)", false)?;
        self.expect(Token::Colon, "`:`")?;
        let ty = self.type_expression(kind == VarKind::State)?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(Item::Variable { kind, name, ty })
    }

    fn define(&mut self) -> Parse<Item> {
        let name = self.composite_name("a name to define (an identifier)", false)?;
        self.expect(Token::Becomes, "`:=`")?;
        let body = if self.at(Token::LeftBracket) {
            self.array_literal()?
        } else {
            self.expression()?
        };
        self.expect(Token::Semicolon, "`;`")?;
        Ok(Item::Define { name, body })
    }

    fn array_literal(&mut self) -> Parse<ExprId> {
        let start = self.span();
        self.nesting += 1;
        if self.nesting > 100 {
            return Err(self.error("smv::nesting", "too many dimensions", start, "here"));
        }
        self.expect(Token::LeftBracket, "`[`")?;
        let mut members = Vec::new();
        loop {
            members.push(if self.at(Token::LeftBracket) {
                self.array_literal()?
            } else {
                self.expression()?
            });
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(Token::RightBracket, "`,` or `]`")?;
        self.nesting -= 1;
        let list = self.arena.add_list(&members);
        Ok(self.arena.add(
            super::ast::Expr::ArrayLiteral(list),
            start.to(self.previous_span()),
        ))
    }

    fn assignment(&mut self) -> Parse<Item> {
        let start = self.span();
        let kind = match self.token() {
            Token::SmallInit => AssignKind::Init,
            Token::Next => AssignKind::Next,
            _ => AssignKind::Current,
        };
        let target = if kind == AssignKind::Current {
            if !matches!(self.token(), Token::Identifier | Token::SelfRef) {
                return Err(self.expected("a variable to assign (an identifier)"));
            }
            self.variable_reference()?
        } else {
            self.advance();
            self.expect(Token::LeftParen, "`(`")?;
            let target = self.variable_reference()?;
            self.expect(Token::RightParen, "`)`")?;
            target
        };
        let span = start.to(self.previous_span());
        self.expect(Token::Becomes, "`:=`")?;
        let value = self.expression()?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(Item::Assign {
            kind,
            target,
            value,
            span,
        })
    }

    /// `f : integer * boolean -> real;`
    fn function(&mut self) -> Parse<Item> {
        let name = self.identifier("the function's name (an identifier)")?;
        self.expect(Token::Colon, "`:`")?;
        let mut arguments = vec![self.factor_type()?];
        while self.eat(Token::Times) {
            arguments.push(self.factor_type()?);
        }
        self.expect(Token::Implies, "`*` or `->`")?;
        let result = self.factor_type()?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(Item::Function {
            name,
            arguments,
            result,
        })
    }

    /// `a`, `self.b`, `a.b[i]`: what can be assigned, and contexts.
    fn variable_reference(&mut self) -> Parse<ExprId> {
        use super::ast::Expr;
        let start = self.span();
        let mut id = match self.token() {
            Token::SelfRef => {
                self.advance();
                self.arena.add(Expr::SelfRef, start)
            }
            Token::Identifier => {
                let symbol = self.arena.names.intern(self.text());
                self.advance();
                self.arena.add(Expr::Name(symbol), start)
            }
            _ => return Err(self.expected("a variable (an identifier)")),
        };
        loop {
            if self.eat(Token::Dot) {
                if !matches!(self.token(), Token::Identifier | Token::Number) {
                    return Err(self.expected("an identifier"));
                }
                let symbol = self.arena.names.intern(self.text());
                self.advance();
                let span = start.to(self.previous_span());
                id = self.arena.add(Expr::Dot(id, symbol), span);
            } else if self.eat(Token::LeftBracket) {
                let index = self.expression()?;
                self.expect(Token::RightBracket, "`]`")?;
                let span = start.to(self.previous_span());
                id = self.arena.add(Expr::Index(id, index), span);
            } else {
                return Ok(id);
            }
            if self.arena.depth(id) > super::ast::MAX_DEPTH {
                return Err(self.error("smv::nesting", "this name is too deep", start, "here"));
            }
        }
    }
}
