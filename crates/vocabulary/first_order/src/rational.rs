//! Exact rational numbers that cost little while they are small.
//!
//! A number is a pair of machine integers as long as numerator and denominator fit 64 bits, and a pair of big integers beyond. The
//! representation is canonical (lowest terms, positive denominator, small whenever possible), so equality and hashing are structural.

use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Numerator and positive denominator in lowest terms.
    Small(i64, i64),
    /// The same beyond 64 bits.
    Big(Box<(BigInt, BigInt)>),
}

fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if a <= u128::from(u64::MAX) && b <= u128::from(u64::MAX) {
            let (mut a, mut b) = (a as u64, b as u64);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            return u128::from(a);
        }
        (a, b) = (b, a % b);
    }
    a
}

fn gcd_big(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.abs(), b.abs());
    while !b.is_zero() {
        let rest = &a % &b;
        a = std::mem::replace(&mut b, rest);
    }
    a
}

impl Rational {
    /// Zero.
    pub fn zero() -> Rational {
        Rational(Repr::Small(0, 1))
    }

    /// One.
    pub fn one() -> Rational {
        Rational(Repr::Small(1, 1))
    }

    /// A whole number.
    pub fn integer(value: i64) -> Rational {
        Rational(Repr::Small(value, 1))
    }

    /// A whole number of any size.
    pub fn from_big(value: BigInt) -> Rational {
        Rational::from_ratio(value, BigInt::one())
    }

    /// A fraction; the denominator is not zero.
    pub fn from_ratio(numerator: BigInt, denominator: BigInt) -> Rational {
        assert!(!denominator.is_zero(), "callers exclude a zero denominator");
        let divisor = gcd_big(&numerator, &denominator);
        let (mut numerator, mut denominator) = (numerator / &divisor, denominator / &divisor);
        if denominator.is_negative() {
            numerator = -numerator;
            denominator = -denominator;
        }
        match (numerator.to_i64(), denominator.to_i64()) {
            (Some(n), Some(d)) => Rational(Repr::Small(n, d)),
            _ => Rational(Repr::Big(Box::new((numerator, denominator)))),
        }
    }

    fn from_wide(numerator: i128, denominator: i128) -> Rational {
        let divisor = gcd_u128(numerator.unsigned_abs(), denominator.unsigned_abs()) as i128;
        let (mut n, mut d) = match divisor {
            0 | 1 => (numerator, denominator),
            _ => (numerator / divisor, denominator / divisor),
        };
        if d < 0 {
            n = -n;
            d = -d;
        }
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Rational(Repr::Small(n, d)),
            _ => Rational(Repr::Big(Box::new((BigInt::from(n), BigInt::from(d))))),
        }
    }

    /// Reads a decimal or whole number as SMT-LIB writes it; nothing need follow the point.
    pub fn parse(text: &str) -> Option<Rational> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        if text.len() <= 18 && fraction.is_empty() {
            return whole.parse().ok().map(Rational::integer);
        }
        let digits: BigInt = format!("{whole}{fraction}").parse().ok()?;
        Some(Rational::from_ratio(
            digits,
            BigInt::from(10).pow(fraction.len() as u32),
        ))
    }

    /// The numerator.
    pub fn numerator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n, _) => BigInt::from(*n),
            Repr::Big(pair) => pair.0.clone(),
        }
    }

    /// The denominator, positive.
    pub fn denominator(&self) -> BigInt {
        match &self.0 {
            Repr::Small(_, d) => BigInt::from(*d),
            Repr::Big(pair) => pair.1.clone(),
        }
    }

    /// The denominator as a rational number, which is cheap where it is small.
    pub fn denominator_number(&self) -> Rational {
        match &self.0 {
            Repr::Small(_, d) => Rational::integer(*d),
            Repr::Big(pair) => Rational::from_big(pair.1.clone()),
        }
    }

    /// The number, if it is whole and fits 64 bits.
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n, 1) => Some(n),
            _ => None,
        }
    }

    /// Whether it is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0, _))
    }

    /// Whether it is one.
    pub fn is_one(&self) -> bool {
        matches!(self.0, Repr::Small(1, 1))
    }

    /// Whether it is a whole number.
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Repr::Small(_, d) => *d == 1,
            Repr::Big(pair) => pair.1.is_one(),
        }
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Repr::Small(n, _) => n.signum() as i32,
            Repr::Big(pair) => {
                if pair.0.is_negative() {
                    -1
                } else {
                    1
                }
            }
        }
    }

    /// Whether it is greater than zero.
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// One divided by the number, which is not zero.
    pub fn recip(&self) -> Rational {
        match self.0 {
            Repr::Small(n, d) if n > 0 => Rational(Repr::Small(d, n)),
            Repr::Small(n, d) if n < 0 && n != i64::MIN => Rational(Repr::Small(-d, -n)),
            _ => Rational::from_ratio(self.denominator(), self.numerator()),
        }
    }

    /// The greatest whole number that is not greater.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Repr::Small(_, 1) => self.clone(),
            Repr::Small(n, d) => Rational::integer(n.div_euclid(*d)),
            Repr::Big(pair) => {
                let (n, d) = &**pair;
                let quotient = n / d;
                let is_below = n.is_negative() && !(n % d).is_zero();
                Rational::from_big(if is_below { quotient - 1 } else { quotient })
            }
        }
    }

    /// The least whole number that is not less.
    pub fn ceil(&self) -> Rational {
        -(&(-self).floor())
    }

    /// The greatest common divisor of two whole numbers, not negative.
    pub fn gcd(&self, other: &Rational) -> Rational {
        if let (Repr::Small(a, _), Repr::Small(b, _)) = (&self.0, &other.0) {
            let divisor = gcd_u128(a.unsigned_abs().into(), b.unsigned_abs().into());
            return Rational::from_wide(divisor as i128, 1);
        }
        Rational::from_big(gcd_big(&self.numerator(), &other.numerator()))
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::zero()
    }
}

