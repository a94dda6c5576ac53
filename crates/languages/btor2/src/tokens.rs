//! Lines and the words in them.

use entail_source::Span;

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub text: &'a str,
    pub span: Span,
}

/// The words of each line that has any, comments left out.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Vec<Token<'_>>> {
    let mut at = 0;
    text.split('\n')
        .map(move |line| {
            let start = at;
            at += line.len() + 1;
            words(line, start)
        })
        .filter(|words| !words.is_empty())
}

fn words(line: &str, start: usize) -> Vec<Token<'_>> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        if rest.is_empty() || rest.starts_with(';') {
            return words;
        }
        let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let from = start + (line.len() - rest.len());
        words.push(Token {
            text: &rest[..length],
            span: Span::new(from, from + length),
        });
        rest = &rest[length..];
    }
}
