//! Statistical model checking of networks of timed automata: what random runs tell.
//!
//! **Here:** [`check`], from a network and a statistical question to an answer that says how sure it is. Runs follow the stochastic semantics of UPPAAL SMC (David, Larsen, Legay, Mikučionis, Poulsen 2015);
//! they are made in exact time on a fine grid, so that those that are kept can be replayed.
//!
//! **Not here:** languages, zones, judging; what an interval means (`entail-statistics`).
//!
//! **Invariants:** an answer is never `Complete`; the run of a number depends on the seed and that number alone, so the same question with the same seed has the same answer; how many runs an estimate takes
//! does not depend on what they do.
//!
//! A step costs a look at the outputs of each process: guards are evaluated for the interval of waits in which they hold, and a number is drawn. There is no allocation in a step that nobody receives.

mod curve;
mod instant;
mod player;
mod runs;
mod stage;
mod state;
mod together;
mod watch;

use entail_answer::{Answer, Figure, Guarantee, Quantity, Verdict};
use entail_budget::Budget;
use entail_clocks::discrete::Trouble;
use entail_clocks::evidence::{self, Histogram, Proof, Samples};
use entail_clocks::{Chance, EdgeId, Extent, Fault, Formula, Network, Rational, Reading, Trial};
use entail_source::Span;
use entail_statistics::mean::{self, Numbers};
use entail_statistics::proportion::{self, Share};
use entail_statistics::sequential::{Comparison, Known, Test};
use runs::Runs;
use stage::Stage;
use together::Together;

/// Pairs of runs after which a comparison is given up.
const MOST_PAIRS: u64 = 10_000_000;

/// Odds that are so many times those of others are told from them (UPPAAL's u0 and u1).
const INDIFFERENT: (f64, f64) = (0.9, 1.1);

/// Curves that are kept, at most.
const MOST_CURVES: usize = 400;

/// How sure and how near answers are to be.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// With which probability an answer is to be right.
    pub confidence: f64,
    /// How far an estimate may be off.
    pub error: f64,
    /// How far from the number that it is compared with a probability must be to be told from it.
    pub indifference: f64,
    /// Where random numbers begin.
    pub seed: u64,
    /// Threads that make runs; answers do not depend on it.
    pub threads: usize,
}

/// Code of the model that goes wrong on a run.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What goes wrong, and where in the text.
    pub trouble: Trouble,
    /// The edges that it belongs to.
    pub edges: Vec<EdgeId>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    Model(Trouble, Vec<EdgeId>),
    Unknown(String),
}

impl Stop {
    fn code(fault: Fault, span: Span, edges: &[EdgeId]) -> Stop {
        Stop::Model(Trouble { fault, span }, edges.to_vec())
    }
}

impl From<entail_budget::Spent> for Stop {
    fn from(spent: entail_budget::Spent) -> Stop {
        Stop::Unknown(spent.to_string())
    }
}

/// Answers a statistical question.
pub fn check(
    network: &Network,
    chance: &Chance,
    settings: Settings,
    budget: &Budget,
) -> Result<Answer<Proof>, Failure> {
    let stage = match Stage::new(network) {
        Ok(stage) => stage,
        Err(reason) => return Ok(Answer::unknown(reason)),
    };
    let found = Together::new(&stage, settings.seed, settings.threads, budget).and_then(|runs| {
        let mut asking = Asking { runs, settings };
        let mut answer = match chance {
            Chance::Probability { trial, runs } => asking.probability(trial, *runs),
            Chance::Test {
                trial,
                at_least,
                threshold,
            } => asking.test(trial, *at_least, threshold),
            Chance::Compare(pair) => asking.compare(&pair[0], &pair[1]),
            Chance::Mean {
                extent,
                runs,
                largest,
                of,
            } => asking.mean(extent, *runs, *largest, of),
            Chance::Simulate {
                extent,
                runs,
                of,
                only,
            } => asking.simulate(extent, *runs, of, only.as_ref()),
        }?;
        answer.statistics.set("steps", Figure::Count(asking.runs.steps()));
        Ok(answer)
    });
    match found {
        Ok(answer) => Ok(answer),
        Err(Stop::Unknown(reason)) => Ok(Answer::unknown(reason)),
        Err(Stop::Model(trouble, edges)) => Err(Failure { trouble, edges }),
    }
}

struct Asking<'s> {
    runs: Together<'s>,
    settings: Settings,
}

fn between(low: f64, high: f64) -> Option<Quantity> {
    Some(Quantity::Between(
        Rational::try_from(low).ok()?,
        Rational::try_from(high).ok()?,
    ))
}

