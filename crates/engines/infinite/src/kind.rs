//! Bounded model checking and k-induction (Sheeran, Singh, Stålmarck 2000) on terms.
//!
//! Two solvers: one unrolls from the initial states, the other from anywhere. Both grow by one step a round.

use crate::{Found, Work};
use entail_budget::{Budget, Spent};
use entail_first_order::{
    Copies, FirstOrderSystem, FirstOrderTrace, Interpretation, Op, TermId, Terms, Value,
};
use entail_smt::{Answer, Solver};

/// The path of a model.
pub(crate) fn trace_of(
    terms: &Terms,
    model: &Interpretation,
    copies: &Copies,
    length: usize,
) -> FirstOrderTrace {
    let value = |&constant: &TermId| match terms.op(constant) {
        Op::Apply(symbol) => model.value(terms, *symbol, &[]),
        _ => Value::Bool(false),
    };
    FirstOrderTrace {
        states: (0..=length)
            .map(|at| copies.states[at].iter().map(value).collect())
            .collect(),
        inputs: (0..=length)
            .map(|at| copies.inputs[at].iter().map(value).collect())
            .collect(),
    }
}

/// Looks for paths of at most `bound` steps to a violation.
pub fn bounded<'a>(
    system: &FirstOrderSystem,
    property: TermId,
    bound: usize,
    work: impl Into<Work<'a>>,
) -> Found {
    run(system, property, Some(bound), false, &work.into())
}

/// Bounded search and induction together, deeper and deeper.
pub fn k_induction<'a>(
    system: &FirstOrderSystem,
    property: TermId,
    bound: Option<usize>,
    work: impl Into<Work<'a>>,
) -> Found {
    run(system, property, bound, true, &work.into())
}

/// A path of exactly this length to a violation, if there is one.
pub(crate) fn path_of_length(
    system: &FirstOrderSystem,
    property: TermId,
    length: usize,
    work: &Work<'_>,
) -> Option<FirstOrderTrace> {
    let mut system = system.clone();
    let mut copies = Copies::default();
    let mut solver = work.solver();
    let (init, transition) = (system.init, system.transition);
    let first = system.at(init, 0, &mut copies);
    solver.assert(&mut system.terms, first);
    for at in 0..length {
        let step = system.at(transition, at, &mut copies);
        solver.assert(&mut system.terms, step);
    }
    let last = system.at(property, length, &mut copies);
    let violation = system.terms.not(last);
    solver.assert(&mut system.terms, violation);
    match solver.check(&mut system.terms, &[], work.budget) {
        Ok(Answer::Satisfiable) => solver
            .model()
            .map(|model| trace_of(&system.terms, model, &copies, length)),
        _ => None,
    }
}

fn run(
    system: &FirstOrderSystem,
    property: TermId,
    bound: Option<usize>,
    with_induction: bool,
    work: &Work<'_>,
) -> Found {
    let mut unrolling = Unrolling {
        system: system.clone(),
        copies: Copies::default(),
        from_start: work.solver(),
        from_anywhere: work.solver(),
        property,
        tries_induction: with_induction,
    };
    for depth in 0.. {
        if bound.is_some_and(|bound| depth > bound) {
            return Found::Bounded(depth - 1);
        }
        match unrolling.deepen(depth, work.budget) {
            Err(spent) => return Found::Unknown(format!("{spent} at depth {depth}")),
            Ok(Some(found)) => return found,
            Ok(None) => {}
        }
    }
    Found::Unknown("there is no deeper bound".into())
}

struct Unrolling {
    system: FirstOrderSystem,
    copies: Copies,
    from_start: Solver,
    from_anywhere: Solver,
    property: TermId,
    tries_induction: bool,
}

impl Unrolling {
    fn deepen(&mut self, depth: usize, budget: &Budget) -> Result<Option<Found>, Spent> {
        let (init, transition) = (self.system.init, self.system.transition);
        let here = self.system.at(self.property, depth, &mut self.copies);
        let violation = self.system.terms.not(here);
        if depth == 0 {
            let first = self.system.at(init, 0, &mut self.copies);
            self.from_start.assert(&mut self.system.terms, first);
        } else {
            let step = self.system.at(transition, depth - 1, &mut self.copies);
            self.from_start.assert(&mut self.system.terms, step);
            if self.tries_induction {
                self.from_anywhere.assert(&mut self.system.terms, step);
            }
        }
        match self
            .from_start
            .check(&mut self.system.terms, &[violation], budget)?
        {
            Answer::Satisfiable => {
                let trace = (self.from_start.model())
                    .map(|model| trace_of(&self.system.terms, model, &self.copies, depth));
                return Ok(trace.map(Found::Fails));
            }
            Answer::Unknown(reason) => return Ok(Some(Found::Unknown(format!("{reason} (depth {depth})")))),
            Answer::Unsatisfiable => {}
        }
        // No path of this length is a violation: this may be assumed from now on.
        self.from_start.assert(&mut self.system.terms, here);
        if self.tries_induction {
            match self
                .from_anywhere
                .check(&mut self.system.terms, &[violation], budget)?
            {
                Answer::Unsatisfiable if depth > 0 => {
                    let invariant = "true".into();
                    return Ok(Some(Found::Holds { depth, invariant }));
                }
                // The property holds in every state at all.
                Answer::Unsatisfiable => {
                    let invariant = "true".into();
                    return Ok(Some(Found::Holds { depth: 1, invariant }));
                }
                Answer::Unknown(_) => self.tries_induction = false,
                Answer::Satisfiable => {}
            }
            self.from_anywhere.assert(&mut self.system.terms, here);
        }
        Ok(None)
    }
}
