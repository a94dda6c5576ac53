//! Questions shown to somebody else as they are answered: each as a script of SMT-LIB, with the answer as its status.

use crate::solver::{Answer, Solver};
use entail_first_order::{TermId, Terms};
use std::sync::Arc;

/// Who is shown the questions: gets the text of one script for each.
pub type QuerySink = Arc<dyn Fn(&str) + Send + Sync>;

/// The formulas a solver has, kept only where its questions are shown.
pub(crate) struct QueryLog {
    sink: QuerySink,
    /// Each with the switch it is under, if there is one.
    formulas: Vec<(Option<TermId>, TermId)>,
}

impl QueryLog {
    pub fn assert(&mut self, switch: Option<TermId>, formula: TermId) {
        self.formulas.push((switch, formula));
    }

    /// Shows the question that assumptions make of the formulas.
    pub fn ask(
        &self,
        terms: &Terms,
        assumptions: &[TermId],
        is_switch: impl Fn(TermId) -> bool,
        answer: &Answer,
    ) {
        let is_on = |switch: &Option<TermId>| switch.is_none_or(|switch| assumptions.contains(&switch));
        let mut asked: Vec<TermId> = (self.formulas.iter())
            .filter(|(switch, _)| is_on(switch))
            .map(|(_, formula)| *formula)
            .collect();
        asked.extend(assumptions.iter().filter(|&&assumption| !is_switch(assumption)));
        show(&self.sink, terms, &asked, answer);
    }
}

/// Shows a question.
pub fn show(sink: &QuerySink, terms: &Terms, formulas: &[TermId], answer: &Answer) {
    let status = match answer {
        Answer::Satisfiable => "sat",
        Answer::Unsatisfiable => "unsat",
        Answer::Unknown(_) => "unknown",
    };
    sink(&terms.print_script(formulas, Some(status)));
}

impl Solver {
    /// Shows every question from now on; the solver has no formulas yet.
    pub fn show_queries(&mut self, sink: QuerySink) {
        self.queries = Some(QueryLog {
            sink,
            formulas: Vec::new(),
        });
    }
}
