//! What is random about a network, and what random runs are asked for.
//!
//! A network says which delays and steps are possible; [`Chances`] says how likely they are (UPPAAL SMC: David, Larsen, Legay, Mikučionis, Poulsen, van Vliet, Wang 2011). A process whose location bounds
//! the time it may stay leaves at a moment that is uniform between the earliest at which one of its edges can be taken and the bound; otherwise the time it stays beyond the earliest moment is exponential,
//! with the location's rate. The process that is ready first moves, by one of its edges that can be taken, all equally likely; ways through a branch point are as likely as their weights say.

use crate::{ClockName, EdgeId, Expression, Fault, Formula, LocationId, Network, Rational};

/// A quotient of two numbers, in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// The dividend.
    pub number: Expression,
    /// The divisor.
    pub divisor: Expression,
}

impl Ratio {
    /// Its value in these integers; no number if it is divided by 0.
    pub fn value(&self, integers: &[i64]) -> Result<f64, Fault> {
        match self.divisor.number(integers)? {
            0.0 => Err(Fault::DivisionByZero),
            divisor => Ok(self.number.number(integers)? / divisor),
        }
    }
}

/// A way through a branch point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// What the ways of one point, from one edge that leads to it, have in common.
    pub point: usize,
    /// How likely it is, compared with the others.
    pub weight: Ratio,
}

/// What is random about a network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chances {
    /// For each location: the rate at which it is left where nothing bounds the time. Shorter lists have none for the rest.
    pub rates: Vec<Option<Ratio>>,
    /// For each edge: the way through a branch point that it is. Shorter lists have none for the rest.
    pub branches: Vec<Option<Branch>>,
}

impl Chances {
    /// The rate of a location.
    pub fn rate(&self, location: LocationId) -> Option<&Ratio> {
        self.rates.get(location)?.as_ref()
    }

    /// The way through a branch point that an edge is.
    pub fn branch(&self, edge: EdgeId) -> Option<&Branch> {
        self.branches.get(edge)?.as_ref()
    }
}

/// What random runs are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chance {
    /// How likely is it?
    Probability {
        /// What is tried.
        trial: Trial,
        /// The number of runs, where it is given.
        runs: Option<u64>,
    },
    /// Is it at least (at most) so likely?
    Test {
        /// What is tried.
        trial: Trial,
        /// At least, instead of at most.
        at_least: bool,
        /// So likely.
        threshold: Rational,
    },
    /// Is the first at least as likely as the second?
    Compare(Box<[Trial; 2]>),
    /// The mean, over runs, of the largest or least value on a run.
    Mean {
        /// How far a run goes.
        extent: Extent,
        /// The number of runs.
        runs: u64,
        /// The largest value instead of the least.
        largest: bool,
        /// What is measured.
        of: Reading,
    },
    /// Values over runs.
    Simulate {
        /// How far a run goes.
        extent: Extent,
        /// The number of runs.
        runs: u64,
        /// What is measured, with its name.
        of: Vec<(String, Reading)>,
        /// Only runs that meet this are shown, and at most so many of them.
        only: Option<(u64, Formula)>,
    },
}

/// What a run is tried for: to meet the goal after nothing but states that satisfy another condition; or not to do so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// How far the run goes.
    pub extent: Extent,
    /// What holds before the goal.
    pub stay: Formula,
    /// The goal.
    pub goal: Formula,
    /// Whether the run is to do that, or not to do it.
    pub wanted: bool,
}

/// How far a run goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So long.
    Time(i64),
    /// So many steps.
    Steps(u64),
    /// Until a clock exceeds a value.
    Clock(ClockName, i64),
}

/// A value of a state that is watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// An integer, or a floating-point number.
    Integer(Expression),
    /// A clock minus a clock (the reference clock for none), plus an integer.
    Clocks {
        /// The clock.
        plus: ClockName,
        /// The clock that is subtracted.
        minus: ClockName,
        /// What is added.
        offset: Expression,
    },
    /// 1 where a condition holds, otherwise 0.
    Truth(Formula),
    /// A sum.
    Sum(Vec<Reading>),
    /// A value times a quotient, given by dividend and divisor.
    Scaled(i64, i64, Box<Reading>),
    /// A value times a number that changes in steps only.
    Times(Expression, Box<Reading>),
}

impl Formula {
    /// Whether it holds of locations, integers and clock values. `difference` says how two clocks compare with a bound: whether the first minus the second is less than it, equal, or greater. Of
    /// deadlocks nothing is known here; they count as absent.
    pub fn holds(
        &self,
        network: &Network,
        locations: &[LocationId],
        integers: &[i64],
        difference: &dyn Fn(usize, usize, &Expression) -> Result<std::cmp::Ordering, Fault>,
    ) -> Result<bool, Fault> {
        let part = |part: &Formula| part.holds(network, locations, integers, difference);
        Ok(match self {
            Formula::Constant(truth) => *truth,
            Formula::Label(label) => network.carries(locations, *label),
            Formula::At(location) => locations[network.locations[*location].process] == *location,
            Formula::Deadlock => false,
            Formula::Integer(expression) => expression.value(integers)? != 0,
            Formula::Clock {
                left,
                right,
                comparison,
                bound,
            } => {
                let (left, right) = (left.clock(integers)?, right.clock(integers)?);
                let found = difference(left, right, bound)?;
                comparison.holds(&found, &std::cmp::Ordering::Equal)
            }
            Formula::Not(inner) => !part(inner)?,
            Formula::And(parts) => {
                for one in parts {
                    if !part(one)? {
                        return Ok(false);
                    }
                }
                true
            }
            Formula::Or(parts) => {
                for one in parts {
                    if part(one)? {
                        return Ok(true);
                    }
                }
                false
            }
        })
    }
}
