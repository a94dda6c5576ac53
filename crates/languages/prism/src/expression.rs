//! Expressions and properties, by recursive descent. Operators bind as in PRISM, the weakest first: `U W R`, `F G X`, `? :`, `=>`, `<=>`, `|`,
//! `&`, `!`, `= !=`, `< <= >= >`, `+ -`, `* /`, `^`, minus. So `F a & b` is `F (a & b)`.

use crate::ast::*;
use crate::token::{Token, tokens};
use entail_markov::{BinaryOp, UnaryOp, decimal};
use entail_source::{Diagnostic, Span};

/// What a parser gives back.
pub(crate) type Parsed<T> = Result<T, Diagnostic>;

/// A position in the tokens of a text.
pub(crate) struct Parser<'t> {
    text: &'t str,
    tokens: Vec<(Token, Span)>,
    at: usize,
    /// Whether operators of properties are read: in models their letters are names.
    pub properties: bool,
}

/// Names that PRISM reserves.
pub(crate) const RESERVED: &[&str] = &[
    "A",
    "bool",
    "clock",
    "const",
    "ctmc",
    "C",
    "double",
    "dtmc",
    "E",
    "endinit",
    "endinvariant",
    "endmodule",
    "endobservables",
    "endrewards",
    "endsystem",
    "false",
    "formula",
    "filter",
    "func",
    "F",
    "global",
    "G",
    "init",
    "invariant",
    "I",
    "int",
    "label",
    "max",
    "mdp",
    "min",
    "module",
    "X",
    "nondeterministic",
    "observable",
    "observables",
    "of",
    "Pmax",
    "Pmin",
    "P",
    "pomdp",
    "popta",
    "probabilistic",
    "prob",
    "pta",
    "rate",
    "rewards",
    "Rmax",
    "Rmin",
    "R",
    "S",
    "stochastic",
    "system",
    "true",
    "U",
    "W",
];

