//! A system with some of its conjuncts left out: localization (chapter 13, section 13.4.1.1).
//!
//! Leaving a conjunct out allows more states and more steps, so every path of the system is one of the weakened system: what holds on
//! all paths of the latter holds on all paths of the former. A state variable whose next value, initial value and invariants are
//! all left out is free at every step: it becomes an input, so that it is no part of the state any more. Variables keep their
//! numbers and terms their ids, so formulas about the one can be read as formulas about the other.

use crate::{TermId, TransitionSystem, VarKind};

/// Which conjuncts of a system are kept, by position in its lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Of the initial condition.
    pub init: Vec<usize>,
    /// Of the invariant.
    pub invariant: Vec<usize>,
    /// Of the transition relation.
    pub transition: Vec<usize>,
}

impl Kept {
    /// The system with these conjuncts only. Variables of the observed terms stay what they are.
    /// Positions that do not exist are ignored.
    pub fn weaken(&self, system: &TransitionSystem, observed: &[TermId]) -> TransitionSystem {
        let mut weakened = system.clone();
        let chosen = |list: &[TermId], kept: &[usize]| -> Vec<TermId> {
            kept.iter().filter_map(|&at| list.get(at).copied()).collect()
        };
        weakened.init = chosen(&system.init, &self.init);
        weakened.invariant = chosen(&system.invariant, &self.invariant);
        weakened.transition = chosen(&system.transition, &self.transition);
        let mut states: Vec<TermId> = observed.to_vec();
        states.extend(weakened.init.iter().chain(&weakened.invariant));
        let (mut part_of_state, _) = system.terms.support(&states);
        let mut roots = weakened.roots();
        roots.extend(observed);
        let (_, next) = system.terms.support(&roots);
        part_of_state.extend(next);
        part_of_state.sort_unstable();
        for variable in system.variable_ids() {
            if system.variable(variable).kind == VarKind::State
                && part_of_state.binary_search(&variable).is_err()
            {
                weakened.set_kind(variable, VarKind::Input);
            }
        }
        weakened
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sort;

    #[test]
    fn what_nobody_determines_is_an_input() {
        let mut system = TransitionSystem::new();
        let x = system.add_variable("x", Sort::Bool, VarKind::State);
        let y = system.add_variable("y", Sort::Bool, VarKind::State);
        let (now_x, now_y) = (system.current(x), system.current(y));
        let (next_x, next_y) = (system.next(x), system.next(y));
        let follows = system.terms.equal(next_x, now_y).expect("truth values");
        let keeps = system.terms.equal(next_y, now_y).expect("truth values");
        system.init = vec![now_x, now_y];
        system.transition = vec![follows, keeps];
        let kept = Kept {
            init: vec![0],
            invariant: Vec::new(),
            transition: vec![0],
        };
        let weakened = kept.weaken(&system, &[now_x]);
        assert_eq!(weakened.variable(x).kind, VarKind::State);
        assert_eq!(weakened.variable(y).kind, VarKind::Input);
        assert_eq!(weakened.transition, [follows]);
        assert_eq!(weakened.init, [now_x]);
    }
}
