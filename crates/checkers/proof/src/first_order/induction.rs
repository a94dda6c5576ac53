//! Judging k-inductive invariants of first-order systems: the conditions are built here, the refuter is asked for proofs, and only the
//! proofs are believed.

use super::{LawFault, LawJudge, check_refutation};
use entail_budget::Budget;
use entail_first_order::{Copies, FirstOrderSystem, Refuter, TermId, Terms};

/// What became of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstOrderJudgement {
    /// All conditions were proved and the proofs accepted.
    Accepted,
    /// All conditions were refuted, but parts of proofs have no certificate.
    Unjustified(String),
    /// A condition could not be shown, for this reason.
    Rejected(String),
    /// A limit was reached before the judgement.
    Unfinished(String),
}

/// Whether `property and invariant` is k-inductive: it holds in the first k states of every path, and after k consecutive states in which
/// it holds it holds in the next. The invariant is about the state alone.
pub fn check_k_induction(
    system: &FirstOrderSystem,
    property: TermId,
    invariant: TermId,
    depth: usize,
    refuter: &mut dyn Refuter,
    budget: &Budget,
) -> FirstOrderJudgement {
    if depth == 0 {
        return FirstOrderJudgement::Rejected("a depth is at least 1".into());
    }
    let mut system = system.clone();
    let mut copies = Copies::default();
    let (init, transition) = (system.init, system.transition);
    let mut conditions: Vec<(String, Vec<TermId>)> = Vec::new();
    let goal = |system: &mut FirstOrderSystem, position: usize, copies: &mut Copies| {
        let both = system.terms.and(&[property, invariant]);
        system.at(both, position, copies)
    };
    for length in 0..depth {
        let mut formulas = vec![system.at(init, 0, &mut copies)];
        for position in 0..length {
            formulas.push(system.at(transition, position, &mut copies));
        }
        let here = goal(&mut system, length, &mut copies);
        formulas.push(system.terms.not(here));
        conditions.push((format!("initiation at step {length}"), formulas));
    }
    let mut formulas = Vec::new();
    for position in 0..depth {
        formulas.push(goal(&mut system, position, &mut copies));
        formulas.push(system.at(transition, position, &mut copies));
    }
    let after = goal(&mut system, depth, &mut copies);
    formulas.push(system.terms.not(after));
    conditions.push(("consecution".into(), formulas));
    conditions_hold(&mut system.terms, conditions, refuter, budget)
}

/// Whether each of the sets of formulas, with its name, has no model: the refuter is asked for proofs, which are judged.
pub(super) fn conditions_hold(
    terms: &mut Terms,
    conditions: Vec<(String, Vec<TermId>)>,
    refuter: &mut dyn Refuter,
    budget: &Budget,
) -> FirstOrderJudgement {
    let mut unjustified = None;
    for (name, formulas) in conditions {
        let refutation = match refuter.refute(terms, &formulas, budget) {
            Ok(refutation) => refutation,
            Err(reason) if budget.check_now().is_err() => return FirstOrderJudgement::Unfinished(reason),
            Err(reason) => return FirstOrderJudgement::Rejected(format!("{name}: {reason}")),
        };
        match check_refutation(terms, &formulas, &refutation, budget) {
            Ok(checked) => unjustified = unjustified.or(checked.unjustified),
            Err(reason) if budget.check_now().is_err() => return FirstOrderJudgement::Unfinished(reason),
            Err(reason) => return FirstOrderJudgement::Rejected(format!("{name}: {reason}")),
        }
    }
    match LawJudge::default().judge(terms, usize::MAX, budget) {
        Ok(()) => {}
        Err(LawFault::Wrong(why)) => {
            return FirstOrderJudgement::Rejected(format!("a law of words is wrong: {why}"));
        }
        Err(LawFault::Undecided(_)) => {
            unjustified = unjustified.or(Some("a law of words was applied that was not shown again"));
        }
    }
    match unjustified {
        None => FirstOrderJudgement::Accepted,
        Some(reason) => FirstOrderJudgement::Unjustified(reason.into()),
    }
}
