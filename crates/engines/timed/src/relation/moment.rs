//! Moments within bounds: intervals of exact numbers, and the simplest number of one.

use entail_clocks::Rational;
use entail_zones::Bound;

/// Whether a number is within a bound.
pub(super) fn within(value: &Rational, bound: Bound) -> bool {
    let limit = Rational::from(bound.constant());
    bound.is_none() || *value < limit || (!bound.is_strict() && *value == limit)
}

/// Numbers from a least, which may be included, to a largest one, which may be included, if there is one.
pub(super) struct Interval {
    least: (Rational, bool),
    most: Option<(Rational, bool)>,
}

impl Interval {
    /// All numbers that are not negative.
    pub fn from_zero() -> Interval {
        Interval {
            least: (Rational::ZERO, true),
            most: None,
        }
    }

    /// Keeps the numbers that exceed another by at most a bound.
    pub fn at_most(&mut self, than: &Rational, bound: Bound) {
        if bound.is_none() {
            return;
        }
        let (end, included) = (than + Rational::from(bound.constant()), !bound.is_strict());
        let is_tighter = (self.most.as_ref())
            .is_none_or(|(most, was_included)| end < *most || (end == *most && *was_included));
        if is_tighter {
            self.most = Some((end, included));
        }
    }

    /// Keeps the numbers that another exceeds by at most a bound.
    pub fn at_least(&mut self, than: &Rational, bound: Bound) {
        if bound.is_none() {
            return;
        }
        let (end, included) = (than - Rational::from(bound.constant()), !bound.is_strict());
        if end > self.least.0 || (end == self.least.0 && self.least.1) {
            self.least = (end, included);
        }
    }

    /// Its least number, or of those within it one of the smallest denominator; nothing if there is none, or none with a small one.
    pub fn simplest(&self) -> Option<Rational> {
        let (least, is_included) = &self.least;
        let is_below = |value: &Rational| {
            (self.most.as_ref()).is_none_or(|(most, included)| value < most || (*included && value == most))
        };
        if *is_included {
            return is_below(least).then(|| least.clone());
        }
        (1..=1000u32).find_map(|parts| {
            let scaled = least * Rational::from(parts);
            let value = (Rational::from(scaled.floor()) + Rational::ONE) / Rational::from(parts);
            is_below(&value).then_some(value)
        })
    }
}
