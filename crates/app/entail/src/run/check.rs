//! Deciding properties: engines, then the checker, then the answer.

use super::attempt::{Attempt, Said, Workshop, panic_text};
use super::recheck::Rechecker;
use super::request::{Decided, Failure, InternalError, Request};
use super::shares::Shares;
use crate::saved;
use entail_answer::{Answer, CheckReport};
use entail_budget::Progress;
use entail_family::{Checker, Model};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Decides the requested properties, handing out each as it is decided.
///
/// A verdict is given out only after the checker has seen its evidence; one whose evidence it rejects is *unknown*, with the internal
/// error beside it. When the run is interrupted or its time is up, what is still open is *unknown* with the reason.
pub fn check(
    model: &dyn Model,
    request: &Request,
    progress: &dyn Progress,
    mut on_decided: impl FnMut(Decided, &dyn Checker),
) -> Result<(), Failure> {
    let shares = Shares::new(request.timeout, request.property_timeout);
    let mut rechecker = Rechecker::new(model.checker(&request.options)?);
    let mut workshop = Workshop::new(model, request)?;
    let mut open: Vec<Attempt> = (request.properties.iter())
        .map(|&property| Attempt::new(property, model, request))
        .collect();
    while !open.is_empty() {
        let mut still_open = Vec::new();
        let mut waiting = open.len();
        for mut attempt in open {
            let share = shares.next(waiting, attempt.last_share, attempt.spent);
            waiting -= 1;
            attempt.go_on(share, &mut workshop, &*rechecker.checker, progress)?;
            let is_final = request.cancellation.is_cancelled()
                || shares.are_spent()
                || shares.is_exhausted(attempt.spent);
            if attempt.is_over() || is_final || share.is_none() {
                let answer = settle(attempt, &mut rechecker, &shares, request, model);
                on_decided(answer, &*rechecker.checker);
            } else {
                still_open.push(attempt);
            }
        }
        open = still_open;
    }
    Ok(())
}

/// The attempt's last answer, checked.
fn settle(
    attempt: Attempt,
    rechecker: &mut Rechecker<'_>,
    shares: &Shares,
    request: &Request,
    model: &dyn Model,
) -> Decided {
    let (property, spent) = (attempt.property, attempt.spent);
    let Said {
        engine,
        because,
        mut answer,
        mut failure,
    } = attempt.last.unwrap_or_else(|| Said {
        engine: "none",
        because: "no time was left",
        answer: Answer::unknown("time limit reached"),
        failure: None,
    });
    let begun = Instant::now();
    let own = request.property_timeout.map(|each| each.saturating_sub(spent));
    let left = [shares.left(), own].into_iter().flatten().min();
    let checked = catch_unwind(AssertUnwindSafe(|| {
        rechecker.check(property, &answer, spent, left, request)
    }));
    let mut checked = checked.unwrap_or_else(|panic| {
        let reason = format!("the checker panicked: {}", panic_text(&*panic));
        Some(CheckReport::Rejected { reason })
    });
    if let Some(CheckReport::Rejected { reason }) = &checked {
        let message = format!("the evidence of engine `{engine}` was rejected: {reason}");
        let claimed = saved::document(model, &request.options, property, engine, &answer, &*rechecker.checker);
        answer = Answer::unknown(format!("internal error: {message}"));
        failure = Some(InternalError {
            message,
            claimed: Some(claimed),
        });
        checked = None;
    }
    Decided {
        property,
        engine,
        because,
        answer,
        checked,
        seconds: (spent + begun.elapsed()).as_secs_f64(),
        failure,
    }
}
