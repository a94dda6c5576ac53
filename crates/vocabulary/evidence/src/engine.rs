//! The contract of every engine.

use crate::{Outcome, Trace};
use entail_budget::{Budget, Progress};
use entail_logic::Property;
use entail_model::{TermId, TransitionSystem};

/// What a state without successors means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum DeadEnds {
    /// Only infinite paths count, as in NuSMV: a state from which every path ends is as if unfair. Reported as a warning.
    #[default]
    Infinite,
    /// Paths that end in a dead end count too (maximal paths). Past the end no `X` and no `E X` holds; `F` and `U` must be met
    /// before it, `G` need only hold up to it. With fairness, finite maximal paths count as fair.
    Maximal,
    /// A dead end is repeated for ever.
    Stutter,
    /// A dead end is an error of the model.
    Error,
}

/// What the user asked for beyond model and property.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Paths of at most so many steps.
    pub bound: Option<u64>,
    /// What a state without successors means.
    pub dead_ends: DeadEnds,
    /// Threads an engine may use; 0 means one.
    pub threads: usize,
}

/// The model has no meaning: a hazard is reachable, there is no initial state, a dead end is forbidden.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What is wrong.
    pub message: String,
    /// Where in the source, if there is a place.
    pub place: Option<(usize, usize)>,
    /// How to get there.
    pub trace: Option<Trace>,
    /// What to do.
    pub help: Option<String>,
}

/// Decides properties of transition systems.
///
/// An engine is pure: it reads no file and no environment, prints nothing, and its answer depends on its arguments only.
/// It polls the budget in every unbounded loop and answers [`Outcome::unknown`] with what it had reached when the budget is
/// spent or the question is outside its class. It never claims more than it has established; every `Holds` and `Fails` carries
/// evidence in terms of the system it was given.
pub trait Engine: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// One line for `entail engines`: which models and logics it decides, by which method.
    fn description(&self) -> &'static str;

    /// Whether it looks for the part of a system that a property depends on by itself. Others are given that part.
    fn reduces_itself(&self) -> bool {
        false
    }

    /// Decides one property.
    fn check(
        &self,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError>;

    /// Starts work on a system. A session keeps what it learned for one property (the reachable states, say) for the
    /// next; engines that learn nothing of the kind keep this default.
    fn open<'a>(&'a self, system: &'a TransitionSystem, options: &'a CheckOptions) -> Box<dyn Session + 'a> {
        Box::new(Forgetful {
            check: Box::new(move |property, budget, progress| {
                self.check(system, property, options, budget, progress)
            }),
        })
    }
}

/// An engine at work on one system.
pub trait Session {
    /// Decides one property, with the same contract as [`Engine::check`].
    fn check(
        &mut self,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError>;
}

type Check<'a> = dyn FnMut(&Property<TermId>, &Budget, &dyn Progress) -> Result<Outcome, ModelError> + 'a;

/// Starts anew for every property.
struct Forgetful<'a> {
    check: Box<Check<'a>>,
}

impl Session for Forgetful<'_> {
    fn check(
        &mut self,
        property: &Property<TermId>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        (self.check)(property, budget, progress)
    }
}
