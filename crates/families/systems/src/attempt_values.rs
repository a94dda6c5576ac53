//! Local variables and end points of sequences in an elaborated design.
//!
//! The reader leaves wires that nothing drives. Those of local variables become registers that keep any value they begin with: constants that the search
//! guesses ([`frozen`]). Those of end points (`.triggered`) are demanded to be what a circuit says that watches the sequence. Neither is
//! believed when evidence is judged: values of local variables are followed run by run along the trace, end points are found by following matches.

use crate::asked::AskedAssertion;
use crate::assertions::OWN;
use crate::monitors::{Goal, described, watched};
use entail_automata::assertion::{NotFrozen, frozen};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use entail_logic::{Assertion, Guard, Sequence};
use entail_model::TermId;
use entail_source::{Diagnostic, Span};
use entail_systems_checker::{LocalBits, MonitorCircuit, MonitorGate};
use entail_systemverilog::{Check, Directive, EndPoint};
use num_bigint::BigUint;
use std::sync::Arc;

/// What an assertion with local variables says.
#[derive(Clone, Debug)]
pub(crate) struct LocalPart {
    /// The assertion as it is written; [`AskedAssertion::assertion`] has constants in the place of its variables.
    pub(crate) assertion: Assertion<usize>,
    /// The registers of its variables, by number, each with its width, from the highest bits down; and the wires of the values they get.
    pub(crate) variables: Vec<Vec<(String, u32)>>,
    pub(crate) values: Vec<String>,
    /// The same in the model.
    pub(crate) places: Vec<Vec<LocalBits>>,
    pub(crate) terms: Vec<TermId>,
    /// Where letters have the values of the step before: the wires themselves.
    pub(crate) unsampled: Option<Unsampled>,
}

/// The wires whose values a step before are those of the letters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unsampled {
    /// The atoms, and the values that variables get.
    pub(crate) atoms: Vec<String>,
    pub(crate) values: Vec<String>,
    /// The same in the model.
    pub(crate) atom_terms: Vec<TermId>,
    pub(crate) value_terms: Vec<TermId>,
}

impl LocalPart {
    /// Whether the model has all its variables and values.
    pub(crate) fn is_whole(&self) -> bool {
        let sampled = self.places.len() == self.variables.len() && self.terms.len() == self.values.len();
        let others = self.unsampled.as_ref().is_none_or(|wires| {
            wires.atom_terms.len() == wires.atoms.len() && wires.value_terms.len() == wires.values.len()
        });
        sampled && others
    }
}

/// An end point of a sequence that a property reads.
#[derive(Clone, Debug)]
pub(crate) struct AskedEnd {
    pub(crate) sequence: Arc<Sequence<usize>>,
    /// It is true a tick after the end.
    pub(crate) later: bool,
    /// Its wire, and the same in the model.
    pub(crate) wire: String,
    pub(crate) term: Option<TermId>,
    /// The circuit that watches the sequence.
    pub(crate) monitor: Option<MonitorCircuit>,
}

fn refused(message: &str, place: Span) -> Diagnostic {
    Diagnostic::error("sva::unsupported", message, place, "here")
}

/// The line that a wire stands for.
fn behind(circuit: &Btor2, mut line: LineIndex) -> LineIndex {
    while let Node::Operation {
        operator: Operator::Uext,
        arguments,
        numbers,
        ..
    } = circuit.node(line)
    {
        match arguments[..] {
            [one] if !one.negated && numbers.iter().all(|&more| more == 0) => line = one.line,
            _ => break,
        }
    }
    line
}

/// The lines that a wire which nothing drives is put together from, the highest bits first, with their widths; nothing if something drives it.
fn leaves(circuit: &Btor2, line: LineIndex) -> Option<Vec<(LineIndex, u32)>> {
    let mut found = Vec::new();
    let mut stack = vec![line];
    while let Some(line) = stack.pop() {
        let line = behind(circuit, line);
        match circuit.node(line) {
            Node::Input(BitSort::Bits(width)) | Node::State(BitSort::Bits(width)) => {
                found.push((line, *width));
            }
            Node::Operation {
                operator: Operator::Concat,
                arguments,
                ..
            } if arguments.iter().all(|argument| !argument.negated) => {
                stack.extend(arguments.iter().rev().map(|argument| argument.line));
            }
            _ => return None,
        }
    }
    let is_driven = |(_, node): (LineIndex, &Node)| match node {
        Node::Init { state, .. } | Node::Next { state, .. } => found.iter().any(|(leaf, _)| leaf == state),
        _ => false,
    };
    let lines = circuit.lines();
    (!lines.into_iter().any(is_driven)).then_some(found)
}

/// Makes constants of the wires of names that an assertion is meant for each value of: a search for a violation chooses the values.
pub(crate) fn replicate(
    circuit: &mut Btor2,
    asked: &AskedAssertion,
    check: &Check,
    lines: &[LineIndex],
) -> Result<(), Diagnostic> {
    for (name, &line) in check.replicated.iter().zip(lines) {
        let shown = format!("{}.{name}", asked.name);
        constant(circuit, line, &shown).ok_or_else(|| {
            let message = format!("the elaborator has given the replicated name `{name}` a value");
            refused(&message, asked.place)
        })?;
    }
    Ok(())
}

