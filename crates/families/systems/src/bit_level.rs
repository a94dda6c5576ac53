//! Any finite model as a circuit of bits in AIGER, and a circuit of bits in BTOR2.
//!
//! The transition system is bit-blasted (`entail-sat`'s [`SystemCircuit`]); what AIGER has no words for is built from latches:
//!
//! - a condition on steps (a relation that is no function, a domain that is no power of two) must hold before the last position, while
//!   AIGER's constraints hold there too. A latch remembers that all steps so far were allowed, and *that* is the constraint;
//! - a condition on the first state is a constraint under a latch that is true at first only.
//!
//! In a model that came from a circuit, conditions on steps are its constraints, and stay what they were.
//!
//! | property | becomes |
//! |---|---|
//! | an invariant | a bad-state property |
//! | `A G p` where every state has a successor and there is no fairness | a bad-state property |
//! | `A !(G F p & G F q …)`, `A F G p`, fairness being justice | a justice property |
//! | any other path formula, and any under compassion | a justice property of a monitor, whose latches are added |
//! | a run-time error of the model | a further bad-state property |
//! | anything else | a note |

use crate::model::SystemModel;
use entail_aiger::{Aiger, Latch, Literal, Reset, SymbolKind};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node as Line, Operator};
use entail_budget::Budget;
use entail_inductive::{NoMonitor, justice_of_violations};
use entail_logic::{Formula, Node, Property, Quantifier, Question, Unary};
use entail_model::{Sort, TermId, TransitionSystem, VarKind};
use entail_sat::{Circuit, Init, NotEncoded, Signal, SystemCircuit, shape};
use std::sync::Arc;

