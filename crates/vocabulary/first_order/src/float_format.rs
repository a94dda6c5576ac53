//! Formats of floating-point numbers: bits, exact values, and rounding.
//!
//! A value is its bits, sign first. Rounding a rational is done once: the quantum is the distance of neighbours at the result's exponent,
//! and what is left over decides by the mode.

use crate::Rational;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// A format: bits of the exponent, and of the significand with its hidden bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the significand, the hidden one included.
    pub significand: u32,
}

/// How a result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// To the nearest, ties to even.
    NearestEven,
    /// To the nearest, ties away from zero.
    NearestAway,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// All modes; a mode's value is its place here.
    pub const ALL: [Rounding; 5] = [
        Rounding::NearestEven,
        Rounding::NearestAway,
        Rounding::Up,
        Rounding::Down,
        Rounding::Zero,
    ];

    /// Its place among all modes.
    pub fn index(self) -> usize {
        Rounding::ALL.iter().position(|&mode| mode == self).unwrap_or(0)
    }

    /// As SMT-LIB writes it.
    pub fn name(self) -> &'static str {
        ["RNE", "RNA", "RTP", "RTN", "RTZ"][self.index()]
    }
}

/// The class and exact value of a number.
pub(crate) enum Number {
    Nan,
    Infinite(bool),
    Zero(bool),
    Finite(Rational),
}

impl Format {
    /// Bits of a number.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// The largest exponent of finite numbers.
    fn largest_exponent(self) -> i64 {
        (1i64 << (self.exponent - 1)) - 1
    }

    pub(crate) fn fraction_bits(self) -> u32 {
        self.significand - 1
    }

    fn exponent_ones(self) -> BigUint {
        ((BigUint::one() << self.exponent) - BigUint::one()) << self.fraction_bits()
    }

    pub(crate) fn signed(self, bits: BigUint, is_negative: bool) -> BigUint {
        match is_negative {
            true => bits | (BigUint::one() << (self.width() - 1)),
            false => bits,
        }
    }

    /// The bits of NaN: positive, the first bit of the fraction set.
    pub fn nan(self) -> BigUint {
        self.exponent_ones() | (BigUint::one() << (self.fraction_bits() - 1))
    }

    /// The bits of an infinity.
    pub fn infinity(self, is_negative: bool) -> BigUint {
        self.signed(self.exponent_ones(), is_negative)
    }

    /// The bits of a zero.
    pub fn zero(self, is_negative: bool) -> BigUint {
        self.signed(BigUint::zero(), is_negative)
    }

    fn largest(self, is_negative: bool) -> BigUint {
        self.signed(self.exponent_ones() - BigUint::one(), is_negative)
    }

    pub(crate) fn is_negative(self, bits: &BigUint) -> bool {
        bits.bit(u64::from(self.width()) - 1)
    }

    pub(crate) fn magnitude(self, bits: &BigUint) -> BigUint {
        let mut magnitude = bits.clone();
        magnitude.set_bit(u64::from(self.width()) - 1, false);
        magnitude
    }

    /// Whether the bits are a NaN.
    pub fn is_nan(self, bits: &BigUint) -> bool {
        self.magnitude(bits) > self.exponent_ones()
    }

    pub(crate) fn is_infinite(self, bits: &BigUint) -> bool {
        self.magnitude(bits) == self.exponent_ones()
    }

    /// The same bits, with the one pattern for NaN.
    pub fn canonical(self, bits: BigUint) -> BigUint {
        match self.is_nan(&bits) {
            true => self.nan(),
            false => bits,
        }
    }

    pub(crate) fn is_exact(self) -> bool {
        self.exponent <= 18
    }

    pub(crate) fn number(self, bits: &BigUint) -> Option<Number> {
        let is_negative = self.is_negative(bits);
        let magnitude = self.magnitude(bits);
        if self.is_nan(bits) {
            return Some(Number::Nan);
        }
        if self.is_infinite(bits) {
            return Some(Number::Infinite(is_negative));
        }
        if magnitude.is_zero() {
            return Some(Number::Zero(is_negative));
        }
        if !self.is_exact() {
            return None;
        }
        let field = i64::try_from(&magnitude >> self.fraction_bits()).ok()?;
        let mut significand = &magnitude & &((BigUint::one() << self.fraction_bits()) - BigUint::one());
        let mut exponent = 1 - self.largest_exponent();
        if field > 0 {
            significand |= BigUint::one() << self.fraction_bits();
            exponent = field - self.largest_exponent();
        }
        let sign = if is_negative { Sign::Minus } else { Sign::Plus };
        let value = Rational::from_big(BigInt::from_biguint(sign, significand));
        let scale = power_of_two(exponent - i64::from(self.fraction_bits()));
        Some(Number::Finite(&value * &scale))
    }

