//! The reference interpreter: what can happen in a state, read off the network command by command, in exact rationals.
//!
//! This is the meaning that engines are compared with and certificates are checked against, so nothing is remembered from state to state. Only what no state
//! changes is worked out once for many states: which commands may take part in what, and weights that are constants. The order of choices is part
//! of the meaning, because states are numbered by it: first, component by component, the enabled commands without an action; then,
//! synchronisation by synchronisation, the combinations of enabled commands, the last component's command changing fastest.

use crate::expr::{BinaryOp, EvalError, Expr, Sort, Value, VarId};
use crate::network::{ActionId, Branch, Command, CommandKind, Initial, Network};
use crate::{Domain, Kind, Rational, decimal};
use entail_budget::{Budget, Spent};
use entail_source::Span;
use std::borrow::Cow;
use std::ops::Range;

/// An error of the model that only exploring it can find.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", state.as_ref().map_or(String::new(), |state| format!(" in state ({state})")))]
pub struct SemanticError {
    /// What is wrong.
    pub message: String,
    /// Where in the source.
    pub place: Option<Span>,
    /// The state.
    pub state: Option<String>,
    /// What to do.
    pub help: Option<String>,
}

impl SemanticError {
    /// An error at a place in a state.
    pub fn new(message: impl Into<String>, place: Span, state: impl Into<Option<String>>) -> SemanticError {
        SemanticError {
            message: message.into(),
            place: Some(place),
            state: state.into(),
            help: None,
        }
    }
}

/// Why there is no explicit model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExploreError {
    /// The model has no meaning.
    #[error(transparent)]
    Semantic(#[from] SemanticError),
    /// There was not enough time or memory.
    #[error("{0}")]
    Spent(#[from] Spent),
    /// There are too many states.
    #[error("more than {0} states")]
    TooMany(usize),
}

/// What can happen in a state as one choice: branches in the order of mention, not merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// What it is called.
    pub action: Option<ActionId>,
    /// What the weights are.
    pub kind: CommandKind,
    /// Weights and targets; no weight is zero.
    pub branches: Vec<(Rational, Vec<i64>)>,
    /// The upper ends of the weights, if these are lower ends of intervals; otherwise empty.
    pub uppers: Vec<Rational>,
    /// What is earned on branches, weighted with their probabilities (for rates: with the rates), by reward structure.
    pub branch_rewards: Vec<Rational>,
    /// The commands, by component and position.
    pub commands: Vec<(usize, usize)>,
}

/// How far the sum of a command's probabilities may be from 1 (PRISM's `sumroundoff`); what is off is scaled.
pub fn sum_tolerance() -> Rational {
    decimal("1e-5").expect("a decimal")
}

/// All choices in a state, for those to whom a weight is one number.
pub fn choices(network: &Network, state: &[i64]) -> Result<Vec<Choice>, SemanticError> {
    Interpreter::new(network).choices(state)
}

/// All choices in a state, their weights perhaps intervals.
pub fn uncertain_choices(network: &Network, state: &[i64]) -> Result<Vec<Choice>, SemanticError> {
    Interpreter::new(network).uncertain_choices(state)
}

/// A command: its component and its position there.
type Position = (usize, usize);

/// A network to be interpreted in many states.
pub struct Interpreter<'n> {
    network: &'n Network,
    commands: Vec<Vec<Prepared<'n>>>,
    /// The commands without an action.
    alone: Vec<Position>,
    /// The commands of a component with some action, for each such pair that takes part in synchronisations.
    offers: Vec<Vec<Position>>,
    /// For each synchronisation the offers of its parts.
    joint: Vec<Vec<usize>>,
}

/// A command with what is the same of it in all states.
struct Prepared<'n> {
    command: &'n Command,
    /// The guard begins with `variable = value & …`: that is false in all other states, whatever follows.
    first: Option<(VarId, i64)>,
    /// Weights that are constants.
    weights: Option<Weights>,
}

/// The weights of a command in a state.
#[derive(Clone)]
struct Weights {
    /// One for each branch: shares of 1, if they are probabilities.
    scaled: Vec<Rational>,
    /// Their sum before they were divided by the scale.
    sum: Rational,
    scale: Rational,
}

