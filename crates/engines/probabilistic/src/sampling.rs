//! Statistical model checking of chains: probabilities estimated from random runs, with a stated confidence.
//!
//! Runs follow the reference interpreter; the outcomes of a state are computed when it is first met and kept. For a number, as many runs are made
//! as make the exact interval (Clopper and Pearson 1934) narrow enough whatever the number is. For a bound on a probability, Wald's sequential test (1945) decides between
//! `p ≥ θ + ε` and `p ≤ θ - ε`. Or, if asked for, so many runs as Okamoto's bound (1958) needs. Probabilities that are too small for either are estimated level by level
//! ([`crate::splitting`]). A run of an unbounded formula ends when it is decided or the run cannot leave a state; a run that does neither
//! makes the answer unknown, never wrong.

use crate::check::Trouble;
use crate::distance::Nearness;
use crate::simulation::Choosing;
use crate::splitting;
use entail_budget::Budget;
use entail_markov::interpreter;
use entail_markov::{
    BoundedBy, Bounds, Comparison, Kind, Network, Path, Property, Query, Threshold, Unfolding, to_float,
};
use entail_statistics::proportion::{self, Share};
use entail_statistics::sequential::{Known, Test};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

/// More states than this are not kept at a time.
const MOST_KEPT: usize = 2_000_000;

/// How many runs are made, and what they tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Estimator {
    /// As many as the exact interval needs; a sequential test, if there is a bound.
    #[default]
    ClopperPearson,
    /// As many as Okamoto's bound needs.
    Okamoto,
    /// Importance splitting, for small probabilities.
    Splitting,
    /// So many.
    Fixed(u64),
}

/// How sampling is done.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// With which probability the answer must be right.
    pub confidence: f64,
    /// How far a number may be off (relatively to itself, where runs are split); half the width of the indifference region of a test.
    pub error: f64,
    /// How probabilities are estimated.
    pub estimator: Estimator,
    /// What grows towards the goal, for splitting; if nobody says, how nearly the goal's condition is met.
    pub importance: Option<entail_markov::Expr>,
    /// Where random numbers begin.
    pub seed: u64,
    /// A run that is not decided after so many steps never will be.
    pub longest: u64,
    /// How choices are made; nothing: there must be none.
    pub choosing: Option<Choosing>,
}

/// What sampling found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampled {
    /// Number of runs.
    pub runs: u64,
    /// Runs that satisfied the formula.
    pub successes: u64,
    /// The interval that contains the probability, with the asked confidence.
    pub interval: (f64, f64),
    /// Whether the bound is met, for a question with one.
    pub meets: Option<bool>,
    /// Steps of all runs.
    pub steps: u64,
    /// Where runs were split: the number of levels, and of independent estimates.
    pub splitting: Option<(usize, u64)>,
}

impl Sampled {
    fn of(share: Share, interval: (f64, f64), meets: Option<bool>) -> Sampled {
        Sampled {
            runs: share.runs,
            successes: share.successes,
            interval,
            meets,
            steps: 0,
            splitting: None,
        }
    }
}

/// A state as it is met in runs.
struct Node {
    /// Targets with the summed probabilities up to each; empty until it is needed.
    outcomes: Vec<(f64, u32)>,
    /// The exit rate, in continuous time.
    rate: f64,
    stays: bool,
    goal: bool,
    expanded: bool,
    /// How near it is to the goal, where that is asked; a goal is nearer than everything else.
    near: f64,
}

/// A state that a run has just entered, and when.
#[derive(Clone, Debug)]
pub(crate) struct Moment {
    state: Vec<i64>,
    entered: f64,
}

/// How a run, or a part of it, ends.
pub(crate) enum End {
    /// It satisfies the formula, or it does not.
    Decided(bool),
    /// It is as near to the goal as it was asked to come.
    Near(Moment),
}

/// Random runs of a chain about a formula.
pub(crate) struct Runs<'n> {
    network: &'n Network,
    choosing: Option<&'n Choosing>,
    numbers: FxHashMap<Vec<i64>, u32>,
    states: Vec<Vec<i64>>,
    nodes: Vec<Node>,
    until: &'n Until<'n>,
    nearness: Option<Nearness<'n>>,
    initial: Moment,
    longest: u64,
    pub random: StdRng,
    pub steps: u64,
    /// How near to the goal the last run has come.
    pub nearest: f64,
    budget: &'n Budget,
}

