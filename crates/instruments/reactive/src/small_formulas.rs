//! The smallest formulas of four variables.
//!
//! Functions of four variables are 16-bit truth tables. Starting from literals, formulas with one conjunction more are made from all pairs of smaller ones, complements being free, so that the
//! first that is found for a function is smallest as a tree. Functions that need more than [`MOST`] conjunctions have none.

/// Truth tables of the variables.
pub(crate) const VARIABLES: [u16; 4] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

/// Formulas with more conjunctions are not searched for.
const MOST: u8 = 7;
/// No formula is known.
const UNKNOWN: u8 = u8::MAX;

/// For every function up to complement, how its smallest formula begins.
pub(crate) struct SmallFormulas {
    /// Conjunctions of the smallest formula.
    size: Vec<u8>,
    /// The operands of its last conjunction, which may give the complement.
    operands: Vec<(u16, u16)>,
}

impl SmallFormulas {
    pub fn new() -> SmallFormulas {
        let mut made = SmallFormulas {
            size: vec![UNKNOWN; 1 << 16],
            operands: vec![(0, 0); 1 << 16],
        };
        // Functions by size, those that are false for the last assignment first: the others are their complements.
        let mut levels: Vec<Vec<u16>> = vec![Vec::new()];
        for function in VARIABLES.into_iter().chain([0]) {
            made.size[function as usize] = 0;
            made.size[!function as usize] = 0;
            levels[0].extend([function, !function]);
        }
        for size in 1..=MOST {
            let mut level = Vec::new();
            for left in 0..=(size - 1) / 2 {
                let right = size - 1 - left;
                for &a in &levels[left as usize] {
                    for &b in &levels[right as usize] {
                        let both = a & b;
                        if made.size[both as usize] == UNKNOWN {
                            for function in [both, !both] {
                                made.size[function as usize] = size;
                                made.operands[function as usize] = (a, b);
                                level.push(function);
                            }
                        }
                    }
                }
            }
            levels.push(level);
        }
        made
    }

    /// Conjunctions of the smallest formula, if one is known.
    pub fn size(&self, function: u16) -> Option<u32> {
        let size = self.size[function as usize];
        (size != UNKNOWN).then_some(u32::from(size))
    }

    /// The operands of the last conjunction, and whether it gives the complement.
    pub fn operands(&self, function: u16) -> (u16, u16, bool) {
        let (a, b) = self.operands[function as usize];
        (a, b, a & b != function)
    }
}
