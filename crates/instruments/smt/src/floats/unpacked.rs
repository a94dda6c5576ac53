//! Numbers taken apart, and put together with rounding.
//!
//! An unpacked number has its class as truth values, its exponent as two's complement, and a significand with the first bit set
//! (subnormal numbers are shifted; zero has the significand 0). `round` is the only place where bits are thrown away: it takes a
//! significand of any width with the first bit set, aligns it for subnormal results, and decides by guard bit, sticky bit and mode
//! (Brain, Schanda, Sun 2019).

use super::circuit::{Circuit, bits_for};
use entail_first_order::{Format, Rounding, TermId};

/// A number in its parts.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    pub nan: TermId,
    pub infinite: TermId,
    pub zero: TermId,
    pub negative: TermId,
    /// Two's complement, [`exponent_width`] bits unless said otherwise.
    pub exponent: TermId,
    /// `significand` bits of the format unless said otherwise; the first is worth `2^exponent`.
    pub significand: TermId,
}

/// The largest exponent, which is the bias too.
pub(super) fn bias(format: Format) -> i64 {
    (1i64 << (format.exponent - 1)) - 1
}

/// The least exponent of normal numbers.
pub(super) fn least_exponent(format: Format) -> i64 {
    1 - bias(format)
}

/// Bits of an exponent that reaches down to subnormal numbers.
pub(super) fn exponent_width(format: Format) -> u32 {
    bits_for((1u64 << (format.exponent - 1)) + u64::from(format.significand)) + 1
}

