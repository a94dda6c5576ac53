//! Matrices as a cover stores them, and when one of them stands for another.

use crate::matrix::{FREE, Matrix, plus};
use entail_clocks::evidence::{ClockBounds, NO_BOUND};

/// A closed matrix in a quarter of the room where its entries are small, otherwise in half of it; there are many.
pub(crate) struct Stored {
    size: usize,
    entries: Entries,
}

enum Entries {
    /// [`i16::MAX`] where there is no bound.
    Small(Box<[i16]>),
    Large(Box<[i32]>),
}

impl Stored {
    /// A matrix; nothing if an entry is out of range.
    pub fn of(matrix: &Matrix) -> Option<Stored> {
        let entry = |&entry: &i64| match entry >= FREE {
            true => Some(NO_BOUND),
            false => i32::try_from(entry).ok().filter(|&entry| entry != NO_BOUND),
        };
        let entries: Option<Box<[i32]>> = matrix.entries.iter().map(entry).collect();
        let large = entries?;
        let small = |&entry: &i32| match entry {
            NO_BOUND => Some(i16::MAX),
            entry => i16::try_from(entry).ok().filter(|&entry| entry != i16::MAX),
        };
        let small: Option<Box<[i16]>> = large.iter().map(small).collect();
        Some(Stored {
            size: matrix.size,
            entries: small.map_or(Entries::Large(large), Entries::Small),
        })
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> i64 {
        let position = row * self.size + column;
        match &self.entries {
            Entries::Small(entries) if entries[position] == i16::MAX => FREE,
            Entries::Small(entries) => i64::from(entries[position]),
            Entries::Large(entries) if entries[position] == NO_BOUND => FREE,
            Entries::Large(entries) => i64::from(entries[position]),
        }
    }

    /// The matrix itself.
    pub fn matrix(&self) -> Matrix {
        let entry = |position: usize| self.at(position / self.size, position % self.size);
        Matrix {
            size: self.size,
            entries: (0..self.size * self.size).map(entry).collect(),
        }
    }
}

/// Whether all values of a matrix are in another.
pub(crate) fn is_within(small: &Matrix, large: &Stored) -> bool {
    (0..small.size).all(|row| (0..small.size).all(|column| small.at(row, column) <= large.at(row, column)))
}

/// Whether every value of a zone is LU-simulated by one of another. By Herbreteau, Srivathsan and Walukiewicz it is not exactly if there are clocks x and y such that, with `Z(y, x)` the bound
/// on y − x: some value of the first zone has x at most U(x), the second zone bounds y − x more tightly, and that bound less L(y) is below the bound on −x.
pub(crate) fn is_simulated(small: &Matrix, large: &Stored, constants: &[ClockBounds]) -> bool {
    let lower = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].0
        }
    };
    let upper = |clock: usize| {
        if clock == 0 {
            Some(0)
        } else {
            constants[clock - 1].1
        }
    };
    for x in 0..small.size {
        let Some(upper) = upper(x) else { continue };
        let least = small.at(0, x);
        // x ≤ U(x) is possible: −x may be at least −U(x).
        if least < 1 - 2 * i64::from(upper) {
            continue;
        }
        for y in 0..small.size {
            let Some(lower) = lower(y) else { continue };
            let bound = large.at(y, x);
            if bound < small.at(y, x) && bound < FREE && plus(bound, -2 * i64::from(lower)) < least {
                return false;
            }
        }
    }
    true
}
