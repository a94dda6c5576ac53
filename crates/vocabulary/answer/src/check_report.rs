//! What a checker says about evidence.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The result of checking evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "status")]
pub enum CheckReport {
    /// Everything the verdict rests on was established again.
    Accepted,
    /// Nothing is wrong, but some of it was not established again.
    Partly {
        /// What, and why not.
        unchecked: Vec<String>,
    },
    /// The evidence does not support the verdict.
    Rejected {
        /// What is wrong.
        reason: String,
    },
}

impl CheckReport {
    /// Whether everything was established.
    pub fn is_accepted(&self) -> bool {
        matches!(self, CheckReport::Accepted)
    }

    /// Whether something is wrong.
    pub fn is_rejected(&self) -> bool {
        matches!(self, CheckReport::Rejected { .. })
    }

    /// Something is wrong.
    pub fn rejected(reason: impl Into<String>) -> CheckReport {
        CheckReport::Rejected {
            reason: reason.into(),
        }
    }

    /// Nothing is wrong, but this was not established again.
    pub fn unchecked(what: impl Into<String>) -> CheckReport {
        CheckReport::Partly {
            unchecked: vec![what.into()],
        }
    }

    /// Both results: the first rejection, otherwise all that was left unchecked.
    pub fn and(self, other: CheckReport) -> CheckReport {
        match (self, other) {
            (rejected @ CheckReport::Rejected { .. }, _) | (_, rejected @ CheckReport::Rejected { .. }) => {
                rejected
            }
            (CheckReport::Accepted, other) => other,
            (partly, CheckReport::Accepted) => partly,
            (CheckReport::Partly { mut unchecked }, CheckReport::Partly { unchecked: more }) => {
                for what in more {
                    if !unchecked.contains(&what) {
                        unchecked.push(what);
                    }
                }
                CheckReport::Partly { unchecked }
            }
        }
    }

    /// This result, and the next unless this one is a rejection.
    pub fn and_then(self, next: impl FnOnce() -> CheckReport) -> CheckReport {
        if self.is_rejected() {
            self
        } else {
            self.and(next())
        }
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckReport::Accepted => f.write_str("checked"),
            CheckReport::Partly { unchecked } => write!(f, "not rechecked: {}", unchecked.join("; ")),
            CheckReport::Rejected { reason } => write!(f, "rejected: {reason}"),
        }
    }
}
