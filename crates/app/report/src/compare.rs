//! Reports about two systems that were compared.

use crate::text::paint::Paint;
use entail_evidence::equivalence::{
    Comparison, Hml, ObservedTrace, Question, Related, Relation, Side, Style, Unrelated,
};
use entail_model::{Lts, TAU_NAME};
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::sync::Arc;

/// An answer about two systems.
#[derive(Clone, Debug)]
pub struct ComparisonReport<'a> {
    /// What the user calls the systems.
    pub names: [&'a str; 2],
    /// The systems as they were compared.
    pub systems: [&'a Lts; 2],
    /// What was asked.
    pub question: Question,
    /// The checked answer, or why there is none.
    pub answer: Result<&'a Comparison, String>,
    /// What the user should know.
    pub notes: &'a [String],
    /// A play of the game that shows the difference, line by line.
    pub play: &'a [String],
    /// How long it took to find the answer.
    pub seconds: f64,
    /// How long it took to check it.
    pub check_seconds: f64,
}

impl ComparisonReport<'_> {
    fn name(&self, side: Side) -> &str {
        self.names[match side {
            Side::First => 0,
            Side::Second => 1,
        }]
    }

    /// In which logic formulas about these systems are written.
    pub fn style(&self) -> Style {
        let kripke = |lts: &Lts| lts.is_coloured() && lts.actions().len() == 1;
        match self.systems.iter().all(|lts| kripke(lts)) {
            true => Style::Ctl,
            false => Style::Modal,
        }
    }

    fn sentence(&self) -> String {
        let [a, b] = self.names;
        let (yes, no) = match (self.question.relation, self.question.both_ways) {
            (Relation::Strong, _) => (
                "{a} and {b} are strongly bisimilar",
                "{a} and {b} are not strongly bisimilar",
            ),
            (Relation::Branching, _) => (
                "{a} and {b} are branching bisimilar",
                "{a} and {b} are not branching bisimilar",
            ),
            (Relation::DivergenceBranching, _) => (
                "{a} and {b} are branching bisimilar, divergence included",
                "{a} and {b} are not branching bisimilar, divergence included",
            ),
            (Relation::Weak, _) => (
                "{a} and {b} are weakly bisimilar",
                "{a} and {b} are not weakly bisimilar",
            ),
            (Relation::Simulation, false) => ("{b} simulates {a}", "{b} does not simulate {a}"),
            (Relation::Simulation, true) => (
                "{a} and {b} simulate each other",
                "{a} and {b} do not simulate each other",
            ),
            (Relation::ReadySimulation, false) => {
                ("{b} ready-simulates {a}", "{b} does not ready-simulate {a}")
            }
            (Relation::ReadySimulation, true) => (
                "{a} and {b} ready-simulate each other",
                "{a} and {b} do not ready-simulate each other",
            ),
            (Relation::Trace, false) => (
                "every trace of {a} is a trace of {b}",
                "not every trace of {a} is a trace of {b}",
            ),
            (Relation::Trace, true) => (
                "{a} and {b} have the same traces",
                "{a} and {b} do not have the same traces",
            ),
            (Relation::WeakTrace, false) => (
                "every visible trace of {a} is a visible trace of {b}",
                "not every visible trace of {a} is a visible trace of {b}",
            ),
            (Relation::WeakTrace, true) => (
                "{a} and {b} have the same visible traces",
                "{a} and {b} do not have the same visible traces",
            ),
        };
        let text = match &self.answer {
            Ok(Comparison::Related(_)) => yes,
            Ok(Comparison::Unrelated(_)) => no,
            Err(_) => return format!("not known whether {}", yes.replace("{a}", a).replace("{b}", b)),
        };
        text.replace("{a}", a).replace("{b}", b)
    }

    /// For people.
    pub fn text(&self, colour: bool) -> String {
        let mut out = format!("{}\n", Paint(colour).strong(&self.sentence()));
        for note in self.notes {
            let _ = writeln!(out, "note: {note}");
        }
        match &self.answer {
            Err(reason) => {
                let _ = writeln!(out, "{reason}");
            }
            Ok(Comparison::Related(related)) => {
                let _ = writeln!(out, "checked: {}", self.related(related));
            }
            Ok(Comparison::Unrelated(Unrelated::Formula { formula, holds_in })) => {
                self.formula(&mut out, formula, *holds_in);
            }
            Ok(Comparison::Unrelated(Unrelated::Trace { trace, of })) => {
                let _ = writeln!(out, "\n  {}\n", trace_text(trace, self.style()));
                let _ = writeln!(
                    out,
                    "is a trace of {} and not of {} (followed in both)",
                    self.name(*of),
                    self.name(of.other())
                );
            }
        }
        if !self.play.is_empty() {
            let _ = writeln!(out, "\nThe game that shows it:");
            for line in self.play {
                let _ = writeln!(out, "  {line}");
            }
        }
        out
    }

    fn related(&self, related: &Related) -> String {
        let (Related::Partition(blocks)
        | Related::Simulation { blocks, .. }
        | Related::Inclusion { blocks, .. }) = related;
        let classes = blocks.iter().max().map_or(0, |last| last + 1);
        match related {
            Related::Partition(_) => format!(
                "{} of states, each of which can do the same",
                counted(classes as usize, "class", "classes")
            ),
            Related::Simulation { pairs, .. } => format!(
                "a simulation of {} between {}",
                counted(pairs.len(), "pair", "pairs"),
                counted(classes as usize, "class of states", "classes of states")
            ),
            Related::Inclusion { pairs, .. } => format!(
                "{} of a class and a set of classes, closed under steps",
                counted(pairs.len(), "pair", "pairs")
            ),
        }
    }

    fn formula(&self, out: &mut String, formula: &Hml, holds_in: Side) {
        let printed = formula.printed(self.style());
        let _ = writeln!(out);
        for (name, text) in &printed.definitions {
            let _ = writeln!(out, "  {name} = {text}");
        }
        let _ = writeln!(out, "  {}\n", printed.formula);
        let some = |side: Side| {
            let index = usize::from(side == Side::Second);
            self.systems[index].initial().len() > 1
        };
        let (here, there) = (self.name(holds_in), self.name(holds_in.other()));
        let here = match some(holds_in) {
            true => format!("is true in an initial state of {here}"),
            false => format!("is true of {here}"),
        };
        let there = match some(holds_in.other()) {
            true => format!("and in none of {there}"),
            false => format!("and false of {there}"),
        };
        let _ = writeln!(out, "{here} {there} (evaluated on both)");
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let system = |index: usize| {
            json!({
                "name": self.names[index],
                "states": self.systems[index].state_count(),
                "transitions": self.systems[index].transition_count(),
            })
        };
        let mut document = json!({
            "entail": env!("CARGO_PKG_VERSION"),
            "relation": self.question.relation.name(),
            "both_ways": self.question.both_ways,
            "first": system(0),
            "second": system(1),
            "answer": match &self.answer {
                Ok(Comparison::Related(_)) => "related",
                Ok(Comparison::Unrelated(_)) => "unrelated",
                Err(_) => "unknown",
            },
            "sentence": self.sentence(),
            "notes": self.notes,
            "seconds": self.seconds,
            "check_seconds": self.check_seconds,
        });
        match &self.answer {
            Err(reason) => document["reason"] = json!(reason),
            Ok(Comparison::Related(related)) => document["checked"] = json!(self.related(related)),
            Ok(Comparison::Unrelated(Unrelated::Formula { formula, holds_in })) => {
                let printed = formula.printed(self.style());
                let definitions: Vec<Json> = (printed.definitions.iter())
                    .map(|(name, text)| json!({"name": name, "formula": text}))
                    .collect();
                document["formula"] = json!({
                    "text": printed.formula,
                    "definitions": definitions,
                    "holds_in": holds_in.to_string(),
                    "depth": formula.depth(),
                    "parts": formula.nodes().len(),
                });
            }
            Ok(Comparison::Unrelated(Unrelated::Trace { trace, of })) => {
                let names = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
                let steps: Vec<Json> = (trace.steps.iter())
                    .map(|step| json!({"action": &*step.action, "propositions": names(&step.propositions)}))
                    .collect();
                document["trace"] =
                    json!({"of": of.to_string(), "start": names(&trace.start), "steps": steps});
            }
        }
        if !self.play.is_empty() {
            document["play"] = json!(self.play);
        }
        document
    }
}

fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// A trace in one line: actions, and of Kripke structures the propositions.
fn trace_text(trace: &ObservedTrace, style: Style) -> String {
    let look = |names: &[Arc<str>]| {
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        format!("{{{}}}", names.join(", "))
    };
    let looks = !trace.start.is_empty() || trace.steps.iter().any(|step| !step.propositions.is_empty());
    match style {
        Style::Ctl => {
            let all = std::iter::once(&trace.start).chain(trace.steps.iter().map(|step| &step.propositions));
            all.map(|names| look(names)).collect::<Vec<_>>().join(" ")
        }
        Style::Modal => {
            let mut parts = Vec::new();
            if looks {
                parts.push(look(&trace.start));
            }
            for step in &trace.steps {
                parts.push(step.action.to_string());
                if looks {
                    parts.push(look(&step.propositions));
                }
            }
            match parts.is_empty() {
                true => format!("(the empty trace; {TAU_NAME} is not seen)"),
                false => parts.join(" "),
            }
        }
    }
}
