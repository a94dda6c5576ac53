//! A machine as a circuit: what it reads are inputs, what it writes outputs, and its state is in latches, numbered in binary. The first state is all zeros.
//!
//! Each output and each latch is a tree of multiplexers over the latches, and under it over what is read; equal gates are made once.

use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind};
use entail_game::{Decision, ReactiveMachine};
use std::collections::HashMap;

const FALSE: Literal = Literal(0);
const TRUE: Literal = Literal(1);

/// The circuit of a machine.
pub(crate) fn circuit(machine: &ReactiveMachine) -> Aiger {
    let states = machine.states.len();
    let bits = states.next_power_of_two().trailing_zeros();
    let mut builder = Builder {
        circuit: Aiger {
            inputs: machine.reads.len() as u32,
            latches: vec![
                Latch {
                    next: FALSE,
                    reset: Reset::Zero
                };
                bits as usize
            ],
            ..Aiger::default()
        },
        known: HashMap::new(),
    };
    for (at, name) in machine.reads.iter().enumerate() {
        let key = (SymbolKind::Input, at as u32);
        builder.circuit.symbols.insert(key, name.clone());
    }
    for (at, name) in machine.writes.iter().enumerate() {
        let key = (SymbolKind::Output, at as u32);
        builder.circuit.symbols.insert(key, name.clone());
    }
    let writes = machine.writes.len();
    let mut results = Vec::with_capacity(writes + bits as usize);
    for place in 0..writes + bits as usize {
        // What each node gives for this output, or for this bit of the next state.
        let mut of_node: Vec<Literal> = Vec::with_capacity(machine.nodes.len());
        for node in &machine.nodes {
            let literal = match node {
                Decision::Test { read, low, high } => {
                    let test = builder.circuit.input(*read);
                    builder.choose(test, of_node[*low as usize], of_node[*high as usize])
                }
                Decision::Step { written, next } => {
                    let truth = match place.checked_sub(writes) {
                        None => written[place],
                        Some(bit) => next >> bit & 1 == 1,
                    };
                    if truth { TRUE } else { FALSE }
                }
            };
            of_node.push(literal);
        }
        let of_state: Vec<Literal> = machine
            .states
            .iter()
            .map(|&root| of_node[root as usize])
            .collect();
        results.push(builder.by_state(&of_state, bits));
    }
    let next = results.split_off(writes);
    builder.circuit.outputs = results;
    for (latch, next) in builder.circuit.latches.iter_mut().zip(next) {
        latch.next = next;
    }
    builder.swept()
}

struct Builder {
    circuit: Aiger,
    known: HashMap<[Literal; 2], Literal>,
}

impl Builder {
    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let pair = if a.0 < b.0 { [a, b] } else { [b, a] };
        match pair {
            [FALSE, _] => FALSE,
            [TRUE, other] => other,
            [a, b] if a == b => a,
            [a, b] if a == !b => FALSE,
            _ => {
                if let Some(&known) = self.known.get(&pair) {
                    return known;
                }
                self.circuit.gates.push(pair);
                let gate = self.circuit.gate(self.circuit.gates.len() as u32 - 1);
                self.known.insert(pair, gate);
                gate
            }
        }
    }

    /// `if test then high else low`
    fn choose(&mut self, test: Literal, low: Literal, high: Literal) -> Literal {
        if low == high {
            return low;
        }
        match (low, high) {
            (FALSE, _) => self.and(test, high),
            (_, FALSE) => self.and(!test, low),
            (TRUE, _) => !self.and(test, !high),
            (_, TRUE) => !self.and(!test, !low),
            _ => {
                let (with, without) = (self.and(test, high), self.and(!test, low));
                !self.and(!with, !without)
            }
        }
    }

    /// What belongs to the state that the latches hold; numbers that are no state are as it suits.
    fn by_state(&mut self, of_state: &[Literal], bits: u32) -> Literal {
        let mut level: Vec<Option<Literal>> = of_state.iter().copied().map(Some).collect();
        level.resize(1 << bits, None);
        for bit in 0..bits {
            let test = self.circuit.latch(bit);
            let pairs = level.chunks(2).map(|pair| match *pair {
                [Some(low), Some(high)] => Some(self.choose(test, low, high)),
                [low, high] => low.or(high),
                _ => None,
            });
            level = pairs.collect();
        }
        level.first().copied().flatten().unwrap_or(FALSE)
    }

    /// The circuit without gates that nothing needs.
    fn swept(self) -> Aiger {
        let circuit = self.circuit;
        let first = 1 + circuit.inputs + circuit.latches.len() as u32;
        let mut needed = vec![false; circuit.gates.len()];
        let mut waiting: Vec<Literal> = circuit.outputs.clone();
        waiting.extend(circuit.latches.iter().map(|latch| latch.next));
        while let Some(literal) = waiting.pop() {
            if let Some(gate) = literal.variable().checked_sub(first)
                && !std::mem::replace(&mut needed[gate as usize], true)
            {
                waiting.extend(circuit.gates[gate as usize]);
            }
        }
        let mut names: Vec<u32> = Vec::with_capacity(needed.len());
        let mut count = 0;
        for &kept in &needed {
            names.push(first + count);
            count += u32::from(kept);
        }
        let renamed = |literal: Literal| match literal.variable().checked_sub(first) {
            Some(gate) => Literal::of(names[gate as usize]).flipped_if(literal.is_negated()),
            None => literal,
        };
        let gates = circuit.gates.iter().zip(&needed).filter(|(_, kept)| **kept);
        let gates = gates.map(|(gate, _)| gate.map(renamed)).collect();
        let latches = circuit.latches.iter().map(|latch| Latch {
            next: renamed(latch.next),
            ..*latch
        });
        Aiger {
            gates,
            latches: latches.collect(),
            outputs: circuit.outputs.iter().copied().map(renamed).collect(),
            ..circuit
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circuit_does_what_the_machine_does() {
        let step = |written: bool, next: u32| Decision::Step {
            written: vec![written],
            next,
        };
        let machine = ReactiveMachine {
            reads: vec!["r".into()],
            writes: vec!["g".into()],
            is_moore: false,
            nodes: vec![
                step(false, 1),
                step(true, 0),
                Decision::Test {
                    read: 0,
                    low: 0,
                    high: 1,
                },
                step(false, 2),
                Decision::Test {
                    read: 0,
                    low: 3,
                    high: 0,
                },
            ],
            states: vec![2, 4, 1],
        };
        assert_eq!(machine.fault(), None);
        let circuit = circuit(&machine);
        assert_eq!(circuit.latches.len(), 2);
        let (mut state, mut latches) = (0u32, vec![false, false]);
        for round in 0..32u32 {
            let read = round % 3 == 0 || round % 7 == 2;
            let (written, next) = machine.step(state, &|_| read);
            let values = circuit.evaluate(&[read], &latches);
            assert_eq!(Aiger::value(&values, circuit.outputs[0]), written[0]);
            latches = circuit
                .latches
                .iter()
                .map(|latch| Aiger::value(&values, latch.next))
                .collect();
            state = next;
            let held = latches
                .iter()
                .rev()
                .fold(0, |number, &bit| number * 2 + u32::from(bit));
            assert_eq!(held, state);
        }
    }
}
