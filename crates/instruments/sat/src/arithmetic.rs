//! Arithmetic on vectors of signals, least significant bit first.
//!
//! Ripple-carry adders, shift-and-add multiplication, restoring division, logarithmic shifters: the textbook circuits, which
//! structural hashing and rewriting in [`Aig`] keep small when operands are constants. Sizes: linear for addition, comparison and
//! (times the logarithm) shifts, quadratic for multiplication and division.

use crate::aig::{Aig, Signal};

/// Signals of a number or a word, least significant first.
pub type Bits = Vec<Signal>;

/// Whether the top bit of a vector is a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A natural number.
    Unsigned,
    /// Two's complement.
    Signed,
}

impl From<bool> for Sign {
    fn from(signed: bool) -> Sign {
        if signed { Sign::Signed } else { Sign::Unsigned }
    }
}

/// The low bits of an integer.
pub fn number(value: i128, width: usize) -> Bits {
    (0..width)
        .map(|bit| Signal::constant(value >> bit.min(127) & 1 == 1))
        .collect()
}

/// The same number in another width (cut where it is narrower).
pub fn resize(bits: &[Signal], width: usize, sign: Sign) -> Bits {
    let fill = match (sign, bits.last()) {
        (Sign::Signed, Some(&top)) => top,
        _ => Signal::FALSE,
    };
    (0..width)
        .map(|bit| bits.get(bit).copied().unwrap_or(fill))
        .collect()
}

impl Aig {
    fn full_adder(&mut self, a: Signal, b: Signal, carry: Signal) -> (Signal, Signal) {
        let half = self.xor(a, b);
        let sum = self.xor(half, carry);
        let generated = self.and(a, b);
        let propagated = self.and(half, carry);
        (sum, self.or(generated, propagated))
    }

    fn add_with_carry(&mut self, a: &[Signal], b: &[Signal], mut carry: Signal) -> (Bits, Signal) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, out) = self.full_adder(a, b, carry);
            sum.push(bit);
            carry = out;
        }
        (sum, carry)
    }

    /// `a + b`, wrapping.
    pub fn add(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        self.add_with_carry(a, b, Signal::FALSE).0
    }

    /// `a - b`, wrapping, and whether there was no borrow (unsigned `a >= b`).
    pub fn subtract(&mut self, a: &[Signal], b: &[Signal]) -> (Bits, Signal) {
        let complement: Bits = b.iter().map(|&bit| !bit).collect();
        self.add_with_carry(a, &complement, Signal::TRUE)
    }

    /// `-a`, wrapping.
    pub fn negate(&mut self, a: &[Signal]) -> Bits {
        let zero = number(0, a.len());
        self.subtract(&zero, a).0
    }

    /// `a < b`
    pub fn less(&mut self, a: &[Signal], b: &[Signal], sign: Sign) -> Signal {
        let mut less = Signal::FALSE;
        for (position, (&a_bit, &b_bit)) in a.iter().zip(b).enumerate() {
            // At a sign bit the larger pattern is the smaller number.
            let (low, high) = match sign {
                Sign::Signed if position + 1 == a.len() => (b_bit, a_bit),
                _ => (a_bit, b_bit),
            };
            let differs = self.xor(a_bit, b_bit);
            let here = self.and(!low, high);
            less = self.mux(differs, here, less);
        }
        less
    }

    /// Whether all bits agree.
    pub fn same(&mut self, a: &[Signal], b: &[Signal]) -> Signal {
        let equal: Vec<Signal> = a.iter().zip(b).map(|(&a, &b)| self.iff(a, b)).collect();
        self.and_all(equal)
    }

    /// Bitwise `if condition then a else b`.
    pub fn choose(&mut self, condition: Signal, a: &[Signal], b: &[Signal]) -> Bits {
        a.iter()
            .zip(b)
            .map(|(&a, &b)| self.mux(condition, a, b))
            .collect()
    }

    /// `a * b`, wrapping to the common width.
    pub fn multiply(&mut self, a: &[Signal], b: &[Signal]) -> Bits {
        let width = a.len();
        let mut sum = number(0, width);
        for (shift, &bit) in b.iter().enumerate() {
            if bit == Signal::FALSE {
                continue;
            }
            let mut partial = number(0, shift.min(width));
            for &a_bit in &a[..width - shift.min(width)] {
                partial.push(self.and(a_bit, bit));
            }
            sum = self.add(&sum, &partial);
        }
        sum
    }

    /// Unsigned quotient and remainder; by zero the quotient is all ones and the remainder `a`.
    fn divide_unsigned(&mut self, a: &[Signal], b: &[Signal]) -> (Bits, Bits) {
        let width = a.len();
        // One bit more than the divisor, so that the shifted remainder never overflows.
        let divisor = resize(b, width + 1, Sign::Unsigned);
        let mut remainder = number(0, width + 1);
        let mut quotient = vec![Signal::FALSE; width];
        for bit in (0..width).rev() {
            remainder.insert(0, a[bit]);
            remainder.truncate(width + 1);
            let (difference, fits) = self.subtract(&remainder, &divisor);
            quotient[bit] = fits;
            remainder = self.choose(fits, &difference, &remainder);
        }
        remainder.truncate(width);
        (quotient, remainder)
    }

    /// Quotient towards zero and remainder with the dividend's sign, as SMT-LIB defines them, by zero included.
    pub fn divide(&mut self, a: &[Signal], b: &[Signal], sign: Sign) -> (Bits, Bits) {
        if sign == Sign::Unsigned {
            return self.divide_unsigned(a, b);
        }
        let (Some(&a_negative), Some(&b_negative)) = (a.last(), b.last()) else {
            return (Vec::new(), Vec::new());
        };
        let (minus_a, minus_b) = (self.negate(a), self.negate(b));
        let a_size = self.choose(a_negative, &minus_a, a);
        let b_size = self.choose(b_negative, &minus_b, b);
        let (quotient, remainder) = self.divide_unsigned(&a_size, &b_size);
        let opposite = self.xor(a_negative, b_negative);
        let (minus_quotient, minus_remainder) = (self.negate(&quotient), self.negate(&remainder));
        (
            self.choose(opposite, &minus_quotient, &quotient),
            self.choose(a_negative, &minus_remainder, &remainder),
        )
    }

    /// `a` shifted by an unsigned number, `fill` coming in; by the width or more only `fill` is left.
    pub fn shift(&mut self, a: &[Signal], by: &[Signal], left: bool, fill: Signal) -> Bits {
        let width = a.len();
        let mut shifted = a.to_vec();
        let mut all_out = Vec::new();
        for (stage, &bit) in by.iter().enumerate() {
            let distance = 1usize
                .checked_shl(stage as u32)
                .filter(|&distance| distance < width);
            let Some(distance) = distance else {
                all_out.push(bit);
                continue;
            };
            let moved: Bits = (0..width)
                .map(|at| {
                    let from = if left {
                        at.checked_sub(distance)
                    } else {
                        Some(at + distance)
                    };
                    from.and_then(|from| shifted.get(from).copied()).unwrap_or(fill)
                })
                .collect();
            shifted = self.choose(bit, &moved, &shifted);
        }
        let out = self.or_all(all_out);
        let filled = vec![fill; width];
        self.choose(out, &filled, &shifted)
    }
}
