//! Invariants: is a condition true in every reachable state, or along every reachable step?
//!
//! Decided on the way: the search stops at the first violation, and breadth-first that is one at the smallest distance.

use super::explore::{Explored, Halt, Next, Search, Stopped, Visitor};
use super::trace;
use crate::code::evaluator::{Evaluator, is_about_steps};
use crate::state_table::StateId;
use crate::stepper::Stepper;
use entail_evidence::{Evidence, Exhaustive, Guarantee, Outcome, Searched, Trace, Verdict};
use entail_model::TermId;

struct Watch<'a> {
    stepper: &'a Stepper,
    evaluator: Evaluator,
    about_steps: bool,
}

impl Visitor for Watch<'_> {
    fn watches_steps(&self) -> bool {
        self.about_steps
    }

    #[inline]
    fn state(&mut self, _: StateId, packed: &[u64]) -> Next {
        if self.about_steps {
            return Next::GoOn;
        }
        self.evaluator.load_state(&self.stepper.layout, packed);
        self.judge()
    }

    #[inline]
    fn step(&mut self, _: StateId, _: StateId, leaves: &[i64]) -> Next {
        self.evaluator.load(leaves);
        self.judge()
    }
}

impl Watch<'_> {
    fn judge(&mut self) -> Next {
        match self
            .evaluator
            .truth(&self.stepper.system, &self.stepper.layout, 0)
        {
            true => Next::GoOn,
            false => Next::Stop,
        }
    }
}

/// Decides an invariant. The warnings are the caller's business.
pub(crate) fn check(search: &Search<'_>, condition: TermId) -> Result<(Outcome, Explored), Halt> {
    let stepper = search.stepper;
    let mut watch = Watch {
        stepper,
        evaluator: Evaluator::new(&stepper.system, &stepper.layout, &[condition])?,
        about_steps: is_about_steps(&stepper.system, condition),
    };
    let explored = search.run(&mut watch)?;
    let lost = || Halt::Unknown {
        reason: "a violation was found, but the budget was spent before its trace was".into(),
        statistics: explored.statistics(),
    };
    let mut outcome = match &explored.stopped {
        Some(stopped) => {
            let trace = violation(search, &explored, stopped).ok_or_else(lost)?;
            Outcome::complete(Verdict::Fails, Evidence::Trace(trace))
        }
        None => {
            let states = explored.table.len() as u64;
            let everywhere = Exhaustive {
                states,
                satisfying: Some(states),
                searched: Searched::Model,
            };
            let mut outcome = Outcome::complete(Verdict::Holds, Evidence::Exhaustive(everywhere));
            if !explored.is_complete() {
                outcome.guarantee = Guarantee::Bounded(explored.depth);
            }
            outcome
        }
    };
    outcome.statistics = explored.statistics();
    Ok((outcome, explored))
}

fn violation(search: &Search<'_>, explored: &Explored, stopped: &Stopped) -> Option<Trace> {
    let to_state = |state| trace::to_state(search.stepper, &explored.table, state, search.budget);
    match stopped {
        Stopped::State(state) => to_state(*state),
        Stopped::Step { from, now, to } => {
            let mut trace = to_state(*from)?;
            *trace.steps.last_mut()? = now.clone();
            let after = search.stepper.layout.values(explored.table.state(*to));
            trace.steps.push(after);
            Some(trace)
        }
    }
}
