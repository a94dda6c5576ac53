//! Exact linear programs: the simplex method on dictionaries, in rationals.
//!
//! `maximise c x` subject to `A x ≤ b` and `x ≥ 0`, as in Chvátal (1983): one auxiliary variable makes the first dictionary feasible, then the
//! objective is improved. Bland's rule (the smallest index that may enter, the smallest that may leave) excludes cycles, so both phases end.
//! Dense and exact: meant for programs with few rows, such as those that mix a handful of schedulers.

use entail_answer::Rational;
use entail_budget::{Budget, Spent};

/// A program: maximise `objective · x` with `rows · x ≤ limits`, `x ≥ 0`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// What is maximised.
    pub objective: Vec<Rational>,
    /// The coefficients of the constraints.
    pub rows: Vec<Vec<Rational>>,
    /// Their right-hand sides, of any sign.
    pub limits: Vec<Rational>,
}

/// What a program comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Solution {
    /// No vector satisfies the constraints.
    Infeasible,
    /// The objective has no upper bound.
    Unbounded,
    /// The optimum.
    Optimal {
        /// The greatest value.
        value: Rational,
        /// Where it is taken.
        at: Vec<Rational>,
        /// A multiplier of each constraint, not negative: `Σ dual · limit` is the value, `Σ dual · row ≥ objective`.
        dual: Vec<Rational>,
    },
}

/// Basic variables as affine functions of the others.
struct Dictionary {
    /// The variable of each row.
    basic: Vec<usize>,
    /// The variable of each column.
    others: Vec<usize>,
    constants: Vec<Rational>,
    rows: Vec<Vec<Rational>>,
    value: Rational,
    objective: Vec<Rational>,
}

impl Dictionary {
    fn pivot(&mut self, row: usize, column: usize) {
        let inverse = Rational::ONE / &self.rows[row][column];
        // The leaving variable, solved for the entering one.
        let mut solved: Vec<Rational> = self.rows[row].iter().map(|entry| -(entry * &inverse)).collect();
        solved[column] = inverse.clone();
        let constant = -(&self.constants[row] * &inverse);
        for other in 0..self.rows.len() {
            if other == row {
                continue;
            }
            let factor = std::mem::replace(&mut self.rows[other][column], Rational::ZERO);
            if factor.is_zero() {
                continue;
            }
            for (entry, own) in self.rows[other].iter_mut().zip(&solved) {
                *entry += &factor * own;
            }
            self.constants[other] += &factor * &constant;
        }
        let factor = std::mem::replace(&mut self.objective[column], Rational::ZERO);
        if !factor.is_zero() {
            for (entry, own) in self.objective.iter_mut().zip(&solved) {
                *entry += &factor * own;
            }
            self.value += &factor * &constant;
        }
        self.rows[row] = solved;
        self.constants[row] = constant;
        std::mem::swap(&mut self.basic[row], &mut self.others[column]);
    }

    /// Improves until nothing may enter; false if the objective has no bound.
    fn improve(&mut self, budget: &Budget) -> Result<bool, Spent> {
        loop {
            budget.check_now()?;
            let entering = (0..self.others.len())
                .filter(|&column| self.objective[column] > Rational::ZERO)
                .min_by_key(|&column| self.others[column]);
            let Some(column) = entering else {
                return Ok(true);
            };
            let mut leaving: Option<(Rational, usize)> = None;
            for row in 0..self.rows.len() {
                if self.rows[row][column] >= Rational::ZERO {
                    continue;
                }
                let ratio = -(&self.constants[row] / &self.rows[row][column]);
                let better = match &leaving {
                    None => true,
                    Some((least, known)) => {
                        ratio < *least || (ratio == *least && self.basic[row] < self.basic[*known])
                    }
                };
                if better {
                    leaving = Some((ratio, row));
                }
            }
            let Some((_, row)) = leaving else {
                return Ok(false);
            };
            self.pivot(row, column);
        }
    }
}

