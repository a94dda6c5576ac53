//! Long-run averages of models with choices: the best end component to stay in, and the best way there (de Alfaro 1997).
//!
//! Almost surely a run stays in an end component at last, so that the average is what the component is worth under the best policy inside of it ([`gain`](crate::gain)). The
//! model gets two ends, and in every maximal end component a choice to stop: with the share of its worth between the least and the greatest one to *won*, otherwise to *lost*.
//! The greatest probability of *won*, stretched back, is the greatest average. The least is the greatest of the negated one.
//!
//! The certificate has the bounds of each component's worth, the potentials that prove them, and the probabilities of *won*, unless all components are worth the same.

use crate::brackets::{around, floats as floats_of};
use crate::check::{Exactness, Trouble, Workshop};
use crate::components::{EndComponent, end_components};
use crate::gain::{Arena, stands_still};
use crate::numbers::{Num, Numbers};
use crate::scheduler::Aim;
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bracket, Kind, Optimum, Rational};
use fixedbitset::FixedBitSet;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Components with more states in total are not solved in rationals without being asked to.
const ELIMINATED: usize = 400;

/// What all states are worth in the components that they belong to, and the potentials: lower and upper.
struct Worth {
    averages: Bracket,
    potentials: Bracket,
}

impl Workshop<'_> {
    /// The optimal long-run average of what choices earn, for the time they take.
    pub(crate) fn average_of_choices(
        &mut self,
        optimum: Optimum,
        (earned, durations): (&[Num], &[Num]),
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let (components, worth) = self.worth_of_components(optimum, (earned, durations), budget)?;
        let averages = self.certified(worth.averages);
        self.certified(worth.potentials);
        let bracket = self.best_component(&components, &averages, budget)?;
        Ok(match optimum {
            Optimum::Max => bracket,
            Optimum::Min => negated(bracket),
        })
    }

    /// The end components, and what they are worth.
    fn worth_of_components(
        &mut self,
        optimum: Optimum,
        (earned, durations): (&[Num], &[Num]),
        budget: &Budget,
    ) -> Result<(Vec<EndComponent>, Worth), Trouble> {
        self.without_fairness("long-run averages")?;
        let everywhere = self.everywhere();
        if stands_still(&self.model, durations, &everywhere, budget)? {
            let message =
                "long-run averages where choices that take no time can go on for ever are not supported";
            return Err(Trouble::Unsupported(message.to_owned()));
        }
        let components = end_components(&self.model, &everywhere, &|_| true, budget)?;
        let sign = if optimum == Optimum::Max { 1.0 } else { -1.0 };
        let size: usize = components.iter().map(|component| component.states.len()).sum();
        let rewards = (earned, durations);
        let exactly = match self.settings.exactness {
            Exactness::Always => Some(self.worth_exactly(&components, rewards, sign, budget)?),
            Exactness::WhereCheap if size <= ELIMINATED => {
                let share = budget.part(Duration::from_secs(1));
                match self.worth_exactly(&components, rewards, sign, &share) {
                    Err(Trouble::Spent(_)) => None,
                    worth => Some(worth?),
                }
            }
            _ => None,
        };
        let worth = match exactly {
            Some(worth) => worth,
            None => self.worth_in_doubles(&components, rewards, sign, budget)?,
        };
        Ok((components, worth))
    }

    /// The choices of a scheduler with the optimal average: inside of a component those that keep the potentials, and from elsewhere, or from components that are better left, the
    /// way to the best ones.
    pub(crate) fn averaging(
        &mut self,
        optimum: Optimum,
        (earned, durations): (&[Num], &[Num]),
        budget: &Budget,
    ) -> Result<Vec<u32>, Trouble> {
        let (components, worth) = self.worth_of_components(optimum, (earned, durations), budget)?;
        let sign = if optimum == Optimum::Max { 1.0 } else { -1.0 };
        let floats = self.model.numbers.floats();
        let number = |number: Num| floats[number.0 as usize];
        let mut choices = vec![0u32; self.size()];
        for component in &components {
            let mut best: FxHashMap<u32, (f64, u32)> = FxHashMap::default();
            for &choice in &component.choices {
                let state = self.before.owner[choice as usize];
                let average = floats_of(&worth.averages, state as usize).0;
                let at = choice as usize;
                let gained = sign * number(earned[at]) - average * number(durations[at]);
                let value = self.model.row(at).fold(gained, |sum, step| {
                    let target = self.model.targets[step] as usize;
                    sum + number(self.model.values[step]) * floats_of(&worth.potentials, target).0
                });
                let known = best.entry(state).or_insert((value, choice));
                if value > known.0 {
                    *known = (value, choice);
                }
            }
            for (state, (_, choice)) in best {
                choices[state as usize] = choice - self.model.choices_of(state as usize).start as u32;
            }
        }
        let Some((_, spread, shares)) = shares(&components, &worth.averages) else {
            return Err(Trouble::Undecided("a long-run average is not finite".to_owned()));
        };
        if spread.is_zero() {
            return Ok(choices);
        }
        let size = self.size();
        let model = self.with_two_ends(&components, &shares, budget)?;
        let mut goal = FixedBitSet::with_capacity(size + 2);
        goal.insert(size);
        let mut workshop = Workshop::around(&self.network, model, self.settings);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &goal, budget)?;
        let mut open = everywhere;
        open.set(size, false);
        open.set(size + 1, false);
        let ways = workshop.choices_for(&Aim {
            optimum: Optimum::Max,
            bracket: &bracket,
            rewards: None,
            open,
            goal: &goal,
        });
        for (state, &way) in ways[..size].iter().enumerate() {
            if (way as usize) < self.model.choices_of(state).len() {
                choices[state] = way;
            }
        }
        Ok(choices)
    }

    fn worth_exactly(
        &self,
        components: &[EndComponent],
        rewards: (&[Num], &[Num]),
        sign: f64,
        budget: &Budget,
    ) -> Result<Worth, Trouble> {
        let mut averages = vec![Some(Rational::ZERO); self.size()];
        let mut potentials = averages.clone();
        for component in components {
            let gain = Arena::new(&self.model, component, rewards, sign).exactly(budget)?;
            for (&state, potential) in component.states.iter().zip(gain.potentials) {
                averages[state as usize] = Some(gain.average.clone());
                potentials[state as usize] = Some(potential);
            }
        }
        Ok(Worth {
            averages: Bracket::Exact(averages),
            potentials: Bracket::Exact(potentials),
        })
    }

    fn worth_in_doubles(
        &self,
        components: &[EndComponent],
        rewards: (&[Num], &[Num]),
        sign: f64,
        budget: &Budget,
    ) -> Result<Worth, Trouble> {
        let zeros = || vec![0.0; self.size()];
        let (mut low, mut high, mut below, mut above) = (zeros(), zeros(), zeros(), zeros());
        let relative = self.settings.precision.epsilon * 0.2;
        for component in components {
            let bounds = Arena::new(&self.model, component, rewards, sign).bounds(relative, budget)?;
            for (at, &state) in component.states.iter().enumerate() {
                let state = state as usize;
                (low[state], high[state]) = (bounds.lower.average, bounds.upper.average);
                (below[state], above[state]) = (bounds.lower.potentials[at], bounds.upper.potentials[at]);
            }
        }
        Ok(Worth {
            averages: Bracket::Between {
                lower: low,
                upper: high,
            },
            potentials: Bracket::Between {
                lower: below,
                upper: above,
            },
        })
    }

    /// The greatest expected worth of the component in which a run stays at last.
    fn best_component(
        &mut self,
        components: &[EndComponent],
        averages: &Bracket,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let Some((least, spread, shares)) = shares(components, averages) else {
            return Err(Trouble::Undecided("a long-run average is not finite".to_owned()));
        };
        let size = self.size();
        // The bounds of components may differ by this much.
        let apart = |component: &EndComponent| {
            let state = component.states[0] as usize;
            Some(averages.upper(state)? - averages.lower(state)?)
        };
        let apart = components
            .iter()
            .filter_map(apart)
            .max()
            .unwrap_or(Rational::ZERO);
        if spread.is_zero() {
            return Ok(match apart.is_zero() {
                true => Bracket::Exact(vec![Some(least); size]),
                false => Bracket::Between {
                    lower: vec![around(&least).0; size],
                    upper: vec![around(&(least + apart)).1; size],
                },
            });
        }
        let won = self.with_stops(components, &shares, budget)?;
        if let (Bracket::Exact(values), true) = (&won, apart.is_zero()) {
            let stretched = |share: &Option<Rational>| Some(&least + &spread * share.as_ref()?);
            return Ok(Bracket::Exact(values[..size].iter().map(stretched).collect()));
        }
        let end = |share: Option<Rational>, more: &Rational, up: bool| match share {
            None => f64::INFINITY,
            Some(share) => {
                let (below, above) = around(&(&least + &spread * share + more));
                if up { above } else { below }
            }
        };
        Ok(Bracket::Between {
            lower: (0..size)
                .map(|at| end(won.lower(at), &Rational::ZERO, false))
                .collect(),
            upper: (0..size).map(|at| end(won.upper(at), &apart, true)).collect(),
        })
    }

    /// The greatest probabilities of winning where runs may stop in components, with these chances.
    fn with_stops(
        &mut self,
        components: &[EndComponent],
        shares: &[Rational],
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let model = self.with_two_ends(components, shares, budget)?;
        let mut goal = FixedBitSet::with_capacity(self.size() + 2);
        goal.insert(self.size());
        let mut workshop = Workshop::around(&self.network, model, self.settings);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &goal, budget)?;
        let sweeps = workshop.sweeps;
        drop(workshop);
        self.sweeps += sweeps;
        Ok(self.certified(bracket))
    }

    /// The model with two more states, *won* and *lost*, and a last choice in every component to stop there, with these chances of winning.
    fn with_two_ends(
        &self,
        components: &[EndComponent],
        shares: &[Rational],
        budget: &Budget,
    ) -> Result<Sparse, Trouble> {
        let size = self.size();
        let (won, lost) = (size as u32, size as u32 + 1);
        let mut share_of = vec![None; size];
        for (component, share) in components.iter().zip(shares) {
            for &state in &component.states {
                share_of[state as usize] = Some(share);
            }
        }
        let mut model = Sparse::empty(Kind::Mdp, &self.network);
        model.initial = self.model.initial.clone();
        let mut numbers = self.model.numbers.clone();
        let mut choices = 0;
        for (state, share) in share_of.iter().enumerate() {
            budget.check()?;
            for choice in self.model.choices_of(state) {
                model.targets.extend_from_slice(self.model.targets_of(choice));
                model
                    .values
                    .extend_from_slice(&self.model.values[self.model.row(choice)]);
                model.rows.push(model.targets.len() as u32);
                choices += 1;
            }
            if let Some(share) = share {
                for (target, part) in [(won, (*share).clone()), (lost, Rational::ONE - *share)] {
                    if !part.is_zero() {
                        model.targets.push(target);
                        model.values.push(numbers.intern(part));
                    }
                }
                model.rows.push(model.targets.len() as u32);
                choices += 1;
            }
            model.choices.push(choices);
        }
        for end in [won, lost] {
            model.targets.push(end);
            model.values.push(Numbers::ONE);
            model.rows.push(model.targets.len() as u32);
            choices += 1;
            model.choices.push(choices);
        }
        model.numbers = numbers;
        Ok(model)
    }
}

/// The least worth of components, by how much the greatest exceeds it, and where between these each lies.
fn shares(components: &[EndComponent], averages: &Bracket) -> Option<(Rational, Rational, Vec<Rational>)> {
    let worth = |component: &EndComponent| averages.lower(component.states[0] as usize);
    let worths: Vec<Rational> = components.iter().map(worth).collect::<Option<_>>()?;
    let (least, greatest) = (worths.iter().min().cloned()?, worths.iter().max()?);
    let spread = greatest - &least;
    let shares = match spread.is_zero() {
        true => vec![Rational::ZERO; worths.len()],
        false => worths.iter().map(|worth| (worth - &least) / &spread).collect(),
    };
    Some((least, spread, shares))
}

/// The bounds of the negated values.
fn negated(bracket: Bracket) -> Bracket {
    let minus = |values: Vec<f64>| values.into_iter().map(|value| 0.0 - value).collect();
    match bracket {
        Bracket::Exact(values) => Bracket::Exact(
            values
                .into_iter()
                .map(|value| value.map(|value| -value))
                .collect(),
        ),
        Bracket::Between { lower, upper } => Bracket::Between {
            lower: minus(upper),
            upper: minus(lower),
        },
    }
}
