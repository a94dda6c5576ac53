//! Energy: the weight that a run accumulates, an initial credit with it, and the bounds that it must respect (Bouyer, Fahrenberg, Larsen, Markey, Srba 2008).
//!
//! Weights are what models call costs, of either sign: rates of locations and what edges add. The question is plain data, and so is the evidence: a run, and *potentials*. A level below the potential of its state is a loss, since every
//! step leaves it below the potential of the next one, and further below it than before by something ε; so the level falls without end, or below its bound. Potentials are numbers `a + b·ε`, where ε is smaller than every
//! positive number: what holds of them holds for all small enough positive numbers ε.

use crate::evidence::{Run, Time};
use crate::{Formula, LocationId, Rational};
use serde::{Deserialize, Serialize};

/// What happens at the upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upper {
    /// More is not allowed.
    Limit(i64),
    /// What is more is lost (a *weak* upper bound).
    Weak(i64),
}

impl Upper {
    /// The bound.
    pub fn bound(self) -> i64 {
        match self {
            Upper::Limit(bound) | Upper::Weak(bound) => bound,
        }
    }
}

/// Whether the level stays within its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Energy {
    /// What must hold all the time; no clocks occur in it, and no deadlocks.
    pub within: Formula,
    /// Whether every run, to any end, is asked about; otherwise some run with infinitely many steps.
    pub every: bool,
    /// The lower bound.
    pub lower: i64,
    /// The upper bound, if there is one.
    pub upper: Option<Upper>,
    /// The level at the beginning; nothing: the least one that is enough is looked for.
    pub credit: Option<Rational>,
}

impl Energy {
    /// The weak upper bound.
    pub fn cap(&self) -> Option<i64> {
        match self.upper {
            Some(Upper::Weak(most)) => Some(most),
            _ => None,
        }
    }

    /// A level after the upper bound has done what it does; nothing if it is not allowed.
    pub fn cut(&self, level: Rational) -> Option<Rational> {
        if level < Rational::from(self.lower) {
            return None;
        }
        match self.upper {
            Some(Upper::Limit(most)) if level > Rational::from(most) => None,
            Some(Upper::Weak(most)) if level > Rational::from(most) => Some(Rational::from(most)),
            _ => Some(level),
        }
    }
}

/// Why a level stays within its bounds, or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sustained {
    /// Whether what is asked about holds.
    pub holds: bool,
    /// The credit with which the run begins: the one that is asked about, or the least that is enough. Nothing if none is.
    pub credit: Option<Time>,
    /// Some run is asked about: a run within the bounds, to a cycle and once around it. Every run is: one that leaves them.
    pub run: Option<Run>,
    /// After how many steps the cycle begins.
    pub since: usize,
    /// What is more than this is lost, if a weak upper bound is asked about.
    pub cap: Option<i64>,
    /// Why less is not enough, or why every run stays within the bounds.
    pub because: Option<Because>,
}

/// Why credits are not enough, or why all runs stay within the bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "by", content = "of")]
pub enum Because {
    /// From these states at these levels no run stays within the bounds.
    Levels(Vec<LostLevel>),
    /// From below these potentials no run does.
    Potentials(Potentials),
    /// At these corners of regions the level is at least and at most so much.
    Corners {
        /// The largest constant that clocks are compared with.
        most: i64,
        /// All that are reached.
        corners: Vec<LevelledCorner>,
    },
}

/// A state without clocks, and a level from which no run stays within the bounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostLevel {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// The level.
    pub level: i64,
    /// Every step within the bounds leads to a smaller rank.
    pub rank: u32,
}

/// A corner of a region, with what the level can be there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelledCorner {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// The clocks, as in [`PricedCorner::clocks`](crate::evidence::PricedCorner::clocks).
    pub clocks: Vec<Option<(i64, i32)>>,
    /// A lower bound of the level.
    pub least: Time,
    /// An upper bound, where one is asked about.
    pub most: Option<Time>,
}

/// `a + b·ε`
pub type Little = (Time, Time);

/// Potentials over a network with one clock, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Potentials {
    /// The largest constant that the clock is compared with.
    pub most: i64,
    /// The potentials.
    pub all: Vec<Potential>,
}

/// The potential of a discrete state in a region of the clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Potential {
    /// The locations.
    pub locations: Vec<LocationId>,
    /// The integers.
    pub integers: Vec<i64>,
    /// `2k`: the clock is `k`; `2k + 1`: between `k` and `k + 1`, or beyond the largest constant. Without a clock, 1.
    pub region: u32,
    /// Its values over the region, from the first moment to the last; one piece for a point, and beyond the largest constant.
    pub pieces: Vec<PotentialPiece>,
    /// Where every level is a loss, however large: it never grows along steps, and falls along those that leave a state in which the level can grow without bound. Potentials are relative to each other there.
    pub layer: Option<u32>,
}

/// A linear piece of a potential.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PotentialPiece {
    /// Where it begins, from `k` on.
    pub time: Little,
    /// Its value there.
    pub level: Little,
    /// How fast it grows with time.
    pub slope: Time,
}
