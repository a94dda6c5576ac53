//! Tokens of SystemVerilog, with their places. Comments and compiler directives that take a line are left out; a macro's use is a name.

use entail_source::Span;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A name, keyword, system function or macro.
    Name,
    /// A number.
    Number,
    /// A string.
    Text,
    /// An operator or bracket.
    Sign,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn is(&self, text: &str) -> bool {
        self.text == text && self.kind != Kind::Text
    }
}

/// Operators of more than one sign, longest first.
const SIGNS: [&str; 57] = [
    "<<<=", ">>>=", "[->", "[*]", "[+]", "|->", "|=>", "#-#", "#=#", "===", "!==", "==?", "!=?", "<<<",
    ">>>", "<->", "<<=", ">>=", "&&&", "->>", "[*", "[=", "##", "&&", "||", "==", "!=", "<=", ">=", "<<",
    ">>", "->", "**", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "~&", "~|", "~^", "^~",
    "::", "+:", "-:", ".*", "'{", "(*", "*)", "//", "/*", "=>",
];

/// Directives that take the rest of their line.
const LINE_DIRECTIVES: [&str; 17] = [
    "define",
    "undef",
    "include",
    "timescale",
    "ifdef",
    "ifndef",
    "elsif",
    "else",
    "endif",
    "default_nettype",
    "resetall",
    "celldefine",
    "endcelldefine",
    "line",
    "pragma",
    "begin_keywords",
    "end_keywords",
];

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        let first = match rest.chars().next() {
            Some(first) => first,
            None => break,
        };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            at += comment.find("*/").map_or(rest.len(), |end| end + 4);
            continue;
        }
        if first == '`' {
            let name: usize = word_length(&rest[1..]);
            if LINE_DIRECTIVES.contains(&&rest[1..1 + name]) {
                at += directive_length(&rest[1..1 + name], rest);
                continue;
            }
        }
        let (kind, length) = one(rest, first);
        found.push(Token {
            kind,
            text: rest[..length].to_owned(),
            span: Span::new(at, at + length),
        });
        at += length;
    }
    found
}

fn word_length(rest: &str) -> usize {
    rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$'))
        .unwrap_or(rest.len())
}

/// The length of a directive: `ifdef` and the like have a name, the others the whole line, with the lines that continue it.
fn directive_length(name: &str, rest: &str) -> usize {
    match name {
        "else" | "endif" | "resetall" | "celldefine" | "endcelldefine" => 1 + name.len(),
        "ifdef" | "ifndef" | "elsif" | "undef" => {
            let after = &rest[1 + name.len()..];
            let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
            1 + name.len() + blank + word_length(&after[blank..])
        }
        _ => {
            let mut end = 0;
            loop {
                match rest[end..].find('\n') {
                    None => return rest.len(),
                    Some(line) => {
                        end += line;
                        if !rest[..end].trim_end_matches('\r').ends_with('\\') {
                            return end;
                        }
                        end += 1;
                    }
                }
            }
        }
    }
}

/// The kind and the length of the token that a text begins with.
fn one(rest: &str, first: char) -> (Kind, usize) {
    let second = rest[first.len_utf8()..].chars().next().unwrap_or(' ');
    if first == '\\' {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        return (Kind::Name, end.max(1));
    }
    if first.is_ascii_alphabetic()
        || first == '_'
        || (matches!(first, '$' | '`') && (second.is_ascii_alphabetic() || second == '_'))
    {
        return (Kind::Name, 1 + word_length(&rest[1..]));
    }
    if first == '"' {
        let mut escaped = false;
        for (place, letter) in rest.char_indices().skip(1) {
            match letter {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => return (Kind::Text, place + 1),
                _ => {}
            }
        }
        return (Kind::Text, rest.len());
    }
    if first.is_ascii_digit() || (first == '\'' && second.is_ascii_alphanumeric()) {
        return (Kind::Number, number_length(rest));
    }
    let long = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    // `@(*)` is an open bracket and a star, and `[*` may be the beginning of a longer expression.
    let length = match long {
        Some(&"(*") if rest.starts_with("(*)") => 1,
        Some(&"*)") => 1,
        Some(sign) => sign.len(),
        None => first.len_utf8(),
    };
    (Kind::Sign, length)
}

/// The length of a number: digits, with a base or a fraction.
fn number_length(rest: &str) -> usize {
    let digits = |text: &str| {
        text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '?')))
            .unwrap_or(text.len())
    };
    let mut length = match rest.starts_with('\'') {
        true => 0,
        false => rest
            .find(|c: char| !(c.is_ascii_digit() || c == '_'))
            .unwrap_or(rest.len()),
    };
    let after = &rest[length..];
    let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
    let based = &after[blank..];
    let mut letters = based.chars();
    let is_base = |c: char| matches!(c.to_ascii_lowercase(), 'b' | 'o' | 'd' | 'h');
    if letters.next() == Some('\'') {
        let base = letters.next().unwrap_or(' ');
        let (skip, is_based) = match base.to_ascii_lowercase() {
            's' if letters.next().is_some_and(is_base) => (3, true),
            c if is_base(c) => (2, true),
            _ => (1, false),
        };
        if is_based {
            let after = &based[skip..];
            let gap = after.len() - after.trim_start_matches([' ', '\t']).len();
            return length + blank + skip + gap + digits(&after[gap..]);
        }
        if length == 0 {
            // `'0`, `'1`, `'x`, `'z`
            return 2;
        }
        return length;
    }
    if after.starts_with('.') && after[1..].starts_with(|c: char| c.is_ascii_digit()) {
        length += 1 + digits(&after[1..]);
    } else {
        length += digits(&rest[length..]);
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_repetitions_and_directives_are_told_apart() {
        let texts = |text: &str| -> Vec<String> { tokens(text).into_iter().map(|one| one.text).collect() };
        assert_eq!(
            texts("x==8'h f0[*2:$]"),
            ["x", "==", "8'h f0", "[*", "2", ":", "$", "]"]
        );
        assert_eq!(
            texts("`define A b\\\n c\n`A // c\n@(*) a"),
            ["`A", "@", "(", "*", ")", "a"]
        );
        assert_eq!(
            texts("'0 'bx 4'(a) \"a\\\"b\""),
            ["'0", "'bx", "4", "'", "(", "a", ")", "\"a\\\"b\""]
        );
        assert_eq!(
            texts("a |=> ##[+] b[->1]"),
            ["a", "|=>", "##", "[+]", "b", "[->", "1", "]"]
        );
    }
}
