//! Unfoldings of a model with an automaton that reads along.
//!
//! States are numbered as engines number them: one beginning for each state of the model, in order, then breadth first.

use entail_budget::{Budget, Spent};
use entail_markov::{Explicit, Observer, Rational, Row};
use std::collections::HashMap;
use std::hash::Hash;

/// An unfolded model.
pub(crate) struct Unfolded<K> {
    pub model: Explicit,
    /// Where each state of the original begins.
    pub start: Vec<u32>,
    /// The state of the original and what was added to it.
    pub keys: Vec<(u32, K)>,
}

/// Unfolds a model: `begin` adds something to each state, `step` says how it changes along a choice to a target.
pub(crate) fn unfold<K: Clone + Eq + Hash>(
    model: &Explicit,
    begin: impl Fn(usize) -> K,
    mut step: impl FnMut(usize, &K, usize, usize) -> K,
    budget: &Budget,
) -> Result<Unfolded<K>, Spent> {
    let mut numbers: HashMap<(u32, K), u32> = HashMap::new();
    let mut keys: Vec<(u32, K)> = Vec::new();
    let mut number = |keys: &mut Vec<(u32, K)>, key: (u32, K)| {
        *numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            (keys.len() - 1) as u32
        })
    };
    let start = (0..model.rows.len())
        .map(|state| number(&mut keys, (state as u32, begin(state))))
        .collect();
    let mut rows: Vec<Vec<Row>> = Vec::new();
    while rows.len() < keys.len() {
        let (state, added) = keys[rows.len()].clone();
        let mut own = Vec::new();
        for (choice, row) in model.rows[state as usize].iter().enumerate() {
            budget.check()?;
            let mut targets = Vec::with_capacity(row.targets.len());
            for (target, probability) in &row.targets {
                let next = step(state as usize, &added, choice, *target as usize);
                targets.push((number(&mut keys, (*target, next)), probability.clone()));
            }
            own.push(Row {
                targets,
                ..row.clone()
            });
        }
        rows.push(own);
    }
    let rewards = |of: &Vec<Rational>| {
        keys.iter()
            .map(|(state, _)| of[*state as usize].clone())
            .collect()
    };
    let unfolded = Explicit {
        kind: model.kind,
        states: vec![Vec::new(); keys.len()],
        rows,
        initial: Vec::new(),
        deadlocks: Vec::new(),
        state_rewards: model.state_rewards.iter().map(rewards).collect(),
    };
    Ok(Unfolded {
        model: unfolded,
        start,
        keys,
    })
}

/// A state of an automaton that may have stopped, and the marks on the way to it.
pub(crate) type Reading = (Option<u32>, u64);

/// The product with an observer; `letters` are those of the model's states.
pub(crate) fn observed(
    model: &Explicit,
    observer: &Observer,
    letters: &[usize],
    budget: &Budget,
) -> Result<Unfolded<Reading>, Spent> {
    let follow = |state: Option<u32>, letter: usize| {
        let step = state.and_then(|state| observer.steps[state as usize][letter]);
        step.map_or((None, 0), |(next, marks)| (Some(next), marks))
    };
    unfold(
        model,
        |state| follow(Some(observer.initial), letters[state]),
        |_, reading, _, target| follow(reading.0, letters[target]),
        budget,
    )
}
