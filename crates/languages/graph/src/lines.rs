//! The lines of a file that need not fit into memory, and how what is wrong with one of them is said.

use crate::Unreadable;
use entail_source::{Diagnostic, Source, Span, decode_in_place, without_byte_order_mark};
use std::io::{self, Read};
use std::ops::Range;

/// The lines of a file, a piece of it at a time.
pub(crate) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    /// What has not been handed out.
    start: usize,
    end: usize,
    ended: bool,
    /// How many lines have been handed out.
    count: usize,
    /// The first line that is not blank and its number, to be shown with an error.
    header: (usize, Vec<u8>),
}

const PIECE: usize = 1 << 20;

/// A line with more bytes is taken for one that never ends.
const LONGEST: usize = 1 << 28;

impl<R: Read> Lines<R> {
    pub fn new(input: R) -> Lines<R> {
        Lines {
            input,
            buffer: vec![0; PIECE],
            start: 0,
            end: 0,
            ended: false,
            count: 0,
            header: (0, Vec::new()),
        }
    }

    /// Where the next line is in the buffer, without its end.
    pub fn next(&mut self) -> io::Result<Option<Range<usize>>> {
        let mut searched = self.start;
        loop {
            if let Some(newline) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + newline;
                self.start = line.end + 1;
                return Ok(Some(self.passed(line)));
            }
            if self.ended {
                let line = self.start..self.end;
                self.start = self.end;
                return Ok((!line.is_empty()).then(|| self.passed(line)));
            }
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
            searched = self.end;
            if self.end == self.buffer.len() {
                if self.end >= LONGEST {
                    let message = format!("line {} has no end", self.count + 1);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                self.buffer.resize(2 * self.end, 0);
            }
            let read = self.input.read(&mut self.buffer[self.end..])?;
            self.end += read;
            self.ended = read == 0;
        }
    }

    fn passed(&mut self, mut line: Range<usize>) -> Range<usize> {
        self.count += 1;
        if self.count == 1 {
            let text = &self.buffer[line.clone()];
            line.start += text.len() - without_byte_order_mark(text).len();
        }
        let text = &self.buffer[line.clone()];
        if self.header.0 == 0 && !text.iter().all(u8::is_ascii_whitespace) {
            self.header = (self.count, text.to_vec());
        }
        line
    }

    pub fn text(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// The text in which an error is shown: the header and the line with the error, at their places. Without a line, the error is in the header.
    pub fn unreadable(
        &self,
        name: &str,
        line: Option<Range<usize>>,
        mut diagnostic: Diagnostic,
    ) -> Unreadable {
        let (header_line, header) = &self.header;
        let mut text = "\n".repeat(header_line.saturating_sub(1));
        let mut start = text.len();
        text += &decode_in_place(header);
        if let Some(line) = line
            && self.count != *header_line
        {
            text += &"\n".repeat(self.count - (*header_line).max(1));
            start = text.len();
            text += &decode_in_place(&self.buffer[line]);
        }
        for label in &mut diagnostic.labels {
            label.span = Span::new(label.span.start + start, label.span.end + start);
        }
        Unreadable {
            diagnostics: diagnostic.within(&text).into(),
            source: Source::new(name, text),
        }
    }
}
