//! The explicit model: every reachable state with its choices, in exact rationals, built by the reference interpreter.
//!
//! Chains have one row a state: in a DTMC several enabled commands are equally likely, in a CTMC they race. A Markov automaton leaves a state
//! at once if a probabilistic command is enabled (maximal progress), otherwise its delayed commands race. States without a way out get a
//! loop (of rate 1 in timed models), as PRISM does it.

use crate::interpreter::{self, Choice, ExploreError, Interpreter};
use crate::network::{ActionId, CommandKind, Kind, Network};
use crate::{Rational, SemanticError};
use entail_budget::Budget;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;

/// A choice of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What it is called; rows of chains have no name.
    pub action: Option<ActionId>,
    /// The exit rate, where leaving the state takes time.
    pub rate: Option<Rational>,
    /// Targets, each once, with their probabilities, which sum to 1; with the lower ends, if these lie in intervals.
    pub targets: Vec<(u32, Rational)>,
    /// The upper ends of the probabilities, if they lie in intervals; otherwise empty.
    pub uppers: Vec<Rational>,
    /// What the step earns, by reward structure, on the average over targets.
    pub rewards: Vec<Rational>,
}

/// An explicit model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explicit {
    /// Its kind.
    pub kind: Kind,
    /// The values of the variables, by state.
    pub states: Vec<Vec<i64>>,
    /// The choices, by state; never none.
    pub rows: Vec<Vec<Row>>,
    /// The initial states.
    pub initial: Vec<u32>,
    /// States that had no way out.
    pub deadlocks: Vec<u32>,
    /// What being in a state earns, by reward structure and state.
    pub state_rewards: Vec<Vec<Rational>>,
}

/// Explores a network, at most so many states, for those to whom a probability is one number.
pub fn explore(network: &Network, limit: usize, budget: &Budget) -> Result<Explicit, ExploreError> {
    explored(network, limit, &|of, state| of.choices(state), &|_| false, budget)
}

/// Explores a network, at most so many states; probabilities may be intervals.
pub fn explore_uncertain(network: &Network, limit: usize, budget: &Budget) -> Result<Explicit, ExploreError> {
    explored(
        network,
        limit,
        &|of, state| of.uncertain_choices(state),
        &|_| false,
        budget,
    )
}

/// Explores a part of a network, at most so many states: those that `unexplored` names by their numbers are met and not expanded. They get a loop that
/// earns nothing, and are not counted among the deadlocks.
pub fn explore_partly(
    network: &Network,
    limit: usize,
    unexplored: &dyn Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Explicit, ExploreError> {
    explored(
        network,
        limit,
        &|of, state| of.uncertain_choices(state),
        unexplored,
        budget,
    )
}

/// How the choices of a state are found.
type ChoicesOf<'f> = dyn Fn(&Interpreter<'_>, &[i64]) -> Result<Vec<Choice>, SemanticError> + 'f;

fn explored(
    network: &Network,
    limit: usize,
    choices_of: &ChoicesOf<'_>,
    unexplored: &dyn Fn(u32) -> bool,
    budget: &Budget,
) -> Result<Explicit, ExploreError> {
    let interpreter = Interpreter::new(network);
    let mut states = States::default();
    let mut initial = Vec::new();
    for state in interpreter::initial_states(network, limit, budget)? {
        initial.push(states.number(state));
    }
    let (mut rows, mut deadlocks) = (Vec::new(), Vec::new());
    while rows.len() < states.all.len() {
        budget.check()?;
        if states.all.len() > limit {
            return Err(ExploreError::TooMany(limit));
        }
        let at = rows.len() as u32;
        if unexplored(at) {
            rows.push(vec![resting(network, at)]);
            continue;
        }
        let state = states.all[rows.len()].clone();
        let choices = choices_of(&interpreter, &state)?;
        let mut own = rows_of(network, &state, choices, &mut states)?;
        if own.is_empty() {
            deadlocks.push(at);
            own.push(resting(network, at));
        }
        rows.push(own);
    }
    let structures = 0..network.rewards.len();
    let of_structure = |structure| -> Result<Vec<Rational>, SemanticError> {
        (states.all.iter())
            .map(|state| interpreter::state_reward(network, structure, state))
            .collect()
    };
    Ok(Explicit {
        kind: network.kind,
        state_rewards: structures.map(of_structure).collect::<Result<_, _>>()?,
        states: states.all,
        rows,
        initial,
        deadlocks,
    })
}

/// States by number, and their numbers; each is stored once.
#[derive(Default)]
pub(crate) struct States {
    pub all: Vec<Vec<i64>>,
    numbers: HashTable<u32>,
}

impl States {
    /// The number of a state, the next one if it is new.
    pub fn number(&mut self, state: Vec<i64>) -> u32 {
        let hash = |state: &Vec<i64>| FxBuildHasher.hash_one(state);
        let (next, all) = (self.all.len() as u32, &mut self.all);
        let same = |&known: &u32| all[known as usize] == state;
        if let Some(&known) = self.numbers.find(hash(&state), same) {
            return known;
        }
        (self.numbers).insert_unique(hash(&state), next, |&known| hash(&all[known as usize]));
        all.push(state);
        next
    }
}

