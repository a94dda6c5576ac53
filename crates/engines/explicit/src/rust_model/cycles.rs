//! Infinite paths that an automaton accepts: strongly connected components of the product, then a path into one and round in it.
//!
//! Tarjan's algorithm (*Depth-first search and linear graph algorithms*, SIAM J. Comput. 1972), without recursion. The states are all known, so nothing is gained by searching on the fly.

use super::System;
use super::states::States;
use entail_automata::{Automaton, State};
use entail_budget::{Budget, Spent};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A state of the system and one of the automaton.
type Pair = (u32, u32);

/// The product of a system's states and an automaton that reads which propositions hold in them. States without successors are repeated for ever.
pub struct Product<'p, 's, S: System> {
    pub states: &'p States<'s, S>,
    pub automaton: &'p Automaton,
    pub required: u64,
    /// For each state, which propositions hold.
    pub letters: &'p [u64],
}

/// An accepted path by numbers of states: to where the loop begins, and round it, without the first state of the loop. A loop of one state that cannot be left is empty.
pub struct Lasso {
    pub stem: Vec<u32>,
    pub round: Vec<u32>,
}

struct Frame {
    pair: usize,
    successors: Vec<(usize, u64)>,
}

impl<S: System> Product<'_, '_, S> {
    fn steps(&self, (state, at): Pair) -> Vec<(Pair, u64)> {
        let own = [state];
        let targets = match self.states.successors(state) {
            [] => &own[..],
            targets => targets,
        };
        let letter = self.letters[state as usize];
        let moves = self.automaton.successors(State(at), letter);
        moves
            .flat_map(|(next, marks)| targets.iter().map(move |&target| ((target, next.0), marks.0)))
            .collect()
    }

