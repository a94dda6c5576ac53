//! Judging that a rational function of parameters is the value of a chain.
//!
//! The evidence is a program of polynomials, sums, products and powers, and nothing else: the equations of all states are written down here from the
//! network, with polynomials as coefficients, and the program must compute the first unknown ([`crate::identity`]). The states from which the goal cannot be reached have
//! the value zero, so that from all others it can: then the equations have one solution at every point of that graph, and the program gives the
//! value wherever it has one. What is proved so is accepted; what is only tested is said to be.

use crate::identity::{Identity, identity};
use crate::polynomial::Polynomial;
use crate::solution::Equation as Unknown;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_markov::interpreter::{self, Interpreter};
use entail_markov::parametric::Parametric;
use entail_markov::{ActionId, Expr, Kind, Path, Property, Query, Rational, RewardKind, UnaryOp};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hasher;

pub use crate::identity::ClaimStep;
pub use crate::solution::Terms;

/// What is claimed.
#[derive(Clone, Debug)]
pub struct FunctionClaim {
    /// The program; its last step is the value.
    pub steps: Vec<ClaimStep>,
    /// A point at which the model has a meaning.
    pub point: Vec<Rational>,
}

/// More states are not built.
const MOST_STATES: usize = 300_000;

/// A state's equation: `whole · x = Σ weight · x(target) + earned`.
struct Equation {
    whole: Polynomial,
    targets: Vec<(Vec<i64>, Polynomial)>,
    earned: Polynomial,
}

struct Judge<'m> {
    model: &'m Parametric,
    structure: Option<usize>,
    stay: Option<Expr>,
    goal: Expr,
    /// The value is 1 less the probability of reaching the goal.
    complement: bool,
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
        Ok(report) | Err(report) => report,
    }
}

fn judged(model: &Parametric, property: &Property, claim: &FunctionClaim, budget: &Budget) -> Judged<CheckReport> {
    if !matches!(model.network().kind, Kind::Dtmc | Kind::Ctmc) || claim.point.len() != model.parameters() {
        return no("functions are values of chains");
    }
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
        _ => return no("the property asks for no function"),
    };
    let states = |path: &Path| match path.as_state() {
        Some(Property::Expr(expr)) if model.mentions(expr).is_none() => Ok(expr.clone()),
        _ => Err(CheckReport::rejected("the property is not about reaching a state")),
    };
    let not = |expr: Expr| Expr::unary(UnaryOp::Not, expr);
    // What is never to happen is that a state outside is reached; a weak until fails where it stops before its end, a release where its second part ends before the first allows it.
    let (stay, goal, complement) = match (path, structure) {
        (Path::Finally(goal, None), _) => (None, states(goal)?, false),
        (Path::Until(stay, goal, None), None) => (Some(states(stay)?), states(goal)?, false),
        (Path::Globally(inside, None), None) => (None, not(states(inside)?), true),
        (Path::WeakUntil(stay, end, None), None) => {
            let outside = not(states(stay)?).and(not(states(end)?));
            (Some(not(states(end)?)), outside, true)
        }
        (Path::Release(end, inside, None), None) => (Some(not(states(end)?)), not(states(inside)?), true),
        _ => return no("the property is not about reaching a state"),
    };
    Judge {
        model,
        structure,
        stay,
        goal,
        complement,
    }
    .judge(claim, budget)
}

