//! Machine words of any width, with SMT-LIB's arithmetic.
//!
//! A word is its bits; signedness only says how it prints and which of two operations a term means. Widths above 64
//! occur in hardware models, hence the big number inside; engines whose inner loop handles words have their own
//! compiled form and use this type at the border only.

use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use std::fmt;

/// A word: `bits < 2^width`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Word {
    width: u32,
    signed: bool,
    bits: BigUint,
}

impl Word {
    /// The word with these bits, cut to the width.
    pub fn new(width: u32, signed: bool, bits: BigUint) -> Word {
        let bits = if bits.bits() > u64::from(width) {
            bits & mask(width)
        } else {
            bits
        };
        Word { width, signed, bits }
    }

    /// The word with these bits, cut to the width.
    pub fn from_u64(width: u32, signed: bool, bits: u64) -> Word {
        Word::new(width, signed, BigUint::from(bits))
    }

    /// The number in two's complement, cut to the width.
    pub fn from_integer(width: u32, signed: bool, number: &BigInt) -> Word {
        let modulus = BigInt::from(BigUint::one() << width);
        let wrapped = ((number % &modulus) + &modulus) % &modulus;
        Word::new(
            width,
            signed,
            wrapped
                .to_biguint()
                .expect("a remainder of a positive modulus made positive"),
        )
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether it prints and compares as a signed number.
    pub fn is_signed(&self) -> bool {
        self.signed
    }

    /// The bits as an unsigned number.
    pub fn bits(&self) -> &BigUint {
        &self.bits
    }

    /// The bits as an unsigned number, if they fit.
    pub fn to_u64(&self) -> Option<u64> {
        self.bits.to_u64()
    }

    /// One bit, 0 being the least significant.
    pub fn bit(&self, position: u32) -> bool {
        self.bits.bit(u64::from(position))
    }

    /// The number it stands for, by its signedness.
    pub fn to_integer(&self) -> BigInt {
        let unsigned = BigInt::from(self.bits.clone());
        if self.signed && self.bit(self.width - 1) {
            unsigned - BigInt::from(BigUint::one() << self.width)
        } else {
            unsigned
        }
    }

    /// The same bits read with the other signedness.
    pub fn with_sign(&self, signed: bool) -> Word {
        Word {
            width: self.width,
            signed,
            bits: self.bits.clone(),
        }
    }

    fn wrap(&self, number: &BigInt) -> Word {
        Word::from_integer(self.width, self.signed, number)
    }

    /// Sum, wrapping.
    pub fn add(&self, other: &Word) -> Word {
        Word::new(self.width, self.signed, &self.bits + &other.bits)
    }

    /// Difference, wrapping.
    pub fn sub(&self, other: &Word) -> Word {
        self.wrap(&(BigInt::from(self.bits.clone()) - BigInt::from(other.bits.clone())))
    }

    /// Two's complement negation.
    pub fn neg(&self) -> Word {
        self.wrap(&-BigInt::from(self.bits.clone()))
    }

    /// Product, wrapping.
    pub fn mul(&self, other: &Word) -> Word {
        Word::new(self.width, self.signed, &self.bits * &other.bits)
    }

    /// Quotient towards zero; by zero it is all ones (unsigned) or 1/-1 by sign (signed), as in SMT-LIB.
    pub fn div(&self, other: &Word) -> Word {
        if other.bits.is_zero() {
            let negative = self.signed && self.bit(self.width - 1);
            return self.wrap(&BigInt::from(if negative { 1 } else { -1 }));
        }
        self.wrap(&(self.to_integer() / other.to_integer()))
    }

    /// Remainder with the sign of the dividend; by zero it is the dividend.
    pub fn rem(&self, other: &Word) -> Word {
        if other.bits.is_zero() {
            return self.clone();
        }
        self.wrap(&(self.to_integer() % other.to_integer()))
    }

    /// Bitwise complement.
    pub fn not(&self) -> Word {
        Word {
            width: self.width,
            signed: self.signed,
            bits: &self.bits ^ mask(self.width),
        }
    }

    /// Bitwise and.
    pub fn and(&self, other: &Word) -> Word {
        Word {
            width: self.width,
            signed: self.signed,
            bits: &self.bits & &other.bits,
        }
    }

    /// Bitwise or.
    pub fn or(&self, other: &Word) -> Word {
        Word {
            width: self.width,
            signed: self.signed,
            bits: &self.bits | &other.bits,
        }
    }

    /// Bitwise exclusive or.
    pub fn xor(&self, other: &Word) -> Word {
        Word {
            width: self.width,
            signed: self.signed,
            bits: &self.bits ^ &other.bits,
        }
    }

    /// Shift left, zeros in; by the width or more it is zero.
    pub fn shift_left(&self, by: u64) -> Word {
        if by >= u64::from(self.width) {
            return Word::new(self.width, self.signed, BigUint::zero());
        }
        Word::new(self.width, self.signed, &self.bits << by)
    }

    /// Shift right: copies of the sign bit come in if the word is signed, zeros otherwise.
    pub fn shift_right(&self, by: u64) -> Word {
        let by = by.min(u64::from(self.width));
        let shifted = &self.bits >> by;
        if self.signed && self.bit(self.width - 1) {
            let fill = mask(self.width) ^ (mask(self.width) >> by);
            return Word::new(self.width, self.signed, shifted | fill);
        }
        Word::new(self.width, self.signed, shifted)
    }

    /// `self` as the high bits, `low` as the low bits; unsigned.
    pub fn concat(&self, low: &Word) -> Word {
        Word::new(
            self.width + low.width,
            false,
            (&self.bits << low.width) | &low.bits,
        )
    }

    /// Bits `high` down to `low`; unsigned.
    pub fn extract(&self, high: u32, low: u32) -> Word {
        Word::new(high - low + 1, false, &self.bits >> low)
    }

    /// A wider word with the same number: sign bits or zeros on top, by signedness.
    pub fn extend(&self, by: u32) -> Word {
        Word::from_integer(self.width + by, self.signed, &self.to_integer())
    }

    /// Numeric comparison by signedness.
    pub fn number_cmp(&self, other: &Word) -> std::cmp::Ordering {
        self.to_integer().cmp(&other.to_integer())
    }
}

fn mask(width: u32) -> BigUint {
    (BigUint::one() << width) - BigUint::one()
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.to_integer();
        let (sign, magnitude) = (if number < BigInt::zero() { "-" } else { "" }, number.magnitude());
        let kind = if self.signed { 's' } else { 'u' };
        write!(f, "{sign}0{kind}d{}_{magnitude}", self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(signed: bool, bits: u64) -> Word {
        Word::from_u64(4, signed, bits)
    }

    #[test]
    fn four_bit_arithmetic_agrees_with_the_definitions() {
        for a in 0..16u64 {
            for b in 0..16u64 {
                let (ua, ub) = (word(false, a), word(false, b));
                assert_eq!(ua.add(&ub).to_u64(), Some((a + b) & 15));
                assert_eq!(ua.sub(&ub).to_u64(), Some(a.wrapping_sub(b) & 15));
                assert_eq!(ua.mul(&ub).to_u64(), Some((a * b) & 15));
                assert_eq!(ua.div(&ub).to_u64(), Some(a.checked_div(b).unwrap_or(15)));
                assert_eq!(ua.rem(&ub).to_u64(), Some(if b == 0 { a } else { a % b }));
                let signed = |bits: u64| if bits > 7 { bits as i64 - 16 } else { bits as i64 };
                let (sa, sb) = (word(true, a), word(true, b));
                if b != 0 {
                    assert_eq!(sa.div(&sb).to_u64(), Some((signed(a) / signed(b)) as u64 & 15));
                    assert_eq!(sa.rem(&sb).to_u64(), Some((signed(a) % signed(b)) as u64 & 15));
                }
                assert_eq!(sa.number_cmp(&sb), signed(a).cmp(&signed(b)));
                assert_eq!(sa.shift_right(b).to_u64(), Some((signed(a) >> b) as u64 & 15));
                assert_eq!(ua.shift_right(b).to_u64(), Some(if b > 3 { 0 } else { a >> b }));
                assert_eq!(
                    ua.shift_left(b).to_u64(),
                    Some(if b > 3 { 0 } else { (a << b) & 15 })
                );
            }
        }
    }

    #[test]
    fn words_print_as_smv_prints_them() {
        assert_eq!(word(false, 12).to_string(), "0ud4_12");
        assert_eq!(word(true, 12).to_string(), "-0sd4_4");
        assert_eq!(word(true, 8).extend(4).to_u64(), Some(0xf8));
        assert_eq!(
            word(false, 0b1010).concat(&word(true, 0b0011)).to_u64(),
            Some(0b1010_0011)
        );
        assert_eq!(word(false, 0b1010).extract(3, 1).to_u64(), Some(0b101));
    }
}
