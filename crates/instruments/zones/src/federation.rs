//! Unions of zones, and what games need of them: differences, and the values from which waiting leads to something good before it leads to something bad.
//!
//! A union is a list of zones that may overlap; none lies within another. The difference of two zones is a union of disjoint zones, at most one for each bound of the second. For a good zone G and bad
//! zones B the values from which some wait leads into G and no moment of it, the last one included, is in any B are, by Cassez, David, Fleury, Larsen and Lime (CONCUR 2005), the
//! intersection over all B of `(G↓ ∖ B↓) ∪ ((G ∩ B↓) ∖ B)↓`, where ↓ lets time run back.

use crate::{Bound, Zone, is_subset};

impl Zone {
    /// Whether every value of it is in another zone.
    pub fn is_within(&self, other: &Zone) -> bool {
        is_subset(self.cells(), other.cells())
    }

    /// What is in both zones; nothing if there is none.
    pub fn meet(&self, other: &Zone) -> Option<Zone> {
        if self.is_apart_from(other) {
            return None;
        }
        let mut both = self.clone();
        for left in 0..self.dimension() {
            for right in 0..self.dimension() {
                if left != right && !both.constrain(left, right, other.bound(left, right)) {
                    return None;
                }
            }
        }
        Some(both)
    }

    /// Whether two bounds alone show that the zones have nothing in common.
    fn is_apart_from(&self, other: &Zone) -> bool {
        let n = self.dimension();
        (0..n).any(|left| (0..n).any(|right| !self.meets(left, right, other.bound(left, right))))
    }

    /// The smallest zone that contains both.
    pub fn hull(&self, other: &Zone) -> Zone {
        let cells: Vec<_> = (self.cells().iter().zip(other.cells()))
            .map(|(&one, &other)| one.max(other))
            .collect();
        Zone::from_cells(self.dimension(), &cells)
    }

    /// The parts of the zone that lie outside another: for each of the other's bounds in turn, what violates it while the earlier ones hold. Bounds that follow from others come last, when they
    /// are met already, so that there are few parts.
    pub fn without(&self, other: &Zone) -> Vec<Zone> {
        if self.is_apart_from(other) {
            return vec![self.clone()];
        }
        let mut parts = Vec::new();
        self.each_without(other, |part| {
            parts.push(part);
            true
        });
        parts
    }

    /// Gives the parts that lie outside another zone one by one, as long as they are wanted; tells whether all were.
    fn each_without(&self, other: &Zone, mut give: impl FnMut(Zone) -> bool) -> bool {
        let n = self.dimension();
        let mut bounds = Vec::new();
        for left in 0..n {
            for right in (0..n).filter(|&right| right != left) {
                let bound = other.bound(left, right);
                if !bound.is_none() && self.bound(left, right) > bound {
                    bounds.push((other.follows(left, right), left, right, bound));
                }
            }
        }
        bounds.sort_unstable();
        let mut rest = self.clone();
        for (_, left, right, bound) in bounds {
            if rest.bound(left, right) <= bound {
                continue;
            }
            let mut outside = rest.clone();
            if outside.constrain(right, left, bound.opposite()) && !give(outside) {
                return false;
            }
            if !rest.constrain(left, right, bound) {
                return true;
            }
        }
        true
    }

    /// The zone that two zones are together, if they are one.
    fn joined(&self, other: &Zone) -> Option<Zone> {
        let n = self.dimension();
        let is_gap = |left: usize, right: usize| {
            self.bound(left, right).add(other.bound(right, left)) < Bound::below(0)
        };
        if (0..n).any(|left| (0..n).any(|right| is_gap(left, right))) {
            return None;
        }
        let hull = self.hull(other);
        let is_exact = hull.each_without(self, |part| part.is_within(other));
        is_exact.then_some(hull)
    }

    /// Whether a bound is the sum of two others.
    fn follows(&self, left: usize, right: usize) -> bool {
        let bound = self.bound(left, right);
        let mut others = (0..self.dimension()).filter(|&other| other != left && other != right);
        others.any(|other| self.bound(left, other).add(self.bound(other, right)) <= bound)
    }

