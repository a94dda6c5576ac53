//! Rewards of both signs in chains: what is earned and what is paid until a goal are expected by themselves, and subtracted.
//!
//! Expectations are linear, and both are finite where the goal is reached almost surely, so that the difference is the value there; elsewhere the reward is infinite by
//! definition. With choices this does not work, because the two would be optimised by different schedulers: negative rewards of such models are refused, and so are totals
//! (`C`), which may have no value.

use crate::brackets;
use crate::check::{Trouble, Workshop};
use crate::numbers::{Num, Numbers};
use entail_budget::Budget;
use entail_markov::{Bracket, Optimum, Rational};
use fixedbitset::FixedBitSet;

impl Workshop<'_> {
    /// Whether a chain earns less than nothing by a structure somewhere, so that its rewards are to be split.
    pub(crate) fn is_signed(&mut self, structure: usize, budget: &Budget) -> Result<bool, Trouble> {
        if self.model.kind.has_choices() || self.model.has_intervals() {
            return Ok(false);
        }
        let rewards = self.signed_rewards(structure, budget)?;
        let negative = |&reward: &Num| *self.model.numbers.exact(reward) < Rational::ZERO;
        Ok(rewards.iter().any(negative))
    }

    /// The expected reward of a chain until a goal, with rewards of both signs; both parts are noted in the certificate.
    pub(crate) fn signed_reward(
        &mut self,
        structure: usize,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let rewards = self.signed_rewards(structure, budget)?;
        let numbers = &mut self.model.numbers;
        let (mut gains, mut losses) = (
            Vec::with_capacity(rewards.len()),
            Vec::with_capacity(rewards.len()),
        );
        for reward in rewards {
            let exact = numbers.exact(reward).clone();
            match exact < Rational::ZERO {
                true => {
                    gains.push(Numbers::ZERO);
                    losses.push(numbers.intern(-exact));
                }
                false => {
                    gains.push(reward);
                    losses.push(Numbers::ZERO);
                }
            }
        }
        let gains = self.reward_until(Optimum::Max, &gains, goal, budget)?;
        let gains = self.certified(gains);
        let losses = self.reward_until(Optimum::Max, &losses, goal, budget)?;
        let losses = self.certified(losses);
        if let (Bracket::Exact(gains), Bracket::Exact(losses)) = (&gains, &losses) {
            let difference =
                |(gain, loss): (&Option<Rational>, &Option<Rational>)| Some(gain.as_ref()? - loss.as_ref()?);
            return Ok(Bracket::Exact(gains.iter().zip(losses).map(difference).collect()));
        }
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for state in 0..self.size() {
            let ((gain_low, gain_high), (loss_low, loss_high)) =
                (brackets::floats(&gains, state), brackets::floats(&losses, state));
            // Where the goal may be missed both are infinite, and so is the reward.
            let infinite = gain_low == f64::INFINITY;
            lower.push(if infinite {
                f64::INFINITY
            } else {
                (gain_low - loss_high).next_down()
            });
            upper.push(if infinite {
                f64::INFINITY
            } else {
                (gain_high - loss_low).next_up()
            });
        }
        Ok(Bracket::Between { lower, upper })
    }
}
