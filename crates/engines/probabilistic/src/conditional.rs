//! Conditional probabilities of models with choices: reaching `event` if `condition` is reached (Baier, Klein, Klüppelholz and Märcker 2014).
//!
//! A run whose condition fails is forgotten: it begins again. So the model gets two ends, *both* and *only the condition*, and ways back to the beginning. Where
//! the event comes first, the best that can still be done is to reach the condition, with probability `a`: to *both* with `a`, back with `1 - a`. Where the condition comes first, the
//! event is still to be reached, with probability `b`: to *both* with `b`, to *only the condition* with `1 - b`. Where both can be avoided for ever, the scheduler may
//! also go back. The greatest conditional probability is the greatest probability of *both*, the least is one minus the greatest of *only the condition*, with `a` and `b` greatest,
//! or least. Schedulers under which the condition has no chance go back for ever and reach neither.
//!
//! `a` and `b` are only bounded in general. The value rises with both of them, so that their lower bounds give a lower bound, and their upper bounds an upper one.

use crate::brackets;
use crate::check::{Trouble, Workshop};
use crate::graph::{reach_all, reach_some};
use crate::numbers::Numbers;
use crate::sparse::Sparse;
use entail_budget::Budget;
use entail_markov::{Bracket, Kind, Optimum, Rational};
use fixedbitset::FixedBitSet;

impl Workshop<'_> {
    /// The optimal probability of reaching `event` if `condition` is reached, from the initial state; the same number for every state.
    pub(crate) fn conditional(
        &mut self,
        optimum: Optimum,
        event: &FixedBitSet,
        condition: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        self.without_intervals("conditional probabilities")?;
        self.without_fairness("conditional probabilities")?;
        let &[initial] = &self.model.initial[..] else {
            return Err(Trouble::Unsupported(
                "conditional probabilities need one initial state".to_owned(),
            ));
        };
        let everywhere = self.everywhere();
        if !reach_some(&self.before, &everywhere, condition).contains(initial as usize) {
            return Err(Trouble::Unsupported(
                "no scheduler gives the condition a chance: there is no conditional probability".to_owned(),
            ));
        }
        let to_condition = self.until(optimum, &everywhere, condition, budget)?;
        let to_event = self.until(optimum, &everywhere, event, budget)?;
        let exact = |bracket: &Bracket| matches!(bracket, Bracket::Exact(_));
        let lower = |bracket: &Bracket| -> Vec<Option<Rational>> {
            (0..bracket.len()).map(|state| bracket.lower(state)).collect()
        };
        let upper = |bracket: &Bracket| -> Vec<Option<Rational>> {
            (0..bracket.len()).map(|state| bracket.upper(state)).collect()
        };
        let low = self.after_resets(
            optimum,
            event,
            condition,
            (lower(&to_condition), lower(&to_event)),
            budget,
        )?;
        let high = match exact(&to_condition) && exact(&to_event) {
            true => low.clone(),
            false => self.after_resets(
                optimum,
                event,
                condition,
                (upper(&to_condition), upper(&to_event)),
                budget,
            )?,
        };
        let initial = initial as usize;
        let size = self.size();
        if let (Bracket::Exact(values), Bracket::Exact(_), true) =
            (&low, &high, exact(&to_condition) && exact(&to_event))
        {
            return Ok(Bracket::Exact(vec![values[initial].clone(); size]));
        }
        Ok(Bracket::Between {
            lower: vec![brackets::floats(&low, initial).0; size],
            upper: vec![brackets::floats(&high, initial).1; size],
        })
    }

    /// The value in the model with ways back, for given chances of the condition after the event, and of the event after the condition; noted in the certificate.
    fn after_resets(
        &mut self,
        optimum: Optimum,
        event: &FixedBitSet,
        condition: &FixedBitSet,
        (to_condition, to_event): (Vec<Option<Rational>>, Vec<Option<Rational>>),
        budget: &Budget,
    ) -> Result<Bracket, Trouble> {
        let size = self.size();
        let initial = self.model.initial[0];
        let (both, only) = (size as u32, size as u32 + 1);
        let mut settled = event.clone();
        settled.union_with(condition);
        let certain = reach_all(&self.model, &self.before, &self.everywhere(), &settled);
        let mut model = Sparse::empty(Kind::Mdp, &self.network);
        model.initial = vec![initial];
        let mut numbers = self.model.numbers.clone();
        let mut choices = 0;
        let split = |model: &mut Sparse, numbers: &mut Numbers, parts: [(u32, Rational); 2]| {
            for (target, share) in parts {
                if share > Rational::ZERO {
                    model.targets.push(target);
                    model.values.push(numbers.intern(share));
                }
            }
            model.rows.push(model.targets.len() as u32);
        };
        let chance = |of: &[Option<Rational>], state: usize| {
            let value = of[state].clone().unwrap_or(Rational::ONE);
            value.clamp(Rational::ZERO, Rational::ONE)
        };
        for state in 0..size {
            budget.check()?;
            if event.contains(state) {
                let chance = chance(&to_condition, state);
                let back = Rational::ONE - &chance;
                split(&mut model, &mut numbers, [(both, chance), (initial, back)]);
                choices += 1;
            } else if condition.contains(state) {
                let chance = chance(&to_event, state);
                let rest = Rational::ONE - &chance;
                split(&mut model, &mut numbers, [(both, chance), (only, rest)]);
                choices += 1;
            } else {
                for choice in self.model.choices_of(state) {
                    model.targets.extend_from_slice(self.model.targets_of(choice));
                    model
                        .values
                        .extend_from_slice(&self.model.values[self.model.row(choice)]);
                    model.rows.push(model.targets.len() as u32);
                    choices += 1;
                }
                if !certain.contains(state) {
                    split(
                        &mut model,
                        &mut numbers,
                        [(initial, Rational::ONE), (initial, Rational::ZERO)],
                    );
                    choices += 1;
                }
            }
            model.choices.push(choices);
        }
        for end in [both, only] {
            split(
                &mut model,
                &mut numbers,
                [(end, Rational::ONE), (end, Rational::ZERO)],
            );
            choices += 1;
            model.choices.push(choices);
        }
        model.numbers = numbers;
        let mut goal = FixedBitSet::with_capacity(size + 2);
        goal.insert(match optimum {
            Optimum::Max => both,
            Optimum::Min => only,
        } as usize);
        let mut workshop = Workshop::around(&self.network, model, self.settings);
        let everywhere = workshop.everywhere();
        let bracket = workshop.until_bracket(Optimum::Max, &everywhere, &goal, budget)?;
        let sweeps = workshop.sweeps;
        drop(workshop);
        self.sweeps += sweeps;
        let bracket = self.certified(bracket);
        Ok(match optimum {
            Optimum::Max => bracket,
            Optimum::Min => brackets::complement(bracket),
        })
    }
}
