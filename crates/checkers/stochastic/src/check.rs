//! The checker: a property evaluated from the model's meaning, with brackets as hints that are believed only when they are proved.

use crate::graph;
use crate::operators;
use crate::second::{Enclosed, Intervals, contains, enclose};
use entail_answer::{CheckReport, Quantity, Verdict};
use entail_budget::{Budget, Spent};
use entail_markov::interpreter::ExploreError;
use entail_markov::{
    Aggregate, BinaryOp, Bounds, Explicit, Expr, Limit, Network, Optimum, Path, Property, Query, Rational,
    RewardKind, Row, Sort, UnaryOp, explore, naive,
};
use entail_markov::{Bracket, Certificate};

/// Checks answers about one network.
pub struct Checker {
    network: Network,
    model: Explicit,
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
enum NotConfirmed {
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
enum Known {
    /// Nothing: not decided.
    Truth(Vec<Option<bool>>),
    Numbers(Bracket),
}

struct Evaluation<'c> {
    checker: &'c Checker,
    brackets: std::slice::Iter<'c, Bracket>,
    budget: &'c Budget,
    enclosed: Option<Enclosed>,
}

impl Checker {
    /// Builds the model, at most so many states.
    pub fn new(network: Network, limit: usize, budget: &Budget) -> Result<Checker, ExploreError> {
        let model = explore(&network, limit, budget)?;
        Ok(Checker { network, model })
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
        let mut evaluation = Evaluation {
            checker: self,
            brackets: certificate.brackets.iter(),
            budget,
            enclosed: None,
        };
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

impl Evaluation<'_> {
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
        let numbers = states
            .iter()
            .map(|state| value(state).map(|value| value.number()));
        Ok(Known::Numbers(Bracket::Exact(numbers.collect::<Result<_, _>>()?)))
    }

