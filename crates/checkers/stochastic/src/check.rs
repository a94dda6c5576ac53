//! The checker: a property evaluated from the model's meaning, with brackets as hints that are believed only when they are proved.

use crate::graph;
use crate::inequality::{Nature, settled};
use crate::numbers::{choose, complement, exact_indicator};
use crate::operators;
use crate::second::Enclosed;
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Spent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{Achievements, Bracket, Certificate, Observer};
use entail_markov::{
    Explicit, Exploration, Expr, Network, Optimum, Path, Property, Query, Rational, Row, Sort, explore_partly,
};

/// Checks answers about one network.
pub struct Checker {
    pub(crate) network: Network,
    pub(crate) model: Explicit,
    /// States that were met and not expanded, if the model was built in part; otherwise none.
    pub(crate) unexplored: Vec<u32>,
}

/// What an answer claims.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    /// The verdict.
    pub verdict: Verdict,
    /// The value, for a question that asks for one.
    pub value: Option<&'a Quantity>,
}

/// Why something could not be established, or is wrong.
pub(crate) enum NotConfirmed {
    Spent(Spent),
    Wrong(String),
    Unchecked(String),
}

impl From<Spent> for NotConfirmed {
    fn from(spent: Spent) -> NotConfirmed {
        NotConfirmed::Spent(spent)
    }
}

/// What is known about every state.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    /// Nothing: not decided.
    Truth(Vec<Option<bool>>),
    Numbers(Bracket),
    /// What can be reached for several objectives from the initial state.
    Points(Vec<Vec<Rational>>),
    /// There is no value.
    Nothing,
}

pub(crate) struct Evaluation<'c> {
    pub checker: &'c Checker,
    pub brackets: std::slice::Iter<'c, Bracket>,
    observers: std::slice::Iter<'c, Observer>,
    pub achievements: std::slice::Iter<'c, Achievements>,
    /// The states that the certificate says nothing about.
    unexplored: &'c [u32],
    pub budget: &'c Budget,
    enclosed: Option<Enclosed>,
    /// Who chooses the probabilities of intervals.
    pub nature: Nature,
    /// Only schedulers count that take every choice again and again in a state that they see again and again.
    pub fair: bool,
    /// A scheduler with memory that the outermost operator follows; nothing once it did.
    pub followed: Option<Followed<'c>>,
}

/// The choices of a scheduler with memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Followed<'c> {
    /// By state of the product with the operator's automaton, of which the sets are told by the letters of the model's states.
    Reading { choices: &'c [u32], letters: &'c [u32] },
    /// By step, and in each step by state.
    Counting(&'c [u32]),
}

impl Checker {
    /// Builds the model, at most so many states.
    pub fn new(network: Network, limit: usize, budget: &Budget) -> Result<Checker, ExploreError> {
        Checker::of_part(network, &[], limit, budget)
    }

    /// Builds the part of the model that is met without expanding some states, which are given in increasing order: at most so many states, perhaps by several threads.
    pub fn of_part(
        network: Network,
        unexplored: &[u32],
        how: impl Into<Exploration>,
        budget: &Budget,
    ) -> Result<Checker, ExploreError> {
        let left_out = |state: u32| unexplored.binary_search(&state).is_ok();
        let model = explore_partly(&network, how, &left_out, budget)?;
        // What is named and never met is left out of nothing.
        let met = |&&state: &&u32| (state as usize) < model.states.len() && left_out(state);
        let unexplored = unexplored.iter().filter(met).copied().collect();
        Ok(Checker {
            network,
            model,
            unexplored,
        })
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.model.states.len()
    }

    /// Whether the certificate supports the claim.
    pub fn check(
        &self,
        property: &Property,
        claim: &Claim<'_>,
        certificate: &Certificate,
        budget: &Budget,
    ) -> CheckReport {
        self.judge(property, claim, Evaluation::new(self, certificate, budget))
    }

