//! Polynomials and rational functions in one variable, and the rational function through given points.
//!
//! Reconstruction by the extended Euclidean algorithm (Cauchy interpolation; von zur Gathen and Gerhard, *Modern Computer Algebra*, 5.8): every row
//! `r = s·M + t·g`, with `M` the product of all `x - x_i` and `g` the interpolating polynomial, is a fraction `r / t` through the points. A fraction
//! whose degrees are smaller than the number of points by some spare ones is the only one with such degrees. Quadratic in the number of points.

use entail_answer::Rational;
use std::fmt;

/// A polynomial: coefficients from the constant one up, the last one not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Polynomial(Vec<Rational>);

impl Polynomial {
    /// The polynomial with these coefficients, from the constant one up.
    pub fn new(mut coefficients: Vec<Rational>) -> Polynomial {
        while coefficients.last().is_some_and(Rational::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    /// The coefficients, from the constant one up.
    pub fn coefficients(&self) -> &[Rational] {
        &self.0
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The degree; that of zero counts as 0.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// The value at a place.
    pub fn at(&self, x: &Rational) -> Rational {
        (self.0.iter().rev()).fold(Rational::ZERO, |sum, coefficient| sum * x + coefficient)
    }

    fn minus(&self, other: &Polynomial) -> Polynomial {
        let coefficient = |at: usize| {
            let own = self.0.get(at).cloned().unwrap_or(Rational::ZERO);
            match other.0.get(at) {
                Some(other) => own - other,
                None => own,
            }
        };
        Polynomial::new((0..self.0.len().max(other.0.len())).map(coefficient).collect())
    }

    fn times(&self, other: &Polynomial) -> Polynomial {
        if self.is_zero() || other.is_zero() {
            return Polynomial::default();
        }
        let mut product = vec![Rational::ZERO; self.0.len() + other.0.len() - 1];
        for (at, a) in self.0.iter().enumerate() {
            for (more, b) in other.0.iter().enumerate() {
                product[at + more] += a * b;
            }
        }
        Polynomial::new(product)
    }

    fn scaled(&self, factor: &Rational) -> Polynomial {
        Polynomial::new(self.0.iter().map(|coefficient| coefficient * factor).collect())
    }

    /// Quotient and remainder; the divisor is not zero.
    fn divided_by(&self, divisor: &Polynomial) -> (Polynomial, Polynomial) {
        let mut rest = self.0.clone();
        let Some(leading) = divisor.0.last() else {
            return (Polynomial::default(), self.clone());
        };
        let mut quotient = vec![Rational::ZERO; (rest.len() + 1).saturating_sub(divisor.0.len())];
        for at in (0..quotient.len()).rev() {
            let factor = &rest[at + divisor.degree()] / leading;
            for (more, coefficient) in divisor.0.iter().enumerate() {
                rest[at + more] -= &factor * coefficient;
            }
            quotient[at] = factor;
        }
        (Polynomial::new(quotient), Polynomial::new(rest))
    }

    /// The text in a variable: `2*p^2 - p + 1/3`.
    pub fn text(&self, variable: &str) -> String {
        let mut text = String::new();
        for (power, coefficient) in self.0.iter().enumerate().rev() {
            if coefficient.is_zero() {
                continue;
            }
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
            let factor = match power {
                0 => String::new(),
                1 => variable.to_owned(),
                _ => format!("{variable}^{power}"),
            };
            text.push_str(&match (factor.is_empty(), size == Rational::ONE) {
                (true, _) => size.to_string(),
                (false, true) => factor,
                (false, false) => format!("{size}*{factor}"),
            });
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }
}

/// A fraction of polynomials in lowest terms, with whole coefficients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RationalFunction {
    /// What is above.
    pub numerator: Polynomial,
    /// What is below; not zero.
    pub denominator: Polynomial,
}

impl RationalFunction {
    /// The value at a place; nothing where the denominator is zero.
    pub fn at(&self, x: &Rational) -> Option<Rational> {
        let below = self.denominator.at(x);
        (!below.is_zero()).then(|| self.numerator.at(x) / below)
    }

    /// The text in a variable.
    pub fn text(&self, variable: &str) -> String {
        let (above, below) = (self.numerator.text(variable), self.denominator.text(variable));
        match below.as_str() {
            "1" => above,
            _ => format!("({above}) / ({below})"),
        }
    }

    /// Whole coefficients without a common factor, the first one below positive.
    fn normalised(numerator: Polynomial, denominator: Polynomial) -> RationalFunction {
        let all = || {
            numerator
                .0
                .iter()
                .chain(&denominator.0)
                .filter(|number| !number.is_zero())
        };
        let mut scale = Rational::ONE;
        for coefficient in all() {
            let scaled = coefficient * &scale;
            scale *= Rational::from(scaled.denominator().clone());
        }
        let mut common: Option<Rational> = None;
        for coefficient in all() {
            let scaled = coefficient * &scale;
            common = Some(match common {
                None => scaled,
                Some(known) => greatest_common_divisor(known, scaled),
            });
        }
        let mut factor = scale / common.unwrap_or(Rational::ONE);
        let first = denominator.0.iter().find(|number| !number.is_zero());
        let negative = first.is_some_and(|first| first * &factor < Rational::ZERO);
        if negative {
            factor = -factor;
        }
        RationalFunction {
            numerator: numerator.scaled(&factor),
            denominator: denominator.scaled(&factor),
        }
    }
}

/// Of whole numbers, as rationals.
fn greatest_common_divisor(mut a: Rational, mut b: Rational) -> Rational {
    while !b.is_zero() {
        let rest = &a - &b * (&a / &b).floor_whole();
        (a, b) = (b, rest);
    }
    if a < Rational::ZERO { -a } else { a }
}

/// The largest whole number not above.
trait Floor {
    fn floor_whole(&self) -> Rational;
}

impl Floor for Rational {
    fn floor_whole(&self) -> Rational {
        Rational::from(self.floor())
    }
}

impl fmt::Display for RationalFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text("x"))
    }
}

