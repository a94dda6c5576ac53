//! LTL as text, in the syntaxes of the tools people come from.
//!
//! | syntax | looks like |
//! |---|---|
//! | Spot | `G(req -> XF ack) & (p U q) R !r`, glued prefixes `GFp`, `X[3] p`, `F[1:4] p`, also `[] <> && \|\| => /\ \/ ~` |
//! | SPIN | `[] (req -> <> ack)`, `&& \|\| ! U V W X`; read by the same reader as Spot's |
//! | NuSMV | `G (req -> F ack)`, past operators `Y Z O H S T`, bounds `F[1,4] p`; read by `entail_logic` |
//! | LBT | prefix: `G i p0 F p1` |
//!
//! Precedence (Spot and SPIN), loosest first: `-> <->` (to the right), `^`, `|`, `&`, `U R W M V` (to the right), prefix
//! operators. Nesting is limited, errors carry the place.

use crate::label::{Label, Labels};
use crate::ltl::arena::deep;
use entail_logic::{Binary, Formula, Interval, Node, Unary};
use entail_source::{Diagnostic, Diagnostics, Span};

/// A concrete syntax of LTL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Syntax {
    /// Spot's infix syntax (reads Wring's and LTL2BA's too).
    Spot,
    /// SPIN's.
    Spin,
    /// NuSMV's.
    Smv,
    /// LBT's prefix syntax.
    Lbt,
}

/// The deepest nesting accepted.
pub const MAX_NESTING: usize = 4_000;

/// Reads a formula.
pub fn parse(text: &str, syntax: Syntax) -> Result<Formula<String>, Diagnostics> {
    match syntax {
        Syntax::Spot | Syntax::Spin => infix(text).map_err(|problem| problem.within(text).into()),
        Syntax::Smv => entail_logic::parse(text),
        Syntax::Lbt => prefix(text).map_err(|problem| problem.within(text).into()),
    }
}

/// Reads a formula in whichever syntax accepts it, trying Spot's first, then NuSMV's, then LBT's. If none does, the error
/// is that of the reader that came furthest. A formula that is too deep is an error whatever another reader makes of it.
pub fn parse_any(text: &str) -> Result<Formula<String>, Diagnostics> {
    let mut furthest: Option<Diagnostics> = None;
    let reach = |found: &Diagnostics| {
        let labels = found.0.iter().filter_map(|diagnostic| diagnostic.labels.first());
        labels.map(|label| label.span.start).max()
    };
    for syntax in [Syntax::Spot, Syntax::Smv, Syntax::Lbt] {
        match parse(text, syntax) {
            Ok(formula) => return Ok(formula),
            Err(found) => {
                if found.0.iter().any(|diagnostic| diagnostic.code == TOO_DEEP) {
                    return Err(found);
                }
                let further = furthest.as_ref().is_none_or(|known| reach(&found) > reach(known));
                // A formula that does not start like LBT's prefix syntax was not meant as such.
                if further && (syntax != Syntax::Lbt || starts_with_prefix_operator(text)) {
                    furthest = Some(found);
                }
            }
        }
    }
    Err(furthest.expect("every syntax gave an error"))
}

/// The code of errors about nesting.
const TOO_DEEP: &str = "ltl::nesting";

fn too_deep(span: Span) -> Diagnostic {
    let message = format!("the formula is nested more than {MAX_NESTING} levels deep");
    Diagnostic::error(TOO_DEEP, message, span, "too deep")
}

fn starts_with_prefix_operator(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let operator = words.next().is_some_and(|word| word.len() == 1);
    operator && words.next().is_some()
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Open,
    Close,
    Not,
    And,
    Or,
    Xor,
    Implies,
    Iff,
    Unary(Unary, Interval, u32),
    Binary(Binary),
    Constant(bool),
    Name(String),
    /// Wring's `p=0`.
    Negated(String),
    End,
}

fn error(message: impl Into<String>, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error("ltl::syntax", message, span, label)
}

