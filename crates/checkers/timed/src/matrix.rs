//! A difference-bound matrix from the definitions, in 64 bits.
//!
//! Entry (i, j) bounds clock i minus clock j: twice the constant, plus one if equality is allowed. Every operation leaves the matrix closed or reports that nothing is left.

use entail_clocks::Rational;
use entail_clocks::discrete::{ClockConstraint, ClockUpdate};
use entail_clocks::evidence::NO_BOUND;

/// No bound.
pub const FREE: i64 = i64::MAX / 4;

/// The bound of a sum of differences.
pub fn plus(one: i64, other: i64) -> i64 {
    if one >= FREE || other >= FREE {
        return FREE;
    }
    // Twice the sum of the constants; plus one if both allow equality.
    one + other - ((one | other) & 1)
}

/// Closing in 32 bits, where entries are small: several at once.
mod narrow {
    use super::NO_BOUND;

    /// No bound, and larger than any sum of two entries of ways.
    const FREE: i32 = i32::MAX / 2;

    /// The entries of the matrix of evidence, closed, or nothing if it is empty; nothing at all if entries are too large for this.
    ///
    /// As long as no way leads back to where it begins with less than nothing, an entry is that of a way without repetition: of at most so many entries as there are clocks. After each round it is seen whether that is so.
    pub fn closed(size: usize, packed: &[i32]) -> Option<Option<Vec<i32>>> {
        let most = i32::try_from(size)
            .ok()
            .and_then(|size| (FREE / 4).checked_div(size))?;
        let is_small = |&entry: &i32| entry == NO_BOUND || (-most..=most).contains(&entry);
        if !packed.iter().all(is_small) {
            return None;
        }
        let wide = |&entry: &i32| if entry == NO_BOUND { FREE } else { entry };
        let mut entries: Vec<i32> = packed.iter().map(wide).collect();
        for clock in 0..size {
            entries[clock] = entries[clock].min(1);
            entries[clock * size + clock] = entries[clock * size + clock].min(1);
        }
        let mut onward = vec![0; size];
        for middle in 0..size {
            onward.copy_from_slice(&entries[middle * size..(middle + 1) * size]);
            for row in entries.chunks_exact_mut(size) {
                let first = row[middle];
                if first == FREE {
                    continue;
                }
                for (entry, &rest) in row.iter_mut().zip(&onward) {
                    let sum = first + rest - ((first | rest) & 1);
                    let sum = if rest == FREE { FREE } else { sum };
                    *entry = (*entry).min(sum);
                }
            }
            if (0..size).any(|clock| entries[clock * size + clock] < 1) {
                return Some(None);
            }
        }
        entries
            .iter_mut()
            .filter(|entry| **entry == FREE)
            .for_each(|entry| *entry = NO_BOUND);
        Some(Some(entries))
    }
}

/// Clock values as a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Number of clocks with the reference clock.
    pub size: usize,
    /// The entries, row by row.
    pub entries: Vec<i64>,
}

impl Matrix {
    /// All clocks are 0.
    pub fn origin(size: usize) -> Matrix {
        Matrix {
            size,
            entries: vec![1; size * size],
        }
    }

    /// The matrix of evidence, closed; nothing if it is malformed or empty. Clock values are not negative.
    pub fn read(size: usize, packed: &[i32]) -> Option<Matrix> {
        if packed.len() != size * size {
            return None;
        }
        let entry = |&number: &i32| match number {
            NO_BOUND => FREE,
            number => i64::from(number),
        };
        if let Some(closed) = narrow::closed(size, packed) {
            return closed.map(|entries| Matrix {
                size,
                entries: entries.iter().map(entry).collect(),
            });
        }
        let mut matrix = Matrix {
            size,
            entries: packed.iter().map(entry).collect(),
        };
        for clock in 0..size {
            matrix.lower(clock, clock, 1);
            matrix.lower(0, clock, 1);
        }
        matrix.close().then_some(matrix)
    }

    /// An entry.
    pub fn at(&self, row: usize, column: usize) -> i64 {
        self.entries[row * self.size + column]
    }

    fn put(&mut self, row: usize, column: usize, bound: i64) {
        self.entries[row * self.size + column] = bound;
    }

    fn lower(&mut self, row: usize, column: usize, bound: i64) {
        if bound < self.at(row, column) {
            self.put(row, column, bound);
        }
    }

    /// Lowers the bounds of a row to those of ways that go first here, then onward.
    fn lower_row(&mut self, row: usize, first: i64, onward: &[i64]) {
        if first < FREE {
            let entries = &mut self.entries[row * self.size..(row + 1) * self.size];
            for (entry, &rest) in entries.iter_mut().zip(onward) {
                *entry = (*entry).min(plus(first, rest));
            }
        }
    }

