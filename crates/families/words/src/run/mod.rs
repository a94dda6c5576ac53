//! A recorded run and the properties that are asked of it: `entail evaluate run.vcd --properties bus.psl`.
//!
//! The engine goes through the run from its end (`entail_automata::assertion::FiniteWord`); the checker evaluates the property by its definition, without automata. What both are given is
//! the word: which atoms are true at which step.

mod checker;
mod layer;
#[cfg(test)]
mod tests;
mod ticks;

use checker::{RunChecker, RunEvidence};
use entail_answer::{Answer, Statistics, Verdict};
use entail_automata::assertion::{FiniteWord, NotEvaluated};
use entail_budget::{Budget, Progress};
use entail_family::{
    Checker, Heading, Input, LoadError, Model, ModelError, OptionSpec, Options, ReadError, Session, Turn,
    Usage, standard,
};
use entail_logic::{Logic, View};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_systemverilog::{Said, directives};
use entail_waves::Recording;
use layer::{Asked, RunCheck, read};
use serde_json::{Map, Value as Json};

/// The name of the engine.
pub(crate) const ENGINE: &str = "run";

/// The views, with their names.
const VIEWS: [(&str, &str); 3] = [
    ("neutral", "the run is all there is"),
    ("weak", "it fails where nothing that follows could mend it"),
    ("strong", "it holds where nothing that follows could spoil it"),
];

/// What a recorded run can be asked with.
pub(crate) const OPTIONS: &[OptionSpec] = &[
    OptionSpec::with_value("properties", "FILE.psl", "Properties in PSL: verification units")
        .repeated()
        .of(standard::READING),
    OptionSpec::with_value(
        "clock",
        "EVENT",
        "The clock of what has none in a recorded run: a signal whose rising edges are ticks, 'negedge clk', 'posedge clk iff en'",
    )
    .of(standard::READING),
    OptionSpec::choice("view", &VIEWS, "How the end of a recorded run is taken").of(standard::READING),
    OptionSpec::with_value("scope", "PATH", "Where the names of properties are looked for in a recorded run: top.dut")
        .of(standard::READING),
];

fn view_named(name: Option<&str>) -> View {
    match name {
        Some("weak") => View::Weak,
        Some("strong") => View::Strong,
        _ => View::Neutral,
    }
}

/// A run with its properties.
pub(crate) struct RunModel {
    source: Source,
    pub(crate) recording: Recording,
    headings: Vec<Heading>,
    pub(crate) checks: Vec<RunCheck>,
    undecided: Vec<(Heading, String)>,
    view: View,
    view_name: String,
    clock: Option<String>,
    scope: Option<Vec<String>>,
}

