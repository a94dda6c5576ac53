//! The declarations of an abstraction map: a keyword and what follows it, up to `;`, or up to `}` where there is a block.

use entail_source::{Diagnostic, Span};

/// One declaration. Comments are gone; places are those of the whole text.
#[derive(Clone, Debug)]
pub(super) struct Statement<'t> {
    pub keyword: &'t str,
    pub keyword_span: Span,
    text: &'t str,
    /// What follows the keyword, without the block.
    head: Span,
    /// What is between the braces.
    pub block: Option<Span>,
}

/// The text with blanks in place of comments, so that places stay.
pub(super) fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.find("--") {
            None => clean.push_str(line),
            Some(start) => {
                let (code, comment) = line.split_at(start);
                clean.push_str(code);
                let ended = comment.ends_with('\n');
                clean.extend(std::iter::repeat_n(' ', comment.len() - usize::from(ended)));
                clean.push_str(if ended { "\n" } else { "" });
            }
        }
    }
    clean
}

/// The declarations of a text without comments.
pub(super) fn statements<'t>(text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Statement<'t>> {
    let mut found = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(|letter: char| !letter.is_whitespace()) {
        let start = rest + start;
        if text[start..].starts_with(';') {
            rest = start + 1;
            continue;
        }
        let word = text[start..]
            .find(|letter: char| !is_name(letter))
            .unwrap_or(text.len() - start);
        let keyword_end = start + word.max(text[start..].chars().next().map_or(1, char::len_utf8));
        let keyword = &text[start..keyword_end];
        let with_block = keyword == "map";
        let end = end_of(text, keyword_end, with_block);
        let mut statement = Statement {
            keyword,
            keyword_span: Span::new(start, keyword_end),
            text,
            head: Span::new(keyword_end, end),
            block: None,
        };
        rest = end + 1;
        match text[end..].chars().next() {
            Some('{') if with_block => match matching(text, end) {
                Some(close) => {
                    statement.block = Some(Span::new(end + 1, close));
                    rest = close + 1;
                }
                None => {
                    diagnostics.push(Diagnostic::error(
                        "abs::block",
                        "this block is never closed",
                        Span::new(end, end + 1),
                        "a `}` is missing",
                    ));
                    return found;
                }
            },
            None => {
                let place = Span::new(start, end);
                diagnostics.push(Diagnostic::error(
                    "abs::semicolon",
                    "a declaration ends with `;`",
                    place,
                    "this one does not end",
                ));
                return found;
            }
            _ => {}
        }
        found.push(statement);
    }
    found
}

pub(super) fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || "_$#-\\".contains(letter)
}

/// Where the `;` (or the block) is that ends what begins here; those inside `case … esac` and braces do not count.
fn end_of(text: &str, start: usize, with_block: bool) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while let Some(letter) = text[at..].chars().next() {
        if is_name(letter) {
            let length = text[at..]
                .find(|letter: char| !is_name(letter))
                .unwrap_or(text.len() - at);
            match &text[at..at + length] {
                "case" => depth += 1,
                "esac" => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += length;
            continue;
        }
        match letter {
            ';' if depth == 0 => return at,
            '{' if depth == 0 && with_block => return at,
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += letter.len_utf8();
    }
    text.len()
}

/// The brace that closes the one at a place.
fn matching(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, letter) in text[open..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(open + at);
        }
    }
    None
}

impl<'t> Statement<'t> {
    /// A piece of the text without blanks around it.
    pub fn trimmed(&self, span: Span) -> (&'t str, Span) {
        let text = &self.text[span.start..span.end];
        let start = span.start + (text.len() - text.trim_start().len());
        let text = text.trim();
        (text, Span::new(start, start + text.len()))
    }

    /// What follows the keyword; at the keyword's place if nothing does.
    pub fn body(&self) -> (&'t str, Span) {
        match self.trimmed(self.head) {
            ("", _) => ("", self.keyword_span),
            body => body,
        }
    }

    /// What follows the keyword, in pieces.
    pub fn list(&self, separator: char) -> Vec<(&'t str, Span)> {
        let (text, span) = self.body();
        if text.is_empty() {
            return vec![(text, span)];
        }
        let mut pieces = Vec::new();
        let mut start = span.start;
        for piece in text.split(separator) {
            let (trimmed, place) = self.trimmed(Span::new(start, start + piece.len()));
            pieces.push((trimmed, if trimmed.is_empty() { span } else { place }));
            start += piece.len() + separator.len_utf8();
        }
        pieces
    }

    /// `name := rest`, or the rest alone.
    pub fn definition(&self) -> (Option<&'t str>, &'t str, Span) {
        let (text, span) = self.body();
        match text.split_once(":=") {
            Some((name, _)) => {
                let (rest, place) = self.trimmed(Span::new(span.start + name.len() + 2, span.end));
                (
                    Some(name.trim()),
                    rest,
                    if rest.is_empty() { span } else { place },
                )
            }
            None => (None, text, span),
        }
    }

    /// The entries `name: condition;` of the block.
    pub fn entries(&self) -> Vec<Entry<'t>> {
        let Some(block) = self.block else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        let mut start = block.start;
        while start < block.end {
            let end = end_of(&self.text[..block.end], start, false).min(block.end);
            let whole = Span::new(start, end);
            start = end + 1;
            let (text, place) = self.trimmed(whole);
            if text.is_empty() {
                continue;
            }
            entries.push(match text.split_once(':') {
                Some((name, _)) => {
                    let (condition, span) = self.trimmed(Span::new(place.start + name.len() + 1, place.end));
                    Entry {
                        name: Some(name.trim()),
                        condition,
                        span: if condition.is_empty() { place } else { span },
                        place,
                    }
                }
                None => Entry {
                    name: None,
                    condition: text,
                    span: place,
                    place,
                },
            });
        }
        entries
    }
}

/// One line of a block.
pub(super) struct Entry<'t> {
    pub name: Option<&'t str>,
    pub condition: &'t str,
    /// Where the condition is.
    pub span: Span,
    /// Where the entry is.
    pub place: Span,
}
