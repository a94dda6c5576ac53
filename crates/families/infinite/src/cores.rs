//! Unsatisfiable cores of a script's assertions or assumptions.
//!
//! The solver names assumptions it needed; on request each of them is left out once more, and only those without which a model may exist
//! stay (deletion: as many questions as the first core has members). What is printed has been refuted by itself, with a proof that was judged.

use entail_budget::Budget;
use entail_first_order::{Refuter, TermId, Terms};
use entail_proof::first_order::check_refutation;
use entail_smt::{Answer, ProvingRefuter, Solver};

/// Positions of candidates that, with the fixed formulas, have no model. All of them if nothing smaller was confirmed in time.
pub(crate) fn core(
    terms: &mut Terms,
    fixed: &[TermId],
    candidates: &[TermId],
    is_minimal: bool,
    budget: &Budget,
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..candidates.len()).collect();
    if let Some(needed) = needed(terms, fixed, candidates, &kept, budget) {
        kept = needed;
    }
    if is_minimal {
        let mut place = 0;
        while place < kept.len() {
            let mut fewer = kept.clone();
            fewer.remove(place);
            match needed(terms, fixed, candidates, &fewer, budget) {
                Some(needed) => kept = needed,
                None => place += 1,
            }
        }
    }
    let mut formulas = fixed.to_vec();
    formulas.extend(kept.iter().map(|&position| candidates[position]));
    match is_refuted(terms, &formulas, budget) {
        true => kept,
        false => (0..candidates.len()).collect(),
    }
}

/// The positions among these that the solver needed; none if it did not find the formulas unsatisfiable.
fn needed(
    terms: &mut Terms,
    fixed: &[TermId],
    candidates: &[TermId],
    positions: &[usize],
    budget: &Budget,
) -> Option<Vec<usize>> {
    let mut solver = Solver::new(false);
    solver.watch(budget);
    for &formula in fixed {
        solver.assert(terms, formula);
    }
    let assumptions: Vec<TermId> = positions.iter().map(|&position| candidates[position]).collect();
    match solver.check(terms, &assumptions, budget) {
        Ok(Answer::Unsatisfiable) => {
            let core = solver.unsat_core();
            let is_needed = |position: &usize| core.contains(&candidates[*position]);
            Some(positions.iter().copied().filter(is_needed).collect())
        }
        _ => None,
    }
}

fn is_refuted(terms: &mut Terms, formulas: &[TermId], budget: &Budget) -> bool {
    let Ok(refutation) = ProvingRefuter.refute(terms, formulas, budget) else {
        return false;
    };
    check_refutation(terms, formulas, &refutation, budget).is_ok()
}
