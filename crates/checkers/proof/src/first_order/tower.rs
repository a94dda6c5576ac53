//! Polynomials as towers: a polynomial in the variable of one level, with coefficients of lower levels; and points between real roots.
//!
//! Slow and plain on purpose: what is judged with it is small.

use super::polynomial::Polynomial;
use entail_first_order::{Rational, TermId};
use num_bigint::{BigInt, Sign};
use std::rc::Rc;

/// Towers with more numbers than this are not computed with.
const MOST_NUMBERS: usize = 6_000;
/// Nor determinants with more rows.
const MOST_ROWS: usize = 40;
/// How many times the intervals around roots are narrowed.
const MOST_NARROWINGS: usize = 400;

/// A number, or the coefficients of the powers of a level's variable: at least two, the last of them not zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tower {
    Number(Rational),
    In(usize, Vec<Tower>),
}

use Tower::{In, Number};

impl Tower {
    fn zero() -> Tower {
        Number(Rational::zero())
    }

    fn one() -> Tower {
        Number(Rational::one())
    }

    /// A polynomial over variables, the first of which has level 1.
    pub fn of(polynomial: &Polynomial, variables: &[TermId]) -> Tower {
        let mut sum = Tower::zero();
        for (monomial, factor) in polynomial {
            let mut product = Number(factor.clone());
            for leaf in monomial {
                let level = 1 + variables
                    .iter()
                    .position(|variable| variable == leaf)
                    .unwrap_or(0);
                product = product.times(&In(level, vec![Tower::zero(), Tower::one()]));
            }
            sum = sum.plus(&product);
        }
        sum
    }

    fn is_zero(&self) -> bool {
        matches!(self, Number(value) if value.is_zero())
    }

    /// The level of the highest variable; 0 for a number.
    pub fn level(&self) -> usize {
        match self {
            Number(_) => 0,
            In(level, _) => *level,
        }
    }

    fn size(&self) -> usize {
        match self {
            Number(_) => 1,
            In(_, parts) => parts.iter().map(Tower::size).sum(),
        }
    }

    fn small(self) -> Option<Tower> {
        (self.size() <= MOST_NUMBERS).then_some(self)
    }

    fn build(level: usize, mut parts: Vec<Tower>) -> Tower {
        while parts.last().is_some_and(Tower::is_zero) {
            parts.pop();
        }
        match parts.len() {
            0 => Tower::zero(),
            1 => parts.swap_remove(0),
            _ => In(level, parts),
        }
    }

    /// The coefficients with respect to a level at least its own.
    fn parts(&self, level: usize) -> Vec<Tower> {
        match self {
            In(own, parts) if *own == level => parts.clone(),
            _ => vec![self.clone()],
        }
    }

    fn plus(&self, other: &Tower) -> Tower {
        if let (Number(a), Number(b)) = (self, other) {
            return Number(a + b);
        }
        let level = self.level().max(other.level());
        let (mut longer, mut shorter) = (self.parts(level), other.parts(level));
        if longer.len() < shorter.len() {
            std::mem::swap(&mut longer, &mut shorter);
        }
        for (place, part) in shorter.iter().enumerate() {
            longer[place] = longer[place].plus(part);
        }
        Tower::build(level, longer)
    }

    fn negated(&self) -> Tower {
        self.times(&Number(Rational::integer(-1)))
    }

    fn minus(&self, other: &Tower) -> Tower {
        self.plus(&other.negated())
    }

    fn times(&self, other: &Tower) -> Tower {
        if let (Number(a), Number(b)) = (self, other) {
            return Number(a * b);
        }
        let level = self.level().max(other.level());
        let (left, right) = (self.parts(level), other.parts(level));
        let mut sums = vec![Tower::zero(); left.len() + right.len() - 1];
        for (i, a) in left.iter().enumerate() {
            for (j, b) in right.iter().enumerate() {
                if !a.is_zero() && !b.is_zero() {
                    sums[i + j] = sums[i + j].plus(&a.times(b));
                }
            }
        }
        Tower::build(level, sums)
    }

