//! Composition of systems over shared variables (chapter 2, feature 4; chapter 3, feature 3).
//!
//! Variables of the same name are shared. Both compositions unite the initial conditions, the invariants and the fairness
//! requirements; they differ in what a step is:
//!
//! - **synchronous**: both components step together, `ρ1 & ρ2`;
//! - **interleaving**: one steps and the other's private variables keep their values,
//!   `ρ1 & keep(V2 \ V1)  |  ρ2 & keep(V1 \ V2)`.
//!
//! An input of one component may be a state or frozen variable of the other, which then drives it. Sharing needs equal sorts.
//!
//! Two things to know about interleaving. A fairness condition on inputs is met along any step, also one of the other
//! component. A hazard of one component counts in those steps in which the other's private variables keep their values.

use crate::{Define, Hazard, TermId, Terms, TransitionSystem, VarId, VarKind};
use std::sync::Arc;

/// The composition of two systems.
#[derive(Clone, Debug)]
pub struct Composition {
    /// The composed system: the variables of the left component in their order, then the private ones of the right.
    pub system: TransitionSystem,
    /// For each variable of the left component, what it is in the composed system.
    pub left: Vec<VarId>,
    /// For each variable of the right component, what it is in the composed system.
    pub right: Vec<VarId>,
}

/// Why two systems cannot be composed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// A shared variable has different values in the components.
    #[error("the shared variable `{0}` has different sorts in the two systems")]
    Sort(Arc<str>),
    /// A shared variable is frozen in one component and changes in the other.
    #[error("the shared variable `{0}` is frozen in one system and changes in the other")]
    Kind(Arc<str>),
    /// A name is defined differently in the components.
    #[error("`{0}` is defined differently in the two systems")]
    Define(Arc<str>),
}

impl TransitionSystem {
    /// `next(x) = x` for each of these state variables. (Frozen ones keep their value anyway, inputs have none to keep.)
    pub fn keep(&mut self, variables: impl IntoIterator<Item = VarId>) -> TermId {
        let mut equalities = Vec::new();
        for variable in variables {
            if self.variable(variable).kind == VarKind::State {
                let (now, after) = (self.current(variable), self.next(variable));
                equalities.push(self.terms.equal(now, after).expect("one sort"));
            }
        }
        self.terms.and(equalities)
    }

    /// Adds to every step the possibility that nothing changes.
    pub fn allow_stuttering(&mut self) {
        let step = self.terms.and(self.transition.iter().copied());
        let all: Vec<VarId> = self.variable_ids().collect();
        let stutter = self.keep(all);
        self.transition = vec![self.terms.or([step, stutter])];
    }

    /// Removes the steps in which nothing changes.
    pub fn forbid_stuttering(&mut self) {
        let all: Vec<VarId> = self.variable_ids().collect();
        let stutter = self.keep(all);
        let change = self.terms.not(stutter);
        self.transition.push(change);
    }
}

/// Both systems step together.
pub fn synchronous_composition(
    left: &TransitionSystem,
    right: &TransitionSystem,
) -> Result<Composition, ComposeError> {
    let mut parts = Parts::unite(left, right)?;
    parts.composition.system.transition = parts.left.transition;
    parts.composition.system.transition.extend(parts.right.transition);
    let hazards = parts.left.hazards.into_iter().chain(parts.right.hazards);
    parts.composition.system.hazards = hazards.collect();
    Ok(parts.composition)
}

/// The systems take turns, in any order.
pub fn interleaving_composition(
    left: &TransitionSystem,
    right: &TransitionSystem,
) -> Result<Composition, ComposeError> {
    let parts = Parts::unite(left, right)?;
    let Composition {
        mut system,
        left: left_variables,
        right: right_variables,
    } = parts.composition;
    let private = |own: &[VarId], other: &[VarId]| -> Vec<VarId> {
        own.iter()
            .copied()
            .filter(|variable| !other.contains(variable))
            .collect()
    };
    let left_rests = system.keep(private(&left_variables, &right_variables));
    let right_rests = system.keep(private(&right_variables, &left_variables));
    let left_moves = system
        .terms
        .and(parts.left.transition.into_iter().chain([right_rests]));
    let right_moves = system
        .terms
        .and(parts.right.transition.into_iter().chain([left_rests]));
    let step = system.terms.or([left_moves, right_moves]);
    system.transition = vec![step];
    for (hazards, other_rests) in [
        (parts.left.hazards, right_rests),
        (parts.right.hazards, left_rests),
    ] {
        for hazard in hazards {
            let condition = system.terms.and([hazard.condition, other_rests]);
            system.hazards.push(Hazard { condition, ..hazard });
        }
    }
    Ok(Composition {
        system,
        left: left_variables,
        right: right_variables,
    })
}

