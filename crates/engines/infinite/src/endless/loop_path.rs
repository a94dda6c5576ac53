//! Steps of a path as literals, with constants of their own for each position.

use entail_first_order::{
    Copies, Evaluator, FirstOrderSystem, FirstOrderTrace, Interpretation, Op, TermId, Terms, Value,
};
use entail_smt::implicant;

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

    /// Literals that are true on the path and imply the step from a position to the next, and those of the other formulas about it that
    /// are true there. Numbers that differ are said to be less or greater, as on the path.
    pub fn step(
        &mut self,
        system: &mut FirstOrderSystem,
        others: &[TermId],
        at: usize,
    ) -> Option<Vec<TermId>> {
        let mut formulas = vec![system.at(system.transition, at, &mut self.copies)];
        for &other in others {
            let formula = system.at(other, at, &mut self.copies);
            if Evaluator::new(&system.terms, &self.model).is_true(formula) == Ok(true) {
                formulas.push(formula);
            }
        }
        let literals = implicant(&mut system.terms, &self.model, &formulas)?;
        let terms = &mut system.terms;
        Some(
            (literals.into_iter())
                .map(|literal| self.ordered(terms, literal))
                .collect(),
        )
    }

    /// A literal that says that numbers differ as the inequality that is true on the path.
    fn ordered(&self, terms: &mut Terms, literal: TermId) -> TermId {
        if *terms.op(literal) != Op::Not || *terms.op(terms.args(literal)[0]) != Op::Eq {
            return literal;
        }
        let equation = terms.args(literal)[0];
        let [a, b] = [terms.args(equation)[0], terms.args(equation)[1]];
        if !terms.sort_of(a).is_arithmetic() {
            return literal;
        }
        let [below, above] = [terms.lt(a, b), terms.lt(b, a)];
        match Evaluator::new(terms, &self.model).is_true(below) {
            Ok(true) => below,
            _ => above,
        }
    }
}

/// The truth of a formula over the variables in a state, which may have more values than the system has variables.
pub(super) fn truth_in(system: &FirstOrderSystem, state: &[Value], formula: TermId) -> Option<bool> {
    let mut meaning = Interpretation::default();
    for (variable, value) in system.variables.iter().zip(state) {
        if let Op::Apply(symbol) = system.terms.op(variable.current) {
            meaning.set(*symbol, value.clone());
        }
    }
    Evaluator::new(&system.terms, &meaning).is_true(formula).ok()
}