fn kept(share: Share) -> evidence::Share {
    evidence::Share {
        runs: share.runs,
        successes: share.successes,
    }
}

/// How often a goal was met where: a quarter of the root of the number of runs is the number of parts, as UPPAAL has it, and at least 10.
fn histogram(met: &[f64], runs: u64) -> Histogram {
    let largest = met.iter().copied().fold(0.0, f64::max);
    if met.is_empty() || largest <= 0.0 {
        return Histogram::default();
    }
    let parts = ((runs as f64).sqrt() / 4.0).ceil().clamp(10.0, 200.0) as usize;
    let width = largest / parts as f64;
    let mut counts = vec![0; parts];
    for &at in met {
        counts[((at / width) as usize).min(parts - 1)] += 1;
    }
    Histogram { width, counts }
}

impl Asking<'_> {
    fn statistical(&self, verdict: Verdict, samples: Samples, error: Option<f64>) -> Answer<Proof> {
        let runs = samples.shares.iter().map(|share| share.runs).sum::<u64>()
            + samples.mean.map_or(0, |mean| mean.runs);
        let mut answer = Answer::complete(verdict, Proof::Samples { samples });
        answer.guarantee = Guarantee::Statistical {
            confidence: self.settings.confidence,
            // In six digits, rounded up.
            error: error.map(|error| (error * 1e6).ceil() / 1e6),
        };
        answer.statistics.set("runs", Figure::Count(runs));
        answer
    }

    fn samples(&self, shares: Vec<Share>) -> Samples {
        Samples {
            seed: self.settings.seed,
            shares: shares.into_iter().map(kept).collect(),
            ..Samples::default()
        }
    }

    fn probability(&mut self, trial: &Trial, runs: Option<u64>) -> Result<Answer<Proof>, Stop> {
        let confidence = self.settings.confidence;
        let runs = runs.unwrap_or_else(|| proportion::runs_needed(confidence, self.settings.error));
        let (mut share, mut met, mut first) = (Share::default(), Vec::new(), None);
        let attempt = |runs: &mut Runs<'_>, run: u64| runs.attempt(run, trial);
        self.runs.each(0..runs, attempt, |at| {
            if let Some(at) = at {
                met.push(at);
                first = first.or(Some(share.runs));
            }
            share.count(at.is_some() == trial.wanted);
        })?;
        let samples = Samples {
            when: histogram(&met, runs),
            witness: match first {
                Some(run) => self.runs.one().replayable(run, trial)?,
                None => None,
            },
            ..self.samples(vec![share])
        };
        let (low, high) = share.interval(confidence);
        let mut answer = self.statistical(Verdict::Holds, samples, Some(share.error(confidence)));
        answer.value = between(low, high);
        answer.reason = Some(format!(
            "{} of {} random runs: {:.6}",
            share.successes,
            share.runs,
            share.estimate()
        ));
        Ok(answer)
    }

    fn test(&mut self, trial: &Trial, at_least: bool, threshold: &Rational) -> Result<Answer<Proof>, Stop> {
        let threshold = threshold.to_f64().value();
        let mut share = Share::default();
        // Every probability is at least 0 and at most 1: there is nothing to be tested.
        let is_trivial = threshold == if at_least { 0.0 } else { 1.0 };
        let aside = self.settings.indifference;
        let mut test = Test::new(threshold - aside, threshold + aside, self.settings.confidence);
        let mut known = is_trivial.then_some(if at_least { Known::High } else { Known::Low });
        let mut first = None;
        while known.is_none() {
            let next = share.runs..share.runs + self.runs.ahead();
            let attempt = |runs: &mut Runs<'_>, run: u64| Ok(runs.attempt(run, trial)?.is_some());
            self.runs.each(next, attempt, |met| {
                // What was made ahead is not counted when the answer is known.
                if known.is_none() {
                    if met && first.is_none() {
                        first = Some(share.runs);
                    }
                    share.count(met == trial.wanted);
                    known = test.take(met == trial.wanted);
                }
            })?;
        }
        let verdict = match (known == Some(Known::High)) == at_least {
            true => Verdict::Holds,
            false => Verdict::Fails,
        };
        let samples = Samples {
            witness: match first {
                Some(run) => self.runs.one().replayable(run, trial)?,
                None => None,
            },
            ..self.samples(vec![share])
        };
        let mut answer = self.statistical(verdict, samples, None);
        answer.reason = Some(match is_trivial {
            true => "no probability is beyond it".to_owned(),
            false => format!("{} of {} random runs", share.successes, share.runs),
        });
        Ok(answer)
    }

    fn compare(&mut self, one: &Trial, other: &Trial) -> Result<Answer<Proof>, Stop> {
        let (low, high) = INDIFFERENT;
        let mut test = Comparison::new(low, high, self.settings.confidence);
        let (mut first, mut second) = (Share::default(), Share::default());
        let mut found = None;
        let known = loop {
            if let Some(known) = found {
                break known;
            }
            let pair = first.runs;
            if pair >= MOST_PAIRS {
                return Err(Stop::Unknown(format!(
                    "no difference was found in {MOST_PAIRS} pairs of runs ({} and {} do what is asked)",
                    first.successes, second.successes
                )));
            }
            let next = pair..pair + self.runs.ahead();
            let attempt = |runs: &mut Runs<'_>, pair: u64| {
                let left = runs.attempt(2 * pair, one)?.is_some() == one.wanted;
                let right = runs.attempt(2 * pair + 1, other)?.is_some() == other.wanted;
                Ok((left, right))
            };
            self.runs.each(next, attempt, |(left, right)| {
                if found.is_none() {
                    first.count(left);
                    second.count(right);
                    found = test.take(left, right);
                }
            })?;
        };
        let verdict = match known {
            Known::High => Verdict::Holds,
            Known::Low => Verdict::Fails,
        };
        let mut answer = self.statistical(verdict, self.samples(vec![first, second]), None);
        answer.reason = Some(format!(
            "{} of {} random runs, and {} of {}",
            first.successes, first.runs, second.successes, second.runs
        ));
        Ok(answer)
    }

    fn mean(
        &mut self,
        extent: &Extent,
        runs: u64,
        largest: bool,
        of: &Reading,
    ) -> Result<Answer<Proof>, Stop> {
        let mut numbers = Numbers::default();
        let measure = |runs: &mut Runs<'_>, run: u64| runs.measure(run, extent, of, largest);
        self.runs.each(0..runs, measure, |number| numbers.add(number))?;
        let (mean, deviation) = (numbers.mean(), numbers.deviation());
        let error = mean::error(runs, deviation, self.settings.confidence);
        let samples = Samples {
            mean: Some(evidence::Mean {
                runs,
                mean,
                deviation,
            }),
            ..self.samples(Vec::new())
        };
        let mut answer = self.statistical(
            Verdict::Holds,
            samples,
            Some(error).filter(|error| error.is_finite()),
        );
        answer.value = match error.is_finite() {
            true => between(mean - error, mean + error),
            false => None,
        };
        answer.reason = Some(format!(
            "the mean of {runs} random runs is {mean:.6}, their standard deviation {deviation:.6}"
        ));
        Ok(answer)
    }

    fn simulate(
        &mut self,
        extent: &Extent,
        runs: u64,
        of: &[(String, Reading)],
        only: Option<&(u64, Formula)>,
    ) -> Result<Answer<Proof>, Stop> {
        let (mut share, mut curves, mut first) = (Share::default(), Vec::new(), None);
        let most = only.map_or(u64::MAX, |(most, _)| *most);
        for run in 0..runs {
            let (recorded, met) = self
                .runs
                .one()
                .record(run, extent, of, only.map(|(_, only)| only))?;
            share.count(met);
            if met && share.successes <= most && curves.len() + recorded.len() <= MOST_CURVES {
                curves.extend(recorded);
                first = first.or(Some(run));
            }
        }
        let confidence = self.settings.confidence;
        let mut samples = Samples {
            curves,
            ..self.samples(vec![share])
        };
        let Some((_, goal)) = only else {
            let mut answer = self.statistical(Verdict::Holds, samples, None);
            answer.reason = Some(match runs {
                1 => "one random run".to_owned(),
                _ => format!("{runs} random runs"),
            });
            return Ok(answer);
        };
        if let Some(run) = first {
            let trial = Trial {
                extent: extent.clone(),
                stay: Formula::Constant(true),
                goal: goal.clone(),
                wanted: true,
            };
            samples.witness = self.runs.one().replayable(run, &trial)?;
        }
        let (low, high) = share.interval(confidence);
        let mut answer = self.statistical(Verdict::Holds, samples, Some(share.error(confidence)));
        answer.value = between(low, high);
        answer.reason = Some(format!(
            "{} of {} random runs meet the condition",
            share.successes, share.runs
        ));
        Ok(answer)
    }
}