    /// A number that is not zero, rounded.
    pub(crate) fn round(self, mode: Rounding, value: &Rational) -> BigUint {
        let size = value.abs();
        let exponent = floor_log(&size).max(1 - self.largest_exponent());
        let scaled = &size * &power_of_two(i64::from(self.fraction_bits()) - exponent);
        let (whole, rest) = split(&scaled);
        let position = (&rest + &rest).cmp(&Rational::one());
        self.assemble(
            mode,
            value.is_negative(),
            exponent,
            whole,
            rest.is_zero(),
            position,
        )
    }

    /// Puts a number together from its whole multiple of the quantum and what is left: whether nothing is, and how it compares to half.
    fn assemble(
        self,
        mode: Rounding,
        is_negative: bool,
        mut exponent: i64,
        mut multiple: BigUint,
        is_exact: bool,
        rest: Ordering,
    ) -> BigUint {
        let rounds_up = match mode {
            Rounding::NearestEven => rest == Ordering::Greater || rest == Ordering::Equal && multiple.bit(0),
            Rounding::NearestAway => rest != Ordering::Less,
            Rounding::Up => !is_exact && !is_negative,
            Rounding::Down => !is_exact && is_negative,
            Rounding::Zero => false,
        };
        if rounds_up {
            multiple += BigUint::one();
        }
        if multiple.bits() > u64::from(self.significand) {
            multiple >>= 1u32;
            exponent += 1;
        }
        if exponent > self.largest_exponent() {
            let is_infinite = match mode {
                Rounding::NearestEven | Rounding::NearestAway => true,
                Rounding::Up => !is_negative,
                Rounding::Down => is_negative,
                Rounding::Zero => false,
            };
            return match is_infinite {
                true => self.infinity(is_negative),
                false => self.largest(is_negative),
            };
        }
        // The hidden bit of a normal number adds one to the exponent's field.
        let field = match multiple.bits() == u64::from(self.significand) {
            true => (exponent + self.largest_exponent() - 1) as u64,
            false => 0,
        };
        self.signed(
            (BigUint::from(field) << self.fraction_bits()) + multiple,
            is_negative,
        )
    }

    /// A rational rounded, with this sign if it is zero.
    pub(crate) fn rounded(self, mode: Rounding, value: &Rational, zero_sign: bool) -> BigUint {
        match value.is_zero() {
            true => self.zero(zero_sign),
            false => self.round(mode, value),
        }
    }

    pub(crate) fn square_root(self, mode: Rounding, value: &Rational) -> BigUint {
        let exponent = floor_log(value).div_euclid(2).max(1 - self.largest_exponent());
        let scaled = value * &power_of_two(2 * (i64::from(self.fraction_bits()) - exponent));
        let root = scaled.floor().numerator().sqrt();
        let whole = Rational::from_big(root.clone());
        let is_exact = &whole * &whole == scaled;
        let double = &(&whole + &whole) + &Rational::one();
        let rest = (&scaled * &Rational::integer(4)).cmp(&(&double * &double));
        self.assemble(
            mode,
            false,
            exponent,
            root.to_biguint().unwrap_or_default(),
            is_exact,
            rest,
        )
    }
}

/// `2^exponent`.
fn power_of_two(exponent: i64) -> Rational {
    let power = Rational::from_big(BigInt::one() << exponent.unsigned_abs());
    if exponent < 0 { power.recip() } else { power }
}

/// The largest whole `e` with `2^e <= value`, which is positive.
fn floor_log(value: &Rational) -> i64 {
    let guess = value.numerator().bits() as i64 - value.denominator().bits() as i64;
    // The quotient is more than 2^(guess - 1) and less than 2^(guess + 1).
    if power_of_two(guess) <= *value {
        guess
    } else {
        guess - 1
    }
}

/// The whole part of a number that is not negative, and the rest.
fn split(value: &Rational) -> (BigUint, Rational) {
    let whole = value.floor();
    let rest = value - &whole;
    (whole.numerator().to_biguint().unwrap_or_default(), rest)
}
