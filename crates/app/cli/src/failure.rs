//! How the program ends: exit statuses, and what is printed when something is wrong.

use crate::terminal::{error_colour, rendered};
use entail_budget::Spent;
use entail_family::{LoadError, Model, ModelError, Usage};
use entail_report::text::{self, TextOptions};
use entail_source::{Diagnostic, Diagnostics, Severity, Source};
use serde_json::{Value as Json, json};

/// Every property holds.
pub const HOLDS: u8 = 0;
/// Some property fails.
pub const FAILS: u8 = 1;
/// No property fails, some are not decided.
pub const UNKNOWN: u8 = 2;
/// The command line is wrong.
pub const USAGE: u8 = 64;
/// The input is wrong.
pub const INPUT: u8 = 65;
/// A worker of a distributed search was lost.
pub const LOST: u8 = 69;
/// Entail is wrong.
pub const INTERNAL: u8 = 70;
/// Something that was to be printed or saved could not be written.
pub const OUTPUT: u8 = 74;
/// Somebody pressed Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// A way to end before the job is done.
#[derive(Debug)]
pub enum CommandError {
    /// A message and an exit status.
    Message(String, u8),
    /// Something is wrong with a text.
    Invalid(Source, Diagnostics),
    /// The model has no meaning; the report says why and shows the path there.
    Meaningless {
        /// What is printed.
        report: String,
        /// The same as data.
        error: Box<(Source, Diagnostics)>,
    },
    /// An engine's evidence was rejected.
    Internal(String),
}

impl CommandError {
    /// The command line asks for something that does not exist.
    pub fn usage(message: impl Into<String>) -> CommandError {
        CommandError::Message(message.into(), USAGE)
    }

    /// A file cannot be read, written or understood.
    pub fn input(message: impl Into<String>) -> CommandError {
        CommandError::Message(message.into(), INPUT)
    }

    /// A limit was reached before anything was known.
    pub fn spent(spent: Spent, message: &str) -> CommandError {
        let status = match spent {
            Spent::Cancelled => INTERRUPTED,
            Spent::Time(_) | Spent::Memory { .. } | Spent::DefaultMemory { .. } => UNKNOWN,
        };
        CommandError::Message(message.to_owned(), status)
    }

    /// What is wrong, as data: what is said of it, and errors with their places.
    pub fn to_json(&self) -> (String, Vec<Json>) {
        let (source, found) = match self {
            CommandError::Message(message, _) | CommandError::Internal(message) => {
                return (
                    message.clone(),
                    vec![placeless_json("error", self.code(), message)],
                );
            }
            CommandError::Invalid(source, found) => (source, found),
            CommandError::Meaningless { error, .. } => (&error.0, &error.1),
        };
        let errors = found.0.iter().map(|one| diagnostic_json(source, one));
        let first = found
            .0
            .iter()
            .find(|one| one.severity == Severity::Error)
            .or(found.0.first());
        let reason = first.map(|one| one.message.clone()).unwrap_or_default();
        (reason, errors.collect())
    }

    /// What kind of error it is that has no place in a text.
    fn code(&self) -> &'static str {
        match self.status() {
            USAGE => "entail::usage",
            INPUT => "entail::input",
            UNKNOWN => "entail::limit",
            INTERRUPTED => "entail::interrupted",
            LOST => "entail::lost",
            OUTPUT => "entail::output",
            _ => "entail::internal",
        }
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            CommandError::Message(_, status) => *status,
            CommandError::Invalid(..) | CommandError::Meaningless { .. } => INPUT,
            CommandError::Internal(_) => INTERNAL,
        }
    }
}

/// What is said about a text, as data.
pub fn diagnostic_json(source: &Source, one: &Diagnostic) -> Json {
    let span = one.labels.first().map(|label| label.span).unwrap_or_default();
    let (source, span) = source.part(span);
    let place = source.place(span.start);
    json!({
        "severity": if one.severity == Severity::Error { "error" } else { "warning" }, "code": one.code,
        "message": one.message, "file": source.name(), "line": place.line, "column": place.column,
        "here": one.labels.first().map(|label| &label.message), "help": one.help,
    })
}

/// What has no place in a text, as data.
pub fn placeless_json(severity: &str, code: &str, message: &str) -> Json {
    json!({
        "severity": severity, "code": code, "message": message, "file": null, "line": null, "column": null, "here": null, "help": null,
    })
}

impl From<Usage> for CommandError {
    fn from(usage: Usage) -> CommandError {
        CommandError::usage(usage.to_string())
    }
}

impl From<LoadError> for CommandError {
    fn from(error: LoadError) -> CommandError {
        match error {
            LoadError::Invalid {
                source_text,
                diagnostics,
            } => CommandError::Invalid(source_text, diagnostics),
            LoadError::Usage(usage) => usage.into(),
            LoadError::Spent(spent) => CommandError::spent(spent, &error.to_string()),
            LoadError::Unreadable { .. } => CommandError::input(error.to_string()),
        }
    }
}

/// An error of the model, shown at its place in the text and with the path that leads to it.
pub fn meaningless(model: &dyn Model, error: &ModelError) -> CommandError {
    let label = match error.place {
        Some(_) => "here",
        None => "in this model",
    };
    let place = error.place.unwrap_or_default();
    let mut diagnostic = Diagnostic::error("model::meaningless", error.message.clone(), place, label);
    diagnostic.help = error.help.clone();
    let found: Diagnostics = diagnostic.into();
    let mut report = rendered(model.source(), &found);
    if let Some(timeline) = &error.timeline {
        let options = TextOptions {
            colour: error_colour(),
            ..TextOptions::default()
        };
        report += "It is reached like this:\n";
        report += &text::timeline(timeline, &options);
    }
    let error = Box::new((model.source().clone(), found));
    CommandError::Meaningless { report, error }
}
