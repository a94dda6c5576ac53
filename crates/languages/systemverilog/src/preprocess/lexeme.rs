//! A text cut into pieces as the preprocessor sees them: words, directives, strings, comments, white space, single characters.

use entail_source::Span;

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name, a keyword, or digits.
    Word,
    /// A grave accent and a name: a directive, or a macro that is used.
    Directive,
    /// A string.
    Text,
    /// White space within a line.
    Space,
    /// The end of a line.
    Newline,
    /// The end of a line that the next one continues.
    Continued,
    Comment,
    /// Two grave accents: what stands around them becomes one word.
    Paste,
    /// A grave accent and a quotation mark: the ends of a string in which arguments are put in; with a backslash: a mark within it.
    Quote,
    InnerQuote,
    /// A sign, a bracket, part of a number.
    Other,
}

/// A piece: a part of everything that has been read, and the place in the user's text that messages about it show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) origin: Span,
}

impl Lexeme {
    pub(super) fn text<'t>(&self, all: &'t str) -> &'t str {
        &all[self.start..self.end]
    }

    /// Whether it separates others and says nothing.
    pub(super) fn is_blank(&self) -> bool {
        matches!(
            self.kind,
            Kind::Space | Kind::Newline | Kind::Continued | Kind::Comment
        )
    }
}

/// The length of the word that a text begins with.
pub(super) fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
        .unwrap_or(rest.len())
}

/// The pieces of a part of a text. Without a place of their own they are where they stand.
pub(super) fn lexemes(all: &str, start: usize, end: usize, origin: Option<Span>) -> Vec<Lexeme> {
    let mut found = Vec::new();
    let mut at = start;
    while at < end {
        let (kind, length) = first(&all[at..end]);
        let length = length.max(1);
        found.push(Lexeme {
            kind,
            start: at,
            end: at + length,
            origin: origin.unwrap_or(Span::new(at, at + length)),
        });
        at += length;
    }
    found
}

/// The kind and the length of the first piece of a text.
fn first(rest: &str) -> (Kind, usize) {
    let letter = rest.chars().next().unwrap_or(' ');
    let after = &rest[letter.len_utf8()..];
    match letter {
        '\n' => (Kind::Newline, 1),
        _ if letter.is_whitespace() => {
            let is_blank = |c: char| c.is_whitespace() && c != '\n';
            (Kind::Space, rest.find(|c| !is_blank(c)).unwrap_or(rest.len()))
        }
        '\\' if after.starts_with('\n') => (Kind::Continued, 2),
        '\\' if after.starts_with("\r\n") => (Kind::Continued, 3),
        // An escaped name goes on to the next white space.
        '\\' => (Kind::Other, rest.find(char::is_whitespace).unwrap_or(rest.len())),
        '/' if after.starts_with('/') => {
            let line = rest.find('\n').unwrap_or(rest.len());
            let text = rest[..line].trim_end_matches('\r');
            // (A backslash at its end continues a macro all the same.)
            (Kind::Comment, text.trim_end_matches('\\').len())
        }
        '/' if after.starts_with('*') => {
            let length = after[1..].find("*/").map_or(rest.len(), |end| end + 4);
            (Kind::Comment, length)
        }
        '"' => (Kind::Text, text_length(rest)),
        '`' if after.starts_with('`') => (Kind::Paste, 2),
        '`' if after.starts_with('"') => (Kind::Quote, 2),
        '`' if after.starts_with("\\`\"") => (Kind::InnerQuote, 4),
        '`' if after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') => {
            (Kind::Directive, 1 + word_length(after))
        }
        _ if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') => {
            (Kind::Word, word_length(rest).max(1))
        }
        _ => (Kind::Other, letter.len_utf8()),
    }
}

/// The length of a string; without an end, it goes to the end of the line.
fn text_length(rest: &str) -> usize {
    let mut is_escaped = false;
    for (place, letter) in rest.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return place + 1,
            '\n' => return place,
            _ => {}
        }
    }
    rest.len()
}