impl From<i64> for Rational {
    fn from(value: i64) -> Rational {
        Rational::integer(value)
    }
}

impl Add<&Rational> for &Rational {
    type Output = Rational;

    fn add(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(b, 1)) => match a.checked_add(*b) {
                Some(sum) => Rational(Repr::Small(sum, 1)),
                None => Rational::from_wide(i128::from(*a) + i128::from(*b), 1),
            },
            (Repr::Small(0, _), _) => other.clone(),
            (_, Repr::Small(0, _)) => self.clone(),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                let (a, b, c, d) = (i128::from(*a), i128::from(*b), i128::from(*c), i128::from(*d));
                // |a d| and |c b| are below 2^126 each, so the sum fits.
                Rational::from_wide(a * d + c * b, b * d)
            }
            _ => {
                let (b, d) = (self.denominator(), other.denominator());
                Rational::from_ratio(self.numerator() * &d + other.numerator() * &b, b * d)
            }
        }
    }
}

impl Sub<&Rational> for &Rational {
    type Output = Rational;

    fn sub(self, other: &Rational) -> Rational {
        self + &(-other)
    }
}

impl Mul<&Rational> for &Rational {
    type Output = Rational;

    fn mul(self, other: &Rational) -> Rational {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) => match a.checked_mul(*c) {
                Some(product) => Rational(Repr::Small(product, 1)),
                None => Rational::from_wide(i128::from(*a) * i128::from(*c), 1),
            },
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                Rational::from_wide(i128::from(*a) * i128::from(*c), i128::from(*b) * i128::from(*d))
            }
            _ => Rational::from_ratio(
                self.numerator() * other.numerator(),
                self.denominator() * other.denominator(),
            ),
        }
    }
}

impl Div<&Rational> for &Rational {
    type Output = Rational;

    fn div(self, other: &Rational) -> Rational {
        let inverse = other.recip();
        Mul::mul(self, &inverse)
    }
}

impl Neg for &Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        match &self.0 {
            Repr::Small(n, d) => match n.checked_neg() {
                Some(n) => Rational(Repr::Small(n, *d)),
                None => Rational::from_wide(-i128::from(*n), i128::from(*d)),
            },
            Repr::Big(pair) => Rational::from_ratio(-&pair.0, pair.1.clone()),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;

    fn neg(self) -> Rational {
        -&self
    }
}

impl AddAssign<&Rational> for Rational {
    fn add_assign(&mut self, other: &Rational) {
        *self = &*self + other;
    }
}

impl SubAssign<&Rational> for Rational {
    fn sub_assign(&mut self, other: &Rational) {
        *self = &*self - other;
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a, 1), Repr::Small(c, 1)) => a.cmp(c),
            (Repr::Small(a, b), Repr::Small(c, d)) => {
                (i128::from(*a) * i128::from(*d)).cmp(&(i128::from(*c) * i128::from(*b)))
            }
            _ => (self.numerator() * other.denominator()).cmp(&(other.numerator() * self.denominator())),
        }
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_integer() {
            true => write!(f, "{}", self.numerator()),
            false => write!(f, "{}/{}", self.numerator(), self.denominator()),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(n: i64, d: i64) -> Rational {
        Rational::from_ratio(n.into(), d.into())
    }

    #[test]
    fn sums_and_products_are_in_lowest_terms() {
        assert_eq!(&ratio(1, 6) + &ratio(1, 3), ratio(1, 2));
        assert_eq!(&ratio(2, 3) * &ratio(3, 2), Rational::one());
        assert_eq!(ratio(1, -2), ratio(-1, 2));
        assert_eq!(ratio(-2, 3).recip(), ratio(-3, 2));
        assert_eq!(
            &Rational::integer(i64::MIN).recip() * &Rational::integer(i64::MIN),
            Rational::one()
        );
        assert_eq!(
            Rational::integer(-12).gcd(&Rational::integer(18)),
            Rational::integer(6)
        );
        assert_eq!(
            Rational::integer(i64::MIN).gcd(&Rational::zero()),
            -&Rational::integer(i64::MIN)
        );
    }

    #[test]
    fn numbers_grow_beyond_the_machine_and_shrink_back() {
        let large = Rational::integer(i64::MAX);
        let square = &large * &large;
        assert_eq!(&square / &large, large);
        assert_eq!(&(&large + &Rational::one()) - &Rational::one(), large);
        assert_eq!(-&Rational::integer(i64::MIN), &large + &Rational::one());
        assert!(square > large && -&square < large);
    }

    #[test]
    fn floor_and_ceiling_go_towards_the_right_side() {
        assert_eq!(ratio(-7, 2).floor(), Rational::integer(-4));
        assert_eq!(ratio(-7, 2).ceil(), Rational::integer(-3));
        assert_eq!(ratio(7, 2).floor(), Rational::integer(3));
        let huge = &Rational::from_big(BigInt::from(10).pow(30)) / &Rational::integer(-7);
        assert!(huge.floor() < huge && &huge.floor() + &Rational::one() > huge);
    }

    #[test]
    fn decimals_are_read_exactly() {
        assert_eq!(Rational::parse("1.25"), Some(ratio(5, 4)));
        assert_eq!(Rational::parse("007"), Some(Rational::integer(7)));
        assert_eq!(Rational::parse("1."), Some(Rational::one()));
        assert_eq!(Rational::parse("."), None);
        assert_eq!(Rational::parse(".5"), None);
    }
}
