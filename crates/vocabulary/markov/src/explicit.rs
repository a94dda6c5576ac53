//! The explicit model: every reachable state with its choices, in exact rationals, built by the reference interpreter.
//!
//! Chains have one row a state: in a DTMC several enabled commands are equally likely, in a CTMC they race. A Markov automaton leaves a state
//! at once if a probabilistic command is enabled (maximal progress), otherwise its delayed commands race. States without a way out get a
//! loop (of rate 1 in timed models), as PRISM does it.
//!
//! What happens in a state depends on no other state, so that several threads can expand states side by side; one of them gives numbers, in the order of the states.

use crate::interpreter::{self, Choice, ExploreError, Interpreter};
use crate::network::{ActionId, CommandKind, Kind, Network};
use crate::{Rational, SemanticError};
use entail_budget::Budget;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::hash::BuildHasher;
use std::ops::Range;

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

/// How far a network is explored, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Exploration {
    /// The greatest number of states.
    pub limit: usize,
    /// How many threads expand states.
    pub threads: usize,
    /// Fewer waiting states are not worth several threads.
    pub share: usize,
}

/// At most so many states, by one thread.
impl From<usize> for Exploration {
    fn from(limit: usize) -> Exploration {
        Exploration {
            limit,
            threads: 1,
            share: 256,
        }
    }
}

/// Explores a network, at most so many states, for those to whom a probability is one number.
pub fn explore(network: &Network, limit: usize, budget: &Budget) -> Result<Explicit, ExploreError> {
    let choices_of = |of: &Interpreter<'_>, state: &[i64]| of.choices(state);
    explored(network, limit.into(), &choices_of, &|_| false, budget)
}

/// Explores a network, at most so many states; probabilities may be intervals.
pub fn explore_uncertain(network: &Network, limit: usize, budget: &Budget) -> Result<Explicit, ExploreError> {
    explore_partly(network, limit, &|_| false, budget)
}

/// Explores a part of a network: those states that `unexplored` names by their numbers are met and not expanded. They get a loop that
/// earns nothing, and are not counted among the deadlocks.
pub fn explore_partly(
    network: &Network,
    how: impl Into<Exploration>,
    unexplored: &(dyn Fn(u32) -> bool + Sync),
    budget: &Budget,
) -> Result<Explicit, ExploreError> {
    let choices_of = |of: &Interpreter<'_>, state: &[i64]| of.uncertain_choices(state);
    explored(network, how.into(), &choices_of, unexplored, budget)
}

/// How the choices of a state are found.
type ChoicesOf<'f> = dyn Fn(&Interpreter<'_>, &[i64]) -> Result<Vec<Choice>, SemanticError> + Sync + 'f;

/// States are expanded in rounds of so many for each thread: what they lead to has no numbers before the round ends.
const ROUND: usize = 2048;

fn explored(
    network: &Network,
    how: Exploration,
    choices_of: &ChoicesOf<'_>,
    unexplored: &(dyn Fn(u32) -> bool + Sync),
    budget: &Budget,
) -> Result<Explicit, ExploreError> {
    let interpreter = Interpreter::new(network);
    let mut states = States::default();
    let mut initial = Vec::new();
    for state in interpreter::initial_states(network, how.limit, budget)? {
        initial.push(states.number(state));
    }
    let expand = |at: usize, state: &[i64]| -> Result<Expanded, ExploreError> {
        if unexplored(at as u32) {
            return Ok(Expanded::Left);
        }
        Ok(Expanded::Rows(drafts_of(
            network,
            state,
            choices_of(&interpreter, state)?,
        )?))
    };
    let (mut rows, mut deadlocks): (Vec<Vec<Row>>, Vec<u32>) = (Vec::new(), Vec::new());
    while rows.len() < states.all.len() {
        let from = rows.len();
        let to = states.all.len().min(from + ROUND * how.threads.max(1));
        let expanded = by_threads(how, from..to, budget, &|at| expand(at, &states.all[at]));
        for (at, expanded) in (from as u32..).zip(expanded) {
            if states.all.len() > how.limit {
                return Err(ExploreError::TooMany(how.limit));
            }
            rows.push(match expanded? {
                Expanded::Left => vec![resting(network, at)],
                Expanded::Rows(drafts) if drafts.is_empty() => {
                    deadlocks.push(at);
                    vec![resting(network, at)]
                }
                Expanded::Rows(drafts) => {
                    let drafts = drafts.into_iter();
                    drafts.map(|draft| draft.numbered(&mut states)).collect()
                }
            });
        }
    }
    let mut state_rewards = Vec::with_capacity(network.rewards.len());
    for structure in 0..network.rewards.len() {
        let reward = |at: usize| {
            let reward = interpreter::state_reward(network, structure, &states.all[at]);
            reward.map_err(ExploreError::from)
        };
        let rewards = by_threads(how, 0..states.all.len(), budget, &reward);
        state_rewards.push(rewards.into_iter().collect::<Result<_, _>>()?);
    }
    Ok(Explicit {
        kind: network.kind,
        state_rewards,
        states: states.all,
        rows,
        initial,
        deadlocks,
    })
}

