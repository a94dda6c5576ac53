//! `--map FILE`: names of gold and names of gate that belong together, a pair on each line.
//!
//! `count cnt_q` is about an input, a register or an output with all its bits, `state[0] fsm_0` about one bit of it; `#` begins a comment.

use super::ports::indexed;
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use rustc_hash::FxHashMap;

/// The pairs of a map.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameMap {
    /// For names of gate, gold's.
    gold_of: FxHashMap<String, String>,
    /// Gold's name, gate's name, and the line.
    entries: Vec<(String, String, Span)>,
}

impl NameMap {
    /// Reads a map.
    pub(crate) fn read(source: &Source) -> Result<NameMap, Diagnostics> {
        let mut map = NameMap::default();
        let mut problems = Vec::new();
        for (place, line) in source.lines() {
            let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
            match words.as_slice() {
                [] => {}
                [gold, gate] => {
                    let before = map.gold_of.insert((*gate).to_owned(), (*gold).to_owned());
                    if before.is_some_and(|before| before != *gold) {
                        let message = format!("`{gate}` belongs to two signals");
                        problems.push(Diagnostic::error("map::twice", message, place, "the second time"));
                    }
                    map.entries.push(((*gold).to_owned(), (*gate).to_owned(), place));
                }
                _ => problems.push(
                    Diagnostic::error("map::line", "this is not a pair of names", place, "here")
                        .with_help("write a name of the first circuit and one of the second"),
                ),
            }
        }
        match problems.is_empty() {
            true => Ok(map),
            false => Err(Diagnostics(problems)),
        }
    }

    /// What a signal of gate is called here.
    pub(crate) fn renamed(&self, name: &str) -> String {
        if let Some(gold) = self.gold_of.get(name) {
            return gold.clone();
        }
        match indexed(name).and_then(|(base, index)| Some((self.gold_of.get(base)?, index))) {
            Some((gold, index)) => format!("{gold}[{index}]"),
            None => name.to_owned(),
        }
    }

    /// Names that the circuits do not have.
    pub(crate) fn strangers(
        &self,
        in_gold: impl Fn(&str) -> bool,
        in_gate: impl Fn(&str) -> bool,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (gold, gate, place) in &self.entries {
            for (name, is_known, which) in [(gold, in_gold(gold), "first"), (gate, in_gate(gate), "second")] {
                if !is_known {
                    let message = format!("the {which} circuit has no input, register or output `{name}`");
                    found.push(Diagnostic::error("map::stranger", message, *place, "here"));
                }
            }
        }
        found
    }
}
