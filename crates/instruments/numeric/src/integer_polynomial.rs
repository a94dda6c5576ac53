//! Polynomials in several variables with whole coefficients, made for elimination: products in dense boxes, greatest common divisors modulo primes.
//!
//! Most polynomials that meet in an elimination have nothing in common. So a greatest common divisor begins with images: all variables but one get
//! numbers modulo a prime, and if the images have no common divisor in any variable, neither have the polynomials. Then one is tried as a divisor of the other. Only
//! then it is computed: in one variable modulo primes that are put together by Chinese remainders until the result divides both
//! (Brown 1971), in several by primitive remainders (Knuth, *TAOCP* 2, 4.6.1), as long as the work allows.

use crate::modular::{Field, fields};
use dashu_int::ops::Gcd;
use dashu_int::{IBig, Sign, UBig};
use entail_budget::{Budget, Spent};
use std::collections::BTreeMap;

/// Variables at most.
pub const MOST_VARIABLES: usize = 8;

/// The power of each variable.
pub type Exponents = [u16; MOST_VARIABLES];

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooMuch {
    /// There was not enough time or memory.
    Spent(Spent),
    /// The polynomials grow beyond what was allowed.
    Large,
}

impl From<Spent> for TooMuch {
    fn from(spent: Spent) -> TooMuch {
        TooMuch::Spent(spent)
    }
}

/// How much may be done: products of coefficients.
#[derive(Clone, Debug)]
pub struct Work<'b> {
    left: u64,
    budget: &'b Budget,
}

impl<'b> Work<'b> {
    /// So many products of coefficients, within a budget.
    pub fn new(products: u64, budget: &'b Budget) -> Work<'b> {
        Work {
            left: products,
            budget,
        }
    }

    /// Takes some of it.
    pub fn take(&mut self, products: u64) -> Result<(), TooMuch> {
        self.budget.check()?;
        if products > 10_000 {
            self.budget.check_now()?;
        }
        self.left = self.left.checked_sub(products).ok_or(TooMuch::Large)?;
        Ok(())
    }

    /// A part of what is left, for something that may fail.
    pub fn part(&self, products: u64) -> Work<'b> {
        Work::new(products.min(self.left), self.budget)
    }
}

/// A polynomial: terms in lexicographic order, none zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct IntegerPolynomial(Vec<(Exponents, IBig)>);

/// Boxes of coefficients beyond this size are not filled.
const LARGEST_BOX: usize = 1 << 20;

fn added(a: &Exponents, b: &Exponents) -> Option<Exponents> {
    let mut sum = *a;
    for (own, other) in sum.iter_mut().zip(b) {
        *own = own.checked_add(*other)?;
    }
    Some(sum)
}

fn lessened(a: &Exponents, b: &Exponents) -> Option<Exponents> {
    let mut rest = *a;
    for (own, other) in rest.iter_mut().zip(b) {
        *own = own.checked_sub(*other)?;
    }
    Some(rest)
}

impl IntegerPolynomial {
    /// The polynomial with these terms, in any order.
    pub fn new(terms: impl IntoIterator<Item = (Exponents, IBig)>) -> IntegerPolynomial {
        let mut found: BTreeMap<Exponents, IBig> = BTreeMap::new();
        for (exponents, value) in terms {
            *found.entry(exponents).or_insert(IBig::ZERO) += value;
        }
        IntegerPolynomial::sorted(found)
    }

    fn sorted(terms: BTreeMap<Exponents, IBig>) -> IntegerPolynomial {
        IntegerPolynomial((terms.into_iter()).filter(|(_, value)| !value.is_zero()).collect())
    }

    /// A number.
    pub fn constant(value: IBig) -> IntegerPolynomial {
        IntegerPolynomial::new([(Exponents::default(), value)])
    }

    /// The terms, in lexicographic order.
    pub fn terms(&self) -> &[(Exponents, IBig)] {
        &self.0
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if it has no variables.
    pub fn value(&self) -> Option<IBig> {
        match &self.0[..] {
            [] => Some(IBig::ZERO),
            [(exponents, value)] if *exponents == Exponents::default() => Some(value.clone()),
            _ => None,
        }
    }

    /// The greatest powers.
    pub fn degrees(&self) -> Exponents {
        let mut found = Exponents::default();
        for (exponents, _) in &self.0 {
            for (most, own) in found.iter_mut().zip(exponents) {
                *most = (*most).max(*own);
            }
        }
        found
    }

    /// Multiples of two polynomials, added.
    pub fn combined(&self, factor: &IBig, other: &IntegerPolynomial, of_other: &IBig) -> IntegerPolynomial {
        let mut found = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let mut value = IBig::ZERO;
            let mut place = None;
            if order.is_le()
                && let Some((exponents, own)) = left.next()
            {
                value += own * factor;
                place = Some(*exponents);
            }
            if order.is_ge()
                && let Some((exponents, own)) = right.next()
            {
                value += own * of_other;
                place = Some(*exponents);
            }
            if let Some(exponents) = place.filter(|_| !value.is_zero()) {
                found.push((exponents, value));
            }
        }
        IntegerPolynomial(found)
    }

