//! What the app tells the reports.

use entail_answer::{Answer, CheckReport, Statistics};
use entail_family::{Coverage, Heading};
use entail_show::{Graph, Shown};
use entail_source::Source;
use serde_json::{Map, Value as Json};

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct AnswerReport<'a> {
    /// The property.
    pub heading: &'a Heading,
    /// Its position among the properties of the model, from 0.
    pub position: usize,
    /// The engine that gave the answer.
    pub engine: &'a str,
    /// Why that engine was chosen.
    pub because: &'a str,
    /// The answer.
    pub answer: &'a Answer,
    /// What the checker said about the evidence; nothing if there was nothing to check.
    pub checked: Option<&'a CheckReport>,
    /// Seconds spent on it, checking included.
    pub seconds: f64,
    /// What people should look at.
    pub shown: &'a Shown,
    /// The evidence as JSON.
    pub evidence: Option<&'a Map<String, Json>>,
    /// Further keys for the JSON report.
    pub details: &'a Map<String, Json>,
    /// An internal error about this property.
    pub failure: Option<&'a str>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// What the user calls the model: its file name.
    pub name: &'a str,
    /// Its language, as `--language` names it.
    pub language: &'a str,
    /// What verdicts depend on beside model and property, as keys of reports and saved evidence.
    pub settings: &'a Map<String, Json>,
    /// How large the model is.
    pub figures: &'a Statistics,
    /// The model's text.
    pub source: &'a Source,
    /// The answers.
    pub answers: Vec<AnswerReport<'a>>,
    /// The states of a small model, or why they are not drawn; nothing if they were not asked for.
    pub graph: Option<Result<Graph, String>>,
    /// What of the model no run reaches, and no proof needed; nothing if it was not asked for.
    pub coverage: Option<Coverage>,
    /// Seconds for everything.
    pub seconds: f64,
    /// The most memory the process used, if it is known.
    pub peak_memory_bytes: Option<u64>,
}

impl AnswerReport<'_> {
    /// Whether everything the verdict rests on was established again.
    pub fn is_checked(&self) -> bool {
        self.checked.is_some_and(CheckReport::is_accepted)
    }
}
