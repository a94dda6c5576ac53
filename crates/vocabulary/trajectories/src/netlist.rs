//! A netlist: inputs, registers and gates, with the names of signals.
//!
//! What a gate gives when its inputs are unknown is decided by the gate alone, so the netlist is kept as it was read: a multiplexer is two ANDs and an OR, and gives X when its
//! select is X, even if both data inputs agree. Nothing here hashes, shares or simplifies gates.

use rustc_hash::FxHashMap;

/// The number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// As a position in a list.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A use of a node, through an inverter if it is negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wire {
    /// The node.
    pub node: NodeId,
    /// Whether there is an inverter in between.
    pub negated: bool,
}

impl Wire {
    /// The node itself.
    pub fn of(node: NodeId) -> Wire {
        Wire { node, negated: false }
    }
}

impl std::ops::Not for Wire {
    type Output = Wire;

    fn not(self) -> Wire {
        Wire {
            negated: !self.negated,
            ..self
        }
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The constant 0.
    Zero,
    /// Chosen from outside at every step: X unless it is driven.
    Input,
    /// A register: X at first, then the value that the wire had one step before; without a wire it is chosen anew at every step.
    Register(Option<Wire>),
    /// Both inputs.
    And(Wire, Wire),
    /// The input, as a net of its own.
    Copy(Wire),
}

/// What a signal is in the circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An input.
    Input,
    /// A register.
    Register,
    /// Anything else that has a name.
    Internal,
}

/// A signal with a name: a word, or a memory of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Its name.
    pub name: String,
    /// What it is.
    pub role: Role,
    /// Whether it is a memory; a word has one element.
    pub is_memory: bool,
    /// The nodes of each element, from the lowest bit on.
    pub elements: Vec<Vec<NodeId>>,
}

/// A circuit of gates.
#[derive(Clone, Debug, Default)]
pub struct Netlist {
    gates: Vec<Gate>,
    signals: Vec<Signal>,
    by_name: FxHashMap<String, usize>,
    /// For every node, the signal, element and bit that it was first named by.
    names: FxHashMap<NodeId, (usize, usize, usize)>,
}

impl Netlist {
    /// Adds a node. What a gate reads must be there already.
    pub fn add(&mut self, gate: Gate) -> NodeId {
        self.gates.push(gate);
        NodeId(self.gates.len() as u32 - 1)
    }

    /// Sets what a register becomes.
    pub fn set_next(&mut self, register: NodeId, next: Wire) {
        if let Gate::Register(wire) = &mut self.gates[register.index()] {
            *wire = Some(next);
        }
    }

    /// Names wires. A negated wire and the constant become nets of their own. A name that is there already stays what it is.
    pub fn name(&mut self, name: &str, role: Role, is_memory: bool, elements: &[Vec<Wire>]) {
        if name.is_empty() || self.by_name.contains_key(name) {
            return;
        }
        let position = self.signals.len();
        let mut nodes = Vec::with_capacity(elements.len());
        for (element, wires) in elements.iter().enumerate() {
            let mut bits = Vec::with_capacity(wires.len());
            for (bit, &wire) in wires.iter().enumerate() {
                let node = match wire.negated || self.gates[wire.node.index()] == Gate::Zero {
                    true => self.add(Gate::Copy(wire)),
                    false => wire.node,
                };
                self.names.entry(node).or_insert((position, element, bit));
                bits.push(node);
            }
            nodes.push(bits);
        }
        self.by_name.insert(name.to_owned(), position);
        self.signals.push(Signal {
            name: name.to_owned(),
            role,
            is_memory,
            elements: nodes,
        });
    }

    /// What a node is.
    pub fn gate(&self, node: NodeId) -> Gate {
        self.gates[node.index()]
    }

    /// All nodes in the order in which they can be computed.
    pub fn gates(&self) -> impl Iterator<Item = (NodeId, Gate)> + '_ {
        (self.gates.iter().enumerate()).map(|(index, &gate)| (NodeId(index as u32), gate))
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gates.is_empty()
    }

    /// The signals, in the order of the text.
    pub fn signals(&self) -> &[Signal] {
        &self.signals
    }

    /// The signal of a name.
    pub fn signal(&self, name: &str) -> Option<&Signal> {
        self.by_name.get(name).map(|&position| &self.signals[position])
    }

    /// The name of a node, with the positions in memory and word; a number where it has none.
    pub fn name_of(&self, node: NodeId) -> String {
        let Some(&(signal, element, bit)) = self.names.get(&node) else {
            return format!("(gate {})", node.0);
        };
        let signal = &self.signals[signal];
        let mut name = signal.name.clone();
        if signal.is_memory {
            name += &format!("[{element}]");
        }
        if signal.elements[element].len() > 1 {
            name += &format!("[{bit}]");
        }
        name
    }

    /// Whether a node has a name.
    pub fn has_name(&self, node: NodeId) -> bool {
        self.names.contains_key(&node)
    }
}
