//! Values of chains as rational functions of several parameters.
//!
//! The equations `W(s)·x(s) = Σ w(s,t)·x(t) + b(s)` of the states from which the goal may be reached have polynomials as coefficients: weights are not divided
//! by their sum. They are solved by elimination without fractions (Bareiss 1968), in which all divisions leave nothing over, so that all values have one denominator
//! and no greatest common divisors are needed but for showing the result. Exponential in the number of parameters, cubic in states: for small chains.

use crate::check::Trouble;
use entail_budget::Budget;
use entail_markov::interpreter::{self, ExploreError, Interpreter};
use entail_markov::parametric::Parametric;
use entail_markov::{BinaryOp, EvalError, Expr, Kind, Path, Property, Query, Rational, RewardKind, UnaryOp};
use entail_numeric::multivariate::{Multivariate, reduced};
use std::collections::HashMap;

/// More equations are not solved.
const MOST_EQUATIONS: usize = 60;

/// More states are not explored.
const MOST_STATES: usize = 20_000;

/// A point is as good as another if so many states have a meaning there.
const TRIED: usize = 2000;

/// A function with what proves it.
#[derive(Clone, Debug)]
pub struct Function {
    /// In lowest terms: the numerator.
    pub above: Multivariate,
    /// The denominator.
    pub below: Multivariate,
    /// The denominator of the values of all states.
    pub common: Multivariate,
    /// The numerators of the values of the states that have equations.
    pub numerators: Vec<(Vec<i64>, Multivariate)>,
    /// A point at which the model has a meaning.
    pub point: Vec<Rational>,
}

/// What is asked: where paths may go, where they end, and by which structure they earn.
struct Asked<'p> {
    stay: Option<&'p Expr>,
    goal: &'p Expr,
    structure: Option<usize>,
}

fn asked<'p>(model: &Parametric, property: &'p Property) -> Result<Asked<'p>, Trouble> {
    let refuse = |what: &str| Err(Trouble::Unsupported(what.to_owned()));
    let plain = |path: &'p Path| match path.as_state() {
        Some(Property::Expr(expr)) if model.mentions(expr).is_none() => Some(expr),
        _ => None,
    };
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
        _ => return refuse("functions of several parameters are found for P=? and R=? only"),
    };
    match (path, structure) {
        (Path::Finally(goal, None), _) if plain(goal).is_some() => Ok(Asked {
            stay: None,
            goal: plain(goal).ok_or_else(|| Trouble::Unsupported("no goal".to_owned()))?,
            structure,
        }),
        (Path::Until(stay, goal, None), None) if plain(stay).is_some() && plain(goal).is_some() => {
            Ok(Asked {
                stay: plain(stay),
                goal: plain(goal).ok_or_else(|| Trouble::Unsupported("no goal".to_owned()))?,
                structure,
            })
        }
        _ => refuse("functions of several parameters are found for F and U without bounds, of states"),
    }
}

/// An expression in a state as a polynomial.
fn polynomial(model: &Parametric, expr: &Expr, state: &[i64]) -> Option<Multivariate> {
    let count = model.parameters();
    if model.mentions(expr).is_none() {
        let value = model.network().eval(expr, state);
        let value = value
            .and_then(|value| value.number().ok_or(EvalError::Type))
            .ok()?;
        return Some(Multivariate::constant(count, value));
    }
    match expr {
        Expr::Var(variable) => {
            let mut exponents = vec![0; count];
            exponents[model.parameter(*variable)?] = 1;
            Some(Multivariate::term(exponents, Rational::ONE))
        }
        Expr::Unary(UnaryOp::Neg, operand) => {
            let operand = polynomial(model, operand, state)?;
            Some(Multivariate::default().plus(&operand, &-Rational::ONE))
        }
        Expr::Binary(op, left, right) => {
            let (a, b) = (polynomial(model, left, state)?, polynomial(model, right, state)?);
            match op {
                BinaryOp::Add => Some(a.plus(&b, &Rational::ONE)),
                BinaryOp::Sub => Some(a.plus(&b, &-Rational::ONE)),
                BinaryOp::Mul => Some(a.times(&b)),
                BinaryOp::Div => {
                    let divisor = b.value().filter(|value| !value.is_zero())?;
                    Some(Multivariate::default().plus(&a, &(Rational::ONE / divisor)))
                }
                _ => None,
            }
        }
        Expr::If(condition, yes, no) if model.mentions(condition).is_none() => {
            let chosen = model.network().holds(condition, state).ok()?;
            polynomial(model, if chosen { yes } else { no }, state)
        }
        _ => None,
    }
}

/// A state's equation.
struct Equation {
    /// The sum of the weights.
    whole: Multivariate,
    targets: Vec<(u32, Multivariate)>,
    earned: Multivariate,
}

/// The states of a chain with their equations.
struct Chain {
    states: Vec<Vec<i64>>,
    equations: Vec<Equation>,
}

