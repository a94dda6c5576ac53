//! SystemVerilog's assertions in an elaborated design: from wires to monitors, and back to the property when evidence is judged.
//!
//! The reader has put a wire in the place of every Boolean expression; the elaborated circuit has these wires under every instance of their module. For each
//! instance the property is made from them, its monitor becomes part of the circuit, and what the monitor accepts by is a bad state (finitely many letters
//! tell) or a justice property. Assumptions are monitors, too: constraints, and fairness where something must happen. Judging evidence, the monitor is
//! not believed: the property itself is evaluated on the values that its wires have on the trace.

use entail_automata::assertion::{Acceptance, Gate, GateId, Monitor};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_evidence::{CheckReport, DeadEnds, Trace, Truth};
use entail_logic::Assertion;
use entail_model::{TermId, TransitionSystem};
use entail_source::{Diagnostic, Span};
use entail_systems_checker::{AssertionWord, PathEnd, PathWord, View};
use entail_systemverilog::{Check, Design, Directive, Form, IMMEDIATE, atom_wire, bound_wire, marker_of};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the names of covers begin with in a circuit: reaching the bad state is the good news.
pub(crate) const COVER: &str = "entail$cover$";

/// What the names of a monitor's own parts begin with.
pub(crate) const OWN: &str = "entail$";

/// A property of an instance.
#[derive(Clone, Debug)]
pub(crate) struct AskedAssertion {
    /// Its name in reports.
    pub(crate) name: String,
    pub(crate) directive: Directive,
    /// Its text.
    pub(crate) text: String,
    pub(crate) place: Span,
    /// What it says; nothing if the elaborator has made a bad state of it.
    pub(crate) assertion: Option<Assertion<usize>>,
    /// The wires of its atoms.
    atoms: Vec<String>,
    /// The same in the model.
    terms: Vec<TermId>,
}

/// A circuit with monitors.
#[derive(Debug, Default)]
pub(crate) struct Woven {
    pub(crate) circuit: Btor2,
    pub(crate) asked: Vec<AskedAssertion>,
}

/// The wires of a circuit by name.
struct Wires<'c> {
    circuit: &'c Btor2,
    lines: BTreeMap<&'c str, LineIndex>,
}

impl<'c> Wires<'c> {
    fn new(circuit: &'c Btor2) -> Wires<'c> {
        let named = circuit.lines().filter(|(_, node)| node.sort().is_some());
        let lines = named.filter_map(|(line, _)| Some((circuit.symbols[line.index()].as_deref()?, line)));
        Wires {
            circuit,
            lines: lines.collect(),
        }
    }

    /// The number that a wire always has.
    fn constant(&self, name: &str) -> Option<u32> {
        let mut line = *self.lines.get(name)?;
        loop {
            match self.circuit.node(line) {
                Node::Constant { bits, .. } => return u32::try_from(&**bits).ok(),
                Node::Operation {
                    operator: Operator::Uext,
                    arguments,
                    ..
                } if !arguments[0].negated => line = arguments[0].line,
                _ => return None,
            }
        }
    }
}

/// The part of a hierarchical name before its last part, and the last part, which begins with `begin`.
fn parted<'n>(name: &'n str, begin: &str) -> Option<(&'n str, &'n str)> {
    let at = name.rfind(begin)?;
    (at == 0 || name[..at].ends_with('.')).then(|| name.split_at(at))
}

