//! Most probable paths of a chain, and a small critical subsystem, where an upper bound on a probability is violated.
//!
//! Paths are found in the order of their probabilities: best first, where a path that is not complete yet counts as its most probable completion (Dijkstra from the
//! goals, then A* with that exact heuristic; the hop-unconstrained strongest evidences of Han, Katoen and Damman 2009). The subsystem grows by the states of one path after
//! the other (Jansen et al. 2011) until the bound is violated without leaving it, which is solved and certified as any other probability. Where there are choices, this
//! is done in the chain that the scheduler with the greatest probability makes.

use crate::check::{Trouble, Workshop};
use crate::graph::Predecessors;
use crate::scheduler::Aim;
use entail_budget::Budget;
use entail_markov::{Critical, LikelyPath, Optimum, Path, Property, Query, Rational, Threshold};
use fixedbitset::FixedBitSet;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Paths that are kept to be shown.
const SHOWN: usize = 10;

/// Paths that are followed for the subsystem.
const MOST_PATHS: usize = 2_000;

/// Steps of the search for paths.
const MOST_STEPS: usize = 2_000_000;

/// Larger models are left alone: the subsystem is solved again and again.
const MOST_STATES: usize = 100_000;

/// Something with a probability, greater ones first.
struct Ranked<T> {
    probability: f64,
    item: T,
}

