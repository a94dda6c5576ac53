//! Making a circuit smaller for one question, and the way back.
//!
//! Constants: latches that three-valued simulation shows to be constant are replaced by their values. The simulation's result is
//! inductive, so a certificate for the whole circuit says it too: one clause a constant.
//!
//! Cone of influence: latches and inputs that neither bad nor a constraint depends on are left out. A run of the small circuit is a run of
//! the whole one, whatever the others do (their next values are simulated, their inputs are arbitrary, their initial values are
//! any that they may have); an invariant of the small one is one of the whole.

use crate::answer::{LatchCube, SafetyAnswer};
use crate::bmc::Interrupted;
use crate::ic3::ic3;
use entail_budget::{Budget, Progress};
use entail_sat::{Circuit, Latch, Run, Signal, constant_latches};

/// A smaller circuit with the map back.
pub(crate) struct Reduced<'a> {
    whole: &'a Circuit,
    pub(crate) circuit: Circuit,
    pub(crate) bad: Signal,
    /// For each latch of the small circuit, its position in the whole one.
    latches: Vec<usize>,
    inputs: Vec<usize>,
    /// Latches that were replaced by constants, with their values.
    constants: Vec<(usize, bool)>,
}

impl<'a> Reduced<'a> {
    /// Leaves out what `bad` does not depend on.
    pub(crate) fn new(whole: &'a Circuit, bad: Signal) -> Reduced<'a> {
        let constraints = || {
            whole
                .init_constraints
                .iter()
                .chain(&whole.constraints)
                .chain(&whole.step_constraints)
                .copied()
        };
        let mut latch_at = vec![None; whole.aig.len()];
        for (position, latch) in whole.latches.iter().enumerate() {
            latch_at[latch.node.index()] = Some(position);
        }
        let constant_latches = constant_latches(whole);
        let mut needed = vec![false; whole.aig.len()];
        let mut stack: Vec<Signal> = constraints().chain([bad]).collect();
        while let Some(signal) = stack.pop() {
            let node = signal.node();
            if std::mem::replace(&mut needed[node.index()], true) {
                continue;
            }
            if let Some((a, b)) = whole.aig.fanins(node) {
                stack.extend([a, b]);
            } else if let Some(position) = latch_at[node.index()]
                && constant_latches[position].is_none()
            {
                stack.push(whole.latches[position].next);
            }
        }
        let mut circuit = Circuit::new();
        let mut leaves = vec![Signal::FALSE; whole.aig.len()];
        let (mut latches, mut inputs) = (Vec::new(), Vec::new());
        let mut constants = Vec::new();
        for (position, latch) in whole.latches.iter().enumerate() {
            if let Some(value) = constant_latches[position] {
                leaves[latch.node.index()] = Signal::constant(value);
                constants.push((position, value));
            } else if needed[latch.node.index()] {
                leaves[latch.node.index()] = circuit.add_latch(latch.init);
                latches.push(position);
            }
        }
        for (position, input) in whole.inputs.iter().enumerate() {
            if needed[input.index()] {
                leaves[input.index()] = circuit.add_input();
                inputs.push(position);
            }
        }
        let roots = constraints()
            .chain([bad])
            .chain(latches.iter().map(|&at| whole.latches[at].next));
        let roots: Vec<Signal> = roots.collect();
        let imported = circuit
            .aig
            .import(&whole.aig, roots, |_, node| leaves[node.index()]);
        let moved = |signal: &Signal| imported.get(*signal).expect("roots were imported");
        let next: Vec<Signal> = latches.iter().map(|&at| moved(&whole.latches[at].next)).collect();
        for (latch, next) in circuit.latches.iter_mut().zip(next) {
            *latch = Latch { next, ..*latch };
        }
        circuit.init_constraints = whole.init_constraints.iter().map(moved).collect();
        circuit.constraints = whole.constraints.iter().map(moved).collect();
        circuit.step_constraints = whole.step_constraints.iter().map(moved).collect();
        Reduced {
            whole,
            bad: moved(&bad),
            circuit,
            latches,
            inputs,
            constants,
        }
    }

    /// An answer about the small circuit as one about the whole.
    pub(crate) fn lift(&self, answer: SafetyAnswer) -> SafetyAnswer {
        match answer {
            SafetyAnswer::Safe(mut invariant) => {
                let constants = self.constants.iter().map(|&(latch, value)| vec![(latch, !value)]);
                let lifted = invariant.excluded.iter().map(|cube| self.lift_cube(cube));
                invariant.excluded = constants.chain(lifted).collect();
                for (_, latch) in invariant
                    .formulas
                    .iter_mut()
                    .flat_map(|formula| &mut formula.leaves)
                {
                    *latch = self.latches[*latch];
                }
                SafetyAnswer::Safe(invariant)
            }
            SafetyAnswer::Unsafe(run) => SafetyAnswer::Unsafe(self.lift_run(&run)),
            bounded => bounded,
        }
    }

    fn lift_cube(&self, cube: &LatchCube) -> LatchCube {
        cube.iter()
            .map(|&(latch, value)| (self.latches[latch], value))
            .collect()
    }

    fn lift_run(&self, run: &Run) -> Run {
        let mut initial: Vec<bool> = self
            .whole
            .latches
            .iter()
            .map(|latch| latch.init.as_constant().unwrap_or(false))
            .collect();
        for (&position, &value) in self.latches.iter().zip(&run.initial) {
            initial[position] = value;
        }
        let widen = |inputs: &Vec<bool>| {
            let mut wide = vec![false; self.whole.inputs.len()];
            for (&position, &value) in self.inputs.iter().zip(inputs) {
                wide[position] = value;
            }
            wide
        };
        Run {
            initial,
            inputs: run.inputs.iter().map(widen).collect(),
        }
    }
}

/// Decides whether bad is reachable by IC3 on the circuit reduced to what matters.
pub fn ic3_reduced(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    let reduced = Reduced::new(circuit, bad);
    let answer = ic3(&reduced.circuit, reduced.bad, budget, progress)?;
    Ok(reduced.lift(answer))
}
