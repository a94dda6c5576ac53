//! Straight-line programs as fractions of polynomials in lowest terms.
//!
//! A fraction is a number times powers, perhaps negative, of polynomials that are kept once and have nothing in common with each other where it matters: what is above with
//! what is below (Jansen, Corzilius, Volk, Wimmer, Ábrahám, Katoen and Becker 2014). Products put powers together; only sums multiply out what their
//! operands do not share. Two polynomials that have a common divisor are split by it, for good. The cost is that of the sums, and is limited: functions whose
//! fractions are too large stay programs.

use crate::programs::Operation;
use entail_markov::Rational;
use entail_numeric::integer_polynomial::{Exponents, IntegerPolynomial, MOST_VARIABLES, TooMuch, Work};
use entail_numeric::multivariate::Multivariate;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// Products of coefficients that looking for one greatest common divisor may take.
const DIVISOR_WORK: u64 = 20_000_000;

/// A polynomial among those that are kept.
type Factor = u32;

/// A number times powers of factors; zero if the number is.
#[derive(Clone, Debug)]
struct Fraction {
    scale: Rational,
    powers: BTreeMap<Factor, i32>,
}

/// The polynomials that fractions are made of.
#[derive(Default)]
struct Factors {
    polynomials: Vec<IntegerPolynomial>,
    numbers: FxHashMap<IntegerPolynomial, Factor>,
    /// Factors that were found to be products.
    splits: FxHashMap<Factor, Vec<Factor>>,
    coprime: FxHashSet<(Factor, Factor)>,
}

impl Factors {
    /// The number of a polynomial without content; nothing for 1.
    fn number(&mut self, polynomial: IntegerPolynomial) -> Option<Factor> {
        if polynomial.value().is_some() {
            return None;
        }
        if let Some(&known) = self.numbers.get(&polynomial) {
            return Some(known);
        }
        let number = self.polynomials.len() as Factor;
        self.numbers.insert(polynomial.clone(), number);
        self.polynomials.push(polynomial);
        Some(number)
    }

    /// Adds a power of a factor, or of the factors that it was split into.
    fn put(&self, powers: &mut BTreeMap<Factor, i32>, factor: Factor, power: i32) -> Result<(), TooMuch> {
        match self.splits.get(&factor) {
            Some(parts) => parts.iter().try_for_each(|&part| self.put(powers, part, power)),
            None => {
                let entry = powers.entry(factor).or_insert(0);
                *entry = entry.checked_add(power).ok_or(TooMuch::Large)?;
                if *entry == 0 {
                    powers.remove(&factor);
                }
                Ok(())
            }
        }
    }

    /// The same fraction with factors that are no known products.
    fn refined(&self, powers: &BTreeMap<Factor, i32>) -> Result<BTreeMap<Factor, i32>, TooMuch> {
        let mut found = BTreeMap::new();
        for (&factor, &power) in powers {
            self.put(&mut found, factor, power)?;
        }
        Ok(found)
    }

    /// Lowest terms: while something above and something below have a common divisor, both are split by it.
    fn reduced(
        &mut self,
        mut powers: BTreeMap<Factor, i32>,
        work: &mut Work<'_>,
    ) -> Result<BTreeMap<Factor, i32>, TooMuch> {
        loop {
            let above: Vec<Factor> = powers.iter().filter(|(_, power)| **power > 0).map(|(&f, _)| f).collect();
            let below: Vec<Factor> = powers.iter().filter(|(_, power)| **power < 0).map(|(&f, _)| f).collect();
            let pairs = above.iter().flat_map(|&a| below.iter().map(move |&b| (a.min(b), a.max(b))));
            let open: Vec<(Factor, Factor)> = pairs.filter(|pair| !self.coprime.contains(pair)).collect();
            let mut split = false;
            for pair in open {
                let (a, b) = (&self.polynomials[pair.0 as usize], &self.polynomials[pair.1 as usize]);
                let mut own = work.part(DIVISOR_WORK);
                let common = match a.common_divisor(b, &mut own) {
                    Ok(common) => common,
                    // Not in lowest terms then.
                    Err(TooMuch::Large) => IntegerPolynomial::constant(1.into()),
                    Err(spent) => return Err(spent),
                };
                if common.value().is_some() {
                    self.coprime.insert(pair);
                    continue;
                }
                for factor in [pair.0, pair.1] {
                    self.split(factor, &common, work)?;
                }
                split = true;
                break;
            }
            if !split {
                return Ok(powers);
            }
            powers = self.refined(&powers)?;
        }
    }

