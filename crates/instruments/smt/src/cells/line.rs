//! Polynomials of one variable: signs and real roots.
//!
//! Roots are isolated by bisection with Descartes' rule of signs (Collins, Akritas 1976) and kept as the only root of a square-free polynomial in an
//! open interval, or as a fraction where bisection meets it.

use entail_first_order::Rational;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use std::cmp::Ordering;
use std::rc::Rc;

/// A polynomial with whole coefficients, the constant first; the last is not zero, and the coefficients have no common divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line(Vec<BigInt>);

fn gcd_of(numbers: &[BigInt]) -> BigInt {
    let mut common = BigInt::zero();
    for number in numbers {
        let (mut a, mut b) = (common, number.abs());
        while !b.is_zero() {
            (a, b) = (b.clone(), a % b);
        }
        common = a;
        if common.is_one() {
            break;
        }
    }
    common
}

impl Line {
    /// Nothing for the polynomial zero.
    fn primitive(mut coefficients: Vec<BigInt>) -> Option<Line> {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        let common = gcd_of(&coefficients);
        if !common.is_zero() && !common.is_one() {
            coefficients.iter_mut().for_each(|one| *one /= &common);
        }
        (!coefficients.is_empty()).then_some(Line(coefficients))
    }

    /// A positive multiple of the polynomial with these coefficients.
    pub fn new(coefficients: &[Rational]) -> Option<Line> {
        let mut scale = BigInt::one();
        for value in coefficients {
            let denominator = value.denominator();
            let common = gcd_of(&[scale.clone(), denominator.clone()]);
            scale = scale / common * denominator;
        }
        let whole = |value: &Rational| value.numerator() * (&scale / value.denominator());
        Line::primitive(coefficients.iter().map(whole).collect())
    }

    pub fn degree(&self) -> usize {
        self.0.len() - 1
    }

    /// The sign at a number.
    pub fn sign_at(&self, at: &Rational) -> i32 {
        let (numerator, denominator) = (at.numerator(), at.denominator());
        let mut power = BigInt::one();
        let mut sum = BigInt::zero();
        for coefficient in self.0.iter().rev() {
            sum = sum * &numerator + coefficient * &power;
            power *= &denominator;
        }
        sign(&sum)
    }

    fn derivative(&self) -> Option<Line> {
        let parts = self.0.iter().enumerate().skip(1);
        Line::primitive(parts.map(|(power, value)| value * BigInt::from(power)).collect())
    }

    /// The remainder of a division, up to a factor.
    fn remainder(&self, by: &Line) -> Option<Line> {
        let mut rest = self.0.clone();
        let lead = &by.0[by.degree()];
        while rest.len() > by.degree() {
            let Some(top) = rest.pop() else { break };
            if top.is_zero() {
                continue;
            }
            let shift = rest.len() - by.degree();
            for value in &mut rest {
                *value *= lead;
            }
            for (place, value) in by.0[..by.degree()].iter().enumerate() {
                rest[place + shift] -= &top * value;
            }
        }
        Line::primitive(rest)
    }

    fn gcd(&self, other: &Line) -> Line {
        let (mut a, mut b) = match self.degree() >= other.degree() {
            true => (self.clone(), other.clone()),
            false => (other.clone(), self.clone()),
        };
        while let Some(rest) = a.remainder(&b) {
            (a, b) = (b, rest);
        }
        b
    }

    /// The same roots, each once.
    pub fn square_free(&self) -> Line {
        let Some(derivative) = self.derivative() else {
            return self.clone();
        };
        let common = self.gcd(&derivative);
        if common.degree() == 0 {
            return self.clone();
        }
        // An exact division, up to a factor.
        let mut rest = self.0.clone();
        let lead = &common.0[common.degree()];
        let mut quotient = vec![BigInt::zero(); self.degree() - common.degree() + 1];
        for place in (0..quotient.len()).rev() {
            let top = rest[place + common.degree()].clone();
            for value in quotient.iter_mut().chain(rest.iter_mut()) {
                *value *= lead;
            }
            for (index, value) in common.0.iter().enumerate() {
                rest[place + index] -= &top * value;
            }
            quotient[place] += top;
        }
        Line::primitive(quotient).unwrap_or_else(|| self.clone())
    }

