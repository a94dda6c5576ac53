//! Lines of a BLIF text as words with their places: `#` begins a comment, `\` at the end of a line continues it.

use entail_source::{Source, Span};

/// A word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    pub(crate) place: Span,
}

/// The lines that have words, continued ones joined.
pub(crate) fn lines(source: &Source) -> Vec<Vec<Word<'_>>> {
    let mut lines = Vec::new();
    let mut words: Vec<Word<'_>> = Vec::new();
    for (span, line) in source.lines() {
        let line = line.split('#').next().unwrap_or("").trim_end();
        let (line, continues) = match line.strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        let mut rest = line;
        while let Some(start) = rest.find(|c: char| !c.is_whitespace()) {
            let from = &rest[start..];
            let word = from.split(char::is_whitespace).next().unwrap_or(from);
            let at = span.start + (line.len() - from.len());
            words.push(Word {
                text: word,
                place: Span::new(at, at + word.len()),
            });
            rest = &from[word.len()..];
        }
        if !continues && !words.is_empty() {
            lines.push(std::mem::take(&mut words));
        }
    }
    if !words.is_empty() {
        lines.push(words);
    }
    lines
}
