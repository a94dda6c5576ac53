//! One property's way through its schedule.
//!
//! A schedule is a list of turns. A turn that ended by itself, or used up its own limit, is over; one that was cut off by the property's share
//! of time has its turn again in the next round, with a larger share. Short turns that have failed twice on this model are left out:
//! what they lack is time for the model, not for the property.

use super::race::{Finish, Portfolio};
use super::recheck::Rechecking;
use super::request::{Failure, Fault, InternalError, Request};
use entail_answer::{Answer, Verdict};
use entail_budget::Progress;
use entail_family::{Checker, Model, Runner, Session, Turn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// A short turn that failed so often is left out.
const MOST_FAILURES: usize = 2;

/// A search of so few states is repeated in less time than another engine would take.
const REPEATED_AT_ONCE: u64 = 1_000;

/// What an engine gets to find better evidence, besides the time that the answer took.
const SECOND_OPINION_AT_LEAST: Duration = Duration::from_millis(100);

/// A property that is being decided.
pub(super) struct Attempt {
    pub property: usize,
    turns: Vec<Turn>,
    /// The turn that comes next.
    next: usize,
    /// What it was given in the last round; nothing before the first.
    pub last_share: Option<Duration>,
    /// What it has spent in all.
    pub spent: Duration,
    /// What the last engine said.
    pub last: Option<Said>,
}

/// What an engine said.
pub(super) struct Said {
    pub engine: &'static str,
    pub because: &'static str,
    pub answer: Answer,
    pub failure: Option<InternalError>,
}

/// The engines at work on the model, and what was learned about them on the way.
pub(super) struct Workshop<'m> {
    pub model: &'m dyn Model,
    pub request: &'m Request,
    pub session: Box<dyn Session + 'm>,
    pub portfolio: Option<Portfolio>,
    given_up: Vec<Runner>,
    /// What finding out whether properties mean something has taken so far.
    pub scrutinized: Duration,
    /// How often an engine was asked for better evidence in vain.
    vain_opinions: usize,
}

impl<'m> Workshop<'m> {
    pub fn new(model: &'m dyn Model, request: &'m Request) -> Result<Workshop<'m>, Failure> {
        Ok(Workshop {
            model,
            request,
            session: open(model, request)?,
            portfolio: request.launcher.clone().map(Portfolio::new),
            given_up: Vec::new(),
            scrutinized: Duration::ZERO,
            vain_opinions: 0,
        })
    }

    /// Lets one engine try in this process. A panic is an internal error about this property; the session is opened anew after it.
    fn ask(
        &mut self,
        runner: Runner,
        property: usize,
        left: Option<Duration>,
        progress: &dyn Progress,
    ) -> Result<Result<Answer, InternalError>, Failure> {
        let mut budget = self
            .request
            .budget([left, runner.at_most].into_iter().flatten().min());
        if runner
            .at_most
            .is_none_or(|most| left.is_some_and(|left| left < most))
        {
            budget = budget.as_share_of(self.request.time_limit());
        }
        progress.begin(property, runner.engine);
        let session = &mut self.session;
        let fault = self
            .request
            .fault
            .filter(|(at, _)| *at == property)
            .map(|(_, fault)| fault);
        let tried = catch_unwind(AssertUnwindSafe(|| {
            if fault == Some(Fault::Panic) {
                panic!("a fault that was asked for");
            }
            session.check(runner.engine, property, &budget, progress)
        }));
        let mut answer = match tried {
            Ok(answer) => answer?,
            Err(panic) => {
                // What a session that panicked left behind is not even to be cleared up.
                let fresh = open(self.model, self.request)?;
                std::mem::forget(std::mem::replace(&mut self.session, fresh));
                let message = format!("engine `{}` panicked: {}", runner.engine, panic_text(&*panic));
                return Ok(Err(InternalError {
                    message,
                    claimed: None,
                }));
            }
        };
        if fault == Some(Fault::Lie) {
            answer.verdict = match answer.verdict {
                Verdict::Holds => Verdict::Fails,
                Verdict::Fails => Verdict::Holds,
                Verdict::Unknown => Verdict::Unknown,
            };
        }
        let spent = runner.at_most.is_some() && budget.check_now().is_err();
        if answer.verdict == Verdict::Unknown && spent {
            self.given_up.push(runner);
        }
        Ok(Ok(answer))
    }

    fn is_left_out(&self, turn: &Turn) -> bool {
        match turn.runners.as_slice() {
            [runner] => {
                let failures = self.given_up.iter().filter(|other| *other == runner);
                runner.at_most.is_some() && failures.count() >= MOST_FAILURES
            }
            _ => false,
        }
    }
}

impl Attempt {
    pub fn new(property: usize, model: &dyn Model, request: &Request) -> Attempt {
        let turns = match request.engine {
            Some(engine) => vec![Turn::alone(engine, None, "asked for")],
            None => model.schedule(property, &request.options, request.launcher.is_some()),
        };
        Attempt {
            property,
            turns,
            next: 0,
            last_share: None,
            spent: Duration::ZERO,
            last: None,
        }
    }

    /// Whether nothing is left to be tried.
    pub fn is_over(&self) -> bool {
        let decided = |said: &Said| said.answer.verdict != Verdict::Unknown || said.failure.is_some();
        self.next >= self.turns.len() || self.last.as_ref().is_some_and(decided)
    }