    fn split(&mut self, factor: Factor, by: &IntegerPolynomial, work: &mut Work<'_>) -> Result<(), TooMuch> {
        let rest = self.polynomials[factor as usize].divided_by(by, work)?;
        let Some(rest) = rest.filter(|rest| rest.value().is_none()) else {
            return Ok(());
        };
        let parts: Vec<Factor> = [by.clone(), rest].into_iter().filter_map(|part| self.number(part)).collect();
        self.splits.insert(factor, parts);
        Ok(())
    }

    /// A number times a product of powers that are not negative, multiplied out.
    fn expanded(
        &self,
        powers: impl Iterator<Item = (Factor, i32)>,
        work: &mut Work<'_>,
    ) -> Result<IntegerPolynomial, TooMuch> {
        let mut product = IntegerPolynomial::constant(1.into());
        for (factor, power) in powers {
            let (mut base, mut left) = (self.polynomials[factor as usize].clone(), power);
            while left > 0 {
                if left & 1 == 1 {
                    product = product.times(&base, work)?;
                }
                left >>= 1;
                if left > 0 {
                    base = base.times(&base, work)?;
                }
            }
        }
        Ok(product)
    }

    /// A rational polynomial as a fraction.
    fn fraction(&mut self, scale: Rational, polynomial: &IntegerPolynomial) -> Fraction {
        let mut powers = BTreeMap::new();
        let content = polynomial.content();
        if polynomial.is_zero() {
            return Fraction {
                scale: Rational::ZERO,
                powers,
            };
        }
        let common = polynomial.common_powers();
        for (variable, &power) in common.iter().enumerate().filter(|(_, power)| **power > 0) {
            let mut exponents = Exponents::default();
            exponents[variable] = 1;
            let own = self.number(IntegerPolynomial::new([(exponents, 1.into())]));
            powers.extend(own.map(|own| (own, i32::from(power))));
        }
        let rest = polynomial.without_powers(&common).divided_by_number(&content);
        let own = self.number(rest);
        powers.extend(own.map(|own| (own, 1)));
        let refined = self.refined(&powers).unwrap_or(powers);
        Fraction {
            scale: scale * Rational::from(content),
            powers: refined,
        }
    }

    fn product(&mut self, a: &Fraction, b: &Fraction, work: &mut Work<'_>) -> Result<Fraction, TooMuch> {
        let mut powers = self.refined(&a.powers)?;
        for (&factor, &power) in &b.powers {
            self.put(&mut powers, factor, power)?;
        }
        let scale = &a.scale * &b.scale;
        Ok(Fraction {
            powers: match scale.is_zero() {
                true => BTreeMap::new(),
                false => self.reduced(powers, work)?,
            },
            scale,
        })
    }

    fn sum(&mut self, a: &Fraction, b: &Fraction, work: &mut Work<'_>) -> Result<Fraction, TooMuch> {
        if a.scale.is_zero() || b.scale.is_zero() {
            return Ok(if a.scale.is_zero() { b.clone() } else { a.clone() });
        }
        let (left, right) = (self.refined(&a.powers)?, self.refined(&b.powers)?);
        let power = |of: &BTreeMap<Factor, i32>, factor: &Factor| of.get(factor).copied().unwrap_or(0);
        let shared: BTreeMap<Factor, i32> = (left.keys().chain(right.keys()))
            .map(|factor| (*factor, power(&left, factor).min(power(&right, factor))))
            .collect();
        let own = |of: &BTreeMap<Factor, i32>| -> Vec<(Factor, i32)> {
            (shared.iter())
                .map(|(factor, least)| (*factor, power(of, factor) - least))
                .filter(|(_, power)| *power > 0)
                .collect()
        };
        let own_left = self.expanded(own(&left).into_iter(), work)?;
        let own_right = self.expanded(own(&right).into_iter(), work)?;
        // Over the product of the denominators of both numbers.
        let (below_a, below_b) = (a.scale.denominator().clone(), b.scale.denominator().clone());
        let factor_a = a.scale.numerator() * dashu(&below_b);
        let factor_b = b.scale.numerator() * dashu(&below_a);
        let sum = own_left.combined(&factor_a, &own_right, &factor_b);
        work.take(sum.terms().len() as u64)?;
        let below = Rational::from(below_a) * Rational::from(below_b);
        let own = self.fraction(Rational::ONE / below, &sum);
        if own.scale.is_zero() {
            return Ok(own);
        }
        let mut powers = own.powers;
        for (factor, power) in shared {
            if power != 0 {
                self.put(&mut powers, factor, power)?;
            }
        }
        Ok(Fraction {
            scale: own.scale,
            powers: self.reduced(powers, work)?,
        })
    }
}

