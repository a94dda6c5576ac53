//! Evidence for several objectives: what the search found in the process in which schedulers stop, said about the product.
//!
//! A state of that process is a state of the product, or an end component in which nothing is earned. Inside a component a scheduler that leaves it
//! by some choice first goes to the state of that choice, along choices that stay inside, nearest states first; values are the same in all of it.

use crate::check::Trouble;
use crate::objectives::{Origin, Stopping};
use crate::weighted_sums::Search;
use entail_budget::{Budget, Spent};
use entail_markov::{Achievements, Decision, Facet, Fractions, JointScheduler, Rational};

/// Up to so many numbers are handed on.
const MOST_NUMBERS: usize = 2_000_000;

impl Search {
    /// The evidence that was kept; empty if it is too large.
    pub fn achievements(&mut self, budget: &Budget) -> Result<Achievements, Trouble> {
        let kept = self.kept();
        let mixtures: Vec<Vec<Rational>> = kept.mixtures.to_vec();
        let is_mixed = |point: &usize| {
            (mixtures.iter()).any(|shares| shares.get(*point).is_some_and(|share| !share.is_zero()))
        };
        let mixed: Vec<usize> = (0..kept.policies.len()).filter(is_mixed).collect();
        let size = self.process().product.states();
        let objectives = self.process().earned.first().map_or(0, Vec::len);
        if size * (mixed.len() * objectives + kept.facets.len()) > MOST_NUMBERS {
            return Ok(Achievements::default());
        }
        let facet = |(weights, values): &(Vec<Rational>, Vec<Rational>)| Facet {
            weights: Fractions(weights.clone()),
            values: self.process().spread(values),
        };
        let facets = kept.facets.iter().map(facet).collect();
        let share =
            |shares: &Vec<Rational>, &point: &usize| shares.get(point).cloned().unwrap_or(Rational::ZERO);
        let points = (mixtures.iter())
            .map(|shares| Fractions(mixed.iter().map(|point| share(shares, point)).collect()))
            .collect();
        let mut schedulers = Vec::new();
        for &point in &mixed {
            let worth = self.worth(point, budget)?;
            let process = self.process();
            schedulers.push(JointScheduler {
                decisions: process.decisions(&self.kept().policies[point], budget)?,
                values: worth.iter().map(|values| process.spread(values)).collect(),
            });
        }
        Ok(Achievements {
            schedulers,
            points,
            facets,
        })
    }
}

impl Stopping {
    /// The values of the process for the states of the product.
    fn spread(&self, values: &[Rational]) -> Fractions {
        Fractions(
            self.block
                .iter()
                .map(|&block| values[block as usize].clone())
                .collect(),
        )
    }

    /// What a scheduler of the process does in the states of the product that it may come to.
    fn decisions(&self, policy: &[u32], budget: &Budget) -> Result<Vec<Option<Decision>>, Spent> {
        let product = &self.product;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); self.model.states()];
        for (state, &block) in self.block.iter().enumerate() {
            members[block as usize].push(state as u32);
        }
        let mut owner = vec![0u32; product.rows.len() - 1];
        for state in 0..product.states() {
            owner[product.choices_of(state)].fill(state as u32);
        }
        let mut decisions = vec![None; product.states()];
        let mut seen = vec![false; self.model.states()];
        let mut waiting = vec![self.initial];
        while let Some(block) = waiting.pop() {
            budget.check()?;
            if std::mem::replace(&mut seen[block], true) || policy[block] == u32::MAX {
                continue;
            }
            let chosen = policy[block] as usize;
            match self.origin[chosen] {
                Origin::End => {}
                Origin::Stay(set) => {
                    for &state in &members[block] {
                        decisions[state as usize] = Some(Decision::Stay(set));
                    }
                }
                Origin::Choice(choice) => {
                    let state = owner[choice as usize] as usize;
                    let position = choice as usize - product.choices_of(state).start;
                    decisions[state] = Some(Decision::Take(position as u32));
                    self.approach(&members[block], &mut decisions, budget)?;
                }
            }
            waiting.extend(
                self.model
                    .targets_of(chosen)
                    .iter()
                    .map(|&target| target as usize),
            );
        }
        Ok(decisions)
    }

    /// Ways inside an end component to the state in which it is left: the others take choices that lead nearer, and never out.
    fn approach(
        &self,
        members: &[u32],
        decisions: &mut [Option<Decision>],
        budget: &Budget,
    ) -> Result<(), Spent> {
        let product = &self.product;
        let mut open: Vec<u32> = members.to_vec();
        loop {
            budget.check_now()?;
            let mut next = Vec::new();
            for &state in &open {
                if decisions[state as usize].is_some() {
                    continue;
                }
                let choices = product.choices_of(state as usize);
                let nearer = |&choice: &usize| {
                    let targets = product.targets_of(choice);
                    let inside = |target: &u32| self.block[*target as usize] == self.block[state as usize];
                    let there = |target: &u32| decisions[*target as usize].is_some();
                    self.free[choice] && targets.iter().all(inside) && targets.iter().any(there)
                };
                match choices.clone().find(nearer) {
                    Some(choice) => next.push((state, (choice - choices.start) as u32)),
                    None => continue,
                }
            }
            if next.is_empty() {
                return Ok(());
            }
            for &(state, position) in &next {
                decisions[state as usize] = Some(Decision::Take(position));
            }
            open.retain(|&state| decisions[state as usize].is_none());
        }
    }
}
