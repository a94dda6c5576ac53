//! Whether `reward + Σ p · x` is at least, or at most, a number: in floating point where that decides it, otherwise in rationals.

use entail_markov::Bracket;
use entail_markov::{Optimum, Rational, Row, to_float};
use std::borrow::Cow;

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

/// Who chooses the probabilities where a row has intervals: the greatest sum, or the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// They make the best of the optimum that is asked for.
    With,
    /// They make the worst of it.
    Against,
}

impl Nature {
    /// The end to which the sums go under an optimum over schedulers.
    pub fn of(self, optimum: Optimum) -> Optimum {
        match self {
            Nature::With => optimum,
            Nature::Against => optimum.dual(),
        }
    }
}

/// A row with the probabilities that make the sum of some values greatest or least; a row without intervals is what it is. Infinite values count as larger than all
/// others.
///
/// Starting from the upper ends, what is above 1 is taken away again from where it is worth least (or most), each down to its lower end.
pub(crate) fn settled<'r>(
    row: &'r Row,
    value: &dyn Fn(usize) -> Option<Rational>,
    extreme: Optimum,
) -> Cow<'r, Row> {
    if row.uppers.is_empty() {
        return Cow::Borrowed(row);
    }
    let mut ranked: Vec<(Option<Rational>, usize)> = (row.targets.iter().enumerate())
        .map(|(at, (target, _))| (value(*target as usize), at))
        .collect();
    ranked.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) => a.cmp(b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    });
    if extreme == Optimum::Min {
        ranked.reverse();
    }
    let mut surplus = row.uppers.iter().fold(-Rational::ONE, |sum, upper| sum + upper);
    let mut targets: Vec<(u32, Rational)> = (row.targets.iter().zip(&row.uppers))
        .map(|((target, _), upper)| (*target, upper.clone()))
        .collect();
    for (_, at) in ranked {
        let spare = &row.uppers[at] - &row.targets[at].1;
        let taken = if spare < surplus { spare } else { surplus.clone() };
        targets[at].1 -= &taken;
        surplus -= taken;
    }
    Cow::Owned(Row {
        targets,
        uppers: Vec::new(),
        ..row.clone()
    })
}

/// Compares a state's value with what a row gives: `Less`, `Equal` or `Greater` than `reward + Σ p x`. Nothing if a value in the sum is
/// infinite; the state's own value must be finite.
pub(crate) fn compare(
    bracket: &Bracket,
    side: Side,
    own: &Rational,
    row: &Row,
    reward: &Rational,
    extreme: Optimum,
) -> Option<std::cmp::Ordering> {
    compare_from(bracket, 0, side, own, row, reward, extreme)
}

/// The same where the values of the row's targets begin at some place of the bracket.
pub(crate) fn compare_from(
    bracket: &Bracket,
    place: usize,
    side: Side,
    own: &Rational,
    row: &Row,
    reward: &Rational,
    extreme: Optimum,
) -> Option<std::cmp::Ordering> {
    let row = &*settled(row, &|target| value(bracket, place + target, side), extreme);
    if let Some(ordering) = quick(bracket, place, side, own, row, reward) {
        return Some(ordering);
    }
    let mut sum = reward.clone();
    for (target, probability) in &row.targets {
        sum += probability * value(bracket, place + *target as usize, side)?;
    }
    Some(own.cmp(&sum))
}

/// The comparison in doubles, if the rounding errors (at most `n + 6` units of the sum of magnitudes) leave no doubt.
fn quick(
    bracket: &Bracket,
    place: usize,
    side: Side,
    own: &Rational,
    row: &Row,
    reward: &Rational,
) -> Option<std::cmp::Ordering> {
    let own = to_float(own);
    let mut sum = to_float(reward);
    let mut magnitude = sum.abs() + own.abs();
    for (target, probability) in &row.targets {
        let value = float(bracket, place + *target as usize, side)?;
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
