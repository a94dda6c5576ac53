//! Circuits beside the evaluator: operations on words and floating-point numbers of written operands have the value that it says.

use super::{BitsFault, refute_by_bits};
use entail_budget::Budget;
use entail_first_order::{
    Evaluator, FloatOp, Format, Interpretation, Op, Rational, Rounding, SortId, TermId, Terms,
};
use num_bigint::BigUint;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Bits of a random number; patterns near the ends of the range are likely.
fn pattern(random: &mut StdRng, width: u32) -> BigUint {
    let mut bits = BigUint::default();
    let style = random.random_range(0..4);
    for place in 0..u64::from(width) {
        let bit = match style {
            0 => random.random_bool(0.15),
            1 => random.random_bool(0.85),
            _ => random.random_bool(0.5),
        };
        bits.set_bit(place, bit);
    }
    bits
}

/// A constant that a conjunct fixes to a value: circuits cannot fold it away.
fn fixed(terms: &mut Terms, value: TermId, conjuncts: &mut Vec<TermId>) -> TermId {
    let constant = terms.constant("operand", terms.sort_of(value));
    conjuncts.push(terms.eq(constant, value));
    constant
}

/// Requires that the term has exactly the evaluator's value where the operands are fixed.
fn compare(terms: &mut Terms, term: TermId, conjuncts: &[TermId], written: TermId) {
    let nothing = Interpretation::default();
    let value = Evaluator::new(terms, &nothing)
        .value(written)
        .expect("written operands have a value");
    let sort = terms.sort_of(term);
    let value = terms.literal_term(&value, sort).expect("it can be written");
    let same = terms.eq(term, value);
    let mut formulas = conjuncts.to_vec();
    formulas.push(terms.not(same));
    let shown = terms.print(term);
    let refuted = refute_by_bits(terms, &formulas, &Budget::unlimited());
    assert_eq!(refuted, Ok(()), "{shown} is not {}", terms.print(value));
    // And it does have that value: the circuit is no contradiction.
    let last = formulas.len() - 1;
    formulas[last] = same;
    let satisfied = refute_by_bits(terms, &formulas, &Budget::unlimited());
    assert_eq!(satisfied, Err(BitsFault::HasModel), "{shown}");
}

