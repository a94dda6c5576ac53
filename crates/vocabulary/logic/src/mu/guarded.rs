//! Guardedness: every variable below a modality within its binder.
//!
//! An occurrence of `X` is *open* in the body of its binder if neither a modality nor another binder is between. Open
//! occurrences say nothing (`mu X. X | f` is `mu X. f`): [`Mu::without_open_occurrences`] replaces them by false under
//! `mu` and true under `nu`, and the formula does not grow. That does not reach occurrences hidden in an inner fixpoint,
//! as in `mu X. q | (nu Y. X | <>Y)`, where the replacement would be wrong. [`Mu::guarded`] first unfolds such inner
//! fixpoints once, which brings the occurrence into the open; the result may be exponentially larger (no polynomial
//! method is known for formulas as trees), hence the limit.

use super::{Fixpoint, Mu, MuNode, MuVar};
use crate::nesting::deep;

impl<A: Clone> Mu<A> {
    /// The equivalent formula in which no variable occurs open in the body of its binder.
    pub fn without_open_occurrences(&self) -> Mu<A> {
        deep(|| match self.node() {
            MuNode::Fixpoint(fixpoint, variable, body) => {
                let body = body.without_open_occurrences();
                close(&body, *fixpoint, variable).fixpoint(*fixpoint, variable)
            }
            _ => self.map_operands(Mu::without_open_occurrences),
        })
    }

    /// The equivalent formula in which every variable is below a modality within its binder, or nothing if it would have more
    /// than `limit` nodes.
    pub fn guarded(&self, limit: usize) -> Option<Mu<A>> {
        deep(|| match self.node() {
            MuNode::Fixpoint(fixpoint, variable, body) => {
                // Inner fixpoints are guarded, so an unfolding leaves its copies below modalities and the loop ends.
                let mut body = body.guarded(limit)?;
                while unguarded_inside(&body, variable) {
                    body = surface(&body, variable);
                    if body.size() > limit {
                        return None;
                    }
                }
                Some(close(&body, *fixpoint, variable).fixpoint(*fixpoint, variable))
            }
            _ => {
                let operands: Option<Vec<Mu<A>>> = self
                    .operands()
                    .iter()
                    .map(|operand| operand.guarded(limit))
                    .collect();
                let formula = self.with_operands(operands?);
                (formula.size() <= limit).then_some(formula)
            }
        })
    }

    /// Whether every bound variable is below a modality within its binder.
    pub fn is_guarded(&self) -> bool {
        let here = match self.node() {
            MuNode::Fixpoint(_, variable, body) => !occurs_unguarded(body, variable),
            _ => true,
        };
        here && self
            .operands()
            .iter()
            .all(|operand| deep(|| operand.is_guarded()))
    }
}

/// Open occurrences replaced: nothing is contributed by "it is true because it is true".
fn close<A: Clone>(body: &Mu<A>, fixpoint: Fixpoint, variable: &MuVar) -> Mu<A> {
    match body.node() {
        MuNode::Variable(found) if found == variable => Mu::constant(fixpoint.first_approximant()),
        MuNode::And(_) | MuNode::Or(_) => {
            body.map_operands(|operand| deep(|| close(operand, fixpoint, variable)))
        }
        _ => body.clone(),
    }
}

/// Whether the variable occurs free with no modality above it.
fn occurs_unguarded<A>(formula: &Mu<A>, variable: &MuVar) -> bool {
    match formula.node() {
        MuNode::Variable(found) => found == variable,
        MuNode::Modal(..) => false,
        MuNode::Fixpoint(_, bound, _) if bound == variable => false,
        _ => formula
            .operands()
            .iter()
            .any(|operand| deep(|| occurs_unguarded(operand, variable))),
    }
}

/// Whether the variable occurs unguarded below another binder.
fn unguarded_inside<A>(formula: &Mu<A>, variable: &MuVar) -> bool {
    match formula.node() {
        MuNode::Fixpoint(..) => occurs_unguarded(formula, variable),
        MuNode::And(list) | MuNode::Or(list) => list
            .iter()
            .any(|operand| deep(|| unguarded_inside(operand, variable))),
        _ => false,
    }
}

/// Unfolds the fixpoints that hide an unguarded occurrence.
fn surface<A: Clone>(formula: &Mu<A>, variable: &MuVar) -> Mu<A> {
    match formula.node() {
        MuNode::Fixpoint(..) if occurs_unguarded(formula, variable) => formula.unfold(),
        MuNode::And(_) | MuNode::Or(_) => formula.map_operands(|operand| deep(|| surface(operand, variable))),
        _ => formula.clone(),
    }
}
