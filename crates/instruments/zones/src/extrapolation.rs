//! Extrapolations: larger zones, of which there are finitely many, that a network without comparisons of differences cannot tell from the exact ones (Behrmann, Bouyer, Larsen,
//! Pelánek 2006). ExtraM and ExtraM+ use the largest constant of each clock; ExtraLU and ExtraLU+ tell lower from upper constants. Every one of them lies within the abstraction aLU
//! (Herbreteau, Srivathsan, Walukiewicz 2012), so they keep reachability and, by Li 2009, Büchi conditions.
//!
//! The matrix is closed again in O(n³) when something changed.

use crate::{Bound, Zone};

/// Largest constants of a clock: from below (`x > c`, `x ≥ c`) and from above (`x < c`, `x ≤ c`). [`LowerUpper::UNUSED`] where it is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LowerUpper {
    /// From below.
    pub lower: i32,
    /// From above.
    pub upper: i32,
}

impl LowerUpper {
    /// The constant of a clock that is not compared.
    pub const NEVER: i32 = i32::MIN / 4;
    /// A clock that is not compared.
    pub const UNUSED: LowerUpper = LowerUpper {
        lower: LowerUpper::NEVER,
        upper: LowerUpper::NEVER,
    };

    /// Both with the larger of the two.
    pub fn both(self) -> LowerUpper {
        let most = self.lower.max(self.upper);
        LowerUpper {
            lower: most,
            upper: most,
        }
    }

    /// The larger constants of both.
    pub fn join(self, other: LowerUpper) -> LowerUpper {
        LowerUpper {
            lower: self.lower.max(other.lower),
            upper: self.upper.max(other.upper),
        }
    }
}

/// How zones are made finitely many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extrapolation {
    /// By largest constants.
    M,
    /// By largest constants and where the zone lies.
    MPlus,
    /// By lower and upper constants.
    Lu,
    /// By lower and upper constants and where the zone lies.
    LuPlus,
}

impl Extrapolation {
    /// Makes a zone larger; `constants[i]` are those of clock i, and of the reference clock 0 and 0.
    pub fn apply(self, zone: &mut Zone, constants: &[LowerUpper]) {
        let both: Vec<LowerUpper>;
        let constants = match self {
            Extrapolation::M | Extrapolation::MPlus => {
                both = constants.iter().map(|one| one.both()).collect();
                &both
            }
            _ => constants,
        };
        let looks_at_place = matches!(self, Extrapolation::MPlus | Extrapolation::LuPlus);
        let n = zone.dimension();
        let first_row: Vec<Bound> = (0..n).map(|clock| zone.bound(0, clock)).collect();
        // Whether the largest constant below a clock exceeds another. Where the clock is more than that one, and not more than the next, it would be as sound to say so; this is how they are defined.
        let exceeds = |clock: usize, constant: i32| {
            constant == LowerUpper::NEVER || -first_row[clock].constant() > constant
        };
        let over = |bound: Bound, constant: i32| {
            !bound.is_none() && (constant == LowerUpper::NEVER || bound > Bound::at_most(constant))
        };
        let mut changed = false;
        for left in 0..n {
            for right in (0..n).filter(|&right| right != left) {
                let bound = zone.bound(left, right);
                let replacement = if left == 0 {
                    // −x: a lower bound above the upper constant becomes "above it".
                    let upper = constants[right].upper;
                    match exceeds(right, upper) {
                        false => bound,
                        true if upper == LowerUpper::NEVER => Bound::ZERO,
                        true => Bound::below(-upper),
                    }
                } else if over(bound, constants[left].lower) {
                    Bound::NONE
                } else if looks_at_place {
                    let beyond = exceeds(left, constants[left].lower);
                    // In ExtraLU+ a right clock above its upper constant frees the difference; in ExtraM+ the same constant plays both parts.
                    match beyond || (right != 0 && exceeds(right, constants[right].upper)) {
                        true => Bound::NONE,
                        false => bound,
                    }
                } else if right != 0 && !bound.is_none() && is_under(bound, constants[right].upper) {
                    match constants[right].upper {
                        LowerUpper::NEVER => Bound::NONE,
                        upper => Bound::below(-upper),
                    }
                } else {
                    bound
                };
                if replacement != bound {
                    zone.set(left, right, replacement);
                    changed = true;
                }
            }
        }
        if changed {
            let is_full = zone.close();
            debug_assert!(is_full, "a larger zone is not empty");
        }
    }
}

fn is_under(bound: Bound, upper: i32) -> bool {
    upper == LowerUpper::NEVER || bound < Bound::below(-upper)
}
