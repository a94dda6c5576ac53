//! Bounded operators: so many steps, or so much time.
//!
//! Steps: the values of all states, one step back at a time, sums rounded outwards. Time in chains: uniformisation. With `q` at least every exit
//! rate, the chain jumps as a Poisson process of rate `q` (with loops), so that the probability at time `t` is the Poisson-weighted sum of
//! step-bounded ones. The mass beyond the weights kept is added to the upper bound (values are at most their largest value, which is known).

use crate::bounded_by_class::Asked;
use crate::check::{Trouble, Values, Workshop};
use crate::costs::Aim;
use crate::numbers::{Num, Numbers};
use entail_budget::Budget;
use entail_markov::Bracket;
use entail_markov::{Bounds, Limit, Optimum, Path, Property, Rational, to_float};
use entail_numeric::poisson::Poisson;
use entail_numeric::rounding::{down, up};
use fixedbitset::FixedBitSet;
use std::borrow::Cow;

/// Probabilities over a time that are found to be zero have such an upper bound.
const ZERO_IN_TIME: f64 = 1e-14;

/// Bounds around values that are off by at most `error`, relatively.
pub(crate) fn widened(values: Vec<f64>, error: f64) -> Bracket {
    Bracket::Between {
        lower: values.iter().map(|value| value * (1.0 - error)).collect(),
        upper: values
            .iter()
            .map(|value| value * (1.0 + error) + 1e-300)
            .collect(),
    }
}

/// Values with bounds, while steps are taken.
#[derive(Clone)]
pub(crate) struct Pair {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl Pair {
    pub fn indicator(set: &FixedBitSet) -> Pair {
        let values: Vec<f64> = (0..set.len())
            .map(|state| f64::from(u8::from(set.contains(state))))
            .collect();
        Pair {
            lower: values.clone(),
            upper: values,
        }
    }

