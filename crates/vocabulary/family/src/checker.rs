//! Judging answers, and their evidence in other forms.

use entail_answer::{Answer, CheckReport, Evidence};
use entail_budget::Budget;
use entail_show::Shown;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json};

/// Judges answers about one model. It knows what the model means and shares no code with the engines; what it keeps between answers
/// (an invariant that is known to be inductive) it has established itself.
pub trait Checker {
    /// Whether the evidence of a *holds* or *fails* supports it.
    fn check(&mut self, property: usize, answer: &Answer, budget: &Budget) -> CheckReport;

    /// The evidence as JSON, with its `kind`, for readers of the report.
    fn to_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json>;

    /// The same with all that is needed to check it again: for saved evidence and races.
    fn to_saved_json(&self, property: usize, evidence: &dyn Evidence) -> Map<String, Json> {
        self.to_json(property, evidence)
    }

    /// The evidence of a saved document, whose key `evidence` is what [`Checker::to_saved_json`] gave.
    fn evidence_from_json(&self, property: usize, document: &Json) -> Result<Box<dyn Evidence>, ReadError>;

    /// What people should look at.
    fn show(&self, property: usize, answer: &Answer) -> Shown;

    /// The same with what costs time to compute and only reports, saved traces and readers who ask for more see (values of defines, the truth
    /// of subformulas at every position).
    fn show_in_full(&self, property: usize, answer: &Answer) -> Shown {
        self.show(property, answer)
    }

    /// Further keys for the answer in the JSON report.
    fn details(&self, _property: usize, _answer: &Answer) -> Map<String, Json> {
        Map::new()
    }

    /// The extensions of files in formats of the field that [`Checker::export`] writes.
    fn export_formats(&self) -> &'static [&'static str] {
        &[]
    }

    /// The evidence in a format of the field that files of this extension are in, or why it cannot be said there; nothing if there is no
    /// such format, or if it has nothing to say about this answer.
    fn export(&self, _property: usize, _answer: &Answer, _extension: &str) -> Option<Result<String, String>> {
        None
    }

    /// Evidence in a format of the field: nothing if the text is in none that this family knows.
    fn import(&self, _text: &str) -> Option<Result<Vec<Claim>, ReadError>> {
        None
    }
}

/// Evidence that is plain serialisable data, as [`Checker::to_json`] wants it: an enum with `#[serde(tag = "kind")]`, say.
pub fn evidence_to_map(evidence: &impl Serialize) -> Map<String, Json> {
    match serde_json::to_value(evidence) {
        Ok(Json::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Reads what [`evidence_to_map`] wrote from a saved document.
pub fn evidence_from_document<E: DeserializeOwned>(document: &Json) -> Result<E, ReadError> {
    serde_json::from_value(document["evidence"].clone())
        .map_err(|error| ReadError::NotEvidence(format!("`evidence`: {error}")))
}

/// A claim about a property that was read from a file.
#[derive(Debug)]
pub struct Claim {
    /// The property.
    pub property: usize,
    /// What is claimed.
    pub answer: Answer,
}

/// Why a file is no evidence about a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is not the evidence it should be, or not about this model.
    #[error("{0}")]
    NotEvidence(String),
    /// It is understood, and what it says of itself is not so (its checksum, the name of the property, what its steps do): whatever it
    /// claims is rejected.
    #[error("{0}")]
    False(String),
}

impl From<String> for ReadError {
    fn from(message: String) -> ReadError {
        ReadError::NotEvidence(message)
    }
}

impl From<&str> for ReadError {
    fn from(message: &str) -> ReadError {
        ReadError::NotEvidence(message.to_owned())
    }
}