    /// Whether the certificate supports the claim, where only fair schedulers count.
    pub fn check_fairly(
        &self,
        property: &Property,
        claim: &Claim<'_>,
        certificate: &Certificate,
        budget: &Budget,
    ) -> CheckReport {
        let mut evaluation = Evaluation::new(self, certificate, budget);
        evaluation.fair = self.model.kind.has_choices();
        self.judge(property, claim, evaluation)
    }

    fn judge(&self, property: &Property, claim: &Claim<'_>, mut evaluation: Evaluation<'_>) -> CheckReport {
        if evaluation.unexplored != self.unexplored {
            return CheckReport::rejected("the certificate is about another part of the model");
        }
        let known = match evaluation.property(property) {
            Ok(known) => known,
            Err(NotConfirmed::Wrong(reason)) => return CheckReport::rejected(reason),
            Err(NotConfirmed::Unchecked(what)) => return CheckReport::unchecked(what),
            Err(NotConfirmed::Spent(spent)) => {
                return CheckReport::unchecked(format!("the certificate ({spent})"));
            }
        };
        let initial = || self.model.initial.iter().map(|&state| state as usize);
        match known {
            Known::Truth(truth) => {
                let all = initial().all(|state| truth[state] == Some(true));
                let none = initial().any(|state| truth[state] == Some(false));
                match claim.verdict {
                    Verdict::Holds if all => CheckReport::Accepted,
                    Verdict::Fails if none => CheckReport::Accepted,
                    Verdict::Unknown => CheckReport::Accepted,
                    _ => CheckReport::rejected("the certificate does not prove the verdict"),
                }
            }
            Known::Numbers(bracket) => self.value(claim, &bracket),
            Known::Points(points) => match claim.value {
                Some(Quantity::Points(claimed)) if *claimed == points => CheckReport::Accepted,
                _ => CheckReport::rejected("the certificate proves other points"),
            },
            Known::Nothing => match claim.value {
                Some(Quantity::Undefined) => CheckReport::Accepted,
                _ => CheckReport::rejected("the certificate proves that there is no value"),
            },
        }
    }

    /// Whether the values of initial states lie in the claimed value.
    fn value(&self, claim: &Claim<'_>, bracket: &Bracket) -> CheckReport {
        let fits = |state: usize| {
            let (lower, upper) = (bracket.lower(state), bracket.upper(state));
            match claim.value {
                Some(Quantity::Exact(value)) => {
                    lower.as_ref() == Some(value) && upper.as_ref() == Some(value)
                }
                Some(Quantity::Between(low, high)) => {
                    lower.is_some_and(|lower| *low <= lower) && upper.is_some_and(|upper| upper <= *high)
                }
                Some(Quantity::Infinite) => lower.is_none() && upper.is_none(),
                _ => false,
            }
        };
        match self.model.initial.iter().all(|&state| fits(state as usize)) {
            true => CheckReport::Accepted,
            false => CheckReport::rejected("the certificate does not prove the value"),
        }
    }
}

impl<'c> Evaluation<'c> {
    pub(crate) fn new(
        checker: &'c Checker,
        certificate: &'c Certificate,
        budget: &'c Budget,
    ) -> Evaluation<'c> {
        Evaluation {
            checker,
            brackets: certificate.brackets.iter(),
            observers: certificate.observers.iter(),
            achievements: certificate.achievements.iter(),
            unexplored: &certificate.unexplored,
            budget,
            enclosed: None,
            nature: Nature::With,
            fair: false,
            followed: None,
        }
    }
}

