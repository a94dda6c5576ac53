//! Terminal colours, as marks that [`crate::clean::screen`] turns into colours or leaves out.

use crate::clean::Style;
use entail_answer::Verdict;

fn with(style: Style, text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("{}{text}{}", style.mark(), Style::Plain.mark()),
    }
}

/// The verdict, padded so that formulas line up.
pub(crate) fn verdict(verdict: Verdict) -> String {
    match verdict {
        Verdict::Holds => with(Style::Good, "holds  "),
        Verdict::Fails => with(Style::Bad, "fails  "),
        Verdict::Unknown => with(Style::Open, "unknown"),
    }
}

pub(crate) fn faint(text: &str) -> String {
    with(Style::Faint, text)
}

pub(crate) fn strong(text: &str) -> String {
    with(Style::Strong, text)
}

pub(crate) fn warning(text: &str) -> String {
    with(Style::Warning, text)
}

pub(crate) fn error(text: &str) -> String {
    with(Style::Error, text)
}

pub(crate) fn input(text: &str) -> String {
    with(Style::Input, text)
}
