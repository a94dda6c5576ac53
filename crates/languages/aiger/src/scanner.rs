//! The bytes of a file, read from front to back, and how what is wrong with them is said.
//!
//! A file is one slice; nothing is copied. Lines are counted as they are passed, so that an error knows its line also where the
//! text cannot be shown (after the gates of a binary file).

use crate::circuit::Aiger;
use crate::header::Header;
use crate::{ascii, binary, symbols};
use entail_source::{Diagnostic, Diagnostics, Source, Span, decode_in_place};

/// Why a file cannot be read: what is wrong, and the text in which it can be shown (of a binary file, the part that is text).
#[derive(Debug)]
pub struct Unreadable {
    /// The text.
    pub source: Source,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
}

/// Something wrong at a place of the file.
pub(crate) type Problem = Box<Diagnostic>;

/// Reads a circuit in either format. `name` is what the file is called in messages.
pub fn read(name: &str, bytes: &[u8]) -> Result<Aiger, Unreadable> {
    let mut scanner = Scanner::new(bytes);
    read_circuit(&mut scanner).map_err(|problem| scanner.unreadable(name, *problem))
}

fn read_circuit(scanner: &mut Scanner<'_>) -> Result<Aiger, Problem> {
    let header = Header::read(scanner)?;
    let mut circuit = if header.is_binary {
        binary::read(scanner, &header)?
    } else {
        ascii::read(scanner, &header)?
    };
    symbols::read(scanner, &mut circuit)?;
    Ok(circuit)
}

pub(crate) struct Scanner<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
    /// The range of the binary part, once it is known where it begins.
    pub binary: Option<(usize, usize)>,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Scanner<'a> {
        Scanner {
            bytes,
            at: 0,
            binary: None,
        }
    }

    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// An error about a range of bytes.
    pub fn problem(
        &self,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Problem {
        Box::new(Diagnostic::error(code, message, span, label))
    }

    /// An error about what comes next: up to the next blank, at least one byte.
    pub fn unexpected(&self, expected: &str) -> Problem {
        let rest = &self.bytes[self.at..];
        let length = rest
            .iter()
            .position(|byte| byte.is_ascii_whitespace())
            .unwrap_or(rest.len())
            .clamp(1, 40);
        let span = Span::new(self.at, self.at + length);
        match self.peek() {
            None => self.problem(
                "aiger::truncated",
                format!("the file ends where {expected} should be"),
                Span::new(self.at, self.at),
                "the end of the file",
            ),
            Some(b'\n' | b'\r') => self.problem(
                "aiger::syntax",
                format!("the line ends where {expected} should be"),
                Span::new(self.at, self.at + 1),
                format!("expected {expected}"),
            ),
            Some(_) => self.problem(
                "aiger::syntax",
                format!("expected {expected}"),
                span,
                format!("expected {expected}"),
            ),
        }
    }

    /// Skips blanks within a line.
    pub fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Whether the line ends here (blanks aside).
    pub fn line_ends(&mut self) -> bool {
        self.blanks();
        matches!(self.peek(), None | Some(b'\n' | b'\r'))
    }

    /// The end of a line.
    pub fn end_line(&mut self) -> Result<(), Problem> {
        self.blanks();
        if self.peek() == Some(b'\r') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'\n') => self.at += 1,
            None => {}
            Some(_) => return Err(self.unexpected("the end of the line")),
        }
        Ok(())
    }

    /// A number, blanks before it skipped.
    pub fn number(&mut self, what: &str) -> Result<u32, Problem> {
        self.blanks();
        let start = self.at;
        let mut number: u64 = 0;
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            number = number * 10 + u64::from(digit - b'0');
            self.at += 1;
            if number > u64::from(u32::MAX) {
                while let Some(b'0'..=b'9') = self.peek() {
                    self.at += 1;
                }
                return Err(self.problem(
                    "aiger::too-large",
                    "a number that does not fit 32 bits",
                    Span::new(start, self.at),
                    "too large",
                ));
            }
        }
        if self.at == start {
            return Err(self.unexpected(what));
        }
        Ok(number as u32)
    }

    /// The bytes up to the end of the line, which is passed.
    pub fn rest_of_line(&mut self) -> &'a [u8] {
        let start = self.at;
        let rest = &self.bytes[start..];
        let end = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.bytes.len(), |length| start + length);
        self.at = (end + 1).min(self.bytes.len());
        let line = &self.bytes[start..end];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// The range of the line with this number (from 0), for errors found after the line was read.
    pub fn line(&self, number: usize) -> Span {
        let mut start = 0;
        for _ in 0..number {
            match self.bytes[start..].iter().position(|&byte| byte == b'\n') {
                Some(length) => start += length + 1,
                None => break,
            }
        }
        let length = self.bytes[start..]
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(self.bytes.len() - start);
        Span::new(start, start + length)
    }

    /// The text in which an error can be shown. The gates of a binary file are no text: they are left out, an error in them is shown
    /// at the end of the text before, and one after them where it then is.
    fn unreadable(&self, name: &str, mut diagnostic: Diagnostic) -> Unreadable {
        let (from, to) = self.binary.unwrap_or((self.bytes.len(), self.bytes.len()));
        let mut shown = self.bytes[..from].to_vec();
        shown.extend_from_slice(&self.bytes[to..]);
        for label in &mut diagnostic.labels {
            let place = |byte: usize| match byte {
                byte if byte <= from => byte,
                byte if byte < to => from,
                byte => byte - (to - from),
            };
            label.span = Span::new(place(label.span.start), place(label.span.end));
        }
        let text = decode_in_place(&shown);
        Unreadable {
            diagnostics: Diagnostics::from(diagnostic.within(&text)),
            source: Source::new(name, text),
        }
    }
}
