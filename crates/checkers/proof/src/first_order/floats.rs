//! Floating-point operations as circuits, on exact numbers in fixed-point form.
//!
//! A number is its bits with one pattern for NaN, so that equality is equality of bits. An operation takes its operands exactly
//! (`fixed_point.rs`), computes with integers, and rounds once. Nothing is shared with the solver's translation, nor with the evaluator
//! in rationals.

use super::fixed_point::{Exact, Modes, grid, round, signed, to_whole};
use crate::arithmetic::Bits;
use crate::gates::Gates;
use crate::solver::Lit;
use entail_first_order::{FloatOp, Format};

/// A number taken apart.
struct Parts {
    sign: Lit,
    is_nan: Lit,
    is_infinite: Lit,
    is_zero: Lit,
    is_subnormal: Lit,
    /// The significand with its hidden bit.
    significand: Bits,
    /// How far the significand is shifted on the grid of subnormal numbers.
    shift: Bits,
}

/// The pattern of NaN: the exponent's ones and the first bit of the fraction.
pub(super) fn nan(gates: &Gates, format: Format) -> Bits {
    let fraction = format.significand as usize - 1;
    (0..format.width() as usize)
        .map(|at| gates.constant(at + 1 >= fraction && at + 1 < format.width() as usize))
        .collect()
}

fn infinity(gates: &Gates, format: Format) -> Bits {
    let fraction = format.significand as usize - 1;
    (0..format.width() as usize - 1)
        .map(|at| gates.constant(at >= fraction))
        .collect()
}

/// The same bits, with the one pattern for NaN.
pub(super) fn canonical(gates: &mut Gates, format: Format, bits: &[Lit]) -> Bits {
    let parts = take_apart(gates, format, bits);
    let pattern = nan(gates, format);
    gates.mux_bits(parts.is_nan, &pattern, bits)
}

fn take_apart(gates: &mut Gates, format: Format, bits: &[Lit]) -> Parts {
    let fraction = format.significand as usize - 1;
    let (low, rest) = bits.split_at(fraction);
    let (exponent, sign) = rest.split_at(format.exponent as usize);
    let all_ones = gates.all(exponent.iter().copied());
    let is_small = !gates.any(exponent.iter().copied());
    let is_fraction_zero = !gates.any(low.iter().copied());
    let mut significand = low.to_vec();
    significand.push(!is_small);
    // A normal number is shifted by its exponent's field less one.
    let minus_one = vec![gates.constant(true); exponent.len()];
    let less = gates.add_bits(exponent, &minus_one);
    let none = gates.number(0, exponent.len());
    Parts {
        sign: sign[0],
        is_nan: gates.and(all_ones, !is_fraction_zero),
        is_infinite: gates.and(all_ones, is_fraction_zero),
        is_zero: gates.and(is_small, is_fraction_zero),
        is_subnormal: gates.and(is_small, !is_fraction_zero),
        significand,
        shift: gates.mux_bits(is_small, &none, &less),
    }
}

/// Shifts to the left into a wider number.
fn shifted(gates: &mut Gates, bits: &[Lit], by: &[Lit], width: usize) -> Bits {
    let wide = gates.resize(bits, width, false);
    let zero = gates.constant(false);
    gates.shift_bits(&wide, by, true, zero)
}

/// A finite number on its format's grid.
fn exact(gates: &mut Gates, format: Format, parts: &Parts) -> Exact {
    let width = format.significand as usize + (1usize << format.exponent) - 3;
    Exact {
        sign: parts.sign,
        magnitude: shifted(gates, &parts.significand, &parts.shift, width),
        lowest: grid(format),
        sticky: gates.constant(false),
    }
}

/// The same number on a finer grid.
fn on_grid(gates: &Gates, number: &Exact, lowest: i64) -> Exact {
    let mut magnitude = vec![gates.constant(false); (number.lowest - lowest).max(0) as usize];
    magnitude.extend(&number.magnitude);
    Exact {
        magnitude,
        lowest: number.lowest.min(lowest),
        ..number.clone()
    }
}

