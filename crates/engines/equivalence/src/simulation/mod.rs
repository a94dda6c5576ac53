//! The simulation and ready simulation preorders, on systems reduced by strong bisimulation.

mod formula;
mod likeness;
mod matrix;
mod solver;

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Hml;
use entail_model::{Lts, StateId};
use matrix::{MOST_STATES, Matrix};
use rustc_hash::FxHashSet;
use solver::Solver;

/// What is found about a set of states that should be simulated by others.
pub(crate) enum Simulated {
    /// Each is simulated by one of the others: the pairs of a simulation, without those of equal states.
    Yes(Vec<(StateId, StateId)>),
    /// One is not: a formula that is true there, and false in all of the others.
    No(Hml),
}

/// The preorder of one system.
pub(crate) struct Preorder<'a> {
    lts: &'a Lts,
    ready: bool,
}

impl<'a> Preorder<'a> {
    pub fn new(lts: &'a Lts, ready: bool) -> Preorder<'a> {
        Preorder { lts, ready }
    }

    /// Number of pairs up to which a simulation is looked for pair by pair.
    fn few(&self) -> usize {
        100_000 + 4 * (self.lts.state_count() + self.lts.transition_count())
    }

    /// Whether each of some states is simulated by one of others. Pair by pair first; if those become too many, all at once.
    pub fn simulated(
        &self,
        smaller: &[StateId],
        larger: &[StateId],
        budget: &Budget,
    ) -> Result<Simulated, Spent> {
        let small = self.lts.state_count() <= MOST_STATES;
        let most = if small { self.few() } else { usize::MAX };
        match self.by_pairs(smaller, larger, most, budget)? {
            Some(answer) => Ok(answer),
            None => {
                let matrix = Matrix::compute(self.lts, self.ready, smaller, larger, budget)?;
                self.by_matrix(&matrix, smaller, larger, budget)
            }
        }
    }

    /// The pairs of a simulation, if one is found with few pairs.
    pub fn found_easily(
        &self,
        smaller: &[StateId],
        larger: &[StateId],
        budget: &Budget,
    ) -> Result<Option<Vec<(StateId, StateId)>>, Spent> {
        Ok(match self.by_pairs(smaller, larger, self.few(), budget)? {
            Some(Simulated::Yes(pairs)) => Some(pairs),
            _ => None,
        })
    }

    fn by_pairs(
        &self,
        smaller: &[StateId],
        larger: &[StateId],
        most_pairs: usize,
        budget: &Budget,
    ) -> Result<Option<Simulated>, Spent> {
        let mut solver = Solver::new(self.lts, self.ready, None);
        let mut relation = FxHashSet::default();
        for &s in smaller {
            let mut answer = None;
            for &t in larger {
                match solver.holds(s, t, most_pairs, budget)? {
                    Some(true) => {
                        answer = Some(t);
                        break;
                    }
                    Some(false) => {}
                    None => return Ok(None),
                }
            }
            match answer {
                Some(t) => solver.relation_from(s, t, &mut relation),
                None => {
                    let formula = formula::formula(self.lts, &solver, s, larger, budget)?;
                    return Ok(Some(Simulated::No(formula)));
                }
            }
        }
        Ok(Some(Simulated::Yes(sorted(relation))))
    }

    fn by_matrix(
        &self,
        matrix: &Matrix,
        smaller: &[StateId],
        larger: &[StateId],
        budget: &Budget,
    ) -> Result<Simulated, Spent> {
        let mut relation = FxHashSet::default();
        for &s in smaller {
            match larger.iter().copied().find(|&t| matrix.holds(s, t)) {
                Some(t) => self.collect(matrix, s, t, &mut relation),
                None => {
                    // The solver finds the reasons; it looks at wrong pairs only.
                    let mut solver = Solver::new(self.lts, self.ready, Some(matrix));
                    for &t in larger {
                        solver.holds(s, t, usize::MAX, budget)?;
                    }
                    return Ok(Simulated::No(formula::formula(
                        self.lts, &solver, s, larger, budget,
                    )?));
                }
            }
        }
        Ok(Simulated::Yes(sorted(relation)))
    }

    /// The pairs that a pair needs, with itself: of all answers one that is there already, if possible.
    fn collect(&self, matrix: &Matrix, s: StateId, t: StateId, relation: &mut FxHashSet<(StateId, StateId)>) {
        let mut pending = vec![(s, t)];
        while let Some((s, t)) = pending.pop() {
            if s == t || !relation.insert((s, t)) {
                continue;
            }
            for (action, target) in self.lts.steps(s) {
                let answers = self.lts.successors(t, action);
                let there = answers.binary_search(&target).is_ok()
                    || answers.iter().any(|&answer| relation.contains(&(target, answer)));
                let answer = answers
                    .iter()
                    .copied()
                    .find(|&answer| matrix.holds(target, answer));
                pending.extend(answer.filter(|_| !there).map(|answer| (target, answer)));
            }
        }
    }
}

fn sorted(relation: FxHashSet<(StateId, StateId)>) -> Vec<(StateId, StateId)> {
    let mut pairs: Vec<_> = relation.into_iter().collect();
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_model::LtsBuilder;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn the_matrix_and_the_pairs_agree() {
        let mut random = StdRng::seed_from_u64(5);
        let budget = Budget::unlimited();
        for round in 0..300 {
            let states: u32 = random.random_range(1..12);
            let mut builder = LtsBuilder::new(states.into());
            let names = ["a", "b"];
            for _ in 0..random.random_range(0..3 * states) {
                let action = names[random.random_range(0..2)];
                let (from, to) = (random.random_range(0..states), random.random_range(0..states));
                builder.transitions([(from, action, to)]);
            }
            let lts = builder.build().unwrap();
            let ready = round % 2 == 0;
            let all: Vec<StateId> = lts.states().collect();
            let matrix = Matrix::compute(&lts, ready, &all, &all, &budget).unwrap();
            let preorder = Preorder::new(&lts, ready);
            for s in lts.states() {
                for t in lts.states() {
                    let mut solver = Solver::new(&lts, ready, None);
                    let holds = solver.holds(s, t, usize::MAX, &budget).unwrap();
                    assert_eq!(holds, Some(matrix.holds(s, t)), "{s} {t} {lts:?}");
                    // Both ways to an answer lead to evidence.
                    let yes = matches!(
                        preorder.by_matrix(&matrix, &[s], &[t], &budget).unwrap(),
                        Simulated::Yes(_)
                    );
                    assert_eq!(Some(yes), holds);
                    let part = Matrix::compute(&lts, ready, &[s], &[t], &budget).unwrap();
                    assert_eq!(holds, Some(part.holds(s, t)), "{s} {t} {lts:?}");
                }
            }
        }
    }
}
