//! The safety game for one bound.
//!
//! The set of vectors from which the player may still win shrinks from all those within the bound. An element from which some turn, or every turn, leads
//! out of the set is replaced by what is below it and does not: its meets with the vectors that some action takes into the set. When nothing is replaced
//! any more the set is the greatest one that the player can stay in.

use super::antichain::{Antichain, Counts};
use super::avoided::{Avoided, Count};
use super::letters::{Edge, Letters};
use crate::problem::SynthesisError;
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// What came of a bound.
pub(crate) enum Attempt {
    /// The player can stay in this set for ever.
    Won(Antichain),
    Lost,
}

/// The game for one bound.
pub(crate) struct Bounded<'a> {
    pub letters: &'a Letters,
    /// Whether the player decides before the opponent does.
    pub moves_first: bool,
    /// The highest counts allowed.
    highest: Counts,
    pub start: Counts,
}

impl<'a> Bounded<'a> {
    pub fn new(avoided: &Avoided, letters: &'a Letters, bound: i8, moves_first: bool) -> Bounded<'a> {
        let highest = (avoided.counted.iter().zip(&avoided.doomed)).map(|(&counted, &doomed)| {
            match (counted, doomed) {
                (_, true) => -1,
                (true, false) => bound,
                (false, false) => 0,
            }
        });
        let mut start = vec![-1i8; avoided.states()];
        for &state in &avoided.initial {
            start[state as usize] = 0;
        }
        Bounded {
            letters,
            moves_first,
            highest: highest.collect(),
            start: start.into(),
        }
    }

    /// Where an action leads; false if some count is too high.
    pub fn successor(&self, counts: &[i8], action: &[Edge], after: &mut [i8]) -> bool {
        after.fill(-1);
        for &(from, to, count) in action {
            let before = counts[from as usize];
            if before < 0 {
                continue;
            }
            let reached = match count {
                Count::Fresh => 0,
                Count::Keep => before,
                Count::Add => before + 1,
            };
            let to = to as usize;
            if reached > self.highest[to] {
                return false;
            }
            after[to] = after[to].max(reached);
        }
        true
    }

    /// The highest counts from which an action leads below a vector.
    fn predecessor(&self, counts: &[i8], action: &[Edge], before: &mut [i8]) {
        before.copy_from_slice(&self.highest);
        for &(from, to, count) in action {
            let allowed = counts[to as usize];
            let own = &mut before[from as usize];
            *own = match count {
                Count::Fresh if allowed >= 0 => *own,
                Count::Fresh => -1,
                Count::Keep => (*own).min(allowed),
                Count::Add => (*own).min((allowed - 1).max(-1)),
            };
        }
    }

    /// Whether the action leads into a set.
    fn stays(&self, counts: &[i8], action: u32, set: &Antichain, after: &mut [i8]) -> bool {
        self.successor(counts, &self.letters.actions[action as usize], after) && set.contains(after)
    }

    /// The relevant actions of a turn.
    fn actions(&self, turn: usize) -> impl Iterator<Item = u32> + '_ {
        let turn = &self.letters.turns[turn];
        turn.relevant.iter().map(|&at| turn.actions[at as usize])
    }

    /// All vectors from which an action leads into a set.
    fn predecessors(&self, action: u32, set: &Antichain, into: &mut Antichain) {
        let action = &self.letters.actions[action as usize];
        let mut before = vec![-1i8; self.start.len()];
        for counts in &set.maximal {
            self.predecessor(counts, action, &mut before);
            into.insert(before.clone().into());
        }
    }

    /// The greatest set that the player can stay in.
    pub fn solve(&self, budget: &Budget) -> Result<Attempt, SynthesisError> {
        let mut set = Antichain::default();
        set.insert(self.highest.clone());
        loop {
            let changed = match self.moves_first {
                true => self.shrink_by_choice(&mut set, budget)?,
                false => self.shrink_by_turns(&mut set, budget)?,
            };
            if !set.contains(&self.start) {
                return Ok(Attempt::Lost);
            }
            if !changed {
                return Ok(Attempt::Won(set));
            }
        }
    }

    /// For each turn of the opponent there must be an action.
    fn shrink_by_turns(&self, set: &mut Antichain, budget: &Budget) -> Result<bool, SynthesisError> {
        let mut after = vec![-1i8; self.start.len()];
        let mut changed = false;
        for turn in 0..self.letters.turns.len() {
            let mut kept = Antichain::default();
            let mut failing = Vec::new();
            for counts in &set.maximal {
                budget.check_now()?;
                let stays = self
                    .actions(turn)
                    .any(|action| self.stays(counts, action, set, &mut after));
                match stays {
                    true => kept.maximal.push(counts.clone()),
                    false => failing.push(counts.clone()),
                }
            }
            if failing.is_empty() {
                continue;
            }
            changed = true;
            let mut leading = Antichain::default();
            for action in self.actions(turn) {
                budget.check_now()?;
                self.predecessors(action, set, &mut leading);
            }
            for counts in &failing {
                for other in &leading.maximal {
                    budget.check()?;
                    kept.insert(meet(counts, other));
                }
            }
            *set = kept;
            if !set.contains(&self.start) {
                return Ok(true);
            }
        }
        Ok(changed)
    }

    /// There must be a turn of the player whose actions, chosen by the opponent, all stay.
    fn shrink_by_choice(&self, set: &mut Antichain, budget: &Budget) -> Result<bool, SynthesisError> {
        let mut after = vec![-1i8; self.start.len()];
        let mut kept = Antichain::default();
        let mut failing = Vec::new();
        for counts in &set.maximal {
            budget.check_now()?;
            let stays = (0..self.letters.turns.len()).any(|turn| {
                self.actions(turn)
                    .all(|action| self.stays(counts, action, set, &mut after))
            });
            match stays {
                true => kept.maximal.push(counts.clone()),
                false => failing.push(counts.clone()),
            }
        }
        if failing.is_empty() {
            return Ok(false);
        }
        let mut leading: FxHashMap<u32, Antichain> = FxHashMap::default();
        for turn in 0..self.letters.turns.len() {
            let mut still = Antichain {
                maximal: failing.clone(),
            };
            for action in self.actions(turn) {
                budget.check_now()?;
                let mut next = Antichain::default();
                let mut out = Vec::new();
                for counts in still.maximal {
                    match self.stays(&counts, action, set, &mut after) {
                        true => drop(next.insert(counts)),
                        false => out.push(counts),
                    }
                }
                if !out.is_empty() {
                    let leading = leading.entry(action).or_insert_with(|| {
                        let mut into = Antichain::default();
                        self.predecessors(action, set, &mut into);
                        into
                    });
                    for counts in &out {
                        for other in &leading.maximal {
                            budget.check()?;
                            next.insert(meet(counts, other));
                        }
                    }
                }
                still = next;
            }
            for counts in still.maximal {
                kept.insert(counts);
            }
        }
        *set = kept;
        Ok(true)
    }
}

/// The greatest vector below both.
fn meet(one: &[i8], other: &[i8]) -> Counts {
    one.iter().zip(other).map(|(&a, &b)| a.min(b)).collect()
}
