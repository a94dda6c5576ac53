//! The functions of SMT-LIB on floating-point numbers, with Z3's additions.

use crate::Problem;
use entail_first_order::sexpr::Sexpr;
use entail_first_order::{FloatOp, Format, Op, Rational, Rounding, Sort, SortId, TermId, Terms};
use num_bigint::{BigInt, BigUint};
use num_traits::One;

/// A format by its two numbers.
pub(crate) fn format(text: &Sexpr, exponent: &Sexpr, significand: &Sexpr) -> Result<Format, Problem> {
    match (exponent.number(), significand.number()) {
        (Some(exponent @ 2..=60), Some(significand @ 2..=4096)) => Ok(Format {
            exponent,
            significand,
        }),
        _ => Err(Problem::at(
            text,
            "a format has 2 to 60 bits of exponent and 2 to 4096 of significand",
        )),
    }
}

/// The format of a predefined sort.
pub(crate) fn named_format(name: &str) -> Option<Format> {
    let (exponent, significand) = match name {
        "Float16" => (5, 11),
        "Float32" => (8, 24),
        "Float64" => (11, 53),
        "Float128" => (15, 113),
        _ => return None,
    };
    Some(Format {
        exponent,
        significand,
    })
}

/// A rounding mode by its name.
pub(crate) fn rounding_mode(name: &str) -> Option<Rounding> {
    Some(match name {
        "RNE" | "roundNearestTiesToEven" => Rounding::NearestEven,
        "RNA" | "roundNearestTiesToAway" => Rounding::NearestAway,
        "RTP" | "roundTowardPositive" => Rounding::Up,
        "RTN" | "roundTowardNegative" => Rounding::Down,
        "RTZ" | "roundTowardZero" => Rounding::Zero,
        _ => return None,
    })
}

/// `(_ +oo 8 24)` and its like.
pub(crate) fn special(terms: &mut Terms, text: &Sexpr, items: &[Sexpr]) -> Option<Result<TermId, Problem>> {
    let [_, name, exponent, significand] = items else {
        return None;
    };
    let name = name.symbol()?;
    if !matches!(name, "+oo" | "-oo" | "NaN" | "+zero" | "-zero") {
        return None;
    }
    Some(format(text, exponent, significand).map(|format| {
        let bits = match name {
            "+oo" => format.infinity(false),
            "-oo" => format.infinity(true),
            "NaN" => format.nan(),
            "+zero" => format.zero(false),
            _ => format.zero(true),
        };
        terms.float(bits, format)
    }))
}

/// Whether a name is one of the functions read here.
pub(crate) fn is_float_function(name: &str) -> bool {
    name == "fp" || name.starts_with("fp.") || matches!(name, "to_ieee_bv" | "to_fp" | "to_fp_unsigned")
}

fn is_rounding(terms: &Terms, term: TermId) -> bool {
    *terms.sort(terms.sort_of(term)) == Sort::Rounding
}

fn same_format(terms: &Terms, args: &[TermId]) -> Option<Format> {
    let format = terms.format(*args.first()?)?;
    args.iter()
        .all(|&arg| terms.format(arg) == Some(format))
        .then_some(format)
}

