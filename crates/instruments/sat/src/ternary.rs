//! Latches that are constant, found by three-valued simulation.
//!
//! Start with every latch at its initial constant (unknown where it has none) and every input unknown. A latch whose next value may differ
//! from what it is assumed to hold becomes unknown; the others are constant on every path. Values only ever become unknown, so
//! each node is evaluated again at most once for each of its fanins: linear time.
//!
//! The result is inductive as it stands: if all these latches hold their constants, they hold them after any step, whatever the
//! rest does. Constraints are not used.

use crate::aig::{Node, Signal};
use crate::circuit::Circuit;

const UNKNOWN: u8 = 2;

fn complement(value: u8, flip: bool) -> u8 {
    if value == UNKNOWN {
        UNKNOWN
    } else {
        value ^ u8::from(flip)
    }
}

/// For each latch, the value it always has, if this simulation shows one.
pub fn constant_latches(circuit: &Circuit) -> Vec<Option<bool>> {
    let aig = &circuit.aig;
    let mut values = vec![UNKNOWN; aig.len()];
    for latch in &circuit.latches {
        if let Some(value) = latch.init.as_constant() {
            values[latch.node.index()] = u8::from(value);
        }
    }
    let of =
        |values: &[u8], signal: Signal| complement(values[signal.node().index()], signal.is_complemented());
    let and = |values: &[u8], a: Signal, b: Signal| match (of(values, a), of(values, b)) {
        (0, _) | (_, 0) => 0,
        (1, 1) => 1,
        _ => UNKNOWN,
    };
    values[0] = 0;
    let mut users: Vec<Vec<Node>> = vec![Vec::new(); aig.len()];
    for index in 1..aig.len() {
        if let Some((a, b)) = aig.fanins(Node::new(index)) {
            values[index] = and(&values, a, b);
            users[a.node().index()].push(Node::new(index));
            users[b.node().index()].push(Node::new(index));
        }
    }
    let mut latches_fed: Vec<Vec<usize>> = vec![Vec::new(); aig.len()];
    for (position, latch) in circuit.latches.iter().enumerate() {
        latches_fed[latch.next.node().index()].push(position);
    }
    let mut changed: Vec<Node> = Vec::new();
    let mut suspects: Vec<usize> = (0..circuit.latches.len()).collect();
    loop {
        for position in suspects.drain(..) {
            let latch = &circuit.latches[position];
            let held = values[latch.node.index()];
            if held != UNKNOWN && of(&values, latch.next) != held {
                values[latch.node.index()] = UNKNOWN;
                changed.push(latch.node);
            }
        }
        let Some(node) = changed.pop() else {
            break;
        };
        suspects.extend(&latches_fed[node.index()]);
        for &user in &users[node.index()] {
            if values[user.index()] != UNKNOWN
                && let Some((a, b)) = aig.fanins(user)
                && and(&values, a, b) == UNKNOWN
            {
                values[user.index()] = UNKNOWN;
                changed.push(user);
            }
        }
    }
    let constant = |value: u8| (value != UNKNOWN).then_some(value == 1);
    circuit
        .latches
        .iter()
        .map(|latch| constant(values[latch.node.index()]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Init;
    use crate::solver_tests::random_circuit;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn a_latch_that_only_feeds_itself_is_constant_and_a_toggle_is_not() {
        let mut circuit = Circuit::new();
        let stuck = circuit.add_latch(Init::One);
        let toggle = circuit.add_latch(Init::Zero);
        let masked = circuit.add_latch(Init::Zero);
        circuit.latches[1].next = !toggle;
        circuit.latches[2].next = circuit.aig.and(!stuck, toggle);
        assert_eq!(constant_latches(&circuit), [Some(true), None, Some(false)]);
        assert_eq!(circuit.latches[2].node.signal(), masked);
    }

    #[test]
    fn constants_are_constant_in_every_simulation() {
        let mut random = StdRng::seed_from_u64(8);
        let mut found = 0;
        for _ in 0..300 {
            let (circuit, _) = random_circuit(&mut random, 8, 2, 12);
            let constants = constant_latches(&circuit);
            found += constants.iter().flatten().count();
            let mut state: Vec<bool> = circuit
                .latches
                .iter()
                .map(|latch| {
                    latch
                        .init
                        .as_constant()
                        .unwrap_or_else(|| random.random_bool(0.5))
                })
                .collect();
            for _ in 0..30 {
                for (value, constant) in state.iter().zip(&constants) {
                    assert!(constant.is_none_or(|constant| constant == *value));
                }
                let inputs: Vec<bool> = circuit.inputs.iter().map(|_| random.random_bool(0.5)).collect();
                let values = circuit.evaluate(&state, &inputs);
                state = circuit.successor(&values);
            }
        }
        assert!(found > 100, "{found}");
    }
}
