//! A machine as a circuit: what it reads are inputs, what it writes outputs, and its state is in latches, numbered in binary. The first state is all zeros.
//!
//! Each output and each latch is a tree of multiplexers over the latches, and under it over what is read; equal gates are made once.

use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind};
use entail_game::{Decision, ReactiveMachine};
use entail_synthesis::{MachineNode, Signal, SymbolicMachine};
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

/// The circuit of a machine whose state is in latches.
pub(crate) fn symbolic_circuit(machine: &SymbolicMachine) -> Aiger {
    let latch = |&(first, _): &(bool, u32)| Latch {
        next: FALSE,
        reset: if first { Reset::One } else { Reset::Zero },
    };
    let mut builder = Builder {
        circuit: Aiger {
            inputs: machine.reads.len() as u32,
            latches: machine.latches.iter().map(latch).collect(),
            ..Aiger::default()
        },
        known: HashMap::new(),
    };
    for (kind, names) in [
        (SymbolKind::Input, &machine.reads),
        (SymbolKind::Output, &machine.writes),
    ] {
        for (at, name) in names.iter().enumerate() {
            builder.circuit.symbols.insert((kind, at as u32), name.clone());
        }
    }
    // What is written first: latches may depend on it.
    let mut written: Vec<Literal> = Vec::new();
    for &output in &machine.outputs {
        let literal = builder.function(machine, output, &[], &mut HashMap::new());
        written.push(literal);
    }
    let mut known = HashMap::new();
    let next: Vec<Literal> = (machine.latches.iter())
        .map(|&(_, node)| builder.function(machine, node, &written, &mut known))
        .collect();
    builder.circuit.outputs = written;
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

    /// The literal of a machine's node.
    fn function(
        &mut self,
        machine: &SymbolicMachine,
        node: u32,
        written: &[Literal],
        known: &mut HashMap<u32, Literal>,
    ) -> Literal {
        // Nodes come after those they lead to, so that going through those below the wanted one in order is enough.
        let mut needed = vec![node];
        let mut met = std::collections::HashSet::new();
        while let Some(at) = needed.pop() {
            if known.contains_key(&at) || !met.insert(at) {
                continue;
            }
            if let MachineNode::Test(_, low, high) = machine.nodes[at as usize] {
                needed.extend([low, high]);
            }
        }
        let mut order: Vec<u32> = met.into_iter().collect();
        order.sort_unstable();
        for at in order {
            let literal = match machine.nodes[at as usize] {
                MachineNode::Constant(truth) => Literal(u32::from(truth)),
                MachineNode::Test(signal, low, high) => {
                    let test = match signal {
                        Signal::Read(at) => self.circuit.input(at),
                        Signal::Latch(at) => self.circuit.latch(at),
                        Signal::Written(at) => written[at as usize],
                    };
                    self.choose(test, known[&low], known[&high])
                }
            };
            known.insert(at, literal);
        }
        known[&node]
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

    /// The circuit without gates and latches that no output needs.
    fn swept(self) -> Aiger {
        let circuit = self.circuit;
        let first_latch = 1 + circuit.inputs;
        let first_gate = first_latch + circuit.latches.len() as u32;
        let mut needed = vec![false; circuit.latches.len() + circuit.gates.len()];
        let mut waiting: Vec<Literal> = circuit.outputs.clone();
        while let Some(literal) = waiting.pop() {
            let Some(place) = literal.variable().checked_sub(first_latch) else {
                continue;
            };
            if std::mem::replace(&mut needed[place as usize], true) {
                continue;
            }
            match literal.variable().checked_sub(first_gate) {
                Some(gate) => waiting.extend(circuit.gates[gate as usize]),
                None => waiting.push(circuit.latches[place as usize].next),
            }
        }
        let mut names: Vec<u32> = Vec::with_capacity(needed.len());
        let mut count = 0;
        for &kept in &needed {
            names.push(first_latch + count);
            count += u32::from(kept);
        }
        let renamed = |literal: Literal| match literal.variable().checked_sub(first_latch) {
            Some(place) => Literal::of(names[place as usize]).flipped_if(literal.is_negated()),
            None => literal,
        };
        let (kept_latches, kept_gates) = needed.split_at(circuit.latches.len());
        let gates = circuit.gates.iter().zip(kept_gates).filter(|(_, kept)| **kept);
        let gates = gates.map(|(gate, _)| gate.map(renamed)).collect();
        let latches = circuit
            .latches
            .iter()
            .zip(kept_latches)
            .filter(|(_, kept)| **kept);
        let latches = latches.map(|(latch, _)| Latch {
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

/// Circuits side by side, by the names of their inputs and outputs: one that reads and writes these. What none of them writes has its fixed value, or is false.
pub(crate) fn side_by_side(
    circuits: &[Aiger],
    reads: &[String],
    writes: &[String],
    fixed: &[(String, bool)],
) -> Aiger {
    let latches: usize = circuits.iter().map(|circuit| circuit.latches.len()).sum();
    let mut builder = Builder {
        circuit: Aiger {
            inputs: reads.len() as u32,
            latches: Vec::with_capacity(latches),
            ..Aiger::default()
        },
        known: HashMap::new(),
    };
    for (kind, names) in [(SymbolKind::Input, reads), (SymbolKind::Output, writes)] {
        for (at, name) in names.iter().enumerate() {
            builder.circuit.symbols.insert((kind, at as u32), name.clone());
        }
    }
    // All latches come before the first gate.
    let all = circuits.iter().flat_map(|circuit| &circuit.latches);
    builder.circuit.latches.extend(all.cloned());
    let constant = |(name, value): &'_ (String, bool)| (name.clone(), Literal(u32::from(*value)));
    let mut outputs: HashMap<String, Literal> = fixed.iter().map(constant).collect();
    let mut first_latch = 0;
    for circuit in circuits {
        let place = |at: u32| {
            let name = circuit.symbol(SymbolKind::Input, at)?;
            reads.iter().position(|known| known == name)
        };
        let mut names = vec![FALSE];
        for at in 0..circuit.inputs {
            names.push(place(at).map_or(FALSE, |at| builder.circuit.input(at as u32)));
        }
        let own = first_latch..first_latch + circuit.latches.len() as u32;
        first_latch = own.end;
        names.extend(own.clone().map(|at| builder.circuit.latch(at)));
        let of = |names: &[Literal], literal: Literal| {
            names[literal.variable() as usize].flipped_if(literal.is_negated())
        };
        for gate in &circuit.gates {
            let [a, b] = gate.map(|literal| of(&names, literal));
            let gate = builder.and(a, b);
            names.push(gate);
        }
        for (at, latch) in own.zip(&circuit.latches) {
            builder.circuit.latches[at as usize].next = of(&names, latch.next);
        }
        for (at, &output) in circuit.outputs.iter().enumerate() {
            if let Some(name) = circuit.symbol(SymbolKind::Output, at as u32) {
                outputs.insert(name.to_owned(), of(&names, output));
            }
        }
    }
    let output = |name: &String| outputs.get(name).copied().unwrap_or(FALSE);
    builder.circuit.outputs = writes.iter().map(output).collect();
    builder.swept()
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
