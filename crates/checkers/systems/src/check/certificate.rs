//! Inductive invariants.
//!
//! The invariant must be true in every initial state, kept by every step, and imply the property. For models whose states can
//! be enumerated this is done here, state by state, over all states that satisfy the invariant (not only reachable ones).
//! For larger models the three conditions are questions for a SAT solver; that checker takes its place beside this one, behind
//! the same function.

use super::outcome::Checker;
use crate::condition::Condition;
use crate::reference::{Constraint, NotRechecked, Visit, When};
use entail_answer::CheckReport;
use entail_evidence::Certificate;
use entail_evidence::Truth;
use entail_model::{TermId, Valuation, Value};

/// Whether the certificate proves that the atom is true in all reachable states (steps, if it speaks of them).
pub(super) fn certificate(checker: &Checker<'_>, certificate: &Certificate, atom: TermId) -> CheckReport {
    let (current, next) = certificate.terms.support(&[certificate.invariant]);
    let kind = |variable: &entail_model::VarId| {
        let known = checker.system.variables().get(variable.index());
        known.map(|variable| variable.kind)
    };
    if !next.is_empty() || current.iter().any(|variable| kind(variable).is_none()) {
        return CheckReport::rejected("the invariant is not a condition on states of the model");
    }
    if current
        .iter()
        .any(|variable| kind(variable) == Some(entail_model::VarKind::Input))
    {
        return CheckReport::unchecked("that the invariant is inductive (it speaks of inputs)".to_string());
    }
    match by_enumeration(checker, certificate, atom) {
        Ok(None) => CheckReport::Accepted,
        Ok(Some(problem)) => CheckReport::rejected(problem),
        Err(why) => CheckReport::unchecked(format!("that the invariant is inductive ({why})")),
    }
}

fn by_enumeration(
    checker: &Checker<'_>,
    certificate: &Certificate,
    atom: TermId,
) -> Result<Option<String>, NotRechecked> {
    let enumerator = checker.enumerator();
    let invariant = Condition::new(&certificate.terms, certificate.invariant);
    let inside = |state: &[Option<Value>]| invariant.truth(Valuation::state(state)) == Truth::True;
    let safe = Condition::new(&checker.system.terms, atom);
    let mut problem = None;
    enumerator.initial_states(&mut |state| {
        if inside(state) {
            return Ok(Visit::Continue);
        }
        problem = Some("an initial state is outside the invariant".to_string());
        Ok(Visit::Stop)
    })?;
    if problem.is_some() {
        return Ok(problem);
    }
    let required = Constraint::new(&certificate.terms, certificate.invariant, When::Now);
    let mut states = 0;
    enumerator.states_with(&[required], &mut |state| {
        states += 1;
        if states > checker.limits.states {
            return Err(NotRechecked::TooLarge(format!(
                "more than {} states satisfy it",
                checker.limits.states
            )));
        }
        let here = safe.truth(Valuation::state(state));
        if here == Truth::False {
            problem = Some("a state of the invariant violates the property".into());
            return Ok(Visit::Stop);
        }
        enumerator.steps_from(state, &mut |now, after| {
            if !inside(after) {
                problem = Some("a step leaves the invariant".into());
            } else if here == Truth::Unknown && safe.truth(Valuation::step(now, after)) != Truth::True {
                problem = Some("a step from the invariant violates the property".into());
            }
            Ok(if problem.is_some() {
                Visit::Stop
            } else {
                Visit::Continue
            })
        })?;
        Ok(if problem.is_some() {
            Visit::Stop
        } else {
            Visit::Continue
        })
    })?;
    Ok(problem)
}
