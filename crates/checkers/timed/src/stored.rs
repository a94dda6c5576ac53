//! Matrices as a cover stores them, and when one of them stands for another.

use crate::matrix::{FREE, Matrix, plus};
use entail_clocks::evidence::{ClockBounds, NO_BOUND};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Closed matrices of one size. There are many, and they have rows in common: each row is stored once, and a matrix is the numbers of its rows.
pub(crate) struct Matrices {
    size: usize,
    /// [`NO_BOUND`] where there is no bound.
    rows: Vec<i32>,
    /// The first row with a hash. If two rows have the same hash, the second is not recognised when it comes again.
    known: FxHashMap<u64, u32>,
    /// The rows of each matrix.
    matrices: Vec<u32>,
}

/// One of them.
#[derive(Clone, Copy)]
pub(crate) struct Stored<'m> {
    size: usize,
    all: &'m [i32],
    rows: &'m [u32],
}

impl Matrices {
    /// None yet.
    pub fn new(size: usize) -> Matrices {
        Matrices {
            size,
            rows: Vec::new(),
            known: FxHashMap::default(),
            matrices: Vec::new(),
        }
    }

    /// Stores a matrix, and gives its number; nothing if an entry is out of range.
    pub fn add(&mut self, matrix: &Matrix) -> Option<u32> {
        let entry = |&entry: &i64| match entry >= FREE {
            true => Some(NO_BOUND),
            false => i32::try_from(entry).ok().filter(|&entry| entry != NO_BOUND),
        };
        let entries: Option<Vec<i32>> = matrix.entries.iter().map(entry).collect();
        for row in entries?.chunks_exact(self.size) {
            let number = self.row(row);
            self.matrices.push(number);
        }
        Some((self.matrices.len() / self.size) as u32 - 1)
    }

    fn row(&mut self, row: &[i32]) -> u32 {
        let mut hasher = FxHasher::default();
        row.hash(&mut hasher);
        let next = (self.rows.len() / self.size) as u32;
        let first = *self.known.entry(hasher.finish()).or_insert(next);
        let start = first as usize * self.size;
        if first != next && self.rows[start..start + self.size] == *row {
            return first;
        }
        self.rows.extend_from_slice(row);
        next
    }

    /// All that will be stored is stored.
    pub fn finish(&mut self) {
        self.known = FxHashMap::default();
        self.matrices.shrink_to_fit();
    }

    /// The matrix of a number.
    pub fn get(&self, number: u32) -> Stored<'_> {
        let start = number as usize * self.size;
        Stored {
            size: self.size,
            all: &self.rows,
            rows: &self.matrices[start..start + self.size],
        }
    }
}

/// What a clock is compared with at a discrete state, from below and from above; [`Limits::NEVER`] if it is not.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    lower: i32,
    upper: i32,
}

impl Limits {
    const NEVER: i32 = i32::MIN;
    /// Those of a clock that is not compared.
    pub const NONE: Limits = Limits {
        lower: Limits::NEVER,
        upper: Limits::NEVER,
    };
    /// Those of the reference clock, which is compared with 0.
    pub const REFERENCE: Limits = Limits { lower: 0, upper: 0 };

    /// Those that evidence states.
    pub fn of(&(lower, upper): &ClockBounds) -> Limits {
        Limits {
            lower: lower.unwrap_or(Limits::NEVER),
            upper: upper.unwrap_or(Limits::NEVER),
        }
    }

    /// The larger ones of both.
    pub fn join(self, other: Limits) -> Limits {
        Limits {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }
}

fn widened(entry: i32) -> i64 {
    match entry {
        NO_BOUND => FREE,
        entry => i64::from(entry),
    }
}

impl<'m> Stored<'m> {
    fn row(&self, row: usize) -> impl Iterator<Item = i64> + use<'m> {
        let start = self.rows[row] as usize * self.size;
        (self.all[start..start + self.size].iter()).map(|&entry| widened(entry))
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> i64 {
        widened(self.all[self.rows[row] as usize * self.size + column])
    }

    /// The matrix itself.
    pub fn matrix(&self) -> Matrix {
        Matrix {
            size: self.size,
            entries: (0..self.size).flat_map(|row| self.row(row)).collect(),
        }
    }
}

/// Whether all values of a matrix are in another.
pub(crate) fn is_within(small: &Matrix, large: Stored<'_>) -> bool {
    (small.entries.chunks_exact(small.size).enumerate())
        .all(|(row, small)| small.iter().zip(large.row(row)).all(|(&one, other)| one <= other))
}

/// Whether every value of a zone is LU-simulated by one of another. By Herbreteau, Srivathsan and Walukiewicz it is not exactly if there are clocks x and y such that, with `Z(y, x)` the bound
/// on y − x: some value of the first zone has x at most U(x), the second zone bounds y − x more tightly, and that bound less L(y) is below the bound on −x.
pub(crate) fn is_simulated(small: &Matrix, large: Stored<'_>, limits: &[Limits]) -> bool {
    // The clocks x that can be at most U(x): −x may be at least −U(x).
    let is_below = |x: usize| {
        let upper = limits[x].upper;
        upper != Limits::NEVER && small.at(0, x) >= 1 - 2 * i64::from(upper)
    };
    for (y, own) in small.entries.chunks_exact(small.size).enumerate() {
        let lower = limits[y].lower;
        if lower == Limits::NEVER {
            continue;
        }
        for ((x, bound), &own) in large.row(y).enumerate().zip(own) {
            if bound < own && is_below(x) && plus(bound, -2 * i64::from(lower)) < small.at(0, x) {
                return false;
            }
        }
    }
    true
}
