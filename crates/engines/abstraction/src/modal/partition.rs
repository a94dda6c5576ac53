//! Whether classes that a user has written are a partition of all values.

use entail_budget::Budget;
use entail_dd::Bdd;
use entail_evidence::CheckOptions;
use entail_model::{TermId, TransitionSystem, Value, VarId};
use entail_symbolic::{Attempt, StateSpace, SymbolicOptions};

/// Why classes are no partition, with the values of the variables they depend on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPartition {
    /// No class has these values.
    Uncovered(Vec<(VarId, Value)>),
    /// Two classes have them, by position.
    Overlap(usize, usize, Vec<(VarId, Value)>),
}

/// Whether every valuation of the system's variables, whether it is a state or not, satisfies just one of the conditions.
pub fn check_partition(
    system: &TransitionSystem,
    conditions: &[TermId],
    budget: &Budget,
) -> Attempt<Result<(), NoPartition>> {
    // The values alone: no invariant, no steps.
    let mut values = TransitionSystem::new();
    for variable in system.variables() {
        values.add_variable(&variable.name, variable.sort.clone(), variable.kind);
    }
    let space = StateSpace::open(
        &values,
        &CheckOptions::default(),
        &SymbolicOptions::default(),
        budget,
    )?;
    space.watch(budget);
    let (support, _) = system.terms.support(conditions);
    let example = |set: &Bdd| -> Option<Vec<(VarId, Value)>> {
        let valuation = space.valuation(&space.pick(set)?);
        let value = |id: &VarId| Some((*id, valuation[id.index()].clone()?));
        support.iter().map(value).collect()
    };
    let mut covered = space.manager().zero();
    let mut classes: Vec<Bdd> = Vec::with_capacity(conditions.len());
    for &condition in conditions {
        let class = space.condition(&system.terms, condition)?.and(space.states())?;
        if !class.is_disjoint_from(&covered)? {
            for (position, other) in classes.iter().enumerate() {
                if let Some(values) = example(&class.and(other)?) {
                    return Ok(Err(NoPartition::Overlap(position, classes.len(), values)));
                }
            }
        }
        covered = covered.or(&class)?;
        classes.push(class);
    }
    let rest = space.states().minus(&covered)?;
    Ok(match example(&rest) {
        Some(values) => Err(NoPartition::Uncovered(values)),
        None => Ok(()),
    })
}
