//! Constants as the format writes them: binary, decimal and hexadecimal, of any width.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Signed};

/// The bits of a constant of a width; or what is wrong with it.
pub(crate) fn bits(keyword: &str, text: &str, width: u32) -> Result<BigUint, String> {
    match keyword {
        "const" => {
            if !text.bytes().all(|byte| matches!(byte, b'0' | b'1')) || text.is_empty() {
                return Err("a binary constant has only digits 0 and 1".into());
            }
            if text.len() != width as usize {
                return Err(format!("{} digits for a sort of {width} bits", text.len()));
            }
            number(text, 2)
        }
        "consth" => {
            if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || text.is_empty() {
                return Err("a hexadecimal constant has only digits 0 to 9 and a to f".into());
            }
            fits(number(text, 16)?, width)
        }
        _ => {
            let (negative, digits) = match text.strip_prefix('-') {
                Some(digits) => (true, digits),
                None => (false, text),
            };
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err("a decimal constant has only digits, perhaps after a minus sign".into());
            }
            let magnitude = number(digits, 10)?;
            if !negative {
                return fits(magnitude, width);
            }
            let value = -BigInt::from(magnitude);
            if value < -(BigInt::one() << (width - 1)) {
                return Err(format!("{text} does not fit {width} bits"));
            }
            let wrapped = if value.is_negative() {
                value + (BigInt::one() << width)
            } else {
                value
            };
            Ok(wrapped.to_biguint().unwrap_or_default())
        }
    }
}

/// No numeral has more digits; parsing takes time that grows faster than the length.
const MOST_DIGITS: usize = 1 << 17;

fn number(digits: &str, radix: u32) -> Result<BigUint, String> {
    if digits.len() > MOST_DIGITS && radix == 10 {
        return Err(format!("a decimal constant of more than {MOST_DIGITS} digits"));
    }
    BigUint::parse_bytes(digits.as_bytes(), radix).ok_or_else(|| "this is no number".to_owned())
}

fn fits(number: BigUint, width: u32) -> Result<BigUint, String> {
    if number.bits() > u64::from(width) {
        Err(format!(
            "the constant needs {} bits, its sort has {width}",
            number.bits()
        ))
    } else {
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn constants_of_all_bases_and_widths() {
        let number = |keyword, text, width| bits(keyword, text, width).map(|bits| bits.to_string());
        assert_eq!(number("const", "1010", 4), Ok("10".into()));
        assert_eq!(number("consth", "fF", 8), Ok("255".into()));
        assert_eq!(number("consth", "00ff", 8), Ok("255".into()));
        assert_eq!(number("constd", "-1", 3), Ok("7".into()));
        assert_eq!(number("constd", "-4", 3), Ok("4".into()));
        assert_eq!(number("constd", "-0", 3), Ok("0".into()));
        assert_eq!(number("constd", "-1", 1), Ok("1".into()));
        let wide = "340282366920938463463374607431768211456";
        assert_eq!(number("constd", wide, 129), Ok(wide.into()));
        for (keyword, text, width) in [
            ("const", "101", 4),
            ("const", "12", 2),
            ("consth", "1ff", 8),
            ("consth", "g", 8),
            ("constd", "8", 3),
            ("constd", "-5", 3),
            ("constd", "-", 3),
            ("constd", wide, 128),
        ] {
            assert!(bits(keyword, text, width).is_err(), "{keyword} {text} {width}");
        }
    }
}
