//! The simulation and ready simulation preorders.

mod formula;
mod solver;

use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::Hml;
use entail_model::{Lts, StateId};
use rustc_hash::FxHashSet;
use solver::Solver;

/// What is found about a set of states that should be simulated by others.
pub(crate) enum Simulated {
    /// Each is simulated by one of the others: the pairs of a simulation, without those of equal states.
    Yes(Vec<(StateId, StateId)>),
    /// One is not: a formula that is true there, and false in all of the others.
    No(Hml),
}

/// Whether each of some states is simulated by one of others, in a system reduced by strong bisimulation.
pub(crate) fn simulated(
    lts: &Lts,
    ready: bool,
    smaller: &[StateId],
    larger: &[StateId],
    budget: &Budget,
) -> Result<Simulated, Spent> {
    let mut solver = Solver::new(lts, ready);
    let mut relation = FxHashSet::default();
    for &s in smaller {
        let mut answer = None;
        for &t in larger {
            if solver.holds(s, t, budget)? {
                answer = Some(t);
                break;
            }
        }
        match answer {
            Some(t) => solver.relation_from(s, t, &mut relation),
            None => return Ok(Simulated::No(formula::formula(lts, &solver, s, larger, budget)?)),
        }
    }
    let mut pairs: Vec<_> = relation.into_iter().collect();
    pairs.sort_unstable();
    Ok(Simulated::Yes(pairs))
}
