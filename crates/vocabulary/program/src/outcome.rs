//! What an engine says about a requirement. Plain data.

use crate::run::Run;

/// Whether steps were left out because the order of independent steps does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reduction {
    /// Nobody asked for it.
    #[default]
    Off,
    /// Steps that suffice stood for all.
    Used,
    /// It would not be sound, for this reason.
    Refused(String),
}

/// An engine's answer to one requirement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Whether the requirement is met; nothing if it is not decided.
    pub holds: Option<bool>,
    /// Why it is not decided, or what goes wrong.
    pub reason: Option<String>,
    /// A run that violates it.
    pub run: Option<Run>,
    /// Only runs count in which every process that can always move from some time on does.
    pub fair: bool,
    /// What was left out.
    pub reduction: Reduction,
    /// States stored.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Steps from the initial state to the most distant one that was seen.
    pub depth: u64,
    /// How states were stored.
    pub storage: Option<String>,
    /// Bytes of memory for the states.
    pub bytes: u64,
    /// Of a search that may have left states out: the share of the states that was likely seen.
    pub coverage: Option<f64>,
    /// Of a search that looked only at runs with so many changes of the moving process: how many.
    pub bound: Option<u64>,
}

impl Outcome {
    /// Not decided.
    pub fn unknown(reason: impl Into<String>) -> Outcome {
        Outcome {
            reason: Some(reason.into()),
            ..Outcome::default()
        }
    }
}