    pub fn from_bracket(bracket: &Bracket) -> Pair {
        let pairs: Vec<(f64, f64)> = (0..bracket.len())
            .map(|state| crate::brackets::floats(bracket, state))
            .collect();
        Pair {
            lower: pairs.iter().map(|pair| pair.0).collect(),
            upper: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    /// A little room, so that a second computation with other roundings lies inside.
    pub fn into_bracket(self, probability: bool) -> Bracket {
        self.with_room(1e-11, probability)
    }

    /// The same with so much room, relatively.
    pub fn with_room(self, room: f64, probability: bool) -> Bracket {
        let cap = |value: f64| if probability { value.min(1.0) } else { value };
        Bracket::Between {
            lower: self
                .lower
                .into_iter()
                .map(|value| match probability && value == 1.0 {
                    true => 1.0,
                    false => (value * (1.0 - room)).max(0.0),
                })
                .collect(),
            upper: self
                .upper
                .into_iter()
                .map(|value| match value == 0.0 {
                    true => 0.0,
                    false => cap(value * (1.0 + room) + 1e-280),
                })
                .collect(),
        }
    }
}

/// Whole steps of a limit, with strict ones moved inwards.
fn steps(limit: &Limit) -> Result<u64, Trouble> {
    u64::try_from(limit.value.clone())
        .map_err(|_| Trouble::Unsupported("a number of steps that is too large".to_owned()))
}

impl Workshop<'_> {
    /// The probability of `stay U goal` within bounds, if there are any, as if every state was explored; noted in the certificate.
    pub(crate) fn until_known(
        &mut self,
        optimum: Optimum,
        stay: FixedBitSet,
        goal: FixedBitSet,
        bounds: Option<&Bounds>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let Some(bounds) = bounds else {
            return self.until(optimum, &stay, &goal, budget);
        };
        // Without an upper end the values after the lower one have a certificate of their own, epoch by epoch.
        let late = bounds.upper.is_none() && !self.network.kind.is_timed();
        if !bounds.is_time() || (late && !self.is_fair() && !self.model.has_intervals()) {
            let aim = Aim {
                optimum,
                stay: &stay,
                goal: &goal,
            };
            return self.until_within_costs(aim, bounds, budget);
        }
        let asked = Asked::Until {
            stay: Cow::Owned(stay),
            goal: Cow::Owned(goal),
            bounds,
        };
        let bracket = self.bounded(optimum, &asked, budget)?;
        Ok(self.certified(bracket))
    }

    /// Notes that bounds over a time are farther from each other than asked for: they are near absolutely, which is not enough for a very small value.
    pub(crate) fn note_if_wide(&mut self, property: &Property, values: &Values) {
        let (Property::Probability { path, .. }, Values::Numbers(bracket)) = (property, values) else {
            return;
        };
        let bounded = match path {
            Path::Finally(_, bounds)
            | Path::Globally(_, bounds)
            | Path::Until(_, _, bounds)
            | Path::WeakUntil(_, _, bounds)
            | Path::Release(_, _, bounds) => bounds.is_some(),
            _ => false,
        };
        let precision = self.settings.precision;
        let is_near = |state: &u32| {
            let (low, high) = crate::brackets::floats(bracket, *state as usize);
            let allowed = if precision.relative {
                high * precision.epsilon
            } else {
                precision.epsilon
            };
            // What is this small is zero, for all that doubles tell.
            high - low <= allowed || high <= ZERO_IN_TIME
        };
        if bounded && self.network.kind.is_timed() && !self.model.initial.iter().all(is_near) {
            let message = "bounds over a time are near absolutely, not relatively to so small a value";
            self.shortfall.get_or_insert_with(|| message.to_owned());
        }
    }

    /// About so many steps are computed for a bound on steps or time.
    pub(crate) fn expected_steps(&self, bound: &Rational) -> u64 {
        let rate = match self.network.kind.is_timed() {
            true => (self.model.rates.iter())
                .filter(|rate| rate.0 != crate::sparse::NONE)
                .map(|&rate| self.model.numbers.float(rate))
                .fold(0.0, f64::max),
            false => 1.0,
        };
        (rate * to_float(bound)) as u64
    }

    pub(crate) fn until_in_steps(
        &mut self,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let first = match &bounds.lower {
            Some(limit) => steps(limit)? + u64::from(limit.strict),
            None => 0,
        };
        let mut values = match &bounds.upper {
            Some(limit) => {
                let last = steps(limit)?.checked_sub(u64::from(limit.strict));
                let Some(length) = last.and_then(|last| last.checked_sub(first)) else {
                    let nowhere = FixedBitSet::with_capacity(self.size());
                    return Ok(crate::brackets::indicator(&nowhere));
                };
                if self.are_few(first + length) {
                    let steps = (first, first + length);
                    if let Some(exact) = self.until_in_few_steps(optimum, (stay, goal), steps, budget)? {
                        return Ok(exact);
                    }
                }
                let mut values = Pair::indicator(goal);
                for _ in 0..length {
                    let next = self.step_back(
                        optimum,
                        &values,
                        |state| stay.contains(state) && !goal.contains(state),
                        None,
                        budget,
                    )?;
                    let same = next.lower == values.lower && next.upper == values.upper;
                    values = next;
                    if same {
                        break;
                    }
                }
                values
            }
            None => Pair::from_bracket(&self.until_bracket(optimum, stay, goal, budget)?),
        };
        for _ in 0..first {
            let mut next = self.step_back(optimum, &values, |state| stay.contains(state), None, budget)?;
            for state in 0..self.size() {
                if !stay.contains(state) {
                    next.lower[state] = 0.0;
                    next.upper[state] = 0.0;
                }
            }
            values = next;
        }
        Ok(values.into_bracket(true))
    }

    /// One step back for the states that move; the others keep their values.
    pub(crate) fn step_back(
        &self,
        optimum: Optimum,
        values: &Pair,
        moving: impl Fn(usize) -> bool,
        rewards: Option<&[Num]>,
        budget: &Budget,
    ) -> Result<Pair, Trouble> {
        budget.check_now()?;
        let floats = self.model.numbers.floats();
        let mut next = values.clone();
        for state in 0..self.size() {
            if !moving(state) {
                continue;
            }
            let (mut low, mut high) = match optimum {
                Optimum::Max => (f64::NEG_INFINITY, f64::NEG_INFINITY),
                Optimum::Min => (f64::INFINITY, f64::INFINITY),
            };
            for choice in self.model.choices_of(state) {
                let row = self.model.row(choice);
                let terms = row.len() + 1;
                let earned = rewards.map_or(0.0, |rewards| floats[rewards[choice].0 as usize]);
                let (mut lower, mut upper) = (earned, earned);
                if self.model.has_intervals() {
                    let (low, high) = self.uncertain_averages(choice, values, optimum);
                    lower = down(lower + low, terms).max(0.0);
                    upper = up(upper + high, terms);
                }
                for at in row.filter(|_| !self.model.has_intervals()) {
                    let (probability, target) = (
                        floats[self.model.values[at].0 as usize],
                        self.model.targets[at] as usize,
                    );
                    lower += probability * values.lower[target];
                    upper += probability * values.upper[target];
                }
                // Where all targets have the same value, so has the choice: 0 and 1 stay what they are.
                let same = |of: &[f64]| {
                    let mut targets = self.model.targets_of(choice).iter();
                    let first = targets.next().map(|&target| of[target as usize])?;
                    let all = targets.all(|&target| of[target as usize] == first);
                    (rewards.is_none() && all).then_some(first)
                };
                let lower = same(&values.lower).unwrap_or_else(|| down(lower, terms));
                let upper = same(&values.upper).unwrap_or_else(|| up(upper, terms));
                match optimum {
                    Optimum::Max => (low, high) = (low.max(lower), high.max(upper)),
                    Optimum::Min => (low, high) = (low.min(lower), high.min(upper)),
                }
            }
            next.lower[state] = low;
            next.upper[state] = high;
        }
        Ok(next)
    }

    /// The reward of so many steps, or so much time.
    pub(crate) fn cumulative_reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        time: &Rational,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let rewards = self.choice_rewards(structure, budget)?;
        let rewards = Cow::Owned(rewards);
        self.bounded(optimum, &Asked::Cumulative { rewards, time }, budget)
    }