/// The sum of two numbers on one grid, whose sign is that of the first where it is zero; and whether it is zero.
fn exact_sum(gates: &mut Gates, a: &Exact, b: &Exact) -> (Exact, Lit) {
    let width = a.magnitude.len().max(b.magnitude.len()) + 1;
    let (x, y) = (
        gates.resize(&a.magnitude, width, false),
        gates.resize(&b.magnitude, width, false),
    );
    let differ = gates.xor(a.sign, b.sign);
    let is_less = gates.less_bits(&x, &y, false);
    let large = gates.mux_bits(is_less, &y, &x);
    let small = gates.mux_bits(is_less, &x, &y);
    let sum = gates.add_bits(&x, &y);
    let difference = gates.subtract_bits(&large, &small);
    let magnitude = gates.mux_bits(differ, &difference, &sum);
    let is_zero = !gates.any(magnitude.iter().copied());
    let sign = gates.mux(is_less, b.sign, a.sign);
    let number = Exact {
        sign,
        magnitude,
        lowest: a.lowest,
        sticky: gates.constant(false),
    };
    (number, is_zero)
}

/// Chooses the first value whose condition holds, the last one otherwise.
fn choose(gates: &mut Gates, cases: &[(Lit, Bits)], otherwise: Bits) -> Bits {
    cases.iter().rev().fold(otherwise, |rest, (condition, bits)| {
        gates.mux_bits(*condition, bits, &rest)
    })
}

fn zero_bits(gates: &Gates, format: Format, sign: Lit) -> Bits {
    signed(&gates.number(0, format.width() as usize - 1), sign)
}

/// A sum rounded, with everything that is not finite: `a` and `b` say what is infinite or zero.
fn rounded_sum(
    gates: &mut Gates,
    format: Format,
    modes: &Modes,
    a: (&Parts, &Exact),
    b: (&Parts, &Exact),
) -> Bits {
    let lowest = a.1.lowest.min(b.1.lowest);
    let (x, y) = (on_grid(gates, a.1, lowest), on_grid(gates, b.1, lowest));
    let (total, is_zero) = exact_sum(gates, &x, &y);
    let finite = round(gates, format, modes, &total);
    // Zeros of one sign keep it; others cancel to plus, or to minus when rounding down.
    let same = !gates.xor(x.sign, y.sign);
    let both = gates.all([a.0.is_zero, b.0.is_zero, same]);
    let down = modes.is(entail_first_order::Rounding::Down);
    let zero_sign = gates.mux(both, x.sign, down);
    let zero = zero_bits(gates, format, zero_sign);
    let opposite = gates.all([a.0.is_infinite, b.0.is_infinite, !same]);
    let is_nan = gates.any([a.0.is_nan, b.0.is_nan, opposite]);
    let infinite = infinity(gates, format);
    let cases = [
        (is_nan, nan(gates, format)),
        (a.0.is_infinite, signed(&infinite, x.sign)),
        (b.0.is_infinite, signed(&infinite, y.sign)),
        (is_zero, zero),
    ];
    choose(gates, &cases, finite)
}

/// The exact product with what is not finite about it.
fn product(gates: &mut Gates, format: Format, a: &Parts, b: &Parts) -> (Parts, Exact) {
    let p = format.significand as usize;
    let (x, y) = (
        gates.resize(&a.significand, 2 * p, false),
        gates.resize(&b.significand, 2 * p, false),
    );
    let digits = gates.multiply_bits(&x, &y);
    let exponent = format.exponent as usize + 1;
    let (e, f) = (
        gates.resize(&a.shift, exponent, false),
        gates.resize(&b.shift, exponent, false),
    );
    let by = gates.add_bits(&e, &f);
    let magnitude = shifted(gates, &digits, &by, 2 * p + (1usize << exponent));
    let sign = gates.xor(a.sign, b.sign);
    let (ab, ba) = (
        gates.and(a.is_infinite, b.is_zero),
        gates.and(a.is_zero, b.is_infinite),
    );
    let parts = Parts {
        sign,
        is_nan: gates.any([a.is_nan, b.is_nan, ab, ba]),
        is_infinite: gates.or(a.is_infinite, b.is_infinite),
        is_zero: gates.or(a.is_zero, b.is_zero),
        is_subnormal: gates.constant(false),
        significand: Vec::new(),
        shift: Vec::new(),
    };
    let exact = Exact {
        sign,
        magnitude,
        lowest: 2 * grid(format),
        sticky: gates.constant(false),
    };
    (parts, exact)
}

