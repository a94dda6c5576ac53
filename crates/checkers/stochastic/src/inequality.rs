//! Whether `reward + Σ p · x` is at least, or at most, a number: in pairs of doubles where that decides it, otherwise in rationals.
//!
//! Bounds that an engine found in floating point are rounded by a few units in the last place, so plain doubles decide hardly anything. A pair of doubles, the
//! second of which is what the first one is off, has about 106 bits (Dekker 1971); rounding errors of products and sums are themselves doubles and can be
//! added up (Ogita, Rump and Oishi 2005). What is left are mostly equalities.

use entail_markov::Bracket;
use entail_markov::{Optimum, Rational, Row};
use std::borrow::Cow;
use std::cmp::Ordering;

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

/// A finite bound as a bracket has it.
#[derive(Clone, Copy)]
pub(crate) enum Bound<'b> {
    /// A double, which is an exact number here.
    Double(f64),
    Exact(&'b Rational),
}

impl<'b> Bound<'b> {
    /// A state's value in a bracket; nothing if it is infinite.
    pub fn of(bracket: &'b Bracket, state: usize, side: Side) -> Option<Bound<'b>> {
        match (bracket, side) {
            (Bracket::Exact(values), _) => values[state].as_ref().map(Bound::Exact),
            (Bracket::Between { lower, .. }, Side::Lower) => finite(lower[state]),
            (Bracket::Between { upper, .. }, Side::Upper) => finite(upper[state]),
        }
    }

    /// How it compares with zero or one.
    pub fn to_whole(self, whole: u8) -> Ordering {
        match self {
            Bound::Double(own) => own.total_cmp(&f64::from(whole)),
            Bound::Exact(own) => own.cmp(&Rational::from(whole)),
        }
    }

    /// Whether it is above another one of the same bracket.
    pub fn is_above(self, other: Bound<'_>) -> bool {
        match (self, other) {
            (Bound::Double(own), Bound::Double(other)) => own > other,
            (Bound::Exact(own), Bound::Exact(other)) => own > other,
            // Bounds of different brackets are not compared; nothing is proved by them.
            _ => true,
        }
    }
}

/// A double that is a number. Zero has one sign.
fn finite<'b>(number: f64) -> Option<Bound<'b>> {
    number.is_finite().then_some(Bound::Double(number + 0.0))
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

/// Compares a state's value with what a row gives: `Less`, `Equal` or `Greater` than `reward + Σ p x`. Nothing if one of these values is infinite.
pub(crate) fn compare(
    bracket: &Bracket,
    side: Side,
    state: usize,
    row: &Row,
    reward: &Rational,
    extreme: Optimum,
) -> Option<Ordering> {
    let row = &*settled(row, &|target| value(bracket, target, side), extreme);
    let own = Bound::of(bracket, state, side)?;
    let terms = row.targets.iter().map(|(target, p)| Some((*target, pair(p)?)));
    if let Bound::Double(own) = own
        && let Some(reward) = pair(reward)
        && let Some(order) = quick(bracket, 0, side, own, terms, reward)
    {
        return Some(order);
    }
    slow(bracket, 0, side, own, row, reward)
}

/// A row whose probabilities were made pairs of doubles once, for many comparisons.
pub(crate) struct Prepared<'r> {
    row: &'r Row,
    /// Empty where that cannot be done.
    terms: Vec<(u32, Pair)>,
}

impl<'r> Prepared<'r> {
    pub fn new(row: &'r Row) -> Prepared<'r> {
        let terms = row.targets.iter().map(|(target, p)| Some((*target, pair(p)?)));
        let terms: Option<Vec<(u32, Pair)>> = terms.collect();
        Prepared {
            row,
            terms: terms.filter(|_| row.uppers.is_empty()).unwrap_or_default(),
        }
    }

    /// Compares a value of the bracket with `Σ p x`, where the values of the row's targets begin at some place.
    pub fn compare(
        &self,
        bracket: &Bracket,
        place: usize,
        side: Side,
        own: Bound<'_>,
        extreme: Optimum,
    ) -> Option<Ordering> {
        if let (Bound::Double(own), false) = (own, self.terms.is_empty())
            && let Some(order) = quick(
                bracket,
                place,
                side,
                own,
                self.terms.iter().copied().map(Some),
                NOTHING,
            )
        {
            return Some(order);
        }
        let row = settled(self.row, &|target| value(bracket, place + target, side), extreme);
        slow(bracket, place, side, own, &row, &Rational::ZERO)
    }
}

/// The comparison in rationals.
fn slow(
    bracket: &Bracket,
    place: usize,
    side: Side,
    own: Bound<'_>,
    row: &Row,
    reward: &Rational,
) -> Option<Ordering> {
    let mut sum = reward.clone();
    for (target, probability) in &row.targets {
        sum += probability * value(bracket, place + *target as usize, side)?;
    }
    match own {
        Bound::Double(own) => Some(entail_markov::from_float(own)?.cmp(&sum)),
        Bound::Exact(own) => Some(own.cmp(&sum)),
    }
}

/// A number as a double and what that is off, again as a double: relative to the number, the pair is off by at most 2^-105.
pub(crate) type Pair = (f64, f64);

const NOTHING: Pair = (0.0, 0.0);

/// Half a unit in the last place of numbers around 1.
const UNIT: f64 = f64::EPSILON / 2.0;

/// What products of smaller numbers are off may be no double any more.
const SMALL: f64 = 1e-280;

/// Whole numbers up to this are doubles.
const WHOLE: i64 = 1 << 53;

/// The pair of a fraction whose parts are doubles; nothing for others.
fn pair(number: &Rational) -> Option<Pair> {
    let above = i64::try_from(number.numerator()).ok()?;
    let below = i64::try_from(number.denominator()).ok()?;
    if above.abs() > WHOLE || below > WHOLE {
        return None;
    }
    let (above, below) = (above as f64, below as f64);
    let first = above / below;
    // What a division leaves over is a double.
    Some((first, (-first).mul_add(below, above) / below))
}

/// The sum of two doubles and what it is off (Knuth).
fn two_sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// The comparison in pairs of doubles, if the rounding errors leave no doubt.
///
/// With `n` terms, `u = 2^-53` and `m` the sum of all magnitudes: what sums and products are off is known exactly, at most `u m` each; it is added up in doubles, at most
/// `4 n + 4` of them, which is off by at most `(4 n + 8)² u² m`. Pairs of probabilities are off by `4 u² m` in all, which is well below. Magnitudes are rounded
/// themselves, which is why the bound is doubled. Where nothing was rounded at all (values of 0, single steps), the comparison is exact.
fn quick(
    bracket: &Bracket,
    place: usize,
    side: Side,
    own: f64,
    terms: impl Iterator<Item = Option<(u32, Pair)>>,
    reward: Pair,
) -> Option<Ordering> {
    let Bracket::Between { lower, upper } = bracket else {
        return None;
    };
    let values = match side {
        Side::Lower => lower,
        Side::Upper => upper,
    };
    let (mut sum, mut off) = two_sum(-own, reward.0);
    let mut exact = off == 0.0 && reward.1 == 0.0;
    off += reward.1;
    let mut magnitude = own.abs() + reward.0.abs();
    let mut count = 1.0;
    for term in terms {
        let (target, (first, second)) = term?;
        let value = values[place + target as usize];
        if value == 0.0 {
            continue;
        }
        let product = first * value;
        let of_product = first.mul_add(value, -product);
        let of_sum;
        (sum, of_sum) = two_sum(sum, product);
        exact &= product.abs() > SMALL && of_product == 0.0 && second == 0.0 && of_sum == 0.0;
        off += (of_product + second * value) + of_sum;
        magnitude += product.abs();
        count += 1.0;
    }
    if exact && sum.is_finite() {
        // The sum is what the row gives beyond the value.
        return 0.0.partial_cmp(&sum);
    }
    let width = (4.0 * count + 8.0) * UNIT;
    let error = 2.0 * width * width * magnitude + SMALL;
    let difference = sum + off;
    // Infinite values make it no number.
    if difference > error && difference.is_finite() {
        Some(Ordering::Less)
    } else if difference < -error && difference.is_finite() {
        Some(Ordering::Greater)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn plain(targets: Vec<(u32, Rational)>) -> Row {
        Row {
            action: None,
            rate: None,
            targets,
            uppers: Vec::new(),
            rewards: Vec::new(),
        }
    }

    /// Values near to what a row gives: the sum itself, rounded, and some units in the last place beside it.
    #[test]
    fn pairs_of_doubles_never_contradict_rationals_and_decide_nearly_everything() {
        let mut random = StdRng::seed_from_u64(7);
        let (mut decided, mut all) = (0u32, 0u32);
        for _ in 0..20_000 {
            let count = random.random_range(1..6usize);
            let scale = 10f64.powi(random.random_range(-200..20));
            // Zeros and few bits, too: then sums may be exact.
            let mut number = || match random.random_range(0..4) {
                0 => 0.0,
                1 => f64::from(random.random_range(0..8u8)) * 0.125,
                _ => random.random::<f64>() * scale,
            };
            let mut values: Vec<f64> = (0..count).map(|_| number()).collect();
            let parts: Vec<i64> = (0..count).map(|_| random.random_range(1..1_000_000)).collect();
            let below = match random.random_bool(0.2) {
                true => 1 << 20,
                false => parts.iter().sum::<i64>(),
            };
            let targets = (0..).zip(&parts);
            let row = plain(
                targets
                    .map(|(at, &part)| (at, Rational::from(part) / Rational::from(below)))
                    .collect(),
            );
            let reward = match random.random_bool(0.3) {
                true => Rational::from(random.random_range(0..50i64)) / Rational::from(7),
                false => Rational::ZERO,
            };
            let sum = (row.targets.iter()).fold(reward.clone(), |sum, (target, p)| {
                let value = entail_markov::from_float(values[*target as usize]).expect("finite");
                sum + p * value
            });
            let mut own = entail_markov::to_float(&sum);
            for _ in 0..random.random_range(0..4) {
                own = if random.random_bool(0.5) {
                    own.next_up()
                } else {
                    own.next_down()
                };
            }
            values.push(own);
            let bracket = Bracket::Between {
                lower: values.clone(),
                upper: values,
            };
            let exact = slow(&bracket, 0, Side::Lower, Bound::Double(own), &row, &reward);
            let terms = row.targets.iter().map(|(target, p)| Some((*target, pair(p)?)));
            let found = quick(
                &bracket,
                0,
                Side::Lower,
                own,
                terms,
                pair(&reward).expect("small"),
            );
            assert!(found.is_none() || found == exact, "{found:?} {exact:?}");
            let state = count;
            assert_eq!(
                compare(&bracket, Side::Upper, state, &row, &reward, Optimum::Max),
                exact
            );
            if reward.is_zero() {
                let prepared = Prepared::new(&row);
                let own = Bound::Double(own);
                assert_eq!(
                    prepared.compare(&bracket, 0, Side::Lower, own, Optimum::Max),
                    exact
                );
            }
            all += 1;
            decided += u32::from(found.is_some());
        }
        assert!(decided * 100 > all * 90, "{decided} of {all}");
    }

    #[test]
    fn infinite_values_are_compared_with_nothing() {
        let row = plain(vec![(1, Rational::ONE)]);
        for values in [[1.0, f64::INFINITY], [f64::INFINITY, 1.0], [1.0, f64::NAN]] {
            let bracket = Bracket::Between {
                lower: values.to_vec(),
                upper: values.to_vec(),
            };
            let order = compare(&bracket, Side::Lower, 0, &row, &Rational::ZERO, Optimum::Max);
            assert_eq!(order, None);
        }
    }
}