impl<T> PartialEq for Ranked<T> {
    fn eq(&self, other: &Ranked<T>) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T> Eq for Ranked<T> {}

impl<T> PartialOrd for Ranked<T> {
    fn partial_cmp(&self, other: &Ranked<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Ranked<T> {
    fn cmp(&self, other: &Ranked<T>) -> Ordering {
        self.probability.total_cmp(&other.probability)
    }
}

/// A path from the initial state: its last state, and the path before.
struct Prefix {
    state: u32,
    before: Option<usize>,
    probability: f64,
}

/// Whether a formula is about states, without operators of probability inside.
fn is_plain(path: &Path) -> bool {
    fn plain(property: &Property) -> bool {
        match property {
            Property::Expr(_) | Property::Init | Property::Deadlock => true,
            Property::Unary(_, operand) => plain(operand),
            Property::Binary(_, left, right) => plain(left) && plain(right),
            _ => false,
        }
    }
    path.as_state().is_some_and(plain)
}

impl Workshop<'_> {
    /// Why an upper bound on a probability is violated; nothing where that is not asked, or nothing small was found.
    pub fn critical(&mut self, property: &Property, budget: &Budget) -> Result<Option<Critical>, Trouble> {
        let Property::Probability {
            query: Query::Compare(threshold),
            path,
            optimum,
        } = property
        else {
            return Ok(None);
        };
        if *optimum == Some(Optimum::Min) {
            return Ok(None);
        }
        let fits = !self.model.has_intervals() && self.unexplored() == 0;
        let [initial] = self.model.initial[..] else {
            return Ok(None);
        };
        if !fits || !threshold.comparison.is_upper() || self.size() > MOST_STATES {
            return Ok(None);
        }
        let (stay, goal) = match path {
            Path::Finally(goal, None) if is_plain(goal) => (self.everywhere(), self.path_set(goal, budget)?),
            Path::Until(stay, goal, None) if is_plain(stay) && is_plain(goal) => {
                (self.path_set(stay, budget)?, self.path_set(goal, budget)?)
            }
            _ => return Ok(None),
        };
        if !self.model.kind.has_choices() {
            return self.critical_part(initial, (&stay, &goal), threshold, budget);
        }
        if self.is_fair() {
            return Ok(None);
        }
        let bracket = self.until_bracket(Optimum::Max, &stay, &goal, budget)?;
        let mut open = stay.clone();
        open.difference_with(&goal);
        let choices = self.choices_for(&Aim {
            optimum: Optimum::Max,
            bracket: &bracket,
            rewards: None,
            open,
            goal: &goal,
        });
        let model = self.induced(&choices);
        let before = Predecessors::new(&model);
        let mut chain = Workshop::assembled(self.network.clone(), before, model, self.settings);
        let found = chain.critical_part(initial, (&stay, &goal), threshold, budget)?;
        Ok(found.map(|mut critical| {
            critical.choices = critical.states.iter().map(|&state| choices[state as usize]).collect();
            // Only of the states of the part is it known what is chosen.
            let known = |path: &LikelyPath| {
                path.states.iter().all(|state| critical.states.binary_search(state).is_ok())
            };
            critical.paths.retain(known);
            critical
        }))
    }

    /// A part of a chain that violates a bound by itself.
    fn critical_part(
        &mut self,
        initial: u32,
        (stay, goal): (&FixedBitSet, &FixedBitSet),
        threshold: &Threshold,
        budget: &Budget,
    ) -> Result<Option<Critical>, Trouble> {
        let paths = self.likely_paths(initial, stay, goal, budget)?;
        let mut inside = FixedBitSet::with_capacity(self.size());
        // Solved again whenever the subsystem has grown by a quarter, so that this happens rarely.
        let (mut solved_at, mut found) = (0, None);
        for (at, states) in paths.iter().enumerate() {
            inside.extend(states.iter().map(|&state| state as usize));
            let size = inside.count_ones(..);
            if size * 4 <= solved_at * 5 && at + 1 < paths.len() && at % 64 != 63 {
                continue;
            }
            solved_at = size;
            let restricted = |set: &FixedBitSet| {
                let mut part = set.clone();
                part.intersect_with(&inside);
                part
            };
            let bracket = self.until_bracket(Optimum::Max, &restricted(stay), &restricted(goal), budget)?;
            let lower = bracket.lower(initial as usize);
            if lower.is_some_and(|lower| !threshold.comparison.holds(&lower, &threshold.bound)) {
                found = Some(bracket);
                break;
            }
        }
        let shown = paths.iter().take(SHOWN);
        Ok(found.map(|bracket| Critical {
            paths: shown.map(|states| self.likely(states)).collect(),
            states: inside.ones().map(|state| state as u32).collect(),
            choices: Vec::new(),
            bracket,
        }))
    }

    fn likely(&self, states: &[u32]) -> LikelyPath {
        let probability = (states.windows(2)).fold(Rational::ONE, |product, pair| {
            let row = self.model.row(self.model.choices_of(pair[0] as usize).start);
            let step = row.clone().find(|&at| self.model.targets[at] == pair[1]);
            match step {
                Some(at) => product * self.model.numbers.exact(self.model.values[at]),
                None => Rational::ZERO,
            }
        });
        LikelyPath {
            states: states.to_vec(),
            probability: probability.to_string(),
        }
    }

    /// The probability of the most probable path to the goal from each state.
    fn best_completions(
        &self,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Vec<f64>, Trouble> {
        let size = self.size();
        let mut before: Vec<Vec<(u32, f64)>> = vec![Vec::new(); size];
        for state in stay.ones().filter(|&state| !goal.contains(state)) {
            for at in self.model.row(self.model.choices_of(state).start) {
                let probability = self.model.numbers.float(self.model.values[at]);
                before[self.model.targets[at] as usize].push((state as u32, probability));
            }
        }
        let mut best = vec![0.0f64; size];
        let mut waiting = BinaryHeap::new();
        for state in goal.ones() {
            best[state] = 1.0;
            let item = state as u32;
            waiting.push(Ranked {
                probability: 1.0,
                item,
            });
        }
        while let Some(Ranked { probability, item }) = waiting.pop() {
            budget.check()?;
            if probability < best[item as usize] {
                continue;
            }
            for &(state, step) in &before[item as usize] {
                let through = step * probability;
                if through > best[state as usize] {
                    best[state as usize] = through;
                    waiting.push(Ranked {
                        probability: through,
                        item: state,
                    });
                }
            }
        }
        Ok(best)
    }

    /// Paths to the goal, the most probable first.
    fn likely_paths(
        &self,
        initial: u32,
        stay: &FixedBitSet,
        goal: &FixedBitSet,
        budget: &Budget,
    ) -> Result<Vec<Vec<u32>>, Trouble> {
        let best = self.best_completions(stay, goal, budget)?;
        let mut prefixes = vec![Prefix {
            state: initial,
            before: None,
            probability: 1.0,
        }];
        let mut waiting = BinaryHeap::new();
        waiting.push(Ranked {
            probability: best[initial as usize],
            item: 0usize,
        });
        let mut found = Vec::new();
        while let Some(Ranked { probability, item }) = waiting.pop() {
            budget.check()?;
            if probability == 0.0 || found.len() >= MOST_PATHS || prefixes.len() > MOST_STEPS {
                break;
            }
            let (state, so_far) = (prefixes[item].state as usize, prefixes[item].probability);
            if goal.contains(state) {
                let mut states = Vec::new();
                let mut at = Some(item);
                while let Some(here) = at {
                    states.push(prefixes[here].state);
                    at = prefixes[here].before;
                }
                states.reverse();
                found.push(states);
                continue;
            }
            if !stay.contains(state) {
                continue;
            }
            for at in self.model.row(self.model.choices_of(state).start) {
                let target = self.model.targets[at];
                let probability = so_far * self.model.numbers.float(self.model.values[at]);
                let completed = probability * best[target as usize];
                if completed > 0.0 {
                    waiting.push(Ranked {
                        probability: completed,
                        item: prefixes.len(),
                    });
                    prefixes.push(Prefix {
                        state: target,
                        before: Some(item),
                        probability,
                    });
                }
            }
        }
        Ok(found)
    }
}
