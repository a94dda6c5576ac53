//! The lines of a model: declarations with their fields and attributes.
//!
//! A declaration is a line `keyword:field:…:field{key:value:…}`; only the attributes, between braces, may go over several lines. A value is any text without `:`, `{`, `}` and `#`. A comment
//! begins with `#` and ends with the line.

use entail_source::{Diagnostic, Diagnostics, Span};

/// A word of a declaration, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attribute<'t> {
    pub key: Word<'t>,
    pub value: Word<'t>,
}

/// A declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declaration<'t> {
    pub keyword: Word<'t>,
    /// What stands between the colons.
    pub fields: Vec<Word<'t>>,
    pub attributes: Vec<Attribute<'t>>,
    pub span: Span,
}

/// The word without blanks around it.
pub(crate) fn trimmed(text: &str, span: Span) -> Word<'_> {
    let inner = text.get(span.start..span.end).unwrap_or("");
    let start = span.start + (inner.len() - inner.trim_start().len());
    let inner = inner.trim();
    Word {
        text: inner,
        span: Span::new(start, start + inner.len()),
    }
}

/// Reads all declarations of a text.
pub(crate) fn read(text: &str) -> Result<Vec<Declaration<'_>>, Diagnostics> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at = end_of_line(bytes, at),
            _ => match declaration(text, &mut at) {
                Ok(declaration) => found.push(declaration),
                Err(problem) => {
                    problems.push(problem);
                    at = end_of_line(bytes, at);
                }
            },
        }
        if problems.len() > 20 {
            break;
        }
    }
    match problems.is_empty() {
        true => Ok(found),
        false => Err(Diagnostics(problems)),
    }
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length)
}

fn declaration<'t>(text: &'t str, at: &mut usize) -> Result<Declaration<'t>, Diagnostic> {
    let bytes = text.as_bytes();
    let start = *at;
    let mut words = Vec::new();
    let mut begun = *at;
    let mut attributes = Vec::new();
    loop {
        match bytes.get(*at) {
            Some(b':') => {
                words.push(trimmed(text, Span::new(begun, *at)));
                *at += 1;
                begun = *at;
            }
            Some(b'{') => {
                words.push(trimmed(text, Span::new(begun, *at)));
                *at += 1;
                attributes = read_attributes(text, at)?;
                let rest = trimmed(text, Span::new(*at, end_of_line(bytes, *at)));
                if !rest.text.is_empty() && !rest.text.starts_with('#') {
                    let problem =
                        Diagnostic::error("tchecker::syntax", "the declaration has ended", rest.span, "here");
                    return Err(problem.with_help("a declaration ends with its line"));
                }
                *at = end_of_line(bytes, *at);
                break;
            }
            None | Some(b'\n' | b'#') => {
                words.push(trimmed(text, Span::new(begun, *at)));
                *at = end_of_line(bytes, *at);
                break;
            }
            Some(b'}') => {
                let span = Span::new(*at, *at + 1);
                return Err(Diagnostic::error(
                    "tchecker::syntax",
                    "there is no `{` before this",
                    span,
                    "here",
                ));
            }
            Some(_) => *at += 1,
        }
    }
    let keyword = words.remove(0);
    Ok(Declaration {
        keyword,
        fields: words,
        attributes,
        span: Span::new(start, (*at).min(text.len())),
    })
}

/// Reads attributes up to the closing brace.
fn read_attributes<'t>(text: &'t str, at: &mut usize) -> Result<Vec<Attribute<'t>>, Diagnostic> {
    let bytes = text.as_bytes();
    let open = Span::new(*at - 1, *at);
    let mut parts = Vec::new();
    let mut begun = *at;
    loop {
        match bytes.get(*at) {
            Some(&separator @ (b':' | b'}')) => {
                parts.push(trimmed(text, Span::new(begun, *at)));
                *at += 1;
                begun = *at;
                if separator == b'}' {
                    break;
                }
            }
            Some(b'{' | b'#') => {
                let span = Span::new(*at, *at + 1);
                let problem = Diagnostic::error(
                    "tchecker::syntax",
                    "this cannot stand inside attributes",
                    span,
                    "here",
                );
                return Err(problem.with_label(open, "the attributes begin here"));
            }
            Some(_) => *at += 1,
            None => {
                let message = "the attributes do not end";
                let problem = Diagnostic::error("tchecker::syntax", message, open, "they begin here");
                return Err(problem.with_help("close them with `}`"));
            }
        }
    }
    if parts.len() == 1 && parts[0].text.is_empty() {
        return Ok(Vec::new());
    }
    let mut attributes = Vec::new();
    for pair in parts.chunks(2) {
        let [key, value] = pair else {
            let message = "an attribute needs a `:` after its name";
            let problem = Diagnostic::error("tchecker::syntax", message, pair[0].span, "this attribute");
            return Err(problem.with_help("write `key: value`, and `initial:` where there is no value"));
        };
        if !is_identifier(key.text) {
            let message = format!("`{}` is no name of an attribute", key.text);
            return Err(Diagnostic::error("tchecker::syntax", message, key.span, "here"));
        }
        attributes.push(Attribute {
            key: *key,
            value: *value,
        });
    }
    Ok(attributes)
}

/// Whether a text is an identifier: letters, digits, underscores and dots, not beginning with a digit or a dot.
pub(crate) fn is_identifier(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.')
}