impl<'n> Interpreter<'n> {
    /// An interpreter of a network.
    pub fn new(network: &'n Network) -> Interpreter<'n> {
        let offered = |at: usize, action: Option<ActionId>| {
            let commands = network.components[at].commands.iter().enumerate();
            let own = commands.filter(move |(_, command)| command.action == action);
            own.map(move |(position, _)| (at, position))
        };
        let mut pairs: Vec<(usize, ActionId)> = Vec::new();
        let joint = (network.synchronisations.iter())
            .map(|synchronisation| {
                let number = |part: &(usize, ActionId)| match pairs.iter().position(|known| known == part) {
                    Some(known) => known,
                    None => {
                        pairs.push(*part);
                        pairs.len() - 1
                    }
                };
                synchronisation.parts.iter().map(number).collect()
            })
            .collect();
        let components = network.components.iter();
        Interpreter {
            network,
            commands: components
                .map(|component| {
                    let commands = component.commands.iter();
                    commands.map(|command| Prepared::new(network, command)).collect()
                })
                .collect(),
            alone: (0..network.components.len())
                .flat_map(|at| offered(at, None))
                .collect(),
            offers: (pairs.iter())
                .map(|&(at, action)| offered(at, Some(action)).collect())
                .collect(),
            joint,
        }
    }

    /// All choices in a state, for those to whom a weight is one number.
    pub fn choices(&self, state: &[i64]) -> Result<Vec<Choice>, SemanticError> {
        let found = self.uncertain_choices(state)?;
        match found.iter().find(|choice| !choice.uppers.is_empty()) {
            None => Ok(found),
            Some(choice) => {
                let place = self.prepared(choice.commands[0]).command.place;
                let message = "the probabilities are intervals, which this does not support";
                Err(SemanticError::new(message, place, self.network.show_state(state)))
            }
        }
    }

    /// All choices in a state, their weights perhaps intervals.
    pub fn uncertain_choices(&self, state: &[i64]) -> Result<Vec<Choice>, SemanticError> {
        let mut found = Vec::new();
        for &at in &self.alone {
            if self.is_enabled(at, state)? {
                found.push(self.joint(state, None, vec![at])?);
            }
        }
        // The enabled commands of each offer that was looked at in this state, as ranges of one list.
        let mut enabled: Vec<Position> = Vec::new();
        let mut seen: Vec<Option<Range<usize>>> = vec![None; self.offers.len()];
        for (synchronisation, parts) in self.network.synchronisations.iter().zip(&self.joint) {
            for &part in parts {
                if seen[part].is_none() {
                    let from = enabled.len();
                    for &at in &self.offers[part] {
                        if self.is_enabled(at, state)? {
                            enabled.push(at);
                        }
                    }
                    seen[part] = Some(from..enabled.len());
                }
            }
            let ready = |&part: &usize| enabled.get(seen[part].clone()?).filter(|own| !own.is_empty());
            let Some(ready) = parts.iter().map(ready).collect::<Option<Vec<&[Position]>>>() else {
                continue;
            };
            let mut at = vec![0; ready.len()];
            loop {
                let commands = at.iter().zip(&ready).map(|(&at, own)| own[at]).collect();
                found.push(self.joint(state, synchronisation.action, commands)?);
                let Some(next) = (0..at.len()).rev().find(|&part| at[part] + 1 < ready[part].len()) else {
                    break;
                };
                at[next] += 1;
                at[next + 1..].fill(0);
            }
        }
        Ok(found)
    }

    fn prepared(&self, (component, position): Position) -> &Prepared<'n> {
        &self.commands[component][position]
    }

    fn is_enabled(&self, at: Position, state: &[i64]) -> Result<bool, SemanticError> {
        let prepared = self.prepared(at);
        let excluded = |(variable, value): (VarId, i64)| state[variable.index()] != value;
        if prepared.first.is_some_and(excluded) {
            return Ok(false);
        }
        let Prepared { command, .. } = prepared;
        (self.network.holds(&command.guard, state))
            .map_err(|error| failed(self.network, &error, command.place, state))
    }

