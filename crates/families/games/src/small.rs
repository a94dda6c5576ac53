//! Small circuits for machines: `entail-reactive` between the machines of engines and the circuits of AIGER.

use crate::circuit::circuit;
use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind};
use entail_budget::Budget;
use entail_game::ReactiveMachine;
use entail_reactive::{LooseMachine, Netlist, shrink};
use entail_sat::{Init, Signal};
use std::time::Duration;

/// Machines with more states are written as they are.
const MOST_STATES: usize = 3_000;
/// Circuits with more gates are not made smaller.
const MOST_GATES: usize = 200_000;

/// A small circuit that does what a loose machine allows; otherwise that of the machine.
pub(crate) fn small_circuit(
    loose: &LooseMachine,
    machine: &ReactiveMachine,
    time: Duration,
    budget: &Budget,
) -> Aiger {
    let small = match loose.states.len() <= MOST_STATES {
        true => entail_reactive::small_circuit(loose, time, budget),
        false => None,
    };
    match small {
        Some((netlist, _)) => aiger(&netlist, &loose.reads, &loose.writes),
        None => shrunk(&circuit(machine), time, budget),
    }
}

/// A circuit with the same runs, no larger.
pub(crate) fn shrunk(circuit: &Aiger, time: Duration, budget: &Budget) -> Aiger {
    if circuit.gates.len() > MOST_GATES {
        return circuit.clone();
    }
    let names = |kind: SymbolKind, count: usize| -> Vec<String> {
        let name = |at: u32| circuit.symbol(kind, at).unwrap_or_default().to_owned();
        (0..count as u32).map(name).collect()
    };
    let reads = names(SymbolKind::Input, circuit.inputs as usize);
    let writes = names(SymbolKind::Output, circuit.outputs.len());
    shrunk_netlist(&netlist(circuit), &reads, &writes, time, budget)
}

/// The same of a graph, whose inputs and outputs have these names.
pub(crate) fn shrunk_netlist(
    netlist: &Netlist,
    reads: &[String],
    writes: &[String],
    time: Duration,
    budget: &Budget,
) -> Aiger {
    aiger(&shrink(netlist, &budget.part(time)), reads, writes)
}

/// A circuit as a graph with structural hashing.
fn netlist(circuit: &Aiger) -> Netlist {
    let mut made = Netlist::default();
    let mut image = vec![Signal::FALSE];
    for _ in 0..circuit.inputs {
        image.push(made.circuit.add_input());
    }
    for latch in &circuit.latches {
        let init = match latch.reset {
            Reset::Zero => Init::Zero,
            Reset::One => Init::One,
            Reset::Free => Init::Free,
        };
        image.push(made.circuit.add_latch(init));
    }
    let of = |image: &[Signal], literal: Literal| {
        image[literal.variable() as usize].flipped_if(literal.is_negated())
    };
    for gate in &circuit.gates {
        let [a, b] = gate.map(|literal| of(&image, literal));
        image.push(made.circuit.aig.and(a, b));
    }
    made.circuit.bad = circuit.outputs.iter().map(|&output| of(&image, output)).collect();
    for (latch, old) in made.circuit.latches.iter_mut().zip(&circuit.latches) {
        latch.next = of(&image, old.next);
    }
    made
}

/// A graph as a circuit with names.
fn aiger(netlist: &Netlist, reads: &[String], writes: &[String]) -> Aiger {
    let graph = &netlist.circuit;
    let mut made = Aiger {
        inputs: graph.inputs.len() as u32,
        ..Aiger::default()
    };
    let mut image = vec![Literal::FALSE; graph.aig.len()];
    for (at, input) in graph.inputs.iter().enumerate() {
        image[input.index()] = made.input(at as u32);
    }
    for (at, latch) in graph.latches.iter().enumerate() {
        image[latch.node.index()] = made.latch(at as u32);
        let reset = match latch.init {
            Init::Zero => Reset::Zero,
            Init::One => Reset::One,
            Init::Free => Reset::Free,
        };
        made.latches.push(Latch {
            next: Literal::FALSE,
            reset,
        });
    }
    let of =
        |image: &[Literal], signal: Signal| image[signal.node().index()].flipped_if(signal.is_complemented());
    let roots = graph
        .bad
        .iter()
        .copied()
        .chain(graph.latches.iter().map(|latch| latch.next));
    for node in graph.aig.cone(roots) {
        if let Some((a, b)) = graph.aig.fanins(node) {
            made.gates.push([of(&image, a), of(&image, b)]);
            image[node.index()] = made.gate(made.gates.len() as u32 - 1);
        }
    }
    made.outputs = graph.bad.iter().map(|&output| of(&image, output)).collect();
    for (latch, old) in made.latches.iter_mut().zip(&graph.latches) {
        latch.next = of(&image, old.next);
    }
    for (kind, names) in [(SymbolKind::Input, reads), (SymbolKind::Output, writes)] {
        for (at, name) in names.iter().enumerate() {
            made.symbols.insert((kind, at as u32), name.clone());
        }
    }
    made
}
