//! The reachable states of a transition system, equivalent ones as one, without listing them.

use super::not_observable;
use crate::model::SystemModel;
use entail_budget::Budget;
use entail_evidence::CheckOptions;
use entail_explicit::Observed;
use entail_family::{Structure, StructureError};
use entail_model::{Abstraction, Observation};
use entail_symbolic::{NotComputed, SymbolicOptions, symbolic_quotient};

/// The quotient of a model by strong bisimulation, which every other equivalence respects.
pub(super) fn of_model(
    model: &SystemModel,
    observed: &[Observed],
    mut notes: Vec<String>,
    budget: &Budget,
) -> Result<Structure, StructureError> {
    let system = &mut model.system().clone();
    let observations: Vec<Observation> = observed
        .iter()
        .map(|one| match one {
            Observed::Condition(name, term) => Observation {
                name: name.clone(),
                term: *term,
            },
            Observed::Value(variable) => Observation {
                name: system.variable(*variable).name.clone(),
                term: system.current(*variable),
            },
        })
        .collect();
    for observation in &observations {
        let alone = Abstraction::new([observation.clone()]);
        if alone.check(system).is_err() {
            return Err(not_observable(&observation.name).into());
        }
    }
    let (options, settings) = (CheckOptions::default(), SymbolicOptions::default());
    match symbolic_quotient(system, &observations, &options, &settings, budget) {
        Ok(quotient) => {
            notes.push(format!(
                "{} reachable states in {} classes of strong bisimulation, found by decision diagrams in {} rounds",
                quotient.states,
                quotient.lts.state_count(),
                quotient.rounds
            ));
            Ok(Structure {
                lts: quotient.lts,
                notes,
            })
        }
        Err(NotComputed::Model(error)) => Err(model.error(*error).into()),
        Err(NotComputed::Unsupported(reason)) => Err(StructureError::NotExplored(reason)),
        Err(NotComputed::Diagram(error)) => Err(StructureError::NotExplored(error.to_string())),
    }
}
