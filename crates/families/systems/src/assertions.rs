//! SystemVerilog's assertions in an elaborated design: from wires to monitors, and back to the property when evidence is judged.
//!
//! The reader has put a wire in the place of every Boolean expression; the elaborated circuit has these wires under every instance of their module. For each
//! instance the property is made from them, its monitor becomes part of the circuit, and what the monitor accepts by is a bad state (finitely many letters
//! tell) or a justice property. Assumptions are monitors, too: constraints, and fairness where something must happen. Judging evidence, the monitor is
//! not believed: the property itself is evaluated on the values that its wires have on the trace.

use crate::asked::AskedAssertion;
use crate::attempt_values::{LocalPart, Unsampled, drive_end, freeze, replicate};
use crate::branching::{Branches, BranchingProperty, settled};
use crate::model::Undecided;
use crate::project::Wanted;
use crate::watch::watch;
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_source::Diagnostic;
use entail_systems_checker::assignments;
use entail_systemverilog::{
    Check, Claim, Design, Directive, Edge, EndPoint, Form, IMMEDIATE, Timing, atom_wire, bound_wire,
    clock_wire, end_wire, gate_wire, local_wire, marker_of, replicated_wire, value_wire,
};
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// What the names of covers begin with in a circuit: reaching the bad state is the good news.
pub(crate) const COVER: &str = "entail$cover$";

/// What the names of a monitor's own parts begin with.
pub(crate) const OWN: &str = "entail$";

/// A circuit with monitors.
#[derive(Debug, Default)]
pub(crate) struct Woven {
    pub(crate) circuit: Btor2,
    pub(crate) asked: Vec<AskedAssertion>,
    /// What is not decided.
    pub(crate) unsupported: Vec<Undecided>,
    /// Assertions without what follows their antecedents: a violation of one shows that the antecedent matches.
    pub(crate) premises: Vec<AskedAssertion>,
    /// Properties that need no monitor.
    pub(crate) branching: Vec<BranchingProperty>,
}

/// What is wrong with checks: the names of instances where these are known, and the numbers of the checks.
pub(crate) type Problems = Vec<(Option<String>, usize, Diagnostic)>;

/// A property of an instance, and where it is found in the circuit.
struct Instance {
    asked: AskedAssertion,
    /// The number of the check.
    check: usize,
    /// The lines of its atoms.
    atoms: Vec<LineIndex>,
    /// For each of its clocks, the line of the signal and that of its condition.
    clocks: Vec<(Option<LineIndex>, Option<LineIndex>)>,
    /// The lines of its local variables, and of the names it is meant for each value of.
    locals: Vec<LineIndex>,
    /// The lines of the values that these get.
    values: Vec<Option<LineIndex>>,
    replicated: Vec<LineIndex>,
    /// The end points it reads, with their wires.
    ends: Vec<(EndPoint, (LineIndex, String))>,
}

