//! Textbook algorithms in rationals, for tests: every scheduler without memory is tried, and its chain solved by Gaussian elimination.
//!
//! Exponential in the number of states with several choices, cubic for each scheduler. Simple enough to be believed: engines are compared
//! with it on thousands of small random models.

use crate::explicit::{Explicit, Row};
use crate::{Optimum, Rational};

/// Solves `a x = b`; nothing if there is no unique solution.
pub fn solve(mut a: Vec<Vec<Rational>>, mut b: Vec<Rational>) -> Option<Vec<Rational>> {
    let size = b.len();
    for column in 0..size {
        let pivot = (column..size).find(|&row| !a[row][column].is_zero())?;
        a.swap(column, pivot);
        b.swap(column, pivot);
        let inverse = Rational::ONE / &a[column][column];
        for row in 0..size {
            if row == column || a[row][column].is_zero() {
                continue;
            }
            let factor = &a[row][column] * &inverse;
            let pivot = a[column].clone();
            for (value, pivot) in a[row].iter_mut().zip(&pivot).skip(column) {
                *value -= &factor * pivot;
            }
            let change = &factor * &b[column];
            b[row] -= change;
        }
    }
    Some((0..size).map(|at| &b[at] / &a[at][at]).collect())
}

/// A chain: one row a state.
type Chain<'m> = Vec<&'m Row>;

/// States from which `goal` can be reached through `stay`.
fn can_reach(chain: &Chain<'_>, stay: &[bool], goal: &[bool]) -> Vec<bool> {
    let mut found = goal.to_vec();
    loop {
        let before = found.clone();
        for (state, row) in chain.iter().enumerate() {
            if !found[state] && stay[state] {
                found[state] = row.targets.iter().any(|(target, _)| found[*target as usize]);
            }
        }
        if before == found {
            return found;
        }
    }
}

/// The probability of `stay U goal` in a chain.
fn chain_probability(chain: &Chain<'_>, stay: &[bool], goal: &[bool]) -> Vec<Rational> {
    let possible = can_reach(chain, stay, goal);
    let size = chain.len();
    let mut a = vec![vec![Rational::ZERO; size]; size];
    let mut b = vec![Rational::ZERO; size];
    for state in 0..size {
        a[state][state] = Rational::ONE;
        if goal[state] {
            b[state] = Rational::ONE;
        } else if possible[state] {
            for (target, probability) in &chain[state].targets {
                a[state][*target as usize] -= probability;
            }
        }
    }
    solve(a, b).expect("from every state that is left the goal can be reached")
}

/// The expected reward until `goal` in a chain; nothing where it is infinite because the goal may be missed.
fn chain_reward(
    chain: &Chain<'_>,
    goal: &[bool],
    reward: &dyn Fn(usize, &Row) -> Rational,
) -> Vec<Option<Rational>> {
    let probability = chain_probability(chain, &vec![true; chain.len()], goal);
    let size = chain.len();
    let mut a = vec![vec![Rational::ZERO; size]; size];
    let mut b = vec![Rational::ZERO; size];
    let sure: Vec<bool> = probability.iter().map(|value| *value == Rational::ONE).collect();
    for state in 0..size {
        a[state][state] = Rational::ONE;
        if sure[state] && !goal[state] {
            for (target, probability) in &chain[state].targets {
                a[state][*target as usize] -= probability;
            }
            b[state] = reward(state, chain[state]);
        }
    }
    let values = solve(a, b).expect("the goal is reached almost surely");
    values
        .into_iter()
        .zip(sure)
        .map(|(value, sure)| sure.then_some(value))
        .collect()
}

/// The long-run average reward in a chain whose steps take the times given.
fn chain_average(
    chain: &Chain<'_>,
    reward: &dyn Fn(usize, &Row) -> Rational,
    time: &dyn Fn(usize, &Row) -> Rational,
) -> Vec<Rational> {
    let size = chain.len();
    let all = vec![true; size];
    let reaches: Vec<Vec<bool>> = (0..size)
        .map(|goal| {
            let mut only = vec![false; size];
            only[goal] = true;
            can_reach(chain, &all, &only)
        })
        .collect();
    // reaches[b][a]: from a one can get to b. A state is recurrent if all it reaches can get back.
    let recurrent = |state: usize| (0..size).all(|other| !reaches[other][state] || reaches[state][other]);
    let mut value = vec![Rational::ZERO; size];
    let mut done = vec![false; size];
    for first in 0..size {
        if done[first] || !recurrent(first) {
            continue;
        }
        let class: Vec<usize> = (0..size).filter(|&other| reaches[other][first]).collect();
        // Balance equations with the first replaced by normalisation.
        let count = class.len();
        let position = |state: usize| class.iter().position(|&other| other == state).expect("closed");
        let mut a = vec![vec![Rational::ZERO; count]; count];
        let mut b = vec![Rational::ZERO; count];
        for (at, &state) in class.iter().enumerate() {
            a[at][at] += Rational::ONE;
            for (target, probability) in &chain[state].targets {
                a[position(*target as usize)][at] -= probability;
            }
        }
        a[0] = vec![Rational::ONE; count];
        b[0] = Rational::ONE;
        let share = solve(a, b).expect("a recurrent class has one distribution");
        let sum = |of: &dyn Fn(usize, &Row) -> Rational| {
            (class.iter().zip(&share)).fold(Rational::ZERO, |sum, (&state, share)| {
                sum + share * of(state, chain[state])
            })
        };
        let average = sum(reward) / sum(time);
        let mut goal = vec![false; size];
        for &state in &class {
            goal[state] = true;
            done[state] = true;
        }
        let probability = chain_probability(chain, &all, &goal);
        for (value, probability) in value.iter_mut().zip(probability) {
            *value += probability * &average;
        }
    }
    value
}

