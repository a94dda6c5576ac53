//! Zones of two groups of clocks between which nothing is bounded: products of a zone of one group and a zone of the other.
//!
//! Time may then pass for one group alone, and run back for it: both are zones again, which they are not where a clock of one group is bounded by one of the other. In the closed matrix of a product, the bound on a difference of
//! clocks of different groups is the sum of their bounds beside the reference clock.

use crate::{Bound, Zone};
use std::ops::Range;

impl Zone {
    /// The smallest product that contains the zone; the second group begins at this clock.
    pub fn separate(&mut self, second: usize) {
        let n = self.dimension();
        for one in 1..second {
            for other in second..n {
                self.set(one, other, self.bound(one, 0).add(self.bound(0, other)));
                self.set(other, one, self.bound(other, 0).add(self.bound(0, one)));
            }
        }
    }

    /// Whether it is a product. Two products may together be a zone that is none: `x < 1` and `x = 1 ∧ y > 0` are `x ≤ 1 ∧ x − y < 1`.
    pub fn is_separate(&self, second: usize) -> bool {
        let is_free =
            |one: usize, other: usize| self.bound(one, other) >= self.bound(one, 0).add(self.bound(0, other));
        (1..second)
            .all(|one| (second..self.dimension()).all(|other| is_free(one, other) && is_free(other, one)))
    }

    /// Lets time pass for one group of a product.
    pub fn delay_group(&mut self, group: Range<usize>) {
        for clock in group.clone() {
            self.set(clock, 0, Bound::NONE);
        }
        self.join_group(group);
    }

    /// Lets time run back for one group of a product.
    pub fn undelay_group(&mut self, group: Range<usize>) {
        for clock in group.clone() {
            let least = group.clone().map(|other| self.bound(other, clock));
            let least = least.fold(Bound::ZERO, Bound::min);
            self.set(0, clock, least);
        }
        self.join_group(group);
    }

    /// Closes the matrix of a product after a change of one group.
    fn join_group(&mut self, group: Range<usize>) {
        let others = (1..self.dimension()).filter(|other| !group.contains(other));
        for other in others {
            for clock in group.clone() {
                self.set(clock, other, self.bound(clock, 0).add(self.bound(0, other)));
                self.set(other, clock, self.bound(other, 0).add(self.bound(0, clock)));
            }
        }
    }

    /// The values from which some time, more than none, leads into the zone; nothing if there are none.
    pub fn strictly_before(&self) -> Option<Zone> {
        let mut earlier = self.clone();
        earlier.undelay();
        for clock in 1..self.dimension() {
            let bound = self.bound(clock, 0);
            if !bound.is_none() && !earlier.constrain(clock, 0, Bound::below(bound.constant())) {
                return None;
            }
        }
        Some(earlier)
    }
}