fn dashu(number: &dashu_int::UBig) -> dashu_int::IBig {
    number.clone().into()
}

/// A rational polynomial as a whole one over a number.
fn whole(polynomial: &Multivariate) -> Result<(Rational, IntegerPolynomial), TooMuch> {
    let mut below = Rational::ONE;
    for (_, value) in polynomial.terms() {
        let scaled = value * &below;
        below *= Rational::from(scaled.denominator().clone());
    }
    let mut terms = Vec::new();
    for (powers, value) in polynomial.terms() {
        let mut exponents = Exponents::default();
        if powers.len() > MOST_VARIABLES {
            return Err(TooMuch::Large);
        }
        for (own, &power) in exponents.iter_mut().zip(powers) {
            *own = u16::try_from(power).map_err(|_| TooMuch::Large)?;
        }
        terms.push((exponents, (value * &below).numerator().clone()));
    }
    Ok((Rational::ONE / below, IntegerPolynomial::new(terms)))
}

/// A rational function: a number times powers of polynomials with whole coefficients.
pub(crate) struct Factored {
    pub scale: Rational,
    pub powers: Vec<(IntegerPolynomial, i32)>,
}

/// What a program computes in its last step, as far as the work allows.
pub(crate) fn expanded(steps: &[Operation<usize>], work: &mut Work<'_>) -> Result<Factored, TooMuch> {
    let mut last_use = vec![0; steps.len()];
    for (at, step) in steps.iter().enumerate() {
        match *step {
            Operation::Sum(a, b) | Operation::Product(a, b) => (last_use[a], last_use[b]) = (at, at),
            Operation::Power(a, _) => last_use[a] = at,
            Operation::Polynomial(_) => {}
        }
    }
    let mut factors = Factors::default();
    let mut found: Vec<Option<Fraction>> = Vec::with_capacity(steps.len());
    let missing = || TooMuch::Large;
    for (at, step) in steps.iter().enumerate() {
        let own = {
            let of = |step: usize| found[step].as_ref().ok_or_else(missing);
            match step {
                Operation::Polynomial(polynomial) => {
                    let (scale, polynomial) = whole(polynomial)?;
                    factors.fraction(scale, &polynomial)
                }
                Operation::Sum(a, b) => factors.sum(of(*a)?, of(*b)?, work)?,
                Operation::Product(a, b) => factors.product(of(*a)?, of(*b)?, work)?,
                Operation::Power(a, exponent) => power(of(*a)?, *exponent)?,
            }
        };
        found.push(Some(own));
        match *step {
            Operation::Sum(a, b) | Operation::Product(a, b) => {
                for used in [a, b] {
                    if last_use[used] == at {
                        found[used] = None;
                    }
                }
            }
            Operation::Power(a, _) if last_use[a] == at => found[a] = None,
            _ => {}
        }
    }
    let last = found.pop().flatten().ok_or_else(missing)?;
    let powers = factors.refined(&last.powers)?;
    Ok(Factored {
        scale: last.scale,
        powers: (powers.into_iter())
            .map(|(factor, power)| (factors.polynomials[factor as usize].clone(), power))
            .collect(),
    })
}

fn power(of: &Fraction, exponent: i32) -> Result<Fraction, TooMuch> {
    if of.scale.is_zero() && exponent <= 0 {
        return Err(TooMuch::Large);
    }
    let size = of.scale.pow(exponent.unsigned_abs() as isize);
    let mut powers = of.powers.clone();
    for power in powers.values_mut() {
        *power = power.checked_mul(exponent).ok_or(TooMuch::Large)?;
    }
    powers.retain(|_, power| *power != 0);
    Ok(Fraction {
        scale: if exponent < 0 { Rational::ONE / size } else { size },
        powers,
    })
}