impl Judge<'_> {
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
                for (structure, value) in outcome.rewards {
                    if self.structure == Some(*structure) {
                        let own = self.open(value, state)?.times(&weight);
                        equation.earned = equation.earned.add(&own, &Rational::ONE);
                    }
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

    fn judge(&self, claim: &FunctionClaim, budget: &Budget) -> Judged<CheckReport> {
        let spent = |what: &dyn std::fmt::Display| CheckReport::unchecked(format!("the function ({what})"));
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
            let inside = self.holds(&self.goal, &state)?;
            goal.push(inside);
            let stays = match &self.stay {
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
        let hopeful = hopeful(&equations, &numbers, &goal);
        if self.structure.is_some() && hopeful.contains(&false) {
            return no("the reward is infinite");
        }
        let unknowns = self.unknowns(equations, &numbers, &goal, &hopeful);
        let seed = seed_of(claim);
        let parameters = self.model.parameters();
        let found = identity(parameters, &unknowns, self.complement, &claim.steps, seed, budget);
        match found.map_err(|error| spent(&error))? {
            Identity::Proved => Ok(CheckReport::Accepted),
            Identity::Wrong => no("the function is not the value of the first state"),
            Identity::Undefined => no("the function has no value"),
            Identity::Tested(points, chance) => {
                let chance = match chance {
                    Some(chance) => format!("with a probability of at most {chance:.0e}"),
                    None => "by chance, how probably is not known".to_owned(),
                };
                Ok(CheckReport::unchecked(format!(
                    "that the function is the value everywhere: it is at {points} random points modulo random primes, as a wrong one is {chance}"
                )))
            }
        }
    }

    /// The equations of the first state and of the others that have one; where there is nothing unknown about the first, its value is.
    fn unknowns(
        &self,
        equations: Vec<Option<Equation>>,
        numbers: &HashMap<Vec<i64>, usize>,
        goal: &[bool],
        hopeful: &[bool],
    ) -> Vec<Unknown> {
        let one = || self.constant(Rational::ONE).into_terms();
        if goal[0] || !hopeful[0] {
            let earned = if goal[0] && self.structure.is_none() { one() } else { Vec::new() };
            return vec![Unknown {
                whole: one(),
                earned,
                targets: BTreeMap::new(),
            }];
        }
        let mut positions = vec![None; goal.len()];
        let mut count = 0;
        for at in (0..goal.len()).filter(|&at| hopeful[at] && !goal[at]) {
            positions[at] = Some(count);
            count += 1;
        }
        let mut found = Vec::with_capacity(count);
        for (at, equation) in equations.into_iter().enumerate() {
            let (Some(equation), Some(_)) = (equation, positions[at]) else {
                continue;
            };
            let mut earned = equation.earned;
            let mut targets: BTreeMap<usize, Polynomial> = BTreeMap::new();
            for (target, weight) in equation.targets {
                let target = numbers[&target];
                match positions[target] {
                    Some(position) => {
                        let sum = targets.remove(&position).unwrap_or_else(|| self.constant(Rational::ZERO));
                        targets.insert(position, sum.add(&weight, &Rational::ONE));
                    }
                    None if goal[target] && self.structure.is_none() => {
                        earned = earned.add(&weight, &Rational::ONE);
                    }
                    None => {}
                }
            }
            let targets = targets.into_iter().filter(|(_, weight)| !weight.is_zero());
            found.push(Unknown {
                whole: equation.whole.into_terms(),
                earned: earned.into_terms(),
                targets: targets.map(|(at, weight)| (at, weight.into_terms())).collect(),
            });
        }
        found
    }
}

/// From where the goal can be reached.
fn hopeful(equations: &[Option<Equation>], numbers: &HashMap<Vec<i64>, usize>, goal: &[bool]) -> Vec<bool> {
    let mut before = vec![Vec::new(); goal.len()];
    for (at, equation) in equations.iter().enumerate() {
        for (target, _) in equation.iter().flat_map(|equation| &equation.targets) {
            before[numbers[target]].push(at);
        }
    }
    let mut found = goal.to_vec();
    let mut waiting: Vec<usize> = (0..goal.len()).filter(|&at| goal[at]).collect();
    while let Some(at) = waiting.pop() {
        for &earlier in &before[at] {
            if !found[earlier] {
                found[earlier] = true;
                waiting.push(earlier);
            }
        }
    }
    found
}

/// Random choices depend on what is claimed, so that nothing can be made to pass them.
fn seed_of(claim: &FunctionClaim) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(format!("{:?}", claim.steps).as_bytes());
    hasher.finish()
}
