//! Tokens of Verilog's expressions.

use entail_source::{Diagnostic, Span};

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// Signs, the longest first.
const SIGNS: [&str; 45] = [
    "<<<", ">>>", "===", "!==", "==?", "!=?", "<->", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "**",
    "~&", "~|", "~^", "^~", "->", "+:", "-:", "(", ")", "[", "]", "{", "}", "?", ":", ",", "+", "-", "*",
    "/", "%", "<", ">", "!", "~", "&", "|", "^", ".",
];

/// The tokens of an expression.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (kind, length) = if first == '\\' {
            (Kind::Name, rest.find(char::is_whitespace).unwrap_or(rest.len()))
        } else if first.is_ascii_alphabetic() || matches!(first, '_' | '$') {
            (Kind::Name, word(rest))
        } else if first.is_ascii_digit() || first == '\'' {
            (Kind::Number, number(rest))
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            (Kind::Sign, sign.len())
        } else {
            let place = Span::new(at, at + first.len_utf8());
            let message = format!("`{first}` is not read in an expression");
            return Err(Diagnostic::error("wave::expression", message, place, "here"));
        };
        found.push(Token {
            kind,
            text: &rest[..length],
            span: Span::new(at, at + length),
        });
        at += length;
    }
    Ok(found)
}

fn word(text: &str) -> usize {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$')));
    end.unwrap_or(text.len())
}

/// The length of a number: `12`, `8'hF0`, `4 'b 10x0`, `'1`.
fn number(text: &str) -> usize {
    let digits = text
        .find(|c: char| !(c.is_ascii_digit() || c == '_'))
        .unwrap_or(text.len());
    let after = text[digits..].trim_start();
    let Some(based) = after.strip_prefix('\'') else {
        return digits;
    };
    let letters = based
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(based.len());
    let is_base = |base: &str| {
        let base = base.to_ascii_lowercase();
        matches!(base.as_str(), "b" | "o" | "d" | "h" | "sb" | "so" | "sd" | "sh")
    };
    // (In `8'hFF` the digits go on with letters.)
    let base = (1..=letters.min(2))
        .rev()
        .find(|&length| is_base(&based[..length]));
    let rest = match base {
        None => &based[based.chars().next().map_or(0, char::len_utf8)..],
        Some(length) => {
            let value = based[length..].trim_start();
            let end = value.find(|c: char| !(c.is_ascii_hexdigit() || "xXzZ?_".contains(c)));
            &value[end.unwrap_or(value.len())..]
        }
    };
    text.len() - rest.len()
}
