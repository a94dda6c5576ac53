//! A property evaluated operator by operator, from the model's meaning: the brackets of the certificate are hints, taken in the order of the
//! operators and believed when they are proved.
//!
//! What is known of a state is kept in rationals ([`Ranges`]); the only arithmetic with rounding is that of operators with a bounded number of
//! steps ([`second`](crate::second)), where the certificate is compared with a second computation.

use crate::check::Checker;
use crate::operators;
use crate::pointwise::{Known, choose, compare, filter, unary, binary};
use crate::ranges::Ranges;
use crate::second::{Enclosed, Intervals, contains, enclose};
use entail_budget::{Budget, Spent};
use entail_markov::{
    Bounds, Bracket, Certificate, Expr, Limit, Optimum, Path, Property, Query, Rational, RewardKind, Row, Sort,
    naive,
};

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

pub(crate) struct Evaluation<'c> {
    checker: &'c Checker,
    brackets: std::slice::Iter<'c, Bracket>,
    budget: &'c Budget,
    enclosed: Option<Enclosed>,
}

impl<'c> Evaluation<'c> {
    pub(crate) fn new(checker: &'c Checker, certificate: &'c Certificate, budget: &'c Budget) -> Evaluation<'c> {
        Evaluation {
            checker,
            brackets: certificate.brackets.iter(),
            budget,
            enclosed: None,
        }
    }
}

impl<'c> Evaluation<'c> {
    fn size(&self) -> usize {
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
        let number = |state| {
            let number = value(state)?.number();
            number.ok_or_else(|| NotConfirmed::Wrong("a truth value where a number is needed".to_owned()))
        };
        let numbers = states.iter().map(number).collect::<Result<Vec<Rational>, NotConfirmed>>()?;
        Ok(Known::Numbers(Ranges::exactly(numbers)))
    }

