//! Deciding properties: engines, then the checker, then the answer.

use super::attempt::{Attempt, Said, Workshop, panic_text};
use super::recheck::Rechecker;
use super::request::{Decided, Failure, InternalError, Request, Scrutinizing};
use super::shares::Shares;
use crate::saved;
use entail_answer::{Answer, CheckReport, Verdict};
use entail_budget::Progress;
use entail_family::{Checker, Model};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

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
    let mut judge = Judge::new(model, request)?;
    let mut workshop = Workshop::new(model, request)?;
    let mut open: Vec<Attempt> = (request.properties.iter())
        .map(|&property| Attempt::new(property, model, request))
        .collect();
    while !open.is_empty() {
        let mut still_open = Vec::new();
        let mut waiting = open.len();
        for mut attempt in open {
            let share = shares.next(
                (waiting + still_open.len(), waiting),
                attempt.last_share,
                attempt.spent,
            );
            waiting -= 1;
            // With less time than before an engine would only know less.
            let pays = share.is_none() || share >= attempt.last_share;
            if pays {
                attempt.go_on(share, &mut workshop, judge.checker(), progress)?;
            }
            let is_final = request.cancellation.is_cancelled()
                || shares.are_spent()
                || shares.is_exhausted(attempt.spent);
            if attempt.is_over() || is_final || !pays || share.is_none() {
                let mut decided = settle(attempt, &mut judge, &shares, request);
                scrutinize(&mut decided, &mut workshop, &mut judge, &shares, progress);
                on_decided(decided, judge.checker());
            } else {
                still_open.push(attempt);
            }
        }
        open = still_open;
    }
    Ok(())
}

/// Finds out whether a *holds* means something. What goes wrong there is nothing against the answer.
fn scrutinize(
    decided: &mut Decided,
    workshop: &mut Workshop<'_>,
    judge: &mut Judge<'_>,
    shares: &Shares,
    progress: &dyn Progress,
) {
    let request = workshop.request;
    let spent = Duration::from_secs_f64(decided.seconds);
    let own = request.property_timeout.map(|each| each.saturating_sub(spent));
    let left = [shares.left(), own].into_iter().flatten().min();
    let time = request.scrutiny.time(spent, workshop.scrutinized, left);
    let is_due = decided.answer.verdict == Verdict::Holds && decided.failure.is_none();
    let Some(time) = time.filter(|_| is_due && !request.cancellation.is_cancelled()) else {
        return;
    };
    let begun = Instant::now();
    let budget = request.budget(Some(time));
    let session = &mut workshop.session;
    let asked = catch_unwind(AssertUnwindSafe(|| {
        session.scrutinize(
            decided.engine,
            decided.property,
            &decided.answer,
            &budget,
            progress,
        )
    }));
    match asked {
        Ok(found) => {
            decided.answer.warnings.extend(found.warnings);
            if request.scrutiny == Scrutinizing::Thoroughly {
                decided.witness = found.witness.filter(|found| {
                    let checker = &mut judge.rechecker.checker;
                    let mut report = || checker.check(found.position, &found.answer, &budget);
                    found.is_judged || !matches!(report(), CheckReport::Rejected { .. })
                });
            }
        }
        Err(_) => {
            if let Ok(fresh) = workshop.model.open(&request.options, false) {
                std::mem::forget(std::mem::replace(&mut workshop.session, fresh));
            }
        }
    }
    workshop.scrutinized += begun.elapsed();
    decided.seconds += begun.elapsed().as_secs_f64();
}

/// The attempt's last answer, checked.
fn settle(attempt: Attempt, judge: &mut Judge<'_>, shares: &Shares, request: &Request) -> Decided {
    let (property, spent) = (attempt.property, attempt.spent);
    let said = attempt.last.unwrap_or_else(|| Said {
        engine: "none",
        because: "no time was left",
        answer: Answer::unknown("time limit reached"),
        failure: None,
    });
    let own = request.property_timeout.map(|each| each.saturating_sub(spent));
    let left = [shares.left(), own].into_iter().flatten().min();
    judge.decided(property, said, spent, left)
}

/// Has answers checked before they are handed out.
pub struct Judge<'m> {
    model: &'m dyn Model,
    request: &'m Request,
    rechecker: Rechecker<'m>,
}

impl<'m> Judge<'m> {
    /// For answers about a model.
    pub fn new(model: &'m dyn Model, request: &'m Request) -> Result<Judge<'m>, Failure> {
        Ok(Judge {
            model,
            request,
            rechecker: Rechecker::new(model.checker(&request.options)?),
        })
    }

    /// The family's checker.
    pub fn checker(&self) -> &dyn Checker {
        &*self.rechecker.checker
    }

    /// An answer that was found elsewhere, checked.
    pub fn of_engine(
        &mut self,
        property: usize,
        engine: &'static str,
        answer: Answer,
        spent: Duration,
    ) -> Decided {
        let said = Said {
            engine,
            because: "several processes searched together",
            answer,
            failure: None,
        };
        self.decided(property, said, spent, None)
    }

    fn decided(&mut self, property: usize, said: Said, spent: Duration, left: Option<Duration>) -> Decided {
        let Said {
            engine,
            because,
            mut answer,
            mut failure,
        } = said;
        let begun = Instant::now();
        let (rechecker, request) = (&mut self.rechecker, self.request);
        let checked = catch_unwind(AssertUnwindSafe(|| {
            rechecker.check(property, &answer, spent, left, request)
        }));
        let mut checked = checked.unwrap_or_else(|panic| {
            let reason = format!("the checker panicked: {}", panic_text(&*panic));
            Some(CheckReport::Rejected { reason })
        });
        if let Some(CheckReport::Rejected { reason }) = &checked {
            let message = format!("the evidence of engine `{engine}` was rejected: {reason}");
            let claimed = saved::document(
                self.model,
                &self.request.options,
                property,
                engine,
                &answer,
                self.checker(),
            );
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
            witness: None,
        }
    }
}