impl Circuit<'_> {
    /// Whether the bits are a NaN.
    pub fn is_nan(&mut self, format: Format, bits: TermId) -> TermId {
        let fraction_bits = format.significand - 1;
        let exponent = self.slice(bits, format.width() - 2, fraction_bits);
        let fraction = self.slice(bits, fraction_bits - 1, 0);
        let ones = self.constant(-1, format.exponent);
        let full = self.eq(exponent, ones);
        let any = self.any(fraction);
        self.and(&[full, any])
    }

    /// The bits with one pattern for NaN.
    pub fn canonical(&mut self, format: Format, bits: TermId) -> TermId {
        let is_nan = self.is_nan(format, bits);
        let nan = self.word(format.nan(), format.width());
        self.ite(is_nan, nan, bits)
    }

    pub fn unpack(&mut self, format: Format, bits: TermId) -> Unpacked {
        let fraction_bits = format.significand - 1;
        let wide = exponent_width(format);
        let negative = self.bit(bits, format.width() - 1);
        let field = self.slice(bits, format.width() - 2, fraction_bits);
        let fraction = self.slice(bits, fraction_bits - 1, 0);
        let ones = self.constant(-1, format.exponent);
        let is_full = self.eq(field, ones);
        let is_small = self.is_zero(field);
        let no_fraction = self.is_zero(fraction);
        let some_fraction = self.not(no_fraction);
        let one = self.constant(1, 1);
        let normal = self.join(one, fraction);
        let wide_field = self.widen(field, wide);
        let offset = self.constant(-bias(format), wide);
        let normal_exponent = self.add(wide_field, offset);
        let zero = self.constant(0, 1);
        let small = self.join(zero, fraction);
        let (shifted, distance) = self.normalize(small, wide);
        let least = self.constant(least_exponent(format), wide);
        let small_exponent = self.sub(least, distance);
        Unpacked {
            nan: self.and(&[is_full, some_fraction]),
            infinite: self.and(&[is_full, no_fraction]),
            zero: self.and(&[is_small, no_fraction]),
            negative,
            exponent: self.ite(is_small, small_exponent, normal_exponent),
            significand: self.ite(is_small, shifted, normal),
        }
    }

    fn is_mode(&mut self, mode: TermId, which: Rounding) -> TermId {
        let number = self.constant(which.index() as i64, 3);
        self.eq(mode, number)
    }

    /// Whether a magnitude with these last, guard and sticky bits is rounded away from zero.
    pub fn rounds_up(
        &mut self,
        mode: TermId,
        negative: TermId,
        last: TermId,
        guard: TermId,
        sticky: TermId,
    ) -> TermId {
        let inexact = self.or(&[guard, sticky]);
        let positive = self.not(negative);
        let more = self.or(&[sticky, last]);
        let even = self.is_mode(mode, Rounding::NearestEven);
        let away = self.is_mode(mode, Rounding::NearestAway);
        let up = self.is_mode(mode, Rounding::Up);
        let down = self.is_mode(mode, Rounding::Down);
        let cases = [
            self.and(&[even, guard, more]),
            self.and(&[away, guard]),
            self.and(&[up, positive, inexact]),
            self.and(&[down, negative, inexact]),
        ];
        self.or(&cases)
    }

    /// The number of this sign with a significand whose first bit is set and worth `2^exponent`, rounded.
    pub fn round(
        &mut self,
        format: Format,
        mode: TermId,
        negative: TermId,
        exponent: TermId,
        significand: TermId,
    ) -> TermId {
        let precision = format.significand;
        let short = (precision + 2).saturating_sub(self.width(significand));
        let significand = self.pad(significand, short);
        let width = self.width(significand);
        let wide = self
            .width(exponent)
            .max(exponent_width(format))
            .max(bits_for(u64::from(width)) + 1)
            + 2;
        let exponent = self.widen_signed(exponent, wide);
        let least = self.constant(least_exponent(format), wide);
        let is_small = self.less_signed(exponent, least);
        // Subnormal results are aligned to the least exponent; beyond the width everything is sticky.
        let deficit = self.sub(least, exponent);
        let most = self.constant(i64::from(width), wide);
        let is_far = self.less_signed(most, deficit);
        let capped = self.ite(is_far, most, deficit);
        let none = self.zeros(wide);
        let distance = self.ite(is_small, capped, none);
        let (aligned, lost) = self.shift_out(significand, distance);
        let kept = self.slice(aligned, width - 1, width - precision);
        let guard = self.bit(aligned, width - precision - 1);
        let rest = self.slice(aligned, width - precision - 2, 0);
        let some = self.any(rest);
        let sticky = self.or(&[some, lost]);
        let last = self.bit(kept, 0);
        let increments = self.rounds_up(mode, negative, last, guard, sticky);
        let kept = self.widen(kept, precision + 1);
        let increment = self.flag(increments, precision + 1);
        let sum = self.add(kept, increment);
        let carries = self.bit(sum, precision);
        let halved = self.slice(sum, precision, 1);
        let plain = self.slice(sum, precision - 1, 0);
        let result = self.ite(carries, halved, plain);
        let base = self.ite(is_small, least, exponent);
        let carry = self.flag(carries, wide);
        let final_exponent = self.add(base, carry);
        let largest = self.constant(bias(format), wide);
        let overflows = self.less_signed(largest, final_exponent);
        let is_normal = self.bit(result, precision - 1);
        let field = self.add(final_exponent, largest);
        let field = self.slice(field, format.exponent - 1, 0);
        let small_field = self.zeros(format.exponent);
        let field = self.ite(is_normal, field, small_field);
        let fraction = self.slice(result, precision - 2, 0);
        let magnitude = self.join(field, fraction);
        let beyond = self.beyond(format, mode, negative);
        let magnitude = self.ite(overflows, beyond, magnitude);
        let sign = self.flag(negative, 1);
        self.join(sign, magnitude)
    }

    /// What a result beyond the largest number becomes, without its sign.
    fn beyond(&mut self, format: Format, mode: TermId, negative: TermId) -> TermId {
        let positive = self.not(negative);
        let nearest = [Rounding::NearestEven, Rounding::NearestAway].map(|one| self.is_mode(mode, one));
        let up = self.is_mode(mode, Rounding::Up);
        let down = self.is_mode(mode, Rounding::Down);
        let outwards = [self.and(&[up, positive]), self.and(&[down, negative])];
        let is_infinite = self.or(&[nearest[0], nearest[1], outwards[0], outwards[1]]);
        let infinity = format.infinity(false);
        let largest = &infinity - num_bigint::BigUint::from(1u32);
        let infinity = self.word(infinity, format.width() - 1);
        let largest = self.word(largest, format.width() - 1);
        self.ite(is_infinite, infinity, largest)
    }

    /// A zero of this sign.
    pub fn signed_zero(&mut self, format: Format, negative: TermId) -> TermId {
        let sign = self.flag(negative, 1);
        self.pad(sign, format.width() - 1)
    }

    /// An infinity of this sign.
    pub fn signed_infinity(&mut self, format: Format, negative: TermId) -> TermId {
        let sign = self.flag(negative, 1);
        let rest = self.word(format.infinity(false), format.width() - 1);
        self.join(sign, rest)
    }

    pub fn nan(&mut self, format: Format) -> TermId {
        self.word(format.nan(), format.width())
    }

    /// Whether the mode is towards minus infinity: then exact zeros of sums are negative.
    pub fn is_down(&mut self, mode: TermId) -> TermId {
        self.is_mode(mode, Rounding::Down)
    }
}