/// What is not finite about a number, before it is rounded.
fn dressed(gates: &mut Gates, format: Format, modes: &Modes, parts: &Parts, number: &Exact) -> Bits {
    let finite = round(gates, format, modes, number);
    let infinite = infinity(gates, format);
    let cases = [
        (parts.is_nan, nan(gates, format)),
        (parts.is_infinite, signed(&infinite, parts.sign)),
        (parts.is_zero, zero_bits(gates, format, parts.sign)),
    ];
    choose(gates, &cases, finite)
}

fn quotient(gates: &mut Gates, format: Format, modes: &Modes, a: &Parts, b: &Parts) -> Bits {
    let p = format.significand as usize;
    // Scaled so that the quotient has two bits more than the format even for the least dividend and the greatest divisor.
    let scale = 2 * p + 1;
    let width = p + scale;
    let zero = gates.constant(false);
    let mut dividend = vec![zero; scale];
    dividend.extend(&a.significand);
    let divisor = gates.resize(&b.significand, width, false);
    let (digits, rest) = gates.divide_bits(&dividend, &divisor, false);
    let sticky = gates.any(rest);
    let exponent = format.exponent as usize + 1;
    // The shifts' difference, moved so that it is not negative.
    let most = (1i64 << format.exponent) - 3;
    let offset = gates.number(i128::from(most.max(0)), exponent);
    let (e, f) = (
        gates.resize(&a.shift, exponent, false),
        gates.resize(&b.shift, exponent, false),
    );
    let moved = gates.add_bits(&e, &offset);
    let by = gates.subtract_bits(&moved, &f);
    let number = Exact {
        sign: gates.xor(a.sign, b.sign),
        magnitude: shifted(gates, &digits, &by, width + (1usize << exponent)),
        lowest: -(scale as i64) - most.max(0),
        sticky,
    };
    let (infinities, zeros) = (
        gates.and(a.is_infinite, b.is_infinite),
        gates.and(a.is_zero, b.is_zero),
    );
    let parts = Parts {
        sign: number.sign,
        is_nan: gates.any([a.is_nan, b.is_nan, infinities, zeros]),
        is_infinite: gates.or(a.is_infinite, b.is_zero),
        is_zero: gates.or(a.is_zero, b.is_infinite),
        is_subnormal: zero,
        significand: Vec::new(),
        shift: Vec::new(),
    };
    dressed(gates, format, modes, &parts, &number)
}

/// The root of a whole number of an even number of bits, digit by digit, and whether there is a rest.
fn whole_root(gates: &mut Gates, bits: &[Lit]) -> (Bits, Lit) {
    let zero = gates.constant(false);
    let digits = bits.len() / 2;
    let width = digits + 2;
    let mut rest = vec![zero; width];
    let mut root: Bits = Vec::new();
    for place in (0..digits).rev() {
        // Bring down two bits; try the root so far with a one behind it.
        rest.splice(0..0, [bits[2 * place], bits[2 * place + 1]]);
        rest.truncate(width + 2);
        let rest_wide = gates.resize(&rest, width + 2, false);
        let mut trial = vec![gates.constant(true), zero];
        trial.extend(&root);
        let trial = gates.resize(&trial, width + 2, false);
        let fits = !gates.less_bits(&rest_wide, &trial, false);
        let less = gates.subtract_bits(&rest_wide, &trial);
        rest = gates.mux_bits(fits, &less, &rest_wide);
        rest.truncate(width);
        root.insert(0, fits);
    }
    let has_rest = gates.any(rest);
    (root, has_rest)
}

