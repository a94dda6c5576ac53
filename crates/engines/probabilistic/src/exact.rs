//! Exact solutions of equations, in rationals.
//!
//! First the *rational search* (Mathur et al. 2020): the simplest fractions between sound bounds, if they happen to satisfy the equations.
//! Then policy iteration: the scheduler that the bounds suggest, its equations solved by elimination component by component, improved until
//! no choice is strictly better. The equations have one solution, so what satisfies them is the value.

use crate::components::strongly_connected;
use crate::iteration::Bounds;
use crate::numbers::Numbers;
use crate::system::System;
use entail_budget::{Budget, Spent};
use entail_markov::{Optimum, Rational, from_float};
use entail_numeric::elimination::{EliminationError, Equation, solve as eliminate};
use entail_numeric::simplex::{self, Program, Solution};

/// The value of a choice.
fn choice_value(system: &System, numbers: &Numbers, choice: usize, values: &[Rational]) -> Rational {
    let mut sum = numbers.exact(system.constants[choice]).clone();
    for at in system.row(choice) {
        sum += numbers.exact(system.values[at]) * &values[system.targets[at] as usize];
    }
    sum
}

fn better(optimum: Optimum, a: &Rational, b: &Rational) -> bool {
    match optimum {
        Optimum::Max => a > b,
        Optimum::Min => a < b,
    }
}

/// The simplest fractions between the bounds, if they satisfy the equations.
pub(crate) fn rational_search(
    system: &System,
    numbers: &Numbers,
    bounds: &Bounds,
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let mut values = Vec::with_capacity(system.len());
    for (&low, &high) in bounds.lower.iter().zip(&bounds.upper) {
        budget.check()?;
        let (Some(low), Some(high)) = (from_float(low), from_float(high)) else {
            return Ok(None);
        };
        values.push(if low == high {
            low
        } else {
            Rational::simplest_in(low, high)
        });
    }
    for block in 0..system.len() {
        budget.check()?;
        let mut met = false;
        for choice in system.choices_of(block) {
            let value = choice_value(system, numbers, choice, &values);
            if better(system.optimum, &value, &values[block]) {
                return Ok(None);
            }
            met |= value == values[block];
        }
        if !met {
            return Ok(None);
        }
    }
    Ok(Some(values))
}

/// The solution of the linear program that the equations are; nothing if it has none. Dense, so for small systems.
///
/// The greatest values are the least ones that are not below any choice's, the least values the greatest ones that are not above any.
pub(crate) fn linear_program(
    system: &System,
    numbers: &Numbers,
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let sign = match system.optimum {
        Optimum::Max => -Rational::ONE,
        Optimum::Min => Rational::ONE,
    };
    let mut program = Program {
        objective: vec![sign.clone(); system.len()],
        ..Program::default()
    };
    for block in 0..system.len() {
        for choice in system.choices_of(block) {
            budget.check()?;
            let mut row = vec![Rational::ZERO; system.len()];
            row[block] = sign.clone();
            for at in system.row(choice) {
                row[system.targets[at] as usize] -= &sign * numbers.exact(system.values[at]);
            }
            program.rows.push(row);
            program
                .limits
                .push(&sign * numbers.exact(system.constants[choice]));
        }
    }
    Ok(match simplex::solve(&program, budget)? {
        Solution::Optimal { at, .. } => Some(at),
        Solution::Infeasible | Solution::Unbounded => None,
    })
}

/// Policy iteration; nothing if a scheduler on the way has no values.
pub(crate) fn policy_iteration(
    system: &System,
    numbers: &Numbers,
    bounds: &Bounds,
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let middle: Vec<f64> = bounds
        .lower
        .iter()
        .zip(&bounds.upper)
        .map(|(low, high)| (low + high) / 2.0)
        .collect();
    let approximate = |choice: usize| {
        let row = system.row(choice);
        let known = numbers.float(system.constants[choice]);
        row.fold(known, |sum, at| {
            sum + numbers.float(system.values[at]) * middle[system.targets[at] as usize]
        })
    };
    let best = |block: usize| {
        let choices = system.choices_of(block);
        let order = |&a: &usize, &b: &usize| approximate(a).total_cmp(&approximate(b));
        match system.optimum {
            Optimum::Max => choices.max_by(order),
            Optimum::Min => choices.min_by(order),
        }
        .expect("a block has a choice")
    };
    let policy: Vec<usize> = (0..system.len()).map(best).collect();
    improved(system, numbers, policy, budget)
}

