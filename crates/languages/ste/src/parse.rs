//! Recursive descent over the tokens of a specification.
//!
//! Where a formula may begin with a guard, what follows up to the next `->`, `is` or `and` outside brackets tells which it is, so nothing is parsed twice. Nesting is limited.

mod graph;
mod proof;
mod relation;

use crate::lexer::{Token, tokens};
use crate::syntax::{Expression, ExpressionKind, Formula, Item, Nodes, RULES, SpecificationText};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

/// How deep brackets, guards and formulas may nest.
const DEEPEST: usize = 200;

/// Most operators and positions in one item: what is made of them is walked down later.
const MOST_OPERATORS: usize = 2_000;

/// Words that are no names of nodes and variables; a node that is called so stands in quotes.
const KEYWORDS: [&str; 10] = [
    "N",
    "all",
    "and",
    "false",
    "followed_by",
    "for",
    "from",
    "is",
    "true",
    "when",
];

/// Binary operators by precedence, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*"],
];

/// Parses a specification.
pub fn parse(source: &Source) -> Result<SpecificationText, Diagnostics> {
    let parsed = tokens(source.text()).and_then(|tokens| {
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            depth: 0,
            operators: 0,
            end: source.text().len(),
        };
        parser.specification()
    });
    parsed.map_err(|problem| Diagnostics(vec![problem.within(source.text())]))
}

type Parsed<T> = Result<T, Diagnostic>;

