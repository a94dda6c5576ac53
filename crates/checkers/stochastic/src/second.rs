//! Operators over a bounded number of steps or a bounded time: there is no certificate but the computation itself, so the checker makes its own,
//! in interval arithmetic: every sum and product is rounded outwards.

use crate::inequality::settled;
use entail_budget::{Budget, Spent};
use entail_markov::Bracket;
use entail_markov::{Explicit, Optimum, Rational, Row, from_float, to_float};
use std::cmp::Ordering;

/// Numbers with an interval each.
pub(crate) struct Intervals {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// Doubles below and above a rational, or the double that it is. Only the exact value of the nearest double decides to which side it lies, so
/// that a mistake in finding it makes an enclosure wider, never wrong.
pub(crate) fn enclose(number: &Rational) -> (f64, f64) {
    let near = to_float(number);
    let side = from_float(near).map(|near| near.cmp(number));
    let (mut low, mut high) = match side {
        Some(Ordering::Equal) => return (near, near),
        Some(Ordering::Less) => (near, near.next_up()),
        Some(Ordering::Greater) => (near.next_down(), near),
        None => (f64::MIN, f64::INFINITY),
    };
    while from_float(low).is_some_and(|low| low > *number) {
        low = low.next_down();
    }
    while from_float(high).is_some_and(|high| high < *number) {
        high = high.next_up();
    }
    (low, high)
}

impl Intervals {
    pub fn indicator(set: &[bool]) -> Intervals {
        let values: Vec<f64> = set.iter().map(|&inside| if inside { 1.0 } else { 0.0 }).collect();
        Intervals {
            lower: values.clone(),
            upper: values,
        }
    }

