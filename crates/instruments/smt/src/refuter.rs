//! Refutations on request, for checkers.

use crate::{Answer, Solver};
use entail_budget::Budget;
use entail_first_order::{Refutation, Refuter, TermId, Terms};

/// A solver that records proofs, made anew for every question.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProvingRefuter;

impl Refuter for ProvingRefuter {
    fn refute(
        &mut self,
        terms: &mut Terms,
        formulas: &[TermId],
        budget: &Budget,
    ) -> Result<Refutation, String> {
        let mut solver = Solver::new(true);
        solver.watch(budget);
        for &formula in formulas {
            solver.assert(terms, formula);
        }
        match solver.check(terms, &[], budget) {
            Err(spent) => Err(spent.to_string()),
            Ok(Answer::Satisfiable) => Err("the formulas have a model".into()),
            Ok(Answer::Unknown(reason)) => Err(reason),
            Ok(Answer::Unsatisfiable) => solver
                .refutation()
                .cloned()
                .ok_or_else(|| "there is no proof".into()),
        }
    }
}
