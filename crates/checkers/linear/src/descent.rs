//! The rule that ranks obey along a step.

use entail_answer::Rank;

/// Marks from this number on are about fairness: mark `PROCESS_MARKS + p` is met where process (or fairness condition) `p` makes a step or cannot make one. Smaller ones are marks of the automaton.
pub const PROCESS_MARKS: u16 = 64;

/// What is asked of the ranks of a product.
#[derive(Clone, Copy, Debug)]
pub struct Descent {
    /// Number of marks of the automaton.
    pub marks: u32,
}

impl Descent {
    /// Whether a step may lead from one rank to another: the level falls, or it stays and the step does not meet the mark that is missed. `marks` are those of the automaton that the step meets, `is_fair` tells of a
    /// process or fairness condition whether the step meets its mark.
    pub fn allows(self, from: Rank, to: Rank, marks: u64, is_fair: impl FnOnce(u16) -> bool) -> bool {
        if to.level != from.level {
            return to.level < from.level;
        }
        let mark = from.missing;
        let is_met = match mark.checked_sub(PROCESS_MARKS) {
            Some(process) => is_fair(process),
            None => u32::from(mark) >= self.marks || marks >> mark & 1 == 1,
        };
        to.missing == mark && !is_met
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(level: u32, missing: u16) -> Rank {
        Rank {
            at: 0,
            level,
            missing,
        }
    }

    #[test]
    fn a_level_is_kept_only_while_its_mark_is_missed() {
        let descent = Descent { marks: 2 };
        let unfair = |_| false;
        assert!(descent.allows(rank(3, 0), rank(2, 1), 0b11, unfair));
        assert!(!descent.allows(rank(2, 0), rank(3, 0), 0, unfair));
        assert!(descent.allows(rank(2, 1), rank(2, 1), 0b01, unfair));
        assert!(!descent.allows(rank(2, 1), rank(2, 1), 0b10, unfair));
        assert!(!descent.allows(rank(2, 1), rank(2, 0), 0, unfair));
        // There is no third mark to be missed.
        assert!(!descent.allows(rank(2, 2), rank(2, 2), 0, unfair));
        assert!(!Descent { marks: 0 }.allows(rank(0, 0), rank(0, 0), 0, unfair));
        let fair = rank(1, PROCESS_MARKS + 4);
        assert!(descent.allows(fair, fair, 0b11, |process| process != 4));
        assert!(!descent.allows(fair, fair, 0, |process| process == 4));
    }
}