    /// The quotient of a division without remainder.
    pub fn quotient(&self, by: &Tower) -> Option<Tower> {
        if let (Number(a), Number(b)) = (self, by) {
            return (!b.is_zero()).then(|| Number(a / b));
        }
        if self.is_zero() {
            return Some(Tower::zero());
        }
        let level = self.level().max(by.level());
        let mut rest = self.parts(level);
        let divisor = by.parts(level);
        let mut result = vec![Tower::zero(); (rest.len() + 1).checked_sub(divisor.len())?];
        for place in (0..result.len()).rev() {
            let factor = rest[place + divisor.len() - 1].quotient(&divisor[divisor.len() - 1])?;
            for (index, part) in divisor.iter().enumerate() {
                rest[place + index] = rest[place + index].minus(&factor.times(part));
            }
            result[place] = factor;
        }
        rest.iter()
            .all(Tower::is_zero)
            .then(|| Tower::build(level, result))
    }

    /// The coefficient of the highest power.
    pub fn leading(&self) -> Tower {
        match self {
            Number(_) => self.clone(),
            In(_, parts) => parts[parts.len() - 1].clone(),
        }
    }

    /// The derivative in the variable of its level.
    pub fn derivative(&self) -> Tower {
        match self {
            Number(_) => Tower::zero(),
            In(level, parts) => {
                let derived = (parts.iter().enumerate().skip(1))
                    .map(|(power, part)| part.times(&Number(Rational::integer(power as i64))));
                Tower::build(*level, derived.collect())
            }
        }
    }

    /// The tower with a number in place of a level's variable.
    pub fn at(&self, level: usize, value: &Rational) -> Tower {
        match self {
            In(own, parts) if *own == level => {
                let mut sum = Tower::zero();
                for part in parts.iter().rev() {
                    sum = sum.times(&Number(value.clone())).plus(part);
                }
                sum
            }
            In(own, parts) if *own > level => {
                Tower::build(*own, parts.iter().map(|part| part.at(level, value)).collect())
            }
            _ => self.clone(),
        }
    }

    /// The determinant of Sylvester's matrix of two towers, with respect to the level of the first (Bareiss 1968: all divisions are exact).
    pub fn determinant_with(&self, other: &Tower) -> Option<Tower> {
        let level = self.level();
        let (a, b) = (self.parts(level), other.parts(level));
        let (m, n) = (a.len() - 1, b.len() - 1);
        let size = m + n;
        if size > MOST_ROWS {
            return None;
        }
        let mut rows = vec![vec![Tower::zero(); size]; size];
        for (shift, row) in rows.iter_mut().enumerate() {
            let (parts, shift) = if shift < n { (&a, shift) } else { (&b, shift - n) };
            for (place, part) in parts.iter().rev().enumerate() {
                row[shift + place] = part.clone();
            }
        }
        let mut before = Tower::one();
        for step in 0..size.saturating_sub(1) {
            let Some(pivot) = (step..size).find(|&row| !rows[row][step].is_zero()) else {
                return Some(Tower::zero());
            };
            // The sign does not matter.
            rows.swap(step, pivot);
            for row in step + 1..size {
                for column in step + 1..size {
                    let product = rows[row][column].times(&rows[step][step]).small()?;
                    let other = rows[row][step].times(&rows[step][column]).small()?;
                    rows[row][column] = product.minus(&other).quotient(&before)?;
                }
            }
            before = rows[step][step].clone();
        }
        Some(
            rows.last()
                .and_then(|row| row.last().cloned())
                .unwrap_or_else(Tower::one),
        )
    }

    /// The common divisor of the coefficients.
    fn content(&self) -> Option<Tower> {
        match self {
            Number(_) => Some(self.clone()),
            In(_, parts) => {
                let mut common = Tower::zero();
                for part in parts {
                    common = common.gcd(part)?;
                }
                Some(common)
            }
        }
    }