/// What a property becomes.
enum Expressed {
    Bad(Signal),
    Justice(Vec<Signal>),
    Not(&'static str),
}

/// The circuit of a model, and what is worth knowing about it.
pub(crate) fn bit_circuit(model: &SystemModel) -> Result<(Aiger, Vec<String>), NotEncoded> {
    let system = model.system();
    let mut translated = SystemCircuit::new(system, &Budget::unlimited())?;
    let is_circuit = model.syntax.is_circuit();
    let mut notes = Vec::new();
    let mut bad: Vec<(String, Signal)> = Vec::new();
    let mut justice: Vec<(String, Vec<Signal>)> = Vec::new();
    for (number, property) in model.content.properties.iter().enumerate() {
        let name = property
            .name
            .clone()
            .unwrap_or_else(|| format!("{} (property {})", property.text, number + 1));
        // To CTL compassion is nothing, wherever the property is written.
        match express(model.subject(property), &mut translated, property, is_circuit)? {
            Expressed::Bad(signal) => bad.push((name, signal)),
            Expressed::Justice(signals) => justice.push((name, signals)),
            Expressed::Not(reason) => notes.push(format!("left out: {} ({reason})", property.text)),
        }
    }
    for one in &model.content.unsupported {
        notes.push(format!("left out: {} ({})", one.text, one.reason));
    }
    for hazard in &system.hazards {
        let (signal, place) = translated.observe(system, hazard.condition, true)?;
        let signal = translated.at(signal, place);
        if signal != Signal::FALSE {
            bad.push((format!("error: {}", hazard.message), signal));
        }
    }
    let hazards = system.hazards.len();
    if hazards > 0 {
        notes.push(format!(
            "{hazards} possible run-time errors of the model became further bad-state properties"
        ));
    }
    let mut fairness = Vec::new();
    for &term in &system.justice {
        fairness.push(translated.term(system, term)?);
    }
    let names = bit_names(system)?;
    let step = translated.step();
    let mut circuit = translated.circuit;
    bind(&mut circuit, step, is_circuit);
    circuit.bad = bad.iter().map(|&(_, signal)| signal).collect();
    circuit.justice = justice.iter().map(|(_, signals)| signals.clone()).collect();
    circuit.fairness = fairness;
    let mut aiger = of_circuit(&circuit);
    let mut name = |kind: SymbolKind, names: Vec<String>| {
        for (position, name) in names.into_iter().enumerate() {
            aiger.symbols.insert((kind, position as u32), name);
        }
    };
    name(SymbolKind::Input, names.inputs);
    name(SymbolKind::Latch, names.latches);
    name(SymbolKind::Bad, bad.into_iter().map(|(name, _)| name).collect());
    name(
        SymbolKind::Justice,
        justice.into_iter().map(|(name, _)| name).collect(),
    );
    Ok((aiger, notes))
}

fn express(
    system: &TransitionSystem,
    translated: &mut SystemCircuit,
    property: &Property<TermId>,
    is_circuit: bool,
) -> Result<Expressed, NotEncoded> {
    let violated = |translated: &mut SystemCircuit, atom: TermId| {
        let (signal, place) = translated.observe(system, atom, false)?;
        // A circuit's constraints bind the bad position anyway.
        Ok(if is_circuit {
            !signal
        } else {
            translated.at(!signal, place)
        })
    };
    let formula = match &property.question {
        Question::Invariant(atom) => return Ok(Expressed::Bad(violated(translated, *atom)?)),
        Question::Formula(formula) => formula,
        _ => return Ok(Expressed::Not("it asks for a number")),
    };
    let Node::Quantified(Quantifier::Forall, path) = formula.node() else {
        return Ok(Expressed::Not("it is not a property of single paths"));
    };
    // Elsewhere a violation may lie on no path that counts.
    if let Some(atom) = always(path)
        && translated.is_total_by_shape()
        && !system.has_fairness()
    {
        return Ok(Expressed::Bad(violated(translated, atom)?));
    }
    let Some(conditions) = recurring(path).filter(|_| system.compassion.is_empty()) else {
        return match justice_of_violations(system, translated, path) {
            Ok(signals) => Ok(Expressed::Justice(signals)),
            Err(NoMonitor::Atom(reason)) => Err(reason),
            Err(NoMonitor::Quantifier) => Ok(Expressed::Not("it has path quantifiers inside")),
            Err(NoMonitor::Bounds | NoMonitor::Formula(_)) => Ok(Expressed::Not("its bounds are too large")),
        };
    };
    let signals: Result<Vec<Signal>, NotEncoded> = conditions
        .into_iter()
        .map(|(atom, negated)| Ok(translated.term(system, atom)?.flipped_if(negated)))
        .collect();
    Ok(Expressed::Justice(signals?))
}

/// The atom of `G atom`.
fn always(path: &Formula<TermId>) -> Option<TermId> {
    match path.node() {
        Node::Unary(Unary::Globally, interval, inner) if interval.is_always() => atom(inner),
        _ => None,
    }
}

fn atom(formula: &Formula<TermId>) -> Option<TermId> {
    match formula.node() {
        Node::Atom(atom) => Some(*atom),
        _ => None,
    }
}

/// What is true infinitely often on the paths that violate `!(G F p & G F q …)` or `F G p`: atoms, perhaps negated.
fn recurring(path: &Formula<TermId>) -> Option<Vec<(TermId, bool)>> {
    let temporal = |formula: &Formula<TermId>, wanted: Unary| match formula.node() {
        Node::Unary(op, interval, inner) if *op == wanted && interval.is_always() => Some(inner.clone()),
        _ => None,
    };
    let infinitely_often = |formula: &Formula<TermId>| {
        let inner = temporal(&temporal(formula, Unary::Globally)?, Unary::Finally)?;
        Some((atom(&inner)?, false))
    };
    if let Node::Not(inner) = path.node() {
        return match inner.node() {
            Node::And(_) => inner.operands().into_iter().map(infinitely_often).collect(),
            Node::Constant(true) => Some(Vec::new()),
            _ => infinitely_often(inner).map(|condition| vec![condition]),
        };
    }
    let stable = temporal(&temporal(path, Unary::Finally)?, Unary::Globally)?;
    Some(vec![(atom(&stable)?, true)])
}

/// Makes conditions on steps and on the first state constraints of every position.
fn bind(circuit: &mut Circuit, step: Signal, is_circuit: bool) {
    if is_circuit {
        let constraints = std::mem::take(&mut circuit.step_constraints);
        circuit.constraints.extend(constraints);
    } else if step != Signal::TRUE {
        let position = circuit.latches.len();
        let allowed_so_far = circuit.add_latch(Init::One);
        circuit.latches[position].next = circuit.aig.and(allowed_so_far, step);
        circuit.constraints.push(allowed_so_far);
    }
    let first_state = std::mem::take(&mut circuit.init_constraints);
    if !first_state.is_empty() {
        let position = circuit.latches.len();
        let is_first = circuit.add_latch(Init::One);
        circuit.latches[position].next = Signal::FALSE;
        for condition in first_state {
            let begins = circuit.aig.or(!is_first, condition);
            circuit.constraints.push(begins);
        }
    }
}

/// The circuit in AIGER's numbering; gates that nothing depends on are left out.
fn of_circuit(circuit: &Circuit) -> Aiger {
    let mut aiger = Aiger {
        inputs: circuit.inputs.len() as u32,
        ..Aiger::default()
    };
    let mut literals = vec![Literal::FALSE; circuit.aig.len()];
    for (position, input) in circuit.inputs.iter().enumerate() {
        literals[input.index()] = aiger.input(position as u32);
    }
    for (position, latch) in circuit.latches.iter().enumerate() {
        literals[latch.node.index()] = aiger.latch(position as u32);
    }
    let latches = circuit.latches.len() as u32;
    let roots = circuit
        .roots()
        .chain(circuit.latches.iter().map(|latch| latch.next));
    let literal = |literals: &[Literal], signal: Signal| {
        literals[signal.node().index()].flipped_if(signal.is_complemented())
    };
    for node in circuit.aig.cone(roots) {
        if let Some((a, b)) = circuit.aig.fanins(node) {
            let (a, b) = (literal(&literals, a), literal(&literals, b));
            literals[node.index()] = Literal::of(1 + aiger.inputs + latches + aiger.gates.len() as u32);
            aiger.gates.push([a.max(b), a.min(b)]);
        }
    }
    let all = |signals: &[Signal]| -> Vec<Literal> {
        signals.iter().map(|&signal| literal(&literals, signal)).collect()
    };
    aiger.latches = circuit
        .latches
        .iter()
        .map(|latch| Latch {
            next: literal(&literals, latch.next),
            reset: match latch.init {
                Init::Zero => Reset::Zero,
                Init::One => Reset::One,
                Init::Free => Reset::Free,
            },
        })
        .collect();
    aiger.bad = all(&circuit.bad);
    aiger.constraints = all(&circuit.constraints);
    aiger.justice = circuit.justice.iter().map(|signals| all(signals)).collect();
    aiger.fairness = all(&circuit.fairness);
    aiger
}

struct BitNames {
    inputs: Vec<String>,
    latches: Vec<String>,
}

/// The names of the bits of all variables, in the order in which the bit-blaster makes them.
fn bit_names(system: &TransitionSystem) -> Result<BitNames, NotEncoded> {
    let mut names = BitNames {
        inputs: Vec::new(),
        latches: Vec::new(),
    };
    for variable in system.variables() {
        let list = match variable.kind {
            VarKind::Input => &mut names.inputs,
            _ => &mut names.latches,
        };
        let (width, _) = shape(&variable.sort)?;
        for bit in 0..width {
            list.push(match variable.sort {
                Sort::Bool => variable.name.to_string(),
                _ => format!("{}[{bit}]", variable.name),
            });
        }
    }
    Ok(names)
}

/// A circuit of bits in BTOR2, one line a gate.
pub(crate) fn word_circuit(circuit: &Aiger) -> Btor2 {
    const BIT: BitSort = BitSort::Bits(1);
    let mut lines = Btor2::default();
    let symbol = |kind, position: usize| circuit.symbol(kind, position as u32).map(str::to_owned);
    let constant = |lines: &mut Btor2, bit: u32| {
        let bits = Arc::new(bit.into());
        lines.add(Line::Constant { width: 1, bits }, None)
    };
    let zero = constant(&mut lines, 0);
    let one = constant(&mut lines, 1);
    let mut variables: Vec<LineIndex> = vec![zero];
    for position in 0..circuit.inputs as usize {
        variables.push(lines.add(Line::Input(BIT), symbol(SymbolKind::Input, position)));
    }
    for position in 0..circuit.latches.len() {
        variables.push(lines.add(Line::State(BIT), symbol(SymbolKind::Latch, position)));
    }
    let argument = |variables: &[LineIndex], literal: Literal| match literal {
        Literal::TRUE => Argument::plain(one),
        _ => Argument {
            line: variables[literal.variable() as usize],
            negated: literal.is_negated(),
        },
    };
    for &[a, b] in &circuit.gates {
        let arguments = vec![argument(&variables, a), argument(&variables, b)];
        variables.push(lines.add(
            Line::Operation {
                sort: BIT,
                operator: Operator::And,
                arguments,
                numbers: Vec::new(),
            },
            None,
        ));
    }
    for (position, latch) in circuit.latches.iter().enumerate() {
        let state = variables[1 + circuit.inputs as usize + position];
        let first = match latch.reset {
            Reset::Zero => Some(zero),
            Reset::One => Some(one),
            Reset::Free => None,
        };
        if let Some(first) = first {
            let value = Argument::plain(first);
            lines.add(Line::Init { state, value }, None);
        }
        let value = argument(&variables, latch.next);
        lines.add(Line::Next { state, value }, None);
    }
    for (position, &constraint) in circuit.constraints.iter().enumerate() {
        let name = symbol(SymbolKind::Constraint, position);
        lines.add(Line::Constraint(argument(&variables, constraint)), name);
    }
    let (bad_kind, bad) = circuit.bad_states();
    if bad_kind == SymbolKind::Bad {
        for (position, &output) in circuit.outputs.iter().enumerate() {
            let name = symbol(SymbolKind::Output, position);
            lines.add(Line::Output(argument(&variables, output)), name);
        }
    }
    for (position, &bad) in bad.iter().enumerate() {
        lines.add(Line::Bad(argument(&variables, bad)), symbol(bad_kind, position));
    }
    for (position, &fairness) in circuit.fairness.iter().enumerate() {
        let name = symbol(SymbolKind::Fairness, position);
        lines.add(Line::Fair(argument(&variables, fairness)), name);
    }
    for (position, conditions) in circuit.justice.iter().enumerate() {
        let conditions = conditions
            .iter()
            .map(|&condition| argument(&variables, condition));
        let name = symbol(SymbolKind::Justice, position);
        lines.add(Line::Justice(conditions.collect()), name);
    }
    lines
}
