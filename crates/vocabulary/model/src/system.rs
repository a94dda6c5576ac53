//! Symbolic fair transition systems: the common form of every finite-state model.
//!
//! A system has variables, an initial condition, an invariant condition, a transition relation and fairness. Each of
//! the three conditions is a list of Boolean terms that are all required; keeping the conjuncts apart is what lets engines
//! enumerate, partition and slice. The semantics:
//!
//! - A **state** gives a value to every state and frozen variable and satisfies every `invariant` conjunct.
//! - An **initial state** is a state that satisfies every `init` conjunct.
//! - A **step** from a state `s` under inputs `i` to a state `t` satisfies every `transition` conjunct, where current
//!   variables are read in `s`, inputs in `i`, next variables in `t`; frozen variables keep their values.
//! - `init` and `invariant` speak of current state and frozen variables only. `transition` may use all three kinds of leaf,
//!   but never the next value of an input.
//! - **Justice** (weak fairness): a fair path meets each justice term infinitely often. **Compassion** (strong
//!   fairness): for each pair `(p, q)`, if `p` is met infinitely often, so is `q`. Such terms may use inputs: they are met
//!   along a step.
//! - A **hazard** is something the source language calls an error (a division by zero, a value outside a variable's domain,
//!   a `case` without a matching branch). Engines must not give a verdict when a hazard can be met: a condition without next
//!   variables, in a reachable state under inputs that satisfy the transition conjuncts without next variables (whether or not
//!   a successor exists); one with next variables, along a reachable step. Languages therefore leave a variable free where
//!   the assignment to it is a hazard, so that the hazard does not remove the very step it is met by.

use crate::{Sort, TermId, Terms, Value};
use std::sync::Arc;

/// A variable of one [`TransitionSystem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VarId(u32);

impl VarId {
    /// The variable at a position of [`TransitionSystem::variables`].
    pub fn new(index: u32) -> VarId {
        VarId(index)
    }

    /// The position in [`TransitionSystem::variables`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What becomes of a variable in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// Part of the state; changes as the transition relation says, and freely where it says nothing.
    State,
    /// Chosen anew at every step; not part of the state.
    Input,
    /// Part of the state; never changes.
    Frozen,
}

/// A variable: its name, its values, and what becomes of it in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name users know it by.
    pub name: Arc<str>,
    /// Its values.
    pub sort: Sort,
    /// State, input or frozen.
    pub kind: VarKind,
}

/// A named term, shown in traces and usable in properties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// Its name.
    pub name: Arc<str>,
    /// What it stands for.
    pub term: TermId,
}

/// A condition under which the model has no meaning in its source language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hazard {
    /// When it happens; may use current, input and next variables.
    pub condition: TermId,
    /// What the user is told ("division by zero in `x / y`").
    pub message: String,
    /// Where in the source, as a byte range, if there is a place.
    pub place: Option<(usize, usize)>,
}

/// A symbolic fair transition system.
#[derive(Clone, Debug, Default)]
pub struct TransitionSystem {
    /// The store all terms of the system (and of its properties) live in.
    pub terms: Terms,
    variables: Vec<Variable>,
    /// Named terms.
    pub defines: Vec<Define>,
    /// Conjuncts that initial states satisfy.
    pub init: Vec<TermId>,
    /// Conjuncts that every state satisfies.
    pub invariant: Vec<TermId>,
    /// Conjuncts that every step satisfies.
    pub transition: Vec<TermId>,
    /// Met infinitely often on fair paths.
    pub justice: Vec<TermId>,
    /// Pairs `(p, q)`: on fair paths, infinitely often `p` implies infinitely often `q`.
    pub compassion: Vec<(TermId, TermId)>,
    /// Errors of the model that must turn out to be unreachable.
    pub hazards: Vec<Hazard>,
}

impl TransitionSystem {
    /// A system without variables.
    pub fn new() -> TransitionSystem {
        TransitionSystem::default()
    }

    /// Adds a variable. Names are the caller's business; nothing here requires them to differ.
    pub fn add_variable(&mut self, name: impl AsRef<str>, sort: Sort, kind: VarKind) -> VarId {
        let id = VarId(u32::try_from(self.variables.len()).expect("fewer than 2^32 variables"));
        self.variables.push(Variable {
            name: Arc::from(name.as_ref()),
            sort,
            kind,
        });
        id
    }

