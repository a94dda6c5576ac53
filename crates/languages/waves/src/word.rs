//! Words of four-valued bits.

use num_bigint::{BigInt, BigUint, Sign};

/// Most bits of a word.
pub const MOST_BITS: u32 = 1 << 16;

/// A bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    /// 0
    Zero,
    /// 1
    One,
    /// Not known.
    X,
    /// Not driven.
    Z,
}

impl Bit {
    /// The bit of a truth value.
    pub fn of(truth: bool) -> Bit {
        if truth { Bit::One } else { Bit::Zero }
    }

    /// Its truth, if it is known.
    pub fn known(self) -> Option<bool> {
        match self {
            Bit::Zero => Some(false),
            Bit::One => Some(true),
            Bit::X | Bit::Z => None,
        }
    }

    /// Negation.
    #[must_use]
    pub fn negated(self) -> Bit {
        self.known().map_or(Bit::X, |truth| Bit::of(!truth))
    }

    /// Conjunction.
    #[must_use]
    pub fn and(self, other: Bit) -> Bit {
        match (self.known(), other.known()) {
            (Some(false), _) | (_, Some(false)) => Bit::Zero,
            (Some(true), Some(true)) => Bit::One,
            _ => Bit::X,
        }
    }

    /// Disjunction.
    #[must_use]
    pub fn or(self, other: Bit) -> Bit {
        self.negated().and(other.negated()).negated()
    }

    /// Exclusive disjunction.
    #[must_use]
    pub fn xor(self, other: Bit) -> Bit {
        match (self.known(), other.known()) {
            (Some(left), Some(right)) => Bit::of(left != right),
            _ => Bit::X,
        }
    }
}

/// A word, the lowest bit first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word(pub Vec<Bit>);

impl Word {
    /// A word of one bit.
    pub fn bit(bit: Bit) -> Word {
        Word(vec![bit])
    }

    /// The same bit everywhere.
    pub fn filled(bit: Bit, width: u32) -> Word {
        Word(vec![bit; width as usize])
    }

    /// The lowest bits of a number.
    pub fn of_number(number: &BigInt, width: u32) -> Word {
        let magnitude = match number.sign() {
            Sign::Minus => number + (BigInt::from(1) << u64::from(width).max(number.bits() + 1)),
            _ => number.clone(),
        };
        let magnitude = magnitude.magnitude().clone();
        Word(
            (0..u64::from(width))
                .map(|bit| Bit::of(magnitude.bit(bit)))
                .collect(),
        )
    }

    /// Number of bits.
    pub fn width(&self) -> u32 {
        self.0.len() as u32
    }

    /// The number it is, if all bits are known.
    pub fn number(&self, signed: bool) -> Option<BigInt> {
        let mut digits = vec![0_u8; self.0.len().div_ceil(8)];
        for (place, bit) in self.0.iter().enumerate() {
            digits[place / 8] |= u8::from(bit.known()?) << (place % 8);
        }
        let number = BigInt::from(BigUint::from_bytes_le(&digits));
        let is_negative = signed && self.0.last() == Some(&Bit::One);
        Some(match is_negative {
            true => number - (BigInt::from(1) << self.0.len()),
            false => number,
        })
    }

    /// Longer or shorter: with its highest bit if it has a sign (an unknown one also without), with zeros otherwise.
    #[must_use]
    pub fn extended(mut self, width: u32, signed: bool) -> Word {
        let fill = match self.0.last() {
            Some(&highest) if signed => highest,
            _ => Bit::Zero,
        };
        self.0.resize(width as usize, fill);
        self
    }

    /// Whether it is true as a condition: one of its bits is 1.
    pub fn truth(&self) -> Bit {
        self.0.iter().fold(Bit::Zero, |any, bit| any.or(*bit))
    }

    /// Its bits as text, the highest first.
    pub fn digits(&self) -> String {
        let digit = |bit: &Bit| match bit {
            Bit::Zero => '0',
            Bit::One => '1',
            Bit::X => 'x',
            Bit::Z => 'z',
        };
        self.0.iter().rev().map(digit).collect()
    }
}

impl std::fmt::Display for Word {
    /// As Verilog writes it: in hexadecimal digits where all bits are known.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.number(false) {
            Some(number) if self.width() > 1 => write!(f, "{}'h{number:x}", self.width()),
            Some(number) => write!(f, "{number}"),
            None if self.width() > 1 => write!(f, "{}'b{}", self.width(), self.digits()),
            None => f.write_str(&self.digits()),
        }
    }
}
