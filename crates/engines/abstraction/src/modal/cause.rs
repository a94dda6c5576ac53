//! Why an answer is unknown: a literal nobody knows, or a step that may be there but need not (chapter 13, 13.6.2; Shoham and Grumberg's
//! three-valued refinement, 2003).
//!
//! The search walks through pairs of a subformula and a state where it is unknown, nearest first. From a conjunction or disjunction it
//! goes to the unknown operands, from a modality along steps that must be there to the states where its operand is unknown, from a
//! variable to its fixpoint. It ends at an unknown literal, or at a modality with a step that *may* be there and matters.
//!
//! It always ends so. If no pair that can be reached had such a cause, replacing what is known by constants would leave formulas about
//! known literals and steps that are as sure as they are possible: the two evaluations would agree, and nothing would be unknown. And
//! either cause splits its state properly, since some concrete states of it satisfy the literal (or take the step) and some do not.

use super::annotation::{Annotated, Shape, annotate};
use super::evaluation::Modalities;
use entail_budget::{Budget, Spent};
use entail_fixpoint::EvaluateError;
use entail_logic::mu::{Modality, Mu};
use entail_model::{Kmts, StateId};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// What an unknown answer is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It is not known whether this proposition is true in this state.
    Literal {
        /// The state.
        state: StateId,
        /// The position of the proposition.
        proposition: usize,
    },
    /// This step may be there, and need not.
    Step {
        /// Its source.
        from: StateId,
        /// Its target.
        to: StateId,
    },
}

/// What makes a formula unknown in a state; none if it is known there.
pub fn cause(
    kmts: &Kmts,
    formula: &Mu<usize>,
    modalities: Modalities,
    state: StateId,
    budget: &Budget,
) -> Result<Option<Cause>, EvaluateError<Spent>> {
    let Annotated { nodes, root } = annotate(kmts, formula, modalities, budget)?;
    let unknown = |node: usize, state: StateId| nodes[node].known.at(state).is_none();
    let mut seen: FxHashSet<(usize, StateId)> = FxHashSet::default();
    let mut queue = VecDeque::new();
    if unknown(root, state) {
        queue.push_back((root, state));
    }
    while let Some((node, state)) = queue.pop_front() {
        if !seen.insert((node, state)) {
            continue;
        }
        budget.check().map_err(EvaluateError::Region)?;
        match &nodes[node].shape {
            Shape::Constant => {}
            Shape::Proposition(proposition) => {
                return Ok(Some(Cause::Literal {
                    state,
                    proposition: *proposition,
                }));
            }
            Shape::And(operands) | Shape::Or(operands) => {
                let unknown = operands.iter().filter(|&&operand| unknown(operand, state));
                queue.extend(unknown.map(|&operand| (operand, state)));
            }
            Shape::Fixpoint(_, operand) | Shape::Variable(operand) => queue.push_back((*operand, state)),
            Shape::Modal(modality, operand) => {
                // A step to where the operand has this value decides nothing.
                let idle = Some(*modality == Modality::Every);
                let value = |to: StateId| nodes[*operand].known.at(to);
                let may = kmts.may(state).iter().copied();
                let unsure = |to: &StateId| value(*to) != idle && !kmts.is_must(state, *to);
                // A target whose value would decide the modality is the better reason.
                let mut steps: Vec<StateId> = may.filter(unsure).collect();
                steps.sort_by_key(|&to| value(to).is_none());
                if let Some(&to) = steps.first() {
                    return Ok(Some(Cause::Step { from: state, to }));
                }
                for targets in kmts.must(state) {
                    let unknown = targets.iter().filter(|&&to| value(to).is_none());
                    queue.extend(unknown.map(|&to| (*operand, to)));
                }
            }
        }
    }
    Ok(None)
}
