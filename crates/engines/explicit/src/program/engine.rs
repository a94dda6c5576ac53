//! The engine for programs.

use super::explorer::ProgramSteps;
use super::options::{SearchOptions, Storage};
use super::reduction::Reducer;
use super::search::ending::{Counts, Ending};
use super::search::lasso;
use super::search::path::run_along;
use super::search::safety::{self, Searched};
use super::search::watch::Watch;
use super::steps::action::Compiled;
use super::steps::space::Space;
use super::store::exact::Exact;
use super::store::tree::Tree;
use entail_budget::{Budget, Progress};
use entail_program::{Outcome, Program, Question, Reduction, Requirement, Run};

/// What is said where it is so.
const DIVERGES: &str = "an atomic sequence can go on for ever";

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
        let fair = self.options.weak_fairness && requirement.question != Question::Safety;
        let by_changes = self.options.context_bound.is_some() && requirement.question == Question::Safety;
        let space = &mut Space::new(&compiled, budget);
        let watch = match &requirement.question {
            Question::Safety => None,
            question => match Watch::new(program, space, question, budget) {
                Ok(watch) => Some(watch),
                Err(reason) => return Outcome::unknown(reason),
            },
        };
        let refused = |reason: &str| (None, Reduction::Refused(reason.into()));
        let (reducer, reduction) = match self.options.reduction {
            false => (None, Reduction::Off),
            true if fair => refused("fairness is about every step"),
            true if by_changes => refused("changes of the process are counted"),
            true if watch.as_ref().is_some_and(|watch| watch.counts_steps) => {
                refused("the property may count steps")
            }
            true => match Reducer::new(program, &compiled, &requirement.question) {
                Ok(reducer) => (Some(reducer), Reduction::Used),
                Err(reason) => refused(&reason),
            },
        };
        let outcome = match watch {
            None => {
                let model = ProgramSteps {
                    compiled: &compiled,
                    reducer,
                };
                let searched = safety::search(&model, &self.options, budget, progress);
                safety_outcome(space, searched)
            }
            Some(watch) => self.cycles(space, reducer, &watch, budget, progress),
        };
        Outcome {
            fair,
            reduction,
            ..outcome
        }
    }

    /// Looks for a run that the watcher watches for.
    fn cycles(
        &self,
        space: &mut Space<'_>,
        reducer: Option<Reducer>,
        watch: &Watch,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Outcome {
        let fair = self.options.weak_fairness;
        let ((found, counts, bytes), storage) = match self.options.storage {
            Storage::Auto | Storage::Exact => (
                lasso::search(space, reducer, Exact::new(), watch, fair, budget, progress),
                "exact",
            ),
            Storage::Tree => (
                lasso::search(space, reducer, Tree::new(), watch, fair, budget, progress),
                "tree",
            ),
            Storage::HashCompact(_) | Storage::Bitstate(_) => {
                return Outcome::unknown("cycles are searched with exact or tree storage only");
            }
        };
        let (holds, reason, run) = match found {
            lasso::Found::Nothing => (Some(true), None, None),
            lasso::Found::Violation(run) => (Some(false), None, Some(run)),
            lasso::Found::Stopped(reason) => (None, Some(reason), None),
        };
        Outcome {
            storage: Some(storage.into()),
            bytes,
            ..outcome(holds, reason, run, counts)
        }
    }
}

/// What a search for violations of safety says.
fn safety_outcome(space: &mut Space<'_>, searched: Searched) -> Outcome {
    let counts = searched.counts;
    let coverage = searched
        .omissions
        .map(|omissions| counts.states as f64 / (counts.states as f64 + omissions));
    let (mut bound, mut is_partial) = (None, coverage.is_some());
    let (holds, reason, run) = match searched.ending {
        Ending::Finished => match searched.omissions {
            None => (Some(true), counts.diverges.then(|| DIVERGES.into()), None),
            Some(omissions) => (None, Some(left_out(&searched, omissions)), None),
        },
        Ending::Violation(violation) => match run_along(space, &violation) {
            Ok(run) => {
                is_partial = false;
                let fault = violation.fault.map(|fault| fault.to_string());
                (
                    Some(false),
                    fault.or_else(|| Some("invalid end state".into())),
                    Some(run),
                )
            }
            Err(spent) => (None, Some(spent.to_string()), None),
        },
        Ending::Spent(spent) => (None, Some(spent.to_string()), None),
        Ending::TooMany => (
            None,
            Some("there are more states than can be numbered".into()),
            None,
        ),
        Ending::File(file, error) => (None, Some(format!("{file} cannot be used: {error}")), None),
        Ending::Bound(changes) => {
            bound = Some(changes.into());
            let reason = format!(
                "no violation with at most {changes} changes of the moving process; runs with more were not searched"
            );
            (None, Some(reason), None)
        }
    };
    Outcome {
        storage: Some(searched.storage.into()),
        bytes: searched.bytes,
        coverage: coverage.filter(|_| is_partial),
        bound,
        ..outcome(holds, reason, run, counts)
    }
}

/// What is said of a search that found nothing, but may have left states out.
fn left_out(searched: &Searched, omissions: f64) -> String {
    let states = searched.counts.states as f64;
    let probability = -f64::exp_m1(-omissions);
    format!(
        "no violation found, but {} storage may leave states out: estimated coverage {}, probability that none was left out {}",
        searched.storage,
        percent(states / (states + omissions)),
        percent(1.0 - probability),
    )
}

/// A share, never rounded up to the whole.
fn percent(share: f64) -> String {
    let missing = 100.0 * (1.0 - share);
    match missing {
        0.0 => "100%".into(),
        missing if missing < 0.01 => format!("100% - {missing:.1e}%"),
        _ => format!("{:.2}%", (100.0 * share * 100.0).floor() / 100.0),
    }
}

fn outcome(holds: Option<bool>, reason: Option<String>, run: Option<Run>, counts: Counts) -> Outcome {
    Outcome {
        holds,
        reason,
        run,
        fair: false,
        states: counts.states,
        transitions: counts.transitions,
        depth: counts.depth,
        ..Outcome::default()
    }
}