/// Symbols, longest first where one starts another.
const SYMBOLS: [(&str, Token); 25] = [
    ("<-->", Token::Iff),
    ("<->", Token::Iff),
    ("<=>", Token::Iff),
    ("<>", Token::Unary(Unary::Finally, Interval::ALWAYS, 1)),
    ("-->", Token::Implies),
    ("->", Token::Implies),
    ("=>", Token::Implies),
    ("[]", Token::Unary(Unary::Globally, Interval::ALWAYS, 1)),
    ("()", Token::Unary(Unary::Next, Interval::ALWAYS, 1)),
    ("&&", Token::And),
    ("&", Token::And),
    ("/\\", Token::And),
    ("*", Token::And),
    ("||", Token::Or),
    ("|", Token::Or),
    ("\\/", Token::Or),
    ("+", Token::Or),
    ("^", Token::Xor),
    ("!", Token::Not),
    ("~", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
    ("∧", Token::And),
    ("∨", Token::Or),
    ("¬", Token::Not),
];

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    after_operand: bool,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let trimmed = self.rest().trim_start();
        self.at = self.text.len() - trimmed.len();
    }

    fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        self.skip_space();
        let start = self.at;
        let token = self.token()?;
        self.after_operand = matches!(
            token,
            Token::Close | Token::Constant(_) | Token::Name(_) | Token::Negated(_)
        );
        Ok((token, Span::new(start, self.at)))
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else {
            return Ok(Token::End);
        };
        for (symbol, token) in &SYMBOLS {
            if rest.starts_with(symbol) {
                let token = token.clone();
                self.at += symbol.len();
                return self.with_bounds(token);
            }
        }
        if first == '"' {
            return self.quoted();
        }
        if first == '0' || first == '1' {
            self.at += 1;
            return Ok(Token::Constant(first == '1'));
        }
        let length = rest
            .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '@' || c == '\''))
            .unwrap_or(rest.len());
        if length == 0 || first.is_numeric() {
            let span = Span::new(self.at, self.at + first.len_utf8());
            return Err(error(
                format!("unexpected character `{first}`"),
                span,
                "no operator starts like this",
            ));
        }
        let word = rest[..length].to_string();
        match word.as_str() {
            "true" | "TRUE" | "True" => {
                self.at += length;
                return Ok(Token::Constant(true));
            }
            "false" | "FALSE" | "False" => {
                self.at += length;
                return Ok(Token::Constant(false));
            }
            "xor" => {
                self.at += length;
                return Ok(Token::Xor);
            }
            _ => {}
        }
        if self.after_operand {
            let op = match first {
                'U' => Some(Binary::Until),
                'R' | 'V' => Some(Binary::Release),
                'W' => Some(Binary::WeakUntil),
                'M' => Some(Binary::StrongRelease),
                _ => None,
            };
            if let Some(op) = op {
                self.at += 1;
                return Ok(Token::Binary(op));
            }
        }
        let digit_follows = word[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let op = match first {
            'X' if !digit_follows => Some(Unary::Next),
            'F' if !digit_follows => Some(Unary::Finally),
            'G' if !digit_follows => Some(Unary::Globally),
            _ => None,
        };
        if let Some(op) = op {
            self.at += 1;
            return self.with_bounds(Token::Unary(op, Interval::ALWAYS, 1));
        }
        self.at += length;
        // Wring writes literals as `p=1` and `p=0`.
        for (suffix, positive) in [("=1", true), ("=0", false)] {
            if self.rest().starts_with(suffix) {
                self.at += 2;
                return Ok(if positive {
                    Token::Name(word)
                } else {
                    Token::Negated(word)
                });
            }
        }
        Ok(Token::Name(word))
    }

    /// A prefix operator's `[n]`, `[a:b]`, `[a..b]`, `[a,b]`, `[a:]` or (for `X`) `[!]`.
    fn with_bounds(&mut self, token: Token) -> Result<Token, Diagnostic> {
        let Token::Unary(op, ..) = token else {
            return Ok(token);
        };
        self.skip_space();
        if !self.rest().starts_with('[') || self.rest().starts_with("[]") {
            return Ok(token);
        }
        let start = self.at;
        let Some(length) = self.rest().find(']') else {
            return Err(error(
                "this bound is not closed",
                Span::new(start, self.text.len()),
                "expected `]`",
            ));
        };
        let inside = self.text[start + 1..start + length].to_string();
        self.at = start + length + 1;
        let span = Span::new(start, self.at);
        let bad = || error("this is no bound", span, "expected `[n]` or `[n:m]`");
        if op == Unary::Next && inside.trim() == "!" {
            return Ok(token);
        }
        let number = |text: &str| text.trim().parse::<u32>().map_err(|_| bad());
        let parts: Vec<&str> = if inside.contains("..") {
            inside.split("..").collect()
        } else {
            inside.split([':', ',']).collect()
        };
        let interval = match parts[..] {
            [one] => Interval::bounded(number(one)?, number(one)?),
            [from, to] if to.trim().is_empty() || to.trim() == "$" => Interval {
                from: number(from)?,
                to: None,
            },
            [from, to] => Interval::bounded(number(from)?, number(to)?),
            _ => return Err(bad()),
        };
        match op {
            Unary::Next if parts.len() == 1 && interval.from <= MAX_NESTING as u32 => {
                Ok(Token::Unary(op, Interval::ALWAYS, interval.from))
            }
            Unary::Next => Err(bad()),
            _ => Ok(Token::Unary(op, interval, 1)),
        }
    }

    fn quoted(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        let mut name = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = characters.next() {
            match c {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return Ok(Token::Name(name));
                }
                '\\' => {
                    if let Some((_, escaped)) = characters.next() {
                        name.push(escaped);
                    }
                }
                other => name.push(other),
            }
        }
        Err(error(
            "this name is not closed",
            Span::new(start, self.text.len()),
            "expected `\"`",
        ))
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    at: usize,
    nesting: usize,
}

