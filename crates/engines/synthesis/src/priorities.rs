//! As few priorities as the cycles of an automaton allow (Carton, Maceiras 1999; on steps instead of states).
//!
//! In a strongly connected set of steps, those of the highest priority decide every cycle they are on. Without them smaller components are left, which are treated first;
//! then the highest steps, and all that are not on a cycle without them, get the least priority of the right parity that is not below those. Fewer priorities mean smaller trees
//! of conditions, and that a part is seen to be a recurrence or a persistence although its automaton does not say so.

use crate::part::components;
use rustc_hash::FxHashMap;

/// A step: from, to, priority (max even), and its number.
#[derive(Clone, Copy)]
struct Step {
    from: u32,
    to: u32,
    priority: u32,
    number: usize,
}

/// New priorities for the steps of each state, which are given as targets and priorities. Steps that are on no cycle get 0.
pub(crate) fn fewest_priorities(steps: &[Vec<(u32, u32)>]) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    for (from, list) in steps.iter().enumerate() {
        for &(to, priority) in list {
            all.push(Step {
                from: from as u32,
                to,
                priority,
                number: all.len(),
            });
        }
    }
    let mut new = vec![None; all.len()];
    reduce(&all, &mut new);
    let mut numbers = new.into_iter().map(|priority| priority.unwrap_or(0));
    steps
        .iter()
        .map(|list| numbers.by_ref().take(list.len()).collect())
        .collect()
}

/// Gives priorities to the steps that are on a cycle of these, and says which is the highest.
fn reduce(steps: &[Step], new: &mut [Option<u32>]) -> Option<u32> {
    let mut highest = None;
    for group in cyclic(steps) {
        let top = group.iter().map(|step| step.priority).max().unwrap_or(0);
        let below: Vec<Step> = group.iter().copied().filter(|step| step.priority < top).collect();
        let given = match reduce(&below, new) {
            None => top % 2,
            Some(most) => most + u32::from(most % 2 != top % 2),
        };
        for step in group {
            new[step.number].get_or_insert(given);
        }
        highest = highest.max(Some(given));
    }
    highest
}

/// The steps inside of strongly connected components, each component by itself.
fn cyclic(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut names: Vec<u32> = steps.iter().flat_map(|step| [step.from, step.to]).collect();
    names.sort_unstable();
    names.dedup();
    let name = |state: u32| names.partition_point(|&known| known < state);
    let mut rows = vec![Vec::new(); names.len()];
    for step in steps {
        rows[name(step.from)].push((name(step.to) as u32, step.priority));
    }
    let component = components(&rows);
    let mut groups: FxHashMap<u32, Vec<Step>> = FxHashMap::default();
    for step in steps {
        let (from, to) = (component[name(step.from)], component[name(step.to)]);
        if from == to {
            groups.entry(from).or_default().push(*step);
        }
    }
    let mut found: Vec<(u32, Vec<Step>)> = groups.into_iter().collect();
    found.sort_unstable_by_key(|(component, _)| *component);
    found.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_automata::ltl::random::Random;

    /// The highest priority of every cycle of at most so many steps, by going through all of them.
    fn cycles(steps: &[Vec<(u32, u32)>], length: usize) -> Vec<(Vec<(u32, usize)>, u32)> {
        let mut found = Vec::new();
        for start in 0..steps.len() as u32 {
            let mut waiting = vec![(start, Vec::new(), 0)];
            while let Some((at, path, highest)) = waiting.pop() {
                if at == start && !path.is_empty() {
                    found.push((path.clone(), highest));
                }
                if path.len() < length {
                    for (number, &(to, priority)) in steps[at as usize].iter().enumerate() {
                        let mut longer = path.clone();
                        longer.push((at, number));
                        waiting.push((to, longer, highest.max(priority)));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn every_cycle_keeps_its_parity() {
        let mut random = Random::new(5);
        for _ in 0..300 {
            let size = 1 + random.below(4);
            let steps: Vec<Vec<(u32, u32)>> = (0..size)
                .map(|_| {
                    let count = 1 + random.below(2);
                    (0..count)
                        .map(|_| (random.below(size) as u32, random.below(6) as u32))
                        .collect()
                })
                .collect();
            let new = fewest_priorities(&steps);
            let again: Vec<Vec<(u32, u32)>> = (steps.iter().zip(&new))
                .map(|(list, new)| {
                    list.iter()
                        .zip(new)
                        .map(|(&(to, _), &priority)| (to, priority))
                        .collect()
                })
                .collect();
            for ((path, old), (_, new)) in cycles(&steps, 6).into_iter().zip(cycles(&again, 6)) {
                assert_eq!(old % 2, new % 2, "{steps:?} {again:?} {path:?}");
                assert!(new <= old + 1, "{steps:?} {again:?}");
            }
        }
    }

    #[test]
    fn a_recurrence_needs_two_priorities() {
        let steps = vec![vec![(0, 4), (1, 2)], vec![(1, 3), (0, 4)]];
        assert_eq!(fewest_priorities(&steps), [[2, 2], [1, 2]]);
    }
}