/// Policy iteration where nothing is known yet: from a scheduler that leaves from everywhere, each block by a choice that may come nearer. Nothing if there is none.
pub(crate) fn policy_iteration_from_nothing(
    system: &System,
    numbers: &Numbers,
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let size = system.len();
    let leaves = |choice: usize| {
        let inside = system.row(choice).map(|at| numbers.exact(system.values[at]));
        inside.fold(Rational::ZERO, |sum, value| sum + value) < Rational::ONE
    };
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); size];
    for block in 0..size as u32 {
        for target in system.successors(block) {
            users[target as usize].push(block);
        }
    }
    let mut policy: Vec<Option<usize>> = Vec::with_capacity(size);
    for block in 0..size {
        budget.check()?;
        policy.push(system.choices_of(block).find(|&choice| leaves(choice)));
    }
    let mut waiting: Vec<usize> = (0..size).filter(|&block| policy[block].is_some()).collect();
    let mut next = 0;
    while let Some(&reached) = waiting.get(next) {
        next += 1;
        for &user in &users[reached] {
            let user = user as usize;
            if policy[user].is_none() {
                let comes = |&choice: &usize| {
                    let mut row = system.row(choice);
                    row.any(|at| system.targets[at] as usize == reached)
                };
                policy[user] = system.choices_of(user).find(comes);
                waiting.push(user);
            }
        }
    }
    match policy.into_iter().collect() {
        Some(policy) => improved(system, numbers, policy, budget),
        None => Ok(None),
    }
}

/// Improves a scheduler until none of its choices can be bettered; nothing if a scheduler on the way has no values.
fn improved(
    system: &System,
    numbers: &Numbers,
    mut policy: Vec<usize>,
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    loop {
        let Some(values) = evaluate(system, numbers, &policy, budget)? else {
            return Ok(None);
        };
        let mut changed = false;
        for (block, chosen) in policy.iter_mut().enumerate() {
            budget.check()?;
            let mut own = values[block].clone();
            for choice in system.choices_of(block) {
                let value = choice_value(system, numbers, choice, &values);
                if better(system.optimum, &value, &own) {
                    own = value;
                    *chosen = choice;
                    changed = true;
                }
            }
        }
        if !changed {
            return Ok(Some(values));
        }
    }
}

/// The values of a scheduler, component by component; nothing if it has none.
fn evaluate(
    system: &System,
    numbers: &Numbers,
    policy: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<Rational>>, Spent> {
    let size = system.len();
    let successors = |block: u32| system.row(policy[block as usize]).map(|at| system.targets[at]);
    let components = strongly_connected(0..size as u32, size, successors, budget)?;
    let mut values = vec![Rational::ZERO; size];
    let mut position = vec![u32::MAX; size];
    for component in components {
        for (at, &block) in component.iter().enumerate() {
            position[block as usize] = at as u32;
        }
        let mut equations = Vec::with_capacity(component.len());
        for &block in &component {
            let choice = policy[block as usize];
            let mut equation = Equation {
                constant: numbers.exact(system.constants[choice]).clone(),
                ..Equation::default()
            };
            for at in system.row(choice) {
                let target = system.targets[at];
                let value = numbers.exact(system.values[at]);
                let own = position[target as usize];
                if own != u32::MAX && component.get(own as usize) == Some(&target) {
                    *equation.coefficients.entry(own).or_insert(Rational::ZERO) += value;
                } else {
                    equation.constant += value * &values[target as usize];
                }
            }
            equations.push(equation);
        }
        match eliminate(equations, budget) {
            Ok(solved) => {
                for (&block, value) in component.iter().zip(solved) {
                    values[block as usize] = value;
                }
            }
            Err(EliminationError::Singular) => return Ok(None),
            Err(EliminationError::Spent(spent)) => return Err(spent),
        }
        for &block in &component {
            position[block as usize] = u32::MAX;
        }
    }
    Ok(Some(values))
}
