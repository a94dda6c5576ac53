//! Tokens of Promela, cut from the text before it is preprocessed.

use super::macros::MOST_TOKENS;
use entail_program::Origin;
use entail_source::{Diagnostic, Span};
use std::rc::Rc;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Name(Rc<str>),
    /// A number or a character.
    Number(i32),
    /// A string without its quotes.
    Text(Rc<str>),
    /// Anything else.
    Mark(&'static str),
    /// The end.
    End,
}

/// A token with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands; what a macro gave stands where the macro is used.
    pub origin: Origin,
    /// It is the first of its line.
    pub starts_line: bool,
    /// There is a blank before it.
    pub spaced: bool,
}

impl Token {
    /// Whether it is this mark.
    pub fn is(&self, mark: &str) -> bool {
        matches!(self.kind, Kind::Mark(own) if own == mark)
    }

    /// Whether it is this name.
    pub fn is_name(&self, name: &str) -> bool {
        matches!(&self.kind, Kind::Name(own) if &**own == name)
    }

    /// How it is called in messages.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Number(number) => format!("`{number}`"),
            Kind::Text(_) => "a string".into(),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the file".into(),
        }
    }
}

/// Longer marks come before their beginnings.
const MARKS: [&str; 49] = [
    "<->", "...", "::", "->", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "!!", "??", "..",
    "[]", "<>", "##", "/\\", "\\/", "{", "}", "(", ")", "[", "]", "<", ">", "=", "!", "?", "+", "-", "*",
    "/", "%", "&", "|", "^", "~", ";", ",", ":", ".", "@", "#", "$",
];

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Cuts a text into tokens.
pub fn tokens(text: &str, file: u32) -> Result<Vec<Token>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut starts_line, mut spaced) = (0, true, false);
    // A mark of the encoding is no part of the text.
    if text.starts_with(BYTE_ORDER_MARK) {
        at = BYTE_ORDER_MARK.len_utf8();
    }
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        match bytes[at] {
            b'\n' => {
                starts_line = true;
                at += 1;
                continue;
            }
            b'\\' if rest.starts_with(b"\\\n") => {
                at += 2;
                spaced = true;
                continue;
            }
            b'\\' if rest.starts_with(b"\\\r\n") => {
                at += 3;
                spaced = true;
                continue;
            }
            byte if byte.is_ascii_whitespace() || byte == 0x0b => {
                at += 1;
                spaced = true;
                continue;
            }
            b'/' if rest.starts_with(b"//") => {
                at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with(b"/*") => {
                let Some(end) = text[at + 2..].find("*/") else {
                    return Err(Diagnostic::error(
                        "promela::open-comment",
                        "a comment is not closed",
                        Span::new(at, at + 2),
                        "it begins here",
                    )
                    .with_help("comments end with `*/`"));
                };
                // A comment over several lines does not end a directive, but what follows it on a new line may be one.
                at += 2 + end + 2;
                spaced = true;
                continue;
            }
            _ => {}
        }
        if found.len() > MOST_TOKENS {
            return Err(Diagnostic::error(
                "promela::too-large",
                "the text is too long",
                Span::new(at, at),
                "from here on",
            )
            .with_help("a program has at most a million words"));
        }
        let kind = match bytes[at] {
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                let length = rest
                    .iter()
                    .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                    .unwrap_or(rest.len());
                at += length;
                Kind::Name(text[start..at].into())
            }
            byte if byte.is_ascii_digit() => {
                let length = rest
                    .iter()
                    .position(|byte| !byte.is_ascii_digit())
                    .unwrap_or(rest.len());
                at += length;
                let number = text[start..at].parse::<u32>().map_err(|_| {
                    Diagnostic::error(
                        "promela::number",
                        "the number does not fit into 32 bits",
                        Span::new(start, at),
                        "too large",
                    )
                    .with_help("numbers are at most 4294967295")
                })?;
                Kind::Number(number as i32)
            }
            b'"' => {
                let mut end = at + 1;
                while end < bytes.len() && bytes[end] != b'"' && bytes[end] != b'\n' {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                if bytes.get(end) != Some(&b'"') {
                    return Err(Diagnostic::error(
                        "promela::open-string",
                        "a string is not closed on its line",
                        Span::new(at, at + 1),
                        "it begins here",
                    )
                    .with_help("strings end with a double quote"));
                }
                at = end + 1;
                Kind::Text(text[start + 1..end].into())
            }
            b'\'' => {
                let (value, length) = character(rest).ok_or_else(|| {
                    Diagnostic::error(
                        "promela::character",
                        "a quoted character is not closed",
                        Span::new(at, at + 1),
                        "it begins here",
                    )
                    .with_help("write a character as 'x' or '\\n'")
                })?;
                at += length;
                Kind::Number(value)
            }
            _ => match MARKS.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
                Some(mark) => {
                    at += mark.len();
                    Kind::Mark(mark)
                }
                None => {
                    let length = text[at..].chars().next().map_or(1, char::len_utf8);
                    return Err(Diagnostic::error(
                        "promela::character",
                        "this character has no meaning in Promela",
                        Span::new(at, at + length),
                        "here",
                    )
                    .with_help("remove it"));
                }
            },
        };
        found.push(Token {
            kind,
            origin: Origin {
                file,
                span: Span::new(start, at),
            },
            starts_line,
            spaced,
        });
        (starts_line, spaced) = (false, false);
    }
    Ok(found)
}

/// The value and the length of a quoted character.
fn character(rest: &[u8]) -> Option<(i32, usize)> {
    match rest {
        [b'\'', b'\\', escaped, b'\'', ..] => {
            let value = match escaped {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'f' => 0x0c,
                b'0' => 0,
                other => *other,
            };
            Some((i32::from(value), 4))
        }
        [b'\'', plain, b'\'', ..] if *plain != b'\\' => Some((i32::from(*plain), 3)),
        _ => None,
    }
}