    /// The same, on the model as it is, from what choices earn.
    pub(crate) fn cumulative_plainly(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        time: &Rational,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        if self.is_ctmc() {
            // What is earned in a unit of time: the reward of a step times the rate of steps.
            let mut numbers = std::mem::take(&mut self.model.numbers);
            let rates: Vec<Num> = (0..self.size())
                .map(|state| {
                    let rate = self.model.rate(state).unwrap_or(Numbers::ONE);
                    numbers.multiply(rewards[state], rate)
                })
                .collect();
            self.model.numbers = numbers;
            let values = self.pair_of(&rates);
            return self.accumulated(&values, time, budget);
        }
        if self.network.kind.is_timed() {
            let nothing = Pair::indicator(&FixedBitSet::with_capacity(self.size()));
            return self.reward_in_random_time(optimum, Some(rewards), nothing, time, budget);
        }
        let steps =
            u64::try_from(time.clone()).map_err(|_| Trouble::Unsupported("too many steps".to_owned()))?;
        if self.are_few(steps) {
            let nothing = vec![Rational::ZERO; self.size()];
            if let Some(exact) = self.reward_of_few_steps(optimum, nothing, Some(rewards), steps, budget)? {
                return Ok(exact);
            }
        }
        let mut values = Pair::indicator(&FixedBitSet::with_capacity(self.size()));
        for _ in 0..steps {
            values = self.step_back(optimum, &values, |_| true, Some(rewards), budget)?;
        }
        Ok(values.into_bracket(false))
    }

