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

    /// Appends the rows of the states that follow, some after the others, whose numbers have other names here; threads share the lists. There is room for all transitions.
    pub fn append(&mut self, parts: &[(&Parts, &[Num])]) {
        let named = |names: &'_ [Num], number: &Num| match number.0 {
            NONE => Num(NONE),
            own => names[own as usize],
        };
        let (mut choices, mut transitions) = ((self.rows.len() - 1) as u32, self.targets.len() as u32);
        let (own_choices, rows, targets, values) = (
            &mut self.choices,
            &mut self.rows,
            &mut self.targets,
            &mut self.values,
        );
        let (rates, actions, step_rewards) = (&mut self.rates, &mut self.actions, &mut self.step_rewards);
        let structure = || {
            for (part, _) in parts {
                targets.extend_from_slice(&part.targets);
                own_choices.extend(part.choices[1..].iter().map(|end| end + choices));
                rows.extend(part.rows[1..].iter().map(|end| end + transitions));
                choices += (part.rows.len() - 1) as u32;
                transitions += part.targets.len() as u32;
            }
        };
        let weights = || {
            for (part, names) in parts {
                values.extend(part.values.iter().map(|number| named(names, number)));
            }
        };
        let others = || {
            for (part, names) in parts {
                rates.extend(part.rates.iter().map(|number| named(names, number)));
                actions.extend_from_slice(&part.actions);
                for (own, others) in step_rewards.iter_mut().zip(&part.step_rewards) {
                    own.extend(others.iter().map(|number| named(names, number)));
                }
            }
        };
        rayon::join(|| rayon::join(structure, others), weights);
        for (part, _) in parts {
            self.deadlocks.extend_from_slice(&part.deadlocks);
        }
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
