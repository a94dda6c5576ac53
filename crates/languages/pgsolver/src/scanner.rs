//! Tokens of a text that may have gigabytes: numbers, punctuation, quoted names, read byte by byte.

use entail_source::{Diagnostic, Span};

/// A place in a text.
pub struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Scanner<'a> {
        Scanner { bytes, at: 0 }
    }

    /// The next byte that is no white space.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        loop {
            match *self.bytes.get(self.at)? {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                byte => return Some(byte),
            }
        }
    }

    /// Takes the next byte if it is this one.
    pub fn take(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        self.at += usize::from(here);
        here
    }

    /// Takes the next word if it is this one.
    pub fn take_word(&mut self, word: &str) -> bool {
        self.peek();
        let here = self.bytes[self.at..].starts_with(word.as_bytes())
            && !(self.bytes.get(self.at + word.len())).is_some_and(u8::is_ascii_alphanumeric);
        if here {
            self.at += word.len();
        }
        here
    }

    /// The next number, if there is one; numbers too large for 64 bits are `u64::MAX`.
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let mut digit = self.peek()?.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        let mut number: u64 = 0;
        while digit <= 9 {
            number = number.saturating_mul(10).saturating_add(u64::from(digit));
            self.at += 1;
            digit = match self.bytes.get(self.at) {
                Some(byte) => byte.wrapping_sub(b'0'),
                None => break,
            };
        }
        Some(number)
    }

    /// The place of the token that comes next.
    pub fn next_span(&mut self) -> Span {
        let Some(first) = self.peek() else {
            return Span::new(self.bytes.len(), self.bytes.len());
        };
        let alike =
            |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 128 || *byte == b'_' || *byte == b'-';
        let length = match alike(&first) {
            true => self.bytes[self.at..]
                .iter()
                .take_while(|byte| alike(byte))
                .count(),
            false => 1,
        };
        Span::new(self.at, self.at + length.min(200))
    }

    /// The token that comes next, as text.
    pub fn next_text(&mut self) -> String {
        let span = self.next_span();
        match span.is_empty() {
            true => "the end of the file".to_owned(),
            false => format!("`{}`", String::from_utf8_lossy(&self.bytes[span.start..span.end])),
        }
    }

    /// Something else was expected here.
    pub fn expected(&mut self, code: &'static str, what: &str, help: &str) -> Diagnostic {
        let message = format!("expected {what}, found {}", self.next_text());
        Diagnostic::error(code, message, self.next_span(), "here").with_help(help)
    }
}
