//! The answer that a search for violations of safety gives.

use super::ending::{Counts, Ending};
use super::path::run_along;
use super::safety::Searched;
use crate::program::steps::space::Space;
use entail_answer::{Answer, Figure, Guarantee, Verdict};
use entail_program::{ProgramEvidence, Run};

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

/// The answer of a search for violations of safety.
pub fn answer_of(space: &mut Space<'_>, searched: Searched) -> Answer<ProgramEvidence> {
    let counts = searched.counts;
    let coverage = searched
        .omissions
        .map(|omissions| counts.states as f64 / (counts.states as f64 + omissions));
    let partial = coverage.map_or(Guarantee::Complete, |coverage| Guarantee::Partial { coverage });
    let unknown = |reason: String| Answer {
        guarantee: partial,
        ..Answer::unknown(reason)
    };
    let omissions = searched
        .omissions
        .map(|omissions| left_out(searched.storage, counts, omissions));
    let mut answer = match searched.ending {
        Ending::Finished => match omissions {
            None => Answer {
                reason: counts.diverges.then(|| DIVERGES.into()),
                ..holds(counts)
            },
            Some(reason) => unknown(reason),
        },
        Ending::Violation(violation) => match run_along(space, &violation) {
            Ok(run) => {
                let fault = violation.fault.map(|fault| fault.to_string());
                Answer {
                    reason: fault.or_else(|| Some("invalid end state".into())),
                    ..fails(run)
                }
            }
            Err(spent) => unknown(spent.to_string()),
        },
        Ending::Spent(spent) => unknown(spent.to_string()),
        Ending::TooMany => unknown("there are more states than can be numbered".into()),
        Ending::NoMemory(bytes) => unknown(format!("there is no memory for a storage of {bytes} bytes")),
        Ending::File(file, error) => unknown(format!("{file} cannot be used: {error}")),
        Ending::Bound(changes) => Answer {
            guarantee: Guarantee::Bounded(changes.into()),
            ..Answer::unknown(format!(
                "no violation with at most {changes} changes of the moving process; runs with more were not searched"
            ))
        },
    };
    answer.statistics = counts.statistics();
    let storage = Figure::Text(searched.storage.into());
    answer.statistics.set("storage", storage);
    answer.statistics.set_count("state_bytes", searched.bytes);
    answer
}

/// What is said of a search that found nothing, but may have left states out.
fn left_out(storage: &str, counts: Counts, omissions: f64) -> String {
    let states = counts.states as f64;
    let probability = -f64::exp_m1(-omissions);
    format!(
        "no violation found, but {storage} storage may leave states out: estimated coverage {}, probability that none was left out {}",
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
