//! Schedulers that remember: for path formulas the state of a deterministic automaton that reads along, for bounds on steps how many steps there have been.
//!
//! In the product of the model and the automaton a scheduler without memory is enough, as the automaton's acceptance is a parity condition: it goes to an
//! accepting end component as well as it can, and there, by choices that stay inside, again and again to a state with the mark that must be seen. (Of two accepting
//! components that overlap the first one decides: whoever comes from the second into the first stays there.) The chain that this makes is a product as well;
//! its own accepting components, and the bounds of reaching them, are the scheduler's certificate.
//!
//! With bounds on steps the best choice of every step is computed backwards, in doubles: the checker computes what the choices are worth.

use crate::check::{Trouble, Workshop};
use crate::linear::{CoSafe, Product, deterministic, observer};
use crate::numbers::Num;
use crate::scheduler::{Aim, Found};
use entail_automata::{Automaton, Marks};
use entail_budget::Budget;
use entail_markov::{Bounds, Memory, Optimum, Path, Rational};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashSet;

/// Schedulers with more choices are not written.
const MOST_CHOICES: u64 = 5_000_000;

/// A number of steps.
pub(crate) fn steps(number: &Rational) -> Result<u64, Trouble> {
    u64::try_from(number.clone()).map_err(|_| Trouble::Unsupported("too many steps".to_owned()))
}

/// Which of some sets each state belongs to, a bit each.
fn letters(sets: &[FixedBitSet], size: usize) -> Vec<u32> {
    let letter = |state: usize| {
        (sets.iter().enumerate()).fold(0, |letter, (bit, set)| {
            letter | u32::from(set.contains(state)) << bit
        })
    };
    (0..size).map(letter).collect()
}

/// What is to be reached within bounds on steps.
struct Within {
    optimum: Optimum,
    stay: FixedBitSet,
    goal: FixedBitSet,
    /// The first and the last step that count; nothing if none does.
    counted: Option<(u64, u64)>,
}

