//! The scheduler that reaches an optimum, read off the bounds; those that need no memory are found here, the others in [`crate::remembering`].
//!
//! Bounds are inductive: a scheduler whose choices do not miss them reaches them. For greatest probabilities and least rewards it must also make
//! progress, so choices are taken backwards from the goal, and only those that lead nearer to it (Baier and Katoen 2008, 10.102). For least
//! probabilities and greatest rewards any choice that keeps the bound will do. The chain that the scheduler makes is then solved by itself; its
//! certificate says what the scheduler is worth, whatever was rounded on the way.

use crate::check::{Trouble, Workshop, effective};
use crate::components::end_components;
use crate::graph::{Predecessors, reach_all};
use crate::numbers::{Num, Numbers};
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{
    Bounds, Bracket, Certificate, Memory, Optimum, Path, Property, Rational, RewardKind, Strategy,
};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// How far a choice may miss a bound that is only known up to rounding, relatively.
const SLACK: f64 = 1e-12;

/// What a scheduler is for.
pub(crate) struct Aim<'a> {
    pub optimum: Optimum,
    pub bracket: &'a Bracket,
    /// What choices earn; nothing for probabilities.
    pub rewards: Option<&'a [Num]>,
    /// States where something is still to be decided.
    pub open: FixedBitSet,
    pub goal: &'a FixedBitSet,
}

/// A scheduler that was found.
pub(crate) enum Found {
    /// It remembers nothing: choices by state.
    Forgetful(Vec<u32>),
    /// It remembers something; its certificate is in the workshop.
    Remembering(Vec<u32>, Memory),
}

