//! Floating-point numbers (IEEE 754-2019): what their operations mean, in exact rationals.
//!
//! A value is kept as its bits, sign first, with one NaN. An operation takes its operands as rationals, computes exactly, and rounds once
//! (`round`): the quantum is the distance of neighbours at the result's exponent, and what is left over decides by the mode. Nothing here
//! knows circuits; solvers translate operations to words by other means, and their models are judged by this.
//!
//! Orders, tests and signs work on the bits, for any format. Arithmetic is exact and needs numbers of as many bits as the exponent's
//! range, so it is refused ([`float_operation`] gives nothing) for exponents of more than 18 bits.

use crate::{Op, Rational, Sort, SortId, TermId, Terms, Value};
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

/// The class and exact value of a number.
enum Number {
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

    fn fraction_bits(self) -> u32 {
        self.significand - 1
    }

    fn exponent_ones(self) -> BigUint {
        ((BigUint::one() << self.exponent) - BigUint::one()) << self.fraction_bits()
    }

    fn signed(self, bits: BigUint, is_negative: bool) -> BigUint {
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

    fn is_negative(self, bits: &BigUint) -> bool {
        bits.bit(u64::from(self.width()) - 1)
    }

    fn magnitude(self, bits: &BigUint) -> BigUint {
        let mut magnitude = bits.clone();
        magnitude.set_bit(u64::from(self.width()) - 1, false);
        magnitude
    }

    /// Whether the bits are a NaN.
    pub fn is_nan(self, bits: &BigUint) -> bool {
        self.magnitude(bits) > self.exponent_ones()
    }

    fn is_infinite(self, bits: &BigUint) -> bool {
        self.magnitude(bits) == self.exponent_ones()
    }

    /// The same bits, with the one pattern for NaN.
    pub fn canonical(self, bits: BigUint) -> BigUint {
        match self.is_nan(&bits) {
            true => self.nan(),
            false => bits,
        }
    }

    fn is_exact(self) -> bool {
        self.exponent <= 18
    }

    fn number(self, bits: &BigUint) -> Option<Number> {
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
    fn round(self, mode: Rounding, value: &Rational) -> BigUint {
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
    fn rounded(self, mode: Rounding, value: &Rational, zero_sign: bool) -> BigUint {
        match value.is_zero() {
            true => self.zero(zero_sign),
            false => self.round(mode, value),
        }
    }

    fn square_root(self, mode: Rounding, value: &Rational) -> BigUint {
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

fn operand_format(terms: &Terms, sort: SortId) -> Option<Format> {
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

impl Terms {
    /// The sort of a format's numbers.
    pub fn float_sort(&mut self, format: Format) -> SortId {
        self.sort_id(Sort::Float(format))
    }

    /// The format of a term's sort, if it is a floating-point number.
    pub fn format(&self, id: TermId) -> Option<Format> {
        operand_format(self, self.sort_of(id))
    }

    /// The number of these bits.
    pub fn float(&mut self, bits: BigUint, format: Format) -> TermId {
        let sort = self.float_sort(format);
        let word = self.word(format.canonical(bits), format.width());
        self.make(Op::Float(FloatOp::FromBits), &[word], sort)
    }

    /// A rounding mode.
    pub fn rounding(&mut self, mode: Rounding) -> TermId {
        let sort = self.sort_id(Sort::Rounding);
        self.make(Op::Rounding(mode), &[], sort)
    }

    /// The value a term is written as, for numbers, words, floating-point numbers and rounding modes.
    pub fn literal(&self, id: TermId) -> Option<Value> {
        let node = self.node(id);
        match &node.op {
            Op::True => Some(Value::Bool(true)),
            Op::False => Some(Value::Bool(false)),
            Op::Number(value) => Some(Value::Number(value.clone())),
            Op::Word(bits) => Some(Value::Word(bits.clone())),
            Op::Rounding(mode) => Some(Value::Word(mode.index().into())),
            Op::Float(FloatOp::FromBits) => {
                let bits = self.word_value(node.args[0])?;
                let format = operand_format(self, node.sort)?;
                (!format.is_nan(bits) || *bits == format.nan()).then(|| Value::Word(bits.clone()))
            }
            _ => None,
        }
    }

    /// The term that writes a value of such a sort.
    pub fn literal_term(&mut self, value: &Value, sort: SortId) -> Option<TermId> {
        match (value, self.sort(sort).clone()) {
            (Value::Bool(value), Sort::Bool) => Some(self.bool(*value)),
            (Value::Number(value), Sort::Int | Sort::Real) => Some(self.numeral(value.clone(), sort)),
            (Value::Word(bits), Sort::Word(width)) => Some(self.word(bits.clone(), width)),
            (Value::Word(bits), Sort::Float(format)) => Some(self.float(bits.clone(), format)),
            (Value::Word(bits), Sort::Rounding) => {
                let mode = *Rounding::ALL.get(usize::try_from(bits).ok()?)?;
                Some(self.rounding(mode))
            }
            _ => None,
        }
    }

    /// An operation on floating-point numbers, computed if the operands are written out.
    pub fn float_term(&mut self, op: FloatOp, args: &[TermId], result: SortId) -> TermId {
        let values: Option<Vec<Value>> = args.iter().map(|&arg| self.literal(arg)).collect();
        if let Some(values) = values {
            let sorted: Vec<(&Value, SortId)> = values
                .iter()
                .zip(args)
                .map(|(value, &arg)| (value, self.sort_of(arg)))
                .collect();
            let value = float_operation(self, op, &sorted, result);
            if let Some(term) = value.and_then(|value| self.literal_term(&value, result)) {
                return term;
            }
        }
        match (op, args) {
            // Reading bits back.
            (FloatOp::FromBits, &[a]) if *self.op(a) == Op::Float(FloatOp::ToBits) => self.args(a)[0],
            _ => self.make(Op::Float(op), args, result),
        }
    }

    /// An operation whose value is not determined everywhere: where it is not, it is some function of its operands.
    pub fn partial_float_term(&mut self, op: FloatOp, args: &[TermId], result: SortId) -> TermId {
        let total = self.float_term(op, args, result);
        let is_determined = match op {
            FloatOp::ToUnsigned(width) => self.float_term(FloatOp::FitsUnsigned(width), args, SortId::BOOL),
            FloatOp::ToSigned(width) => self.float_term(FloatOp::FitsSigned(width), args, SortId::BOOL),
            FloatOp::ToReal => {
                let nan = self.float_term(FloatOp::IsNan, args, SortId::BOOL);
                let infinite = self.float_term(FloatOp::IsInfinite, args, SortId::BOOL);
                let neither = self.or(&[nan, infinite]);
                self.not(neither)
            }
            _ => return total,
        };
        if is_determined == self.truth() {
            return total;
        }
        let sorts: Vec<SortId> = args.iter().map(|&arg| self.sort_of(arg)).collect();
        let name = format!("{op:?} undetermined {sorts:?} {result:?}");
        let symbol = match self.undetermined.get(&name) {
            Some(&known) => known,
            None => {
                let fresh = self.declare(&name, &sorts, result);
                self.undetermined.insert(name, fresh);
                fresh
            }
        };
        let anything = self.make(Op::Apply(symbol), args, result);
        self.ite(is_determined, total, anything)
    }

    /// Some word that may be the bits of NaN in this format.
    pub fn nan_pattern(&mut self, format: Format) -> TermId {
        let name = format!("bits of NaN {format:?}");
        let sort = self.word_sort(format.width());
        let symbol = match self.undetermined.get(&name) {
            Some(&known) => known,
            None => {
                let fresh = self.declare(&name, &[], sort);
                self.undetermined.insert(name, fresh);
                fresh
            }
        };
        self.make(Op::Apply(symbol), &[], sort)
    }

    /// The lesser or greater; of two zeros of different signs, either.
    pub fn float_extreme(&mut self, op: FloatOp, a: TermId, b: TermId) -> TermId {
        let sort = self.sort_of(a);
        let plain = self.float_term(op, &[a, b], sort);
        let Some(format) = self.format(a) else {
            return plain;
        };
        let zeros = [a, b].map(|one| self.float_term(FloatOp::IsZero, &[one], SortId::BOOL));
        let signs = [a, b].map(|one| self.float_term(FloatOp::IsNegative, &[one], SortId::BOOL));
        let differ = self.xor(signs[0], signs[1]);
        let is_open = self.and(&[zeros[0], zeros[1], differ]);
        if is_open == self.falsehood() {
            return plain;
        }
        let name = format!("{op:?} of zeros {format:?}");
        let symbol = match self.undetermined.get(&name) {
            Some(&known) => known,
            None => {
                let fresh = self.declare(&name, &[sort, sort], SortId::BOOL);
                self.undetermined.insert(name, fresh);
                fresh
            }
        };
        let takes_first = self.make(Op::Apply(symbol), &[a, b], SortId::BOOL);
        let either = self.ite(takes_first, a, b);
        self.ite(is_open, either, plain)
    }
}
