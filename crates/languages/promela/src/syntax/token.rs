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
        match gap(text, at)? {
            Some(Gap::Line) => {
                starts_line = true;
                at += 1;
                continue;
            }
            Some(Gap::Blank(length)) => {
                at += length;
                spaced = true;
                continue;
            }
            Some(Gap::Comment(length)) => {
                at += length;
                continue;
            }
            None => {}
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
        let (kind, length) = token(text, at)?;
        found.push(Token {
            kind,
            origin: Origin::new(file, Span::new(at, at + length)),
            starts_line,
            spaced,
        });
        at += length;
        (starts_line, spaced) = (false, false);
    }
    Ok(found)
}

/// What stands between tokens, with its length.
enum Gap {
    /// The end of a line.
    Line,
    /// Blanks, a continued line, or a comment that stands for a blank.
    Blank(usize),
    /// A comment up to the end of the line.
    Comment(usize),
}

/// What stands between tokens here, if something does.
fn gap(text: &str, at: usize) -> Result<Option<Gap>, Diagnostic> {
    let rest = &text.as_bytes()[at..];
    Ok(match rest[0] {
        b'\n' => Some(Gap::Line),
        b'\\' if rest.starts_with(b"\\\n") => Some(Gap::Blank(2)),
        b'\\' if rest.starts_with(b"\\\r\n") => Some(Gap::Blank(3)),
        byte if byte.is_ascii_whitespace() || byte == 0x0b => Some(Gap::Blank(1)),
        b'/' if rest.starts_with(b"//") => {
            let end = rest.iter().position(|&byte| byte == b'\n');
            Some(Gap::Comment(end.unwrap_or(rest.len())))
        }
        b'/' if rest.starts_with(b"/*") => match text[at + 2..].find("*/") {
            // A comment over several lines does not end a directive, but what follows it on a new line may be one.
            Some(end) => Some(Gap::Blank(2 + end + 2)),
            None => {
                return Err(Diagnostic::error(
                    "promela::open-comment",
                    "a comment is not closed",
                    Span::new(at, at + 2),
                    "it begins here",
                )
                .with_help("comments end with `*/`"));
            }
        },
        _ => None,
    })
}

/// The token that begins here, and its length.
fn token(text: &str, at: usize) -> Result<(Kind, usize), Diagnostic> {
    let bytes = text.as_bytes();
    let rest = &bytes[at..];
    let until = |is_over: fn(&u8) -> bool| rest.iter().position(is_over).unwrap_or(rest.len());
    match bytes[at] {
        byte if byte.is_ascii_alphabetic() || byte == b'_' => {
            let length = until(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_');
            Ok((Kind::Name(text[at..at + length].into()), length))
        }
        byte if byte.is_ascii_digit() => {
            let length = until(|byte| !byte.is_ascii_digit());
            let number = text[at..at + length].parse::<u32>().map_err(|_| {
                Diagnostic::error(
                    "promela::number",
                    "the number does not fit into 32 bits",
                    Span::new(at, at + length),
                    "too large",
                )
                .with_help("numbers are at most 4294967295")
            })?;
            Ok((Kind::Number(number as i32), length))
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
            Ok((Kind::Text(text[at + 1..end].into()), end + 1 - at))
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
            Ok((Kind::Number(value), length))
        }
        _ => match MARKS.iter().find(|mark| rest.starts_with(mark.as_bytes())) {
            Some(mark) => Ok((Kind::Mark(mark), mark.len())),
            None => {
                let length = text[at..].chars().next().map_or(1, char::len_utf8);
                Err(Diagnostic::error(
                    "promela::character",
                    "this character has no meaning in Promela",
                    Span::new(at, at + length),
                    "here",
                )
                .with_help("remove it"))
            }
        },
    }
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
