//! What is wrong with a text, and where.

use entail_first_order::sexpr::{Sexpr, SyntaxError};
use entail_source::{Diagnostic, Span};

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Offsets of the place.
    pub place: (usize, usize),
}

impl Problem {
    /// A mistake in an expression.
    pub fn at(expression: &Sexpr, message: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            help: None,
            place: (expression.start, expression.end),
        }
    }

    /// The same with advice.
    pub fn with_help(mut self, help: impl Into<String>) -> Problem {
        self.help = Some(help.into());
        self
    }

    /// As a diagnostic.
    pub fn diagnostic(&self, code: &'static str) -> Diagnostic {
        let span = Span::new(self.place.0, self.place.1);
        let diagnostic = Diagnostic::error(code, self.message.clone(), span, "here");
        match &self.help {
            Some(help) => diagnostic.with_help(help.clone()),
            None => diagnostic,
        }
    }
}

impl From<SyntaxError> for Problem {
    fn from(error: SyntaxError) -> Problem {
        Problem {
            message: error.message,
            help: None,
            place: (error.start, error.end),
        }
    }
}