    fn sign_changes(&self) -> usize {
        let signs: Vec<i32> = self.0.iter().map(sign).filter(|&sign| sign != 0).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// `p(x + 1)`.
    fn shifted(&self) -> Line {
        let mut values = self.0.clone();
        for start in 0..self.degree() {
            for place in (start..self.degree()).rev() {
                let above = values[place + 1].clone();
                values[place] += above;
            }
        }
        Line(values)
    }

    fn reversed(&self) -> Option<Line> {
        Line::primitive(self.0.iter().rev().cloned().collect())
    }

    /// `2^n p(x / 2)`.
    fn halved(&self) -> Line {
        let degree = self.degree();
        let parts = self.0.iter().enumerate();
        Line(parts.map(|(power, value)| value << (degree - power)).collect())
    }

    /// The real roots of a square-free polynomial in ascending order.
    pub fn roots(&self) -> Vec<Root> {
        let whole = Rc::new(self.clone());
        let mut found: Vec<(Rational, Rational)> = Vec::new();
        if self.0[0].is_zero() {
            found.push((Rational::zero(), Rational::zero()));
        }
        let stripped: Vec<BigInt> = self
            .0
            .iter()
            .skip_while(|value| value.is_zero())
            .cloned()
            .collect();
        for is_negative in [false, true] {
            let mirrored: Vec<BigInt> = (stripped.iter().enumerate())
                .map(|(power, value)| {
                    if is_negative && power % 2 == 1 {
                        -value
                    } else {
                        value.clone()
                    }
                })
                .collect();
            // Cauchy's bound as a power of two.
            let lead = mirrored[mirrored.len() - 1].bits();
            let most = mirrored.iter().map(BigInt::bits).max().unwrap_or(0);
            let exponent = most.saturating_sub(lead) + 1 + 1;
            let degree = mirrored.len() - 1;
            let scaled = (mirrored.iter().enumerate())
                .map(|(power, value)| value << (exponent as usize * power))
                .collect();
            if degree == 0 {
                continue;
            }
            let Some(scaled) = Line::primitive(scaled) else {
                continue;
            };
            let bound = Rational::from_big(BigInt::one() << exponent);
            for (low, high) in unit_roots(&scaled) {
                let ends = (&low * &bound, &high * &bound);
                found.push(match is_negative {
                    true => (-ends.1, -ends.0),
                    false => ends,
                });
            }
        }
        found.sort();
        (found.into_iter())
            .map(|(low, high)| match low == high {
                true => Root::Exact(low),
                false => Root::Between(Rc::clone(&whole), low, high),
            })
            .collect()
    }
}

/// Intervals in (0, 1), each with one root; a point where low and high are the same.
fn unit_roots(line: &Line) -> Vec<(Rational, Rational)> {
    let mut found = Vec::new();
    // A polynomial on (0, 1), and where that interval lies: `start / 2^depth` and one of these parts further.
    let mut waiting = vec![(line.clone(), BigInt::zero(), 0usize)];
    while let Some((mut here, start, depth)) = waiting.pop() {
        let at = |number: BigInt| Rational::from_ratio(number, BigInt::one() << depth);
        while here.0[0].is_zero() {
            // The left end is a root; it is met here only once.
            if depth > 0 {
                let point = at(start.clone());
                found.push((point.clone(), point));
            }
            here.0.remove(0);
        }
        let Some(reversed) = here.reversed() else { continue };
        match reversed.shifted().sign_changes() {
            0 => {}
            1 => found.push((at(start.clone()), at(start + 1))),
            _ => {
                let left = here.halved();
                let right = left.shifted();
                waiting.push((left, &start * 2, depth + 1));
                waiting.push((right, start * 2 + 1, depth + 1));
            }
        }
    }
    found
}

fn sign(number: &BigInt) -> i32 {
    match number.sign() {
        num_bigint::Sign::Minus => -1,
        num_bigint::Sign::NoSign => 0,
        num_bigint::Sign::Plus => 1,
    }
}

/// A real root.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A fraction.
    Exact(Rational),
    /// The only root of a square-free polynomial between two fractions.
    Between(Rc<Line>, Rational, Rational),
}

impl Root {
    /// Numbers that it lies between, or is.
    pub fn ends(&self) -> (&Rational, &Rational) {
        match self {
            Root::Exact(value) => (value, value),
            Root::Between(_, low, high) => (low, high),
        }
    }

    /// Halves the interval.
    pub fn refine(&mut self) {
        let Root::Between(line, low, high) = self else {
            return;
        };
        let middle = &(&*low + &*high) / &Rational::integer(2);
        let there = line.sign_at(&middle);
        if there == 0 {
            *self = Root::Exact(middle);
            return;
        }
        // The sign right after the lower end, which may be another root.
        let first = match line.sign_at(low) {
            0 => line.derivative().map_or(0, |derivative| derivative.sign_at(low)),
            sign => sign,
        };
        let is_left = there != first;
        match is_left {
            true => *high = middle,
            false => *low = middle,
        }
    }

    fn is_same(&self, other: &Root) -> bool {
        match (self, other) {
            (Root::Exact(a), Root::Exact(b)) => a == b,
            (Root::Exact(value), Root::Between(line, low, high))
            | (Root::Between(line, low, high), Root::Exact(value)) => {
                low < value && value < high && line.sign_at(value) == 0
            }
            (Root::Between(a, low, high), Root::Between(b, other_low, other_high)) => {
                let common = a.gcd(b);
                let (low, high) = (low.max(other_low), high.min(other_high));
                common.degree() > 0 && low < high && line_has_root_between(&common, low, high)
            }
        }
    }

