//! Macros: how they are declared, and their bodies with arguments put in (IEEE 1800-2017, 22.5.1).

use super::lexeme::{Kind, Lexeme, lexemes};
use super::{Preprocessor, wrong};
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// A macro.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Its arguments with what they are if they are not given; nothing if it has no brackets.
    pub(super) formals: Option<Vec<(String, Option<Vec<Lexeme>>)>>,
    pub(super) body: Vec<Lexeme>,
}

/// Pieces without the white space around them.
pub(super) fn trimmed(pieces: &[Lexeme]) -> &[Lexeme] {
    let begin = pieces.iter().position(|one| !one.is_blank());
    let end = pieces.iter().rposition(|one| !one.is_blank());
    match (begin, end) {
        (Some(begin), Some(end)) => &pieces[begin..=end],
        _ => &[],
    }
}

impl Preprocessor<'_> {
    pub(super) fn is(&self, piece: Option<&Lexeme>, text: &str) -> bool {
        piece.is_some_and(|one| one.kind != Kind::Text && one.text(&self.all) == text)
    }

    /// The parts in brackets that begin at a position, between commas, and the position behind.
    pub(super) fn in_brackets(
        &self,
        pieces: &[Lexeme],
        open: usize,
    ) -> Result<(Vec<Vec<Lexeme>>, usize), Diagnostic> {
        let mut parts = vec![Vec::new()];
        let mut depth = 0;
        for (place, piece) in pieces.iter().enumerate().skip(open) {
            let sign = match piece.kind {
                Kind::Other => piece.text(&self.all),
                _ => "",
            };
            match sign {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                "," if depth == 1 => {
                    parts.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                return Ok((parts, place + 1));
            }
            if place > open
                && let Some(part) = parts.last_mut()
            {
                part.push(*piece);
            }
        }
        let span = pieces.get(open).map_or(Span::new(0, 0), |one| one.origin);
        Err(wrong("this bracket is not closed", span))
    }

    /// The macro that the pieces behind `` `define `` are, with its name.
    pub(super) fn declared(&self, pieces: &[Lexeme], span: Span) -> Result<(String, Macro), Diagnostic> {
        let begin = pieces.iter().position(|one| !one.is_blank());
        let name = begin.map(|begin| pieces[begin]);
        let Some(name) = name.filter(|one| one.kind == Kind::Word) else {
            return Err(wrong("the name of a macro is expected", span));
        };
        let mut rest = &pieces[begin.unwrap_or(0) + 1..];
        let mut formals = None;
        // (With white space between, the bracket belongs to the body.)
        if self.is(rest.first(), "(") {
            let (parts, next) = self.in_brackets(rest, 0)?;
            rest = &rest[next..];
            let mut found = Vec::new();
            for part in &parts {
                let part = trimmed(part);
                let Some((formal, after)) = part.split_first() else {
                    if parts.len() == 1 {
                        break;
                    }
                    return Err(wrong("the name of an argument is expected", name.origin));
                };
                let after = trimmed(after);
                let default = match after.split_first() {
                    None => None,
                    Some((sign, value)) if self.is(Some(sign), "=") => Some(trimmed(value).to_vec()),
                    Some((other, _)) => {
                        return Err(wrong("`,`, `=` or `)` is expected", other.origin));
                    }
                };
                if formal.kind != Kind::Word {
                    return Err(wrong("the name of an argument is expected", formal.origin));
                }
                found.push((formal.text(&self.all).to_owned(), default));
            }
            formals = Some(found);
        }
        let body = trimmed(rest).iter().filter(|one| one.kind != Kind::Comment);
        let body = body.copied().collect();
        Ok((name.text(&self.all).to_owned(), Macro { formals, body }))
    }

    /// The arguments of a use, each with its name.
    pub(super) fn arguments(
        &self,
        name: &str,
        formals: &[(String, Option<Vec<Lexeme>>)],
        given: Vec<Vec<Lexeme>>,
        span: Span,
    ) -> Result<HashMap<String, Vec<Lexeme>>, Diagnostic> {
        let is_empty = given.len() == 1 && trimmed(&given[0]).is_empty();
        let count = if is_empty { 0 } else { given.len() };
        if count > formals.len() {
            let message = format!(
                "the macro `{name}` has {} argument{}, and {count} are given",
                formals.len(),
                if formals.len() == 1 { "" } else { "s" }
            );
            return Err(wrong(&message, span));
        }
        let mut values = HashMap::new();
        for (place, (formal, default)) in formals.iter().enumerate() {
            let value = given.get(place).map(|part| trimmed(part).to_vec());
            let value = match (value, default) {
                (Some(value), _) if !value.is_empty() => value,
                // (What is not given comes from the use all the same.)
                (_, Some(default)) => {
                    let here = |piece: &Lexeme| Lexeme {
                        origin: span,
                        ..*piece
                    };
                    default.iter().map(here).collect()
                }
                // (One argument may be nothing.)
                (Some(value), None) => value,
                (None, None) => {
                    let message = format!("the macro `{name}` needs the argument `{formal}`");
                    return Err(wrong(&message, span));
                }
            };
            values.insert(formal.clone(), value);
        }
        Ok(values)
    }

    /// A body with arguments put in, strings made and words pasted; it is shown where the macro is used.
    pub(super) fn instance(
        &mut self,
        body: &[Lexeme],
        values: &HashMap<String, Vec<Lexeme>>,
        used: Span,
    ) -> Vec<Lexeme> {
        let mut found: Vec<Lexeme> = Vec::with_capacity(body.len());
        let mut quoted: Option<String> = None;
        let mut pastes = false;
        for piece in body {
            let here = Lexeme {
                origin: used,
                ..*piece
            };
            let argument = match piece.kind {
                Kind::Word => values.get(piece.text(&self.all)),
                _ => None,
            };
            match (piece.kind, &mut quoted) {
                (Kind::Quote, None) => quoted = Some("\"".to_owned()),
                (Kind::Quote, Some(_)) => {
                    let text = quoted.take().unwrap_or_default() + "\"";
                    let text = self.write(&text, Kind::Text, used);
                    found.push(text);
                }
                (Kind::InnerQuote, Some(text)) => text.push_str("\\\""),
                (Kind::Paste, Some(_)) => {}
                (_, Some(text)) => match argument {
                    Some(value) => {
                        let inner: String = value.iter().map(|one| one.text(&self.all)).collect();
                        text.push_str(&inner.replace('"', "\\\""));
                    }
                    None if piece.kind == Kind::Continued => text.push(' '),
                    None => text.push_str(piece.text(&self.all)),
                },
                (Kind::Paste, None) => pastes = true,
                _ if pastes && piece.is_blank() => {}
                _ => {
                    let mut pieces = argument
                        .map_or(std::slice::from_ref(&here), Vec::as_slice)
                        .to_vec();
                    if std::mem::take(&mut pastes) && !pieces.is_empty() {
                        while found.last().is_some_and(Lexeme::is_blank) {
                            found.pop();
                        }
                        if let Some(last) = found.pop() {
                            let next = pieces.remove(0);
                            let text = format!("{}{}", last.text(&self.all), next.text(&self.all));
                            let joined = self.write(&text, Kind::Other, used);
                            found.extend(lexemes(&self.all, joined.start, joined.end, Some(used)));
                        }
                    }
                    found.extend(pieces);
                }
            }
        }
        found
    }

    /// A piece that stands nowhere in what was read.
    pub(super) fn write(&mut self, text: &str, kind: Kind, origin: Span) -> Lexeme {
        let start = self.all.len();
        self.all.push_str(text);
        Lexeme {
            kind,
            start,
            end: self.all.len(),
            origin,
        }
    }
}
