//! Floating-point numbers (IEEE 754-2019): what their operations mean, in exact rationals.
//!
//! A value is kept as its bits, sign first, with one NaN. An operation takes its operands as rationals, computes exactly, and rounds once
//! (`float_format.rs`). Nothing here
//! knows circuits; solvers translate operations to words by other means, and their models are judged by this.
//!
//! Orders, tests and signs work on the bits, for any format. Arithmetic is exact and needs numbers of as many bits as the exponent's
//! range, so it is refused ([`float_operation`] gives nothing) for exponents of more than 18 bits.

use crate::float_format::Number;
use crate::{Format, Rational, Rounding, Sort, SortId, Terms, Value};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use std::cmp::Ordering;

/// Operations on floating-point numbers. A rounding mode, where there is one, is the first operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatOp {
    /// The number of these bits.
    FromBits,
    /// The bits of a number; NaN has one pattern.
    ToBits,
    /// Absolute value.
    Abs,
    /// The sign flipped.
    Neg,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Product and sum, rounded once.
    Fma,
    /// Square root.
    Sqrt,
    /// Remainder of the quotient rounded to the nearest whole number.
    Remainder,
    /// Nearest whole number.
    RoundToIntegral,
    /// The lesser; of two zeros the second.
    Min,
    /// The greater; of two zeros the second.
    Max,
    /// Less than or equal.
    LessEqual,
    /// Less than.
    Less,
    /// Equal as numbers: zeros are, NaN is not.
    Equal,
    /// Neither zero, subnormal, infinite nor NaN.
    IsNormal,
    /// Subnormal, not zero.
    IsSubnormal,
    /// Zero of either sign.
    IsZero,
    /// Infinite.
    IsInfinite,
    /// Not a number.
    IsNan,
    /// A number with a minus sign.
    IsNegative,
    /// A number without a minus sign.
    IsPositive,
    /// A number in another format.
    Convert,
    /// A real number.
    FromReal,
    /// A word as two's complement.
    FromSigned,
    /// A word without sign.
    FromUnsigned,
    /// As a word without sign of this width; 0 where it does not fit.
    ToUnsigned(u32),
    /// As a two's complement of this width; 0 where it does not fit.
    ToSigned(u32),
    /// Whether the rounded number fits such a word.
    FitsUnsigned(u32),
    /// Whether the rounded number fits such a two's complement.
    FitsSigned(u32),
    /// As a real number; 0 where it is none.
    ToReal,
}

/// The whole number a rational is rounded to.
fn to_whole(mode: Rounding, value: &Rational) -> Rational {
    let below = value.floor();
    let rest = value - &below;
    let above = &below + &Rational::one();
    let half = (&rest + &rest).cmp(&Rational::one());
    let is_odd = below.numerator().bit(0);
    let takes_above = match mode {
        _ if rest.is_zero() => false,
        Rounding::NearestEven => half == Ordering::Greater || half == Ordering::Equal && is_odd,
        Rounding::NearestAway => half == Ordering::Greater || half == Ordering::Equal && !value.is_negative(),
        Rounding::Up => true,
        Rounding::Down => false,
        Rounding::Zero => value.is_negative(),
    };
    if takes_above { above } else { below }
}

/// The order of two numbers that are not NaN.
fn compare(format: Format, a: &BigUint, b: &BigUint) -> Ordering {
    let key = |bits: &BigUint| {
        let sign = if format.is_negative(bits) {
            Sign::Minus
        } else {
            Sign::Plus
        };
        BigInt::from_biguint(sign, format.magnitude(bits))
    };
    key(a).cmp(&key(b))
}

/// The format of a sort, if it is one of floating-point numbers.
pub(crate) fn operand_format(terms: &Terms, sort: SortId) -> Option<Format> {
    match terms.sort(sort) {
        Sort::Float(format) => Some(*format),
        _ => None,
    }
}

