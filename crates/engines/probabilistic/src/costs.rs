//! Bounds on rewards: the probability of `stay U goal` while what has been earned lies within bounds.
//!
//! The model is unfolded with what has been earned so far, an exact number. Beyond an upper bound nothing is won any more, and beyond a lower
//! bound without an upper one it does not matter how far, so that the unfolding is finite where rewards are. Rewards must be the same for all
//! outcomes of a choice: averages do not tell when a bound is passed.

use crate::check::{Trouble, Workshop};
use crate::linear::pulled_back;
use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::Bracket;
use entail_markov::{Bounds, Limit, Optimum, Rational};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;

/// What has been earned: a number, or more than any bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Earned {
    So(Num),
    Beyond,
}

impl Workshop<'_> {
    /// The probability of `stay U goal` with the reward within bounds.
    pub(crate) fn until_within_reward(
        &mut self,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        structure: usize,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        self.without_intervals("bounds on rewards")?;
        self.without_fairness("bounds on rewards")?;
        if self.network.kind.is_timed() {
            return Err(Trouble::Unsupported(
                "bounds on rewards in timed models are not supported".to_owned(),
            ));
        }
        if self.model.mixed_rewards[structure] {
            let message = "bounds on a reward that differs between outcomes of one choice are not supported";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let rewards = self.choice_rewards(structure, budget)?;
        let below = |limit: &Limit, earned: &Rational| match limit.strict {
            true => *earned < limit.value,
            false => *earned <= limit.value,
        };
        let above = |limit: &Limit, earned: &Rational| match limit.strict {
            true => *earned > limit.value,
            false => *earned >= limit.value,
        };
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut beyond = |earned: Num, more: Num| {
            let sum = numbers.add(earned, more);
            let exact = numbers.exact(sum);
            let past = match (&bounds.upper, &bounds.lower) {
                (Some(upper), _) => !below(upper, exact),
                (None, Some(lower)) => above(lower, exact),
                (None, None) => true,
            };
            if past { Earned::Beyond } else { Earned::So(sum) }
        };
        let begin = beyond(Numbers::ZERO, Numbers::ZERO);
        let mut known: FxHashMap<(u32, Earned), u32> = FxHashMap::default();
        let mut found: Vec<(u32, Earned)> = Vec::new();
        let mut number = |found: &mut Vec<(u32, Earned)>, key: (u32, Earned)| {
            *known.entry(key).or_insert_with(|| {
                found.push(key);
                (found.len() - 1) as u32
            })
        };
        let start: Vec<u32> = (0..self.model.states())
            .map(|state| number(&mut found, (state as u32, begin)))
            .collect();
        let mut model = Sparse::empty(self.model.kind, &self.network);
        model.initial = (self.model.initial.iter())
            .map(|&state| start[state as usize])
            .collect();
        let mut choices = 0u32;
        let mut at = 0;
        let mut spent = Ok(());
        while at < found.len() {
            spent = budget.check();
            if spent.is_err() {
                break;
            }
            let (state, earned) = found[at];
            for choice in self.model.choices_of(state as usize) {
                let next = match earned {
                    Earned::Beyond => Earned::Beyond,
                    Earned::So(earned) => beyond(earned, rewards[choice]),
                };
                for transition in self.model.row(choice) {
                    model
                        .targets
                        .push(number(&mut found, (self.model.targets[transition], next)));
                    model.values.push(self.model.values[transition]);
                }
                model.rows.push(model.targets.len() as u32);
                choices += 1;
            }
            model.choices.push(choices);
            at += 1;
        }
        self.model.numbers = numbers;
        spent?;
        let numbers = &self.model.numbers;
        let (mut way, mut there) = (
            FixedBitSet::with_capacity(found.len()),
            FixedBitSet::with_capacity(found.len()),
        );
        for (at, (state, earned)) in found.iter().enumerate() {
            let inside = match (earned, &bounds.lower, &bounds.upper) {
                (Earned::Beyond, _, Some(_)) => false,
                (Earned::Beyond, _, None) => true,
                (Earned::So(earned), Some(lower), _) => above(lower, numbers.exact(*earned)),
                (Earned::So(_), None, _) => true,
            };
            there.set(at, inside && goal.contains(*state as usize));
            let lost = *earned == Earned::Beyond && bounds.upper.is_some();
            way.set(at, !lost && stay.contains(*state as usize));
        }
        model.numbers = numbers.clone();
        let mut workshop = Workshop::around(&self.network, model, self.settings);
        let bracket = workshop.until_bracket(optimum, &way, &there, budget)?;
        self.sweeps += workshop.sweeps;
        let bracket = self.certified(bracket);
        Ok(pulled_back(&bracket, &start))
    }
}