    /// The weights of a command in a state.
    fn weights(&self, at: Position, state: &[i64]) -> Result<Cow<'_, Weights>, SemanticError> {
        let prepared = self.prepared(at);
        match &prepared.weights {
            Some(weights) => Ok(Cow::Borrowed(weights)),
            None => weights_of(self.network, prepared.command, state).map(Cow::Owned),
        }
    }

    /// The joint step of some commands.
    fn joint(
        &self,
        state: &[i64],
        action: Option<ActionId>,
        commands: Vec<Position>,
    ) -> Result<Choice, SemanticError> {
        let network = self.network;
        let own = || commands.iter().map(|&at| self.prepared(at).command);
        let kind = match own().any(|command| command.kind == CommandKind::Markovian) {
            true => CommandKind::Markovian,
            false => CommandKind::Probabilistic,
        };
        let mut branches = vec![(Rational::ONE, state.to_vec())];
        let mut uppers = Vec::new();
        if own().any(is_uncertain) {
            uppers.push(Rational::ONE);
        }
        let mut rewards = vec![Rational::ZERO; network.rewards.len()];
        let mut sum_of_weights = Rational::ONE;
        for &at in &commands {
            let command = self.prepared(at).command;
            let weights = self.weights(at, state)?;
            let Weights { scaled, sum, scale } = &*weights;
            if !uppers.is_empty() {
                let own = upper_ends(network, command, scaled, state)?;
                uppers = (uppers.iter())
                    .flat_map(|so_far| own.iter().map(move |own| so_far * own))
                    .collect();
            }
            let mut next = Vec::with_capacity(branches.len() * scaled.len());
            for (so_far, target) in branches {
                for (weight, branch) in scaled.iter().zip(&command.branches) {
                    if weight.is_zero() {
                        continue;
                    }
                    let mut target = target.clone();
                    assign(network, branch, state, &mut target)?;
                    next.push((product(&so_far, weight), target));
                }
            }
            // Rewards of branches: each weighted with its own command's share of the joint weight.
            for (weight, branch) in scaled.iter().zip(&command.branches) {
                for (structure, expr) in &branch.rewards {
                    let value = number(network, expr, state, branch.place)?;
                    if !sum.is_zero() {
                        rewards[*structure] += value * weight * scale / sum;
                    }
                }
            }
            if sum != scale {
                sum_of_weights *= sum / scale;
            }
            branches = next;
        }
        if !sum_of_weights.is_one() {
            for reward in rewards.iter_mut().filter(|reward| !reward.is_zero()) {
                *reward *= &sum_of_weights;
            }
        }
        Ok(Choice {
            action,
            kind,
            branches,
            uppers,
            branch_rewards: rewards,
            commands,
        })
    }
}

impl<'n> Prepared<'n> {
    fn new(network: &'n Network, command: &'n Command) -> Prepared<'n> {
        let mut first = &command.guard;
        while let Expr::Binary(BinaryOp::And, left, _) = first {
            first = left;
        }
        let first = match first {
            Expr::Binary(BinaryOp::Eq, left, right) => match (&**left, &**right) {
                (Expr::Var(variable), Expr::Value(Value::Int(value)))
                    if network.sort_of(*variable) == Sort::Int =>
                {
                    Some((*variable, *value))
                }
                _ => None,
            },
            _ => None,
        };
        // What is wrong with constant weights is said about the first state in which they count.
        let mut weights = command.branches.iter().map(|branch| &branch.weight);
        let constant = weights.all(|weight| weight.constant().is_some());
        let weights = constant.then(|| weights_of(network, command, &[]).ok()).flatten();
        Prepared {
            command,
            first,
            weights,
        }
    }
}

