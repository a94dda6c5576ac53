//! Verilog's expressions (IEEE 1800-2017, clause 11) by recursive descent over the table of precedences 11-2, with the functions of PSL.

use crate::operators::{Binary, Function, Unary};
use crate::token::{Kind, Token, tokens};
use crate::word::{Bit, MOST_BITS, Word};
use entail_source::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::{Num, ToPrimitive};

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// A signal, by its number, with its width, the numbers of its highest and lowest bit, and whether it has a sign.
    Signal {
        /// Its number.
        number: usize,
        /// Number of bits.
        width: u32,
        /// Highest and lowest bit.
        range: (i64, i64),
        /// Whether it is read with a sign.
        signed: bool,
    },
    /// A value.
    Value(Word),
    /// A truth value that the evaluator is given, by its number.
    Given(usize),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number; with its sign.
    Number(Word, bool),
    /// `'0`, `'1`, `'x`, `'z`: as wide as what is around.
    Fill(Bit),
    /// A signal.
    Signal {
        /// Its number.
        number: usize,
        /// Number of bits.
        width: u32,
        /// Whether it is read with a sign.
        signed: bool,
    },
    /// What the evaluator is given.
    Given(usize),
    /// Bits of a signal, from the one whose number is an expression: so many, towards the highest.
    Select {
        /// The signal.
        signal: usize,
        /// Its highest and lowest bit.
        range: (i64, i64),
        /// The number of one end.
        at: Box<Expression>,
        /// How many bits.
        count: u32,
        /// Whether that end is the one with the lower number.
        up: bool,
    },
    /// Words one after the other, the highest first.
    Joined(Vec<Expression>),
    /// An operator with one operand.
    Unary(Unary, Box<Expression>),
    /// An operator with two operands.
    Binary(Binary, Box<(Expression, Expression)>),
    /// `a ? b : c`
    Choice(Box<[Expression; 3]>),
    /// A function of one word.
    Call(Function, Box<Expression>),
    /// The value so many ticks ago.
    Past(Box<Expression>, u32),
}

impl Expression {
    /// Number of bits and whether it has a sign, by itself (tables 11-21 and 11.8.1).
    pub fn kind(&self) -> (u32, bool) {
        let both = |left: &Expression, right: &Expression| {
            let (left, right) = (left.kind(), right.kind());
            (left.0.max(right.0), left.1 && right.1)
        };
        match self {
            Expression::Number(word, signed) => (word.width(), *signed),
            Expression::Fill(_) | Expression::Given(_) => (1, false),
            Expression::Signal { width, signed, .. } => (*width, *signed),
            Expression::Select { count, .. } => (*count, false),
            Expression::Joined(parts) => (parts.iter().map(|part| part.kind().0).sum(), false),
            Expression::Unary(operator, inner) => match operator {
                Unary::Plus | Unary::Minus | Unary::Invert => inner.kind(),
                _ => (1, false),
            },
            Expression::Binary(operator, sides) => match operator {
                _ if operator.is_truth() => (1, false),
                _ if operator.is_shift() => sides.0.kind(),
                _ => both(&sides.0, &sides.1),
            },
            Expression::Choice(parts) => both(&parts[1], &parts[2]),
            Expression::Call(function, inner) => match function {
                Function::Signed => (inner.kind().0, true),
                Function::Unsigned => (inner.kind().0, false),
                Function::CountOnes | Function::Bits => (32, true),
                _ => (1, false),
            },
            Expression::Past(inner, _) => inner.kind(),
        }
    }
}

type Result<T> = std::result::Result<T, Diagnostic>;

fn wrong(message: &str, span: Span) -> Diagnostic {
    Diagnostic::error("wave::expression", message.to_owned(), span, "here")
}

/// Expressions may be nested so deep.
const DEEPEST: u32 = 200;

/// Reads an expression; names (with dots between) are looked up by whoever asks. Places are those in the text.
pub fn parse(text: &str, names: &mut dyn FnMut(&str, Span) -> Result<Leaf>) -> Result<Expression> {
    let tokens = tokens(text)?;
    let mut parser = Parser {
        tokens: &tokens,
        at: 0,
        depth: 0,
        end: text.len(),
        names,
    };
    let whole = parser.expression()?;
    match parser.peek() {
        None => Ok(whole),
        Some(token) => Err(wrong("an operator is expected", token.span)),
    }
}

