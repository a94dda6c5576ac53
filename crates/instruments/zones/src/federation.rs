//! Differences of zones: what of a zone lies outside another, as disjoint zones.

use crate::Zone;

impl Zone {
    /// The parts of the zone that lie outside another: for each of the other's bounds in turn, what violates it while the earlier ones hold.
    pub fn without(&self, other: &Zone) -> Vec<Zone> {
        let mut parts = Vec::new();
        let mut rest = self.clone();
        for left in 0..self.dimension() {
            for right in (0..self.dimension()).filter(|&right| right != left) {
                let bound = other.bound(left, right);
                if bound.is_none() || rest.bound(left, right) <= bound {
                    continue;
                }
                let mut outside = rest.clone();
                if outside.constrain(right, left, bound.opposite()) {
                    parts.push(outside);
                }
                if !rest.constrain(left, right, bound) {
                    return parts;
                }
            }
        }
        parts
    }
}
