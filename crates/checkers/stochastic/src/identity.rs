//! Whether a program computes the first unknown of linear equations with polynomials as coefficients.
//!
//! By Cramer's rule the unknown is a fraction of polynomials whose degrees and coefficients the equations bound, level by level of their strongly connected parts; the
//! program is one, too. The difference of the products crosswise is a polynomial: if it vanishes at more points than its degrees, in a grid, it is zero modulo a prime,
//! and if it is zero modulo primes whose product exceeds twice the bound of its coefficients, it is zero. Where so many points are too many, it is tested at random points
//! modulo random primes (Schwartz 1980), and how likely a mistake is is told. At each point the equations are solved by elimination,
//! the steps of which are found once.

use crate::modulo::{BITS, Modulus, PRIMES, Randomness};
use crate::solution::{Act, Equation, Plan, Size, Terms, bits, denominator, whole};
use entail_budget::{Budget, Spent};
use std::collections::BTreeSet;

/// A step of a program; it names steps before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimStep {
    /// A polynomial.
    Polynomial(Terms),
    /// A sum.
    Sum(usize, usize),
    /// A product.
    Product(usize, usize),
    /// A power, perhaps negative.
    Power(usize, i32),
}

/// Steps of arithmetic that a proof may take; more are not tried.
const MOST_WORK: f64 = 2e8;

/// A mistake by chance is made this improbable.
const IMPROBABLE: f64 = 1e-30;

/// Rounds of the test at most, and at least.
const ROUNDS: std::ops::RangeInclusive<u32> = 2..=12;

/// What was found out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Identity {
    /// The program computes the unknown.
    Proved,
    /// It does at so many random points; a wrong program does with at most this probability, if a bound is known.
    Tested(u32, Option<f64>),
    /// It does not.
    Wrong,
    /// It has no value.
    Undefined,
}

/// A program with bounds of the numerator and denominator of its value.
struct Claimed<'c> {
    steps: &'c [ClaimStep],
    above: Size,
    below: Size,
}

impl<'c> Claimed<'c> {
    /// Nothing if a step names one that is not before it, or a polynomial has other parameters.
    fn new(parameters: usize, steps: &'c [ClaimStep]) -> Option<Claimed<'c>> {
        let mut sizes: Vec<(Size, Size)> = Vec::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate() {
            let of = |step: usize| (step < at).then(|| sizes[step].clone());
            sizes.push(match step {
                ClaimStep::Polynomial(terms) => {
                    if terms.iter().any(|(exponents, _)| exponents.len() != parameters) {
                        return None;
                    }
                    let below = denominator([terms].into_iter());
                    let own = whole(terms, &below);
                    let mut number = Size::new(parameters);
                    number.bits = bits(&own.below);
                    (own.size(parameters), number)
                }
                ClaimStep::Sum(a, b) => {
                    let ((a, under_a), (b, under_b)) = (of(*a)?, of(*b)?);
                    let mut above = a.times(&under_b).larger(&b.times(&under_a));
                    above.bits += 1.0;
                    (above, under_a.times(&under_b))
                }
                ClaimStep::Product(a, b) => {
                    let ((a, under_a), (b, under_b)) = (of(*a)?, of(*b)?);
                    (a.times(&b), under_a.times(&under_b))
                }
                ClaimStep::Power(a, exponent) => {
                    let (above, below) = of(*a)?;
                    let size = f64::from(exponent.unsigned_abs());
                    let (above, below) = (above.power(size), below.power(size));
                    if *exponent < 0 { (below, above) } else { (above, below) }
                }
            });
        }
        let (above, below) = sizes.pop()?;
        Some(Claimed { steps, above, below })
    }

    fn value(&self, modulus: &Modulus, powers: &[Vec<u64>], coefficients: &[Vec<u64>]) -> Option<u64> {
        let mut values: Vec<u64> = Vec::with_capacity(self.steps.len());
        for (at, step) in self.steps.iter().enumerate() {
            let value = match step {
                ClaimStep::Polynomial(terms) => {
                    let exponents = terms.iter().map(|(exponents, _)| exponents.as_slice());
                    sum_of(modulus, exponents.zip(&coefficients[at]), powers)
                }
                ClaimStep::Sum(a, b) => modulus.plus(values[*a], values[*b]),
                ClaimStep::Product(a, b) => modulus.times(values[*a], values[*b]),
                ClaimStep::Power(a, exponent) => {
                    let power = modulus.power(values[*a], u64::from(exponent.unsigned_abs()));
                    if *exponent < 0 { modulus.inverse(power)? } else { power }
                }
            };
            values.push(value);
        }
        values.pop()
    }
}

fn sum_of<'t>(
    modulus: &Modulus,
    terms: impl Iterator<Item = (&'t [u32], &'t u64)>,
    powers: &[Vec<u64>],
) -> u64 {
    terms.fold(0, |sum, (exponents, &coefficient)| {
        let term = (exponents.iter().zip(powers))
            .filter(|(exponent, _)| **exponent > 0)
            .fold(coefficient, |term, (&exponent, powers)| modulus.times(term, powers[exponent as usize]));
        modulus.plus(sum, term)
    })
}