    /// Shortest ways between all pairs; false if there is a negative cycle.
    fn close(&mut self) -> bool {
        for middle in 0..self.size {
            let onward = self.entries[middle * self.size..(middle + 1) * self.size].to_vec();
            for row in 0..self.size {
                self.lower_row(row, self.at(row, middle), &onward);
            }
        }
        (0..self.size).all(|clock| self.at(clock, clock) >= 1)
    }

    /// Intersects it with a bound; false if nothing is left. A shortest way uses the new bound once.
    pub fn cut(&mut self, row: usize, column: usize, bound: i64) -> bool {
        if bound >= self.at(row, column) {
            return true;
        }
        if plus(bound, self.at(column, row)) < 1 {
            return false;
        }
        let onward = self.entries[column * self.size..(column + 1) * self.size].to_vec();
        for from in 0..self.size {
            let into = plus(self.at(from, row), bound);
            // Otherwise no way that begins here becomes shorter.
            if into < self.at(from, column) {
                self.lower_row(from, into, &onward);
            }
        }
        true
    }

    /// Intersects it with constraints; false if nothing is left.
    pub fn cut_all(&mut self, constraints: &[ClockConstraint]) -> bool {
        (constraints.iter()).all(|one| {
            let bound = 2 * one.bound + i64::from(!one.strict);
            match one.left == one.right {
                true => bound >= 1,
                false => self.cut(one.left, one.right, bound),
            }
        })
    }

    /// Time passes.
    pub fn rise(&mut self) {
        for clock in 1..self.size {
            self.put(clock, 0, FREE);
        }
    }

    /// Time passes while some clocks stand still: a clock that runs leaves any bound behind, also of what it is ahead of those.
    pub fn rise_but(&mut self, stopped: &[usize]) {
        for clock in (1..self.size).filter(|clock| !stopped.contains(clock)) {
            for behind in std::iter::once(&0).chain(stopped) {
                self.put(clock, *behind, FREE);
            }
        }
    }

    /// Time runs back, to 0 at most.
    pub fn sink(&mut self) {
        for clock in 1..self.size {
            let least = (1..self.size)
                .map(|other| self.at(other, clock))
                .min()
                .unwrap_or(1);
            self.put(0, clock, least.min(1));
        }
    }

    /// Time runs back, to 0 at most, while some clocks stand still; nothing but the reference clock bounds those by the others.
    pub fn sink_but(&mut self, stopped: &[usize]) {
        let running: Vec<usize> = (1..self.size).filter(|clock| !stopped.contains(clock)).collect();
        for &clock in &running {
            let least = running.iter().map(|&other| self.at(other, clock)).min();
            self.put(0, clock, least.unwrap_or(1).min(1));
            for &still in stopped {
                self.put(still, clock, plus(self.at(still, 0), self.at(0, clock)));
            }
        }
    }

    /// The values after an update.
    pub fn set(&mut self, update: &ClockUpdate) {
        let (more, less) = (2 * update.offset + 1, 1 - 2 * update.offset);
        // What is read of the target is read before it is written.
        for other in (0..self.size).filter(|&other| other != update.target) {
            self.put(update.target, other, plus(self.at(update.source, other), more));
            self.put(other, update.target, plus(self.at(other, update.source), less));
        }
        self.put(update.target, update.target, 1);
    }

    /// Takes over the values of another matrix.
    pub fn copy_from(&mut self, other: &Matrix) {
        self.size = other.size;
        self.entries.clone_from(&other.entries);
    }

    /// The values before an update that leads into the matrix; false if there are none.
    pub fn unset(&mut self, update: &ClockUpdate) -> bool {
        let (more, less) = (2 * update.offset + 1, 1 - 2 * update.offset);
        if update.target == update.source {
            let old = self.clone();
            for other in (0..self.size).filter(|&other| other != update.target) {
                self.put(update.target, other, plus(old.at(update.target, other), less));
                self.put(other, update.target, plus(old.at(other, update.target), more));
            }
            return self.cut(0, update.target, 1);
        }
        if !self.cut(update.target, update.source, more) || !self.cut(update.source, update.target, less) {
            return false;
        }
        for other in (0..self.size).filter(|&other| other != update.target) {
            self.put(update.target, other, FREE);
            self.put(other, update.target, self.at(other, 0));
        }
        self.put(0, update.target, 1);
        true
    }

    /// Whether all its values are in another matrix.
    pub fn is_within(&self, other: &Matrix) -> bool {
        self.entries
            .iter()
            .zip(&other.entries)
            .all(|(one, other)| one <= other)
    }

    /// Whether it contains these values.
    pub fn contains(&self, clocks: &[Rational]) -> bool {
        (0..self.size).all(|row| {
            (0..self.size).all(|column| {
                let bound = self.at(row, column);
                let difference = &clocks[row] - &clocks[column];
                let limit = Rational::from(bound >> 1);
                bound >= FREE || difference < limit || (bound & 1 == 1 && difference == limit)
            })
        })
    }
}
