//! Approximate elimination in doubles: `x = A x + b` for several right-hand sides, where `A` has non-negative entries and rows that sum to at most 1.
//!
//! State elimination in the manner of Grassmann, Taksar and Heyman (1985): what leaves a variable is summed, not subtracted from 1, so that nothing
//! cancels. The result carries no guarantee; whoever needs one verifies it, which is cheap.

use entail_budget::{Budget, Spent};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// One row: coefficients of other variables (and of itself), and what leaves the system.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// Coefficients, each variable once.
    pub coefficients: Vec<(u32, f64)>,
    /// One minus the sum of the coefficients, known without cancellation if possible.
    pub exit: f64,
    /// The right-hand sides.
    pub constants: [f64; 2],
}

/// The approximate solutions; nothing if the elimination would fill more than `most_entries`.
pub fn solve(
    mut rows: Vec<Row>,
    most_entries: usize,
    budget: &Budget,
) -> Result<Option<Vec<[f64; 2]>>, Spent> {
    let size = rows.len();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); size];
    let mut entries = 0usize;
    for (at, row) in rows.iter().enumerate() {
        entries += row.coefficients.len();
        for &(variable, _) in &row.coefficients {
            users[variable as usize].push(at as u32);
        }
    }
    let mut waiting = vec![true; size];
    let mut order = Vec::with_capacity(size);
    let cost = |rows: &[Row], users: &[Vec<u32>], at: usize| {
        rows[at].coefficients.len() as u64 * users[at].len() as u64
    };
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = (0..size)
        .map(|at| Reverse((cost(&rows, &users, at), at as u32)))
        .collect();
    // Position of a variable in the row under work, plus one.
    let mut position = vec![0u32; size];
    while let Some(Reverse((known, at))) = heap.pop() {
        let variable = at as usize;
        if !waiting[variable] {
            continue;
        }
        let now = cost(&rows, &users, variable);
        if now > known.saturating_mul(2).max(8) {
            heap.push(Reverse((now, at)));
            continue;
        }
        budget.check_now()?;
        waiting[variable] = false;
        order.push(at);
        let mut own = std::mem::take(&mut rows[variable]);
        own.coefficients.retain(|&(other, _)| other != at);
        let leaves = own.coefficients.iter().map(|entry| entry.1).sum::<f64>() + own.exit;
        if leaves <= 0.0 || !leaves.is_finite() {
            return Ok(None);
        }
        for entry in &mut own.coefficients {
            entry.1 /= leaves;
        }
        own.exit /= leaves;
        own.constants = own.constants.map(|constant| constant / leaves);
        for user in std::mem::take(&mut users[variable]) {
            let row = &mut rows[user as usize];
            if !waiting[user as usize] {
                continue;
            }
            let Some(found) = row.coefficients.iter().position(|&(other, _)| other == at) else {
                continue;
            };
            let factor = row.coefficients.swap_remove(found).1;
            for (place, &(other, _)) in row.coefficients.iter().enumerate() {
                position[other as usize] = place as u32 + 1;
            }
            let before = row.coefficients.len();
            for &(other, coefficient) in &own.coefficients {
                match position[other as usize] {
                    0 => {
                        row.coefficients.push((other, factor * coefficient));
                        users[other as usize].push(user);
                    }
                    place => row.coefficients[place as usize - 1].1 += factor * coefficient,
                }
            }
            entries += row.coefficients.len() - before;
            for &(other, _) in &row.coefficients {
                position[other as usize] = 0;
            }
            row.exit += factor * own.exit;
            for (sum, constant) in row.constants.iter_mut().zip(own.constants) {
                *sum += factor * constant;
            }
        }
        rows[variable] = own;
        if entries > most_entries {
            return Ok(None);
        }
    }
    let mut values = vec![[0.0; 2]; size];
    for &at in order.iter().rev() {
        let row = &rows[at as usize];
        let mut value = row.constants;
        for &(other, coefficient) in &row.coefficients {
            value[0] += coefficient * values[other as usize][0];
            value[1] += coefficient * values[other as usize][1];
        }
        values[at as usize] = value;
    }
    Ok(Some(values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_walk_is_solved_to_many_digits() {
        // From every place to the right with a tiny probability, otherwise back to the beginning.
        let (size, forward) = (12u32, 0.05f64);
        let rows = (0..size).map(|at| {
            let mut row = Row {
                constants: [0.0, 1.0],
                ..Row::default()
            };
            row.coefficients.push((0, 1.0 - forward));
            match at + 1 < size {
                true if at + 1 == 0 => {}
                true => row.coefficients.push((at + 1, forward)),
                false => {
                    row.exit = forward;
                    row.constants[0] = forward;
                }
            }
            row
        });
        let values = solve(rows.collect(), 1000, &Budget::unlimited())
            .expect("time")
            .expect("small");
        let expected = (forward.powi(-(size as i32)) - 1.0) / (1.0 - forward);
        assert!(
            (values[0][1] / expected - 1.0).abs() < 1e-9,
            "{} {expected}",
            values[0][1]
        );
        assert!((values[0][0] - 1.0).abs() < 1e-9);
    }
}
