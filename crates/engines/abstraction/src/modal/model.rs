//! The abstract model of a model, for those who want nothing but that.

use super::classes::Classes;
use super::construction::{Wanted, construct};
use super::labels::labels;
use super::options::{AbstractOptions, Mode, States};
use entail_budget::{Budget, Silent};
use entail_evidence::{CheckOptions, DeadEnds, ModalModel};
use entail_model::{TermId, TransitionSystem};
use entail_symbolic::{Attempt, StateSpace};

/// The modal system of a model for given propositions, without any property.
pub fn abstract_model(
    system: &TransitionSystem,
    atoms: &[TermId],
    options: &AbstractOptions,
    check: &CheckOptions,
    budget: &Budget,
) -> Attempt<ModalModel> {
    let mut space = StateSpace::open(system, check, &options.diagrams, budget)?;
    space.watch(budget);
    let universe = match options.states {
        States::All => space.states().clone(),
        States::Reachable => space.reachable(budget, &Silent)?,
    };
    let labels = labels(system, &space, atoms)?;
    let mut classes = Classes::new(&mut space, system.terms.clone(), &options.abstraction, universe)?;
    let wanted = Wanted {
        relation: options.relation,
        must: options.mode != Mode::May,
        stutters: check.dead_ends == DeadEnds::Stutter,
        labels: &labels,
        coarser: None,
    };
    let kmts = construct(&mut classes, &wanted, budget)?;
    Ok(ModalModel::new(
        &classes.terms,
        &classes.abstraction,
        classes.tuples,
        kmts,
        atoms.to_vec(),
    ))
}
