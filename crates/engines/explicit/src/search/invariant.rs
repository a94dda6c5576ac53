//! Invariants: is a condition true in every reachable state, or along every reachable step?
//!
//! Decided on the way by the search of `entail-search`: it stops at the first violation, and breadth-first that is one at the smallest distance.

use super::explore::{ExplorationEnd, dead_end_error, hazard_error, initial_hazard, no_initial_state};
use super::system_steps::{Flaw, SystemSteps};
use super::trace;
use crate::stepper::Stepper;
use entail_answer::Figure;
use entail_budget::{Budget, Progress};
use entail_evidence::{
    DeadEnds, Evidence, Exhaustive, Guarantee, Outcome, Searched, Statistics, Trace, Verdict,
};
use entail_model::TermId;
use entail_search::{Cause, Ending, SearchOptions, search};

/// Decides an invariant; gives also a state without successors, if there is one.
pub(crate) fn check(
    stepper: &Stepper,
    condition: TermId,
    dead_ends: DeadEnds,
    options: &SearchOptions,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<(Outcome, Option<Vec<u64>>), ExplorationEnd> {
    let steps = SystemSteps::new(stepper, Some(condition), dead_ends)?;
    let searched = search(&steps, options, budget, progress);
    let counts = searched.counts;
    let mut statistics = Statistics::default()
        .with("states", counts.states)
        .with("transitions", counts.transitions)
        .with("depth", counts.depth);
    statistics.set("storage", Figure::Text(searched.storage.into()));
    statistics.set_count("state_bytes", searched.bytes);
    let unpack = |state: &Vec<u8>| {
        let mut packed = vec![0; stepper.layout.words()];
        stepper.layout.words_of(state, &mut packed);
        packed
    };
    let dead_end = searched.dead_end.as_ref().map(unpack);
    let (left_out, coverage) = (searched.left_out(), searched.coverage());
    let reason = searched.ending.reason();
    let everywhere = || {
        let claim = Exhaustive {
            states: counts.states,
            satisfying: Some(counts.states),
            searched: Searched::Model,
        };
        Outcome::complete(Verdict::Holds, Evidence::Exhaustive(claim))
    };
    let mut outcome = match searched.ending {
        Ending::Finished if counts.states == 0 => return Err(ExplorationEnd::from(no_initial_state())),
        Ending::Finished => match (left_out, coverage) {
            (Some(reason), Some(coverage)) => {
                let mut outcome = Outcome::unknown(reason);
                outcome.guarantee = Guarantee::Partial { coverage };
                outcome
            }
            _ => everywhere(),
        },
        Ending::Walked(_) => Outcome::unknown(reason.unwrap_or_default()),
        Ending::DepthBound(depth) => {
            let mut outcome = everywhere();
            outcome.guarantee = Guarantee::Bounded(depth);
            outcome
        }
        Ending::Violation(violation) => {
            let path: Vec<Vec<u64>> = violation.path.iter().map(unpack).collect();
            let trace = || trace::through(stepper, &path, budget);
            let mut found: Trace = match (violation.cause, path.last()) {
                (Cause::Step(Flaw::Hazard(hazard, _)), None) => {
                    return Err(ExplorationEnd::from(initial_hazard(stepper, hazard)));
                }
                (Cause::Step(Flaw::Hazard(hazard, now)) | Cause::State(Flaw::Hazard(hazard, now)), _) => {
                    return Err(ExplorationEnd::from(hazard_error(stepper, hazard, trace(), now)));
                }
                (Cause::End, Some(last)) => {
                    let values = stepper.layout.values(last);
                    return Err(ExplorationEnd::from(dead_end_error(stepper, &values, trace())));
                }
                (Cause::Step(Flaw::Step(now, to)), _) => {
                    let mut found = trace().ok_or_else(|| lost(&statistics))?;
                    if let Some(last) = found.steps.last_mut() {
                        *last = now;
                    }
                    found.steps.push(stepper.layout.values(&to));
                    found
                }
                _ => trace().ok_or_else(|| lost(&statistics))?,
            };
            found.loop_start = None;
            Outcome::complete(Verdict::Fails, Evidence::Trace(found))
        }
        _ => {
            let reason = reason.unwrap_or_default();
            let reason = format!(
                "{reason} after {} states, at depth {}",
                counts.states, counts.depth
            );
            return Err(ExplorationEnd::Unknown { reason, statistics });
        }
    };
    outcome.statistics = statistics;
    Ok((outcome, dead_end))
}

fn lost(statistics: &Statistics) -> ExplorationEnd {
    ExplorationEnd::Unknown {
        reason: "a violation was found, but the budget was spent before its trace was".into(),
        statistics: statistics.clone(),
    }
}
