//! k-induction with simple paths (Sheeran, Singh, Stålmarck).
//!
//! Bad is unreachable if it is not reached within k steps (the base case) and no path of k + 1 good states, all different, is followed
//! by a bad one (the induction step). Paths that repeat a state can be shortened, so requiring the states to differ loses
//! nothing, and makes the method complete: k need not exceed the longest simple path. Inputs are not part of a state. Differences are
//! demanded lazily, where the solver's path repeats a state.
//!
//! Depth k assumes k good states. Base and step have a solver each, both incremental.

use crate::answer::SafetyAnswer;
use crate::bmc::Interrupted;
use crate::unrolling::{Start, Unrolling};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Cadical, Circuit, SatSolver, Signal};

/// What k-induction finds.
pub enum Induction {
    /// Bad is unreachable; the induction step closed at this depth.
    Inductive(u64),
    /// A run to bad, or a bound reached.
    Other(SafetyAnswer),
}

/// Proves bad unreachable or finds a run, with depths up to `bound`.
pub fn k_induction(
    circuit: &Circuit,
    bad: Signal,
    bound: Option<u64>,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<Induction, Interrupted> {
    let mut base = Unrolling::new(circuit, &[bad], Start::Initial, Cadical::new());
    let mut step = Unrolling::new(circuit, &[bad], Start::Anywhere, Cadical::new());
    for depth in 0u64.. {
        progress.report(&Snapshot {
            phase: "k-induction",
            depth: Some(depth),
            ..Snapshot::default()
        });
        let stopped = |spent: Spent| Interrupted {
            spent,
            safe_up_to: depth.checked_sub(1),
        };
        budget.check_now().map_err(stopped)?;
        base.extend();
        let frame = base.len() - 1;
        let violated = base.literal(bad, frame);
        if base.solver.satisfiable(&[violated], budget).map_err(stopped)? {
            return Ok(Induction::Other(SafetyAnswer::Unsafe(base.run(frame))));
        }
        base.solver.add_clause(&[!violated]);
        let stopped = |spent: Spent| Interrupted {
            spent,
            safe_up_to: Some(depth),
        };
        step.extend();
        if closes(&mut step, circuit, bad, budget).map_err(stopped)? {
            return Ok(Induction::Inductive(depth));
        }
        if bound.is_some_and(|bound| depth >= bound) {
            return Ok(Induction::Other(SafetyAnswer::SafeUpTo(depth)));
        }
    }
    unreachable!("the depths do not end")
}

/// Whether no simple path of good states ends in the bad last frame.
fn closes(
    step: &mut Unrolling<'_, Cadical>,
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
) -> Result<bool, Spent> {
    let frame = step.len() - 1;
    let violated = step.literal(bad, frame);
    loop {
        if !step.solver.satisfiable(&[violated], budget)? {
            // The last frame will be a good one from now on.
            step.solver.add_clause(&[!violated]);
            return Ok(true);
        }
        let run = step.run(frame);
        let mut states: Vec<Vec<bool>> = Vec::with_capacity(frame + 1);
        states.push(run.initial.clone());
        for inputs in &run.inputs[..frame] {
            let values = circuit.evaluate(&states[states.len() - 1], inputs);
            states.push(circuit.successor(&values));
        }
        let repeated = (0..=frame).find_map(|first| {
            let second = (first + 1..=frame).find(|&second| states[first] == states[second])?;
            Some((first, second))
        });
        let Some((first, second)) = repeated else {
            step.solver.add_clause(&[!violated]);
            return Ok(false);
        };
        let differ = step.differ(first, second);
        step.solver.add_clause(&[differ]);
    }
}
