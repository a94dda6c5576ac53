//! Operators over a few steps of small models, in rationals.
//!
//! Denominators grow with every step, so that this pays only where steps times transitions are few, or where fractions were asked for. What it gives are fractions, which
//! comparisons with a bound that is the value itself need.

use crate::check::{Exactness, Trouble, Workshop};
use crate::numbers::Num;
use entail_budget::Budget;
use entail_markov::{Bracket, Optimum, Rational};
use fixedbitset::FixedBitSet;

/// Steps times transitions, where nobody asks for fractions.
const CHEAP: u64 = 10_000;

/// Steps times transitions, where fractions are asked for; beyond, there are bounds.
const ASKED: u64 = 2_000_000;

/// More steps make long fractions.
const FEW: u64 = 50;

/// Fractions with more letters are of no use to those who did not ask for them: they get bounds.
const LONG: usize = 40;

impl Workshop<'_> {
    /// Whether so many steps are taken in rationals.
    pub(crate) fn are_few(&self, steps: u64) -> bool {
        let work = steps.saturating_mul(self.model.transitions() as u64);
        let certain = !self.model.has_intervals() && self.model.unexplored.is_clear();
        certain
            && match self.settings.exactness {
                Exactness::Always => work <= ASKED,
                Exactness::WhereCheap => steps <= FEW && work <= CHEAP,
                Exactness::Never => false,
            }
    }

    /// The probability of reaching a goal through `stay` not before the first and not after the last step; nothing if fractions become long.
    pub(crate) fn until_in_few_steps(
        &self,
        optimum: Optimum,
        (stay, goal): (&FixedBitSet, &FixedBitSet),
        (first, last): (u64, u64),
        budget: &Budget,
    ) -> Result<Option<Bracket>, Trouble> {
        let inside = |state| match goal.contains(state) {
            true => Rational::ONE,
            false => Rational::ZERO,
        };
        let mut values: Vec<Rational> = (0..self.size()).map(inside).collect();
        for step in (0..last).rev() {
            let settled = |state: usize| match (stay.contains(state), step < first) {
                (true, true) => None,
                (true, false) if !goal.contains(state) => None,
                (_, true) => Some(Rational::ZERO),
                (_, false) => Some(inside(state)),
            };
            values = self.step_back_exactly(optimum, &values, &settled, None, budget)?;
        }
        Ok(self.unless_long(values))
    }

    /// What is earned in so many steps, or after them, from the values at the end; nothing if fractions become long.
    pub(crate) fn reward_of_few_steps(
        &self,
        optimum: Optimum,
        mut values: Vec<Rational>,
        rewards: Option<&[Num]>,
        steps: u64,
        budget: &Budget,
    ) -> Result<Option<Bracket>, Trouble> {
        for _ in 0..steps {
            values = self.step_back_exactly(optimum, &values, &|_| None, rewards, budget)?;
        }
        Ok(self.unless_long(values))
    }

    fn unless_long(&self, values: Vec<Rational>) -> Option<Bracket> {
        let asked = self.settings.exactness == Exactness::Always;
        let short = |value: &Rational| value.to_string().len() <= LONG;
        (asked || values.iter().all(short)).then(|| Bracket::Exact(values.into_iter().map(Some).collect()))
    }

    /// One step back; `settled` is the value of states that do not move.
    fn step_back_exactly(
        &self,
        optimum: Optimum,
        values: &[Rational],
        settled: &dyn Fn(usize) -> Option<Rational>,
        rewards: Option<&[Num]>,
        budget: &Budget,
    ) -> Result<Vec<Rational>, Trouble> {
        let numbers = &self.model.numbers;
        let mut next = Vec::with_capacity(values.len());
        for state in 0..values.len() {
            budget.check()?;
            if let Some(value) = settled(state) {
                next.push(value);
                continue;
            }
            let worth = |choice: usize| {
                let earned = rewards.map_or(Rational::ZERO, |rewards| numbers.exact(rewards[choice]).clone());
                (self.model.row(choice)).fold(earned, |sum, at| {
                    let value = &values[self.model.targets[at] as usize];
                    match value.is_zero() {
                        true => sum,
                        false => sum + numbers.exact(self.model.values[at]) * value,
                    }
                })
            };
            let all = self.model.choices_of(state).map(worth);
            let best = match optimum {
                Optimum::Max => all.max(),
                Optimum::Min => all.min(),
            };
            next.push(best.unwrap_or(Rational::ZERO));
        }
        Ok(next)
    }
}
