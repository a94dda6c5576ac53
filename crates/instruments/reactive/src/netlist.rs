//! Circuits with outputs: what a machine becomes.

use entail_sat::{Circuit, Imported, Node, Signal};

/// A circuit; its bad-state signals are what the machine writes, in order. Inputs are what it reads. There are no constraints.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    /// Gates, inputs and latches.
    pub circuit: Circuit,
}

impl Netlist {
    /// What is written.
    pub fn outputs(&self) -> &[Signal] {
        &self.circuit.bad
    }

    /// Outputs, then what the latches hold next.
    pub(crate) fn roots(&self) -> Vec<Signal> {
        let next = self.circuit.latches.iter().map(|latch| latch.next);
        self.circuit.bad.iter().copied().chain(next).collect()
    }

    /// Gates that outputs or latches need.
    pub fn gates(&self) -> usize {
        let cone = self.circuit.aig.cone(self.roots());
        let is_gate = |node: &Node| self.circuit.aig.fanins(*node).is_some();
        cone.into_iter().filter(is_gate).count()
    }

    /// Gates and latches.
    pub fn size(&self) -> usize {
        self.gates() + self.circuit.latches.len()
    }

    /// A circuit with the same inputs and latches, and no gates; the latches hold themselves.
    pub(crate) fn skeleton(&self) -> Netlist {
        let mut empty = Netlist::default();
        for _ in &self.circuit.inputs {
            empty.circuit.add_input();
        }
        for latch in &self.circuit.latches {
            empty.circuit.add_latch(latch.init);
        }
        empty
    }

    /// The leaves: inputs, then latches.
    pub(crate) fn leaves(&self) -> Vec<Node> {
        let latches = self.circuit.latches.iter().map(|latch| latch.node);
        self.circuit.inputs.iter().copied().chain(latches).collect()
    }

    /// With other roots: outputs, then next values. Gates that are not needed are left behind.
    pub(crate) fn with_roots(&self, roots: &[Signal]) -> Netlist {
        let mut copy = self.skeleton();
        let (from, to) = (self.leaves(), copy.leaves());
        let image = import(&mut copy, self, roots.iter().copied(), &|node| {
            let at = from.iter().position(|&leaf| leaf == node);
            at.map_or(Signal::FALSE, |at| to[at].signal())
        });
        let of = |signal: Signal| image.get(signal).unwrap_or(Signal::FALSE);
        let outputs = self.circuit.bad.len();
        copy.circuit.bad = roots[..outputs].iter().map(|&root| of(root)).collect();
        for (latch, &root) in copy.circuit.latches.iter_mut().zip(&roots[outputs..]) {
            latch.next = of(root);
        }
        copy
    }

    /// The same without gates that nothing needs.
    pub(crate) fn swept(&self) -> Netlist {
        self.with_roots(&self.roots())
    }

    /// What is written, and the next latches.
    pub fn step(&self, latches: &[bool], inputs: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let values = self.circuit.evaluate(latches, inputs);
        let outputs = self
            .outputs()
            .iter()
            .map(|&output| entail_sat::value_of(&values, output));
        (outputs.collect(), self.circuit.successor(&values))
    }

    /// The first latches.
    pub fn first(&self) -> Vec<bool> {
        let first = |latch: &entail_sat::Latch| latch.init.as_constant().unwrap_or(false);
        self.circuit.latches.iter().map(first).collect()
    }
}

/// Copies cones into a circuit; leaves are what the function says.
pub(crate) fn import(
    into: &mut Netlist,
    from: &Netlist,
    roots: impl IntoIterator<Item = Signal>,
    leaf: &dyn Fn(Node) -> Signal,
) -> Imported {
    into.circuit
        .aig
        .import(&from.circuit.aig, roots, |_, node| leaf(node))
}
