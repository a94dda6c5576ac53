//! What is known of propositions.

use entail_dd::Bdd;
use entail_model::{TermId, TransitionSystem, VarId, VarKind};
use entail_symbolic::{Attempt, StateSpace};

/// What a proposition is true of: states that surely satisfy it are in `holds`, those that perhaps do in `possible`.
pub(crate) struct Label {
    pub atom: TermId,
    pub holds: Bdd,
    pub possible: Bdd,
}

/// What is known of conditions: those on states are true or false, those about steps may be true where some step satisfies them.
pub(crate) fn labels(
    system: &TransitionSystem,
    space: &StateSpace<'_>,
    atoms: &[TermId],
) -> Attempt<Vec<Label>> {
    let mut labels = Vec::with_capacity(atoms.len());
    for &atom in atoms {
        let condition = space.condition(&system.terms, atom)?;
        labels.push(match is_about_steps(system, atom) {
            true => Label {
                atom,
                holds: space.manager().zero(),
                possible: space.states_before(&condition)?,
            },
            false => Label {
                atom,
                possible: condition.clone(),
                holds: condition,
            },
        });
    }
    Ok(labels)
}

/// Whether a term reads inputs or next values.
pub(crate) fn is_about_steps(system: &TransitionSystem, term: TermId) -> bool {
    let (current, next) = system.terms.support(&[term]);
    let is_input = |id: &VarId| system.variable(*id).kind == VarKind::Input;
    !next.is_empty() || current.iter().any(is_input)
}
