//! Text for terminals: no control character of a name, a value or a source text gets through.
//!
//! Colours are written as noncharacters of Unicode (U+FDD0 and up), which stand for nothing else; [`screen`] is the only place where
//! escape sequences are made, after everything else that could be one has been replaced. So no text can bring its own.

use crate::visible::{shown, visible};

/// Stands in for a mark that does not exist.
const REPLACEMENT: char = '\u{FFFD}';

/// The codes of the colours, in the order of their marks.
pub(crate) const CODES: [&str; 9] = ["0", "1;32", "1;31", "1;33", "2", "1", "33", "31", "36"];

/// The first mark.
const FIRST: u32 = 0xFDD0;

/// A colour, by its position among the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain = 0,
    Good = 1,
    Bad = 2,
    Open = 3,
    Faint = 4,
    Strong = 5,
    Warning = 6,
    Error = 7,
    Input = 8,
}

impl Style {
    /// The mark that begins text in this style.
    pub fn mark(self) -> char {
        char::from_u32(FIRST + self as u32).unwrap_or(REPLACEMENT)
    }
}

fn code(letter: char) -> Option<&'static str> {
    CODES.get((letter as u32).checked_sub(FIRST)? as usize).copied()
}

/// The text without control characters: each but newline and tab is replaced by its picture.
pub fn clean(text: &str) -> String {
    visible(text).into_owned()
}

/// The text as it goes to a terminal: cleaned, with marks as colours or left out.
pub(crate) fn screen(text: &str, colour: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match code(letter) {
            Some(code) if colour => {
                out.push_str("\x1b[");
                out.push_str(code);
                out.push('m');
            }
            Some(_) => {}
            None => out.push(shown(letter)),
        }
    }
    out
}

/// Number of characters that are seen: marks take no room.
pub(crate) fn seen(text: &str) -> usize {
    text.chars().filter(|&letter| code(letter).is_none()).count()
}

/// The text on one line; other white space and control characters become single blanks.
pub(crate) fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// At most so many characters.
pub(crate) fn clipped(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some(_) => text
            .chars()
            .take(longest.saturating_sub(1))
            .chain(['…'])
            .collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\x1b[31mb\x07\r\u{9b}2J\u{202e}c\n\td\u{7f}";

    #[test]
    fn no_control_character_gets_through_but_newline_and_tab() {
        for text in [clean(HOSTILE), screen(HOSTILE, false), screen(HOSTILE, true)] {
            let control: Vec<char> = text.chars().filter(|letter| letter.is_control()).collect();
            assert_eq!(control, ['\n', '\t'], "{text:?}");
        }
    }

    #[test]
    fn marks_become_colours_or_nothing() {
        let marked = format!("{}x{}", Style::Bad.mark(), Style::Plain.mark());
        assert_eq!(screen(&marked, true), "\x1b[1;31mx\x1b[0m");
        assert_eq!(screen(&marked, false), "x");
        assert_eq!(seen(&marked), 1);
    }
}
