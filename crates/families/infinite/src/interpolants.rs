//! Interpolants of a script's named assertions, each checked before it is printed.
//!
//! The interpolant after a group must follow from the groups up to it and contradict the others: both are refuted by the solver and the
//! proofs judged. It may use only symbols that both sides use. Where the proof mixes both sides, one is made by projection. A sequence must moreover step from one interpolant to the next by the
//! group between them.

use entail_budget::Budget;
use entail_first_order::{Op, Refuter, TermId, Terms};
use entail_proof::first_order::check_refutation;
use entail_smt::{Interpolated, ProvingRefuter, Strength, interpolate, projected_interpolant};
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
    let mut interpolants = Vec::with_capacity(found.len());
    let mut before: Option<TermId> = None;
    let mut follows_proof = true;
    for (position, interpolant) in found.into_iter().enumerate() {
        let (left, right) = groups.split_at(position + 1);
        // Those of one proof step from one to the next; behind one that is made in another way, all are.
        let interpolant = match interpolant {
            Ok(interpolant) if follows_proof => interpolant,
            other => {
                follows_proof = false;
                let near: Vec<TermId> = before
                    .into_iter()
                    .chain(groups[position].iter().copied())
                    .collect();
                let projected = projected_interpolant(terms, &near, &right.concat(), budget);
                let without = || {
                    other
                        .err()
                        .unwrap_or_else(|| "no end of projections was found".into())
                };
                projected
                    .map_err(|spent| spent.to_string())?
                    .ok_or_else(without)?
            }
        };
        interpolants.push(interpolant);
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
