//! Greatest common divisors of polynomials with whole coefficients.
//!
//! Most polynomials that meet in an elimination have nothing in common. So it begins with images: all variables but one get
//! numbers modulo a prime, and if the images have no common divisor in any variable, neither have the polynomials. Then one is tried as a divisor of the other. Only
//! then it is computed: in one variable modulo primes that are put together by Chinese remainders until the result divides both
//! (Brown 1971), in several by primitive remainders (Knuth, *TAOCP* 2, 4.6.1), as long as the work allows.

use crate::integer_polynomial::{Exponents, IntegerPolynomial, MOST_VARIABLES, TooMuch, Work};
use crate::modular::{Field, fields};
use dashu_int::IBig;
use dashu_int::ops::Gcd;
use std::collections::BTreeMap;

impl IntegerPolynomial {
    /// The coefficients as a polynomial in one variable, by its power.
    fn coefficients(&self, variable: usize) -> BTreeMap<u16, IntegerPolynomial> {
        let mut found: BTreeMap<u16, IntegerPolynomial> = BTreeMap::new();
        for (exponents, value) in &self.0 {
            let mut others = *exponents;
            let power = std::mem::take(&mut others[variable]);
            found.entry(power).or_default().0.push((others, value.clone()));
        }
        found
    }

    /// The image in one variable modulo a prime, all others replaced by numbers: coefficients from the constant one up.
    fn image(&self, variable: usize, field: Field, powers: &[Vec<u64>]) -> Vec<u64> {
        let mut found = Vec::new();
        for (exponents, value) in &self.0 {
            let mut own = field.of(value);
            for (at, &power) in exponents.iter().enumerate() {
                if at != variable && power > 0 {
                    own = field.times(own, powers[at][usize::from(power)]);
                }
            }
            let place = usize::from(exponents[variable]);
            if found.len() <= place {
                found.resize(place + 1, 0);
            }
            found[place] = field.plus(found[place], own);
        }
        trimmed(found)
    }