    /// A common divisor that all others divide.
    pub fn gcd(&self, other: &Tower) -> Option<Tower> {
        if self.is_zero() {
            return Some(other.clone());
        }
        if other.is_zero() {
            return Some(self.clone());
        }
        let level = self.level().max(other.level());
        if level == 0 {
            return Some(Tower::one());
        }
        if self.level() < level {
            return self.gcd(&other.content()?);
        }
        if other.level() < level {
            return self.content()?.gcd(other);
        }
        let (mine, others) = (self.content()?, other.content()?);
        let common = mine.gcd(&others)?;
        let (mut a, mut b) = (self.quotient(&mine)?, other.quotient(&others)?);
        loop {
            let rest = a.rest(&b, level)?;
            if rest.is_zero() {
                return b.monic().times(&common).small();
            }
            if rest.level() < level {
                return Some(common);
            }
            (a, b) = (b, rest.quotient(&rest.content()?)?.monic());
        }
    }

    /// A multiple whose very first number is one.
    fn monic(&self) -> Tower {
        let mut first = self.clone();
        while let In(..) = first {
            first = first.leading();
        }
        match first {
            Number(value) if !value.is_zero() => self.times(&Number(value.recip())),
            _ => self.clone(),
        }
    }

    /// The remainder of a multiple of this tower.
    fn rest(&self, by: &Tower, level: usize) -> Option<Tower> {
        let (mut rest, divisor) = (self.parts(level), by.parts(level));
        let lead = &divisor[divisor.len() - 1];
        while rest.len() >= divisor.len() {
            let top = rest.pop()?;
            let shift = rest.len() + 1 - divisor.len();
            for part in &mut rest {
                *part = part.times(lead).small()?;
            }
            for (place, part) in divisor[..divisor.len() - 1].iter().enumerate() {
                rest[shift + place] = rest[shift + place].minus(&top.times(part));
            }
        }
        Some(Tower::build(level, rest))
    }

    /// Divisors without multiple factors that vanish, together, where the tower does; nothing for zero.
    pub fn square_free_factors(&self) -> Option<Vec<Tower>> {
        let mut found = Vec::new();
        let mut rest = self.clone();
        if rest.is_zero() {
            return None;
        }
        while rest.level() > 0 {
            let content = rest.content()?;
            let primitive = rest.quotient(&content)?;
            let double = primitive.gcd(&primitive.derivative())?;
            found.push(primitive.quotient(&double)?.monic());
            rest = content;
        }
        Some(found)
    }
}

/// Whole coefficients of a polynomial of one variable, the constant first.
type Line = Vec<BigInt>;

fn divisor(a: &BigInt, b: &BigInt) -> BigInt {
    let (mut a, mut b) = (a.clone(), b.clone());
    while b.sign() != Sign::NoSign {
        (a, b) = (b.clone(), a % b);
    }
    BigInt::from(a.magnitude().clone())
}

/// The line divided by what divides all coefficients, without zeros at the end.
fn trimmed(mut line: Line) -> Line {
    while line.last().is_some_and(|value| value.sign() == Sign::NoSign) {
        line.pop();
    }
    let common = line
        .iter()
        .fold(BigInt::from(0), |common, value| divisor(&common, value));
    if common > BigInt::from(1) {
        line.iter_mut().for_each(|value| *value = &*value / &common);
    }
    line
}

/// A positive multiple of a tower of the first level.
fn line_of(tower: &Tower) -> Option<Line> {
    let In(_, parts) = tower else { return None };
    let mut scale = BigInt::from(1);
    for part in parts {
        let Number(value) = part else { return None };
        let denominator = value.denominator();
        scale = &scale / divisor(&scale, &denominator) * denominator;
    }
    let whole = |part: &Tower| match part {
        Number(value) => value.numerator() * (&scale / value.denominator()),
        In(..) => BigInt::from(0),
    };
    Some(trimmed(parts.iter().map(whole).collect()))
}