pub(crate) fn dropped(check: &Check) -> Diagnostic {
    let message = "the elaborator has dropped a part of this property";
    Diagnostic::error("sva::elaboration", message, check.span, "here")
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
pub(crate) fn weave(
    design: &Design,
    mut circuit: Btor2,
    top: &str,
    timing: Timing,
    wanted: Wanted,
) -> Result<Woven, Vec<Diagnostic>> {
    let mut problems = Problems::new();
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
    let mut branches = Vec::new();
    let found = (&mut problems, &mut branches);
    let mut instances = instances(design, &circuit, timing, found, &mut named);
    branches.retain(|_| wanted.asks(Directive::Assert));
    let branching = settled(design, &mut circuit, branches, &mut problems);
    for instance in &mut instances {
        instance.asked.directive = wanted.directive(&design.checks[instance.check], top);
    }
    instances.retain(|instance| wanted.asks(instance.asked.directive));
    problems.retain(|(_, number, _)| wanted.asks(design.checks[*number].directive));
    let mut asked = name_immediate(design, &mut circuit, wanted, &mut named);
    let mut ticking = BTreeSet::new();
    let mut waiting = Vec::new();
    // Every monitor has a number of its own.
    let first = asked.len();
    let count = instances.len();
    // (So have the circuits of end points, behind those of premises.)
    let mut last = first + 2 * count;
    let mut checks = BTreeMap::new();
    for (place, mut instance) in instances.into_iter().enumerate() {
        let number = first + place;
        checks.insert(number, instance.check);
        let atoms = letters(
            &mut circuit,
            &design.checks[instance.check],
            &mut instance,
            number,
            timing,
        );
        if timing == Timing::Edges {
            let clocks = atoms.iter().skip(instance.atoms.len()).zip(&instance.clocks);
            ticking.extend(
                clocks
                    .filter(|(_, (_, gate))| gate.is_none())
                    .map(|(&tick, _)| tick),
            );
        }
        let mut one = instance.asked;
        let check = &design.checks[instance.check];
        let prepared = replicate(&mut circuit, &one, check, &instance.replicated)
            .and_then(|()| freeze(&mut circuit, &mut one, check, &instance.locals, number))
            .and_then(|()| {
                for (end, (line, wire)) in &instance.ends {
                    let place = (last, check.span);
                    let driven = drive_end(&mut circuit, end, (wire.clone(), *line), &atoms, place)?;
                    one.ends.push(driven);
                    last += 1;
                }
                Ok(())
            });
        match prepared {
            Ok(()) => waiting.push((number, one, atoms)),
            Err(problem) => problems.push((Some(one.name), instance.check, problem)),
        }
    }
    let watched = watch(&mut circuit, waiting, first + count);
    for (number, one, problem) in watched.too_large {
        let check = checks.get(&number).copied().unwrap_or_default();
        problems.push((Some(one.name), check, problem));
    }
    asked.extend(watched.asked);
    let premises = watched.premises;
    // Where clocks are signals like others, runs on which they stand still say nothing about what must happen.
    for tick in ticking {
        circuit.add(Node::Fair(Argument::plain(tick)), None);
    }
    let (unsupported, refused) = set_aside(design, top, problems);
    match refused.is_empty() {
        true => Ok(Woven {
            circuit,
            asked,
            unsupported,
            premises,
            branching,
        }),
        false => Err(refused),
    }
}

/// Immediate assertions are bad states already: they get their names. Those that are not asked become outputs.
fn name_immediate(
    design: &Design,
    circuit: &mut Btor2,
    wanted: Wanted,
    named: &mut dyn FnMut(&Check, &str) -> String,
) -> Vec<AskedAssertion> {
    let places = immediate_places(design);
    let mut asked = Vec::new();
    for position in 0..circuit.nodes.len() {
        if !matches!(circuit.nodes[position], Node::Bad(_)) {
            continue;
        }
        let Some((prefix, number)) = circuit.symbols[position]
            .as_deref()
            .and_then(|name| immediate(name, &places))
        else {
            continue;
        };
        let check = design.checks.get(number);
        if let Some(check) = check.filter(|check| check.form == Form::Immediate) {
            if !wanted.asks(check.directive) || check.problem.is_some() {
                if let Node::Bad(signal) = circuit.nodes[position] {
                    circuit.nodes[position] = Node::Output(signal);
                }
                continue;
            }
            let name = named(check, outside(prefix, check));
            circuit.symbols[position] = Some(symbol(check.directive, &name));
            asked.push(AskedAssertion {
                name,
                directive: check.directive,
                text: check.text.clone(),
                place: check.span,
                assertion: None,
                atoms: Vec::new(),
                terms: Vec::new(),
                monitor: None,
                locals: None,
                ends: Vec::new(),
            });
        }
    }
    asked
}

/// Checks that nobody can decide, each with its reason, and what refuses the design.
fn set_aside(design: &Design, top: &str, problems: Problems) -> (Vec<Undecided>, Vec<Diagnostic>) {
    let unread = design.checks.iter().enumerate();
    let unread = unread.filter_map(|(number, check)| Some((None, number, check.problem.clone()?)));
    let mut unsupported = Vec::new();
    let mut refused = Vec::new();
    for (name, number, problem) in problems.into_iter().chain(unread) {
        let check = &design.checks[number];
        match check.directive {
            // Without an assumption, what fails may be a mistake.
            Directive::Assume => refused.push(problem),
            Directive::Assert | Directive::Cover => unsupported.push(Undecided {
                name: Some(name.unwrap_or_else(|| format!("{top}.{}", check.name))),
                text: check.text.clone(),
                place: Some(check.span),
                reason: problem.message,
            }),
        }
    }
    (unsupported, refused)
}

/// Where immediate assertions stand in the text that the elaborator reads: line and column, and the number of the check.
fn immediate_places(design: &Design) -> BTreeMap<(usize, usize), usize> {
    let mut places = BTreeMap::new();
    for (line, text) in design.text.lines().enumerate() {
        for (column, _) in text.match_indices(IMMEDIATE) {
            if let Some(number) = leading_number(&text[column + IMMEDIATE.len()..]) {
                places.insert((line + 1, column + 1), number);
            }
        }
    }
    places
}

fn leading_number(text: &str) -> Option<usize> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..digits].parse().ok()
}