/// The circuit of a design whose assertions are monitors, and what each of them asks.
pub(crate) fn weave(design: &Design, mut circuit: Btor2, top: &str) -> Result<Woven, Vec<Diagnostic>> {
    let mut problems = Vec::new();
    let mut asked = Vec::new();
    let mut names = BTreeSet::new();
    let mut named = |check: &Check, prefix: &str| {
        let wanted = format!("{top}.{prefix}{}", check.name);
        let mut name = wanted.clone();
        let mut number = 2;
        while !names.insert(name.clone()) {
            name = format!("{wanted}#{number}");
            number += 1;
        }
        name
    };
    let instances = instances(design, &circuit, &mut problems, &mut named);
    // Immediate assertions are bad states already; they get their names.
    for position in 0..circuit.nodes.len() {
        if !matches!(circuit.nodes[position], Node::Bad(_)) {
            continue;
        }
        let Some((prefix, label)) = circuit.symbols[position]
            .as_deref()
            .and_then(|name| parted(name, IMMEDIATE))
        else {
            continue;
        };
        let digits: String = label[IMMEDIATE.len()..]
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        let check = digits
            .parse()
            .ok()
            .and_then(|number: usize| design.checks.get(number));
        if let Some(check) = check.filter(|check| check.form == Form::Immediate) {
            let name = named(check, prefix);
            circuit.symbols[position] = Some(symbol(check.directive, &name));
            asked.push(AskedAssertion {
                name,
                directive: check.directive,
                text: check.text.clone(),
                place: check.span,
                assertion: None,
                atoms: Vec::new(),
                terms: Vec::new(),
            });
        }
    }
    for (one, lines) in instances {
        if let Err(problem) = add_monitor(&mut circuit, &one, &lines, asked.len()) {
            problems.push(problem);
        }
        asked.push(one);
    }
    match problems.is_empty() {
        true => Ok(Woven { circuit, asked }),
        false => Err(problems),
    }
}

fn symbol(directive: Directive, name: &str) -> String {
    match directive {
        Directive::Cover => format!("{COVER}{name}"),
        Directive::Assert | Directive::Assume => name.to_owned(),
    }
}