    /// The product.
    pub fn times(&self, other: &IntegerPolynomial, work: &mut Work<'_>) -> Result<IntegerPolynomial, TooMuch> {
        let products = self.0.len() as u64 * other.0.len() as u64;
        work.take(products)?;
        if let ([(shift, value)], many) | (many, [(shift, value)]) = (&self.0[..], &other.0[..]) {
            let shifted = many.iter().map(|(exponents, own)| {
                let exponents = added(exponents, shift).ok_or(TooMuch::Large)?;
                Ok((exponents, own * value))
            });
            return Ok(IntegerPolynomial(shifted.collect::<Result<_, TooMuch>>()?));
        }
        let degrees = added(&self.degrees(), &other.degrees()).ok_or(TooMuch::Large)?;
        let size = (degrees.iter()).try_fold(1usize, |size, &degree| {
            size.checked_mul(usize::from(degree) + 1)
                .filter(|&size| size <= LARGEST_BOX)
        });
        match size {
            Some(size) if size as u64 <= 8 * products => Ok(self.in_box(other, &degrees, size)),
            _ => {
                let mut found: BTreeMap<Exponents, IBig> = BTreeMap::new();
                for (a, left) in &self.0 {
                    for (b, right) in &other.0 {
                        let exponents = added(a, b).ok_or(TooMuch::Large)?;
                        *found.entry(exponents).or_insert(IBig::ZERO) += left * right;
                    }
                }
                Ok(IntegerPolynomial::sorted(found))
            }
        }
    }

    /// The product, added up in an array with a place for each term that it may have.
    fn in_box(&self, other: &IntegerPolynomial, degrees: &Exponents, size: usize) -> IntegerPolynomial {
        let place = |exponents: &Exponents| {
            (exponents.iter().zip(degrees)).fold(0, |place, (&own, &degree)| {
                place * (usize::from(degree) + 1) + usize::from(own)
            })
        };
        let mut sums = vec![IBig::ZERO; size];
        let places: Vec<usize> = other.0.iter().map(|(exponents, _)| place(exponents)).collect();
        for (exponents, left) in &self.0 {
            let first = place(exponents);
            for (own, (_, right)) in places.iter().zip(&other.0) {
                sums[first + own] += left * right;
            }
        }
        let back = |mut place: usize| {
            let mut exponents = Exponents::default();
            for (own, &degree) in exponents.iter_mut().zip(degrees).rev() {
                *own = (place % (usize::from(degree) + 1)) as u16;
                place /= usize::from(degree) + 1;
            }
            exponents
        };
        let terms = sums.into_iter().enumerate().filter(|(_, value)| !value.is_zero());
        IntegerPolynomial(terms.map(|(at, value)| (back(at), value)).collect())
    }

    /// The greatest number that divides all coefficients, with the sign of the last one; zero of zero.
    pub fn content(&self) -> IBig {
        let mut found = UBig::ZERO;
        for (_, value) in &self.0 {
            let size = value.clone().into_parts().1;
            found = if found.is_zero() { size } else { found.gcd(size) };
            if found.is_one() {
                break;
            }
        }
        let negative = self.0.last().is_some_and(|(_, value)| *value < IBig::ZERO);
        IBig::from_parts(if negative { Sign::Negative } else { Sign::Positive }, found)
    }

    /// The polynomial divided by a number that divides it.
    pub fn divided_by_number(&self, number: &IBig) -> IntegerPolynomial {
        if *number == IBig::ONE {
            return self.clone();
        }
        IntegerPolynomial(
            (self.0.iter())
                .map(|(exponents, value)| (*exponents, value / number))
                .collect(),
        )
    }