/// A positive multiple of the remainder.
fn remainder(a: &Line, b: &Line) -> Line {
    let mut rest = a.clone();
    let lead = &b[b.len() - 1];
    let size = BigInt::from(lead.magnitude().clone());
    while rest.len() >= b.len() {
        let Some(mut top) = rest.pop() else { break };
        if lead.sign() == Sign::Minus {
            top = -top;
        }
        let shift = rest.len() + 1 - b.len();
        rest.iter_mut().for_each(|value| *value *= &size);
        for (place, value) in b[..b.len() - 1].iter().enumerate() {
            rest[shift + place] -= value * &top;
        }
    }
    trimmed(rest)
}

fn sign_at(line: &Line, at: &Rational) -> i32 {
    let (numerator, denominator) = (at.numerator(), at.denominator());
    let (mut sum, mut power) = (BigInt::from(0), BigInt::from(1));
    for value in line.iter().rev() {
        sum = sum * &numerator + value * &power;
        power *= &denominator;
    }
    match sum.sign() {
        Sign::Minus => -1,
        Sign::NoSign => 0,
        Sign::Plus => 1,
    }
}

/// Sturm's chain. It counts different roots also where some are multiple.
fn chain(line: &Line) -> Vec<Line> {
    let derived = (line.iter().enumerate().skip(1)).map(|(power, part)| part * BigInt::from(power));
    let mut chain = vec![line.clone(), trimmed(derived.collect())];
    while let [.., a, b] = chain.as_slice() {
        if b.is_empty() {
            chain.pop();
            break;
        }
        let rest = remainder(a, b).into_iter().map(|value| -value).collect();
        chain.push(rest);
    }
    chain
}

