//! The states of a circuit one by one, as a machine for people and for formats that list states. What is shown is so the circuit that was judged.

use entail_aiger::{Aiger, Reset, SymbolKind};
use entail_game::{Decision, ReactiveMachine};
use std::collections::HashMap;

/// No more steps are listed for people than this.
const MOST_STEPS: usize = 1 << 15;

/// The machine of a circuit; nothing if it has too many steps.
pub(crate) fn listed(circuit: &Aiger) -> Option<ReactiveMachine> {
    listed_within(circuit, MOST_STEPS)
}

/// The machine of a circuit, if it has no more steps than this.
pub(crate) fn listed_within(circuit: &Aiger, most_steps: usize) -> Option<ReactiveMachine> {
    let letters = 1usize
        .checked_shl(circuit.inputs)
        .filter(|&letters| letters <= most_steps)?;
    let names = |kind: SymbolKind, count: usize| -> Vec<String> {
        let name = |at: u32| circuit.symbol(kind, at).unwrap_or_default().to_owned();
        (0..count as u32).map(name).collect()
    };
    let first: Vec<bool> = circuit
        .latches
        .iter()
        .map(|latch| latch.reset == Reset::One)
        .collect();
    let mut numbers: HashMap<Vec<bool>, u32> = HashMap::from([(first.clone(), 0)]);
    let mut waiting = vec![first];
    let mut made = Nodes::default();
    let mut states = Vec::new();
    while let Some(latches) = waiting.get(states.len()).cloned() {
        if (states.len() + 1) * letters > most_steps {
            return None;
        }
        let mut row: Vec<u32> = Vec::with_capacity(letters);
        for letter in 0..letters {
            // The last input is the lowest bit, so that pairs are joined from the last input on.
            let read: Vec<bool> = (0..circuit.inputs)
                .rev()
                .map(|bit| letter >> bit & 1 == 1)
                .collect();
            let values = circuit.evaluate(&read, &latches);
            let next: Vec<bool> = (circuit.latches.iter())
                .map(|latch| Aiger::value(&values, latch.next))
                .collect();
            let fresh = numbers.len() as u32;
            let next = *numbers.entry(next.clone()).or_insert_with(|| {
                waiting.push(next);
                fresh
            });
            let written = circuit
                .outputs
                .iter()
                .map(|&output| Aiger::value(&values, output));
            row.push(made.node(Decision::Step {
                written: written.collect(),
                next,
            }));
        }
        for read in (0..circuit.inputs).rev() {
            let joined = row.chunks(2).map(|pair| match *pair {
                [low, high] if low != high => made.node(Decision::Test { read, low, high }),
                [same, ..] => same,
                [] => 0,
            });
            row = joined.collect();
        }
        states.push(row[0]);
    }
    let machine = ReactiveMachine {
        reads: names(SymbolKind::Input, circuit.inputs as usize),
        writes: names(SymbolKind::Output, circuit.outputs.len()),
        is_moore: false,
        nodes: made.nodes,
        states,
    };
    Some(machine)
}

#[derive(Default)]
struct Nodes {
    nodes: Vec<Decision>,
    numbers: HashMap<Decision, u32>,
}

impl Nodes {
    fn node(&mut self, decision: Decision) -> u32 {
        let nodes = &mut self.nodes;
        *self.numbers.entry(decision).or_insert_with_key(|decision| {
            nodes.push(decision.clone());
            nodes.len() as u32 - 1
        })
    }
}
