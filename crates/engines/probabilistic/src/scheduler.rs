//! The scheduler that reaches an optimum, without memory, read off the bounds.
//!
//! Bounds are inductive: a scheduler whose choices do not miss them reaches them. For greatest probabilities and least rewards it must also make
//! progress, so choices are taken backwards from the goal, and only those that lead nearer to it (Baier and Katoen 2008, 10.102). For least
//! probabilities and greatest rewards any choice that keeps the bound will do. The chain that the scheduler makes is then solved by itself; its
//! certificate says what the scheduler is worth, whatever was rounded on the way.

use crate::check::{Trouble, Workshop, effective};
use crate::graph::Predecessors;
use crate::numbers::Num;
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bracket, Optimum, Path, Property, Rational, RewardKind, Strategy};
use fixedbitset::FixedBitSet;

/// How far a choice may miss a bound that is only known up to rounding, relatively.
const SLACK: f64 = 1e-12;

/// What a scheduler is for.
struct Aim<'a> {
    optimum: Optimum,
    bracket: &'a Bracket,
    /// What choices earn; nothing for probabilities.
    rewards: Option<&'a [Num]>,
    /// States where something is still to be decided.
    open: FixedBitSet,
    goal: &'a FixedBitSet,
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
                "fair schedulers need memory: they are not written".to_owned(),
            ));
        }
        let choices = match property {
            Property::Probability { optimum, query, path } => {
                let (optimum, stay, goal) = self.as_until(effective(*optimum, query), path, budget)?;
                let bracket = self.until_bracket(optimum, &stay, &goal, budget)?;
                let mut open = stay;
                open.difference_with(&goal);
                self.choices_for(&Aim {
                    optimum,
                    bracket: &bracket,
                    rewards: None,
                    open,
                    goal: &goal,
                })
            }
            Property::Reward {
                optimum,
                query,
                structure,
                kind: RewardKind::Reach(Path::Finally(goal, None)),
            } if goal.as_state().is_some_and(is_plain) => {
                let optimum = effective(*optimum, query);
                let goal = self.path_set(goal, budget)?;
                let rewards = self.choice_rewards(*structure, budget)?;
                let bracket = self.reward_until(optimum, &rewards, &goal, budget)?;
                if self
                    .model
                    .initial
                    .iter()
                    .any(|&state| bracket.upper(state as usize).is_none())
                {
                    return Err(Trouble::Unsupported(
                        "schedulers are not written where the value is infinite".to_owned(),
                    ));
                }
                let mut open = self.everywhere();
                open.difference_with(&goal);
                self.choices_for(&Aim {
                    optimum,
                    bracket: &bracket,
                    rewards: Some(&rewards),
                    open,
                    goal: &goal,
                })
            }
            _ => return Err(with_memory()),
        };
        let model = self.induced(&choices);
        let mut chain = Workshop::assembled(
            self.network.clone(),
            Predecessors::new(&model),
            model,
            self.settings,
        );
        let (_, certificate) = chain.check(property, budget)?;
        Ok(Strategy { choices, certificate })
    }

    /// A path formula about sets of states as an until formula, for the optimum or its dual.
    fn as_until(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<(Optimum, FixedBitSet, FixedBitSet), Trouble> {
        let mut set = |path: &Path| match path.as_state() {
            Some(states) if is_plain(states) => self.path_set(path, budget),
            _ => Err(with_memory()),
        };
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        Ok(match path {
            Path::Not(inner) => self.as_until(optimum.dual(), inner, budget)?,
            Path::Finally(goal, None) => {
                let goal = set(goal)?;
                (optimum, self.everywhere(), goal)
            }
            Path::Until(stay, goal, None) => (optimum, set(stay)?, set(goal)?),
            Path::Globally(stay, None) => {
                let bad = not(set(stay)?);
                (optimum.dual(), self.everywhere(), bad)
            }
            Path::WeakUntil(stay, goal, None) => {
                let (stay, goal) = (set(stay)?, set(goal)?);
                let (mut way, mut bad) = (stay.clone(), not(stay));
                way.difference_with(&goal);
                bad.difference_with(&goal);
                (optimum.dual(), way, bad)
            }
            Path::Release(first, second, None) => {
                let (first, second) = (set(first)?, set(second)?);
                (optimum.dual(), not(first), not(second))
            }
            _ => return Err(with_memory()),
        })
    }

    /// The position, among the choices of its state, of the choice that each state takes.
    fn choices_for(&self, aim: &Aim<'_>) -> Vec<u32> {
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
    fn induced(&self, chosen: &[u32]) -> Sparse {
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

fn with_memory() -> Trouble {
    Trouble::Unsupported(
        "schedulers are written for reachability (F, U, G, W, R) and for rewards until a set of states; others need memory".to_owned(),
    )
}
