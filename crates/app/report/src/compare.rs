//! Reports about two systems that were compared.

use crate::clean::{one_line, screen};
use crate::text::{TextOptions, paint};
use entail_show::Shown;
use serde_json::{Map, Value as Json, json};
use std::fmt::Write;

/// A system that was compared.
#[derive(Clone, Copy, Debug)]
pub struct Compared<'a> {
    /// What the user calls it.
    pub name: &'a str,
    /// Number of states.
    pub states: usize,
    /// Number of transitions.
    pub transitions: usize,
}

/// An answer about two systems.
#[derive(Clone, Debug)]
pub struct ComparisonReport<'a> {
    /// The systems as they were compared.
    pub systems: [Compared<'a>; 2],
    /// The relation's name.
    pub relation: &'a str,
    /// Whether it was asked for both ways.
    pub both_ways: bool,
    /// Whether they are related; nothing if that is not known.
    pub related: Option<bool>,
    /// The answer as a sentence.
    pub sentence: &'a str,
    /// Why there is no answer.
    pub reason: Option<&'a str>,
    /// What shows it: a formula, a trace, what was checked, a play of the game. Notes are printed as they are.
    pub shown: &'a Shown,
    /// What shows it, as keys of the JSON document.
    pub details: &'a Map<String, Json>,
    /// What the user should know.
    pub notes: &'a [String],
    /// How long it took to find the answer.
    pub seconds: f64,
    /// How long it took to check it.
    pub check_seconds: f64,
}

impl ComparisonReport<'_> {
    /// For people.
    pub fn text(&self, options: &TextOptions) -> String {
        let mut out = format!("{}\n", paint::strong(&one_line(self.sentence)));
        for note in self.notes {
            let _ = writeln!(out, "note: {}", one_line(note));
        }
        if let Some(reason) = self.reason {
            let _ = writeln!(out, "{}", one_line(reason));
        }
        crate::text::flush_left(self.shown, options, &mut out);
        screen(&out, options.colour)
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let system = |system: &Compared<'_>| json!({"name": system.name, "states": system.states, "transitions": system.transitions});
        let answer = match self.related {
            Some(true) => "related",
            Some(false) => "unrelated",
            None => "unknown",
        };
        let mut document = json!({
            "entail": env!("CARGO_PKG_VERSION"),
            "relation": self.relation,
            "both_ways": self.both_ways,
            "first": system(&self.systems[0]),
            "second": system(&self.systems[1]),
            "answer": answer,
            "sentence": self.sentence,
            "notes": self.notes,
            "seconds": self.seconds,
            "check_seconds": self.check_seconds,
        });
        if let Json::Object(map) = &mut document {
            if let Some(reason) = self.reason {
                map.insert("reason".into(), reason.into());
            }
            for (key, value) in self.details {
                map.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        document
    }
}
