//! Text that is replicated or left out: `%for i in 0..3 do … %end`, `%if i == 0 %then … %else … %end` (IEEE 1850-2010, 4.3).
//!
//! Both are about tokens, before units are read. Within `%for`, the variable stands for one value after the other, and `%{…}` for what an expression of numbers is, written together with
//! the words that it touches: `req%{i + 1}`. Every token keeps its place in the file, so what is wrong in one copy is shown where it is written.

use super::{unsupported, wrong};
use crate::expression::{after_group, span_of, split};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span};

type Result<T> = std::result::Result<T, Diagnostic>;

/// Most tokens of a file when all is replicated, and how deep `%for` and `%if` may lie in each other.
const MOST_TOKENS: usize = 1_000_000;
const DEEPEST: u32 = 32;

/// The tokens of a file, replicated.
pub(crate) fn replicated_text(tokens: &[Token]) -> Result<Vec<Token>> {
    let mut found = Vec::with_capacity(tokens.len());
    put(tokens, 0, &mut found)?;
    Ok(found)
}

/// The word behind a `%` that it touches.
fn word(tokens: &[Token], at: usize) -> Option<&str> {
    let (sign, word) = (tokens.get(at)?, tokens.get(at + 1)?);
    (sign.is("%") && sign.span.end == word.span.start).then_some(word.text.as_str())
}

fn put(tokens: &[Token], depth: u32, found: &mut Vec<Token>) -> Result<()> {
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        if found.len() > MOST_TOKENS {
            return Err(wrong("with all that is replicated, this is too long", token.span));
        }
        at = match word(tokens, at) {
            Some("for") => replicate(tokens, at, depth, found)?,
            Some("if") => choose(tokens, at, depth, found)?,
            Some("then" | "else" | "end") => {
                let message = format!(
                    "there is no `%for` or `%if` that this `%{}` belongs to",
                    tokens[at + 1].text
                );
                return Err(wrong(&message, token.span));
            }
            Some("{") => number(tokens, at, found)?,
            _ => {
                push(token.clone(), found);
                at + 1
            }
        };
    }
    Ok(())
}

/// Adds a token; a word that touches a number which was put in is one with it.
fn push(token: Token, found: &mut Vec<Token>) {
    if let Some(last) = found.last_mut()
        && last.kind == Kind::Name
        && last.span.end == token.span.start
        && matches!(token.kind, Kind::Name | Kind::Number)
        && !token.text.starts_with(['\'', '\\', '$'])
    {
        last.text.push_str(&token.text);
        last.span.end = token.span.end;
        return;
    }
    found.push(token);
}

/// The position of the `%end` of what begins before a position, and of the `%else` that belongs to it.
fn ends(tokens: &[Token], begin: usize, span: Span) -> Result<(usize, Option<usize>)> {
    let (mut depth, mut otherwise) = (0_u32, None);
    for at in begin..tokens.len() {
        match word(tokens, at) {
            Some("for" | "if") => depth += 1,
            Some("else") if depth == 0 => otherwise = Some(at),
            Some("end") if depth == 0 => return Ok((at, otherwise)),
            Some("end") => depth -= 1,
            _ => {}
        }
    }
    Err(wrong("the `%end` of this is missing", span))
}

fn deeper(depth: u32, span: Span) -> Result<u32> {
    match depth < DEEPEST {
        true => Ok(depth + 1),
        false => Err(wrong("this is nested too deeply", span)),
    }
}

/// `%for name in values do … %end`; the position behind it.
fn replicate(tokens: &[Token], at: usize, depth: u32, found: &mut Vec<Token>) -> Result<usize> {
    let span = tokens[at].span.to(tokens[at + 1].span);
    let depth = deeper(depth, span)?;
    let rest = &tokens[at + 2..];
    let (name, values) = match rest {
        [name, word, values @ ..] if name.kind == Kind::Name && word.is("in") => (name, values),
        _ => return Err(wrong("`%for name in values do` is expected", span)),
    };
    let length = match values.first() {
        Some(open) if open.is("{") => after_group(values, 0),
        _ => values
            .iter()
            .position(|token| token.is("do"))
            .unwrap_or(values.len()),
    };
    let listed = &values[..length];
    if !values.get(length).is_some_and(|token| token.is("do")) {
        return Err(wrong("`do` is expected behind the values", span_of(&rest[..2])));
    }
    let values: Vec<Vec<Token>> = match listed {
        [open, inner @ .., close] if open.is("{") && close.is("}") => {
            split(inner, ",").into_iter().map(<[Token]>::to_vec).collect()
        }
        _ => range(listed, span)?,
    };
    let begin = at + 2 + 2 + length + 1;
    let (end, _) = ends(tokens, begin, span)?;
    for value in values {
        let mut body = Vec::with_capacity(end - begin);
        for token in &tokens[begin..end] {
            match token.kind == Kind::Name && token.text == name.text {
                false => body.push(token.clone()),
                // (What it stands for is shown at its place.)
                true => body.extend(value.iter().map(|part| Token {
                    span: token.span,
                    ..part.clone()
                })),
            }
        }
        put(&body, depth, found)?;
    }
    Ok(end + 2)
}