/// The rows of a state; none if it has no way out, which may be a mistake of the model.
pub(crate) fn rows_of(
    network: &Network,
    state: &[i64],
    choices: Vec<Choice>,
    states: &mut States,
) -> Result<Vec<Row>, SemanticError> {
    let groups = grouped(network.kind, choices);
    let mut own = Vec::with_capacity(groups.len().max(1));
    for (choices, action) in groups {
        own.extend(row(network, state, choices, action, states)?);
    }
    match network.dead_ends.mistake(network, state).filter(|_| own.is_empty()) {
        Some(mistake) => Err(mistake),
        None => Ok(own),
    }
}

/// The loop of a state that is not left.
pub(crate) fn resting(network: &Network, state: u32) -> Row {
    Row {
        action: None,
        rate: network.kind.is_timed().then_some(Rational::ONE),
        targets: vec![(state, Rational::ONE)],
        uppers: Vec::new(),
        rewards: vec![Rational::ZERO; network.rewards.len()],
    }
}

/// The choices that make a row together, with the row's name.
fn grouped(kind: Kind, choices: Vec<Choice>) -> Vec<(Vec<Choice>, Option<ActionId>)> {
    let alone = |choice: Choice| {
        let action = choice.action;
        (vec![choice], action)
    };
    match kind {
        _ if choices.is_empty() => Vec::new(),
        Kind::Dtmc | Kind::Ctmc => vec![(choices, None)],
        Kind::Mdp => choices.into_iter().map(alone).collect(),
        Kind::Ma => {
            let (delayed, at_once): (Vec<_>, Vec<_>) = choices
                .into_iter()
                .partition(|choice| choice.kind == CommandKind::Markovian);
            match at_once.is_empty() {
                true => vec![(delayed, None)],
                false => at_once.into_iter().map(alone).collect(),
            }
        }
    }
}

/// The row that choices make together; nothing if all their weights are zero.
fn row(
    network: &Network,
    state: &[i64],
    choices: Vec<Choice>,
    action: Option<ActionId>,
    states: &mut States,
) -> Result<Option<Row>, SemanticError> {
    let timed = choices.iter().any(|choice| choice.kind == CommandKind::Markovian);
    let uncertain = choices.iter().any(|choice| !choice.uppers.is_empty());
    let most = choices.iter().map(|choice| choice.branches.len()).sum();
    let mut targets: Vec<(u32, Rational)> = Vec::with_capacity(most);
    let mut uppers: Vec<Rational> = Vec::new();
    let mut positions = Positions::new(most);
    let mut rewards = vec![Rational::ZERO; network.rewards.len()];
    let mut total = Rational::ZERO;
    for choice in choices {
        let mut weight_of_choice = Rational::ZERO;
        for (outcome, (weight, target)) in choice.branches.into_iter().enumerate() {
            let target = states.number(target);
            weight_of_choice += &weight;
            if uncertain {
                let upper = choice.uppers.get(outcome).unwrap_or(&weight).clone();
                match positions.get(target, &targets) {
                    Some(at) => uppers[at] += upper,
                    None => uppers.push(upper),
                }
            }
            match positions.get(target, &targets) {
                Some(at) => targets[at].1 += weight,
                None => {
                    positions.note(target, targets.len());
                    targets.push((target, weight));
                }
            }
        }
        // Intervals are no shares of a whole: each choice counts as one.
        if uncertain {
            weight_of_choice = Rational::ONE;
        }
        for (structure, reward) in rewards.iter_mut().enumerate() {
            let step = interpreter::step_reward(network, structure, state, choice.action)?;
            if !step.is_zero() {
                *reward += step * &weight_of_choice;
            }
            *reward += &choice.branch_rewards[structure];
        }
        total += weight_of_choice;
    }
    if total.is_zero() {
        return Ok(None);
    }
    if !total.is_one() {
        for weight in targets.iter_mut().map(|(_, weight)| weight).chain(&mut uppers) {
            *weight /= &total;
        }
        for reward in &mut rewards {
            *reward /= &total;
        }
    }
    targets.shrink_to_fit();
    Ok(Some(Row {
        action,
        rate: timed.then_some(total),
        targets,
        uppers,
        rewards,
    }))
}

/// Where targets stand in a row: looked for one by one, in long rows by a table.
enum Positions {
    Short,
    Long(FxHashMap<u32, usize>),
}

/// Rows with more outcomes have a table.
const LONG: usize = 16;

impl Positions {
    fn new(outcomes: usize) -> Positions {
        match outcomes <= LONG {
            true => Positions::Short,
            false => Positions::Long(FxHashMap::default()),
        }
    }

    fn get(&self, target: u32, row: &[(u32, Rational)]) -> Option<usize> {
        match self {
            Positions::Short => row.iter().position(|(known, _)| *known == target),
            Positions::Long(table) => table.get(&target).copied(),
        }
    }

    fn note(&mut self, target: u32, at: usize) {
        if let Positions::Long(table) = self {
            table.insert(target, at);
        }
    }
}
