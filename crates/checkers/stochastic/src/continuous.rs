//! Time-bounded operators of continuous-time chains, computed a second time in interval arithmetic.
//!
//! Uniformisation in pieces: the time is cut so that each piece has few jumps, Poisson weights are enclosed from the Taylor series of the
//! exponential, and what lies beyond the last weight is bounded by a geometric series. Every number is an interval that contains the exact one.

use crate::second::{Intervals, enclose};
use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Rational, to_float};

/// Expected jumps in a piece.
const JUMPS: f64 = 64.0;

/// Two doubles around a number that is not negative.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub low: f64,
    pub high: f64,
}

impl Around {
    pub fn of(number: &Rational) -> Around {
        let (low, high) = enclose(number);
        Around {
            low: low.max(0.0),
            high,
        }
    }

    pub fn times(self, other: Around) -> Around {
        Around {
            low: (self.low * other.low).next_down().max(0.0),
            high: (self.high * other.high).next_up(),
        }
    }

    pub fn plus(self, other: Around) -> Around {
        Around {
            low: (self.low + other.low).next_down().max(0.0),
            high: (self.high + other.high).next_up(),
        }
    }
}

/// `e^-x` for `0 ≤ x ≤ 64`: the alternating series at `x / 64`, squared six times.
pub(crate) fn exponential(x: Around) -> Around {
    let small = Around {
        low: (x.low / 64.0).next_down().max(0.0),
        high: (x.high / 64.0).next_up(),
    };
    // 1 / e^y with e^y between its partial sum and the same with the last term doubled, for y ≤ 1.
    let (mut sum, mut term) = (Around { low: 1.0, high: 1.0 }, Around { low: 1.0, high: 1.0 });
    for k in 1..30 {
        let factor = Around {
            low: (small.low / f64::from(k)).next_down().max(0.0),
            high: (small.high / f64::from(k)).next_up(),
        };
        term = term.times(factor);
        sum = sum.plus(term);
    }
    sum.high = (sum.high + term.high).next_up();
    let mut power = Around {
        low: (1.0 / sum.high).next_down(),
        high: (1.0 / sum.low).next_up(),
    };
    for _ in 0..6 {
        power = power.times(power);
    }
    power
}

/// Below this, products have lost digits: as a lower bound, nothing is left.
fn not_tiny(value: f64) -> f64 {
    if value < 1e-290 { 0.0 } else { value }
}

/// A chain that jumps at one rate, cut into equal pieces of a time.
pub(crate) struct Pieces {
    /// Rows of the uniformised chain.
    rows: Vec<Vec<(u32, f64, f64)>>,
    /// Number of pieces.
    count: u64,
    /// The probability of so many jumps in a piece.
    weights: Vec<Around>,
    /// The probability of more jumps than there are weights.
    beyond: f64,
    /// One over the rate.
    pause: Around,
}

impl Pieces {
    /// The pieces of a time; nothing if there are too many.
    pub fn new(model: &Explicit, time: &Rational, budget: &Budget) -> Result<Option<Pieces>, Spent> {
        let rate = |state: usize| model.rows[state][0].rate.clone().unwrap_or(Rational::ZERO);
        let largest = (0..model.rows.len())
            .map(|state| to_float(&rate(state)))
            .fold(1e-9, f64::max);
        // A power of two above every rate, so that it is exact.
        let q = 2f64.powi(largest.log2().ceil() as i32 + 1);
        let Some(exact) = entail_markov::from_float(q) else {
            return Ok(None);
        };
        let total = &exact * time;
        let count = (to_float(&total) / JUMPS).ceil().max(1.0);
        if count > 1e7 {
            return Ok(None);
        }
        let piece = Around::of(&(total / Rational::from(count as u64)));
        let mut weights = vec![exponential(piece)];
        loop {
            let k = weights.len() as f64;
            let factor = Around {
                low: (piece.low / k).next_down().max(0.0),
                high: (piece.high / k).next_up(),
            };
            let next = weights[weights.len() - 1].times(factor);
            weights.push(next);
            if k > 2.0 * piece.high + 4.0 && next.high < 1e-24 {
                break;
            }
        }
        // Beyond: every further weight is at most half the one before.
        let beyond = (2.0 * weights[weights.len() - 1].high).next_up();
        let mut rows = Vec::with_capacity(model.rows.len());
        for (state, own) in model.rows.iter().enumerate() {
            budget.check()?;
            let share = rate(state) / &exact;
            let mut row: Vec<(u32, f64, f64)> = Vec::new();
            let mut stay = Rational::ONE - &share;
            for (target, probability) in &own[0].targets {
                let value = &share * probability;
                if *target as usize == state {
                    stay += value;
                } else {
                    let (low, high) = enclose(&value);
                    row.push((*target, low, high));
                }
            }
            let (low, high) = enclose(&stay);
            row.push((state as u32, low, high));
            rows.push(row);
        }
        Ok(Some(Pieces {
            rows,
            count: count as u64,
            weights,
            beyond,
            pause: Around::of(&(Rational::ONE / exact)),
        }))
    }

