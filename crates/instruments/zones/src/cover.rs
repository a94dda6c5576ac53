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
    for x in 0..n {
        let to_zero = small[x];
        let upper = constants[x].upper;
        if upper == LowerUpper::NEVER || to_zero < Bound::at_most(-upper) {
            continue;
        }
        for y in 0..n {
            let theirs = large[y * n + x];
            if theirs < small[y * n + x] {
                let lower = constants[y].lower;
                if lower != LowerUpper::NEVER && theirs.add(Bound::below(-lower)) < to_zero {
                    return false;
                }
            }
        }
    }
    true
}
