//! Deciding properties: operators from the inside out, a set of states or a bracket of numbers for each.
//!
//! Every probability and reward operator leaves its bracket in the certificate, in the order in which the checker asks for them: inner
//! operators first, from left to right.

use crate::brackets::{self, Truth};
use crate::bytecode::Code;
use crate::generate::{Extent, Pause, generate_pausing};
use crate::graph::Predecessors;
use crate::iteration::Precision;
use crate::method::Method;
use crate::numbers::Num;
use crate::sparse::Sparse;
use crate::uncertain::Nature;
use crate::unexplored::Guide;
use entail_budget::{Budget, Progress, Spent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{Achievements, Bracket, Certificate, Observer};
use entail_markov::{Expr, Kind, Network, Optimum, Path, Property, Query, Rational, SemanticError, Sort};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

/// When exact values are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Where it is cheap.
    WhereCheap,
    /// Always, or not at all.
    Always,
    /// Never.
    Never,
}

/// What a user can choose.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How near bounds must be.
    pub precision: Precision,
    /// When exact values are computed.
    pub exactness: Exactness,
    /// Which schedulers count.
    pub schedulers: Schedulers,
    /// How equations are solved.
    pub method: Method,
    /// When bisimilar states are put together first.
    pub quotients: Quotients,
}

/// When bisimilar states are put together before an operator is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotients {
    /// Where it is likely to pay.
    WherePaying,
    /// Wherever it can be done.
    Always,
    /// Never.
    Never,
}

