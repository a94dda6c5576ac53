//! The signals that a PSL file is about, as a design of its own: a module for each that units are bound to, with every name as an input.
//!
//! PSL declares no signals. How wide one is, is guessed from how it is used: its bits and parts that are named, numbers with a size that it is compared with. Every width is
//! a parameter of the module, so that whoever knows better can say so.

use super::unit::{Unit, needs_design, units};
use crate::expression::{after_group, split};
use crate::token::{Kind, Token, tokens};
use entail_logic::psl::is_word_of_psl;
use entail_source::{Diagnostics, Source};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What stands where the outputs of a module would be.
pub const OUTPUTS: &str = "/* outputs */";

/// The module of units that are bound to none.
const UNBOUND: &str = "properties";

/// A signal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Signal {
    width: u32,
    is_clock: bool,
}

/// A design whose modules have the signals of a PSL file as inputs.
pub fn signals(source: &Source) -> Result<String, Diagnostics> {
    let mut problems = Vec::new();
    let found = units(&tokens(source.text()), &mut problems);
    problems.extend(found.iter().filter_map(needs_design));
    if !problems.is_empty() {
        return Err(Diagnostics(problems));
    }
    let mut modules: BTreeMap<String, BTreeMap<String, Signal>> = BTreeMap::new();
    for unit in &found {
        let is_inherited = found
            .iter()
            .any(|other| other.inherits.iter().any(|name| name.text == unit.name));
        let name = match &unit.module {
            Some(module) => module.text.clone(),
            None if is_inherited => continue,
            None => UNBOUND.to_owned(),
        };
        let signals = modules.entry(name).or_default();
        for one in super::bound::with_inherited(unit, &found) {
            note_unit(one, &super::bound::with_inherited(unit, &found), signals);
        }
    }
    let mut text = String::new();
    for (name, signals) in &modules {
        let words = || signals.iter().filter(|(_, signal)| !signal.is_clock);
        let parameters: Vec<String> = words()
            .map(|(name, signal)| format!("parameter {} = {}", width_of(name), signal.width.max(1)))
            .collect();
        let _ = write!(text, "module {name}");
        if !parameters.is_empty() {
            let _ = write!(text, " #({})", parameters.join(", "));
        }
        let inputs = signals.iter().map(|(name, signal)| match signal.is_clock {
            true => format!("input {name} "),
            false => format!("input [{}-1:0] {name} ", width_of(name)),
        });
        let inputs: Vec<String> = inputs.collect();
        let _ = write!(text, " ({}{OUTPUTS});\nendmodule\n", inputs.join(", "));
    }
    Ok(text)
}

/// The parameter that is the width of a signal.
fn width_of(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let plain: String = name.trim_start_matches('\\').chars().map(letter).collect();
    format!("{plain}_width")
}

fn note_unit(unit: &Unit, all: &[&Unit], signals: &mut BTreeMap<String, Signal>) {
    let declared = |name: &str| {
        all.iter()
            .any(|one| one.named.iter().any(|named| named.name.text == name))
    };
    if let Some(clock) = &unit.clock {
        note(clock, &|name| declared(name), signals);
    }
    for named in &unit.named {
        let is_formal = |name: &str| named.formals.iter().any(|(formal, _)| formal == name);
        note(&named.body, &|name| declared(name) || is_formal(name), signals);
    }
    for directed in &unit.directed {
        let replicated: Vec<&str> = directed
            .body
            .windows(2)
            .filter(|two| two[0].is("forall"))
            .map(|two| two[1].text.as_str())
            .collect();
        note(
            &directed.body,
            &|name| declared(name) || replicated.contains(&name),
            signals,
        );
    }
}

/// Notes the signals in some tokens.
fn note(tokens: &[Token], is_other: &dyn Fn(&str) -> bool, signals: &mut BTreeMap<String, Signal>) {
    for (at, token) in tokens.iter().enumerate() {
        let text = token.text.as_str();
        let is_part = at > 0 && tokens[at - 1].is(".");
        let is_tail = text == "_" && at > 0 && tokens[at - 1].span.end == token.span.start;
        let is_name = token.kind == Kind::Name && !text.starts_with(['$', '`']) && !is_part && !is_tail;
        if !is_name || is_word_of_psl(text) || is_other(text) {
            continue;
        }
        let before = at
            .checked_sub(1)
            .map_or("", |before| tokens[before].text.as_str());
        let is_edge = matches!(before, "posedge" | "negedge");
        let signal = signals.entry(text.to_owned()).or_default();
        signal.is_clock |= is_edge;
        let after = at + 1;
        if tokens.get(after).is_some_and(|next| next.is("[")) {
            let close = after_group(tokens, after);
            let bits = split(&tokens[after + 1..close.max(after + 2) - 1], ":");
            let highest = bits.iter().filter_map(|part| match part {
                [one] => one.text.parse::<u32>().ok(),
                _ => None,
            });
            signal.width = signal
                .width
                .max(highest.max().map_or(0, |bit| bit.saturating_add(1)));
        } else {
            let compared = ["==", "!=", "<", ">", "<=", ">=", "===", "!=="];
            let is_compared = |at: usize| {
                tokens
                    .get(at)
                    .is_some_and(|token| compared.iter().any(|sign| token.is(sign)))
            };
            let size = |at: usize| {
                tokens
                    .get(at)
                    .and_then(|token| token.text.split_once('\'')?.0.parse::<u32>().ok())
            };
            let behind = is_compared(after).then(|| size(after + 1)).flatten();
            let ahead = match at >= 2 && is_compared(at - 1) {
                true => size(at - 2),
                false => None,
            };
            signal.width = signal.width.max(behind.or(ahead).unwrap_or(0));
        }
    }
}