/// The rational function of the smallest degrees through points with different places, if `spare` points more than its degrees need agree with it.
pub fn through(points: &[(Rational, Rational)], spare: usize) -> Option<RationalFunction> {
    let mut product = Polynomial::new(vec![Rational::ONE]);
    // Newton's form: every point adds a multiple of the product of those before.
    let mut interpolating = Polynomial::default();
    for (x, y) in points {
        let missing = y - interpolating.at(x);
        let factor = missing / product.at(x);
        interpolating = interpolating.minus(&product.scaled(&-factor));
        product = product.times(&Polynomial::new(vec![-x.clone(), Rational::ONE]));
    }
    let (mut before, mut row) = (
        (product, Polynomial::default()),
        (interpolating, Polynomial::new(vec![Rational::ONE])),
    );
    let mut best: Option<(usize, Polynomial, Polynomial)> = None;
    loop {
        let degrees = row.0.degree() + row.1.degree();
        if best.as_ref().is_none_or(|(known, ..)| degrees < *known) {
            best = Some((degrees, row.0.clone(), row.1.clone()));
        }
        if row.0.is_zero() {
            break;
        }
        let (quotient, rest) = before.0.divided_by(&row.0);
        let next = (rest, before.1.minus(&quotient.times(&row.1)));
        before = std::mem::replace(&mut row, next);
    }
    let (degrees, numerator, denominator) = best?;
    if degrees + 1 + spare > points.len() || denominator.is_zero() {
        return None;
    }
    let function = RationalFunction::normalised(numerator, denominator);
    let meets = |(x, y): &(Rational, Rational)| function.at(x).as_ref() == Some(y);
    points.iter().all(meets).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn polynomial(coefficients: &[&str]) -> Polynomial {
        Polynomial::new(coefficients.iter().map(|text| number(text)).collect())
    }

    #[test]
    fn a_function_is_found_again_from_its_points_and_only_then() {
        let wanted =
            RationalFunction::normalised(polynomial(&["0", "1", "-1/2"]), polynomial(&["1", "-1", "1"]));
        let points: Vec<(Rational, Rational)> = (1..10)
            .map(|k| {
                let x = Rational::from(k) / Rational::from(11);
                let y = wanted.at(&x).expect("no pole");
                (x, y)
            })
            .collect();
        assert_eq!(through(&points, 4), Some(wanted.clone()));
        assert_eq!(wanted.text("p"), "(-p^2 + 2*p) / (2*p^2 - 2*p + 2)");
        // Too few points to be sure.
        assert_eq!(through(&points[..7], 4), None);
        // Points of no such function.
        let mut other = points;
        other[3].1 += Rational::ONE;
        assert_eq!(through(&other, 4), None);
    }

    #[test]
    fn constants_and_polynomials_are_functions_too() {
        let points = |value: &dyn Fn(&Rational) -> Rational| -> Vec<(Rational, Rational)> {
            let place = |k: u64| Rational::from(k) / Rational::from(7u8);
            (1..9).map(|k| (place(k), value(&place(k)))).collect()
        };
        let text =
            |value: &dyn Fn(&Rational) -> Rational| through(&points(value), 3).map(|found| found.text("p"));
        assert_eq!(text(&|_| number("1/3")).as_deref(), Some("(1) / (3)"));
        assert_eq!(text(&|_| Rational::ZERO).as_deref(), Some("0"));
        assert_eq!(text(&|x| x * x).as_deref(), Some("p^2"));
        assert_eq!(text(&|x| Rational::ONE / x).as_deref(), Some("(1) / (p)"));
    }
}
