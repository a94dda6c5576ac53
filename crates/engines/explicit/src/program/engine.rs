//! The engine for programs.

use super::reduction::Reducer;
use super::search::lasso;
use super::search::safety::{self, Counts, Found};
use super::search::watch::Watch;
use super::steps::space::Space;
use entail_budget::{Budget, Progress};
use entail_program::{Outcome, Program, Question, Reduction, Requirement, Run};

/// What is said where it is so.
const DIVERGES: &str = "an atomic sequence can go on for ever";

/// How to search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Every process that can always move from some time on does.
    pub weak_fairness: bool,
    /// Steps that do not get in each other's way are taken in one order where that suffices.
    pub reduction: bool,
}

impl Default for SearchOptions {
    fn default() -> SearchOptions {
        SearchOptions {
            weak_fairness: false,
            reduction: true,
        }
    }
}

/// Decides requirements of programs, state by state.
#[derive(Clone, Debug, Default)]
pub struct ProgramEngine {
    /// How to search.
    pub options: SearchOptions,
}

impl ProgramEngine {
    /// Decides one requirement.
    pub fn check(
        &self,
        program: &Program,
        requirement: &Requirement,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Outcome {
        let mut space = match Space::new(program, budget) {
            Ok(space) => space,
            Err(reason) => return Outcome::unknown(reason),
        };
        let fair = self.options.weak_fairness && requirement.question != Question::Safety;
        let watch = match &requirement.question {
            Question::Safety => None,
            question => match Watch::new(program, &space, question, budget) {
                Ok(watch) => Some(watch),
                Err(reason) => return Outcome::unknown(reason),
            },
        };
        let refused = |reason: &str| (None, Reduction::Refused(reason.into()));
        let (reducer, reduction) = match self.options.reduction {
            false => (None, Reduction::Off),
            true if fair => refused("fairness is about every step"),
            true if watch.as_ref().is_some_and(|watch| watch.counts_steps) => {
                refused("the property may count steps")
            }
            true => match Reducer::new(program, &space.compiled, &requirement.question) {
                Ok(reducer) => (Some(reducer), Reduction::Used),
                Err(reason) => refused(&reason),
            },
        };
        let outcome = match watch {
            None => safe(&mut space, reducer, budget, progress),
            Some(watch) => {
                let (found, counts) = lasso::search(&mut space, reducer, &watch, fair, budget, progress);
                let (holds, reason, run) = match found {
                    lasso::Found::Nothing => (Some(true), None, None),
                    lasso::Found::Violation(run) => (Some(false), None, Some(run)),
                    lasso::Found::Stopped(reason) => (None, Some(reason), None),
                };
                outcome(holds, reason, run, counts)
            }
        };
        Outcome {
            fair,
            reduction,
            ..outcome
        }
    }
}

fn safe(
    space: &mut Space<'_>,
    mut reducer: Option<Reducer>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Outcome {
    let (found, counts) = safety::search(space, reducer.as_mut(), budget, progress);
    let (holds, reason, run) = match found {
        Found::Nothing => (Some(true), counts.diverges.then(|| DIVERGES.into()), None),
        Found::Fault(fault, run) => (Some(false), Some(fault.to_string()), Some(run)),
        Found::InvalidEnd(run) => (Some(false), Some("invalid end state".into()), Some(run)),
        Found::Spent(spent) => (None, Some(spent.to_string()), None),
        Found::TooMany => {
            let reason = "there are more states than can be numbered";
            (None, Some(reason.into()), None)
        }
    };
    outcome(holds, reason, run, counts)
}

fn outcome(holds: Option<bool>, reason: Option<String>, run: Option<Run>, counts: Counts) -> Outcome {
    Outcome {
        holds,
        reason,
        run,
        fair: false,
        reduction: Reduction::Off,
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
    }
}
