//! Division (chapter 26, section 3.7; Arnold, Vincent, Walukiewicz 2003): what the rest of a system must satisfy so that the whole satisfies a formula.
//!
//! For a formula `f` and a system `M`, `f/M` is true of `N` iff `f` is true of the product of `M` and `N`, in which both take every step together, by the same action. A state of the product has
//! the propositions of both parts. Where `M` is in state `s`:
//!
//! - `p/s` is true if `s` has `p`, else `p`;
//! - `(<A> f)/s = OR over actions a in A: <a> OR over a-successors t of s: f/t`;
//! - `(f & g)/s = f/s & g/s`;
//!
//! and dually; the variable `X` at `s` is an equation of its own, with the kind of `X`. If `M` has several initial states, the formula must be true in all of them.

use crate::MuError;
use crate::nodes::Nodes;
use crate::unrolling::{Unrolling, all, any};
use entail_budget::Budget;
use entail_logic::mu::{Action, Actions, Modality, Mu, MuNode};
use entail_model::{Lts, StateId};
use std::collections::BTreeMap;

/// More equations are not written out as one formula.
const MOST_EQUATIONS: usize = 200_000;

/// The formula divided by the system.
pub fn quotient(formula: &Mu<String>, lts: &Lts, budget: &Budget) -> Result<Mu<String>, MuError> {
    let nodes = Nodes::new(formula)?;
    let division = Division { nodes: &nodes, lts };
    let mut unrolling = Unrolling::new(MOST_EQUATIONS, budget);
    let mut parts = Vec::new();
    for state in lts.initial() {
        parts.push(division.at(0, *state, &mut unrolling)?);
    }
    Ok(all(parts))
}

struct Division<'a> {
    nodes: &'a Nodes<'a>,
    lts: &'a Lts,
}

impl Division<'_> {
    /// A node, divided by the system in a state.
    fn at(&self, number: u32, state: StateId, unrolling: &mut Unrolling<'_>) -> Result<Mu<String>, MuError> {
        let node = &self.nodes.0[number as usize];
        let below = |unrolling: &mut Unrolling<'_>| {
            let parts: Result<Vec<Mu<String>>, MuError> = (node.operands.iter())
                .map(|&operand| {
                    stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || self.at(operand, state, unrolling))
                })
                .collect();
            parts
        };
        match node.formula {
            MuNode::Constant(truth) => Ok(Mu::constant(*truth)),
            MuNode::Literal(name, positive) => Ok(
                match self.lts.propositions(state).iter().any(|one| **one == **name) {
                    true => Mu::constant(*positive),
                    false => MuNode::Literal(name.clone(), *positive).into(),
                },
            ),
            MuNode::And(_) => Ok(all(below(unrolling)?)),
            MuNode::Or(_) => Ok(any(below(unrolling)?)),
            MuNode::Variable(_) => self.at(node.operands[0], state, unrolling),
            MuNode::Fixpoint(kind, ..) => {
                let index = (number, state.index() as u32);
                unrolling.equation(node.depth, index, *kind, &mut |unrolling| {
                    self.at(node.operands[0], state, unrolling)
                })
            }
            MuNode::Modal(modality, actions, _) => {
                self.modality(*modality, actions, node.operands[0], state, unrolling)
            }
        }
    }

    fn modality(
        &self,
        modality: Modality,
        actions: &Actions,
        operand: u32,
        state: StateId,
        unrolling: &mut Unrolling<'_>,
    ) -> Result<Mu<String>, MuError> {
        let mut targets: BTreeMap<&Action, Vec<StateId>> = BTreeMap::new();
        for (action, to) in self.lts.steps(state) {
            let name = self.lts.action_name(action);
            if actions.contains(name) {
                targets.entry(name).or_default().push(to);
            }
        }
        let mut parts = Vec::new();
        for (action, states) in targets {
            let mut operands = Vec::new();
            for to in states {
                operands.push(stacker::maybe_grow(64 * 1024, 2 * 1024 * 1024, || {
                    self.at(operand, to, unrolling)
                })?);
            }
            let (target, nothing) = match modality {
                Modality::Some => (any(operands), false),
                Modality::Every => (all(operands), true),
            };
            // `<a> false` is false, `[a] true` is true.
            if !matches!(target.node(), MuNode::Constant(truth) if *truth == nothing) {
                parts.push(MuNode::Modal(modality, Actions::one(action.clone()), target).into());
            }
        }
        Ok(match modality {
            Modality::Some => any(parts),
            Modality::Every => all(parts),
        })
    }
}
