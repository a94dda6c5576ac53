//! Steps of a path as literals, with constants of their own for each position.

use crate::implicant::implicant;
use entail_first_order::{Copies, FirstOrderSystem, FirstOrderTrace, Interpretation, Op, TermId};

/// A path with a constant for each variable and input at each position, and what they are on it.
pub(super) struct Positions {
    pub copies: Copies,
    pub model: Interpretation,
}

impl Positions {
    /// The constants of a path's positions. The path may give values of more variables than the system has.
    pub fn of(system: &mut FirstOrderSystem, trace: &FirstOrderTrace) -> Positions {
        let mut copies = Copies::default();
        copies.reach(system, trace.states.len());
        let mut model = Interpretation::default();
        let rows = (copies.states.iter().zip(&trace.states)).chain(copies.inputs.iter().zip(&trace.inputs));
        for (constants, values) in rows {
            for (&constant, value) in constants.iter().zip(values) {
                if let Op::Apply(symbol) = system.terms.op(constant) {
                    model.set(*symbol, value.clone());
                }
            }
        }
        Positions { copies, model }
    }

    /// Literals that are true on the path and imply the step from a position to the next.
    pub fn step(&mut self, system: &mut FirstOrderSystem, at: usize) -> Option<Vec<TermId>> {
        let transition = system.transition;
        let formula = system.at(transition, at, &mut self.copies);
        implicant(&mut system.terms, &self.model, &[formula])
    }
}
