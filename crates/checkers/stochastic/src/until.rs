//! `stay U goal`, with and without bounds: by a fixed-point certificate where there is no bound on steps or time, epoch by epoch where rewards are bounded
//! ([`crate::within_costs`]), by a second computation where steps are.

use crate::check::{Evaluation, Followed, NotConfirmed};
use crate::graph;
use crate::numbers::complement;
use crate::operators;
use crate::second::{Intervals, contains, overlaps};
use entail_markov::{Bounds, Bracket, Kind, Limit, Optimum};

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
        if let Some(Followed::Counting(_)) = self.followed {
            return self.until_by_choices(&stay, &goal, bounds);
        }
        let model = &self.checker.model;
        let exact = || model.rows.iter().flatten().all(|row| row.uppers.is_empty());
        let late = bounds.upper.is_none() && !model.kind.is_timed() && !self.fair;
        if !bounds.is_time() || (late && exact()) {
            if self.fair {
                return Err(NotConfirmed::Unchecked(
                    "bounds on rewards under fair schedulers".to_owned(),
                ));
            }
            return self.until_within_costs(optimum, &stay, &goal, bounds);
        }
        match self.checker.model.kind {
            Kind::Ctmc => return self.until_in_time(&stay, &goal, bounds),
            Kind::Ma => return self.until_in_random_time(optimum, &stay, &goal, bounds),
            Kind::Dtmc | Kind::Mdp => {}
        }
        let Some((first, last)) = steps_within(bounds) else {
            return Err(NotConfirmed::Unchecked(
                "operators with a lower bound only".to_owned(),
            ));
        };
        if first > last {
            return self.accept_computed(Intervals::indicator(&vec![false; goal.len()]));
        }
        if exact() && self.claims_fractions() {
            return self.until_in_fractions(optimum, (&stay, &goal), (first, last));
        }
        let values = self.steps(optimum, &stay, &goal, Intervals::indicator(&goal), last - first)?;
        let none = vec![false; self.size()];
        let values = self.steps(optimum, &stay, &none, values, first)?;
        self.accept_computed(values)
    }
}

/// The first and the last step that bounds allow, where there is a last one; if the last comes before the first, none is.
pub(crate) fn steps_within(bounds: &Bounds) -> Option<(u64, u64)> {
    let whole = |limit: &Limit| u64::try_from(limit.value.clone()).ok();
    let first = match &bounds.lower {
        Some(limit) => whole(limit)? + u64::from(limit.strict),
        None => 0,
    };
    let limit = bounds.upper.as_ref()?;
    let last = whole(limit)?.checked_sub(u64::from(limit.strict));
    Some(last.map_or((1, 0), |last| (first, last)))
}