/// A path formula that can be sampled: `stay U goal` within bounds, or its negation.
struct Until<'p> {
    stay: &'p Property,
    goal: &'p Property,
    bounds: Option<&'p Bounds>,
    negated: bool,
}

/// Samples the probability that a property asks for.
pub fn sample(
    network: &Network,
    property: &Property,
    sampling: &Sampling,
    budget: &Budget,
) -> Result<Sampled, Trouble> {
    let unsupported = |what: &str| Trouble::Unsupported(what.to_owned());
    if network.kind.has_choices() && sampling.choosing.is_none() {
        return Err(unsupported(
            "sampling needs a model without choices: a scheduler's choices are not random",
        ));
    }
    let Property::Probability { query, path, .. } = property else {
        return Err(unsupported("only probabilities are estimated by sampling"));
    };
    let truth = Property::truth();
    let not;
    let bounded = |path: &Path| {
        matches!(path, Path::Finally(_, Some(_)) | Path::Globally(_, Some(_)) | Path::Until(_, _, Some(_)))
    };
    if network.kind == Kind::Ma && bounded(path) {
        return Err(unsupported("bounds on the time of Markov automata are not sampled"));
    }
    let until = match path {
        Path::Finally(goal, bounds) => Until {
            stay: &truth,
            goal: plain(goal)?,
            bounds: bounds.as_ref(),
            negated: false,
        },
        Path::Until(stay, goal, bounds) => Until {
            stay: plain(stay)?,
            goal: plain(goal)?,
            bounds: bounds.as_ref(),
            negated: false,
        },
        Path::Globally(stay, bounds) => {
            not = Property::unary(entail_markov::UnaryOp::Not, plain(stay)?.clone());
            Until {
                stay: &truth,
                goal: &not,
                bounds: bounds.as_ref(),
                negated: true,
            }
        }
        _ => return Err(unsupported("sampling is for F, G and U over sets of states")),
    };
    if until.bounds.is_some_and(|bounds| bounds.by != BoundedBy::Time) {
        return Err(unsupported("bounds on rewards are not sampled"));
    }
    let initial = interpreter::initial_states(network, 2, budget)?;
    let [initial] = &initial[..] else {
        return Err(unsupported("sampling needs one initial state"));
    };
    let splits = sampling.estimator == Estimator::Splitting;
    let mut runs = Runs {
        network,
        choosing: sampling.choosing.as_ref(),
        numbers: FxHashMap::default(),
        states: Vec::new(),
        nodes: Vec::new(),
        until: &until,
        nearness: splits.then(|| Nearness::new(network, until.goal, sampling.importance.as_ref())),
        initial: Moment {
            state: initial.clone(),
            entered: 0.0,
        },
        longest: sampling.longest,
        random: StdRng::seed_from_u64(sampling.seed),
        steps: 0,
        nearest: f64::NEG_INFINITY,
        budget,
    };
    let mut sampled = match (query, sampling.estimator) {
        (_, Estimator::Splitting) => splitting::estimate(&mut runs, query, until.negated, sampling)?,
        (Query::Compare(threshold), Estimator::ClopperPearson) => test(threshold, sampling, &mut runs)?,
        _ => estimate(query, sampling, &mut runs)?,
    };
    sampled.steps = runs.steps;
    Ok(sampled)
}

fn plain(path: &Path) -> Result<&Property, Trouble> {
    match path.as_state() {
        Some(property @ (Property::Expr(_) | Property::Deadlock | Property::Init)) => Ok(property),
        _ => Err(Trouble::Unsupported(
            "sampling is for formulas about the variables, without inner operators".to_owned(),
        )),
    }
}

/// So many runs make a share that is off by more than `error` with at most the probability that is left to `confidence` (Okamoto 1958).
fn okamoto(confidence: f64, error: f64) -> u64 {
    ((2.0 / (1.0 - confidence)).ln() / (2.0 * error * error)).ceil() as u64
}