/// Equations and a program modulo one prime.
struct Residues<'r> {
    plan: &'r Plan,
    claimed: &'r Claimed<'r>,
    modulus: Modulus,
    weights: Vec<Vec<u64>>,
    coefficients: Vec<Vec<u64>>,
    /// The greatest power of each parameter that occurs.
    most: Vec<u32>,
    complement: bool,
}

impl<'r> Residues<'r> {
    /// Nothing if the prime divides a denominator.
    fn new(
        plan: &'r Plan,
        claimed: &'r Claimed<'r>,
        parameters: usize,
        complement: bool,
        modulus: Modulus,
    ) -> Option<Residues<'r>> {
        let mut most = vec![0; parameters];
        let mut note = |exponents: &[u32]| {
            most.iter_mut().zip(exponents).for_each(|(most, &own)| *most = own.max(*most));
        };
        let weights = (plan.polynomials.iter())
            .map(|polynomial| {
                (polynomial.terms.iter())
                    .map(|(exponents, value)| {
                        note(exponents);
                        modulus.whole(value)
                    })
                    .collect()
            })
            .collect();
        let coefficients = (claimed.steps.iter())
            .map(|step| match step {
                ClaimStep::Polynomial(terms) => (terms.iter())
                    .map(|(exponents, value)| {
                        note(exponents);
                        modulus.rational(value)
                    })
                    .collect(),
                _ => Some(Vec::new()),
            })
            .collect::<Option<_>>()?;
        Some(Residues {
            plan,
            claimed,
            modulus,
            weights,
            coefficients,
            most,
            complement,
        })
    }

    /// Whether both are the same at a point; nothing if one of them has no value there.
    fn agree(&self, point: &[u64]) -> Option<bool> {
        let modulus = &self.modulus;
        let powers: Vec<Vec<u64>> = (point.iter().zip(&self.most))
            .map(|(&value, &most)| {
                let next = |power: &u64| Some(modulus.times(*power, value));
                std::iter::successors(Some(modulus.one), next).take(most as usize + 1).collect()
            })
            .collect();
        let mut values: Vec<u64> = Vec::with_capacity(self.weights.len() + self.plan.acts.len());
        for (polynomial, own) in self.plan.polynomials.iter().zip(&self.weights) {
            let exponents = polynomial.terms.iter().map(|(exponents, _)| exponents.as_slice());
            values.push(sum_of(modulus, exponents.zip(own), &powers));
        }
        let unknown = self.plan.value(modulus, &mut values)?;
        let unknown = match self.complement {
            true => modulus.minus(modulus.one, unknown),
            false => unknown,
        };
        let claimed = self.claimed.value(modulus, &powers, &self.coefficients)?;
        Some(unknown == claimed)
    }
}