/// The immediate assertion that a bad state is, with the instance it stands in: by its label, or by its place.
fn immediate<'n>(name: &'n str, places: &BTreeMap<(usize, usize), usize>) -> Option<(&'n str, usize)> {
    if let Some((prefix, label)) = parted(name, IMMEDIATE) {
        return Some((prefix, leading_number(&label[IMMEDIATE.len()..])?));
    }
    // (Some versions of yosys begin a region behind the last token before it.)
    let (_, region) = name.split_once(':')?;
    let (from, to) = region.split_once('-')?;
    let place = |text: &str| {
        let (line, column) = text.split_once('.')?;
        Some((line.parse().ok()?, column.parse().ok()?))
    };
    let within: Range<(usize, usize)> = place(from)?..place(to)?;
    if within.is_empty() {
        return None;
    }
    let (_, number) = places.range(within).next()?;
    Some(("", *number))
}

/// The instance that a check stands in: without the blocks that are part of the check's name.
fn outside<'n>(prefix: &'n str, check: &Check) -> &'n str {
    let blocks = check.name.rfind('.').map_or("", |at| &check.name[..=at]);
    prefix.strip_suffix(blocks).unwrap_or(prefix)
}

/// The lines of a property's letters: its atoms and its clocks. Where letters are steps, atoms have the values that they had a step before, and a clock is
/// true where it has ticked since.
fn letters(
    circuit: &mut Btor2,
    check: &Check,
    instance: &mut Instance,
    number: usize,
    timing: Timing,
) -> Vec<LineIndex> {
    let mut lines = instance.atoms.clone();
    let is_edge = |clock: &String| Edge::of(clock).is_some_and(|edge| edge.rises.is_some());
    // (What is asked of every step is asked of its own values.)
    let is_sampled = timing == Timing::Edges && check.clocks.iter().any(is_edge);
    if is_sampled {
        let unsampled = instance.asked.atoms.clone();
        for (place, line) in lines.iter_mut().enumerate() {
            let name = format!("{OWN}s{number}$a{place}");
            *line = before(circuit, *line, Some(name.clone()));
            instance.asked.atoms[place] = name;
        }
        sample_locals(circuit, instance, &mut lines, number, unsampled);
    }
    if timing == Timing::Ticks && instance.clocks.iter().all(|(_, gate)| gate.is_none()) {
        return lines;
    }
    let bit = BitSort::Bits(1);
    let and = |circuit: &mut Btor2, arguments: Vec<Argument>, name: Option<String>| {
        let node = Node::Operation {
            sort: bit,
            operator: Operator::And,
            arguments,
            numbers: Vec::new(),
        };
        circuit.add(node, name)
    };
    for (place, (signal, gate)) in instance.clocks.clone().into_iter().enumerate() {
        let rises = Edge::of(&check.clocks[place]).and_then(|edge| edge.rises);
        let mut parts = Vec::new();
        if let (Timing::Edges, Some(signal), Some(rises)) = (timing, signal, rises) {
            let old = before(circuit, signal, None);
            let negated = |line: LineIndex, negated: bool| Argument { line, negated };
            parts.extend([negated(old, rises), negated(signal, !rises)]);
            // In the first step there is no step before: nothing has ticked.
            parts.push(Argument::plain(started(circuit)));
        }
        if let Some(gate) = gate {
            let gate = match is_sampled {
                false => gate,
                true => before(circuit, gate, None),
            };
            parts.push(Argument::plain(gate));
        }
        let truth = circuit.add(
            Node::Constant {
                width: 1,
                bits: Arc::new(BigUint::from(1_u8)),
            },
            None,
        );
        let whole = parts.into_iter().reduce(|left, right| {
            let both = and(circuit, vec![left, right], None);
            Argument::plain(both)
        });
        let whole = whole.unwrap_or(Argument::plain(truth));
        let name = format!("{OWN}s{number}$c{place}");
        lines.push(and(
            circuit,
            vec![whole, Argument::plain(truth)],
            Some(name.clone()),
        ));
        instance.asked.atoms.push(name);
    }
    lines
}