/// The share of runs that satisfy the formula, whose number is fixed beforehand; for a bound, on which side of it the share is.
fn estimate(query: &Query, sampling: &Sampling, runs: &mut Runs<'_>) -> Result<Sampled, Trouble> {
    let (confidence, error) = (sampling.confidence, sampling.error);
    let okamoto = (sampling.estimator == Estimator::Okamoto).then(|| okamoto(confidence, error));
    let mut share = Share::default();
    let runs_needed = match sampling.estimator {
        Estimator::Fixed(runs) => runs,
        _ => okamoto.unwrap_or_else(|| proportion::runs_needed(confidence, error)),
    };
    for _ in 0..runs_needed {
        share.count(runs.satisfies()?);
    }
    let middle = share.estimate();
    let interval = match okamoto {
        Some(_) => ((middle - error).max(0.0), (middle + error).min(1.0)),
        None => share.interval(confidence),
    };
    let meets = match query {
        Query::Value => None,
        Query::Compare(threshold) => Some(threshold.comparison.holds(&middle, &to_float(&threshold.bound))),
    };
    Ok(Sampled::of(share, interval, meets))
}

/// Wald's test of `p ≥ θ + ε` against `p ≤ θ - ε`, both errors at most `1 - confidence`.
fn test(threshold: &Threshold, sampling: &Sampling, runs: &mut Runs<'_>) -> Result<Sampled, Trouble> {
    let bound = to_float(&threshold.bound);
    let (high, low) = (bound + sampling.error, bound - sampling.error);
    if high >= 1.0 || low <= 0.0 {
        return Err(Trouble::Unsupported(format!(
            "a test needs room on both sides of {bound}: give a smaller --error"
        )));
    }
    let (mut test, mut share) = (Test::new(low, high, sampling.confidence), Share::default());
    let known = loop {
        let met = runs.satisfies()?;
        share.count(met);
        if let Some(known) = test.take(met) {
            break known;
        }
    };
    let wanted = match threshold.comparison {
        Comparison::Gt | Comparison::Ge => Known::High,
        Comparison::Lt | Comparison::Le => Known::Low,
    };
    let interval = share.interval(sampling.confidence);
    Ok(Sampled::of(share, interval, Some(known == wanted)))
}