impl Chain {
    fn new(
        model: &Parametric,
        asked: &Asked<'_>,
        point: &[Rational],
        budget: &Budget,
    ) -> Result<Chain, Trouble> {
        let network = model.network();
        let base = model.at(point);
        let interpreter = Interpreter::new(&base);
        let initial = interpreter::initial_states(&base, MOST_STATES, budget)?;
        let [first] = &initial[..] else {
            return Err(Trouble::Unsupported(
                "functions need one initial state".to_owned(),
            ));
        };
        let mut chain = Chain {
            states: vec![first.clone()],
            equations: Vec::new(),
        };
        let mut numbers: HashMap<Vec<i64>, u32> = HashMap::from([(first.clone(), 0)]);
        let zero = Multivariate::default;
        let open =
            || Trouble::Unsupported("a weight or reward is no polynomial of the parameters".to_owned());
        while chain.equations.len() < chain.states.len() {
            budget.check()?;
            if chain.states.len() > MOST_STATES {
                return Err(Trouble::TooMany(MOST_STATES));
            }
            let state = chain.states[chain.equations.len()].clone();
            let mut equation = Equation {
                whole: zero(),
                targets: Vec::new(),
                earned: zero(),
            };
            for (action, outcomes) in model.open_choices(&interpreter, &state)? {
                let mut sum = zero();
                for outcome in outcomes {
                    let mut weight = Multivariate::constant(model.parameters(), Rational::ONE);
                    for factor in outcome.factors {
                        weight = weight.times(&polynomial(model, factor, &state).ok_or_else(open)?);
                    }
                    if weight.is_zero() {
                        continue;
                    }
                    sum = sum.plus(&weight, &Rational::ONE);
                    let next = chain.states.len() as u32;
                    let target = *numbers.entry(outcome.target.clone()).or_insert(next);
                    if target == next {
                        chain.states.push(outcome.target);
                    }
                    equation.targets.push((target, weight));
                }
                if network.kind == Kind::Dtmc && sum.value() != Some(Rational::ONE) {
                    return Err(Trouble::Unsupported(
                        "probabilities with parameters do not sum to 1 exactly".to_owned(),
                    ));
                }
                if let Some(structure) = asked.structure {
                    for reward in &network.rewards[structure].transitions {
                        if reward.action == action
                            && interpreter::truth(&base, &reward.guard, &state, reward.place)?
                        {
                            let value = polynomial(model, &reward.value, &state).ok_or_else(open)?;
                            equation.earned = equation.earned.plus(&value.times(&sum), &Rational::ONE);
                        }
                    }
                }
                equation.whole = equation.whole.plus(&sum, &Rational::ONE);
            }
            if let Some(structure) = asked.structure {
                let time = match network.kind {
                    Kind::Dtmc => equation.whole.clone(),
                    _ => Multivariate::constant(model.parameters(), Rational::ONE),
                };
                for reward in &network.rewards[structure].states {
                    if interpreter::truth(&base, &reward.guard, &state, reward.place)? {
                        let value = polynomial(model, &reward.value, &state).ok_or_else(open)?;
                        equation.earned = equation.earned.plus(&value.times(&time), &Rational::ONE);
                    }
                }
            }
            chain.equations.push(equation);
        }
        Ok(chain)
    }

    /// The states from which a goal can be reached through `stay`.
    fn hopeful(&self, stay: &[bool], goal: &[bool]) -> Vec<bool> {
        let mut found = goal.to_vec();
        loop {
            let mut grown = false;
            for (state, equation) in self.equations.iter().enumerate() {
                let leads = |(target, _): &(u32, Multivariate)| found[*target as usize];
                if !found[state] && stay[state] && equation.targets.iter().any(leads) {
                    found[state] = true;
                    grown = true;
                }
            }
            if !grown {
                return found;
            }
        }
    }
}

/// A point where the network has a meaning, if there is one among a few.
fn based(model: &Parametric, budget: &Budget) -> Vec<Rational> {
    let parameters = model.parameters() as u64;
    let of_round = |round: u64| -> Vec<Rational> {
        let above = |at: u64| Rational::from(1 + (7 * at + 5 * round) % 23);
        let below = || Rational::from(25 * (round % 4 + 1));
        (0..parameters).map(|at| above(at) / below()).collect()
    };
    let makes_sense = |point: &Vec<Rational>| {
        let tried = entail_markov::explore(&model.at(point), TRIED, budget);
        !matches!(tried, Err(ExploreError::Semantic(_)))
    };
    (0..20)
        .map(of_round)
        .find(makes_sense)
        .unwrap_or_else(|| of_round(0))
}

