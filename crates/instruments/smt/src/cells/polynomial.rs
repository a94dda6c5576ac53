//! Polynomials of several variables: the arithmetic that projections need.
//!
//! Variables are numbers; the largest one in a polynomial is its main variable. Resultants are computed by subresultants (Brown, Traub 1971), common
//! divisors by primitive remainders.

use super::line::Line;
use entail_first_order::Rational;
use std::collections::BTreeMap;

/// Powers of variables, the largest variable first; no power is zero.
type Monomial = Vec<(usize, u32)>;

/// A polynomial larger than this is not computed with.
const MOST_MONOMIALS: usize = 1_500;
/// Nor one of a larger degree.
const MOST_DEGREE: usize = 80;

/// Nothing more is computed: a polynomial became too large.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooLarge;

/// Monomials in the lexicographic order, with their coefficients, none of which is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Polynomial(BTreeMap<Monomial, Rational>);

fn monomial_product(a: &Monomial, b: &Monomial) -> Monomial {
    let mut result = Vec::with_capacity(a.len() + b.len());
    let (mut left, mut right) = (a.iter().peekable(), b.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(&&(x, p)), Some(&&(y, q))) if x == y => {
                result.push((x, p + q));
                left.next();
                right.next();
            }
            (Some(&&(x, p)), Some(&&(y, _))) if x > y => {
                result.push((x, p));
                left.next();
            }
            (Some(&&one), None) => {
                result.push(one);
                left.next();
            }
            (_, Some(&&one)) => {
                result.push(one);
                right.next();
            }
            (None, None) => return result,
        }
    }
}

fn monomial_quotient(a: &Monomial, b: &Monomial) -> Option<Monomial> {
    let mut result = a.clone();
    for &(variable, power) in b {
        let place = result.iter().position(|&(other, _)| other == variable)?;
        result[place].1 = result[place].1.checked_sub(power)?;
    }
    result.retain(|&(_, power)| power > 0);
    Some(result)
}

impl Polynomial {
    pub fn constant(value: Rational) -> Polynomial {
        let mut result = Polynomial::default();
        result.add_monomial(Vec::new(), value);
        result
    }

    pub fn variable(variable: usize) -> Polynomial {
        Polynomial(BTreeMap::from([(vec![(variable, 1)], Rational::one())]))
    }

    fn add_monomial(&mut self, monomial: Monomial, value: Rational) {
        if value.is_zero() {
            return;
        }
        match self.0.entry(monomial) {
            std::collections::btree_map::Entry::Vacant(place) => drop(place.insert(value)),
            std::collections::btree_map::Entry::Occupied(mut place) => {
                *place.get_mut() += &value;
                if place.get().is_zero() {
                    place.remove();
                }
            }
        }
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// The value, if there are no variables.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::zero()),
            1 => self.0.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// The largest variable.
    pub fn main_variable(&self) -> Option<usize> {
        (self.0.keys())
            .filter_map(|monomial| monomial.first())
            .map(|first| first.0)
            .max()
    }

    pub fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.keys().flatten().map(|&(variable, _)| variable)
    }

    pub fn degree(&self, variable: usize) -> usize {
        let power = |monomial: &Monomial| {
            let found = monomial.iter().find(|&&(other, _)| other == variable);
            found.map_or(0, |&(_, power)| power as usize)
        };
        self.0.keys().map(power).max().unwrap_or(0)
    }

    pub fn total_degree(&self) -> usize {
        let degree = |monomial: &Monomial| monomial.iter().map(|&(_, power)| power as usize).sum();
        self.0.keys().map(degree).max().unwrap_or(0)
    }

    pub fn plus(&self, other: &Polynomial, factor: &Rational) -> Polynomial {
        let mut result = self.clone();
        for (monomial, value) in &other.0 {
            result.add_monomial(monomial.clone(), value * factor);
        }
        result
    }

    pub fn times(&self, other: &Polynomial) -> Result<Polynomial, TooLarge> {
        let mut result = Polynomial::default();
        for (left, x) in &self.0 {
            for (right, y) in &other.0 {
                result.add_monomial(monomial_product(left, right), x * y);
            }
            if result.0.len() > MOST_MONOMIALS {
                return Err(TooLarge);
            }
        }
        Ok(result)
    }

