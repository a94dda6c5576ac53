//! Conversions, whole numbers, orders and tests.

use super::circuit::{Circuit, bits_for};
use super::unpacked::{exponent_width, least_exponent};
use entail_first_order::{FloatOp, Format, Rational, Rounding, SortId, TermId};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// How many bits the exact value of a number as a real may have.
const MOST_REAL_BITS: u64 = 700;

impl Circuit<'_> {
    pub fn float_round_to_integral(&mut self, format: Format, mode: TermId, x: TermId) -> TermId {
        let a = self.unpack(format, x);
        let precision = format.significand;
        let wide = self.width(a.exponent).max(bits_for(u64::from(precision)) + 1) + 1;
        let exponent = self.widen_signed(a.exponent, wide);
        let whole = self.constant(i64::from(precision) - 1, wide);
        let distance = self.sub(whole, exponent);
        let zero = self.zeros(wide);
        let is_large = {
            let positive = self.less_signed(zero, distance);
            self.not(positive)
        };
        let most = self.constant(i64::from(precision) + 1, wide);
        let is_far = self.less_signed(most, distance);
        let distance = self.ite(is_far, most, distance);
        let padded = self.pad(a.significand, 2);
        let (moved, lost) = self.shift_out(padded, distance);
        let integer = self.slice(moved, precision + 1, 2);
        let (guard, low) = (self.bit(moved, 1), self.bit(moved, 0));
        let sticky = self.or(&[low, lost]);
        let last = self.bit(integer, 0);
        let increments = self.rounds_up(mode, a.negative, last, guard, sticky);
        let integer = self.widen(integer, precision + 1);
        let increment = self.flag(increments, precision + 1);
        let integer = self.add(integer, increment);
        let (normal, count) = self.normalize(integer, wide);
        let top = self.constant(i64::from(precision), wide);
        let exponent = self.sub(top, count);
        let rounded = self.round(format, mode, a.negative, exponent, normal);
        let is_zero = self.is_zero(integer);
        let zero = self.signed_zero(format, a.negative);
        let result = self.ite(is_zero, zero, rounded);
        let keeps = self.or(&[is_large, a.nan, a.infinite, a.zero]);
        self.ite(keeps, x, result)
    }

    pub fn float_convert(&mut self, from: Format, to: Format, mode: TermId, x: TermId) -> TermId {
        let a = self.unpack(from, x);
        let rounded = self.round(to, mode, a.negative, a.exponent, a.significand);
        let zero = self.signed_zero(to, a.negative);
        let infinity = self.signed_infinity(to, a.negative);
        let nan = self.nan(to);
        let result = self.ite(a.zero, zero, rounded);
        let result = self.ite(a.infinite, infinity, result);
        self.ite(a.nan, nan, result)
    }

    pub fn float_from_word(&mut self, to: Format, mode: TermId, word: TermId, is_signed: bool) -> TermId {
        let width = self.width(word);
        let negative = if is_signed {
            self.bit(word, width - 1)
        } else {
            self.truth(false)
        };
        let opposite = self.neg(word);
        let magnitude = self.ite(negative, opposite, word);
        let wide = bits_for(u64::from(width)) + 2;
        let (normal, count) = self.normalize(magnitude, wide);
        let top = self.constant(i64::from(width) - 1, wide);
        let exponent = self.sub(top, count);
        let rounded = self.round(to, mode, negative, exponent, normal);
        let is_zero = self.is_zero(word);
        let zero = self.zeros(to.width());
        self.ite(is_zero, zero, rounded)
    }

    /// A number as a word of a width, and whether it fits.
    pub fn float_to_word(
        &mut self,
        from: Format,
        mode: TermId,
        x: TermId,
        width: u32,
        is_signed: bool,
    ) -> (TermId, TermId) {
        let a = self.unpack(from, x);
        let precision = from.significand;
        let fraction = precision + 1;
        let total = width + 2 + fraction;
        let wide = self.width(a.exponent).max(bits_for(u64::from(total)) + 1) + 2;
        let exponent = self.widen_signed(a.exponent, wide);
        let limit = self.constant(i64::from(width), wide);
        let is_large = self.less_signed(limit, exponent);
        let minus_two = self.constant(-2, wide);
        let is_tiny = self.less_signed(exponent, minus_two);
        let two = self.constant(2, wide);
        let distance = self.add(exponent, two);
        // Outside of the range the shift does not matter.
        let outside = self.or(&[is_large, is_tiny]);
        let zero = self.zeros(wide);
        let distance = self.ite(outside, zero, distance);
        let word = self.widen(a.significand, total);
        let distance = if wide > total {
            self.slice(distance, total - 1, 0)
        } else {
            self.widen(distance, total)
        };
        let fixed = self.shl(word, distance);
        let smallest = self.constant(1, total);
        let fixed = self.ite(is_tiny, smallest, fixed);
        let integer = self.slice(fixed, total - 1, fraction);
        let guard = self.bit(fixed, fraction - 1);
        let rest = self.slice(fixed, fraction - 2, 0);
        let sticky = self.any(rest);
        let last = self.bit(integer, 0);
        let increments = self.rounds_up(mode, a.negative, last, guard, sticky);
        let increment = self.flag(increments, width + 2);
        let integer = self.add(integer, increment);
        let none = self.zeros(width + 2);
        let integer = self.ite(a.zero, none, integer);
        let is_none = self.is_zero(integer);
        let fits_size = if is_signed {
            let half = self.word(BigUint::one() << (width - 1), width + 2);
            let below = self.less(integer, half);
            let exact = self.eq(integer, half);
            let least = self.and(&[exact, a.negative]);
            self.or(&[below, least])
        } else {
            let modulus = self.word(BigUint::one() << width, width + 2);
            let below = self.less(integer, modulus);
            let positive = self.not(a.negative);
            let fits_sign = self.or(&[positive, is_none]);
            self.and(&[below, fits_sign])
        };
        let not_large = self.not(is_large);
        let sized = self.and(&[fits_size, not_large]);
        let sized = self.or(&[sized, a.zero]);
        let special = self.or(&[a.nan, a.infinite]);
        let ordinary = self.not(special);
        let fits = self.and(&[sized, ordinary]);
        let low = self.slice(integer, width - 1, 0);
        let opposite = self.neg(low);
        let signed = self.ite(a.negative, opposite, low);
        let nothing = self.zeros(width);
        (self.ite(fits, signed, nothing), fits)
    }

    /// A number as a real; nothing if it would have too many bits.
    pub fn float_to_real(&mut self, from: Format, x: TermId) -> Option<TermId> {
        let a = self.unpack(from, x);
        let precision = i64::from(from.significand);
        let least = least_exponent(from) - (precision - 1);
        let span = (super::unpacked::bias(from) - least) as u64;
        let total = span + u64::from(from.significand);
        if total > MOST_REAL_BITS {
            return None;
        }
        let total = total as u32;
        let wide = exponent_width(from) + 1;
        let exponent = self.widen_signed(a.exponent, wide);
        let lowest = self.constant(least, wide);
        let distance = self.sub(exponent, lowest);
        let distance = if wide > total {
            self.slice(distance, total - 1, 0)
        } else {
            self.widen(distance, total)
        };
        let word = self.widen(a.significand, total);
        let fixed = self.shl(word, distance);
        let zero = self.terms.numeral(Rational::zero(), SortId::REAL);
        let mut parts = Vec::new();
        for bit in 0..total {
            let power = i64::from(bit) + least - (precision - 1);
            let weight = Rational::from_big(BigInt::one() << power.unsigned_abs());
            let weight = if power < 0 { weight.recip() } else { weight };
            let weight = self.terms.numeral(weight, SortId::REAL);
            let is_set = self.bit(fixed, bit);
            parts.push(self.ite(is_set, weight, zero));
        }
        let size = self.terms.add(&parts, SortId::REAL);
        let opposite = self.terms.neg(size);
        let value = self.ite(a.negative, opposite, size);
        let special = self.or(&[a.nan, a.infinite, a.zero]);
        Some(self.ite(special, zero, value))
    }

    /// A written real number in the mode that a word says.
    pub fn float_from_number(&mut self, to: Format, mode: TermId, value: &Rational) -> Option<TermId> {
        let own = self.terms.float_sort(to);
        let real = self.terms.numeral(value.clone(), SortId::REAL);
        let mut result = None;
        for which in Rounding::ALL {
            let rounding = self.terms.rounding(which);
            let number = self.terms.float_term(FloatOp::FromReal, &[rounding, real], own);
            let bits = match self.terms.literal(number)? {
                entail_first_order::Value::Word(bits) => bits,
                _ => return None,
            };
            let word = self.word(bits, to.width());
            let number = self.constant(which.index() as i64, 3);
            let is_mode = self.eq(mode, number);
            result = Some(match result {
                None => word,
                Some(others) => self.ite(is_mode, word, others),
            });
        }
        result
    }

    /// Orders of numbers; NaN is in none.
    pub fn float_order(&mut self, op: FloatOp, format: Format, x: TermId, y: TermId) -> TermId {
        let (x_nan, y_nan) = (self.is_nan(format, x), self.is_nan(format, y));
        let unordered = self.or(&[x_nan, y_nan]);
        let ordered = self.not(unordered);
        let top = format.width() - 1;
        let (xn, yn) = (self.bit(x, top), self.bit(y, top));
        let (xm, ym) = (self.slice(x, top - 1, 0), self.slice(y, top - 1, 0));
        let (x_zero, y_zero) = (self.is_zero(xm), self.is_zero(ym));
        let zeros = self.and(&[x_zero, y_zero]);
        let same = self.eq(x, y);
        let equal = self.or(&[same, zeros]);
        let less = {
            let (below, above) = (self.less(xm, ym), self.less(ym, xm));
            let by_size = self.ite(xn, above, below);
            let signs = self.xor(xn, yn);
            let by_sign = self.ite(signs, xn, by_size);
            let differ = self.not(equal);
            self.and(&[by_sign, differ])
        };
        match op {
            FloatOp::Less => self.and(&[ordered, less]),
            FloatOp::Equal => self.and(&[ordered, equal]),
            _ => {
                let either = self.or(&[less, equal]);
                self.and(&[ordered, either])
            }
        }
    }

    /// Tests of a number's class and sign.
    pub fn float_test(&mut self, op: FloatOp, format: Format, x: TermId) -> TermId {
        let fraction_bits = format.significand - 1;
        let field = self.slice(x, format.width() - 2, fraction_bits);
        let fraction = self.slice(x, fraction_bits - 1, 0);
        let negative = self.bit(x, format.width() - 1);
        let ones = self.constant(-1, format.exponent);
        let (full, small, none) = (self.eq(field, ones), self.is_zero(field), self.is_zero(fraction));
        let some = self.not(none);
        let nan = self.and(&[full, some]);
        let number = self.not(nan);
        match op {
            FloatOp::IsNan => nan,
            FloatOp::IsInfinite => self.and(&[full, none]),
            FloatOp::IsZero => self.and(&[small, none]),
            FloatOp::IsSubnormal => self.and(&[small, some]),
            FloatOp::IsNegative => self.and(&[number, negative]),
            FloatOp::IsPositive => {
                let positive = self.not(negative);
                self.and(&[number, positive])
            }
            _ => {
                let neither = self.or(&[full, small]);
                self.not(neither)
            }
        }
    }
}