    fn property(&mut self, property: &Property) -> Result<Known, NotConfirmed> {
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
                let states = self.set(states)?;
                let values = self.property(property)?;
                self.filter(*aggregate, &states, values)?
            }
            Property::SteadyState { .. } => {
                return Err(NotConfirmed::Unchecked("long-run averages".to_owned()));
            }
            Property::Exists(_) | Property::ForAll(_) => {
                return Err(NotConfirmed::Unchecked("CTL operators".to_owned()));
            }
            Property::Multi(_) => return Err(NotConfirmed::Unchecked("several objectives".to_owned())),
        })
    }

    fn truth(&mut self, property: &Property) -> Result<Vec<Option<bool>>, NotConfirmed> {
        match self.property(property)? {
            Known::Truth(truth) => Ok(truth),
            Known::Numbers(_) => Err(NotConfirmed::Wrong(
                "a number where a truth value is needed".to_owned(),
            )),
        }
    }

    /// The states that satisfy a property, which must be decided everywhere.
    fn set(&mut self, property: &Property) -> Result<Vec<bool>, NotConfirmed> {
        let undecided =
            || NotConfirmed::Wrong("the certificate leaves an inner property undecided".to_owned());
        self.truth(property)?
            .into_iter()
            .map(|truth| truth.ok_or_else(undecided))
            .collect()
    }

    fn next_bracket(&mut self) -> Result<&Bracket, NotConfirmed> {
        self.brackets
            .next()
            .ok_or_else(|| NotConfirmed::Wrong("the certificate lacks an operator".to_owned()))
    }

    fn judged(&self, bracket: &Bracket, wrong: operators::Wrong) -> Result<Bracket, NotConfirmed> {
        match wrong {
            None => Ok(bracket.clone()),
            Some(reason) => Err(NotConfirmed::Wrong(reason)),
        }
    }

    fn probability(&mut self, optimum: Optimum, path: &Path) -> Result<Bracket, NotConfirmed> {
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
                    Ok(complement(self.until(
                        optimum.dual(),
                        everywhere,
                        bad,
                        bounds.as_ref(),
                    )?))
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
                    Ok(complement(self.until(
                        optimum.dual(),
                        way,
                        bad,
                        bounds.as_ref(),
                    )?))
                }
                _ => self.linear(),
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
    fn next(&mut self, optimum: Optimum, goal: &[bool]) -> Result<Bracket, NotConfirmed> {
        let claimed = self.next_bracket()?.clone();
        if claimed.len() != self.size() {
            return Err(NotConfirmed::Wrong(
                "the certificate has another number of states".to_owned(),
            ));
        }
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

    fn linear(&mut self) -> Result<Bracket, NotConfirmed> {
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

    fn accept_computed(&mut self, computed: Intervals) -> Result<Bracket, NotConfirmed> {
        let claimed = self.next_bracket()?.clone();
        match contains(&claimed, &computed) {
            true => Ok(claimed),
            false => {
                // An exact claim is compared with the interval that must contain it.
                if let Bracket::Exact(_) = claimed {
                    return Err(NotConfirmed::Unchecked(
                        "an exact value of a bounded operator".to_owned(),
                    ));
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
    ) -> Result<Bracket, NotConfirmed> {
        let Some(bounds) = bounds else {
            let bracket = self.next_bracket()?.clone();
            let wrong = operators::until(&self.checker.model, &stay, &goal, optimum, &bracket, self.budget)?;
            return self.judged(&bracket, wrong);
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
            return Err(NotConfirmed::Unchecked(
                "operators with a lower bound only".to_owned(),
            ));
        };
        if first > last {
            return Err(NotConfirmed::Unchecked("an empty interval".to_owned()));
        }
        let values = self.steps(optimum, &stay, &goal, Intervals::indicator(&goal), last - first)?;
        let none = vec![false; self.size()];
        let values = self.steps(optimum, &stay, &none, values, first)?;
        self.accept_computed(values)
    }

    fn reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        kind: &RewardKind,
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        match kind {
            RewardKind::Reach(Path::Finally(goal, None)) if goal.as_state().is_some() => {
                let goal = match goal.as_state() {
                    Some(goal) => self.set(goal)?,
                    None => return self.linear(),
                };
                let bracket = self.next_bracket()?.clone();
                let model = &self.checker.model;
                let wrong = operators::reward(model, structure, &goal, optimum, &bracket, self.budget)?;
                self.judged(&bracket, wrong)
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

    fn unary(&self, op: UnaryOp, operand: Known) -> Result<Known, NotConfirmed> {
        match (op, operand) {
            (UnaryOp::Not, Known::Truth(truth)) => Ok(Known::Truth(
                truth.into_iter().map(|truth| truth.map(|truth| !truth)).collect(),
            )),
            (UnaryOp::Neg, Known::Numbers(bracket)) => {
                let zero = Known::Numbers(Bracket::Exact(vec![Some(Rational::ZERO); bracket.len()]));
                self.binary(BinaryOp::Sub, zero, Known::Numbers(bracket))
            }
            _ => Err(NotConfirmed::Unchecked(
                "functions of numbers that are only bounded".to_owned(),
            )),
        }
    }

    fn binary(&self, op: BinaryOp, left: Known, right: Known) -> Result<Known, NotConfirmed> {
        use BinaryOp::*;
        match (left, right) {
            (Known::Truth(a), Known::Truth(b)) => {
                let value = |(a, b): (Option<bool>, Option<bool>)| match op {
                    And => match (a, b) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (a, b) => Some(a? && b?),
                    },
                    Or => match (a, b) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (a, b) => Some(a? || b?),
                    },
                    Implies => match (a, b) {
                        (Some(false), _) | (_, Some(true)) => Some(true),
                        (a, b) => Some(!a? || b?),
                    },
                    Iff | Eq => Some(a? == b?),
                    Ne => Some(a? != b?),
                    _ => None,
                };
                Ok(Known::Truth(a.into_iter().zip(b).map(value).collect()))
            }
            (Known::Numbers(a), Known::Numbers(b)) => self.arithmetic(op, &a, &b),
            _ => Err(NotConfirmed::Wrong("operands of different types".to_owned())),
        }
    }

    fn arithmetic(&self, op: BinaryOp, a: &Bracket, b: &Bracket) -> Result<Known, NotConfirmed> {
        use BinaryOp::*;
        let infinite = || NotConfirmed::Unchecked("arithmetic with infinity".to_owned());
        let exact = matches!((a, b), (Bracket::Exact(_), Bracket::Exact(_)));
        let mut truth = Vec::new();
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for state in 0..self.size() {
            self.budget.check()?;
            let (al, au) = (
                a.lower(state).ok_or_else(infinite)?,
                a.upper(state).ok_or_else(infinite)?,
            );
            let (bl, bu) = (
                b.lower(state).ok_or_else(infinite)?,
                b.upper(state).ok_or_else(infinite)?,
            );
            let below = |yes: bool, no: bool| {
                if yes {
                    Some(true)
                } else if no {
                    Some(false)
                } else {
                    None
                }
            };
            match op {
                Lt => truth.push(below(au < bl, al >= bu)),
                Le => truth.push(below(au <= bl, al > bu)),
                Gt => truth.push(below(al > bu, au <= bl)),
                Ge => truth.push(below(al >= bu, au < bl)),
                Eq => truth.push(below(al == au && bl == bu && al == bl, au < bl || bu < al)),
                Ne => truth.push(below(au < bl || bu < al, al == au && bl == bu && al == bl)),
                Add => {
                    low.push(al + bl);
                    high.push(au + bu);
                }
                Sub => {
                    low.push(al - bu);
                    high.push(au - bl);
                }
                Min => {
                    low.push(al.min(bl));
                    high.push(au.min(bu));
                }
                Max => {
                    low.push(al.max(bl));
                    high.push(au.max(bu));
                }
                Mul | Div => {
                    if op == Div && bl <= Rational::ZERO && bu >= Rational::ZERO {
                        return Err(NotConfirmed::Unchecked(
                            "a division by what may be zero".to_owned(),
                        ));
                    }
                    let apply = |x: &Rational, y: &Rational| if op == Mul { x * y } else { x / y };
                    let mut all = [apply(&al, &bl), apply(&al, &bu), apply(&au, &bl), apply(&au, &bu)];
                    all.sort();
                    let [least, .., greatest] = all;
                    low.push(least);
                    high.push(greatest);
                }
                _ => {
                    return Err(NotConfirmed::Unchecked(
                        "functions of numbers that are only bounded".to_owned(),
                    ));
                }
            }
        }
        if !truth.is_empty() {
            return Ok(Known::Truth(truth));
        }
        if exact {
            return Ok(Known::Numbers(Bracket::Exact(
                low.into_iter().map(Some).collect(),
            )));
        }
        Ok(Known::Numbers(Bracket::Between {
            lower: low.iter().map(|number| enclose(number).0).collect(),
            upper: high.iter().map(|number| enclose(number).1).collect(),
        }))
    }

    fn filter(&self, aggregate: Aggregate, states: &[bool], values: Known) -> Result<Known, NotConfirmed> {
        let chosen: Vec<usize> = (0..states.len()).filter(|&state| states[state]).collect();
        if chosen.is_empty() {
            return Err(NotConfirmed::Wrong("a filter without states".to_owned()));
        }
        let size = self.size();
        match (aggregate, values) {
            (Aggregate::ForAll | Aggregate::Exists, Known::Truth(truth)) => {
                let wanted = aggregate == Aggregate::Exists;
                let one = if chosen.iter().any(|&state| truth[state] == Some(wanted)) {
                    Some(wanted)
                } else if chosen.iter().all(|&state| truth[state] == Some(!wanted)) {
                    Some(!wanted)
                } else {
                    None
                };
                Ok(Known::Truth(vec![one; size]))
            }
            (
                Aggregate::State | Aggregate::First | Aggregate::Print | Aggregate::PrintAll,
                Known::Truth(truth),
            ) => Ok(Known::Truth(vec![truth[chosen[0]]; size])),
            (Aggregate::Count, Known::Truth(truth)) => {
                let mut count = 0u64;
                for &state in &chosen {
                    count +=
                        u64::from(truth[state].ok_or_else(|| {
                            NotConfirmed::Wrong("an undecided state is counted".to_owned())
                        })?);
                }
                Ok(Known::Numbers(Bracket::Exact(vec![
                    Some(Rational::from(count));
                    size
                ])))
            }
            (Aggregate::State | Aggregate::First, Known::Numbers(bracket)) => {
                Ok(Known::Numbers(spread(&bracket, chosen[0], size)))
            }
            (Aggregate::Min | Aggregate::Max, Known::Numbers(bracket)) => {
                let extreme = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let finite = chosen.iter().map(|&state| value(state));
                    match aggregate {
                        Aggregate::Min => finite.flatten().min(),
                        _ => finite.collect::<Option<Vec<_>>>()?.into_iter().max(),
                    }
                };
                let (low, high) = (
                    extreme(&|state| bracket.lower(state)),
                    extreme(&|state| bracket.upper(state)),
                );
                Ok(Known::Numbers(constant(&bracket, low, high, size)))
            }
            (Aggregate::Sum | Aggregate::Avg, Known::Numbers(bracket)) => {
                let count = Rational::from(if aggregate == Aggregate::Avg {
                    chosen.len() as u64
                } else {
                    1
                });
                let sum = |value: &dyn Fn(usize) -> Option<Rational>| -> Option<Rational> {
                    let sum = chosen
                        .iter()
                        .try_fold(Rational::ZERO, |sum, &state| Some(sum + value(state)?))?;
                    Some(sum / &count)
                };
                let (low, high) = (
                    sum(&|state| bracket.lower(state)),
                    sum(&|state| bracket.upper(state)),
                );
                Ok(Known::Numbers(constant(&bracket, low, high, size)))
            }
            _ => Err(NotConfirmed::Unchecked("this filter".to_owned())),
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

fn exact_indicator(set: &[bool]) -> Bracket {
    let value = |&inside: &bool| Some(if inside { Rational::ONE } else { Rational::ZERO });
    Bracket::Exact(set.iter().map(value).collect())
}

/// One minus a probability.
fn complement(bracket: Bracket) -> Bracket {
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(
            values
                .into_iter()
                .map(|value| value.map(|value| Rational::ONE - value))
                .collect(),
        ),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: upper
                .into_iter()
                .map(|value| one_minus(value, f64::next_down))
                .collect(),
            upper: lower
                .into_iter()
                .map(|value| one_minus(value, f64::next_up))
                .collect(),
        },
    }
}

fn one_minus(value: f64, round: fn(f64) -> f64) -> f64 {
    if value == 0.0 || value == 1.0 {
        1.0 - value
    } else {
        round(1.0 - value)
    }
}

fn choose(condition: &[Option<bool>], yes: Known, no: Known) -> Result<Known, NotConfirmed> {
    match (yes, no) {
        (Known::Truth(yes), Known::Truth(no)) => {
            let value = |state: usize| if condition[state]? { yes[state] } else { no[state] };
            Ok(Known::Truth((0..condition.len()).map(value).collect()))
        }
        _ => Err(NotConfirmed::Unchecked("choices between numbers".to_owned())),
    }
}

fn spread(bracket: &Bracket, state: usize, size: usize) -> Bracket {
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(vec![values[state].clone(); size]),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: vec![lower[state]; size],
            upper: vec![upper[state]; size],
        },
    }
}

fn constant(like: &Bracket, low: Option<Rational>, high: Option<Rational>, size: usize) -> Bracket {
    match like {
        Bracket::Exact(_) => Bracket::Exact(vec![low; size]),
        Bracket::Between { .. } => {
            let low = low.map_or(f64::INFINITY, |low| enclose(&low).0);
            let high = high.map_or(f64::INFINITY, |high| enclose(&high).1);
            Bracket::Between {
                lower: vec![low; size],
                upper: vec![high; size],
            }
        }
    }
}

/// States from which some path reaches the goal: for callers that only need the graph.
pub fn reachable(model: &Explicit, goal: &[bool], budget: &Budget) -> Result<Vec<bool>, Spent> {
    graph::reach_some(model, &vec![true; goal.len()], goal, budget)
}