/// The weights of a command in a state.
fn weights_of(network: &Network, command: &Command, state: &[i64]) -> Result<Weights, SemanticError> {
    let mut scaled: Vec<Rational> = (command.branches.iter())
        .map(|branch| weight(network, branch, &branch.weight, state))
        .collect::<Result<_, _>>()?;
    let sum: Rational = match &scaled[..] {
        [only] => only.clone(),
        all => all.iter().fold(Rational::ZERO, |sum, weight| sum + weight),
    };
    let scale = match is_uncertain(command) {
        true => Rational::ONE,
        false => scale(network, command, &sum, state)?,
    };
    if !scale.is_one() {
        scaled.iter_mut().for_each(|weight| *weight /= &scale);
    }
    Ok(Weights { scaled, sum, scale })
}

fn failed(network: &Network, error: &EvalError, place: Span, state: &[i64]) -> SemanticError {
    SemanticError::new(error.to_string(), place, network.show_state(state))
}

/// The weight of a branch, as one of its expressions gives it.
fn weight(network: &Network, branch: &Branch, expr: &Expr, state: &[i64]) -> Result<Rational, SemanticError> {
    let value = network
        .eval(expr, state)
        .and_then(|value| value.number().ok_or(EvalError::Type));
    let value = value.map_err(|error| failed(network, &error, branch.place, state))?;
    if value < Rational::ZERO {
        let message = format!("the probability or rate {value} is negative");
        return Err(SemanticError::new(
            message,
            branch.place,
            network.show_state(state),
        ));
    }
    Ok(value)
}

/// Applies a branch's assignments: expressions see `before`, the values go to `after`.
fn assign(
    network: &Network,
    branch: &Branch,
    before: &[i64],
    after: &mut [i64],
) -> Result<(), SemanticError> {
    for (var, expr) in &branch.assignments {
        let value = network
            .eval(expr, before)
            .and_then(|value| value.stored().ok_or(EvalError::Type))
            .map_err(|error| failed(network, &error, branch.place, before))?;
        let variable = &network.variables[var.index()];
        if !variable.domain.contains(value) {
            let range = match variable.domain {
                Domain::Range(low, high) => format!("{low}..{high}"),
                _ => "its type".to_owned(),
            };
            let mut error = SemanticError::new(
                format!("{} becomes {value}, outside of {range}", variable.name),
                branch.place,
                network.show_state(before),
            );
            error.help = Some("strengthen the guard, or widen the range of the variable".to_owned());
            return Err(error);
        }
        after[var.index()] = value;
    }
    Ok(())
}

/// Whether a command has intervals of probabilities.
fn is_uncertain(command: &Command) -> bool {
    command.branches.iter().any(|branch| branch.upper.is_some())
}

/// The upper ends of a command's weights, whose lower ends are given: branch by branch, those with weight zero left out. Some distribution must lie
/// between the ends, and every branch must be possible whatever it is.
fn upper_ends(
    network: &Network,
    command: &Command,
    lower: &[Rational],
    state: &[i64],
) -> Result<Vec<Rational>, SemanticError> {
    let wrong = |message: String, place: Span| SemanticError::new(message, place, network.show_state(state));
    if !is_uncertain(command) {
        return Ok(lower.iter().filter(|weight| !weight.is_zero()).cloned().collect());
    }
    let mut ends = Vec::new();
    for (branch, low) in command.branches.iter().zip(lower) {
        let high = match &branch.upper {
            Some(upper) => weight(network, branch, upper, state)?,
            None => low.clone(),
        };
        if *low > high {
            return Err(wrong(
                format!("the interval [{low}, {high}] is empty"),
                branch.place,
            ));
        }
        if high.is_zero() {
            continue;
        }
        if low.is_zero() {
            let mut error = wrong(
                format!("the probability may be zero: its interval is [{low}, {high}]"),
                branch.place,
            );
            error.help = Some("give a positive lower end, or leave the branch out".to_owned());
            return Err(error);
        }
        ends.push(high);
    }
    let sum = |ends: &[Rational]| ends.iter().fold(Rational::ZERO, |sum, end| sum + end);
    let (least, most) = (sum(lower), sum(&ends));
    if least > Rational::ONE || most < Rational::ONE {
        let message =
            format!("the intervals of this command sum to [{least}, {most}], which does not contain 1");
        return Err(wrong(message, command.place));
    }
    Ok(ends)
}

