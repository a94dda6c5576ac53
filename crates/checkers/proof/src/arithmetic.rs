//! Arithmetic on vectors of literals, least significant bit first.

use crate::gates::Gates;
use crate::solver::Lit;

/// A vector of bits, least significant first.
pub(crate) type Bits = Vec<Lit>;

impl Gates {
    pub(crate) fn number(&self, value: i128, width: usize) -> Bits {
        (0..width)
            .map(|bit| self.constant(value >> bit.min(127) & 1 == 1))
            .collect()
    }

    /// The number in another width: cut, or extended by its sign or by zeros.
    pub(crate) fn resize(&self, bits: &[Lit], width: usize, signed: bool) -> Bits {
        let fill = match bits.last() {
            Some(&sign) if signed => sign,
            _ => self.constant(false),
        };
        (0..width)
            .map(|bit| bits.get(bit).copied().unwrap_or(fill))
            .collect()
    }

    pub(crate) fn mux_bits(&mut self, condition: Lit, then: &[Lit], otherwise: &[Lit]) -> Bits {
        then.iter()
            .zip(otherwise)
            .map(|(&a, &b)| self.mux(condition, a, b))
            .collect()
    }

    pub(crate) fn equal_bits(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(same)
    }

    fn add_with_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Bits, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            let (both, passed) = (self.and(a, b), self.and(half, carry));
            carry = self.or(both, passed);
        }
        (sum, carry)
    }

    pub(crate) fn add_bits(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let zero = self.constant(false);
        self.add_with_carry(a, b, zero).0
    }

    pub(crate) fn subtract_bits(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let (complement, one) = (complement(b), self.constant(true));
        self.add_with_carry(a, &complement, one).0
    }

    pub(crate) fn negate_bits(&mut self, a: &[Lit]) -> Bits {
        let zero = self.number(0, a.len());
        self.subtract_bits(&zero, a)
    }

    pub(crate) fn multiply_bits(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let width = a.len();
        let mut sum = self.number(0, width);
        for (shift, &digit) in b.iter().enumerate() {
            let mut row = self.number(0, width);
            for at in shift..width {
                row[at] = self.and(digit, a[at - shift]);
            }
            sum = self.add_bits(&sum, &row);
        }
        sum
    }

    /// `a < b` as unsigned or signed numbers of one width.
    pub(crate) fn less_bits(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        if signed {
            // Flipping the sign bits maps the signed order to the unsigned one.
            for bits in [&mut a, &mut b] {
                if let Some(sign) = bits.last_mut() {
                    *sign = !*sign;
                }
            }
        }
        // a < b iff a - b borrows.
        let (complement, one) = (complement(&b), self.constant(true));
        !self.add_with_carry(&a, &complement, one).1
    }

    /// Quotient and remainder of unsigned numbers by long division; by zero, all ones and the dividend.
    fn divide_unsigned(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let width = a.len();
        let wide_b = self.resize(b, width + 1, false);
        let mut remainder = self.number(0, width + 1);
        let mut quotient = self.number(0, width);
        for bit in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[bit]);
            let fits = !self.less_bits(&remainder, &wide_b, false);
            let reduced = self.subtract_bits(&remainder, &wide_b);
            remainder = self.mux_bits(fits, &reduced, &remainder);
            quotient[bit] = fits;
        }
        remainder.pop();
        (quotient, remainder)
    }

    /// Quotient towards zero and remainder with the dividend's sign, on two's complement or unsigned numbers.
    pub(crate) fn divide_bits(&mut self, a: &[Lit], b: &[Lit], signed: bool) -> (Bits, Bits) {
        let (Some(&sign_a), Some(&sign_b)) = (a.last(), b.last()) else {
            return (Vec::new(), Vec::new());
        };
        if !signed {
            return self.divide_unsigned(a, b);
        }
        let (minus_a, minus_b) = (self.negate_bits(a), self.negate_bits(b));
        let (size_a, size_b) = (
            self.mux_bits(sign_a, &minus_a, a),
            self.mux_bits(sign_b, &minus_b, b),
        );
        let (quotient, remainder) = self.divide_unsigned(&size_a, &size_b);
        let (minus_quotient, minus_remainder) = (self.negate_bits(&quotient), self.negate_bits(&remainder));
        let opposite = self.xor(sign_a, sign_b);
        (
            self.mux_bits(opposite, &minus_quotient, &quotient),
            self.mux_bits(sign_a, &minus_remainder, &remainder),
        )
    }

    /// Shifted by an unsigned amount; `fill` comes in. Beyond the width only `fill` is left.
    pub(crate) fn shift_bits(&mut self, a: &[Lit], amount: &[Lit], left: bool, fill: Lit) -> Bits {
        let width = a.len();
        let mut shifted = a.to_vec();
        for (power, &digit) in amount.iter().enumerate() {
            let by = if power < 32 { 1usize << power } else { width };
            let moved: Bits = (0..width)
                .map(|at| {
                    let from = if left {
                        at.checked_sub(by)
                    } else {
                        at.checked_add(by)
                    };
                    from.and_then(|from| shifted.get(from).copied()).unwrap_or(fill)
                })
                .collect();
            shifted = self.mux_bits(digit, &moved, &shifted);
        }
        shifted
    }
}

fn complement(bits: &[Lit]) -> Bits {
    bits.iter().map(|&bit| !bit).collect()
}
