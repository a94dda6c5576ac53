//! The explicit model as engines use it: rows of targets and interned probabilities.
//!
//! Eight bytes a transition: the target and the index of its probability. States are numbered as the reference interpreter numbers them
//! (certificates depend on it); a state's choices, and a choice's transitions, are consecutive.

use crate::numbers::{Num, Numbers};
use crate::store::StateStore;
use entail_markov::{Kind, Network};
use fixedbitset::FixedBitSet;

/// No rate, no name.
pub const NONE: u32 = u32::MAX;

/// An explicit model.
#[derive(Clone, Debug)]
pub struct Sparse {
    /// Its kind.
    pub kind: Kind,
    /// The first choice of each state, and one past the last.
    pub choices: Vec<u32>,
    /// The first transition of each choice, and one past the last.
    pub rows: Vec<u32>,
    /// Targets of transitions.
    pub targets: Vec<u32>,
    /// Probabilities of transitions; their lower ends, if they lie in intervals.
    pub values: Vec<Num>,
    /// Their upper ends, if they lie in intervals; otherwise empty.
    pub uppers: Vec<Num>,
    /// Exit rates of choices that take time; empty for discrete models.
    pub rates: Vec<Num>,
    /// Names of choices; empty for chains.
    pub actions: Vec<u32>,
    /// Initial states.
    pub initial: Vec<u32>,
    /// States that had no way out.
    pub deadlocks: FixedBitSet,
    /// States that were met and not expanded; they have a loop.
    pub unexplored: FixedBitSet,
    /// What choices earn, by reward structure; empty where nothing does.
    pub step_rewards: Vec<Vec<Num>>,
    /// Structures by which outcomes of one choice earn differently, so that only the average is known.
    pub mixed_rewards: Vec<bool>,
    /// The numbers.
    pub numbers: Numbers,
    /// The states themselves.
    pub store: StateStore,
}

impl Sparse {
    /// A model without states, to be filled row by row.
    pub(crate) fn empty(kind: Kind, network: &Network) -> Sparse {
        Sparse {
            kind,
            choices: vec![0],
            rows: vec![0],
            targets: Vec::new(),
            values: Vec::new(),
            uppers: Vec::new(),
            rates: Vec::new(),
            actions: Vec::new(),
            initial: Vec::new(),
            deadlocks: FixedBitSet::new(),
            unexplored: FixedBitSet::new(),
            step_rewards: Vec::new(),
            mixed_rewards: Vec::new(),
            numbers: Numbers::default(),
            store: StateStore::new(network),
        }
    }

    /// Number of states.
    pub fn states(&self) -> usize {
        self.choices.len() - 1
    }

    /// Number of transitions.
    pub fn transitions(&self) -> usize {
        self.targets.len()
    }

    /// The choices of a state.
    #[inline]
    pub fn choices_of(&self, state: usize) -> std::ops::Range<usize> {
        self.choices[state] as usize..self.choices[state + 1] as usize
    }

    /// The transitions of a choice.
    #[inline]
    pub fn row(&self, choice: usize) -> std::ops::Range<usize> {
        self.rows[choice] as usize..self.rows[choice + 1] as usize
    }

    /// The targets of a choice.
    #[inline]
    pub fn targets_of(&self, choice: usize) -> &[u32] {
        &self.targets[self.row(choice)]
    }

    /// Whether probabilities are intervals.
    pub fn has_intervals(&self) -> bool {
        !self.uppers.is_empty()
    }

    /// The exit rate of a choice; nothing if it takes no time.
    pub fn rate(&self, choice: usize) -> Option<Num> {
        self.rates.get(choice).copied().filter(|rate| rate.0 != NONE)
    }
}
