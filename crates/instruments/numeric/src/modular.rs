//! Arithmetic modulo primes of 62 bits: what polynomials are compared and interpolated with before it is done with whole numbers.
//!
//! Products go through 128 bits. Primes are found from 2^62 downwards by the test of Miller and Rabin with the first twelve primes as bases, which
//! decides all numbers of 64 bits (Sorenson and Webster 2017).

use dashu_int::{IBig, UBig};

/// The whole numbers modulo a prime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    prime: u64,
}

impl Field {
    /// The field of the largest prime below 2^61: 2^61 - 1.
    pub const MERSENNE: Field = Field {
        prime: (1 << 61) - 1,
    };

    /// The prime.
    pub fn prime(self) -> u64 {
        self.prime
    }

    /// The sum.
    pub fn plus(self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.prime { sum - self.prime } else { sum }
    }

    /// The difference.
    pub fn minus(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.prime - b }
    }

    /// The product.
    pub fn times(self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.prime)) as u64
    }

    /// A power.
    pub fn power(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut product = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = self.times(product, base);
            }
            base = self.times(base, base);
            exponent >>= 1;
        }
        product
    }

    /// What gives 1 if it is multiplied with this; nothing for zero.
    pub fn inverse(self, value: u64) -> Option<u64> {
        (value != 0).then(|| self.power(value, self.prime - 2))
    }

    /// A whole number.
    pub fn of(self, number: &IBig) -> u64 {
        let prime = UBig::from(self.prime);
        let (sign, size) = number.clone().into_parts();
        let rest = u64::try_from(size % prime).unwrap_or(0);
        match sign {
            dashu_int::Sign::Negative => self.minus(0, rest),
            dashu_int::Sign::Positive => rest,
        }
    }
}

/// Primes below 2^62, the largest first.
pub fn fields() -> impl Iterator<Item = Field> {
    let odd = (0..1u64 << 40).map(|step| (1u64 << 62) - 1 - 2 * step);
    odd.filter(|&number| is_prime(number))
        .map(|prime| Field { prime })
}

fn is_prime(number: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if let Some(known) = BASES.iter().find(|&&base| number % base == 0) {
        return number == *known;
    }
    let field = Field { prime: number };
    let twos = (number - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut power = field.power(base, (number - 1) >> twos);
        if power == 1 || power == number - 1 {
            return true;
        }
        (1..twos).any(|_| {
            power = field.times(power, power);
            power == number - 1
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_have_inverses_and_their_numbers_are_primes() {
        let small: Vec<u64> = (38..400).filter(|&number| is_prime(number)).collect();
        assert_eq!(&small[..5], &[41, 43, 47, 53, 59]);
        assert_eq!(small.len(), 66);
        for field in fields().take(3).chain([Field::MERSENNE]) {
            assert!(is_prime(field.prime()));
            for value in [1, 2, 3, 1 << 60, field.prime() - 1] {
                let inverse = field.inverse(value).expect("not zero");
                assert_eq!(field.times(value, inverse), 1);
            }
            assert_eq!(field.of(&IBig::from(-1)), field.prime() - 1);
            assert_eq!(field.inverse(0), None);
        }
    }
}