/// `low .. high`, `low : high` or `low to high`.
fn range(tokens: &[Token], span: Span) -> Result<Vec<Vec<Token>>> {
    let is_between = |token: &Token| token.is(".") || token.is(":") || token.is("to");
    let place = tokens.iter().position(is_between);
    let (low, high) = match place {
        Some(place) => {
            let dots =
                usize::from(tokens[place].is(".") && tokens.get(place + 1).is_some_and(|one| one.is(".")));
            (&tokens[..place], &tokens[place + 1 + dots..])
        }
        None => return Err(wrong("a range `0..3` or a list `{a, b}` is expected", span)),
    };
    let (low, high) = (evaluate(low, span)?, evaluate(high, span)?);
    if high.abs_diff(low) as usize > MOST_TOKENS {
        return Err(wrong("this range is too long to be written out", span));
    }
    let number = |value: i64| {
        vec![Token {
            kind: Kind::Number,
            text: value.to_string(),
            span,
        }]
    };
    Ok(match low <= high {
        true => (low..=high).map(number).collect(),
        false => (high..=low).rev().map(number).collect(),
    })
}

/// `%if condition %then … %else … %end`; the position behind it.
fn choose(tokens: &[Token], at: usize, depth: u32, found: &mut Vec<Token>) -> Result<usize> {
    let span = tokens[at].span.to(tokens[at + 1].span);
    let depth = deeper(depth, span)?;
    let then = (at + 2..tokens.len()).find(|&at| word(tokens, at) == Some("then"));
    let then = then.ok_or_else(|| wrong("`%then` is expected behind the condition", span))?;
    let truth = evaluate(&tokens[at + 2..then], span)? != 0;
    let (end, otherwise) = ends(tokens, then + 2, span)?;
    let kept = match (truth, otherwise) {
        (true, otherwise) => then + 2..otherwise.unwrap_or(end),
        (false, Some(otherwise)) => otherwise + 2..end,
        (false, None) => end..end,
    };
    put(&tokens[kept], depth, found)?;
    Ok(end + 2)
}

/// `%{expression}`; the position behind it.
fn number(tokens: &[Token], at: usize, found: &mut Vec<Token>) -> Result<usize> {
    let close = after_group(tokens, at + 1);
    let span = tokens[at].span.to(tokens[close - 1].span);
    let inner = &tokens[at + 2..close.max(at + 3) - 1];
    let text = match inner {
        [one] if one.kind == Kind::Name => one.text.clone(),
        _ => evaluate(inner, span)?.to_string(),
    };
    let kind = match text.starts_with(|c: char| c.is_ascii_digit()) {
        true => Kind::Number,
        false => Kind::Name,
    };
    push(Token { kind, text, span }, found);
    Ok(close)
}

/// Operators of numbers, and how tight they bind.
const OPERATORS: [(&str, u8); 14] = [
    ("||", 0),
    ("&&", 1),
    ("=", 2),
    ("==", 2),
    ("!=", 2),
    ("<", 3),
    ("<=", 3),
    (">", 3),
    (">=", 3),
    ("+", 4),
    ("-", 4),
    ("*", 5),
    ("/", 5),
    ("%", 5),
];

/// The number that an expression of numbers is.
fn evaluate(tokens: &[Token], around: Span) -> Result<i64> {
    let span = if tokens.is_empty() {
        around
    } else {
        span_of(tokens)
    };
    let mut at = 0;
    let value = binary(tokens, &mut at, 0, 0);
    match value.filter(|_| at == tokens.len()) {
        Some(value) => Ok(value),
        None => Err(unsupported("this is not an expression of numbers", span)),
    }
}

fn binary(tokens: &[Token], at: &mut usize, least: u8, depth: u32) -> Option<i64> {
    if depth > DEEPEST {
        return None;
    }
    let mut left = unary(tokens, at, depth + 1)?;
    while let Some(token) = tokens.get(*at) {
        let found = OPERATORS
            .iter()
            .find(|(sign, binds)| token.is(sign) && *binds >= least);
        let Some(&(sign, binds)) = found else {
            break;
        };
        *at += 1;
        let right = binary(tokens, at, binds + 1, depth + 1)?;
        left = match sign {
            "||" => i64::from(left != 0 || right != 0),
            "&&" => i64::from(left != 0 && right != 0),
            "=" | "==" => i64::from(left == right),
            "!=" => i64::from(left != right),
            "<" => i64::from(left < right),
            "<=" => i64::from(left <= right),
            ">" => i64::from(left > right),
            ">=" => i64::from(left >= right),
            "+" => left.checked_add(right)?,
            "-" => left.checked_sub(right)?,
            "*" => left.checked_mul(right)?,
            "/" => left.checked_div(right)?,
            _ => left.checked_rem(right)?,
        };
    }
    Some(left)
}

fn unary(tokens: &[Token], at: &mut usize, depth: u32) -> Option<i64> {
    if depth > DEEPEST {
        return None;
    }
    let token = tokens.get(*at)?;
    *at += 1;
    match token.text.as_str() {
        "-" => unary(tokens, at, depth + 1)?.checked_neg(),
        "!" => Some(i64::from(unary(tokens, at, depth + 1)? == 0)),
        "(" => {
            let inner = binary(tokens, at, 0, depth + 1)?;
            *at += 1;
            tokens.get(*at - 1).filter(|token| token.is(")")).map(|_| inner)
        }
        text => text.replace('_', "").parse().ok(),
    }
}