/// The value of an operation on values of these sorts; nothing if they do not fit, or the format is too large for exact numbers.
pub fn float_operation(
    terms: &Terms,
    op: FloatOp,
    args: &[(&Value, SortId)],
    result: SortId,
) -> Option<Value> {
    let word = |place: usize| match args.get(place)?.0 {
        Value::Word(bits) => Some(bits),
        _ => None,
    };
    let format_of = |place: usize| operand_format(terms, args.get(place)?.1);
    let mode = || Rounding::ALL.get(usize::try_from(word(0)?).ok()?).copied();
    let number = |place: usize| format_of(place)?.number(word(place)?);
    let own = operand_format(terms, result);
    Some(match op {
        FloatOp::FromBits => Value::Word(own?.canonical(word(0)?.clone())),
        FloatOp::ToBits => Value::Word(word(0)?.clone()),
        FloatOp::Abs | FloatOp::Neg => {
            let (format, bits) = (own?, word(0)?);
            if format.is_nan(bits) {
                return Some(Value::Word(bits.clone()));
            }
            let is_negative = op == FloatOp::Neg && !format.is_negative(bits);
            Value::Word(format.signed(format.magnitude(bits), is_negative))
        }
        FloatOp::Min | FloatOp::Max => {
            let (format, a, b) = (own?, word(0)?, word(1)?);
            let takes_first = match (format.is_nan(a), format.is_nan(b)) {
                (true, _) => false,
                (_, true) => true,
                _ => {
                    compare(format, a, b)
                        == if op == FloatOp::Min {
                            Ordering::Less
                        } else {
                            Ordering::Greater
                        }
                }
            };
            Value::Word(if takes_first { a } else { b }.clone())
        }
        FloatOp::LessEqual | FloatOp::Less | FloatOp::Equal => {
            let (format, a, b) = (format_of(0)?, word(0)?, word(1)?);
            let is_ordered = !format.is_nan(a) && !format.is_nan(b);
            let order = compare(format, a, b);
            Value::Bool(
                is_ordered
                    && match op {
                        FloatOp::Less => order == Ordering::Less,
                        FloatOp::LessEqual => order != Ordering::Greater,
                        _ => order == Ordering::Equal,
                    },
            )
        }
        FloatOp::IsNormal
        | FloatOp::IsSubnormal
        | FloatOp::IsZero
        | FloatOp::IsInfinite
        | FloatOp::IsNan
        | FloatOp::IsNegative
        | FloatOp::IsPositive => Value::Bool(classified(op, format_of(0)?, word(0)?)),
        FloatOp::ToUnsigned(width) | FloatOp::FitsUnsigned(width) => whole_word(
            op,
            number(1)?,
            mode()?,
            &BigInt::zero(),
            &(BigInt::one() << width),
            width,
        ),
        FloatOp::ToSigned(width) | FloatOp::FitsSigned(width) => {
            let half = BigInt::one() << (width - 1);
            whole_word(op, number(1)?, mode()?, &-half.clone(), &half, width)
        }
        FloatOp::ToReal => Value::Number(match number(0)? {
            Number::Finite(value) => value,
            _ => Rational::zero(),
        }),
        FloatOp::FromReal => Value::Word(own.filter(|format| format.is_exact())?.rounded(
            mode()?,
            args.get(1)?.0.as_number()?,
            false,
        )),
        FloatOp::FromUnsigned | FloatOp::FromSigned => {
            let Sort::Word(width) = *terms.sort(args.get(1)?.1) else {
                return None;
            };
            let mut value = BigInt::from(word(1)?.clone());
            if op == FloatOp::FromSigned && word(1)?.bit(u64::from(width) - 1) {
                value -= BigInt::one() << width;
            }
            let format = own.filter(|format| format.is_exact())?;
            Value::Word(format.rounded(mode()?, &Rational::from_big(value), false))
        }
        FloatOp::Convert => Value::Word(converted(own?, mode()?, number(1)?)?),
        FloatOp::Remainder => Value::Word(remainder(own?, word(0)?, number(0)?, number(1)?)?),
        FloatOp::Sqrt => Value::Word(match number(1)? {
            Number::Zero(sign) => own?.zero(sign),
            Number::Infinite(false) => own?.infinity(false),
            Number::Finite(value) if value.is_positive() => own?.square_root(mode()?, &value),
            _ => own?.nan(),
        }),
        FloatOp::RoundToIntegral => Value::Word(match number(1)? {
            Number::Finite(value) => {
                let whole = to_whole(mode()?, &value);
                own?.rounded(mode()?, &whole, value.is_negative())
            }
            _ => word(1)?.clone(),
        }),
        FloatOp::Add | FloatOp::Sub | FloatOp::Mul | FloatOp::Div | FloatOp::Fma => {
            let third = match op {
                FloatOp::Fma => Some(number(3)?),
                _ => None,
            };
            Value::Word(arithmetic(op, own?, mode()?, number(1)?, number(2)?, third)?)
        }
    })
}

fn classified(op: FloatOp, format: Format, bits: &BigUint) -> bool {
    let magnitude = format.magnitude(bits);
    let is_nan = format.is_nan(bits);
    let is_small = (&magnitude >> format.fraction_bits()).is_zero();
    match op {
        FloatOp::IsNan => is_nan,
        FloatOp::IsInfinite => format.is_infinite(bits),
        FloatOp::IsZero => magnitude.is_zero(),
        FloatOp::IsSubnormal => is_small && !magnitude.is_zero(),
        FloatOp::IsNormal => !is_small && !is_nan && !format.is_infinite(bits),
        FloatOp::IsNegative => !is_nan && format.is_negative(bits),
        _ => !is_nan && !format.is_negative(bits),
    }
}