struct Parser<'t> {
    tokens: &'t [(Token, Span)],
    at: usize,
    depth: usize,
    /// Operators of the current item so far.
    operators: usize,
    end: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at).map(|(token, _)| token)
    }

    fn span(&self) -> Span {
        let last = Span::new(self.end.saturating_sub(1), self.end);
        self.tokens.get(self.at).map_or(last, |(_, span)| *span)
    }

    fn is_mark(&self, mark: &str) -> bool {
        matches!(self.peek(), Some(Token::Mark(found)) if *found == mark)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Some(Token::Name(found)) if found == word)
    }

    fn take_mark(&mut self, mark: &str) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let message = match self.peek() {
            None => format!("the text ends where {what} is expected"),
            Some(_) => format!("{what} is expected here"),
        };
        let problem = Diagnostic::error("ste::syntax", message, self.span(), "here");
        Err(problem.with_help(self.advice(what)))
    }

    /// What to write where something else stands.
    fn advice(&self, what: &str) -> String {
        let is_keyword = matches!(self.peek(), Some(Token::Name(name)) if KEYWORDS.contains(&name.as_str()));
        let advice = match what {
            "the name of a node" if is_keyword => {
                "a node that is called like a word of the language stands in quotes"
            }
            "the name of a node" => "a formula says what nodes are: `out is d and N (ready is 1)`",
            "`is`" => "behind a node stands `is` and a value, behind a condition `->` and a formula",
            "`=>`" => "an assertion has two sides: `name: antecedent => consequent;`",
            "`;`" => "an item ends with `;`; operators between formulas are `and`, `followed_by`, `->`",
            "a value" => "values are made of variables and numbers: `4'd7`, `a + 1`, `x ? a : b`",
            "`{`" => {
                "`graph NAME { a -> b: A => C; }`; before the bracket may stand `strong`, `normal`, `terminal` or `fair`, and `when` with a condition"
            }
            "the vertex that an edge begins in" | "the vertex that an edge ends in" => {
                "an edge is `from -> to: antecedent => consequent;`"
            }
            "a rule, or the name of an assertion" => RULES,
            "a width from 1 to 65536" => "`var a[4];` is a word of four bits",
            _ => {
                "items are `var a[4];`, `let x = e;`, `trajectory f = …;`, `assume e;`, `weaken n;`, `graph g { … }`, `signal s = n at 2;`, `relation r: A => e;` and `name: antecedent => consequent;`"
            }
        };
        advice.to_owned()
    }

    fn mark(&mut self, mark: &'static str) -> Parsed<()> {
        match self.take_mark(mark) {
            true => Ok(()),
            false => self.expected(&format!("`{mark}`")),
        }
    }

    fn word(&mut self, word: &'static str) -> Parsed<()> {
        match self.take_word(word) {
            true => Ok(()),
            false => self.expected(&format!("`{word}`")),
        }
    }

    /// A name that is no keyword.
    fn name(&mut self, what: &str) -> Parsed<(String, Span)> {
        let span = self.span();
        match self.peek() {
            Some(Token::Name(name)) if !KEYWORDS.contains(&name.as_str()) => {
                let name = name.clone();
                self.at += 1;
                Ok((name, span))
            }
            _ => self.expected(what),
        }
    }

    /// One level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            let message = format!("this is nested more than {DEEPEST} levels deep");
            return Err(Diagnostic::error("ste::nesting", message, self.span(), "here"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// One more operator in this item.
    fn count(&mut self) -> Parsed<()> {
        self.operators += 1;
        match self.operators <= MOST_OPERATORS {
            true => Ok(()),
            false => {
                let message =
                    format!("this has more than {MOST_OPERATORS} operators; `let` gives parts a name");
                Err(Diagnostic::error("ste::nesting", message, self.span(), "here"))
            }
        }
    }

    fn specification(&mut self) -> Parsed<SpecificationText> {
        let mut text = SpecificationText::default();
        while self.peek().is_some() {
            if self.take_word("circuit") {
                let span = self.span();
                let Some(Token::Quoted(file)) = self.peek() else {
                    return self.expected("the name of a file in quotes");
                };
                text.circuit = Some((file.clone(), span));
                self.at += 1;
                self.mark(";")?;
            } else {
                self.item(&mut text.items)?;
            }
        }
        Ok(text)
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.operators = 0;
        if self.is_word("graph") {
            items.push(self.graph()?);
            return Ok(());
        }
        if self.take_word("var") {
            loop {
                let (name, span) = self.name("the name of a variable")?;
                let width = self.width()?;
                items.push(Item::Variable { name, span, width });
                if !self.take_mark(",") {
                    break;
                }
            }
        } else if self.take_word("let") {
            let (name, span) = self.name("a name")?;
            self.mark("=")?;
            items.push(Item::Let(name, span, self.expression()?));
        } else if self.take_word("trajectory") {
            let (name, span) = self.name("a name")?;
            self.mark("=")?;
            items.push(Item::Trajectory(name, span, self.formula()?));
        } else if self.take_word("signal") {
            items.push(self.signal()?);
        } else if self.take_word("relation") {
            items.push(self.relation()?);
        } else if self.take_word("assume") {
            items.push(Item::Assume(self.expression()?));
        } else if self.take_word("weaken") {
            let nodes = self.nodes()?;
            let during = match self.take_word("from") {
                true => Some(self.until()?),
                false => None,
            };
            let when = match self.take_word("when") {
                true => Some(self.expression()?),
                false => None,
            };
            items.push(Item::Weaken { nodes, during, when });
        } else {
            let is_indexed = self.take_word("indexed");
            let (name, span) = self.name(
                "`var`, `let`, `trajectory`, `assume`, `weaken`, `graph`, `signal`, `relation` or the name of an assertion",
            )?;
            self.mark(":")?;
            items.push(self.assertion(name, span, is_indexed)?);
        }
        self.mark(";")
    }

    fn assertion(&mut self, name: String, span: Span, is_indexed: bool) -> Parsed<Item> {
        let begin = self.span();
        let (assumption, antecedent, consequent) = self.sides()?;
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        let text = begin.to(last.map_or(begin, |(_, span)| *span));
        let method = Box::new(self.method()?);
        Ok(Item::Assert {
            name,
            span,
            is_indexed,
            assumption,
            antecedent,
            consequent,
            text,
            method,
        })
    }

    /// `P |= A => C`.
    fn sides(&mut self) -> Parsed<(Option<Expression>, Formula, Formula)> {
        let assumption = self.assumption()?;
        let antecedent = self.formula()?;
        self.mark("=>")?;
        Ok((assumption, antecedent, self.formula()?))
    }

    /// `P |=`, if it is there.
    fn assumption(&mut self) -> Parsed<Option<Expression>> {
        if !self.comes("|=", &["=>", ";"]) {
            return Ok(None);
        }
        let assumption = self.expression()?;
        self.mark("|=")?;
        Ok(Some(assumption))
    }

    /// `[8]` after a variable; without it there is one bit.
    fn width(&mut self) -> Parsed<u32> {
        if !self.take_mark("[") {
            return Ok(1);
        }
        let width = match self.peek() {
            Some(Token::Number(width @ 1..=65536)) => *width as u32,
            _ => return self.expected("a width from 1 to 65536"),
        };
        self.at += 1;
        self.mark("]")?;
        Ok(width)
    }

    /// Whether this mark comes before any of the others, outside brackets, before what is open here is closed.
    fn comes(&self, wanted: &str, others: &[&str]) -> bool {
        let mut depth = 0usize;
        for (token, _) in &self.tokens[self.at..] {
            match token {
                Token::Mark("(" | "[" | "{") => depth += 1,
                Token::Mark(")" | "]" | "}") if depth == 0 => return false,
                Token::Mark(")" | "]" | "}") => depth -= 1,
                Token::Mark(mark) if depth == 0 && *mark == wanted => return true,
                Token::Mark(mark) if depth == 0 && others.contains(mark) => return false,
                Token::Name(word) if depth == 0 && others.contains(&word.as_str()) => return false,
                _ => {}
            }
        }
        false
    }

    fn formula(&mut self) -> Parsed<Formula> {
        self.nested(|parser| {
            let mut parts = vec![parser.sequence()?];
            while parser.take_word("and") {
                parts.push(parser.sequence()?);
            }
            Ok(match parts.pop() {
                Some(only) if parts.is_empty() => only,
                last => {
                    parts.extend(last);
                    Formula::And(parts)
                }
            })
        })
    }

    fn sequence(&mut self) -> Parsed<Formula> {
        let mut first = self.guarded()?;
        while self.take_word("followed_by") {
            self.count()?;
            let then = self.guarded()?;
            first = Formula::Then(Box::new(first), Box::new(then));
        }
        Ok(first)
    }

    fn guarded(&mut self) -> Parsed<Formula> {
        const ENDS: [&str; 10] = [
            "is",
            "and",
            "=>",
            ";",
            "followed_by",
            "for",
            "from",
            "all",
            "N",
            ",",
        ];
        self.nested(|parser| {
            if parser.comes("->", &ENDS) {
                let guard = parser.expression()?;
                parser.mark("->")?;
                return Ok(Formula::When(guard, Box::new(parser.guarded()?)));
            }
            if parser.take_word("N") {
                let steps = match parser.take_mark("[") {
                    true => {
                        let steps = parser.expression()?;
                        parser.mark("]")?;
                        steps
                    }
                    false => Expression {
                        span: parser.span(),
                        kind: ExpressionKind::Number(1),
                    },
                };
                return Ok(Formula::Next(steps, Box::new(parser.guarded()?)));
            }
            if parser.take_word("all") {
                let (variable, _) = parser.name("a name for the numbers of a range")?;
                parser.word("in")?;
                let first = parser.expression()?;
                parser.mark("..")?;
                let last = parser.expression()?;
                parser.mark(":")?;
                let body = Box::new(parser.guarded()?);
                let range = Box::new([first, last]);
                return Ok(Formula::All {
                    variable,
                    range,
                    body,
                });
            }
            let mut formula = parser.atom()?;
            while parser.is_word("for") || parser.is_word("from") {
                let (from, to) = match parser.take_word("for") {
                    true => {
                        let zero = Expression {
                            span: parser.span(),
                            kind: ExpressionKind::Number(0),
                        };
                        (zero, parser.expression()?)
                    }
                    false => {
                        parser.at += 1;
                        parser.until()?
                    }
                };
                formula = Formula::During(Box::new(formula), from, to);
            }
            Ok(formula)
        })
    }

    /// What follows `from`: `a to b`.
    fn until(&mut self) -> Parsed<(Expression, Expression)> {
        let from = self.expression()?;
        self.word("to")?;
        Ok((from, self.expression()?))
    }

    fn atom(&mut self) -> Parsed<Formula> {
        if self.take_word("true") {
            return Ok(Formula::True);
        }
        if self.take_mark("(") {
            let formula = self.formula()?;
            self.mark(")")?;
            return Ok(formula);
        }
        let begin = self.at;
        let nodes = self.nodes()?;
        if let (
            Nodes::Signal {
                name,
                span,
                positions,
            },
            false,
        ) = (&nodes, self.is_word("is"))
        {
            let plain = positions.is_empty() && matches!(self.tokens[begin].0, Token::Name(_));
            if plain {
                return Ok(Formula::Named(name.clone(), *span));
            }
        }
        self.word("is")?;
        Ok(Formula::Is(nodes, self.expression()?))
    }

    fn nodes(&mut self) -> Parsed<Nodes> {
        if self.take_mark("{") {
            let mut parts = vec![self.nested(Self::nodes)?];
            while self.take_mark(",") {
                parts.push(self.nested(Self::nodes)?);
            }
            self.mark("}")?;
            return Ok(Nodes::Concatenation(parts));
        }
        let span = self.span();
        let name = match self.peek() {
            Some(Token::Quoted(name)) => name.clone(),
            Some(Token::Name(name)) if !KEYWORDS.contains(&name.as_str()) => name.clone(),
            _ => return self.expected("the name of a node"),
        };
        self.at += 1;
        let mut positions = Vec::new();
        while self.is_mark("[") {
            positions.push(self.positions()?);
        }
        Ok(Nodes::Signal {
            name,
            span,
            positions,
        })
    }

    /// `[i]` or `[upper:lower]`.
    fn positions(&mut self) -> Parsed<(Expression, Expression)> {
        self.mark("[")?;
        let upper = self.expression()?;
        let lower = match self.take_mark(":") {
            true => self.expression()?,
            false => upper.clone(),
        };
        self.mark("]")?;
        Ok((upper, lower))
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.nested(|parser| {
            let condition = parser.binary(0)?;
            if !parser.take_mark("?") {
                return Ok(condition);
            }
            let then = parser.expression()?;
            parser.mark(":")?;
            let otherwise = parser.expression()?;
            let span = condition.span.to(otherwise.span);
            let kind = ExpressionKind::Choice(Box::new([condition, then, otherwise]));
            Ok(Expression { span, kind })
        })
    }

    fn binary(&mut self, level: usize) -> Parsed<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            let operator = operators.iter().find(|operator| self.is_mark(operator));
            let Some(operator) = operator.copied() else {
                return Ok(left);
            };
            self.count()?;
            self.at += 1;
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            let kind = ExpressionKind::Binary(operator, Box::new(left), Box::new(right));
            left = Expression { span, kind };
        }
    }

    fn unary(&mut self) -> Parsed<Expression> {
        let span = self.span();
        for operator in ["!", "~", "-"] {
            if self.take_mark(operator) {
                let inner = self.nested(Self::unary)?;
                return Ok(Expression {
                    span: span.to(inner.span),
                    kind: ExpressionKind::Unary(operator, Box::new(inner)),
                });
            }
        }
        let mut value = self.primary()?;
        while self.is_mark("[") {
            self.count()?;
            let (upper, lower) = self.positions()?;
            let span = value
                .span
                .to(self.tokens.get(self.at - 1).map_or(value.span, |(_, span)| *span));
            let kind = ExpressionKind::Part(Box::new(value), Box::new(upper), Box::new(lower));
            value = Expression { span, kind };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Parsed<Expression> {
        let span = self.span();
        let kind = match self.peek() {
            Some(Token::Number(number)) => ExpressionKind::Number(*number),
            Some(Token::Sized(bits)) => ExpressionKind::Bits(bits.clone()),
            Some(Token::Name(name)) if matches!(name.as_str(), "true" | "false") => {
                ExpressionKind::Bits(vec![Some(name == "true")])
            }
            Some(Token::Name(name)) if !KEYWORDS.contains(&name.as_str()) => {
                ExpressionKind::Name(name.clone())
            }
            Some(Token::Mark("(")) => {
                self.at += 1;
                let inner = self.expression()?;
                self.mark(")")?;
                return Ok(inner);
            }
            Some(Token::Mark("{")) => {
                self.at += 1;
                let mut parts = vec![self.expression()?];
                while self.take_mark(",") {
                    parts.push(self.expression()?);
                }
                let end = self.span();
                self.mark("}")?;
                return Ok(Expression {
                    span: span.to(end),
                    kind: ExpressionKind::Concatenation(parts),
                });
            }
            _ => return self.expected("a value"),
        };
        self.at += 1;
        Ok(Expression { span, kind })
    }
}
