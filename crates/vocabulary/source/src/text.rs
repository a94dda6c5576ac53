//! A named text and byte ranges in it.

use std::sync::Arc;

/// A half-open byte range in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The range `start..end`; a reversed pair is read as the empty range at `start`.
    pub fn new(start: usize, end: usize) -> Span {
        Span {
            start,
            end: end.max(start),
        }
    }

    /// The smallest range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The place in a text that covers this range with whole letters: cut to what exists, and widened where it begins or ends inside a letter of
    /// several bytes.
    pub fn within(self, text: &str) -> Span {
        let start = floor_char_boundary(text, self.start);
        let mut end = self.end.clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        Span { start, end }
    }

    /// Number of bytes.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether the range has no bytes.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<std::ops::Range<usize>> for Span {
    fn from(range: std::ops::Range<usize>) -> Span {
        Span::new(range.start, range.end)
    }
}

/// A one-based line and column (columns count characters).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A text with the name it is known by (usually a path). It may be several files one behind the other ([`Source::joined`]). Cheap to clone.
#[derive(Clone, Debug)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// The files it is made of, and where each begins; none if it is one itself.
    parts: Arc<[(Source, usize)]>,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl AsRef<str>, text: impl AsRef<str>) -> Source {
        Source {
            name: Arc::from(name.as_ref()),
            text: Arc::from(text.as_ref()),
            parts: Arc::from([]),
        }
    }

    /// Several files as one text, in order; each ends with the end of a line.
    pub fn joined(name: impl AsRef<str>, files: impl IntoIterator<Item = Source>) -> Source {
        let mut text = String::new();
        let mut parts = Vec::new();
        for file in files {
            parts.push((file.clone(), text.len()));
            text.push_str(file.text());
            if !file.text().is_empty() && !file.text().ends_with('\n') {
                text.push('\n');
            }
        }
        Source {
            name: Arc::from(name.as_ref()),
            text: Arc::from(text),
            parts: Arc::from(parts),
        }
    }

    /// The files it is made of, each with where it begins in the text.
    pub fn parts(&self) -> &[(Source, usize)] {
        &self.parts
    }

    /// The file that a place is in, and the place there. A text that is one file is its own.
    pub fn part(&self, span: Span) -> (&Source, Span) {
        let found = self.parts.partition_point(|(_, begin)| *begin <= span.start);
        match found.checked_sub(1).map(|found| &self.parts[found]) {
            None => (self, span),
            Some((file, begin)) => {
                let moved = Span::new(span.start - begin, span.end.saturating_sub(*begin));
                (file, moved.within(file.text()))
            }
        }
    }

    /// The name shown to users.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span, cut to what exists.
    pub fn slice(&self, span: Span) -> &str {
        let start = floor_char_boundary(&self.text, span.start);
        let end = floor_char_boundary(&self.text, span.end);
        &self.text[start..end.max(start)]
    }

    /// The lines, each with its place; line ends and blanks before them are no part of a line.
    pub fn lines(&self) -> impl Iterator<Item = (Span, &str)> {
        let mut start = 0;
        self.text.split_inclusive('\n').map(move |whole| {
            let line = whole.trim_end();
            let span = Span::new(start, start + line.len());
            start += whole.len();
            (span, line)
        })
    }

    /// Line and column of a byte offset.
    pub fn place(&self, offset: usize) -> Place {
        let before = &self.text[..floor_char_boundary(&self.text, offset)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Place {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = Source::new("m.smv", "é = 1;\nb");
        assert_eq!(source.place(0), Place { line: 1, column: 1 });
        assert_eq!(source.place(3), Place { line: 1, column: 3 });
        assert_eq!(source.place(8), Place { line: 2, column: 1 });
        assert_eq!(source.place(9_999), Place { line: 2, column: 2 });
    }

    #[test]
    fn places_in_joined_files_are_places_in_one_of_them() {
        let files = [("a.sv", "one\n"), ("b.sv", "two"), ("c.sv", "three")];
        let files = files.map(|(name, text)| Source::new(name, text));
        let whole = Source::joined("all.f", files);
        assert_eq!(whole.text(), "one\ntwo\nthree\n");
        for word in ["one", "two", "three"] {
            let at = whole.text().find(word).expect("a word");
            let (file, span) = whole.part(Span::new(at, at + word.len()));
            assert_eq!((file.slice(span), file.place(span.start).line), (word, 1));
        }
        let alone = Source::new("a.sv", "one");
        assert_eq!(alone.part(Span::new(1, 2)).1, Span::new(1, 2));
    }

    #[test]
    fn lines_stand_where_their_places_say() {
        let source = Source::new("m.oc", "a\r\n\n  é b \nlast");
        let lines: Vec<&str> = source.lines().map(|(_, line)| line).collect();
        assert_eq!(lines, ["a", "", "  é b", "last"]);
        assert!(source.lines().all(|(span, line)| source.slice(span) == line));
    }

    #[test]
    fn places_are_widened_to_whole_letters() {
        let text = "aé€z";
        let within = |start, end| Span { start, end }.within(text);
        assert_eq!(within(2, 3), Span::new(1, 3));
        assert_eq!(within(2, 4), Span::new(1, 6));
        assert_eq!(within(5, 5), Span::new(3, 6));
        assert_eq!(within(6, 7), Span::new(6, 7));
        assert_eq!(within(70, 90), Span::new(7, 7));
    }

    #[test]
    fn slices_outside_the_text_are_cut_not_panics() {
        let source = Source::new("m.smv", "é");
        assert_eq!(source.slice(Span::new(1, 50)), "é");
        assert_eq!(source.slice(Span::new(7, 9)), "");
    }
}
