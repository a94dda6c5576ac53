//! The tokens of PSL; words and signs of the Boolean layer are tokens as they come.

use entail_source::Span;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// Signs, the longest first.
const SIGNS: [&str; 32] = [
    "[->", "|->", "|=>", "<->", "[*]", "[+]", "->", "[*", "[=", "&&", "||", "..", "<=", ">=", "!=", "==",
    ":=", "<<", ">>", "::", "(", ")", "{", "}", "[", "]", ";", ":", "|", "&", "!", ",",
];

/// Words that are operators of properties or sequences; with `!` and `_` behind them where these belong to them.
const WORDS: [&str; 46] = [
    "always",
    "never",
    "eventually!",
    "next",
    "next!",
    "next_a",
    "next_a!",
    "next_e",
    "next_e!",
    "next_event",
    "next_event!",
    "next_event_a",
    "next_event_a!",
    "next_event_e",
    "next_event_e!",
    "until",
    "until!",
    "until_",
    "until!_",
    "before",
    "before!",
    "before_",
    "before!_",
    "abort",
    "async_abort",
    "sync_abort",
    "within",
    "forall",
    "G",
    "F",
    "X",
    "X!",
    "U",
    "W",
    "V",
    "R",
    "whilenot",
    "whilenot!",
    "whilenot_",
    "whilenot!_",
    "S",
    "O",
    "H",
    "Y",
    "Z",
    "T",
];

/// Whether a word is an operator of properties.
pub(crate) fn is_temporal(text: &str) -> bool {
    WORDS.contains(&text)
}

/// Whether no expression goes on past a token.
pub(crate) fn ends_boolean(text: &str) -> bool {
    is_temporal(text)
        || matches!(
            text,
            "|->"
                | "|=>"
                | "->"
                | "<->"
                | ";"
                | ":"
                | ")"
                | "}"
                | "]"
                | ","
                | "[*"
                | "[*]"
                | "[+]"
                | "[="
                | "[->"
                | "@"
        )
}

/// The tokens of a text; comments are left out.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("--") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let length = match first {
            _ if first.is_alphabetic() || first == '_' => word(rest),
            _ if first.is_ascii_digit() => {
                // A number ends before the dots of a range.
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_'));
                end.unwrap_or(rest.len())
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => sign.len(),
                None => first.len_utf8(),
            },
        };
        found.push(Token {
            text: &rest[..length],
            span: Span::new(at, at + length),
        });
        at += length;
    }
    found
}

/// The length of the word at the beginning of a text.
fn word(rest: &str) -> usize {
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '#' | '-' | '\\' | '.')));
    let mut end = end.unwrap_or(rest.len());
    // Names have dots and hyphens inside; an arrow, a range or a full stop behind them is none of theirs.
    if let Some(arrow) = rest[..end].find("->").or_else(|| rest[..end].find("..")) {
        end = arrow;
    }
    if rest[end..].starts_with('>') && rest[..end].ends_with('-') {
        end -= 1;
    }
    if is_temporal(&rest[..end]) || rest[..end] == *"eventually" {
        for tail in ["!_", "!"] {
            if rest[end..].starts_with(tail) && !rest[end..].starts_with("!=") {
                let whole = end + tail.len();
                if is_temporal(&rest[..whole]) {
                    return whole;
                }
            }
        }
    }
    end.max(1)
}
