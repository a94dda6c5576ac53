//! Interned exact numbers: probabilities, rates and rewards of a model are few, however many transitions carry them.
//!
//! A number is an index; the exact rational and the nearest double are looked up. Sums, products and quotients are remembered, so that
//! exploring a model does rational arithmetic once for each pair of numbers, not for each transition.

use entail_markov::{Rational, to_float};
use rustc_hash::FxHashMap;
use std::collections::HashMap;

/// The index of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Num(pub u32);

/// Numbers by index.
#[derive(Clone, Debug)]
pub struct Numbers {
    exact: Vec<Rational>,
    float: Vec<f64>,
    index: HashMap<Rational, Num>,
    sums: FxHashMap<(Num, Num), Num>,
    products: FxHashMap<(Num, Num), Num>,
    quotients: FxHashMap<(Num, Num), Num>,
}

impl Default for Numbers {
    fn default() -> Numbers {
        let mut numbers = Numbers {
            exact: Vec::new(),
            float: Vec::new(),
            index: HashMap::new(),
            sums: FxHashMap::default(),
            products: FxHashMap::default(),
            quotients: FxHashMap::default(),
        };
        numbers.intern(Rational::ZERO);
        numbers.intern(Rational::ONE);
        numbers
    }
}

impl Numbers {
    /// Zero.
    pub const ZERO: Num = Num(0);
    /// One.
    pub const ONE: Num = Num(1);

    /// The index of a number.
    pub fn intern(&mut self, number: Rational) -> Num {
        if let Some(&known) = self.index.get(&number) {
            return known;
        }
        let num = Num(self.exact.len() as u32);
        self.float.push(to_float(&number));
        self.exact.push(number.clone());
        self.index.insert(number, num);
        num
    }

    /// The number.
    pub fn exact(&self, num: Num) -> &Rational {
        &self.exact[num.0 as usize]
    }

    /// The nearest double.
    #[inline]
    pub fn float(&self, num: Num) -> f64 {
        self.float[num.0 as usize]
    }

    /// All doubles, by index.
    pub fn floats(&self) -> &[f64] {
        &self.float
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.exact.len()
    }

    /// Never: zero and one are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The sum.
    pub fn add(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Numbers::ZERO, other) | (other, Numbers::ZERO) => return other,
            _ => {}
        }
        if let Some(&known) = self.sums.get(&(a, b)) {
            return known;
        }
        let sum = self.intern(self.exact(a) + self.exact(b));
        self.sums.insert((a, b), sum);
        sum
    }

    /// The product.
    pub fn multiply(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (Numbers::ZERO, _) | (_, Numbers::ZERO) => return Numbers::ZERO,
            (Numbers::ONE, other) | (other, Numbers::ONE) => return other,
            _ => {}
        }
        if let Some(&known) = self.products.get(&(a, b)) {
            return known;
        }
        let product = self.intern(self.exact(a) * self.exact(b));
        self.products.insert((a, b), product);
        product
    }

    /// The quotient; the divisor is not zero.
    pub fn divide(&mut self, a: Num, b: Num) -> Num {
        match (a, b) {
            (_, Numbers::ONE) | (Numbers::ZERO, _) => return a,
            _ if a == b => return Numbers::ONE,
            _ => {}
        }
        if let Some(&known) = self.quotients.get(&(a, b)) {
            return known;
        }
        let quotient = self.intern(self.exact(a) / self.exact(b));
        self.quotients.insert((a, b), quotient);
        quotient
    }
}