struct Parser<'t, 'n> {
    tokens: &'t [Token<'t>],
    at: usize,
    depth: u32,
    end: usize,
    names: &'n mut dyn FnMut(&str, Span) -> Result<Leaf>,
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    fn is(&self, text: &str) -> bool {
        self.peek()
            .is_some_and(|token| token.kind == Kind::Sign && token.text == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.is(text);
        self.at += usize::from(found);
        found
    }

    fn span(&self) -> Span {
        self.peek()
            .map_or(Span::new(self.end, self.end), |token| token.span)
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        match self.take(text) {
            true => Ok(()),
            false => Err(wrong(&format!("`{text}` is expected"), self.span())),
        }
    }

    /// `->` and `<->` bind weakest, then `?:`.
    fn expression(&mut self) -> Result<Expression> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(wrong("this is nested too deeply", self.span()));
        }
        let left = self.choice()?;
        let operator = match () {
            () if self.take("->") => Some(Binary::Implies),
            () if self.take("<->") => Some(Binary::Equivalent),
            () => None,
        };
        let whole = match operator {
            // (To the right.)
            Some(operator) => Expression::Binary(operator, Box::new((left, self.expression()?))),
            None => left,
        };
        self.depth -= 1;
        Ok(whole)
    }

    fn choice(&mut self) -> Result<Expression> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(wrong("this is nested too deeply", self.span()));
        }
        let first = self.choice()?;
        self.expect(":")?;
        let second = self.choice()?;
        self.depth -= 1;
        Ok(Expression::Choice(Box::new([condition, first, second])))
    }

    /// Operators of at least a precedence, grouped to the left.
    fn binary(&mut self, least: u8) -> Result<Expression> {
        let mut left = self.unary()?;
        loop {
            let sign = self.peek().filter(|token| token.kind == Kind::Sign);
            let found = sign.and_then(|token| Binary::of(token.text));
            let Some((operator, precedence)) = found.filter(|(_, precedence)| *precedence >= least) else {
                return Ok(left);
            };
            self.at += 1;
            let right = self.binary(precedence + 1)?;
            left = Expression::Binary(operator, Box::new((left, right)));
        }
    }

    fn unary(&mut self) -> Result<Expression> {
        let sign = self.peek().filter(|token| token.kind == Kind::Sign);
        let Some(operator) = sign.and_then(|token| Unary::of(token.text)) else {
            return self.primary();
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(wrong("this is nested too deeply", self.span()));
        }
        let inner = self.unary()?;
        self.depth -= 1;
        Ok(Expression::Unary(operator, Box::new(inner)))
    }

    fn primary(&mut self) -> Result<Expression> {
        let Some(token) = self.peek() else {
            return Err(wrong("an expression is expected", self.span()));
        };
        self.at += 1;
        match (token.kind, token.text) {
            (Kind::Number, text) => number(text, token.span),
            (Kind::Sign, "(") => {
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            (Kind::Sign, "{") => self.joined(token.span),
            (Kind::Sign, text) => Err(wrong(
                &format!("an expression is expected before `{text}`"),
                token.span,
            )),
            (Kind::Name, "true") => Ok(Expression::Number(Word::bit(Bit::One), false)),
            (Kind::Name, "false") => Ok(Expression::Number(Word::bit(Bit::Zero), false)),
            (Kind::Name, text) if self.is("(") => self.call(text, token.span),
            (Kind::Name, _) => self.named(token),
        }
    }

    /// `{a, b}` or `{4{a}}`.
    fn joined(&mut self, open: Span) -> Result<Expression> {
        let first = self.expression()?;
        let mut parts = Vec::new();
        if self.take("{") {
            let count = constant(&first).and_then(|count| count.to_u32());
            let count = count.ok_or_else(|| wrong("how often it is repeated is a number", open))?;
            let Expression::Joined(inner) = self.joined(open)? else {
                return Err(wrong("a word made of others is expected", open));
            };
            let width: u64 = inner.iter().map(|part| u64::from(part.kind().0)).sum();
            if count == 0 || width * u64::from(count) > u64::from(MOST_BITS) {
                return Err(wrong(&format!("a word has 1 to {MOST_BITS} bits"), open));
            }
            for _ in 0..count {
                parts.extend(inner.iter().cloned());
            }
        } else {
            parts.push(first);
            while self.take(",") {
                parts.push(self.expression()?);
            }
        }
        self.expect("}")?;
        let width: u64 = parts.iter().map(|part| u64::from(part.kind().0)).sum();
        match width <= u64::from(MOST_BITS) {
            true => Ok(Expression::Joined(parts)),
            false => Err(wrong(&format!("a word has at most {MOST_BITS} bits"), open)),
        }
    }

    /// A function and its arguments.
    fn call(&mut self, name: &str, span: Span) -> Result<Expression> {
        self.expect("(")?;
        let inner = self.expression()?;
        let count = match name {
            "prev" | "$past" if self.take(",") => {
                let place = self.span();
                let count = constant(&self.expression()?).and_then(|count| count.to_u32());
                count.ok_or_else(|| wrong("the number of ticks is a number", place))?
            }
            _ => 1,
        };
        self.expect(")")?;
        let before = |inner: &Expression| Expression::Past(Box::new(inner.clone()), 1);
        let lowest = |inner: Expression| Expression::Call(Function::Lowest, Box::new(inner));
        let is = |inner: Expression, bit: Bit| {
            let bit = Expression::Number(Word::bit(bit), false);
            Expression::Binary(Binary::Same, Box::new((inner, bit)))
        };
        let edge = |from: Bit, to: Bit| {
            let now = lowest(inner.clone());
            let sides = (is(before(&now), from), is(now, to));
            Expression::Binary(Binary::Both, Box::new(sides))
        };
        Ok(match name {
            "prev" | "$past" => Expression::Past(Box::new(inner), count),
            "rose" | "$rose" => edge(Bit::Zero, Bit::One),
            "fell" | "$fell" => edge(Bit::One, Bit::Zero),
            "stable" | "$stable" => Expression::Binary(Binary::Same, Box::new((before(&inner), inner))),
            "$changed" => Expression::Binary(Binary::NotSame, Box::new((before(&inner), inner))),
            "$sampled" => inner,
            _ => match Function::of(name) {
                Some(function) => Expression::Call(function, Box::new(inner)),
                None => {
                    let message = format!("the function `{name}` is not read");
                    return Err(Diagnostic::error("wave::unsupported", message, span, "here"));
                }
            },
        })
    }

    /// A name, with the bits of it that are meant.
    fn named(&mut self, first: Token<'t>) -> Result<Expression> {
        let plain = |text: &'t str| text.trim_start_matches('\\');
        let (mut name, mut span) = (plain(first.text).to_owned(), first.span);
        while self.is(".") {
            self.at += 1;
            match self.peek().filter(|token| token.kind == Kind::Name) {
                Some(part) => {
                    self.at += 1;
                    name = format!("{name}.{}", plain(part.text));
                    span = span.to(part.span);
                }
                None => return Err(wrong("a name is expected behind the dot", self.span())),
            }
        }
        let (number, width, range, signed) = match (self.names)(&name, span)? {
            Leaf::Value(word) => return self.plain(Expression::Number(word, false)),
            Leaf::Given(number) => return self.plain(Expression::Given(number)),
            Leaf::Signal {
                number,
                width,
                range,
                signed,
            } => (number, width, range, signed),
        };
        if !self.take("[") {
            return Ok(Expression::Signal {
                number,
                width,
                signed,
            });
        }
        let place = self.span();
        let at = self.expression()?;
        let descends = range.0 >= range.1;
        let select = |at: Expression, count: u32, up: bool| Expression::Select {
            signal: number,
            range,
            at: Box::new(at),
            count,
            up,
        };
        let whole = |expression: &Expression| constant(expression).and_then(|value| value.to_i64());
        let is_width = |count: u64| (1..=u64::from(MOST_BITS)).contains(&count);
        let found = if self.take(":") {
            let low = self.expression()?;
            let ends = whole(&at).zip(whole(&low));
            let (high, low) = ends.ok_or_else(|| wrong("the ends of a part are numbers", place))?;
            let count = high.abs_diff(low).saturating_add(1);
            if !is_width(count) || (high != low && (high > low) != descends) {
                return Err(wrong("this part is empty, or the wrong way round", place));
            }
            let end = BigInt::from(high.min(low));
            select(
                Expression::Number(Word::of_number(&end, 64), true),
                count as u32,
                true,
            )
        } else if self.is("+:") || self.is("-:") {
            let up = self.take("+:") || !self.take("-:");
            let count = whole(&self.expression()?).and_then(|count| u64::try_from(count).ok());
            let count = count.filter(|count| is_width(*count));
            let count = count.ok_or_else(|| wrong("how many bits are meant is a number", place))?;
            select(at, count as u32, up)
        } else {
            select(at, 1, true)
        };
        self.expect("]")?;
        match self.is("[") {
            false => Ok(found),
            true => Err(wrong("a bit has no bits", self.span())),
        }
    }

    /// A value that is no signal has no bits to name.
    fn plain(&mut self, value: Expression) -> Result<Expression> {
        match self.is("[") {
            false => Ok(value),
            true => Err(wrong("bits of signals only can be named", self.span())),
        }
    }
}

