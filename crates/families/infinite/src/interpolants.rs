//! Interpolants of a script's named assertions, each checked before it is printed.
//!
//! The interpolant after a group must follow from the groups up to it and contradict the others: both are refuted by the solver and the
//! proofs judged. It may use only symbols that both sides use. A sequence must moreover step from one interpolant to the next by the
//! group between them.

use entail_budget::Budget;
use entail_first_order::{Op, Refuter, TermId, Terms};
use entail_proof::first_order::check_refutation;
use entail_smt::{Interpolated, ProvingRefuter, Strength, interpolate};
use std::collections::BTreeSet;

/// The interpolants between groups of formulas, checked; or why there are none.
pub(crate) fn checked_interpolants(
    terms: &mut Terms,
    groups: &[Vec<TermId>],
    budget: &Budget,
) -> Result<Vec<TermId>, String> {
    let found =
        match interpolate(terms, groups, Strength::Strong, budget).map_err(|spent| spent.to_string())? {
            Interpolated::Interpolants(found) => found,
            Interpolated::Satisfiable(_) => return Err("the groups have a model together".into()),
            Interpolated::Unknown(reason) => return Err(reason),
        };
    let interpolants = found.into_iter().collect::<Result<Vec<TermId>, String>>()?;
    let mut before: Option<TermId> = None;
    for (position, &interpolant) in interpolants.iter().enumerate() {
        let (left, right) = groups.split_at(position + 1);
        check_vocabulary(terms, left, interpolant)?;
        check_vocabulary(terms, right, interpolant)?;
        // From the interpolant before, the group between is enough.
        let mut premises: Vec<TermId> = before
            .into_iter()
            .chain(groups[position].iter().copied())
            .collect();
        premises.push(terms.not(interpolant));
        refuted(terms, &premises, budget)?;
        before = Some(interpolant);
    }
    let last = before.into_iter().chain(groups[groups.len() - 1].iter().copied());
    refuted(terms, &last.collect::<Vec<TermId>>(), budget)?;
    Ok(interpolants)
}

fn symbols(terms: &Terms, formulas: &[TermId]) -> BTreeSet<usize> {
    (terms.cone(formulas).into_iter())
        .filter_map(|term| match terms.op(term) {
            Op::Apply(symbol) => Some(symbol.index()),
            _ => None,
        })
        .collect()
}

fn check_vocabulary(terms: &Terms, side: &[Vec<TermId>], interpolant: TermId) -> Result<(), String> {
    let known = symbols(terms, &side.concat());
    match symbols(terms, &[interpolant]).is_subset(&known) {
        true => Ok(()),
        false => Err("an interpolant uses a symbol that one side does not have".into()),
    }
}

fn refuted(terms: &mut Terms, formulas: &[TermId], budget: &Budget) -> Result<(), String> {
    let refutation = ProvingRefuter.refute(terms, formulas, budget)?;
    match check_refutation(terms, formulas, &refutation, budget)?.unjustified {
        None => Ok(()),
        Some(why) => Err(format!(
            "an interpolant was shown with a step without a certificate: {why}"
        )),
    }
}