fn changes(chain: &[Line], at: &Rational) -> usize {
    let signs: Vec<i32> = (chain.iter())
        .map(|line| sign_at(line, at))
        .filter(|&sign| sign != 0)
        .collect();
    signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// A number with a power of two below it, strictly between two.
fn number_between(low: &Rational, high: &Rational) -> Rational {
    let mut parts = Rational::one();
    loop {
        let candidate = &(&(low * &parts).floor() + &Rational::one()) / &parts;
        if candidate < *high {
            return candidate;
        }
        parts = &parts * &Rational::integer(2);
    }
}

/// An interval, whose ends are no roots, with one root of a polynomial.
struct Isolated {
    low: Rational,
    high: Rational,
    chain: Rc<Vec<Line>>,
}

impl Isolated {
    fn narrow(&mut self) {
        let middle = not_a_root(&self.chain[0], &self.low, &self.high);
        match changes(&self.chain, &self.low) > changes(&self.chain, &middle) {
            true => self.high = middle,
            false => self.low = middle,
        }
    }

    /// All roots of a polynomial.
    fn all(line: &Line) -> Vec<Isolated> {
        let chain = Rc::new(chain(line));
        // Cauchy's bound.
        let size = |value: &BigInt| Rational::from_big(BigInt::from(value.magnitude().clone()));
        let largest = line.iter().map(size).max().unwrap_or_default();
        let bound = (&(&largest / &size(&line[line.len() - 1])) + &Rational::integer(2)).ceil();
        let mut found = Vec::new();
        let [low, high] = [-bound.clone(), bound].map(|end| (changes(&chain, &end), end));
        let mut waiting = vec![(low, high)];
        while let Some(((at_low, low), (at_high, high))) = waiting.pop() {
            match at_low - at_high {
                0 => {}
                1 => found.push(Isolated {
                    low,
                    high,
                    chain: Rc::clone(&chain),
                }),
                _ => {
                    let middle = not_a_root(line, &low, &high);
                    let middle = (changes(&chain, &middle), middle);
                    waiting.push((middle.clone(), (at_high, high)));
                    waiting.push(((at_low, low), middle));
                }
            }
        }
        found
    }
}

/// One number in each of the intervals between the real roots of polynomials of one variable, no two of which have a root in common.
pub(super) fn points_between_roots(polynomials: &[Tower]) -> Option<Vec<Rational>> {
    let mut roots: Vec<Isolated> = Vec::new();
    for polynomial in polynomials {
        // Without its variable, the point below would not be one of an open cell.
        roots.extend(Isolated::all(&line_of(polynomial)?));
    }
    // Narrow until no two intervals meet. Roots in common would go on for ever, hence the bound.
    for _ in 0..MOST_NARROWINGS {
        roots.sort_by(|a, b| a.low.cmp(&b.low));
        let mut is_separated = true;
        for place in 1..roots.len() {
            if roots[place - 1].high >= roots[place].low {
                is_separated = false;
                roots[place - 1].narrow();
                roots[place].narrow();
            }
        }
        if is_separated {
            let Some((first, last)) = roots.first().zip(roots.last()) else {
                return Some(vec![Rational::zero()]);
            };
            let mut points = vec![&first.low.floor() - &Rational::one()];
            points.extend(
                roots
                    .windows(2)
                    .map(|pair| number_between(&pair[0].high, &pair[1].low)),
            );
            points.push(&last.high.ceil() + &Rational::one());
            return Some(points);
        }
    }
    None
}

/// A number near the middle that is no root.
fn not_a_root(line: &Line, low: &Rational, high: &Rational) -> Rational {
    let mut parts = 2;
    loop {
        let candidate = low + &(&(high - low) / &Rational::integer(parts));
        if sign_at(line, &candidate) != 0 {
            return candidate;
        }
        parts += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(value: i64) -> Tower {
        Number(Rational::integer(value))
    }

    fn variable(level: usize) -> Tower {
        In(level, vec![number(0), number(1)])
    }

    #[test]
    fn points_lie_on_all_sides_of_all_roots() {
        // (x - 1) (x - 2) (x^2 - 2) x, by parts.
        let x = variable(1);
        let parts = [
            x.minus(&number(1)),
            x.minus(&number(2)),
            x.times(&x).minus(&number(2)),
            x.clone(),
        ];
        let points = points_between_roots(&parts).expect("small");
        // Roots: -1.41, 0, 1, 1.41, 2.
        assert_eq!(points.len(), 6, "{points:?}");
        let ends = [(-100, -3), (-1, 0), (0, 1), (1, 1), (1, 2), (2, 100)];
        for (point, (low, high)) in points.iter().zip(ends) {
            let (low, high) = (Rational::integer(low), Rational::integer(high + 1));
            assert!(low < *point && *point < high, "{points:?}");
        }
        let signs: Vec<Vec<i32>> = (points.iter())
            .map(|point| {
                let sign = |part: &Tower| match part.at(1, point) {
                    Number(value) => value.signum(),
                    In(..) => 0,
                };
                parts.iter().map(sign).collect()
            })
            .collect();
        let wanted = [
            [-1, -1, 1, -1],
            [-1, -1, -1, -1],
            [-1, -1, -1, 1],
            [1, -1, -1, 1],
            [1, -1, 1, 1],
            [1, 1, 1, 1],
        ];
        assert_eq!(signs, wanted);
    }

    #[test]
    fn determinants_and_divisors() {
        let (x, y) = (variable(2), variable(1));
        // x^2 + y x + 3: its discriminant is that of y^2 - 12.
        let square = x.times(&x).plus(&y.times(&x)).plus(&number(3));
        let found = square
            .determinant_with(&square.derivative())
            .expect("small")
            .monic();
        assert_eq!(found, y.times(&y).minus(&number(12)));
        let (a, b) = (square.times(&x.minus(&y)), x.plus(&y).times(&x.minus(&y)));
        assert_eq!(a.gcd(&b).expect("small").monic(), x.minus(&y).monic());
        let factors = a.times(&a).times(&y).square_free_factors().expect("small");
        assert_eq!(factors, [a.monic(), y]);
    }
}
