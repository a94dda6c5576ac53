//! Building terms of words, and what SMT-LIB has besides, written with the operators there are.

use crate::{Op, Rational, SortId, TermId, Terms};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// `2^width - 1`.
pub fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - BigUint::one()
}

/// The value of an operator on word constants; `widths` are those of the operands.
pub fn word_operation(op: &Op, values: &[&BigUint], width: u32) -> Option<BigUint> {
    let all = mask(width);
    let modulus = || BigUint::one() << width;
    let shift = |by: &BigUint| u32::try_from(by).ok().filter(|&by| by < width);
    Some(match (op, values) {
        (Op::WordNot, [a]) => &all ^ *a,
        (Op::WordAnd, [a, b]) => *a & *b,
        (Op::WordOr, [a, b]) => *a | *b,
        (Op::WordXor, [a, b]) => *a ^ *b,
        (Op::WordNeg, [a]) => (modulus() - *a) & all,
        (Op::WordAdd, [a, b]) => (*a + *b) & all,
        (Op::WordMul, [a, b]) => (*a * *b) & all,
        (Op::WordDivide, [a, b]) => {
            if b.is_zero() {
                all
            } else {
                *a / *b
            }
        }
        (Op::WordRemainder, [a, b]) => {
            if b.is_zero() {
                (*a).clone()
            } else {
                *a % *b
            }
        }
        (Op::ShiftLeft, [a, b]) => shift(b).map_or_else(BigUint::zero, |by| (*a << by) & all),
        (Op::ShiftRight, [a, b]) => shift(b).map_or_else(BigUint::zero, |by| *a >> by),
        (Op::ShiftRightSigned, [a, b]) => {
            let is_negative = width > 0 && a.bit(u64::from(width) - 1);
            let by = shift(b).unwrap_or(width);
            let moved = *a >> by;
            if is_negative {
                moved | (&all ^ (&all >> by))
            } else {
                moved
            }
        }
        (Op::Extract(high, low), [a]) => (*a >> *low) & mask(high - low + 1),
        _ => return None,
    })
}

/// Whether a word is less than another as two's complement.
pub fn signed_less(a: &BigUint, b: &BigUint, width: u32) -> bool {
    let sign = u64::from(width.max(1)) - 1;
    match (a.bit(sign), b.bit(sign)) {
        (true, false) => true,
        (false, true) => false,
        _ => a < b,
    }
}

impl Terms {
    /// A word constant.
    pub fn word(&mut self, value: BigUint, width: u32) -> TermId {
        let sort = self.word_sort(width);
        self.make(Op::Word(value & mask(width)), &[], sort)
    }

    pub(crate) fn build_word(&mut self, op: Op, args: &[TermId], sort: SortId) -> TermId {
        match (&op, args) {
            (Op::WordLess, &[a, b]) => {
                return match (self.word_value(a), self.word_value(b)) {
                    (Some(x), Some(y)) => self.bool(x < y),
                    _ if a == b => self.falsehood(),
                    _ => self.make(op, args, sort),
                };
            }
            (Op::WordLessSigned, &[a, b]) => {
                let width = self.width(a);
                return match (self.word_value(a), self.word_value(b)) {
                    (Some(x), Some(y)) => self.bool(signed_less(x, y, width)),
                    _ if a == b => self.falsehood(),
                    _ => self.make(op, args, sort),
                };
            }
            (Op::Concat, &[high, low]) => {
                let (total, below) = (self.width(high) + self.width(low), self.width(low));
                return match (self.word_value(high), self.word_value(low)) {
                    (Some(x), Some(y)) => {
                        let value = (x << below) | y;
                        self.word(value, total)
                    }
                    _ => match self.word_law(&op, args) {
                        Some(simpler) => self.note_law(op, args, sort, simpler),
                        None => self.make(op, args, sort),
                    },
                };
            }
            (&Op::Extract(high, low), &[a]) if low == 0 && high + 1 == self.width(a) => return a,
            _ => {}
        }
        let width = args.first().map_or(0, |&arg| self.width(arg));
        let values: Option<Vec<&BigUint>> = args.iter().map(|&arg| self.word_value(arg)).collect();
        if let Some(value) = values.and_then(|values| word_operation(&op, &values, width)) {
            return self.make(Op::Word(value), &[], sort);
        }
        if let Some(simpler) = self.word_law(&op, args) {
            return self.note_law(op, args, sort, simpler);
        }
        self.make(op, args, sort)
    }

    /// A binary operator on words of one width.
    pub fn word_binary(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.build(op, &[a, b], self.sort_of(a))
    }

    /// Complement or two's complement.
    pub fn word_unary(&mut self, op: Op, a: TermId) -> TermId {
        self.build(op, &[a], self.sort_of(a))
    }

    /// Unsigned less than.
    pub fn word_less(&mut self, a: TermId, b: TermId) -> TermId {
        self.build(Op::WordLess, &[a, b], SortId::BOOL)
    }