    /// A greatest common divisor of polynomials that are not zero and whose content is 1; its last coefficient is positive.
    pub fn common_divisor(
        &self,
        other: &IntegerPolynomial,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
        let one = || IntegerPolynomial::constant(IBig::ONE);
        let (powers, others) = (self.common_powers(), other.common_powers());
        let mut shared = powers;
        shared
            .iter_mut()
            .zip(&others)
            .for_each(|(a, b)| *a = (*a).min(*b));
        let (a, b) = (self.without_powers(&powers), other.without_powers(&others));
        let with_powers = |found: IntegerPolynomial, work: &mut Work<'_>| {
            found.times(&IntegerPolynomial(vec![(shared, IBig::ONE)]), work)
        };
        if a.is_coprime_to(&b, work)? {
            return with_powers(one(), work);
        }
        let (small, large) = if a.0.len() <= b.0.len() {
            (&a, &b)
        } else {
            (&b, &a)
        };
        if large.divided_by(small, work)?.is_some() {
            return with_powers(small.positive(), work);
        }
        let (of_a, of_b) = (a.degrees(), b.degrees());
        let occurring: Vec<usize> = (0..MOST_VARIABLES)
            .filter(|&at| of_a[at] > 0 || of_b[at] > 0)
            .collect();
        let found = match occurring[..] {
            [variable] => a.modular_divisor(&b, variable, work)?,
            _ => a.divisor_by_remainders(&b, 0, work)?,
        };
        with_powers(found.positive(), work)
    }

    fn positive(&self) -> IntegerPolynomial {
        let content = self.content();
        self.divided_by_number(&content)
    }

    /// Whether images modulo a prime show that there is no common divisor.
    fn is_coprime_to(&self, other: &IntegerPolynomial, work: &mut Work<'_>) -> Result<bool, TooMuch> {
        let field = Field::MERSENNE;
        let (of_a, of_b) = (self.degrees(), other.degrees());
        let most = of_a.iter().chain(&of_b).copied().max().unwrap_or(0);
        let powers: Vec<Vec<u64>> = (0..MOST_VARIABLES as u64)
            .map(|at| {
                let base = 0x1234_5678_9abc_def1 % field.prime() + at * 0x1_0000_0123_4567;
                let next = |power: &u64| Some(field.times(*power, base));
                std::iter::successors(Some(1), next)
                    .take(usize::from(most) + 1)
                    .collect()
            })
            .collect();
        for variable in 0..MOST_VARIABLES {
            if of_a[variable] == 0 || of_b[variable] == 0 {
                continue;
            }
            work.take(u64::from(of_a[variable]) * u64::from(of_b[variable]) / 8)?;
            let (a, b) = (
                self.image(variable, field, &powers),
                other.image(variable, field, &powers),
            );
            // A leading coefficient that vanishes says nothing.
            if a.len() != usize::from(of_a[variable]) + 1 || divisor_modulo(field, a, b).len() != 1 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// In one variable: modulo primes, until the same polynomial is found again and divides both.
    fn modular_divisor(
        &self,
        other: &IntegerPolynomial,
        variable: usize,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
        let last = |of: &IntegerPolynomial| of.0.last().map_or(IBig::ZERO, |(_, value)| value.clone());
        let (left, right) = (last(self).into_parts().1, last(other).into_parts().1);
        let leading = IBig::from(left.gcd(right));
        let mut modulus = IBig::ONE;
        let mut found: Vec<IBig> = Vec::new();
        let mut before = IntegerPolynomial::default();
        for field in fields() {
            work.take(self.0.len() as u64 * other.0.len() as u64)?;
            let (a, b) = (
                self.image(variable, field, &[]),
                other.image(variable, field, &[]),
            );
            let scale = field.of(&leading);
            if scale == 0 {
                continue;
            }
            let image = divisor_modulo(field, a, b);
            if image.len() == 1 {
                return Ok(IntegerPolynomial::constant(IBig::ONE));
            }
            if image.len() > found.len() && !found.is_empty() {
                continue;
            }
            if image.len() < found.len() || found.is_empty() {
                modulus = IBig::ONE;
                found = vec![IBig::ZERO; image.len()];
            }
            let step = field.inverse(field.of(&modulus)).unwrap_or(1);
            for (known, own) in found.iter_mut().zip(&image) {
                let wanted = field.times(*own, scale);
                let missing = field.times(field.minus(wanted, field.of(known)), step);
                *known += &modulus * IBig::from(missing);
            }
            modulus *= IBig::from(field.prime());
            let half = &modulus / IBig::from(2);
            let terms = found.iter().enumerate().map(|(power, value)| {
                let mut exponents = Exponents::default();
                exponents[variable] = power as u16;
                let value = if *value > half {
                    value - &modulus
                } else {
                    value.clone()
                };
                (exponents, value)
            });
            let candidate = IntegerPolynomial::new(terms).positive();
            let divides = |of: &IntegerPolynomial, work: &mut Work<'_>| {
                of.divided_by(&candidate, work).map(|quotient| quotient.is_some())
            };
            if candidate == before && divides(self, work)? && divides(other, work)? {
                return Ok(candidate);
            }
            before = candidate;
        }
        Err(TooMuch::Large)
    }

    /// In several variables: primitive remainders, with contents from the variables behind.
    fn divisor_by_remainders(
        &self,
        other: &IntegerPolynomial,
        variable: usize,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
        work.take(1)?;
        if self.is_zero() || other.is_zero() {
            return Ok(if self.is_zero() {
                other.clone()
            } else {
                self.clone()
            });
        }
        if variable >= MOST_VARIABLES {
            let (a, b) = (self.content().into_parts().1, other.content().into_parts().1);
            return Ok(IntegerPolynomial::constant(IBig::from(a.gcd(b))));
        }
        let degree = |of: &IntegerPolynomial| of.degrees()[variable];
        if degree(self) == 0 && degree(other) == 0 {
            return self.divisor_by_remainders(other, variable + 1, work);
        }
        let primitive = |of: &IntegerPolynomial, work: &mut Work<'_>| {
            let mut content = IntegerPolynomial::default();
            for coefficient in of.coefficients(variable).values() {
                content = content.divisor_by_remainders(coefficient, variable + 1, work)?;
                if content.value() == Some(IBig::ONE) {
                    break;
                }
            }
            let part = of.divided_by(&content, work)?.unwrap_or_else(|| of.clone());
            Ok::<_, TooMuch>((content, part))
        };
        let ((left, mut a), (right, mut b)) = (primitive(self, work)?, primitive(other, work)?);
        if degree(&a) < degree(&b) {
            std::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            let rest = a.pseudo_remainder(&b, variable, work)?;
            a = b;
            b = match rest.is_zero() {
                true => rest,
                false => primitive(&rest, work)?.1,
            };
        }
        left.divisor_by_remainders(&right, variable + 1, work)?
            .times(&a, work)
    }

    fn pseudo_remainder(
        &self,
        divisor: &IntegerPolynomial,
        variable: usize,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
        let degree = divisor.degrees()[variable];
        let leading = divisor.coefficients(variable).remove(&degree).unwrap_or_default();
        let mut rest = self.clone();
        while !rest.is_zero() && rest.degrees()[variable] >= degree {
            let power = rest.degrees()[variable];
            let mut first = rest.coefficients(variable).remove(&power).unwrap_or_default();
            for (exponents, _) in &mut first.0 {
                exponents[variable] = power - degree;
            }
            let (own, subtracted) = (rest.times(&leading, work)?, divisor.times(&first, work)?);
            rest = own.combined(&IBig::ONE, &subtracted, &IBig::NEG_ONE);
        }
        Ok(rest)
    }
}