fn square_root(gates: &mut Gates, format: Format, modes: &Modes, a: &Parts) -> Bits {
    // The root of the number on its grid, made finer so that the root has enough digits.
    let number = exact(gates, format, a);
    let finer = 2 * i64::from(format.significand) + 4;
    let mut lowest = number.lowest - finer;
    lowest -= lowest.rem_euclid(2);
    let mut fine = on_grid(gates, &number, lowest).magnitude;
    if fine.len() % 2 == 1 {
        fine.push(gates.constant(false));
    }
    let (root, sticky) = whole_root(gates, &fine);
    let result = Exact {
        sign: a.sign,
        magnitude: root,
        lowest: lowest / 2,
        sticky,
    };
    let finite = round(gates, format, modes, &result);
    let is_negative = gates.and(a.sign, !a.is_zero);
    let infinite = infinity(gates, format);
    let cases = [
        (a.is_nan, nan(gates, format)),
        (a.is_zero, zero_bits(gates, format, a.sign)),
        (is_negative, nan(gates, format)),
        (a.is_infinite, signed(&infinite, a.sign)),
    ];
    choose(gates, &cases, finite)
}

/// The remainder of the quotient rounded to even: by dividing the magnitudes on their grid.
fn remainder(gates: &mut Gates, format: Format, bits: &[Lit], a: &Parts, b: &Parts) -> Bits {
    let (x, y) = (exact(gates, format, a), exact(gates, format, b));
    let width = x.magnitude.len() + 1;
    let (dividend, divisor) = (
        gates.resize(&x.magnitude, width, false),
        gates.resize(&y.magnitude, width, false),
    );
    let (digits, rest) = gates.divide_bits(&dividend, &divisor, false);
    // Beyond half of the divisor, or at half with an odd quotient, the next multiple is nearer.
    let mut double = vec![gates.constant(false)];
    double.extend(&rest[..width - 1]);
    let is_more = gates.less_bits(&divisor, &double, false);
    let is_half = gates.equal_bits(&divisor, &double);
    let half_odd = gates.and(is_half, digits[0]);
    let takes_next = gates.or(is_more, half_odd);
    let other = gates.subtract_bits(&divisor, &rest);
    let magnitude = gates.mux_bits(takes_next, &other, &rest);
    let is_zero = !gates.any(magnitude.iter().copied());
    let flipped = gates.and(takes_next, !is_zero);
    let number = Exact {
        sign: gates.xor(a.sign, flipped),
        magnitude,
        lowest: x.lowest,
        sticky: gates.constant(false),
    };
    // The remainder is on the grid of both: it is rounded without loss.
    let even = gates.number(0, 3);
    let modes = Modes::of(gates, &even);
    let finite = round(gates, format, &modes, &number);
    let is_nan = gates.any([a.is_nan, b.is_nan, a.is_infinite, b.is_zero]);
    let keeps = gates.or(a.is_zero, b.is_infinite);
    let cases = [(is_nan, nan(gates, format)), (keeps, bits.to_vec())];
    choose(gates, &cases, finite)
}

/// `a < b` or `a <= b` of numbers.
fn ordered(gates: &mut Gates, a: &Parts, b: &Parts, x: &[Lit], y: &[Lit], or_equal: bool) -> Lit {
    let own = x.len() - 1;
    let (less, greater) = (
        gates.less_bits(&x[..own], &y[..own], false),
        gates.less_bits(&y[..own], &x[..own], false),
    );
    let zeros = gates.and(a.is_zero, b.is_zero);
    let same_sign = gates.mux(a.sign, greater, less);
    let differ = gates.xor(a.sign, b.sign);
    let below = gates.mux(differ, a.sign, same_sign);
    let strictly = gates.and(below, !zeros);
    let is_ordered = !gates.or(a.is_nan, b.is_nan);
    let result = match or_equal {
        false => strictly,
        true => {
            let same = gates.equal_bits(x, y);
            gates.any([strictly, same, zeros])
        }
    };
    gates.and(result, is_ordered)
}

/// An operand: its bits, and its format if it is a floating-point number.
pub(super) type Operand = (Bits, Option<Format>);