/// What a component contributes to steps, in the composed system's terms.
struct Component {
    transition: Vec<TermId>,
    hazards: Vec<Hazard>,
}

struct Parts {
    composition: Composition,
    left: Component,
    right: Component,
}

impl Parts {
    /// Everything but the steps.
    fn unite(left: &TransitionSystem, right: &TransitionSystem) -> Result<Parts, ComposeError> {
        let mut system = TransitionSystem::new();
        let mut kinds: Vec<VarKind> = left.variables().iter().map(|variable| variable.kind).collect();
        let mut right_ids = Vec::new();
        let mut private = Vec::new();
        for variable in right.variables() {
            match left.find_variable(&variable.name) {
                Some(shared) => {
                    let other = left.variable(shared);
                    if other.sort != variable.sort {
                        return Err(ComposeError::Sort(variable.name.clone()));
                    }
                    kinds[shared.index()] = joint_kind(other.kind, variable.kind)
                        .ok_or_else(|| ComposeError::Kind(variable.name.clone()))?;
                    right_ids.push(shared);
                }
                None => {
                    right_ids.push(VarId::new((kinds.len() + private.len()) as u32));
                    private.push(variable);
                }
            }
        }
        for (variable, kind) in left.variables().iter().zip(kinds) {
            system.add_variable(&variable.name, variable.sort.clone(), kind);
        }
        for variable in private {
            system.add_variable(&variable.name, variable.sort.clone(), variable.kind);
        }
        let left_ids: Vec<VarId> = left.variable_ids().collect();
        let left_part = contribute(&mut system, left, &left_ids)?;
        let right_part = contribute(&mut system, right, &right_ids)?;
        Ok(Parts {
            composition: Composition {
                system,
                left: left_ids,
                right: right_ids,
            },
            left: left_part,
            right: right_part,
        })
    }
}

/// What a shared variable becomes.
fn joint_kind(a: VarKind, b: VarKind) -> Option<VarKind> {
    match (a, b) {
        (a, b) if a == b => Some(a),
        (VarKind::Input, other) | (other, VarKind::Input) => Some(other),
        _ => None,
    }
}

/// Copies a component into the composed system, except for its steps.
fn contribute(
    system: &mut TransitionSystem,
    component: &TransitionSystem,
    variables: &[VarId],
) -> Result<Component, ComposeError> {
    let copy = |terms: &mut Terms, roots: &[TermId]| {
        terms.import(&component.terms, roots, |variable| variables[variable.index()])
    };
    let defined: Vec<TermId> = component.defines.iter().map(|define| define.term).collect();
    for (define, term) in component.defines.iter().zip(copy(&mut system.terms, &defined)) {
        match system.defines.iter().find(|known| known.name == define.name) {
            Some(known) if known.term == term => {}
            Some(_) => return Err(ComposeError::Define(define.name.clone())),
            None => system.defines.push(Define {
                name: define.name.clone(),
                term,
            }),
        }
    }
    system.init.extend(copy(&mut system.terms, &component.init));
    system
        .invariant
        .extend(copy(&mut system.terms, &component.invariant));
    system.justice.extend(copy(&mut system.terms, &component.justice));
    for &(often, then) in &component.compassion {
        let pair = copy(&mut system.terms, &[often, then]);
        system.compassion.push((pair[0], pair[1]));
    }
    let mut hazards = Vec::new();
    for hazard in &component.hazards {
        let condition = copy(&mut system.terms, &[hazard.condition])[0];
        hazards.push(Hazard {
            condition,
            ..hazard.clone()
        });
    }
    Ok(Component {
        transition: copy(&mut system.terms, &component.transition),
        hazards,
    })
}
