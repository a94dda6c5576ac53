//! Operators over a number of steps or a time, on the quotient of bisimilar states where that pays.
//!
//! Which states may be put together depends on what is asked: sets are respected, and what is earned. The values of classes are then those of their states.

use crate::check::{Trouble, Workshop};
use crate::lumped::Quotient;
use crate::numbers::Num;
use entail_budget::Budget;
use entail_markov::{Bounds, Bracket, Optimum, Rational};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

/// An operator over a number of steps or a time.
pub(crate) enum Asked<'a> {
    /// The probability of `stay U goal` within bounds.
    Until {
        stay: Cow<'a, FixedBitSet>,
        goal: Cow<'a, FixedBitSet>,
        bounds: &'a Bounds,
    },
    /// What choices earn until a time.
    Cumulative {
        rewards: Cow<'a, [Num]>,
        time: &'a Rational,
    },
    /// What the state earns at a time.
    Instantaneous {
        rewards: Cow<'a, [Num]>,
        time: &'a Rational,
    },
}

impl Asked<'_> {
    /// The time or the number of steps.
    fn time(&self) -> Option<&Rational> {
        match self {
            Asked::Until { bounds, .. } => {
                let last = bounds.upper.as_ref().or(bounds.lower.as_ref());
                last.map(|limit| &limit.value)
            }
            Asked::Cumulative { time, .. } | Asked::Instantaneous { time, .. } => Some(time),
        }
    }

    /// What tells states apart from the beginning.
    fn colour(&self, state: usize) -> u32 {
        match self {
            Asked::Until { stay, goal, bounds } => match (goal.contains(state), stay.contains(state)) {
                (true, _) if bounds.lower.is_none() => 1,
                (goal, stay) => u32::from(goal) + 2 * u32::from(stay),
            },
            Asked::Cumulative { .. } => 0,
            Asked::Instantaneous { rewards, .. } => rewards[state].0,
        }
    }

    /// The same question to the quotient.
    fn to_classes(&self, small: &Quotient<'_>) -> Asked<'_> {
        match self {
            Asked::Until { stay, goal, bounds } => Asked::Until {
                stay: Cow::Owned(small.set(stay)),
                goal: Cow::Owned(small.set(goal)),
                bounds,
            },
            Asked::Cumulative { rewards, time } => Asked::Cumulative {
                rewards: Cow::Owned(small.of_choices(rewards)),
                time,
            },
            Asked::Instantaneous { rewards, time } => Asked::Instantaneous {
                rewards: Cow::Owned(small.of_states(rewards)),
                time,
            },
        }
    }
}

impl Workshop<'_> {
    /// The values of an operator, on the quotient if that pays.
    pub(crate) fn bounded(
        &mut self,
        optimum: Optimum,
        asked: &Asked<'_>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let colours: Vec<u32> = (0..self.size()).map(|state| asked.colour(state)).collect();
        let moving = match asked {
            Asked::Until { stay, goal, bounds } => {
                let mut moving = stay.clone().into_owned();
                // Before the lower bound is reached the goal is a state like others.
                if bounds.lower.is_none() {
                    moving.difference_with(goal);
                }
                moving
            }
            _ => self.everywhere(),
        };
        let rewards = match asked {
            Asked::Cumulative { rewards, .. } => Some(&**rewards),
            _ => None,
        };
        let steps = asked.time().map_or(0, |time| self.expected_steps(time));
        let Some(mut small) = self.quotient(&colours, &moving, rewards, steps, budget)? else {
            return self.bounded_plainly(optimum, asked, budget);
        };
        let bracket = {
            let to_classes = asked.to_classes(&small);
            (small.workshop).bounded_plainly(optimum, &to_classes, budget)?
        };
        let (lifted, classes) = (small.lift(&bracket), small.classes());
        self.classes += classes;
        Ok(lifted)
    }

    /// The same on the model as it is.
    fn bounded_plainly(
        &mut self,
        optimum: Optimum,
        asked: &Asked<'_>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        match asked {
            Asked::Until { stay, goal, bounds } => match (self.is_ctmc(), self.network.kind.is_timed()) {
                (true, _) => self.until_in_time(stay, goal, bounds, budget),
                (false, true) => self.until_in_random_time(optimum, stay, goal, bounds, budget),
                (false, false) => self.until_in_steps(optimum, stay, goal, bounds, budget),
            },
            Asked::Cumulative { rewards, time } => self.cumulative_plainly(optimum, rewards, time, budget),
            Asked::Instantaneous { rewards, time } => {
                self.instantaneous_plainly(optimum, rewards, time, budget)
            }
        }
    }
}
