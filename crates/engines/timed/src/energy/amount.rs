//! Numbers with infinitely small parts: `a + b·ε + c·δ + d·τ`, where ε is smaller than every positive number, δ smaller than every positive multiple of ε, and τ than every one of δ.
//!
//! ε is a bonus on every step, which makes cycles of weight 0 grow and so decides between solutions; δ is added to a level to learn how fast something grows with it; τ is a little time.

use entail_clocks::Rational;
use std::ops::{Add, Sub};

/// A number with infinitely small parts, ordered as its parts are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Amount(pub [Rational; 4]);

impl Amount {
    pub const ZERO: Amount = Amount([Rational::ZERO, Rational::ZERO, Rational::ZERO, Rational::ZERO]);

    /// A number, and a multiple of ε.
    pub fn new(number: Rational, epsilons: Rational) -> Amount {
        Amount([number, epsilons, Rational::ZERO, Rational::ZERO])
    }

    pub fn whole(number: i64) -> Amount {
        Amount::new(Rational::from(number), Rational::ZERO)
    }

    /// A multiple of δ.
    pub fn deltas(number: i64) -> Amount {
        Amount([
            Rational::ZERO,
            Rational::ZERO,
            Rational::from(number),
            Rational::ZERO,
        ])
    }

    /// A multiple of τ.
    pub fn moments(number: Rational) -> Amount {
        Amount([Rational::ZERO, Rational::ZERO, Rational::ZERO, number])
    }

    pub fn times(&self, factor: &Rational) -> Amount {
        Amount(std::array::from_fn(|part| &self.0[part] * factor))
    }

    /// Without δ and τ.
    pub fn plain(&self) -> Amount {
        Amount::new(self.0[0].clone(), self.0[1].clone())
    }

    /// Without τ.
    pub fn at_once(mut self) -> Amount {
        self.0[3] = Rational::ZERO;
        self
    }

    /// The number, or 0 if it is negative.
    pub fn or_zero(self) -> Amount {
        self.max(Amount::ZERO)
    }
}

impl Add for &Amount {
    type Output = Amount;
    fn add(self, other: &Amount) -> Amount {
        Amount(std::array::from_fn(|part| &self.0[part] + &other.0[part]))
    }
}

impl Sub for &Amount {
    type Output = Amount;
    fn sub(self, other: &Amount) -> Amount {
        Amount(std::array::from_fn(|part| &self.0[part] - &other.0[part]))
    }
}
