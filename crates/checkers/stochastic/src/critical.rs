//! Paths and parts of a model that show why an upper bound on a probability is violated. Where there are choices, each state of the part names the one it takes: what a scheduler
//! does there is enough, since the bound is about all.
//!
//! A path is followed in the model, step by step, and its probabilities are multiplied. That the states of a part are enough is the probability of `stay U goal` with both
//! sets cut down to the part, which needs a certificate as every probability does; its lower value must violate the bound.

use crate::check::{Checker, Evaluation, NotConfirmed};
use crate::inequality::Nature;
use crate::operators;
use entail_answer::CheckReport;
use entail_budget::Budget;
use entail_markov::{Certificate, Critical, Explicit, LikelyPath, Optimum, Path, Property, Query, Rational};
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
            optimum,
        } = property
        else {
            return wrong("likely paths of a property without a bound");
        };
        let certain = self.model.rows.iter().flatten().all(|row| row.uppers.is_empty());
        let Some(chain) = self.chosen(critical) else {
            return wrong("a part of the model takes choices that are not there");
        };
        let [initial] = self.model.initial[..] else {
            return wrong("likely paths of a model with several initial states");
        };
        let upper = threshold.comparison.is_upper() && *optimum != Some(Optimum::Min);
        if !certain || !upper {
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
            let stray = |state: &u32| critical.states.binary_search(state).is_err();
            if !critical.choices.is_empty() && path.states.iter().any(stray) {
                return wrong("a path leaves the part of which it is known what is chosen");
            }
            if !is_path(&chain, path, initial, &stay, &goal) {
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
        if let Some(reason) = operators::until(&chain, &stay, &goal, asked, &critical.bracket, budget)? {
            return Ok(Some(format!("critical states: {reason}")));
        }
        let lower = critical.bracket.lower(initial as usize);
        match lower.is_some_and(|lower| !threshold.comparison.holds(&lower, &threshold.bound)) {
            true => Ok(None),
            false => wrong("the critical states do not violate the bound"),
        }
    }

    /// The chain that the choices of the part make; states outside of it, which are not entered, take their first choice. Nothing if a choice is not there, or is not named.
    fn chosen(&self, critical: &Critical) -> Option<Explicit> {
        let has_choices = self.model.rows.iter().any(|rows| rows.len() > 1);
        let expected = if has_choices || !critical.choices.is_empty() { critical.states.len() } else { 0 };
        let sorted = critical.states.windows(2).all(|pair| pair[0] < pair[1]);
        if critical.choices.len() != expected || !sorted {
            return None;
        }
        let mut model = self.model.clone();
        for (state, rows) in model.rows.iter_mut().enumerate() {
            let choice = critical.choice(state as u32);
            if choice >= rows.len() {
                return None;
            }
            *rows = vec![rows.swap_remove(choice)];
        }
        Some(model)
    }
}

/// Whether a path leads from the initial state of a chain to the goal, with the probability that is claimed.
fn is_path(chain: &Explicit, path: &LikelyPath, initial: u32, stay: &[bool], goal: &[bool]) -> bool {
    let inside = |&state: &u32| (state as usize) < chain.states.len();
    let (Some(&first), Some((&last, before))) = (path.states.first(), path.states.split_last()) else {
        return false;
    };
    if first != initial || !path.states.iter().all(inside) || !goal[last as usize] {
        return false;
    }
    let on_the_way = |&state: &u32| stay[state as usize] && !goal[state as usize];
    let mut product = Rational::ONE;
    for pair in path.states.windows(2) {
        let targets = &chain.rows[pair[0] as usize][0].targets;
        match targets.iter().find(|(target, _)| *target == pair[1]) {
            Some((_, probability)) => product *= probability,
            None => return false,
        }
    }
    before.iter().all(on_the_way) && Rational::from_str(&path.probability).ok() == Some(product)
}

fn path_set(evaluation: &mut Evaluation<'_>, path: &Path) -> Result<Vec<bool>, NotConfirmed> {
    match path.as_state() {
        Some(states) => evaluation.set(states),
        None => Err(NotConfirmed::Wrong("likely paths of a nested formula".to_owned())),
    }
}
