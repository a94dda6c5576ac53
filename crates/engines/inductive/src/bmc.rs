//! Bounded model checking of safety (Biere, Cimatti, Clarke, Zhu): is a bad state reached after exactly k steps, for k = 0, 1, …?
//!
//! One incremental solver. A bound that was refuted stays refuted: its bad literal is asserted false, which helps the bounds
//! after it. The answer is either a shortest run or "not within so many steps"; there is never a proof.

use crate::answer::SafetyAnswer;
use crate::unrolling::{Start, Unrolling};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Cadical, Circuit, SatSolver, Signal};

/// How far a search that ran out of budget had come.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// Why it stopped.
    pub spent: Spent,
    /// Bad is not reached within so many steps, if that much is known.
    pub safe_up_to: Option<u64>,
}

/// Looks for a run to bad of at most `bound` steps (without one: until the budget is spent).
pub fn bounded_search(
    circuit: &Circuit,
    bad: Signal,
    bound: Option<u64>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    BoundedSearch::new(circuit, bad).advance(bound, budget, progress)
}

/// A bounded search that can be interrupted and taken up again.
pub(crate) struct BoundedSearch<'a> {
    unrolling: Unrolling<'a, Cadical>,
    bad: Signal,
    /// How many depths, from 0, are known to be safe.
    refuted: u64,
}

impl<'a> BoundedSearch<'a> {
    pub(crate) fn new(circuit: &'a Circuit, bad: Signal) -> BoundedSearch<'a> {
        BoundedSearch {
            unrolling: Unrolling::new(circuit, &[bad], Start::Initial, Cadical::new()),
            bad,
            refuted: 0,
        }
    }

    /// Bad is not reached within so many steps, if that much is known.
    pub(crate) fn safe_up_to(&self) -> Option<u64> {
        self.refuted.checked_sub(1)
    }

    /// Goes on to the bound, or until the budget is spent.
    pub(crate) fn advance(
        &mut self,
        bound: Option<u64>,
        budget: &Budget,
        progress: &dyn Progress,
    ) -> Result<SafetyAnswer, Interrupted> {
        loop {
            let depth = self.refuted;
            progress.report(&Snapshot {
                phase: "bounded model checking",
                depth: Some(depth),
                ..Snapshot::default()
            });
            let stopped = |spent: Spent| Interrupted {
                spent,
                safe_up_to: depth.checked_sub(1),
            };
            budget.check_now().map_err(stopped)?;
            let frame = depth as usize;
            if self.unrolling.len() <= frame {
                self.unrolling.extend();
            }
            let violated = self.unrolling.literal(self.bad, frame);
            if self
                .unrolling
                .solver
                .satisfiable(&[violated], budget)
                .map_err(stopped)?
            {
                return Ok(SafetyAnswer::Unsafe(self.unrolling.run(frame)));
            }
            self.unrolling.solver.add_clause(&[!violated]);
            self.refuted += 1;
            if bound.is_some_and(|bound| depth >= bound) {
                return Ok(SafetyAnswer::SafeUpTo(depth));
            }
        }
    }
}
