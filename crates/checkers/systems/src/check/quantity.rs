//! Lengths of shortest and longest paths: the path that is shown is measured, and the naive reference computes the length again.

use super::outcome::Checker;
use super::replay::replay;
use crate::condition::Condition;
use crate::reference::{Evaluation, NotRechecked, longest_path, shortest_path};
use entail_answer::CheckReport;
use entail_evidence::{Evidence, Quantity, Trace, Truth};
use entail_logic::Formula;
use entail_model::{TermId, Valuation, Value, evaluate_bool};

impl Checker<'_> {
    pub(super) fn quantity(
        &self,
        shortest: bool,
        start: TermId,
        goal: TermId,
        value: &Quantity,
        evidence: &Option<Evidence>,
    ) -> CheckReport {
        let mut report = CheckReport::Accepted;
        if let Some(Evidence::Trace(trace)) = evidence {
            report = match replay(self.system, trace, false) {
                Err(problem) => CheckReport::rejected(problem.to_string()),
                Ok(()) => self.measured(shortest, start, goal, value, trace),
            };
        }
        report.and_then(|| match self.try_quantity(shortest, start, goal) {
            Ok((_, states)) if claimed_states(evidence).is_some_and(|claimed| claimed != states) => {
                CheckReport::rejected(format!("a recount gives {states} reachable states"))
            }
            Ok((found, _)) if found == *value => CheckReport::Accepted,
            Ok((found, _)) => CheckReport::rejected(format!(
                "computing the length again gives another value: {found:?}, not {value:?}"
            )),
            Err(why) => CheckReport::unchecked(format!("that there is no shorter or longer path ({why})")),
        })
    }

    /// A finite shortest length is shown by a path of that length, which is the end of the trace.
    fn measured(
        &self,
        shortest: bool,
        start: TermId,
        goal: TermId,
        value: &Quantity,
        trace: &Trace,
    ) -> CheckReport {
        let Some(length) = value.as_whole() else {
            return CheckReport::Accepted;
        };
        let truth = |term: TermId, step: usize| {
            Truth::from(evaluate_bool(
                &self.system.terms,
                term,
                Valuation::state(&trace.steps[step]),
            ))
        };
        let last = trace.steps.len() - 1;
        let first = usize::try_from(length)
            .ok()
            .and_then(|length| last.checked_sub(length));
        match first {
            None => CheckReport::rejected("the trace is shorter than the length it is to show"),
            Some(first) if truth(start, first) != Truth::True => {
                CheckReport::rejected("the path of the claimed length does not begin in a start state")
            }
            Some(_) if shortest && truth(goal, last) != Truth::True => {
                CheckReport::rejected("the path does not end in a goal state")
            }
            Some(_) => CheckReport::Accepted,
        }
    }

    fn try_quantity(
        &self,
        shortest: bool,
        start: TermId,
        goal: TermId,
    ) -> Result<(Quantity, u64), NotRechecked> {
        let graph = self.graph(Vec::new(), &[], None)?;
        // Only states on fair paths count.
        let mut evaluation = Evaluation::new(self.system, &graph, self.limits, self.budget)?;
        let fair = evaluation.states(&Formula::constant(true).globally().exists())?;
        let set = |term: TermId| -> Vec<bool> {
            let condition = Condition::new(&self.system.terms, term);
            let truth = |state: &Vec<Option<Value>>| condition.truth(Valuation::state(state)) == Truth::True;
            graph
                .states
                .iter()
                .zip(fair.iter())
                .map(|(state, &fair)| fair && truth(state))
                .collect()
        };
        let (start, goal) = (set(start), set(goal));
        let value = if shortest {
            shortest_path(&graph, &start, &goal)
        } else {
            longest_path(&graph, &start, &goal, &fair)
        };
        Ok((value, graph.states.len() as u64))
    }
}

fn claimed_states(evidence: &Option<Evidence>) -> Option<u64> {
    match evidence {
        Some(Evidence::Exhaustive(claim)) => Some(claim.states),
        _ => None,
    }
}
