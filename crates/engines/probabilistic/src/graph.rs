//! What can be decided by looking at edges alone: which probabilities are 0 or 1, from which states, for the best and the worst scheduler.
//!
//! The four precomputations of Bianco and de Alfaro (1995; de Alfaro 1997), by backward search over choices. A choice is looked at again only
//! when one of its targets changes, so each costs time linear in the transitions, those for probability 1 times the number of rounds.

use crate::sparse::Sparse;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use std::ops::Range;

/// Which choices lead to a state, and whose they are.
pub(crate) struct Predecessors {
    starts: Vec<u32>,
    choices: Vec<u32>,
    /// The state of each choice.
    pub owner: Vec<u32>,
}

impl Predecessors {
    pub fn new(model: &Sparse) -> Predecessors {
        Predecessors::by_threads(model, 1)
    }

    /// The same by several threads. Each looks at all transitions and takes those into its own share of the states.
    pub fn by_threads(model: &Sparse, threads: usize) -> Predecessors {
        let states = model.states();
        let share = states.div_ceil(threads.max(1)).max(1);
        let mut starts = vec![0u32; states + 1];
        let counts = starts[1..].chunks_mut(share).enumerate().collect();
        side_by_side(counts, |(at, counts): (usize, &mut [u32])| {
            for &target in &model.targets {
                if let Some(count) = counts.get_mut((target as usize).wrapping_sub(at * share)) {
                    *count += 1;
                }
            }
        });
        for at in 0..states {
            starts[at + 1] += starts[at];
        }
        let mut owner = vec![0u32; model.rows.len() - 1];
        for state in 0..states {
            owner[model.choices_of(state)].fill(state as u32);
        }
        let mut choices = vec![0u32; model.targets.len()];
        let (mut rest, mut shares) = (choices.as_mut_slice(), Vec::new());
        for first in (0..states).step_by(share) {
            let last = (first + share).min(states);
            let (own, others) = rest.split_at_mut((starts[last] - starts[first]) as usize);
            shares.push((first..last, own));
            rest = others;
        }
        side_by_side(shares, |(states, own): (Range<usize>, &mut [u32])| {
            let base = starts[states.start];
            let mut places: Vec<u32> = (starts[states.clone()].iter())
                .map(|start| start - base)
                .collect();
            for choice in 0..owner.len() {
                for &target in model.targets_of(choice) {
                    if let Some(place) = places.get_mut((target as usize).wrapping_sub(states.start)) {
                        own[*place as usize] = choice as u32;
                        *place += 1;
                    }
                }
            }
        });
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

/// Does some work for each of several shares, at the same time where there are threads.
fn side_by_side<T: Send>(shares: Vec<T>, work: impl Fn(T) + Send + Sync) {
    let several = rayon::ThreadPoolBuilder::new().num_threads(shares.len());
    let threads = (shares.len() > 1).then(|| several.build().ok()).flatten();
    match threads {
        Some(threads) => threads.install(|| shares.into_par_iter().for_each(work)),
        None => shares.into_iter().for_each(work),
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
    let mut left = vec![0u32; model.states()];
    let mut lost: Vec<usize> = Vec::new();
    for (state, left) in left.iter_mut().enumerate() {
        for choice in model.choices_of(state) {
            let mut targets = model.targets_of(choice).iter();
            match targets.all(|&target| within.contains(target as usize)) {
                true => *left += 1,
                false => blocked.insert(choice),
            }
        }
        if *left == 0 && within.contains(state) && !goal.contains(state) {
            lost.push(state);
        }
    }
    loop {
        // A state is lost with its last choice; one search for all that are lost so saves a search of the whole set for each step of the way back.
        while let Some(state) = lost.pop() {
            if !within.contains(state) {
                continue;
            }
            within.remove(state);
            for &choice in before.of(state) {
                let owner = before.owner[choice as usize] as usize;
                if blocked.put(choice as usize) {
                    continue;
                }
                left[owner] -= 1;
                if left[owner] == 0 && !goal.contains(owner) {
                    lost.push(owner);
                }
            }
        }
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
        lost.extend(within.difference(&found));
        if lost.is_empty() {
            return within;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numbers::Numbers;
    use crate::sparse::Sparse;
    use entail_markov::Kind;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn several_threads_list_the_predecessors_that_one_lists() {
        let mut random = StdRng::seed_from_u64(3);
        for _ in 0..300 {
            let states = random.random_range(1..12u32);
            let mut model = Sparse::empty(Kind::Mdp, &crate::symbolic::shell(Kind::Mdp));
            for _ in 0..states {
                for _ in 0..random.random_range(1..4) {
                    for _ in 0..random.random_range(1..4) {
                        model.targets.push(random.random_range(0..states));
                        model.values.push(Numbers::ONE);
                    }
                    model.rows.push(model.targets.len() as u32);
                }
                model.choices.push((model.rows.len() - 1) as u32);
            }
            let alone = Predecessors::new(&model);
            let together = Predecessors::by_threads(&model, random.random_range(2..5));
            assert_eq!(alone.owner, together.owner);
            for state in 0..states as usize {
                let choices = 0..model.rows.len() - 1;
                let naive: Vec<u32> = choices
                    .flat_map(|choice| {
                        let targets = model.targets_of(choice).iter();
                        targets
                            .filter(move |&&target| target as usize == state)
                            .map(move |_| choice as u32)
                    })
                    .collect();
                assert_eq!(alone.of(state), naive);
                assert_eq!(together.of(state), naive);
            }
        }
    }
}
