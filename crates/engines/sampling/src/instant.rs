//! Time on a grid: whole multiples of 2⁻³⁴.
//!
//! Sums and differences are exact, integers lie on the grid, and so do the moments at which a clock meets a constant: `x >= 3` and `x <= 3` meet in one moment, which floating-point numbers would miss. A run
//! on the grid is a run of the network, with rational delays that can be replayed exactly. What is random is rounded to the grid, by less than 6e-11 of a unit; `x < 3` means at most one grid step less than 3.

use entail_clocks::Rational;

/// A moment or a length of time, in grid steps.
pub(crate) type Ticks = i64;

const BITS: u32 = 34;

/// One unit of time.
pub(crate) const UNIT: Ticks = 1 << BITS;

/// Later than any moment that is looked at.
pub(crate) const NEVER: Ticks = 1 << 61;

/// Runs that last longer are given up: 2²⁶ units of time.
pub(crate) const LONGEST: Ticks = 1 << 60;

/// An integer of the model as a length of time. Such integers are less than 2²⁶.
pub(crate) fn ticks(units: i64) -> Ticks {
    units.saturating_mul(UNIT)
}

/// A length of time as a number of units, rounded to the grid.
pub(crate) fn from_units(units: f64) -> Ticks {
    let steps = units * UNIT as f64;
    if steps >= NEVER as f64 {
        NEVER
    } else {
        steps as Ticks
    }
}

/// A number of units.
pub(crate) fn to_units(time: Ticks) -> f64 {
    time as f64 / UNIT as f64
}

/// The same number, exactly.
pub(crate) fn to_rational(time: Ticks) -> Rational {
    Rational::from(time) / Rational::from(UNIT)
}
