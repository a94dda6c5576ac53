//! States with ranks: evidence that no infinite run of a system does what an automaton watches for.
//!
//! For each state of a sorted, compressed set ([`ClosedSet`]) the positions at which the automaton may be there, each with a level and the mark that is missed as long as a run stays on that level. What is asked of levels and marks is said
//! by those who check them.
//!
//! **Invariant:** there are ranks for each state of the set, in ascending order of positions; [`RankedSet::from_text`] refuses everything else.

use crate::closed_set::{ClosedSet, bytes_of_text, put_number, take_number, text_of_bytes};

/// The rank of a state together with a position of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rank {
    /// The position of the automaton.
    pub at: u16,
    /// The level, which never rises along a run.
    pub level: u32,
    /// The mark that is missed while a run stays on the level.
    pub missing: u16,
}

/// A sorted set of states with ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankedSet {
    states: ClosedSet,
    /// Where the ranks of each state begin; one more at the end.
    begins: Vec<u32>,
    ranks: Vec<Rank>,
}

impl RankedSet {
    /// The set of some states with their ranks; nothing if there are too many ranks. A state that is given twice has the ranks of both.
    pub fn new(mut pairs: Vec<(Box<[u8]>, Vec<Rank>)>) -> Option<RankedSet> {
        pairs.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        pairs.dedup_by(|(later, more), (earlier, ranks)| {
            let same = later == earlier;
            if same {
                ranks.append(more);
            }
            same
        });
        let mut set = RankedSet::default();
        let mut states = Vec::with_capacity(pairs.len());
        for (state, mut ranks) in pairs {
            set.begins.push(u32::try_from(set.ranks.len()).ok()?);
            ranks.sort_unstable_by_key(|rank| rank.at);
            ranks.dedup_by_key(|rank| rank.at);
            set.ranks.append(&mut ranks);
            states.push(state);
        }
        set.begins.push(u32::try_from(set.ranks.len()).ok()?);
        set.states = ClosedSet::new(states);
        Some(set)
    }

    /// The states.
    pub fn states(&self) -> &ClosedSet {
        &self.states
    }

    /// Number of ranks, over all states.
    pub fn ranks(&self) -> u64 {
        self.ranks.len() as u64
    }

    /// The ranks of the state at a position of the set, in ascending order of the automaton's positions.
    pub fn of(&self, state: u64) -> &[Rank] {
        let state = usize::try_from(state).unwrap_or(usize::MAX);
        match (self.begins.get(state), self.begins.get(state.saturating_add(1))) {
            (Some(&begin), Some(&end)) => &self.ranks[begin as usize..end as usize],
            _ => &[],
        }
    }

    /// The rank of the state at a position of the set, together with a position of the automaton.
    pub fn rank(&self, state: u64, at: u16) -> Option<Rank> {
        self.of(state).iter().find(|rank| rank.at == at).copied()
    }

    /// Copies of all states with their ranks, in order.
    pub fn pairs(&self) -> Vec<(Box<[u8]>, Vec<Rank>)> {
        let states = self.states.states().into_iter().enumerate();
        states
            .map(|(number, state)| (state, self.of(number as u64).to_vec()))
            .collect()
    }

    /// The ranks as text: for each state their number, and for each rank the distance of its position from the one before, its level and its mark, in base 64.
    pub fn ranks_to_text(&self) -> String {
        let mut bytes = Vec::new();
        for state in 0..self.states.len() {
            let ranks = self.of(state);
            put_number(ranks.len() as u64, &mut bytes);
            let mut before = 0;
            for rank in ranks {
                put_number(u64::from(rank.at - before), &mut bytes);
                put_number(u64::from(rank.level), &mut bytes);
                put_number(u64::from(rank.missing), &mut bytes);
                before = rank.at;
            }
        }
        text_of_bytes(&bytes)
    }

    /// The set of so many states and two texts; nothing if these are no such texts.
    pub fn from_text(states: &str, ranks: &str, count: u64) -> Option<RankedSet> {
        let bytes = bytes_of_text(ranks)?;
        let mut set = RankedSet {
            states: ClosedSet::from_text(states, count)?,
            begins: vec![0],
            ranks: Vec::new(),
        };
        let rest = &mut bytes.as_slice();
        for _ in 0..count {
            let mut before = None;
            for _ in 0..take_number(rest)? {
                let distance = u16::try_from(take_number(rest)?).ok()?;
                if distance == 0 && before.is_some() {
                    return None;
                }
                let at = before.unwrap_or(0u16).checked_add(distance)?;
                set.ranks.push(Rank {
                    at,
                    level: u32::try_from(take_number(rest)?).ok()?,
                    missing: u16::try_from(take_number(rest)?).ok()?,
                });
                before = Some(at);
            }
            set.begins.push(u32::try_from(set.ranks.len()).ok()?);
        }
        rest.is_empty().then_some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(at: u16, level: u32, missing: u16) -> Rank {
        Rank { at, level, missing }
    }

    #[test]
    fn a_set_is_read_back_from_its_texts_and_damaged_ones_are_refused() {
        let pairs = vec![
            (Box::from([3u8, 1]), vec![rank(7, 300, 1), rank(0, 0, 0)]),
            (Box::from([1u8]), vec![rank(2, 5, 70)]),
            (Box::from([3u8]), Vec::new()),
            (Box::from([1u8]), vec![rank(1, 9, 0)]),
        ];
        let set = RankedSet::new(pairs).expect("few ranks");
        assert_eq!((set.states().len(), set.ranks()), (3, 4));
        assert_eq!(set.of(0), [rank(1, 9, 0), rank(2, 5, 70)]);
        assert_eq!(set.rank(2, 7), Some(rank(7, 300, 1)));
        assert_eq!((set.rank(2, 6), set.of(3).len()), (None, 0));
        let (states, ranks) = (set.states().to_text(), set.ranks_to_text());
        assert_eq!(RankedSet::from_text(&states, &ranks, 3).as_ref(), Some(&set));
        assert_eq!(RankedSet::from_text(&states, &ranks, 2), None);
        assert_eq!(RankedSet::from_text(&states, &states, 3), None);
        for cut in (0..ranks.len()).step_by(4) {
            assert_eq!(RankedSet::from_text(&states, &ranks[..cut], 3), None);
        }
        assert_eq!(RankedSet::new(set.pairs()), Some(set));
        // Positions ascend.
        let twice = text_of_bytes(&[2, 1, 0, 0, 0, 0, 0]);
        let one = ClosedSet::new(vec![Box::from([1u8])]).to_text();
        assert_eq!(RankedSet::from_text(&one, &twice, 1), None);
    }
}
