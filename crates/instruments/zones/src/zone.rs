//! A zone as a closed difference-bound matrix.
//!
//! One new constraint on a closed matrix is closed again in O(n²): a path uses the new edge at most once. Delay and updates keep the matrix closed; their inverses, which are used
//! on single paths only, close it in O(n²) too.

use crate::Bound;

/// A set of clock values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Zone {
    dimension: usize,
    cells: Vec<Bound>,
}

impl Zone {
    /// All clocks are 0.
    pub fn zero(dimension: usize) -> Zone {
        Zone {
            dimension,
            cells: vec![Bound::ZERO; dimension * dimension],
        }
    }

    /// All clock values that are not negative.
    pub fn universal(dimension: usize) -> Zone {
        let mut zone = Zone {
            dimension,
            cells: vec![Bound::NONE; dimension * dimension],
        };
        for clock in 0..dimension {
            zone.cells[clock] = Bound::ZERO;
            zone.cells[clock * dimension + clock] = Bound::ZERO;
        }
        zone
    }

    /// The zone of entries that are closed already.
    pub fn from_cells(dimension: usize, cells: &[Bound]) -> Zone {
        debug_assert_eq!(cells.len(), dimension * dimension);
        Zone {
            dimension,
            cells: cells.to_vec(),
        }
    }

    /// Takes over the entries of another zone of the same dimension, which are closed already.
    pub fn copy_from(&mut self, cells: &[Bound]) {
        self.cells.copy_from_slice(cells);
    }

    /// Number of clocks with the reference clock.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The entries, row by row: entry (i, j) bounds clock i minus clock j.
    pub fn cells(&self) -> &[Bound] {
        &self.cells
    }

    /// The bounds on one clock minus each other.
    #[inline]
    pub fn row(&self, clock: usize) -> &[Bound] {
        &self.cells[clock * self.dimension..(clock + 1) * self.dimension]
    }

    /// The bound on a difference of clocks.
    #[inline]
    pub fn bound(&self, left: usize, right: usize) -> Bound {
        self.cells[left * self.dimension + right]
    }

    #[inline]
    pub(crate) fn set(&mut self, left: usize, right: usize, bound: Bound) {
        self.cells[left * self.dimension + right] = bound;
    }

    /// Intersects it with a bound on a difference; false if nothing is left, and then the entries mean nothing.
    pub fn constrain(&mut self, left: usize, right: usize, bound: Bound) -> bool {
        if left == right {
            return bound >= Bound::ZERO;
        }
        if self.bound(left, right) <= bound {
            return true;
        }
        if self.bound(right, left).add(bound) < Bound::ZERO {
            return false;
        }
        self.set(left, right, bound);
        let n = self.dimension;
        // The row of the right clock does not change: a way from it that used the new edge would close a cycle.
        for row in 0..n {
            let to_left = self.cells[row * n + left];
            if to_left.is_none() || row == right {
                continue;
            }
            let begun = to_left.add(bound);
            if begun >= self.cells[row * n + right] && row != left {
                continue;
            }
            let (head, tail) = match row < right {
                true => {
                    let (head, tail) = self.cells.split_at_mut(right * n);
                    (&mut head[row * n..row * n + n], &tail[..n])
                }
                false => {
                    let (head, tail) = self.cells.split_at_mut(row * n);
                    (&mut tail[..n], &head[right * n..right * n + n])
                }
            };
            for (cell, &rest) in head.iter_mut().zip(tail) {
                *cell = (*cell).min(begun.add(rest));
            }
        }
        true
    }

    /// Lets time pass.
    pub fn delay(&mut self) {
        for clock in 1..self.dimension {
            self.set(clock, 0, Bound::NONE);
        }
    }

    /// Lets time pass while some clocks stand still. What others gain on them has no bound any more; that is an approximation from above (Cassez, Larsen 2000), since the difference of two runs of time is not a zone.
    pub fn delay_but(&mut self, stopped: &[usize]) {
        for clock in (1..self.dimension).filter(|clock| !stopped.contains(clock)) {
            self.set(clock, 0, Bound::NONE);
            stopped
                .iter()
                .for_each(|&still| self.set(clock, still, Bound::NONE));
        }
    }

