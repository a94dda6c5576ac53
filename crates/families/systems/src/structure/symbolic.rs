//! The reachable states of a transition system, equivalent ones as one, without listing them.

use super::{Structure, StructureError};
use crate::Model;
use entail_budget::Budget;
use entail_evidence::CheckOptions;
use entail_explicit::Observed;
use entail_model::{Abstraction, Observation};
use entail_symbolic::{Stop, SymbolicOptions, symbolic_quotient};

/// The quotient of a model by strong bisimulation, which every other equivalence respects.
pub fn of_model(
    mut model: Model,
    observed: &[Observed],
    mut notes: Vec<String>,
    budget: &Budget,
) -> Result<Structure, StructureError> {
    let system = &mut model.content.system;
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
            return Err(StructureError::NotObservable(observation.name.to_string()));
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
        Err(Stop::Model(error)) => Err(StructureError::Meaningless(Box::new((model, *error)))),
        Err(Stop::Unsupported(reason)) => Err(StructureError::NotExplored(reason)),
        Err(Stop::Diagram(error)) => Err(StructureError::NotExplored(error.to_string())),
    }
}
