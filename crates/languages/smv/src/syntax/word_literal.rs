//! Word constants such as `0ud8_255` or `-0sd4_7`.
//!
//! Shape: `0`, an optional `u` or `s`, a base letter, an optional width, `_`, digits with `_` between them. Without a
//! width the digits decide: one bit a binary digit, three an octal, four a hexadecimal one; a decimal constant needs
//! a width. The value must fit; for a signed decimal constant that means the signed range, except that the lowest
//! value may be written to be negated.

use num_bigint::BigUint;
use num_traits::One;

/// The widest word accepted.
pub const MAX_WIDTH: u64 = 64_000;

/// A word constant: bits, width, signedness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordLiteral {
    /// The bits as an unsigned number below `2^width`.
    pub bits: BigUint,
    /// Number of bits, at least one.
    pub width: u32,
    /// Whether it is a `signed word`.
    pub signed: bool,
}

/// Reads a constant; the error says what is wrong with it.
pub fn parse(text: &str) -> Result<WordLiteral, String> {
    let malformed = || "malformed word constant".to_string();
    let rest = text.strip_prefix('0').ok_or_else(malformed)?;
    let (signed, rest) = match rest.as_bytes().first() {
        Some(b'u') => (false, &rest[1..]),
        Some(b's') => (true, &rest[1..]),
        _ => (false, rest),
    };
    let base_letter = rest.chars().next().ok_or_else(malformed)?;
    let (base, bits_per_digit) = match base_letter.to_ascii_lowercase() {
        'b' => (2u32, 1u64),
        'o' => (8, 3),
        'd' => (10, 0),
        'h' => (16, 4),
        _ => return Err(malformed()),
    };
    let (width_text, digits) = rest[1..].split_once('_').ok_or_else(malformed)?;
    let digits: String = digits.chars().filter(|&digit| digit != '_').collect();
    if let Some(wrong) = digits.chars().find(|digit| !digit.is_digit(base)) {
        return Err(format!("`{wrong}` is not a digit of base {base}"));
    }
    let value = BigUint::parse_bytes(digits.as_bytes(), base).ok_or_else(malformed)?;
    let width: u64 = if !width_text.is_empty() {
        width_text
            .parse()
            .map_err(|_| format!("the width {width_text} is too large"))?
    } else if base == 10 {
        return Err("a decimal word constant needs a width, as in `0ud8_255`".to_string());
    } else {
        bits_per_digit * digits.len() as u64
    };
    if width == 0 {
        return Err("a word has at least one bit".to_string());
    }
    if width > MAX_WIDTH {
        return Err(format!("a word has at most {MAX_WIDTH} bits"));
    }
    let fits = if signed && base == 10 {
        value <= BigUint::one() << (width - 1)
    } else {
        value.bits() <= width
    };
    if !fits {
        return Err(format!("the value does not fit in {width} bits"));
    }
    Ok(WordLiteral {
        bits: value,
        width: width as u32,
        signed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_width_is_given_or_counted_from_the_digits() {
        assert_eq!(parse("0ud8_255").unwrap().width, 8);
        assert_eq!(parse("0b_1010").unwrap().width, 4);
        assert_eq!(parse("0h_FF_0").unwrap().width, 12);
        assert_eq!(parse("0o_17").unwrap().width, 6);
        assert!(parse("0d_17").is_err());
    }

    #[test]
    fn signed_decimals_keep_to_the_signed_range() {
        assert!(parse("0sd4_7").unwrap().signed);
        assert!(parse("0sd4_8").is_ok(), "so that -0sd4_8 can be written");
        assert!(parse("0sd4_9").is_err());
        assert_eq!(parse("0sb4_1010").unwrap().bits, BigUint::from(10u8));
    }

    #[test]
    fn values_that_do_not_fit_and_wrong_digits_are_errors() {
        assert!(parse("0ud4_16").is_err());
        assert!(parse("0ub4_12").is_err());
        assert!(parse("0ud0_0").is_err());
        assert!(parse("0ud999999999999999999999_0").is_err());
    }
}
