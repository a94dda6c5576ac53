//! Tokens of specifications.

use entail_source::{Diagnostic, Span};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name: a letter, `_`, `$` or `\`, then also digits and dots.
    Name(String),
    /// A name in quotes.
    Quoted(String),
    /// A number without a width.
    Number(u64),
    /// A number with a width, its bits from the lowest on; nothing for x.
    Sized(Vec<Option<bool>>),
    /// An operator, a bracket, a separator.
    Mark(&'static str),
}

/// Operators, longer ones before those that they begin with.
const MARKS: [&str; 33] = [
    "<<", ">>", "<=", ">=", "=>", "==", "!=", "->", "|=", "&&", "||", "..", "(", ")", "[", "]", "{", "}",
    ",", ";", ":", "=", "!", "~", "&", "|", "^", "+", "-", "*", "<", ">", "?",
];

/// The widest number that is read.
const MOST_BITS: u64 = 1 << 16;

fn error(message: impl Into<String>, span: Span) -> Diagnostic {
    Diagnostic::error("ste::token", message, span, "here")
}

/// The tokens of a text with their places.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        if rest[0].is_ascii_whitespace() {
            at += 1;
        } else if rest.starts_with(b"//") || rest[0] == b'#' {
            at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
            let end = end.ok_or_else(|| error("this comment does not end", Span::new(at, at + 2)))?;
            at += end + 4;
        } else {
            let (token, length) = match rest[0] {
                b'"' => quoted(text, at)?,
                byte if byte.is_ascii_digit() => number(rest, at)?,
                byte if is_name_start(byte) => name(text, at),
                _ => mark(text, at)?,
            };
            found.push((token, Span::new(at, at + length)));
            at += length;
        }
    }
    Ok(found)
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'\\')
}

fn name(text: &str, at: usize) -> (Token, usize) {
    let rest = &text.as_bytes()[at..];
    let is_part = |&byte: &u8| is_name_start(byte) || byte.is_ascii_digit() || byte == b'.';
    let mut length = rest.iter().take_while(|byte| is_part(byte)).count();
    // A range after a name ends it: `i..7`.
    if let Some(range) = text[at..at + length].find("..") {
        length = range;
    }
    (Token::Name(text[at..at + length].to_owned()), length)
}

fn quoted(text: &str, at: usize) -> Result<(Token, usize), Diagnostic> {
    let rest = &text[at + 1..];
    match rest.find(['"', '\n']) {
        Some(end) if rest.as_bytes()[end] == b'"' => Ok((Token::Quoted(rest[..end].to_owned()), end + 2)),
        _ => Err(error(
            "this name in quotes does not end on its line",
            Span::new(at, at + 1),
        )),
    }
}

fn mark(text: &str, at: usize) -> Result<(Token, usize), Diagnostic> {
    let known = MARKS.iter().find(|mark| text[at..].starts_with(**mark));
    match known {
        Some(mark) => Ok((Token::Mark(mark), mark.len())),
        None => Err(error(
            "no word of a specification begins like this",
            Span::new(at, at + 1),
        )),
    }
}

/// `12`, `4'b1x0x`, `8'hff`, `10'd512`.
fn number(rest: &[u8], at: usize) -> Result<(Token, usize), Diagnostic> {
    let digits = rest
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'_')
        .count();
    let plain = rest[..digits].iter().filter(|byte| **byte != b'_');
    let mut value: u64 = 0;
    for digit in plain {
        let next = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')));
        value = next.ok_or_else(|| error("this number is too large", Span::new(at, at + digits)))?;
    }
    if rest.get(digits) != Some(&b'\'') {
        return Ok((Token::Number(value), digits));
    }
    let base = rest.get(digits + 1).map(u8::to_ascii_lowercase).unwrap_or(b' ');
    let body = &rest[(digits + 2).min(rest.len())..];
    let length = body
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    let span = Span::new(at, at + (digits + 2 + length).min(rest.len()));
    if value == 0 || value > MOST_BITS || length == 0 {
        return Err(error(
            "a number with a width is written like 4'b1x01, 8'hff or 10'd512",
            span,
        ));
    }
    let bits = sized(value as usize, base, &body[..length])
        .ok_or_else(|| error(format!("this is not a number of {value} bits"), span))?;
    Ok((Token::Sized(bits), digits + 2 + length))
}

/// The bits of a number with a width; nothing if it does not fit or is not written in its base.
fn sized(width: usize, base: u8, body: &[u8]) -> Option<Vec<Option<bool>>> {
    let body = body
        .iter()
        .filter(|byte| **byte != b'_')
        .map(u8::to_ascii_lowercase);
    let mut bits: Vec<Option<bool>> = Vec::new();
    let share = match base {
        b'b' => 1,
        b'o' => 3,
        b'h' => 4,
        b'd' => {
            let mut value: u64 = 0;
            for digit in body {
                let digit = u64::from(char::from(digit).to_digit(10)?);
                value = value.checked_mul(10)?.checked_add(digit)?;
            }
            let fits = width >= 64 || value >> width == 0;
            let bit = |at: usize| Some(at < 64 && value >> at & 1 == 1);
            return fits.then(|| (0..width).map(bit).collect());
        }
        _ => return None,
    };
    let digits: Vec<u8> = body.collect();
    for &digit in digits.iter().rev() {
        if digit == b'x' {
            bits.extend(std::iter::repeat_n(None, share));
            continue;
        }
        let value = char::from(digit).to_digit(1 << share)?;
        bits.extend((0..share).map(|at| Some(value >> at & 1 == 1)));
    }
    // Leading zeros may be more than the width says; leading digits may be left out.
    while bits.len() > width {
        if bits.pop() != Some(Some(false)) {
            return None;
        }
    }
    bits.resize(width, Some(false));
    Some(bits)
}