    fn power(&self, exponent: usize) -> Result<Polynomial, TooLarge> {
        let mut result = Polynomial::constant(Rational::one());
        for _ in 0..exponent {
            result = result.times(self)?;
        }
        Ok(result)
    }

    pub fn scaled(&self, factor: &Rational) -> Polynomial {
        Polynomial::default().plus(self, factor)
    }

    /// The coefficients of the powers of a variable, the constant first.
    pub fn coefficients(&self, variable: usize) -> Vec<Polynomial> {
        let mut result = vec![Polynomial::default(); self.degree(variable) + 1];
        for (monomial, value) in &self.0 {
            let place = monomial.iter().position(|&(other, _)| other == variable);
            let mut rest = monomial.clone();
            let power = place.map_or(0, |place| rest.remove(place).1 as usize);
            result[power].0.insert(rest, value.clone());
        }
        result
    }

    fn from_coefficients(coefficients: &[Polynomial], variable: usize) -> Polynomial {
        let mut result = Polynomial::default();
        for (power, coefficient) in coefficients.iter().enumerate() {
            for (monomial, value) in &coefficient.0 {
                let shift = if power > 0 {
                    vec![(variable, power as u32)]
                } else {
                    Vec::new()
                };
                result.add_monomial(monomial_product(monomial, &shift), value.clone());
            }
        }
        result
    }

    /// The polynomial with a number in place of a variable.
    pub fn at(&self, variable: usize, value: &Rational) -> Polynomial {
        let mut powers = vec![Rational::one()];
        let mut result = Polynomial::default();
        for (monomial, coefficient) in &self.0 {
            let place = monomial.iter().position(|&(other, _)| other == variable);
            let Some(place) = place else {
                result.add_monomial(monomial.clone(), coefficient.clone());
                continue;
            };
            let mut rest = monomial.clone();
            let power = rest.remove(place).1 as usize;
            while powers.len() <= power {
                powers.push(&powers[powers.len() - 1] * value);
            }
            result.add_monomial(rest, coefficient * &powers[power]);
        }
        result
    }

    /// The polynomial with another in place of a variable.
    pub fn with(&self, variable: usize, value: &Polynomial) -> Result<Polynomial, TooLarge> {
        let mut result = Polynomial::default();
        for coefficient in self.coefficients(variable).iter().rev() {
            result = result.times(value)?.plus(coefficient, &Rational::one());
            if result.total_degree() > MOST_DEGREE {
                return Err(TooLarge);
            }
        }
        Ok(result)
    }

    /// The polynomial of one variable, up to a positive factor; nothing if it is zero.
    pub fn line(&self, variable: usize) -> Option<Line> {
        let values: Vec<Rational> = (self.coefficients(variable).iter())
            .map(|coefficient| coefficient.as_constant().unwrap_or_default())
            .collect();
        Line::new(&values)
    }

    /// A multiple with small coefficients, the first of them positive.
    pub fn normal(&self) -> Polynomial {
        let Some(first) = self.0.values().next_back() else {
            return self.clone();
        };
        self.scaled(&first.recip())
    }

    fn derivative(&self, variable: usize) -> Polynomial {
        let parts: Vec<Polynomial> = (self.coefficients(variable).iter().enumerate().skip(1))
            .map(|(power, coefficient)| coefficient.scaled(&Rational::integer(power as i64)))
            .collect();
        Polynomial::from_coefficients(&parts, variable)
    }

    /// The quotient of a division without remainder.
    fn divided(&self, by: &Polynomial) -> Result<Polynomial, TooLarge> {
        let Some((lead, factor)) = by.0.iter().next_back() else {
            return Err(TooLarge);
        };
        if by.0.len() == 1 && lead.is_empty() {
            return Ok(self.scaled(&factor.recip()));
        }
        let mut rest = self.clone();
        let mut quotient = Polynomial::default();
        while let Some((monomial, value)) = rest.0.iter().next_back() {
            let part = monomial_quotient(monomial, lead).ok_or(TooLarge)?;
            let single = Polynomial(BTreeMap::from([(part, value / factor)]));
            rest = rest.plus(&by.times(&single)?, &Rational::integer(-1));
            quotient = quotient.plus(&single, &Rational::one());
        }
        Ok(quotient)
    }

