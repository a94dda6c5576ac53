//! A bound on the difference of two clocks, in 32 bits.
//!
//! `< c` is `2c`, `≤ c` is `2c + 1`: the order of bounds is the order of the numbers, and the sum of two bounds is the sum of the numbers, less one if either is odd. No bound is
//! a number so large that the sum of two of them still fits; sums with it are recognised by their size. So matrices are added row by row without branches.

use std::fmt;

/// A bound `< c`, `≤ c`, or none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Bound(i32);

impl Bound {
    /// No bound.
    pub const NONE: Bound = Bound((1 << 30) - 1);
    /// `≤ 0`.
    pub const ZERO: Bound = Bound(1);
    /// Constants of finite bounds are smaller than this in size.
    pub const MOST: i32 = 1 << 27;
    /// Sums beyond are sums with no bound.
    const LIMIT: i32 = 1 << 29;

    /// `≤ c`.
    #[inline]
    pub const fn at_most(c: i32) -> Bound {
        Bound(2 * c + 1)
    }

    /// `< c`.
    #[inline]
    pub const fn below(c: i32) -> Bound {
        Bound(2 * c)
    }

    /// `< c` or `≤ c`.
    #[inline]
    pub const fn new(c: i32, strict: bool) -> Bound {
        if strict {
            Bound::below(c)
        } else {
            Bound::at_most(c)
        }
    }

    /// Whether there is none.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == Bound::NONE.0
    }

    /// The constant of a finite bound.
    #[inline]
    pub const fn constant(self) -> i32 {
        self.0 >> 1
    }

    /// Whether equality is excluded.
    #[inline]
    pub const fn is_strict(self) -> bool {
        self.0 & 1 == 0
    }

    /// The bound on a sum of two differences.
    #[inline]
    #[allow(clippy::should_implement_trait)]
    pub const fn add(self, other: Bound) -> Bound {
        let sum = self.0 + other.0 - ((self.0 | other.0) & 1);
        if sum >= Bound::LIMIT {
            Bound::NONE
        } else {
            Bound(sum)
        }
    }

    /// The bound that says the opposite, of the difference the other way round: not `x − y ≤ c` is `y − x < −c`.
    #[inline]
    pub const fn opposite(self) -> Bound {
        Bound(1 - self.0)
    }

    /// Twice the constant, plus one if equality is allowed; [`i32::MAX`] for no bound.
    pub const fn packed(self) -> i32 {
        if self.is_none() { i32::MAX } else { self.0 }
    }

    /// The inverse of [`Bound::packed`]; nothing for a number too large.
    pub const fn from_packed(number: i32) -> Option<Bound> {
        match number {
            i32::MAX => Some(Bound::NONE),
            number if number < 2 * Bound::MOST && number > -2 * Bound::MOST => Some(Bound(number)),
            _ => None,
        }
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_none(), self.is_strict()) {
            (true, _) => f.write_str("∞"),
            (_, true) => write!(f, "<{}", self.constant()),
            (_, false) => write!(f, "≤{}", self.constant()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_ordered_and_added_as_they_mean() {
        assert!(Bound::below(3) < Bound::at_most(3) && Bound::at_most(3) < Bound::below(4));
        assert!(Bound::at_most(Bound::MOST) < Bound::NONE);
        assert_eq!(Bound::at_most(3).add(Bound::below(-5)), Bound::below(-2));
        assert_eq!(Bound::at_most(3).add(Bound::at_most(-5)), Bound::at_most(-2));
        assert_eq!(Bound::below(3).add(Bound::below(-5)), Bound::below(-2));
        assert_eq!(Bound::NONE.add(Bound::below(-5)), Bound::NONE);
        assert_eq!(Bound::NONE.add(Bound::NONE), Bound::NONE);
        assert_eq!(Bound::at_most(3).opposite(), Bound::below(-3));
        assert_eq!(Bound::below(-3).opposite(), Bound::at_most(3));
    }
}