/// What is found out about many states, in their order; by several threads, if there are enough states. What comes after a failure in a thread is missing.
fn by_threads<T: Send>(
    how: Exploration,
    states: Range<usize>,
    budget: &Budget,
    find: &(dyn Fn(usize) -> Result<T, ExploreError> + Sync),
) -> Vec<Result<T, ExploreError>> {
    let some = |states: Range<usize>| {
        let budget = budget.same_limits();
        let mut found = Vec::with_capacity(states.len());
        for at in states {
            let result = budget.check().map_err(ExploreError::from).and_then(|()| find(at));
            let failed = result.is_err();
            found.push(result);
            if failed {
                break;
            }
        }
        found
    };
    let threads = how.threads;
    if threads < 2 || states.len() < how.share {
        return some(states);
    }
    // The failure of an earlier part comes before all that is missing behind it.
    let share = states.len().div_ceil(threads);
    let part = |at: usize| {
        let from = (states.start + at * share).min(states.end);
        from..(from + share).min(states.end)
    };
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map(|at| {
                let part = part(at);
                scope.spawn(|| some(part))
            })
            .collect();
        let mut found = some(part(0));
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    })
}

/// What became of a state.
enum Expanded {
    /// It is not expanded.
    Left,
    /// Its rows; none if there is no way out.
    Rows(Vec<Draft>),
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
    let drafts = drafts_of(network, state, choices)?.into_iter();
    Ok(drafts.map(|draft| draft.numbered(states)).collect())
}

/// The same without numbers.
fn drafts_of(network: &Network, state: &[i64], choices: Vec<Choice>) -> Result<Vec<Draft>, SemanticError> {
    let groups = grouped(network.kind, choices);
    let mut own = Vec::with_capacity(groups.len());
    for (choices, action) in groups {
        own.extend(draft(network, state, choices, action)?);
    }
    match network
        .dead_ends
        .mistake(network, state)
        .filter(|_| own.is_empty())
    {
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

/// A row whose targets have no numbers yet.
struct Draft {
    action: Option<ActionId>,
    rate: Option<Rational>,
    targets: Vec<(Vec<i64>, Rational)>,
    uppers: Vec<Rational>,
    rewards: Vec<Rational>,
}

impl Draft {
    fn numbered(self, states: &mut States) -> Row {
        let targets = self.targets.into_iter();
        Row {
            action: self.action,
            rate: self.rate,
            targets: targets
                .map(|(target, weight)| (states.number(target), weight))
                .collect(),
            uppers: self.uppers,
            rewards: self.rewards,
        }
    }
}

/// The row that choices make together; nothing if all their weights are zero.
fn draft(
    network: &Network,
    state: &[i64],
    choices: Vec<Choice>,
    action: Option<ActionId>,
) -> Result<Option<Draft>, SemanticError> {
    let timed = choices.iter().any(|choice| choice.kind == CommandKind::Markovian);
    let uncertain = choices.iter().any(|choice| !choice.uppers.is_empty());
    let most = choices.iter().map(|choice| choice.branches.len()).sum();
    let mut targets: Vec<(Vec<i64>, Rational)> = Vec::with_capacity(most);
    let mut uppers: Vec<Rational> = Vec::new();
    let mut positions = Positions::new(most);
    let mut rewards = vec![Rational::ZERO; network.rewards.len()];
    let mut total = Rational::ZERO;
    for choice in choices {
        let mut weight_of_choice = Rational::ZERO;
        for (outcome, (weight, target)) in choice.branches.into_iter().enumerate() {
            weight_of_choice += &weight;
            let known = positions.get(&target, &targets);
            if uncertain {
                let upper = choice.uppers.get(outcome).unwrap_or(&weight).clone();
                match known {
                    Some(at) => uppers[at] += upper,
                    None => uppers.push(upper),
                }
            }
            match known {
                Some(at) => targets[at].1 += weight,
                None => {
                    positions.note(&target, targets.len());
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
    Ok(Some(Draft {
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
    Long(FxHashMap<Vec<i64>, usize>),
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

    fn get(&self, target: &[i64], row: &[(Vec<i64>, Rational)]) -> Option<usize> {
        match self {
            Positions::Short => row.iter().position(|(known, _)| known == target),
            Positions::Long(table) => table.get(target).copied(),
        }
    }

    fn note(&mut self, target: &[i64], at: usize) {
        if let Positions::Long(table) = self {
            table.insert(target.to_vec(), at);
        }
    }
}
