//! Whether a formula under construction is true in a state, looked up from the state on: only what is needed is evaluated, and
//! never twice.

use entail_evidence::equivalence::{HmlGraph, HmlId, HmlNode};
use entail_model::{ActionId, Lts, StateId, TAU, TAU_NAME};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What is known of the truth of formulas in the states of a system.
pub(crate) struct Truth<'a> {
    lts: &'a Lts,
    actions: FxHashMap<Arc<str>, ActionId>,
    known: FxHashMap<(HmlId, StateId), bool>,
}

impl<'a> Truth<'a> {
    pub fn new(lts: &'a Lts) -> Truth<'a> {
        let numbered = lts.actions().iter().enumerate();
        Truth {
            lts,
            actions: numbered
                .map(|(number, name)| (name.clone(), ActionId::new(number as u32)))
                .collect(),
            known: FxHashMap::default(),
        }
    }

    /// Whether the formula is true in the state.
    pub fn holds(&mut self, graph: &HmlGraph, formula: HmlId, state: StateId) -> bool {
        if let Some(&known) = self.known.get(&(formula, state)) {
            return known;
        }
        let truth = stacker::maybe_grow(64 << 10, 2 << 20, || self.evaluate(graph, formula, state));
        self.known.insert((formula, state), truth);
        truth
    }

    fn evaluate(&mut self, graph: &HmlGraph, formula: HmlId, state: StateId) -> bool {
        let lts = self.lts;
        match graph.node(formula) {
            HmlNode::True => true,
            HmlNode::Proposition { name } => lts.propositions(state).contains(name),
            HmlNode::Not { of } => !self.holds(graph, *of, state),
            HmlNode::And { of } => of.iter().all(|&part| self.holds(graph, part, state)),
            HmlNode::Some { action, then } => {
                self.after(action, state, |truth, target| truth.holds(graph, *then, target))
            }
            HmlNode::Weak { action, then } => {
                let hidden = &**action == TAU_NAME;
                self.unseen(state, |truth, end| {
                    hidden && truth.holds(graph, *then, end)
                        || truth.after(action, end, |truth, target| {
                            truth.unseen(target, |truth, end| truth.holds(graph, *then, end))
                        })
                })
            }
            HmlNode::Until { along, action, then } => {
                let hidden = &**action == TAU_NAME;
                self.search(
                    state,
                    |truth, on, _| truth.holds(graph, *along, on),
                    |truth, end| match hidden {
                        true => truth.holds(graph, *then, end),
                        false => {
                            truth.holds(graph, *along, end)
                                && truth.after(action, end, |truth, target| truth.holds(graph, *then, target))
                        }
                    },
                )
            }
            HmlNode::Forever { along } => self.forever(graph, *along, state),
        }
    }

    /// Whether a step of this action leads to a state of this kind.
    fn after(
        &mut self,
        action: &Arc<str>,
        state: StateId,
        mut wanted: impl FnMut(&mut Self, StateId) -> bool,
    ) -> bool {
        let Some(&action) = self.actions.get(action) else {
            return false;
        };
        (self.lts.successors(state, action).iter()).any(|&target| wanted(self, target))
    }

    /// Whether hidden steps between states that look the same lead to a state of this kind.
    fn unseen(&mut self, start: StateId, wanted: impl FnMut(&mut Self, StateId) -> bool) -> bool {
        let lts = self.lts;
        self.search(start, |_, from, to| lts.colour(from) == lts.colour(to), wanted)
    }

    /// Whether hidden steps that are allowed lead to a state of this kind.
    fn search(
        &mut self,
        start: StateId,
        mut allowed: impl FnMut(&mut Self, StateId, StateId) -> bool,
        mut wanted: impl FnMut(&mut Self, StateId) -> bool,
    ) -> bool {
        let mut seen = FxHashSet::from_iter([start]);
        let mut pending = vec![start];
        while let Some(state) = pending.pop() {
            if wanted(self, state) {
                return true;
            }
            for &target in self.lts.successors(state, TAU) {
                if !seen.contains(&target) && allowed(self, state, target) {
                    seen.insert(target);
                    pending.push(target);
                }
            }
        }
        false
    }

    /// Whether hidden steps go on for ever through states where a formula is true: of those reached, the ones without a step
    /// to another go, again and again.
    fn forever(&mut self, graph: &HmlGraph, along: HmlId, start: StateId) -> bool {
        let mut within: FxHashSet<StateId> = FxHashSet::default();
        let mut pending = vec![start];
        while let Some(state) = pending.pop() {
            if !within.contains(&state) && self.holds(graph, along, state) {
                within.insert(state);
                pending.extend(self.lts.successors(state, TAU));
            }
        }
        loop {
            let ends: Vec<StateId> = (within.iter().copied())
                .filter(|&state| {
                    let mut hidden = self.lts.successors(state, TAU).iter();
                    !hidden.any(|target| within.contains(target))
                })
                .collect();
            if ends.is_empty() {
                return within.contains(&start);
            }
            for state in ends {
                within.remove(&state);
            }
        }
    }
}