fn infix(text: &str) -> Result<Formula<String>, Diagnostic> {
    let mut lexer = Lexer {
        text,
        at: 0,
        after_operand: false,
    };
    let mut tokens = Vec::new();
    loop {
        let (token, span) = lexer.next()?;
        let end = token == Token::End;
        tokens.push((token, span));
        if end {
            break;
        }
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        nesting: 0,
    };
    let formula = parser.binary(0)?;
    match parser.peek() {
        Token::End => Ok(formula),
        _ => Err(error(
            "unexpected text",
            parser.span(),
            "expected an operator or the end",
        )),
    }
}

/// How tightly a binary operator binds, and whether it groups to the right.
fn binding(token: &Token) -> Option<(u8, bool)> {
    Some(match token {
        Token::Implies | Token::Iff => (1, true),
        Token::Or => (2, false),
        Token::Xor => (3, false),
        Token::And => (4, false),
        Token::Binary(_) => (5, true),
        _ => return None,
    })
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn advance(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn enter(&mut self) -> Result<(), Diagnostic> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(too_deep(self.span()));
        }
        Ok(())
    }

    fn binary(&mut self, minimum: u8) -> Result<Formula<String>, Diagnostic> {
        self.enter()?;
        let mut left = deep(|| self.unary())?;
        // Left-grouping trees may not grow without bound either.
        let mut chain = 0;
        while let Some((tightness, right)) = binding(self.peek()) {
            if tightness < minimum {
                break;
            }
            let operator = self.advance();
            let operand = deep(|| self.binary(if right { tightness } else { tightness + 1 }))?;
            if operator == Token::Xor {
                chain += 1;
                if chain > MAX_NESTING {
                    return Err(too_deep(self.span()));
                }
            }
            left = match operator {
                Token::Implies => left.implies(&operand),
                Token::Iff => left.iff(&operand),
                Token::Xor => left.xor(&operand),
                Token::Or => Formula::or([left, operand]),
                Token::And => Formula::and([left, operand]),
                Token::Binary(op) => Formula::binary(op, &left, &operand),
                _ => unreachable!("only these bind"),
            };
        }
        self.nesting -= 1;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula<String>, Diagnostic> {
        self.enter()?;
        let span = self.span();
        let formula = match self.advance() {
            Token::Not => deep(|| self.unary())?.not(),
            Token::Unary(op, interval, times) => {
                let mut operand = deep(|| self.unary())?;
                for _ in 0..times {
                    operand = Formula::unary_within(op, interval, &operand);
                }
                operand
            }
            Token::Open => {
                let inner = deep(|| self.binary(0))?;
                if *self.peek() != Token::Close {
                    return Err(error("missing closing parenthesis", self.span(), "expected `)`")
                        .with_label(span, "opened here"));
                }
                self.advance();
                inner
            }
            Token::Constant(truth) => Formula::constant(truth),
            Token::Name(name) => Formula::atom(name),
            Token::Negated(name) => Formula::atom(name).not(),
            Token::End => return Err(error("the formula ends too early", span, "expected an operand")),
            _ => return Err(error("expected an operand", span, "this cannot start a formula")),
        };
        self.nesting -= 1;
        Ok(formula)
    }
}

/// Letters, digits and underscores, not starting with a digit: other names are quoted.
fn is_plain_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.')
}