    /// The values from which some wait leads into the zone, and no moment of it is in a bad one.
    pub fn before<'z>(&self, bad: impl IntoIterator<Item = &'z Zone>) -> Federation {
        let mut down = self.clone();
        down.undelay();
        let mut found = Federation::from(down.clone());
        for bad in bad {
            if bad.meet(&down).is_none() {
                continue;
            }
            let mut bad_down = bad.clone();
            bad_down.undelay();
            let mut left = Federation::default();
            // The bad zone is not ahead, or the good one comes first.
            down.without(&bad_down).into_iter().for_each(|one| left.add(one));
            for mut early in self.meet(&bad_down).iter().flat_map(|both| both.without(bad)) {
                early.undelay();
                left.add(early);
            }
            found = found.meet_all(&left);
        }
        found
    }
}

/// A union of zones.
#[derive(Clone, Debug, Default)]
pub struct Federation {
    zones: Vec<Zone>,
}

impl From<Zone> for Federation {
    fn from(zone: Zone) -> Federation {
        Federation { zones: vec![zone] }
    }
}

impl FromIterator<Zone> for Federation {
    fn from_iter<I: IntoIterator<Item = Zone>>(zones: I) -> Federation {
        let mut all = Federation::default();
        zones.into_iter().for_each(|zone| all.add(zone));
        all
    }
}

impl Federation {
    /// Its zones.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    /// Whether it has no values.
    pub fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    /// Adds a zone.
    pub fn add(&mut self, zone: Zone) {
        if self.zones.iter().any(|known| zone.is_within(known)) {
            return;
        }
        self.zones.retain(|known| !known.is_within(&zone));
        self.zones.push(zone);
    }

    /// Adds all zones of another union.
    pub fn add_all(&mut self, other: Federation) {
        other.zones.into_iter().for_each(|zone| self.add(zone));
    }

    /// What of it is in a zone.
    pub fn meet(&self, zone: &Zone) -> Federation {
        self.zones.iter().filter_map(|one| one.meet(zone)).collect()
    }

    /// What is in both unions.
    pub fn meet_all(&self, other: &Federation) -> Federation {
        let pairs = self.zones.iter().flat_map(|one| {
            let other = other.zones.iter();
            other.filter_map(move |two| one.meet(two))
        });
        pairs.collect()
    }

    /// What of it is in none of these zones.
    pub fn without<'z>(&self, zones: impl IntoIterator<Item = &'z Zone>) -> Federation {
        let mut rest = self.clone();
        for zone in zones {
            if rest.is_empty() {
                break;
            }
            rest = rest.zones.iter().flat_map(|one| one.without(zone)).collect();
        }
        rest
    }

    /// The same values in fewer zones: two that together are one become that one.
    pub fn merged(self) -> Federation {
        self.merged_to(|_| true)
    }

    /// The same values in fewer zones: two that together are one that is wanted become that one.
    pub fn merged_to(mut self, is_wanted: impl Fn(&Zone) -> bool) -> Federation {
        let mut at = 0;
        while at < self.zones.len() {
            let one = &self.zones[at];
            let joined = |other: usize| {
                let hull = self.zones[other].joined(one).filter(&is_wanted);
                hull.map(|hull| (other, hull))
            };
            let found = (0..at).find_map(joined);
            match found {
                Some((other, hull)) => {
                    self.zones.swap_remove(at);
                    self.zones.swap_remove(other);
                    self.add(hull);
                    at = other;
                }
                None => at += 1,
            }
        }
        self
    }

    /// Lets time run back.
    pub fn undelay(&self) -> Federation {
        let earlier = |zone: &Zone| {
            let mut zone = zone.clone();
            zone.undelay();
            zone
        };
        self.zones.iter().map(earlier).collect()
    }
}

/// Whether every value of a zone is in one of these.
pub fn is_covered<'z>(zone: &Zone, by: impl IntoIterator<Item = &'z Zone> + Clone) -> bool {
    by.clone().into_iter().any(|one| zone.is_within(one))
        || Federation::from(zone.clone()).without(by).is_empty()
}
