//! Polynomials in several variables with rational coefficients: sparse, terms in lexicographic order.
//!
//! Greatest common divisors by primitive remainders (Knuth, *TAOCP* 2, 4.6.1), one variable after the other: good enough for polynomials of a few hundred terms.

use entail_answer::Rational;
use entail_budget::{Budget, Spent};
use std::collections::BTreeMap;

/// A polynomial: coefficients by exponents; none is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Multivariate(BTreeMap<Vec<u32>, Rational>);

impl Multivariate {
    /// One term.
    pub fn term(exponents: Vec<u32>, coefficient: Rational) -> Multivariate {
        let terms = (!coefficient.is_zero()).then_some((exponents, coefficient));
        Multivariate(terms.into_iter().collect())
    }

    /// A constant, in so many variables.
    pub fn constant(variables: usize, value: Rational) -> Multivariate {
        Multivariate::term(vec![0; variables], value)
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The terms.
    pub fn terms(&self) -> impl Iterator<Item = (&Vec<u32>, &Rational)> {
        self.0.iter()
    }

    /// The value, if it has no variables.
    pub fn value(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => {
                let (exponents, value) = self.0.first_key_value()?;
                exponents
                    .iter()
                    .all(|&exponent| exponent == 0)
                    .then(|| value.clone())
            }
            _ => None,
        }
    }

    /// This and a multiple of the other.
    pub fn plus(mut self, other: &Multivariate, factor: &Rational) -> Multivariate {
        for (exponents, coefficient) in &other.0 {
            *self.0.entry(exponents.clone()).or_insert(Rational::ZERO) += coefficient * factor;
        }
        self.0.retain(|_, coefficient| !coefficient.is_zero());
        self
    }

    /// The product.
    pub fn times(&self, other: &Multivariate) -> Multivariate {
        let mut found = BTreeMap::new();
        for (a, left) in &self.0 {
            for (b, right) in &other.0 {
                let exponents: Vec<u32> = a.iter().zip(b).map(|(a, b)| a + b).collect();
                *found.entry(exponents).or_insert(Rational::ZERO) += left * right;
            }
        }
        found.retain(|_, coefficient| !coefficient.is_zero());
        Multivariate(found)
    }

    /// The quotient, if nothing is left over; the divisor is not zero.
    pub fn divided_by(&self, divisor: &Multivariate) -> Option<Multivariate> {
        let (leading, coefficient) = divisor.0.last_key_value()?;
        let (mut rest, mut quotient) = (self.clone(), Multivariate::default());
        while let Some((exponents, value)) = rest.0.last_key_value() {
            let pairs = exponents.iter().zip(leading);
            let shifted: Option<Vec<u32>> = pairs.map(|(a, b)| a.checked_sub(*b)).collect();
            let term = Multivariate::term(shifted?, value / coefficient);
            rest = rest.plus(&divisor.times(&term), &-Rational::ONE);
            quotient = quotient.plus(&term, &Rational::ONE);
        }
        Some(quotient)
    }

    /// The coefficients as a polynomial in one variable, by exponent.
    fn coefficients(&self, variable: usize) -> BTreeMap<u32, Multivariate> {
        let mut found: BTreeMap<u32, Multivariate> = BTreeMap::new();
        for (exponents, coefficient) in &self.0 {
            let mut others = exponents.clone();
            let power = std::mem::take(&mut others[variable]);
            found
                .entry(power)
                .or_default()
                .0
                .insert(others, coefficient.clone());
        }
        found
    }

    fn degree(&self, variable: usize) -> u32 {
        self.0
            .keys()
            .map(|exponents| exponents[variable])
            .max()
            .unwrap_or(0)
    }

    /// The content with respect to a variable: what divides all coefficients.
    fn content(&self, variable: usize, budget: &Budget) -> Result<Multivariate, Spent> {
        let mut found = Multivariate::default();
        for coefficient in self.coefficients(variable).values() {
            found = found.divisor_from(coefficient, variable + 1, budget)?;
        }
        Ok(found)
    }

    /// A greatest common divisor.
    pub fn common_divisor(&self, other: &Multivariate, budget: &Budget) -> Result<Multivariate, Spent> {
        self.divisor_from(other, 0, budget)
    }

