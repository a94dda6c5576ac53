//! Which registers and inputs the proofs of properties need.
//!
//! A proof needs a register if it would not go through were the register free to take any value at any time. What is listed as not needed is so for certain; what is
//! not listed may still be unnecessary.
//!
//! - An *inductive invariant* speaks of some variables. A variable that neither it nor the property names stands for any value before a step, so that only conditions which assign next values to
//!   named variables take part in the proof, with the inputs they read. Conditions that are not assignments (constraints of the environment) may all take part.
//! - The proof by *k-liveness* is an invariant of the model with a monitor; the monitor reads the atoms of the formula and the fairness conditions.
//! - Any *other proof* needs at most the cone of influence of the property.
//!
//! Counterexamples and witnesses are no proofs and are not counted.

use crate::model::SystemModel;
use entail_answer::{Answer, Guarantee, Verdict};
use entail_evidence::{Certificate, Evidence};
use entail_family::{Part, PartKind, Proofs};
use entail_model::{TermId, TransitionSystem, VarId, VarKind, assigned_next, cone_of_influence};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What the proofs among some answers, given with the positions of their properties, rest on; nothing if there is none.
pub(crate) fn proofs(model: &SystemModel, answers: &[(usize, &Answer)]) -> Option<Proofs> {
    let system = model.system();
    let mut needed: BTreeSet<VarId> = BTreeSet::new();
    let mut count = 0;
    for &(position, answer) in answers {
        if let Some(used) = used(model, position, answer) {
            needed.extend(used);
            count += 1;
        }
    }
    if count == 0 {
        return None;
    }
    let dress = &model.content.dress;
    let own = |id: &VarId| dress.is_own(&system.variable(*id).name);
    let all: Vec<VarId> = system.variable_ids().filter(own).collect();
    let unneeded = all.iter().filter(|id| !needed.contains(id)).map(|id| {
        let variable = system.variable(*id);
        Part {
            kind: match variable.kind {
                VarKind::Input => PartKind::Input,
                VarKind::State | VarKind::Frozen => PartKind::Register,
            },
            of: String::new(),
            place: dress.line(&variable.name).map(|line| (None, line)),
            text: variable.name.to_string(),
        }
    });
    Some(Proofs {
        count,
        parts: all.len(),
        unneeded: unneeded.collect(),
    })
}

/// The variables that an answer's proof needs; nothing if it is no proof.
fn used(model: &SystemModel, position: usize, answer: &Answer) -> Option<BTreeSet<VarId>> {
    let property = model.property(position)?;
    let system = model.subject(property);
    if answer.verdict == Verdict::Unknown || answer.guarantee != Guarantee::Complete {
        return None;
    }
    let atoms = property.question.atoms();
    match answer.evidence_as::<Evidence>()? {
        Evidence::Trace(_) => None,
        Evidence::Explanation(tree) if !tree.claims_a_search() => None,
        Evidence::Invariant(invariant) => {
            let mut roots = atoms;
            roots.extend(system.hazards.iter().map(|hazard| hazard.condition));
            Some(induction(system, &roots, &[invariant]))
        }
        Evidence::Liveness(proof) => {
            let mut roots = atoms;
            roots.extend(&system.justice);
            roots.extend(system.compassion.iter().flat_map(|&(often, then)| [often, then]));
            roots.extend(system.hazards.iter().map(|hazard| hazard.condition));
            let invariants: Vec<&Certificate> =
                std::iter::once(&proof.invariant).chain(&proof.hazards).collect();
            Some(induction(system, &roots, &invariants))
        }
        _ => Some(cone_of_influence(system, &atoms).kept.into_iter().collect()),
    }
}

/// The variables that an inductive proof over some conditions of the system and some invariants needs.
fn induction(system: &TransitionSystem, roots: &[TermId], invariants: &[&Certificate]) -> BTreeSet<VarId> {
    let (now, next) = system.terms.support(roots);
    let mut needed: BTreeSet<VarId> = now.into_iter().chain(next).collect();
    for invariant in invariants {
        // Variables of a monitor are numbered after the model's.
        let (named, _) = invariant.terms.support(&[invariant.invariant]);
        needed.extend(
            named
                .into_iter()
                .filter(|id| id.index() < system.variables().len()),
        );
    }
    // Constraints: all of them, with all that they name.
    let mut assignments: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    for &conjunct in &system.transition {
        let (now, next) = system.terms.support(&[conjunct]);
        match (&next[..], assigned_next(system, conjunct, &next)) {
            // A second assignment may contradict the first.
            ([only], Some(assigned)) if *only == assigned && !assignments.contains_key(only) => {
                assignments.insert(assigned, now);
            }
            _ => needed.extend(now.into_iter().chain(next)),
        }
    }
    needed.extend(system.terms.support(&system.invariant).0);
    // Initial conditions that tie a needed variable to others.
    loop {
        let before = needed.len();
        for &conjunct in &system.init {
            let (named, _) = system.terms.support(&[conjunct]);
            if named.iter().any(|id| needed.contains(id)) {
                needed.extend(named);
            }
        }
        if needed.len() == before {
            break;
        }
    }
    let is_input = |id: &VarId| system.variable(*id).kind == VarKind::Input;
    let read: Vec<VarId> = (assignments.iter())
        .filter(|(assigned, _)| needed.contains(assigned))
        .flat_map(|(_, now)| now.iter().copied().filter(is_input))
        .collect();
    needed.extend(read);
    needed
}
