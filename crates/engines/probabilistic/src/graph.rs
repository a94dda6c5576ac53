//! What can be decided by looking at edges alone: which probabilities are 0 or 1, from which states, for the best and the worst scheduler.
//!
//! The four precomputations of Bianco and de Alfaro (1995; de Alfaro 1997), by backward search over choices. A choice is looked at again only
//! when one of its targets changes, so each costs time linear in the transitions, those for probability 1 times the number of rounds.

use crate::sparse::Sparse;
use fixedbitset::FixedBitSet;

/// Which choices lead to a state, and whose they are.
pub(crate) struct Predecessors {
    starts: Vec<u32>,
    choices: Vec<u32>,
    /// The state of each choice.
    pub owner: Vec<u32>,
}

impl Predecessors {
    pub fn new(model: &Sparse) -> Predecessors {
        let states = model.states();
        let mut starts = vec![0u32; states + 1];
        for &target in &model.targets {
            starts[target as usize + 1] += 1;
        }
        for at in 0..states {
            starts[at + 1] += starts[at];
        }
        let mut fill = starts.clone();
        let mut choices = vec![0u32; model.targets.len()];
        let mut owner = vec![0u32; model.rows.len() - 1];
        for state in 0..states {
            for choice in model.choices_of(state) {
                owner[choice] = state as u32;
                for &target in model.targets_of(choice) {
                    let at = &mut fill[target as usize];
                    choices[*at as usize] = choice as u32;
                    *at += 1;
                }
            }
        }
        Predecessors {
            starts,
            choices,
            owner,
        }
    }

    /// The choices with a transition to a state.
    pub fn of(&self, state: usize) -> &[u32] {
        &self.choices[self.starts[state] as usize..self.starts[state + 1] as usize]
    }
}

/// States from which some scheduler reaches `goal` through `stay` with positive probability.
pub(crate) fn reach_some(before: &Predecessors, stay: &FixedBitSet, goal: &FixedBitSet) -> FixedBitSet {
    let mut found = goal.clone();
    let mut waiting: Vec<usize> = goal.ones().collect();
    while let Some(state) = waiting.pop() {
        for &choice in before.of(state) {
            let owner = before.owner[choice as usize] as usize;
            if stay.contains(owner) && !found.put(owner) {
                waiting.push(owner);
            }
        }
    }
    found
}

/// States from which every scheduler reaches `goal` through `stay` with positive probability.
pub(crate) fn reach_all(
    model: &Sparse,
    before: &Predecessors,
    stay: &FixedBitSet,
    goal: &FixedBitSet,
) -> FixedBitSet {
    let mut found = goal.clone();
    let mut hit = FixedBitSet::with_capacity(before.owner.len());
    let mut missing: Vec<u32> = (0..model.states())
        .map(|state| model.choices_of(state).len() as u32)
        .collect();
    let mut waiting: Vec<usize> = goal.ones().collect();
    while let Some(state) = waiting.pop() {
        for &choice in before.of(state) {
            let owner = before.owner[choice as usize] as usize;
            if hit.put(choice as usize) || found.contains(owner) || !stay.contains(owner) {
                continue;
            }
            missing[owner] -= 1;
            if missing[owner] == 0 {
                found.insert(owner);
                waiting.push(owner);
            }
        }
    }
    found
}

/// States from which some scheduler reaches `goal` through `stay` with probability 1: the largest set from which the goal can be reached by
/// choices that never leave the set.
pub(crate) fn surely_some(
    model: &Sparse,
    before: &Predecessors,
    stay: &FixedBitSet,
    goal: &FixedBitSet,
) -> FixedBitSet {
    let mut within = reach_some(before, stay, goal);
    // Choices that may leave the set are blocked, and stay so: the set only shrinks.
    let mut blocked = FixedBitSet::with_capacity(before.owner.len());
    for choice in 0..before.owner.len() {
        if model
            .targets_of(choice)
            .iter()
            .any(|&target| !within.contains(target as usize))
        {
            blocked.insert(choice);
        }
    }
    loop {
        let mut found = goal.clone();
        let mut waiting: Vec<usize> = goal.ones().collect();
        while let Some(state) = waiting.pop() {
            for &choice in before.of(state) {
                let owner = before.owner[choice as usize] as usize;
                if !blocked.contains(choice as usize) && stay.contains(owner) && !found.put(owner) {
                    waiting.push(owner);
                }
            }
        }
        let lost: Vec<usize> = within.difference(&found).collect();
        if lost.is_empty() {
            return within;
        }
        for state in lost {
            within.remove(state);
            for &choice in before.of(state) {
                blocked.insert(choice as usize);
            }
        }
    }
}

/// States from which every scheduler reaches `goal` through `stay` with probability 1: those that cannot get to a state where a scheduler avoids
/// it for sure.
pub(crate) fn surely_all(
    model: &Sparse,
    before: &Predecessors,
    stay: &FixedBitSet,
    goal: &FixedBitSet,
) -> FixedBitSet {
    let positive = reach_all(model, before, stay, goal);
    let mut avoids = positive;
    avoids.toggle_range(..);
    let mut on_the_way = stay.clone();
    on_the_way.difference_with(goal);
    let mut not_sure = reach_some(before, &on_the_way, &avoids);
    not_sure.toggle_range(..);
    not_sure
}
