//! Laws of words that building a term applies: neutral and absorbing constants, operands in one order, parts of parts, constants gathered.
//!
//! Each law looks at an operator and the operators of its operands, no further, and holds for all values (the tests try all of small
//! widths). Multiplying and dividing by powers of two and shifting by constants become parts and joins, which cost nothing as bits. Laws of
//! equations look through conditionals and joins at constants, to a limited depth.
//!
//! Nothing here is believed by a checker: what was written and what a law made of it are kept ([`Terms::applied_laws`]), and
//! `checkers/proof` shows for every such pair, in its own ways, that both are equal.

use crate::{Op, SortId, TermId, Terms, mask, word_operation};
use num_bigint::BigUint;
use num_traits::{One, Zero};

/// How many conditionals and joins an equation is taken through.
const DEEPEST_EQUATION: u32 = 40;

impl Terms {
    fn zeros(&mut self, width: u32) -> TermId {
        self.word(BigUint::zero(), width)
    }

    fn is_word(&self, term: TermId, value: &BigUint) -> bool {
        self.word_value(term) == Some(value)
    }

    /// Whether two words are complements of each other by their operators.
    fn is_inverse(&self, op: &Op, a: TermId, b: TermId) -> bool {
        let inverts = |x: TermId, y: TermId| self.op(x) == op && self.args(x)[0] == y;
        inverts(a, b) || inverts(b, a)
    }

    /// The exponent of a constant that is a power of two.
    fn exponent(&self, term: TermId) -> Option<u32> {
        let value = self.word_value(term)?;
        let lowest = value.trailing_zeros()?;
        (value.bits() == lowest + 1).then_some(lowest as u32)
    }

    /// What an operator on words comes to by a law; nothing if none applies. Constants alone have been folded.
    pub(crate) fn word_law(&mut self, op: &Op, args: &[TermId]) -> Option<TermId> {
        match (op, args) {
            (Op::WordNot | Op::WordNeg, &[a]) => (self.op(a) == op).then(|| self.args(a)[0]),
            (Op::WordAnd | Op::WordOr | Op::WordXor | Op::WordAdd | Op::WordMul, &[a, b]) => {
                // A constant comes first, otherwise what was built first.
                let (a, b) = match (self.word_value(a).is_some(), self.word_value(b).is_some()) {
                    (true, _) => (a, b),
                    (_, true) => (b, a),
                    _ => (a.min(b), a.max(b)),
                };
                let simpler = match op {
                    Op::WordAdd => self.sum_law(a, b),
                    Op::WordMul => self.product_law(a, b),
                    _ => self.bitwise_law(op, a, b),
                };
                Some(match simpler.or_else(|| self.gathered(op, a, b)) {
                    Some(simpler) => simpler,
                    None => {
                        let sort = self.sort_of(a);
                        self.make(op.clone(), &[a, b], sort)
                    }
                })
            }
            (Op::WordDivide | Op::WordRemainder, &[a, b]) => {
                let width = self.width(a);
                let exponent = self.exponent(b)?;
                Some(match (op, exponent) {
                    (Op::WordDivide, 0) => a,
                    (Op::WordDivide, by) => self.moved_right(a, by),
                    (_, 0) => self.zeros(width),
                    (_, by) => {
                        let low = self.extract(a, by - 1, 0);
                        self.zero_extend(low, width - by)
                    }
                })
            }
            (Op::ShiftLeft | Op::ShiftRight | Op::ShiftRightSigned, &[a, by]) => self.shift_law(op, a, by),
            (Op::Extract(high, low), &[a]) => self.part_law(a, *high, *low),
            (Op::Concat, &[high, low]) => self.join_law(high, low),
            _ => None,
        }
    }

    fn bitwise_law(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (zero, ones) = (BigUint::zero(), mask(width));
        let is_inverse = self.is_inverse(&Op::WordNot, a, b);
        match op {
            _ if a == b && *op == Op::WordXor => Some(self.zeros(width)),
            _ if a == b => Some(a),
            Op::WordAnd if is_inverse || self.is_word(a, &zero) => Some(self.zeros(width)),
            Op::WordAnd if self.is_word(a, &ones) => Some(b),
            Op::WordOr if is_inverse || self.is_word(a, &ones) => Some(self.word(ones, width)),
            Op::WordOr | Op::WordXor if self.is_word(a, &zero) => Some(b),
            Op::WordXor if is_inverse => Some(self.word(ones, width)),
            Op::WordXor if self.is_word(a, &ones) => Some(self.word_unary(Op::WordNot, b)),
            _ => None,
        }
    }

