//! Checkers (IEEE 1800-2017, 17): each instance is written out as a block of the module it stands in.
//!
//! The arguments of a checker may be expressions, events, sequences and properties, and are put in for its formals as those of properties are. So an instance `c` becomes
//! `if (1) begin : c … end` with the body of its checker, in the line where it stands; a checker bound to a module (`bind m chk c(…)`) becomes a block at the end of that module. The default clock and the default
//! reset of the checker are written into its assertions; names of its sequences and properties are its instance's own. Checker variables that nothing assigns (`rand`) have any value,
//! which stays what it is where they are `const`. The declarations themselves are taken out.
//!
//! Where a checker uses others, the text is gone through again.

use crate::checker_sites::{Found, Site, clocking_event};
use crate::expression::split;
use crate::property::not_read;
use crate::token::{Kind, Token, tokens};
use entail_source::{Diagnostic, Span};
use std::collections::HashMap;

/// Checkers use each other so deep.
const DEEPEST: usize = 20;

/// The longest text that instances become.
const LONGEST: usize = 1 << 26;

/// The module that stands for a constant of any value.
pub(crate) const ANY_CONSTANT: &str = "entail$any_constant";

/// A checker.
pub(crate) struct Checker {
    /// Its formals, with what they are if nothing is given.
    pub(crate) formals: Vec<(String, Option<Vec<Token>>)>,
    pub(crate) body: Vec<Token>,
}

/// The pieces of a text in which instances are written out: parts of the text before, and what is new.
pub(crate) struct Written {
    pub(crate) text: String,
    /// Where each part begins, and its place in the text before.
    pub(crate) parts: Vec<(usize, Span, bool)>,
}

/// A text without checkers; nothing if there are none.
pub(crate) fn written_out(text: &str, end: usize) -> Result<Option<Vec<Written>>, Diagnostic> {
    if !text[..end].contains("checker") {
        return Ok(None);
    }
    let mut rounds: Vec<Written> = Vec::new();
    let mut end = end;
    for _ in 0..DEEPEST {
        let before = rounds.last().map_or(text, |last| last.text.as_str());
        match round(before, end, rounds.len())? {
            None => {
                return Ok(match rounds.is_empty() {
                    true => None,
                    false => Some(rounds),
                });
            }
            Some(written) => {
                end = written.text.len() - (before.len() - end);
                rounds.push(written);
            }
        }
    }
    Err(not_read("checkers use each other too deeply", Span::new(0, 0)))
}

/// One round: every instance is written out, the declarations stay until there is none left.
fn round(text: &str, end: usize, number: usize) -> Result<Option<Written>, Diagnostic> {
    let all = tokens(&text[..end]);
    let found = Found::of(&all)?;
    if found.checkers.is_empty() {
        return Ok(None);
    }
    let mut edits: Vec<(usize, usize, Vec<Part>)> = Vec::new();
    let mut length = 0;
    for (count, site) in found.sites.iter().enumerate() {
        let checker = &found.checkers[&site.checker];
        let own = format!("{number}_{count}");
        let parts = checker.instance(site, &own)?;
        length += parts.iter().map(|part| part.text.len() + 1).sum::<usize>();
        if length > LONGEST {
            return Err(not_read("the checkers of this design are too long", site.span));
        }
        edits.push((site.span.start, site.span.end, Vec::new()));
        edits.push((site.place, site.place, parts));
    }
    if found.sites.is_empty() {
        for &(begin, end) in &found.declared {
            edits.push((all[begin].span.start, all[end].span.end, Vec::new()));
        }
    }
    edits.sort_by_key(|(start, end, _)| (*start, *end));
    let mut written = Written {
        text: String::with_capacity(text.len() + length),
        parts: Vec::new(),
    };
    let mut at = 0;
    for (start, finish, parts) in edits {
        if start < at {
            continue;
        }
        written.push(&text[at..start], Span::new(at, start), true);
        for part in &parts {
            // (What separates two tokens says nothing about where they come from.)
            written.push(" ", Span::new(part.span.start, part.span.start + 1), true);
            written.push(&part.text, part.span, part.is_itself);
        }
        if !parts.is_empty() {
            written.push(" ", Span::new(start, start + 1), true);
        }
        let lines = text[start..finish].matches('\n').count();
        written.push(&"\n".repeat(lines), Span::new(start, finish), false);
        at = finish;
    }
    written.push(&text[at..], Span::new(at, text.len()), true);
    Ok(Some(written))
}

impl Written {
    fn push(&mut self, text: &str, span: Span, is_itself: bool) {
        if !text.is_empty() {
            self.parts.push((self.text.len(), span, is_itself));
            self.text.push_str(text);
        }
    }
}

/// A token of what an instance becomes.
struct Part {
    text: String,
    span: Span,
    /// It stands like that in the text before.
    is_itself: bool,
}

