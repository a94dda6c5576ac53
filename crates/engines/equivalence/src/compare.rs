//! Whether two systems are related, with evidence.
//!
//! The two are put side by side and reduced by a bisimulation that the relation respects: bisimulations by themselves, which
//! answers the question; the preorders by strong or branching bisimulation. What is then found about the blocks is evidence about
//! the states, together with the blocks.

use crate::bisimulation;
use crate::formulas::bisimulation_formula;
use crate::simulation::{Preorder, Simulated};
use crate::traces::{Included, included};
use entail_budget::{Budget, Spent};
use entail_evidence::equivalence::{Comparison, Related, Relation, RelationQuery, Side, Unrelated};
use entail_model::{Lts, LtsError, StateId};

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompareError {
    /// The budget is spent.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// The two together are too large.
    #[error(transparent)]
    TooLarge(#[from] LtsError),
}

/// Answers a question about two systems.
pub fn compare(
    first: &Lts,
    second: &Lts,
    question: RelationQuery,
    budget: &Budget,
) -> Result<Comparison, CompareError> {
    let both = first.beside(second)?;
    let reduction = question.relation.respected();
    let partition = bisimulation(&both, reduction, budget)?;
    let block = |state: StateId| StateId::new(partition.block(state));
    let offset = first.state_count();
    let mut left: Vec<StateId> = first.initial().iter().map(|&state| block(state)).collect();
    let mut right: Vec<StateId> = (second.initial().iter())
        .map(|state| block(StateId::new((state.index() + offset) as u32)))
        .collect();
    for side in [&mut left, &mut right] {
        side.sort_unstable();
        side.dedup();
    }
    let reduced = || partition.quotient(&both, reduction);
    let relation = question.relation;
    match relation {
        Relation::Strong | Relation::Branching | Relation::DivergenceBranching | Relation::Weak => {
            let unmet = |these: &[StateId], those: &[StateId]| {
                these.iter().copied().find(|state| !those.contains(state))
            };
            let found = match (unmet(&left, &right), unmet(&right, &left)) {
                (Some(state), _) => Some((state, &right, Side::First)),
                (None, Some(state)) => Some((state, &left, Side::Second)),
                (None, None) => None,
            };
            let Some((state, others, holds_in)) = found else {
                return Ok(Comparison::Related(Related::Partition(
                    partition.blocks().to_vec(),
                )));
            };
            let formula = bisimulation_formula(&reduced()?, relation, state, others, budget)?;
            Ok(Comparison::Unrelated(Unrelated::Formula { formula, holds_in }))
        }
        Relation::Simulation | Relation::ReadySimulation => {
            let ready = relation == Relation::ReadySimulation;
            let reduced = reduced()?;
            let preorder = Preorder::new(&reduced, ready);
            let mut pairs = Vec::new();
            for (smaller, larger, holds_in) in directions(question, &left, &right) {
                match preorder.simulated(smaller, larger, budget)? {
                    Simulated::Yes(found) => pairs.extend(found.into_iter().map(numbers)),
                    Simulated::No(formula) => {
                        return Ok(Comparison::Unrelated(Unrelated::Formula { formula, holds_in }));
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            let blocks = partition.blocks().to_vec();
            Ok(Comparison::Related(Related::Simulation { blocks, pairs }))
        }
        Relation::Trace | Relation::WeakTrace => {
            let weak = relation == Relation::WeakTrace;
            let reduced = reduced()?;
            let mut pairs = Vec::new();
            let index = |state: StateId| state.index() as u32;
            for (smaller, larger, of) in directions(question, &left, &right) {
                // A simulation is inclusion of traces with sets of one state.
                if let Some(found) = Preorder::new(&reduced, false).found_easily(smaller, larger, budget)? {
                    pairs.extend(found.into_iter().map(|(s, t)| (index(s), vec![index(t)])));
                    continue;
                }
                match included(&reduced, weak, smaller, larger, budget)? {
                    Included::Yes(found) => pairs.extend(
                        (found.into_iter())
                            .map(|(state, set)| (index(state), set.into_iter().map(index).collect())),
                    ),
                    Included::No(trace) => return Ok(Comparison::Unrelated(Unrelated::Trace { trace, of })),
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
            let blocks = partition.blocks().to_vec();
            Ok(Comparison::Related(Related::Inclusion { blocks, pairs }))
        }
    }
}

fn numbers((s, t): (StateId, StateId)) -> (u32, u32) {
    (s.index() as u32, t.index() as u32)
}

/// The inclusions that are asked for: the smaller states, the larger ones, and the side of the smaller ones.
fn directions<'a>(
    question: RelationQuery,
    left: &'a [StateId],
    right: &'a [StateId],
) -> Vec<(&'a [StateId], &'a [StateId], Side)> {
    let mut directions = vec![(left, right, Side::First)];
    if question.both_ways {
        directions.push((right, left, Side::Second));
    }
    directions
}
