//! The tokens of PSL; words and signs of the Boolean layer are tokens as they come.

use super::Flavour;
use entail_source::Span;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) text: &'t str,
    pub(crate) span: Span,
}

/// Signs, the longest first.
const SIGNS: [&str; 39] = [
    "<>->", "<>=>", "[]->", "[]=>", "[:*]", "[:+]", "[:*", "[->", "|->", "|=>", "<->", "[*]", "[+]", "->",
    "[*", "[=", "&&", "||", "..", "<=", ">=", "!=", "==", ":=", "<<", ">>", "::", "(", ")", "{", "}", "[",
    "]", ";", ":", "|", "&", "!", ",",
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
pub(crate) fn tokens(text: &str, flavour: Flavour) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let is_verilog = flavour == Flavour::Verilog;
        if rest.starts_with(if is_verilog { "//" } else { "--" }) {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if is_verilog && let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/").map_or(rest.len(), |end| end + 4);
            continue;
        }
        let length = match first {
            _ if is_verilog && (first.is_ascii_alphanumeric() || "_$`\\'".contains(first)) => {
                verilog_word(rest)
            }
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
    with_tail(rest, end)
}

/// The length of the name or number of Verilog at the beginning of a text.
fn verilog_word(rest: &str) -> usize {
    let part = |text: &str| {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '?')));
        end.unwrap_or(text.len())
    };
    if rest.starts_with('\\') {
        return rest.find(char::is_whitespace).unwrap_or(rest.len());
    }
    let end = match rest.starts_with(['`', '\'']) {
        true => 1 + part(&rest[1..]),
        false => {
            let name = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '$')));
            name.unwrap_or(rest.len())
        }
    };
    // `8'hF0`, `8'h F0`
    if rest.starts_with(|c: char| c.is_ascii_digit() || c == '\'') {
        let based = match rest.starts_with('\'') {
            true => rest,
            false => &rest[end..],
        };
        if let Some(base) = based.strip_prefix('\'') {
            let begin = rest.len() - base.len();
            let digits = begin + part(base);
            let is_only_base = matches!(
                &rest[begin..digits],
                "h" | "d" | "b" | "o" | "sh" | "sd" | "sb" | "so"
            );
            let after = rest[digits..].trim_start_matches([' ', '\t']);
            return match is_only_base {
                true => rest.len() - after.len() + part(after),
                false => digits.max(1),
            };
        }
        return end.max(1);
    }
    with_tail(rest, end)
}

/// The length of a word with the `!` and `_` behind it that belong to it.
fn with_tail(rest: &str, end: usize) -> usize {
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