/// Every scheduler without memory, as the chain that it leaves.
fn for_each_scheduler<'m>(model: &'m Explicit, mut visit: impl FnMut(&Chain<'m>)) {
    let size = model.rows.len();
    let mut choice = vec![0; size];
    loop {
        let chain: Chain<'m> = (0..size).map(|state| &model.rows[state][choice[state]]).collect();
        visit(&chain);
        let Some(at) = (0..size).find(|&at| choice[at] + 1 < model.rows[at].len()) else {
            return;
        };
        choice[at] += 1;
        choice[..at].fill(0);
    }
}

fn best<T: PartialOrd + Clone>(so_far: &mut Option<Vec<T>>, values: Vec<T>, optimum: Optimum) {
    match so_far {
        None => *so_far = Some(values),
        Some(known) => {
            for (known, value) in known.iter_mut().zip(values) {
                let better = match optimum {
                    Optimum::Min => value < *known,
                    Optimum::Max => value > *known,
                };
                if better {
                    *known = value;
                }
            }
        }
    }
}

/// The optimal probability of `stay U goal`, from every state.
pub fn probability(model: &Explicit, stay: &[bool], goal: &[bool], optimum: Optimum) -> Vec<Rational> {
    let mut found = None;
    for_each_scheduler(model, |chain| {
        best(&mut found, chain_probability(chain, stay, goal), optimum)
    });
    found.expect("there is a scheduler")
}

/// Infinity is greater than every number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Extended {
    Finite(Rational),
    Infinite,
}

/// What one step from a state earns by a structure, on the average: the state's reward for the time spent there, and the step's.
pub fn step_value(model: &Explicit, structure: usize, state: usize, row: &Row) -> Rational {
    let own = &model.state_rewards[structure][state];
    let step = &row.rewards[structure];
    match (&row.rate, model.kind.is_timed()) {
        (Some(_), _) | (None, false) if own.is_zero() => step.clone(),
        (None, false) if step.is_zero() => own.clone(),
        (Some(rate), _) => own / rate + step,
        (None, true) => step.clone(),
        (None, false) => own + step,
    }
}

/// The optimal expected reward until `goal`, from every state; nothing where it is infinite.
pub fn reward(model: &Explicit, structure: usize, goal: &[bool], optimum: Optimum) -> Vec<Option<Rational>> {
    let mut found: Option<Vec<Extended>> = None;
    for_each_scheduler(model, |chain| {
        let values = chain_reward(chain, goal, &|state, row| {
            step_value(model, structure, state, row)
        });
        let values = (values.into_iter()).map(|value| value.map_or(Extended::Infinite, Extended::Finite));
        best(&mut found, values.collect(), optimum);
    });
    let number = |value| match value {
        Extended::Finite(number) => Some(number),
        Extended::Infinite => None,
    };
    found
        .expect("there is a scheduler")
        .into_iter()
        .map(number)
        .collect()
}

/// The optimal long-run average of a structure, from every state: by steps in discrete models, by time in timed ones.
pub fn average(model: &Explicit, structure: usize, optimum: Optimum) -> Vec<Rational> {
    let mut found = None;
    let time = |_: usize, row: &Row| match (&row.rate, model.kind.is_timed()) {
        (Some(rate), _) => Rational::ONE / rate,
        (None, true) => Rational::ZERO,
        (None, false) => Rational::ONE,
    };
    for_each_scheduler(model, |chain| {
        let values = chain_average(
            chain,
            &|state, row| step_value(model, structure, state, row),
            &time,
        );
        best(&mut found, values, optimum);
    });
    found.expect("there is a scheduler")
}

/// The optimal probability of `stay U<=steps goal`, from every state.
pub fn bounded_probability(
    model: &Explicit,
    stay: &[bool],
    goal: &[bool],
    steps: u64,
    optimum: Optimum,
) -> Vec<Rational> {
    let indicator = |&truth: &bool| if truth { Rational::ONE } else { Rational::ZERO };
    let mut value: Vec<Rational> = goal.iter().map(indicator).collect();
    for _ in 0..steps {
        let next = (0..value.len()).map(|state| {
            if goal[state] || !stay[state] {
                return value[state].clone();
            }
            let row = |row: &Row| {
                (row.targets.iter()).fold(Rational::ZERO, |sum, (target, probability)| {
                    sum + probability * &value[*target as usize]
                })
            };
            let rows = model.rows[state].iter().map(row);
            match optimum {
                Optimum::Min => rows.min(),
                Optimum::Max => rows.max(),
            }
            .expect("a state has a choice")
        });
        value = next.collect();
    }
    value
}