/// The properties of all instances, in the order of the text, with the lines of their atoms.
fn instances(
    design: &Design,
    circuit: &Btor2,
    problems: &mut Vec<Diagnostic>,
    named: &mut dyn FnMut(&Check, &str) -> String,
) -> Vec<(AskedAssertion, Vec<LineIndex>)> {
    let wires = Wires::new(circuit);
    let mut places = BTreeSet::new();
    for name in wires.lines.keys() {
        if let Some((prefix, wire)) = parted(name, "entail$p")
            && let Some(check) = marker_of(wire)
            && check < design.checks.len()
        {
            places.insert((check, prefix));
        }
    }
    let mut found = Vec::new();
    for (number, prefix) in places {
        let check = &design.checks[number];
        let bound = |bound: usize| wires.constant(&format!("{prefix}{}", bound_wire(number, bound)));
        let assertion = match design.assertion(number, &bound) {
            Ok(assertion) => assertion,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let atoms: Vec<String> = (0..check.atoms)
            .map(|atom| format!("{prefix}{}", atom_wire(number, atom)))
            .collect();
        let lines: Option<Vec<LineIndex>> = atoms
            .iter()
            .map(|name| wires.lines.get(name.as_str()).copied())
            .collect();
        let Some(lines) = lines else {
            let message = "the elaborator has dropped a part of this property";
            problems.push(Diagnostic::error("sva::elaboration", message, check.span, "here"));
            continue;
        };
        let asked = AskedAssertion {
            name: named(check, prefix),
            directive: check.directive,
            text: check.text.clone(),
            place: check.span,
            assertion: Some(assertion),
            atoms,
            terms: Vec::new(),
        };
        found.push((asked, lines));
    }
    found
}

/// Adds the monitor of a property, and what it is asked for.
fn add_monitor(
    circuit: &mut Btor2,
    asked: &AskedAssertion,
    atoms: &[LineIndex],
    number: usize,
) -> Result<(), Diagnostic> {
    let Some(assertion) = &asked.assertion else {
        return Ok(());
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
    match (asked.directive, monitor.acceptance) {
        (Directive::Assume, Acceptance::Recurring(gate) | Acceptance::Reached(gate)) => {
            let alive = wire[monitor.alive.0 as usize];
            circuit.add(Node::Constraint(alive), None);
            if gate != monitor.alive {
                circuit.add(Node::Fair(wire[gate.0 as usize]), None);
            }
        }
        (directive, Acceptance::Reached(gate)) => {
            let name = symbol(directive, &asked.name);
            circuit.add(Node::Bad(wire[gate.0 as usize]), Some(name));
        }
        (directive, Acceptance::Recurring(gate)) => {
            let name = symbol(directive, &asked.name);
            circuit.add(Node::Justice(vec![wire[gate.0 as usize]]), Some(name));
        }
    }
    Ok(())
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

impl AskedAssertion {
    /// Whether a monitor of ours watches it.
    pub(crate) fn has_monitor(&self) -> bool {
        self.assertion.is_some()
    }

    /// Finds the wires in the model.
    pub(crate) fn resolve(&mut self, system: &mut TransitionSystem) {
        let atoms = self.atoms.iter();
        self.terms = atoms.filter_map(|name| term_named(system, name)).collect();
    }

    /// The truth of the atoms on a trace, letter by letter, as far as it is known.
    fn word(&self, system: &TransitionSystem, trace: &Trace) -> Result<Vec<Vec<bool>>, String> {
        let end = PathEnd::of(trace, DeadEnds::Infinite);
        let path = PathWord::new(system, trace, end).ok_or("the trace is empty")?;
        let mut letters: Vec<Vec<bool>> = vec![Vec::new(); trace.steps.len()];
        let mut known = trace.steps.len();
        if self.terms.len() != self.atoms.len() {
            return Err("the model does not have all wires of the property".to_owned());
        }
        for &term in &self.terms {
            for (position, truth) in path.term(term).into_iter().enumerate() {
                match truth {
                    Truth::True => letters[position].push(true),
                    Truth::False => letters[position].push(false),
                    Truth::Unknown => known = known.min(position),
                }
            }
        }
        if trace.loop_start.is_some() && known < letters.len() {
            return Err("the trace leaves open what the wires are".to_owned());
        }
        letters.truncate(known);
        Ok(letters)
    }

    /// Whether a trace shows what is claimed: a violation of an assertion, a witness of a cover, on which the assumptions are met.
    pub(crate) fn check_trace(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> CheckReport {
        match self.shows(system, trace, assumed) {
            Ok(()) => CheckReport::Accepted,
            Err(problem) => CheckReport::rejected(problem),
        }
    }

    fn shows(
        &self,
        system: &TransitionSystem,
        trace: &Trace,
        assumed: &[&AskedAssertion],
    ) -> Result<(), String> {
        let Some(assertion) = &self.assertion else {
            return Ok(());
        };
        let letters = self.word(system, trace)?;
        let is_shown = |letters: &[Vec<bool>]| {
            let word = AssertionWord::new(letters.to_vec(), trace.loop_start);
            match self.directive {
                Directive::Cover => word.holds(assertion, View::Strong),
                Directive::Assert | Directive::Assume => !word.holds(assertion, View::Weak),
            }
        };
        if !is_shown(&letters) {
            return Err(match self.directive {
                Directive::Cover => "the property is not true of the trace",
                Directive::Assert | Directive::Assume => "the property is not false of the trace",
            }
            .to_owned());
        }
        // After the letter that decides, nothing is assumed.
        let needed = match trace.loop_start {
            Some(_) => letters.len(),
            None => (1..=letters.len())
                .find(|&count| is_shown(&letters[..count]))
                .unwrap_or(letters.len()),
        };
        for other in assumed {
            let Some(assumption) = &other.assertion else {
                continue;
            };
            let mut letters = other.word(system, trace)?;
            letters.truncate(needed);
            let word = AssertionWord::new(letters, trace.loop_start);
            if !word.holds(assumption, View::Weak) {
                return Err(format!("the assumption {} is not true of the trace", other.name));
            }
        }
        Ok(())
    }
}

fn term_named(system: &mut TransitionSystem, name: &str) -> Option<TermId> {
    let define = system.defines.iter().find(|define| &*define.name == name);
    match define {
        Some(define) => Some(define.term),
        None => {
            let variable = system.find_variable(name)?;
            Some(system.current(variable))
        }
    }
}
