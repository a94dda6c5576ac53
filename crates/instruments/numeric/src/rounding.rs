//! Floating-point sums of non-negative products, rounded in a known direction.
//!
//! Rust has no rounding modes, so results are moved by a bound on the error: a sum of `n` products of non-negative doubles, each factor off
//! by at most half a unit, is off by at most `(n + 3)` units in relative terms (Higham, Accuracy and Stability, §3.1). Moving by a factor that
//! depends only on `n` keeps the operations monotone, so that iterating from below with `down` gives inductive lower bounds, exactly.

/// One unit of relative error, doubled to be safe.
const UNIT: f64 = f64::EPSILON;

/// Below this, products may lose digits without a relative bound.
const TINY: f64 = 1e-290;

/// A lower bound of an exact sum of `terms` non-negative products whose floating-point value is `sum`.
#[inline]
pub fn down(sum: f64, terms: usize) -> f64 {
    let moved = sum * (1.0 - (terms as f64 + 4.0) * UNIT);
    if moved < TINY { 0.0 } else { moved }
}

/// An upper bound of an exact sum of `terms` non-negative products whose floating-point value is `sum`.
#[inline]
pub fn up(sum: f64, terms: usize) -> f64 {
    sum * (1.0 + (terms as f64 + 4.0) * UNIT) + TINY
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_ten_times_lies_between_the_bounds() {
        let sum: f64 = (0..10).map(|_| 0.1).sum();
        assert!(down(sum, 10) < 1.0 && 1.0 < up(sum, 10));
        assert!(down(0.0, 3) == 0.0 && up(0.0, 3) > 0.0);
        assert_eq!(down(1e-300, 1), 0.0);
    }
}
