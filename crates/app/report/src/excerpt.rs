//! The lines of a text that a diagnostic is about, cut to a width that can be shown.
//!
//! A text may be one line of a million characters, or a million lines; the renderer lays out whole lines and cannot. So it is given an
//! excerpt: the lines with labels and the ones beside them, each cut around its labels, with the numbers they have in the text. Control
//! characters are shown as pictures. Labels are moved with the lines.

use crate::visible::shown;
use entail_source::{Source, Span};
use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::collections::BTreeMap;

/// A line with more characters is cut.
const WIDEST: usize = 160;

/// So many characters are left before the first label of a line that is cut.
const BEFORE: usize = 80;

/// A label that covers more lines is shown at its first.
const MOST_LINES: usize = 12;

/// What stands for what was cut off.
const CUT: char = '…';

/// The lines around some labels.
#[derive(Debug)]
pub(crate) struct Excerpt {
    name: String,
    text: String,
    lines: Vec<Line>,
    /// The labels' places in the excerpt.
    pub(crate) spans: Vec<Span>,
}

/// A line of the excerpt.
#[derive(Debug)]
struct Line {
    /// From 0.
    number: usize,
    /// Where it begins in the excerpt.
    start: usize,
    /// Characters cut off before it, without the mark that stands for them.
    skipped: usize,
}

impl Excerpt {
    /// The lines around these labels and their neighbours.
    pub(crate) fn new(source: &Source, labels: impl Iterator<Item = Span>) -> Excerpt {
        let text = source.text();
        let mut wanted: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        let mut points: Vec<Span> = Vec::new();
        for label in labels {
            let start = boundary(text, label.start);
            let mut end = boundary(text, label.end).max(start);
            let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
            if text[start..end].bytes().filter(|&byte| byte == b'\n').count() >= MOST_LINES {
                end = end_of_line(text, start);
            }
            let number = text[..line_start].bytes().filter(|&byte| byte == b'\n').count();
            let mut lines = vec![(number, line_start)];
            if let Some(last) = line_start.checked_sub(1) {
                let before = text[..last].rfind('\n').map_or(0, |newline| newline + 1);
                lines.push((number - 1, before));
            }
            let (mut at, mut next) = (number, line_start);
            // The lines of the label, and one more.
            loop {
                let line_end = end_of_line(text, next);
                let is_last = line_end >= end;
                if line_end == text.len() {
                    break;
                }
                (at, next) = (at + 1, line_end + 1);
                lines.push((at, next));
                if is_last {
                    break;
                }
            }
            wanted.extend(
                lines
                    .into_iter()
                    .map(|(number, start)| (number, (start, end_of_line(text, start)))),
            );
            points.push(Span::new(start, end));
        }
        let mut excerpt = Excerpt {
            name: source.name().chars().map(shown).collect(),
            text: String::new(),
            lines: Vec::new(),
            spans: vec![Span::default(); points.len()],
        };
        for (number, (start, end)) in wanted {
            excerpt.add(text, number, (start, end), &points);
        }
        for span in &mut excerpt.spans {
            *span = Span::new(span.start, span.end);
        }
        excerpt
    }

    fn add(&mut self, text: &str, number: usize, (start, end): (usize, usize), labels: &[Span]) {
        if !self.lines.is_empty() {
            self.text.push('\n');
        }
        let line = &text[start..end];
        let line = line.strip_suffix('\r').unwrap_or(line);
        let is_here = |offset: usize| (start..=end).contains(&offset);
        let column = |offset: usize| line[..boundary(line, offset - start)].chars().count();
        let length = line.chars().count();
        let first = labels
            .iter()
            .filter(|label| is_here(label.start))
            .map(|label| column(label.start))
            .min();
        let skipped = match length > WIDEST {
            true => first.unwrap_or(0).saturating_sub(BEFORE).min(length - WIDEST),
            false => 0,
        };
        let place = self.text.len();
        self.lines.push(Line {
            number,
            start: place,
            skipped: skipped.saturating_sub(1),
        });
        if skipped > 0 {
            self.text.push(CUT);
        }
        // Where in the excerpt each character that is kept begins, and where the last ends.
        let mut begins = vec![self.text.len()];
        for letter in line.chars().skip(skipped).take(WIDEST) {
            self.text.push(match letter {
                '\n' => ' ',
                letter => shown(letter),
            });
            begins.push(self.text.len());
        }
        if skipped + WIDEST < length {
            self.text.push(CUT);
        }
        let moved = |offset: usize| begins[column(offset).saturating_sub(skipped).min(begins.len() - 1)];
        for (label, span) in labels.iter().zip(&mut self.spans) {
            if is_here(label.start) {
                span.start = moved(label.start);
            }
            if is_here(label.end) {
                span.end = moved(label.end);
            }
        }
    }

    fn line_of(&self, offset: usize) -> usize {
        self.lines
            .partition_point(|line| line.start <= offset)
            .saturating_sub(1)
    }

    fn end_of(&self, line: usize) -> usize {
        self.lines
            .get(line + 1)
            .map_or(self.text.len(), |next| next.start)
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let last = (span.offset() + span.len()).saturating_sub(1).max(span.offset());
        if self.lines.is_empty() || last > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let (mut low, mut high) = (self.line_of(span.offset()), self.line_of(last));
        let here = &self.lines[low];
        let follows = |line: usize| self.lines[line].number + 1 == self.lines[line + 1].number;
        if !(low..high).all(follows) {
            return Err(MietteError::OutOfBounds);
        }
        let column = match before {
            0 => here.skipped + self.text[here.start..span.offset()].chars().count(),
            _ => 0,
        };
        for _ in 0..before {
            low -= usize::from(low > 0 && follows(low - 1));
        }
        for _ in 0..after {
            high += usize::from(high + 1 < self.lines.len() && follows(high));
        }
        let (start, end) = (self.lines[low].start, self.end_of(high));
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            &self.text.as_bytes()[start..end],
            SourceSpan::new(start.into(), end - start),
            self.lines[low].number,
            column,
            high - low + 1,
        )))
    }
}

/// The end of the line that this place is in.
fn end_of_line(text: &str, place: usize) -> usize {
    text[place..]
        .find('\n')
        .map_or(text.len(), |length| place + length)
}

/// The last boundary between characters that is not behind this place.
fn boundary(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}
