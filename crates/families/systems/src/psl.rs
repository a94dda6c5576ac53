//! PSL's properties of SMV models: sequences in `PSLSPEC`.
//!
//! What is temporal logic in other words the reader has made formulas of; the rest comes here as text. Its Boolean expressions are read in the scope
//! of the model, its monitor becomes part of the model: a Boolean variable a register, a free one for each choice. What is asked is a formula, `G` that the monitor does
//! not accept, or that it does not do so again and again, so that fairness and dead ends count as they do for LTL.

use crate::asked::AskedAssertion;
use crate::assertions::OWN;
use crate::model::{Content, Undecided};
use entail_automata::assertion::{Acceptance, Gate, Monitor};
use entail_logic::psl::{self, ReplicatedValues, Replicator};
use entail_logic::{Assertion, Formula, Guard, Logic, Property, Question};
use entail_model::{Sort, TermId, TransitionSystem, VarKind};
use entail_smv::{Hidden, Scope, Unsupported};
use entail_source::{Diagnostic, Span};
use entail_systems_checker::{MonitorCircuit, MonitorGate, MonitorGoal};
use entail_systemverilog::Directive;

/// Makes properties of PSL's specifications; what cannot be read stays undecided.
pub(crate) fn add_specifications(content: &mut Content, written: Vec<Unsupported>) {
    let Some(mut scope) = content.scope.take() else {
        return;
    };
    for one in written {
        match specification(&mut content.system, &mut scope, &one, content.asked.len()) {
            Ok((property, asked)) => {
                let position = content.properties.len();
                content.asked_at.insert(position, content.asked.len());
                content.asked.push(asked);
                content.properties.push(property);
                content.places.push(one.span);
            }
            Err(reason) => {
                content.warnings.push(Diagnostic::warning(
                    "psl::unsupported",
                    reason.clone(),
                    one.span,
                    "this property is not checked",
                ));
                content.unsupported.push(Undecided {
                    name: None,
                    text: one.text,
                    place: Some(one.span),
                    reason,
                });
            }
        }
    }
    content.scope = Some(scope);
}

/// The text of a specification, its name, and the instance it is about.
fn parts(text: &str) -> (Option<&str>, &str, &str) {
    let (body, context) = match text.rfind(" IN ") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let body = body.trim().trim_end_matches(';').trim_end();
    let Some((name, rest)) = body.strip_prefix("NAME ").and_then(|rest| rest.split_once(":=")) else {
        return (None, body, context);
    };
    (Some(name.trim()), rest.trim(), context)
}

/// A name that a property is meant for each value of, as a variable that keeps whatever value it begins with: who looks for a violation chooses the value. Gives what the name meant before.
fn replicated(
    system: &mut TransitionSystem,
    scope: &mut Scope,
    replicator: &Replicator,
    variable: &str,
) -> Hidden {
    let sort = match &replicator.values {
        ReplicatedValues::Boolean => Sort::Bool,
        &ReplicatedValues::Words(width) => Sort::Word { width, signed: false },
        ReplicatedValues::Numbers(ranges) => {
            let low = ranges.iter().map(|range| range.0).min().unwrap_or(0);
            let high = ranges.iter().map(|range| range.1).max().unwrap_or(0);
            Sort::Range { low, high }
        }
    };
    let id = system.add_variable(variable, sort, VarKind::Frozen);
    let (now, next) = (system.current(id), system.next(id));
    let hidden = scope.bind(&replicator.name, now, next);
    if let ReplicatedValues::Numbers(ranges) = &replicator.values {
        let name = &replicator.name;
        let within = ranges
            .iter()
            .map(|(low, high)| format!("{name} in {low}..{high}"));
        let within: Vec<String> = within.collect();
        let read = scope.parse_property(system, &within.join(" | "), Logic::Invariant);
        if let Ok(Question::Invariant(term)) = read.map(|property| property.question) {
            system.init.push(term);
        }
    }
    hidden
}

/// A property whose Boolean expressions are read in the scope of an instance.
fn assertion(
    system: &mut TransitionSystem,
    scope: &mut Scope,
    (text, context): (&str, &str),
    atoms: &mut Vec<TermId>,
) -> Result<Assertion<usize>, Diagnostic> {
    let mut boolean = |text: &str, offset: usize| -> Result<Guard<usize>, Diagnostic> {
        let asked = format!("{text}{context}");
        let problem = |message: String| {
            let place = Span::new(offset, offset + text.len());
            Diagnostic::error("psl::expression", message, place, "here")
        };
        let read = scope.parse_property(system, &asked, Logic::Invariant);
        let read = read.map_err(|problems| {
            let first = problems.0.first().map(|one| one.message.clone());
            problem(first.unwrap_or_else(|| "this is no expression".to_owned()))
        })?;
        let Question::Invariant(term) = read.question else {
            return Err(problem("this is no Boolean expression".to_owned()));
        };
        let place = atoms.iter().position(|&known| known == term);
        Ok(Guard::Atom(place.unwrap_or_else(|| {
            atoms.push(term);
            atoms.len() - 1
        })))
    };
    psl::read(text, &mut boolean)
}

