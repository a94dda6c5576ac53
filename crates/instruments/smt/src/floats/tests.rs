//! The translation beside the exact meaning: tiny formats exhaustively, larger ones on samples; the exact meaning beside the machine.

use super::*;
use entail_first_order::{Evaluator, Format, Rounding, float_operation};
use num_bigint::BigUint;

const TINY: Format = Format {
    exponent: 2,
    significand: 3,
};

/// A small generator of random numbers, seeded.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        self.0 >> 11
    }

    /// Bits of a number; special patterns are likely.
    fn bits(&mut self, format: Format) -> BigUint {
        let mut bits = BigUint::default();
        for place in 0..u64::from(format.width()) {
            bits.set_bit(place, self.next() % 2 == 1);
        }
        let first = u64::from(format.significand) - 1;
        let fill = match self.next() % 8 {
            0 => Some((0, first, false)),
            1 => Some((0, first, true)),
            2 => Some((first, first + u64::from(format.exponent), false)),
            3 => Some((first, first + u64::from(format.exponent), true)),
            // Exponents near zero, where sums and whole numbers are interesting.
            4 | 5 => {
                let bias = (1u64 << (format.exponent - 1)) - 1;
                let near = bias + self.next() % 8;
                for place in 0..u64::from(format.exponent) {
                    bits.set_bit(first + place, near >> place & 1 == 1);
                }
                None
            }
            _ => None,
        };
        if let Some((from, to, value)) = fill {
            (from..to).for_each(|place| bits.set_bit(place, value));
        }
        format.canonical(bits)
    }
}

fn effort() -> u64 {
    std::env::var("ENTAIL_EFFORT")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(1)
}

/// An operation on free constants, and the same translated to words.
struct Pair {
    terms: Terms,
    op: FloatOp,
    result: SortId,
    /// Constants before and after, with their sorts before.
    constants: Vec<(SymbolId, SymbolId, SortId)>,
    lowered: TermId,
}

impl Pair {
    fn new(op: FloatOp, sorts: &[Sort], result: Sort) -> Pair {
        let mut terms = Terms::new();
        let result = terms.sort_id(result);
        let mut lowering = Lowering::default();
        let sorts: Vec<SortId> = sorts.iter().map(|sort| terms.sort_id(sort.clone())).collect();
        let symbols: Vec<SymbolId> = sorts.iter().map(|&sort| terms.declare("x", &[], sort)).collect();
        let args: Vec<TermId> = symbols.iter().map(|&symbol| terms.constant_of(symbol)).collect();
        let term = terms.make(Op::Float(op), &args, result);
        let unlimited = Budget::unlimited();
        let lowered = lowering
            .lower(&mut terms, &[term], &unlimited)
            .expect("unlimited")
            .expect("translated")[0];
        let constants = symbols
            .iter()
            .zip(&sorts)
            .map(|(&symbol, &sort)| (symbol, lowering.symbols[&symbol], sort));
        Pair {
            op,
            result,
            constants: constants.collect(),
            lowered,
            terms,
        }
    }

    fn compare(&self, values: &[BigUint]) {
        let mut words = Interpretation::default();
        let values: Vec<Value> = values.iter().cloned().map(Value::Word).collect();
        for (value, (_, image, _)) in values.iter().zip(&self.constants) {
            words.set(*image, value.clone());
        }
        let sorted: Vec<(&Value, SortId)> = values
            .iter()
            .zip(&self.constants)
            .map(|(value, constant)| (value, constant.2))
            .collect();
        let exact = float_operation(&self.terms, self.op, &sorted, self.result).expect("a value");
        let translated = Evaluator::new(&self.terms, &words)
            .value(self.lowered)
            .expect("a value");
        assert_eq!(exact, translated, "{:?} of {:?}", self.op, values);
    }
}

fn word(value: u64) -> BigUint {
    BigUint::from(value)
}

fn modes() -> impl Iterator<Item = BigUint> {
    (0..Rounding::ALL.len() as u64).map(word)
}

const ROUNDED: [FloatOp; 4] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div];

#[test]
fn every_operation_on_a_tiny_format_is_translated_exactly() {
    let float = Sort::Float(TINY);
    let all: Vec<BigUint> = (0..1u64 << TINY.width())
        .map(|bits| TINY.canonical(word(bits)))
        .collect();
    for op in ROUNDED {
        let pair = Pair::new(op, &[Sort::Rounding, float.clone(), float.clone()], float.clone());
        for mode in modes() {
            for a in &all {
                all.iter()
                    .for_each(|b| pair.compare(&[mode.clone(), a.clone(), b.clone()]));
            }
        }
    }
    for op in [
        FloatOp::Remainder,
        FloatOp::Min,
        FloatOp::Max,
        FloatOp::Less,
        FloatOp::LessEqual,
        FloatOp::Equal,
    ] {
        let result = match op {
            FloatOp::Remainder | FloatOp::Min | FloatOp::Max => float.clone(),
            _ => Sort::Bool,
        };
        let pair = Pair::new(op, &[float.clone(), float.clone()], result);
        for a in &all {
            all.iter().for_each(|b| pair.compare(&[a.clone(), b.clone()]));
        }
    }
    for op in [FloatOp::Sqrt, FloatOp::RoundToIntegral] {
        let pair = Pair::new(op, &[Sort::Rounding, float.clone()], float.clone());
        for mode in modes() {
            all.iter().for_each(|a| pair.compare(&[mode.clone(), a.clone()]));
        }
    }
    for op in [
        FloatOp::Abs,
        FloatOp::Neg,
        FloatOp::IsNormal,
        FloatOp::IsSubnormal,
        FloatOp::IsZero,
        FloatOp::IsInfinite,
        FloatOp::IsNan,
        FloatOp::IsNegative,
        FloatOp::IsPositive,
        FloatOp::ToReal,
    ] {
        let result = match op {
            FloatOp::Abs | FloatOp::Neg => float.clone(),
            FloatOp::ToReal => Sort::Real,
            _ => Sort::Bool,
        };
        let pair = Pair::new(op, std::slice::from_ref(&float), result);
        all.iter().for_each(|a| pair.compare(std::slice::from_ref(a)));
    }
}

