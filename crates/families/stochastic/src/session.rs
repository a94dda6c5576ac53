//! Engines at work.

use crate::by_size::{Explored, Others};
use crate::checker::{Approximated, Proof, Samples};
use crate::model::{StochasticModel, model_error};
use entail_answer::{Answer, Figure, Guarantee, Quantity, Verdict, Warning, WarningKind};
use entail_budget::{Budget, Progress};
use entail_family::{LoadError, ModelError, Options, Session, Usage};
use entail_markov::{Bracket, Certificate};
use entail_markov::{Expr, Network, Property, Rational, from_float, to_float};
use entail_probabilistic::{
    Diagrams, Estimator, Exactness, Extent, Method, Precision, Quotients, Sampled, Sampling, Schedulers,
    Settings, Trouble, Values, Workshop, explore_guided, sample, settled, without_irrelevant,
};
use std::any::Any;
use std::borrow::Cow;
use std::num::NonZero;
use std::time::Duration;

/// States beyond which exploring gives up where nobody sets a limit.
const MOST_STATES: usize = u32::MAX as usize - 1;

pub(crate) struct StochasticSession<'m> {
    pub model: &'m StochasticModel,
    settings: Settings,
    pub limit: usize,
    /// Beyond the limit states are left unexplored, and answers are bounds.
    pub partly: bool,
    sampling: Sampling,
    fair: bool,
    pub wants_scheduler: bool,
    threads: usize,
    pub workshop: Option<Workshop<'m>>,
    /// The model as decision diagrams, once it was asked for.
    diagrams: Option<Diagrams<'m>>,
    /// The model is too large to be explored as a whole before variables are left out.
    large: bool,
    /// A state from which time cannot go on for ever, if there is one; nothing before anybody has looked.
    pub trap: Option<Option<String>>,
}

/// The method with a name.
fn method(name: &str) -> Result<Method, String> {
    Method::named(name).ok_or_else(|| {
        let known: Vec<&str> = Method::ALL.iter().map(|(name, _)| *name).collect();
        format!("there is no method {name}: there are {}", known.join(", "))
    })
}

/// When bisimilar states are put together, by name.
fn quotients(name: &str) -> Result<Quotients, String> {
    match name {
        "auto" => Ok(Quotients::WherePaying),
        "always" => Ok(Quotients::Always),
        "never" => Ok(Quotients::Never),
        _ => Err(format!("`{name}` is none of auto, always, never")),
    }
}

/// How probabilities are estimated, by name.
fn estimator(name: &str) -> Result<Estimator, String> {
    match name {
        "clopper-pearson" => Ok(Estimator::ClopperPearson),
        "okamoto" => Ok(Estimator::Okamoto),
        "splitting" => Ok(Estimator::Splitting),
        _ => Err(format!("`{name}` is none of clopper-pearson, okamoto, splitting")),
    }
}

/// How many threads may work.
pub(crate) fn threads(options: &Options) -> Result<usize, Usage> {
    let count = |text: &str| text.parse::<usize>().map_err(|error| error.to_string());
    Ok((options.parsed("threads", count)?).unwrap_or_else(cores))
}

/// Threads where nobody says how many.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZero::get)
}

/// A random run that is not decided after so many steps is given up.
const LONGEST_RUN: u64 = 10_000_000;

/// Models with more states are explored without the variables that make no difference, if there are such.
const LARGE: usize = 300_000;

