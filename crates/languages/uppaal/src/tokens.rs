//! The tokens of declarations, labels and queries.

use crate::fragment::Fragment;
use entail_source::{Diagnostic, Span};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A name or a keyword.
    Word(String),
    /// A number.
    Number(i64),
    /// A floating-point number.
    Double(String),
    /// A text between quotation marks.
    Text(String),
    /// A sign, or a path quantifier of a query.
    Sign(&'static str),
    /// The end of a line, in queries.
    Line,
    /// The end.
    End,
}

const SIGNS: [&str; 57] = [
    "<<=", ">>=", "-->", ":=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<?", ">?", "->", "**", "<<",
    ">>", "||", "&&", "<=", ">=", "==", "!=", "++", "--", "=<", "=>", "<", ">", "=", "+", "-", "*", "/", "%",
    "|", "&", "^", "!", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "'", "#", "[]", "<>", "\\",
    "$",
];

const QUANTIFIERS: [&str; 4] = ["A[]", "A<>", "E[]", "E<>"];

/// The tokens of a fragment. In queries, ends of lines count, and `A[]` and its kin are tokens.
pub(crate) fn tokens(fragment: &Fragment, is_query: bool) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let text = fragment.text.as_str();
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let first = bytes[at];
        let taken = |accepts: fn(u8) -> bool| rest.bytes().take_while(|&byte| accepts(byte)).count();
        if first == b'\n' && is_query {
            found.push((Token::Line, fragment.span(at, at + 1)));
            at += 1;
            continue;
        }
        if first.is_ascii_whitespace() || rest.starts_with('\u{a0}') || rest.starts_with('\u{feff}') {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            let Some(length) = comment.find("*/") else {
                let span = fragment.span(at, at + 2);
                return Err(Diagnostic::error(
                    "uppaal::syntax",
                    "this comment has no end",
                    span,
                    "here",
                ));
            };
            at += length + 4;
            continue;
        }
        if first == b'\\' {
            // A line that is continued.
            let blank = rest[1..]
                .bytes()
                .take_while(|byte| *byte == b' ' || *byte == b'\t' || *byte == b'\r');
            let length = 1 + blank.count();
            if bytes.get(at + length) == Some(&b'\n') {
                at += length + 1;
                continue;
            }
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte == b'#';
        let quantifier = QUANTIFIERS.iter().find(|one| is_query && rest.starts_with(**one));
        let (token, length) = if let Some(sign) = quantifier {
            (Token::Sign(sign), sign.len())
        } else if first.is_ascii_digit() {
            number(rest, fragment, at)?
        } else if first.is_ascii_alphabetic() || first == b'_' {
            let length = taken(is_name);
            (Token::Word(rest[..length].to_owned()), length)
        } else if first == b'"' {
            let length = rest[1..].find('"').map_or(rest.len(), |length| length + 2);
            (
                Token::Text(rest[1..length.saturating_sub(1).max(1)].to_owned()),
                length,
            )
        } else if let Some(sign) = SIGNS
            .iter()
            .filter(|sign| rest.starts_with(**sign) && (is_query || !matches!(**sign, "-->" | "[]" | "<>")))
            .max_by_key(|sign| sign.len())
        {
            (Token::Sign(sign), sign.len())
        } else {
            let letter = rest.chars().next().unwrap_or(' ');
            let span = fragment.span(at, at + letter.len_utf8());
            let message = format!("`{letter}` has no meaning here");
            return Err(Diagnostic::error("uppaal::syntax", message, span, "here"));
        };
        found.push((token, fragment.span(at, at + length)));
        at += length;
    }
    found.push((Token::End, fragment.span(text.len(), text.len())));
    Ok(found)
}

fn number(rest: &str, fragment: &Fragment, at: usize) -> Result<(Token, usize), Diagnostic> {
    let bytes = rest.as_bytes();
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(0);
    let mut length = whole;
    // Digits may be missing behind the point.
    if bytes.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
    }
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        if bytes.len() > length + 1 + sign && digits(length + 1 + sign) > 0 {
            length += 1 + sign + digits(length + 1 + sign);
        }
    }
    if length > whole {
        return Ok((Token::Double(rest[..length].to_owned()), length));
    }
    match rest[..whole].parse::<i64>() {
        // One more than the largest number, so that its negation can be written.
        Ok(number) if number <= 1 << 31 => Ok((Token::Number(number), whole)),
        _ => {
            let span = fragment.span(at, at + whole);
            let message = format!("the number {} does not fit into 32 bits", &rest[..whole]);
            Err(Diagnostic::error("uppaal::range", message, span, "here"))
        }
    }
}