impl<'t> Parser<'t> {
    pub fn new(text: &'t str, properties: bool) -> Parsed<Parser<'t>> {
        Ok(Parser {
            text,
            tokens: tokens(text)?,
            at: 0,
            properties,
        })
    }

    pub fn token(&self) -> Token {
        self.tokens[self.at].0
    }

    pub fn token_after(&self, distance: usize) -> Token {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)].0
    }

    pub fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    /// The place of the token before.
    pub fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    pub fn text(&self) -> &'t str {
        let span = self.span();
        &self.text[span.start..span.end]
    }

    pub fn text_after(&self, distance: usize) -> &'t str {
        let span = self.tokens[(self.at + distance).min(self.tokens.len() - 1)].1;
        &self.text[span.start..span.end]
    }

    pub fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    pub fn eat(&mut self, token: Token) -> bool {
        let found = self.token() == token;
        if found {
            self.advance();
        }
        found
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.token() == Token::Name && self.text() == word
    }

    pub fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    pub fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.token() {
            Token::End => "the text ends".to_owned(),
            _ => format!("there is `{}`", self.text()),
        };
        let message = format!("{found} where {what} is expected");
        Diagnostic::error("prism::syntax", message, self.span(), format!("expected {what}"))
    }

    pub fn expect(&mut self, token: Token, what: &str) -> Parsed<Span> {
        let span = self.span();
        if self.eat(token) {
            Ok(span)
        } else {
            Err(self.expected(what))
        }
    }

    pub fn expect_word(&mut self, word: &str) -> Parsed<Span> {
        let span = self.span();
        if self.eat_word(word) {
            Ok(span)
        } else {
            Err(self.expected(&format!("`{word}`")))
        }
    }

    /// A name that is not reserved.
    pub fn name(&mut self, what: &str) -> Parsed<(String, Span)> {
        let span = self.span();
        if self.token() != Token::Name {
            return Err(self.expected(what));
        }
        let name = self.text().to_owned();
        if RESERVED.contains(&name.as_str()) {
            let message = format!("`{name}` is a word of the language and cannot be {what}");
            let problem = Diagnostic::error("prism::reserved", message, span, "reserved");
            return Err(problem.with_help("choose another name"));
        }
        self.advance();
        Ok((name, span))
    }

    /// A quoted name without its quotes.
    pub fn quoted(&mut self) -> Parsed<String> {
        let text = self.text();
        self.expect(Token::Text, "a name in quotes")?;
        Ok(text.trim_matches('"').to_owned())
    }

    pub fn make(&self, start: Span, node: Node) -> Ast {
        Ast {
            node,
            span: start.to(self.last_span()),
        }
    }

    fn unary(&self, start: Span, op: UnaryOp, operand: Ast) -> Ast {
        self.make(start, Node::Unary(op, Box::new(operand)))
    }

    fn binary(&self, op: BinaryOp, left: Ast, right: Ast) -> Ast {
        let start = left.span;
        self.make(start, Node::Binary(op, Box::new(left), Box::new(right)))
    }

    /// An expression, or a property where these are allowed. However deep it is nested, the stack does not overflow.
    pub fn expression(&mut self) -> Parsed<Ast> {
        stacker::maybe_grow(128 << 10, 4 << 20, || self.temporal_binary())
    }

    fn temporal_binary(&mut self) -> Parsed<Ast> {
        let mut left = self.temporal_unary()?;
        while self.properties && self.token() == Token::Name {
            let op = match self.text() {
                "U" => Temporal::Until,
                "W" => Temporal::WeakUntil,
                "R" if self.begins_reward() => break,
                "R" => Temporal::Release,
                _ => break,
            };
            self.advance();
            let bounds = self.time_bounds()?;
            let right = self.temporal_unary()?;
            let start = left.span;
            left = self.make(start, Node::Temporal(op, bounds, vec![left, right]));
        }
        Ok(left)
    }

    /// Whether `R` begins the next property of a list without semicolons, `R{"time"}<=5 [ … ]`, and is not the operator *release*: a bracket follows the bound.
    fn begins_reward(&mut self) -> bool {
        let before = self.at;
        self.advance();
        let begins = self.reward_head().is_ok() && self.token() == Token::OpenBracket;
        self.at = before;
        begins
    }

    fn temporal_unary(&mut self) -> Parsed<Ast> {
        let start = self.span();
        if self.properties && self.token() == Token::Name {
            let op = match self.text() {
                "X" => Some(Temporal::Next),
                "F" => Some(Temporal::Finally),
                "G" => Some(Temporal::Globally),
                _ => None,
            };
            if let Some(op) = op {
                self.advance();
                let bounds = if op == Temporal::Next {
                    None
                } else {
                    self.time_bounds()?
                };
                let operand = stacker::maybe_grow(128 << 10, 4 << 20, || self.temporal_unary())?;
                return Ok(self.make(start, Node::Temporal(op, bounds, vec![operand])));
            }
        }
        self.choice()
    }

    /// `<=t`, `>t`, `=t`, `[a,b]`, with what is counted before them (`{"r"}`, `rew{"r"}`), several with commas, or all of it in `^{…}`; nothing if
    /// there is none.
    fn time_bounds(&mut self) -> Parsed<Option<TimeBounds>> {
        let named = self.token_after(1) == Token::Text && self.token_after(2) == Token::CloseBrace;
        if self.eat(Token::Power) || (self.token() == Token::OpenBrace && !named) {
            self.expect(Token::OpenBrace, "`{`")?;
            let bounds = self.bounds_with_commas(true)?;
            self.expect(Token::CloseBrace, "`}`")?;
            return Ok(Some(bounds));
        }
        match self.token() {
            Token::OpenBracket
            | Token::Lt
            | Token::Le
            | Token::Gt
            | Token::Ge
            | Token::Eq
            | Token::OpenBrace => self.bounds_with_commas(false).map(Some),
            _ if self.text() == "rew" && self.token_after(1) == Token::OpenBrace => {
                self.bounds_with_commas(false).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Bounds with commas between them; `steps` and `time` are words of bounds only where nothing else can stand.
    fn bounds_with_commas(&mut self, enclosed: bool) -> Parsed<TimeBounds> {
        let mut bounds = self.counted_bound(enclosed)?;
        while self.eat(Token::Comma) {
            bounds.others.push(self.counted_bound(enclosed)?);
        }
        Ok(bounds)
    }

    fn counted_bound(&mut self, enclosed: bool) -> Parsed<TimeBounds> {
        let mut bounds = TimeBounds::default();
        let start = self.span();
        let rewards = self.eat_word("rew");
        if self.eat(Token::OpenBrace) {
            let name = self.quoted()?;
            self.expect(Token::CloseBrace, "`}`")?;
            bounds.reward = Some((Some(name), start));
        } else if rewards {
            bounds.reward = Some((None, start));
        } else if enclosed && !self.eat_word("steps") {
            self.eat_word("time");
        }
        if !self.eat(Token::OpenBracket) {
            self.one_bound(&mut bounds)?;
            return Ok(bounds);
        }
        bounds.lower = Some((Box::new(self.expression()?), false));
        self.expect(Token::Comma, "`,`")?;
        bounds.upper = Some((Box::new(self.expression()?), false));
        self.expect(Token::CloseBracket, "`]`")?;
        Ok(bounds)
    }

    fn one_bound(&mut self, bounds: &mut TimeBounds) -> Parsed<()> {
        let relation = self.token();
        self.advance();
        // PRISM: an expression; a name in front of a bracket is no function.
        let functions = [
            "min", "max", "floor", "ceil", "round", "pow", "mod", "log", "func",
        ];
        let alone = self.token() == Token::Name
            && self.token_after(1) == Token::Open
            && !functions.contains(&self.text());
        let bound = Box::new(match alone {
            true => self.basic()?,
            false => self.sum()?,
        });
        match relation {
            Token::Lt => bounds.upper = Some((bound, true)),
            Token::Le => bounds.upper = Some((bound, false)),
            Token::Gt => bounds.lower = Some((bound, true)),
            Token::Ge => bounds.lower = Some((bound, false)),
            Token::Eq => {
                bounds.lower = Some((bound.clone(), false));
                bounds.upper = Some((bound, false));
            }
            _ => return Err(self.expected("a bound such as `<=10`")),
        }
        Ok(())
    }

    fn choice(&mut self) -> Parsed<Ast> {
        let condition = self.implication()?;
        if !self.eat(Token::Question) {
            return Ok(condition);
        }
        let yes = stacker::maybe_grow(128 << 10, 4 << 20, || self.choice())?;
        self.expect(Token::Colon, "`:`")?;
        let no = stacker::maybe_grow(128 << 10, 4 << 20, || self.choice())?;
        let start = condition.span;
        Ok(self.make(start, Node::If(Box::new(condition), Box::new(yes), Box::new(no))))
    }

    fn implication(&mut self) -> Parsed<Ast> {
        let mut left = self.equivalence()?;
        while self.eat(Token::Implies) {
            let right = self.equivalence()?;
            left = self.binary(BinaryOp::Implies, left, right);
        }
        Ok(left)
    }

    fn equivalence(&mut self) -> Parsed<Ast> {
        let mut left = self.disjunction()?;
        while self.eat(Token::Iff) {
            let right = self.disjunction()?;
            left = self.binary(BinaryOp::Iff, left, right);
        }
        Ok(left)
    }

    fn disjunction(&mut self) -> Parsed<Ast> {
        let mut left = self.conjunction()?;
        while self.eat(Token::Or) {
            let right = self.conjunction()?;
            left = self.binary(BinaryOp::Or, left, right);
        }
        Ok(left)
    }

    fn conjunction(&mut self) -> Parsed<Ast> {
        let mut left = self.negation()?;
        while self.eat(Token::And) {
            let right = self.negation()?;
            left = self.binary(BinaryOp::And, left, right);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed<Ast> {
        let start = self.span();
        if self.eat(Token::Not) {
            let operand = stacker::maybe_grow(128 << 10, 4 << 20, || self.negation())?;
            return Ok(self.unary(start, UnaryOp::Not, operand));
        }
        self.equality()
    }

    fn equality(&mut self) -> Parsed<Ast> {
        let mut left = self.relation()?;
        loop {
            let op = match self.token() {
                Token::Eq => BinaryOp::Eq,
                Token::Ne => BinaryOp::Ne,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.relation()?;
            left = self.binary(op, left, right);
        }
    }

    fn relation(&mut self) -> Parsed<Ast> {
        let mut left = self.sum()?;
        loop {
            let op = match self.token() {
                Token::Lt if self.is_coalition() => return Ok(left),
                Token::Lt => BinaryOp::Lt,
                Token::Le => BinaryOp::Le,
                Token::Gt => BinaryOp::Gt,
                Token::Ge => BinaryOp::Ge,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.sum()?;
            left = self.binary(op, left, right);
        }
    }

    pub fn sum(&mut self) -> Parsed<Ast> {
        let mut left = self.product()?;
        loop {
            let op = match self.token() {
                Token::Plus => BinaryOp::Add,
                Token::Minus => BinaryOp::Sub,
                _ => return Ok(left),
            };
            // In `p: update + p: update` the sum belongs to the command: an update begins with `(name' =`, a weight does not.
            self.advance();
            let right = self.product()?;
            left = self.binary(op, left, right);
        }
    }

    fn product(&mut self) -> Parsed<Ast> {
        let mut left = self.power()?;
        loop {
            let op = match self.token() {
                Token::Times => BinaryOp::Mul,
                Token::Divide => BinaryOp::Div,
                _ => return Ok(left),
            };
            self.advance();
            let right = self.power()?;
            left = self.binary(op, left, right);
        }
    }

    /// `a ^ b`, which is `pow(a, b)`. As in PRISM a minus binds stronger, so that `-2^2` is 4, and `a ^ b ^ c` is `a ^ (b ^ c)`.
    fn power(&mut self) -> Parsed<Ast> {
        let start = self.span();
        let base = self.minus()?;
        if !self.eat(Token::Power) {
            return Ok(base);
        }
        let exponent = stacker::maybe_grow(128 << 10, 4 << 20, || self.power())?;
        Ok(self.make(start, Node::Call("pow".to_owned(), vec![base, exponent])))
    }

    fn minus(&mut self) -> Parsed<Ast> {
        let start = self.span();
        if self.eat(Token::Minus) {
            let operand = stacker::maybe_grow(128 << 10, 4 << 20, || self.minus())?;
            return Ok(self.unary(start, UnaryOp::Neg, operand));
        }
        self.basic()
    }

    fn arguments(&mut self) -> Parsed<Vec<Ast>> {
        self.expect(Token::Open, "`(`")?;
        let mut arguments = vec![self.expression()?];
        while self.eat(Token::Comma) {
            arguments.push(self.expression()?);
        }
        self.expect(Token::Close, "`)`")?;
        Ok(arguments)
    }

    pub fn basic(&mut self) -> Parsed<Ast> {
        let start = self.span();
        let text = self.text();
        match self.token() {
            Token::Int => {
                self.advance();
                let node = match text.parse::<i64>() {
                    Ok(number) => Node::Int(number),
                    Err(_) => {
                        let message = format!("the number {text} is too large");
                        return Err(Diagnostic::error("prism::number", message, start, "here"));
                    }
                };
                Ok(self.make(start, node))
            }
            Token::Real => {
                self.advance();
                match decimal(text) {
                    Some(number) => Ok(self.make(start, Node::Real(number))),
                    None => {
                        let message = format!("the number {text} is beyond all doubles");
                        Err(Diagnostic::error("prism::number", message, start, "here"))
                    }
                }
            }
            Token::Open => {
                self.advance();
                let inner = self.expression()?;
                self.expect(Token::Close, "`)`")?;
                Ok(Ast {
                    span: start.to(self.last_span()),
                    ..inner
                })
            }
            Token::Text if self.properties => {
                let label = self.quoted()?;
                Ok(self.make(start, Node::Label(label)))
            }
            Token::Text => {
                self.advance();
                let problem = Diagnostic::error("prism::label", "a label inside a model", start, "here");
                Err(problem.with_help("labels are for properties; use a formula"))
            }
            Token::Name => self.word(start, text),
            Token::Lt | Token::OpenBracket if self.is_coalition() => self.coalition(start),
            _ => Err(self.expected("an expression")),
        }
    }

    fn word(&mut self, start: Span, text: &str) -> Parsed<Ast> {
        match text {
            "true" | "false" => {
                self.advance();
                return Ok(self.make(start, Node::Bool(text == "true")));
            }
            "min" | "max" | "floor" | "ceil" | "round" | "pow" | "mod" | "log"
                if self.token_after(1) == Token::Open =>
            {
                self.advance();
                let arguments = self.arguments()?;
                return Ok(self.make(start, Node::Call(text.to_owned(), arguments)));
            }
            "func" => {
                self.advance();
                self.expect(Token::Open, "`(`")?;
                let name = self.text().to_owned();
                self.expect(Token::Name, "the name of a function")?;
                let mut arguments = Vec::new();
                while self.eat(Token::Comma) {
                    arguments.push(self.expression()?);
                }
                self.expect(Token::Close, "`)`")?;
                return Ok(self.make(start, Node::Call(name, arguments)));
            }
            _ => {}
        }
        if self.properties
            && let Some(operator) = self.operator(start, text)?
        {
            return Ok(operator);
        }
        // A letter that is an operator of properties may be a name in a model that PRISM itself would refuse; declarations refuse it.
        if self.token_after(1) == Token::Open && self.properties && text == "quantile" {
            return self.quantile(start);
        }
        if self.token_after(1) == Token::Open && self.properties && (text == "multi" || text == "multilex") {
            self.advance();
            let arguments = self.arguments()?;
            return Ok(self.make(start, Node::Call(text.to_owned(), arguments)));
        }
        if RESERVED.contains(&text) {
            return Err(self.expected("an expression"));
        }
        self.advance();
        Ok(self.make(start, Node::Name(text.to_owned())))
    }
}
