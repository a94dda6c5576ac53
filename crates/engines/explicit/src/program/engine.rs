//! The engine for programs.

use super::reduction::Reducer;
use super::search::lasso;
use super::search::safety::{self, Counts, Found};
use super::search::watch::Watch;
use super::steps::action::Compiled;
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
        let compiled = match Compiled::new(program) {
            Ok(compiled) => compiled,
            Err(reason) => return Outcome::unknown(reason),
        };
        let mut space = Space::new(&compiled, budget);
        let fair = self.options.weak_fairness && requirement.question != Question::Safety;
        let (reducer, reduction) = match self.options.reduction {
            true if fair => (None, Reduction::Refused("fairness is about every step".into())),
            true => match Reducer::new(program, &compiled, &requirement.question, budget) {
                Ok(reducer) => (Some(reducer), Reduction::Used),
                Err(reason) => (None, Reduction::Refused(reason)),
            },
            false => (None, Reduction::Off),
        };
        let outcome = self.search(&mut space, program, requirement, reducer, budget, progress);
        Outcome { reduction, ..outcome }
    }

    fn search(
        &self,
        space: &mut Space<'_>,
        program: &Program,
        requirement: &Requirement,
        mut reducer: Option<Reducer>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Outcome {
        let fair = self.options.weak_fairness && requirement.question != Question::Safety;
        match &requirement.question {
            Question::Safety => {
                let (found, counts) = safety::search(space, reducer.as_mut(), budget, progress);
                match found {
                    Found::Nothing => {
                        outcome(Some(true), counts.diverges.then(|| DIVERGES.into()), None, counts)
                    }
                    Found::Fault(fault, run) => {
                        outcome(Some(false), Some(fault.to_string()), Some(run), counts)
                    }
                    Found::InvalidEnd(run) => {
                        outcome(Some(false), Some("invalid end state".into()), Some(run), counts)
                    }
                    Found::Spent(spent) => outcome(None, Some(spent.to_string()), None, counts),
                    Found::TooMany => outcome(
                        None,
                        Some("there are more states than can be numbered".into()),
                        None,
                        counts,
                    ),
                }
            }
            question => {
                let watch = match Watch::new(program, space, question, budget) {
                    Ok(watch) => watch,
                    Err(reason) => return Outcome::unknown(reason),
                };
                let (found, counts) = lasso::search(space, reducer, &watch, fair, budget, progress);
                let (holds, reason, run) = match found {
                    lasso::Found::Nothing => (Some(true), None, None),
                    lasso::Found::Violation(run) => (Some(false), None, Some(run)),
                    lasso::Found::Stopped(reason) => (None, Some(reason), None),
                };
                Outcome {
                    fair,
                    ..outcome(holds, reason, run, counts)
                }
            }
        }
    }
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
