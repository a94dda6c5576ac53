//! Words as polynomials modulo a power of two: a normal form for sums, products and shifts to the left.
//!
//! Words of width `w` with their sum and product are the ring of integers modulo `2^w`. A complement is `-x - 1`, a shift to the left is a
//! product with a power of two (which is zero where the shift is too far), and what is no operation of the ring is an unknown. Equal
//! polynomials have equal values; the converse does not hold, so different ones say nothing.

use entail_first_order::{Op, TermId, Terms};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// Operations of the ring below each other that are looked into.
const DEEPEST: u32 = 12;
/// Longer polynomials are not multiplied out.
const MOST_MONOMIALS: usize = 64;

/// A factor of a monomial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Factor {
    /// A word.
    Unknown(TermId),
    /// Two to the power of a word.
    PowerOfTwo(TermId),
}

/// A polynomial over the words of one width: coefficients that are not zero, by monomials in the order of their factors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WordPolynomial {
    width: u32,
    coefficients: BTreeMap<Vec<Factor>, BigUint>,
}

impl WordPolynomial {
    fn constant(width: u32, value: &BigUint) -> WordPolynomial {
        let mut sum = WordPolynomial {
            width,
            coefficients: BTreeMap::new(),
        };
        sum.add_monomial(Vec::new(), value);
        sum
    }

    fn single(width: u32, factor: Factor) -> WordPolynomial {
        WordPolynomial {
            width,
            coefficients: [(vec![factor], BigUint::from(1u8))].into(),
        }
    }

    fn add_monomial(&mut self, monomial: Vec<Factor>, coefficient: &BigUint) {
        let modulus = BigUint::from(1u8) << self.width;
        let known = self.coefficients.remove(&monomial).unwrap_or_default();
        let sum = (known + coefficient) % modulus;
        if sum != BigUint::ZERO {
            self.coefficients.insert(monomial, sum);
        }
    }

    fn plus(mut self, other: &WordPolynomial) -> WordPolynomial {
        for (monomial, coefficient) in &other.coefficients {
            self.add_monomial(monomial.clone(), coefficient);
        }
        self
    }

    fn times(&self, other: &WordPolynomial) -> WordPolynomial {
        let mut product = WordPolynomial::constant(self.width, &BigUint::ZERO);
        for (a, x) in &self.coefficients {
            for (b, y) in &other.coefficients {
                let mut monomial = [a.as_slice(), b].concat();
                monomial.sort_unstable();
                product.add_monomial(monomial, &(x * y));
            }
        }
        product
    }

    /// The additive inverse.
    pub fn negated(&self) -> WordPolynomial {
        let minus_one = (BigUint::from(1u8) << self.width) - BigUint::from(1u8);
        self.times(&WordPolynomial::constant(self.width, &minus_one))
    }

    /// The difference of two words of one width.
    pub fn difference(terms: &Terms, a: TermId, b: TermId) -> WordPolynomial {
        WordPolynomial::of(terms, a).plus(&WordPolynomial::of(terms, b).negated())
    }

    /// The polynomial of a word.
    pub fn of(terms: &Terms, word: TermId) -> WordPolynomial {
        WordPolynomial::within(terms, word, 0)
    }

    fn within(terms: &Terms, word: TermId, depth: u32) -> WordPolynomial {
        let width = terms.width(word);
        let unknown = || WordPolynomial::single(width, Factor::Unknown(word));
        if depth > DEEPEST {
            return unknown();
        }
        let inner = |arg: TermId| WordPolynomial::within(terms, arg, depth + 1);
        match (terms.op(word), terms.args(word)) {
            (Op::Word(value), _) => WordPolynomial::constant(width, value),
            (Op::WordAdd, &[a, b]) => inner(a).plus(&inner(b)),
            (Op::WordNeg, &[a]) => inner(a).negated(),
            (Op::WordNot, &[a]) => {
                let ones = (BigUint::from(1u8) << width) - BigUint::from(1u8);
                inner(a).negated().plus(&WordPolynomial::constant(width, &ones))
            }
            (Op::WordMul, &[a, b]) => {
                let (a, b) = (inner(a), inner(b));
                match a.coefficients.len() * b.coefficients.len() > MOST_MONOMIALS {
                    true => unknown(),
                    false => a.times(&b),
                }
            }
            (Op::ShiftLeft, &[a, by]) => {
                let power = match terms.word_value(by) {
                    Some(by) => WordPolynomial::power(width, u32::try_from(by).unwrap_or(width)),
                    None => WordPolynomial::single(width, Factor::PowerOfTwo(by)),
                };
                inner(a).times(&power)
            }
            // The low bits of a word of this width, moved up.
            (Op::Concat, &[above, below]) => {
                let by = terms.width(below);
                match (terms.op(above), terms.word_value(below)) {
                    (Op::Extract(_, 0), Some(zero)) if *zero == BigUint::ZERO => {
                        let whole = terms.args(above)[0];
                        match terms.width(whole) == width {
                            true => inner(whole).times(&WordPolynomial::power(width, by)),
                            false => unknown(),
                        }
                    }
                    _ => unknown(),
                }
            }
            _ => unknown(),
        }
    }

    /// A power of two; zero where the exponent is not below the width.
    fn power(width: u32, exponent: u32) -> WordPolynomial {
        match exponent < width {
            true => WordPolynomial::constant(width, &(BigUint::from(1u8) << exponent)),
            false => WordPolynomial::constant(width, &BigUint::ZERO),
        }
    }
}