/// Which schedulers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedulers {
    /// All.
    All,
    /// Those that take every choice again and again in a state that they see again and again (PRISM's `-fair`).
    Fair,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            precision: Precision {
                epsilon: 1e-6,
                relative: true,
            },
            exactness: Exactness::WhereCheap,
            schedulers: Schedulers::All,
            method: Method::default(),
            quotients: Quotients::WherePaying,
        }
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Trouble {
    /// There was not enough time or memory.
    #[error("{0}")]
    Spent(#[from] Spent),
    /// The model has no meaning.
    #[error(transparent)]
    Model(#[from] SemanticError),
    /// It is not decided by this engine.
    #[error("{0}")]
    Unsupported(String),
    /// The bounds do not tell.
    #[error("{0}")]
    Undecided(String),
    /// There are too many states.
    #[error("more than {0} states")]
    TooMany(usize),
}

impl From<entail_dd::Error> for Trouble {
    fn from(error: entail_dd::Error) -> Trouble {
        match error {
            entail_dd::Error::Spent(spent) => Trouble::Spent(spent),
            other => Trouble::Undecided(other.to_string()),
        }
    }
}

impl From<ExploreError> for Trouble {
    fn from(error: ExploreError) -> Trouble {
        match error {
            ExploreError::Semantic(error) => Trouble::Model(error),
            ExploreError::Spent(spent) => Trouble::Spent(spent),
            ExploreError::TooMany(limit) => Trouble::TooMany(limit),
        }
    }
}

/// Fewer states are not worth several threads.
const WORTHWHILE: usize = 100_000;

/// What is known about every state.
#[derive(Clone, Debug)]
pub enum Values {
    /// Which states satisfy a property.
    Truth(Truth),
    /// Numbers.
    Numbers(Bracket),
    /// There is no value, and why.
    Nothing(String),
    /// The vertices of the front of several objectives.
    Pareto(Vec<Vec<Rational>>),
}

/// A model with what was computed about it.
pub struct Workshop<'n> {
    pub(crate) network: Cow<'n, Network>,
    /// The explicit model.
    pub model: Sparse,
    pub(crate) before: Predecessors,
    pub(crate) settings: Settings,
    pub(crate) certificate: Vec<Bracket>,
    pub(crate) observers: Vec<Observer>,
    /// Sweeps of iterations so far.
    pub sweeps: u64,
    /// Classes of bisimilar states that stood for them in quotients, for the last answer; zero if there was no quotient.
    pub classes: u64,
    /// Why the last answer's bounds are not as near as the settings ask, if they are not.
    pub shortfall: Option<String>,
    /// Who chooses the probabilities of intervals.
    pub(crate) nature: Nature,
    /// What the last operator says about a model that was explored in part.
    pub(crate) guide: Option<Guide>,
    /// Nobody asks for the values of other states than the initial ones.
    pub(crate) only_initial: bool,
    pub(crate) achievements: Vec<Achievements>,
    /// What choices earn, by reward structure, once it was asked for.
    pub(crate) rewards: Vec<Option<Vec<Num>>>,
}

impl<'n> Workshop<'n> {
    /// Explores a network, or a part of it.
    pub fn new(
        network: impl Into<Cow<'n, Network>>,
        settings: Settings,
        extent: impl Into<Extent>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Workshop<'n>, Trouble> {
        Workshop::pausing(network, settings, extent, None, budget, progress)
    }

    /// Explores a network with a pause.
    pub fn pausing(
        network: impl Into<Cow<'n, Network>>,
        settings: Settings,
        extent: impl Into<Extent>,
        pause: Option<Pause<'_>>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<Workshop<'n>, Trouble> {
        let (network, extent) = (network.into(), extent.into());
        let model = generate_pausing(&network, &extent, pause, budget, progress)?;
        let threads = match model.states() < WORTHWHILE {
            true => 1,
            false => extent.threads,
        };
        let before = Predecessors::by_threads(&model, threads);
        Ok(Workshop::assembled(network, before, model, settings))
    }

    pub(crate) fn assembled(
        network: Cow<'n, Network>,
        before: Predecessors,
        model: Sparse,
        settings: Settings,
    ) -> Workshop<'n> {
        let structures = network.rewards.len();
        Workshop {
            before,
            model,
            network,
            settings,
            certificate: Vec::new(),
            observers: Vec::new(),
            sweeps: 0,
            shortfall: None,
            classes: 0,
            nature: Nature::With,
            guide: None,
            only_initial: false,
            achievements: Vec::new(),
            rewards: vec![None; structures],
        }
    }

    /// The values of a property in all states, with their certificate.
    pub fn check(&mut self, property: &Property, budget: &Budget) -> Result<(Values, Certificate), Trouble> {
        self.certificate.clear();
        self.observers.clear();
        self.shortfall = None;
        self.classes = 0;
        self.nature = Nature::With;
        self.guide = None;
        self.only_initial = true;
        self.achievements.clear();
        let values = self.property(property, budget);
        self.only_initial = false;
        let values = values?;
        self.note_if_wide(property, &values);
        let certificate = Certificate {
            brackets: std::mem::take(&mut self.certificate),
            observers: std::mem::take(&mut self.observers),
            unexplored: self.model.unexplored.ones().map(|state| state as u32).collect(),
            achievements: std::mem::take(&mut self.achievements),
        };
        Ok((values, certificate))
    }

    /// Whether it is about a network as it is, without anything left out.
    pub fn is_about(&self, network: &Network) -> bool {
        matches!(self.network, Cow::Borrowed(own) if std::ptr::eq(own, network))
    }

    /// Other settings from now on.
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = settings;
    }

    pub(crate) fn size(&self) -> usize {
        self.model.states()
    }

    pub(crate) fn everywhere(&self) -> FixedBitSet {
        let mut all = FixedBitSet::with_capacity(self.size());
        all.insert_range(..);
        all
    }

    /// The values of an expression.
    fn expr(&self, expr: &Expr, budget: &Budget) -> Result<Values, Trouble> {
        // A mistake of the property, which does not concern others.
        let wrong = |error: entail_markov::EvalError, state: &[i64]| {
            let state = self.network.show_state(state);
            Trouble::Unsupported(format!("the property has no value: {error} in state ({state})"))
        };
        let mut state = Vec::new();
        if self.network.sort(expr) == Ok(Sort::Bool) {
            let code = Code::new(&self.network, expr);
            let mut set = FixedBitSet::with_capacity(self.size());
            if let Some(constant) = code.constant() {
                if constant != 0 {
                    set.insert_range(..);
                }
                return Ok(Values::Truth(set.into()));
            }
            let mut stack = Vec::new();
            for at in 0..self.size() {
                budget.check()?;
                self.model.store.read(at, &mut state);
                let truth = match code.run(&self.network, &state, &mut stack) {
                    Ok(value) => value != 0,
                    Err(_) => self
                        .network
                        .holds(expr, &state)
                        .map_err(|error| wrong(error, &state))?,
                };
                set.set(at, truth);
            }
            return Ok(Values::Truth(set.into()));
        }
        let mut numbers = Vec::with_capacity(self.size());
        for at in 0..self.size() {
            budget.check()?;
            self.model.store.read(at, &mut state);
            let value = self
                .network
                .eval(expr, &state)
                .map_err(|error| wrong(error, &state))?;
            numbers.push(value.number());
        }
        Ok(Values::Numbers(Bracket::Exact(numbers)))
    }

    pub(crate) fn property(&mut self, property: &Property, budget: &Budget) -> Result<Values, Trouble> {
        Ok(match property {
            Property::Expr(expr) => self.expr(expr, budget)?,
            Property::Init => {
                let mut set = FixedBitSet::with_capacity(self.size());
                set.extend(self.model.initial.iter().map(|&state| state as usize));
                Values::Truth(set.into())
            }
            Property::Unexplored => {
                let mut set = self.model.unexplored.clone();
                set.grow(self.size());
                Values::Truth(set.into())
            }
            Property::Deadlock => {
                self.explored_whole("deadlocks")?;
                Values::Truth(self.model.deadlocks.clone().into())
            }
            Property::Unary(op, operand) => {
                let operand = self.property(operand, budget)?;
                self.unary(*op, operand)?
            }
            Property::Binary(op, left, right) => {
                let (left, right) = (self.property(left, budget)?, self.property(right, budget)?);
                self.binary(*op, left, right)?
            }
            Property::If(condition, yes, no) => {
                let condition = self.set(condition, budget)?;
                match (self.property(yes, budget)?, self.property(no, budget)?) {
                    (Values::Truth(yes), Values::Truth(no)) => {
                        let mut chosen = no;
                        for state in condition.ones() {
                            chosen.yes.set(state, yes.yes.contains(state));
                            chosen.unknown.set(state, yes.unknown.contains(state));
                        }
                        Values::Truth(chosen)
                    }
                    _ => {
                        return Err(Trouble::Unsupported(
                            "choices between numbers are not supported".to_owned(),
                        ));
                    }
                }
            }
            Property::Probability { optimum, query, path } => {
                let optimum = effective(*optimum, query);
                let bracket = self.probability(optimum, path, budget)?;
                self.answer(query, bracket)?
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind,
            } => {
                self.without_fairness("rewards")?;
                let optimum = effective(*optimum, query);
                let bracket = self.reward(optimum, *structure, kind, budget)?;
                self.answer(query, bracket)?
            }
            Property::SteadyState {
                optimum,
                query,
                states,
            } => {
                self.without_intervals("long-run averages")?;
                self.explored_whole("long-run averages")?;
                let optimum = effective(*optimum, query);
                let set = self.set(states, budget)?;
                let bracket = self.long_run_probability(optimum, &set, budget)?;
                self.answer(query, bracket)?
            }
            Property::Exists(path) => {
                self.explored_whole("quantifiers over paths")?;
                Values::Truth(self.exists(path, budget)?.into())
            }
            Property::ForAll(path) => {
                self.explored_whole("quantifiers over paths")?;
                Values::Truth(self.for_all(path, budget)?.into())
            }
            Property::Filter {
                aggregate,
                property,
                states,
            } => {
                if **states != Property::Init {
                    self.explored_whole("filters")?;
                    self.only_initial = false;
                }
                let states = self.set(states, budget)?;
                let values = self.property(property, budget)?;
                self.filter(*aggregate, &states, values)?
            }
            Property::Multi(parts) => {
                self.without_intervals("several objectives")?;
                self.explored_whole("several objectives")?;
                self.without_fairness("several objectives")?;
                self.objectives(parts, budget)?
            }
            Property::Lexicographic(parts) => {
                self.without_intervals("several objectives")?;
                self.explored_whole("several objectives")?;
                self.without_fairness("several objectives")?;
                self.in_order(parts, budget)?
            }
            Property::Quantile { variables, property } => {
                self.explored_whole("quantiles")?;
                self.quantile(variables, property, budget)?
            }
            Property::Conditional {
                optimum,
                query,
                event,
                condition,
            } => {
                self.explored_whole("conditional probabilities")?;
                let (event, condition) = (self.set(event, budget)?, self.set(condition, budget)?);
                let optimum = effective(*optimum, query);
                let bracket = self.conditional(optimum, &event, &condition, budget)?;
                self.answer(query, bracket)?
            }
            Property::Robust(inner) => {
                let before = std::mem::replace(&mut self.nature, Nature::Against);
                let values = self.property(inner, budget);
                self.nature = before;
                values?
            }
        })
    }

    /// The states that satisfy a property.
    pub(crate) fn set(&mut self, property: &Property, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        // Inner operators say for themselves who chooses probabilities.
        let nature = std::mem::replace(&mut self.nature, Nature::With);
        let only_initial = std::mem::replace(&mut self.only_initial, false);
        let values = self.property(property, budget);
        self.nature = nature;
        self.only_initial = only_initial;
        match values? {
            Values::Truth(truth) if truth.unknown.is_clear() => Ok(truth.yes),
            Values::Truth(truth) => Err(Trouble::Undecided(format!(
                "an inner property is not decided in {} state(s), where the value is too near to the bound: try --engine exact or a \
                 smaller --precision",
                truth.unknown.count_ones(..)
            ))),
            _ => Err(Trouble::Unsupported(
                "a number where a truth value is needed".to_owned(),
            )),
        }
    }

    /// What a query says about numbers.
    pub(crate) fn answer(&self, query: &Query, bracket: Bracket) -> Result<Values, Trouble> {
        match query {
            Query::Value => Ok(Values::Numbers(bracket)),
            Query::Compare(threshold) => Ok(Values::Truth(brackets::meets(&bracket, threshold))),
        }
    }

    pub(crate) fn probability(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        match path {
            Path::State(states) => Ok(brackets::indicator(&self.set(states, budget)?)),
            Path::Not(inner) => Ok(brackets::complement(self.probability(
                optimum.dual(),
                inner,
                budget,
            )?)),
            Path::Finally(goal, bounds) if goal.as_state().is_some() => {
                let goal = self.path_set(goal, budget)?;
                self.until_within(optimum, self.everywhere(), goal, bounds.as_ref(), budget)
            }
            Path::Until(stay, goal, bounds) if stay.as_state().is_some() && goal.as_state().is_some() => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                self.until_within(optimum, stay, goal, bounds.as_ref(), budget)
            }
            Path::Globally(stay, bounds) if stay.as_state().is_some() => {
                let bad = not(self.path_set(stay, budget)?);
                let lost =
                    self.until_within(optimum.dual(), self.everywhere(), bad, bounds.as_ref(), budget)?;
                Ok(brackets::complement(lost))
            }
            Path::WeakUntil(stay, goal, bounds) if stay.as_state().is_some() && goal.as_state().is_some() => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                let (mut way, mut bad) = (stay.clone(), not(stay));
                way.difference_with(&goal);
                bad.difference_with(&goal);
                Ok(brackets::complement(self.until_within(
                    optimum.dual(),
                    way,
                    bad,
                    bounds.as_ref(),
                    budget,
                )?))
            }
            Path::Release(first, second, bounds)
                if first.as_state().is_some() && second.as_state().is_some() =>
            {
                let (first, second) = (self.path_set(first, budget)?, self.path_set(second, budget)?);
                let lost =
                    self.until_within(optimum.dual(), not(first), not(second), bounds.as_ref(), budget)?;
                Ok(brackets::complement(lost))
            }
            Path::Next(inner) if inner.as_state().is_some() => {
                self.explored_whole("single steps")?;
                let goal = self.path_set(inner, budget)?;
                let bracket = self.after_one_step(optimum, &goal, budget)?;
                Ok(self.certified(bracket))
            }
            _ => {
                self.explored_whole("path formulas with several operators")?;
                self.linear(optimum, path, budget)
            }
        }
    }

    pub(crate) fn path_set(&mut self, path: &Path, budget: &Budget) -> Result<FixedBitSet, Trouble> {
        match path.as_state() {
            Some(states) => self.set(states, budget),
            None => Err(Trouble::Unsupported(
                "a path formula where states are needed".to_owned(),
            )),
        }
    }

    /// Notes a bracket in the certificate.
    pub(crate) fn certified(&mut self, bracket: Bracket) -> Bracket {
        self.certificate.push(bracket.clone());
        bracket
    }

    /// Refuses what is not done where only fair schedulers count.
    pub(crate) fn without_fairness(&self, what: &str) -> Result<(), Trouble> {
        match self.is_fair() {
            false => Ok(()),
            true => Err(Trouble::Unsupported(format!(
                "{what} under fair schedulers are not supported"
            ))),
        }
    }

    /// Whether only fair schedulers count, and that makes a difference.
    pub(crate) fn is_fair(&self) -> bool {
        self.settings.schedulers == Schedulers::Fair && self.model.kind.has_choices()
    }

    /// Whether the model's states are left after random times.
    pub(crate) fn is_ctmc(&self) -> bool {
        self.network.kind == Kind::Ctmc
    }
}

/// The optimum that a query without one asks for: a bound must be met under all schedulers.
pub(crate) fn effective(optimum: Option<Optimum>, query: &Query) -> Optimum {
    match (optimum, query) {
        (Some(optimum), _) => optimum,
        (None, Query::Compare(threshold)) if threshold.comparison.is_upper() => Optimum::Max,
        (None, Query::Compare(_)) => Optimum::Min,
        (None, Query::Value) => Optimum::Max,
    }
}
