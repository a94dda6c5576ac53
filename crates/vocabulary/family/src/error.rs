//! Why there is no model, and why a model has no answers.

use entail_budget::Spent;
use entail_show::Timeline;
use entail_source::{Diagnostics, Source, Span};
use std::path::PathBuf;

/// An option that does not make sense; the text says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Why a model could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file could not be read at all.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system, or another program that had to read it, says.
        reason: String,
    },
    /// The text is wrong.
    #[error("{diagnostics}")]
    Invalid {
        /// The text.
        source_text: Source,
        /// What is wrong with it.
        diagnostics: Diagnostics,
    },
    /// An option is wrong.
    #[error(transparent)]
    Usage(#[from] Usage),
    /// There was not enough time or memory.
    #[error("reading the model: {0}")]
    Spent(#[from] Spent),
}

impl LoadError {
    /// A text is wrong.
    pub fn invalid(source_text: &Source, diagnostics: impl Into<Diagnostics>) -> LoadError {
        LoadError::Invalid {
            source_text: source_text.clone(),
            diagnostics: diagnostics.into().within(source_text.text()),
        }
    }
}

/// The model has no meaning: an error of its author that only deciding could find. There is no verdict about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong.
    pub message: String,
    /// Where in the source, if there is a place.
    pub place: Option<Span>,
    /// How to get there.
    pub timeline: Option<Box<Timeline>>,
    /// What to do.
    pub help: Option<String>,
}