/// The value of a property of a chain as a function of its parameters.
pub fn function(model: &Parametric, property: &Property, budget: &Budget) -> Result<Function, Trouble> {
    if !matches!(model.network().kind, Kind::Dtmc | Kind::Ctmc) {
        return Err(Trouble::Unsupported("functions are found for chains".to_owned()));
    }
    let asked = asked(model, property)?;
    if asked
        .structure
        .is_some_and(|structure| model.network().rewards[structure].on_branches)
    {
        return Err(Trouble::Unsupported(
            "rewards of branches in functions".to_owned(),
        ));
    }
    let point = based(model, budget);
    let chain = Chain::new(model, &asked, &point, budget)?;
    let truth = |expr: &Expr| -> Result<Vec<bool>, Trouble> {
        let value = |state: &Vec<i64>| model.network().holds(expr, state);
        let found: Result<Vec<bool>, EvalError> = chain.states.iter().map(value).collect();
        found.map_err(|error| Trouble::Unsupported(error.to_string()))
    };
    let goal = truth(asked.goal)?;
    let stay = match asked.stay {
        Some(stay) => truth(stay)?,
        None => vec![true; goal.len()],
    };
    let hopeful = chain.hopeful(&stay, &goal);
    // Only what the first state needs has an equation.
    let mut needed: Vec<u32> = vec![0];
    let mut seen = vec![false; goal.len()];
    seen[0] = true;
    let mut at = 0;
    while at < needed.len() {
        let state = needed[at] as usize;
        at += 1;
        if goal[state] || !hopeful[state] {
            if asked.structure.is_some() && !goal[state] {
                return Err(Trouble::Unsupported(
                    "the reward is infinite: the goal may be missed".to_owned(),
                ));
            }
            continue;
        }
        for (target, _) in &chain.equations[state].targets {
            if !std::mem::replace(&mut seen[*target as usize], true) {
                needed.push(*target);
            }
        }
    }
    // The last states first: what is eliminated early is near the goal.
    let mut unknown: Vec<u32> = needed
        .into_iter()
        .filter(|&state| hopeful[state as usize] && !goal[state as usize])
        .collect();
    unknown.sort_unstable();
    unknown.reverse();
    if unknown.len() > MOST_EQUATIONS {
        let message = format!(
            "{} equations: functions of several parameters are found for at most {MOST_EQUATIONS}",
            unknown.len()
        );
        return Err(Trouble::Unsupported(message));
    }
    let (common, values) = solved(
        model.parameters(),
        &chain,
        &unknown,
        &goal,
        asked.structure.is_some(),
        budget,
    )?;
    let one = || Multivariate::constant(model.parameters(), Rational::ONE);
    let own = match unknown.iter().position(|&state| state == 0) {
        Some(at) => values[at].clone(),
        None if goal[0] && asked.structure.is_none() => common.clone(),
        None => Multivariate::default(),
    };
    let (above, below) = match own.is_zero() {
        true => (own, one()),
        false => reduced(&own, &common, budget)?,
    };
    let states = unknown.iter().map(|&state| chain.states[state as usize].clone());
    Ok(Function {
        above,
        below,
        common,
        numerators: states.zip(values).collect(),
        point,
    })
}

/// The common denominator and the numerators of the unknown states.
fn solved(
    parameters: usize,
    chain: &Chain,
    unknown: &[u32],
    goal: &[bool],
    earning: bool,
    budget: &Budget,
) -> Result<(Multivariate, Vec<Multivariate>), Trouble> {
    let size = unknown.len();
    let position: HashMap<u32, usize> = unknown
        .iter()
        .enumerate()
        .map(|(at, &state)| (state, at))
        .collect();
    let mut rows = vec![vec![Multivariate::default(); size + 1]; size];
    for (at, &state) in unknown.iter().enumerate() {
        let equation = &chain.equations[state as usize];
        rows[at][at] = equation.whole.clone();
        rows[at][size] = equation.earned.clone();
        for (target, weight) in &equation.targets {
            let entry = match position.get(target) {
                Some(&column) => &mut rows[at][column],
                None if goal[*target as usize] && !earning => &mut rows[at][size],
                None => continue,
            };
            let sign = if position.contains_key(target) {
                -Rational::ONE
            } else {
                Rational::ONE
            };
            *entry = std::mem::take(entry).plus(weight, &sign);
        }
    }
    let mut before = Multivariate::constant(parameters, Rational::ONE);
    for step in 0..size {
        // The system has one solution wherever the graph is the same: some row has a pivot.
        let pivot = (step..size).find(|&row| !rows[row][step].is_zero());
        let pivot =
            pivot.ok_or_else(|| Trouble::Undecided("the equations have no single solution".to_owned()))?;
        rows.swap(step, pivot);
        let chosen = rows[step].clone();
        for (at, row) in rows.iter_mut().enumerate() {
            if at == step {
                continue;
            }
            budget.check_now()?;
            let factor = row[step].clone();
            for (column, entry) in row.iter_mut().enumerate() {
                if column < step && column != at {
                    continue;
                }
                let product = entry
                    .times(&chosen[step])
                    .plus(&factor.times(&chosen[column]), &-Rational::ONE);
                *entry = (product.divided_by(&before))
                    .ok_or_else(|| Trouble::Undecided("elimination left something over".to_owned()))?;
            }
        }
        before = chosen[step].clone();
    }
    Ok((
        before,
        rows.into_iter().map(|mut row| row.swap_remove(size)).collect(),
    ))
}
