//! Judging that a rational function of parameters is the value of a chain.
//!
//! The evidence is a denominator and a numerator for every state that has an equation. Put into the equations of the chain, which are written down here from the
//! network, they must give the same polynomials on both sides. The states from which the goal cannot be reached have the value zero, so that from all
//! others it can: then the equations have one solution at every point of that graph, and the function is the value wherever its denominator is not zero.

use crate::polynomial::Polynomial;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_markov::interpreter::{self, Interpreter};
use entail_markov::parametric::Parametric;
use entail_markov::{ActionId, Expr, Kind, Path, Property, Query, Rational, RewardKind};
use std::collections::HashMap;

/// Terms of a polynomial: exponents and coefficients.
pub type Terms = Vec<(Vec<u32>, Rational)>;

/// What is claimed.
#[derive(Clone, Debug)]
pub struct FunctionClaim {
    /// The numerator of the function.
    pub above: Terms,
    /// Its denominator.
    pub below: Terms,
    /// The denominator of all states.
    pub common: Terms,
    /// The numerators, by state.
    pub numerators: Vec<(Vec<i64>, Terms)>,
    /// A point at which the model has a meaning.
    pub point: Vec<Rational>,
}

/// More states are not built.
const MOST_STATES: usize = 20_000;

/// A state's equation: `whole · x = Σ weight · x(target) + earned`.
struct Equation {
    whole: Polynomial,
    targets: Vec<(Vec<i64>, Polynomial)>,
    earned: Polynomial,
}

struct Judge<'m> {
    model: &'m Parametric,
    structure: Option<usize>,
    stay: Option<&'m Expr>,
    goal: &'m Expr,
}

type Judged<T> = Result<T, CheckReport>;

fn no<T>(reason: impl Into<String>) -> Judged<T> {
    Err(CheckReport::rejected(reason.into()))
}

/// Whether the claimed function is the value of a property of a chain.
pub fn check_function(
    model: &Parametric,
    property: &Property,
    claim: &FunctionClaim,
    budget: &Budget,
) -> CheckReport {
    match judged(model, property, claim, budget) {
        Ok(()) => CheckReport::Accepted,
        Err(report) => report,
    }
}

fn judged(model: &Parametric, property: &Property, claim: &FunctionClaim, budget: &Budget) -> Judged<()> {
    if !matches!(model.network().kind, Kind::Dtmc | Kind::Ctmc) || claim.point.len() != model.parameters() {
        return no("functions are values of chains");
    }
    let (path, structure) = match property {
        Property::Probability {
            query: Query::Value,
            path,
            ..
        } => (path, None),
        Property::Reward {
            query: Query::Value,
            structure,
            kind: RewardKind::Reach(path),
            ..
        } => (path, Some(*structure)),
        _ => return no("the property asks for no function"),
    };
    let plain = |path: &'_ Path| match path {
        Path::State(states) => matches!(&**states, Property::Expr(expr) if model.mentions(expr).is_none()),
        _ => false,
    };
    let expr = |path: &Path| match path.as_state() {
        Some(Property::Expr(expr)) => Some(expr.clone()),
        _ => None,
    };
    let (stay, goal) = match path {
        Path::Finally(goal, None) if plain(goal) => (None, expr(goal)),
        Path::Until(stay, goal, None) if structure.is_none() && plain(stay) && plain(goal) => {
            (expr(stay), expr(goal))
        }
        _ => return no("the property is not about reaching a state"),
    };
    let Some(goal) = goal else {
        return no("there is no goal");
    };
    if structure.is_some_and(|structure| model.network().rewards[structure].on_branches) {
        return no("rewards of branches");
    }
    Judge {
        model,
        structure,
        stay: stay.as_ref(),
        goal: &goal,
    }
    .judge(claim, budget)
}