    /// One jump back, for the states that move.
    fn jump(&self, values: &Intervals, moving: &[bool]) -> Intervals {
        let mut next = Intervals {
            lower: values.lower.clone(),
            upper: values.upper.clone(),
        };
        for (state, row) in self.rows.iter().enumerate().filter(|(state, _)| moving[*state]) {
            let first = row[0].0 as usize;
            let same = |of: &[f64]| row.iter().all(|&(target, ..)| of[target as usize] == of[first]);
            if same(&values.lower) && same(&values.upper) {
                (next.lower[state], next.upper[state]) = (values.lower[first], values.upper[first]);
                continue;
            }
            let (mut low, mut high) = (0.0, 0.0);
            for &(target, p_low, p_high) in row {
                low += p_low * values.lower[target as usize];
                high += p_high * values.upper[target as usize];
            }
            // Sums of n products that are not negative are off by at most n + 1 units, relatively.
            let error = (row.len() as f64 + 2.0) * f64::EPSILON;
            next.lower[state] = not_tiny(low * (1.0 - error));
            next.upper[state] = high * (1.0 + error) + f64::MIN_POSITIVE;
        }
        next
    }

    /// `Σ factor_k · (k jumps back)`, and the largest value ever met.
    fn mixed(
        &self,
        values: &Intervals,
        moving: &[bool],
        factors: &[Around],
        budget: &Budget,
    ) -> Result<Intervals, Spent> {
        let size = self.rows.len();
        let mut sum = Intervals {
            lower: vec![0.0; size],
            upper: vec![0.0; size],
        };
        let mut power = Intervals {
            lower: values.lower.clone(),
            upper: values.upper.clone(),
        };
        for (k, factor) in factors.iter().enumerate() {
            budget.check_now()?;
            if k > 0 {
                power = self.jump(&power, moving);
            }
            for state in 0..size {
                sum.lower[state] += factor.low * power.lower[state];
                sum.upper[state] += factor.high * power.upper[state];
            }
        }
        let error = (factors.len() as f64 + 2.0) * f64::EPSILON;
        for state in 0..size {
            sum.lower[state] = not_tiny(sum.lower[state] * (1.0 - error));
            sum.upper[state] = sum.upper[state] * (1.0 + error) + f64::MIN_POSITIVE;
        }
        Ok(sum)
    }

    /// The expected values after the time, where only some states move.
    pub fn after(&self, mut values: Intervals, moving: &[bool], budget: &Budget) -> Result<Intervals, Spent> {
        for _ in 0..self.count {
            let largest = values.upper.iter().copied().fold(0.0, f64::max);
            let mut next = self.mixed(&values, moving, &self.weights, budget)?;
            for (state, &moves) in moving.iter().enumerate() {
                if moves {
                    next.upper[state] = (next.upper[state] + self.beyond * largest).next_up();
                } else {
                    (next.lower[state], next.upper[state]) = (values.lower[state], values.upper[state]);
                }
            }
            values = next;
        }
        Ok(values)
    }

    /// The expected integral of `rates` over the time.
    pub fn earned(&self, rates: &Intervals, budget: &Budget) -> Result<Intervals, Spent> {
        let moving = vec![true; self.rows.len()];
        // The k-th pause is spent at k jumps if there are more than k: what lies beyond, summed from the end.
        let mut more = vec![
            Around {
                low: 0.0,
                high: self.beyond
            };
            self.weights.len()
        ];
        for k in (0..self.weights.len() - 1).rev() {
            more[k] = more[k + 1].plus(self.weights[k + 1]);
        }
        let factors: Vec<Around> = more.iter().map(|more| more.times(self.pause)).collect();
        let largest = rates.upper.iter().copied().fold(0.0, f64::max);
        let mut piece = self.mixed(rates, &moving, &factors, budget)?;
        // Pauses after the last weight: their expected number is at most four times the mass beyond.
        let rest = (4.0 * self.beyond * self.pause.high * largest).next_up();
        for value in &mut piece.upper {
            *value = (*value + rest).next_up();
        }
        let mut total = Intervals {
            lower: vec![0.0; self.rows.len()],
            upper: vec![0.0; self.rows.len()],
        };
        for _ in 0..self.count {
            let largest = total.upper.iter().copied().fold(0.0, f64::max);
            let later = self.mixed(&total, &moving, &self.weights, budget)?;
            for state in 0..self.rows.len() {
                total.lower[state] = (piece.lower[state] + later.lower[state]).next_down().max(0.0);
                total.upper[state] = (piece.upper[state] + later.upper[state] + self.beyond * largest)
                    .next_up()
                    .next_up();
            }
        }
        Ok(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_lies_in_its_interval() {
        for x in [0.0, 0.5, 1.0, 10.0, 64.0] {
            let around = exponential(Around { low: x, high: x });
            let near = (-x).exp();
            assert!(around.low <= near * (1.0 + 1e-15) && near * (1.0 - 1e-15) <= around.high);
            assert!(around.high - around.low <= near * 1e-12, "{x}");
        }
    }
}
