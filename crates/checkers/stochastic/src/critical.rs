//! Paths and parts of a chain that show why an upper bound on a probability is violated.
//!
//! A path is followed in the model, step by step, and its probabilities are multiplied. That the states of a part are enough is the probability of `stay U goal` with both
//! sets cut down to the part, which needs a certificate as every probability does; its lower value must violate the bound.

use crate::check::{Checker, Evaluation, NotConfirmed};
use crate::inequality::Nature;
use crate::operators;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_markov::{Certificate, Critical, LikelyPath, Optimum, Path, Property, Query, Rational};
use std::collections::BTreeSet;
use std::str::FromStr;

impl Checker {
    /// Whether paths have the probabilities that are claimed, and whether the states are enough to violate the bound.
    pub fn check_critical(&self, property: &Property, critical: &Critical, budget: &Budget) -> CheckReport {
        match self.why_not_critical(property, critical, budget) {
            Ok(None) => CheckReport::Accepted,
            Ok(Some(reason)) => CheckReport::rejected(reason),
            Err(NotConfirmed::Wrong(reason)) => CheckReport::rejected(reason),
            Err(NotConfirmed::Unchecked(what)) => CheckReport::unchecked(what),
            Err(NotConfirmed::Spent(spent)) => CheckReport::unchecked(format!("the likely paths ({spent})")),
        }
    }

    fn why_not_critical(
        &self,
        property: &Property,
        critical: &Critical,
        budget: &Budget,
    ) -> Result<Option<String>, NotConfirmed> {
        let wrong = |reason: &str| Ok(Some(reason.to_owned()));
        let Property::Probability {
            query: Query::Compare(threshold),
            path,
            ..
        } = property
        else {
            return wrong("likely paths of a property without a bound");
        };
        let chain = self
            .model
            .rows
            .iter()
            .all(|rows| rows.len() == 1 && rows[0].uppers.is_empty());
        let [initial] = self.model.initial[..] else {
            return wrong("likely paths of a model with several initial states");
        };
        if !chain || !threshold.comparison.is_upper() {
            return wrong("likely paths where there are none to show");
        }
        let nothing = Certificate::default();
        let mut evaluation = Evaluation::new(self, &nothing, budget);
        let (mut stay, mut goal) = match path {
            Path::Finally(goal, None) => (vec![true; self.states()], path_set(&mut evaluation, goal)?),
            Path::Until(stay, goal, None) => {
                let stay = path_set(&mut evaluation, stay)?;
                (stay, path_set(&mut evaluation, goal)?)
            }
            _ => return wrong("likely paths of another operator"),
        };
        let different: BTreeSet<&[u32]> = critical.paths.iter().map(|path| &path.states[..]).collect();
        if different.len() != critical.paths.len() {
            return wrong("a path is shown twice");
        }
        for path in &critical.paths {
            if !self.is_path(path, initial, &stay, &goal) {
                return wrong("a path that is shown is none, or has another probability");
            }
        }
        let mut inside = vec![false; self.states()];
        for &state in &critical.states {
            match inside.get_mut(state as usize) {
                Some(place) => *place = true,
                None => return wrong("a part of the model has states that are not there"),
            }
        }
        for state in 0..self.states() {
            stay[state] &= inside[state];
            goal[state] &= inside[state];
        }
        let asked = (Optimum::Max, Nature::With);
        if let Some(reason) = operators::until(&self.model, &stay, &goal, asked, &critical.bracket, budget)? {
            return Ok(Some(format!("critical states: {reason}")));
        }
        let lower = critical.bracket.lower(initial as usize);
        match lower.is_some_and(|lower| !threshold.comparison.holds(&lower, &threshold.bound)) {
            true => Ok(None),
            false => wrong("the critical states do not violate the bound"),
        }
    }

    /// Whether a path leads from the initial state to the goal, with the probability that is claimed.
    fn is_path(&self, path: &LikelyPath, initial: u32, stay: &[bool], goal: &[bool]) -> bool {
        let inside = |&state: &u32| (state as usize) < self.states();
        let (Some(&first), Some((&last, before))) = (path.states.first(), path.states.split_last()) else {
            return false;
        };
        if first != initial || !path.states.iter().all(inside) || !goal[last as usize] {
            return false;
        }
        let on_the_way = |&state: &u32| stay[state as usize] && !goal[state as usize];
        let mut product = Rational::ONE;
        for pair in path.states.windows(2) {
            let targets = &self.model.rows[pair[0] as usize][0].targets;
            match targets.iter().find(|(target, _)| *target == pair[1]) {
                Some((_, probability)) => product *= probability,
                None => return false,
            }
        }
        before.iter().all(on_the_way) && Rational::from_str(&path.probability).ok() == Some(product)
    }
}

fn path_set(evaluation: &mut Evaluation<'_>, path: &Path) -> Result<Vec<bool>, NotConfirmed> {
    match path.as_state() {
        Some(states) => evaluation.set(states),
        None => Err(NotConfirmed::Wrong("likely paths of a nested formula".to_owned())),
    }
}