/// A product of weights; most are 1.
fn product(so_far: &Rational, weight: &Rational) -> Rational {
    match so_far.is_one() {
        true => weight.clone(),
        false => so_far * weight,
    }
}

/// What the weights of a command are divided by: 1 for rates, their sum for probabilities, which must be near 1.
fn scale(
    network: &Network,
    command: &Command,
    sum: &Rational,
    state: &[i64],
) -> Result<Rational, SemanticError> {
    if command.kind == CommandKind::Markovian || *sum == Rational::ONE {
        return Ok(Rational::ONE);
    }
    let off = if *sum < Rational::ONE {
        Rational::ONE - sum
    } else {
        sum - Rational::ONE
    };
    if off > sum_tolerance() {
        let message = format!("the probabilities of this command sum to {sum}, not to 1");
        return Err(SemanticError::new(
            message,
            command.place,
            network.show_state(state),
        ));
    }
    Ok(sum.clone())
}

/// A number in a state.
pub fn number(network: &Network, expr: &Expr, state: &[i64], place: Span) -> Result<Rational, SemanticError> {
    network
        .eval(expr, state)
        .and_then(|value| value.number().ok_or(EvalError::Type))
        .map_err(|error| failed(network, &error, place, state))
}

/// The reward of being in a state, by a structure.
pub fn state_reward(network: &Network, structure: usize, state: &[i64]) -> Result<Rational, SemanticError> {
    let mut sum = Rational::ZERO;
    for item in &network.rewards[structure].states {
        if truth(network, &item.guard, state, item.place)? {
            sum += number(network, &item.value, state, item.place)?;
        }
    }
    Ok(sum)
}

/// The reward of a step with an action from a state, by a structure, without what branches earn.
pub fn step_reward(
    network: &Network,
    structure: usize,
    state: &[i64],
    action: Option<ActionId>,
) -> Result<Rational, SemanticError> {
    let mut sum = Rational::ZERO;
    for item in &network.rewards[structure].transitions {
        if item.action == action && truth(network, &item.guard, state, item.place)? {
            sum += number(network, &item.value, state, item.place)?;
        }
    }
    Ok(sum)
}

/// A truth value in a state.
pub fn truth(network: &Network, expr: &Expr, state: &[i64], place: Span) -> Result<bool, SemanticError> {
    network
        .holds(expr, state)
        .map_err(|error| failed(network, &error, place, state))
}

/// The initial states, in increasing order of their values if they are given by a predicate.
pub fn initial_states(
    network: &Network,
    limit: usize,
    budget: &Budget,
) -> Result<Vec<Vec<i64>>, ExploreError> {
    let (predicate, place) = match &network.initial {
        Initial::Values(values) => return Ok(vec![values.clone()]),
        Initial::Predicate(predicate, place) => (predicate, *place),
    };
    let mut ranges = Vec::new();
    for variable in &network.variables {
        ranges.push(match variable.domain {
            Domain::Bool => (0, 1),
            Domain::Range(low, high) => (low, high),
            Domain::Unbounded => {
                let message = format!(
                    "{} has no range, so that initial states cannot be listed",
                    variable.name
                );
                return Err(SemanticError::new(message, place, None).into());
            }
        });
    }
    let mut found = Vec::new();
    let mut state: Vec<i64> = ranges.iter().map(|range| range.0).collect();
    loop {
        budget.check()?;
        if truth(network, predicate, &state, place)? {
            found.push(state.clone());
            if found.len() > limit {
                return Err(ExploreError::TooMany(limit));
            }
        }
        let Some(at) = (0..state.len()).rev().find(|&at| state[at] < ranges[at].1) else {
            break;
        };
        state[at] += 1;
        for (value, range) in state.iter_mut().zip(&ranges).skip(at + 1) {
            *value = range.0;
        }
    }
    if found.is_empty() {
        return Err(SemanticError::new("no state is initial", place, None).into());
    }
    Ok(found)
}

/// Whether choices of a state are one race or one distribution rather than a scheduler's.
pub fn merges_choices(kind: Kind) -> bool {
    !kind.has_choices()
}
