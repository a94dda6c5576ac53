//! One of two circuits that are compared: what is left of it, and its ports.

use super::ports::Port;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use rustc_hash::{FxHashMap, FxHashSet};

/// A circuit that is compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Side {
    /// Inputs, registers, gates; what was an output or a bad state is an output.
    pub(crate) circuit: Btor2,
    /// The inputs that have names, with their ports at the same positions.
    pub(crate) inputs: Vec<LineIndex>,
    pub(crate) input_ports: Vec<Port>,
    /// The registers; memories have no width, and what has no name an empty one.
    pub(crate) states: Vec<LineIndex>,
    pub(crate) state_ports: Vec<Port>,
    /// Outputs: what they are.
    pub(crate) outputs: Vec<Argument>,
    pub(crate) output_ports: Vec<Port>,
    /// Sources without a name.
    pub(crate) anonymous: Vec<LineIndex>,
    /// Registers with a first value.
    pub(crate) initialised: FxHashSet<LineIndex>,
    /// Constraints were left out.
    pub(crate) dropped_constraints: usize,
}

fn width(sort: Option<BitSort>) -> u32 {
    match sort {
        Some(BitSort::Bits(width)) => width,
        _ => 0,
    }
}

impl Side {
    /// What of a circuit is compared. `renamed` gives the names that ports have here.
    pub(crate) fn new(circuit: &Btor2, keep_constraints: bool, renamed: impl Fn(&str) -> String) -> Side {
        let mut side = Side::default();
        // Lines that are left out have no place in the new circuit; nothing refers to them.
        let mut places: Vec<Option<LineIndex>> = Vec::with_capacity(circuit.nodes.len());
        let mut taken: FxHashSet<String> = FxHashSet::default();
        let called = register_names(circuit);
        for (line, node) in circuit.lines() {
            let symbol = circuit.symbols[line.index()].as_deref().map(word);
            let moved = |argument: Argument| {
                let place = places.get(argument.line.index()).copied().flatten();
                place.map(|line| Argument { line, ..argument })
            };
            let kept = match node {
                Node::Fair(_) | Node::Justice(_) => None,
                Node::Constraint(argument) => match keep_constraints {
                    true => moved(*argument).map(Node::Constraint),
                    false => {
                        side.dropped_constraints += 1;
                        None
                    }
                },
                Node::Bad(argument) | Node::Output(argument) => {
                    if let Some(argument) = moved(*argument) {
                        let number = side.outputs.len();
                        let name = symbol.map_or_else(|| format!("o{number}"), |name| renamed(&name));
                        // (A signal may be written as an output twice; memories are not compared.)
                        let width = width(side.circuit.sort(argument.line));
                        if width > 0 && !name.starts_with(UPKEEP) && taken.insert(name.clone()) {
                            side.outputs.push(argument);
                            side.output_ports.push(Port { name, width });
                        }
                    }
                    None
                }
                Node::Init { state, value } => {
                    moved(Argument::plain(*state))
                        .zip(moved(*value))
                        .map(|(state, value)| {
                            side.initialised.insert(state.line);
                            Node::Init {
                                state: state.line,
                                value,
                            }
                        })
                }
                Node::Next { state, value } => {
                    moved(Argument::plain(*state))
                        .zip(moved(*value))
                        .map(|(state, value)| Node::Next {
                            state: state.line,
                            value,
                        })
                }
                Node::Operation {
                    sort,
                    operator,
                    arguments,
                    numbers,
                } => (arguments.iter().copied().map(moved).collect::<Option<Vec<_>>>()).map(|arguments| {
                    Node::Operation {
                        sort: *sort,
                        operator: *operator,
                        arguments,
                        numbers: numbers.clone(),
                    }
                }),
                Node::Input(_) | Node::State(_) | Node::Constant { .. } => Some(node.clone()),
            };
            let name = circuit.symbols[line.index()]
                .as_deref()
                .or(called.get(&line).copied());
            let place = kept.map(|kept| side.keep(kept, name, &renamed));
            places.push(place);
        }
        side
    }

    fn keep(&mut self, node: Node, symbol: Option<&str>, renamed: &impl Fn(&str) -> String) -> LineIndex {
        let symbol = symbol.map(|name| renamed(&word(name)));
        let (sort, is_input) = (node.sort(), matches!(node, Node::Input(_)));
        let is_signal = is_input || matches!(node, Node::State(_));
        let line = self.circuit.add(node, symbol.clone().filter(|_| is_signal));
        let port = |name: String| Port {
            name,
            width: width(sort),
        };
        match (is_signal, is_input, symbol) {
            (true, true, Some(name)) => {
                self.inputs.push(line);
                self.input_ports.push(port(name));
            }
            (true, true, None) => self.anonymous.push(line),
            (true, false, name) => {
                self.states.push(line);
                self.state_ports.push(port(name.unwrap_or_default()));
            }
            _ => {}
        }
        line
    }

    /// For each line, whether a value or an output depends on it directly.
    pub(crate) fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.circuit.nodes.len()];
        for (_, node) in self.circuit.lines() {
            match node {
                Node::Operation { arguments, .. } => {
                    for argument in arguments {
                        used[argument.line.index()] = true;
                    }
                }
                Node::Init { value, .. } | Node::Next { value, .. } | Node::Constraint(value) => {
                    used[value.line.index()] = true;
                }
                _ => {}
            }
        }
        for output in &self.outputs {
            used[output.line.index()] = true;
        }
        used
    }
}

/// Names of registers that have none at their own lines: yosys names the output that a register is, or a copy of it.
pub(crate) fn register_names(circuit: &Btor2) -> FxHashMap<LineIndex, &str> {
    let mut names = FxHashMap::default();
    for (line, node) in circuit.lines() {
        let copied = match node {
            Node::Output(argument) => Some(argument),
            Node::Operation {
                operator: Operator::Uext,
                arguments,
                numbers,
                ..
            } if numbers[..] == [0] => arguments.first(),
            _ => None,
        };
        let Some(argument) = copied.filter(|argument| !argument.negated) else {
            continue;
        };
        let is_register = matches!(circuit.node(argument.line), Node::State(_));
        if let (true, Some(name)) = (is_register, circuit.symbols[line.index()].as_deref()) {
            names.entry(argument.line).or_insert(name);
        }
    }
    names
}

/// What stands before the names of outputs that were added to look at assertions.
pub(crate) const UPKEEP: &str = "entail$";

/// A name in one word.
pub(super) fn word(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .collect()
}
