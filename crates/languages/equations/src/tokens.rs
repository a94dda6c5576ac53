//! Names and punctuation, with their places.

use entail_source::{Diagnostic, Span};

/// What a token is, as the grammar sees it: the spellings of an operator are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'t> {
    Name(&'t str),
    All,
    Any,
    Sign(char),
    End,
}

/// The tokens of a text with their places; an `End` is the last.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Span)>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = text[at..].chars().next() {
        let rest = &text[at..];
        if letter.is_whitespace() {
            at += letter.len_utf8();
            continue;
        }
        if letter == '%' || rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let in_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '\'' | '@' | '.');
        let (token, length) = if in_name(letter) {
            let length = rest.find(|letter| !in_name(letter)).unwrap_or(rest.len());
            let token = match &rest[..length] {
                "and" => Token::All,
                "or" => Token::Any,
                name => Token::Name(name),
            };
            (token, length)
        } else {
            match letter {
                '&' => (Token::All, if rest.starts_with("&&") { 2 } else { 1 }),
                '|' => (Token::Any, if rest.starts_with("||") { 2 } else { 1 }),
                '=' | ';' | '(' | ')' | '{' | '}' => (Token::Sign(letter), 1),
                _ => {
                    let span = Span::new(at, at + letter.len_utf8());
                    let message = format!("`{letter}` means nothing here");
                    let problem = Diagnostic::error("bes::letter", message, span, "here");
                    return Err(problem.with_help("right-hand sides are made of variables, true, false, &&, || and parentheses; negation is not monotone"));
                }
            }
        };
        found.push((token, Span::new(at, at + length)));
        at += length;
    }
    found.push((Token::End, Span::new(text.len(), text.len())));
    Ok(found)
}
