//! `stay U goal`, with and without bounds: by a fixed-point certificate where there is no bound on steps or time, on an unfolding where a reward is bounded, by a
//! second computation where steps are.

use crate::check::{Evaluation, NotConfirmed};
use crate::graph;
use crate::numbers::complement;
use crate::operators;
use crate::path_formulas::pulled_back;
use crate::product;
use crate::second::{Intervals, contains, overlaps};
use entail_markov::{BoundedBy, Bounds, Bracket, Kind, Limit, Optimum, Rational};

impl Evaluation<'_> {
    /// So many steps back from `values`: goal states keep 1, states outside of `stay` lose all.
    pub(crate) fn steps(
        &mut self,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        mut values: Intervals,
        steps: u64,
    ) -> Result<Intervals, NotConfirmed> {
        let (budget, extreme) = (self.budget, self.nature.of(optimum));
        let enclosed = self.enclosed();
        for _ in 0..steps {
            budget.check_now()?;
            let moving = |state: usize| stay[state] && !goal[state];
            let otherwise = |state: usize| if goal[state] { (1.0, 1.0) } else { (0.0, 0.0) };
            values = enclosed.step(&values, &moving, &otherwise, None, (optimum, extreme), budget)?;
            for value in &mut values.upper {
                *value = value.min(1.0);
            }
        }
        Ok(values)
    }

    pub(crate) fn accept_computed(&mut self, computed: Intervals) -> Result<Bracket, NotConfirmed> {
        let claimed = self.next_bracket()?.clone();
        if contains(&claimed, &computed) {
            return Ok(claimed);
        }
        // An exact claim is compared with the interval that must contain it.
        if let Bracket::Exact(_) = claimed {
            return Err(NotConfirmed::Unchecked(
                "an exact value of a bounded operator".to_owned(),
            ));
        }
        match overlaps(&claimed, &computed) {
            true => Err(NotConfirmed::Unchecked(
                "a second computation of a bounded operator is not narrow enough".to_owned(),
            )),
            false => Err(NotConfirmed::Wrong(
                "a second computation finds values outside of the bounds".to_owned(),
            )),
        }
    }

    /// The least probability of `stay U goal` over fair schedulers. In states that they see again and again they take every choice again and again, so that they cannot
    /// stay away from a goal that can be reached: they miss it only by getting to where it cannot (Baier and Kwiatkowska 1998). That has its greatest
    /// probability over all schedulers, for which the certificate is.
    fn fair_least(&mut self, stay: &[bool], goal: &[bool]) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        let hopeful = graph::reach_some(model, stay, goal, self.budget)?;
        let lost: Vec<bool> = hopeful.iter().map(|hopeful| !hopeful).collect();
        let way: Vec<bool> = stay
            .iter()
            .zip(goal)
            .map(|(&stay, &goal)| stay && !goal)
            .collect();
        let bracket = self.next_bracket()?.clone();
        let asked = (Optimum::Max, self.nature);
        let wrong = operators::until(&self.checker.model, &way, &lost, asked, &bracket, self.budget)?;
        Ok(complement(self.judged(&bracket, wrong)?))
    }

    /// The probability of `stay U goal` while what is earned lies within bounds: on the unfolding with what is earned.
    fn until_within_reward(
        &mut self,
        optimum: Optimum,
        stay: &[bool],
        goal: &[bool],
        structure: usize,
        bounds: &Bounds,
    ) -> Result<Bracket, NotConfirmed> {
        let model = &self.checker.model;
        let rewards = &self.checker.network.rewards[structure];
        let merged = !model.kind.has_choices() && !rewards.transitions.is_empty();
        if model.kind.is_timed() || rewards.on_branches || merged {
            return Err(NotConfirmed::Unchecked(
                "bounds on rewards that outcomes may earn differently".to_owned(),
            ));
        }
        let below = |earned: &Rational| {
            (bounds.upper.as_ref()).is_none_or(|limit| match limit.strict {
                true => *earned < limit.value,
                false => *earned <= limit.value,
            })
        };
        let above = |earned: &Rational| {
            (bounds.lower.as_ref()).is_none_or(|limit| match limit.strict {
                true => *earned > limit.value,
                false => *earned >= limit.value,
            })
        };
        let is_beyond = |earned: &Rational| match bounds.upper {
            Some(_) => !below(earned),
            None => above(earned),
        };
        let unfolded = product::counted(model, structure, &is_beyond, self.budget)?;
        let bracket = self.next_bracket()?.clone();
        let lost = |earned: &Option<Rational>| earned.is_none() && bounds.upper.is_some();
        let there = |(state, earned): &(u32, Option<Rational>)| {
            let inside = earned.as_ref().map_or(bounds.upper.is_none(), above);
            inside && goal[*state as usize]
        };
        let way = |(state, earned): &(u32, Option<Rational>)| !lost(earned) && stay[*state as usize];
        let (way, there): (Vec<bool>, Vec<bool>) =
            unfolded.keys.iter().map(|key| (way(key), there(key))).unzip();
        let asked = (optimum, self.nature);
        let wrong = operators::until(&unfolded.model, &way, &there, asked, &bracket, self.budget)?;
        let bracket = self.judged(&bracket, wrong)?;
        Ok(pulled_back(&bracket, &unfolded.start))
    }

    /// The probability of `stay U goal`, as if every state was expanded.
    pub(crate) fn until_of_known(
        &mut self,
        optimum: Optimum,
        stay: Vec<bool>,
        goal: Vec<bool>,
        bounds: Option<&Bounds>,
    ) -> Result<Bracket, NotConfirmed> {
        let Some(bounds) = bounds else {
            if self.fair && optimum == Optimum::Min {
                return self.fair_least(&stay, &goal);
            }
            let bracket = self.next_bracket()?.clone();
            let asked = (optimum, self.nature);
            let wrong = operators::until(&self.checker.model, &stay, &goal, asked, &bracket, self.budget)?;
            return self.judged(&bracket, wrong);
        };
        if let BoundedBy::Reward(structure) = bounds.by {
            if self.fair {
                return Err(NotConfirmed::Unchecked(
                    "bounds on rewards under fair schedulers".to_owned(),
                ));
            }
            return self.until_within_reward(optimum, &stay, &goal, structure, bounds);
        }
        match self.checker.model.kind {
            Kind::Ctmc => return self.until_in_time(&stay, &goal, bounds),
            Kind::Ma => return self.until_in_random_time(optimum, &stay, &goal, bounds),
            Kind::Dtmc | Kind::Mdp => {}
        }
        let whole = |limit: &Limit| u64::try_from(limit.value.clone()).ok();
        let first = bounds
            .lower
            .as_ref()
            .map_or(Some(0), |limit| Some(whole(limit)? + u64::from(limit.strict)));
        let last = bounds
            .upper
            .as_ref()
            .map(|limit| whole(limit).and_then(|steps| steps.checked_sub(u64::from(limit.strict))));
        let (Some(first), Some(Some(last))) = (first, last) else {
            return Err(NotConfirmed::Unchecked(
                "operators with a lower bound only".to_owned(),
            ));
        };
        if first > last {
            return Err(NotConfirmed::Unchecked("an empty interval".to_owned()));
        }
        let values = self.steps(optimum, &stay, &goal, Intervals::indicator(&goal), last - first)?;
        let none = vec![false; self.size()];
        let values = self.steps(optimum, &stay, &none, values, first)?;
        self.accept_computed(values)
    }
}
