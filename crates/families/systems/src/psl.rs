//! PSL's properties of SMV models: sequences in `PSLSPEC`, and verification units in files beside the model.
//!
//! What is temporal logic in other words the reader has made formulas of; the rest comes here as text. Its Boolean expressions are read in the scope
//! of the model, its monitor becomes part of the model: a Boolean variable a register, a free one for each choice. What is asked is a formula, `G` that the monitor does
//! not accept, or that it does not do so again and again, so that fairness and dead ends count as they do for LTL.

use crate::asked::AskedAssertion;
use crate::assertions::OWN;
use crate::model::{Content, Undecided};
use entail_automata::assertion::{Acceptance, Gate, Monitor};
use entail_logic::psl::{self, Flavour, Layer, ReplicatedValues, Replicator};
use entail_logic::{Formula, Guard, Logic, Property, Question};
use entail_model::{Sort, TermId, TransitionSystem, VarKind};
use entail_smv::{Hidden, Scope, Unsupported};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_systems_checker::{MonitorCircuit, MonitorGate, MonitorGoal};
use entail_systemverilog::{Directive, Said, UnitDirective, directives};

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

/// Makes atoms of Boolean expressions, which are read in the scope of an instance.
fn booleans<'a>(
    system: &'a mut TransitionSystem,
    scope: &'a mut Scope,
    context: &'a str,
    atoms: &'a mut Vec<TermId>,
) -> impl FnMut(&str, usize) -> Result<Guard<usize>, Diagnostic> + 'a {
    move |text: &str, offset: usize| -> Result<Guard<usize>, Diagnostic> {
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
    }
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
    let read = psl::read(&text[begin..], &mut booleans(system, scope, context, &mut atoms));
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

/// Adds what verification units in PSL files say of a model, in PSL's SMV flavour: assertions of linear and of branching time. Expressions are the model's, a unit is about `main` or about the
/// instance that it names, and every step is a tick. Places in problems are those in the files.
pub(crate) fn add_units(content: &mut Content, files: &Source, begin: usize) -> Result<(), Diagnostics> {
    let found = directives(&Source::new(files.name(), without_comments(files.text())))?;
    let Some(mut scope) = content.scope.take() else {
        return Ok(());
    };
    let mut problems = Vec::new();
    for directive in &found {
        let place = Span::new(directive.span.start + begin, directive.span.end + begin);
        match unit_property(content, &mut scope, directive, place) {
            Ok((property, asked)) => {
                let position = content.properties.len();
                if let Some(asked) = asked {
                    content.asked_at.insert(position, content.asked.len());
                    content.asked.push(asked);
                }
                content.places.resize(position, Span::default());
                content.properties.push(property);
                content.places.push(place);
            }
            Err(reason) => {
                problems.push(Diagnostic::error("psl::property", reason, directive.span, "here"));
            }
        }
    }
    content.scope = Some(scope);
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Diagnostics(problems)),
    }
}

fn unit_property(
    content: &mut Content,
    scope: &mut Scope,
    directive: &UnitDirective,
    place: Span,
) -> Result<(Property<TermId>, Option<AskedAssertion>), String> {
    if directive.said != Said::Assert {
        return Err(
            "only assertions are read of SMV models; what limits their behaviour is said by INVAR, TRANS and FAIRNESS"
                .to_owned(),
        );
    }
    if directive.clock.is_some() {
        return Err("an SMV model has no clock: every step is a tick".to_owned());
    }
    let context = match &directive.module {
        Some((name, _)) if name != "main" => format!(" IN {name}"),
        _ => String::new(),
    };
    let (system, name) = (&mut content.system, &directive.name);
    let text = directive.text().trim().to_owned();
    if psl::is_branching(&text, Flavour::Plain) {
        let mut atoms = Vec::new();
        let read = {
            let mut layer = EveryStep(booleans(system, scope, &context, &mut atoms));
            psl::read_branching_in(&text, Flavour::Plain, &mut layer)
        };
        let formula = read.map_err(|problem| problem.message)?;
        let property = Property {
            name: Some(name.clone()),
            text: format!("{text}{context}"),
            logic: Logic::Ctl,
            question: Question::Formula(formula.map_atoms(&mut |&atom: &usize| atoms[atom])),
        };
        return Ok((property, None));
    }
    let written = Unsupported {
        text: format!("NAME {name} := {text}{context}"),
        reason: String::new(),
        span: place,
    };
    let number = content.asked.len();
    specification(system, scope, &written, number).map(|(property, asked)| (property, Some(asked)))
}

/// Boolean expressions of a model without clocks.
struct EveryStep<B>(B);

impl<B: FnMut(&str, usize) -> Result<Guard<usize>, Diagnostic>> Layer<usize> for EveryStep<B> {
    fn boolean(&mut self, text: &str, at: usize) -> Result<Guard<usize>, Diagnostic> {
        (self.0)(text, at)
    }
}

/// A text in which comments as SMV writes them are blanks, so that all else is where it was.
fn without_comments(text: &str) -> String {
    let line = |line: &str| {
        let comment = line.find("--").unwrap_or(line.len());
        let (kept, gone) = line.split_at(comment);
        let blank = |letter: char| {
            if letter == '\n' {
                "\n".to_owned()
            } else {
                " ".repeat(letter.len_utf8())
            }
        };
        format!("{kept}{}", gone.chars().map(blank).collect::<String>())
    };
    text.split_inclusive('\n').map(line).collect()
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