impl Workshop<'_> {
    /// The scheduler that reaches the value of a property, with the certificate of the chain that it makes.
    pub fn scheduler(&mut self, property: &Property, budget: &Budget) -> Result<Strategy, Trouble> {
        if !self.model.kind.has_choices() {
            return Err(Trouble::Unsupported(
                "the model has no choices: there is no scheduler to be found".to_owned(),
            ));
        }
        self.without_intervals("schedulers")?;
        if self.is_fair() {
            return Err(Trouble::Unsupported(
                "fair schedulers need memory of another kind: they are not written".to_owned(),
            ));
        }
        // What inner operators leave in the certificate belongs to the scheduler's.
        self.certificate.clear();
        self.observers.clear();
        let found = self.scheduler_for(property, budget);
        let certificate = Certificate {
            brackets: std::mem::take(&mut self.certificate),
            observers: std::mem::take(&mut self.observers),
            ..Certificate::default()
        };
        match found? {
            Found::Forgetful(choices) => {
                let model = self.induced(&choices);
                let mut chain = Workshop::assembled(
                    self.network.clone(),
                    Predecessors::new(&model),
                    model,
                    self.settings,
                );
                let (_, certificate) = chain.check(property, budget)?;
                Ok(Strategy {
                    choices,
                    certificate,
                    memory: Memory::Nothing,
                })
            }
            Found::Remembering(choices, memory) => Ok(Strategy {
                choices,
                certificate,
                memory,
            }),
        }
    }

    fn scheduler_for(&mut self, property: &Property, budget: &Budget) -> Result<Found, Trouble> {
        match property {
            Property::Probability { optimum, query, path } => {
                let optimum = effective(*optimum, query);
                if let Some((optimum, stay, goal)) = self.as_until(optimum, path, budget)? {
                    let bracket = self.until_bracket(optimum, &stay, &goal, budget)?;
                    let mut open = stay;
                    open.difference_with(&goal);
                    return Ok(Found::Forgetful(self.choices_for(&Aim {
                        optimum,
                        bracket: &bracket,
                        rewards: None,
                        open,
                        goal: &goal,
                    })));
                }
                match bounds_of(path) {
                    Some(_) => self.counting(optimum, path, budget),
                    None => self.reading_along(optimum, path, budget),
                }
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind,
            } => {
                let optimum = effective(*optimum, query);
                match kind {
                    RewardKind::Reach(Path::Finally(goal, None)) if goal.as_state().is_some_and(is_plain) => {
                        let goal = self.path_set(goal, budget)?;
                        let rewards = self.choice_rewards(*structure, budget)?;
                        Ok(Found::Forgetful(
                            self.until_earned(optimum, &rewards, &goal, budget)?,
                        ))
                    }
                    RewardKind::Reach(path) => self.reading_until(optimum, *structure, path, budget),
                    RewardKind::Total => Ok(Found::Forgetful(self.for_totals(optimum, *structure, budget)?)),
                    RewardKind::Cumulative(steps) | RewardKind::Instant(steps)
                        if !self.network.kind.is_timed() =>
                    {
                        let steps = crate::remembering::steps(steps)?;
                        let instant = matches!(kind, RewardKind::Instant(_));
                        self.counting_rewards(optimum, *structure, steps, instant, budget)
                    }
                    RewardKind::LongRun => {
                        let rewards = self.choice_rewards(*structure, budget)?;
                        let durations = self.durations();
                        let rewards = (&rewards[..], &durations[..]);
                        Ok(Found::Forgetful(self.averaging(optimum, rewards, budget)?))
                    }
                    _ => Err(not_written()),
                }
            }
            Property::SteadyState {
                optimum,
                query,
                states,
            } if is_plain(states) => {
                let inside = self.set(states, budget)?;
                let durations = self.durations();
                let mut rewards = durations.clone();
                for (choice, reward) in rewards.iter_mut().enumerate() {
                    if !inside.contains(self.before.owner[choice] as usize) {
                        *reward = Numbers::ZERO;
                    }
                }
                let optimum = effective(*optimum, query);
                let rewards = (&rewards[..], &durations[..]);
                Ok(Found::Forgetful(self.averaging(optimum, rewards, budget)?))
            }
            _ => Err(not_written()),
        }
    }

    /// The choices for the expected reward until a goal. Where the greatest is infinite, the goal is missed with some probability: by going where it can be avoided,
    /// and avoiding it there.
    pub(crate) fn until_earned(
        &mut self,
        optimum: Optimum,
        rewards: &[Num],
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Vec<u32>, Trouble> {
        let bracket = self.reward_until(optimum, rewards, goal, budget)?;
        let mut open = self.everywhere();
        open.difference_with(goal);
        let mut choices = self.choices_for(&Aim {
            optimum,
            bracket: &bracket,
            rewards: Some(rewards),
            open: open.clone(),
            goal,
        });
        if optimum == Optimum::Max {
            let mut avoiding = reach_all(&self.model, &self.before, &open, goal);
            avoiding.toggle_range(..);
            for state in avoiding.ones() {
                let stays = |choice: usize| {
                    (self.model.targets_of(choice).iter()).all(|&target| avoiding.contains(target as usize))
                };
                self.take_first(state, &stays, &mut choices);
            }
            self.approach(&avoiding, &open, &|_| true, &mut choices);
        }
        Ok(choices)
    }

    /// The choices for the reward earned for ever. The least is that until states are reached where nothing need be earned any more. The greatest, where it is finite, is
    /// reached by whoever keeps it and comes to where nothing is left to be earned; where it is infinite, by going where something is earned again and again.
    fn for_totals(
        &mut self,
        optimum: Optimum,
        structure: usize,
        budget: &Budget,
    ) -> Result<Vec<u32>, Trouble> {
        let rewards = self.choice_rewards(structure, budget)?;
        let everywhere = self.everywhere();
        let free = |choice: usize| rewards[choice] == Numbers::ZERO;
        if optimum == Optimum::Min {
            let resting = end_components(&self.model, &everywhere, &free, budget)?;
            let mut goal = FixedBitSet::with_capacity(self.size());
            goal.extend(
                (resting.iter()).flat_map(|component| component.states.iter().map(|&state| state as usize)),
            );
            let mut choices = self.until_earned(optimum, &rewards, &goal, budget)?;
            for component in &resting {
                for &choice in &component.choices {
                    let state = self.before.owner[choice as usize] as usize;
                    choices[state] = choice - self.model.choices_of(state).start as u32;
                }
            }
            return Ok(choices);
        }
        let bracket = self.total_reward(optimum, &rewards, budget)?;
        let mut goal = FixedBitSet::with_capacity(self.size());
        goal.extend(
            (0..self.size()).filter(|&state| bracket.upper(state).is_some_and(|value| value.is_zero())),
        );
        let mut open = everywhere.clone();
        open.difference_with(&goal);
        let mut choices = self.choices_for(&Aim {
            optimum,
            bracket: &bracket,
            rewards: Some(&rewards),
            open,
            goal: &goal,
        });
        let mut endless = FixedBitSet::with_capacity(self.size());
        for component in end_components(&self.model, &everywhere, &|_| true, budget)? {
            let own: FxHashSet<u32> = component.choices.iter().copied().collect();
            let inside = |choice: usize| own.contains(&(choice as u32));
            let earning = component.choices.iter().find(|&&choice| !free(choice as usize));
            let Some(&earning) = earning else { continue };
            let mut members = FixedBitSet::with_capacity(self.size());
            members.extend(component.states.iter().map(|&state| state as usize));
            let mut there = FixedBitSet::with_capacity(self.size());
            let state = self.before.owner[earning as usize] as usize;
            there.insert(state);
            choices[state] = earning - self.model.choices_of(state).start as u32;
            self.approach(&there, &members, &inside, &mut choices);
            endless.union_with(&members);
        }
        self.approach(&endless, &everywhere, &|_| true, &mut choices);
        Ok(choices)
    }

    /// The first choice of a state that is allowed, if there is one.
    pub(crate) fn take_first(&self, state: usize, allowed: &dyn Fn(usize) -> bool, choices: &mut [u32]) {
        let mut own = self.model.choices_of(state);
        let first = own.start;
        if let Some(choice) = own.find(|&choice| allowed(choice)) {
            choices[state] = (choice - first) as u32;
        }
    }

    /// For states among some from which a goal can be reached by allowed choices: a choice that leads nearer to it with positive probability.
    pub(crate) fn approach(
        &self,
        goal: &FixedBitSet,
        among: &FixedBitSet,
        allowed: &dyn Fn(usize) -> bool,
        choices: &mut [u32],
    ) {
        let mut found = goal.clone();
        let mut waiting: VecDeque<usize> = goal.ones().collect();
        while let Some(target) = waiting.pop_front() {
            for &choice in self.before.of(target) {
                let state = self.before.owner[choice as usize] as usize;
                if among.contains(state) && allowed(choice as usize) && !found.put(state) {
                    choices[state] = choice - self.model.choices_of(state).start as u32;
                    waiting.push_back(state);
                }
            }
        }
    }

    /// A path formula without bounds about sets of states as an until formula, for the optimum or its dual; nothing if it is none.
    fn as_until(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<Option<(Optimum, FixedBitSet, FixedBitSet)>, Trouble> {
        let plain = |path: &Path| path.as_state().is_some_and(is_plain);
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        Ok(Some(match path {
            Path::Not(inner) => return self.as_until(optimum.dual(), inner, budget),
            Path::Finally(goal, None) if plain(goal) => {
                let goal = self.path_set(goal, budget)?;
                (optimum, self.everywhere(), goal)
            }
            Path::Until(stay, goal, None) if plain(stay) && plain(goal) => (
                optimum,
                self.path_set(stay, budget)?,
                self.path_set(goal, budget)?,
            ),
            Path::Globally(stay, None) if plain(stay) => {
                let bad = not(self.path_set(stay, budget)?);
                (optimum.dual(), self.everywhere(), bad)
            }
            Path::WeakUntil(stay, goal, None) if plain(stay) && plain(goal) => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                let (mut way, mut bad) = (stay.clone(), not(stay));
                way.difference_with(&goal);
                bad.difference_with(&goal);
                (optimum.dual(), way, bad)
            }
            Path::Release(first, second, None) if plain(first) && plain(second) => {
                let (first, second) = (self.path_set(first, budget)?, self.path_set(second, budget)?);
                (optimum.dual(), not(first), not(second))
            }
            _ => return Ok(None),
        }))
    }

    /// The position, among the choices of its state, of the choice that each state takes.
    pub(crate) fn choices_for(&self, aim: &Aim<'_>) -> Vec<u32> {
        let size = self.size();
        let mut chosen: Vec<Option<usize>> = vec![None; size];
        let progresses = (aim.optimum == Optimum::Max) == aim.rewards.is_none();
        if progresses {
            let mut waiting: Vec<usize> = aim.goal.ones().collect();
            let mut next = 0;
            while let Some(&target) = waiting.get(next) {
                next += 1;
                for &choice in self.before.of(target) {
                    let state = self.model.choices.partition_point(|&first| first <= choice) - 1;
                    let undecided = aim.open.contains(state) && chosen[state].is_none();
                    if undecided && self.keeps(aim, state, choice as usize) {
                        chosen[state] = Some(choice as usize);
                        waiting.push(state);
                    }
                }
            }
        }
        let position = |state: usize| {
            let choices = self.model.choices_of(state);
            let choice = chosen[state].unwrap_or_else(|| self.best(aim, state));
            (choice - choices.start) as u32
        };
        (0..size).map(position).collect()
    }

    /// Whether a choice does not miss the bound of its state.
    fn keeps(&self, aim: &Aim<'_>, state: usize, choice: usize) -> bool {
        if let Bracket::Exact(values) = aim.bracket {
            let earned = aim.rewards.map_or(Rational::ZERO, |rewards| {
                self.model.numbers.exact(rewards[choice]).clone()
            });
            let mut row = self.model.row(choice);
            let sum = row.try_fold(earned, |sum, at| {
                let value = values[self.model.targets[at] as usize].as_ref()?;
                Some(sum + self.model.numbers.exact(self.model.values[at]) * value)
            });
            return sum.is_some() && sum == values[state];
        }
        let (low, high) = crate::brackets::floats(aim.bracket, state);
        let value = self.worth(aim, choice);
        match aim.optimum {
            Optimum::Max => value >= low * (1.0 - SLACK),
            Optimum::Min => value <= high * (1.0 + SLACK) && value.is_finite(),
        }
    }

    /// What a choice is worth: by lower values for the greatest, by upper values for the least.
    fn worth(&self, aim: &Aim<'_>, choice: usize) -> f64 {
        let floats = self.model.numbers.floats();
        let earned = aim
            .rewards
            .map_or(0.0, |rewards| floats[rewards[choice].0 as usize]);
        self.model.row(choice).fold(earned, |sum, at| {
            let (low, high) = crate::brackets::floats(aim.bracket, self.model.targets[at] as usize);
            let value = if aim.optimum == Optimum::Max { low } else { high };
            sum + floats[self.model.values[at].0 as usize] * value
        })
    }

    fn best(&self, aim: &Aim<'_>, state: usize) -> usize {
        let choices = self.model.choices_of(state);
        let first = choices.start;
        if !aim.open.contains(state) {
            return first;
        }
        let kept = choices.clone().find(|&choice| self.keeps(aim, state, choice));
        let order = |&a: &usize, &b: &usize| self.worth(aim, a).total_cmp(&self.worth(aim, b));
        let best = match aim.optimum {
            Optimum::Max => choices.max_by(order),
            Optimum::Min => choices.min_by(order),
        };
        kept.or(best).unwrap_or(first)
    }

    /// The model in which every state has only the choice at a position.
    pub(crate) fn induced(&self, chosen: &[u32]) -> Sparse {
        let model = &self.model;
        let mut induced = Sparse {
            unexplored: self.model.unexplored.clone(),
            uppers: Vec::new(),
            choices: (0..=self.size() as u32).collect(),
            rows: vec![0],
            targets: Vec::new(),
            values: Vec::new(),
            rates: Vec::new(),
            actions: Vec::new(),
            step_rewards: vec![Vec::new(); model.step_rewards.len()],
            initial: model.initial.clone(),
            deadlocks: model.deadlocks.clone(),
            mixed_rewards: model.mixed_rewards.clone(),
            numbers: model.numbers.clone(),
            store: model.store.clone(),
            kind: model.kind,
        };
        for (state, &position) in chosen.iter().enumerate() {
            let choice = model.choices_of(state).start + position as usize;
            induced.targets.extend_from_slice(model.targets_of(choice));
            induced.values.extend_from_slice(&model.values[model.row(choice)]);
            induced.rows.push(induced.targets.len() as u32);
            induced.rates.extend(model.rates.get(choice));
            induced.actions.extend(model.actions.get(choice));
            for (own, all) in induced.step_rewards.iter_mut().zip(&model.step_rewards) {
                own.extend(all.get(choice));
            }
        }
        induced
    }
}

/// Whether a property of states mentions no probabilities and no paths.
fn is_plain(property: &Property) -> bool {
    match property {
        Property::Expr(_) | Property::Init | Property::Deadlock => true,
        Property::Unary(_, inner) => is_plain(inner),
        Property::Binary(_, left, right) => is_plain(left) && is_plain(right),
        Property::If(condition, yes, no) => is_plain(condition) && is_plain(yes) && is_plain(no),
        _ => false,
    }
}

fn not_written() -> Trouble {
    Trouble::Unsupported(
        "schedulers are written for probabilities of path formulas, for rewards and for long-run averages; not for this".to_owned(),
    )
}

/// The bounds of a path formula that is one operator.
fn bounds_of(path: &Path) -> Option<&Bounds> {
    match path {
        Path::Not(inner) => bounds_of(inner),
        Path::Finally(_, bounds) | Path::Globally(_, bounds) => bounds.as_ref(),
        Path::Until(_, _, bounds) | Path::WeakUntil(_, _, bounds) | Path::Release(_, _, bounds) => {
            bounds.as_ref()
        }
        _ => None,
    }
}