    /// A path that the automaton accepts, if there is one.
    pub fn lasso(&self, budget: &Budget) -> Result<Option<Lasso>, Spent> {
        let mut numbers: FxHashMap<Pair, usize> = FxHashMap::default();
        let mut pairs: Vec<Pair> = Vec::new();
        // By pair: when it was found and the least that it leads back to, both from 1 on; the component's number when it is done.
        let (mut found, mut low, mut component): (Vec<usize>, Vec<usize>, Vec<Option<usize>>) =
            Default::default();
        let mut open: Vec<usize> = Vec::new();
        let mut components = 0;
        let initial: Vec<Pair> = (0..self.states.initial_count() as u32)
            .flat_map(|state| self.automaton.initial().iter().map(move |at| (state, at.0)))
            .collect();
        let mut count = 0;
        for &first in &initial {
            if numbers.contains_key(&first) {
                continue;
            }
            let mut frames: Vec<Frame> = Vec::new();
            let mut enter = Some(first);
            loop {
                if let Some(pair) = enter.take() {
                    budget.check()?;
                    let number = number_of(&mut numbers, &mut pairs, pair);
                    found.resize(pairs.len(), 0);
                    low.resize(pairs.len(), 0);
                    component.resize(pairs.len(), None);
                    count += 1;
                    (found[number], low[number]) = (count, count);
                    open.push(number);
                    let successors = self.steps(pair).into_iter();
                    let successors =
                        successors.map(|(pair, marks)| (number_of(&mut numbers, &mut pairs, pair), marks));
                    let successors = successors.collect();
                    found.resize(pairs.len(), 0);
                    low.resize(pairs.len(), 0);
                    component.resize(pairs.len(), None);
                    frames.push(Frame {
                        pair: number,
                        successors,
                    });
                }
                let Some(frame) = frames.last_mut() else { break };
                let at = frame.pair;
                match frame.successors.pop() {
                    Some((next, _)) if found[next] == 0 => enter = Some(pairs[next]),
                    Some((next, _)) if component[next].is_none() => low[at] = low[at].min(found[next]),
                    Some(_) => {}
                    None => {
                        frames.pop();
                        if let Some(before) = frames.last() {
                            low[before.pair] = low[before.pair].min(low[at]);
                        }
                        if low[at] == found[at] {
                            while let Some(member) = open.pop() {
                                component[member] = Some(components);
                                if member == at {
                                    break;
                                }
                            }
                            let inside = |pair: &Pair| {
                                let number = numbers.get(pair);
                                number.is_some_and(|&number| component[number] == Some(components))
                            };
                            if let Some(round) = self.round(pairs[at], inside) {
                                let stem = self.path(&initial, |pair, _| pair == pairs[at], |_| true);
                                let mut stem: Vec<u32> = stem.iter().map(|(pair, _)| pair.0).collect();
                                if stem.is_empty() {
                                    stem.push(pairs[at].0);
                                }
                                return Ok(Some(Lasso { stem, round }));
                            }
                            components += 1;
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// A way round inside a component that sees all marks, if there is one.
    fn round(&self, start: Pair, inside: impl Fn(&Pair) -> bool) -> Option<Vec<u32>> {
        let mut missing = self.required;
        let (mut at, mut round, mut moved) = (start, Vec::new(), false);
        while missing != 0 || at != start || !moved {
            let leg = match missing {
                0 => self.path_from(at, |pair, _| pair == start, &inside),
                _ => self.path_from(at, |_, marks| marks & missing != 0, &inside),
            };
            for &(pair, marks) in &leg {
                missing &= !marks;
                round.push(pair.0);
                (at, moved) = (pair, true);
            }
            if leg.is_empty() {
                return None;
            }
        }
        // A state that is repeated because nothing can be done takes no step.
        if round.iter().all(|&state| state == start.0) && self.states.successors(start.0).is_empty() {
            round.clear();
        }
        Some(round)
    }

    fn path(
        &self,
        from: &[Pair],
        wanted: impl Fn(Pair, u64) -> bool,
        allowed: impl Fn(&Pair) -> bool,
    ) -> Vec<(Pair, u64)> {
        let begins = from.iter().find(|&&pair| wanted(pair, 0));
        if let Some(&pair) = begins {
            return vec![(pair, 0)];
        }
        let mut reached: FxHashMap<Pair, Option<(Pair, u64)>> = FxHashMap::default();
        let mut queue: VecDeque<Pair> = from.iter().copied().collect();
        from.iter().for_each(|&pair| {
            reached.insert(pair, None);
        });
        while let Some(at) = queue.pop_front() {
            for (next, marks) in self.steps(at).into_iter().filter(|(next, _)| allowed(next)) {
                if wanted(next, marks) {
                    let (mut path, mut back, mut by) = (vec![(next, marks)], at, reached[&at]);
                    while let Some((before, marks)) = by {
                        path.push((back, marks));
                        back = before;
                        by = reached[&before];
                    }
                    path.push((back, 0));
                    path.reverse();
                    return path;
                }
                reached.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    Some((at, marks))
                });
            }
        }
        Vec::new()
    }

    /// The same from one pair, which is left out.
    fn path_from(
        &self,
        from: Pair,
        wanted: impl Fn(Pair, u64) -> bool,
        allowed: impl Fn(&Pair) -> bool,
    ) -> Vec<(Pair, u64)> {
        let mut best: Vec<(Pair, u64)> = Vec::new();
        for (first, marks) in self.steps(from).into_iter().filter(|(next, _)| allowed(next)) {
            let path = match wanted(first, marks) {
                true => vec![(first, marks)],
                false => {
                    let mut path = self.path(&[first], &wanted, &allowed);
                    match path.first_mut() {
                        Some(begin) => begin.1 = marks,
                        None => continue,
                    }
                    path
                }
            };
            if best.is_empty() || path.len() < best.len() {
                best = path;
            }
        }
        best
    }
}

fn number_of(numbers: &mut FxHashMap<Pair, usize>, pairs: &mut Vec<Pair>, pair: Pair) -> usize {
    *numbers.entry(pair).or_insert_with(|| {
        pairs.push(pair);
        pairs.len() - 1
    })
}
