//! Tokens.

use entail_source::{Diagnostic, Diagnostics, Span};

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind<'a>,
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'a> {
    Name(&'a str),
    Number(i64),
    Text(&'a str),
    Symbol(&'static str),
    End,
}

/// Symbols, the longer before those that they begin with.
const SYMBOLS: [&str; 40] = [
    "<->", "(+)", "(-)", "(*)", "(\\)", "&&", "||", "->", "<-", "==", "/=", "!=", "<=", ">=", "..", "{", "}",
    "(", ")", "[", "]", ";", ":", ",", "=", "<", ">", "+", "-", "*", "/", "%", "!", "~", "|", "&", ".", "?",
    "\\", "'",
];

fn is_start(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || letter == '@'
}

fn is_inner(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '@' | '\'')
}

/// The tokens of a text; the last is its end.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Diagnostics> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        } else if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += comment(rest).ok_or_else(|| {
                let begin = Span::new(at, at + 2);
                let problem =
                    Diagnostic::error("tlsf::comment", "the comment has no end", begin, "it begins here");
                problem.with_help("comments may be nested: every `/*` needs its own `*/`")
            })?;
            continue;
        } else if is_start(letter) {
            let length = rest.find(|letter| !is_inner(letter)).unwrap_or(rest.len());
            (Kind::Name(&rest[..length]), length)
        } else if letter.is_ascii_digit() {
            let length = rest
                .find(|letter: char| !letter.is_ascii_digit())
                .unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| {
                let span = Span::new(at, at + length);
                Diagnostic::error("tlsf::number", "the number is too large", span, "this number")
            })?;
            (Kind::Number(number), length)
        } else if letter == '"' {
            let length = text_length(rest).ok_or_else(|| {
                let begin = Span::new(at, at + 1);
                Diagnostic::error("tlsf::text", "the text has no end", begin, "it begins here")
            })?;
            (Kind::Text(&rest[1..length - 1]), length)
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            (Kind::Symbol(symbol), symbol.len())
        } else {
            let span = Span::new(at, at + letter.len_utf8());
            let message = format!("`{letter}` does not belong here");
            return Err(Diagnostic::error("tlsf::letter", message, span, "this letter").into());
        };
        found.push(Token {
            kind,
            span: Span::new(at, at + length),
        });
        at += length;
    }
    found.push(Token {
        kind: Kind::End,
        span: Span::new(text.len(), text.len()),
    });
    Ok(found)
}

/// The length of a comment, comments inside included.
fn comment(text: &str) -> Option<usize> {
    let (mut depth, mut at) = (0usize, 0);
    loop {
        let rest = &text[at..];
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

/// The length of a text in quotes; a backslash hides a quote.
fn text_length(text: &str) -> Option<usize> {
    let mut hidden = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            '"' if !hidden => return Some(at + 1),
            _ => hidden = letter == '\\' && !hidden,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_with_their_places() {
        let text = "a_1' /* x /* y */ */ <-> \"t\\\"\" 12 // end\n(+)";
        let found = tokens(text).expect("correct");
        let kinds: Vec<Kind<'_>> = found.iter().map(|token| token.kind).collect();
        let expected = [
            Kind::Name("a_1'"),
            Kind::Symbol("<->"),
            Kind::Text("t\\\""),
            Kind::Number(12),
            Kind::Symbol("(+)"),
            Kind::End,
        ];
        assert_eq!(kinds, expected);
        for token in &found[..found.len() - 1] {
            assert!(!token.span.is_empty());
        }
        assert_eq!(&text[found[3].span.start..found[3].span.end], "12");
        for wrong in ["/* x", "\"x", "a $", "99999999999999999999"] {
            assert!(tokens(wrong).is_err(), "{wrong}");
        }
    }
}