fn effort() -> usize {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

#[test]
fn operations_on_words_have_the_value_that_the_evaluator_says() {
    let mut random = StdRng::seed_from_u64(11);
    let ops = [
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
        Op::WordLess,
        Op::WordLessSigned,
        Op::Concat,
        Op::WordNeg,
        Op::WordNot,
    ];
    for round in 0..150 * effort() {
        let op = ops[round % ops.len()].clone();
        let width = random.random_range(1..7);
        let mut terms = Terms::new();
        let mut conjuncts = Vec::new();
        let values: Vec<TermId> = (0..2)
            .map(|_| terms.word(pattern(&mut random, width), width))
            .collect();
        let count = if matches!(op, Op::WordNeg | Op::WordNot) {
            1
        } else {
            2
        };
        let sort = match op {
            Op::WordLess | Op::WordLessSigned => SortId::BOOL,
            Op::Concat => terms.word_sort(2 * width),
            _ => terms.word_sort(width),
        };
        let constants: Vec<TermId> = values
            .iter()
            .map(|&value| fixed(&mut terms, value, &mut conjuncts))
            .collect();
        let term = terms.make(op.clone(), &constants[..count], sort);
        let written = terms.make(op, &values[..count], sort);
        compare(&mut terms, term, &conjuncts, written);
    }
}

#[test]
fn operations_on_floating_point_numbers_have_the_value_that_the_evaluator_says() {
    let mut random = StdRng::seed_from_u64(12);
    let formats = [(2, 3), (3, 3), (3, 5), (4, 4), (5, 11)].map(|(exponent, significand)| Format {
        exponent,
        significand,
    });
    use FloatOp::*;
    // The operation, whether it takes a mode first, and how many numbers.
    let ops = [
        (Add, true, 2),
        (Sub, true, 2),
        (Mul, true, 2),
        (Div, true, 2),
        (Fma, true, 3),
        (Sqrt, true, 1),
        (Remainder, false, 2),
        (RoundToIntegral, true, 1),
        (Min, false, 2),
        (Max, false, 2),
        (Less, false, 2),
        (LessEqual, false, 2),
        (Equal, false, 2),
        (Abs, false, 1),
        (Neg, false, 1),
        (IsNormal, false, 1),
        (IsSubnormal, false, 1),
        (IsNegative, false, 1),
        (Convert, true, 1),
        (ToUnsigned(5), true, 1),
        (ToSigned(5), true, 1),
        (FitsUnsigned(5), true, 1),
        (FitsSigned(5), true, 1),
    ];
    for round in 0..23 * 14 * effort() {
        let (op, has_mode, count) = ops[round % ops.len()];
        let wide = if matches!(op, Remainder | Sqrt) { 4 } else { 5 };
        let format = formats[random.random_range(0..wide)];
        let other = formats[random.random_range(0..4)];
        let mut terms = Terms::new();
        let mut conjuncts = Vec::new();
        let mut values = Vec::new();
        if has_mode {
            values.push(terms.rounding(Rounding::ALL[random.random_range(0..5)]));
        }
        for _ in 0..count {
            values.push(terms.float(pattern(&mut random, format.width()), format));
        }
        let sort = match op {
            Less | LessEqual | Equal | IsNormal | IsSubnormal | IsNegative => SortId::BOOL,
            FitsUnsigned(_) | FitsSigned(_) => SortId::BOOL,
            ToUnsigned(width) | ToSigned(width) => terms.word_sort(width),
            Convert => terms.float_sort(other),
            _ => terms.float_sort(format),
        };
        let constants: Vec<TermId> = values
            .iter()
            .map(|&value| fixed(&mut terms, value, &mut conjuncts))
            .collect();
        let term = terms.make(Op::Float(op), &constants, sort);
        let written = terms.make(Op::Float(op), &values, sort);
        compare(&mut terms, term, &conjuncts, written);
    }
}

#[test]
fn written_numbers_and_words_are_rounded_as_the_evaluator_says() {
    let mut random = StdRng::seed_from_u64(13);
    for round in 0..60 * effort() {
        let format = Format {
            exponent: random.random_range(2..6),
            significand: random.random_range(2..7),
        };
        let mut terms = Terms::new();
        let mut conjuncts = Vec::new();
        let mode = terms.rounding(Rounding::ALL[round % 5]);
        let numerator = Rational::integer(random.random_range(-300..300));
        let value = match round % 3 {
            0 => &numerator / &Rational::integer(random.random_range(1..400)),
            1 => &numerator * &Rational::integer(random.random_range(1..400)),
            _ => numerator.clone(),
        };
        let sort = terms.float_sort(format);
        let unknown_mode = fixed(&mut terms, mode, &mut conjuncts);
        let (term, written) = match round % 4 {
            0 => {
                let word = terms.word(pattern(&mut random, 6), 6);
                let open = fixed(&mut terms, word, &mut conjuncts);
                let op = if round % 8 == 0 {
                    FloatOp::FromSigned
                } else {
                    FloatOp::FromUnsigned
                };
                (
                    terms.make(Op::Float(op), &[unknown_mode, open], sort),
                    terms.make(Op::Float(op), &[mode, word], sort),
                )
            }
            _ => {
                let number = terms.numeral(value, SortId::REAL);
                (
                    terms.make(Op::Float(FloatOp::FromReal), &[unknown_mode, number], sort),
                    terms.make(Op::Float(FloatOp::FromReal), &[mode, number], sort),
                )
            }
        };
        compare(&mut terms, term, &conjuncts, written);
    }
}

#[test]
fn what_has_a_model_is_not_refuted() {
    let mut terms = Terms::new();
    let sort = terms.word_sort(4);
    let (x, y) = (terms.constant("x", sort), terms.constant("y", sort));
    let product = terms.make(Op::WordMul, &[x, y], sort);
    let fifteen = terms.word(15u32.into(), 4);
    let formula = terms.eq(product, fifteen);
    let verdict = refute_by_bits(&terms, &[formula], &Budget::unlimited());
    assert_eq!(verdict, Err(BitsFault::HasModel));
}
