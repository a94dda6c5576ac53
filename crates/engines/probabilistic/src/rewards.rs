//! What states and choices earn by a reward structure, in interned numbers.

use crate::bytecode::Code;
use crate::check::{Trouble, Workshop};
use crate::numbers::{Num, Numbers};
use entail_budget::Budget;
use entail_markov::{Network, interpreter};

impl Workshop<'_> {
    /// What choices earn on the average by a structure: the state's reward for the time spent, and the step's.
    /// None may be negative.
    pub(crate) fn choice_rewards(&mut self, structure: usize, budget: &Budget) -> Result<Vec<Num>, Trouble> {
        let rewards = self.signed_rewards(structure, budget)?;
        let negative = |&reward: &Num| self.model.numbers.float(reward) < 0.0;
        match rewards.iter().any(negative) {
            false => Ok(rewards),
            true => Err(Trouble::Unsupported(
                "negative rewards are supported in chains, until a goal (`F`), and nowhere else".to_owned(),
            )),
        }
    }

    /// The same, whatever their signs.
    pub(crate) fn signed_rewards(&mut self, structure: usize, budget: &Budget) -> Result<Vec<Num>, Trouble> {
        if let Some(Some(known)) = self.rewards.get(structure) {
            return Ok(known.clone());
        }
        let states = self.state_rewards(structure, budget)?;
        let timed = self.network.kind.is_timed();
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut found = Vec::with_capacity(self.model.rows.len() - 1);
        for (state, &own) in states.iter().enumerate() {
            for choice in self.model.choices_of(state) {
                let step = self.model.step_rewards[structure]
                    .get(choice)
                    .copied()
                    .unwrap_or(Numbers::ZERO);
                let for_time = match (self.model.rate(choice), timed) {
                    (Some(rate), _) => numbers.divide(own, rate),
                    (None, true) => Numbers::ZERO,
                    (None, false) => own,
                };
                found.push(numbers.add(for_time, step));
            }
        }
        self.model.numbers = numbers;
        if let Some(place) = self.rewards.get_mut(structure) {
            *place = Some(found.clone());
        }
        Ok(found)
    }

    /// What being in a state earns by a structure.
    pub(crate) fn state_rewards(&mut self, structure: usize, budget: &Budget) -> Result<Vec<Num>, Trouble> {
        let network: &Network = &self.network;
        let items = &network.rewards[structure].states;
        let codes: Vec<Code> = items.iter().map(|item| Code::new(network, &item.guard)).collect();
        let (mut state, mut stack) = (Vec::new(), Vec::new());
        let mut found = Vec::with_capacity(self.size());
        for at in 0..self.size() {
            budget.check()?;
            self.model.store.read(at, &mut state);
            let mut sum = Numbers::ZERO;
            for (item, code) in items.iter().zip(&codes) {
                let applies = match code.run(network, &state, &mut stack) {
                    Ok(value) => value != 0,
                    Err(_) => interpreter::truth(network, &item.guard, &state, item.place)?,
                };
                if applies {
                    let value = match item.value.constant().and_then(|value| value.number()) {
                        Some(constant) => constant,
                        None => interpreter::number(network, &item.value, &state, item.place)?,
                    };
                    let value = self.model.numbers.intern(value);
                    sum = self.model.numbers.add(sum, value);
                }
            }
            found.push(sum);
        }
        Ok(found)
    }
}