impl Checker {
    /// What each formal is in an instance.
    fn values(&self, site: &Site) -> Result<HashMap<&str, Vec<Token>>, Diagnostic> {
        let mut values: HashMap<&str, Vec<Token>> = HashMap::new();
        let mut takes_all = false;
        let named = |name: &str| self.formals.iter().find(|(formal, _)| formal == name);
        let parts = split(&site.arguments, ",");
        for (place, part) in parts.iter().enumerate() {
            match part {
                [] if parts.len() == 1 => {}
                [star] if star.is(".*") => takes_all = true,
                [dot, name, rest @ ..] if dot.is(".") => {
                    let Some((formal, _)) = named(&name.text) else {
                        let message = format!("the checker has no argument `{}`", name.text);
                        return Err(not_read(&message, name.span));
                    };
                    let value = match rest {
                        [open, value @ .., _] if open.is("(") => value.to_vec(),
                        _ => vec![name.clone()],
                    };
                    values.insert(formal, value);
                }
                part => match self.formals.get(place) {
                    Some((formal, _)) => drop(values.insert(formal, part.to_vec())),
                    None => {
                        let message = "there are more arguments than the checker has";
                        return Err(not_read(message, site.name.span));
                    }
                },
            }
        }
        for (formal, default) in &self.formals {
            let given = values.get(formal.as_str()).is_some_and(|value| !value.is_empty());
            if given {
                continue;
            }
            let same_name = Token {
                text: formal.clone(),
                ..site.name.clone()
            };
            let value = match (default, takes_all) {
                (Some(default), _) => default.clone(),
                (None, true) => vec![same_name],
                (None, false) => {
                    let message = format!("the argument `{formal}` of the checker is missing");
                    return Err(not_read(&message, site.name.span));
                }
            };
            values.insert(formal, value);
        }
        for value in values.values_mut() {
            if let [one] = &value[..] {
                let inferred = match one.text.as_str() {
                    "$inferred_clock" => site.clock.clone(),
                    "$inferred_disable" => site.disable.clone().or_else(|| Some(tokens("1'b0"))),
                    _ => continue,
                };
                let Some(inferred) = inferred else {
                    let message = "there is no default clock here that this checker could have";
                    return Err(not_read(message, site.name.span));
                };
                *value = inferred;
            }
        }
        Ok(values)
    }

    /// The block that an instance becomes.
    fn instance(&self, site: &Site, own: &str) -> Result<Vec<Part>, Diagnostic> {
        let values = self.values(site)?;
        let body = self.with_values(&values, own);
        let (clock, disable, body) = without_defaults(body);
        let mut parts = Vec::with_capacity(body.len() + 8);
        let new = |text: &str| Part {
            text: text.to_owned(),
            span: site.name.span,
            is_itself: false,
        };
        parts.extend(["if", "(", "1", ")", "begin", ":"].map(new));
        parts.push(new(&site.name.text));
        let mut at = 0;
        while at < body.len() {
            let is = |place: usize, text: &str| body.get(place).is_some_and(|(token, _)| token.is(text));
            if is(at, "rand") {
                let end = (at..body.len())
                    .find(|&place| is(place, ";"))
                    .unwrap_or(body.len() - 1);
                free_variable(&body[at + 1..end], &new, &mut parts);
                at = end + 1;
                continue;
            }
            let (token, is_itself) = &body[at];
            parts.push(Part {
                text: token.text.clone(),
                span: token.span,
                is_itself: *is_itself,
            });
            let directive = ["assert", "assume", "cover", "restrict"];
            let is_concurrent = directive.iter().any(|word| is(at, word))
                && (is(at + 1, "property") || is(at + 1, "sequence"))
                && is(at + 2, "(");
            at += 1;
            if is_concurrent {
                // (What is written into an assertion has its place.)
                let span = token.span;
                let own = |text: &str| Part {
                    text: text.to_owned(),
                    span,
                    is_itself: false,
                };
                parts.extend([own(&body[at].0.text), own("(")]);
                at += 2;
                if let Some(clock) = clock.as_ref().filter(|_| !is(at, "@")) {
                    parts.extend([own("@"), own("(")]);
                    parts.extend(clock.iter().map(|one| own(&one.text)));
                    parts.push(own(")"));
                }
                let close = closing(&body, at);
                let has_own = (at..close).any(|place| is(place, "disable"));
                if let Some(disable) = disable.as_ref().filter(|_| !has_own) {
                    if is(at, "@") {
                        // (Behind the clock.)
                        let behind = match is(at + 1, "(") {
                            true => closing(&body, at + 2) + 1,
                            false => at + 2,
                        };
                        parts.extend(body[at..behind].iter().map(|(one, _)| own(&one.text)));
                        at = behind;
                    }
                    parts.extend(["disable", "iff", "("].map(own));
                    parts.extend(disable.iter().map(|one| own(&one.text)));
                    parts.push(own(")"));
                }
            }
        }
        parts.push(new("end"));
        Ok(parts)
    }

