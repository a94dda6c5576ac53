//! What an engine says about a requirement. Plain data.

use crate::run::Run;

/// An engine's answer to one requirement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the requirement is met; nothing if it is not decided.
    pub holds: Option<bool>,
    /// Why it is not decided, or what goes wrong.
    pub reason: Option<String>,
    /// A run that violates it.
    pub run: Option<Run>,
    /// Only runs count in which every process that can always move from some time on does.
    pub fair: bool,
    /// States stored.
    pub states: u64,
    /// Steps taken.
    pub transitions: u64,
    /// Steps from the initial state to the most distant one that was seen.
    pub depth: u64,
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
