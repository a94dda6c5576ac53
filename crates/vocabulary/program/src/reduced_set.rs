//! States of a reduced search, each with what was done about its steps: evidence for what holds although only some steps were taken.
//!
//! Where a set of processes suffices, only their steps were taken, and the set is told by one process: whoever checks the evidence finds the smallest sufficient set with it by an analysis of their own. A number for each
//! state says in which order states were looked at, so that nobody can be left waiting for ever without this being seen. Ranks, where infinite runs are watched, are those of [`RankedSet`].
//!
//! **Invariant:** every state of the set has one [`Taken`].

use crate::program::Program;
use entail_answer::closed_set::{bytes_of_text, put_number, take_number, text_of_bytes};
use entail_answer::{Rank, RankedSet};
use std::fmt::Debug;

/// Which steps of a state were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// The process whose sufficient set of steps was taken; none if all steps were.
    pub begins_with: Option<u8>,
    /// The place of the state in the order in which states were looked at.
    pub order: u32,
}

/// A sorted set of states with ranks and with what was taken of their steps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReducedSet {
    set: RankedSet,
    taken: Vec<Taken>,
}

impl ReducedSet {
    /// The set of some different states; nothing if there are too many ranks.
    pub fn new(mut states: Vec<(Box<[u8]>, Taken, Vec<Rank>)>) -> Option<ReducedSet> {
        states.sort_unstable_by(|(left, ..), (right, ..)| left.cmp(right));
        states.dedup_by(|(later, ..), (earlier, ..)| later == earlier);
        let taken = states.iter().map(|(_, taken, _)| *taken).collect();
        let pairs = states.into_iter().map(|(state, _, ranks)| (state, ranks));
        Some(ReducedSet {
            set: RankedSet::new(pairs.collect())?,
            taken,
        })
    }

    /// The states with their ranks.
    pub fn ranked(&self) -> &RankedSet {
        &self.set
    }

    /// What was taken of the steps of the state at a position of the set.
    pub fn taken(&self, state: u64) -> Option<Taken> {
        self.taken.get(usize::try_from(state).ok()?).copied()
    }

    /// Number of states of which not all steps were taken.
    pub fn reduced_states(&self) -> u64 {
        let reduced = self.taken.iter().filter(|taken| taken.begins_with.is_some());
        reduced.count() as u64
    }

    /// Copies of all states, in order.
    pub fn states(&self) -> Vec<(Box<[u8]>, Taken, Vec<Rank>)> {
        let pairs = self.set.pairs().into_iter().zip(&self.taken);
        pairs
            .map(|((state, ranks), taken)| (state, *taken, ranks))
            .collect()
    }

    /// What was taken, as text in base 64: for each state 0 or one more than the process, and its place in the order.
    pub fn taken_to_text(&self) -> String {
        let mut bytes = Vec::new();
        for taken in &self.taken {
            put_number(
                taken.begins_with.map_or(0, |process| u64::from(process) + 1),
                &mut bytes,
            );
            put_number(u64::from(taken.order), &mut bytes);
        }
        text_of_bytes(&bytes)
    }

    /// The set of some states with ranks and a text; nothing if this is no such text.
    pub fn from_text(set: RankedSet, taken: &str) -> Option<ReducedSet> {
        let bytes = bytes_of_text(taken)?;
        let rest = &mut bytes.as_slice();
        let mut all = Vec::new();
        for _ in 0..set.states().len() {
            let begins_with = match take_number(rest)?.checked_sub(1) {
                Some(process) => Some(u8::try_from(process).ok()?),
                None => None,
            };
            let order = u32::try_from(take_number(rest)?).ok()?;
            all.push(Taken { begins_with, order });
        }
        rest.is_empty().then_some(ReducedSet { set, taken: all })
    }
}

/// Processes whose steps suffice in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The process that the set is found from.
    pub begins_with: u8,
    /// By process: whether it is in the set.
    pub members: Vec<bool>,
}

/// Says which steps suffice in a state. Whoever will check the evidence about a reduced search hands one to the engine that writes it.
pub trait Advisor: Debug + Send + Sync {
    /// Whether there is any advice to give about a program. An advisor is asked about one program only.
    fn has_advice(&self, program: &Program) -> bool;

    /// Sets of processes whose steps suffice in a state, given as bytes ([`crate::state_bytes`]), in which each process has so many steps; those with the fewest steps first. No set has all steps.
    fn choices(&self, program: &Program, state: &[u8], steps: &[u32]) -> Vec<Choice>;
}
