//! The abstraction as a circuit of its own: what is left out but read becomes an input.
//!
//! Every run of the whole circuit is one of the small circuit, if its new inputs are given the values that the objects in their place have. So an
//! inductive invariant of the small one, about latches and inputs of the whole, is one of the whole.

use super::objects::{Object, Objects};
use crate::answer::{Leaf, SafetyAnswer};
use entail_sat::{Circuit, Gate, Node, Run, Signal};

pub(super) struct SmallCircuit {
    pub(super) circuit: Circuit,
    pub(super) bad: Signal,
    /// For each latch its position in the whole circuit.
    latches: Vec<usize>,
    /// For each input the one of the whole circuit, or none for one that stands for an object.
    inputs: Vec<Option<usize>>,
    /// For each node of the whole circuit its signal here.
    image: Vec<Option<Signal>>,
}

impl SmallCircuit {
    pub(super) fn new(objects: &Objects<'_>, is_kept: impl Fn(Node) -> bool) -> SmallCircuit {
        let whole = objects.circuit;
        let roots = || {
            let constraints = whole.constraints.iter().chain(&whole.step_constraints);
            let all = whole.init_constraints.iter().chain(constraints).copied();
            all.chain([objects.bad])
        };
        let mut needed = vec![false; whole.aig.len()];
        let mut stack: Vec<Node> = roots().map(Signal::node).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut needed[node.index()], true) || !is_kept(node) {
                continue;
            }
            match objects.of(node) {
                Object::Latch(latch) => stack.push(whole.latches[latch].next.node()),
                Object::Gate(gate) => stack.extend(gate.operands().map(Signal::node)),
                _ => {}
            }
        }
        let mut small = SmallCircuit {
            circuit: Circuit::new(),
            bad: Signal::FALSE,
            latches: Vec::new(),
            inputs: Vec::new(),
            image: vec![None; whole.aig.len()],
        };
        small.image[0] = Some(Signal::FALSE);
        let nodes = || {
            (1..whole.aig.len())
                .map(Node::new)
                .filter(|node| needed[node.index()])
        };
        for node in nodes() {
            let signal = match objects.of(node) {
                Object::Latch(latch) if is_kept(node) => {
                    small.latches.push(latch);
                    small.circuit.add_latch(whole.latches[latch].init)
                }
                Object::Gate(_) if is_kept(node) => continue,
                Object::Input(input) => {
                    small.inputs.push(Some(input));
                    small.circuit.add_input()
                }
                _ => {
                    small.inputs.push(None);
                    small.circuit.add_input()
                }
            };
            small.image[node.index()] = Some(signal);
        }
        for (node, gate) in objects.gates() {
            if needed[node.index()] && is_kept(*node) {
                let signal = match gate {
                    Gate::And(list) => {
                        let operands: Vec<Signal> = list.iter().map(|&signal| small.moved(signal)).collect();
                        small.circuit.aig.and_all(operands)
                    }
                    Gate::Xor(a, b) => {
                        let (a, b) = (small.moved(*a), small.moved(*b));
                        small.circuit.aig.xor(a, b)
                    }
                    Gate::Mux(c, t, e) => {
                        let (c, t, e) = (small.moved(*c), small.moved(*t), small.moved(*e));
                        small.circuit.aig.mux(c, t, e)
                    }
                };
                small.image[node.index()] = Some(signal);
            }
        }
        for position in 0..small.latches.len() {
            let next = small.moved(whole.latches[small.latches[position]].next);
            small.circuit.latches[position].next = next;
        }
        let all = |signals: &[Signal]| signals.iter().map(|&signal| small.moved(signal)).collect();
        let (first, always, steps) = (
            all(&whole.init_constraints),
            all(&whole.constraints),
            all(&whole.step_constraints),
        );
        small.bad = small.moved(objects.bad);
        small.circuit.init_constraints = first;
        small.circuit.constraints = always;
        small.circuit.step_constraints = steps;
        small.circuit.bad = vec![small.bad];
        small
    }

    fn moved(&self, signal: Signal) -> Signal {
        self.image[signal.node().index()]
            .expect("what is needed was moved")
            .flipped_if(signal.is_complemented())
    }

    /// Which inputs are those of the whole circuit that can be observed there.
    pub(super) fn observable(&self, in_whole: &[bool]) -> Vec<bool> {
        let observable = |input: &Option<usize>| input.is_some_and(|input| in_whole[input]);
        self.inputs.iter().map(observable).collect()
    }

    /// A proof about the small circuit as one about the whole. (A run of the small one is none of the whole.)
    pub(super) fn lift(&self, answer: SafetyAnswer) -> SafetyAnswer {
        let SafetyAnswer::Safe(mut invariant) = answer else {
            return answer;
        };
        for (latch, _) in invariant.excluded.iter_mut().flatten() {
            *latch = self.latches[*latch];
        }
        let formulas = invariant.formulas.iter_mut();
        for (_, leaf) in formulas.flat_map(|formula| &mut formula.leaves) {
            *leaf = match *leaf {
                Leaf::Latch(latch) => Leaf::Latch(self.latches[latch]),
                Leaf::Input(input) => {
                    Leaf::Input(self.inputs[input].expect("invariants read observable inputs"))
                }
            };
        }
        SafetyAnswer::Safe(invariant)
    }

    /// The values that nodes of the whole circuit have on a run of this one, where they are here at all.
    pub(super) fn values(&self, run: &Run) -> impl Fn(Node, usize) -> bool + use<'_> {
        let positions = self.circuit.simulate(run);
        move |node: Node, position: usize| {
            let image = self.image[node.index()];
            image.is_some_and(|signal| entail_sat::value_of(&positions[position], signal))
        }
    }
}
