//! Named properties, sequences and end points, put in where they are used.
//!
//! The result is a text for `entail_logic::psl`, and where each of its tokens stands in the user's file. A name stands for its body in brackets of its kind, an argument for what is
//! given for it.

use super::unit::{Named, NamedKind};
use super::wrong;
use crate::expression::{after_group, split};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span, nearest};

/// Names may refer to each other so deep.
const DEEPEST: u32 = 64;

/// A property may have so many tokens when all names are put in.
const LONGEST: usize = 100_000;

/// A text in which names are put in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expanded {
    pub(crate) text: String,
    /// Where tokens begin in the text, and their places in the file.
    places: Vec<(usize, Span)>,
    /// Where the last token ended in the file.
    end: usize,
}

impl Expanded {
    /// The text of some tokens.
    pub(crate) fn of(tokens: &[Token], scope: &[&Named]) -> Result<Expanded, Diagnostic> {
        let mut expanded = Expanded::default();
        expanded.put(tokens, scope, 0)?;
        Ok(expanded)
    }

    /// The place in the file of a part of the text.
    pub(crate) fn place(&self, span: Span) -> Span {
        let of = |offset: usize| {
            let at = self.places.partition_point(|(begin, _)| *begin <= offset);
            let known = at.checked_sub(1).and_then(|at| self.places.get(at));
            known.map_or(Span::default(), |(begin, place)| {
                let start = (place.start + (offset - begin)).min(place.end);
                Span::new(start, place.end)
            })
        };
        let first = of(span.start);
        let last = of(span.end.max(span.start + 1) - 1);
        match last.start >= first.start {
            true => Span::new(first.start, (last.start + 1).min(last.end).max(first.start)),
            false => first,
        }
    }

    fn push(&mut self, text: &str, span: Span) {
        // (What stood together stays together: `until!_`.)
        if self.end != span.start || self.text.ends_with(|c: char| "({".contains(c)) {
            self.text.push(' ');
        }
        self.places.push((self.text.len(), span));
        self.text.push_str(text);
        self.end = span.end;
    }

    /// Adds a sign that is not in the file, at the place of something that is.
    fn sign(&mut self, text: &str, span: Span) {
        self.text.push(' ');
        self.places.push((self.text.len(), span));
        self.text.push_str(text);
        self.text.push(' ');
        self.end = usize::MAX;
    }

    fn put(&mut self, tokens: &[Token], scope: &[&Named], depth: u32) -> Result<(), Diagnostic> {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if self.places.len() > LONGEST {
                return Err(wrong("with all names put in, this is too long", token.span));
            }
            let is_part = at > 0 && tokens[at - 1].is(".");
            let named = scope.iter().find(|named| named.name.text == token.text);
            let Some(named) = named.filter(|_| token.kind == Kind::Name && !is_part) else {
                self.push(&token.text, token.span);
                if token.text.starts_with('\\') {
                    self.text.push(' ');
                }
                at += 1;
                continue;
            };
            if depth >= DEEPEST {
                let message = format!("`{}` refers to itself", token.text);
                return Err(wrong(&message, token.span));
            }
            at += 1;
            let arguments = match tokens.get(at).is_some_and(|next| next.is("(")) && !named.formals.is_empty()
            {
                true => {
                    let close = after_group(tokens, at);
                    let inside = &tokens[at + 1..close.max(at + 2) - 1];
                    at = close;
                    split(inside, ",")
                }
                false => Vec::new(),
            };
            if arguments.len() != named.formals.len() {
                let message = format!(
                    "`{}` has {} arguments, and {} are given",
                    token.text,
                    named.formals.len(),
                    arguments.len()
                );
                return Err(wrong(&message, token.span).with_label(named.name.span, "declared here"));
            }
            let body = with_arguments(named, &arguments);
            let (open, close) = match named.kind {
                NamedKind::Property => ("(", ")"),
                NamedKind::Sequence => ("{", "}"),
                NamedKind::EndPoint => ("ended ( {", "} )"),
            };
            self.sign(open, token.span);
            self.put(&body, scope, depth + 1)?;
            self.sign(close, token.span);
        }
        Ok(())
    }
}

/// The body of a declaration with arguments put in.
fn with_arguments(named: &Named, arguments: &[&[Token]]) -> Vec<Token> {
    let mut body = Vec::new();
    let sign = |text: &str, span: Span| Token {
        kind: Kind::Sign,
        text: text.to_owned(),
        span,
    };
    for (place, token) in named.body.iter().enumerate() {
        let is_part = place > 0 && named.body[place - 1].is(".");
        let formal = (named.formals.iter()).position(|(name, _)| *name == token.text);
        let Some(formal) = formal.filter(|_| token.kind == Kind::Name && !is_part) else {
            body.push(token.clone());
            continue;
        };
        let given = arguments[formal];
        let is_group = |open: &str| given[0].is(open) && after_group(given, 0) == given.len();
        let is_bare = given.len() <= 1 || is_group("{") || is_group("(") || given[0].text.ends_with("edge");
        let (open, close) = match named.formals[formal].1 {
            true => ("{", "}"),
            false => ("(", ")"),
        };
        if !is_bare {
            body.push(sign(open, given[0].span));
        }
        body.extend(given.iter().cloned());
        if !is_bare {
            body.push(sign(close, given[given.len() - 1].span));
        }
    }
    body
}

/// Advice where a unit or a module is not known.
pub(crate) fn unknown(what: &str, name: &Token, known: &[&str]) -> Diagnostic {
    let problem = wrong(&format!("there is no {what} `{}`", name.text), name.span);
    match nearest(&name.text, known.iter().copied()) {
        Some(near) => problem.with_help(format!("do you mean `{near}`?")),
        None => problem,
    }
}
