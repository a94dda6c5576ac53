//! Arithmetic modulo a random prime between 2^61 and 2^62, in Montgomery's form (1985).

use dashu_int::{IBig, Sign, UBig};
use entail_markov::Rational;

/// Bits of information that a prime has at least.
pub(crate) const BITS: f64 = 61.0;

/// How many primes there are at least between 2^61 and 2^62.
pub(crate) const PRIMES: f64 = 5.0e16;

/// Random numbers from a seed (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(crate) struct Randomness(u64);

impl Randomness {
    pub fn new(seed: u64) -> Randomness {
        Randomness(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Residues modulo an odd prime, each multiplied with 2^64.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Modulus {
    prime: u64,
    /// What gives -1 modulo 2^64 with the prime.
    negated: u64,
    /// 2^128 modulo the prime.
    square: u64,
    pub one: u64,
}

impl Modulus {
    fn new(prime: u64) -> Modulus {
        let mut inverse = 1u64;
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2u64.wrapping_sub(prime.wrapping_mul(inverse)));
        }
        let one = ((1u128 << 64) % u128::from(prime)) as u64;
        Modulus {
            prime,
            negated: inverse.wrapping_neg(),
            square: (u128::from(one) * u128::from(one) % u128::from(prime)) as u64,
            one,
        }
    }

    /// A random prime.
    pub fn random(randomness: &mut Randomness) -> Modulus {
        loop {
            let candidate = (1 << 61) | (randomness.next() >> 3) | 1;
            let modulus = Modulus::new(candidate);
            if modulus.is_prime() {
                return modulus;
            }
        }
    }

    /// Miller and Rabin's test with the bases that decide all numbers of 64 bits.
    fn is_prime(&self) -> bool {
        let number = self.prime;
        let bases = [2u64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
        if bases.iter().any(|&base| number.is_multiple_of(base)) {
            return bases.contains(&number);
        }
        let twos = (number - 1).trailing_zeros();
        let minus_one = number - self.one;
        bases.iter().all(|&base| {
            let mut power = self.power(self.times(base, self.square), (number - 1) >> twos);
            if power == self.one || power == minus_one {
                return true;
            }
            (1..twos).any(|_| {
                power = self.times(power, power);
                power == minus_one
            })
        })
    }

    pub fn prime(&self) -> u64 {
        self.prime
    }

    #[inline]
    pub fn times(&self, a: u64, b: u64) -> u64 {
        let product = u128::from(a) * u128::from(b);
        let factor = (product as u64).wrapping_mul(self.negated);
        let sum = ((product + u128::from(factor) * u128::from(self.prime)) >> 64) as u64;
        if sum >= self.prime { sum - self.prime } else { sum }
    }

    #[inline]
    pub fn plus(&self, a: u64, b: u64) -> u64 {
        let sum = a + b;
        if sum >= self.prime { sum - self.prime } else { sum }
    }

    #[inline]
    pub fn minus(&self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.prime - b }
    }

    pub fn power(&self, mut base: u64, mut exponent: u64) -> u64 {
        let mut product = self.one;
        while exponent > 0 {
            if exponent & 1 == 1 {
                product = self.times(product, base);
            }
            base = self.times(base, base);
            exponent >>= 1;
        }
        product
    }

    /// Nothing for zero.
    pub fn inverse(&self, value: u64) -> Option<u64> {
        (value != 0).then(|| self.power(value, self.prime - 2))
    }

    /// A random residue.
    pub fn residue(&self, randomness: &mut Randomness) -> u64 {
        loop {
            let value = randomness.next() >> 2;
            if value < self.prime {
                return value;
            }
        }
    }

    pub fn whole(&self, number: &IBig) -> u64 {
        let (sign, size) = number.clone().into_parts();
        let rest = u64::try_from(size % UBig::from(self.prime)).unwrap_or(0);
        let residue = self.times(rest, self.square);
        match sign {
            Sign::Positive => residue,
            Sign::Negative => self.minus(0, residue),
        }
    }

    /// Nothing if the denominator is a multiple of the prime.
    pub fn rational(&self, number: &Rational) -> Option<u64> {
        let below = self.whole(&number.denominator().clone().into());
        Some(self.times(self.whole(number.numerator()), self.inverse(below)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_are_added_multiplied_and_divided() {
        let mut randomness = Randomness::new(5);
        for _ in 0..20 {
            let modulus = Modulus::random(&mut randomness);
            // Fermat's theorem for another base.
            let base = modulus.whole(&IBig::from(41));
            assert_eq!(modulus.power(base, modulus.prime - 1), modulus.one);
            let third = Rational::from(1) / Rational::from(3);
            let third = modulus.rational(&third).expect("a large prime");
            let sum = modulus.plus(third, modulus.plus(third, third));
            assert_eq!(sum, modulus.one);
            let minus_two = modulus.whole(&IBig::from(-2));
            assert_eq!(modulus.minus(third, sum), modulus.times(minus_two, third));
        }
        let primes = (3..2000u64).step_by(2).filter(|&number| Modulus::new(number).is_prime());
        assert_eq!(primes.count(), 302);
    }
}
