//! Lines and words of a text, with their places.

use entail_markov::{Rational, decimal};
use entail_source::{Diagnostic, Span};

/// What reading gives.
pub(crate) type Read<T> = Result<T, Diagnostic>;

/// A piece of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    pub span: Span,
}

impl<'t> Word<'t> {
    fn at(text: &'t str, start: usize) -> Word<'t> {
        Word {
            text,
            span: Span::new(start, start + text.len()),
        }
    }

    /// The same without white space around it.
    pub fn trim(self) -> Word<'t> {
        let begin = self.text.len() - self.text.trim_start().len();
        Word::at(self.text.trim(), self.span.start + begin)
    }

    /// The rest behind a prefix.
    pub fn after(self, prefix: &str) -> Option<Word<'t>> {
        let rest = self.text.strip_prefix(prefix)?;
        Some(Word::at(rest, self.span.start + prefix.len()))
    }

    /// The parts before and behind the first of some text.
    pub fn split(self, at: &str) -> Option<(Word<'t>, Word<'t>)> {
        let (before, behind) = self.text.split_once(at)?;
        let from = self.span.end - behind.len();
        Some((Word::at(before, self.span.start), Word::at(behind, from)))
    }

    /// The words between white space.
    pub fn words(self) -> impl Iterator<Item = Word<'t>> {
        self.parts(char::is_whitespace)
            .filter(|word| !word.text.is_empty())
    }

    /// The parts between some characters.
    pub fn parts(self, between: impl Fn(char) -> bool) -> impl Iterator<Item = Word<'t>> {
        let start = self.span.start;
        let whole = self.text;
        whole.split(between).scan(0usize, move |at, part| {
            let from = *at;
            let behind = from + part.len();
            *at = behind + whole[behind..].chars().next().map_or(0, char::len_utf8);
            Some(Word::at(part, start + from))
        })
    }

    /// An error here.
    pub fn wrong(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("explicit::format", message.into(), self.span, "here")
    }

    /// The number of a state, a choice, or how many there are.
    pub fn count(self) -> Read<u32> {
        let number = self.text.parse::<u32>().ok().filter(|&number| number < u32::MAX);
        number.ok_or_else(|| self.wrong("a whole number is expected"))
    }

    /// A number: a decimal or a fraction.
    pub fn number(self) -> Read<Rational> {
        let found = match self.text.split_once('/') {
            Some((above, below)) => (decimal(above.trim()))
                .zip(decimal(below.trim()).filter(|below| !below.is_zero()))
                .map(|(above, below)| above / below),
            None => decimal(self.text),
        };
        found.ok_or_else(|| self.wrong("a number is expected, such as 0.25 or 1/4"))
    }
}

/// The lines of a text that are not empty and no comment, each without white space around it. Comments begin with one of some marks.
pub(crate) fn lines<'t>(text: &'t str, comments: &'static [&'static str]) -> impl Iterator<Item = Word<'t>> {
    Word::at(text, 0)
        .parts(|letter| letter == '\n')
        .map(Word::trim)
        .filter(move |line| !line.text.is_empty() && !comments.iter().any(|mark| line.text.starts_with(mark)))
}