impl Judge<'_> {
    fn polynomial(&self, terms: &Terms) -> Judged<Polynomial> {
        let mut found = self.constant(Rational::ZERO);
        for (exponents, value) in terms {
            if exponents.len() != self.model.parameters() {
                return no("a polynomial of other parameters");
            }
            found = found.add(
                &Polynomial::term(exponents.clone(), value.clone()),
                &Rational::ONE,
            );
        }
        Ok(found)
    }

    fn constant(&self, value: Rational) -> Polynomial {
        Polynomial::constant(self.model.parameters(), value)
    }

    fn open(&self, expr: &Expr, state: &[i64]) -> Judged<Polynomial> {
        match Polynomial::of(self.model, expr, state) {
            Some(found) => Ok(found),
            None => no("a weight or reward is no polynomial"),
        }
    }

    fn holds(&self, expr: &Expr, state: &[i64]) -> Judged<bool> {
        match self.model.network().holds(expr, state) {
            Ok(truth) => Ok(truth),
            Err(error) => no(error.to_string()),
        }
    }

    /// What a structure earns in a state: by being there, or by a step with an action.
    fn earned(&self, step: Option<Option<ActionId>>, state: &[i64]) -> Judged<Polynomial> {
        let mut sum = self.constant(Rational::ZERO);
        let Some(structure) = self.structure else {
            return Ok(sum);
        };
        let rewards = &self.model.network().rewards[structure];
        let values: Vec<(&Expr, &Expr)> = match step {
            None => rewards
                .states
                .iter()
                .map(|item| (&item.guard, &item.value))
                .collect(),
            Some(action) => (rewards.transitions.iter())
                .filter(|item| item.action == action)
                .map(|item| (&item.guard, &item.value))
                .collect(),
        };
        for (guard, value) in values {
            if self.holds(guard, state)? {
                sum = sum.add(&self.open(value, state)?, &Rational::ONE);
            }
        }
        Ok(sum)
    }

    fn equation(&self, interpreter: &Interpreter<'_>, state: &[i64]) -> Judged<Equation> {
        let discrete = self.model.network().kind == Kind::Dtmc;
        let (zero, one) = (self.constant(Rational::ZERO), self.constant(Rational::ONE));
        let mut equation = Equation {
            whole: zero.clone(),
            targets: Vec::new(),
            earned: zero.clone(),
        };
        let choices = match self.model.open_choices(interpreter, state) {
            Ok(choices) => choices,
            Err(error) => return no(error.to_string()),
        };
        for (action, outcomes) in choices {
            let mut sum = zero.clone();
            for outcome in outcomes {
                let mut weight = one.clone();
                for factor in outcome.factors {
                    weight = weight.times(&self.open(factor, state)?);
                }
                sum = sum.add(&weight, &Rational::ONE);
                if !weight.is_zero() {
                    equation.targets.push((outcome.target, weight));
                }
            }
            if discrete && sum != one {
                return no("probabilities do not sum to 1");
            }
            let step = self.earned(Some(action), state)?.times(&sum);
            equation.earned = equation.earned.add(&step, &Rational::ONE);
            equation.whole = equation.whole.add(&sum, &Rational::ONE);
        }
        // Being in a state of a chain with steps is paid once a step, in continuous time for the time until the next.
        let there = self.earned(None, state)?;
        let there = if discrete {
            there.times(&equation.whole)
        } else {
            there
        };
        equation.earned = equation.earned.add(&there, &Rational::ONE);
        Ok(equation)
    }

    fn judge(&self, claim: &FunctionClaim, budget: &Budget) -> Judged<()> {
        let spent = |what: &dyn std::fmt::Display| CheckReport::unchecked(format!("the function ({what})"));
        let common = self.polynomial(&claim.common)?;
        let below = self.polynomial(&claim.below)?;
        if common.is_zero() || below.is_zero() {
            return no("a denominator is zero");
        }
        let mut numerators = HashMap::new();
        for (state, terms) in &claim.numerators {
            numerators.insert(state.as_slice(), self.polynomial(terms)?);
        }
        let base = self.model.at(&claim.point);
        let interpreter = Interpreter::new(&base);
        let initial =
            interpreter::initial_states(&base, MOST_STATES, budget).map_err(|error| spent(&error))?;
        let [first] = &initial[..] else {
            return no("there are several initial states");
        };
        // All states before the goal, with their equations.
        let mut states = vec![first.clone()];
        let mut numbers: HashMap<Vec<i64>, usize> = HashMap::from([(first.clone(), 0)]);
        let mut goal = Vec::new();
        let mut equations: Vec<Option<Equation>> = Vec::new();
        while equations.len() < states.len() {
            budget.check().map_err(|error| spent(&error))?;
            if states.len() > MOST_STATES {
                return Err(spent(&"too many states"));
            }
            let state = states[equations.len()].clone();
            let inside = self.holds(self.goal, &state)?;
            goal.push(inside);
            let stays = match self.stay {
                Some(stay) => self.holds(stay, &state)?,
                None => true,
            };
            if inside || !stays {
                equations.push(None);
                continue;
            }
            let equation = self.equation(&interpreter, &state)?;
            for (target, _) in &equation.targets {
                if !numbers.contains_key(target) {
                    numbers.insert(target.clone(), states.len());
                    states.push(target.clone());
                }
            }
            equations.push(Some(equation));
        }
        // From where the goal can be reached.
        let mut hopeful = goal.clone();
        loop {
            let leads = |at: &usize| match &equations[*at] {
                Some(equation) if !hopeful[*at] => equation
                    .targets
                    .iter()
                    .any(|(target, _)| hopeful[numbers[target]]),
                _ => false,
            };
            let more: Vec<usize> = (0..states.len()).filter(leads).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|at| hopeful[at] = true);
        }
        if self.structure.is_some() && hopeful.contains(&false) {
            return no("the reward is infinite");
        }
        let value = |at: usize| -> Judged<Polynomial> {
            match (goal[at], hopeful[at]) {
                (true, _) if self.structure.is_none() => Ok(common.clone()),
                (true, _) | (_, false) => Ok(self.constant(Rational::ZERO)),
                _ => match numerators.get(states[at].as_slice()) {
                    Some(found) => Ok(found.clone()),
                    None => no("a state without a value"),
                },
            }
        };
        for (at, equation) in equations.iter().enumerate() {
            let Some(equation) = equation.as_ref().filter(|_| hopeful[at]) else {
                continue;
            };
            budget.check_now().map_err(|error| spent(&error))?;
            let mut right = equation.earned.times(&common);
            for (target, weight) in &equation.targets {
                right = right.add(&weight.times(&value(numbers[target])?), &Rational::ONE);
            }
            if equation.whole.times(&value(at)?) != right {
                return no("the values of the states do not solve the equations");
            }
        }
        let above = self.polynomial(&claim.above)?;
        match value(0)?.times(&below) == above.times(&common) {
            true => Ok(()),
            false => no("the function is not the value of the first state"),
        }
    }
}