impl Evaluation<'_> {
    pub(crate) fn size(&self) -> usize {
        self.checker.model.states.len()
    }

    fn expr(&self, expr: &Expr) -> Result<Known, NotConfirmed> {
        let (network, states) = (&self.checker.network, &self.checker.model.states);
        let value = |state: &Vec<i64>| {
            network
                .eval(expr, state)
                .map_err(|error| NotConfirmed::Wrong(error.to_string()))
        };
        if network.sort(expr) == Ok(Sort::Bool) {
            let truth = states.iter().map(|state| value(state).map(|value| value.truth()));
            return Ok(Known::Truth(truth.collect::<Result<_, _>>()?));
        }
        let numbers = states
            .iter()
            .map(|state| value(state).map(|value| value.number()));
        Ok(Known::Numbers(Bracket::Exact(numbers.collect::<Result<_, _>>()?)))
    }

    pub(crate) fn property(&mut self, property: &Property) -> Result<Known, NotConfirmed> {
        let model = &self.checker.model;
        let set = |states: &[u32]| {
            let mut truth = vec![Some(false); model.states.len()];
            for &state in states {
                truth[state as usize] = Some(true);
            }
            Known::Truth(truth)
        };
        Ok(match property {
            Property::Expr(expr) => self.expr(expr)?,
            Property::Init => set(&model.initial),
            Property::Unexplored => set(&self.checker.unexplored),
            Property::Deadlock => {
                self.built_whole("deadlocks")?;
                set(&model.deadlocks)
            }
            Property::Unary(op, operand) => {
                let operand = self.property(operand)?;
                self.unary(*op, operand)?
            }
            Property::Binary(op, left, right) => {
                let (left, right) = (self.property(left)?, self.property(right)?);
                self.binary(*op, left, right)?
            }
            Property::If(condition, yes, no) => {
                let condition = self.truth(condition)?;
                let (yes, no) = (self.property(yes)?, self.property(no)?);
                choose(&condition, yes, no)?
            }
            Property::Probability { optimum, query, path } => {
                let bracket = self.probability(effective(*optimum, query), path)?;
                compare(query, bracket)
            }
            Property::Reward { .. }
            | Property::SteadyState { .. }
            | Property::Exists(_)
            | Property::ForAll(_)
            | Property::Conditional { .. }
            | Property::Quantile { .. }
            | Property::Multi(_)
            | Property::Lexicographic(_)
                if self.fair =>
            {
                return Err(NotConfirmed::Unchecked(
                    "this operator under fair schedulers".to_owned(),
                ));
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind,
            } => {
                let bracket = self.reward(effective(*optimum, query), *structure, kind)?;
                compare(query, bracket)
            }
            Property::Filter {
                aggregate,
                property,
                states,
            } => {
                if **states != Property::Init {
                    self.built_whole("a filter over states")?;
                }
                let states = self.set(states)?;
                let values = self.property(property)?;
                self.filter(*aggregate, &states, values)?
            }
            Property::SteadyState {
                optimum,
                query,
                states,
            } => {
                self.built_whole("averages in the long run")?;
                let set = self.set(states)?;
                let optimum = effective(*optimum, query);
                let bracket = self.long_run(optimum, &|state, _| {
                    let inside = set[state];
                    move |time: &Rational| if inside { time.clone() } else { Rational::ZERO }
                })?;
                compare(query, bracket)
            }
            Property::Exists(path) => {
                self.built_whole("a quantifier over paths")?;
                let set = self.branching(path, true)?;
                Known::Truth(set.into_iter().map(Some).collect())
            }
            Property::ForAll(path) => {
                self.built_whole("a quantifier over paths")?;
                let set = self.branching(path, false)?;
                Known::Truth(set.into_iter().map(Some).collect())
            }
            Property::Multi(parts) => {
                self.built_whole("several objectives")?;
                self.objectives(parts)?
            }
            Property::Lexicographic(parts) => {
                self.built_whole("several objectives")?;
                self.in_order(parts)?
            }
            Property::Quantile { variables, property } => {
                self.built_whole("a quantile")?;
                match self.quantile(variables, property)? {
                    Some(bracket) => Known::Numbers(bracket),
                    None => Known::Nothing,
                }
            }
            Property::Conditional {
                optimum,
                query,
                event,
                condition,
            } => {
                self.built_whole("a conditional probability")?;
                let (event, condition) = (self.set(event)?, self.set(condition)?);
                let bracket = self.conditional(effective(*optimum, query), &event, &condition)?;
                compare(query, bracket)
            }
            Property::Robust(inner) => {
                let before = std::mem::replace(&mut self.nature, Nature::Against);
                let known = self.property(inner);
                self.nature = before;
                known?
            }
        })
    }

    fn truth(&mut self, property: &Property) -> Result<Vec<Option<bool>>, NotConfirmed> {
        match self.property(property)? {
            Known::Truth(truth) => Ok(truth),
            Known::Numbers(_) | Known::Points(_) | Known::Nothing => Err(NotConfirmed::Wrong(
                "a number where a truth value is needed".to_owned(),
            )),
        }
    }

    /// The states that satisfy a property, which must be decided everywhere.
    pub(crate) fn set(&mut self, property: &Property) -> Result<Vec<bool>, NotConfirmed> {
        let undecided =
            || NotConfirmed::Wrong("the certificate leaves an inner property undecided".to_owned());
        // Inner operators say for themselves who chooses probabilities.
        let nature = std::mem::replace(&mut self.nature, Nature::With);
        let followed = self.followed.take();
        let truth = self.truth(property);
        self.followed = followed;
        self.nature = nature;
        truth?
            .into_iter()
            .map(|truth| truth.ok_or_else(undecided))
            .collect()
    }

    pub(crate) fn next_bracket(&mut self) -> Result<&Bracket, NotConfirmed> {
        let lacking = || NotConfirmed::Wrong("the certificate lacks an operator".to_owned());
        let bracket = self.brackets.next().ok_or_else(lacking)?;
        match bracket {
            Bracket::Between { lower, upper } if lower.len() != upper.len() => Err(NotConfirmed::Wrong(
                "the certificate has bounds of different lengths".to_owned(),
            )),
            _ => Ok(bracket),
        }
    }

    pub(crate) fn judged(&self, bracket: &Bracket, wrong: operators::Wrong) -> Result<Bracket, NotConfirmed> {
        match wrong {
            None => Ok(bracket.clone()),
            Some(reason) => Err(NotConfirmed::Wrong(reason)),
        }
    }

    pub(crate) fn probability(&mut self, optimum: Optimum, path: &Path) -> Result<Bracket, NotConfirmed> {
        if matches!(self.followed, Some(Followed::Reading { .. })) {
            return self.linear(optimum, path);
        }
        let everywhere = vec![true; self.size()];
        match path {
            Path::State(states) => {
                let set = self.set(states)?;
                Ok(exact_indicator(&set))
            }
            Path::Not(inner) => Ok(complement(self.probability(optimum.dual(), inner)?)),
            Path::Finally(goal, bounds) => match goal.as_state() {
                Some(goal) => {
                    let goal = self.set(goal)?;
                    self.until(optimum, everywhere, goal, bounds.as_ref())
                }
                None => self.linear(optimum, path),
            },
            Path::Until(stay, goal, bounds) => match (stay.as_state(), goal.as_state()) {
                (Some(stay), Some(goal)) => {
                    let (stay, goal) = (self.set(stay)?, self.set(goal)?);
                    self.until(optimum, stay, goal, bounds.as_ref())
                }
                _ => self.linear(optimum, path),
            },
            Path::Globally(stay, bounds) => match stay.as_state() {
                Some(stay) => {
                    let bad = self.set(stay)?.into_iter().map(|inside| !inside).collect();
                    Ok(complement(self.until(
                        optimum.dual(),
                        everywhere,
                        bad,
                        bounds.as_ref(),
                    )?))
                }
                None => self.linear(optimum, path),
            },
            // a W b fails iff (a & !b) U (!a & !b); a R b fails iff !a U !b.
            Path::WeakUntil(stay, goal, bounds) => match (stay.as_state(), goal.as_state()) {
                (Some(stay), Some(goal)) => {
                    let (stay, goal) = (self.set(stay)?, self.set(goal)?);
                    let pairs = || stay.iter().zip(&goal);
                    let (way, bad) = (
                        pairs().map(|(&stay, &goal)| stay && !goal).collect(),
                        pairs().map(|(&stay, &goal)| !stay && !goal).collect(),
                    );
                    Ok(complement(self.until(
                        optimum.dual(),
                        way,
                        bad,
                        bounds.as_ref(),
                    )?))
                }
                _ => self.linear(optimum, path),
            },
            Path::Release(first, second, bounds) => match (first.as_state(), second.as_state()) {
                (Some(first), Some(second)) => {
                    let (first, second) = (self.set(first)?, self.set(second)?);
                    let not = |set: Vec<bool>| set.into_iter().map(|inside| !inside).collect();
                    Ok(complement(self.until(
                        optimum.dual(),
                        not(first),
                        not(second),
                        bounds.as_ref(),
                    )?))
                }
                _ => self.linear(optimum, path),
            },
            Path::Next(inner) => match inner.as_state() {
                Some(goal) => {
                    let goal = self.set(goal)?;
                    self.next(optimum, &goal)
                }
                None => self.linear(optimum, path),
            },
            _ => self.linear(optimum, path),
        }
    }

    /// One step is computed exactly.
    fn next(&mut self, optimum: Optimum, goal: &[bool]) -> Result<Bracket, NotConfirmed> {
        self.built_whole("a single step")?;
        let claimed = self.next_bracket()?.clone();
        if claimed.len() != self.size() {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
        for (state, rows) in self.checker.model.rows.iter().enumerate() {
            self.budget.check()?;
            let inside = |target: usize| {
                Some(if goal[target] {
                    Rational::ONE
                } else {
                    Rational::ZERO
                })
            };
            let extreme = self.nature.of(optimum);
            let sum = |row: &Row| {
                let row = settled(row, &inside, extreme);
                let there = row.targets.iter().filter(|(target, _)| goal[*target as usize]);
                there.fold(Rational::ZERO, |sum, (_, probability)| sum + probability)
            };
            let sums = rows.iter().map(sum);
            let value = match optimum {
                Optimum::Max => sums.max(),
                Optimum::Min => sums.min(),
            };
            let value = value.unwrap_or(Rational::ZERO);
            let fine = claimed.lower(state).is_some_and(|lower| lower <= value)
                && claimed.upper(state).is_some_and(|upper| value <= upper);
            if !fine {
                return Err(NotConfirmed::Wrong(format!(
                    "the probability after one step is {value} (state {state})"
                )));
            }
        }
        Ok(claimed)
    }

    pub(crate) fn next_observer(&mut self) -> Result<&Observer, NotConfirmed> {
        self.observers
            .next()
            .ok_or_else(|| NotConfirmed::Wrong("the certificate lacks an automaton".to_owned()))
    }

    pub(crate) fn enclosed(&mut self) -> &Enclosed {
        self.enclosed
            .get_or_insert_with(|| Enclosed::new(&self.checker.model))
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

fn compare(query: &Query, bracket: Bracket) -> Known {
    let Query::Compare(threshold) = query else {
        return Known::Numbers(bracket);
    };
    let truth = |state: usize| {
        let holds = |value: Option<Rational>| match value {
            Some(value) => threshold.comparison.holds(&value, &threshold.bound),
            None => !threshold.comparison.is_upper(),
        };
        let (low, high) = (holds(bracket.lower(state)), holds(bracket.upper(state)));
        (low == high).then_some(low)
    };
    Known::Truth((0..bracket.len()).map(truth).collect())
}

/// States from which some path reaches the goal: for callers that only need the graph.
pub fn reachable(model: &Explicit, goal: &[bool], budget: &Budget) -> Result<Vec<bool>, Spent> {
    graph::reach_some(model, &vec![true; goal.len()], goal, budget)
}