#[test]
fn conversions_of_small_formats_and_words_are_translated_exactly() {
    let small = Format {
        exponent: 3,
        significand: 4,
    };
    for to in [
        TINY,
        Format {
            exponent: 4,
            significand: 3,
        },
        Format {
            exponent: 3,
            significand: 7,
        },
    ] {
        let pair = Pair::new(
            FloatOp::Convert,
            &[Sort::Rounding, Sort::Float(small)],
            Sort::Float(to),
        );
        for mode in modes() {
            for bits in 0..1u64 << small.width() {
                pair.compare(&[mode.clone(), small.canonical(word(bits))]);
            }
        }
    }
    for width in [1u32, 4, 6] {
        for op in [FloatOp::FromSigned, FloatOp::FromUnsigned] {
            let pair = Pair::new(op, &[Sort::Rounding, Sort::Word(width)], Sort::Float(small));
            for mode in modes() {
                (0..1u64 << width).for_each(|bits| pair.compare(&[mode.clone(), word(bits)]));
            }
        }
        let targets = [
            (FloatOp::ToSigned(width), Sort::Word(width)),
            (FloatOp::ToUnsigned(width), Sort::Word(width)),
            (FloatOp::FitsSigned(width), Sort::Bool),
            (FloatOp::FitsUnsigned(width), Sort::Bool),
        ];
        for (op, result) in targets {
            let pair = Pair::new(op, &[Sort::Rounding, Sort::Float(small)], result);
            for mode in modes() {
                for bits in 0..1u64 << small.width() {
                    pair.compare(&[mode.clone(), small.canonical(word(bits))]);
                }
            }
        }
    }
}

#[test]
fn samples_of_larger_formats_are_translated_exactly() {
    let formats = [(3, 5), (4, 3), (5, 11), (8, 24)];
    let mut random = Random(7);
    for (exponent, significand) in formats {
        let format = Format {
            exponent,
            significand,
        };
        let float = Sort::Float(format);
        let count = effort() * if significand > 11 { 25 } else { 60 };
        let mut operations = vec![
            (FloatOp::Fma, 3),
            (FloatOp::Sqrt, 1),
            (FloatOp::RoundToIntegral, 1),
        ];
        operations.extend(ROUNDED.map(|op| (op, 2)));
        for (op, numbers) in operations {
            let mut sorts = vec![Sort::Rounding];
            sorts.extend(vec![float.clone(); numbers]);
            let pair = Pair::new(op, &sorts, float.clone());
            for _ in 0..count {
                let mut values = vec![word(random.next() % 5)];
                values.extend((0..numbers).map(|_| random.bits(format)));
                pair.compare(&values);
            }
        }
        let pair = Pair::new(FloatOp::Remainder, &[float.clone(), float.clone()], float.clone());
        for _ in 0..count {
            pair.compare(&[random.bits(format), random.bits(format)]);
        }
    }
}

#[test]
fn the_exact_meaning_is_the_machines_in_single_precision() {
    let format = Format {
        exponent: 8,
        significand: 24,
    };
    let mut terms = Terms::new();
    let sort = terms.float_sort(format);
    let rounding = terms.sort_id(Sort::Rounding);
    let mut random = Random(11);
    let mode = Value::Word(word(0));
    let single = |bits: &BigUint| f32::from_bits(u32::try_from(bits).expect("32 bits"));
    for _ in 0..4_000 * effort() {
        let (x, y) = (random.bits(format), random.bits(format));
        let (a, b) = (single(&x), single(&y));
        let (x, y) = (Value::Word(x), Value::Word(y));
        let machine = [
            (FloatOp::Add, a + b),
            (FloatOp::Sub, a - b),
            (FloatOp::Mul, a * b),
            (FloatOp::Div, a / b),
            (FloatOp::Sqrt, a.sqrt()),
            (FloatOp::Fma, a.mul_add(b, a)),
        ];
        for (op, expected) in machine {
            let mut args = vec![(&mode, rounding), (&x, sort)];
            match op {
                FloatOp::Sqrt => {}
                FloatOp::Fma => args.extend([(&y, sort), (&x, sort)]),
                _ => args.push((&y, sort)),
            }
            let expected = format.canonical(word(u64::from(expected.to_bits())));
            assert_eq!(
                float_operation(&terms, op, &args, sort),
                Some(Value::Word(expected)),
                "{op:?} of {a:e} and {b:e}"
            );
        }
    }
}
