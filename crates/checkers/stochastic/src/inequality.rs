//! Whether `reward + Σ p · x` is at least, or at most, a number: in floating point where that decides it, otherwise in rationals.

use entail_markov::Bracket;
use entail_markov::{Rational, Row, to_float};

/// Which values of a bracket count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Lower,
    Upper,
}

/// A state's value in a bracket.
pub(crate) fn value(bracket: &Bracket, state: usize, side: Side) -> Option<Rational> {
    match side {
        Side::Lower => bracket.lower(state),
        Side::Upper => bracket.upper(state),
    }
}

/// The same in floating point, where the bracket has it so.
fn float(bracket: &Bracket, state: usize, side: Side) -> Option<f64> {
    match bracket {
        Bracket::Exact(_) => None,
        Bracket::Between { lower, upper } => Some(match side {
            Side::Lower => lower[state],
            Side::Upper => upper[state],
        }),
    }
}

/// Compares a state's value with what a row gives: `Less`, `Equal` or `Greater` than `reward + Σ p x`. Nothing if a value in the sum is
/// infinite; the state's own value must be finite.
pub(crate) fn compare(
    bracket: &Bracket,
    side: Side,
    own: &Rational,
    row: &Row,
    reward: &Rational,
) -> Option<std::cmp::Ordering> {
    if let Some(ordering) = quick(bracket, side, own, row, reward) {
        return Some(ordering);
    }
    let mut sum = reward.clone();
    for (target, probability) in &row.targets {
        sum += probability * value(bracket, *target as usize, side)?;
    }
    Some(own.cmp(&sum))
}

/// The comparison in doubles, if the rounding errors (at most `n + 6` units of the sum of magnitudes) leave no doubt.
fn quick(
    bracket: &Bracket,
    side: Side,
    own: &Rational,
    row: &Row,
    reward: &Rational,
) -> Option<std::cmp::Ordering> {
    let own = to_float(own);
    let mut sum = to_float(reward);
    let mut magnitude = sum.abs() + own.abs();
    for (target, probability) in &row.targets {
        let value = float(bracket, *target as usize, side)?;
        if !value.is_finite() {
            return None;
        }
        let term = to_float(probability) * value;
        sum += term;
        magnitude += term.abs();
    }
    let error = magnitude * (row.targets.len() as f64 + 6.0) * f64::EPSILON + 1e-280;
    if own < sum - error {
        Some(std::cmp::Ordering::Less)
    } else if own > sum + error {
        Some(std::cmp::Ordering::Greater)
    } else {
        None
    }
}
