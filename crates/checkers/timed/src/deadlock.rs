//! Deadlocks, from the definition: no step can be taken now or after any delay.
//!
//! For exact clock values, the delays after which a step can be taken are an interval. For a zone, the values that can wait and then step are computed backwards, and subtracted bound by bound.

use crate::matrix::{FREE, Matrix};
use crate::replay::Exact;
use crate::{Objection, within};
use entail_clocks::discrete::{ClockConstraint, ClockUpdate, Discrete};
use entail_clocks::{Meaning, Rational};

/// Pieces of a difference, at most.
pub(crate) const MOST_PIECES: usize = 100_000;

/// Delays: from a least (excluded or not) up to a largest (excluded or not), if there is one.
#[derive(Clone)]
pub(crate) struct Delays {
    pub least: (Rational, bool),
    pub most: Option<(Rational, bool)>,
}

impl Delays {
    /// All delays, or none but 0.
    pub(crate) fn new(may_delay: bool) -> Delays {
        let zero = (Rational::ZERO, false);
        Delays {
            least: zero.clone(),
            most: (!may_delay).then_some(zero),
        }
    }

    /// Keeps the delays after which a difference `value + slope · delay` is within a bound.
    pub(crate) fn keep(&mut self, value: &Rational, slope: i32, bound: i64, strict: bool) -> bool {
        let room = Rational::from(bound) - value;
        match slope {
            0 => room > Rational::ZERO || (room == Rational::ZERO && !strict),
            1 => {
                let tighter = match &self.most {
                    None => true,
                    Some((most, excluded)) => room < *most || (room == *most && strict && !excluded),
                };
                if tighter {
                    self.most = Some((room, strict));
                }
                true
            }
            _ => {
                let from = -room;
                if from > self.least.0 || (from == self.least.0 && strict) {
                    self.least = (from, strict);
                }
                true
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match &self.most {
            None => false,
            Some((most, excluded)) => {
                self.least.0 > *most || (self.least.0 == *most && (self.least.1 || *excluded))
            }
        }
    }
}

/// The value of each clock after updates, and whether it grows with the delay before them.
fn after(clocks: &[Rational], updates: &[ClockUpdate]) -> Vec<(Rational, i32)> {
    let mut values: Vec<(Rational, i32)> = clocks
        .iter()
        .enumerate()
        .map(|(number, value)| (value.clone(), i32::from(number > 0)))
        .collect();
    for update in updates {
        let (value, slope) = values[update.source].clone();
        values[update.target] = (value + Rational::from(update.offset), slope);
    }
    values
}

/// Whether a state is a deadlock.
pub fn is_one(meaning: &dyn Meaning, state: &Exact) -> Result<bool, Objection> {
    let may_delay = meaning.may_delay(&state.discrete)?;
    let invariant = meaning.invariant(&state.discrete)?.unwrap_or_default();
    for step in meaning.moves(&state.discrete)? {
        let mut delays = Delays::new(may_delay);
        let (before, later) = (after(&state.clocks, &[]), after(&state.clocks, &step.updates));
        let asked = (step.guard.iter().chain(&invariant).map(|one| (one, &before)))
            .chain(step.invariant.iter().map(|one| (one, &later)));
        let mut is_possible = true;
        for (one, values) in asked {
            let (left, right) = (&values[one.left], &values[one.right]);
            is_possible &= delays.keep(&(&left.0 - &right.0), left.1 - right.1, one.bound, one.strict);
        }
        if is_possible && !delays.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All values that are not negative.
pub(crate) fn everything(size: usize) -> Matrix {
    let mut matrix = Matrix::origin(size);
    for row in 1..size {
        for column in (0..size).filter(|&column| column != row) {
            matrix.entries[row * size + column] = FREE;
        }
    }
    matrix
}

/// The values from which each step can be taken sooner or later.
pub(crate) fn able(
    meaning: &dyn Meaning,
    discrete: &Discrete,
    size: usize,
) -> Result<Vec<Matrix>, Objection> {
    let may_delay = meaning.may_delay(discrete)?;
    let invariant = meaning.invariant(discrete)?.unwrap_or_default();
    let mut found = Vec::new();
    for step in meaning.moves(discrete)? {
        let mut matrix = everything(size);
        let mut is_left = matrix.cut_all(&step.invariant);
        for update in step.updates.iter().rev() {
            is_left = is_left && matrix.unset(update);
        }
        is_left = is_left && matrix.cut_all(&step.guard) && matrix.cut_all(&invariant);
        if is_left && may_delay {
            matrix.sink();
            is_left = matrix.cut_all(&invariant);
        }
        if is_left {
            found.push(matrix);
        }
    }
    Ok(found)
}

/// What lies in a matrix but not in another.
pub(crate) fn outside(matrix: &Matrix, other: &Matrix, found: &mut Vec<Matrix>) {
    let mut rest = matrix.clone();
    for row in 0..matrix.size {
        for column in 0..matrix.size {
            let bound = other.at(row, column);
            if row == column || bound >= FREE {
                continue;
            }
            let mut part = rest.clone();
            if part.cut(column, row, 1 - bound) {
                found.push(part);
            }
            if !rest.cut(row, column, bound) {
                return;
            }
        }
    }
}

/// The parts of a zone that meet a condition in which deadlocks occur.
pub fn parts(
    meaning: &dyn Meaning,
    conjunctions: &[Vec<ClockConstraint>],
    discrete: &Discrete,
    zone: &Matrix,
) -> Result<Vec<Matrix>, Objection> {
    let mut found = Vec::new();
    let able = able(meaning, discrete, zone.size)?;
    for conjunction in conjunctions {
        let mut rest = zone.clone();
        let clocks: Vec<ClockConstraint> = (conjunction.iter())
            .filter(|one| one.about_deadlock().is_none())
            .copied()
            .collect();
        if !rest.cut_all(&clocks) {
            continue;
        }
        let wants = |wanted: bool| conjunction.iter().any(|one| one.about_deadlock() == Some(wanted));
        let mut parts = vec![rest];
        if wants(true) {
            for able in &able {
                let mut left = Vec::new();
                parts.iter().for_each(|part| outside(part, able, &mut left));
                parts = left;
                if parts.len() > MOST_PIECES {
                    return Err(Objection::Unchecked("a deadlock with very many cases".to_owned()));
                }
            }
        }
        if wants(false) {
            let able_parts = |part: &Matrix| -> Vec<Matrix> {
                able.iter().filter_map(|able| within::both(part, able)).collect()
            };
            parts = parts.iter().flat_map(able_parts).collect();
        }
        found.extend(parts);
    }
    Ok(found)
}
