//! Boolean expressions as the elaborator reads them.
//!
//! Most of an expression is handed on as it stands. What elaborators do not know is written in other words: implication and equivalence of expressions, and
//! the sampled-value functions, which need registers. Before the first tick a sampled value is zero.

use crate::emitted::Emitted;
use crate::property::{not_read, unsupported};
use crate::token::{Kind, Token};
use entail_source::{Diagnostic, Span};
use std::fmt::Write as _;

/// The place of several tokens.
pub(crate) fn span_of(tokens: &[Token]) -> Span {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) if first.span.start <= last.span.end => {
            Span::new(first.span.start, last.span.end)
        }
        (Some(first), _) => first.span,
        _ => Span::new(0, 0),
    }
}

/// How a token changes the depth of brackets.
pub(crate) fn depth_change(token: &Token) -> i32 {
    if token.kind != Kind::Sign {
        return 0;
    }
    match token.text.as_str() {
        "(" | "[" | "{" | "'{" | "[*" | "[->" | "[=" => 1,
        ")" | "]" | "}" => -1,
        _ => 0,
    }
}

/// The position after the bracket that closes the one at a position, or the end.
pub(crate) fn after_group(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(open) {
        depth += depth_change(token);
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The parts of tokens between separators outside brackets.
pub(crate) fn split<'t>(tokens: &'t [Token], separator: &str) -> Vec<&'t [Token]> {
    let mut parts = Vec::new();
    let (mut depth, mut begin) = (0, 0);
    for (place, token) in tokens.iter().enumerate() {
        if depth == 0 && token.is(separator) {
            parts.push(&tokens[begin..place]);
            begin = place + 1;
        }
        depth += depth_change(token);
    }
    parts.push(&tokens[begin..]);
    parts
}

/// The position of the first of some operators outside brackets.
fn find(tokens: &[Token], wanted: &[&str]) -> Option<usize> {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate() {
        if depth == 0 && wanted.iter().any(|sign| token.is(sign)) {
            return Some(place);
        }
        depth += depth_change(token);
    }
    None
}

/// Brackets may be nested so deep.
const DEEPEST: u32 = 400;

/// An expression for the elaborator.
pub(crate) fn rewrite(tokens: &[Token], emitted: &mut Emitted, depth: u32) -> Result<String, Diagnostic> {
    if depth > DEEPEST {
        return Err(not_read("an expression is nested too deeply", span_of(tokens)));
    }
    if let Some(place) = find(tokens, &["dist"]) {
        return distributed(&tokens[..place], &tokens[place..], emitted, depth);
    }
    if let Some(place) = find(tokens, &["->", "<->"]) {
        let left = rewrite(&tokens[..place], emitted, depth + 1)?;
        let right = rewrite(&tokens[place + 1..], emitted, depth + 1)?;
        return Ok(match tokens[place].is("->") {
            true => format!("(!({left}) || ({right}))"),
            false => format!("((|({left})) == (|({right})))"),
        });
    }
    let mut text = String::new();
    let mut end = None;
    let mut place = 0;
    while place < tokens.len() {
        let token = &tokens[place];
        if end != Some(token.span.start) {
            text.push(' ');
        }
        end = Some(token.span.end);
        if token.is("##") || token.is("|->") || token.is("|=>") {
            let message = format!("`{}` is not an operator of expressions", token.text);
            return Err(not_read(&message, token.span));
        }
        let is_call = tokens.get(place + 1).is_some_and(|next| next.is("("));
        if token.kind == Kind::Name && token.text.starts_with('$') && is_call {
            let close = after_group(tokens, place + 1);
            let arguments = &tokens[place + 2..close.max(place + 3) - 1];
            let needs_width = token.is("$bits") || SAMPLED.contains(&token.text.as_str());
            if let Some(cast) = cast(arguments).filter(|_| needs_width) {
                let message = format!("the width of a cast inside `{}` is not known", token.text);
                emitted.demanding.get_or_insert_with(|| not_read(&message, cast));
            }
            if token.is("$isunknown") {
                // A bit is 0 or 1.
                let inner = rewrite(arguments, emitted, depth + 1)?;
                let _ = write!(text, "(1'b0 & (|({inner})))");
                place = close;
                end = None;
                continue;
            }
            if let Some(written) = sampled(token, arguments, emitted, depth)? {
                text.push_str(&written);
                place = close;
                end = None;
                continue;
            }
        }
        if token.kind == Kind::Sign && matches!(token.text.as_str(), "(" | "{" | "'{" | "[") {
            let close = after_group(tokens, place);
            text.push_str(&token.text);
            let inner = &tokens[place + 1..close.max(place + 2) - 1];
            for (number, part) in split(inner, ",").into_iter().enumerate() {
                if number > 0 {
                    text.push(',');
                }
                text.push_str(&rewrite(part, emitted, depth + 1)?);
            }
            if let Some(last) = tokens.get(close - 1).filter(|_| close > place + 1) {
                text.push_str(&last.text);
                end = Some(last.span.end);
            }
            place = close;
            continue;
        }
        if let Some(wire) = emitted.locals.wire(emitted.check, token) {
            text.push_str(&wire?);
            place += 1;
            continue;
        }
        text.push_str(&token.text);
        if token.text.starts_with('\\') {
            text.push(' ');
        }
        place += 1;
    }
    Ok(text)
}

/// An event as clocks are written: without the brackets around it.
fn event_text(tokens: &[Token]) -> String {
    let mut inner = tokens;
    while inner.len() > 2 && inner[0].is("(") && after_group(inner, 0) == inner.len() {
        inner = &inner[1..inner.len() - 1];
    }
    let texts: Vec<&str> = inner.iter().map(|token| token.text.as_str()).collect();
    texts.join(" ")
}

