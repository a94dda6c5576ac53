//! Errors and warnings about a text, as plain data.

use crate::{Source, Span};
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model can be used, but something in it deserves a look.
    Warning,
    /// The text cannot be used.
    Error,
}

/// A place in the text with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there ("declared here", "this is an integer").
    pub message: String,
}

/// One error or warning: what is wrong, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// A stable name for this kind of problem, e.g. `smv::unknown-identifier`.
    pub code: &'static str,
    /// One sentence, no full stop.
    pub message: String,
    /// The places; the first is the main one.
    pub labels: Vec<Label>,
    /// What the user can do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error with its main place.
    pub fn error(
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Error, code, message, span, label)
    }

    /// A warning with its main place.
    pub fn warning(
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        Self::new(Severity::Warning, code, message, span, label)
    }

    fn new(
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
        span: Span,
        label: impl Into<String>,
    ) -> Self {
        let labels = vec![Label {
            span,
            message: label.into(),
        }];
        Diagnostic {
            severity,
            code,
            message: message.into(),
            labels,
            help: None,
        }
    }

    /// Adds a further place.
    pub fn with_label(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            message: message.into(),
        });
        self
    }

    /// Adds advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// With places of whole letters in the text it is about.
    ///
    /// Scanners count bytes, and may stop in the middle of a letter of several bytes; every reader lets what it says go through here.
    pub fn within(mut self, text: &str) -> Self {
        for label in &mut self.labels {
            label.span = label.span.within(text);
        }
        self
    }

    /// The file that the main place is in, and the same with places there. Labels in other files are left out.
    pub fn in_file<'s>(&self, source: &'s Source) -> (&'s Source, Diagnostic) {
        let (file, _) = source.part(self.span());
        let mut moved = self.clone();
        moved.labels.retain_mut(|label| {
            let (other, span) = source.part(label.span);
            label.span = span;
            other.name() == file.name()
        });
        (file, moved)
    }

    /// The main place.
    pub fn span(&self) -> Span {
        self.labels.first().map(|label| label.span).unwrap_or_default()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// What a reader that failed has to say: at least one error, perhaps warnings too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// With places of whole letters in the text they are about.
    pub fn within(self, text: &str) -> Self {
        Diagnostics(self.0.into_iter().map(|one| one.within(text)).collect())
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, diagnostic) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
