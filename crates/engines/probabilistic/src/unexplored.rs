//! Answers about a model of which only a part was explored.
//!
//! A state that was met and not expanded may lead anywhere. So an operator is computed twice: once as if such states lost everything, once as if they won
//! (for rewards: as if the goal was reached there with nothing more to earn, and as if it never was). The first value is below the one of the whole model and the second
//! above it, for every scheduler and so for the optimum. Where what is asked is settled in every unexplored state, both are the same and one is enough. Operators
//! for which this says nothing are refused.

use crate::brackets::floats;
use crate::check::{Trouble, Workshop};
use crate::numbers::Num;
use entail_budget::Budget;
use entail_markov::{Bounds, Bracket, Optimum};
use fixedbitset::FixedBitSet;

/// What bounds say about the states of a part of a model: which way an explorer should go to narrow them.
pub(crate) struct Guide {
    /// The optimum over schedulers.
    pub optimum: Optimum,
    /// The lower and the upper value of each state.
    pub bounds: Vec<(f64, f64)>,
}

impl Workshop<'_> {
    /// Number of states that were met and not expanded.
    pub fn unexplored(&self) -> usize {
        self.model.unexplored.count_ones(..)
    }

    /// Refuses what needs the whole model if only a part was explored.
    pub(crate) fn explored_whole(&self, what: &str) -> Result<(), Trouble> {
        match self.unexplored() {
            0 => Ok(()),
            some => Err(Trouble::Unsupported(format!(
                "{what} would need the whole model, of which {some} states were met and not explored"
            ))),
        }
    }

    /// The probability of `stay U goal` within bounds, if there are any; noted in the certificate, with both values where unexplored states matter.
    pub(crate) fn until_within(
        &mut self,
        optimum: Optimum,
        mut stay: FixedBitSet,
        mut goal: FixedBitSet,
        bounds: Option<&Bounds>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let mut open = self.model.unexplored.clone();
        if !bounds.is_some_and(Bounds::has_lower) {
            open.difference_with(&goal);
            open.intersect_with(&stay);
        }
        if open.is_clear() {
            return self.until_known(optimum, stay, goal, bounds, budget);
        }
        self.without_fairness("models that are explored in part")?;
        if bounds.is_some_and(|bounds| !bounds.is_time()) {
            self.explored_whole("bounds on rewards")?;
        }
        let (mut way, mut won) = (stay.clone(), goal.clone());
        way.union_with(&open);
        won.union_with(&open);
        stay.difference_with(&open);
        goal.difference_with(&open);
        let low = self.until_known(optimum, stay, goal, bounds, budget)?;
        let high = self.until_known(optimum, way, won, bounds, budget)?;
        Ok(self.guided(optimum, &low, &high))
    }

    /// The expected reward until a goal, as [`Workshop::until_within`].
    pub(crate) fn reward_until_met(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let mut open = self.model.unexplored.clone();
        open.difference_with(goal);
        if open.is_clear() {
            let bracket = self.reward_until(optimum, rewards, goal, budget)?;
            return Ok(self.certified(bracket));
        }
        let mut sooner = goal.clone();
        sooner.union_with(&open);
        let low = self.reward_until(optimum, rewards, &sooner, budget)?;
        let low = self.certified(low);
        let high = self.reward_until(optimum, rewards, goal, budget)?;
        let high = self.certified(high);
        Ok(self.guided(optimum, &low, &high))
    }

    /// The lower values of one bracket and the upper values of another, kept for the explorer.
    fn guided(&mut self, optimum: Optimum, low: &Bracket, high: &Bracket) -> Bracket {
        let bounds: Vec<(f64, f64)> = (0..self.size())
            .map(|state| (floats(low, state).0, floats(high, state).1))
            .collect();
        let (lower, upper) = bounds.iter().copied().unzip();
        self.guide = Some(Guide { optimum, bounds });
        Bracket::Between { lower, upper }
    }
}
