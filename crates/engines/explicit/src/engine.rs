//! The engine: which question goes to which algorithm.

use crate::describe;
use crate::search::Order;
use crate::search::explore::{Halt, Search};
use crate::search::invariant;
use crate::stepper::Stepper;
use entail_budget::{Budget, Progress};
use entail_evidence::{CheckOptions, Engine, ModelError, Outcome};
use entail_logic::{Property, Question};
use entail_model::{TermId, TransitionSystem};

/// Explicit-state search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Explicit {
    /// In which order invariants are searched.
    pub order: Order,
}

impl Engine for Explicit {
    fn name(&self) -> &'static str {
        "explicit"
    }

    fn description(&self) -> &'static str {
        "finite-state systems, one state at a time: invariants, CTL, LTL with past, CTL*, shortest and longest paths"
    }

    fn check(
        &self,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, ModelError> {
        self.decide(system, property, options, budget, progress)
            .or_else(|halt| match halt {
                Halt::Error(error) => Err(*error),
                Halt::Unknown { reason, statistics } => {
                    let mut outcome = Outcome::unknown(reason);
                    outcome.statistics = statistics;
                    Ok(outcome)
                }
            })
    }
}

impl Explicit {
    fn decide(
        &self,
        system: &TransitionSystem,
        property: &Property<TermId>,
        options: &CheckOptions,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Outcome, Halt> {
        match &property.question {
            Question::Invariant(condition) => {
                let mut observed: Vec<TermId> =
                    system.hazards.iter().map(|hazard| hazard.condition).collect();
                observed.push(*condition);
                let stepper = Stepper::new(system, &observed)?;
                let order = if options.bound.is_some() {
                    Order::BreadthFirst
                } else {
                    self.order
                };
                let search = Search {
                    stepper: &stepper,
                    order,
                    bound: options.bound,
                    dead_ends: options.dead_ends,
                    budget,
                    progress,
                };
                let (mut outcome, explored) = invariant::check(&search, *condition)?;
                if let Some(dead_end) = explored.dead_end {
                    let values = stepper.layout.values(explored.table.state(dead_end));
                    outcome.warnings.push(format!(
                        "the transition relation is not total: the state {} has no successor",
                        describe::state(system, &values)
                    ));
                }
                Ok(outcome)
            }
            _ => Ok(Outcome::unknown("not decided by this engine yet")),
        }
    }
}