/// Whether an operation's circuit is small enough: remainders and roots of wide formats are not.
pub(super) fn is_feasible(op: FloatOp, format: Option<Format>) -> bool {
    let Some(format) = format else { return true };
    match op {
        FloatOp::Remainder => format.exponent <= 8 && format.significand <= 24,
        FloatOp::Sqrt => format.exponent <= 8,
        _ => format.exponent <= 11,
    }
}

/// The truth value of a test or comparison; nothing if the operation is none.
pub(super) fn truth(gates: &mut Gates, op: FloatOp, args: &[Operand]) -> Option<Lit> {
    let part = |gates: &mut Gates, place: usize| {
        let (bits, format) = args.get(place)?;
        Some(take_apart(gates, (*format)?, bits))
    };
    if let FloatOp::FitsUnsigned(width) | FloatOp::FitsSigned(width) = op {
        return Some(whole_word(gates, args, width as usize, op == FloatOp::FitsSigned(width))?.1);
    }
    let a = part(gates, 0)?;
    Some(match op {
        FloatOp::IsNan => a.is_nan,
        FloatOp::IsInfinite => a.is_infinite,
        FloatOp::IsZero => a.is_zero,
        FloatOp::IsSubnormal => a.is_subnormal,
        FloatOp::IsNormal => !gates.any([a.is_nan, a.is_infinite, a.is_zero, a.is_subnormal]),
        FloatOp::IsNegative => gates.and(a.sign, !a.is_nan),
        FloatOp::IsPositive => gates.and(!a.sign, !a.is_nan),
        FloatOp::Less | FloatOp::LessEqual | FloatOp::Equal => {
            let b = part(gates, 1)?;
            let (x, y) = (&args.first()?.0, &args.get(1)?.0);
            match op {
                FloatOp::Equal => {
                    let (one, other) = (
                        ordered(gates, &a, &b, x, y, true),
                        ordered(gates, &b, &a, y, x, true),
                    );
                    gates.and(one, other)
                }
                _ => ordered(gates, &a, &b, x, y, op == FloatOp::LessEqual),
            }
        }
        _ => return None,
    })
}

/// A number rounded to a word, and whether it fits.
fn whole_word(gates: &mut Gates, args: &[Operand], width: usize, is_signed: bool) -> Option<(Bits, Lit)> {
    let modes = Modes::of(gates, &args.first()?.0);
    let (bits, format) = args.get(1)?;
    let format = (*format)?;
    let parts = take_apart(gates, format, bits);
    let number = exact(gates, format, &parts);
    let mut whole = to_whole(gates, &modes, &number);
    let zero = gates.constant(false);
    whole.resize(whole.len().max(width + 1), zero);
    let is_zero = !gates.any(whole.iter().copied());
    let is_finite = !gates.or(parts.is_nan, parts.is_infinite);
    let fits = match is_signed {
        false => {
            let small = !gates.any(whole[width..].iter().copied());
            let positive = gates.or(!parts.sign, is_zero);
            gates.and(small, positive)
        }
        true => {
            let small = !gates.any(whole[width - 1..].iter().copied());
            // The least number has no positive twin.
            let above = gates.any(whole[width..].iter().copied());
            let below = gates.any(whole[..width - 1].iter().copied());
            let least = gates.all([parts.sign, whole[width - 1], !above, !below]);
            gates.or(small, least)
        }
    };
    let fits = gates.and(fits, is_finite);
    let magnitude = &whole[..width];
    let negated = gates.negate_bits(magnitude);
    let word = gates.mux_bits(parts.sign, &negated, magnitude);
    let none = gates.number(0, width);
    Some((gates.mux_bits(fits, &word, &none), fits))
}

