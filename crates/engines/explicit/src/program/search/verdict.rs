//! The answer that a search for violations of safety gives.

use super::path::run_along;
use crate::program::reduction::Symmetry;
use crate::program::steps::space::Space;
use entail_answer::{Answer, Figure, Guarantee, Statistics, Verdict};
use entail_program::{Fault, ProgramEvidence, Run};
use entail_search::{Counts, Ending, Searched};

/// The remark about a program that is safe although it may never come out of an atomic sequence.
pub const DIVERGES: &str = "an atomic sequence or a d_step can go on for ever";

/// Everything was searched, and nothing found.
pub fn holds(counts: Counts) -> Answer<ProgramEvidence> {
    let evidence = ProgramEvidence::Exhaustive {
        states: counts.states,
    };
    Answer::complete(Verdict::Holds, evidence)
}

/// A run violates the requirement.
pub fn fails(run: Run) -> Answer<ProgramEvidence> {
    Answer::complete(Verdict::Fails, ProgramEvidence::Run(run))
}

/// What was counted, as an answer's counters.
pub fn statistics(counts: Counts) -> Statistics {
    Statistics::default()
        .with("states", counts.states)
        .with("transitions", counts.transitions)
        .with("depth", counts.depth)
}

/// The answer of a search for violations of safety.
pub fn answer_of(
    space: &mut Space<'_>,
    searched: Searched<Fault>,
    symmetry: Option<&Symmetry>,
) -> Answer<ProgramEvidence> {
    let counts = searched.counts;
    let coverage = searched.coverage();
    let partial = coverage.map_or(Guarantee::Complete, |coverage| Guarantee::Partial { coverage });
    let unknown = |reason: String| Answer {
        guarantee: partial,
        ..Answer::unknown(reason)
    };
    let bounded = |bound: u64, reason: Option<String>| Answer {
        guarantee: Guarantee::Bounded(bound),
        ..Answer::unknown(reason.unwrap_or_default())
    };
    let (omissions, reason) = (searched.left_out(), searched.ending.reason());
    let mut answer = match searched.ending {
        Ending::Finished => match omissions {
            None => Answer {
                reason: counts.diverges.then(|| DIVERGES.into()),
                ..holds(counts)
            },
            Some(reason) => unknown(reason),
        },
        Ending::Violation(violation) => match run_along(space, &violation, symmetry) {
            Ok(run) => {
                let fault = violation.cause.flaw().map(|fault| fault.to_string());
                Answer {
                    reason: fault.or_else(|| Some("invalid end state".into())),
                    ..fails(run)
                }
            }
            Err(spent) => unknown(spent.to_string()),
        },
        Ending::ContextBound(changes) => bounded(changes.into(), reason),
        Ending::DepthBound(steps) => bounded(steps, reason),
        _ => unknown(reason.unwrap_or_default()),
    };
    answer.statistics = statistics(counts);
    let storage = Figure::Text(searched.storage.into());
    answer.statistics.set("storage", storage);
    answer.statistics.set_count("state_bytes", searched.bytes);
    answer
}
