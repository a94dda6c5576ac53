//! What an abstraction keeps or leaves out: the latches and gates of a circuit.
//!
//! Gates are those that are worth their own clauses ([`entail_sat::gates`]): wide conjunctions, exclusive ors and multiplexers. So a
//! refinement adds a gate a designer would name, and not one of the three and-nodes it is made of.

use entail_sat::{Circuit, Gate, Node, Signal, gates};

/// What a node of the graph is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object<'o> {
    /// False.
    Constant,
    /// An input, by position.
    Input(usize),
    /// A latch, by position.
    Latch(usize),
    /// A gate.
    Gate(&'o Gate),
    /// Inside a gate.
    Hidden,
}

#[derive(Clone, Copy)]
enum Kind {
    Constant,
    Input(u32),
    Latch(u32),
    Gate(u32),
    Hidden,
}

/// A circuit and a bad signal, taken apart into objects.
pub(super) struct Objects<'c> {
    pub(super) circuit: &'c Circuit,
    pub(super) bad: Signal,
    kinds: Vec<Kind>,
    gates: Vec<(Node, Gate)>,
}

impl<'c> Objects<'c> {
    pub(super) fn new(circuit: &'c Circuit, bad: Signal) -> Objects<'c> {
        let mut roots: Vec<Signal> = circuit.latches.iter().map(|latch| latch.next).collect();
        roots.extend(&circuit.init_constraints);
        roots.extend(&circuit.constraints);
        roots.extend(&circuit.step_constraints);
        roots.push(bad);
        let gates = gates(&circuit.aig, &roots, |node| node.index() == 0);
        let mut kinds = vec![Kind::Hidden; circuit.aig.len()];
        kinds[0] = Kind::Constant;
        for (position, input) in circuit.inputs.iter().enumerate() {
            kinds[input.index()] = Kind::Input(position as u32);
        }
        for (position, latch) in circuit.latches.iter().enumerate() {
            kinds[latch.node.index()] = Kind::Latch(position as u32);
        }
        for (position, (node, _)) in gates.iter().enumerate() {
            kinds[node.index()] = Kind::Gate(position as u32);
        }
        Objects {
            circuit,
            bad,
            kinds,
            gates,
        }
    }

    pub(super) fn of(&self, node: Node) -> Object<'_> {
        match self.kinds[node.index()] {
            Kind::Constant => Object::Constant,
            Kind::Input(position) => Object::Input(position as usize),
            Kind::Latch(position) => Object::Latch(position as usize),
            Kind::Gate(position) => Object::Gate(&self.gates[position as usize].1),
            Kind::Hidden => Object::Hidden,
        }
    }

    /// Whether an abstraction can leave it out.
    pub(super) fn can_be_left_out(&self, node: Node) -> bool {
        matches!(self.kinds[node.index()], Kind::Latch(_) | Kind::Gate(_))
    }

    pub(super) fn is_latch(&self, node: Node) -> bool {
        matches!(self.kinds[node.index()], Kind::Latch(_))
    }

    /// What an object reads at its own position.
    pub(super) fn operands(&self, node: Node) -> impl Iterator<Item = Signal> + '_ {
        let gate = match self.of(node) {
            Object::Gate(gate) => Some(gate),
            _ => None,
        };
        gate.into_iter().flat_map(Gate::operands)
    }

    /// What must be true at a position of a path to bad whose last position is `last`.
    pub(super) fn demands(&self, position: usize, last: usize) -> impl Iterator<Item = Signal> + '_ {
        let first: &[Signal] = match position {
            0 => &self.circuit.init_constraints,
            _ => &[],
        };
        let steps: &[Signal] = match position < last {
            true => &self.circuit.step_constraints,
            false => &[],
        };
        let bad = (position == last).then_some(self.bad);
        let constraints = first.iter().chain(&self.circuit.constraints).chain(steps);
        constraints.copied().chain(bad)
    }

    /// The objects that conditions on the first state read. They are always kept: IC3 asks whether a set of states has an initial one, which
    /// has to mean the same there as in the bounded search.
    pub(super) fn of_first_state(&self) -> impl Iterator<Item = Node> + '_ {
        let cone = self
            .circuit
            .aig
            .cone(self.circuit.init_constraints.iter().copied());
        cone.into_iter().filter(|&node| self.can_be_left_out(node))
    }

    /// What bad and the constraints depend on when only kept objects have a definition; the free ones that are read are included.
    pub(super) fn cone(&self, is_kept: impl Fn(Node) -> bool) -> Vec<bool> {
        let circuit = self.circuit;
        let constraints = circuit.constraints.iter().chain(&circuit.step_constraints);
        let roots = circuit
            .init_constraints
            .iter()
            .chain(constraints)
            .chain([&self.bad]);
        let mut needed = vec![false; circuit.aig.len()];
        let mut stack: Vec<Node> = roots.map(|root| root.node()).collect();
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut needed[node.index()], true) || !is_kept(node) {
                continue;
            }
            match self.of(node) {
                Object::Latch(latch) => stack.push(circuit.latches[latch].next.node()),
                Object::Gate(gate) => stack.extend(gate.operands().map(Signal::node)),
                Object::Constant | Object::Input(_) | Object::Hidden => {}
            }
        }
        needed
    }

    /// All gates, operands before the gates that use them.
    pub(super) fn gates(&self) -> &[(Node, Gate)] {
        &self.gates
    }
}