/// LBT's prefix syntax, read with an explicit stack of operators that wait for operands.
fn prefix(text: &str) -> Result<Formula<String>, Diagnostic> {
    struct Waiting {
        operator: char,
        operands: Vec<Formula<String>>,
    }
    let mut stack: Vec<Waiting> = Vec::new();
    let mut lexer = Lexer {
        text,
        at: 0,
        after_operand: false,
    };
    loop {
        lexer.skip_space();
        let start = lexer.at;
        let rest = lexer.rest();
        let Some(first) = rest.chars().next() else {
            return Err(error(
                "the formula ends too early",
                Span::new(start, start),
                "expected an operand",
            ));
        };
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let word = rest[..length].to_string();
        let mut value = match (first, length) {
            ('t', 1) => Formula::constant(true),
            ('f', 1) => Formula::constant(false),
            ('"', _) => match lexer.quoted()? {
                Token::Name(name) => Formula::atom(name),
                _ => unreachable!("a quoted token is a name"),
            },
            ('!' | '&' | '|' | 'i' | 'e' | '^' | 'X' | 'F' | 'G' | 'U' | 'R' | 'V' | 'W' | 'M', 1) => {
                if stack.len() >= MAX_NESTING {
                    return Err(too_deep(Span::new(start, start + 1)));
                }
                stack.push(Waiting {
                    operator: first,
                    operands: Vec::new(),
                });
                lexer.at += 1;
                continue;
            }
            _ if is_plain_name(&word) => Formula::atom(word),
            _ => {
                let span = Span::new(start, start + length);
                return Err(error(
                    format!("unknown operator `{word}`"),
                    span,
                    "no operator or proposition",
                ));
            }
        };
        if first != '"' {
            lexer.at += length;
        }
        while let Some(mut waiting) = stack.pop() {
            waiting.operands.push(value);
            let unary = matches!(waiting.operator, '!' | 'X' | 'F' | 'G');
            if !unary && waiting.operands.len() < 2 {
                stack.push(waiting);
                value = Formula::constant(false);
                break;
            }
            let b = waiting.operands.pop().expect("an operand was just pushed");
            let a = waiting.operands.pop().unwrap_or_else(|| b.clone());
            value = match waiting.operator {
                '!' => b.not(),
                'X' => b.next(),
                'F' => b.finally(),
                'G' => b.globally(),
                '&' => Formula::and([a, b]),
                '|' => Formula::or([a, b]),
                'i' => a.implies(&b),
                'e' => a.iff(&b),
                '^' => a.xor(&b),
                'U' => a.until(&b),
                'W' => Formula::binary(Binary::WeakUntil, &a, &b),
                'M' => Formula::binary(Binary::StrongRelease, &a, &b),
                _ => a.release(&b),
            };
            if stack.is_empty() {
                return finish(&mut lexer, value);
            }
        }
        if stack.is_empty() {
            return finish(&mut lexer, value);
        }
    }
}

fn finish(lexer: &mut Lexer<'_>, formula: Formula<String>) -> Result<Formula<String>, Diagnostic> {
    lexer.skip_space();
    if lexer.rest().is_empty() {
        Ok(formula)
    } else {
        Err(error(
            "unexpected text",
            Span::new(lexer.at, lexer.text.len()),
            "the formula is complete before this",
        ))
    }
}

/// A proposition's name as Spot reads it, in quotes where it must be.
pub(crate) fn quoted_name(name: &str) -> String {
    let mut characters = name.chars();
    let plain = characters
        .next()
        .is_some_and(|c| (c.is_ascii_alphabetic() || c == '_') && !"FGXURVWM".contains(c))
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !matches!(
            name,
            "true" | "false" | "xor" | "True" | "False" | "TRUE" | "FALSE" | "t" | "f" | "i" | "e"
        );
    if plain || name == "t" || name == "f" || name == "i" || name == "e" {
        name.to_string()
    } else {
        format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// The Boolean function of a formula without temporal operators, over these propositions.
pub(crate) fn boolean_label(
    formula: &Formula<String>,
    propositions: &[String],
    labels: &mut Labels,
) -> Label {
    deep(|| match formula.node() {
        Node::Constant(true) => Label::TRUE,
        Node::Atom(name) => match propositions.iter().position(|known| known == name) {
            Some(position) => labels.literal(position as u32, true),
            None => Label::FALSE,
        },
        Node::Not(a) => boolean_label(a, propositions, labels).not(),
        Node::And(list) => list.iter().fold(Label::TRUE, |all, operand| {
            let operand = boolean_label(operand, propositions, labels);
            labels.and(all, operand)
        }),
        Node::Or(list) => list.iter().fold(Label::FALSE, |any, operand| {
            let operand = boolean_label(operand, propositions, labels);
            labels.or(any, operand)
        }),
        Node::Implies(a, b) => {
            let (a, b) = (
                boolean_label(a, propositions, labels),
                boolean_label(b, propositions, labels),
            );
            labels.or(a.not(), b)
        }
        Node::Iff(a, b) | Node::Xor(a, b) => {
            let (left, right) = (
                boolean_label(a, propositions, labels),
                boolean_label(b, propositions, labels),
            );
            let same = labels.iff(left, right);
            if matches!(formula.node(), Node::Iff(..)) {
                same
            } else {
                same.not()
            }
        }
        _ => Label::FALSE,
    })
}
