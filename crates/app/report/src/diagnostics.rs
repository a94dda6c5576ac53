//! Errors and warnings about a model's text, for people.
//!
//! [`fancy`] is what a terminal shows: miette's report with the source underlined, colours where they are wanted. [`plain`]
//! says the same on few lines without any drawing, for logs, editors and tests.

use crate::excerpt::Excerpt;
use crate::visible::visible;
use entail_source::{Diagnostic, Diagnostics, Severity, Source};
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceSpan};
use std::fmt::Write;

/// Problems beyond this many are counted, not shown.
const SHOWN: usize = 50;

/// All problems, each with its place in the source underlined.
pub fn fancy(diagnostics: &Diagnostics, source: &Source, colour: bool, width: usize) -> String {
    let theme = if colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_width(width)
        .with_context_lines(1);
    let mut out = String::new();
    for diagnostic in diagnostics.0.iter().take(SHOWN) {
        let (source, diagnostic) = &diagnostic.in_file(source);
        let shown = Shown {
            diagnostic,
            source: Excerpt::new(source, diagnostic.labels.iter().map(|label| label.span)),
        };
        if handler.render_report(&mut out, &shown).is_err() {
            out.push_str(&one(diagnostic, source));
        }
    }
    out.push_str(&rest(diagnostics));
    out
}

/// All problems as plain text: `file:line:column: error: message`, then the labels and the advice.
pub fn plain(diagnostics: &Diagnostics, source: &Source) -> String {
    let mut out: String = diagnostics
        .0
        .iter()
        .take(SHOWN)
        .map(|diagnostic| one(diagnostic, source))
        .collect();
    out.push_str(&rest(diagnostics));
    out
}

fn rest(diagnostics: &Diagnostics) -> String {
    match diagnostics.0.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("and {more} more\n"),
    }
}

fn one(diagnostic: &Diagnostic, source: &Source) -> String {
    let (source, diagnostic) = &diagnostic.in_file(source);
    let place = source.place(diagnostic.span().start);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let mut out = format!(
        "{}:{}:{}: {severity}: {} [{}]\n",
        source.name(),
        place.line,
        place.column,
        diagnostic.message,
        diagnostic.code
    );
    for label in &diagnostic.labels {
        let place = source.place(label.span.start);
        if !label.message.is_empty() {
            let _ = writeln!(out, "  {}:{}: {}", place.line, place.column, label.message);
        }
    }
    if let Some(help) = &diagnostic.help {
        let _ = writeln!(out, "  help: {help}");
    }
    visible(&out).into_owned()
}

/// One problem as miette sees it.
struct Shown<'a> {
    diagnostic: &'a Diagnostic,
    source: Excerpt,
}

impl Shown<'_> {
    /// Whether there is a place to be shown: what is about a whole file has none, and no label.
    fn has_place(&self) -> bool {
        let labels = &self.diagnostic.labels;
        labels
            .iter()
            .any(|label| !label.span.is_empty() || !label.message.is_empty())
    }
}

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.diagnostic)
    }
}

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&visible(&self.diagnostic.message))
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        let help = self.diagnostic.help.as_ref()?;
        Some(Box::new(visible(help)))
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        self.has_place()
            .then_some(&self.source as &dyn miette::SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        if !self.has_place() {
            return None;
        }
        let labels = self.diagnostic.labels.iter().zip(&self.source.spans).enumerate();
        let labels = labels.map(|(position, (label, span))| {
            let span = SourceSpan::new(span.start.into(), span.len());
            let text = (!label.message.is_empty()).then(|| visible(&label.message).into_owned());
            if position == 0 {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        });
        Some(Box::new(labels))
    }
}
