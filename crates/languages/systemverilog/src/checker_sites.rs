//! Where checkers are declared and instantiated in a text: instances in modules, and those that are bound to modules; with the default clock and reset that are in force there.

use crate::checkers::Checker;
use crate::expression::{after_group, split};
use crate::property::{not_read, unsupported};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span};
use std::collections::BTreeMap;

/// Words before the name of a formal that are no types and say nothing here.
const DIRECTIONS: [&str; 3] = ["input", "output", "inout"];

/// An instance of a checker.
pub(crate) struct Site {
    pub(crate) checker: String,
    pub(crate) name: Token,
    pub(crate) arguments: Vec<Token>,
    /// What is taken out.
    pub(crate) span: Span,
    /// Where the block is put in.
    pub(crate) place: usize,
    /// The clock and the reset that are in force there.
    pub(crate) clock: Option<Vec<Token>>,
    pub(crate) disable: Option<Vec<Token>>,
}

/// What there is in a text.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) checkers: BTreeMap<String, Checker>,
    /// The positions of their first and last tokens.
    pub(crate) declared: Vec<(usize, usize)>,
    pub(crate) sites: Vec<Site>,
}

impl Found {
    pub(crate) fn of(all: &[Token]) -> Result<Found, Diagnostic> {
        let mut found = Found::default();
        let mut at = 0;
        while at < all.len() {
            let is_one = all[at].kind == Kind::Name && all[at].is("checker");
            let name = all.get(at + 1).filter(|name| name.kind == Kind::Name);
            let (true, Some(name)) = (is_one, name) else {
                at += 1;
                continue;
            };
            let mut end = at;
            let mut depth = 0;
            for (place, token) in all.iter().enumerate().skip(at) {
                depth += i32::from(token.is("checker")) - i32::from(token.is("endchecker"));
                if depth == 0 {
                    end = place;
                    break;
                }
            }
            if end < at + 2 {
                return Err(not_read("there is no `endchecker` for this checker", name.span));
            }
            let (formals, body) = declared(&all[at + 2..end])?;
            let checker = Checker { formals, body };
            found.checkers.insert(name.text.clone(), checker);
            let labelled = all.get(end + 1).is_some_and(|next| next.is(":"));
            let last = if labelled {
                (end + 2).min(all.len() - 1)
            } else {
                end
            };
            found.declared.push((at, last));
            at = last + 1;
        }
        if !found.checkers.is_empty() {
            found.find_sites(all)?;
        }
        Ok(found)
    }

    /// Instances outside of checkers: those within come with these.
    fn find_sites(&mut self, all: &[Token]) -> Result<(), Diagnostic> {
        let mut defaults = Defaults::default();
        let mut at = 0;
        while at < all.len() {
            if let Some(&(_, end)) = self.declared.iter().find(|(begin, _)| *begin == at) {
                at = end + 1;
                continue;
            }
            defaults.follow(all, at);
            let is_bound = all[at].is("bind");
            let first = if is_bound { at + 2 } else { at };
            let names = |place: usize| all.get(place).filter(|one| one.kind == Kind::Name);
            let (Some(checker), Some(name)) = (names(first), names(first + 1)) else {
                at += 1;
                continue;
            };
            let is_site = self.checkers.contains_key(&checker.text)
                && all.get(first + 2).is_some_and(|next| next.is("("))
                && (is_bound || at == 0 || !all[at - 1].is("."));
            if !is_site {
                at += 1;
                continue;
            }
            let close = after_group(all, first + 2);
            if !all.get(close).is_some_and(|next| next.is(";")) {
                return Err(not_read("`;` is expected after this instance", name.span));
            }
            let span = Span::new(all[at].span.start, all[close].span.end);
            if !is_bound && defaults.in_procedure {
                let message = "a checker that is instantiated in a procedure is not read";
                return Err(
                    unsupported(message, span).with_help("instantiate it outside, and give it its clock")
                );
            }
            let target = &all[(at + 1).min(all.len() - 1)];
            let place = match is_bound {
                false => Some(span.start),
                true => end_of_module(all, &target.text),
            };
            let Some(place) = place else {
                let message = format!("there is no module `{}` here to bind a checker to", target.text);
                return Err(not_read(&message, target.span));
            };
            self.sites.push(Site {
                checker: checker.text.clone(),
                name: name.clone(),
                arguments: all[first + 3..close - 1].to_vec(),
                span,
                place,
                clock: defaults.clock.clone().filter(|_| !is_bound),
                disable: defaults.disable.clone().filter(|_| !is_bound),
            });
            at = close + 1;
        }
        Ok(())
    }
}

