//! The answers so far: each with what is shown and saved of it.

use crate::Context;
use crate::arguments::Check;
use crate::case::Case;
use crate::progress_line::ProgressLine;
use crate::terminal::{print, print_json, text_options};
use entail::run::Decided;
use entail::saved;
use entail_answer::{Answer, Verdict};
use entail_family::{Checker, Heading, Model};
use entail_report::{AnswerReport, Report, json, text};
use entail_show::{Exhibit, Prominence, Shown, View};
use serde_json::{Map, Value as Json, json as object};

/// The engine's name on the line of a property that no engine has tried.
pub const NO_ENGINE: &str = "none";

/// What is said where a witness was asked for and there is none.
const NO_WITNESS: &str = "no path is shown: nothing stronger than the property was found to fail";

/// An answer with all that reports need of it.
pub struct Item {
    /// The property.
    pub heading: Heading,
    /// What was decided.
    pub decided: Decided,
    /// What people look at in the terminal, and in full.
    pub shown: Shown,
    pub in_full: Shown,
    /// The evidence for readers, and the whole document that can be checked again.
    pub evidence: Option<Map<String, Json>>,
    pub document: Json,
    pub details: Map<String, Json>,
    /// What is said of a mistake of Entail's.
    pub failure: Option<String>,
    /// A counterexample in formats of the field, or why it cannot be said there, each with the extension of its files.
    pub exports: Vec<(&'static str, Result<String, String>)>,
}

impl Item {
    /// What reports need.
    pub fn report(&self) -> AnswerReport<'_> {
        self.report_of(&self.shown)
    }

    /// The same with what costs time to compute.
    pub fn report_in_full(&self) -> AnswerReport<'_> {
        self.report_of(&self.in_full)
    }

    fn report_of<'a>(&'a self, shown: &'a Shown) -> AnswerReport<'a> {
        AnswerReport {
            heading: &self.heading,
            position: self.decided.property,
            engine: self.decided.engine,
            because: self.decided.because,
            answer: &self.decided.answer,
            checked: self.decided.checked.as_ref(),
            seconds: self.decided.seconds,
            shown,
            evidence: self.evidence.as_ref(),
            details: &self.details,
            failure: self.failure.as_deref(),
        }
    }

    /// An answer that no engine gave.
    pub fn without_engine(heading: Heading, property: usize, reason: String) -> Item {
        Item {
            heading,
            decided: Decided {
                property,
                engine: NO_ENGINE,
                because: "",
                answer: Answer::unknown(reason),
                checked: None,
                seconds: 0.0,
                failure: None,
                witness: None,
            },
            shown: Shown::default(),
            in_full: Shown::default(),
            evidence: None,
            document: Json::Null,
            details: Map::new(),
            failure: None,
            exports: Vec::new(),
        }
    }
}

/// The answers so far. Once they are reported, others come too late.
#[derive(Default)]
pub struct Found {
    pub items: Vec<Item>,
    closed: bool,
}

impl Found {
    /// Shows an answer, and keeps it.
    pub fn add(
        &mut self,
        decided: Decided,
        checker: &dyn Checker,
        model: &dyn Model,
        check: &Check,
        context: &Context,
        line: &ProgressLine,
    ) {
        if self.closed {
            return;
        }
        let item = completed(decided, checker, model, check, context);
        line.clear();
        show(&item, model, check, &model.settings(&context.options));
        self.items.push(item);
    }

    /// An answer that no engine gave.
    pub fn add_unknown(
        &mut self,
        heading: Heading,
        property: usize,
        reason: String,
        model: &dyn Model,
        check: &Check,
    ) {
        let item = Item::without_engine(heading, property, reason);
        show(&item, model, check, &Map::new());
        self.items.push(item);
    }

    /// The answers in the order in which the properties were asked for; what comes later is not added any more.
    pub fn close(&mut self, asked: &[usize]) -> Found {
        self.closed = true;
        let mut items = std::mem::take(&mut self.items);
        items.sort_by_cached_key(|item| {
            asked
                .iter()
                .position(|&property| property == item.decided.property)
        });
        Found { items, closed: false }
    }

