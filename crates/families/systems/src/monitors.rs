//! Monitors as lines of a circuit, and read back from there.
//!
//! A monitor's gates become lines; what it accepts by is a bad state, a justice property, or a constraint with fairness. When a proof is judged, the
//! monitor is described as it stands among the lines ([`described`]), whatever it was made from.

use crate::asked::AskedAssertion;
use crate::assertions::{OWN, symbol};
use entail_automata::assertion::{Acceptance, Gate, GateId, Monitor};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_logic::Assertion;
use entail_source::Diagnostic;
use entail_systems_checker::{MonitorCircuit, MonitorGate, MonitorGoal};
use entail_systemverilog::Directive;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The lines that say what a monitor is asked for.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// A bad state.
    Bad(LineIndex),
    /// A signal that is watched like a bad state.
    Signal(LineIndex),
    /// A justice property.
    Justice(LineIndex),
    /// A constraint, and fairness.
    Assumed(LineIndex, Option<LineIndex>),
}

/// Adds the monitor of a property, and what it is asked for.
pub(crate) fn add_monitor(
    circuit: &mut Btor2,
    asked: &AskedAssertion,
    atoms: &[LineIndex],
    number: usize,
) -> Result<Option<Goal>, Diagnostic> {
    let Some(assertion) = &asked.assertion else {
        return Ok(None);
    };
    let monitor = match asked.directive {
        Directive::Assert => Monitor::of_violations(assertion),
        Directive::Cover => Monitor::of_witnesses(assertion),
        Directive::Assume => Monitor::of_models(assertion),
    };
    let monitor = monitor.map_err(|_| {
        let message = "the automaton of this property would be too large";
        Diagnostic::error("sva::size", message, asked.place, "here")
    })?;
    let wire = wiring(circuit, &monitor, atoms, number);
    let goal = match (asked.directive, monitor.acceptance) {
        (Directive::Assume, Acceptance::Recurring(gate) | Acceptance::Reached(gate)) => {
            let alive = wire[monitor.alive.0 as usize];
            let alive = circuit.add(Node::Constraint(alive), None);
            let fair = (gate != monitor.alive).then(|| circuit.add(Node::Fair(wire[gate.0 as usize]), None));
            Goal::Assumed(alive, fair)
        }
        (directive, Acceptance::Reached(gate)) => {
            let name = symbol(directive, &asked.name);
            Goal::Bad(circuit.add(Node::Bad(wire[gate.0 as usize]), Some(name)))
        }
        (directive, Acceptance::Recurring(gate)) => {
            let name = symbol(directive, &asked.name);
            Goal::Justice(circuit.add(Node::Justice(vec![wire[gate.0 as usize]]), Some(name)))
        }
    };
    Ok(Some(goal))
}

/// Adds the monitor of a property's violations as a signal with the property's name; nothing if finitely many letters do not tell.
pub(crate) fn add_signal(
    circuit: &mut Btor2,
    asked: &AskedAssertion,
    atoms: &[LineIndex],
    number: usize,
) -> Option<Goal> {
    let signal = watched(circuit, asked.assertion.as_ref()?, atoms, number)?;
    Some(Goal::Signal(
        circuit.add(Node::Output(signal), Some(asked.name.clone())),
    ))
}

/// Adds the monitor of an assertion's violations; its signal, or nothing if finitely many letters do not tell.
pub(crate) fn watched(
    circuit: &mut Btor2,
    assertion: &Assertion<usize>,
    atoms: &[LineIndex],
    number: usize,
) -> Option<Argument> {
    let monitor = Monitor::of_violations(assertion).ok()?;
    let Acceptance::Reached(gate) = monitor.acceptance else {
        return None;
    };
    let wire = wiring(circuit, &monitor, atoms, number);
    Some(wire[gate.0 as usize])
}

/// The circuit of a monitor as it stands among the lines: this, not what it was made from, is judged. Nothing if it is not what monitors look like.
pub(crate) fn described(
    circuit: &Btor2,
    atoms: &[LineIndex],
    number: usize,
    goal: Option<Goal>,
) -> Option<MonitorCircuit> {
    let mut leaves: BTreeMap<LineIndex, MonitorGate> = BTreeMap::new();
    let (registers, choices) = (format!("{OWN}m{number}$r"), format!("{OWN}m{number}$c"));
    let mut states = BTreeMap::new();
    for (line, node) in circuit.lines() {
        let name = circuit.symbols[line.index()].as_deref().unwrap_or("");
        let numbered = |begin: &str| name.strip_prefix(begin)?.parse::<usize>().ok();
        match node {
            Node::State(_) => {
                if let Some(place) = numbered(&registers) {
                    leaves.insert(line, MonitorGate::Register(place));
                    states.insert(line, (place, None, None));
                }
            }
            Node::Input(_) => {
                if let Some(place) = numbered(&choices) {
                    leaves.insert(line, MonitorGate::Choice(place));
                }
            }
            Node::Init { state, value } => {
                if let Some(known) = states.get_mut(state) {
                    known.1 = Some(*value);
                }
            }
            Node::Next { state, value } => {
                if let Some(known) = states.get_mut(state) {
                    known.2 = Some(*value);
                }
            }
            _ => {}
        }
    }
    for (place, &line) in atoms.iter().enumerate() {
        leaves.entry(line).or_insert(MonitorGate::Atom(place));
    }
    let mut reading = Reading {
        circuit,
        leaves,
        known: BTreeMap::new(),
        gates: Vec::new(),
    };
    let mut found = vec![None; states.len()];
    for (place, first, next) in states.into_values() {
        let first = reading.gate(first?)?;
        let MonitorGate::Constant(first) = reading.gates[first] else {
            return None;
        };
        *found.get_mut(place)? = Some((first, reading.gate(next?)?));
    }
    let goal = match goal? {
        Goal::Bad(line) | Goal::Signal(line) => match circuit.node(line) {
            Node::Bad(signal) | Node::Output(signal) => MonitorGoal::Reached(reading.gate(*signal)?),
            _ => return None,
        },
        Goal::Justice(line) => match circuit.node(line) {
            Node::Justice(signals) if signals.len() == 1 => MonitorGoal::Recurring(reading.gate(signals[0])?),
            _ => return None,
        },
        Goal::Assumed(alive, fair) => {
            let (Node::Constraint(alive), fair) = (circuit.node(alive), fair.map(|fair| circuit.node(fair)))
            else {
                return None;
            };
            let alive = reading.gate(*alive)?;
            match fair {
                None => MonitorGoal::Kept(alive, None),
                Some(Node::Fair(signal)) => MonitorGoal::Kept(alive, Some(reading.gate(*signal)?)),
                Some(_) => return None,
            }
        }
    };
    Some(MonitorCircuit {
        registers: found.into_iter().collect::<Option<_>>()?,
        gates: reading.gates,
        goal,
    })
}

