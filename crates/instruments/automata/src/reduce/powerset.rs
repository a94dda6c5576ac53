//! The subset construction over labelled edges.
//!
//! From a set of states, the letters are split by which targets they reach; each part leads to one successor set. The
//! result is deterministic and complete (the empty set is a state), and knows the set behind each state.

use crate::automaton::{Automaton, State};
use crate::error::{AutomataError, Result};
use crate::label::{Label, Labels};
use entail_budget::Budget;
use rustc_hash::FxHashMap;

/// A deterministic structure of sets of states.
pub struct Powerset {
    /// The labels, in a store of their own.
    pub labels: Labels,
    /// The sets, by number; the first is the set of initial states.
    pub sets: Vec<Vec<State>>,
    /// The successors of each set.
    pub edges: Vec<Vec<(Label, u32)>>,
}

/// Splits the letters by the value each part of `parts` contributes: all functions `letter -> { values }`.
pub(crate) fn split_letters<T: Ord + Clone + std::hash::Hash>(
    parts: impl IntoIterator<Item = (Label, T)>,
    labels: &mut Labels,
) -> Vec<(Label, Vec<T>)> {
    let mut regions: Vec<(Label, Vec<T>)> = vec![(Label::TRUE, Vec::new())];
    for (label, value) in parts {
        let mut next = Vec::with_capacity(regions.len() + 1);
        for (region, values) in regions {
            if values.contains(&value) {
                next.push((region, values));
                continue;
            }
            let inside = labels.and(region, label);
            let outside = labels.minus(region, label);
            if inside != Label::FALSE {
                let mut more = values.clone();
                more.push(value.clone());
                next.push((inside, more));
            }
            if outside != Label::FALSE {
                next.push((outside, values));
            }
        }
        regions = next;
    }
    // Regions with the same values are one.
    let mut position: FxHashMap<Vec<T>, usize> = FxHashMap::default();
    let mut result: Vec<(Label, Vec<T>)> = Vec::new();
    for (region, mut values) in regions {
        values.sort_unstable();
        match position.get(&values) {
            Some(&at) => result[at].0 = labels.or(result[at].0, region),
            None => {
                position.insert(values.clone(), result.len());
                result.push((region, values));
            }
        }
    }
    result
}

/// The subset construction, given up with an error above `limit` sets.
pub fn powerset(automaton: &Automaton, limit: usize, budget: &Budget) -> Result<Powerset> {
    let mut labels = automaton.labels.clone();
    let mut initial = automaton.initial().to_vec();
    initial.sort_unstable();
    let mut number: FxHashMap<Vec<State>, u32> = FxHashMap::default();
    number.insert(initial.clone(), 0);
    let mut sets = vec![initial];
    let mut edges = Vec::new();
    let mut at = 0;
    while at < sets.len() {
        budget.check()?;
        if sets.len() > limit {
            return Err(AutomataError::NotApplicable(
                "the subset construction grows too large",
            ));
        }
        let parts: Vec<(Label, State)> = sets[at]
            .iter()
            .flat_map(|state| {
                automaton
                    .edges(*state)
                    .iter()
                    .map(|edge| (edge.label, edge.target))
            })
            .collect();
        let mut list = Vec::new();
        for (label, set) in split_letters(parts, &mut labels) {
            let fresh = sets.len() as u32;
            let target = *number.entry(set.clone()).or_insert(fresh);
            if target == fresh {
                sets.push(set);
            }
            list.push((label, target));
        }
        edges.push(list);
        at += 1;
    }
    Ok(Powerset { labels, sets, edges })
}