impl Runs<'_> {
    fn number(&mut self, state: &[i64]) -> Result<u32, Trouble> {
        if let Some(&known) = self.numbers.get(state) {
            return Ok(known);
        }
        let number = self.nodes.len() as u32;
        let goal = self.holds(self.until.goal, state)?;
        let near = match &self.nearness {
            Some(_) if goal => f64::INFINITY,
            Some(nearness) => nearness.of(state)?,
            None => 0.0,
        };
        let node = Node {
            outcomes: Vec::new(),
            rate: 1.0,
            stays: self.holds(self.until.stay, state)?,
            goal,
            expanded: false,
            near,
        };
        self.numbers.insert(state.to_vec(), number);
        self.states.push(state.to_vec());
        self.nodes.push(node);
        Ok(number)
    }

    fn holds(&self, property: &Property, state: &[i64]) -> Result<bool, Trouble> {
        match property {
            Property::Expr(expr) => {
                let nowhere = entail_source::Span::new(0, 0);
                Ok(interpreter::truth(self.network, expr, state, nowhere)?)
            }
            Property::Deadlock => Ok(interpreter::choices(self.network, state)?.is_empty()),
            _ => Err(Trouble::Unsupported(
                "sampling is for formulas about the variables".to_owned(),
            )),
        }
    }

    /// Computes where a state leads.
    fn expand(&mut self, number: u32) -> Result<(), Trouble> {
        let state = self.states[number as usize].clone();
        let mut outcomes = Vec::new();
        let mut sum = 0.0;
        if let Some(choosing) = self.choosing.filter(|_| self.network.kind.has_choices()) {
            let mut here = Unfolding::new(self.network);
            let first = here.number(&state);
            let rows = choosing.among(self.network, &state, here.rows(first)?)?.to_vec();
            for (target, probability) in rows.iter().flat_map(|row| &row.targets) {
                let target = here.state(*target).to_vec();
                sum += to_float(probability);
                outcomes.push((sum, self.number(&target)?));
            }
            let node = &mut self.nodes[number as usize];
            (node.outcomes, node.rate, node.expanded) = (outcomes, sum, true);
            return Ok(());
        }
        let choices = interpreter::choices(self.network, &state)?;
        for choice in &choices {
            for (weight, target) in &choice.branches {
                let target = self.number(target)?;
                sum += to_float(weight);
                outcomes.push((sum, target));
            }
        }
        if outcomes.is_empty() {
            if let Some(mistake) = self.network.dead_ends.mistake(self.network, &state) {
                return Err(mistake.into());
            }
            (sum, outcomes) = (1.0, vec![(1.0, number)]);
        }
        let node = &mut self.nodes[number as usize];
        (node.outcomes, node.rate, node.expanded) = (outcomes, sum, true);
        Ok(())
    }

    /// Whether a random run from the start satisfies the formula.
    fn satisfies(&mut self) -> Result<bool, Trouble> {
        match self.run(&self.initial.clone(), None)? {
            End::Decided(met) => Ok(met != self.until.negated),
            // Nobody has asked how near it comes.
            End::Near(_) => Err(Trouble::Undecided("a run has stopped early".to_owned())),
        }
    }

    /// Where all runs begin.
    pub fn start(&self) -> Moment {
        self.initial.clone()
    }

    /// How near a moment is to the goal.
    pub fn near(&mut self, moment: &Moment) -> Result<f64, Trouble> {
        let number = self.number(&moment.state)?;
        Ok(self.nodes[number as usize].near)
    }

    /// A random run that begins at a moment: whether it satisfies `stay U goal`, or where it comes so near to the goal first.
    pub fn run(&mut self, from: &Moment, level: Option<f64>) -> Result<End, Trouble> {
        if self.nodes.len() > MOST_KEPT {
            self.numbers.clear();
            self.states.clear();
            self.nodes.clear();
        }
        let limit = |limit: &entail_markov::Limit| (to_float(&limit.value), limit.strict);
        let bounds = self.until.bounds;
        let first = bounds.and_then(|bounds| bounds.lower.as_ref()).map(limit);
        let last = bounds.and_then(|bounds| bounds.upper.as_ref()).map(limit);
        let timed = self.network.kind == Kind::Ctmc;
        let mut at = self.number(&from.state)?;
        // The time at which the state is entered.
        let mut entered = from.entered;
        self.nearest = f64::NEG_INFINITY;
        for _ in 0..self.longest {
            self.budget.check()?;
            self.steps += 1;
            if !self.nodes[at as usize].expanded {
                self.expand(at)?;
            }
            let node = &self.nodes[at as usize];
            let stay = match timed {
                true => -(1.0 - self.random.random::<f64>()).ln() / node.rate,
                false => 1.0,
            };
            let left = entered + stay;
            let past = |(value, strict): (f64, bool), time: f64| time > value || strict && time == value;
            // In steps a state is there at one moment; in time from when it is entered until it is left.
            if last.is_some_and(|last| past(last, entered)) {
                return Ok(End::Decided(false));
            }
            if level.is_some_and(|level| node.near >= level) {
                let state = self.states[at as usize].clone();
                return Ok(End::Near(Moment { state, entered }));
            }
            self.nearest = self.nearest.max(node.near);
            let begun = first.is_none_or(|(value, strict)| match timed {
                true => left > value || !node.stays && entered >= value,
                false => entered > value || !strict && entered == value,
            });
            // Before the first moment `stay` must hold, and if the state is entered before it, until then.
            let waits = first.is_some_and(|(value, _)| entered < value);
            if node.goal && begun && (!waits || node.stays) {
                return Ok(End::Decided(true));
            }
            if !node.stays {
                return Ok(End::Decided(false));
            }
            let pick = self.random.random::<f64>() * node.rate;
            let position = node.outcomes.partition_point(|&(sum, _)| sum <= pick);
            let target = node.outcomes[position.min(node.outcomes.len() - 1)].1;
            let absorbed = node.outcomes.iter().all(|&(_, target)| target == at);
            if absorbed && (!node.goal || begun) {
                // It stays here for ever: whether the goal is met is known.
                return Ok(End::Decided(node.goal));
            }
            (at, entered) = (target, left);
        }
        Err(Trouble::Undecided(format!(
            "a run was not decided after {} steps: bound the formula, or use another engine",
            self.longest
        )))
    }
}
