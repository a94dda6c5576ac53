//! What is said of a search for violations of safety.

use super::ending::Ending;
use super::path::run_along;
use super::safety::Searched;
use crate::program::steps::space::Space;
use entail_program::Outcome;

/// What is said where it is so.
const DIVERGES: &str = "an atomic sequence or a d_step can go on for ever";

/// What a search for violations of safety says.
pub fn outcome_of(space: &mut Space<'_>, searched: Searched) -> Outcome {
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
        Ending::NoMemory(bytes) => (
            None,
            Some(format!("there is no memory for a storage of {bytes} bytes")),
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
        holds,
        reason,
        run,
        ..counts.outcome()
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