/// The values that local variables get, a step before; and the comparisons of these with the variables, which are the letters' atoms.
fn sample_locals(
    circuit: &mut Btor2,
    instance: &mut Instance,
    lines: &mut [LineIndex],
    number: usize,
    unsampled: Vec<String>,
) {
    let Some(part) = &mut instance.asked.locals else {
        return;
    };
    let values = part.values.clone();
    let mut sampled = BTreeMap::new();
    for (local, value, equal) in assignments(&part.assertion) {
        let (local, value) = (local.0 as usize, value as usize);
        let (Some(&local), Some(Some(line))) = (instance.locals.get(local), instance.values.get(value))
        else {
            continue;
        };
        let name = format!("{OWN}s{number}$w{value}");
        let before = *sampled
            .entry(value)
            .or_insert_with(|| before(circuit, *line, Some(name.clone())));
        part.values[value] = name;
        let same = Node::Operation {
            sort: BitSort::Bits(1),
            operator: Operator::Eq,
            arguments: vec![Argument::plain(before), Argument::plain(local)],
            numbers: Vec::new(),
        };
        let name = format!("{OWN}s{number}$e{equal}");
        lines[equal] = circuit.add(same, Some(name.clone()));
        instance.asked.atoms[equal] = name;
    }
    part.unsampled = Some(Unsampled {
        atoms: unsampled,
        values,
        ..Unsampled::default()
    });
}

/// The value of a word a step before; zero in the first step.
fn before(circuit: &mut Btor2, line: LineIndex, name: Option<String>) -> LineIndex {
    let width = match circuit.node(line).sort() {
        Some(BitSort::Bits(width)) => width,
        _ => 1,
    };
    // (A first value stands before its state.)
    let zero = circuit.add(
        Node::Constant {
            width,
            bits: Arc::new(BigUint::from(0_u8)),
        },
        None,
    );
    let state = circuit.add(Node::State(BitSort::Bits(width)), name);
    let value = Argument::plain(zero);
    circuit.add(Node::Init { state, value }, None);
    let value = Argument::plain(line);
    circuit.add(Node::Next { state, value }, None);
    state
}

/// A bit that is false in the first step and true in all others.
fn started(circuit: &mut Btor2) -> LineIndex {
    let one = circuit.add(
        Node::Constant {
            width: 1,
            bits: Arc::new(BigUint::from(1_u8)),
        },
        None,
    );
    before(circuit, one, None)
}

pub(crate) fn symbol(directive: Directive, name: &str) -> String {
    match directive {
        Directive::Cover => format!("{COVER}{name}"),
        Directive::Assert | Directive::Assume => name.to_owned(),
    }
}