/// Where the `endmodule` of a module begins.
fn end_of_module(all: &[Token], name: &str) -> Option<usize> {
    let begin = (1..all.len()).find(|&at| all[at].is(name) && all[at - 1].is("module"))?;
    let end = all[begin..].iter().find(|token| token.is("endmodule"))?;
    Some(end.span.start)
}

/// The default clock and reset of the module that a position is in.
#[derive(Default)]
struct Defaults {
    clock: Option<Vec<Token>>,
    disable: Option<Vec<Token>>,
    /// A procedure is not left yet.
    in_procedure: bool,
    depth: i32,
}

impl Defaults {
    fn follow(&mut self, all: &[Token], at: usize) {
        let is = |place: usize, text: &str| all.get(place).is_some_and(|token| token.is(text));
        if is(at, "module") || is(at, "endmodule") {
            *self = Defaults::default();
        }
        if is(at, "default")
            && is(at + 1, "clocking")
            && let Some(event) = clocking_event(all, at + 2)
        {
            self.clock = Some(event);
        }
        if is(at, "default") && is(at + 1, "disable") && is(at + 2, "iff") {
            let rest = &all[at + 3..];
            self.disable = Some(split(rest, ";")[0].to_vec());
        }
        let begins = [
            "always",
            "always_ff",
            "always_comb",
            "always_latch",
            "initial",
            "final",
        ];
        if begins.iter().any(|word| is(at, word)) {
            (self.in_procedure, self.depth) = (true, 0);
        }
        if self.in_procedure {
            self.depth += i32::from(is(at, "begin")) - i32::from(is(at, "end"));
            self.in_procedure = !(self.depth == 0 && (is(at, ";") || is(at, "end")));
        }
    }
}

/// The event of `[name] @(…)`, as tokens.
pub(crate) fn clocking_event(all: &[Token], mut at: usize) -> Option<Vec<Token>> {
    if all.get(at)?.kind == Kind::Name {
        at += 1;
    }
    if !all.get(at)?.is("@") {
        return None;
    }
    Some(match all.get(at + 1)?.is("(") {
        true => all[at + 2..after_group(all, at + 1).max(at + 3) - 1].to_vec(),
        false => vec![all[at + 1].clone()],
    })
}

/// The formals and the body of a checker, from what stands behind its name.
#[allow(clippy::type_complexity)]
fn declared(rest: &[Token]) -> Result<(Vec<(String, Option<Vec<Token>>)>, Vec<Token>), Diagnostic> {
    let mut formals = Vec::new();
    let mut body = 0;
    if rest.first().is_some_and(|open| open.is("(")) {
        body = after_group(rest, 0);
        for part in split(&rest[1..body.max(2) - 1], ",") {
            let mut halves = split(part, "=").into_iter();
            let (formal, default) = (halves.next().unwrap_or_default(), halves.next());
            let mut depth = 0;
            let mut name = None;
            for token in formal {
                depth += crate::expression::depth_change(token);
                let is_name = token.kind == Kind::Name && !DIRECTIONS.iter().any(|word| token.is(word));
                if depth == 0 && is_name {
                    name = Some(token);
                }
            }
            match name {
                Some(name) => formals.push((name.text.clone(), default.map(<[Token]>::to_vec))),
                None if part.is_empty() => {}
                None => return Err(not_read("this argument is not read", part[0].span)),
            }
        }
    }
    if rest.get(body).is_some_and(|next| next.is(";")) {
        body += 1;
    }
    Ok((formals, rest[body.min(rest.len())..].to_vec()))
}
