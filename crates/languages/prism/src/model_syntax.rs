//! Model files and properties files, by recursive descent.

use crate::ast::*;
use crate::expression::{Parsed, Parser};
use crate::token::Token;
use entail_markov::Sort;
use entail_source::{Diagnostic, Span};

/// The words for kinds of models, old ones too.
const KINDS: &[(&str, KindAst)] = &[
    ("dtmc", KindAst::Dtmc),
    ("probabilistic", KindAst::Dtmc),
    ("ctmc", KindAst::Ctmc),
    ("stochastic", KindAst::Ctmc),
    ("mdp", KindAst::Mdp),
    ("nondeterministic", KindAst::Mdp),
    ("ma", KindAst::Ma),
    ("pta", KindAst::Pta),
    (
        "pomdp",
        KindAst::Refused("partially observable Markov decision processes (pomdp)"),
    ),
    (
        "popta",
        KindAst::Refused("partially observable probabilistic timed automata (popta)"),
    ),
    ("smg", KindAst::Refused("stochastic games (smg)")),
    ("csg", KindAst::Refused("concurrent stochastic games (csg)")),
    ("tsg", KindAst::Refused("stochastic games (tsg)")),
    ("idtmc", KindAst::Dtmc),
    ("imdp", KindAst::Mdp),
];

/// Reads a model file.
pub(crate) fn model(text: &str) -> Parsed<ModelAst> {
    let mut parser = Parser::new(text, false)?;
    let mut model = ModelAst::default();
    while parser.token() != Token::End {
        parser.model_item(&mut model)?;
    }
    Ok(model)
}

/// Reads a properties file, or a single property.
pub(crate) fn properties(text: &str) -> Parsed<PropertiesAst> {
    let mut parser = Parser::new(text, true)?;
    let mut file = PropertiesAst::default();
    while parser.token() != Token::End {
        if parser.is_word("const") {
            file.constants.push(parser.constant()?);
        } else if parser.is_word("label") {
            file.labels.push(parser.label()?);
        } else if parser.is_word("formula") {
            file.formulas.push(parser.formula()?);
        } else {
            let mut name = None;
            if parser.token() == Token::Text && parser.token_after(1) == Token::Colon {
                name = Some(parser.quoted()?);
                parser.advance();
            }
            let body = parser.expression()?;
            file.properties.push(PropertyAst { name, body });
            while parser.eat(Token::Semicolon) {}
        }
    }
    Ok(file)
}

