//! The words of the formula languages (CTL*, mu-calculus).
//!
//! One hand-written pass over the bytes. A name starts with a letter or `_` and goes on with letters, digits, `_ $ #` and
//! where the language has them full stops;
//! anything else can be a name in double quotes. Characters that begin no word become [`Token::Unknown`]: the lexer never
//! fails, the parser reports.

use entail_source::Span;

/// One word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    /// A name or a keyword: the parser decides.
    Word(&'t str),
    /// A name in double quotes, quotes removed.
    Quoted(&'t str),
    /// Digits.
    Number(&'t str),
    /// An operator or a bracket, one of [`SYMBOLS`].
    Symbol(&'static str),
    /// A character that begins no word, or a quote without an end.
    Unknown,
    /// The end of the text.
    End,
}

/// Symbols; a longer one comes before its prefixes.
const SYMBOLS: [&str; 24] = [
    "<->", "->", "..", "+oo", "&&", "||", "<>", "[]", "&", "|", "!", "(", ")", "[", "]", "<", ">", ",", "=",
    ".", "+", ";", "*", "?",
];

/// Which names the language has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// `a.b` is one name.
    Dotted,
    /// `a.b` is three words.
    Plain,
}

/// All words with their places, the end included.
pub(crate) fn tokenize(text: &str, names: Names) -> Vec<(Token<'_>, Span)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let (token, length) = word(rest, first, names);
        tokens.push((token, Span::new(at, at + length)));
        at += length;
    }
    tokens.push((Token::End, Span::new(text.len(), text.len())));
    tokens
}

fn word(rest: &str, first: char, names: Names) -> (Token<'_>, usize) {
    let run = |belongs: fn(char) -> bool| rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        let length = run(|c| c.is_ascii_digit());
        return (Token::Number(&rest[..length]), length);
    }
    if is_name_start(first) {
        let mut length = match names {
            Names::Dotted => run(|c| is_name_part(c) || c == '.'),
            Names::Plain => run(is_name_part),
        };
        // A full stop belongs to a name only between its parts.
        while rest[..length].ends_with('.') {
            length -= 1;
        }
        return (Token::Word(&rest[..length]), length);
    }
    if first == '"' {
        return match rest[1..].find('"') {
            Some(length) => (Token::Quoted(&rest[1..1 + length]), length + 2),
            None => (Token::Unknown, rest.len()),
        };
    }
    match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
        Some(symbol) => (Token::Symbol(symbol), symbol.len()),
        None => (Token::Unknown, first.len_utf8()),
    }
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || "_$#".contains(c)
}
