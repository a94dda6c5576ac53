//! Which engine answers where a model has clocks.
//!
//! Integers as clocks are right for closed constraints, and then most is decided so. Where they are not (strict bounds, differences of clocks, in the model or in the property), zones are searched backward, and what these
//! do not support is left to the region graph. Values of zones get a certificate that is about the region graph as long as that is small enough to be built again; the values are then compared with it state by state.

use crate::by_size::by;
use crate::checker::Proof;
use crate::session::{StochasticSession, with_proof};
use entail_answer::{Answer, Figure, Quantity, Verdict, Warning, WarningKind};
use entail_budget::{Budget, Progress};
use entail_markov::{Certificate, Event, Query, Rational, TimedQuestion, region_clocks};
use entail_probabilistic::real_time::{RealTime, can_stop_time, certified, in_real_time, trap};
use entail_probabilistic::{Extent, Method, Schedulers, Settings, Trouble};
use std::time::{Duration, Instant};

/// Region graphs with more states are not built for a certificate.
const CERTIFIED: usize = 150_000;

/// What the region graph has at least for a certificate.
const CERTIFIED_AT_LEAST: Duration = Duration::from_secs(10);

/// What looking for states from which time cannot go on has.
const LOOKING_FOR_TRAPS: Duration = Duration::from_secs(2);

/// What zones and regions have where integers as clocks have given an answer that may not be that of real time.
const REAL_TIME_TOO: Duration = Duration::from_secs(30);

/// What zones have before the region graph is tried instead, where nobody asked for zones.
const ZONES_FIRST: Duration = Duration::from_secs(60);

