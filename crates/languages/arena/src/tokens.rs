//! Words, numbers and punctuation, with their places.

use entail_source::{Diagnostic, Span};

/// A token: what it says is the text at its place.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub span: Span,
    /// A word or a number; otherwise punctuation.
    pub is_word: bool,
}

/// The tokens of a text, one after the other.
pub struct Tokens<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
}

fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.' || letter == '\''
}

impl<'t> Tokens<'t> {
    pub fn new(text: &'t str) -> Tokens<'t> {
        Tokens::between(text, 0, text.len())
    }

    /// The tokens of a part of a text, with their places in the whole.
    pub fn between(whole: &'t str, begin: usize, end: usize) -> Tokens<'t> {
        let text = &whole[..end];
        let mut tokens = Vec::new();
        let mut letters = text[begin..]
            .char_indices()
            .map(|(at, letter)| (begin + at, letter))
            .peekable();
        while let Some((start, letter)) = letters.next() {
            if letter.is_whitespace() {
                continue;
            }
            let rest = &text[start..];
            if rest.starts_with("//") {
                while letters.next_if(|(_, letter)| *letter != '\n').is_some() {}
                continue;
            }
            let mut end = start + letter.len_utf8();
            let is_word = in_word(letter);
            if is_word {
                // A hyphen belongs to a word if a letter follows it.
                while let Some(&(place, next)) = letters.peek() {
                    let after = text[place + next.len_utf8()..].chars().next();
                    let hyphen = next == '-' && after.is_some_and(char::is_alphabetic);
                    if !in_word(next) && !hyphen {
                        break;
                    }
                    end = place + next.len_utf8();
                    letters.next();
                }
            } else if rest.starts_with(">=") || rest.starts_with("->") {
                end = start + 2;
                letters.next();
            }
            let span = Span::new(start, end);
            tokens.push(Token { span, is_word });
        }
        Tokens { text, tokens, at: 0 }
    }

    pub fn text(&self, span: Span) -> &'t str {
        &self.text[span.start..span.end]
    }

    pub fn is_over(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// What the next token says.
    pub fn peek(&self) -> Option<&'t str> {
        self.tokens.get(self.at).map(|token| self.text(token.span))
    }

    /// The place of the next token, or the end of the text.
    pub fn here(&self) -> Span {
        let end = Span::new(self.text.len(), self.text.len());
        self.tokens.get(self.at).map_or(end, |token| token.span)
    }

    /// Goes on to the token after the next.
    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes the next token if it says this.
    pub fn take(&mut self, what: &str) -> bool {
        let here = self.peek() == Some(what);
        self.at += usize::from(here);
        here
    }

    /// Takes the next token, which must say this.
    pub fn expect(&mut self, what: &str) -> Result<(), Diagnostic> {
        match self.take(what) {
            true => Ok(()),
            false => Err(self.wrong(&format!("`{what}`"))),
        }
    }

    /// Takes the next token, which must be a word.
    pub fn word(&mut self, what: &str) -> Result<(Span, &'t str), Diagnostic> {
        match self.tokens.get(self.at) {
            Some(token) if token.is_word => {
                self.at += 1;
                Ok((token.span, self.text(token.span)))
            }
            _ => Err(self.wrong(what)),
        }
    }

    /// Something else was expected here.
    pub fn wrong(&self, what: &str) -> Diagnostic {
        let found = match self.peek() {
            Some(text) => format!("`{}`", text.chars().take(60).collect::<String>()),
            None => "the end of the file".to_owned(),
        };
        Diagnostic::error(
            "game::syntax",
            format!("expected {what}, found {found}"),
            self.here(),
            "here",
        )
    }
}
