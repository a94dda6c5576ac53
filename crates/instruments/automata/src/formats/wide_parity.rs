//! Parity conditions with more sets than there are marks.
//!
//! Games in extended HOA may have hundreds of priorities. Of the sets that an edge is in, only the highest (or lowest) counts, so one number is enough: while such an automaton is read, the
//! marks of an edge are not a set but that number, one more than the set that counts, or 0.

use crate::acceptance::{Acceptance, Extreme, Marks, Winner};
use crate::alternating::AlternatingEdge;

/// The most sets of such a condition.
pub(super) const WIDEST: u64 = 2_000;

/// A parity condition.
#[derive(Clone, Copy, Debug)]
pub(super) struct WideParity {
    extreme: Extreme,
    winner: Winner,
    /// Number of sets.
    pub count: u32,
}

impl WideParity {
    /// A condition over so many sets, if it is a parity condition.
    pub fn of(condition: &Acceptance, count: u32) -> Option<WideParity> {
        let (extreme, winner, count) = condition.as_parity(count)?;
        Some(WideParity {
            extreme,
            winner,
            count,
        })
    }

    /// The number of a set.
    pub fn set(set: u64) -> Marks {
        Marks(set + 1)
    }

    /// Of two numbers the one that counts.
    pub fn joined(self, one: Marks, other: Marks) -> Marks {
        match (one.0, other.0, self.extreme) {
            (0, rest, _) | (rest, 0, _) => Marks(rest),
            (one, other, Extreme::Max) => Marks(one.max(other)),
            (one, other, Extreme::Min) => Marks(one.min(other)),
        }
    }

    /// The priority, max even: twice the importance, and one more where it is bad.
    fn priority(self, marks: Marks) -> u32 {
        let Some(set) = (marks.0 as u32).checked_sub(1) else {
            let condition = Acceptance::parity(self.extreme, self.winner, self.count);
            return u32::from(!condition.accepts(Marks::NONE));
        };
        let importance = match self.extreme {
            Extreme::Max => set + 1,
            Extreme::Min => self.count - set,
        };
        let is_good = set.is_multiple_of(2) == (self.winner == Winner::Even);
        2 * importance + u32::from(!is_good)
    }

    /// The priorities of all edges, which have no marks afterwards.
    pub fn take_priorities(self, edges: &mut [Vec<AlternatingEdge>]) -> Vec<Vec<u32>> {
        let take =
            |edge: &mut AlternatingEdge| self.priority(std::mem::replace(&mut edge.marks, Marks::NONE));
        (edges.iter_mut())
            .map(|list| list.iter_mut().map(take).collect())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::acceptance::{Acceptance, Extreme, Marks, Winner};
    use crate::formats::hoa_reader::{read_hoa, read_hoa_or_parity};
    use crate::formats::wide_parity::WideParity;

    #[test]
    fn a_cycle_is_accepted_by_its_highest_priority_iff_the_condition_accepts_its_sets() {
        // Few enough sets that the condition can be asked about all of them.
        for extreme in [Extreme::Max, Extreme::Min] {
            for winner in [Winner::Even, Winner::Odd] {
                for count in 1..6u32 {
                    let condition = Acceptance::parity(extreme, winner, count);
                    let wide = WideParity {
                        extreme,
                        winner,
                        count,
                    };
                    for seen in 0..1u64 << count {
                        let sets = (0..u64::from(count)).filter(|set| seen >> set & 1 == 1);
                        let priorities = sets.map(|set| wide.priority(WideParity::set(set)));
                        // Some edge of the cycle may be in no set.
                        let highest = priorities.chain([wide.priority(Marks::NONE)]).max().unwrap_or(0);
                        assert_eq!(highest % 2 == 0, condition.accepts(Marks(seen)));
                    }
                }
            }
        }
    }

    #[test]
    fn conditions_above_64_sets_are_read_where_they_are_parity_and_refused_elsewhere() {
        // 70 sets, max even: Fin(69) & (Inf(68) | (Fin(67) & ... )).
        let condition = (0..70).fold(String::new(), |inner, set| match (set % 2, inner.is_empty()) {
            (0, true) => format!("Inf({set})"),
            (0, false) => format!("Inf({set}) | ({inner})"),
            _ => format!("Fin({set}) & ({inner})"),
        });
        let text = |condition: &str| {
            format!(
                "HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nAcceptance: 70 {condition}\n--BODY--\nState: 0 {{3}}\n[0] 1 {{68}}\n[!0] 0\nState: 1\n[t] 0 {{69 2}}\n--END--\n"
            )
        };
        let (automaton, priorities) = read_hoa_or_parity(&text(&condition)).expect("a parity condition");
        assert_eq!(automaton.state_count(), 2);
        assert_eq!(priorities, Some(vec![vec![138, 9], vec![141]]));
        assert!(read_hoa(&text(&condition)).is_err());
        assert!(read_hoa_or_parity(&text("Inf(0) & Inf(69)")).is_err());
        assert!(read_hoa_or_parity(&text("t").replace("70 t", "99999999 t")).is_err());
        let narrow = text("t")
            .replace("70 t", "0 t")
            .replace("{3}", "")
            .replace("{68}", "");
        let (_, priorities) = read_hoa_or_parity(&narrow.replace("{69 2}", "")).expect("few sets");
        assert_eq!(priorities, None);
    }
}
