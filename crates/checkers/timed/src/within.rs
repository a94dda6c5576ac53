//! A condition on the clocks of a discrete state, and what can be reached by waiting without leaving it.
//!
//! The condition is a union of matrices, and so is its opposite. From values within a convex part of the condition, waiting without leaving it leads to all later values but those at or
//! behind an opposite value that lies later; backwards in time it is the same. For a fixed line of time both the part and each opposite matrix are intervals, which do not meet: if one of
//! the opposite ones lies later on the line, everything behind it is cut off, and if it lies earlier it does not matter.

use crate::Objection;
use crate::deadlock::{MOST_PIECES, everything, outside};
use crate::matrix::{FREE, Matrix};
use entail_clocks::discrete::{ClockConstraint, Discrete};
use entail_clocks::{Formula, Meaning};

/// A condition in a discrete state.
pub struct Within {
    /// The invariant of the state.
    pub invariant: Vec<ClockConstraint>,
    /// Whether time may pass.
    pub may_delay: bool,
    /// The condition: one of these.
    pub parts: Vec<Matrix>,
    /// Its opposite, within the invariant: one of these.
    pub opposite: Vec<Matrix>,
}

/// Subtracts matrices from matrices.
pub fn without(pieces: Vec<Matrix>, all: &[Matrix]) -> Result<Vec<Matrix>, Objection> {
    let mut pieces = pieces;
    for one in all {
        let mut left = Vec::new();
        pieces.iter().for_each(|piece| outside(piece, one, &mut left));
        pieces = left;
        if pieces.len() > MOST_PIECES {
            return Err(Objection::Unchecked(
                "a condition with very many cases".to_owned(),
            ));
        }
    }
    Ok(pieces)
}

/// The values that are in both matrices; nothing if there are none.
pub fn both(one: &Matrix, other: &Matrix) -> Option<Matrix> {
    let mut both = one.clone();
    for row in 0..one.size {
        for column in (0..one.size).filter(|&column| column != row) {
            if other.at(row, column) < FREE && !both.cut(row, column, other.at(row, column)) {
                return None;
            }
        }
    }
    Some(both)
}

impl Within {
    /// A condition of a query in a state; nothing if the integer part of the invariant is false.
    pub fn of(
        meaning: &dyn Meaning,
        formulas: &[Formula],
        position: usize,
        discrete: &Discrete,
        size: usize,
    ) -> Result<Option<Within>, Objection> {
        let Some(invariant) = meaning.invariant(discrete)? else {
            return Ok(None);
        };
        let mut whole = everything(size);
        if !whole.cut_all(&invariant) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for conjunction in meaning.satisfying(formulas, position, discrete)? {
            if conjunction.iter().any(|one| one.about_deadlock().is_some()) {
                return Err("deadlocks occur in a condition on runs".into());
            }
            let mut part = everything(size);
            if part.cut_all(&conjunction) {
                parts.push(part);
            }
        }
        let opposite = without(vec![whole], &parts)?;
        Ok(Some(Within {
            invariant,
            may_delay: meaning.may_delay(discrete)?,
            parts,
            opposite,
        }))
    }

    /// The parts of a matrix that satisfy the condition and the invariant.
    pub fn inside(&self, matrix: &Matrix) -> Vec<Matrix> {
        let mut whole = matrix.clone();
        if !whole.cut_all(&self.invariant) {
            return Vec::new();
        }
        self.parts.iter().filter_map(|part| both(&whole, part)).collect()
    }

    /// What waiting leads to from values of a convex part of the condition, without leaving it.
    pub fn later(&self, part: &Matrix) -> Result<Vec<Matrix>, Objection> {
        if !self.may_delay {
            return Ok(vec![part.clone()]);
        }
        let mut whole = part.clone();
        whole.rise();
        if !whole.cut_all(&self.invariant) {
            return Ok(Vec::new());
        }
        let mut behind = Vec::new();
        for one in self.opposite.iter().filter_map(|one| both(one, &whole)) {
            let mut one = one;
            one.rise();
            behind.push(one);
        }
        without(vec![whole], &behind)
    }

    /// From which values waiting leads into a convex part of the condition, without leaving it.
    pub fn earlier(&self, part: &Matrix) -> Result<Vec<Matrix>, Objection> {
        if !self.may_delay {
            return Ok(vec![part.clone()]);
        }
        let mut whole = part.clone();
        whole.sink();
        if !whole.cut_all(&self.invariant) {
            return Ok(Vec::new());
        }
        let mut before = Vec::new();
        for one in self.opposite.iter().filter_map(|one| both(one, &whole)) {
            let mut one = one;
            one.sink();
            before.push(one);
        }
        without(vec![whole], &before)
    }

    /// The values of a matrix from which all time that may pass is within the condition.
    pub fn lasting(&self, matrix: &Matrix) -> Result<Vec<Matrix>, Objection> {
        if !self.may_delay {
            return Ok(vec![matrix.clone()]);
        }
        let mut before = self.opposite.clone();
        before.iter_mut().for_each(Matrix::sink);
        without(vec![matrix.clone()], &before)
    }

    /// Whether time may pass for ever.
    pub fn is_endless(&self) -> bool {
        let is_upper = |one: &ClockConstraint| one.left != 0 && one.right == 0;
        self.may_delay && !self.invariant.iter().any(is_upper)
    }
}
