//! Tokens of the HOA format, with their places.

use entail_source::{Diagnostic, Span};

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// `--BODY--`, `--END--`, `--ABORT--`
    Body,
    End,
    Abort,
    /// A name followed by a colon.
    Header(String),
    Identifier(String),
    /// `@name`
    Alias(String),
    Text(String),
    Number(u64),
    /// One of `! & | ( ) [ ] { }`
    Symbol(char),
    EndOfText,
}

pub(crate) fn error(message: impl Into<String>, span: Span, label: impl Into<String>) -> Diagnostic {
    Diagnostic::error("hoa::syntax", message, span, label)
}

/// Splits a text into tokens, one at a time.
pub(crate) struct Lexer<'t> {
    pub(crate) text: &'t str,
    pub(crate) at: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self) -> Result<(), Diagnostic> {
        loop {
            self.at = self.text.len() - self.rest().trim_start().len();
            if !self.rest().starts_with("/*") {
                return Ok(());
            }
            let start = self.at;
            let mut depth = 0usize;
            loop {
                if self.rest().starts_with("/*") {
                    depth += 1;
                    self.at += 2;
                } else if self.rest().starts_with("*/") {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                } else if let Some(c) = self.rest().chars().next() {
                    self.at += c.len_utf8();
                } else {
                    return Err(error(
                        "this comment is not closed",
                        Span::new(start, start + 2),
                        "opened here",
                    ));
                }
            }
        }
    }

    pub(crate) fn next(&mut self) -> Result<(Token, Span), Diagnostic> {
        self.skip()?;
        let start = self.at;
        let token = self.token()?;
        Ok((token, Span::new(start, self.at)))
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        for (text, token) in [
            ("--BODY--", Token::Body),
            ("--END--", Token::End),
            ("--ABORT--", Token::Abort),
        ] {
            if rest.starts_with(text) {
                self.at += text.len();
                return Ok(token);
            }
        }
        let Some(first) = rest.chars().next() else {
            return Ok(Token::EndOfText);
        };
        let word = |from: usize| {
            let tail = &rest[from..];
            let length = tail
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'))
                .unwrap_or(tail.len());
            tail[..length].to_string()
        };
        match first {
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.at += 1;
                Ok(Token::Symbol(first))
            }
            '"' => self.text_token(),
            '@' => {
                let name = word(1);
                self.at += 1 + name.len();
                if name.is_empty() {
                    return Err(error(
                        "`@` without a name",
                        Span::new(self.at - 1, self.at),
                        "expected an alias",
                    ));
                }
                Ok(Token::Alias(name))
            }
            '0'..='9' => {
                let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let span = Span::new(self.at, self.at + length);
                let number = rest[..length]
                    .parse()
                    .map_err(|_| error("this number is too large", span, "at most 18446744073709551615"))?;
                self.at += length;
                Ok(Token::Number(number))
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let name = word(0);
                self.at += name.len();
                if self.rest().starts_with(':') {
                    self.at += 1;
                    return Ok(Token::Header(name));
                }
                Ok(Token::Identifier(name))
            }
            c => {
                let span = Span::new(self.at, self.at + c.len_utf8());
                Err(error(
                    format!("unexpected character `{c}`"),
                    span,
                    "no HOA token starts like this",
                ))
            }
        }
    }

    fn text_token(&mut self) -> Result<Token, Diagnostic> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, c)) = characters.next() {
            match c {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return Ok(Token::Text(text));
                }
                '\\' => {
                    if let Some((_, escaped)) = characters.next() {
                        text.push(escaped);
                    }
                }
                other => text.push(other),
            }
        }
        Err(error(
            "this string is not closed",
            Span::new(start, start + 1),
            "opened here",
        ))
    }

    /// Moves behind the next `--END--` or `--ABORT--`, so that the next automaton can be read.
    pub(crate) fn recover(&mut self) {
        let rest = self.rest();
        let end = ["--END--", "--ABORT--"]
            .iter()
            .filter_map(|mark| rest.find(mark).map(|at| at + mark.len()))
            .min();
        self.at = end.map_or(self.text.len(), |offset| self.at + offset);
    }
}