/// A function on floating-point numbers without indices.
pub(crate) fn apply_float(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    args: &[TermId],
) -> Result<TermId, Problem> {
    let wrong = |terms: &Terms| {
        let sorts: Vec<String> = args
            .iter()
            .map(|&arg| terms.print_sort(terms.sort_of(arg)))
            .collect();
        let message = format!("`{name}` does not take {}", sorts.join(" and "));
        Problem::at(text, message).with_help(
            "operands are floating-point numbers of one format, a rounding mode first where it rounds",
        )
    };
    let rounded = matches!(
        name,
        "fp.add" | "fp.sub" | "fp.mul" | "fp.div" | "fp.fma" | "fp.sqrt" | "fp.roundToIntegral"
    );
    if name == "fp" {
        return parts(terms, args).ok_or_else(|| wrong(terms));
    }
    let numbers = if rounded {
        args.get(1..).unwrap_or_default()
    } else {
        args
    };
    if rounded && !args.first().is_some_and(|&mode| is_rounding(terms, mode)) {
        return Err(wrong(terms));
    }
    let Some(format) = same_format(terms, numbers) else {
        return Err(wrong(terms));
    };
    let own = terms.float_sort(format);
    let simple = |op: FloatOp, count: usize| (numbers.len() == count).then_some((op, own));
    let test = |op: FloatOp| (numbers.len() == 1).then_some((op, SortId::BOOL));
    let operation = match name {
        "fp.abs" => simple(FloatOp::Abs, 1),
        "fp.neg" => simple(FloatOp::Neg, 1),
        "fp.add" => simple(FloatOp::Add, 2),
        "fp.sub" => simple(FloatOp::Sub, 2),
        "fp.mul" => simple(FloatOp::Mul, 2),
        "fp.div" => simple(FloatOp::Div, 2),
        "fp.fma" => simple(FloatOp::Fma, 3),
        "fp.sqrt" => simple(FloatOp::Sqrt, 1),
        "fp.rem" => simple(FloatOp::Remainder, 2),
        "fp.roundToIntegral" => simple(FloatOp::RoundToIntegral, 1),
        "fp.isNormal" => test(FloatOp::IsNormal),
        "fp.isSubnormal" => test(FloatOp::IsSubnormal),
        "fp.isZero" => test(FloatOp::IsZero),
        "fp.isInfinite" => test(FloatOp::IsInfinite),
        "fp.isNaN" => test(FloatOp::IsNan),
        "fp.isNegative" => test(FloatOp::IsNegative),
        "fp.isPositive" => test(FloatOp::IsPositive),
        _ => None,
    };
    if let Some((op, sort)) = operation {
        return Ok(terms.float_term(op, args, sort));
    }
    let chain = |terms: &mut Terms, op: FloatOp, is_reversed: bool| {
        let pairs: Vec<TermId> = numbers
            .windows(2)
            .map(|pair| {
                let pair = if is_reversed {
                    [pair[1], pair[0]]
                } else {
                    [pair[0], pair[1]]
                };
                terms.float_term(op, &pair, SortId::BOOL)
            })
            .collect();
        terms.and(&pairs)
    };
    match (name, numbers) {
        ("fp.leq", [_, _, ..]) => Ok(chain(terms, FloatOp::LessEqual, false)),
        ("fp.lt", [_, _, ..]) => Ok(chain(terms, FloatOp::Less, false)),
        ("fp.geq", [_, _, ..]) => Ok(chain(terms, FloatOp::LessEqual, true)),
        ("fp.gt", [_, _, ..]) => Ok(chain(terms, FloatOp::Less, true)),
        ("fp.eq", [_, _, ..]) => Ok(chain(terms, FloatOp::Equal, false)),
        ("fp.min", &[a, b]) => Ok(terms.float_extreme(FloatOp::Min, a, b)),
        ("fp.max", &[a, b]) => Ok(terms.float_extreme(FloatOp::Max, a, b)),
        ("fp.to_real", [_]) => Ok(terms.partial_float_term(FloatOp::ToReal, args, SortId::REAL)),
        ("fp.to_ieee_bv" | "to_ieee_bv", &[a]) => Ok(bits_of(terms, format, a)),
        _ => Err(wrong(terms)),
    }
}

/// The bits of a number; of NaN any pattern of a NaN.
fn bits_of(terms: &mut Terms, format: Format, a: TermId) -> TermId {
    let sort = terms.word_sort(format.width());
    let is_nan = terms.float_term(FloatOp::IsNan, &[a], SortId::BOOL);
    let plain = terms.float_term(FloatOp::ToBits, &[a], sort);
    if is_nan == terms.falsehood() {
        return plain;
    }
    let free = terms.nan_pattern(format);
    let own = terms.float_sort(format);
    let read = terms.float_term(FloatOp::FromBits, &[free], own);
    let fits = terms.float_term(FloatOp::IsNan, &[read], SortId::BOOL);
    let pattern = terms.ite(fits, free, plain);
    terms.ite(is_nan, pattern, plain)
}

/// Sign, exponent and fraction as words.
fn parts(terms: &mut Terms, args: &[TermId]) -> Option<TermId> {
    let &[sign, exponent, fraction] = args else {
        return None;
    };
    let widths = [sign, exponent, fraction].map(|one| terms.width(one));
    if widths[0] != 1 || !(2..=60).contains(&widths[1]) || !(1..=4095).contains(&widths[2]) {
        return None;
    }
    let upper = terms.concat(sign, exponent);
    let bits = terms.concat(upper, fraction);
    let sort = terms.float_sort(Format {
        exponent: widths[1],
        significand: widths[2] + 1,
    });
    Some(terms.float_term(FloatOp::FromBits, &[bits], sort))
}

