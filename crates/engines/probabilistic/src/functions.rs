//! Values of chains as rational functions of parameters.
//!
//! The states that a network reaches at some point have equations `W(s)·x(s) = Σ w(s,t)·x(t) + b(s)` with polynomials as coefficients. States that do the same
//! are put together, the others are eliminated until the first one is left: its value is a program of a few steps for each state. Where that can
//! be afforded, the program becomes a fraction of polynomials in lowest terms. Nothing here is a proof: programs are compared by their values at random points, and
//! what is found is judged by other means.

use crate::check::Trouble;
use crate::elimination_of_states::{Row, eliminated, quotient};
use crate::expansion::{Factored, expanded};
use crate::programs::{Operation, Program, Step};
use entail_budget::Budget;
use entail_markov::interpreter::{self, ExploreError, Interpreter};
use entail_markov::parametric::Parametric;
use entail_markov::{BinaryOp, EvalError, Expr, Kind, Path, Property, Query, Rational, RewardKind, UnaryOp};
use entail_numeric::integer_polynomial::{IntegerPolynomial, MOST_VARIABLES, TooMuch, Work};
use entail_numeric::multivariate::Multivariate;
use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

/// More states are not explored.
const MOST_STATES: usize = 300_000;

/// A point is as good as another if so many states have a meaning there.
const TRIED: usize = 2000;

/// Powers beyond are not multiplied out.
const LARGEST_POWER: u32 = 64;

/// Products of coefficients that making a fraction of a program may take.
const EXPANSION_WORK: u64 = 400_000_000;

/// At most so long a program is made a fraction of.
const EXPANSION_TIME: Duration = Duration::from_secs(60);

/// A fraction of polynomials with so many terms is shown multiplied out, and otherwise as a product.
const FEW_TERMS: usize = 400;

/// A function: a program, the last step of which is the value.
#[derive(Clone, Debug)]
pub struct Function {
    /// The steps; each names some before.
    pub steps: Vec<Operation<usize>>,
    /// Whether it is a fraction of polynomials without common divisors.
    pub in_lowest_terms: bool,
    /// A point at which the model has a meaning.
    pub point: Vec<Rational>,
    /// How many states there are.
    pub states: usize,
    /// How many of them have equations, and how many classes of them were told apart.
    pub equations: usize,
    /// Classes of states with equations.
    pub classes: usize,
}

/// What is asked: where paths may go, where they end, and by which structure they earn.
struct Asked {
    stay: Option<Expr>,
    goal: Expr,
    structure: Option<usize>,
    /// The value is 1 less the probability.
    complement: bool,
}