impl<'m> StochasticSession<'m> {
    pub fn new(model: &'m StochasticModel, options: &Options) -> Result<StochasticSession<'m>, Usage> {
        let number = |text: &str| text.parse::<f64>().map_err(|error| error.to_string());
        let epsilon = options.parsed("precision", number)?.unwrap_or(1e-6);
        let count = |text: &str| text.parse::<usize>().map_err(|error| error.to_string());
        let estimator = options.parsed("estimator", estimator)?.unwrap_or_default();
        let importance = match options.value("importance") {
            Some(_) if estimator != Estimator::Splitting => {
                return Err(Usage("--importance goes with --estimator splitting".to_owned()));
            }
            Some(text) => Some(model.number(text).map_err(|error| match error {
                LoadError::Usage(usage) => usage,
                other => Usage(format!("--importance: {other}")),
            })?),
            None => None,
        };
        let usual_error = match estimator {
            Estimator::Splitting => 0.1,
            _ => 0.01,
        };
        Ok(StochasticSession {
            model,
            settings: Settings {
                precision: Precision {
                    epsilon,
                    relative: !options.has("absolute"),
                },
                method: options.parsed("method", method)?.unwrap_or_default(),
                quotients: (options.parsed("bisimulation", quotients)?).unwrap_or(Quotients::WherePaying),
                ..Settings::default()
            },
            limit: options.parsed("state-limit", count)?.unwrap_or(MOST_STATES),
            partly: options.has("state-limit"),
            sampling: Sampling {
                confidence: options.parsed("confidence", number)?.unwrap_or(0.99),
                error: options.parsed("error", number)?.unwrap_or(usual_error),
                estimator,
                importance,
                seed: options.parsed("seed", count)?.unwrap_or(1) as u64,
                longest: LONGEST_RUN,
                choosing: None,
            },
            fair: options.has("fair"),
            wants_scheduler: options.has("scheduler"),
            threads: threads(options)?,
            workshop: None,
            diagrams: None,
            large: false,
            trap: None,
        })
    }

    /// What the options say about methods and precision.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Goes on with another model; false if that needs a new session, because the networks differ.
    pub fn turn_to(&mut self, model: &'m StochasticModel) -> bool {
        let same = std::ptr::eq(self.model, model) || self.model.network == model.network;
        if same {
            self.trap = self.trap.take().filter(|_| std::ptr::eq(self.model, model));
            self.model = model;
        }
        same
    }

    /// The network without variables that make no difference, and where it need not be explored; nothing if it must be explored as it is.
    fn smaller(&self, asked: &Property, schedulers: Schedulers) -> (Option<Network>, Option<Expr>) {
        let network = &self.model.network;
        if network.has_intervals() {
            return (None, None);
        }
        // Fair schedulers are judged by what they do for ever, which a goal does not end; a scheduler is written for all states.
        let settled = match schedulers == Schedulers::Fair || self.wants_scheduler {
            true => None,
            false => settled(asked),
        };
        (without_irrelevant(network, asked), settled)
    }

    fn decide(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let mut settings = self.settings;
        if engine == "exact" {
            settings.exactness = Exactness::Always;
        }
        if self.fair || self.model.fair.contains(&property) {
            settings.schedulers = Schedulers::Fair;
        }
        if let Some(answer) = self.decide_with_clocks(engine, settings, property, budget, progress) {
            return answer;
        }
        let answer = self.decide_by_states(engine, settings, property, budget, progress)?;
        self.in_real_time_too(engine, answer, settings, property, budget, progress)
    }

    /// The answer of an engine for models as they are, or with integers as clocks.
    fn decide_by_states(
        &mut self,
        engine: &str,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        if engine == "statistical" {
            let sampled = sample(
                &self.model.network,
                &self.model.properties[property],
                &self.sampling,
                budget,
            )?;
            return Ok(estimated(&sampled, &self.sampling));
        }
        if settings.method == Method::Plain {
            return self.iterate_plainly(engine, settings, property, budget, progress);
        }
        if engine == "adaptive" || engine == "digital" {
            return self.decide_by_size(settings, property, budget, progress);
        }
        let (model, asked) = (self.model, &self.model.properties[property]);
        if engine == "partial" {
            if settings.schedulers == Schedulers::Fair {
                let message = "fair schedulers need the whole model: use --engine sparse";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
            let found = explore_guided(&model.network, asked, settings, self.limit, budget, progress)?;
            let mut workshop = found.workshop;
            return self.answer(&mut workshop, found.values, found.certificate, property, budget);
        }
        if engine == "symbolic" {
            return self.decide_symbolically(settings, property, budget, progress);
        }
        self.decide_explicitly(settings, property, Others::Silent, budget, progress)
    }

    /// What plain value iteration gives: a number that nothing is proved about, and no verdict about a bound.
    fn iterate_plainly(
        &mut self,
        engine: &str,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let refuse = |message: &str| Err(Trouble::Unsupported(message.to_owned()));
        if !matches!(engine, "adaptive" | "sparse") {
            return refuse("plain value iteration is for --engine sparse");
        }
        if self.wants_scheduler {
            return refuse(
                "a scheduler is written by a method that proves what it is worth, not by --method vi",
            );
        }
        let found = self.decide_explicitly(settings, property, Others::Silent, budget, progress)?;
        let epsilon = settings.precision.epsilon;
        let value = match &found.value {
            Some(Quantity::Exact(value) | Quantity::Between(value, _)) => {
                let error = from_float(epsilon).unwrap_or(Rational::ZERO);
                let error = if settings.precision.relative {
                    error * value
                } else {
                    error
                };
                Quantity::Between(value - &error, value + error)
            }
            Some(Quantity::Infinite) => Quantity::Infinite,
            _ => return refuse("plain value iteration proves nothing about a bound: leave out --method vi"),
        };
        let about = value.to_string();
        let mut answer = Answer::complete(Verdict::Holds, Approximated { about }).boxed();
        answer.value = Some(value);
        answer.guarantee = Guarantee::Approximate { error: epsilon };
        answer.reason =
            Some("plain value iteration stops where values change little: nothing is proved".to_owned());
        answer.statistics = found.statistics;
        answer.warnings = found.warnings;
        Ok(answer)
    }

    /// The answer by exploring all states; or that of another engine, if others may answer and one does where there are many states.
    pub fn decide_explicitly(
        &mut self,
        settings: Settings,
        property: usize,
        others: Others,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let (model, asked) = (self.model, &self.model.properties[property]);
        if self.workshop.is_none() {
            let (network, settled) = self.smaller(asked, settings.schedulers);
            let cut = network.is_some() || settled.is_some();
            let whole = Extent {
                partly: self.partly && !cut,
                threads: self.threads,
                ..Extent::from(if cut { self.limit.min(LARGE) } else { self.limit })
            };
            let explored = match self.large && cut {
                true => Err(Trouble::TooMany(whole.limit)),
                false => {
                    let asked = (settings, property, others);
                    self.explore(&model.network, asked, whole, budget, progress)
                }
            };
            match explored {
                Ok(Explored::Answer(answer)) => return Ok(*answer),
                Ok(Explored::Model(workshop)) => self.workshop = Some(*workshop),
                Err(Trouble::TooMany(_)) if cut => {
                    self.large = true;
                    let extent = Extent {
                        partly: self.partly,
                        settled,
                        threads: self.threads,
                        ..Extent::from(self.limit)
                    };
                    let asked = (settings, property, others);
                    return self.decide_cut(network, asked, extent, budget, progress);
                }
                Err(trouble) => return Err(trouble),
            }
        }
        let Some(mut workshop) = self.workshop.take() else {
            return Err(Trouble::Undecided("the model was not explored".to_owned()));
        };
        workshop.set_settings(settings);
        let answer = (workshop.check(asked, budget)).and_then(|(values, certificate)| {
            self.answer(&mut workshop, values, certificate, property, budget)
        });
        self.workshop = Some(workshop);
        answer
    }

    /// The answer by decision diagrams. Models that can be checked again are explored, too, for their certificate.
    pub fn decide_symbolically(
        &mut self,
        settings: Settings,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let model = self.model;
        let mut diagrams = match self.diagrams.take() {
            Some(diagrams) => diagrams,
            None => Diagrams::for_property(&model.network, &model.properties[property], LARGE, budget)?,
        };
        let found = diagrams.check(&model.properties[property], settings, LARGE, budget, progress);
        let (states, log) = diagrams.states();
        let (nodes, dead) = (diagrams.nodes(), diagrams.deadlocks());
        self.diagrams = Some(diagrams).filter(Diagrams::is_whole);
        let found = found?;
        let mut answer = match found.workshop {
            Some(mut workshop) => {
                self.answer(&mut workshop, found.values, found.certificate, property, budget)?
            }
            None => {
                let initial: Vec<usize> = (0..found.initial).collect();
                let mut answer = self.concluded(found.values, &initial, found.certificate, property)?;
                let states = match states {
                    Some(states) => Figure::Count(states),
                    None => Figure::Text(format!("about 2^{log:.1}")),
                };
                answer.statistics.set("states", states);
                if dead > 0.0 {
                    let text = format!("{dead:.0} state(s) without a way out got a loop");
                    answer.warnings.push(Warning::new(WarningKind::DeadEnd, text));
                }
                if self.wants_scheduler {
                    let message = "schedulers are written only where the model is explored";
                    answer.reason.get_or_insert_with(|| message.to_owned());
                }
                answer
            }
        };
        let statistics = &mut answer.statistics;
        statistics.set("solved", Figure::Count(found.solved));
        statistics.set("sweeps", Figure::Count(found.sweeps));
        statistics.set("nodes", Figure::Count(nodes as u64));
        Ok(answer)
    }

    /// The answer about a model that is too large to be explored as it is: without variables that make no difference, and not behind states in which what is
    /// asked is settled.
    fn decide_cut(
        &mut self,
        network: Option<Network>,
        asked: (Settings, usize, Others),
        extent: Extent,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, Trouble> {
        let fewer = network.is_some();
        let network = network.map_or(Cow::Borrowed(&self.model.network), Cow::Owned);
        let property = asked.1;
        let mut workshop = match self.explore(network, asked, extent, budget, progress)? {
            Explored::Answer(answer) => return Ok(*answer),
            Explored::Model(workshop) => *workshop,
        };
        let (values, certificate) = workshop.check(&self.model.properties[property], budget)?;
        let mut answer = self.answer(&mut workshop, values, certificate, property, budget)?;
        if fewer {
            let note = "variables and states that make no difference were left out";
            answer.reason.get_or_insert_with(|| note.to_owned());
            answer.statistics.set("left out", Figure::Count(1));
        }
        Ok(answer)
    }

    /// The answer that a workshop gives.
    pub fn answer(
        &self,
        workshop: &mut Workshop<'_>,
        values: Values,
        certificate: Certificate,
        property: usize,
        budget: &Budget,
    ) -> Result<Answer, Trouble> {
        let initial: Vec<usize> = workshop
            .model
            .initial
            .iter()
            .map(|&state| state as usize)
            .collect();
        let mut answer = self.concluded(values, &initial, certificate, property)?;
        let unexplored = workshop.unexplored();
        if self.wants_scheduler && unexplored > 0 {
            let message = "schedulers are written only where the whole model is explored";
            answer.reason.get_or_insert_with(|| message.to_owned());
        } else if self.wants_scheduler && !has_joint_schedulers(&self.model.properties[property]) {
            match workshop.scheduler(&self.model.properties[property], budget) {
                Ok(strategy) => with_proof(&mut answer, |proof| proof.scheduler = Some(strategy)),
                Err(Trouble::Unsupported(reason)) => {
                    answer.reason.get_or_insert(reason);
                }
                Err(trouble) => return Err(trouble),
            }
        }
        // States of another model, or of a part of one, have other numbers.
        if unexplored == 0 && workshop.is_about(&self.model.network) {
            match workshop.listed(&self.model.properties[property], budget) {
                Ok(Some(listed)) => with_proof(&mut answer, |proof| proof.listed = Some(listed)),
                Ok(None) | Err(Trouble::Unsupported(_) | Trouble::Undecided(_)) => {}
                Err(trouble) => return Err(trouble),
            }
        }
        if let Some(shortfall) = &workshop.shortfall {
            answer.reason.get_or_insert_with(|| shortfall.clone());
        }
        let statistics = &mut answer.statistics;
        statistics.set("states", Figure::Count(workshop.model.states() as u64));
        statistics.set("transitions", Figure::Count(workshop.model.transitions() as u64));
        statistics.set("sweeps", Figure::Count(workshop.sweeps));
        if unexplored > 0 {
            statistics.set("unexplored", Figure::Count(unexplored as u64));
        }
        if workshop.classes > 0 {
            statistics.set("classes", Figure::Count(workshop.classes));
        }
        let dead = workshop.model.deadlocks.count_ones(..);
        if dead > 0 {
            let text = format!("{dead} state(s) without a way out got a loop");
            answer.warnings.push(Warning::new(WarningKind::DeadEnd, text));
        }
        if answer.verdict == Verdict::Fails {
            // Worth a second, and no failure of the answer.
            let share = budget.part(Duration::from_secs(1));
            if let Ok(Some(critical)) = workshop.critical(&self.model.properties[property], &share) {
                with_proof(&mut answer, |proof| proof.critical = Some(critical));
            }
        }
        Ok(answer)
    }

    /// The answer that values at the initial states give.
    pub fn concluded(
        &self,
        values: Values,
        initial: &[usize],
        certificate: Certificate,
        property: usize,
    ) -> Result<Answer, Trouble> {
        Ok(match values {
            Values::Truth(truth) => {
                let fails = initial
                    .iter()
                    .any(|&state| !truth.yes.contains(state) && !truth.unknown.contains(state));
                let holds = initial.iter().all(|&state| truth.yes.contains(state));
                if !fails && !holds {
                    let message =
                        "the value is too near to the bound: try --engine exact or a smaller --precision";
                    return Err(Trouble::Undecided(message.to_owned()));
                }
                let verdict = if holds { Verdict::Holds } else { Verdict::Fails };
                Answer::complete(verdict, Proof::from(certificate)).boxed()
            }
            Values::Numbers(bracket) => number(&bracket, initial, certificate),
            Values::Nothing(reason) => {
                let mut answer = Answer::complete(Verdict::Fails, Proof::from(certificate)).boxed();
                answer.value = Some(Quantity::Undefined);
                answer.reason = Some(reason);
                answer
            }
            Values::Pareto(points) => {
                let mut answer = Answer::complete(Verdict::Holds, Proof::from(certificate)).boxed();
                let what = match &self.model.properties[property] {
                    Property::Lexicographic(_) => "the values in order of importance",
                    _ => "the vertices of the front",
                };
                answer.reason = Some(what.to_owned());
                answer.value = Some(Quantity::Points(points));
                answer
            }
        })
    }
}

/// Whether the certificate itself has schedulers: those of several objectives.
fn has_joint_schedulers(property: &Property) -> bool {
    matches!(property, Property::Multi(_) | Property::Lexicographic(_))
}

/// Adds something to the evidence of an answer.
pub(crate) fn with_proof(answer: &mut Answer, change: impl FnOnce(&mut Proof)) {
    let Some(evidence) = answer.evidence.take() else {
        return;
    };
    let plain: Box<dyn Any> = evidence;
    if let Ok(mut proof) = plain.downcast::<Proof>() {
        change(&mut proof);
        answer.evidence = Some(proof);
    }
}

/// The answer that random runs give.
fn estimated(sampled: &Sampled, sampling: &Sampling) -> Answer {
    let verdict = match sampled.meets {
        Some(false) => Verdict::Fails,
        _ => Verdict::Holds,
    };
    let samples = Samples {
        runs: sampled.runs,
        successes: sampled.successes,
        seed: sampling.seed,
    };
    let mut answer = Answer::complete(verdict, samples).boxed();
    let (low, high) = sampled.interval;
    if sampled.meets.is_none()
        && let (Some(low), Some(high)) = (from_float(low), from_float(high))
    {
        answer.value = Some(Quantity::Between(low, high));
    }
    answer.guarantee = Guarantee::Statistical {
        confidence: sampling.confidence,
        error: sampled.meets.is_none().then_some(match sampled.splitting {
            Some(_) => (high - low) / 2.0,
            None => sampling.error,
        }),
    };
    answer.reason = Some(match sampled.splitting {
        Some((levels, estimates)) => format!(
            "{estimates} estimates by runs that are split at {levels} levels; their mean is taken as normally distributed"
        ),
        None => format!("{} of {} random runs", sampled.successes, sampled.runs),
    });
    if let Some((levels, estimates)) = sampled.splitting {
        answer.statistics.set("levels", Figure::Count(levels as u64));
        answer.statistics.set("estimates", Figure::Count(estimates));
    }
    answer.statistics.set("runs", Figure::Count(sampled.runs));
    answer.statistics.set("steps", Figure::Count(sampled.steps));
    answer
}

/// The answer that a bracket gives at the initial states.
fn number(bracket: &Bracket, initial: &[usize], certificate: Certificate) -> Answer {
    let lower: Option<Vec<Rational>> = initial.iter().map(|&state| bracket.lower(state)).collect();
    let upper: Option<Vec<Rational>> = initial.iter().map(|&state| bracket.upper(state)).collect();
    let infinite = initial
        .iter()
        .all(|&state| bracket.lower(state).is_none() && bracket.upper(state).is_none());
    let value = match (lower, upper) {
        _ if infinite => Quantity::Infinite,
        (Some(lower), Some(upper)) => match (lower.into_iter().min(), upper.into_iter().max()) {
            (Some(low), Some(high)) if low == high => Quantity::Exact(low),
            (Some(low), Some(high)) => Quantity::Between(low, high),
            _ => Quantity::Undefined,
        },
        (Some(lower), None) => {
            let least = lower.into_iter().min().map(|least| to_float(&least));
            return Answer::unknown(match least {
                Some(least) if least > 0.0 => {
                    format!(
                        "no finite upper bound was found: the value is at least {}",
                        least.next_down()
                    )
                }
                _ => "no finite upper bound was found".to_owned(),
            });
        }
        _ => return Answer::unknown("no finite upper bound was found"),
    };
    let mut answer = Answer::complete(Verdict::Holds, Proof::from(certificate)).boxed();
    answer.value = Some(value);
    if initial.len() > 1 {
        answer.reason = Some(format!("the range over {} initial states", initial.len()));
    }
    answer
}

impl Session for StochasticSession<'_> {
    fn check(
        &mut self,
        engine: &str,
        property: usize,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Answer, ModelError> {
        match self.decide(engine, property, budget, progress) {
            Ok(answer) => Ok(answer),
            Err(Trouble::Model(error)) => Err(model_error(error)),
            Err(other) => Ok(Answer::unknown(other.to_string())),
        }
    }
}
