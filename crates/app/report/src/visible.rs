//! Control characters made visible.
//!
//! Names, values and what a program prints come from files. A terminal takes control characters in them for commands: to change what was
//! printed before, or the window's title, or worse. So whatever is shown goes through here: a control character becomes its picture (`␛`), and
//! nothing but line ends, tabs and the colours of our own reports are left.

use crate::text::paint::COLOURS;
use std::borrow::Cow;

/// The text without control characters but line ends and tabs.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_command) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(shown).collect())
}

/// The same for a report in colour: the colours that our reports use are left.
pub fn visible_in_colour(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let colour = COLOURS
            .iter()
            .map(|code| format!("\x1b[{code}m"))
            .find(|code| rest.starts_with(code.as_str()));
        match colour {
            Some(code) => {
                out.push_str(&code);
                rest = &rest[code.len()..];
            }
            None => {
                out.push(shown(letter));
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    Cow::Owned(out)
}

/// A JSON document whose strings have no raw control characters: those that JSON allows in strings are written as escapes.
pub fn visible_json(document: &str) -> Cow<'_, str> {
    if !document.chars().any(is_command) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len() + 16);
    for letter in document.chars() {
        match is_command(letter) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            false => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal may take it for a command.
fn is_command(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}

/// A character that stands for this one.
pub(crate) fn shown(letter: char) -> char {
    match letter {
        letter if !is_command(letter) => letter,
        '\u{7f}' => '␡',
        // Unicode has a picture of each of the first 32.
        '\0'..'\u{20}' => char::from_u32(0x2400 + u32::from(letter)).unwrap_or('�'),
        _ => '�',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_terminals_become_pictures() {
        assert_eq!(visible("a\x1b]0;x\x07\r\u{9b}\tb\n"), "a␛]0;x␇␍�\tb\n");
        assert!(matches!(visible("plain\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn colours_of_reports_are_kept_and_no_others() {
        assert_eq!(visible_in_colour("\x1b[1;31mno\x1b[0m"), "\x1b[1;31mno\x1b[0m");
        assert_eq!(visible_in_colour("\x1b[8mhidden\x1b[2J"), "␛[8mhidden␛[2J");
    }

    #[test]
    fn json_keeps_its_meaning() {
        let document = serde_json::json!({"name": "\u{9b}2J\u{7f}"}).to_string();
        let shown = visible_json(&document);
        assert!(!shown.chars().any(char::is_control));
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&shown).ok(),
            serde_json::from_str(&document).ok()
        );
    }
}