/// Makes registers that keep any value they begin with of a wire that nothing drives; their names and widths, from the highest bits down.
pub(crate) fn constant(circuit: &mut Btor2, line: LineIndex, name: &str) -> Option<Vec<(String, u32)>> {
    let leaves = leaves(circuit, line)?;
    let is_one = leaves.len() == 1;
    let mut registers = Vec::with_capacity(leaves.len());
    for (piece, (state, width)) in leaves.into_iter().enumerate() {
        let register = match is_one && !name.starts_with(OWN) {
            true => name.to_owned(),
            false => format!("{name}${piece}"),
        };
        circuit.nodes[state.index()] = Node::State(BitSort::Bits(width));
        circuit.symbols[state.index()] = Some(register.clone());
        let value = Argument::plain(state);
        circuit.add(Node::Next { state, value }, None);
        registers.push((register, width));
    }
    Some(registers)
}

/// Makes constants of the wires of local variables, and of the assertion one that reads them.
pub(crate) fn freeze(
    circuit: &mut Btor2,
    asked: &mut AskedAssertion,
    check: &Check,
    lines: &[LineIndex],
    number: usize,
) -> Result<(), Diagnostic> {
    let (Some(part), Some(assertion)) = (&mut asked.locals, &asked.assertion) else {
        return Ok(());
    };
    let place = asked.place;
    if asked.directive == Directive::Assume {
        let message = "an assumption with local variables is not read";
        let help = "registers of a module of your own can hold the values";
        return Err(refused(message, place).with_help(help));
    }
    let name = |why: NotFrozen| {
        let number = why.local().0 as usize;
        check.locals.get(number).map_or("", String::as_str).to_owned()
    };
    let frozen = frozen(assertion, asked.directive == Directive::Cover).map_err(|why| {
        let name = name(why);
        let message = match why {
            NotFrozen::Repeated(_) => format!("the local variable `{name}` is assigned in something that is repeated, which is not read"),
            NotFrozen::EveryValue(_) => format!("the local variable `{name}` may get several values at once where all of them count, which is not read"),
            NotFrozen::Twice(_) => format!("the local variable `{name}` is assigned on both sides of an operator, which is not read"),
        };
        let help = "variables may be assigned in what stands before `|->`, and at a fixed distance from its end behind it";
        refused(&message, place).with_help(help)
    })?;
    for (local, &line) in lines.iter().enumerate() {
        let Some(registers) = constant(circuit, line, &format!("{OWN}v{number}${local}")) else {
            let message = format!(
                "the elaborator has given the local variable `{}` a value",
                check.locals.get(local).map_or("", String::as_str)
            );
            return Err(refused(&message, place));
        };
        part.variables.push(registers);
    }
    asked.assertion = Some(frozen);
    Ok(())
}

/// Demands that the wire of an end point is what a circuit says that watches the sequence.
pub(crate) fn drive_end(
    circuit: &mut Btor2,
    end: &EndPoint,
    (wire, line): (String, LineIndex),
    atoms: &[LineIndex],
    (number, place): (usize, Span),
) -> Result<AskedEnd, Diagnostic> {
    let too_large = || {
        refused(
            "the automaton of a sequence whose end is asked for would be too large",
            place,
        )
    };
    let zero = circuit.add(
        Node::Constant {
            width: 1,
            bits: Arc::new(BigUint::from(0_u8)),
        },
        None,
    );
    let sequence = Arc::new(end.sequence.clone());
    // `sequence |-> z` is violated just where a match ends, `z` being false. (Of `false` itself, a monitor might know before that a match cannot be avoided.)
    let never = Assertion::guard(Guard::Atom(atoms.len())).implied_by(end.sequence.clone(), true);
    let with_zero: Vec<LineIndex> = atoms.iter().copied().chain([zero]).collect();
    let signal = watched(circuit, &never.always(), &with_zero, number).ok_or_else(too_large)?;
    let output = circuit.add(Node::Output(signal), Some(format!("{OWN}end{number}")));
    let monitor = described(circuit, atoms, number, Some(Goal::Signal(output)));
    // A monitor that guesses does not follow all matches.
    let is_exact = |monitor: &MonitorCircuit| {
        let mut gates = monitor.gates.iter();
        !gates.any(|gate| matches!(gate, MonitorGate::Choice(_)))
    };
    let monitor = Some(monitor.filter(is_exact).ok_or_else(too_large)?);
    let bit = BitSort::Bits(1);
    let said = match end.later {
        false => signal,
        true => {
            let state = circuit.add(Node::State(bit), None);
            let value = Argument::plain(zero);
            circuit.add(Node::Init { state, value }, None);
            circuit.add(Node::Next { state, value: signal }, None);
            Argument::plain(state)
        }
    };
    let same = Node::Operation {
        sort: bit,
        operator: Operator::Xnor,
        arguments: vec![Argument::plain(line), said],
        numbers: Vec::new(),
    };
    let same = circuit.add(same, None);
    circuit.add(Node::Constraint(Argument::plain(same)), None);
    Ok(AskedEnd {
        sequence,
        later: end.later,
        wire,
        term: None,
        monitor,
    })
}