    /// Goes on with the schedule for as long as the share lasts.
    pub fn go_on(
        &mut self,
        share: Option<Duration>,
        workshop: &mut Workshop<'_>,
        checker: &dyn Checker,
        progress: &dyn Progress,
    ) -> Result<(), Failure> {
        let begun = Instant::now();
        let left = || share.map(|share| share.saturating_sub(begun.elapsed()));
        let cancellation = workshop.request.cancellation.clone();
        while !self.is_over() {
            let turn = self.turns[self.next].clone();
            if workshop.is_left_out(&turn) && self.next + 1 < self.turns.len() {
                self.next += 1;
                continue;
            }
            let tried = Instant::now();
            let mut said = self.take_turn(&turn, left(), workshop, checker, progress)?;
            if let Some(turn) = self.second_opinion(&said, tried.elapsed(), workshop) {
                let second = self.take_turn(&turn, left(), workshop, checker, progress)?;
                workshop.vain_opinions += usize::from(second.answer.verdict == Verdict::Unknown);
                said = better(said, second);
            }
            self.last = Some(said);
            if cancellation.is_cancelled() || left().is_some_and(|left| left.is_zero()) {
                // Cut off: the same turn comes again, if there is another round.
                break;
            }
            self.next += 1;
        }
        self.spent += begun.elapsed();
        self.last_share = share;
        Ok(())
    }

    /// The turn of an engine that may have evidence which can be checked, where an answer only claims that very many states were searched: the next of the schedule, with about the time that the answer took.
    fn second_opinion(&self, said: &Said, took: Duration, workshop: &Workshop<'_>) -> Option<Turn> {
        let bare = said
            .answer
            .evidence
            .as_ref()
            .is_some_and(|evidence| evidence.is_bare_search_claim());
        let many = said
            .answer
            .statistics
            .states()
            .is_some_and(|states| states > REPEATED_AT_ONCE);
        let decided = said.answer.verdict != Verdict::Unknown && said.failure.is_none();
        let in_vain = workshop.vain_opinions >= MOST_FAILURES;
        if !bare || !many || !decided || in_vain || workshop.request.rechecking == Rechecking::Never {
            return None;
        }
        let next = self.turns.get(self.next + 1)?;
        let [runner] = next.runners.as_slice() else {
            return None;
        };
        let tried = |turn: &Turn| turn.runners.iter().any(|other| other.engine == runner.engine);
        if self.turns[..=self.next].iter().any(tried) {
            return None;
        }
        let patience = took + SECOND_OPINION_AT_LEAST;
        let at_most = runner.at_most.map_or(patience, |most| most.min(patience));
        Some(Turn::alone(runner.engine, Some(at_most), next.because))
    }

    fn take_turn(
        &self,
        turn: &Turn,
        left: Option<Duration>,
        workshop: &mut Workshop<'_>,
        checker: &dyn Checker,
        progress: &dyn Progress,
    ) -> Result<Said, Failure> {
        let because = turn.because;
        if let ([_, _, ..], Some(portfolio)) = (turn.runners.as_slice(), &mut workshop.portfolio) {
            let question = (checker, self.property);
            let cancellation = &workshop.request.cancellation;
            return match portfolio.race(question, &turn.runners, left, cancellation, progress) {
                Finish::Answer(engine, answer) => Ok(Said {
                    engine,
                    because,
                    answer: *answer,
                    failure: None,
                }),
                Finish::Error(error) => Err(Failure::Model(*error)),
                Finish::Panicked(engine, message) => {
                    let message = format!("engine `{engine}` panicked: {message}");
                    Ok(Said {
                        engine,
                        because,
                        answer: Answer::unknown(format!("internal error: {message}")),
                        failure: Some(InternalError {
                            message,
                            claimed: None,
                        }),
                    })
                }
            };
        }
        let runner = turn.runners[0];
        let (answer, failure) = match workshop.ask(runner, self.property, left, progress)? {
            Ok(answer) => (answer, None),
            Err(failure) => (
                Answer::unknown(format!("internal error: {}", failure.message)),
                Some(failure),
            ),
        };
        Ok(Said {
            engine: runner.engine,
            because,
            answer,
            failure,
        })
    }
}

/// A session for what is requested.
fn open<'m>(model: &'m dyn Model, request: &'m Request) -> Result<Box<dyn Session + 'm>, Failure> {
    let mut session = model.open(&request.options, false)?;
    session.set_thoroughness(request.thoroughness);
    Ok(session)
}

/// What is said in the end, given an answer that only claims a search and what the next engine says.
fn better(first: Said, second: Said) -> Said {
    let claims_a_search = |said: &Said| {
        let evidence = said.answer.evidence.as_ref();
        evidence.is_none_or(|evidence| evidence.is_search_claim())
    };
    if second.failure.is_some() || second.answer.verdict == Verdict::Unknown {
        return first;
    }
    if second.answer.verdict != first.answer.verdict {
        let message = format!(
            "engine `{}` says that it {}, engine `{}` that it {}",
            first.engine,
            first.answer.verdict.name(),
            second.engine,
            second.answer.verdict.name()
        );
        return Said {
            answer: Answer::unknown(format!("internal error: {message}")),
            failure: Some(InternalError {
                message,
                claimed: None,
            }),
            ..first
        };
    }
    match claims_a_search(&second) {
        true => first,
        false => second,
    }
}

/// What a panic said.
pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "without a message".to_owned())
}