/// The properties of all instances, in the order of the text.
fn instances(
    design: &Design,
    circuit: &Btor2,
    timing: Timing,
    (problems, branches): (&mut Problems, &mut Vec<Branches>),
    named: &mut dyn FnMut(&Check, &str) -> String,
) -> Vec<Instance> {
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
        if check.only.as_deref().is_some_and(|only| only != prefix) || check.problem.is_some() {
            continue;
        }
        let bound = |bound: usize| wires.constant(&format!("{prefix}{}", bound_wire(number, bound)));
        let line = |name: &str| wires.lines.get(name).copied();
        let atoms: Vec<String> = (0..check.atoms)
            .map(|atom| format!("{prefix}{}", atom_wire(number, atom)))
            .collect();
        let lines: Option<Vec<LineIndex>> = atoms.iter().map(|name| line(name)).collect();
        let clocks = (0..check.clocks.len()).map(|clock| {
            let signal = line(&format!("{prefix}{}", clock_wire(number, clock)));
            (signal, line(&format!("{prefix}{}", gate_wire(number, clock))))
        });
        let clocks: Vec<_> = clocks.collect();
        let is_lost = |(clock, (signal, gate)): (&String, &(Option<LineIndex>, Option<LineIndex>))| {
            let edge = Edge::of(clock);
            let wants_gate = edge.as_ref().is_some_and(|edge| edge.gate.is_some());
            let wants_signal = timing == Timing::Edges && edge.is_some_and(|edge| edge.rises.is_some());
            (wants_signal && signal.is_none()) || (wants_gate && gate.is_none())
        };
        let name = named(check, prefix);
        let (Some(lines), false) = (lines, check.clocks.iter().zip(&clocks).any(is_lost)) else {
            problems.push((Some(name), number, dropped(check)));
            continue;
        };
        let meaning = match design.assertion(number, timing, &bound) {
            Ok(meaning) => meaning,
            Err(problem) => {
                problems.push((Some(name), number, problem));
                continue;
            }
        };
        let assertion = match meaning.claim {
            Claim::Linear(assertion) => assertion,
            Claim::Branching(formula) => {
                let said = (name, check.text.clone(), check.span);
                let replicated = (0..check.replicated.len())
                    .filter_map(|name| line(&format!("{prefix}{}", replicated_wire(number, name))));
                branches.push(Branches {
                    property: BranchingProperty::of(said, &formula, &atoms),
                    check: number,
                    replicated: replicated.collect(),
                    lines,
                });
                continue;
            }
        };
        let wire = |name: String| Some((line(&name)?, name));
        let locals: Option<Vec<_>> = (0..check.locals.len())
            .map(|local| line(&format!("{prefix}{}", local_wire(number, local))))
            .collect();
        let values = (0..meaning.values).map(|value| format!("{prefix}{}", value_wire(number, value)));
        let ends: Option<Vec<_>> = (0..meaning.ends.len())
            .map(|end| wire(format!("{prefix}{}", end_wire(number, end))))
            .collect();
        let replicated: Option<Vec<_>> = (0..check.replicated.len())
            .map(|name| line(&format!("{prefix}{}", replicated_wire(number, name))))
            .collect();
        let (Some(local_lines), Some(ends), Some(replicated)) = (locals, ends, replicated) else {
            problems.push((Some(name), number, dropped(check)));
            continue;
        };
        let locals = (!local_lines.is_empty()).then(|| LocalPart {
            assertion: assertion.clone(),
            variables: Vec::new(),
            values: values.collect(),
            places: Vec::new(),
            terms: Vec::new(),
            unsampled: None,
        });
        let value_lines = locals
            .as_ref()
            .map(|part| part.values.iter().map(|name| line(name)).collect());
        let asked = AskedAssertion {
            name,
            directive: check.directive,
            text: check.text.clone(),
            place: check.span,
            assertion: Some(assertion),
            atoms,
            terms: Vec::new(),
            monitor: None,
            locals,
            ends: Vec::new(),
        };
        found.push(Instance {
            asked,
            check: number,
            atoms: lines,
            clocks,
            locals: local_lines,
            values: value_lines.unwrap_or_default(),
            replicated,
            ends: meaning.ends.into_iter().zip(ends).collect(),
        });
    }
    found
}
