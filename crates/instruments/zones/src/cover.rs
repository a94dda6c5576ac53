//! Inclusion of zones: as sets, and up to LU-simulation.
//!
//! A valuation is LU-simulated by another if each clock has the same value in both, or is above its lower constant in the second and larger in the first, or is above its upper
//! constant in the first and larger in the second. A zone lies in the abstraction aLU of another if each of its valuations is simulated by one of the other. By
//! Herbreteau, Srivathsan and Walukiewicz (LICS 2012, theorem 34) it does not exactly if two clocks witness that, so the test costs O(n²), as inclusion does.

use crate::{Bound, LowerUpper};

/// Whether every valuation of the first zone is in the second.
pub fn is_subset(small: &[Bound], large: &[Bound]) -> bool {
    // Whole rows are compared at once; most zones differ early.
    small.iter().zip(large).all(|(one, other)| one <= other)
}

/// Whether every valuation of the first zone is LU-simulated by one of the second; `constants[0]` belongs to the reference clock and is 0 and 0.
pub fn covers(small: &[Bound], large: &[Bound], constants: &[LowerUpper]) -> bool {
    let n = constants.len();
    covers_by_rows(
        |clock| &small[clock * n..(clock + 1) * n],
        |clock| &large[clock * n..(clock + 1) * n],
        constants,
    )
}

/// The same, for zones whose rows lie apart from each other.
pub fn covers_by_rows<'z>(
    small: impl Fn(usize) -> &'z [Bound],
    large: impl Fn(usize) -> &'z [Bound],
    constants: &[LowerUpper],
) -> bool {
    let least = small(0);
    for (y, constants_of_y) in constants.iter().enumerate() {
        let lower = constants_of_y.lower;
        if lower == LowerUpper::NEVER {
            continue;
        }
        let (ours, theirs) = (small(y), large(y));
        if std::ptr::eq(ours, theirs) {
            continue;
        }
        for (x, (our, their)) in ours.iter().zip(theirs).enumerate() {
            if their >= our {
                continue;
            }
            let upper = constants[x].upper;
            let is_below = upper != LowerUpper::NEVER && least[x] >= Bound::at_most(-upper);
            if is_below && their.add(Bound::below(-lower)) < least[x] {
                return false;
            }
        }
    }
    true
}