/// Lines read as gates.
struct Reading<'c> {
    circuit: &'c Btor2,
    leaves: BTreeMap<LineIndex, MonitorGate>,
    known: BTreeMap<LineIndex, usize>,
    gates: Vec<MonitorGate>,
}

impl Reading<'_> {
    fn push(&mut self, gate: MonitorGate) -> usize {
        self.gates.push(gate);
        self.gates.len() - 1
    }

    fn gate(&mut self, argument: Argument) -> Option<usize> {
        // Operands come before what is made of them; the stack is our own.
        let mut stack = vec![argument.line];
        while let Some(&line) = stack.last() {
            if self.known.contains_key(&line) {
                stack.pop();
                continue;
            }
            let gate = match (self.leaves.get(&line), self.circuit.node(line)) {
                (Some(leaf), _) => *leaf,
                (None, Node::Constant { width: 1, bits }) => MonitorGate::Constant(**bits != BigUint::ZERO),
                (
                    None,
                    Node::Operation {
                        operator: Operator::And,
                        arguments,
                        ..
                    },
                ) => {
                    let missing = arguments.iter().map(|one| one.line);
                    let missing: Vec<_> = missing.filter(|one| !self.known.contains_key(one)).collect();
                    if !missing.is_empty() {
                        stack.extend(missing);
                        continue;
                    }
                    let (left, right) = (*arguments.first()?, *arguments.get(1)?);
                    let (left, right) = (self.signed(left)?, self.signed(right)?);
                    MonitorGate::And(left, right)
                }
                _ => return None,
            };
            let number = self.push(gate);
            self.known.insert(line, number);
            stack.pop();
        }
        self.signed(argument)
    }

    fn signed(&mut self, argument: Argument) -> Option<usize> {
        let gate = *self.known.get(&argument.line)?;
        match (argument.negated, self.gates[gate]) {
            (false, _) => Some(gate),
            (true, MonitorGate::Constant(truth)) => Some(self.push(MonitorGate::Constant(!truth))),
            (true, _) => Some(self.push(MonitorGate::Not(gate))),
        }
    }
}

/// A monitor's gates as lines of a circuit.
fn wiring(
    circuit: &mut Btor2,
    monitor: &Monitor<usize>,
    atoms: &[LineIndex],
    number: usize,
) -> Vec<Argument> {
    let bit = BitSort::Bits(1);
    let constant = circuit.add(
        Node::Constant {
            width: 1,
            bits: Arc::new(BigUint::from(0_u8)),
        },
        None,
    );
    let truth = |truth: bool| Argument {
        line: constant,
        negated: truth,
    };
    let registers: Vec<LineIndex> = (0..monitor.registers.len())
        .map(|place| circuit.add(Node::State(bit), Some(format!("{OWN}m{number}$r{place}"))))
        .collect();
    for (&state, register) in registers.iter().zip(&monitor.registers) {
        let value = truth(register.initial);
        circuit.add(Node::Init { state, value }, None);
    }
    let choices: Vec<LineIndex> = (0..monitor.choices)
        .map(|place| circuit.add(Node::Input(bit), Some(format!("{OWN}m{number}$c{place}"))))
        .collect();
    let mut wire: Vec<Argument> = Vec::with_capacity(monitor.gates.len());
    let of = |wire: &[Argument], gate: GateId| wire[gate.0 as usize];
    for gate in &monitor.gates {
        wire.push(match *gate {
            Gate::Constant(value) => truth(value),
            Gate::Atom(atom) => Argument::plain(atoms[atom]),
            Gate::Register(place) => Argument::plain(registers[place as usize]),
            Gate::Choice(place) => Argument::plain(choices[place as usize]),
            Gate::Not(inner) => {
                let inner = of(&wire, inner);
                Argument {
                    negated: !inner.negated,
                    ..inner
                }
            }
            Gate::And(left, right) => {
                let arguments = vec![of(&wire, left), of(&wire, right)];
                Argument::plain(circuit.add(
                    Node::Operation {
                        sort: bit,
                        operator: Operator::And,
                        arguments,
                        numbers: Vec::new(),
                    },
                    None,
                ))
            }
        });
    }
    for (&state, register) in registers.iter().zip(&monitor.registers) {
        let value = of(&wire, register.next);
        circuit.add(Node::Next { state, value }, None);
    }
    wire
}
