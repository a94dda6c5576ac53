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
    let mut unrolling = Unrolling::new(circuit, &[bad], Start::Initial, Cadical::new());
    for depth in 0u64.. {
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
        unrolling.extend();
        let frame = unrolling.len() - 1;
        let violated = unrolling.literal(bad, frame);
        if unrolling
            .solver
            .satisfiable(&[violated], budget)
            .map_err(stopped)?
        {
            return Ok(SafetyAnswer::Unsafe(unrolling.run(frame)));
        }
        unrolling.solver.add_clause(&[!violated]);
        if bound.is_some_and(|bound| depth >= bound) {
            return Ok(SafetyAnswer::SafeUpTo(depth));
        }
    }
    unreachable!("the depths do not end")
}
