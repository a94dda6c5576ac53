//! Model checking by interpolation (McMillan 2003).
//!
//! From a set of states, at first the initial ones, a step followed by a path of bounded length to a violation is refuted; the interpolant
//! after the first step holds in all successors and still has no such path, so it is added to the set, until nothing new comes. A path
//! from other than the initial states asks for a longer bound.

use crate::implicit::at_present;
use crate::kind::path_of_length;
use crate::{Found, Work};
use entail_budget::Spent;
use entail_first_order::{Copies, FirstOrderSystem, TermId};
use entail_smt::{Answer, Interpolated, Strength, interpolate, projected_interpolant};

/// Decides an invariant by interpolation.
pub fn by_interpolation<'a>(system: &FirstOrderSystem, property: TermId, work: impl Into<Work<'a>>) -> Found {
    let work = work.into();
    let mut system = system.clone();
    for bound in 1.. {
        match with_bound(&mut system, property, bound, &work) {
            Err(spent) => return Found::Unknown(format!("{spent} at bound {bound}")),
            Ok(Some(found)) => return found,
            Ok(None) => {}
        }
    }
    Found::Unknown("there is no longer bound".into())
}

/// Grows the reached states as long as no path of at most `bound` steps leads to a violation. Nothing if a longer bound is needed.
fn with_bound(
    system: &mut FirstOrderSystem,
    property: TermId,
    bound: usize,
    work: &Work<'_>,
) -> Result<Option<Found>, Spent> {
    let budget = work.budget;
    let mut copies = Copies::default();
    let (init, transition) = (system.init, system.transition);
    if bound == 1
        && let Some(trace) = path_of_length(system, property, 0, work)
    {
        return Ok(Some(Found::Fails(trace)));
    }
    let first_step = system.at(transition, 0, &mut copies);
    let mut rest = Vec::new();
    let mut violations = Vec::new();
    for at in 1..=bound {
        if at < bound {
            rest.push(system.at(transition, at, &mut copies));
        }
        let holds = system.at(property, at, &mut copies);
        violations.push(system.terms.not(holds));
    }
    // A path may end before the bound: later steps are asked for only where the violation has not come yet.
    let mut tail = violations[bound - 1];
    for at in (0..bound - 1).rev() {
        let longer = system.terms.and(&[rest[at], tail]);
        tail = system.terms.or(&[violations[at], longer]);
    }
    let mut reached = init;
    loop {
        let from = system.at(reached, 0, &mut copies);
        let groups = vec![vec![from, first_step], vec![tail]];
        let found = interpolate(&mut system.terms, &groups, Strength::Strong, budget)?;
        work.interpolated(&system.terms, &groups, &found);
        let interpolant = match found {
            Interpolated::Satisfiable(_) if reached == init => {
                let path = (1..=bound).find_map(|length| path_of_length(system, property, length, work));
                budget.check_now()?;
                return Ok(Some(match path {
                    Some(trace) => Found::Fails(trace),
                    None => Found::Unknown("a violation was found, but no path to it".into()),
                }));
            }
            Interpolated::Satisfiable(_) => return Ok(None),
            Interpolated::Unknown(reason) => return Ok(Some(Found::Unknown(reason))),
            Interpolated::Interpolants(mut found) => match found.pop() {
                Some(Ok(interpolant)) => interpolant,
                Some(Err(reason)) => {
                    match projected_interpolant(&mut system.terms, &groups[0], &groups[1], budget)? {
                        Some(interpolant) => interpolant,
                        None => return Ok(Some(Found::Unknown(reason))),
                    }
                }
                None => return Ok(None),
            },
        };
        let new = at_present(system, interpolant, 1, &copies);
        let mut solver = work.solver();
        let others = system.terms.not(reached);
        solver.assert(&mut system.terms, new);
        solver.assert(&mut system.terms, others);
        match solver.check(&mut system.terms, &[], budget)? {
            Answer::Unsatisfiable => {
                let invariant = system.terms.print(reached);
                return Ok(Some(Found::Holds { depth: 1, invariant }));
            }
            Answer::Unknown(reason) => return Ok(Some(Found::Unknown(reason))),
            Answer::Satisfiable => reached = system.terms.or(&[reached, new]),
        }
    }
}
