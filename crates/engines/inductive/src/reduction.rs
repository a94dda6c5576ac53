//! Making a circuit smaller for one question, and the way back.
//!
//! Constants: latches that three-valued simulation shows to be constant are replaced by their values. The simulation's result is
//! inductive, so a certificate for the whole circuit says it too: one clause a constant.
//!
//! Equivalent latches: where a proof shows that a latch always agrees with another one (or its complement), the other takes its place. The
//! equivalences are inductive together, and a certificate says them: two clauses each.
//!
//! Cone of influence: latches and inputs that neither bad nor a constraint depends on are left out. A run of the small circuit is a run of
//! the whole one, whatever the others do (their next values are simulated, their inputs are arbitrary, their initial values are
//! any that they may have); an invariant of the small one is one of the whole.

use crate::answer::{LatchCube, SafetyAnswer};
use crate::bmc::Interrupted;
use crate::ic3::ic3;
use entail_budget::{Budget, Progress};
use entail_sat::{Circuit, Latch, Replacement, Run, Signal, constant_latches, latch_equivalences};
use std::time::Duration;

/// Looking for equivalent latches takes at most this, and a fifth of the time that is left.
const LONGEST_MERGING: Duration = Duration::from_secs(20);

/// A smaller circuit with the map back.
pub(crate) struct Reduced<'a> {
    whole: &'a Circuit,
    pub(crate) circuit: Circuit,
    pub(crate) bad: Signal,
    /// For each latch of the small circuit, its position in the whole one.
    latches: Vec<usize>,
    inputs: Vec<usize>,
    /// Latches of the whole circuit that were replaced, and by what.
    replaced: Vec<(usize, Replacement)>,
}

impl<'a> Reduced<'a> {
    /// Leaves out what `bad` does not depend on, and constants.
    pub(crate) fn new(whole: &'a Circuit, bad: Signal) -> Reduced<'a> {
        let constant = constant_latches(whole).into_iter();
        let replacements = constant.map(|value| value.map(Replacement::Constant)).collect();
        Reduced::with(whole, bad, replacements)
    }

    /// The same, and with equivalent latches merged, if they are found within a part of the budget.
    pub(crate) fn merging(whole: &'a Circuit, bad: Signal, budget: &Budget) -> Reduced<'a> {
        let small = Reduced::new(whole, bad);
        let patience = budget
            .time_left()
            .map_or(LONGEST_MERGING, |left| (left / 5).min(LONGEST_MERGING));
        let part = Budget::unlimited()
            .with_timeout(Some(patience))
            .with_memory(budget.memory_limit())
            .with_cancellation(budget.cancellation().clone());
        let Ok(found) = latch_equivalences(&small.circuit, &part) else {
            return small;
        };
        if found.iter().all(Option::is_none) {
            return small;
        }
        let mut replacements: Vec<Option<Replacement>> = vec![None; whole.latches.len()];
        for &(latch, replacement) in &small.replaced {
            replacements[latch] = Some(replacement);
        }
        for (position, replacement) in found.into_iter().enumerate() {
            let Some(replacement) = replacement else { continue };
            replacements[small.latches[position]] = Some(match replacement {
                Replacement::Latch(other, flip) => Replacement::Latch(small.latches[other], flip),
                constant => constant,
            });
        }
        Reduced::with(whole, bad, replacements)
    }

    /// Leaves out what `bad` does not depend on where latches are replaced as given (by earlier ones that are not replaced).
    fn with(whole: &'a Circuit, bad: Signal, replacements: Vec<Option<Replacement>>) -> Reduced<'a> {
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
        let mut needed = vec![false; whole.aig.len()];
        let mut stack: Vec<Signal> = constraints().chain([bad]).collect();
        while let Some(signal) = stack.pop() {
            let node = signal.node();
            if std::mem::replace(&mut needed[node.index()], true) {
                continue;
            }
            if let Some((a, b)) = whole.aig.fanins(node) {
                stack.extend([a, b]);
            } else if let Some(position) = latch_at[node.index()] {
                match replacements[position] {
                    None => stack.push(whole.latches[position].next),
                    Some(Replacement::Constant(_)) => {}
                    Some(Replacement::Latch(other, _)) => stack.push(whole.latches[other].node.signal()),
                }
            }
        }
        let mut circuit = Circuit::new();
        let mut leaves = vec![Signal::FALSE; whole.aig.len()];
        let (mut latches, mut inputs) = (Vec::new(), Vec::new());
        let mut replaced = Vec::new();
        for (position, latch) in whole.latches.iter().enumerate() {
            if let Some(replacement) = replacements[position] {
                leaves[latch.node.index()] = match replacement {
                    Replacement::Constant(value) => Signal::constant(value),
                    Replacement::Latch(other, flip) => {
                        leaves[whole.latches[other].node.index()].flipped_if(flip)
                    }
                };
                replaced.push((position, replacement));
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
            replaced,
        }
    }

    /// An answer about the small circuit as one about the whole.
    pub(crate) fn lift(&self, answer: SafetyAnswer) -> SafetyAnswer {
        match answer {
            SafetyAnswer::Safe(mut invariant) => {
                let lifted = invariant.excluded.iter().map(|cube| self.lift_cube(cube));
                let mut excluded: Vec<LatchCube> = lifted.collect();
                for &(latch, replacement) in &self.replaced {
                    match replacement {
                        Replacement::Constant(value) => excluded.push(vec![(latch, !value)]),
                        Replacement::Latch(other, flip) => excluded.extend([
                            vec![(latch, true), (other, flip)],
                            vec![(latch, false), (other, !flip)],
                        ]),
                    }
                }
                invariant.excluded = excluded;
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
        for &(latch, replacement) in &self.replaced {
            initial[latch] = match replacement {
                Replacement::Constant(value) => value,
                Replacement::Latch(other, flip) => initial[other] != flip,
            };
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
    let reduced = Reduced::merging(circuit, bad, budget);
    let answer = ic3(&reduced.circuit, reduced.bad, budget, progress)?;
    Ok(reduced.lift(answer))
}
