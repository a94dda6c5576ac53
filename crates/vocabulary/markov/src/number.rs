//! Exact numbers: decimals as they are written, and floating-point numbers as the rationals they are.

use crate::Rational;
use std::str::FromStr;

/// The largest exponent of ten that a decimal may have: enough for every double, small enough that nobody can ask for a number that fills
/// the memory.
const LARGEST_EXPONENT: i64 = 400;

/// The number of a decimal literal such as `0.25`, `12` or `5e-8`; nothing if the text is none, or its exponent is beyond all doubles.
pub fn decimal(text: &str) -> Option<Rational> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = [whole, fraction].concat();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) || digits.len() > 4000 {
        return None;
    }
    if exponent.abs() > LARGEST_EXPONENT {
        return None;
    }
    let number = Rational::from_str(&digits).ok()?;
    let power = exponent - fraction.len() as i64;
    let number = number * Rational::from(10u8).pow(isize::try_from(power).ok()?);
    Some(if negative { -number } else { number })
}

/// The rational that a finite floating-point number is.
pub fn from_float(number: f64) -> Option<Rational> {
    Rational::try_from(number).ok()
}

/// The nearest floating-point number.
pub fn to_float(number: &Rational) -> f64 {
    number.to_f64().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        let ratio = |text: &str| Rational::from_str(text).expect("a fraction");
        assert_eq!(decimal("0.1"), Some(ratio("1/10")));
        assert_eq!(decimal("5e-8"), Some(ratio("1/20000000")));
        assert_eq!(decimal(".5"), Some(ratio("1/2")));
        assert_eq!(decimal("12"), Some(ratio("12")));
        assert_eq!(decimal("1.5E2"), Some(ratio("150")));
        for wrong in ["", ".", "e5", "1e999999999", "1.2.3", "x"] {
            assert_eq!(decimal(wrong), None, "{wrong}");
        }
    }
}