    /// The resultant with respect to a variable, up to its sign.
    pub fn resultant(&self, other: &Polynomial, variable: usize) -> Result<Polynomial, TooLarge> {
        let (mut a, mut b) = (self.coefficients(variable), other.coefficients(variable));
        if a.len() < b.len() {
            std::mem::swap(&mut a, &mut b);
        }
        if (a.len() - 1) * (b.len() - 1) > 600 {
            return Err(TooLarge);
        }
        let one = Polynomial::constant(Rational::one());
        let (mut g, mut h) = (one.clone(), one);
        while b.len() > 1 {
            let gap = a.len() - b.len();
            let rest = pseudo_remainder(&a, &b)?;
            let divisor = g.times(&h.power(gap)?)?;
            a = b;
            b = Vec::with_capacity(rest.len());
            for coefficient in &rest {
                b.push(coefficient.divided(&divisor)?);
            }
            if b.is_empty() {
                return Ok(Polynomial::default());
            }
            g = a[a.len() - 1].clone();
            h = match gap {
                0 => h,
                1 => g.clone(),
                _ => g.power(gap)?.divided(&h.power(gap - 1)?)?,
            };
        }
        let degree = a.len() - 1;
        if degree == 0 {
            return Ok(Polynomial::constant(Rational::one()));
        }
        b[0].power(degree)?.divided(&h.power(degree - 1)?)
    }

    /// The resultant with the derivative: zero where the polynomial has a multiple root, or a smaller degree.
    pub fn discriminant(&self, variable: usize) -> Result<Polynomial, TooLarge> {
        self.resultant(&self.derivative(variable), variable)
    }

    /// A greatest common divisor.
    pub fn gcd(&self, other: &Polynomial) -> Result<Polynomial, TooLarge> {
        if self.is_zero() {
            return Ok(other.normal());
        }
        if other.is_zero() {
            return Ok(self.normal());
        }
        let Some(variable) = self.main_variable().max(other.main_variable()) else {
            return Ok(Polynomial::constant(Rational::one()));
        };
        let (mine, others) = (self.content(variable)?, other.content(variable)?);
        let common = mine.gcd(&others)?;
        let (mut a, mut b) = (self.divided(&mine)?.normal(), other.divided(&others)?.normal());
        if a.degree(variable) < b.degree(variable) {
            std::mem::swap(&mut a, &mut b);
        }
        loop {
            if b.degree(variable) == 0 {
                return Ok(common);
            }
            let rest = pseudo_remainder(&a.coefficients(variable), &b.coefficients(variable))?;
            let rest = Polynomial::from_coefficients(&rest, variable);
            if rest.is_zero() {
                return Ok(b.times(&common)?.normal());
            }
            a = b;
            b = rest.divided(&rest.content(variable)?)?.normal();
        }
    }

    /// The common divisor of the coefficients of a variable's powers.
    fn content(&self, variable: usize) -> Result<Polynomial, TooLarge> {
        let mut common = Polynomial::default();
        for coefficient in self.coefficients(variable) {
            common = common.gcd(&coefficient)?;
            if common.as_constant().is_some_and(|value| !value.is_zero()) {
                break;
            }
        }
        Ok(common)
    }

    /// The polynomial's divisors with their main variables, none of them with a multiple factor: the primitive part and the contents.
    pub fn square_free_parts(&self) -> Result<Vec<Polynomial>, TooLarge> {
        let mut parts = Vec::new();
        let mut rest = self.normal();
        while let Some(variable) = rest.main_variable() {
            let content = rest.content(variable)?;
            let primitive = rest.divided(&content)?;
            let double = primitive.gcd(&primitive.derivative(variable))?;
            parts.push(primitive.divided(&double)?.normal());
            rest = content.normal();
        }
        Ok(parts)
    }
}