    /// The quotient, if nothing is left over; the divisor is not zero.
    pub fn divided_by(
        &self,
        divisor: &IntegerPolynomial,
        work: &mut Work<'_>,
    ) -> Result<Option<IntegerPolynomial>, TooMuch> {
        let Some((leading, coefficient)) = divisor.0.last() else {
            return Ok(None);
        };
        let mut rest: BTreeMap<Exponents, IBig> = self.0.iter().cloned().collect();
        let mut quotient = Vec::new();
        while let Some((exponents, value)) = rest.last_key_value() {
            work.take(divisor.0.len() as u64)?;
            let Some(shift) = lessened(exponents, leading) else {
                return Ok(None);
            };
            let factor = value / coefficient;
            if &factor * coefficient != *value {
                return Ok(None);
            }
            for (own, value) in &divisor.0 {
                let place = added(own, &shift).ok_or(TooMuch::Large)?;
                let entry = rest.entry(place).or_insert(IBig::ZERO);
                *entry -= value * &factor;
                if entry.is_zero() {
                    rest.remove(&place);
                }
            }
            quotient.push((shift, factor));
        }
        quotient.reverse();
        Ok(Some(IntegerPolynomial(quotient)))
    }

    /// The powers that all terms have in common.
    pub fn common_powers(&self) -> Exponents {
        let mut terms = self.0.iter();
        let Some((first, _)) = terms.next() else {
            return Exponents::default();
        };
        let mut found = *first;
        for (exponents, _) in terms {
            for (least, own) in found.iter_mut().zip(exponents) {
                *least = (*least).min(*own);
            }
        }
        found
    }

    /// The polynomial divided by powers that all terms have.
    pub fn without_powers(&self, powers: &Exponents) -> IntegerPolynomial {
        let lessen = |(exponents, value): &(Exponents, IBig)| Some((lessened(exponents, powers)?, value.clone()));
        IntegerPolynomial(self.0.iter().filter_map(lessen).collect())
    }

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
        shared.iter_mut().zip(&others).for_each(|(a, b)| *a = (*a).min(*b));
        let (a, b) = (self.without_powers(&powers), other.without_powers(&others));
        let with_powers = |found: IntegerPolynomial, work: &mut Work<'_>| {
            found.times(&IntegerPolynomial(vec![(shared, IBig::ONE)]), work)
        };
        if a.is_coprime_to(&b, work)? {
            return with_powers(one(), work);
        }
        let (small, large) = if a.0.len() <= b.0.len() { (&a, &b) } else { (&b, &a) };
        if large.divided_by(small, work)?.is_some() {
            return with_powers(small.positive(), work);
        }
        let (of_a, of_b) = (a.degrees(), b.degrees());
        let occurring: Vec<usize> = (0..MOST_VARIABLES).filter(|&at| of_a[at] > 0 || of_b[at] > 0).collect();
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
                std::iter::successors(Some(1), next).take(usize::from(most) + 1).collect()
            })
            .collect();
        for variable in 0..MOST_VARIABLES {
            if of_a[variable] == 0 || of_b[variable] == 0 {
                continue;
            }
            work.take(u64::from(of_a[variable]) * u64::from(of_b[variable]) / 8)?;
            let (a, b) = (self.image(variable, field, &powers), other.image(variable, field, &powers));
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
            let (a, b) = (self.image(variable, field, &[]), other.image(variable, field, &[]));
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
                let value = if *value > half { value - &modulus } else { value.clone() };
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
            return Ok(if self.is_zero() { other.clone() } else { self.clone() });
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
        left.divisor_by_remainders(&right, variable + 1, work)?.times(&a, work)
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
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    fn polynomial(terms: &[(u16, u16, i64)]) -> IntegerPolynomial {
        IntegerPolynomial::new(terms.iter().map(|&(p, q, value)| {
            let mut exponents = Exponents::default();
            (exponents[0], exponents[1]) = (p, q);
            (exponents, IBig::from(value))
        }))
    }

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
            assert!(divides(&found, &common, &mut work).is_some(), "{left:?} and {right:?}");
            let nothing = rest.positive().common_divisor(&other.positive(), &mut work);
            assert_eq!(nothing.expect("small").value(), Some(IBig::ONE));
        }
    }

    #[test]
    fn products_in_boxes_are_those_term_by_term() {
        let budget = Budget::unlimited();
        let mut work = Work::new(1000, &budget);
        let (a, b) = (
            polynomial(&[(0, 0, 1), (1, 0, 2), (0, 1, -3)]),
            polynomial(&[(0, 0, 1), (2, 0, 5), (0, 1, 3)]),
        );
        let product = a.times(&b, &mut work).expect("small");
        let wanted = polynomial(&[
            (0, 0, 1), (2, 0, 5), (0, 1, 3), (1, 0, 2), (3, 0, 10), (1, 1, 6), (0, 1, -3), (2, 1, -15), (0, 2, -9),
        ]);
        assert_eq!(product, wanted);
        assert_eq!(product.divided_by(&a, &mut work), Ok(Some(b)));
        // More than was allowed is told.
        let mut little = Work::new(3, &budget);
        assert_eq!(a.times(&product, &mut little), Err(TooMuch::Large));
    }
}