impl Workshop<'_> {
    /// The scheduler with the greatest (or least) probability of a path formula.
    pub(crate) fn reading_along(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<Found, Trouble> {
        if optimum == Optimum::Min {
            let negated = Path::Not(Box::new(path.clone()));
            return self.reading_along(Optimum::Max, &negated, budget);
        }
        let (formula, sets) = self.formula(path, budget)?;
        let automaton = deterministic(&formula, budget)?;
        let product = self.product(&automaton, &sets, budget)?;
        let choices = self.accepted(&product, &automaton, budget)?;
        let own = observer(&automaton, sets.len());
        if own.steps.is_empty() {
            let message = "schedulers for path formulas over many sets of states are not written";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let model = self.on(&product).induced(&choices);
        let chain = Product { model, ..product };
        let winning = chain.won(&automaton, budget)?;
        let mut workshop = self.on(&chain);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &winning, budget)?;
        self.observers.push(own);
        self.certified(bracket);
        let letters = letters(&sets, self.size());
        Ok(Found::Remembering(choices, Memory::Automaton { letters }))
    }

    /// The choices, by state of the product, of a scheduler with the greatest probability that the automaton accepts.
    fn accepted(
        &self,
        product: &Product,
        automaton: &Automaton,
        budget: &Budget,
    ) -> Result<Vec<u32>, Trouble> {
        let components = product.accepting(automaton, budget)?;
        let size = product.model.states();
        let set = |states: &[u32]| {
            let mut set = FixedBitSet::with_capacity(size);
            set.extend(states.iter().map(|&state| state as usize));
            set
        };
        let mut winning = FixedBitSet::with_capacity(size);
        for (component, _) in &components {
            winning.union_with(&set(&component.states));
        }
        let mut workshop = self.on(product);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &winning, budget)?;
        let mut open = everywhere;
        open.difference_with(&winning);
        let mut choices = workshop.choices_for(&Aim {
            optimum: Optimum::Max,
            bracket: &bracket,
            rewards: None,
            open,
            goal: &winning,
        });
        let mut decided = FixedBitSet::with_capacity(size);
        for (component, again) in &components {
            if again.0.count_ones() > 1 {
                let message = "a scheduler that must see several marks again and again is not written";
                return Err(Trouble::Unsupported(message.to_owned()));
            }
            let own: FxHashSet<u32> = component.choices.iter().copied().collect();
            let inside = |choice: usize| own.contains(&(choice as u32));
            let members = set(&component.states);
            let mut undecided = members.clone();
            undecided.difference_with(&decided);
            // Where the mark is seen any choice that stays will do.
            let seen = |&state: &usize| again.subset(Marks(product.automaton[state].1.0));
            let mut there = members.clone();
            there.difference_with(&undecided);
            for state in undecided.ones().filter(seen) {
                workshop.take_first(state, &inside, &mut choices);
                there.insert(state);
            }
            workshop.approach(&there, &undecided, &inside, &mut choices);
            decided.union_with(&members);
        }
        Ok(choices)
    }

    /// The scheduler with the greatest (or least) expected reward until a co-safe formula is fulfilled.
    pub(crate) fn reading_until(
        &mut self,
        optimum: Optimum,
        structure: usize,
        path: &Path,
        budget: &Budget,
    ) -> Result<Found, Trouble> {
        if !path.is_co_safe() {
            let message = "schedulers for rewards until formulas that are not co-safe are not written";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let rewards = self.choice_rewards(structure, budget)?;
        let CoSafe {
            automaton,
            sets,
            product,
            rewards,
            goal,
        } = self.co_safe(path, &rewards, budget)?;
        let own = observer(&automaton, sets.len());
        if own.steps.is_empty() {
            let message = "schedulers for path formulas over many sets of states are not written";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let mut workshop = self.on(&product);
        let choices = workshop.until_earned(optimum, &rewards, &goal, budget)?;
        let chosen = |(state, &position): (usize, &u32)| {
            rewards[product.model.choices_of(state).start + position as usize]
        };
        let earned: Vec<Num> = choices.iter().enumerate().map(chosen).collect();
        let model = workshop.induced(&choices);
        let mut chain = Workshop::around(&self.network, model, self.settings);
        let bracket = chain.reward_until(optimum, &earned, &goal, budget)?;
        self.observers.push(own);
        self.certified(bracket);
        let letters = letters(&sets, self.size());
        Ok(Found::Remembering(choices, Memory::Automaton { letters }))
    }

    /// The scheduler with the greatest (or least) probability of an operator with bounds on steps.
    pub(crate) fn counting(
        &mut self,
        optimum: Optimum,
        path: &Path,
        budget: &Budget,
    ) -> Result<Found, Trouble> {
        let Within {
            optimum,
            stay,
            goal,
            counted,
        } = self.within(optimum, path, budget)?;
        let Some((first, last)) = counted else {
            return Ok(Found::Remembering(Vec::new(), Memory::Steps));
        };
        let inside = |of: bool| if of { 1.0 } else { 0.0 };
        let end: Vec<f64> = (0..self.size())
            .map(|state| inside(goal.contains(state)))
            .collect();
        let stays = |step: u64, state: usize| match (stay.contains(state), step < first) {
            (true, true) => None,
            (true, false) if !goal.contains(state) => None,
            (_, true) => Some(0.0),
            (_, false) => Some(inside(goal.contains(state))),
        };
        let choices = self.stepwise(optimum, end, last, None, &stays, budget)?;
        Ok(Found::Remembering(choices, Memory::Steps))
    }

    /// The scheduler with the greatest (or least) reward over a number of steps, or after it.
    pub(crate) fn counting_rewards(
        &mut self,
        optimum: Optimum,
        structure: usize,
        steps: u64,
        instant: bool,
        budget: &Budget,
    ) -> Result<Found, Trouble> {
        let moving = |_: u64, _: usize| None;
        let choices = match instant {
            true => {
                let rewards = self.state_rewards(structure, budget)?;
                let end = rewards
                    .iter()
                    .map(|&reward| self.model.numbers.float(reward))
                    .collect();
                self.stepwise(optimum, end, steps, None, &moving, budget)?
            }
            false => {
                let rewards = self.choice_rewards(structure, budget)?;
                let end = vec![0.0; self.size()];
                self.stepwise(optimum, end, steps, Some(&rewards), &moving, budget)?
            }
        };
        Ok(Found::Remembering(choices, Memory::Steps))
    }

    /// The best choice of every step and state, from the values after the last step back. `settled` is the value of states whose choice does not matter.
    fn stepwise(
        &self,
        optimum: Optimum,
        end: Vec<f64>,
        steps: u64,
        rewards: Option<&[Num]>,
        settled: &dyn Fn(u64, usize) -> Option<f64>,
        budget: &Budget,
    ) -> Result<Vec<u32>, Trouble> {
        let size = self.size();
        if steps.saturating_mul(size as u64) > MOST_CHOICES {
            let message = format!(
                "schedulers with more than {MOST_CHOICES} choices (steps times states) are not written"
            );
            return Err(Trouble::Unsupported(message));
        }
        let floats = self.model.numbers.floats();
        let mut choices = vec![0u32; steps as usize * size];
        let mut values = end;
        for step in (0..steps).rev() {
            budget.check_now()?;
            let mut next = Vec::with_capacity(size);
            for state in 0..size {
                if let Some(value) = settled(step, state) {
                    next.push(value);
                    continue;
                }
                let worth = |choice: usize| {
                    let earned = rewards.map_or(0.0, |rewards| floats[rewards[choice].0 as usize]);
                    (self.model.row(choice)).fold(earned, |sum, at| {
                        sum + floats[self.model.values[at].0 as usize]
                            * values[self.model.targets[at] as usize]
                    })
                };
                let own = self.model.choices_of(state);
                let (mut best, mut value) = (own.start, worth(own.start));
                for choice in own.clone().skip(1) {
                    let other = worth(choice);
                    let better = match optimum {
                        Optimum::Max => other > value,
                        Optimum::Min => other < value,
                    };
                    if better {
                        (best, value) = (choice, other);
                    }
                }
                choices[step as usize * size + state] = (best - own.start) as u32;
                next.push(value);
            }
            values = next;
        }
        Ok(choices)
    }

    /// An operator with bounds on steps as an until formula, for the optimum or its dual.
    fn within(&mut self, optimum: Optimum, path: &Path, budget: &Budget) -> Result<Within, Trouble> {
        let not = |mut set: FixedBitSet| {
            set.toggle_range(..);
            set
        };
        let (optimum, stay, goal, bounds) = match path {
            Path::Not(inner) => return self.within(optimum.dual(), inner, budget),
            Path::Finally(goal, Some(bounds)) => {
                (optimum, self.everywhere(), self.path_set(goal, budget)?, bounds)
            }
            Path::Until(stay, goal, Some(bounds)) => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                (optimum, stay, goal, bounds)
            }
            Path::Globally(stay, Some(bounds)) => {
                let bad = not(self.path_set(stay, budget)?);
                (optimum.dual(), self.everywhere(), bad, bounds)
            }
            Path::WeakUntil(stay, goal, Some(bounds)) => {
                let (stay, goal) = (self.path_set(stay, budget)?, self.path_set(goal, budget)?);
                let (mut way, mut bad) = (stay.clone(), not(stay));
                way.difference_with(&goal);
                bad.difference_with(&goal);
                (optimum.dual(), way, bad, bounds)
            }
            Path::Release(first, second, Some(bounds)) => {
                let (first, second) = (self.path_set(first, budget)?, self.path_set(second, budget)?);
                (optimum.dual(), not(first), not(second), bounds)
            }
            _ => return Err(other_bounds()),
        };
        let counted = self.counted(bounds)?;
        Ok(Within {
            optimum,
            stay,
            goal,
            counted,
        })
    }

    /// The first and the last step that bounds allow; nothing if they allow none.
    fn counted(&self, bounds: &Bounds) -> Result<Option<(u64, u64)>, Trouble> {
        if !bounds.is_time() || self.network.kind.is_timed() {
            return Err(other_bounds());
        }
        let first = match &bounds.lower {
            Some(limit) => steps(&limit.value)? + u64::from(limit.strict),
            None => 0,
        };
        let Some(limit) = &bounds.upper else {
            return Err(other_bounds());
        };
        let last = steps(&limit.value)?.checked_sub(u64::from(limit.strict));
        Ok(last.filter(|&last| first <= last).map(|last| (first, last)))
    }
}

fn other_bounds() -> Trouble {
    Trouble::Unsupported(
        "of schedulers for bounded operators those with a greatest number of steps are written".to_owned(),
    )
}