    fn pair_of(&self, numbers: &[Num]) -> Pair {
        let pairs: Vec<(f64, f64)> = numbers
            .iter()
            .map(|&number| crate::brackets::around(self.model.numbers.exact(number)))
            .collect();
        Pair {
            lower: pairs.iter().map(|pair| pair.0).collect(),
            upper: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    /// The state's reward at one moment.
    pub(crate) fn instantaneous_reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        time: &Rational,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let rewards = self.state_rewards(structure, budget)?;
        if rewards
            .iter()
            .any(|&reward| self.model.numbers.float(reward) < 0.0)
        {
            return Err(Trouble::Unsupported(
                "negative rewards are not supported".to_owned(),
            ));
        }
        let rewards = Cow::Owned(rewards);
        self.bounded(optimum, &Asked::Instantaneous { rewards, time }, budget)
    }

    /// The same, on the model as it is, from what states earn.
    pub(crate) fn instantaneous_plainly(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        time: &Rational,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let mut values = self.pair_of(rewards);
        if self.is_ctmc() {
            let moving = self.everywhere();
            let room = self.room_in_time(time);
            return Ok(self
                .transient(&values, &moving, time, budget)?
                .with_room(room, false));
        }
        if self.network.kind.is_timed() {
            return self.reward_in_random_time(optimum, None, values, time, budget);
        }
        let steps =
            u64::try_from(time.clone()).map_err(|_| Trouble::Unsupported("too many steps".to_owned()))?;
        if self.are_few(steps) {
            let end = rewards
                .iter()
                .map(|&reward| self.model.numbers.exact(reward).clone());
            if let Some(exact) = self.reward_of_few_steps(optimum, end.collect(), None, steps, budget)? {
                return Ok(exact);
            }
        }
        for _ in 0..steps {
            values = self.step_back(optimum, &values, |_| true, None, budget)?;
        }
        Ok(values.into_bracket(false))
    }

    pub(crate) fn until_in_time(
        &mut self,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        bounds: &Bounds,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        // Strict bounds make no difference in continuous time, except at 0.
        let first = bounds
            .lower
            .as_ref()
            .map_or(Rational::ZERO, |limit| limit.value.clone());
        let mut values = match &bounds.upper {
            Some(limit) => {
                let mut moving = stay.clone();
                moving.difference_with(goal);
                let length = &limit.value - &first;
                self.transient(&Pair::indicator(goal), &moving, &length, budget)?
            }
            None => Pair::from_bracket(&self.until_bracket(Optimum::Max, stay, goal, budget)?),
        };
        if first > Rational::ZERO {
            for state in 0..self.size() {
                if !stay.contains(state) {
                    // Leaving `stay` before the first moment loses.
                    values.lower[state] = 0.0;
                    values.upper[state] = 0.0;
                }
            }
            values = self.transient(&values, stay, &first, budget)?;
        }
        let length = bounds.upper.as_ref().map_or(&first, |limit| &limit.value);
        Ok(values.with_room(self.room_in_time(length), true))
    }

    /// A rate that is at least the exit rate of every moving state, exactly representable.
    fn uniform_rate(&self, moving: &FixedBitSet) -> f64 {
        let rates = moving.ones().filter_map(|state| self.model.rate(state));
        let largest = rates
            .map(|rate| self.model.numbers.float(rate))
            .fold(0.0, f64::max);
        (largest * 1.02).max(1e-300)
    }

    /// One step of the uniformised chain back: `x + (E / q) (P x - x)`, where `E ≤ q`.
    fn uniform_step(&self, values: &Pair, moving: &FixedBitSet, q: f64) -> Pair {
        let floats = self.model.numbers.floats();
        let mut next = values.clone();
        for state in moving.ones() {
            let rate = self
                .model
                .rate(state)
                .map_or(0.0, |rate| self.model.numbers.float(rate));
            let (leave_low, leave_high) = (
                (rate / q).next_down().next_down().max(0.0),
                (rate / q).next_up().next_up(),
            );
            let row = self.model.row(state);
            let terms = row.len();
            let (mut lower, mut upper) = (0.0, 0.0);
            for at in row {
                let (probability, target) = (
                    floats[self.model.values[at].0 as usize],
                    self.model.targets[at] as usize,
                );
                lower += probability * values.lower[target];
                upper += probability * values.upper[target];
            }
            let (lower, upper) = (down(lower, terms), up(upper, terms));
            // The share that leaves is known up to rounding: both ends are tried.
            let mix = |share: f64, value: f64, own: f64| share * value + (1.0 - share) * own;
            let own = (values.lower[state], values.upper[state]);
            let low = mix(leave_low, lower, own.0).min(mix(leave_high, lower, own.0));
            let high = mix(leave_low, upper, own.1).max(mix(leave_high, upper, own.1));
            next.lower[state] = down(low, 4);
            next.upper[state] = up(high, 4);
        }
        next
    }

    fn poisson(&self, q: f64, time: &Rational) -> Result<Poisson, Trouble> {
        let epsilon = (self.settings.precision.epsilon * 1e-4).clamp(1e-18, 1e-10);
        Poisson::new(q * to_float(time), epsilon).ok_or_else(|| {
            Trouble::Unsupported("rates times time are too large for uniformisation".to_owned())
        })
    }

    /// The expected value at a time of `values`, where only some states move.
    pub(crate) fn transient(
        &self,
        values: &Pair,
        moving: &FixedBitSet,
        time: &Rational,
        budget: &Budget,
    ) -> Result<Pair, Trouble> {
        let q = self.uniform_rate(moving);
        let poisson = self.poisson(q, time)?;
        // q·t is rounded: the weights are those of a rate that is off by two units, which moves them by so much in total.
        let rate_error = 4.0 * f64::EPSILON * (q * to_float(time) + 1.0);
        let largest = values.upper.iter().copied().fold(0.0, f64::max);
        let size = self.size();
        let mut sum = Pair {
            lower: vec![0.0; size],
            upper: vec![0.0; size],
        };
        let mut power = values.clone();
        let mut settled = false;
        for k in 0..=poisson.right() {
            if k >= poisson.left {
                let weight = poisson.weights[(k - poisson.left) as usize];
                let (low, high) = (
                    weight * (1.0 - poisson.relative_error),
                    weight * (1.0 + poisson.relative_error),
                );
                let low = low * (1.0 - poisson.outside);
                for state in 0..size {
                    sum.lower[state] += low * power.lower[state];
                    sum.upper[state] += high * power.upper[state];
                }
            }
            if k < poisson.right() && !settled {
                budget.check_now()?;
                let next = self.uniform_step(&power, moving, q);
                // Once nothing changes any more, further steps change nothing either.
                settled = next.lower == power.lower && next.upper == power.upper;
                power = next;
            }
        }
        let terms = poisson.weights.len();
        let extra = (poisson.outside + rate_error) * largest;
        for state in 0..size {
            sum.lower[state] = (down(sum.lower[state], terms) - rate_error * largest).max(0.0);
            sum.upper[state] = up(sum.upper[state], terms) + extra;
        }
        Ok(sum)
    }

    /// The integral over a time of the expected value of `rates`.
    fn accumulated(&self, rates: &Pair, time: &Rational, budget: &Budget) -> Result<Bracket, Trouble> {
        let moving = self.everywhere();
        let q = self.uniform_rate(&moving);
        let poisson = self.poisson(q, time)?;
        let rate_error = 4.0 * f64::EPSILON * (q * to_float(time) + 1.0);
        let length = to_float(time);
        let size = self.size();
        let largest = rates.upper.iter().copied().fold(0.0, f64::max);
        // The integral is the sum over k of (1/q) P(more than k jumps) P^k r.
        let mut sum = Pair {
            lower: vec![0.0; size],
            upper: vec![0.0; size],
        };
        let mut power = rates.clone();
        let mut more = 1.0f64;
        let mut settled = false;
        for k in 0..=poisson.right() {
            if k >= poisson.left {
                more -= poisson.weights[(k - poisson.left) as usize];
            }
            let error = poisson.relative_error + poisson.outside + rate_error + 1e-15;
            let (low, high) = ((more - error).max(0.0) / q, (more + error).clamp(0.0, 1.0) / q);
            for state in 0..size {
                sum.lower[state] += low * power.lower[state];
                sum.upper[state] += high * power.upper[state];
            }
            if k < poisson.right() && !settled {
                budget.check_now()?;
                let next = self.uniform_step(&power, &moving, q);
                settled = next.lower == power.lower && next.upper == power.upper;
                power = next;
            }
        }
        let terms = poisson.right() as usize + 4;
        // Beyond the last weight: at most the mass left times the time it stands for.
        let extra = (poisson.outside + rate_error) * largest * (length + 1.0 / q) * 4.0;
        for state in 0..size {
            sum.lower[state] = (down(sum.lower[state], terms) - extra).max(0.0);
            sum.upper[state] = up(sum.upper[state], terms) + extra;
        }
        Ok(sum.with_room(self.room_in_time(time), false))
    }

    /// The room that a second computation over a time needs: errors grow with the number of jumps.
    fn room_in_time(&self, time: &Rational) -> f64 {
        let jumps = self.uniform_rate(&self.everywhere()) * to_float(time);
        (1e-10 + 1e-13 * jumps).min(self.settings.precision.epsilon * 0.2)
    }
}