    /// The body with arguments put in; its sequences and properties have names of their own.
    fn with_values(&self, values: &HashMap<&str, Vec<Token>>, own: &str) -> Vec<(Token, bool)> {
        let body = &self.body;
        let is_declared = |at: usize| at > 0 && (body[at - 1].is("property") || body[at - 1].is("sequence"));
        let declared: Vec<&str> = (0..body.len())
            .filter(|&at| is_declared(at) && body[at].kind == Kind::Name)
            .map(|at| body[at].text.as_str())
            .collect();
        let mut found = Vec::with_capacity(body.len());
        for (at, token) in body.iter().enumerate() {
            let after_dot = at > 0 && body[at - 1].is(".");
            if token.kind != Kind::Name || after_dot {
                found.push((token.clone(), true));
                continue;
            }
            if declared.contains(&token.text.as_str()) {
                let text = format!("entail$c{own}${}", token.text);
                found.push((
                    Token {
                        text,
                        ..token.clone()
                    },
                    false,
                ));
                continue;
            }
            match values.get(token.text.as_str()) {
                None => found.push((token.clone(), true)),
                Some(value) => {
                    let is_bare = value.len() == 1;
                    let sign = |text: &str| Token {
                        kind: Kind::Sign,
                        text: text.to_owned(),
                        span: token.span,
                    };
                    if !is_bare {
                        found.push((sign("("), false));
                    }
                    found.extend(value.iter().map(|one| (one.clone(), true)));
                    if !is_bare {
                        found.push((sign(")"), false));
                    }
                }
            }
        }
        found
    }
}

/// The position of the bracket that closes one opened before a position.
fn closing(body: &[(Token, bool)], from: usize) -> usize {
    let mut depth = 1;
    for (place, (token, _)) in body.iter().enumerate().skip(from) {
        depth += crate::expression::depth_change(token);
        if depth == 0 {
            return place;
        }
    }
    body.len()
}

type Defaulted = (Option<Vec<Token>>, Option<Vec<Token>>, Vec<(Token, bool)>);

/// The default clock and reset of a body, and the body without them.
fn without_defaults(body: Vec<(Token, bool)>) -> Defaulted {
    let plain: Vec<Token> = body.iter().map(|(token, _)| token.clone()).collect();
    let (mut clock, mut disable, mut rest) = (None, None, Vec::with_capacity(body.len()));
    let mut blocks: HashMap<String, Vec<Token>> = HashMap::new();
    let is = |place: usize, text: &str| plain.get(place).is_some_and(|token| token.is(text));
    let mut at = 0;
    while at < plain.len() {
        let is_default = is(at, "default");
        if is_default && is(at + 1, "disable") && is(at + 2, "iff") {
            let condition = split(&plain[at + 3..], ";")[0];
            disable = Some(condition.to_vec());
            at += 4 + condition.len();
            continue;
        }
        let block = at + usize::from(is_default);
        if is(block, "clocking") {
            let name = plain.get(block + 1).filter(|name| name.kind == Kind::Name);
            match clocking_event(&plain, block + 1) {
                Some(event) => {
                    if let Some(name) = name {
                        blocks.insert(name.text.clone(), event.clone());
                    }
                    if is_default {
                        clock = Some(event);
                    }
                    let end = (block..plain.len()).find(|&place| is(place, "endclocking"));
                    at = end.map_or(plain.len(), |end| end + 1);
                    at += 2 * usize::from(is(at, ":"));
                }
                None => {
                    clock = name.and_then(|name| blocks.get(&name.text).cloned());
                    at = block + 3;
                }
            }
            continue;
        }
        rest.push(body[at].clone());
        at += 1;
    }
    (clock, disable, rest)
}

/// A variable of any value, or a constant of any value.
fn free_variable(declared: &[(Token, bool)], new: &dyn Fn(&str) -> Part, parts: &mut Vec<Part>) {
    let is_constant = declared.first().is_some_and(|(first, _)| first.is("const"));
    let declared = &declared[usize::from(is_constant)..];
    parts.extend(declared.iter().map(|(one, is_itself)| Part {
        text: one.text.clone(),
        span: one.span,
        is_itself: *is_itself,
    }));
    parts.push(new(";"));
    if is_constant {
        let plain: Vec<Token> = declared.iter().map(|(one, _)| one.clone()).collect();
        for part in split(&plain, ",") {
            if let Some(name) = part.iter().rfind(|token| token.kind == Kind::Name) {
                let text = format!(
                    "\\{ANY_CONSTANT} #(.W($bits({0}))) \\entail$k${0} ({0});",
                    name.text
                );
                parts.push(new(&text));
            }
        }
    }
}