/// The number that an expression of numbers is.
fn constant(expression: &Expression) -> Option<BigInt> {
    let (width, signed) = expression.kind();
    let is_constant = is_constant(expression);
    let moment = crate::evaluate::Nowhere;
    let word = is_constant.then(|| crate::evaluate::evaluate_in(expression, width, signed, &moment))?;
    word.number(signed)
}

fn is_constant(expression: &Expression) -> bool {
    match expression {
        Expression::Number(..) | Expression::Fill(_) => true,
        Expression::Unary(_, inner) | Expression::Call(_, inner) => is_constant(inner),
        Expression::Binary(_, sides) => is_constant(&sides.0) && is_constant(&sides.1),
        Expression::Choice(parts) => parts.iter().all(is_constant),
        Expression::Joined(parts) => parts.iter().all(is_constant),
        _ => false,
    }
}

/// A number of Verilog.
fn number(text: &str, span: Span) -> Result<Expression> {
    let bad = || wrong("this is not a number", span);
    let plain: String = text.chars().filter(|c| *c != '_' && !c.is_whitespace()).collect();
    let Some((size, rest)) = plain.split_once('\'') else {
        let value = BigInt::from_str_radix(&plain, 10).map_err(|_| bad())?;
        let width = (value.bits() + 1).max(32);
        return match width <= u64::from(MOST_BITS) {
            true => Ok(Expression::Number(Word::of_number(&value, width as u32), true)),
            false => Err(bad()),
        };
    };
    let rest = rest.to_ascii_lowercase();
    let fill = match rest.as_str() {
        "0" => Some(Bit::Zero),
        "1" => Some(Bit::One),
        "x" => Some(Bit::X),
        "z" => Some(Bit::Z),
        _ => None,
    };
    if let Some(bit) = fill.filter(|_| size.is_empty()) {
        return Ok(Expression::Fill(bit));
    }
    let (signed, rest) = match rest.strip_prefix('s') {
        Some(rest) => (true, rest),
        None => (false, rest.as_str()),
    };
    let mut letters = rest.chars();
    let base = letters.next().ok_or_else(bad)?;
    let digits = letters.as_str();
    let width: u32 = match size {
        "" => 32,
        size => size.parse().map_err(|_| bad())?,
    };
    if digits.is_empty() || !(1..=MOST_BITS).contains(&width) {
        return Err(bad());
    }
    let per_digit = match base {
        'b' => 1,
        'o' => 3,
        'h' => 4,
        'd' if matches!(digits, "x" | "z" | "?") => 1,
        'd' => {
            let value = BigInt::from_str_radix(digits, 10).map_err(|_| bad())?;
            return Ok(Expression::Number(Word::of_number(&value, width), signed));
        }
        _ => return Err(bad()),
    };
    let mut bits = Vec::new();
    for digit in digits.chars().rev() {
        match digit {
            'x' => bits.extend(vec![Bit::X; per_digit]),
            'z' | '?' => bits.extend(vec![Bit::Z; per_digit]),
            digit => {
                let value = digit.to_digit(1 << per_digit).ok_or_else(bad)?;
                bits.extend((0..per_digit).map(|bit| Bit::of(value >> bit & 1 == 1)));
            }
        }
    }
    // What is not known goes on to the highest bit.
    let fill = match bits.last() {
        Some(&highest @ (Bit::X | Bit::Z)) => highest,
        _ => Bit::Zero,
    };
    bits.resize(width as usize, fill);
    Ok(Expression::Number(Word(bits), signed))
}