    /// What is known of a property in every state.
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
            Property::Deadlock => set(&model.deadlocks),
            Property::Unary(op, operand) => {
                let operand = self.property(operand)?;
                unary(*op, operand)?
            }
            Property::Binary(op, left, right) => {
                let (left, right) = (self.property(left)?, self.property(right)?);
                binary(*op, left, right, self.budget)?
            }
            Property::If(condition, yes, no) => {
                let condition = self.truth(condition)?;
                let (yes, no) = (self.property(yes)?, self.property(no)?);
                choose(&condition, yes, no)?
            }
            Property::Probability { optimum, query, path } => {
                let ranges = self.probability(effective(*optimum, query), path)?;
                compare(query, ranges)
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind,
            } => {
                let ranges = self.reward(effective(*optimum, query), *structure, kind)?;
                compare(query, ranges)
            }
            Property::Filter {
                aggregate,
                property,
                states,
            } => {
                let states = self.set(states)?;
                let values = self.property(property)?;
                filter(*aggregate, &states, values)?
            }
            Property::SteadyState { .. } => return Err(NotConfirmed::Unchecked("long-run averages".to_owned())),
            Property::Exists(_) | Property::ForAll(_) => {
                return Err(NotConfirmed::Unchecked("CTL operators".to_owned()));
            }
            Property::Multi(_) => return Err(NotConfirmed::Unchecked("several objectives".to_owned())),
        })
    }

    fn truth(&mut self, property: &Property) -> Result<Vec<Option<bool>>, NotConfirmed> {
        match self.property(property)? {
            Known::Truth(truth) => Ok(truth),
            Known::Numbers(_) => Err(NotConfirmed::Wrong("a number where a truth value is needed".to_owned())),
        }
    }

    /// The states that satisfy a property, which must be decided everywhere.
    fn set(&mut self, property: &Property) -> Result<Vec<bool>, NotConfirmed> {
        let undecided = || NotConfirmed::Wrong("the certificate leaves an inner property undecided".to_owned());
        self.truth(property)?
            .into_iter()
            .map(|truth| truth.ok_or_else(undecided))
            .collect()
    }

    /// The next bracket of the certificate, with bounds for each state.
    fn next_bracket(&mut self) -> Result<&'c Bracket, NotConfirmed> {
        let lacking = || NotConfirmed::Wrong("the certificate lacks an operator".to_owned());
        let bracket = self.brackets.next().ok_or_else(lacking)?;
        let sizes = match bracket {
            Bracket::Exact(values) => [values.len(); 2],
            Bracket::Between { lower, upper } => [lower.len(), upper.len()],
        };
        if sizes != [self.size(); 2] {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
        Ok(bracket)
    }

    fn judged(&self, bracket: &Bracket, wrong: operators::Wrong) -> Result<Ranges, NotConfirmed> {
        match wrong {
            None => Ok(Ranges::from(bracket)),
            Some(reason) => Err(NotConfirmed::Wrong(reason)),
        }
    }

    fn probability(&mut self, optimum: Optimum, path: &Path) -> Result<Ranges, NotConfirmed> {
        let everywhere = vec![true; self.size()];
        match path {
            Path::State(states) => {
                let set = self.set(states)?;
                Ok(Ranges::indicator(&set))
            }
            Path::Not(inner) => Ok(self.probability(optimum.dual(), inner)?.complement()),
            Path::Finally(goal, bounds) => match goal.as_state() {
                Some(goal) => {
                    let goal = self.set(goal)?;
                    self.until(optimum, everywhere, goal, bounds.as_ref())
                }
                None => self.linear(),
            },
            Path::Until(stay, goal, bounds) => match (stay.as_state(), goal.as_state()) {
                (Some(stay), Some(goal)) => {
                    let (stay, goal) = (self.set(stay)?, self.set(goal)?);
                    self.until(optimum, stay, goal, bounds.as_ref())
                }
                _ => self.linear(),
            },
            Path::Globally(stay, bounds) => match stay.as_state() {
                Some(stay) => {
                    let bad = self.set(stay)?.into_iter().map(|inside| !inside).collect();
                    Ok(self.until(optimum.dual(), everywhere, bad, bounds.as_ref())?.complement())
                }
                None => self.linear(),
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
                    Ok(self.until(optimum.dual(), way, bad, bounds.as_ref())?.complement())
                }
                _ => self.linear(),
            },
            Path::Release(first, second, bounds) => match (first.as_state(), second.as_state()) {
                (Some(first), Some(second)) => {
                    let (first, second) = (self.set(first)?, self.set(second)?);
                    let not = |set: Vec<bool>| set.into_iter().map(|inside| !inside).collect();
                    Ok(self.until(optimum.dual(), not(first), not(second), bounds.as_ref())?.complement())
                }
                _ => self.linear(),
            },
            Path::Next(inner) => match inner.as_state() {
                Some(goal) => {
                    let goal = self.set(goal)?;
                    self.next(optimum, &goal)
                }
                None => self.linear(),
            },
            _ => self.linear(),
        }
    }

    /// One step is computed exactly.
    fn next(&mut self, optimum: Optimum, goal: &[bool]) -> Result<Ranges, NotConfirmed> {
        let claimed = Ranges::from(self.next_bracket()?);
        for (state, rows) in self.checker.model.rows.iter().enumerate() {
            self.budget.check()?;
            let sum = |row: &Row| {
                let there = row.targets.iter().filter(|(target, _)| goal[*target as usize]);
                there.fold(Rational::ZERO, |sum, (_, probability)| sum + probability)
            };
            let sums = rows.iter().map(sum);
            let value = match optimum {
                Optimum::Max => sums.max(),
                Optimum::Min => sums.min(),
            };
            let value = value.unwrap_or(Rational::ZERO);
            if !claimed.0[state].contains(&value) {
                return Err(NotConfirmed::Wrong(format!(
                    "the probability after one step is {value} (state {state})"
                )));
            }
        }
        Ok(claimed)
    }

    fn linear(&mut self) -> Result<Ranges, NotConfirmed> {
        Err(NotConfirmed::Unchecked(
            "the automaton of a path formula and its product with the model".to_owned(),
        ))
    }

    fn enclosed(&mut self) -> &Enclosed {
        self.enclosed
            .get_or_insert_with(|| Enclosed::new(&self.checker.model))
    }

    /// So many steps back from `values`: goal states keep 1, states outside of `stay` lose all.
    fn steps(
        &mut self,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        mut values: Intervals,
        steps: u64,
    ) -> Result<Intervals, NotConfirmed> {
        let budget = self.budget;
        let enclosed = self.enclosed();
        for _ in 0..steps {
            budget.check_now()?;
            let moving = |state: usize| stay[state] && !goal[state];
            let otherwise = |state: usize| if goal[state] { (1.0, 1.0) } else { (0.0, 0.0) };
            values = enclosed.step(&values, &moving, &otherwise, None, optimum, budget)?;
            for value in &mut values.upper {
                *value = value.min(1.0);
            }
        }
        Ok(values)
    }

    fn accept_computed(&mut self, computed: Intervals) -> Result<Ranges, NotConfirmed> {
        let claimed = self.next_bracket()?;
        match contains(claimed, &computed) {
            true => Ok(Ranges::from(claimed)),
            false => {
                // An exact claim is compared with the interval that must contain it.
                if let Bracket::Exact(_) = claimed {
                    return Err(NotConfirmed::Unchecked("an exact value of a bounded operator".to_owned()));
                }
                Err(NotConfirmed::Wrong(
                    "a second computation finds values outside of the bounds".to_owned(),
                ))
            }
        }
    }

    fn until(
        &mut self,
        optimum: Optimum,
        stay: Vec<bool>,
        goal: Vec<bool>,
        bounds: Option<&Bounds>,
    ) -> Result<Ranges, NotConfirmed> {
        let Some(bounds) = bounds else {
            let bracket = self.next_bracket()?;
            let wrong = operators::until(&self.checker.model, &stay, &goal, optimum, bracket, self.budget)?;
            return self.judged(bracket, wrong);
        };
        if self.checker.model.kind.is_timed() || !matches!(bounds.by, entail_markov::BoundedBy::Time) {
            return Err(NotConfirmed::Unchecked(
                "time-bounded and reward-bounded operators".to_owned(),
            ));
        }
        let whole = |limit: &Limit| u64::try_from(limit.value.clone()).ok();
        let first = bounds
            .lower
            .as_ref()
            .map_or(Some(0), |limit| Some(whole(limit)? + u64::from(limit.strict)));
        let last = bounds
            .upper
            .as_ref()
            .map(|limit| whole(limit).and_then(|steps| steps.checked_sub(u64::from(limit.strict))));
        let (Some(first), Some(Some(last))) = (first, last) else {
            return Err(NotConfirmed::Unchecked("operators with a lower bound only".to_owned()));
        };
        if first > last {
            return Err(NotConfirmed::Unchecked("an empty interval".to_owned()));
        }
        let values = self.steps(optimum, &stay, &goal, Intervals::indicator(&goal), last - first)?;
        let none = vec![false; self.size()];
        let values = self.steps(optimum, &stay, &none, values, first)?;
        self.accept_computed(values)
    }

    fn reward(&mut self, optimum: Optimum, structure: usize, kind: &RewardKind) -> Result<Ranges, NotConfirmed> {
        let model = &self.checker.model;
        match kind {
            RewardKind::Reach(Path::Finally(goal, None)) if goal.as_state().is_some() => {
                let goal = match goal.as_state() {
                    Some(goal) => self.set(goal)?,
                    None => return self.linear(),
                };
                let bracket = self.next_bracket()?;
                let model = &self.checker.model;
                let wrong = operators::reward(model, structure, &goal, optimum, bracket, self.budget)?;
                self.judged(bracket, wrong)
            }
            RewardKind::Cumulative(steps) | RewardKind::Instant(steps) if !model.kind.is_timed() => {
                let Ok(steps) = u64::try_from(steps.clone()) else {
                    return Err(NotConfirmed::Wrong("a number of steps that is none".to_owned()));
                };
                let instant = matches!(kind, RewardKind::Instant(_));
                let earned: Vec<Vec<(f64, f64)>> = (model.rows.iter().enumerate())
                    .map(|(state, rows)| {
                        let value = |row: &Row| enclose(&naive::step_value(model, structure, state, row));
                        rows.iter().map(value).collect()
                    })
                    .collect();
                if model.state_rewards[structure]
                    .iter()
                    .any(|reward| *reward < Rational::ZERO)
                {
                    return Err(NotConfirmed::Unchecked("negative rewards".to_owned()));
                }
                let mut values = match instant {
                    true => Intervals::of(&model.state_rewards[structure]),
                    false => Intervals::indicator(&vec![false; model.states.len()]),
                };
                let budget = self.budget;
                let enclosed = self.enclosed();
                for _ in 0..steps {
                    budget.check_now()?;
                    let earned = (!instant).then_some(earned.as_slice());
                    values = enclosed.step(&values, &|_| true, &|_| (0.0, 0.0), earned, optimum, budget)?;
                }
                self.accept_computed(values)
            }
            _ => Err(NotConfirmed::Unchecked(
                "total, time-bounded and long-run rewards, and rewards until a path formula".to_owned(),
            )),
        }
    }
}

/// The optimum that a query without one asks for: a bound must be met under all schedulers.
fn effective(optimum: Option<Optimum>, query: &Query) -> Optimum {
    match (optimum, query) {
        (Some(optimum), _) => optimum,
        (None, Query::Compare(threshold)) if threshold.comparison.is_upper() => Optimum::Max,
        (None, Query::Compare(_)) => Optimum::Min,
        (None, Query::Value) => Optimum::Max,
    }
}
