//! What an engine works with.

use entail_budget::Budget;
use entail_first_order::{TermId, Terms};
use entail_smt::{Answer, Interpolated, QuerySink, Solver, show};

/// The limits of an engine, and who is shown its questions, if anybody is.
#[derive(Clone)]
pub struct Work<'a> {
    /// Looked at in every loop that may be long.
    pub budget: &'a Budget,
    /// Shown every question to the solver, as a script.
    pub queries: Option<QuerySink>,
}

impl<'a> From<&'a Budget> for Work<'a> {
    fn from(budget: &'a Budget) -> Work<'a> {
        Work {
            budget,
            queries: None,
        }
    }
}

impl Work<'_> {
    /// A solver without formulas.
    pub(crate) fn solver(&self) -> Solver {
        let mut solver = Solver::new(false);
        if let Some(sink) = &self.queries {
            solver.show_queries(sink.clone());
        }
        solver
    }

    /// Shows a question whose refutation was to give interpolants.
    pub(crate) fn interpolated(&self, terms: &Terms, groups: &[Vec<TermId>], found: &Interpolated) {
        if let Some(sink) = &self.queries {
            let answer = match found {
                Interpolated::Satisfiable(_) => Answer::Satisfiable,
                Interpolated::Interpolants(_) => Answer::Unsatisfiable,
                Interpolated::Unknown(reason) => Answer::Unknown(reason.clone()),
            };
            show(sink, terms, &groups.concat(), &answer);
        }
    }
}
