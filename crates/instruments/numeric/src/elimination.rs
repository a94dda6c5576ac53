//! Exact elimination: `x = A x + b` in rationals, state by state.
//!
//! The state elimination of Daws (2004) is Gaussian elimination that keeps `x = A x + b` in this form: a variable with a self-coefficient `p` is
//! divided by `1 - p` and substituted into the equations that mention it. The variable with the least product of incoming and outgoing
//! coefficients goes first (Markowitz), which keeps chains sparse. Exact, so no pivoting; the cost is that of the growing rationals.

use entail_answer::Rational;
use entail_budget::{Budget, Spent};
use std::collections::BTreeMap;

/// An equation `x = Σ coefficient · x_j + constant`.
#[derive(Clone, Debug, Default)]
pub struct Equation {
    /// Coefficients by variable.
    pub coefficients: BTreeMap<u32, Rational>,
    /// The constant.
    pub constant: Rational,
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EliminationError {
    /// The equations are dependent.
    Singular,
    /// There was not enough time or memory.
    Spent(Spent),
}

/// The solution of one equation a variable.
pub fn solve(mut equations: Vec<Equation>, budget: &Budget) -> Result<Vec<Rational>, EliminationError> {
    let size = equations.len();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (at, equation) in equations.iter().enumerate() {
        for &variable in equation.coefficients.keys() {
            users[variable as usize].push(at as u32);
        }
    }
    let mut waiting: Vec<bool> = vec![true; size];
    let mut order: Vec<u32> = Vec::with_capacity(size);
    // Priorities are allowed to be old: a popped variable whose priority has grown goes back.
    let cost = |equations: &[Equation], users: &[Vec<u32>], at: usize| {
        (equations[at].coefficients.len() as u64) * (users[at].len() as u64)
    };
    let mut heap: std::collections::BinaryHeap<std::cmp::Reverse<(u64, u32)>> = (0..size)
        .map(|at| std::cmp::Reverse((cost(&equations, &users, at), at as u32)))
        .collect();
    while let Some(std::cmp::Reverse((known, at))) = heap.pop() {
        budget.check_now().map_err(EliminationError::Spent)?;
        let variable = at as usize;
        if !waiting[variable] {
            continue;
        }
        let now = cost(&equations, &users, variable);
        if now > known.saturating_mul(2).max(8) {
            heap.push(std::cmp::Reverse((now, at)));
            continue;
        }
        waiting[variable] = false;
        order.push(at);
        let mut own = std::mem::take(&mut equations[variable]);
        if let Some(loop_coefficient) = own.coefficients.remove(&at) {
            let rest = Rational::ONE - loop_coefficient;
            if rest.is_zero() {
                return Err(EliminationError::Singular);
            }
            for coefficient in own.coefficients.values_mut() {
                *coefficient /= &rest;
            }
            own.constant /= &rest;
        }
        for user in std::mem::take(&mut users[variable]) {
            let user_at = user as usize;
            if !waiting[user_at] {
                continue;
            }
            let Some(factor) = equations[user_at].coefficients.remove(&at) else {
                continue;
            };
            budget.check().map_err(EliminationError::Spent)?;
            for (&other, coefficient) in &own.coefficients {
                let entry = equations[user_at].coefficients.entry(other);
                let fresh = matches!(entry, std::collections::btree_map::Entry::Vacant(_));
                *entry.or_insert(Rational::ZERO) += &factor * coefficient;
                if fresh {
                    users[other as usize].push(user);
                }
            }
            let change = &factor * &own.constant;
            equations[user_at].constant += change;
        }
        equations[variable] = own;
    }
    let mut values = vec![Rational::ZERO; size];
    for &at in order.iter().rev() {
        budget.check().map_err(EliminationError::Spent)?;
        let equation = &equations[at as usize];
        let mut value = equation.constant.clone();
        for (&other, coefficient) in &equation.coefficients {
            value += coefficient * &values[other as usize];
        }
        values[at as usize] = value;
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::str::FromStr;

    fn ratio(text: &str) -> Rational {
        Rational::from_str(text).expect("a fraction")
    }

    #[test]
    fn a_walk_between_two_ends_has_its_known_probabilities() {
        // x_i = 1/2 x_{i-1} + 1/2 x_{i+1}, x at the right end is 1, at the left 0.
        let size = 9;
        let equations = (0..size).map(|at| {
            let mut equation = Equation::default();
            if at > 0 {
                equation.coefficients.insert(at - 1, ratio("1/2"));
            }
            match at + 1 < size {
                true => drop(equation.coefficients.insert(at + 1, ratio("1/2"))),
                false => equation.constant = ratio("1/2"),
            }
            equation
        });
        let values = solve(equations.collect(), &Budget::unlimited()).expect("unique");
        for (at, value) in values.iter().enumerate() {
            assert_eq!(*value, Rational::from(at as u64 + 1) / Rational::from(10u8));
        }
    }

    #[test]
    fn dependent_equations_are_told() {
        let mut equation = Equation::default();
        equation.coefficients.insert(0, Rational::ONE);
        assert_eq!(
            solve(vec![equation], &Budget::unlimited()),
            Err(EliminationError::Singular)
        );
    }
}
