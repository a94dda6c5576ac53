//! Tokens. Keywords are names here: which names are keywords depends on where they stand (`F` in a property is an operator).

use entail_source::{Diagnostic, Span};
use logos::Logos;

/// A token.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip r"[ \t\r\n\f]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[logos(skip r"/\*([^*]|\*[^/])*\*/")]
pub(crate) enum Token {
    #[regex(r"[A-Za-z_][A-Za-z0-9_]*")]
    Name,
    #[regex(r#""[^"\n]*""#)]
    Text,
    #[regex(r"[0-9]+", priority = 4)]
    Int,
    #[regex(r"[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+")]
    Real,
    #[token("->")]
    Arrow,
    #[token("<-")]
    BackArrow,
    #[token("<=>")]
    Iff,
    #[token("=>")]
    Implies,
    #[token("<=")]
    Le,
    #[token(">=")]
    Ge,
    #[token("!=")]
    Ne,
    #[token("<>")]
    Diamond,
    #[token("<")]
    Lt,
    #[token(">")]
    Gt,
    #[token("=")]
    Eq,
    #[token("!")]
    Not,
    #[token("&")]
    And,
    #[token("|||")]
    TripleBar,
    #[token("||")]
    DoubleBar,
    #[token("|[")]
    BarBracket,
    #[token("|")]
    Or,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Times,
    #[token("/")]
    Divide,
    #[token("^")]
    Power,
    #[token("?")]
    Question,
    #[token(":")]
    Colon,
    #[token(";")]
    Semicolon,
    #[token(",")]
    Comma,
    #[token("..")]
    Dots,
    #[token(".")]
    Dot,
    #[token("'")]
    Prime,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("#")]
    Hash,
    /// The end of the text.
    End,
}

/// The tokens of a text with their places, an end mark last.
pub(crate) fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Diagnostic> {
    let mut found = Vec::new();
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let span = Span::from(lexer.span());
        match token {
            Ok(token) => found.push((token, span)),
            Err(()) => {
                let what = &text[lexer.span()];
                let message = match what.chars().next() {
                    Some('"') => "a quoted name does not end on its line".to_owned(),
                    Some('/') => "a comment does not end".to_owned(),
                    _ => format!("`{what}` is no part of the language"),
                };
                return Err(Diagnostic::error("prism::character", message, span, "here"));
            }
        }
    }
    found.push((Token::End, Span::new(text.len(), text.len())));
    Ok(found)
}