/// An event from what the user says: a name alone means its rising edge.
fn event(text: &str) -> String {
    let text = text.trim();
    match text.split_whitespace().count() {
        1 => format!("posedge {text}"),
        _ => text.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

/// Reads a run and the properties that the options name.
pub(crate) fn load(input: &Input<'_>) -> Result<Box<dyn Model>, LoadError> {
    let text = input.text()?;
    let recording = entail_waves::read(&text).map_err(|problems| LoadError::invalid(&text, problems))?;
    let mut files = Vec::new();
    for path in input.options.values("properties") {
        let unreadable = |reason: String| LoadError::Unreadable {
            path: path.into(),
            reason,
        };
        let bytes = entail_source::read_file(path.as_ref()).map_err(|error| unreadable(error.to_string()))?;
        let text =
            entail_source::decode(bytes).map_err(|_| unreadable("it is not a text file".to_owned()))?;
        files.push(Source::new(path, text));
    }
    let source = Source::joined(input.name, files);
    let mut model = RunModel {
        scope: named_scope(&recording, input.options.value("scope"))?,
        recording,
        headings: Vec::new(),
        checks: Vec::new(),
        undecided: Vec::new(),
        view: view_named(input.options.value("view")),
        view_name: input.options.value("view").unwrap_or("neutral").to_owned(),
        clock: input.options.value("clock").map(event),
        source,
    };
    let source = model.source.clone();
    let found = directives(&source).map_err(|problems| LoadError::invalid(&source, problems))?;
    let mut problems = Vec::new();
    for directive in found {
        let scope = match model.scope_of(directive.module.as_ref()) {
            Ok(scope) => scope,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let text = source.slice(directive.span);
        let path = scope.iter().map(String::as_str).chain([directive.name.as_str()]);
        let heading = Heading {
            name: Some(path.collect::<Vec<_>>().join(".")),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            logic: Logic::Ltl,
            place: Some(directive.span),
        };
        let read = read(&Asked {
            recording: &model.recording,
            scope: &scope,
            said: directive.said,
            text: directive.text(),
            clock: directive.clock.as_deref().or(model.clock.as_deref()),
            view: model.view,
        });
        match read {
            Ok(check) => {
                model.headings.push(heading);
                model.checks.push(check);
            }
            Err(problem) if problem.code.ends_with("::unsupported") => {
                model.undecided.push((heading, problem.message));
            }
            Err(mut problem) => {
                for label in &mut problem.labels {
                    label.span = match label.span.is_empty() {
                        true => directive.span,
                        false => directive.place(label.span),
                    };
                }
                problems.push(problem);
            }
        }
    }
    match problems.is_empty() {
        true => Ok(Box::new(model)),
        false => Err(LoadError::invalid(&source, Diagnostics(problems))),
    }
}

/// The scope that the user names.
fn named_scope(recording: &Recording, path: Option<&str>) -> Result<Option<Vec<String>>, Usage> {
    let Some(path) = path else {
        return Ok(None);
    };
    let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
    match recording.scopes.contains(&parts) {
        true => Ok(Some(parts)),
        false => {
            let known: Vec<String> = recording
                .scopes
                .iter()
                .take(20)
                .map(|scope| scope.join("."))
                .collect();
            Err(Usage(format!(
                "--scope {path}: the run has no such scope; it has {}",
                known.join(", ")
            )))
        }
    }
}

impl RunModel {
    /// The scope of a unit: the one the user names, the one called like the module, or the outermost with signals.
    fn scope_of(&self, module: Option<&(String, Span)>) -> Result<Vec<String>, Diagnostic> {
        if let Some(scope) = &self.scope {
            return Ok(scope.clone());
        }
        let scopes = &self.recording.scopes;
        let called: Vec<&Vec<String>> = match module {
            None => Vec::new(),
            Some((name, _)) => scopes.iter().filter(|scope| scope.last() == Some(name)).collect(),
        };
        match (&called[..], module) {
            ([only], _) => return Ok((*only).clone()),
            ([_, _, ..], Some((name, span))) => {
                let known: Vec<String> = called.iter().map(|scope| scope.join(".")).collect();
                let message = format!("the run has several scopes `{name}`");
                let help = format!("say which is meant: --scope {}", known.join(", or --scope "));
                return Err(Diagnostic::error("psl::scope", message, *span, "here").with_help(help));
            }
            _ => {}
        }
        let has_signals =
            |scope: &&Vec<String>| self.recording.signals.iter().any(|one| one.scope == **scope);
        let outermost = scopes.iter().filter(has_signals).min_by_key(|scope| scope.len());
        Ok(outermost.cloned().unwrap_or_default())
    }
}

impl Model for RunModel {
    fn source(&self) -> &Source {
        &self.source
    }

    fn language(&self) -> &'static str {
        "vcd"
    }

    fn properties(&self) -> &[Heading] {
        &self.headings
    }

    fn unsupported(&self) -> Vec<(Heading, String)> {
        self.undecided.clone()
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        if let Some(other) = logic.filter(|logic| *logic != Logic::Ltl) {
            return Err(Usage(format!(
                "properties of recorded runs are written in PSL, not in {other}"
            ))
            .into());
        }
        let source = Source::new("formula", text);
        let invalid = |problem: Diagnostic| LoadError::invalid(&source, problem);
        let scope = self.scope_of(None).map_err(invalid)?;
        let check = read(&Asked {
            recording: &self.recording,
            scope: &scope,
            said: Said::Assert,
            text,
            clock: self.clock.as_deref(),
            view: self.view,
        });
        self.checks.push(check.map_err(invalid)?);
        self.headings.push(Heading::new(text, Logic::Ltl, None));
        Ok(self.headings.len() - 1)
    }

    fn figures(&self) -> Statistics {
        Statistics::default()
            .with("signals", self.recording.signals.len() as u64)
            .with("times", self.recording.times.len() as u64)
    }

    fn settings(&self, _options: &Options) -> Map<String, Json> {
        Map::from_iter([("view".to_owned(), self.view_name.clone().into())])
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        let mut options = Options::default();
        if let Some(view) = document.get("view").and_then(Json::as_str) {
            options.give("view", view);
        }
        Ok(options)
    }

    fn schedule(&self, _property: usize, _options: &Options, _racing: bool) -> Vec<Turn> {
        vec![Turn::alone(ENGINE, None, "a run is gone through")]
    }

    fn open<'m>(&'m self, _options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        Ok(Box::new(RunSession { model: self }))
    }

    fn checker<'m>(&'m self, _options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(Box::new(RunChecker { model: self }))
    }
}

struct RunSession<'m> {
    model: &'m RunModel,
}

/// The truth of a property and the step that shows it.
pub(crate) fn evaluated(check: &RunCheck, budget: &Budget) -> Result<(bool, Option<usize>), NotEvaluated> {
    let word = FiniteWord::new(&check.letters, budget);
    let truth = word.holds(&check.assertion, check.view)?;
    let shown = match truth {
        true => word.shortest_confirmation(&check.assertion)?,
        false => word.shortest_violation(&check.assertion)?,
    };
    Ok((truth, shown.map(|length| length - 1)))
}

impl Session for RunSession<'_> {
    fn check(
        &mut self,
        _engine: &str,
        property: usize,
        budget: &Budget,
        _progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        let check = &self.model.checks[property];
        Ok(match evaluated(check, budget) {
            Err(problem) => Answer::unknown(problem.to_string()),
            Ok((truth, step)) => {
                let evidence = RunEvidence::Run {
                    steps: check.letters.len(),
                    step,
                    time: step.map(|step| self.model.recording.times[check.times[step].0]),
                };
                let verdict = if truth { Verdict::Holds } else { Verdict::Fails };
                Answer::complete(verdict, evidence).boxed()
            }
        })
    }
}