fn specification(
    system: &mut TransitionSystem,
    scope: &mut Scope,
    written: &Unsupported,
    number: usize,
) -> Result<(Property<TermId>, AskedAssertion), String> {
    let (name, text, context) = parts(&written.text);
    let (replicators, begin) = psl::replicators(text).map_err(|problem| problem.message)?;
    let mut hidden = Vec::with_capacity(replicators.len());
    for (place, replicator) in replicators.iter().enumerate() {
        let variable = format!("{OWN}psl{number}$f{place}");
        hidden.push(replicated(system, scope, replicator, &variable));
    }
    let mut atoms: Vec<TermId> = Vec::new();
    let read = assertion(system, scope, (&text[begin..], context), &mut atoms);
    hidden.into_iter().rev().for_each(|name| scope.unbind(name));
    let assertion = read.map_err(|problem| problem.message)?;

    let monitor = Monitor::of_violations(&assertion)
        .map_err(|_| "the automaton of this property would be too large".to_owned())?;
    let wires = wired(system, &monitor, &atoms, number);
    let (signal, goal) = match monitor.acceptance {
        Acceptance::Reached(gate) => (gate, MonitorGoal::Reached(gate.0 as usize)),
        Acceptance::Recurring(gate) => (gate, MonitorGoal::Recurring(gate.0 as usize)),
    };
    let quiet = Formula::atom(system.terms.not(wires[signal.0 as usize]));
    let formula = match goal {
        MonitorGoal::Reached(_) => quiet.globally(),
        _ => quiet.globally().finally(),
    };
    let property = Property {
        name: name.map(str::to_owned),
        text: format!("{text}{context}"),
        logic: Logic::Ltl,
        question: Question::Formula(formula.forall()),
    };
    let asked = AskedAssertion {
        name: format!("{OWN}psl{number}"),
        directive: Directive::Assert,
        text: property.text.clone(),
        place: written.span,
        monitor: Some(described(&monitor, goal)),
        assertion: Some(assertion),
        atoms: vec![String::new(); atoms.len()],
        terms: atoms,
        locals: None,
        ends: Vec::new(),
    };
    Ok((property, asked))
}

/// A monitor's gates as terms of a system, its registers as variables.
fn wired(
    system: &mut TransitionSystem,
    monitor: &Monitor<usize>,
    atoms: &[TermId],
    number: usize,
) -> Vec<TermId> {
    let mut variable = |kind: &str, place: usize| {
        let name = format!("{OWN}psl{number}{kind}{place}");
        system.add_variable(name, Sort::Bool, VarKind::State)
    };
    let registers: Vec<_> = (0..monitor.registers.len())
        .map(|place| variable("$r", place))
        .collect();
    let choices: Vec<_> = (0..monitor.choices as usize)
        .map(|place| variable("$c", place))
        .collect();
    let mut wires: Vec<TermId> = Vec::with_capacity(monitor.gates.len());
    for gate in &monitor.gates {
        wires.push(match *gate {
            Gate::Constant(truth) => system.terms.truth(truth),
            Gate::Atom(atom) => atoms[atom],
            Gate::Register(place) => system.current(registers[place as usize]),
            Gate::Choice(place) => system.current(choices[place as usize]),
            Gate::Not(inner) => system.terms.not(wires[inner.0 as usize]),
            Gate::And(left, right) => {
                let both = [wires[left.0 as usize], wires[right.0 as usize]];
                system.terms.and(both)
            }
        });
    }
    for (&variable, register) in registers.iter().zip(&monitor.registers) {
        let now = system.current(variable);
        let first = match register.initial {
            true => now,
            false => system.terms.not(now),
        };
        system.init.push(first);
        let next = system.next(variable);
        let step = system.terms.iff(next, wires[register.next.0 as usize]);
        system.transition.push(step);
    }
    wires
}

/// A monitor as the checker takes it.
pub(crate) fn described(monitor: &Monitor<usize>, goal: MonitorGoal) -> MonitorCircuit {
    let gates = monitor.gates.iter().map(|gate| match *gate {
        Gate::Constant(truth) => MonitorGate::Constant(truth),
        Gate::Atom(atom) => MonitorGate::Atom(atom),
        Gate::Register(place) => MonitorGate::Register(place as usize),
        Gate::Choice(place) => MonitorGate::Choice(place as usize),
        Gate::Not(inner) => MonitorGate::Not(inner.0 as usize),
        Gate::And(left, right) => MonitorGate::And(left.0 as usize, right.0 as usize),
    });
    let registers = monitor.registers.iter();
    MonitorCircuit {
        gates: gates.collect(),
        registers: registers
            .map(|register| (register.initial, register.next.0 as usize))
            .collect(),
        goal,
    }
}
