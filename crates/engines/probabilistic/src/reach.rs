//! Reachability: probabilities of `stay U goal` and expected rewards until a goal.
//!
//! Graph analysis first: what is 0, 1 or infinite. What is left becomes equations with end components collapsed (for the greatest probability all
//! of them, for the least reward those that earn nothing), which are solved with sound bounds and, where it is cheap or asked for, exactly.

use crate::check::{Exactness, Trouble, Workshop};
use crate::components::end_components;
use crate::exact::{linear_program, policy_iteration, policy_iteration_from_nothing, rational_search};
use crate::graph::{reach_all, reach_some, surely_all, surely_some};
use crate::iteration::{self, Precision};
use crate::method::Method;
use crate::numbers::{Num, Numbers};
use crate::system::{Role, System};
use entail_budget::Budget;
use entail_markov::Bracket;
use entail_markov::{Optimum, Path, Rational, RewardKind};
use fixedbitset::FixedBitSet;
use std::time::Duration;

/// Up to so many transitions the simplest fractions between the bounds are tried.
const SEARCHED: usize = 200_000;

/// Up to so many blocks equations are eliminated exactly without being asked to.
const ELIMINATED: usize = 400;

/// Up to so many unknowns fractions are tried where iterating does not come to an end.
const STIFF: usize = 20_000;

/// Fractions get so many times the time that iterating got before them.
const ELIMINATION_PATIENCE: u32 = 4;

/// Linear programs have at most so many unknowns: they are dense.
const PROGRAMMED: usize = 300;

/// What is known of a state after graph analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    Zero,
    One,
    Infinite,
    Open,
}

