//! The rows of an explicit model while it is explored: choices and transitions appended state by state.

use crate::numbers::{Num, Numbers};
use crate::sparse::{NONE, Sparse};
use crate::store::StateStore;
use entail_markov::{Kind, Network};
use fixedbitset::FixedBitSet;

/// The rows of the model as far as they are known.
#[derive(Default)]
pub(crate) struct Parts {
    pub choices: Vec<u32>,
    pub rows: Vec<u32>,
    pub targets: Vec<u32>,
    pub values: Vec<Num>,
    pub rates: Vec<Num>,
    pub actions: Vec<u32>,
    pub deadlocks: Vec<u32>,
    pub step_rewards: Vec<Vec<Num>>,
}

impl Parts {
    /// No rows yet.
    pub fn new(network: &Network) -> Parts {
        Parts {
            choices: vec![0],
            rows: vec![0],
            step_rewards: vec![Vec::new(); network.rewards.len()],
            ..Parts::default()
        }
    }

    /// The model that these rows are, with what the explorer has found beside them: structures with mixed rewards, numbers, states.
    pub fn into_model(
        self,
        kind: Kind,
        initial: Vec<u32>,
        unexplored: &[u32],
        (mixed_rewards, numbers, store): (Vec<bool>, Numbers, StateStore),
    ) -> Sparse {
        let set = |states: &[u32]| {
            let mut set = FixedBitSet::with_capacity(self.choices.len() - 1);
            set.extend(states.iter().map(|&state| state as usize));
            set
        };
        Sparse {
            kind,
            deadlocks: set(&self.deadlocks),
            unexplored: set(unexplored),
            choices: self.choices,
            rows: self.rows,
            targets: self.targets,
            values: self.values,
            uppers: Vec::new(),
            rates: self.rates,
            actions: self.actions,
            initial,
            step_rewards: self.step_rewards,
            mixed_rewards,
            numbers,
            store,
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.choices.truncate(1);
        self.rows.truncate(1);
        self.targets.clear();
        self.values.clear();
        self.rates.clear();
        self.actions.clear();
        self.deadlocks.clear();
        self.step_rewards.iter_mut().for_each(Vec::clear);
    }

    /// Appends the rows of the states that follow, whose numbers have other names here; two threads share that. There is room for all transitions.
    pub fn append(&mut self, other: &Parts, names: &[Num]) {
        let named = |number: &Num| match number.0 {
            NONE => Num(NONE),
            own => names[own as usize],
        };
        let (choices, transitions) = ((self.rows.len() - 1) as u32, self.targets.len() as u32);
        let structure = || {
            (self.choices).extend(other.choices[1..].iter().map(|end| end + choices));
            (self.rows).extend(other.rows[1..].iter().map(|end| end + transitions));
            self.targets.extend_from_slice(&other.targets);
        };
        let weights = || {
            self.values.extend(other.values.iter().map(named));
            self.rates.extend(other.rates.iter().map(named));
            self.actions.extend_from_slice(&other.actions);
            for (own, others) in self.step_rewards.iter_mut().zip(&other.step_rewards) {
                own.extend(others.iter().map(named));
            }
        };
        rayon::join(structure, weights);
        self.deadlocks.extend_from_slice(&other.deadlocks);
    }

    /// Writes the loop of a state that is not left, which earns nothing.
    pub fn stay(&mut self, state: u32, kind: Kind, earns: &[bool]) {
        self.targets.push(state);
        self.values.push(Numbers::ONE);
        self.rows.push(self.targets.len() as u32);
        if kind.has_choices() {
            self.actions.push(NONE);
        }
        if kind.is_timed() {
            self.rates.push(Numbers::ONE);
        }
        for (rewards, _) in self
            .step_rewards
            .iter_mut()
            .zip(earns)
            .filter(|(_, earns)| **earns)
        {
            rewards.push(Numbers::ZERO);
        }
    }
}