/// `e dist {a := 1, [b:c] :/ 2}`: one of the values; how often counts for simulators only (IEEE 1800-2017, 16.14.2).
fn distributed(
    what: &[Token],
    behind: &[Token],
    emitted: &mut Emitted,
    depth: u32,
) -> Result<String, Diagnostic> {
    let items = match behind {
        [_, open, items @ .., close] if open.is("{") && close.is("}") => items,
        _ => return Err(not_read("behind `dist` stand values in braces", span_of(behind))),
    };
    let what = rewrite(what, emitted, depth + 1)?;
    let mut ways = Vec::new();
    for item in split(items, ",") {
        // (What stands behind a colon is a weight.)
        ways.push(match split(item, ":")[0] {
            [open, range @ .., close] if open.is("[") && close.is("]") => match split(range, ":")[..] {
                [low, high] => {
                    let low = rewrite(low, emitted, depth + 1)?;
                    let high = rewrite(high, emitted, depth + 1)?;
                    format!("(({what}) >= ({low}) && ({what}) <= ({high}))")
                }
                _ => return Err(not_read("a range has two ends", span_of(item))),
            },
            [] => return Err(not_read("a value is expected", span_of(behind))),
            value => format!("(({what}) == ({}))", rewrite(value, emitted, depth + 1)?),
        });
    }
    Ok(format!("({})", ways.join(" || ")))
}

/// The sampled-value functions.
const SAMPLED: [&str; 6] = ["$past", "$rose", "$fell", "$stable", "$changed", "$sampled"];

/// The place of the first cast to a size or a type, `8'(…)`: elaborators do not always tell how wide it is.
fn cast(tokens: &[Token]) -> Option<Span> {
    let keeps_width = |token: &Token| token.is("signed") || token.is("unsigned");
    let is_cast = |three: &&[Token]| three[1].is("'") && three[2].is("(") && !keeps_width(&three[0]);
    tokens.windows(3).find(is_cast).map(|three| three[1].span)
}

/// A sampled-value function in other words, if it is one.
fn sampled(
    name: &Token,
    arguments: &[Token],
    emitted: &mut Emitted,
    depth: u32,
) -> Result<Option<String>, Diagnostic> {
    if !SAMPLED.contains(&name.text.as_str()) {
        return Ok(None);
    }
    let parts = split(arguments, ",");
    let (what, rest) = match parts.split_first() {
        Some((what, rest)) if !what.is_empty() => (*what, rest),
        _ => {
            return Err(not_read(
                &format!("`{}` needs an expression", name.text),
                name.span,
            ));
        }
    };
    if name.text != "$sampled" && emitted.locals.is_read(what) {
        let message = format!("`{}` is not about local variables", name.text);
        return Err(not_read(&message, name.span));
    }
    // A clock of its own is the one in force, or is in force where there is none.
    let around = emitted.clock.clone();
    let events = rest
        .iter()
        .filter(|part| part.first().is_some_and(|one| one.is("@")));
    for event in events {
        let written = event_text(&event[1..]);
        match &around {
            Some(clock) if *clock != written => {
                let message = format!(
                    "`{}` with another clock than the property's is not read",
                    name.text
                );
                return Err(unsupported(&message, span_of(event)));
            }
            _ => emitted.clock = Some(written),
        }
    }
    let found = with_past(name, what, rest, emitted, depth);
    emitted.clock = around;
    found.map(Some)
}

/// A sampled-value function in other words, under the clock in force.
fn with_past(
    name: &Token,
    what: &[Token],
    rest: &[&[Token]],
    emitted: &mut Emitted,
    depth: u32,
) -> Result<String, Diagnostic> {
    let expression = rewrite(what, emitted, depth + 1)?;
    let extra = rest
        .iter()
        .find(|part| !part.is_empty() && part.first().is_none_or(|one| !one.is("@")));
    if name.is("$past") {
        let count = match rest.first() {
            Some([number]) if number.kind == Kind::Number => number.text.replace('_', "").parse().ok(),
            Some([first, ..]) if !first.is("@") => None,
            _ => Some(1),
        };
        let count: u32 = match count {
            Some(count) if count <= 256 => count,
            _ => {
                return Err(not_read(
                    "the number of ticks of `$past` is a number up to 256",
                    name.span,
                ));
            }
        };
        let mut others = rest.iter().skip(1);
        let gate = others
            .next()
            .filter(|part| part.first().is_some_and(|one| !one.is("@")));
        if let Some(extra) = others.find(|part| part.first().is_some_and(|one| !one.is("@"))) {
            return Err(not_read("`$past` has no further argument", span_of(extra)));
        }
        let gate = gate.map(|gate| rewrite(gate, emitted, depth + 1)).transpose()?;
        if count == 0 && gate.is_some() {
            return Err(not_read(
                "`$past` with a gating expression looks back at least one tick",
                name.span,
            ));
        }
        return Ok(emitted.past(&format!("({expression})"), count, gate.as_deref()));
    }
    if let Some(extra) = extra {
        return Err(not_read(
            &format!("`{}` has one expression", name.text),
            span_of(extra),
        ));
    }
    Ok(match name.text.as_str() {
        "$sampled" => format!("({expression})"),
        "$stable" | "$changed" => {
            let before = emitted.past(&format!("({expression})"), 1, None);
            let sign = if name.is("$stable") { "==" } else { "!=" };
            format!("({before} {sign} ({expression}))")
        }
        _ => {
            let lowest = format!("(|(({expression}) & 1'b1))");
            let before = emitted.past(&lowest, 1, None);
            match name.is("$rose") {
                true => format!("(!{before} && {lowest})"),
                false => format!("({before} && !{lowest})"),
            }
        }
    })
}