/// A number as a word, or whether it fits: at least the least and below the limit.
fn whole_word(
    op: FloatOp,
    number: Number,
    mode: Rounding,
    least: &BigInt,
    limit: &BigInt,
    width: u32,
) -> Value {
    let whole = match number {
        Number::Finite(value) => Some(to_whole(mode, &value).numerator()),
        Number::Zero(_) => Some(BigInt::zero()),
        _ => None,
    };
    let fitting = whole.filter(|whole| whole >= least && whole < limit);
    if matches!(op, FloatOp::FitsUnsigned(_) | FloatOp::FitsSigned(_)) {
        return Value::Bool(fitting.is_some());
    }
    let modulus = BigInt::one() << width;
    let word = fitting.map(|whole| ((whole % &modulus) + &modulus) % &modulus);
    Value::Word(word.and_then(|word| word.to_biguint()).unwrap_or_default())
}

fn converted(format: Format, mode: Rounding, number: Number) -> Option<BigUint> {
    Some(match number {
        Number::Nan => format.nan(),
        Number::Infinite(sign) => format.infinity(sign),
        Number::Zero(sign) => format.zero(sign),
        Number::Finite(value) => format.is_exact().then(|| format.round(mode, &value))?,
    })
}

fn remainder(format: Format, bits: &BigUint, a: Number, b: Number) -> Option<BigUint> {
    Some(match (a, b) {
        (Number::Nan | Number::Infinite(_), _) | (_, Number::Nan | Number::Zero(_)) => format.nan(),
        (Number::Zero(_), _) | (_, Number::Infinite(_)) => bits.clone(),
        (Number::Finite(a), Number::Finite(b)) => {
            let quotient = to_whole(Rounding::NearestEven, &(&a / &b));
            let rest = &a - &(&b * &quotient);
            format.rounded(Rounding::NearestEven, &rest, a.is_negative())
        }
    })
}

/// The sign of a number that is not NaN.
fn sign(number: &Number) -> bool {
    match number {
        Number::Nan => false,
        Number::Infinite(sign) | Number::Zero(sign) => *sign,
        Number::Finite(value) => value.is_negative(),
    }
}

fn negated(number: Number) -> Number {
    match number {
        Number::Nan => Number::Nan,
        Number::Infinite(sign) => Number::Infinite(!sign),
        Number::Zero(sign) => Number::Zero(!sign),
        Number::Finite(value) => Number::Finite(-value),
    }
}

/// The exact product; infinities and zeros as numbers of their own.
fn product(a: &Number, b: &Number) -> Number {
    let is_negative = sign(a) != sign(b);
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite(_), Number::Zero(_)) | (Number::Zero(_), Number::Infinite(_)) => Number::Nan,
        (Number::Infinite(_), _) | (_, Number::Infinite(_)) => Number::Infinite(is_negative),
        (Number::Finite(x), Number::Finite(y)) => Number::Finite(x * y),
        _ => Number::Zero(is_negative),
    }
}

fn sum(format: Format, mode: Rounding, a: Number, b: Number) -> Option<BigUint> {
    let exact = |number: &Number| match number {
        Number::Finite(value) => value.clone(),
        _ => Rational::zero(),
    };
    Some(match (&a, &b) {
        (Number::Nan, _) | (_, Number::Nan) => format.nan(),
        (Number::Infinite(x), Number::Infinite(y)) if x != y => format.nan(),
        (Number::Infinite(x), _) | (_, Number::Infinite(x)) => format.infinity(*x),
        _ => {
            let both = matches!((&a, &b), (Number::Zero(x), Number::Zero(y)) if x == y);
            let zero_sign = if both { sign(&a) } else { mode == Rounding::Down };
            let total = &exact(&a) + &exact(&b);
            format
                .is_exact()
                .then(|| format.rounded(mode, &total, zero_sign))?
        }
    })
}

fn arithmetic(
    op: FloatOp,
    format: Format,
    mode: Rounding,
    a: Number,
    b: Number,
    c: Option<Number>,
) -> Option<BigUint> {
    match (op, c) {
        (FloatOp::Add, _) => sum(format, mode, a, b),
        (FloatOp::Sub, _) => sum(format, mode, a, negated(b)),
        (FloatOp::Fma, Some(c)) => sum(format, mode, product(&a, &b), c),
        (FloatOp::Mul, _) => converted(format, mode, product(&a, &b)),
        _ => {
            let is_negative = sign(&a) != sign(&b);
            Some(match (a, b) {
                (Number::Nan, _) | (_, Number::Nan) => format.nan(),
                (Number::Infinite(_), Number::Infinite(_)) | (Number::Zero(_), Number::Zero(_)) => {
                    format.nan()
                }
                (Number::Infinite(_), _) | (_, Number::Zero(_)) => format.infinity(is_negative),
                (Number::Zero(_), _) | (_, Number::Infinite(_)) => format.zero(is_negative),
                (Number::Finite(x), Number::Finite(y)) => format.round(mode, &(&x / &y)),
            })
        }
    }
}