/// The bits of an operation's value; nothing if there is no circuit for it.
pub(super) fn bits(gates: &mut Gates, op: FloatOp, args: &[Operand], own: Option<Format>) -> Option<Bits> {
    let apart = |gates: &mut Gates, place: usize| {
        let (bits, format) = args.get(place)?;
        Some(take_apart(gates, (*format)?, bits))
    };
    let modes = |gates: &mut Gates| Some(Modes::of(gates, &args.first()?.0));
    Some(match op {
        FloatOp::FromBits => canonical(gates, own?, &args.first()?.0),
        FloatOp::ToBits => args.first()?.0.clone(),
        FloatOp::Abs | FloatOp::Neg => {
            let bits = &args.first()?.0;
            let parts = apart(gates, 0)?;
            let sign = match op {
                FloatOp::Abs => gates.constant(false),
                _ => !parts.sign,
            };
            let changed = signed(&bits[..bits.len() - 1], sign);
            gates.mux_bits(parts.is_nan, bits, &changed)
        }
        FloatOp::Min | FloatOp::Max => {
            let (x, y) = (args.first()?.0.clone(), args.get(1)?.0.clone());
            let (a, b) = (apart(gates, 0)?, apart(gates, 1)?);
            let first = match op {
                FloatOp::Min => ordered(gates, &a, &b, &x, &y, false),
                _ => ordered(gates, &b, &a, &y, &x, false),
            };
            let takes_first = gates.or(first, b.is_nan);
            let takes_first = gates.and(takes_first, !a.is_nan);
            gates.mux_bits(takes_first, &x, &y)
        }
        FloatOp::ToUnsigned(width) => whole_word(gates, args, width as usize, false)?.0,
        FloatOp::ToSigned(width) => whole_word(gates, args, width as usize, true)?.0,
        FloatOp::FromUnsigned | FloatOp::FromSigned => {
            let modes = modes(gates)?;
            let word = &args.get(1)?.0;
            let sign = match op {
                FloatOp::FromSigned => *word.last()?,
                _ => gates.constant(false),
            };
            let negated = gates.negate_bits(word);
            let number = Exact {
                sign,
                magnitude: gates.mux_bits(sign, &negated, word),
                lowest: 0,
                sticky: gates.constant(false),
            };
            round(gates, own?, &modes, &number)
        }
        FloatOp::Convert => {
            let (modes, parts) = (modes(gates)?, apart(gates, 1)?);
            let number = exact(gates, args.get(1)?.1?, &parts);
            dressed(gates, own?, &modes, &parts, &number)
        }
        FloatOp::RoundToIntegral => {
            let (modes, parts) = (modes(gates)?, apart(gates, 1)?);
            let number = exact(gates, own?, &parts);
            let whole = Exact {
                magnitude: to_whole(gates, &modes, &number),
                lowest: 0,
                ..number
            };
            let finite = round(gates, own?, &modes, &whole);
            let special = gates.or(parts.is_nan, parts.is_infinite);
            gates.mux_bits(special, &args.get(1)?.0, &finite)
        }
        FloatOp::Sqrt => {
            let (modes, parts) = (modes(gates)?, apart(gates, 1)?);
            square_root(gates, own?, &modes, &parts)
        }
        FloatOp::Remainder => {
            let (a, b) = (apart(gates, 0)?, apart(gates, 1)?);
            remainder(gates, own?, &args.first()?.0, &a, &b)
        }
        FloatOp::Div => {
            let (modes, a, b) = (modes(gates)?, apart(gates, 1)?, apart(gates, 2)?);
            quotient(gates, own?, &modes, &a, &b)
        }
        FloatOp::Mul => {
            let (modes, a, b) = (modes(gates)?, apart(gates, 1)?, apart(gates, 2)?);
            let (parts, number) = product(gates, own?, &a, &b);
            dressed(gates, own?, &modes, &parts, &number)
        }
        FloatOp::Add | FloatOp::Sub => {
            let (modes, a, mut b) = (modes(gates)?, apart(gates, 1)?, apart(gates, 2)?);
            if op == FloatOp::Sub {
                b.sign = !b.sign;
            }
            let (x, y) = (exact(gates, own?, &a), exact(gates, own?, &b));
            rounded_sum(gates, own?, &modes, (&a, &x), (&b, &y))
        }
        FloatOp::Fma => {
            let (modes, a, b) = (modes(gates)?, apart(gates, 1)?, apart(gates, 2)?);
            let c = apart(gates, 3)?;
            let (parts, number) = product(gates, own?, &a, &b);
            let last = exact(gates, own?, &c);
            rounded_sum(gates, own?, &modes, (&parts, &number), (&c, &last))
        }
        _ => return None,
    })
}