/// The remainder after multiplication with a power of the divisor's first coefficient.
fn pseudo_remainder(a: &[Polynomial], b: &[Polynomial]) -> Result<Vec<Polynomial>, TooLarge> {
    let (degree, lead) = (b.len() - 1, &b[b.len() - 1]);
    let mut rest = a.to_vec();
    for _ in degree..a.len() {
        let Some(top) = rest.pop() else { break };
        let shift = rest.len() - degree;
        for coefficient in &mut rest {
            *coefficient = coefficient.times(lead)?;
        }
        for (place, coefficient) in b[..degree].iter().enumerate() {
            let part = top.times(coefficient)?;
            rest[place + shift] = rest[place + shift].plus(&part, &Rational::integer(-1));
        }
    }
    while rest.last().is_some_and(Polynomial::is_zero) {
        rest.pop();
    }
    Ok(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i64) -> Polynomial {
        Polynomial::constant(Rational::integer(value))
    }

    /// A small polynomial of some variables.
    fn random(seed: &mut u64, variables: usize, degree: usize) -> Polynomial {
        let mut next = |below: u64| {
            *seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (*seed >> 33) % below
        };
        let mut result = number(next(7) as i64 - 3);
        for _ in 0..4 {
            let mut part = number(next(7) as i64 - 3);
            for _ in 0..next(degree as u64 + 1) {
                part = part
                    .times(&Polynomial::variable(next(variables as u64) as usize))
                    .expect("small");
            }
            result = result.plus(&part, &Rational::one());
        }
        result
    }

    #[test]
    fn resultants_vanish_at_common_roots() {
        let mut seed = 3;
        for _ in 0..200 {
            // Both have the root x1 = c(x0) where f and g do not matter.
            let c = random(&mut seed, 1, 2);
            let factor = Polynomial::variable(1).plus(&c, &Rational::integer(-1));
            let (f, g) = (random(&mut seed, 2, 2), random(&mut seed, 2, 2));
            let shifted = f
                .times(&factor)
                .expect("small")
                .plus(&Polynomial::variable(0), &Rational::one());
            let other = g.times(&factor).expect("small");
            if other.degree(1) == 0 || shifted.degree(1) == 0 {
                continue;
            }
            // At x0 = 0 they have a common root.
            let resultant = shifted.resultant(&other, 1).expect("small");
            assert!(
                resultant.at(0, &Rational::zero()).is_zero(),
                "{shifted:?} {other:?}"
            );
        }
        // x^2 + p x + q has the discriminant p^2 - 4 q, up to a factor.
        let [p, q, x] = [0, 1, 2].map(Polynomial::variable);
        let square = x
            .times(&x)
            .expect("small")
            .plus(&p.times(&x).expect("small"), &Rational::one());
        let discriminant = square
            .plus(&q, &Rational::one())
            .discriminant(2)
            .expect("small")
            .normal();
        let wanted = p
            .times(&p)
            .expect("small")
            .plus(&q, &Rational::integer(-4))
            .normal();
        assert_eq!(discriminant, wanted);
    }

    #[test]
    fn common_divisors_divide() {
        let mut seed = 5;
        for _ in 0..200 {
            let common = random(&mut seed, 3, 2);
            let (f, g) = (random(&mut seed, 3, 2), random(&mut seed, 3, 2));
            if [&common, &f, &g].iter().any(|one| one.is_zero()) {
                continue;
            }
            let (a, b) = (f.times(&common).expect("small"), g.times(&common).expect("small"));
            let found = a.gcd(&b).expect("small");
            for one in [&a, &b] {
                assert_eq!(
                    one.divided(&found)
                        .expect("divides")
                        .times(&found)
                        .expect("small"),
                    *one
                );
            }
            found
                .divided(&common.normal())
                .expect("the common factor divides");
            let squared = a.times(&common).expect("small");
            for part in squared.square_free_parts().expect("small") {
                let main = part.main_variable().expect("not constant");
                assert!(!part.discriminant(main).expect("small").is_zero());
            }
        }
    }
}
