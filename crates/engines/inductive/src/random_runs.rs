//! A glance at random runs: 64 at a time, bit by bit in parallel.
//!
//! Two circuits that differ mostly do so soon, under most inputs. So before signals that agree are looked for, some thousand steps with random inputs are taken from
//! initial states. Runs that break a constraint do not count from then on. The cost is that of evaluating each gate once a step.

use entail_budget::Budget;
use entail_sat::{Circuit, Node, Run, Signal};

/// Rounds from initial states, and steps in each.
const ROUNDS: usize = 4;
const STEPS: usize = 128;

/// A generator of random words (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// A run that ends badly, if one is met. Circuits whose first states are not just constants and free values are not looked at.
pub(crate) fn random_run(circuit: &Circuit, bad: Signal, budget: &Budget) -> Option<Run> {
    if !circuit.init_constraints.is_empty() {
        return None;
    }
    let mut random = Random(1);
    let roots = circuit
        .latches
        .iter()
        .map(|latch| latch.next)
        .chain(circuit.roots());
    let order = circuit.aig.cone(roots.chain([bad]));
    (0..ROUNDS).find_map(|_| round(circuit, bad, &order, &mut random, budget))
}

fn round(
    circuit: &Circuit,
    bad: Signal,
    order: &[Node],
    random: &mut Random,
    budget: &Budget,
) -> Option<Run> {
    let first = circuit
        .latches
        .iter()
        .map(|latch| match latch.init.as_constant() {
            Some(false) => 0,
            Some(true) => u64::MAX,
            None => random.next(),
        });
    let first: Vec<u64> = first.collect();
    let mut latches = first.clone();
    let mut values = vec![0u64; circuit.aig.len()];
    let mut inputs: Vec<Vec<u64>> = Vec::new();
    let mut alive = u64::MAX;
    let of = |values: &[u64], signal: Signal| {
        let value = values[signal.node().index()];
        if signal.is_complemented() { !value } else { value }
    };
    for _ in 0..STEPS {
        budget.check_now().ok()?;
        for (latch, &value) in circuit.latches.iter().zip(&latches) {
            values[latch.node.index()] = value;
        }
        let chosen: Vec<u64> = circuit.inputs.iter().map(|_| random.next()).collect();
        for (input, &value) in circuit.inputs.iter().zip(&chosen) {
            values[input.index()] = value;
        }
        inputs.push(chosen);
        for &node in order {
            if let Some((a, b)) = circuit.aig.fanins(node) {
                values[node.index()] = of(&values, a) & of(&values, b);
            }
        }
        alive = circuit
            .constraints
            .iter()
            .fold(alive, |alive, &signal| alive & of(&values, signal));
        let met = alive & of(&values, bad);
        if met != 0 {
            let which = met.trailing_zeros();
            let bits = |words: &[u64]| words.iter().map(|word| word >> which & 1 == 1).collect();
            let run = Run {
                initial: bits(&first),
                inputs: inputs.iter().map(|words| bits(words)).collect(),
            };
            return circuit.is_counterexample(&run, bad).then_some(run);
        }
        alive = circuit
            .step_constraints
            .iter()
            .fold(alive, |alive, &signal| alive & of(&values, signal));
        if alive == 0 {
            return None;
        }
        latches = circuit
            .latches
            .iter()
            .map(|latch| of(&values, latch.next))
            .collect();
    }
    None
}
