//! What holds while time passes: conditions and values of a state during a wait.
//!
//! Within a wait a condition changes only where a clock meets a constant that it is compared with. These moments, and the grid steps after them, are all that has to be looked at.

use crate::Stop;
use crate::instant::Ticks;
use crate::state::{Bound, Course, State};
use entail_clocks::{Expression, Fault, Formula, Network, Reading, Trial};
use entail_source::Span;

/// What a trial knows after a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The goal is met after this part of the wait.
    Goal(Ticks),
    /// The goal can no longer be met as it is to be.
    Lost,
    /// Nothing yet.
    Nothing,
}

fn told(fault: Fault) -> Stop {
    Stop::code(fault, Span::default(), &[])
}

/// Watches for a condition to hold, and for another to hold until then.
pub(crate) struct Watch<'q> {
    network: &'q Network,
    stay: &'q Formula,
    goal: &'q Formula,
    has_clocks: bool,
    moments: Vec<Ticks>,
}

/// Whether a formula holds after a wait.
fn holds(network: &Network, formula: &Formula, state: &State, wait: Ticks) -> Result<bool, Stop> {
    let compare = |left: usize, right: usize, bound: &Expression| {
        let bound = Bound::of(bound, &state.slots)?;
        Ok(state.compare(network, left, right, bound, wait))
    };
    (formula.holds(network, &state.locations, &state.slots, &compare)).map_err(told)
}

/// The moments of a wait at which the truth of a formula may differ from that before, in any order.
fn moments(
    network: &Network,
    formula: &Formula,
    state: &State,
    wait: Ticks,
    found: &mut Vec<Ticks>,
) -> Result<(), Stop> {
    let mut trouble = None;
    formula.visit_clocks(&mut |left, right, _, bound| {
        let read = || -> Result<Option<Ticks>, Fault> {
            let (left, right) = (left.clock(&state.slots)?, right.clock(&state.slots)?);
            let bound = Bound::of(bound, &state.slots)?;
            Ok(match state.course(network, left, right, bound) {
                Course::Grows(moment) | Course::Falls(moment) => Some(moment),
                Course::Stays(_) => None,
            })
        };
        match read() {
            Ok(Some(moment)) => {
                let inside = [moment, moment.saturating_add(1)].into_iter();
                found.extend(inside.filter(|moment| (1..=wait).contains(moment)));
            }
            Ok(None) => {}
            Err(fault) => trouble = Some(fault),
        }
    });
    trouble.map_or(Ok(()), |fault| Err(told(fault)))
}

impl<'q> Watch<'q> {
    pub fn new(network: &'q Network, trial: &'q Trial) -> Watch<'q> {
        Watch::until(network, &trial.stay, &trial.goal)
    }

    /// Watches for `stay U goal`.
    pub fn until(network: &'q Network, stay: &'q Formula, goal: &'q Formula) -> Watch<'q> {
        Watch {
            network,
            stay,
            goal,
            has_clocks: stay.mentions_clocks() || goal.mentions_clocks(),
            moments: Vec::new(),
        }
    }

    fn at(&self, state: &State, wait: Ticks) -> Result<Seen, Stop> {
        if holds(self.network, self.goal, state, wait)? {
            return Ok(Seen::Goal(wait));
        }
        Ok(match holds(self.network, self.stay, state, wait)? {
            true => Seen::Nothing,
            false => Seen::Lost,
        })
    }

    /// What is seen from a state on, during a wait.
    pub fn during(&mut self, state: &State, wait: Ticks) -> Result<Seen, Stop> {
        let first = self.at(state, 0)?;
        if first != Seen::Nothing || !self.has_clocks || wait == 0 {
            return Ok(first);
        }
        let mut all = std::mem::take(&mut self.moments);
        all.clear();
        moments(self.network, self.stay, state, wait, &mut all)?;
        moments(self.network, self.goal, state, wait, &mut all)?;
        all.extend([1, wait]);
        all.sort_unstable();
        let mut seen = Seen::Nothing;
        for &moment in &all {
            seen = self.at(state, moment)?;
            if seen != Seen::Nothing {
                break;
            }
        }
        self.moments = all;
        Ok(seen)
    }
}

/// The value of a reading after a wait.
pub(crate) fn value(network: &Network, reading: &Reading, state: &State, wait: Ticks) -> Result<f64, Stop> {
    Ok(match reading {
        Reading::Integer(expression) => expression.number(&state.slots).map_err(told)?,
        Reading::Clocks { plus, minus, offset } => {
            let read = || -> Result<f64, Fault> {
                let (plus, minus) = (plus.clock(&state.slots)?, minus.clock(&state.slots)?);
                Ok(state.distance(network, plus, minus, wait) + offset.number(&state.slots)?)
            };
            read().map_err(told)?
        }
        Reading::Truth(formula) => f64::from(u8::from(holds(network, formula, state, wait)?)),
        Reading::Sum(parts) => {
            let mut sum = 0.0;
            for part in parts {
                sum += value(network, part, state, wait)?;
            }
            sum
        }
        Reading::Times(factor, part) => {
            factor.number(&state.slots).map_err(told)? * value(network, part, state, wait)?
        }
        Reading::Scaled(number, divisor, part) => {
            value(network, part, state, wait)? * *number as f64 / *divisor as f64
        }
    })
}

/// The moments of a wait at which a reading may jump.
fn changes(
    network: &Network,
    reading: &Reading,
    state: &State,
    wait: Ticks,
    found: &mut Vec<Ticks>,
) -> Result<(), Stop> {
    match reading {
        Reading::Truth(formula) => moments(network, formula, state, wait, found),
        Reading::Sum(parts) => parts
            .iter()
            .try_for_each(|part| changes(network, part, state, wait, found)),
        Reading::Scaled(.., part) | Reading::Times(_, part) => changes(network, part, state, wait, found),
        Reading::Integer(_) | Reading::Clocks { .. } => Ok(()),
    }
}

/// The least and the largest value of a reading during a wait. Between jumps readings change evenly, so these are at the ends or at jumps (up to a grid step).
pub(crate) fn extremes(
    network: &Network,
    reading: &Reading,
    state: &State,
    wait: Ticks,
) -> Result<(f64, f64), Stop> {
    let mut at = vec![0, wait];
    changes(network, reading, state, wait, &mut at)?;
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for moment in at {
        let value = value(network, reading, state, moment)?;
        (least, largest) = (least.min(value), largest.max(value));
    }
    Ok((least, largest))
}
