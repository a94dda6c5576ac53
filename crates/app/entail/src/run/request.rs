//! What is asked of the runner, and what it gives back.

use super::race::Launcher;
use super::recheck::Rechecking;
use entail_answer::{Answer, CheckReport};
use entail_budget::{Budget, Cancellation};
use entail_family::{ModelError, Options, Thoroughness, Usage, Witness};
use serde_json::Value as Json;
use std::time::Duration;

/// What is to be decided, and what it may cost.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Positions of the properties.
    pub properties: Vec<usize>,
    /// The engine; none lets the model's schedule choose.
    pub engine: Option<&'static str>,
    /// What the user asked for.
    pub options: Options,
    /// Time for the whole run.
    pub timeout: Option<Duration>,
    /// Time for each property.
    pub property_timeout: Option<Duration>,
    /// Resident memory of the process, in bytes.
    pub memory: Option<u64>,
    /// The same where the user asked for no limit.
    pub default_memory: Option<u64>,
    /// The switch that stops everything.
    pub cancellation: Cancellation,
    /// How long checking evidence may take.
    pub rechecking: Rechecking,
    /// How much engines do for evidence that can be checked without repeating their work.
    pub thoroughness: Thoroughness,
    /// How much is asked beside a property that holds, to find out whether that means something.
    pub scrutiny: Scrutinizing,
    /// How processes for racing engines are started; without it engines take turns in this process.
    pub launcher: Option<Launcher>,
    /// A mistake that is to be made about the property at a position, so that the way it is handled can be tested.
    pub fault: Option<(usize, Fault)>,
}

/// How much is asked beside a property that holds: whether some path counts, whether its parts matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scrutinizing {
    /// Nothing.
    Never,
    /// What takes a small part of the time that the property took.
    #[default]
    InPassing,
    /// What takes about as long as the property took.
    Thoroughly,
}

/// In passing, a property gets so much time at least, as long as all of them together have not got more than a run of small ones may take.
const IN_PASSING: Duration = Duration::from_millis(50);
const ALL_IN_PASSING: Duration = Duration::from_millis(200);

impl Scrutinizing {
    /// The time there is for it, after an answer that took so long, and after so much time for this with other properties.
    pub(super) fn time(self, spent: Duration, before: Duration, left: Option<Duration>) -> Option<Duration> {
        let time = match self {
            Scrutinizing::Never => return None,
            Scrutinizing::InPassing => {
                let least = ALL_IN_PASSING.saturating_sub(before).min(IN_PASSING);
                (spent / 10).max(least)
            }
            Scrutinizing::Thoroughly => spent.saturating_mul(2).max(Duration::from_secs(5)),
        };
        Some(left.map_or(time, |left| left.min(time))).filter(|time| !time.is_zero())
    }
}

/// A mistake to be made on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The engine panics.
    Panic,
    /// The engine claims the opposite of what it found.
    Lie,
}

impl Request {
    /// The limit that ends work on a property first.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        [self.timeout, self.property_timeout].into_iter().flatten().min()
    }

    /// A budget with these limits and no more time than so much.
    pub(super) fn budget(&self, time: Option<Duration>) -> Budget {
        Budget::unlimited()
            .with_timeout(time)
            .with_memory(self.memory)
            .with_default_memory(self.default_memory)
            .with_cancellation(self.cancellation.clone())
    }
}

/// A property that has been decided, or given up.
#[derive(Debug)]
pub struct Decided {
    /// Position of the property.
    pub property: usize,
    /// The engine that answered, or was last tried.
    pub engine: &'static str,
    /// Why this engine was tried.
    pub because: &'static str,
    /// What it said. Where its evidence was rejected, the answer is *unknown*.
    pub answer: Answer,
    /// What the checker said about the evidence; none for an unknown verdict.
    pub checked: Option<CheckReport>,
    /// Seconds for finding the answer and checking it.
    pub seconds: f64,
    /// A bug in Entail showed.
    pub failure: Option<InternalError>,
    /// An answer that shows that a property that holds says something.
    pub witness: Option<Witness>,
}

/// A bug in Entail: evidence that was rejected, or a panic. It concerns one property; the others go on.
#[derive(Clone, Debug, PartialEq)]
pub struct InternalError {
    /// What went wrong.
    pub message: String,
    /// What the engine had claimed, as saved evidence: not a verdict, but what whoever mends the bug needs.
    pub claimed: Option<Json>,
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An option is wrong.
    #[error(transparent)]
    Usage(#[from] Usage),
    /// The model has no meaning.
    #[error(transparent)]
    Model(#[from] ModelError),
}
