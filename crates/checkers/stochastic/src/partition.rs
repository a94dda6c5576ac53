//! Judging partitions of a model's states into classes that behave alike.
//!
//! Read off the definition of probabilistic bisimulation, in rationals: two states of a class carry the same labels, earn the same, and every choice of the one
//! has a choice of the other that takes as long, earns the same and leads to every class with the same probability. That no two classes could be
//! put together is shown by refining the partition of the representatives from their labels until nothing changes: it must come out as claimed.

use entail_answer::CheckReport;
use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Network, Rational};
use std::collections::{BTreeMap, BTreeSet};

/// What one can see of a choice: its rate, what it earns, and the probability of each class.
pub(crate) type Look = (Option<Rational>, Vec<Rational>, BTreeMap<u32, Rational>);

/// What one can see of a state without a step: labels, rewards, whether it is initial, whether it had no way out.
type Surface = (Vec<bool>, Vec<Rational>);

/// Whether states of a class are alike, and states of different classes are not. Names of actions are not looked at.
pub fn judge(network: &Network, model: &Explicit, classes: &[u32], budget: &Budget) -> CheckReport {
    match compared(network, model, classes, budget) {
        Ok(None) => CheckReport::Accepted,
        Ok(Some(reason)) => CheckReport::rejected(reason),
        Err(spent) => CheckReport::unchecked(format!("the classes ({spent})")),
    }
}

/// The choices of a state, their rewards by some structures.
pub(crate) fn looks(
    model: &Explicit,
    state: usize,
    structures: &[usize],
    class: &dyn Fn(u32) -> u32,
) -> BTreeSet<Look> {
    let rows = model.rows[state].iter().map(|row| {
        let mut sums: BTreeMap<u32, Rational> = BTreeMap::new();
        for (target, probability) in &row.targets {
            *sums.entry(class(*target)).or_insert(Rational::ZERO) += probability;
        }
        let rewards = structures.iter().map(|&at| row.rewards[at].clone());
        (row.rate.clone(), rewards.collect(), sums)
    });
    rows.collect()
}

fn surface(network: &Network, model: &Explicit, state: usize) -> Result<Surface, String> {
    let number = state as u32;
    let mut marks = vec![model.initial.contains(&number), model.deadlocks.contains(&number)];
    for (_, set) in &network.labels {
        let inside = network.holds(set, &model.states[state]);
        marks.push(inside.map_err(|error| error.to_string())?);
    }
    let rewards = model.state_rewards.iter().map(|of| of[state].clone()).collect();
    Ok((marks, rewards))
}

fn compared(
    network: &Network,
    model: &Explicit,
    classes: &[u32],
    budget: &Budget,
) -> Result<Option<String>, Spent> {
    if classes.len() != model.rows.len() {
        return Ok(Some("the partition has another number of states".to_owned()));
    }
    let class = |state: u32| classes[state as usize];
    let structures: Vec<usize> = (0..network.rewards.len()).collect();
    let mut seen: BTreeMap<u32, (usize, Surface, BTreeSet<Look>)> = BTreeMap::new();
    for (state, &own) in classes.iter().enumerate() {
        budget.check()?;
        let surface = match surface(network, model, state) {
            Ok(surface) => surface,
            Err(reason) => return Ok(Some(reason)),
        };
        let looks = looks(model, state, &structures, &class);
        match seen.get(&own) {
            Some((_, known, choices)) if *known == surface && *choices == looks => {}
            Some((first, ..)) => {
                return Ok(Some(format!("states {first} and {state} of one class differ")));
            }
            None => {
                seen.insert(own, (state, surface, looks));
            }
        }
    }
    coarsest(model, classes, seen, budget)
}

/// Whether refining the classes from their surfaces tells all of them apart.
fn coarsest(
    model: &Explicit,
    classes: &[u32],
    seen: BTreeMap<u32, (usize, Surface, BTreeSet<Look>)>,
    budget: &Budget,
) -> Result<Option<String>, Spent> {
    let mut names: BTreeMap<&Surface, u32> = BTreeMap::new();
    let mut parts: BTreeMap<u32, u32> = BTreeMap::new();
    for (&own, (_, surface, _)) in &seen {
        let next = names.len() as u32;
        parts.insert(own, *names.entry(surface).or_insert(next));
    }
    let mut count = names.len();
    let structures: Vec<usize> = (0..model.state_rewards.len()).collect();
    loop {
        let mut names: BTreeMap<(u32, BTreeSet<Look>), u32> = BTreeMap::new();
        let mut finer = BTreeMap::new();
        let part = |state: u32| parts[&classes[state as usize]];
        for (&own, (state, ..)) in &seen {
            budget.check()?;
            let next = names.len() as u32;
            let name = names
                .entry((parts[&own], looks(model, *state, &structures, &part)))
                .or_insert(next);
            finer.insert(own, *name);
        }
        if names.len() == count {
            let merged = "two classes behave alike, and should be one";
            return Ok((count != seen.len()).then(|| merged.to_owned()));
        }
        count = names.len();
        parts = finer;
    }
}