/// Solves a program.
pub fn solve(program: &Program, budget: &Budget) -> Result<Solution, Spent> {
    let (variables, constraints) = (program.objective.len(), program.rows.len());
    // Variables first, then slacks, then the auxiliary variable.
    let auxiliary = variables + constraints;
    let mut dictionary = Dictionary {
        basic: (variables..auxiliary).collect(),
        others: (0..variables).chain([auxiliary]).collect(),
        constants: program.limits.clone(),
        rows: program
            .rows
            .iter()
            .map(|row| {
                row.iter()
                    .map(|entry| -entry.clone())
                    .chain([Rational::ONE])
                    .collect()
            })
            .collect(),
        value: Rational::ZERO,
        objective: vec![Rational::ZERO; variables + 1],
    };
    dictionary.objective[variables] = -Rational::ONE;
    let worst = (0..constraints).min_by(|&a, &b| program.limits[a].cmp(&program.limits[b]));
    if let Some(row) = worst.filter(|&row| program.limits[row] < Rational::ZERO) {
        dictionary.pivot(row, variables);
        dictionary.improve(budget)?;
        if dictionary.value < Rational::ZERO {
            return Ok(Solution::Infeasible);
        }
        if let Some(row) = dictionary
            .basic
            .iter()
            .position(|&variable| variable == auxiliary)
        {
            // It is zero: any column with a coefficient can take its place.
            let column = (0..dictionary.others.len()).find(|&column| !dictionary.rows[row][column].is_zero());
            match column {
                Some(column) => dictionary.pivot(row, column),
                None => {
                    dictionary.basic.remove(row);
                    dictionary.rows.remove(row);
                    dictionary.constants.remove(row);
                }
            }
        }
    }
    if let Some(column) = dictionary
        .others
        .iter()
        .position(|&variable| variable == auxiliary)
    {
        dictionary.others.remove(column);
        for row in &mut dictionary.rows {
            row.remove(column);
        }
    }
    // The true objective in terms of the variables outside of the basis.
    dictionary.value = Rational::ZERO;
    dictionary.objective = vec![Rational::ZERO; dictionary.others.len()];
    for (variable, coefficient) in program.objective.iter().enumerate() {
        if let Some(column) = dictionary.others.iter().position(|&other| other == variable) {
            dictionary.objective[column] += coefficient;
        } else if let Some(row) = dictionary.basic.iter().position(|&basic| basic == variable) {
            dictionary.value += coefficient * &dictionary.constants[row];
            for column in 0..dictionary.others.len() {
                let share = coefficient * &dictionary.rows[row][column];
                dictionary.objective[column] += share;
            }
        }
    }
    if !dictionary.improve(budget)? {
        return Ok(Solution::Unbounded);
    }
    let mut at = vec![Rational::ZERO; variables];
    for (&variable, constant) in dictionary.basic.iter().zip(&dictionary.constants) {
        if variable < variables {
            at[variable] = constant.clone();
        }
    }
    let mut dual = vec![Rational::ZERO; constraints];
    for (&variable, coefficient) in dictionary.others.iter().zip(&dictionary.objective) {
        if (variables..auxiliary).contains(&variable) {
            dual[variable - variables] = -coefficient.clone();
        }
    }
    Ok(Solution::Optimal {
        value: dictionary.value,
        at,
        dual,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(values: &[i64]) -> Vec<Rational> {
        values.iter().map(|&value| Rational::from(value)).collect()
    }

    fn program(objective: &[i64], rows: &[&[i64]], limits: &[i64]) -> Program {
        Program {
            objective: numbers(objective),
            rows: rows.iter().map(|row| numbers(row)).collect(),
            limits: numbers(limits),
        }
    }

    #[test]
    fn chvatals_first_example_has_its_optimum_and_its_dual() {
        let program = program(&[5, 4, 3], &[&[2, 3, 1], &[4, 1, 2], &[3, 4, 2]], &[5, 11, 8]);
        let solved = solve(&program, &Budget::unlimited()).expect("no limit");
        let Solution::Optimal { value, at, dual } = solved else {
            panic!("{solved:?}");
        };
        assert_eq!(value, Rational::from(13));
        assert_eq!(at, numbers(&[2, 0, 1]));
        assert_eq!(dual, numbers(&[1, 0, 1]));
    }

    #[test]
    fn negative_limits_need_the_first_phase() {
        let feasible = program(&[1, -1], &[&[-1, -1], &[1, 0]], &[-2, 5]);
        let solved = solve(&feasible, &Budget::unlimited()).expect("no limit");
        assert!(matches!(solved, Solution::Optimal { value, .. } if value == Rational::from(5)));
        let impossible = program(&[1], &[&[1], &[-1]], &[1, -2]);
        assert_eq!(solve(&impossible, &Budget::unlimited()), Ok(Solution::Infeasible));
        let endless = program(&[1], &[&[-1]], &[0]);
        assert_eq!(solve(&endless, &Budget::unlimited()), Ok(Solution::Unbounded));
    }

    /// Weak duality decides: a feasible point and feasible multipliers with the same value are both optimal.
    #[test]
    fn optima_of_random_programs_are_proved_by_their_duals() {
        let mut seed = 7u64;
        let mut next = |range: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % range
        };
        let mut optimal = 0;
        for _ in 0..400 {
            let (columns, rows) = (1 + next(4) as usize, 1 + next(4) as usize);
            let mut entry = |low: i64, span: u64| Rational::from(low + next(span) as i64);
            let program = Program {
                objective: (0..columns).map(|_| entry(-3, 8)).collect(),
                rows: (0..rows)
                    .map(|_| (0..columns).map(|_| entry(-3, 8)).collect())
                    .collect(),
                limits: (0..rows).map(|_| entry(-4, 12)).collect(),
            };
            let Ok(Solution::Optimal { value, at, dual }) = solve(&program, &Budget::unlimited()) else {
                continue;
            };
            optimal += 1;
            let dot = |a: &[Rational], b: &[Rational]| {
                a.iter().zip(b).fold(Rational::ZERO, |sum, (a, b)| sum + a * b)
            };
            assert_eq!(dot(&program.objective, &at), value);
            assert_eq!(dot(&program.limits, &dual), value);
            assert!(at.iter().chain(&dual).all(|number| *number >= Rational::ZERO));
            for (row, limit) in program.rows.iter().zip(&program.limits) {
                assert!(dot(row, &at) <= *limit);
            }
            for column in 0..columns {
                let sum = (0..rows).fold(Rational::ZERO, |sum, row| {
                    sum + &program.rows[row][column] * &dual[row]
                });
                assert!(sum >= program.objective[column]);
            }
        }
        assert!(optimal > 50, "{optimal}");
    }
}