impl StochasticSession<'_> {
    /// The answer, if an engine for clocks is asked for, or integers as clocks do not do.
    pub(crate) fn decide_with_clocks(
        &mut self,
        engine: &str,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Option<Result<Answer, Trouble>> {
        let refusal = self.model.refusal_of(property);
        let refuse = |message: String| Some(Err(Trouble::Unsupported(message)));
        let is_own = matches!(engine, "digital" | "backward" | "regions");
        if is_own && self.model.timed.is_none() {
            return refuse(format!("the engine {engine} is for models with clocks"));
        }
        if settings.method == Method::Plain && (refusal.is_some() || matches!(engine, "backward" | "regions"))
        {
            return refuse("plain value iteration is not supported in real time".to_owned());
        }
        let found = match (engine, refusal) {
            ("backward" | "regions", _) | ("adaptive", Some(_))
                if settings.schedulers == Schedulers::Fair =>
            {
                return refuse("fair schedulers are not supported in real time".to_owned());
            }
            ("backward", _) => self.decide_by_zones(settings, property, budget, progress),
            ("regions", _) => self.decide_by_regions(settings, property, budget, progress),
            ("adaptive", Some(_)) => self.decide_in_real_time(settings, property, budget, progress),
            (_, Some(reason)) => {
                return refuse(format!("{reason}: try --engine backward or --engine regions"));
            }
            (_, None) => return None,
        };
        Some(found.map(|answer| self.with_remarks(answer, budget)))
    }

    /// An answer in real time, with what should be known about it.
    fn with_remarks(&mut self, mut answer: Answer, budget: &Budget) -> Answer {
        if self.wants_scheduler {
            let message = "schedulers are not written for zones and regions";
            answer.reason.get_or_insert_with(|| message.to_owned());
        }
        if self.trap.is_none()
            && let Some(timed) = &self.model.timed
        {
            // Not worth much time, and no failure of the answer.
            let share = budget.part(LOOKING_FOR_TRAPS);
            self.trap = Some(trap(timed, &share).unwrap_or(None));
        }
        if let Some(Some(state)) = &self.trap {
            let text =
                format!("time cannot go on for ever from a state with ({state}), whatever a scheduler does");
            answer.warnings.push(Warning::new(WarningKind::DeadEnd, text));
        }
        answer
    }

    /// Zones first; the region graph where these do not answer.
    fn decide_in_real_time(
        &mut self,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let share = budget.part(ZONES_FIRST);
        let reason = match self.decide_by_zones(settings, property, &share, progress) {
            Err(
                reason @ (Trouble::Unsupported(_)
                | Trouble::Undecided(_)
                | Trouble::TooMany(_)
                | Trouble::Spent(_)),
            ) => {
                budget.check_now()?;
                reason
            }
            found => return found.map(|answer| by("backward", answer)),
        };
        match self.decide_by_regions(settings, property, budget, progress) {
            Ok(answer) => Ok(by("regions", answer)),
            Err(Trouble::Unsupported(other)) => Err(Trouble::Unsupported(format!("{reason}; {other}"))),
            Err(other) => Err(other),
        }
    }

    /// The answer that integers as clocks give, if it is that of real time: for the least probability of reaching a goal they count schedulers that let infinitely much happen in no time. Where there are such schedulers, real time is asked
    /// if nobody asked for integers; otherwise the answer warns.
    pub(crate) fn in_real_time_too(
        &mut self,
        engine: &str,
        mut answer: Answer,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let is_plain = settings.method == Method::Plain;
        if self.model.timed.is_none() || answer.verdict == Verdict::Unknown || is_plain {
            return Ok(answer);
        }
        let Ok(question) = self.question(property) else {
            return Ok(answer);
        };
        if !matches!(question.event, Event::Miss(..)) {
            return Ok(answer);
        }
        let stops = match &mut self.workshop {
            Some(workshop) => can_stop_time(workshop, &question.open, budget)?,
            // Nobody has looked at all states.
            None => true,
        };
        if !stops {
            return Ok(answer);
        }
        if engine == "adaptive" && settings.schedulers == Schedulers::All && !self.wants_scheduler {
            let share = budget.part(REAL_TIME_TOO);
            match self.decide_in_real_time(settings, property, &share, progress) {
                Ok(found) => return Ok(found),
                Err(_) => budget.check_now()?,
            }
        }
        let text = "schedulers count that let infinitely much happen in no time; --engine backward and --engine regions leave them out";
        answer.warnings.push(Warning::new(WarningKind::Other, text));
        Ok(answer)
    }

    fn question(&self, property: usize) -> Result<TimedQuestion, Trouble> {
        let question = self.model.real_time_question(&self.model.properties[property]);
        question.map_err(|error| Trouble::Unsupported(error.message))
    }

    fn decide_by_regions(
        &mut self,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let question = self.question(property)?;
        let regions = region_clocks(&question).map_err(|error| Trouble::Unsupported(error.message))?;
        let extent = Extent::from(self.limit);
        let (values, certificate, states) =
            certified(&regions, &question, None, settings, extent, budget, progress)?;
        let mut answer = self.concluded(values, &[0], certificate, property)?;
        with_proof(&mut answer, |proof| proof.regions = true);
        answer.statistics.set("states", Figure::Count(states as u64));
        Ok(answer)
    }

    fn decide_by_zones(
        &mut self,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let question = self.question(property)?;
        let begun = Instant::now();
        let found = in_real_time(&question, settings, budget)?;
        let share = budget.part((begun.elapsed() * 4).max(CERTIFIED_AT_LEAST));
        let proved = self.proved(&question, &found, settings, property, &share, progress);
        let mut answer = match proved {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(Trouble::TooMany(_) | Trouble::Spent(_) | Trouble::Unsupported(_)) => {
                budget.check_now()?;
                unproved(&question, &found)?
            }
            Err(other) => return Err(other),
        };
        answer
            .statistics
            .set("zones", Figure::Count(found.values.states as u64));
        answer
            .statistics
            .set("locations", Figure::Count(found.locations as u64));
        Ok(answer)
    }

    /// The answer with a certificate for the region graph; nothing if the model has no region graph.
    fn proved(
        &self,
        question: &TimedQuestion,
        found: &RealTime,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Answer>, Trouble> {
        let Ok(regions) = region_clocks(question) else {
            return Ok(None);
        };
        let extent = Extent::from(CERTIFIED.min(self.limit));
        let (values, certificate, states) = certified(
            &regions,
            question,
            Some(found),
            settings,
            extent,
            budget,
            progress,
        )?;
        let mut answer = self.concluded(values, &[0], certificate, property)?;
        let (low, high) = value_of(question, found);
        let agrees = match &answer.value {
            Some(Quantity::Exact(value)) => low <= *value && *value <= high,
            Some(Quantity::Between(lower, upper)) => low <= *upper && *lower <= high,
            _ => verdict(question, found).is_none_or(|verdict| verdict == answer.verdict),
        };
        if !agrees {
            let message =
                format!("zones find a value in [{low}, {high}] that the region graph does not confirm");
            return Err(Trouble::Undecided(message));
        }
        with_proof(&mut answer, |proof| proof.regions = true);
        answer.statistics.set("states", Figure::Count(states as u64));
        Ok(Some(answer))
    }
}

/// Bounds on the value that is asked for.
fn value_of(question: &TimedQuestion, found: &RealTime) -> (Rational, Rational) {
    let (low, high) = found.event.clone();
    match question.complement {
        true => (Rational::ONE - high, Rational::ONE - low),
        false => (low, high),
    }
}

/// The verdict about a bound, if the value is far enough from it.
fn verdict(question: &TimedQuestion, found: &RealTime) -> Option<Verdict> {
    let Query::Compare(threshold) = question.query_of_event() else {
        return Some(Verdict::Holds);
    };
    let holds = |value: &Rational| threshold.comparison.holds(value, &threshold.bound);
    match (holds(&found.event.0), holds(&found.event.1)) {
        (true, true) => Some(Verdict::Holds),
        (false, false) => Some(Verdict::Fails),
        _ => None,
    }
}

/// The answer that zones give by themselves.
fn unproved(question: &TimedQuestion, found: &RealTime) -> Result<Answer, Trouble> {
    let Some(verdict) = verdict(question, found) else {
        let message = "the value is too near to the bound: try a smaller --precision";
        return Err(Trouble::Undecided(message.to_owned()));
    };
    let mut answer = Answer::complete(verdict, Proof::from(Certificate::default())).boxed();
    if question.query == Query::Value {
        let (low, high) = value_of(question, found);
        answer.value = Some(match low == high {
            true => Quantity::Exact(low),
            false => Quantity::Between(low, high),
        });
    }
    with_proof(&mut answer, |proof| proof.regions = true);
    Ok(answer)
}
