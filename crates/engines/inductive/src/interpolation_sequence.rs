//! Interpolation sequences (Vizel and Grumberg, "Interpolation-sequence based model checking"): over-approximated reachability from the refutations of
//! ordinary bounded model checking.
//!
//! When bad is not reached after exactly k steps, one refutation says why, and its interpolants at all k cuts are sets `I_1, …, I_k`: the first
//! contains the successors of the initial states, each contains the successors of the one before, and the last has no bad state. For each i the sets of all
//! depths so far are intersected to `R_i`, which contains what is reached in exactly i steps; still, a step from `R_i` leads into `R_{i+1}`. As soon
//! as some `R_i` lies inside the union of the earlier ones (the initial states among them), that union is inductive and has no bad state.
//!
//! Beside plain interpolation: the questions are those of bounded search, nothing is started again when an approximation was too coarse.

use crate::answer::SafetyAnswer;
use crate::bmc::{Interrupted, bounded_search};
use crate::interpolation::{Found, States, beyond_initial_states, invariant, leaf_table};
use entail_budget::{Budget, Progress, Snapshot, Spent};
use entail_sat::{Aig, Circuit, ConeEncoder, Interpolator, Node, SatSolver, Signal, System, Var};
use rustc_hash::FxHashMap;

/// Decides whether bad is reachable.
pub fn interpolation_sequence(
    circuit: &Circuit,
    bad: Signal,
    budget: &Budget,
    progress: &dyn Progress,
) -> Result<SafetyAnswer, Interrupted> {
    beyond_initial_states(circuit, bad, budget, progress, |states, proved| {
        search(circuit, bad, states, budget, progress, proved)
    })
}

fn search(
    circuit: &Circuit,
    bad: Signal,
    mut states: States,
    budget: &Budget,
    progress: &dyn Progress,
    proved: &mut Option<u64>,
) -> Found {
    // What is reached in 1, 2, … steps.
    let mut reached: Vec<Signal> = Vec::new();
    for depth in 1usize.. {
        budget.check_now()?;
        progress.report(&Snapshot {
            phase: "interpolation sequences",
            depth: Some(depth as u64),
            nodes: Some(states.aig.len() as u64),
            ..Snapshot::default()
        });
        let sequence = match refute(circuit, bad, &mut states, depth, budget)? {
            Refuted::Not => return Ok(bounded_search(circuit, bad, Some(depth as u64), budget, progress)),
            Refuted::WithoutProof => return Ok(Ok(SafetyAnswer::SafeUpTo(depth as u64))),
            Refuted::By(sequence) => sequence,
        };
        *proved = Some(depth as u64);
        reached.push(Signal::TRUE);
        let mut union = states.initial;
        for (set, interpolant) in reached.iter_mut().zip(sequence) {
            *set = states.aig.and(*set, interpolant);
            if states.is_subset(*set, union, budget)? {
                return Ok(Ok(SafetyAnswer::Safe(invariant(&states, union))));
            }
            union = states.aig.or(union, *set);
        }
    }
    unreachable!("the depths do not end")
}

enum Refuted {
    /// Not refuted: the bad signal is reached at this depth.
    Not,
    /// Refuted, with these interpolants.
    By(Vec<Signal>),
    /// Refuted, but by a proof from which no interpolants can be made.
    WithoutProof,
}

/// Bad after exactly `depth` steps: part i of the question is the step from state i, the last part is bad.
fn refute(
    circuit: &Circuit,
    bad: Signal,
    states: &mut States,
    depth: usize,
    budget: &Budget,
) -> Result<Refuted, Spent> {
    let mut solver = Interpolator::new();
    let width = circuit.latches.len();
    // The variables of the states after 1, 2, … steps.
    let between: Vec<Vec<Var>> = (0..depth)
        .map(|_| (0..width).map(|_| solver.new_var()).collect())
        .collect();
    for position in 0..=depth {
        solver.set_part(position);
        let mut part = Part::new(circuit, bad, position == depth);
        let initial = (position == 0).then(|| part.import(states));
        let mut encoder = ConeEncoder::new();
        if position > 0 {
            for (leaf, &variable) in part.latches.iter().zip(&between[position - 1]) {
                encoder.bind(&part.aig, leaf.node(), variable);
            }
        }
        for signal in part.required.iter().copied().chain(initial) {
            let literal = encoder.encode(&part.aig, signal, &mut solver);
            solver.add_clause(&[literal]);
        }
        for (&next, &variable) in part.next.iter().zip(between.get(position).into_iter().flatten()) {
            let next = encoder.encode(&part.aig, next, &mut solver);
            solver.add_clause(&[!next, variable.lit(true)]);
            solver.add_clause(&[next, variable.lit(false)]);
        }
    }
    if solver.satisfiable(&[], budget)? {
        return Ok(Refuted::Not);
    }
    let latches = &states.latches;
    let mut sequence = Vec::with_capacity(depth);
    for cut in 0..depth {
        let shared = |_: &mut Aig, variable: Var| latches[variable.index() - cut * width];
        match solver.interpolant(cut, System::McMillan, &mut states.aig, shared) {
            Some(interpolant) => sequence.push(interpolant),
            None => return Ok(Refuted::WithoutProof),
        }
    }
    Ok(Refuted::By(sequence))
}

/// One position of a path in a graph of its own.
struct Part {
    aig: Aig,
    latches: Vec<Signal>,
    /// Constraints, and what a step needs or bad.
    required: Vec<Signal>,
    next: Vec<Signal>,
}

impl Part {
    fn new(circuit: &Circuit, bad: Signal, is_last: bool) -> Part {
        let mut aig = Aig::new();
        let latches: Vec<Signal> = circuit.latches.iter().map(|_| aig.leaf()).collect();
        let inputs: Vec<Signal> = circuit.inputs.iter().map(|_| aig.leaf()).collect();
        let leaves = leaf_table(circuit, &latches, &inputs);
        let mut wanted = circuit.constraints.clone();
        match is_last {
            true => wanted.push(bad),
            false => wanted.extend(&circuit.step_constraints),
        }
        let next: Vec<Signal> = match is_last {
            true => Vec::new(),
            false => circuit.latches.iter().map(|latch| latch.next).collect(),
        };
        let roots = wanted.iter().chain(&next).copied();
        let imported = aig.import(&circuit.aig, roots, |_, node| leaves[node.index()]);
        let moved = |signal: Signal| imported.get(signal).expect("a root");
        Part {
            required: wanted.into_iter().map(moved).collect(),
            next: next.into_iter().map(moved).collect(),
            aig,
            latches,
        }
    }

    /// "The state is initial" here.
    fn import(&mut self, states: &States) -> Signal {
        let leaves = states.latches.iter().zip(&self.latches);
        let leaf_of: FxHashMap<Node, Signal> = leaves.map(|(leaf, &latch)| (leaf.node(), latch)).collect();
        let imported = self
            .aig
            .import(&states.aig, [states.initial], |_, node| leaf_of[&node]);
        imported.get(states.initial).expect("a root")
    }
}
