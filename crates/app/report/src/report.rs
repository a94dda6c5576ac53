//! What the app tells the reports.

use entail_evidence::{CheckReport, DeadEnds, Evidence, Explanation, Outcome, PathEnd, Trace};
use entail_logic::Property;
use entail_model::{TermId, TransitionSystem};

/// The model that was checked.
#[derive(Clone, Copy, Debug)]
pub struct ModelReport<'a> {
    /// What the user calls it: its file name.
    pub name: &'a str,
    /// Its language, as `--language` names it.
    pub language: &'a str,
    /// The model itself, for names, sorts and defines.
    pub system: &'a TransitionSystem,
    /// What dead ends meant.
    pub dead_ends: DeadEnds,
}

/// The answer to one property.
#[derive(Clone, Debug)]
pub struct PropertyReport<'a> {
    /// The property.
    pub property: &'a Property<TermId>,
    /// The answer.
    pub outcome: &'a Outcome,
    /// The engine that gave it.
    pub engine: &'a str,
    /// Seconds spent on it, checking included.
    pub seconds: f64,
    /// What the checkers said about the evidence; none if there was nothing to check.
    pub checked: Option<&'a CheckReport>,
    /// The mistake of Entail's because of which there is no answer.
    pub internal: Option<&'a InternalReport>,
}

/// A mistake of Entail's, found while a property was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InternalReport {
    /// What happened.
    pub message: String,
    /// The file with what is needed to find it, if it could be saved.
    pub case: Option<String>,
}

impl InternalReport {
    /// A line that says what to do.
    pub(crate) fn advice(&self) -> String {
        let saved = match &self.case {
            Some(file) => format!("the case is saved in {file}: please send it"),
            None => "the case could not be saved".to_owned(),
        };
        format!("this is a mistake in Entail, not in the model; {saved}")
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::json!({"message": self.message, "case": self.case})
    }
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The model.
    pub model: ModelReport<'a>,
    /// The answers, in the order of the properties.
    pub properties: Vec<PropertyReport<'a>>,
    /// Seconds for everything.
    pub seconds: f64,
    /// The most memory the process used, if it is known.
    pub peak_memory_bytes: Option<u64>,
}

impl PropertyReport<'_> {
    /// The tree of the evidence, if it is one.
    pub fn explanation(&self) -> Option<&Explanation> {
        match &self.outcome.evidence {
            Some(Evidence::Explanation(tree)) => Some(tree),
            _ => None,
        }
    }

    /// The path that shows the answer, if there is one: the trace, or the path of the tree's first node that has one.
    pub fn trace(&self) -> Option<&Trace> {
        match &self.outcome.evidence {
            Some(Evidence::Trace(trace)) => Some(trace),
            Some(Evidence::Explanation(tree)) => first_path(tree),
            _ => None,
        }
    }

    /// Whether the evidence was established again by the checkers.
    pub fn is_checked(&self) -> bool {
        self.checked.is_some_and(CheckReport::is_accepted)
    }
}

fn first_path(tree: &Explanation) -> Option<&Trace> {
    use entail_evidence::Because;
    match &tree.because {
        Because::Path(witness) => Some(&witness.trace),
        Because::Operands(operands) => operands.iter().find_map(first_path),
        Because::Evaluation | Because::Exhaustion => None,
    }
}

/// How a trace ends under a policy, as far as the trace alone tells.
pub(crate) fn path_end(trace: &Trace, dead_ends: DeadEnds) -> PathEnd {
    PathEnd::of(trace, dead_ends)
}
