//! The reference interpreter: what can happen in a state, read off the network command by command, in exact rationals.
//!
//! No tables, no caches: this is the meaning that engines are compared with and certificates are checked against. The order of choices is part
//! of the meaning, because states are numbered by it: first, component by component, the enabled commands without an action; then,
//! synchronisation by synchronisation, the combinations of enabled commands, the last component's command changing fastest.

use crate::expr::{EvalError, Expr};
use crate::network::{ActionId, Branch, Command, CommandKind, Initial, Network};
use crate::{Domain, Kind, Rational, decimal};
use entail_budget::{Budget, Spent};
use entail_source::Span;

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
    let found = uncertain_choices(network, state)?;
    match found.iter().find(|choice| !choice.uppers.is_empty()) {
        None => Ok(found),
        Some(choice) => {
            let (component, position) = choice.commands[0];
            let place = network.components[component].commands[position].place;
            let message = "the probabilities are intervals, which this does not support";
            Err(SemanticError::new(message, place, network.show_state(state)))
        }
    }
}

/// All choices in a state, their weights perhaps intervals.
pub fn uncertain_choices(network: &Network, state: &[i64]) -> Result<Vec<Choice>, SemanticError> {
    let mut found = Vec::new();
    for (at, component) in network.components.iter().enumerate() {
        for (position, command) in component.commands.iter().enumerate() {
            if command.action.is_none() && enabled(network, command, state)? {
                found.push(joint(network, state, None, &[(at, position)])?);
            }
        }
    }
    for synchronisation in &network.synchronisations {
        let mut ready: Vec<Vec<(usize, usize)>> = Vec::new();
        for &(at, action) in &synchronisation.parts {
            let mut own = Vec::new();
            for (position, command) in network.components[at].commands.iter().enumerate() {
                if command.action == Some(action) && enabled(network, command, state)? {
                    own.push((at, position));
                }
            }
            ready.push(own);
        }
        if ready.iter().any(Vec::is_empty) {
            continue;
        }
        let mut at = vec![0; ready.len()];
        loop {
            let commands: Vec<(usize, usize)> = at.iter().zip(&ready).map(|(&at, own)| own[at]).collect();
            found.push(joint(network, state, synchronisation.action, &commands)?);
            let Some(next) = (0..at.len()).rev().find(|&part| at[part] + 1 < ready[part].len()) else {
                break;
            };
            at[next] += 1;
            at[next + 1..].fill(0);
        }
    }
    Ok(found)
}

fn failed(network: &Network, error: &EvalError, place: Span, state: &[i64]) -> SemanticError {
    SemanticError::new(error.to_string(), place, network.show_state(state))
}

fn enabled(network: &Network, command: &Command, state: &[i64]) -> Result<bool, SemanticError> {
    network
        .holds(&command.guard, state)
        .map_err(|error| failed(network, &error, command.place, state))
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

/// The joint step of some commands.
fn joint(
    network: &Network,
    state: &[i64],
    action: Option<ActionId>,
    commands: &[(usize, usize)],
) -> Result<Choice, SemanticError> {
    let command = |&(component, position): &(usize, usize)| &network.components[component].commands[position];
    let markovian = commands
        .iter()
        .any(|at| command(at).kind == CommandKind::Markovian);
    let kind = if markovian {
        CommandKind::Markovian
    } else {
        CommandKind::Probabilistic
    };
    let mut branches = vec![(Rational::ONE, state.to_vec())];
    let mut uppers = Vec::new();
    if commands.iter().any(|at| is_uncertain(command(at))) {
        uppers.push(Rational::ONE);
    }
    let mut rewards = vec![Rational::ZERO; network.rewards.len()];
    let mut sum_of_weights = Rational::ONE;
    for at in commands {
        let command = command(at);
        let weights: Vec<Rational> = (command.branches.iter())
            .map(|branch| weight(network, branch, &branch.weight, state))
            .collect::<Result<_, _>>()?;
        let sum: Rational = weights.iter().fold(Rational::ZERO, |sum, weight| sum + weight);
        let scale = match is_uncertain(command) {
            true => Rational::ONE,
            false => scale(network, command, &sum, state)?,
        };
        if !uppers.is_empty() {
            let own = upper_ends(network, command, &weights, &scale, state)?;
            uppers = (uppers.iter())
                .flat_map(|so_far| own.iter().map(move |own| so_far * own))
                .collect();
        }
        let mut next = Vec::with_capacity(branches.len() * weights.len());
        for (so_far, target) in &branches {
            for (weight, branch) in weights.iter().zip(&command.branches) {
                if weight.is_zero() {
                    continue;
                }
                let mut target = target.clone();
                assign(network, branch, state, &mut target)?;
                next.push((share(so_far, weight, &scale), target));
            }
        }
        // Rewards of branches: each weighted with its own command's share of the joint weight.
        for (weight, branch) in weights.iter().zip(&command.branches) {
            for (structure, expr) in &branch.rewards {
                let value = number(network, expr, state, branch.place)?;
                if !sum.is_zero() {
                    rewards[*structure] += value * weight / &sum;
                }
            }
        }
        sum_of_weights *= &sum / &scale;
        branches = next;
    }
    Ok(Choice {
        action,
        kind,
        branches,
        uppers,
        branch_rewards: rewards
            .into_iter()
            .map(|reward| reward * &sum_of_weights)
            .collect(),
        commands: commands.to_vec(),
    })
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
    scale: &Rational,
    state: &[i64],
) -> Result<Vec<Rational>, SemanticError> {
    let wrong = |message: String, place: Span| SemanticError::new(message, place, network.show_state(state));
    if !is_uncertain(command) {
        let ends = lower.iter().filter(|weight| !weight.is_zero());
        return Ok(ends.map(|weight| weight / scale).collect());
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

/// `so_far · weight / scale`; most of the three are 1.
fn share(so_far: &Rational, weight: &Rational, scale: &Rational) -> Rational {
    let product = match so_far.is_one() {
        true => weight.clone(),
        false => so_far * weight,
    };
    if scale.is_one() { product } else { product / scale }
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
