//! Numbers `a + b·ε`, where ε is smaller than every positive number, and lines of them.

use entail_clocks::Rational;
use entail_clocks::evidence::Little;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Small(pub Rational, pub Rational);

impl Small {
    pub fn of(little: &Little) -> Small {
        Small(little.0.0.clone(), little.1.0.clone())
    }

    pub fn number(number: i64) -> Small {
        Small(Rational::from(number), Rational::ZERO)
    }

    pub fn epsilon() -> Small {
        Small(Rational::ZERO, Rational::ONE)
    }

    pub fn plus(&self, other: &Small) -> Small {
        Small(&self.0 + &other.0, &self.1 + &other.1)
    }

    pub fn minus(&self, other: &Small) -> Small {
        Small(&self.0 - &other.0, &self.1 - &other.1)
    }

    pub fn times(&self, factor: &Rational) -> Small {
        Small(&self.0 * factor, &self.1 * factor)
    }
}

/// A linear piece: from when on, the value there, and how fast it grows.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub time: Small,
    pub level: Small,
    pub slope: Rational,
}

impl Line {
    pub fn at(&self, time: &Small) -> Small {
        self.level.plus(&time.minus(&self.time).times(&self.slope))
    }

    /// Where it is 0, if it changes.
    pub fn zero(&self) -> Option<Small> {
        (self.slope != Rational::ZERO)
            .then(|| self.time.minus(&self.level.times(&(Rational::ONE / &self.slope))))
    }

    /// The sum with a multiple of another line, and a number.
    pub fn plus(&self, factor: i64, other: &Line, number: &Small) -> Line {
        let factor = Rational::from(factor);
        Line {
            time: self.time.clone(),
            level: self.level.plus(&other.at(&self.time).times(&factor)).plus(number),
            slope: &self.slope + factor * &other.slope,
        }
    }
}
