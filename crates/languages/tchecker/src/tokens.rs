//! The tokens of expressions and statements.

use entail_source::{Diagnostic, Span};

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name or a keyword.
    Word(&'t str),
    /// A number.
    Number(i64),
    /// A sign.
    Sign(&'t str),
    /// The end of the text.
    End,
}

const SIGNS: [&str; 22] = [
    "&&", "||", "==", "!=", "<=", ">=", "=", "<", ">", "!", "(", ")", "[", "]", ";", "+", "-", "*", "/", "%",
    ".", ",",
];

/// The tokens of a part of a text, with their places in the whole.
pub(crate) fn tokens(text: &str, part: Span) -> Result<Vec<(Token<'_>, Span)>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = part.start;
    let end = part.end.min(text.len());
    let bytes = text.as_bytes();
    while at < end {
        let rest = text.get(at..end).unwrap_or("");
        let first = bytes[at];
        let length_of = |accepts: fn(u8) -> bool| rest.bytes().take_while(|&byte| accepts(byte)).count();
        let (token, length) = if first.is_ascii_whitespace() {
            at += 1;
            continue;
        } else if first.is_ascii_digit() {
            let length = length_of(|byte| byte.is_ascii_digit());
            match rest[..length].parse::<i64>() {
                Ok(number) if number <= i64::from(i32::MAX) => (Token::Number(number), length),
                _ => {
                    let span = Span::new(at, at + length);
                    let message = format!("the number {} does not fit into 32 bits", &rest[..length]);
                    return Err(Diagnostic::error("tchecker::range", message, span, "here"));
                }
            }
        } else if first.is_ascii_alphabetic() || first == b'_' || first == b'$' {
            let length = length_of(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$');
            (Token::Word(&rest[..length]), length)
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Token::Sign(sign), sign.len())
        } else {
            let letter = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
            let span = Span::new(at, at + letter.len_utf8());
            let message = format!("`{letter}` has no meaning here");
            return Err(Diagnostic::error("tchecker::syntax", message, span, "here"));
        };
        found.push((token, Span::new(at, at + length)));
        at += length;
    }
    found.push((Token::End, Span::new(end, end)));
    Ok(found)
}