impl Parser<'_> {
    fn model_item(&mut self, model: &mut ModelAst) -> Parsed<()> {
        let start = self.span();
        if self.token() != Token::Name {
            return Err(self.expected("a declaration (`module`, `const`, `formula`, …)"));
        }
        let word = self.text();
        if let Some((_, kind)) = KINDS.iter().find(|(name, _)| *name == word) {
            if let Some((_, first)) = model.kind {
                let problem = Diagnostic::error(
                    "prism::kind",
                    "the kind of model is given twice",
                    start,
                    "again here",
                );
                return Err(problem.with_label(first, "first here"));
            }
            model.kind = Some((*kind, start));
            self.advance();
            self.eat(Token::Semicolon);
            return Ok(());
        }
        match word {
            "const" | "rate" | "prob" => model.constants.push(self.constant()?),
            "formula" => model.formulas.push(self.formula()?),
            "label" => model.labels.push(self.label()?),
            "global" => {
                self.advance();
                model.globals.push(self.variable()?);
            }
            "module" => model.modules.push(self.module()?),
            "rewards" => model.rewards.push(self.rewards()?),
            "init" => {
                self.advance();
                if model.initial.is_some() {
                    let message = "there are two descriptions of initial states";
                    return Err(Diagnostic::error("prism::init", message, start, "the second"));
                }
                model.initial = Some(self.expression()?);
                self.expect_word("endinit")?;
            }
            "system" => {
                self.advance();
                if self.token() == Token::Text {
                    let message = "named system definitions are not supported";
                    return Err(Diagnostic::error("prism::system", message, self.span(), "here"));
                }
                model.system = Some(self.system()?);
                self.expect_word("endsystem")?;
            }
            "observables" | "observable" | "player" | "endobservables" => {
                let message =
                    format!("`{word}`: models with partial observation or players are not supported");
                return Err(Diagnostic::error("prism::refused", message, start, "here"));
            }
            _ => return Err(self.expected("a declaration (`module`, `const`, `formula`, …)")),
        }
        Ok(())
    }

    fn constant(&mut self) -> Parsed<ConstantAst> {
        let start = self.span();
        self.eat_word("const");
        let sort = match self.text() {
            "int" => Some(Sort::Int),
            "double" | "rate" | "prob" => Some(Sort::Real),
            "bool" => Some(Sort::Bool),
            _ => None,
        };
        if sort.is_some() {
            self.advance();
        }
        let (name, span) = self.name("a constant")?;
        let value = match self.eat(Token::Eq) {
            true => Some(self.expression()?),
            false => None,
        };
        self.expect(Token::Semicolon, "`;`")?;
        Ok(ConstantAst {
            name,
            sort: sort.unwrap_or(Sort::Int),
            value,
            span: start.to(span),
        })
    }

    fn formula(&mut self) -> Parsed<NamedAst> {
        self.advance();
        let (name, span) = self.name("a formula")?;
        self.expect(Token::Eq, "`=`")?;
        let body = self.expression()?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(NamedAst { name, body, span })
    }

    fn label(&mut self) -> Parsed<NamedAst> {
        self.advance();
        let span = self.span();
        let name = self.quoted()?;
        self.expect(Token::Eq, "`=`")?;
        let body = self.expression()?;
        self.expect(Token::Semicolon, "`;`")?;
        Ok(NamedAst { name, body, span })
    }

    fn variable(&mut self) -> Parsed<VariableAst> {
        let (name, span) = self.name("a variable")?;
        self.expect(Token::Colon, "`:`")?;
        let domain = if self.eat_word("bool") {
            DomainAst::Bool
        } else if self.eat_word("int") {
            DomainAst::Int
        } else if self.eat_word("clock") {
            DomainAst::Clock
        } else {
            self.expect(Token::OpenBracket, "`[low..high]`, `bool` or `int`")?;
            let low = self.expression()?;
            self.expect(Token::Dots, "`..`")?;
            let high = self.expression()?;
            self.expect(Token::CloseBracket, "`]`")?;
            DomainAst::Range(Box::new((low, high)))
        };
        let initial = match self.eat_word("init") {
            true => Some(self.expression()?),
            false => None,
        };
        self.expect(Token::Semicolon, "`;`")?;
        Ok(VariableAst {
            name,
            domain,
            initial,
            span,
        })
    }

    fn module(&mut self) -> Parsed<ModuleAst> {
        let start = self.span();
        self.advance();
        let (name, span) = self.name("a module")?;
        let mut module = ModuleAst {
            name,
            variables: Vec::new(),
            invariant: None,
            commands: Vec::new(),
            renames: None,
            span: start.to(span),
        };
        if self.eat(Token::Eq) {
            let (original, _) = self.name("a module")?;
            self.expect(Token::OpenBracket, "`[`")?;
            let mut pairs = Vec::new();
            while self.token() != Token::CloseBracket {
                let old = self.rename_name()?;
                self.expect(Token::Eq, "`=`")?;
                pairs.push((old, self.rename_name()?));
                if !self.eat(Token::Comma) {
                    break;
                }
            }
            self.expect(Token::CloseBracket, "`]`")?;
            module.renames = Some((original, pairs));
            self.expect_word("endmodule")?;
            return Ok(module);
        }
        while self.token() == Token::Name {
            match self.text() {
                "endmodule" => break,
                "invariant" => {
                    self.advance();
                    module.invariant = Some(self.expression()?);
                    self.expect_word("endinvariant")?;
                }
                _ => module.variables.push(self.variable()?),
            }
        }
        while matches!(self.token(), Token::OpenBracket | Token::Lt | Token::Diamond) {
            module.commands.push(self.command()?);
        }
        self.expect_word("endmodule")?;
        Ok(module)
    }

    /// Names in renamings may be words of the language (functions can be renamed).
    fn rename_name(&mut self) -> Parsed<String> {
        let name = self.text().to_owned();
        self.expect(Token::Name, "a name")?;
        Ok(name)
    }

    fn command(&mut self) -> Parsed<CommandAst> {
        let start = self.span();
        let markovian = self.token() != Token::OpenBracket;
        let mut action = None;
        if !self.eat(Token::Diamond) {
            self.advance();
            if self.token() == Token::Name {
                action = Some(self.name("an action")?.0);
            }
            match markovian {
                true => self.expect(Token::Gt, "`>`")?,
                false => self.expect(Token::CloseBracket, "`]`")?,
            };
        }
        let guard = self.expression()?;
        self.expect(Token::Arrow, "`->`")?;
        let mut updates = vec![self.update()?];
        while self.eat(Token::Plus) {
            updates.push(self.update()?);
        }
        let end = self.expect(Token::Semicolon, "`;` or `+`")?;
        Ok(CommandAst {
            action,
            markovian,
            guard,
            updates,
            span: start.to(end),
        })
    }

    fn begins_update(&self) -> bool {
        match self.token() {
            Token::Open => self.token_after(1) == Token::Name && self.token_after(2) == Token::Prime,
            Token::Name => {
                self.text() == "true" && matches!(self.token_after(1), Token::Semicolon | Token::Plus)
            }
            _ => false,
        }
    }

    fn update(&mut self) -> Parsed<UpdateAst> {
        let start = self.span();
        let (mut weight, mut upper) = (None, None);
        if !self.begins_update() {
            if self.eat(Token::OpenBracket) {
                weight = Some(self.expression()?);
                self.expect(Token::Comma, "`,` between the ends of an interval")?;
                upper = Some(self.expression()?);
                self.expect(Token::CloseBracket, "`]` after an interval of probabilities")?;
            } else {
                weight = Some(self.expression()?);
            }
            self.expect(Token::Colon, "`:` between probability and update")?;
        }
        let mut assignments = Vec::new();
        if !self.eat_word("true") {
            loop {
                self.expect(Token::Open, "`(variable' = …)`")?;
                let (name, span) = self.name("a variable")?;
                self.expect(Token::Prime, "`'`")?;
                self.expect(Token::Eq, "`=`")?;
                let value = self.expression()?;
                self.expect(Token::Close, "`)`")?;
                assignments.push((name, span, value));
                if !self.eat(Token::And) {
                    break;
                }
            }
        }
        Ok(UpdateAst {
            weight,
            upper,
            assignments,
            span: start.to(self.last_span()),
        })
    }

    fn rewards(&mut self) -> Parsed<RewardsAst> {
        let start = self.span();
        self.advance();
        let mut name = None;
        if self.token() == Token::Text {
            name = Some(self.quoted()?);
        }
        let mut items = Vec::new();
        while !self.is_word("endrewards") {
            let start = self.span();
            let mut action = None;
            if self.eat(Token::OpenBracket) {
                action = Some(match self.token() {
                    Token::Name => self.name("an action")?.0,
                    _ => String::new(),
                });
                self.expect(Token::CloseBracket, "`]`")?;
            }
            let guard = self.expression()?;
            self.expect(Token::Colon, "`:`")?;
            let value = self.expression()?;
            self.expect(Token::Semicolon, "`;`")?;
            items.push(RewardItemAst {
                action,
                guard,
                value,
                span: start.to(self.last_span()),
            });
        }
        self.advance();
        Ok(RewardsAst {
            name,
            items,
            span: start.to(self.last_span()),
        })
    }

    fn system(&mut self) -> Parsed<SystemAst> {
        let mut left = self.system_operand()?;
        loop {
            left = match self.token() {
                Token::DoubleBar => {
                    self.advance();
                    SystemAst::Full(vec![left, self.system_operand()?])
                }
                Token::TripleBar => {
                    self.advance();
                    SystemAst::Interleaved(vec![left, self.system_operand()?])
                }
                Token::BarBracket => {
                    self.advance();
                    let actions = self.action_list(Token::CloseBracket)?;
                    self.expect(Token::Or, "`|`")?;
                    SystemAst::On(actions, Box::new(left), Box::new(self.system_operand()?))
                }
                _ => return Ok(left),
            };
        }
    }

    fn action_list(&mut self, end: Token) -> Parsed<Vec<String>> {
        let mut actions = Vec::new();
        while self.token() != end {
            actions.push(self.name("an action")?.0);
            if !self.eat(Token::Comma) {
                break;
            }
        }
        self.expect(end, "the end of the list of actions")?;
        Ok(actions)
    }

    fn system_operand(&mut self) -> Parsed<SystemAst> {
        let mut operand = if self.eat(Token::Open) {
            let inner = stacker::maybe_grow(128 << 10, 4 << 20, || self.system())?;
            self.expect(Token::Close, "`)`")?;
            inner
        } else {
            let (name, span): (String, Span) = self.name("a module")?;
            SystemAst::Module(name, span)
        };
        loop {
            if self.eat(Token::Divide) {
                self.expect(Token::OpenBrace, "`{`")?;
                operand = SystemAst::Hide(Box::new(operand), self.action_list(Token::CloseBrace)?);
            } else if self.eat(Token::OpenBrace) {
                let mut pairs = Vec::new();
                loop {
                    let (old, _) = self.name("an action")?;
                    self.expect(Token::BackArrow, "`<-`")?;
                    pairs.push((old, self.name("an action")?.0));
                    if !self.eat(Token::Comma) {
                        break;
                    }
                }
                self.expect(Token::CloseBrace, "`}`")?;
                operand = SystemAst::Rename(Box::new(operand), pairs);
            } else {
                return Ok(operand);
            }
        }
    }
}