    /// Signed less than.
    pub fn word_less_signed(&mut self, a: TermId, b: TermId) -> TermId {
        self.build(Op::WordLessSigned, &[a, b], SortId::BOOL)
    }

    /// The bits from `high` down to `low`.
    pub fn extract(&mut self, a: TermId, high: u32, low: u32) -> TermId {
        let sort = self.word_sort(high - low + 1);
        self.build(Op::Extract(high, low), &[a], sort)
    }

    /// One word after another.
    pub fn concat(&mut self, high: TermId, low: TermId) -> TermId {
        let sort = self.word_sort(self.width(high) + self.width(low));
        self.build(Op::Concat, &[high, low], sort)
    }

    /// With zeros in front.
    pub fn zero_extend(&mut self, a: TermId, by: u32) -> TermId {
        match by {
            0 => a,
            _ => {
                let zeros = self.word(BigUint::zero(), by);
                self.concat(zeros, a)
            }
        }
    }

    /// With copies of the sign in front.
    pub fn sign_extend(&mut self, a: TermId, by: u32) -> TermId {
        if by == 0 {
            return a;
        }
        let is_negative = self.is_negative_word(a);
        let (ones, zeros) = (self.word(mask(by), by), self.word(BigUint::zero(), by));
        let front = self.ite(is_negative, ones, zeros);
        self.concat(front, a)
    }

    fn is_negative_word(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let sign = self.extract(a, width - 1, width - 1);
        let one = self.word(BigUint::one(), 1);
        self.eq(sign, one)
    }

    fn magnitude(&mut self, a: TermId) -> TermId {
        let is_negative = self.is_negative_word(a);
        let negated = self.word_unary(Op::WordNeg, a);
        self.ite(is_negative, negated, a)
    }

    /// `bvsdiv`: the quotient towards zero.
    pub fn word_signed_divide(&mut self, a: TermId, b: TermId) -> TermId {
        let (na, nb) = (self.is_negative_word(a), self.is_negative_word(b));
        let (ma, mb) = (self.magnitude(a), self.magnitude(b));
        let quotient = self.word_binary(Op::WordDivide, ma, mb);
        let negated = self.word_unary(Op::WordNeg, quotient);
        let differ = self.xor(na, nb);
        self.ite(differ, negated, quotient)
    }

    /// `bvsrem`: the remainder with the sign of the dividend.
    pub fn word_signed_remainder(&mut self, a: TermId, b: TermId) -> TermId {
        let na = self.is_negative_word(a);
        let (ma, mb) = (self.magnitude(a), self.magnitude(b));
        let rest = self.word_binary(Op::WordRemainder, ma, mb);
        let negated = self.word_unary(Op::WordNeg, rest);
        self.ite(na, negated, rest)
    }

    /// `bvsmod`: the remainder with the sign of the divisor.
    pub fn word_signed_modulo(&mut self, a: TermId, b: TermId) -> TermId {
        let (na, nb) = (self.is_negative_word(a), self.is_negative_word(b));
        let (ma, mb) = (self.magnitude(a), self.magnitude(b));
        let rest = self.word_binary(Op::WordRemainder, ma, mb);
        let zero = self.word(BigUint::zero(), self.width(a));
        let is_zero = self.eq(rest, zero);
        let negated = self.word_unary(Op::WordNeg, rest);
        // Signs (a, b): (+,+) rest; (-,+) b - rest; (+,-) rest + b; (-,-) -rest.
        let minus_plus = self.word_binary(Op::WordAdd, negated, b);
        let plus_minus = self.word_binary(Op::WordAdd, rest, b);
        let if_negative = self.ite(nb, negated, minus_plus);
        let if_positive = self.ite(nb, plus_minus, rest);
        let by_sign = self.ite(na, if_negative, if_positive);
        self.ite(is_zero, rest, by_sign)
    }

    /// Rotation to the left by a constant.
    pub fn rotate_left(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a);
        match by % width.max(1) {
            0 => a,
            by => {
                let low = self.extract(a, width - 1 - by, 0);
                let high = self.extract(a, width - 1, width - by);
                self.concat(low, high)
            }
        }
    }

    /// The value of a word as an integer, not negative.
    pub fn word_to_int(&mut self, a: TermId) -> TermId {
        let one = self.word(BigUint::one(), 1);
        let zero = self.int(0);
        let bits: Vec<TermId> = (0..self.width(a))
            .map(|bit| {
                let value = self.extract(a, bit, bit);
                let is_set = self.eq(value, one);
                let weight = Rational::from_big((BigUint::one() << bit).into());
                let weight = self.numeral(weight, SortId::INT);
                self.ite(is_set, weight, zero)
            })
            .collect();
        let number = self.add(&bits, SortId::INT);
        self.numbers_of_words.insert(number, a);
        number
    }

    /// The word that a term is the number of, if [`Terms::word_to_int`] made it.
    pub fn word_of_number(&self, number: TermId) -> Option<TermId> {
        self.numbers_of_words.get(&number).copied()
    }
}
