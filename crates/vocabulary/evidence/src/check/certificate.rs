//! Inductive invariants.
//!
//! The invariant must be true in every initial state, kept by every step, and imply the property. For models whose states can
//! be enumerated this is done here, state by state, over all states that satisfy the invariant (not only reachable ones).
//! For larger models the three conditions are questions for a SAT solver; that checker takes its place beside this one, behind
//! the same function.

use super::CheckReport;
use super::outcome::Checker;
use crate::Certificate;
use crate::reference::{Constraint, NotRechecked, Visit, When};
use entail_model::{TermId, Valuation, Value, evaluate_bool};

/// Whether the certificate proves that the atom is true in all reachable states (steps, if it speaks of them).
pub(super) fn certificate(checker: &Checker<'_>, certificate: &Certificate, atom: TermId) -> CheckReport {
    let (current, next) = certificate.terms.support(&[certificate.invariant]);
    let is_input = |variable: &entail_model::VarId| {
        checker
            .system
            .variables()
            .get(variable.index())
            .is_none_or(|variable| variable.kind == entail_model::VarKind::Input)
    };
    if !next.is_empty() || current.iter().any(is_input) {
        return CheckReport::rejected("the invariant is not a condition on states of the model");
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
    let inside = |state: &[Option<Value>]| {
        evaluate_bool(&certificate.terms, certificate.invariant, Valuation::state(state)) == Ok(true)
    };
    let safe = |at: Valuation<'_>| evaluate_bool(&checker.system.terms, atom, at);
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
    let invariant = Constraint {
        terms: &certificate.terms,
        term: certificate.invariant,
        when: When::Now,
    };
    let mut states = 0;
    enumerator.states_with(&[invariant], &mut |state| {
        states += 1;
        if states > checker.limits.states {
            return Err(NotRechecked::TooLarge(format!(
                "more than {} states satisfy it",
                checker.limits.states
            )));
        }
        let here = safe(Valuation::state(state));
        if here == Ok(false) {
            problem = Some("a state of the invariant violates the property".into());
            return Ok(Visit::Stop);
        }
        enumerator.steps_from(state, &mut |now, after| {
            if !inside(after) {
                problem = Some("a step leaves the invariant".into());
            } else if here.is_err() && safe(Valuation::step(now, after)) != Ok(true) {
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
