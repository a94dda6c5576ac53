//! Polynomials in several variables with rational coefficients, as models and people write them: sparse, terms in lexicographic order.
//!
//! Those of eliminations have whole coefficients and are in [`crate::integer_polynomial`].

use entail_answer::Rational;
use std::collections::BTreeMap;

/// A polynomial: coefficients by exponents; none is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Multivariate(BTreeMap<Vec<u32>, Rational>);

impl Multivariate {
    /// The polynomial with these terms, in any order.
    pub fn new(terms: impl IntoIterator<Item = (Vec<u32>, Rational)>) -> Multivariate {
        let mut found = BTreeMap::new();
        for (exponents, coefficient) in terms {
            *found.entry(exponents).or_insert(Rational::ZERO) += coefficient;
        }
        found.retain(|_, coefficient| !coefficient.is_zero());
        Multivariate(found)
    }

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

    /// The value at a point.
    pub fn at(&self, point: &[Rational]) -> Rational {
        let value = |(exponents, coefficient): (&Vec<u32>, &Rational)| {
            (exponents.iter().zip(point)).fold(coefficient.clone(), |term, (&exponent, value)| {
                term * value.pow(exponent as isize)
            })
        };
        self.0.iter().map(value).fold(Rational::ZERO, |sum, term| sum + term)
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
    fn polynomials_are_written_with_the_greatest_powers_first() {
        let names = ["p".to_owned(), "q".to_owned()];
        let found = polynomial(&[(1, 2, 2), (1, 0, -1), (0, 0, 3)]);
        assert_eq!(found.text(&names), "2*p*q^2 - p + 3");
        let sum = polynomial(&[(1, 0, 1), (0, 1, 1)]);
        let square = sum.times(&sum);
        assert_eq!(square.text(&names), "p^2 + 2*p*q + q^2");
        assert!(square.clone().plus(&square, &-Rational::ONE).is_zero());
    }
}