    /// Whether some answer has this verdict.
    pub fn any(&self, verdict: Verdict) -> bool {
        self.items
            .iter()
            .any(|item| item.decided.answer.verdict == verdict)
    }
}

fn completed(
    decided: Decided,
    checker: &dyn Checker,
    model: &dyn Model,
    check: &Check,
    context: &Context,
) -> Item {
    let (property, answer) = (decided.property, &decided.answer);
    let heading = model.properties()[property].clone();
    let failure = decided.failure.as_ref().map(|error| {
        let case = Case {
            message: &error.message,
            model: &check.model,
            language: model.language(),
            property: object!({"name": heading.name, "formula": heading.text, "logic": heading.logic.name()}),
            engine: decided.engine,
            claim: error.claimed.clone(),
            folder: check.evidence.as_deref(),
        };
        (error.message.clone(), case.save())
    });
    let mut details = checker.details(property, answer);
    if let Some((message, case)) = &failure {
        details.insert(
            "internal_error".into(),
            object!({"message": message, "case": case}),
        );
    }
    let wants_all =
        check.report.is_some() || check.trace.is_some() || check.dot.is_some() || check.verbose > 0;
    let mut shown = match check.verbose > 0 {
        true => checker.show_in_full(property, answer),
        false => checker.show(property, answer),
    };
    let witness = decided.witness.as_ref().filter(|_| check.witness);
    let witness = witness.map(|found| (checker.show(found.position, &found.answer), found));
    let mut witnessed: Vec<Exhibit> = Vec::new();
    if let Some((seen, found)) = &witness {
        let title = "a path on which it holds and says something";
        witnessed.extend(seen.exhibits.iter().cloned().map(|exhibit| Exhibit {
            title: Some(title.to_owned()),
            ..exhibit
        }));
        if let Some(evidence) = &found.answer.evidence {
            let evidence = checker.to_json(found.position, &**evidence);
            details.insert("witness".into(), Json::Object(evidence));
        }
    }
    if check.witness && witness.is_none() && answer.verdict == Verdict::Holds && answer.evidence.is_some() {
        witnessed.push(Exhibit {
            title: None,
            prominence: Prominence::Main,
            view: View::Notes(vec![NO_WITNESS.to_owned()]),
        });
    }
    shown.exhibits.extend(witnessed.iter().cloned());
    let exports = checker.export_formats().iter().filter_map(|&extension| {
        let wanted = check.evidence.is_some() || check.trace.is_some();
        let text = wanted.then(|| checker.export(property, answer, extension));
        Some((extension, text.flatten()?))
    });
    Item {
        in_full: match wants_all {
            true => {
                let mut in_full = checker.show_in_full(property, answer);
                in_full.exhibits.extend(witnessed);
                in_full
            }
            false => Shown::default(),
        },
        evidence: answer
            .evidence
            .as_ref()
            .map(|evidence| checker.to_json(property, &**evidence)),
        document: match check.evidence.is_some() || check.trace.is_some() {
            true => saved::document(model, &context.options, property, decided.engine, answer, checker),
            false => Json::Null,
        },
        exports: exports.collect(),
        failure: failure.map(|(message, case)| match case {
            Some(case) => format!("internal error: {message}; the case is saved as {case}"),
            None => format!("internal error: {message}"),
        }),
        shown,
        details,
        heading,
        decided,
    }
}

/// Prints an answer.
fn show(item: &Item, model: &dyn Model, check: &Check, settings: &Map<String, Json>) {
    if check.json {
        return;
    }
    if check.json_lines {
        let figures = model.figures();
        let report = Report {
            name: model.source().name(),
            language: model.language(),
            settings,
            figures: &figures,
            source: model.source(),
            answers: Vec::new(),
            graph: None,
            coverage: None,
            seconds: 0.0,
            peak_memory_bytes: None,
        };
        return print_json(&json::line(&report, &item.report()));
    }
    let mut look = text_options(&check.look);
    look.all_values = check.verbose > 1;
    look.defines = check.verbose > 0;
    look.rounds = check.verbose > 0;
    look.detail = check.verbose > 0;
    print(&text::answer(&item.report(), &look));
}
