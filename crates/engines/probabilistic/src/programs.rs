//! Functions of parameters as straight-line programs: polynomials, sums, products and inverses, each step written down once.
//!
//! An elimination makes a few steps for each operation, however large the functions become that they stand for: nothing is multiplied out. Steps that
//! stand for the same function are one step, which is seen from their values at two random points modulo a prime: two different functions agree there with a
//! probability of their degree in 2^122. Nobody relies on it: what comes out is judged.

use entail_markov::Rational;
use entail_numeric::modular::Field;
use entail_numeric::multivariate::Multivariate;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;

/// A step of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Step(u32);

impl Step {
    /// Zero, in every program.
    pub const ZERO: Step = Step(0);
    /// One, in every program.
    pub const ONE: Step = Step(1);

    /// Its position.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a step computes from those before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation<T> {
    /// A polynomial of the parameters.
    Polynomial(Multivariate),
    /// A sum.
    Sum(T, T),
    /// A product.
    Product(T, T),
    /// A power, perhaps negative.
    Power(T, i32),
}

impl Operation<usize> {
    /// A fraction as a program, with whole coefficients that have no common divisor; the first one of the denominator (of the least powers) is positive.
    pub fn fraction(above: Multivariate, below: Multivariate) -> Vec<Operation<usize>> {
        let all = || above.terms().chain(below.terms()).map(|(_, value)| value);
        let mut scale = Rational::ONE;
        for value in all() {
            let scaled = value * &scale;
            scale *= Rational::from(scaled.denominator().clone());
        }
        let mut common = dashu_int::UBig::ZERO;
        for value in all() {
            let size = (value * &scale).numerator().clone().into_parts().1;
            common = match common.is_zero() {
                true => size,
                false => dashu_int::ops::Gcd::gcd(common, size),
            };
        }
        if !common.is_zero() {
            scale /= Rational::from(common);
        }
        if below.terms().next().is_some_and(|(_, value)| *value < Rational::ZERO) {
            scale = -scale;
        }
        let scaled = |of: &Multivariate| Multivariate::default().plus(of, &scale);
        let (above, below) = (scaled(&above), scaled(&below));
        match below.value() {
            Some(number) if !number.is_zero() => {
                let whole = Multivariate::default().plus(&above, &(Rational::ONE / number));
                vec![Operation::Polynomial(whole)]
            }
            _ => vec![
                Operation::Polynomial(above),
                Operation::Polynomial(below),
                Operation::Power(1, -1),
                Operation::Product(0, 2),
            ],
        }
    }
}

/// A program that grows.
pub(crate) struct Program {
    steps: Vec<Operation<Step>>,
    images: Vec<[u64; 2]>,
    known: FxHashMap<[u64; 2], Step>,
    points: [Vec<u64>; 2],
}

const FIELD: Field = Field::MERSENNE;

impl Program {
    /// A program in so many parameters.
    pub fn new(parameters: usize) -> Program {
        let mut random = StdRng::seed_from_u64(0x5eed);
        let mut point = || -> Vec<u64> {
            (0..parameters).map(|_| random.random_range(1..FIELD.prime())).collect()
        };
        let points = [point(), point()];
        let mut program = Program {
            steps: Vec::new(),
            images: Vec::new(),
            known: FxHashMap::default(),
            points,
        };
        program.polynomial(Multivariate::constant(parameters, Rational::ZERO));
        program.polynomial(Multivariate::constant(parameters, Rational::ONE));
        program
    }

    fn step(&mut self, image: [u64; 2], operation: impl FnOnce() -> Operation<Step>) -> Step {
        if let Some(&known) = self.known.get(&image) {
            return known;
        }
        let step = Step(self.steps.len() as u32);
        self.steps.push(operation());
        self.images.push(image);
        self.known.insert(image, step);
        step
    }

    fn image(&self, of: impl Fn(usize) -> u64) -> [u64; 2] {
        [of(0), of(1)]
    }

    /// A polynomial.
    pub fn polynomial(&mut self, polynomial: Multivariate) -> Step {
        let image = self.image(|which| value_modulo(&polynomial, &self.points[which]));
        self.step(image, || Operation::Polynomial(polynomial))
    }

    /// A sum.
    pub fn sum(&mut self, a: Step, b: Step) -> Step {
        let image = self.image(|which| {
            FIELD.plus(self.images[a.index()][which], self.images[b.index()][which])
        });
        self.step(image, || Operation::Sum(a, b))
    }

    /// A product.
    pub fn product(&mut self, a: Step, b: Step) -> Step {
        let image = self.image(|which| {
            FIELD.times(self.images[a.index()][which], self.images[b.index()][which])
        });
        self.step(image, || Operation::Product(a, b))
    }

    /// One divided by a step that is not zero.
    pub fn inverse(&mut self, a: Step) -> Step {
        let image = self.image(|which| FIELD.inverse(self.images[a.index()][which]).unwrap_or(0));
        self.step(image, || Operation::Power(a, -1))
    }

    /// One less a step.
    pub fn rest_of_one(&mut self, a: Step) -> Step {
        let negative = Multivariate::constant(self.points[0].len(), -Rational::ONE);
        let minus = self.polynomial(negative);
        let negated = self.product(minus, a);
        self.sum(Step::ONE, negated)
    }

    /// The steps that a step needs, itself last, numbered anew.
    pub fn needed(&self, last: Step) -> Vec<Operation<usize>> {
        let mut needed = vec![false; last.index() + 1];
        needed[last.index()] = true;
        for at in (0..=last.index()).rev() {
            if needed[at] {
                match self.steps[at] {
                    Operation::Sum(a, b) | Operation::Product(a, b) => {
                        needed[a.index()] = true;
                        needed[b.index()] = true;
                    }
                    Operation::Power(a, _) => needed[a.index()] = true,
                    Operation::Polynomial(_) => {}
                }
            }
        }
        let mut numbers = vec![0; needed.len()];
        let mut found = Vec::new();
        for at in (0..needed.len()).filter(|&at| needed[at]) {
            numbers[at] = found.len();
            let number = |step: Step| numbers[step.index()];
            found.push(match &self.steps[at] {
                Operation::Polynomial(polynomial) => Operation::Polynomial(polynomial.clone()),
                Operation::Sum(a, b) => Operation::Sum(number(*a), number(*b)),
                Operation::Product(a, b) => Operation::Product(number(*a), number(*b)),
                Operation::Power(a, exponent) => Operation::Power(number(*a), *exponent),
            });
        }
        found
    }
}

fn value_modulo(polynomial: &Multivariate, point: &[u64]) -> u64 {
    let mut sum = 0;
    for (exponents, coefficient) in polynomial.terms() {
        let below = FIELD.of(&coefficient.denominator().clone().into());
        let scale = FIELD.inverse(below).unwrap_or(0);
        let mut term = FIELD.times(FIELD.of(coefficient.numerator()), scale);
        for (&value, &exponent) in point.iter().zip(exponents) {
            term = FIELD.times(term, FIELD.power(value, u64::from(exponent)));
        }
        sum = FIELD.plus(sum, term);
    }
    sum
}
