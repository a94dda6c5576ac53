//! Functions that Z3 knows beyond the standard: powers, counting of truth values, and functions nothing is decided about.
//!
//! A function whose meaning is not modelled (a sine, a power with a variable exponent) becomes an *inexact* symbol: an arbitrary function
//! in its place. What has no model then has none with the true function either; a model proves nothing, and callers say so.

use crate::Problem;
use entail_first_order::sexpr::Sexpr;
use entail_first_order::{Op, Rational, SortId, TermId, Terms};

/// The largest exponent that is written out as a product.
const MOST_FACTORS: i64 = 64;

/// A function of numbers beyond the standard, if the name is one.
pub(crate) fn apply_further(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    args: &[TermId],
) -> Option<Result<TermId, Problem>> {
    let are_numbers = args.iter().all(|&arg| terms.sort_of(arg).is_arithmetic());
    match (name, args) {
        ("~", &[a]) if are_numbers => Some(Ok(terms.neg(a))),
        ("^" | "**", &[a, b]) if are_numbers => Some(Ok(power(terms, a, b))),
        (
            "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh"
            | "atanh" | "exp" | "sqrt" | "cot" | "sec" | "csc" | "arcsin" | "arccos" | "arctan" | "arccot"
            | "arcsec" | "arccsc",
            &[a],
        ) if are_numbers => {
            let a = terms.to_real(a);
            let value = terms.inexact(name, &[a], SortId::REAL);
            if !matches!(name, "sin" | "cos" | "tanh") {
                return Some(Ok(value));
            }
            // Whatever the value is, it lies between -1 and 1.
            let [least, most, zero] =
                [-1, 1, 0].map(|bound| terms.numeral(Rational::integer(bound), SortId::REAL));
            let (above, below) = (terms.le(least, value), terms.le(value, most));
            let inside = terms.and(&[above, below]);
            Some(Ok(terms.ite(inside, value, zero)))
        }
        ("pi", []) => Some(Ok(terms.inexact(name, &[], SortId::REAL))),
        ("implies" | "iff", &[a, b]) => {
            let are_formulas = [a, b].iter().all(|&one| terms.sort_of(one) == SortId::BOOL);
            match are_formulas {
                true if name == "iff" => Some(Ok(terms.eq(a, b))),
                true => Some(Ok(terms.implies(a, b))),
                false => Some(Err(Problem::at(text, format!("`{name}` takes formulas")))),
            }
        }
        ("rem", &[a, b]) if are_numbers => {
            // Z3: the sign of the divisor is given to the remainder.
            let (a, b) = (terms.to_int(a), terms.to_int(b));
            let rest = terms.modulo(a, b);
            let opposite = terms.neg(rest);
            let zero = terms.int(0);
            let is_positive = terms.le(zero, b);
            Some(Ok(terms.ite(is_positive, rest, opposite)))
        }
        _ => None,
    }
}

fn power(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    let is_integer = terms.sort_of(a) == SortId::INT && terms.sort_of(b) == SortId::INT;
    let exponent = terms
        .number(b)
        .filter(|value| value.is_integer())
        .and_then(Rational::to_i64);
    let sort = if is_integer { SortId::INT } else { SortId::REAL };
    // Powers of powers must not grow without end.
    let factors = if *terms.op(a) == Op::Mul {
        terms.args(a).len() as i64
    } else {
        1
    };
    let exponent = exponent.filter(|exponent| exponent.abs() * factors <= MOST_FACTORS);
    let (a, b) = if is_integer {
        (a, b)
    } else {
        (terms.to_real(a), terms.to_real(b))
    };
    match exponent {
        Some(exponent) if (1..=MOST_FACTORS).contains(&exponent) => {
            terms.mul(&vec![a; exponent as usize], sort)
        }
        Some(exponent) if (-MOST_FACTORS..0).contains(&exponent) && !is_integer => {
            // By zero, Z3 leaves it open.
            let product = terms.mul(&vec![a; exponent.unsigned_abs() as usize], sort);
            let one = terms.numeral(Rational::one(), sort);
            let quotient = terms.divide(one, product);
            let zero = terms.numeral(Rational::zero(), sort);
            let is_zero = terms.eq(a, zero);
            let open = terms.inexact("^", &[a, b], sort);
            terms.ite(is_zero, open, quotient)
        }
        Some(0) => {
            let one = terms.numeral(Rational::one(), sort);
            let zero = terms.numeral(Rational::zero(), sort);
            let is_zero = terms.eq(a, zero);
            let open = terms.inexact("^", &[a, b], sort);
            terms.ite(is_zero, open, one)
        }
        _ => terms.inexact("^", &[a, b], sort),
    }
}

/// `at-most`, `at-least`, `pble`, `pbge`, `pbeq` with their indices.
pub(crate) fn apply_counting(
    terms: &mut Terms,
    text: &Sexpr,
    name: &str,
    indices: &[Sexpr],
    args: &[TermId],
) -> Option<Result<TermId, Problem>> {
    if !matches!(name, "at-most" | "at-least" | "pble" | "pbge" | "pbeq") {
        return None;
    }
    let numbers: Option<Vec<i64>> = indices.iter().map(whole).collect();
    let is_counting = name.starts_with("at-");
    let fits = numbers
        .as_ref()
        .is_some_and(|numbers| numbers.len() == if is_counting { 1 } else { args.len() + 1 });
    let are_formulas = args.iter().all(|&arg| terms.sort_of(arg) == SortId::BOOL);
    let Some(numbers) = numbers.filter(|_| fits && are_formulas) else {
        return Some(Err(Problem::at(
            text,
            format!("`{name}` takes a limit, a number for each formula where they are weighed, and formulas"),
        )));
    };
    let zero = terms.int(0);
    let parts: Vec<TermId> = (args.iter().enumerate())
        .map(|(place, &arg)| {
            let weight = terms.int(numbers.get(place + 1).copied().unwrap_or(1));
            terms.ite(arg, weight, zero)
        })
        .collect();
    let sum = terms.add(&parts, SortId::INT);
    let limit = terms.int(numbers[0]);
    Some(Ok(match name {
        "at-most" | "pble" => terms.le(sum, limit),
        "at-least" | "pbge" => terms.le(limit, sum),
        _ => terms.eq(sum, limit),
    }))
}

/// A whole number as an index, perhaps negative.
fn whole(text: &Sexpr) -> Option<i64> {
    match (text.number(), text.symbol(), text.list()) {
        (Some(value), _, _) => Some(i64::from(value)),
        (_, Some(name), _) => name.parse().ok(),
        (_, _, Some([minus, value])) if minus.symbol() == Some("-") => {
            value.number().map(|value| -i64::from(value))
        }
        _ => None,
    }
}