    /// All variables; a [`VarId`] is a position here.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The ids of all variables.
    pub fn variable_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.variables.len() as u32).map(VarId)
    }

    /// The variables that make up a state: state and frozen ones.
    pub fn state_variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.variable_ids()
            .filter(|&id| self.variable(id).kind != VarKind::Input)
    }

    /// The inputs.
    pub fn input_variables(&self) -> impl Iterator<Item = VarId> + '_ {
        self.variable_ids()
            .filter(|&id| self.variable(id).kind == VarKind::Input)
    }

    /// One variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.index()]
    }

    /// Makes a variable one of another kind. Whoever does this answers for the conditions that mention it.
    pub(crate) fn set_kind(&mut self, id: VarId, kind: VarKind) {
        self.variables[id.index()].kind = kind;
    }

    /// The variable of this name. Linear in the number of variables.
    pub fn find_variable(&self, name: &str) -> Option<VarId> {
        self.variables
            .iter()
            .position(|variable| &*variable.name == name)
            .map(|at| VarId(at as u32))
    }

    /// The term `x`.
    pub fn current(&mut self, variable: VarId) -> TermId {
        let sort = self.variables[variable.index()].sort.clone();
        self.terms.current(variable, sort)
    }

    /// The term `next(x)`; for a frozen variable that is `x` itself. Inputs have no next value.
    pub fn next(&mut self, variable: VarId) -> TermId {
        let Variable { sort, kind, .. } = self.variables[variable.index()].clone();
        match kind {
            VarKind::State => self.terms.next(variable, sort),
            VarKind::Frozen => self.terms.current(variable, sort),
            VarKind::Input => panic!(
                "the next value of the input {}",
                self.variables[variable.index()].name
            ),
        }
    }

    /// The term about the next state: `x` becomes `next(x)` for state variables, frozen ones stay.
    pub fn primed(&mut self, term: TermId) -> TermId {
        let TransitionSystem { terms, variables, .. } = self;
        let replaced = terms.replace(&[term], |terms, variable, next| {
            assert!(!next, "next(next(x)) has no meaning");
            let Variable { sort, kind, name } = &variables[variable.index()];
            match kind {
                VarKind::State => Some(terms.next(variable, sort.clone())),
                VarKind::Frozen => None,
                VarKind::Input => panic!("the next value of the input {name}"),
            }
        });
        replaced.expect("priming keeps sorts")[0]
    }

    /// Whether fair paths differ from paths.
    pub fn has_fairness(&self) -> bool {
        !self.justice.is_empty() || !self.compassion.is_empty()
    }

    /// Every term the system's meaning depends on.
    pub fn roots(&self) -> Vec<TermId> {
        let mut roots: Vec<TermId> = Vec::new();
        roots.extend(
            self.init
                .iter()
                .chain(&self.invariant)
                .chain(&self.transition)
                .chain(&self.justice),
        );
        roots.extend(self.compassion.iter().flat_map(|&(p, q)| [p, q]));
        roots.extend(self.hazards.iter().map(|hazard| hazard.condition));
        roots
    }

    /// The number of valuations of the state variables, if it fits 64 bits; reachable states are at most so many.
    pub fn state_space_size(&self) -> Option<u64> {
        self.state_variables()
            .try_fold(1u64, |size, id| size.checked_mul(self.variable(id).sort.size()?))
    }

    /// A valuation with no values, to be filled.
    pub fn blank(&self) -> Vec<Option<Value>> {
        vec![None; self.variables.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frozen_variables_are_their_own_next() {
        let mut system = TransitionSystem::new();
        let constant = system.add_variable("c", Sort::range(0, 3), VarKind::Frozen);
        let counter = system.add_variable("x", Sort::range(0, 3), VarKind::State);
        let (c, x) = (system.current(constant), system.current(counter));
        assert_eq!(system.next(constant), c);
        let below = system.terms.less(x, c).expect("integers");
        let below_later = system.primed(below);
        assert_eq!(
            system.terms.support(&[below_later]),
            (vec![constant], vec![counter])
        );
        assert_eq!(system.state_space_size(), Some(16));
    }
}
