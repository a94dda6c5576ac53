//! A comparison as people see it: a sentence, what shows it, and the keys it has in a JSON report.

use super::{Comparison, Hml, ObservedTrace, Related, Relation, RelationQuery, Side, Style, Unrelated};
use entail_model::{Lts, TAU_NAME};
use entail_show::{Exhibit, Prominence, Shown, View};
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

/// An answer about two systems, or why there is none.
#[derive(Clone, Copy, Debug)]
pub struct ShownComparison<'a> {
    /// What the user calls the systems.
    pub names: [&'a str; 2],
    /// The systems as they were compared.
    pub systems: [&'a Lts; 2],
    /// What was asked.
    pub question: RelationQuery,
    /// The checked answer; nothing if it is not known.
    pub answer: Option<&'a Comparison>,
}

impl ShownComparison<'_> {
    fn name(&self, side: Side) -> &str {
        self.names[usize::from(side == Side::Second)]
    }

    /// In which logic formulas about these systems are written.
    pub fn style(&self) -> Style {
        let kripke = |lts: &Lts| lts.is_coloured() && lts.actions().len() == 1;
        match self.systems.iter().all(|lts| kripke(lts)) {
            true => Style::Ctl,
            false => Style::Modal,
        }
    }

    /// The answer as a sentence.
    pub fn sentence(&self) -> String {
        let [a, b] = self.names;
        let (yes, no) = sentences(self.question);
        let filled = |text: &str| text.replace("{a}", a).replace("{b}", b);
        match self.answer {
            Some(Comparison::Related(_)) => filled(yes),
            Some(Comparison::Unrelated(_)) => filled(no),
            None => format!("not known whether {}", filled(yes)),
        }
    }

    /// What shows it, and a play of the game that shows the difference, line by line.
    pub fn shown(&self, play: &[String]) -> Shown {
        let lines = match self.answer {
            None => Vec::new(),
            Some(Comparison::Related(related)) => vec![format!("checked: {}", checked(related))],
            Some(Comparison::Unrelated(Unrelated::Formula { formula, holds_in })) => {
                self.formula_lines(formula, *holds_in)
            }
            Some(Comparison::Unrelated(Unrelated::Trace { trace, of })) => {
                let (here, there) = (self.name(*of), self.name(of.other()));
                vec![
                    String::new(),
                    format!("  {}", trace_text(trace, self.style())),
                    String::new(),
                    format!("is a trace of {here} and not of {there} (followed in both)"),
                ]
            }
        };
        let mut shown = Shown::default();
        if !lines.is_empty() {
            shown.push(Prominence::Main, View::Notes(lines));
        }
        if !play.is_empty() {
            let head = [String::new(), "The game that shows it:".to_owned()];
            let lines = play.iter().map(|line| format!("  {line}"));
            shown.exhibits.push(Exhibit {
                title: None,
                prominence: Prominence::Main,
                view: View::Notes(head.into_iter().chain(lines).collect()),
            });
        }
        shown
    }

    fn formula_lines(&self, formula: &Hml, holds_in: Side) -> Vec<String> {
        let printed = formula.printed(self.style());
        let mut lines = vec![String::new()];
        let definitions = printed.definitions.iter();
        lines.extend(definitions.map(|(name, text)| format!("  {name} = {text}")));
        lines.push(format!("  {}", printed.formula));
        lines.push(String::new());
        let several = |side: Side| self.systems[usize::from(side == Side::Second)].initial().len() > 1;
        let (here, there) = (self.name(holds_in), self.name(holds_in.other()));
        let here = match several(holds_in) {
            true => format!("is true in an initial state of {here}"),
            false => format!("is true of {here}"),
        };
        let there = match several(holds_in.other()) {
            true => format!("and in none of {there}"),
            false => format!("and false of {there}"),
        };
        lines.push(format!("{here} {there} (evaluated on both)"));
        lines
    }

    /// What shows it, as keys of a JSON report.
    pub fn details(&self, play: &[String]) -> Map<String, Json> {
        let mut map = Map::new();
        match self.answer {
            None => {}
            Some(Comparison::Related(related)) => {
                map.insert("checked".into(), checked(related).into());
            }
            Some(Comparison::Unrelated(Unrelated::Formula { formula, holds_in })) => {
                let printed = formula.printed(self.style());
                let definitions: Vec<Json> = (printed.definitions.iter())
                    .map(|(name, text)| json!({"name": name, "formula": text}))
                    .collect();
                let formula = json!({
                    "text": printed.formula,
                    "definitions": definitions,
                    "holds_in": holds_in.to_string(),
                    "depth": formula.depth(),
                    "parts": formula.nodes().len(),
                });
                map.insert("formula".into(), formula);
            }
            Some(Comparison::Unrelated(Unrelated::Trace { trace, of })) => {
                let names = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
                let steps: Vec<Json> = (trace.steps.iter())
                    .map(|step| json!({"action": &*step.action, "propositions": names(&step.propositions)}))
                    .collect();
                let trace = json!({"of": of.to_string(), "start": names(&trace.start), "steps": steps});
                map.insert("trace".into(), trace);
            }
        }
        if !play.is_empty() {
            map.insert("play".into(), json!(play));
        }
        map
    }
}

/// What is said if two systems `{a}` and `{b}` are related, and if they are not.
fn sentences(question: RelationQuery) -> (&'static str, &'static str) {
    match (question.relation, question.both_ways) {
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
        (Relation::ReadySimulation, false) => ("{b} ready-simulates {a}", "{b} does not ready-simulate {a}"),
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
    }
}

/// What the checker established about related systems.
fn checked(related: &Related) -> String {
    let (Related::Partition(blocks) | Related::Simulation { blocks, .. } | Related::Inclusion { blocks, .. }) =
        related;
    let classes = blocks.iter().max().map_or(0, |last| *last as usize + 1);
    match related {
        Related::Partition(_) => format!(
            "{} of states, each of which can do the same",
            counted(classes, "class", "classes")
        ),
        Related::Simulation { pairs, .. } => format!(
            "a simulation of {} between {}",
            counted(pairs.len(), "pair", "pairs"),
            counted(classes, "class of states", "classes of states")
        ),
        Related::Inclusion { pairs, .. } => format!(
            "{} of a class and a set of classes, closed under steps",
            counted(pairs.len(), "pair", "pairs")
        ),
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
