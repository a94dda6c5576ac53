//! A state of a random run, and how clocks compare while time passes.
//!
//! Clocks that run at the rates 0 and 1 lie on the grid: for each the moment is kept at which it was 0. Clocks that flow, in networks with floating-point numbers, run at any rate; their values are such numbers, in
//! the slots that mirror them, and rounding cannot be avoided: two values that are nearer to each other than [`NEAR`] (relative to their size) count as equal, so that `x >= 3` and `x <= 3` meet at any rate.

use crate::instant::{NEVER, Ticks, UNIT, from_units, ticks, to_units};
use entail_clocks::{Expression, Fault, LocationId, Network, from_bits, to_bits};
use std::cmp::Ordering;

/// Values of clocks that flow are told apart if they are farther from each other than this.
const NEAR: f64 = 1e-8;

/// How exactly such values are known, relative to their size.
const EXACT: f64 = 4e-12;

/// A state on the grid.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub locations: Vec<LocationId>,
    /// The integers, and local slots behind them.
    pub slots: Vec<i64>,
    pub now: Ticks,
    /// For each clock the moment at which it was 0, or would have been if it had always run; for the reference clock, now.
    pub zero: Vec<Ticks>,
    /// Clocks that stand still, in ascending order.
    pub stopped: Vec<usize>,
    /// How fast clocks that flow run; empty if there are none.
    pub rates: Vec<f64>,
}

/// What a difference of clocks is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bound {
    Whole(i64),
    Real(f64),
}

impl Bound {
    pub fn of(expression: &Expression, slots: &[i64]) -> Result<Bound, Fault> {
        Ok(match expression.is_real() {
            true => Bound::Real(expression.number(slots)?),
            false => Bound::Whole(expression.value(slots)?),
        })
    }

    fn ticks(self) -> Ticks {
        match self {
            Bound::Whole(number) => ticks(number),
            Bound::Real(number) if number < 0.0 => -from_units((-number).min(1e300)),
            Bound::Real(number) => from_units(number),
        }
    }

    fn units(self) -> f64 {
        match self {
            Bound::Whole(number) => number as f64,
            Bound::Real(number) => number,
        }
    }

    /// The same with the other sign.
    pub fn negated(self) -> Bound {
        match self {
            Bound::Whole(number) => Bound::Whole(-number),
            Bound::Real(number) => Bound::Real(-number),
        }
    }
}

/// How a difference of clocks goes on, compared with a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// It grows, and is the bound after this wait, which may be negative.
    Grows(Ticks),
    /// It falls, and is the bound after this wait.
    Falls(Ticks),
    /// It stays as it is.
    Stays(Ordering),
}

impl State {
    /// Whether a clock flows.
    fn flows(&self, network: &Network, clock: usize) -> bool {
        let reals = network.reals.as_ref();
        clock > 0 && reals.is_some_and(|reals| reals.flowing[clock - 1])
    }

    /// A clock minus another, after a wait; neither flows.
    fn difference(&self, left: usize, right: usize, wait: Ticks) -> Ticks {
        self.zero[right] - self.zero[left] + wait * self.slope(left, right)
    }

    /// How much a clock gains on another in a unit of time; neither flows.
    fn slope(&self, left: usize, right: usize) -> Ticks {
        self.exact_rate(left) - self.exact_rate(right)
    }

    fn exact_rate(&self, clock: usize) -> Ticks {
        Ticks::from(clock != 0 && (self.stopped.is_empty() || self.stopped.binary_search(&clock).is_err()))
    }

    /// How fast a clock runs.
    pub fn rate(&self, network: &Network, clock: usize) -> f64 {
        match self.flows(network, clock) {
            true => self.rates[clock],
            false => self.exact_rate(clock) as f64,
        }
    }

    /// The value of a clock, in units.
    pub fn units(&self, network: &Network, clock: usize) -> f64 {
        match &network.reals {
            Some(reals) if clock > 0 && reals.flowing[clock - 1] => {
                from_bits(self.slots[reals.mirrors[clock - 1]])
            }
            _ => to_units(self.difference(clock, 0, 0)),
        }
    }

    /// A clock minus another after a wait, in units.
    pub fn distance(&self, network: &Network, left: usize, right: usize, wait: Ticks) -> f64 {
        match self.flows(network, left) || self.flows(network, right) {
            false => to_units(self.difference(left, right, wait)),
            true => {
                let slope = self.rate(network, left) - self.rate(network, right);
                self.units(network, left) - self.units(network, right) + slope * to_units(wait)
            }
        }
    }

    /// How a clock minus another compares with a bound after a wait.
    pub fn compare(
        &self,
        network: &Network,
        left: usize,
        right: usize,
        bound: Bound,
        wait: Ticks,
    ) -> Ordering {
        if !self.flows(network, left) && !self.flows(network, right) {
            return self.difference(left, right, wait).cmp(&bound.ticks());
        }
        let slope = self.rate(network, left) - self.rate(network, right);
        let (distance, bound) = (self.distance(network, left, right, wait), bound.units());
        let near = NEAR * bound.abs().max(1.0) + slope.abs() / UNIT as f64;
        match (distance - bound).abs() <= near {
            true => Ordering::Equal,
            false => distance.partial_cmp(&bound).unwrap_or(Ordering::Less),
        }
    }

    /// How a clock minus another goes on from now, compared with a bound.
    pub fn course(&self, network: &Network, left: usize, right: usize, bound: Bound) -> Course {
        if !self.flows(network, left) && !self.flows(network, right) {
            let ahead = bound.ticks() - self.difference(left, right, 0);
            return match self.slope(left, right) {
                1 => Course::Grows(ahead),
                -1 => Course::Falls(-ahead),
                _ => Course::Stays(0.cmp(&ahead)),
            };
        }
        let slope = self.rate(network, left) - self.rate(network, right);
        if slope == 0.0 {
            return Course::Stays(self.compare(network, left, right, bound, 0));
        }
        let (one, other) = (self.units(network, left), self.units(network, right));
        let size = one.abs().max(other.abs()).max(bound.units().abs());
        let wait = (bound.units() - (one - other)) / slope * UNIT as f64;
        // What is rounded away is no time.
        let wait = match wait.abs() <= 1.0 + EXACT * size / slope.abs() * UNIT as f64 {
            true => 0,
            false => wait.round().clamp(-(NEVER as f64), NEVER as f64) as Ticks,
        };
        match slope > 0.0 {
            true => Course::Grows(wait),
            false => Course::Falls(wait),
        }
    }

    /// Lets clocks run.
    pub fn run(&mut self, network: &Network, delay: Ticks) {
        self.now += delay;
        self.zero[0] = self.now;
        for &clock in &self.stopped {
            self.zero[clock] += delay;
        }
        if let Some(reals) = &network.reals {
            for (clock, &slot) in reals.mirrors.iter().enumerate() {
                if reals.flowing[clock] {
                    let value = from_bits(self.slots[slot]) + self.rates[clock + 1] * to_units(delay);
                    self.slots[slot] = to_bits(value);
                }
            }
        }
    }

    /// Puts the values of clocks that do not flow where code finds them.
    pub fn mirror(&mut self, network: &Network) {
        let Some(reals) = &network.reals else { return };
        for (clock, &slot) in reals.mirrors.iter().enumerate() {
            if !reals.flowing[clock] {
                self.slots[slot] = to_bits(to_units(self.difference(clock + 1, 0, 0)));
            }
        }
    }
}