impl Workshop<'_> {
    /// The probability of `stay U goal`, noted in the certificate.
    pub(crate) fn until(
        &mut self,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        if self.is_fair() {
            self.without_intervals("fair schedulers")?;
        }
        if optimum == Optimum::Min && self.is_fair() {
            // A fair scheduler misses the goal only by going where it cannot be reached any more (Baier and Kwiatkowska 1998).
            let mut lost = reach_some(&self.before, stay, goal);
            lost.toggle_range(..);
            let mut way = stay.clone();
            way.difference_with(goal);
            let missed = self.until_bracket(Optimum::Max, &way, &lost, budget)?;
            let missed = self.certified(missed);
            return Ok(crate::brackets::complement(missed));
        }
        let bracket = self.until_bracket(optimum, stay, goal, budget)?;
        Ok(self.certified(bracket))
    }

    pub(crate) fn until_bracket(
        &mut self,
        optimum: Optimum,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let (model, before) = (&self.model, &self.before);
        let (positive, sure) = match optimum {
            Optimum::Max => (
                reach_some(before, stay, goal),
                surely_some(model, before, stay, goal),
            ),
            Optimum::Min => (
                reach_all(model, before, stay, goal),
                surely_all(model, before, stay, goal),
            ),
        };
        let mut open = positive.clone();
        open.difference_with(&sure);
        let fixed = |state: usize| {
            if sure.contains(state) {
                Fixed::One
            } else if !positive.contains(state) {
                Fixed::Zero
            } else {
                Fixed::Open
            }
        };
        // For the least probability no end component is left: staying in one would avoid the goal.
        let merged = match optimum {
            Optimum::Max if self.model.kind.has_choices() => end_components(model, &open, &|_| true, budget)?,
            _ => Vec::new(),
        };
        let merged = merged.into_iter().map(|component| component.states).collect();
        self.solve(optimum, &fixed, merged, None, &|_| false, budget)
    }

    /// Solves what is open. `merged` are sets of states with the same value; `reward` is what choices earn (nothing: probabilities).
    pub(crate) fn solve(
        &mut self,
        optimum: Optimum,
        fixed: &dyn Fn(usize) -> Fixed,
        merged: Vec<Vec<u32>>,
        reward: Option<&[Num]>,
        stop: &dyn Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let size = self.size();
        let mut roles = vec![Role::Forbidden; size];
        let mut members = merged;
        for (block, states) in members.iter().enumerate() {
            for &state in states {
                roles[state as usize] = Role::Block(block as u32);
            }
        }
        for (state, role) in roles.iter_mut().enumerate() {
            match fixed(state) {
                Fixed::Zero => *role = Role::Known(Numbers::ZERO),
                Fixed::One => *role = Role::Known(Numbers::ONE),
                Fixed::Infinite => *role = Role::Forbidden,
                Fixed::Open if *role == Role::Forbidden => {
                    *role = Role::Block(members.len() as u32);
                    members.push(vec![state as u32]);
                }
                Fixed::Open => {}
            }
        }
        if members.is_empty() {
            let value = |role: &Role| match role {
                Role::Known(number) => Some(self.model.numbers.exact(*number).clone()),
                _ => None,
            };
            return Ok(Bracket::Exact(roles.iter().map(value).collect()));
        }
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let mut system = System::new(&self.model, &mut numbers, optimum, &roles, &members, reward, stop);
        system.generous = self.nature.is_generous(optimum);
        let quotient = system.lumped(&mut numbers, self.settings.quotients, budget);
        self.model.numbers = numbers;
        let (system, classes) = match quotient? {
            Some((small, classes)) => {
                self.classes += small.len() as u64;
                (small, Some(classes))
            }
            None => (system, None),
        };
        let unknown = |block: u32| match &classes {
            Some(classes) => classes[block as usize],
            None => block,
        };
        let watched: Vec<u32> = (self.model.initial.iter())
            .filter_map(|&state| match roles[state as usize] {
                Role::Block(block) => Some(unknown(block)),
                _ => None,
            })
            .collect();
        let numbers = &self.model.numbers;
        let wanted = match self.settings.exactness {
            Exactness::Always => Precision {
                epsilon: 1e-3,
                relative: true,
            },
            _ => self.settings.precision,
        };
        let method = self.settings.method;
        let solve = |budget: &Budget| iteration::solve(&system, numbers, method, wanted, &watched, budget);
        let bounds = match self.elimination_share(&system, budget) {
            None => solve(budget)?,
            Some(share) => match solve(&budget.part(share)) {
                Ok(bounds) => bounds,
                Err(_) => {
                    // Doubles cannot tell how long it takes to leave where that takes too long: then it is a matter of fractions.
                    budget.check_now()?;
                    let share = budget.part(share * ELIMINATION_PATIENCE);
                    if let Ok(Some(values)) = policy_iteration_from_nothing(&system, numbers, &share) {
                        return Ok(fractions(&roles, numbers, &values, unknown));
                    }
                    budget.check_now()?;
                    solve(budget)?
                }
            },
        };
        self.sweeps += bounds.sweeps;
        let exact = self.exactly(&system, &bounds, &watched, budget)?;
        let numbers = &self.model.numbers;
        if let Some(values) = exact {
            return Ok(fractions(&roles, numbers, &values, unknown));
        }
        let value = |of: &[f64], role: &Role| match role {
            Role::Known(Numbers::ZERO) => 0.0,
            Role::Known(_) => 1.0,
            Role::Block(block) => of[unknown(*block) as usize],
            Role::Forbidden => f64::INFINITY,
        };
        Ok(Bracket::Between {
            lower: roles.iter().map(|role| value(&bounds.lower, role)).collect(),
            upper: roles.iter().map(|role| value(&bounds.upper, role)).collect(),
        })
    }

    /// How long equations are iterated before fractions are tried; nothing where these are not to be had.
    fn elimination_share(&self, system: &System, budget: &Budget) -> Option<Duration> {
        let wanted = match (self.settings.method, self.settings.exactness) {
            (Method::Policy, _) => true,
            (Method::Optimistic, exactness) => exactness != Exactness::Never,
            _ => false,
        };
        if !wanted || !system.uppers.is_empty() || system.len() > STIFF {
            return None;
        }
        let left = budget.time_left().unwrap_or(Duration::MAX);
        Some(Duration::from_millis(500 + system.targets.len() as u64 / 10).min(left / 8))
    }

    /// The same where probabilities are intervals: by improving probabilities and scheduler in turns.
    fn exactly_uncertain(
        &mut self,
        system: &System,
        bounds: &iteration::Bounds,
        budget: &Budget,
    ) -> Result<Option<Vec<Rational>>, Trouble> {
        let always = self.settings.method == Method::Policy || self.settings.exactness == Exactness::Always;
        let cheap = self.settings.exactness == Exactness::WhereCheap && system.len() <= ELIMINATED;
        match self.settings.method {
            Method::Optimistic | Method::Policy => {}
            _ => {
                let message = "interval models are solved by --method ovi or pi";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
        }
        if !always && !cheap {
            return Ok(None);
        }
        let share = match always {
            true => budget.same_limits(),
            false => budget.part(Duration::from_millis(1000)),
        };
        let mut numbers = std::mem::take(&mut self.model.numbers);
        let found = system.settled_exactly(&mut numbers, bounds, &share);
        self.model.numbers = numbers;
        match (found, always) {
            (Ok(found), false) => Ok(found),
            (Ok(Some(found)), true) => Ok(Some(found)),
            (Ok(None), true) => Err(Trouble::Undecided(
                "exact elimination found no unique solution".to_owned(),
            )),
            (Err(spent), true) => Err(spent.into()),
            (Err(_), false) => {
                budget.check_now()?;
                Ok(None)
            }
        }
    }

    /// The exact values, where the method or the settings ask for them or they are cheap.
    fn exactly(
        &mut self,
        system: &System,
        bounds: &iteration::Bounds,
        watched: &[u32],
        budget: &Budget,
    ) -> Result<Option<Vec<Rational>>, Trouble> {
        if !system.uppers.is_empty() {
            return self.exactly_uncertain(system, bounds, budget);
        }
        let numbers = &self.model.numbers;
        let found = |values: Option<Vec<Rational>>, missed: &str| match values {
            Some(values) => Ok(Some(values)),
            None => Err(Trouble::Undecided(missed.to_owned())),
        };
        let narrow = |epsilon: f64, budget: &Budget| {
            let precision = Precision {
                epsilon,
                relative: true,
            };
            iteration::solve(system, numbers, Method::Optimistic, precision, watched, budget)
        };
        match (self.settings.method, self.settings.exactness) {
            (Method::LinearProgram, _) if system.len() > PROGRAMMED => Err(Trouble::Unsupported(format!(
                "linear programs are solved for up to {PROGRAMMED} unknowns, and there are {}",
                system.len()
            ))),
            (Method::LinearProgram, _) => found(
                linear_program(system, numbers, budget)?,
                "the linear program has no optimum",
            ),
            (Method::RationalSearch, _) => {
                for epsilon in [1e-4, 1e-7, 1e-10, 1e-13] {
                    let bounds = narrow(epsilon, budget)?;
                    if let Some(values) = rational_search(system, numbers, &bounds, budget)? {
                        return Ok(Some(values));
                    }
                }
                found(
                    None,
                    "no fraction between the narrowest bounds satisfies the equations: try --method pi",
                )
            }
            (Method::Policy, _) | (_, Exactness::Always) => found(
                policy_iteration(system, numbers, bounds, budget)?,
                "exact elimination found no unique solution",
            ),
            (Method::Optimistic, Exactness::WhereCheap) if system.targets.len() <= SEARCHED => {
                // Narrow bounds first, if they are to be had at once.
                let share = budget.part(Duration::from_millis(200 + system.targets.len() as u64 / 200));
                let mut exact = narrow(1e-11, &share)
                    .and_then(|bounds| rational_search(system, numbers, &bounds, &share))
                    .unwrap_or(None);
                if exact.is_none() && system.len() <= ELIMINATED {
                    let share = budget.part(Duration::from_millis(1000));
                    exact = policy_iteration(system, numbers, bounds, &share).ok().flatten();
                }
                budget.check_now()?;
                Ok(exact)
            }
            _ => Ok(None),
        }
    }

    /// An expected reward.
    pub(crate) fn reward(
        &mut self,
        optimum: Optimum,
        structure: usize,
        kind: &RewardKind,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        match kind {
            RewardKind::Reach(Path::Finally(goal, None)) if goal.as_state().is_some() => {
                let goal = self.path_set(goal, budget)?;
                if self.is_signed(structure, budget)? {
                    self.explored_whole("rewards of both signs")?;
                    return self.signed_reward(structure, &goal, budget);
                }
                let rewards = self.choice_rewards(structure, budget)?;
                return self.reward_until_met(optimum, &rewards, &goal, budget);
            }
            _ => self.explored_whole("rewards other than those until a goal")?,
        }
        match kind {
            RewardKind::Reach(path) => self.reward_until_path(optimum, structure, path, budget),
            RewardKind::Total => {
                let rewards = self.choice_rewards(structure, budget)?;
                let bracket = self.total_reward(optimum, &rewards, budget)?;
                Ok(self.certified(bracket))
            }
            RewardKind::Cumulative(time) => {
                let bracket = self.cumulative_reward(optimum, structure, time, budget)?;
                Ok(self.certified(bracket))
            }
            RewardKind::Instant(time) => {
                let bracket = self.instantaneous_reward(optimum, structure, time, budget)?;
                Ok(self.certified(bracket))
            }
            RewardKind::LongRun => {
                self.without_intervals("long-run averages")?;
                let bracket = self.long_run_reward(optimum, structure, budget)?;
                Ok(self.certified(bracket))
            }
        }
    }

    /// The expected reward until a goal.
    pub(crate) fn reward_until(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let (model, before) = (&self.model, &self.before);
        let everywhere = self.everywhere();
        let finite = match optimum {
            Optimum::Min => surely_some(model, before, &everywhere, goal),
            Optimum::Max => surely_all(model, before, &everywhere, goal),
        };
        let mut open = finite.clone();
        open.difference_with(goal);
        let fixed = |state: usize| {
            if goal.contains(state) {
                Fixed::Zero
            } else if finite.contains(state) {
                Fixed::Open
            } else {
                Fixed::Infinite
            }
        };
        let merged = match optimum {
            Optimum::Min if self.model.kind.has_choices() => {
                end_components(model, &open, &|choice| rewards[choice] == Numbers::ZERO, budget)?
            }
            _ => Vec::new(),
        };
        let merged = merged.into_iter().map(|component| component.states).collect();
        self.solve(optimum, &fixed, merged, Some(rewards), &|_| false, budget)
    }

    /// The expected reward for ever.
    pub(crate) fn total_reward(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let everywhere = self.everywhere();
        if optimum == Optimum::Min {
            // Whoever never comes to rest where nothing is earned earns infinitely much.
            let free = end_components(
                &self.model,
                &everywhere,
                &|choice| rewards[choice] == Numbers::ZERO,
                budget,
            )?;
            let mut goal = FixedBitSet::with_capacity(self.size());
            for component in &free {
                goal.extend(component.states.iter().map(|&state| state as usize));
            }
            return self.reward_until(optimum, rewards, &goal, budget);
        }
        let components = end_components(&self.model, &everywhere, &|_| true, budget)?;
        let mut endless = FixedBitSet::with_capacity(self.size());
        let mut merged = Vec::new();
        for component in components {
            match component
                .choices
                .iter()
                .any(|&choice| rewards[choice as usize] != Numbers::ZERO)
            {
                true => endless.extend(component.states.iter().map(|&state| state as usize)),
                false => merged.push(component.states),
            }
        }
        let infinite = reach_some(&self.before, &everywhere, &endless);
        merged.retain(|states| !infinite.contains(states[0] as usize));
        let fixed = |state: usize| {
            if infinite.contains(state) {
                Fixed::Infinite
            } else {
                Fixed::Open
            }
        };
        let resting = merged.len();
        self.solve(
            optimum,
            &fixed,
            merged,
            Some(rewards),
            &move |block| block < resting,
            budget,
        )
    }

    /// The probability of being in `goal` after one step.
    pub(crate) fn after_one_step(
        &mut self,
        optimum: Optimum,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let mut values = Vec::with_capacity(self.size());
        for state in 0..self.size() {
            budget.check()?;
            let value = |state: usize| match goal.contains(state) {
                true => Rational::ONE,
                false => Rational::ZERO,
            };
            let sum = |choice: usize| self.exact_average(choice, &value, optimum);
            let sums = self.model.choices_of(state).map(sum);
            values.push(match optimum {
                Optimum::Max => sums.max(),
                Optimum::Min => sums.min(),
            });
        }
        // The certificate of a bounded operator is a second computation in doubles, which contains the exact value.
        Ok(match self.settings.exactness {
            Exactness::Never => crate::bounded::widened(
                values
                    .iter()
                    .map(|value| value.as_ref().map_or(0.0, entail_markov::to_float))
                    .collect(),
                1e-12,
            ),
            _ => Bracket::Exact(values),
        })
    }
}

/// The values of all states from those of the unknowns.
fn fractions(
    roles: &[Role],
    numbers: &Numbers,
    values: &[Rational],
    unknown: impl Fn(u32) -> u32,
) -> Bracket {
    let value = |role: &Role| match role {
        Role::Known(number) => Some(numbers.exact(*number).clone()),
        Role::Block(block) => Some(values[unknown(*block) as usize].clone()),
        Role::Forbidden => None,
    };
    Bracket::Exact(roles.iter().map(value).collect())
}
