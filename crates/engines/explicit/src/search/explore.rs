//! What is explored of a system, and why there may be no answer.

use super::trace;
use crate::state_table::{StateId, StateTable};
use crate::stepper::Stepper;
use crate::{Unsupported, describe};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_evidence::{DeadEnds, ModelError, Statistics, Trace};
use entail_model::Value;

/// Progress is reported once in this many expanded states.
const REPORT_EVERY: u64 = 4096;

/// The states of a graph that are known.
#[derive(Debug)]
pub(crate) struct Explored {
    pub table: StateTable,
    /// Initial states are numbered `0..initial`.
    pub initial: usize,
    pub transitions: u64,
    /// Where states were expanded in order: the largest distance from an initial state.
    pub depth: u64,
    /// Expanded states; the others lie at the bound, or were not needed.
    pub expanded: usize,
    pub dead_end: Option<StateId>,
}

impl Explored {
    /// Whether every reachable state was expanded.
    pub fn is_complete(&self) -> bool {
        self.expanded == self.table.len()
    }

    pub fn statistics(&self) -> Statistics {
        self.statistics_without_depth().with("depth", self.depth)
    }

    /// The same for searches that do not go level by level.
    pub fn statistics_without_depth(&self) -> Statistics {
        Statistics::default()
            .with("states", self.table.len() as u64)
            .with("transitions", self.transitions)
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum ExplorationEnd {
    /// The budget is spent, or the numbers are.
    Unknown { reason: String, statistics: Statistics },
    /// The model has no meaning.
    Error(Box<ModelError>),
}

impl From<Unsupported> for ExplorationEnd {
    fn from(unsupported: Unsupported) -> ExplorationEnd {
        ExplorationEnd::Unknown {
            reason: unsupported.0,
            statistics: Statistics::default(),
        }
    }
}

impl From<ModelError> for ExplorationEnd {
    fn from(error: ModelError) -> ExplorationEnd {
        ExplorationEnd::Error(Box::new(error))
    }
}

/// What is explored, and within which limits.
pub(crate) struct Exploration<'a> {
    pub stepper: &'a Stepper,
    /// Longest paths followed.
    pub bound: Option<u64>,
    pub dead_ends: DeadEnds,
    /// No state is expanded once so many are known.
    pub most_states: Option<usize>,
    pub budget: &'a Budget,
    pub progress: &'a dyn Progress,
}

impl Exploration<'_> {
    pub(super) fn report(&self, explored: &Explored) {
        let done = explored.expanded as u64;
        if done.is_multiple_of(REPORT_EVERY) {
            self.progress.report(&Snapshot {
                phase: "reachability",
                depth: Some(explored.depth),
                states: Some(explored.table.len() as u64),
                frontier: Some(explored.table.len() as u64 - done),
                nodes: None,
            });
        }
    }

    /// Whether anything is left of the budget.
    pub(super) fn poll(&self, explored: &Explored) -> Result<(), ExplorationEnd> {
        self.budget.check().map_err(|spent| self.spent(spent, explored))
    }

    pub(super) fn spent(&self, spent: Spent, explored: &Explored) -> ExplorationEnd {
        ExplorationEnd::Unknown {
            reason: format!("{spent} after {} states", explored.table.len()),
            statistics: explored.statistics(),
        }
    }

    /// A hazard shows in a state, or along a step from it.
    pub(super) fn hazard(
        &self,
        hazard: usize,
        explored: &Explored,
        state: StateId,
        with_inputs: Option<Vec<Option<Value>>>,
    ) -> ExplorationEnd {
        let trace = trace::to_state(self.stepper, &explored.table, state, self.budget);
        ExplorationEnd::from(hazard_error(self.stepper, hazard, trace, with_inputs))
    }

    pub(super) fn dead_end(&self, explored: &Explored, state: StateId) -> ExplorationEnd {
        let values = (self.stepper.layout).values(&explored.table.state(&self.stepper.layout, state));
        let trace = trace::to_state(self.stepper, &explored.table, state, self.budget);
        ExplorationEnd::from(dead_end_error(self.stepper, &values, trace))
    }
}

/// The error that a hazard is, with a trace to the state where it shows.
pub(crate) fn hazard_error(
    stepper: &Stepper,
    hazard: usize,
    mut trace: Option<Trace>,
    with_inputs: Option<Vec<Option<Value>>>,
) -> ModelError {
    let hazard = &stepper.system.hazards[hazard];
    // The step that has no meaning leads nowhere, so its inputs are shown in the last state.
    if let (Some(now), Some(trace)) = (with_inputs, trace.as_mut())
        && let Some(last) = trace.steps.last_mut()
    {
        *last = now;
    }
    ModelError {
        message: hazard.message.clone(),
        place: hazard.place,
        trace,
        help: None,
    }
}

/// The error that a hazard is where it keeps an initial state from being one.
pub(crate) fn initial_hazard(stepper: &Stepper, hazard: usize) -> ModelError {
    let hazard = &stepper.system.hazards[hazard];
    ModelError {
        message: format!("in an initial state: {}", hazard.message),
        place: hazard.place,
        trace: None,
        help: None,
    }
}

/// The error that a state without successors is, where the relation must be total.
pub(crate) fn dead_end_error(
    stepper: &Stepper,
    values: &[Option<Value>],
    trace: Option<Trace>,
) -> ModelError {
    ModelError {
        message: format!(
            "the state {} has no successor",
            describe::state(&stepper.system, values)
        ),
        place: None,
        trace,
        help: Some("make the transition relation total, or choose another meaning of dead ends".into()),
    }
}

/// The error that a model without initial states is.
pub(crate) fn no_initial_state() -> ModelError {
    ModelError {
        message: "the model has no initial state".into(),
        place: None,
        trace: None,
        help: Some("the initial conditions and the invariants contradict each other".into()),
    }
}

pub(super) fn full(explored: &Explored) -> ExplorationEnd {
    ExplorationEnd::Unknown {
        reason: format!("more than {} states", explored.table.len()),
        statistics: explored.statistics(),
    }
}
