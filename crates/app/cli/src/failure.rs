//! How the program ends: exit statuses, and what is printed when something is wrong.

use crate::terminal::{error_colour, rendered};
use entail::{Failure, LoadError, Model};
use entail_budget::Spent;
use entail_evidence::ModelError;
use entail_report::text::TextOptions;
use entail_report::{SignalTable, text};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

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
pub enum Stop {
    /// A message and an exit status.
    Message(String, u8),
    /// Something is wrong with a text.
    Invalid(Source, Diagnostics),
    /// The model has no meaning; the report says why and shows the path there.
    Meaningless {
        /// What is printed.
        report: String,
    },
    /// An engine's evidence was rejected.
    Internal(String),
}

impl Stop {
    /// The command line asks for something that does not exist.
    pub fn usage(message: impl Into<String>) -> Stop {
        Stop::Message(message.into(), USAGE)
    }

    /// A file cannot be read, written or understood.
    pub fn input(message: impl Into<String>) -> Stop {
        Stop::Message(message.into(), INPUT)
    }

    /// A limit was reached before anything was known.
    pub fn spent(spent: Spent, message: &str) -> Stop {
        let status = match spent {
            Spent::Cancelled => INTERRUPTED,
            Spent::Time(_) | Spent::Memory { .. } | Spent::DefaultMemory { .. } => UNKNOWN,
        };
        Stop::Message(message.to_owned(), status)
    }

    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Stop::Message(_, status) => *status,
            Stop::Invalid(..) | Stop::Meaningless { .. } => INPUT,
            Stop::Internal(_) => INTERNAL,
        }
    }
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Stop {
        match error {
            LoadError::Invalid {
                source_text,
                diagnostics,
            } => Stop::Invalid(source_text, diagnostics),
            LoadError::UnknownLanguage { .. } | LoadError::Program { .. } => Stop::usage(error.to_string()),
            LoadError::Spent { spent, .. } => Stop::spent(spent, &error.to_string()),
            LoadError::Unreadable { .. } | LoadError::Translation { .. } => Stop::input(error.to_string()),
        }
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        match failure {
            Failure::NoSuchEngine { .. } => Stop::usage(failure.to_string()),
            Failure::Model(error) => Stop::input(error.to_string()),
            Failure::Cluster(_) => Stop::Message(failure.to_string(), LOST),
        }
    }
}

/// An error of the model, shown at its place in the text and with the path that leads to it.
pub fn meaningless(model: &Model, error: &ModelError) -> Stop {
    let place = error
        .place
        .map_or(Span::new(0, 0), |(start, end)| Span::new(start, end));
    let label = if error.place.is_some() {
        "here"
    } else {
        "in this model"
    };
    let mut diagnostic = Diagnostic::error("model::meaningless", error.message.clone(), place, label);
    diagnostic.help = error.help.clone();
    let mut report = rendered(model.source(), &diagnostic.into());
    if let Some(trace) = &error.trace {
        let options = TextOptions {
            colour: error_colour(),
            ..TextOptions::default()
        };
        report += "It is reached like this:\n";
        report += &text::trace_alone(&SignalTable::of_trace(model.system(), trace, false), &options);
    }
    Stop::Meaningless { report }
}
