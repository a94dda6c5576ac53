//! What an abstract counterexample rests on.
//!
//! The counterexample gives a value to everything kept and to the *free* objects that it reads. Walking backwards from what a counterexample has to
//! do (keep the constraints, end badly), only those values are followed that make their successors what they are: all operands
//! of a conjunction that is true, one that is false otherwise (Eén, Mishchenko, Brayton's justification; "GLA: Gate-Level Abstraction
//! Revisited", 2013, section on refinement). Where there is a choice, the side that rests on fewer free objects is taken. The free
//! objects that are met are the cause. If there are none, the inputs alone lead to bad, and the counterexample is one of the circuit.

use super::objects::{Object, Objects};
use entail_sat::{Gate, Node, Signal};

/// A value of a free object at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Guess {
    pub(super) node: Node,
    pub(super) position: usize,
    pub(super) value: bool,
}

/// The free objects that a counterexample with last position `last` rests on.
pub(super) fn cause(
    objects: &Objects<'_>,
    kept: &[Node],
    last: usize,
    value: impl Fn(Node, usize) -> bool,
) -> Vec<Guess> {
    let size = objects.circuit.aig.len();
    let mut is_kept = vec![false; size];
    for node in kept {
        is_kept[node.index()] = true;
    }
    let walk = Walk {
        objects,
        is_kept: &is_kept,
        value: &value,
    };
    let weights = walk.weights(kept, last);

    let mut guesses = Vec::new();
    let mut wanted: Vec<Node> = Vec::new();
    let mut wanted_before: Vec<Node> = Vec::new();
    for position in (0..=last).rev() {
        let mut seen = vec![false; size];
        wanted.append(&mut wanted_before);
        wanted.extend(objects.demands(position, last).map(Signal::node));
        while let Some(node) = wanted.pop() {
            if std::mem::replace(&mut seen[node.index()], true) {
                continue;
            }
            match objects.of(node) {
                Object::Constant | Object::Input(_) | Object::Hidden => {}
                _ if !is_kept[node.index()] => guesses.push(Guess {
                    node,
                    position,
                    value: value(node, position),
                }),
                Object::Latch(latch) => {
                    if position > 0 {
                        wanted_before.push(objects.circuit.latches[latch].next.node());
                    }
                }
                Object::Gate(gate) => {
                    walk.reasons(gate, node, position, &weights[position], |signal| {
                        wanted.push(signal.node());
                    });
                }
            }
        }
    }
    guesses
}

struct Walk<'w, V> {
    objects: &'w Objects<'w>,
    is_kept: &'w [bool],
    value: &'w V,
}

impl<V: Fn(Node, usize) -> bool> Walk<'_, V> {
    fn truth(&self, signal: Signal, position: usize) -> bool {
        signal
            .as_constant()
            .unwrap_or_else(|| (self.value)(signal.node(), position) != signal.is_complemented())
    }

    /// For each position and node, about how many free objects its value rests on.
    fn weights(&self, kept: &[Node], last: usize) -> Vec<Vec<u32>> {
        let size = self.objects.circuit.aig.len();
        let mut weights: Vec<Vec<u32>> = Vec::with_capacity(last + 1);
        for position in 0..=last {
            // What is free weighs one.
            let mut here: Vec<u32> = vec![1; size];
            here[0] = 0;
            for input in &self.objects.circuit.inputs {
                here[input.index()] = 0;
            }
            for latch in &self.objects.circuit.latches {
                if self.is_kept[latch.node.index()] {
                    let next = latch.next.node().index();
                    here[latch.node.index()] = weights.last().map_or(0, |before| before[next]);
                }
            }
            for &node in kept {
                if let Object::Gate(gate) = self.objects.of(node) {
                    let mut weight = 0u32;
                    self.reasons(gate, node, position, &here, |signal| {
                        weight = weight.saturating_add(here[signal.node().index()]);
                    });
                    here[node.index()] = weight;
                }
            }
            weights.push(here);
        }
        weights
    }

    /// The operands that make a gate what it is.
    fn reasons(
        &self,
        gate: &Gate,
        node: Node,
        position: usize,
        weights: &[u32],
        mut emit: impl FnMut(Signal),
    ) {
        let weight = |signal: &Signal| weights[signal.node().index()];
        match gate {
            Gate::And(list) => {
                if (self.value)(node, position) {
                    list.iter().for_each(|&signal| emit(signal));
                } else {
                    let lightest = list
                        .iter()
                        .filter(|signal| !self.truth(**signal, position))
                        .min_by_key(|signal| weight(signal));
                    lightest.copied().into_iter().for_each(emit);
                }
            }
            Gate::Xor(a, b) => {
                emit(*a);
                emit(*b);
            }
            Gate::Mux(condition, then, otherwise) => {
                let chosen = match self.truth(*condition, position) {
                    true => then,
                    false => otherwise,
                };
                let agree = self.truth(*then, position) == self.truth(*otherwise, position);
                let both = weight(then).saturating_add(weight(otherwise));
                if agree && both < weight(condition).saturating_add(weight(chosen)) {
                    emit(*then);
                    emit(*otherwise);
                } else {
                    emit(*condition);
                    emit(*chosen);
                }
            }
        }
    }
}