fn trimmed(mut coefficients: Vec<u64>) -> Vec<u64> {
    while coefficients.last() == Some(&0) {
        coefficients.pop();
    }
    coefficients
}

/// A greatest common divisor in one variable, the last coefficient 1; of length 1 if there is none.
fn divisor_modulo(field: Field, mut a: Vec<u64>, mut b: Vec<u64>) -> Vec<u64> {
    while let Some(&leading) = b.last() {
        let inverse = field.inverse(leading).unwrap_or(1);
        while a.len() >= b.len() {
            let factor = field.times(a.last().copied().unwrap_or(0), inverse);
            let shift = a.len() - b.len();
            for (at, &value) in b.iter().enumerate() {
                a[shift + at] = field.minus(a[shift + at], field.times(factor, value));
            }
            a = trimmed(a);
        }
        std::mem::swap(&mut a, &mut b);
    }
    let inverse = a.last().and_then(|&leading| field.inverse(leading)).unwrap_or(1);
    a.iter().map(|&value| field.times(value, inverse)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_budget::Budget;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn random(random: &mut StdRng, variables: usize) -> IntegerPolynomial {
        loop {
            let terms = (0..random.random_range(1..5)).map(|_| {
                let mut exponents = Exponents::default();
                for power in &mut exponents[..variables] {
                    *power = random.random_range(0..4);
                }
                (exponents, IBig::from(random.random_range(-9..10)))
            });
            let found = IntegerPolynomial::new(terms);
            if !found.is_zero() {
                return found.positive();
            }
        }
    }

    #[test]
    fn common_divisors_are_divided_by_what_was_multiplied_in() {
        let budget = Budget::unlimited();
        let mut source = StdRng::seed_from_u64(3);
        for round in 0..600 {
            let variables = 1 + round % 3;
            let mut work = Work::new(10_000_000, &budget);
            let [a, b, common] = [(); 3].map(|()| random(&mut source, variables));
            let left = a.times(&common, &mut work).expect("small");
            let right = b.times(&common, &mut work).expect("small");
            let found = left.common_divisor(&right, &mut work).expect("small");
            let divides = |of: &IntegerPolynomial, by: &IntegerPolynomial, work: &mut Work<'_>| {
                of.divided_by(by, work).expect("small")
            };
            // It divides both, what was multiplied in divides it, and what is left has nothing in common.
            let rest = divides(&left, &found, &mut work).expect("a divisor");
            let other = divides(&right, &found, &mut work).expect("a divisor");
            assert!(
                divides(&found, &common, &mut work).is_some(),
                "{left:?} and {right:?}"
            );
            let nothing = rest.positive().common_divisor(&other.positive(), &mut work);
            assert_eq!(nothing.expect("small").value(), Some(IBig::ONE));
        }
    }
}