    fn sum_law(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        if self.is_word(a, &BigUint::zero()) {
            return Some(b);
        }
        if self.is_inverse(&Op::WordNeg, a, b) {
            return Some(self.zeros(width));
        }
        if self.is_inverse(&Op::WordNot, a, b) {
            return Some(self.word(mask(width), width));
        }
        // One summand of a sum undoes the other operand.
        for (one, sum) in [(a, b), (b, a)] {
            if *self.op(sum) == Op::WordAdd {
                let [x, y] = [self.args(sum)[0], self.args(sum)[1]];
                for (same, rest) in [(x, y), (y, x)] {
                    if self.is_inverse(&Op::WordNeg, one, same) {
                        return Some(rest);
                    }
                }
            }
        }
        None
    }

    fn product_law(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        if self.is_word(a, &BigUint::zero()) {
            return Some(a);
        }
        if self.is_word(a, &mask(width)) {
            return Some(self.word_unary(Op::WordNeg, b));
        }
        match self.exponent(a) {
            Some(0) => return Some(b),
            Some(by) => return Some(self.moved_left(b, by)),
            None => {}
        }
        // A factor that is shifted shifts the product.
        for (shifted, other) in [(a, b), (b, a)] {
            if *self.op(shifted) == Op::ShiftLeft {
                let [x, by] = [self.args(shifted)[0], self.args(shifted)[1]];
                if *self.op(x) == Op::ShiftLeft {
                    continue;
                }
                let product = self.word_binary(Op::WordMul, x, other);
                return Some(self.word_binary(Op::ShiftLeft, product, by));
            }
        }
        None
    }

    /// A constant and an operand that has one inside: both constants become one.
    fn gathered(&mut self, op: &Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        if self.op(b) != op {
            return None;
        }
        let [inner, rest] = [self.args(b)[0], self.args(b)[1]];
        let value = word_operation(op, &[self.word_value(a)?, self.word_value(inner)?], width)?;
        let constant = self.word(value, width);
        Some(self.word_binary(op.clone(), constant, rest))
    }