/// `to_fp`, `to_fp_unsigned`, `fp.to_ubv`, `fp.to_sbv` with their indices.
pub(crate) fn apply_indexed_float(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    indices: &[Sexpr],
    args: &[TermId],
) -> Result<TermId, Problem> {
    let wrong = |terms: &Terms| {
        let sorts: Vec<String> = args
            .iter()
            .map(|&arg| terms.print_sort(terms.sort_of(arg)))
            .collect();
        Problem::at(text, format!("`{name}` does not take {}", sorts.join(" and ")))
    };
    if matches!(name, "fp.to_ubv" | "fp.to_sbv") {
        let width = match indices {
            [width] => width.number().filter(|width| (1..=1 << 16).contains(width)),
            _ => None,
        };
        let width =
            width.ok_or_else(|| Problem::at(text, format!("`{name}` has a width from 1 to 65536")))?;
        let fits = matches!(args, &[mode, a] if is_rounding(terms, mode) && terms.format(a).is_some());
        if !fits {
            return Err(wrong(terms));
        }
        let sort = terms.word_sort(width);
        let op = if name == "fp.to_ubv" {
            FloatOp::ToUnsigned(width)
        } else {
            FloatOp::ToSigned(width)
        };
        return Ok(terms.partial_float_term(op, args, sort));
    }
    let [exponent, significand] = indices else {
        return Err(Problem::at(text, format!("`{name}` has two indices, the format")));
    };
    let format = format(text, exponent, significand)?;
    let own = terms.float_sort(format);
    if let &[a] = args {
        if terms.width(a) == format.width() && name == "to_fp" {
            return Ok(terms.float_term(FloatOp::FromBits, &[a], own));
        }
        if terms.format(a) == Some(format) {
            return Ok(a);
        }
    }
    if let &[a, b, c] = args
        && [a, b, c].iter().all(|&one| terms.width(one) > 0)
    {
        return parts(terms, args)
            .filter(|&term| terms.sort_of(term) == own)
            .ok_or_else(|| wrong(terms));
    }
    let Some((&mode, values)) = args.split_first().filter(|(mode, _)| is_rounding(terms, **mode)) else {
        return Err(wrong(terms));
    };
    match (name, values) {
        ("to_fp_unsigned", &[a]) if terms.width(a) > 0 => {
            Ok(terms.float_term(FloatOp::FromUnsigned, &[mode, a], own))
        }
        ("to_fp", &[a]) if terms.width(a) > 0 => Ok(terms.float_term(FloatOp::FromSigned, &[mode, a], own)),
        ("to_fp", &[a]) if terms.format(a).is_some() => {
            Ok(terms.float_term(FloatOp::Convert, &[mode, a], own))
        }
        ("to_fp", &[a]) if terms.sort_of(a).is_arithmetic() => {
            let a = terms.to_real(a);
            Ok(terms.float_term(FloatOp::FromReal, &[mode, a], own))
        }
        // Z3: a number times a power of two, in either order.
        ("to_fp", &[a, b]) => {
            let (real, power) = if terms.sort_of(a) == SortId::REAL {
                (a, b)
            } else {
                (b, a)
            };
            let scale = terms.number(power).and_then(scale);
            match (terms.number(real).cloned(), scale) {
                (Some(value), Some(scale)) => {
                    let real = terms.numeral(&value * &scale, SortId::REAL);
                    Ok(terms.float_term(FloatOp::FromReal, &[mode, real], own))
                }
                _ => Err(wrong(terms)),
            }
        }
        _ => Err(wrong(terms)),
    }
}

/// Two to the power of a whole number that is not huge.
fn scale(power: &Rational) -> Option<Rational> {
    let power = power.to_i64().filter(|power| power.abs() <= 1 << 20)?;
    let scale = Rational::from_big(BigInt::from(BigUint::one() << power.unsigned_abs()));
    Some(if power < 0 { scale.recip() } else { scale })
}

/// A constant of this name among the rounding modes.
pub(crate) fn rounding_constant(terms: &mut Terms, name: &str) -> Option<TermId> {
    rounding_mode(name).map(|mode| {
        let term = terms.rounding(mode);
        debug_assert!(matches!(terms.op(term), Op::Rounding(_)));
        term
    })
}