    pub fn of(numbers: &[Rational]) -> Intervals {
        let pairs: Vec<(f64, f64)> = numbers.iter().map(enclose).collect();
        Intervals {
            lower: pairs.iter().map(|pair| pair.0).collect(),
            upper: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    /// `Σ p x` over a row, rounded outwards; values are not negative.
    fn sum(&self, row: &[(u32, f64, f64)]) -> (f64, f64) {
        let (mut low, mut high) = (0.0f64, 0.0f64);
        // Probabilities sum to 1: an average of equal numbers is that number.
        if let Some(&(first, ..)) = row.first() {
            let first = first as usize;
            let same = |of: &[f64]| row.iter().all(|&(target, ..)| of[target as usize] == of[first]);
            if same(&self.lower) && same(&self.upper) {
                return (self.lower[first], self.upper[first]);
            }
        }
        for &(target, p_low, p_high) in row {
            low = (low + (p_low * self.lower[target as usize]).next_down().max(0.0))
                .next_down()
                .max(0.0);
            high = (high + (p_high * self.upper[target as usize]).next_up()).next_up();
        }
        (low, high)
    }

    /// `Σ p x` over a row with the probabilities that make it greatest or least: exactly, for both ends of the values, then enclosed.
    fn extreme_sum(&self, row: &Row, extreme: Optimum) -> (f64, f64) {
        let sum = |of: &[f64]| {
            let value = |target: usize| from_float(of[target]);
            let row = settled(row, &value, extreme);
            let mut terms = row.targets.iter();
            terms.try_fold(Rational::ZERO, |sum, (target, probability)| {
                Some(sum + probability * value(*target as usize)?)
            })
        };
        let low = sum(&self.lower).map_or(0.0, |low| enclose(&low).0);
        let high = sum(&self.upper).map_or(f64::INFINITY, |high| enclose(&high).1);
        (low, high)
    }
}

/// Rows with probabilities enclosed in doubles; those with intervals of probabilities as they are.
pub(crate) struct Enclosed(Vec<Vec<Step>>);

#[derive(Clone)]
enum Step {
    Certain(Vec<(u32, f64, f64)>),
    Uncertain(Row),
}

impl Enclosed {
    pub fn new(model: &Explicit) -> Enclosed {
        let entry = |(target, probability): &(u32, Rational)| {
            let (low, high) = enclose(probability);
            match *probability == Rational::ONE {
                true => (*target, 1.0, 1.0),
                false => (*target, low, high),
            }
        };
        let row = |row: &Row| match row.uppers.is_empty() {
            true => Step::Certain(row.targets.iter().map(entry).collect()),
            false => Step::Uncertain(row.clone()),
        };
        Enclosed(
            model
                .rows
                .iter()
                .map(|rows| rows.iter().map(row).collect())
                .collect(),
        )
    }

    /// The model in which every state has only the choice at a position.
    pub fn along(&self, chosen: &[u32]) -> Enclosed {
        let only = |(rows, &at): (&Vec<Step>, &u32)| rows.get(at as usize).cloned().into_iter().collect();
        Enclosed(self.0.iter().zip(chosen).map(only).collect())
    }

    /// One step back: for the states of `moving` the optimum over choices of `earned + Σ p x`, for the others `otherwise`.
    pub fn step(
        &self,
        values: &Intervals,
        moving: &dyn Fn(usize) -> bool,
        otherwise: &dyn Fn(usize) -> (f64, f64),
        earned: Option<&[Vec<(f64, f64)>]>,
        (optimum, extreme): (Optimum, Optimum),
        budget: &Budget,
    ) -> Result<Intervals, Spent> {
        let mut next = Intervals {
            lower: Vec::with_capacity(self.0.len()),
            upper: Vec::with_capacity(self.0.len()),
        };
        for (state, rows) in self.0.iter().enumerate() {
            budget.check()?;
            let (low, high) = if moving(state) {
                let value = |at: usize| {
                    let (low, high) = match &rows[at] {
                        Step::Certain(row) => values.sum(row),
                        Step::Uncertain(row) => values.extreme_sum(row, extreme),
                    };
                    match earned {
                        None => (low, high),
                        Some(earned) => {
                            let (more_low, more_high) = earned[state][at];
                            (
                                (low + more_low).next_down().max(0.0),
                                (high + more_high).next_up(),
                            )
                        }
                    }
                };
                let all = (0..rows.len()).map(value);
                match optimum {
                    Optimum::Max => all.fold((f64::MIN, f64::MIN), |a, b| (a.0.max(b.0), a.1.max(b.1))),
                    Optimum::Min => all.fold((f64::MAX, f64::MAX), |a, b| (a.0.min(b.0), a.1.min(b.1))),
                }
            } else {
                otherwise(state)
            };
            next.lower.push(low);
            next.upper.push(high);
        }
        Ok(next)
    }
}

/// Whether a bracket claims no more than what was computed: it must contain every interval.
pub(crate) fn contains(claimed: &Bracket, computed: &Intervals) -> bool {
    claimed.len() == computed.lower.len()
        && (0..claimed.len()).all(|state| {
            let (low, high) = (computed.lower[state], computed.upper[state]);
            let number = |float: f64| from_float(float);
            let low_fine = claimed
                .lower(state)
                .is_some_and(|claimed| number(low).is_some_and(|low| claimed <= low));
            let high_fine = match claimed.upper(state) {
                None => true,
                Some(claimed) => number(high).is_some_and(|high| high <= claimed),
            };
            low_fine && high_fine
        })
}

/// Whether the claim and what was computed have a number in common for every state.
pub(crate) fn overlaps(claimed: &Bracket, computed: &Intervals) -> bool {
    let number = |float: f64| from_float(float);
    claimed.len() == computed.lower.len()
        && (0..claimed.len()).all(|state| {
            let low = claimed.lower(state).zip(number(computed.upper[state]));
            let high = claimed.upper(state).zip(number(computed.lower[state]));
            low.is_none_or(|(claimed, computed)| claimed <= computed)
                && high.is_none_or(|(claimed, computed)| claimed >= computed)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_lie_between_the_doubles_around_them() {
        let mut numbers = vec![Rational::ZERO, Rational::ONE];
        for below in [3u64, 7, 10, 49, 1 << 40, u64::MAX] {
            for above in [1u64, 2, 5, 9_999_999_999, u64::MAX - 1] {
                let fraction = Rational::from(above) / Rational::from(below);
                numbers.extend([-fraction.clone(), fraction]);
            }
        }
        // Far beyond what doubles can hold, and far below.
        let huge = (0..40).fold(Rational::ONE, |product, _| product * Rational::from(u64::MAX));
        numbers.extend([Rational::ONE / &huge, -huge.clone(), huge]);
        for number in numbers {
            let (low, high) = enclose(&number);
            assert!(from_float(low).is_none_or(|low| low <= number), "{number} {low}");
            assert!(
                from_float(high).is_none_or(|high| number <= high),
                "{number} {high}"
            );
            assert!(low <= high && low < f64::INFINITY && high > f64::NEG_INFINITY);
            // No two doubles lie between.
            assert!(
                high <= low.next_up() || !low.next_up().is_finite() || high.is_infinite() || low == f64::MIN
            );
        }
    }
}