    /// Lets one clock grow while all others stand still.
    pub fn grow(&mut self, clock: usize) {
        for other in (0..self.dimension).filter(|&other| other != clock) {
            self.set(clock, other, Bound::NONE);
        }
    }

    /// Grows to the convex hull of both, as far as a zone can tell: the least zone that contains another one as well.
    pub fn join(&mut self, other: &[Bound]) {
        debug_assert_eq!(self.cells.len(), other.len());
        for (cell, &other) in self.cells.iter_mut().zip(other) {
            *cell = (*cell).max(other);
        }
    }

    /// Lets time run back: the values from which waiting leads into the zone.
    pub fn undelay(&mut self) {
        for clock in 1..self.dimension {
            let least = (1..self.dimension).map(|other| self.bound(other, clock));
            let least = least.fold(Bound::ZERO, Bound::min);
            self.set(0, clock, least);
        }
    }

    /// `target := source + offset`, where source 0 stands for a number. Values must stay at least 0.
    pub fn assign(&mut self, target: usize, source: usize, offset: i32) {
        let (more, less) = (Bound::at_most(offset), Bound::at_most(-offset));
        if target == source {
            for other in (0..self.dimension).filter(|&other| other != target) {
                self.set(target, other, self.bound(target, other).add(more));
                self.set(other, target, self.bound(other, target).add(less));
            }
            return;
        }
        for other in (0..self.dimension).filter(|&other| other != target) {
            self.set(target, other, self.bound(source, other).add(more));
            self.set(other, target, self.bound(other, source).add(less));
        }
        self.set(target, target, Bound::ZERO);
    }

    /// The values from which `target := source + offset` leads into the zone; false if there are none.
    pub fn unassign(&mut self, target: usize, source: usize, offset: i32) -> bool {
        let (more, less) = (Bound::at_most(offset), Bound::at_most(-offset));
        if target == source {
            for other in (0..self.dimension).filter(|&other| other != target) {
                self.set(target, other, self.bound(target, other).add(less));
                self.set(other, target, self.bound(other, target).add(more));
            }
            return self.constrain(0, target, Bound::ZERO);
        }
        if !self.constrain(target, source, more) || !self.constrain(source, target, less) {
            return false;
        }
        self.free(target);
        true
    }

    /// Forgets a clock: it may have any value that is not negative.
    pub fn free(&mut self, clock: usize) {
        for other in (0..self.dimension).filter(|&other| other != clock) {
            self.set(clock, other, Bound::NONE);
            self.set(other, clock, self.bound(other, 0));
        }
        self.set(0, clock, Bound::ZERO);
    }

    /// Whether a bound is met by some values of the zone.
    pub fn meets(&self, left: usize, right: usize, bound: Bound) -> bool {
        self.bound(right, left).add(bound) >= Bound::ZERO
    }

    /// Whether a finite bound is so large that sums could leave the range of bounds.
    pub fn is_huge(&self) -> bool {
        const MOST: i32 = Bound::MOST;
        let is_huge =
            |cell: Bound| !cell.is_none() & ((cell.constant() >= MOST) | (cell.constant() <= -MOST));
        // All cells are looked at, several at once.
        self.cells.iter().fold(false, |any, &cell| any | is_huge(cell))
    }

    /// Closes the matrix (Floyd, Warshall); false if the zone is empty.
    pub(crate) fn close(&mut self) -> bool {
        let n = self.dimension;
        for middle in 0..n {
            for row in 0..n {
                let begun = self.cells[row * n + middle];
                if begun.is_none() || row == middle {
                    continue;
                }
                for column in 0..n {
                    let by_way = begun.add(self.cells[middle * n + column]);
                    let cell = &mut self.cells[row * n + column];
                    *cell = (*cell).min(by_way);
                }
            }
        }
        (0..n).all(|clock| self.bound(clock, clock) >= Bound::ZERO)
    }

    /// A zone of any constraints, closed; nothing if it is empty.
    pub fn of_constraints(dimension: usize, constraints: &[(usize, usize, Bound)]) -> Option<Zone> {
        let mut zone = Zone::universal(dimension);
        let all = constraints
            .iter()
            .all(|&(left, right, bound)| zone.constrain(left, right, bound));
        all.then_some(zone)
    }
}