fn asked(model: &Parametric, property: &Property) -> Result<Asked, Trouble> {
    let refuse = |what: &str| Err(Trouble::Unsupported(what.to_owned()));
    let (path, structure) = match property.of_one_initial_state() {
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
        _ => return refuse("functions are found for P=? and R=? [ F … ] only"),
    };
    let states = |path: &Path| match path.as_state() {
        Some(Property::Expr(expr)) if model.mentions(expr).is_none() => Ok(expr.clone()),
        _ => {
            let message = "functions are found for sets of states without inner operators";
            Err(Trouble::Unsupported(message.to_owned()))
        }
    };
    let not = |expr: Expr| Expr::unary(UnaryOp::Not, expr);
    let (stay, goal, complement) = match (path, structure) {
        (Path::Finally(goal, None), _) => (None, states(goal)?, false),
        (Path::Globally(safe, None), None) => (None, not(states(safe)?), true),
        (Path::Until(stay, goal, None), None) => (Some(states(stay)?), states(goal)?, false),
        // Nowhere before the goal, but at a state that is neither, does a weak until fail.
        (Path::WeakUntil(stay, goal, None), None) => {
            let (stay, goal) = (states(stay)?, states(goal)?);
            (Some(not(goal.clone())), not(stay).and(not(goal)), true)
        }
        (Path::Release(end, safe, None), None) => (Some(not(states(end)?)), not(states(safe)?), true),
        _ => return refuse("functions are found for F, U, G, W and R without bounds, of states"),
    };
    Ok(Asked {
        stay,
        goal,
        structure,
        complement,
    })
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
                BinaryOp::Pow => {
                    let exponent = u32::try_from(i64::try_from(b.value()?).ok()?).ok()?;
                    let one = Multivariate::constant(count, Rational::ONE);
                    (exponent <= LARGEST_POWER).then(|| (0..exponent).fold(one, |power, _| power.times(&a)))
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
        asked: &Asked,
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
                    for (_, value) in outcome.rewards.iter().filter(|reward| asked.structure == Some(reward.0)) {
                        let value = polynomial(model, value, &state).ok_or_else(open)?;
                        equation.earned = equation.earned.plus(&value.times(&weight), &Rational::ONE);
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
        let mut before = vec![Vec::new(); goal.len()];
        for (state, equation) in self.equations.iter().enumerate() {
            for (target, _) in &equation.targets {
                before[*target as usize].push(state);
            }
        }
        let mut found = goal.to_vec();
        let mut waiting: Vec<usize> = (0..goal.len()).filter(|&state| goal[state]).collect();
        while let Some(state) = waiting.pop() {
            for &predecessor in &before[state] {
                if stay[predecessor] && !std::mem::replace(&mut found[predecessor], true) {
                    waiting.push(predecessor);
                }
            }
        }
        found
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
    if model.parameters() > MOST_VARIABLES {
        let message = format!("more than {MOST_VARIABLES} parameters");
        return Err(Trouble::Unsupported(message));
    }
    let asked = asked(model, property)?;
    let point = based(model, budget);
    let chain = Chain::new(model, &asked, &point, budget)?;
    let truth = |expr: &Expr| -> Result<Vec<bool>, Trouble> {
        let value = |state: &Vec<i64>| model.network().holds(expr, state);
        let found: Result<Vec<bool>, EvalError> = chain.states.iter().map(value).collect();
        found.map_err(|error| Trouble::Unsupported(error.to_string()))
    };
    let goal = truth(&asked.goal)?;
    let stay = match &asked.stay {
        Some(stay) => truth(stay)?,
        None => vec![true; goal.len()],
    };
    let hopeful = chain.hopeful(&stay, &goal);
    let unknown = unknown(&chain, &asked, &goal, &hopeful)?;
    let mut program = Program::new(model.parameters());
    let earning = asked.structure.is_some();
    let mut classes = 0;
    let mut value = match unknown.first() {
        Some(0) => {
            let mut rows = rows(&mut program, &chain, &unknown, (!earning).then_some(&goal));
            if let Some(fewer) = quotient(&mut program, &rows, budget)? {
                rows = fewer;
            }
            classes = rows.len();
            eliminated(&mut program, rows, budget)?
        }
        _ if goal[0] && !earning => Step::ONE,
        _ => Step::ZERO,
    };
    if asked.complement {
        value = program.rest_of_one(value);
    }
    let steps = program.needed(value);
    let share = budget.part(budget.time_left().map_or(EXPANSION_TIME, |left| EXPANSION_TIME.min(left / 2)));
    let mut work = Work::new(EXPANSION_WORK, &share);
    let fraction = expanded(&steps, &mut work)
        .and_then(|found| presented(model.parameters(), &found, &mut work));
    let (steps, in_lowest_terms) = match fraction {
        Ok(steps) => (steps, true),
        Err(TooMuch::Large) => (steps, false),
        Err(TooMuch::Spent(_)) => {
            budget.check_now()?;
            (steps, false)
        }
    };
    Ok(Function {
        steps,
        in_lowest_terms,
        point,
        states: chain.states.len(),
        equations: unknown.len(),
        classes,
    })
}

/// The states that the first one needs and that have equations, the first one first.
fn unknown(chain: &Chain, asked: &Asked, goal: &[bool], hopeful: &[bool]) -> Result<Vec<u32>, Trouble> {
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
    needed.retain(|&state| hopeful[state as usize] && !goal[state as usize]);
    Ok(needed)
}

/// The equations of the unknown states, divided by the sums of their weights; going to the goal counts, if one is given.
fn rows(program: &mut Program, chain: &Chain, unknown: &[u32], goal: Option<&Vec<bool>>) -> Vec<Row> {
    let positions: HashMap<u32, u32> = (unknown.iter().enumerate())
        .map(|(at, &state)| (state, at as u32))
        .collect();
    let mut found = Vec::with_capacity(unknown.len());
    for &state in unknown {
        let equation = &chain.equations[state as usize];
        let share = match equation.whole.value() {
            Some(whole) if whole == Rational::ONE => Step::ONE,
            _ => {
                let whole = program.polynomial(equation.whole.clone());
                program.inverse(whole)
            }
        };
        // Weights of one target are added before they are divided.
        let mut weights: BTreeMap<u32, Multivariate> = BTreeMap::new();
        let mut base = equation.earned.clone();
        for (target, weight) in &equation.targets {
            match positions.get(target) {
                Some(&at) => {
                    let entry = weights.entry(at).or_default();
                    *entry = std::mem::take(entry).plus(weight, &Rational::ONE);
                }
                None if goal.is_some_and(|goal| goal[*target as usize]) => {
                    base = base.plus(weight, &Rational::ONE);
                }
                None => {}
            }
        }
        let mut step = |polynomial: Multivariate| {
            let own = program.polynomial(polynomial);
            program.product(own, share)
        };
        found.push(Row {
            base: (!base.is_zero()).then(|| step(base)),
            weights: weights.into_iter().map(|(at, weight)| (at, step(weight))).collect(),
        });
    }
    found
}

/// What stands above (sign 1) or below (-1), multiplied out if it has few terms.
fn side(found: &Factored, sign: i32, work: &mut Work<'_>) -> Result<Option<IntegerPolynomial>, TooMuch> {
    let mut product = IntegerPolynomial::constant(1.into());
    for (factor, power) in &found.powers {
        for _ in 0..(power * sign).max(0) {
            product = product.times(factor, work)?;
            if product.terms().len() > FEW_TERMS {
                return Ok(None);
            }
        }
    }
    Ok(Some(product))
}

/// A fraction as a program: numerator and denominator multiplied out if they are small, and otherwise as powers of their factors.
fn presented(
    parameters: usize,
    found: &Factored,
    work: &mut Work<'_>,
) -> Result<Vec<Operation<usize>>, TooMuch> {
    let rational = |polynomial: &IntegerPolynomial, scale: &Rational| {
        Multivariate::new(polynomial.terms().iter().map(|(exponents, value)| {
            let exponents = exponents[..parameters].iter().map(|&power| u32::from(power)).collect();
            (exponents, Rational::from(value.clone()) * scale)
        }))
    };
    let mut steps: Vec<Operation<usize>> = Vec::new();
    match (side(found, 1, work)?, side(found, -1, work)?) {
        (Some(above), Some(below)) => {
            let (above, below) = (rational(&above, &found.scale), rational(&below, &Rational::ONE));
            return Ok(Operation::fraction(above, below));
        }
        _ => {
            steps.push(Operation::Polynomial(Multivariate::constant(parameters, found.scale.clone())));
            let mut last = 0;
            for (factor, power) in &found.powers {
                steps.push(Operation::Polynomial(rational(factor, &Rational::ONE)));
                if *power != 1 {
                    steps.push(Operation::Power(steps.len() - 1, *power));
                }
                steps.push(Operation::Product(last, steps.len() - 1));
                last = steps.len() - 1;
            }
        }
    }
    Ok(steps)
}