    fn moved_left(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a);
        let (kept, zeros) = (self.extract(a, width - 1 - by, 0), self.zeros(by));
        self.concat(kept, zeros)
    }

    fn moved_right(&mut self, a: TermId, by: u32) -> TermId {
        let width = self.width(a);
        let kept = self.extract(a, width - 1, by);
        self.zero_extend(kept, by)
    }

    fn shift_law(&mut self, op: &Op, a: TermId, by: TermId) -> Option<TermId> {
        let width = self.width(a);
        if self.is_word(a, &BigUint::zero()) {
            return Some(a);
        }
        let by = u32::try_from(self.word_value(by)?).unwrap_or(width).min(width);
        match (op, by) {
            (_, 0) => Some(a),
            (Op::ShiftRightSigned, _) => None,
            (_, by) if by == width => Some(self.zeros(width)),
            (Op::ShiftLeft, by) => Some(self.moved_left(a, by)),
            (_, by) => Some(self.moved_right(a, by)),
        }
    }

    /// A part of a part, or of one of two words that were joined.
    fn part_law(&mut self, a: TermId, high: u32, low: u32) -> Option<TermId> {
        let (mut whole, mut high, mut low) = (a, high, low);
        loop {
            let args = self.args(whole);
            match self.op(whole) {
                Op::Extract(_, inner) => {
                    (high, low) = (high + inner, low + inner);
                    whole = args[0];
                }
                Op::Concat => {
                    let border = self.width(args[1]);
                    if low >= border {
                        (high, low) = (high - border, low - border);
                        whole = args[0];
                    } else if high < border {
                        whole = args[1];
                    } else {
                        break;
                    }
                }
                _ => break,
            }
        }
        (whole != a).then(|| self.extract(whole, high, low))
    }

    /// Neighbouring parts of one word; constants side by side.
    fn join_law(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        if let (&Op::Extract(top, above), &Op::Extract(below, bottom)) = (self.op(high), self.op(low)) {
            let (whole, other) = (self.args(high)[0], self.args(low)[0]);
            return (whole == other && above == below + 1).then(|| self.extract(whole, top, bottom));
        }
        if *self.op(low) == Op::Concat && self.word_value(high).is_some() {
            let [middle, rest] = [self.args(low)[0], self.args(low)[1]];
            if self.word_value(middle).is_some() {
                let front = self.concat(high, middle);
                return Some(self.concat(front, rest));
            }
        }
        None
    }

    /// An equation of words by a law; nothing if none applies.
    pub(crate) fn word_equation_law(&mut self, a: TermId, b: TermId, depth: u32) -> Option<TermId> {
        if depth > DEEPEST_EQUATION {
            return None;
        }
        let (constant, other) = match (self.word_value(a).is_some(), self.word_value(b).is_some()) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return self.same_operator_law(a, b, depth),
        };
        let value = self.word_value(constant).cloned()?;
        let width = self.width(other);
        let args = self.args(other).to_vec();
        match (self.op(other).clone(), args.as_slice()) {
            (Op::Ite, &[condition, then, otherwise]) => {
                let (first, second) = (
                    self.word_value(then).cloned(),
                    self.word_value(otherwise).cloned(),
                );
                if first.is_none() && second.is_none() {
                    return None;
                }
                let same = self.eq_within(then, constant, depth + 1);
                let other_same = self.eq_within(otherwise, constant, depth + 1);
                Some(self.ite(condition, same, other_same))
            }
            (Op::Concat, &[above, below]) => {
                let border = self.width(below);
                let front = self.word(&value >> border, width - border);
                let back = self.word(value, border);
                let (first, second) = (
                    self.eq_within(above, front, depth + 1),
                    self.eq_within(below, back, depth + 1),
                );
                Some(self.and(&[first, second]))
            }
            (op @ (Op::WordNot | Op::WordNeg), &[inner]) => {
                let undone = word_operation(&op, &[&value], width)?;
                let undone = self.word(undone, width);
                Some(self.eq_within(inner, undone, depth + 1))
            }
            (op @ (Op::WordAdd | Op::WordXor), &[first, rest]) => {
                let first = self.word_value(first)?;
                let undone = match op {
                    Op::WordXor => first ^ &value,
                    _ => value + (BigUint::one() << width) - first,
                };
                let undone = self.word(undone, width);
                Some(self.eq_within(rest, undone, depth + 1))
            }
            _ => None,
        }
    }

    /// An equation between two uses of one operator, or of a sum and its summand.
    fn same_operator_law(&mut self, a: TermId, b: TermId, depth: u32) -> Option<TermId> {
        let (first, second) = (self.args(a).to_vec(), self.args(b).to_vec());
        match (self.op(a).clone(), self.op(b).clone()) {
            (Op::WordNot, Op::WordNot) | (Op::WordNeg, Op::WordNeg) => {
                Some(self.eq_within(first[0], second[0], depth + 1))
            }
            (Op::Concat, Op::Concat) if self.width(first[1]) == self.width(second[1]) => {
                let front = self.eq_within(first[0], second[0], depth + 1);
                let back = self.eq_within(first[1], second[1], depth + 1);
                Some(self.and(&[front, back]))
            }
            (op @ (Op::WordAdd | Op::WordXor), other) if op == other => {
                let shared = first.iter().find(|one| second.contains(one)).copied()?;
                let rest = |args: &[TermId]| if args[0] == shared { args[1] } else { args[0] };
                Some(self.eq_within(rest(&first), rest(&second), depth + 1))
            }
            (Op::WordAdd | Op::WordXor, _) if first.contains(&b) => {
                let rest = if first[0] == b { first[1] } else { first[0] };
                let zero = self.zeros(self.width(rest));
                Some(self.eq_within(rest, zero, depth + 1))
            }
            (_, Op::WordAdd | Op::WordXor) if second.contains(&a) => self.same_operator_law(b, a, depth),
            _ => None,
        }
    }

    fn eq_within(&mut self, a: TermId, b: TermId, depth: u32) -> TermId {
        match a != b {
            true => self.word_equation_law(a, b, depth),
            false => None,
        }
        .map(|simpler| self.note_law(Op::Eq, &[a, b], SortId::BOOL, simpler))
        .unwrap_or_else(|| self.equation(a, b))
    }

    /// Equality of words, simplified; of other sorts nothing.
    pub(crate) fn word_equation(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        match self.width(a) > 0 && a != b && self.sort_of(a) != SortId::BOOL {
            true => self.word_equation_law(a, b, 0),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluator, Interpretation, Value};

    /// Random terms twice: as they are built, and as they are written.
    struct Draw {
        terms: Terms,
        state: u64,
        constants: Vec<TermId>,
    }

    impl Draw {
        fn below(&mut self, limit: u64) -> u64 {
            self.state = self
                .state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.state >> 33) % limit
        }

        fn both(&mut self, op: Op, args: &[(TermId, TermId)], sort: SortId) -> (TermId, TermId) {
            let (built, written): (Vec<TermId>, Vec<TermId>) = args.iter().copied().unzip();
            (
                self.terms.build(op.clone(), &built, sort),
                self.terms.make(op, &written, sort),
            )
        }

        fn leaf(&mut self, width: u32) -> (TermId, TermId) {
            let known: Vec<TermId> = (self.constants.iter().copied())
                .filter(|&one| self.terms.width(one) == width)
                .collect();
            let leaf = match self.below(2) {
                0 if !known.is_empty() => known[self.below(known.len() as u64) as usize],
                _ => {
                    let value = BigUint::from(self.below(1 << width));
                    self.terms.word(value, width)
                }
            };
            (leaf, leaf)
        }

        fn word(&mut self, width: u32, depth: u32) -> (TermId, TermId) {
            if depth == 0 {
                return self.leaf(width);
            }
            let sort = self.terms.word_sort(width);
            let binary = [
                Op::WordAnd,
                Op::WordOr,
                Op::WordXor,
                Op::WordAdd,
                Op::WordMul,
                Op::WordDivide,
                Op::WordRemainder,
                Op::ShiftLeft,
                Op::ShiftRight,
                Op::ShiftRightSigned,
            ];
            match self.below(16) {
                0..=9 => {
                    let op = binary[self.below(10) as usize].clone();
                    let first = self.word(width, depth - 1);
                    // The same operand twice, or undone, is where laws apply.
                    let second = match self.below(4) {
                        0 => first,
                        1 => self.both(Op::WordNeg, &[first], sort),
                        _ => self.word(width, depth - 1),
                    };
                    self.both(op, &[first, second], sort)
                }
                10 => {
                    let inner = self.word(width, depth - 1);
                    self.both(Op::WordNot, &[inner], sort)
                }
                11 => {
                    let inner = self.word(width, depth - 1);
                    self.both(Op::WordNeg, &[inner], sort)
                }
                12 | 13 if width > 1 => {
                    let border = 1 + self.below(u64::from(width) - 1) as u32;
                    let (high, low) = (self.word(width - border, depth - 1), self.word(border, depth - 1));
                    self.both(Op::Concat, &[high, low], sort)
                }
                14 if width < 4 => {
                    let low = self.below(u64::from(5 - width)) as u32;
                    let inner = self.word(4, depth - 1);
                    self.both(Op::Extract(low + width - 1, low), &[inner], sort)
                }
                _ => {
                    let condition = self.formula(depth - 1);
                    let (then, otherwise) = (self.word(width, depth - 1), self.word(width, depth - 1));
                    self.both(Op::Ite, &[condition, then, otherwise], sort)
                }
            }
        }

        fn formula(&mut self, depth: u32) -> (TermId, TermId) {
            let width = 1 + self.below(4) as u32;
            let op = [Op::Eq, Op::Eq, Op::WordLess, Op::WordLessSigned][self.below(4) as usize].clone();
            let (first, second) = (self.word(width, depth), self.word(width, depth));
            self.both(op, &[first, second], SortId::BOOL)
        }
    }

    #[test]
    fn terms_of_words_mean_what_was_written() {
        let mut terms = Terms::new();
        let constants = [1, 2, 4, 4].map(|width| {
            let sort = terms.word_sort(width);
            terms.constant("c", sort)
        });
        let mut draw = Draw {
            terms,
            state: 5,
            constants: constants.to_vec(),
        };
        let effort: usize = std::env::var("ENTAIL_EFFORT").map_or(1, |text| text.parse().unwrap_or(1));
        let (mut simpler, mut questions) = (0, 0);
        for _ in 0..1500 * effort {
            let (built, written) = draw.formula(3);
            simpler += usize::from(built != written);
            // All values of the two words of 4 bits, some of the others.
            for values in 0..256u32 {
                let mut model = Interpretation::default();
                let others = [values % 2, values / 3 % 4];
                let all = [others[0], others[1], values % 16, values / 16];
                for (constant, value) in constants.iter().zip(all) {
                    let Op::Apply(symbol) = *draw.terms.op(*constant) else {
                        unreachable!("a constant");
                    };
                    model.set(symbol, Value::Word(BigUint::from(value)));
                }
                let mut evaluator = Evaluator::new(&draw.terms, &model);
                let meanings = (evaluator.is_true(built), evaluator.is_true(written));
                assert_eq!(
                    meanings.0,
                    meanings.1,
                    "{}\n{}",
                    draw.terms.print(written),
                    draw.terms.print(built)
                );
                questions += 1;
            }
        }
        assert!(simpler > 500 && questions > 100_000, "{simpler} {questions}");
    }
}
