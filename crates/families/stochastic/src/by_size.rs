//! Which engine answers, by the size of the model: explicit states first, then what does without all of them.
//!
//! Most models are explored within a second, and exploring tells most about them. Where there are many states, exploring pauses twice. First a small part of the model may tell all
//! ([`explore_guided`]), which is soon found out. Later a larger part may, or states may be few nodes of a diagram ([`Diagrams`]). Each has about the time that exploring has taken
//! so far, so that a model that needs all its states has lost little. Otherwise exploring goes on; and if the states do not fit into the memory, diagrams have all the time that is left.

use crate::session::StochasticSession;
use entail_answer::{Answer, Figure, Verdict};
use entail_budget::{Budget, Progress, Spent};
use entail_markov::{Network, Property};
use entail_probabilistic::{Diagrams, Extent, Next, Schedulers, Settings, Trouble, Workshop, explore_guided};
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// So many states are explored before a small part is tried.
const MANY: usize = 500_000;

/// So many states are explored before everything else is tried.
const MODERATE: usize = 5_000_000;

/// A part of the model has at most so many states; the certificates of larger ones would not be checked.
const PART: usize = 250_000;

/// A small part.
const SMALL_PART: usize = 16_000;

/// What engines have at least.
const SMALL_PART_AT_LEAST: Duration = Duration::from_millis(100);
const PART_AT_LEAST: Duration = Duration::from_millis(500);
const DIAGRAMS_AT_LEAST: Duration = Duration::from_secs(2);

/// Whether other engines than the one that explores all states may answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    MayAnswer,
    Silent,
}

/// What came of exploring.
pub(crate) enum Explored<'n> {
    Model(Box<Workshop<'n>>),
    /// Another engine has answered meanwhile.
    Answer(Box<Answer>),
}

impl StochasticSession<'_> {
    /// The answer of the first engine that has one.
    pub(crate) fn decide_by_size(
        &mut self,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let others = self.others(settings, &self.model.properties[property]);
        match self.decide_explicitly(settings, property, others, budget, progress) {
            Ok(answer) => Ok(by("sparse", answer)),
            Err(trouble) if others == Others::MayAnswer && is_size(&trouble) => {
                match decided(self.decide_symbolically(settings, property, budget, progress))? {
                    Some(answer) => Ok(by("symbolic", answer)),
                    None => Err(trouble),
                }
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Whether another engine than the explicit one may answer. Where a user limits states or wants a scheduler, explicit states are meant.
    fn others(&self, settings: Settings, asked: &Property) -> Others {
        let explicit = self.partly || self.wants_scheduler || settings.schedulers == Schedulers::Fair;
        let network = &self.model.network;
        match !explicit && (suits_parts(network, asked) || Diagrams::admit(network, asked)) {
            true => Others::MayAnswer,
            false => Others::Silent,
        }
    }

    /// Explores a network, and pauses for other engines.
    pub(crate) fn explore<'n>(
        &mut self,
        network: impl Into<Cow<'n, Network>>,
        (settings, property, others): (Settings, usize, Others),
        extent: Extent,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Explored<'n>, Trouble> {
        let (begun, mut answer) = (Instant::now(), None);
        let mut ask = |states: usize| {
            let spent = begun.elapsed();
            let asked = match states < MODERATE {
                true => self.decide_by_small_part(settings, property, spent, budget, progress),
                false => self.decide_otherwise(settings, property, spent, budget, progress),
            };
            answer = asked.transpose();
            match answer {
                Some(_) => Next::GiveUp,
                None if states < MODERATE => Next::PauseAt(MODERATE),
                None => Next::GoOn,
            }
        };
        let pause = match others {
            Others::MayAnswer => Some((MANY, &mut ask as &mut dyn FnMut(usize) -> Next)),
            Others::Silent => None,
        };
        let explored = Workshop::pausing(network, settings, extent, pause, budget, progress);
        match answer {
            Some(answer) => answer.map(|answer| Explored::Answer(Box::new(answer))),
            None => explored.map(|workshop| Explored::Model(Box::new(workshop))),
        }
    }

    /// The answer of an engine that does without all states, if one has it soon.
    fn decide_otherwise(
        &mut self,
        settings: Settings,
        property: usize,
        spent: Duration,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Answer>, Trouble> {
        let (network, asked) = (&self.model.network, &self.model.properties[property]);
        if suits_parts(network, asked) {
            let share = budget.part((spent / 2).max(PART_AT_LEAST));
            let answer = self.decide_by_part(settings, property, PART, &share, progress);
            if let Some(answer) = decided(answer)? {
                return Ok(Some(by("partial", answer)));
            }
        }
        if Diagrams::admit(network, asked) {
            let share = budget.part((spent * 3 / 2).max(DIAGRAMS_AT_LEAST));
            let answer = self.decide_symbolically(settings, property, &share, progress);
            return Ok(decided(answer)?.map(|answer| by("symbolic", answer)));
        }
        Ok(None)
    }

    /// The answer by a small part of the model, if that says as much as the whole would.
    fn decide_by_small_part(
        &mut self,
        settings: Settings,
        property: usize,
        spent: Duration,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Option<Answer>, Trouble> {
        if !suits_parts(&self.model.network, &self.model.properties[property]) {
            return Ok(None);
        }
        let share = budget.part((spent / 4).max(SMALL_PART_AT_LEAST));
        let answer = self.decide_by_part(settings, property, SMALL_PART, &share, progress);
        Ok(decided(answer)?.map(|answer| by("partial", answer)))
    }

    /// The answer by a part of the model with at most so many states, if the part says as much as the whole would.
    fn decide_by_part(
        &mut self,
        settings: Settings,
        property: usize,
        most: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let (model, asked) = (self.model, &self.model.properties[property]);
        let limit = self.limit.min(most);
        let found = explore_guided(&model.network, asked, settings, limit, budget, progress)?;
        if !found.decided {
            return Err(Trouble::TooMany(limit));
        }
        let mut workshop = found.workshop;
        self.answer(&mut workshop, found.values, found.certificate, property, budget)
    }
}

/// Whether a part of a model may answer a property. Of rewards parts seldom have upper bounds.
fn suits_parts(network: &Network, asked: &Property) -> bool {
    matches!(asked, Property::Probability { .. }) && !network.has_intervals()
}

/// Whether a model is too large for an engine.
fn is_size(trouble: &Trouble) -> bool {
    matches!(
        trouble,
        Trouble::TooMany(_) | Trouble::Spent(Spent::Memory { .. } | Spent::DefaultMemory { .. })
    )
}

/// The answer, if an engine has one; the mistake, if the model has one.
fn decided(answer: Result<Answer, Trouble>) -> Result<Option<Answer>, Trouble> {
    match answer {
        Ok(answer) => Ok(Some(answer).filter(|answer| answer.verdict != Verdict::Unknown)),
        Err(trouble @ (Trouble::Model(_) | Trouble::Spent(Spent::Cancelled))) => Err(trouble),
        Err(_) => Ok(None),
    }
}

/// An answer that tells which engine has found it.
pub(crate) fn by(engine: &str, mut answer: Answer) -> Answer {
    if answer.statistics.get("by").is_none() {
        answer.statistics.set("by", Figure::Text(engine.to_owned()));
    }
    answer
}
