//! Sums, products, quotients, roots and remainders of unpacked numbers.

use super::circuit::{Circuit, bits_for};
use super::unpacked::{Unpacked, bias, exponent_width, least_exponent};
use entail_first_order::{Format, Rounding, TermId};

/// How many subtractions a remainder may unfold to.
const MOST_SUBTRACTIONS: u64 = 5_000;

impl Circuit<'_> {
    /// The sum of two finite numbers with significands of one width, rounded; an exact zero has the sign the mode gives it.
    fn finite_sum(&mut self, format: Format, mode: TermId, a: Unpacked, b: Unpacked) -> TermId {
        let precision = self.width(a.significand);
        let wide = self.width(a.exponent).max(self.width(b.exponent)) + 1;
        let (ea, eb) = (
            self.widen_signed(a.exponent, wide),
            self.widen_signed(b.exponent, wide),
        );
        let swaps = self.less_signed(ea, eb);
        let large_exponent = self.ite(swaps, eb, ea);
        let small_exponent = self.ite(swaps, ea, eb);
        let large = self.ite(swaps, b.significand, a.significand);
        let small = self.ite(swaps, a.significand, b.significand);
        let negative = self.ite(swaps, b.negative, a.negative);
        let width = 2 * precision + 3;
        let distance = self.sub(large_exponent, small_exponent);
        let distance = self.cap(distance, width);
        let prepare = |circuit: &mut Self, significand: TermId| {
            let padded = circuit.pad(significand, precision + 2);
            circuit.widen(padded, width)
        };
        let (large, small) = (prepare(self, large), prepare(self, small));
        let (small, lost) = self.shift_out(small, distance);
        let sticky = self.flag(lost, width);
        let small = self
            .terms
            .word_binary(entail_first_order::Op::WordOr, small, sticky);
        let subtracts = self.xor(a.negative, b.negative);
        let total = self.add(large, small);
        let difference = self.sub(large, small);
        let sum = self.ite(subtracts, difference, total);
        let top = self.bit(sum, width - 1);
        let is_below = self.and(&[subtracts, top]);
        let opposite = self.neg(sum);
        let magnitude = self.ite(is_below, opposite, sum);
        let negative = self.xor(negative, is_below);
        let count = wide.max(bits_for(u64::from(width))) + 2;
        let (normal, distance) = self.normalize(magnitude, count);
        let exponent = self.widen_signed(large_exponent, count);
        let one = self.constant(1, count);
        let exponent = self.add(exponent, one);
        let exponent = self.sub(exponent, distance);
        let rounded = self.round(format, mode, negative, exponent, normal);
        let is_zero = self.is_zero(magnitude);
        let down = self.is_down(mode);
        let zero = self.signed_zero(format, down);
        self.ite(is_zero, zero, rounded)
    }

    /// A distance that is not negative, at most the number given, in few bits.
    fn cap(&mut self, distance: TermId, most: u32) -> TermId {
        let width = self.width(distance);
        let needed = bits_for(u64::from(most)) + 1;
        if width <= needed {
            return distance;
        }
        let limit = self.constant(i64::from(most), width);
        let is_less = self.less(distance, limit);
        let capped = self.ite(is_less, distance, limit);
        self.slice(capped, needed - 1, 0)
    }

    pub fn float_add(&mut self, format: Format, mode: TermId, x: TermId, y: TermId) -> TermId {
        let (a, b) = (self.unpack(format, x), self.unpack(format, y));
        let finite = self.finite_sum(format, mode, a, b);
        let both_zero = self.and(&[a.zero, b.zero]);
        let signs_differ = self.xor(a.negative, b.negative);
        let down = self.is_down(mode);
        let mixed = self.signed_zero(format, down);
        let zero = self.ite(signs_differ, mixed, x);
        let result = self.ite(b.zero, x, finite);
        let result = self.ite(a.zero, y, result);
        let result = self.ite(both_zero, zero, result);
        self.sum_specials(format, a, b, result)
    }

    /// Infinities and NaN of a sum.
    fn sum_specials(&mut self, format: Format, a: Unpacked, b: Unpacked, result: TermId) -> TermId {
        let signs_differ = self.xor(a.negative, b.negative);
        let clash = self.and(&[a.infinite, b.infinite, signs_differ]);
        let is_nan = self.or(&[a.nan, b.nan, clash]);
        let (left, right) = (
            self.signed_infinity(format, a.negative),
            self.signed_infinity(format, b.negative),
        );
        let nan = self.nan(format);
        let result = self.ite(b.infinite, right, result);
        let result = self.ite(a.infinite, left, result);
        self.ite(is_nan, nan, result)
    }

    /// The exact product of two numbers: twice the bits of significand, one more of exponent plus one.
    fn exact_product(&mut self, a: Unpacked, b: Unpacked) -> Unpacked {
        let precision = self.width(a.significand);
        let wide = self.width(a.exponent) + 2;
        let (x, y) = (
            self.widen(a.significand, 2 * precision),
            self.widen(b.significand, 2 * precision),
        );
        let product = self.mul(x, y);
        let top = self.bit(product, 2 * precision - 1);
        let low = self.slice(product, 2 * precision - 2, 0);
        let moved = self.pad(low, 1);
        let significand = self.ite(top, product, moved);
        let (ea, eb) = (
            self.widen_signed(a.exponent, wide),
            self.widen_signed(b.exponent, wide),
        );
        let sum = self.add(ea, eb);
        let one = self.flag(top, wide);
        let exponent = self.add(sum, one);
        let (infinite_zero, zero_infinite) =
            (self.and(&[a.infinite, b.zero]), self.and(&[a.zero, b.infinite]));
        Unpacked {
            nan: self.or(&[a.nan, b.nan, infinite_zero, zero_infinite]),
            infinite: self.or(&[a.infinite, b.infinite]),
            zero: self.or(&[a.zero, b.zero]),
            negative: self.xor(a.negative, b.negative),
            exponent,
            significand,
        }
    }

    /// A rounded result with the classes of a number: NaN first, then infinity, then zero.
    fn classify(&mut self, format: Format, number: Unpacked, rounded: TermId) -> TermId {
        let (zero, infinity) = (
            self.signed_zero(format, number.negative),
            self.signed_infinity(format, number.negative),
        );
        let nan = self.nan(format);
        let result = self.ite(number.zero, zero, rounded);
        let result = self.ite(number.infinite, infinity, result);
        self.ite(number.nan, nan, result)
    }

    pub fn float_mul(&mut self, format: Format, mode: TermId, x: TermId, y: TermId) -> TermId {
        let (a, b) = (self.unpack(format, x), self.unpack(format, y));
        let product = self.exact_product(a, b);
        let rounded = self.round(
            format,
            mode,
            product.negative,
            product.exponent,
            product.significand,
        );
        self.classify(format, product, rounded)
    }

    pub fn float_fma(&mut self, format: Format, mode: TermId, x: TermId, y: TermId, z: TermId) -> TermId {
        let (a, b, c) = (
            self.unpack(format, x),
            self.unpack(format, y),
            self.unpack(format, z),
        );
        let product = self.exact_product(a, b);
        let wide = self.width(product.exponent);
        let exponent = self.widen_signed(c.exponent, wide);
        // A zero must not decide the alignment.
        let exponent = self.ite(c.zero, product.exponent, exponent);
        let significand = self.pad(c.significand, format.significand);
        let added = Unpacked {
            exponent,
            significand,
            ..c
        };
        let finite = self.finite_sum(format, mode, product, added);
        let both_zero = self.and(&[product.zero, c.zero]);
        let signs_differ = self.xor(product.negative, c.negative);
        let down = self.is_down(mode);
        let mixed = self.signed_zero(format, down);
        let zero = self.ite(signs_differ, mixed, z);
        let result = self.ite(product.zero, z, finite);
        let result = self.ite(both_zero, zero, result);
        self.sum_specials(format, product, c, result)
    }

    pub fn float_div(&mut self, format: Format, mode: TermId, x: TermId, y: TermId) -> TermId {
        let (a, b) = (self.unpack(format, x), self.unpack(format, y));
        let precision = format.significand;
        let width = 2 * precision + 3;
        let dividend = self.pad(a.significand, precision + 2);
        let dividend = self.widen(dividend, width);
        let divisor = self.widen(b.significand, width);
        let (quotient, rest) = self.divide(dividend, divisor);
        let quotient = self.slice(quotient, precision + 2, 0);
        let some = self.any(rest);
        let sticky = self.flag(some, 1);
        let exact = self.join(quotient, sticky);
        let top = self.bit(exact, precision + 3);
        let low = self.slice(exact, precision + 2, 0);
        let moved = self.pad(low, 1);
        let significand = self.ite(top, exact, moved);
        let wide = exponent_width(format) + 2;
        let (ea, eb) = (
            self.widen_signed(a.exponent, wide),
            self.widen_signed(b.exponent, wide),
        );
        let difference = self.sub(ea, eb);
        let (zero, minus) = (self.zeros(wide), self.constant(-1, wide));
        let correction = self.ite(top, zero, minus);
        let exponent = self.add(difference, correction);
        let negative = self.xor(a.negative, b.negative);
        let rounded = self.round(format, mode, negative, exponent, significand);
        let (both_infinite, both_zero) = (self.and(&[a.infinite, b.infinite]), self.and(&[a.zero, b.zero]));
        let number = Unpacked {
            nan: self.or(&[a.nan, b.nan, both_infinite, both_zero]),
            infinite: self.or(&[a.infinite, b.zero]),
            zero: self.or(&[a.zero, b.infinite]),
            negative,
            exponent,
            significand,
        };
        self.classify(format, number, rounded)
    }

    pub fn float_sqrt(&mut self, format: Format, mode: TermId, x: TermId) -> TermId {
        let a = self.unpack(format, x);
        let precision = format.significand;
        let wide = self.width(a.exponent);
        // An odd exponent gives one bit to the significand.
        let is_odd = self.bit(a.exponent, 0);
        let doubled = self.pad(a.significand, 1);
        let plain = self.widen(a.significand, precision + 1);
        let radicand = self.ite(is_odd, doubled, plain);
        let radicand = self.pad(radicand, precision + 3);
        let pairs = precision + 2;
        let width = precision + 5;
        let mut rest = self.zeros(width);
        let mut root = self.zeros(width);
        for pair in (0..pairs).rev() {
            let next = self.slice(radicand, 2 * pair + 1, 2 * pair);
            let kept = self.slice(rest, width - 3, 0);
            rest = self.join(kept, next);
            let kept = self.slice(root, width - 3, 0);
            let one = self.constant(1, 2);
            let trial = self.join(kept, one);
            let too_large = self.less(rest, trial);
            let difference = self.sub(rest, trial);
            rest = self.ite(too_large, rest, difference);
            let kept = self.slice(root, width - 2, 0);
            let (zero, one) = (self.constant(0, 1), self.constant(1, 1));
            let digit = self.ite(too_large, zero, one);
            root = self.join(kept, digit);
        }
        let root = self.slice(root, pairs - 1, 0);
        let some = self.any(rest);
        let sticky = self.flag(some, 1);
        let significand = self.join(root, sticky);
        let halved = self.slice(a.exponent, wide - 1, 1);
        let falsehood = self.truth(false);
        let rounded = self.round(format, mode, falsehood, halved, significand);
        let (zero, infinity, nan) = (
            self.signed_zero(format, a.negative),
            self.signed_infinity(format, falsehood),
            self.nan(format),
        );
        let result = self.ite(a.infinite, infinity, rounded);
        let is_wrong = self.or(&[a.nan, a.negative]);
        let result = self.ite(is_wrong, nan, result);
        let zero_result = self.ite(a.zero, zero, result);
        self.ite(a.nan, nan, zero_result)
    }

    /// The remainder by long division; nothing if the exponents' range is too large.
    pub fn float_remainder(&mut self, format: Format, x: TermId, y: TermId) -> Option<TermId> {
        let precision = format.significand;
        let span = (bias(format) - least_exponent(format)) as u64 + u64::from(precision);
        if span > MOST_SUBTRACTIONS {
            return None;
        }
        let (a, b) = (self.unpack(format, x), self.unpack(format, y));
        let wide = exponent_width(format) + 1;
        let (ea, eb) = (
            self.widen_signed(a.exponent, wide),
            self.widen_signed(b.exponent, wide),
        );
        let difference = self.sub(ea, eb);
        let width = precision + 1;
        let divisor = self.widen(b.significand, width);
        let mut rest = self.widen(a.significand, width);
        let mut is_odd = self.truth(false);
        for position in (0..=span as i64).rev() {
            let here = self.constant(position, wide);
            let before = self.less_signed(difference, here);
            let active = self.not(before);
            let too_small = self.less(rest, divisor);
            let less = self.sub(rest, divisor);
            let reduced = self.ite(too_small, rest, less);
            let digit = self.not(too_small);
            is_odd = self.and(&[active, digit]);
            let next = if position > 0 {
                let low = self.slice(reduced, width - 2, 0);
                self.pad(low, 1)
            } else {
                reduced
            };
            rest = self.ite(active, next, rest);
        }
        // In units of half the divisor's last place: the rest doubled, or the dividend itself if its exponent is one less.
        let minus = self.constant(-1, wide);
        let is_half = self.eq(difference, minus);
        let low = self.slice(rest, width - 2, 0);
        let doubled = self.pad(low, 1);
        let dividend = self.widen(a.significand, width);
        let amount = self.ite(is_half, dividend, doubled);
        let above = self.less(divisor, amount);
        let tie = self.eq(divisor, amount);
        let tie = self.and(&[tie, is_odd]);
        let takes_next = self.or(&[above, tie]);
        let low = self.slice(divisor, width - 2, 0);
        let whole = self.pad(low, 1);
        let opposite = self.sub(whole, amount);
        let magnitude = self.ite(takes_next, opposite, amount);
        let negative = self.xor(a.negative, takes_next);
        let count = wide.max(bits_for(u64::from(width))) + 2;
        let (normal, distance) = self.normalize(magnitude, count);
        let exponent = self.widen_signed(eb, count);
        let exponent = self.sub(exponent, distance);
        let mode = self.constant(Rounding::NearestEven.index() as i64, 3);
        let rounded = self.round(format, mode, negative, exponent, normal);
        let is_zero = self.is_zero(magnitude);
        let zero = self.signed_zero(format, a.negative);
        let result = self.ite(is_zero, zero, rounded);
        let is_less = self.less_signed(difference, minus);
        let keeps = self.or(&[is_less, a.zero, b.infinite]);
        let result = self.ite(keeps, x, result);
        let is_nan = self.or(&[a.nan, b.nan, a.infinite, b.zero]);
        let nan = self.nan(format);
        Some(self.ite(is_nan, nan, result))
    }
}
