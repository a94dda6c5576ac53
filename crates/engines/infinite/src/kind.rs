//! Bounded model checking and k-induction (Sheeran, Singh, Stålmarck 2000) on terms.
//!
//! Two solvers: one unrolls from the initial states, the other from anywhere. Both grow by one step a round ([`crate::unrolled`]).

use crate::unrolled::Unrolled;
use crate::{Found, Work};
use entail_budget::{Budget, Spent};
use entail_first_order::{FirstOrderSystem, FirstOrderTrace, TermId};
use entail_smt::{Answer, Solver, has_products};
use std::time::Duration;

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
    let mut path = Unrolled::from_start(&system);
    let mut solver = work.solver();
    let init = system.init;
    let first = path.at(&mut system, init, 0);
    solver.assert(&mut system.terms, first);
    for _ in 0..length {
        let step = path.step(&mut system);
        solver.assert(&mut system.terms, step);
    }
    let last = path.at(&mut system, property, length);
    let violation = system.terms.not(last);
    solver.assert(&mut system.terms, violation);
    match solver.check(&mut system.terms, &[], work.budget) {
        Ok(Answer::Satisfiable) => path.trace(&system.terms, solver.model()?, length),
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
    let formulas = [system.init, system.transition, property];
    let mut unrolling = Unrolling {
        is_patient: !has_products(&system.terms, &formulas),
        system: system.clone(),
        from_start: (Unrolled::from_start(system), work.solver()),
        from_anywhere: with_induction.then(|| (Unrolled::from_anywhere(system), work.solver())),
        property,
        open: Vec::new(),
    };
    for depth in 0.. {
        if bound.is_some_and(|bound| depth > bound) {
            return match unrolling.open.first() {
                None => Found::Bounded(depth - 1),
                Some((depth, reason)) => Found::Unknown(format!("{reason} (depth {depth})")),
            };
        }
        match unrolling.deepen(depth, work.budget) {
            Err(spent) => return Found::Unknown(format!("{spent} at depth {depth}")),
            Ok(Some(found)) => return found,
            Ok(None) => {}
        }
    }
    Found::Unknown("there is no deeper bound".into())
}

/// Paths and the solver that knows what they require.
type Paths = (Unrolled, Solver);

/// How long a question about products may take at first, and how much longer at each depth.
const STEP_TIME: Duration = Duration::from_millis(400);

struct Unrolling {
    system: FirstOrderSystem,
    from_start: Paths,
    /// Not there where induction is not tried, or has failed for good.
    from_anywhere: Option<Paths>,
    property: TermId,
    /// Every question is asked until it is answered. Not so where there are products: a question that stays open may be followed by
    /// an easy one.
    is_patient: bool,
    /// Depths at which it is not known whether there is a violation, and why not.
    open: Vec<(usize, String)>,
}

impl Unrolling {
    fn share(&self, depth: usize, budget: &Budget) -> Budget {
        match self.is_patient {
            true => budget.same_limits(),
            false => budget.part(STEP_TIME * (depth as u32 + 1)),
        }
    }

    /// Whether there is a violation at a depth that the path has.
    fn violation(&mut self, depth: usize, share: &Budget, budget: &Budget) -> Result<Option<Found>, Spent> {
        let system = &mut self.system;
        let (path, solver) = &mut self.from_start;
        let here = path.at(system, self.property, depth);
        let violation = system.terms.not(here);
        let answer = match solver.check(&mut system.terms, &[violation], share) {
            Ok(answer) => answer,
            Err(spent) => {
                budget.check_now()?;
                Answer::Unknown(spent.to_string())
            }
        };
        match answer {
            Answer::Satisfiable => {
                let trace = (solver.model()).and_then(|model| path.trace(&system.terms, model, depth));
                return Ok(Some(match trace {
                    Some(trace) => Found::Fails(trace),
                    None => {
                        Found::Unknown("a violation was found, but a state on the way has no value".into())
                    }
                }));
            }
            Answer::Unknown(reason) => self.open.push((depth, reason)),
            // No path of this length is a violation: this may be assumed from now on.
            Answer::Unsatisfiable => solver.assert(&mut system.terms, here),
        }
        Ok(None)
    }

    fn deepen(&mut self, depth: usize, budget: &Budget) -> Result<Option<Found>, Spent> {
        let share = self.share(depth, budget);
        let system = &mut self.system;
        let (path, solver) = &mut self.from_start;
        let first = match depth {
            0 => path.at(system, system.init, 0),
            _ => path.step(system),
        };
        solver.assert(&mut system.terms, first);
        if let Some(found) = self.violation(depth, &share, budget)? {
            return Ok(Some(found));
        }
        if self.is_patient
            && let Some((depth, reason)) = self.open.first()
        {
            return Ok(Some(Found::Unknown(format!("{reason} (depth {depth})"))));
        }
        let share = self.share(depth, budget);
        let system = &mut self.system;
        let Some((path, solver)) = &mut self.from_anywhere else {
            return Ok(None);
        };
        if depth > 0 {
            let step = path.step(system);
            solver.assert(&mut system.terms, step);
        }
        let here = path.at(system, self.property, depth);
        let violation = system.terms.not(here);
        match solver.check(&mut system.terms, &[violation], &share) {
            Ok(Answer::Unsatisfiable) => return self.close(depth, budget),
            Ok(Answer::Unknown(_)) if self.is_patient => self.from_anywhere = None,
            // What is not decided may be decided with one more step, and the property there is an assumption either way.
            Ok(Answer::Unknown(_) | Answer::Satisfiable) => solver.assert(&mut system.terms, here),
            Err(_) => {
                budget.check_now()?;
                solver.assert(&mut system.terms, here);
            }
        }
        Ok(None)
    }

    /// The induction step holds: what is left are the depths that were passed over.
    fn close(&mut self, depth: usize, budget: &Budget) -> Result<Option<Found>, Spent> {
        for (passed, _) in std::mem::take(&mut self.open) {
            if let Some(found) = self.violation(passed, budget, budget)? {
                return Ok(Some(found));
            }
        }
        Ok(Some(match self.open.first() {
            Some((depth, reason)) => Found::Unknown(format!("{reason} (depth {depth})")),
            // At depth 0 the property holds in every state at all.
            None => Found::Holds {
                depth: depth.max(1),
                invariant: "true".into(),
            },
        }))
    }
}