    /// Which of two roots is the larger one; both become more exact.
    pub fn compare(&mut self, other: &mut Root) -> Ordering {
        let mut is_known_different = false;
        loop {
            {
                let ((low, high), (other_low, other_high)) = (self.ends(), other.ends());
                let (open, other_open) = (low < high, other_low < other_high);
                if high < other_low || high == other_low && (open || other_open) {
                    return Ordering::Less;
                }
                if other_high < low || other_high == low && (open || other_open) {
                    return Ordering::Greater;
                }
            }
            if !is_known_different {
                if self.is_same(other) {
                    return Ordering::Equal;
                }
                is_known_different = true;
            }
            self.refine();
            other.refine();
        }
    }
}

/// Whether a polynomial has a root in an open interval.
fn line_has_root_between(line: &Line, low: &Rational, high: &Rational) -> bool {
    line.square_free().roots().into_iter().any(|mut root| {
        loop {
            let (from, to) = root.ends();
            if from == to {
                return low < from && from < high;
            }
            if low <= from && to <= high {
                return true;
            }
            if to <= low || high <= from {
                return false;
            }
            root.refine();
        }
    })
}

/// The number with the smallest denominator strictly between two.
pub(super) fn simplest_between(low: &Rational, high: &Rational) -> Rational {
    let zero = Rational::zero();
    if *low < zero && zero < *high {
        return zero;
    }
    if *high <= zero {
        return -simplest_between(&-high.clone(), &-low.clone());
    }
    let floor = low.floor();
    let next = &floor + &Rational::one();
    if next < *high {
        return next;
    }
    // Both lie between two neighbouring whole numbers.
    let (low_part, high_part) = (low - &floor, high - &floor);
    let rest = match low_part.is_zero() {
        // Some fraction 1/n below the upper end.
        true => &high_part.recip().floor() + &Rational::one(),
        false => simplest_between(&high_part.recip(), &low_part.recip()),
    };
    &floor + &rest.recip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[i64]) -> Line {
        let values: Vec<Rational> = values.iter().map(|&value| Rational::integer(value)).collect();
        Line::new(&values).expect("not zero")
    }

    fn with_roots(roots: &[(i64, i64)]) -> Line {
        let mut product = vec![BigInt::one()];
        for &(numerator, denominator) in roots {
            let mut next = vec![BigInt::zero(); product.len() + 1];
            for (power, value) in product.iter().enumerate() {
                next[power] -= value * numerator;
                next[power + 1] += value * denominator;
            }
            product = next;
        }
        Line::primitive(product).expect("not zero")
    }

    #[test]
    fn roots_are_found_once_each_and_in_order() {
        let mut seed = 7u64;
        let mut random = |below: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        for _ in 0..400 {
            let count = 1 + random(6) as usize;
            let wanted: Vec<(i64, i64)> = (0..count)
                .map(|_| (random(13) as i64 - 6, 1 + random(3) as i64))
                .collect();
            let mut values: Vec<Rational> = (wanted.iter())
                .map(|&(a, b)| &Rational::integer(a) / &Rational::integer(b))
                .collect();
            values.sort();
            values.dedup();
            let found = with_roots(&wanted).square_free().roots();
            assert_eq!(found.len(), values.len(), "{wanted:?}");
            for (mut root, value) in found.into_iter().zip(values) {
                assert_eq!(
                    root.compare(&mut Root::Exact(value.clone())),
                    Ordering::Equal,
                    "{wanted:?}"
                );
                for _ in 0..5 {
                    root.refine();
                    let (low, high) = root.ends();
                    assert!(low <= &value && &value <= high);
                }
            }
        }
    }

    #[test]
    fn irrational_roots_are_compared() {
        let two = line(&[-2, 0, 1]).roots();
        let also = line(&[-4, 0, 0, 0, 1]).roots();
        let three = line(&[-3, 0, 1]).roots();
        assert_eq!((two.len(), also.len(), line(&[1, 0, 1]).roots().len()), (2, 2, 0));
        assert_eq!(two[1].clone().compare(&mut also[1].clone()), Ordering::Equal);
        assert_eq!(two[1].clone().compare(&mut three[1].clone()), Ordering::Less);
        assert_eq!(two[0].clone().compare(&mut three[0].clone()), Ordering::Greater);
    }

    #[test]
    fn simple_numbers_between() {
        let at = |a: i64, b: i64| &Rational::integer(a) / &Rational::integer(b);
        assert_eq!(simplest_between(&at(1, 3), &at(2, 3)), at(1, 2));
        assert_eq!(simplest_between(&at(0, 1), &at(1, 7)), at(1, 8));
        assert_eq!(simplest_between(&at(-5, 2), &at(-2, 1)), at(-7, 3));
        assert_eq!(simplest_between(&at(5, 2), &at(9, 2)), at(3, 1));
    }
}