    /// The same of polynomials in which the variables before do not occur.
    fn divisor_from(
        &self,
        other: &Multivariate,
        variable: usize,
        budget: &Budget,
    ) -> Result<Multivariate, Spent> {
        budget.check()?;
        if self.is_zero() {
            return Ok(other.clone());
        }
        if other.is_zero() {
            return Ok(self.clone());
        }
        let variables = self
            .0
            .first_key_value()
            .map_or(0, |(exponents, _)| exponents.len());
        if variable >= variables {
            return Ok(Multivariate::constant(variables, Rational::ONE));
        }
        let primitive = |of: &Multivariate| -> Result<(Multivariate, Multivariate), Spent> {
            let content = of.content(variable, budget)?;
            let part = of.divided_by(&content).unwrap_or_else(|| of.clone());
            // The leading coefficient as 1, so that numbers stay small.
            let leading = part
                .0
                .last_key_value()
                .map_or(Rational::ONE, |(_, value)| value.clone());
            let part = Multivariate::default().plus(&part, &(Rational::ONE / leading));
            Ok((content, part))
        };
        let ((left, mut a), (right, mut b)) = (primitive(self)?, primitive(other)?);
        if a.degree(variable) < b.degree(variable) {
            std::mem::swap(&mut a, &mut b);
        }
        while !b.is_zero() {
            let rest = a.pseudo_remainder(&b, variable, budget)?;
            a = b;
            b = match rest.is_zero() {
                true => rest,
                false => primitive(&rest)?.1,
            };
        }
        Ok(left.divisor_from(&right, variable + 1, budget)?.times(&a))
    }

    fn pseudo_remainder(
        &self,
        divisor: &Multivariate,
        variable: usize,
        budget: &Budget,
    ) -> Result<Multivariate, Spent> {
        let degree = divisor.degree(variable);
        let leading = divisor.coefficients(variable).remove(&degree).unwrap_or_default();
        let mut rest = self.clone();
        while !rest.is_zero() && rest.degree(variable) >= degree {
            budget.check()?;
            let power = rest.degree(variable);
            let first = rest.coefficients(variable).remove(&power).unwrap_or_default();
            let shifted = first.0.into_iter().map(|(mut exponents, coefficient)| {
                exponents[variable] = power - degree;
                (exponents, coefficient)
            });
            let factor = Multivariate(shifted.collect());
            rest = rest
                .times(&leading)
                .plus(&divisor.times(&factor), &-Rational::ONE);
        }
        Ok(rest)
    }

    /// The text: `2*p*q^2 - p + 1/3`.
    pub fn text(&self, names: &[String]) -> String {
        let mut text = String::new();
        for (exponents, coefficient) in self.0.iter().rev() {
            let negative = *coefficient < Rational::ZERO;
            let size = if negative {
                -coefficient.clone()
            } else {
                coefficient.clone()
            };
            text.push_str(match (text.is_empty(), negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            let power = |(name, exponent): (&String, &u32)| match exponent {
                0 => None,
                1 => Some(name.clone()),
                _ => Some(format!("{name}^{exponent}")),
            };
            let mut factors: Vec<String> = names.iter().zip(exponents).filter_map(power).collect();
            if size != Rational::ONE || factors.is_empty() {
                factors.insert(0, size.to_string());
            }
            text.push_str(&factors.join("*"));
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

/// A fraction in lowest terms; the first coefficient of the denominator (of the least powers) is 1.
pub fn reduced(
    above: &Multivariate,
    below: &Multivariate,
    budget: &Budget,
) -> Result<(Multivariate, Multivariate), Spent> {
    let common = above.common_divisor(below, budget)?;
    let part = |of: &Multivariate| of.divided_by(&common).unwrap_or_else(|| of.clone());
    let (above, below) = (part(above), part(below));
    let first = below
        .0
        .first_key_value()
        .map_or(Rational::ONE, |(_, value)| value.clone());
    let scale = |of: Multivariate| Multivariate::default().plus(&of, &(Rational::ONE / &first));
    Ok((scale(above), scale(below)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(terms: &[(u32, u32, i64)]) -> Multivariate {
        terms.iter().fold(Multivariate::default(), |sum, &(p, q, value)| {
            sum.plus(
                &Multivariate::term(vec![p, q], Rational::from(value)),
                &Rational::ONE,
            )
        })
    }

    #[test]
    fn fractions_are_reduced_by_what_divides_both() {
        let budget = Budget::unlimited();
        let factors = [
            polynomial(&[(1, 0, 1), (0, 1, -1)]),
            polynomial(&[(1, 1, 1), (0, 0, -1)]),
            polynomial(&[(2, 0, 1), (0, 1, 3), (0, 0, 2)]),
            polynomial(&[(0, 1, 2), (0, 0, 1)]),
        ];
        for common in &factors {
            for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0)] {
                let (left, right) = (&factors[a], &factors[b]);
                let found = reduced(&left.times(common), &right.times(common), &budget).expect("time");
                // In lowest terms: the fraction is the same, and its degrees are those of the factors.
                assert_eq!(found.0.times(right), found.1.times(left));
                for variable in 0..2 {
                    assert_eq!(found.0.degree(variable), left.degree(variable));
                    assert_eq!(found.1.degree(variable), right.degree(variable));
                }
            }
        }
        assert_eq!(
            polynomial(&[(1, 0, 1)]).divided_by(&polynomial(&[(0, 1, 1)])),
            None
        );
        let names = ["p".to_owned(), "q".to_owned()];
        assert_eq!(
            polynomial(&[(1, 2, 2), (1, 0, -1), (0, 0, 3)]).text(&names),
            "2*p*q^2 - p + 3"
        );
    }
}
