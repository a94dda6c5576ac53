//! Certificates about a model of which only a part was built.
//!
//! An unexplored state has a loop here, which says nothing about what it does. Whatever it does, the probability of reaching a goal from it lies between 0 and 1, and that
//! of the whole model between the one in which all such states count as lost and the one in which they count as the goal; the certificate has a bracket for each. A reward until
//! a goal is at least what is earned until the goal or an unexplored state, and at most what is earned if unexplored states never reach it (infinitely much, unless
//! a scheduler can keep away from them).

use crate::check::{Evaluation, NotConfirmed};
use crate::operators;
use crate::second::enclose;
use entail_markov::{Bounds, Bracket, Optimum};

impl Evaluation<'_> {
    /// Refuses to confirm what needs the whole model if only a part was built.
    pub(crate) fn built_whole(&self, what: &str) -> Result<(), NotConfirmed> {
        match self.checker.unexplored.is_empty() {
            true => Ok(()),
            false => Err(NotConfirmed::Unchecked(format!(
                "{what} in a model that was explored in part"
            ))),
        }
    }

    /// The unexplored states for which a question is open.
    fn open(&self, is_open: impl Fn(usize) -> bool) -> Vec<usize> {
        let unexplored = self.checker.unexplored.iter().map(|&state| state as usize);
        unexplored.filter(|&state| is_open(state)).collect()
    }

    /// The probability of `stay U goal`, with and without bounds.
    pub(crate) fn until(
        &mut self,
        optimum: Optimum,
        stay: Vec<bool>,
        goal: Vec<bool>,
        bounds: Option<&Bounds>,
    ) -> Result<Bracket, NotConfirmed> {
        // If the goal counts only after some time, what happens until then matters in every unexplored state.
        let late = bounds.is_some_and(Bounds::has_lower);
        let open = self.open(|state| late || (stay[state] && !goal[state]));
        if open.is_empty() {
            return self.until_of_known(optimum, stay, goal, bounds);
        }
        if self.fair || bounds.is_some_and(|bounds| !bounds.is_time()) {
            self.built_whole("bounds on rewards or fair schedulers")?;
        }
        let with = |set: &[bool], value: bool| {
            let mut changed = set.to_vec();
            open.iter().for_each(|&state| changed[state] = value);
            changed
        };
        let lost = self.until_of_known(optimum, with(&stay, false), with(&goal, false), bounds)?;
        let won = self.until_of_known(optimum, with(&stay, true), with(&goal, true), bounds)?;
        Ok(between(&lost, &won))
    }

    /// The expected reward until a goal; nothing is negative.
    pub(crate) fn reward_until(
        &mut self,
        optimum: Optimum,
        structure: usize,
        goal: Vec<bool>,
    ) -> Result<Bracket, NotConfirmed> {
        let open = self.open(|state| !goal[state]);
        let mut one = |goal: &[bool]| {
            let bracket = self.next_bracket()?.clone();
            let (model, asked) = (&self.checker.model, (optimum, self.nature));
            let wrong = operators::reward(model, structure, goal, asked, &bracket, self.budget)?;
            self.judged(&bracket, wrong)
        };
        if open.is_empty() {
            return one(&goal);
        }
        let mut sooner = goal.clone();
        open.iter().for_each(|&state| sooner[state] = true);
        let (least, most) = (one(&sooner)?, one(&goal)?);
        Ok(between(&least, &most))
    }
}

/// From the lower values of one bracket to the upper values of another.
fn between(least: &Bracket, most: &Bracket) -> Bracket {
    let states = 0..least.len();
    Bracket::Between {
        lower: (states.clone())
            .map(|state| (least.lower(state)).map_or(f64::INFINITY, |value| enclose(&value).0))
            .collect(),
        upper: states
            .map(|state| (most.upper(state)).map_or(f64::INFINITY, |value| enclose(&value).1))
            .collect(),
    }
}
