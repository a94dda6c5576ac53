//! Words as values of a small circuit language: the notation the translation of floating-point numbers is written in.
//!
//! Everything is a term of words or truth values; constants fold when terms are built. Widths are explicit, nothing is extended silently.

use entail_first_order::{Op, SortId, TermId, Terms, mask};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// The terms circuits are built in.
pub(super) struct Circuit<'a> {
    pub terms: &'a mut Terms,
}

impl Circuit<'_> {
    pub fn width(&self, a: TermId) -> u32 {
        self.terms.width(a)
    }

    /// A constant; negative numbers as two's complement.
    pub fn constant(&mut self, value: i64, width: u32) -> TermId {
        let word = match value < 0 {
            true => ((BigUint::one() << width) - BigUint::from(value.unsigned_abs())) & mask(width),
            false => BigUint::from(value.unsigned_abs()) & mask(width),
        };
        self.terms.word(word, width)
    }

    pub fn word(&mut self, value: BigUint, width: u32) -> TermId {
        self.terms.word(value, width)
    }

    pub fn zeros(&mut self, width: u32) -> TermId {
        self.terms.word(BigUint::zero(), width)
    }

    pub fn add(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.word_binary(Op::WordAdd, a, b)
    }

    pub fn neg(&mut self, a: TermId) -> TermId {
        self.terms.word_unary(Op::WordNeg, a)
    }

    pub fn sub(&mut self, a: TermId, b: TermId) -> TermId {
        let negative = self.neg(b);
        self.add(a, negative)
    }

    pub fn mul(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.word_binary(Op::WordMul, a, b)
    }

    /// Shift to the left; the distance has the width of the word.
    pub fn shl(&mut self, a: TermId, by: TermId) -> TermId {
        self.terms.word_binary(Op::ShiftLeft, a, by)
    }

    /// Shift to the right with zeros.
    pub fn shr(&mut self, a: TermId, by: TermId) -> TermId {
        self.terms.word_binary(Op::ShiftRight, a, by)
    }

    pub fn less(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.word_less(a, b)
    }

    pub fn less_signed(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.word_less_signed(a, b)
    }

    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.eq(a, b)
    }

    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        self.terms.ite(c, a, b)
    }

    pub fn and(&mut self, parts: &[TermId]) -> TermId {
        self.terms.and(parts)
    }

    pub fn or(&mut self, parts: &[TermId]) -> TermId {
        self.terms.or(parts)
    }

    pub fn not(&mut self, a: TermId) -> TermId {
        self.terms.not(a)
    }

    pub fn xor(&mut self, a: TermId, b: TermId) -> TermId {
        self.terms.xor(a, b)
    }

    /// Bits from `high` down to `low`.
    pub fn slice(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        self.terms.extract(a, high, low)
    }

    pub fn join(&mut self, high: TermId, low: TermId) -> TermId {
        self.terms.concat(high, low)
    }

    /// Zeros in front, up to this width.
    pub fn widen(&mut self, a: TermId, width: u32) -> TermId {
        let by = width - self.width(a);
        if by == 0 { a } else { self.terms.zero_extend(a, by) }
    }

    /// The sign in front, up to this width.
    pub fn widen_signed(&mut self, a: TermId, width: u32) -> TermId {
        let by = width - self.width(a);
        if by == 0 { a } else { self.terms.sign_extend(a, by) }
    }

    /// Zeros behind.
    pub fn pad(&mut self, a: TermId, zeros: u32) -> TermId {
        if zeros == 0 {
            return a;
        }
        let low = self.zeros(zeros);
        self.join(a, low)
    }

    /// Whether a bit is set.
    pub fn bit(&mut self, a: TermId, at: u32) -> TermId {
        let bit = self.slice(a, at, at);
        let one = self.constant(1, 1);
        self.eq(bit, one)
    }

    /// Whether no bit is set.
    pub fn is_zero(&mut self, a: TermId) -> TermId {
        let zero = self.zeros(self.terms.width(a));
        self.eq(a, zero)
    }

    /// Whether some bit is set.
    pub fn any(&mut self, a: TermId) -> TermId {
        let none = self.is_zero(a);
        self.not(none)
    }

    /// 1 or 0 as a word.
    pub fn flag(&mut self, truth: TermId, width: u32) -> TermId {
        let (one, zero) = (self.constant(1, width), self.zeros(width));
        self.ite(truth, one, zero)
    }

    /// A shift to the right by a distance of another width, at most the word's width, with the bits that are lost as one bit.
    pub fn shift_out(&mut self, a: TermId, by: TermId) -> (TermId, TermId) {
        let (width, given) = (self.width(a), self.width(by));
        let distance = if given > width {
            self.slice(by, width - 1, 0)
        } else {
            self.widen(by, width)
        };
        let moved = self.shr(a, distance);
        let back = self.shl(moved, distance);
        let same = self.eq(back, a);
        (moved, self.not(same))
    }

    /// Shifts the first one to the top; how far, as a word of the width given, which holds the number.
    pub fn normalize(&mut self, a: TermId, count_width: u32) -> (TermId, TermId) {
        let width = self.width(a);
        let mut word = a;
        let mut count = self.zeros(count_width);
        let mut stage = 1u32;
        while stage * 2 < width {
            stage *= 2;
        }
        while stage > 0 {
            if stage < width {
                let top = self.slice(word, width - 1, width - stage);
                let is_clear = self.is_zero(top);
                let low = self.slice(word, width - 1 - stage, 0);
                let moved = self.pad(low, stage);
                word = self.ite(is_clear, moved, word);
                let distance = self.constant(i64::from(stage), count_width);
                let more = self.add(count, distance);
                count = self.ite(is_clear, more, count);
            }
            stage /= 2;
        }
        (word, count)
    }

    /// Quotient and remainder, unsigned.
    pub fn divide(&mut self, a: TermId, b: TermId) -> (TermId, TermId) {
        (
            self.terms.word_binary(Op::WordDivide, a, b),
            self.terms.word_binary(Op::WordRemainder, a, b),
        )
    }

    /// A truth value that is known.
    pub fn truth(&mut self, value: bool) -> TermId {
        debug_assert_eq!(self.terms.sort_of(self.terms.truth()), SortId::BOOL);
        self.terms.bool(value)
    }
}

/// Bits that hold a number that is not negative.
pub(super) fn bits_for(value: u64) -> u32 {
    64 - value.leading_zeros()
}