/// Whether a program computes the first unknown (or 1 less it).
pub(crate) fn identity(
    parameters: usize,
    equations: &[Equation],
    complement: bool,
    steps: &[ClaimStep],
    seed: u64,
    budget: &Budget,
) -> Result<Identity, Spent> {
    let Some(claimed) = Claimed::new(parameters, steps) else {
        return Ok(Identity::Undefined);
    };
    let plan = Plan::new(parameters, equations, budget)?;
    // The numerator of 1 less a fraction has one bit more.
    let left = plan.size.times(&claimed.below);
    let right = plan.size.times(&claimed.above);
    let mut difference = left.larger(&right);
    difference.bits += 4.0;
    let mut randomness = Randomness::new(seed);
    let points: f64 = difference.degrees.iter().map(|degree| degree + 1.0).product();
    let primes = ((difference.bits + 1.0) / BITS).ceil().max(1.0);
    let steps_each = (plan.acts.len() + plan.polynomials.len() + claimed.steps.len()) as f64;
    let each = steps_each + 100.0 * (1 + count_inverses(&plan)) as f64;
    if primes * points * each <= MOST_WORK {
        let sizes: Vec<u64> = difference.degrees.iter().map(|degree| *degree as u64 + 1).collect();
        return proved(&plan, &claimed, (parameters, complement), (primes as u64, &sizes), &mut randomness, budget);
    }
    let degree: f64 = difference.degrees.iter().sum();
    let chance = (difference.bits / BITS + 1.0) / PRIMES + degree / BITS.exp2();
    let mut rounds = *ROUNDS.start();
    while chance < 1.0 && chance.powi(rounds as i32) > IMPROBABLE && rounds < *ROUNDS.end() {
        rounds += 1;
    }
    let mut done = 0;
    for _ in 0..4 * rounds {
        budget.check_now()?;
        let modulus = Modulus::random(&mut randomness);
        let point: Vec<u64> = (0..parameters).map(|_| modulus.residue(&mut randomness)).collect();
        let residues = Residues::new(&plan, &claimed, parameters, complement, modulus);
        match residues.and_then(|residues| residues.agree(&point)) {
            Some(true) => done += 1,
            Some(false) => return Ok(Identity::Wrong),
            None => continue,
        }
        if done == rounds {
            return Ok(Identity::Tested(rounds, (chance < 1.0).then(|| chance.powi(rounds as i32))));
        }
    }
    Ok(Identity::Undefined)
}

fn count_inverses(plan: &Plan) -> usize {
    plan.acts.iter().filter(|act| matches!(act, Act::Inverse(..))).count()
}

/// All points of a grid, modulo so many primes.
fn proved(
    plan: &Plan,
    claimed: &Claimed<'_>,
    (parameters, complement): (usize, bool),
    (primes, sizes): (u64, &[u64]),
    randomness: &mut Randomness,
    budget: &Budget,
) -> Result<Identity, Spent> {
    let mut seen = BTreeSet::new();
    let mut failures = 0;
    while (seen.len() as u64) < primes {
        let modulus = Modulus::random(randomness);
        let first: Vec<u64> = (0..parameters).map(|_| modulus.residue(randomness)).collect();
        let residues = Residues::new(plan, claimed, parameters, complement, modulus);
        let whole = match residues {
            Some(residues) => grid(&residues, &first, sizes, budget)?,
            None => None,
        };
        match whole {
            Some(true) => {
                seen.insert(modulus.prime());
            }
            Some(false) => return Ok(Identity::Wrong),
            // A point at which something has no value: another grid.
            None => {
                failures += 1;
                if failures > 4 {
                    return Ok(Identity::Undefined);
                }
            }
        }
    }
    Ok(Identity::Proved)
}

/// Whether both agree at all points of a grid; nothing if one has no value somewhere.
fn grid(residues: &Residues<'_>, first: &[u64], sizes: &[u64], budget: &Budget) -> Result<Option<bool>, Spent> {
    let modulus = &residues.modulus;
    let mut at = vec![0; sizes.len()];
    let mut point = first.to_vec();
    loop {
        budget.check()?;
        match residues.agree(&point) {
            Some(true) => {}
            other => return Ok(other),
        }
        let Some(place) = (0..sizes.len()).find(|&place| at[place] + 1 < sizes[place]) else {
            return Ok(Some(true));
        };
        for (before, point) in (0..place).zip(point.iter_mut()) {
            at[before] = 0;
            *point = first[before];
        }
        at[place] += 1;
        point[place] = modulus.plus(point[place], modulus.one);
    }
}
