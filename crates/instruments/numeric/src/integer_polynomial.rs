//! Polynomials in several variables with whole coefficients, made for elimination: products in dense boxes; greatest common divisors are in `common_divisor`.

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
pub struct IntegerPolynomial(pub(crate) Vec<(Exponents, IBig)>);

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
        IntegerPolynomial(
            (terms.into_iter())
                .filter(|(_, value)| !value.is_zero())
                .collect(),
        )
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
    pub fn times(
        &self,
        other: &IntegerPolynomial,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
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
        let lessen =
            |(exponents, value): &(Exponents, IBig)| Some((lessened(exponents, powers)?, value.clone()));
        IntegerPolynomial(self.0.iter().filter_map(lessen).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(terms: &[(u16, u16, i64)]) -> IntegerPolynomial {
        IntegerPolynomial::new(terms.iter().map(|&(p, q, value)| {
            let mut exponents = Exponents::default();
            (exponents[0], exponents[1]) = (p, q);
            (exponents, IBig::from(value))
        }))
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
            (0, 0, 1),
            (2, 0, 5),
            (0, 1, 3),
            (1, 0, 2),
            (3, 0, 10),
            (1, 1, 6),
            (0, 1, -3),
            (2, 1, -15),
            (0, 2, -9),
        ]);
        assert_eq!(product, wanted);
        assert_eq!(product.divided_by(&a, &mut work), Ok(Some(b)));
        // More than was allowed is told.
        let mut little = Work::new(3, &budget);
        assert_eq!(a.times(&product, &mut little), Err(TooMuch::Large));
    }
}
