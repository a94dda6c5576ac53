//! Long-run averages of chains: renewal. Models with choices: [`long_run_choices`](crate::long_run_choices).
//!
//! In a bottom component pick a state; the average is what is earned between two visits divided by the time between two visits. Both are
//! expected rewards until a goal, so that the sound and the exact methods for these give sound and exact averages. From elsewhere the average is
//! that of the component in which the chain ends up, weighted with the probability of ending there.

use crate::check::{Trouble, Workshop};
use crate::components::end_components;
use crate::numbers::{Num, Numbers};
use crate::reach::Fixed;
use entail_budget::Budget;
use entail_markov::{Bracket, Kind};
use entail_markov::{Optimum, Rational};
use fixedbitset::FixedBitSet;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// A walk through a component takes so many steps for each of its states, and at most so many in all.
const WALKED: usize = 20;
const LONGEST_WALK: usize = 400_000;

impl Workshop<'_> {
    /// The time that choices take on the average: a step, or the mean delay.
    pub(crate) fn durations(&mut self) -> Vec<Num> {
        let timed = self.network.kind.is_timed();
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let choices = 0..self.model.rows.len() - 1;
        let durations = choices.map(|choice| match (self.model.rate(choice), timed) {
            (Some(rate), _) => numbers.divide(Numbers::ONE, rate),
            (None, true) => Numbers::ZERO,
            (None, false) => Numbers::ONE,
        });
        let durations = durations.collect();
        self.model.numbers = numbers;
        durations
    }

    /// The long-run share of time in some states.
    pub(crate) fn long_run_probability(
        &mut self,
        optimum: Optimum,
        states: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let mut rewards = self.durations();
        for state in 0..self.size() {
            if !states.contains(state) {
                for choice in self.model.choices_of(state) {
                    rewards[choice] = Numbers::ZERO;
                }
            }
        }
        let bracket = self.average(optimum, &rewards, budget)?;
        Ok(self.certified(bracket))
    }

    /// The long-run average of a reward structure.
    pub(crate) fn long_run_reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let rewards = self.choice_rewards(structure, budget)?;
        self.average(optimum, &rewards, budget)
    }

    fn average(&mut self, optimum: Optimum, rewards: &[Num], budget: &Budget) -> Result<Bracket, Trouble> {
        let branching = (0..self.size()).any(|state| self.model.choices_of(state).len() > 1);
        let durations = self.durations();
        // Where steps may take no time, several states may be there at once when a round begins: potentials do not mind.
        if branching || self.network.kind == Kind::Ma {
            return self.average_of_choices(optimum, (rewards, &durations[..]), budget);
        }
        // There is nothing to choose.
        let optimum = Optimum::Max;
        let components = end_components(&self.model, &self.everywhere(), &|_| true, budget)?;
        let chosen: Vec<usize> = (components.iter())
            .map(|component| self.often_visited(&component.states, budget))
            .collect::<Result<_, _>>()?;
        let mut inside = FixedBitSet::with_capacity(self.size());
        let mut goal = FixedBitSet::with_capacity(self.size());
        for (component, &state) in components.iter().zip(&chosen) {
            inside.extend(component.states.iter().map(|&state| state as usize));
            goal.insert(state);
        }
        let fixed = |state: usize| {
            if goal.contains(state) {
                Fixed::Zero
            } else if inside.contains(state) {
                Fixed::Open
            } else {
                Fixed::Infinite
            }
        };
        // What counts are the values one step from the chosen states.
        let watched: Vec<u32> = (chosen.iter())
            .flat_map(|&state| {
                self.model
                    .targets_of(self.model.choices_of(state).start)
                    .iter()
                    .copied()
            })
            .collect();
        let before = std::mem::replace(&mut self.model.initial, watched);
        let settings = self.settings;
        self.settings.precision.epsilon *= 0.2;
        self.settings.precision.relative = true;
        let earned = self.solve(optimum, &fixed, Vec::new(), Some(rewards), &|_| false, budget);
        let taken = self.solve(optimum, &fixed, Vec::new(), Some(&durations), &|_| false, budget);
        self.settings = settings;
        self.model.initial = before;
        let (earned, taken) = (self.certified(earned?), self.certified(taken?));
        let mut bounds = Vec::new();
        for &state in &chosen {
            let choice = self.model.choices_of(state).start;
            let around = |of: &Bracket, own: Num| -> Option<(Rational, Rational)> {
                let numbers = &self.model.numbers;
                let mut sum = (numbers.exact(own).clone(), numbers.exact(own).clone());
                for at in self.model.row(choice) {
                    let (probability, target) = (
                        numbers.exact(self.model.values[at]),
                        self.model.targets[at] as usize,
                    );
                    sum.0 += probability * of.lower(target)?;
                    sum.1 += probability * of.upper(target)?;
                }
                Some(sum)
            };
            let unknown = || Trouble::Undecided("the bounds of a long-run average are not finite".to_owned());
            let (earned_low, earned_high) = around(&earned, rewards[choice]).ok_or_else(unknown)?;
            let (taken_low, taken_high) = around(&taken, durations[choice]).ok_or_else(unknown)?;
            if taken_low <= Rational::ZERO {
                return Err(Trouble::Unsupported(
                    "a component in which no time passes".to_owned(),
                ));
            }
            bounds.push((earned_low / taken_high, earned_high / taken_low));
        }
        self.weighted(
            &components
                .iter()
                .map(|component| component.states.clone())
                .collect::<Vec<_>>(),
            &bounds,
            budget,
        )
    }

    /// A state of a bottom component to which a random walk comes often. The time between two visits is what iterations pass over again and again: where a
    /// chain seldom comes, they take as many sweeps as it takes steps.
    fn often_visited(&self, component: &[u32], budget: &Budget) -> Result<usize, Trouble> {
        if let &[only] = component {
            return Ok(only as usize);
        }
        let (model, floats) = (&self.model, self.model.numbers.floats());
        let first = model.initial.first().filter(|state| component.contains(state));
        let mut at = first.or(component.first()).map_or(0, |&state| state as usize);
        let mut visits: FxHashMap<usize, u32> = FxHashMap::default();
        let mut random = StdRng::seed_from_u64(1);
        let steps = (component.len() * WALKED).min(LONGEST_WALK);
        for step in 0..steps {
            budget.check()?;
            let row = model.row(model.choices_of(at).start);
            // What is left of 1 by rounding goes to the last target.
            let (last, mut left) = (row.end - 1, random.random::<f64>());
            let taken = row.clone().find(|&to| {
                left -= floats[model.values[to].0 as usize];
                left < 0.0 || to == last
            });
            at = model.targets[taken.unwrap_or(last)] as usize;
            if step >= steps / 2 {
                *visits.entry(at).or_default() += 1;
            }
        }
        // Of states with equally many visits the first one, whatever the order of the table.
        let best = visits
            .into_iter()
            .max_by_key(|&(state, count)| (count, Reverse(state)));
        Ok(best.map_or(at, |(state, _)| state))
    }

    /// The expected value of the component in which a chain ends up.
    fn weighted(
        &mut self,
        components: &[Vec<u32>],
        bounds: &[(Rational, Rational)],
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let exact = bounds.iter().all(|(low, high)| low == high);
        let mut component_of = vec![usize::MAX; self.size()];
        for (at, states) in components.iter().enumerate() {
            for &state in states {
                component_of[state as usize] = at;
            }
        }
        let same = bounds.windows(2).all(|pair| pair[0] == pair[1]);
        let mut ends = Vec::new();
        for upper in [false, true] {
            if upper && exact {
                break;
            }
            if same {
                let value = if upper { &bounds[0].1 } else { &bounds[0].0 };
                ends.push(Bracket::Exact(vec![Some(value.clone()); self.size()]));
                continue;
            }
            let values: Vec<Num> = (bounds.iter())
                .map(|(low, high)| {
                    let number = if upper { high.clone() } else { low.clone() };
                    self.model.numbers.intern(number)
                })
                .collect();
            let known = |state: usize| component_of.get(state).and_then(|&at| values.get(at)).copied();
            ends.push(self.expected_end(&known, budget)?);
        }
        let Some(high) = ends.pop() else {
            return Err(Trouble::Undecided("no component".to_owned()));
        };
        let low = ends.pop().unwrap_or_else(|| high.clone());
        if exact && let Bracket::Exact(_) = &high {
            return Ok(high);
        }
        let float = |number: Option<Rational>, up: bool| match number {
            Some(number) => {
                let (below, above) = crate::brackets::around(&number);
                if up { above } else { below }
            }
            None => f64::INFINITY,
        };
        Ok(Bracket::Between {
            lower: (0..self.size())
                .map(|state| float(low.lower(state), false))
                .collect(),
            upper: (0..self.size())
                .map(|state| float(high.upper(state), true))
                .collect(),
        })
    }

    /// The expected value at the end of a chain, where the values of final states are known.
    fn expected_end(
        &mut self,
        known: &dyn Fn(usize) -> Option<Num>,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        // A reward that is earned on entering a final state, and nothing else.
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut rewards = vec![Numbers::ZERO; self.model.rows.len() - 1];
        for state in 0..self.size() {
            if known(state).is_some() {
                continue;
            }
            for choice in self.model.choices_of(state) {
                for at in self.model.row(choice) {
                    if let Some(value) = known(self.model.targets[at] as usize) {
                        let share = numbers.multiply(self.model.values[at], value);
                        rewards[choice] = numbers.add(rewards[choice], share);
                    }
                }
            }
        }
        self.model.numbers = numbers;
        let fixed = |state: usize| {
            if known(state).is_some() {
                Fixed::Zero
            } else {
                Fixed::Open
            }
        };
        let open = self.solve(
            Optimum::Max,
            &fixed,
            Vec::new(),
            Some(&rewards),
            &|_| false,
            budget,
        )?;
        let number = |state: usize| known(state).map(|value| self.model.numbers.exact(value).clone());
        Ok(match open {
            Bracket::Exact(mut values) => {
                for (state, value) in values.iter_mut().enumerate() {
                    if let Some(number) = number(state) {
                        *value = Some(number);
                    }
                }
                Bracket::Exact(values)
            }
            Bracket::Between { mut lower, mut upper } => {
                for state in 0..lower.len() {
                    if let Some(number) = number(state) {
                        (lower[state], upper[state]) = crate::brackets::around(&number);
                    }
                }
                Bracket::Between { lower, upper }
            }
        })
    }
}
