//! Netlists of gates as BTOR2 circuits: AIGER files and BLIF texts, with what they call outputs as outputs.

use crate::lookup_table;
use entail_aiger::{Aiger, Literal, Reset, SymbolKind};
use entail_blif::{Blif, Gate, Initially};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use num_bigint::BigUint;
use std::sync::Arc;

const BIT: BitSort = BitSort::Bits(1);

/// A circuit in the making.
#[derive(Default)]
pub(crate) struct Builder {
    pub(crate) circuit: Btor2,
    /// The constant false, once it was needed.
    nothing: Option<LineIndex>,
}

impl Builder {
    /// A constant of one bit.
    pub(crate) fn constant(&mut self, truth: bool) -> Argument {
        let circuit = &mut self.circuit;
        let line = *self.nothing.get_or_insert_with(|| {
            let bits = Arc::new(BigUint::ZERO);
            circuit.add(Node::Constant { width: 1, bits }, None)
        });
        Argument { line, negated: truth }
    }

    /// An operator on earlier lines.
    pub(crate) fn operation(
        &mut self,
        operator: Operator,
        sort: BitSort,
        arguments: Vec<Argument>,
        numbers: Vec<u32>,
    ) -> Argument {
        let node = Node::Operation {
            sort,
            operator,
            arguments,
            numbers,
        };
        Argument::plain(self.circuit.add(node, None))
    }

    /// All of these bits; true if there are none.
    pub(crate) fn all(&mut self, bits: impl IntoIterator<Item = Argument>) -> Argument {
        let mut bits = bits.into_iter();
        let Some(first) = bits.next() else {
            return self.constant(true);
        };
        bits.fold(first, |both, bit| {
            self.operation(Operator::And, BIT, vec![both, bit], Vec::new())
        })
    }
}

/// A bit that is true where the other is not.
pub(crate) fn complement(argument: Argument) -> Argument {
    Argument {
        negated: !argument.negated,
        ..argument
    }
}

/// The circuit of an AIGER file. Outputs and bad states are outputs; justice and fairness are left out.
pub(crate) fn of_aiger(aiger: &Aiger) -> Btor2 {
    let mut builder = Builder::default();
    // Latches without a name have none here, either: their positions say nothing about which of another circuit they belong to.
    let own_name = |kind: SymbolKind, position: usize| {
        let symbol = aiger.symbol(kind, position as u32).map(str::trim);
        symbol.filter(|name| !name.is_empty()).map(str::to_owned)
    };
    let name = |kind: SymbolKind, position: usize| {
        own_name(kind, position).or_else(|| Some(format!("{}{position}", kind.letter())))
    };
    let mut lines: Vec<Argument> = vec![builder.constant(false)];
    for position in 0..aiger.inputs as usize {
        let line = builder
            .circuit
            .add(Node::Input(BIT), name(SymbolKind::Input, position));
        lines.push(Argument::plain(line));
    }
    let mut states = Vec::with_capacity(aiger.latches.len());
    for (position, latch) in aiger.latches.iter().enumerate() {
        let state = builder
            .circuit
            .add(Node::State(BIT), own_name(SymbolKind::Latch, position));
        let value = match latch.reset {
            Reset::Zero => Some(false),
            Reset::One => Some(true),
            Reset::Free => None,
        };
        if let Some(value) = value {
            let value = builder.constant(value);
            builder.circuit.add(Node::Init { state, value }, None);
        }
        states.push(state);
        lines.push(Argument::plain(state));
    }
    let of = |lines: &[Argument], literal: Literal| match literal.is_negated() {
        true => complement(lines[literal.variable() as usize]),
        false => lines[literal.variable() as usize],
    };
    for &[a, b] in &aiger.gates {
        let (a, b) = (of(&lines, a), of(&lines, b));
        let gate = builder.all([a, b]);
        lines.push(gate);
    }
    for (latch, &state) in aiger.latches.iter().zip(&states) {
        let value = of(&lines, latch.next);
        builder.circuit.add(Node::Next { state, value }, None);
    }
    let outputs = [
        (SymbolKind::Output, &aiger.outputs),
        (SymbolKind::Bad, &aiger.bad),
    ];
    for (kind, literals) in outputs {
        for (position, &literal) in literals.iter().enumerate() {
            let output = Node::Output(of(&lines, literal));
            builder.circuit.add(output, name(kind, position));
        }
    }
    for &literal in &aiger.constraints {
        let constraint = Node::Constraint(of(&lines, literal));
        builder.circuit.add(constraint, None);
    }
    builder.circuit
}

/// The name under which yosys writes a signal that is X.
const UNDEFINED: &str = "$undef";

/// How covers become gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Covers {
    /// Row by row, as they are written: with X they know what the rows know.
    AsWritten,
    /// Small ones as the gates they are made of, in netlists in which nothing can be X.
    TakenApart,
}

/// The circuit of a BLIF text. What yosys calls undefined is a source without a name, which may have any value.
pub(crate) fn of_blif(blif: &Blif, covers: Covers) -> Btor2 {
    let is_undefined = |gate: &Gate| gate.rows.is_empty() && blif.name_of(gate.output) == UNDEFINED;
    let begins = |latch: &entail_blif::Latch| matches!(latch.initially, Initially::Value(_));
    let is_definite = blif.latches.iter().all(begins) && !blif.gates.iter().any(is_undefined);
    let takes_apart = covers == Covers::TakenApart && is_definite;
    let mut builder = Builder::default();
    let nothing = builder.constant(false);
    let mut lines = vec![nothing; blif.names.len()];
    let name = |signal| Some(blif.name_of(signal).to_owned());
    for &input in &blif.inputs {
        let line = builder.circuit.add(Node::Input(BIT), name(input));
        lines[input.index()] = Argument::plain(line);
    }
    for latch in &blif.latches {
        let state = builder.circuit.add(Node::State(BIT), name(latch.output));
        if let Initially::Value(value) = latch.initially {
            let value = builder.constant(value);
            builder.circuit.add(Node::Init { state, value }, None);
        }
        lines[latch.output.index()] = Argument::plain(state);
    }
    for gate in &blif.gates {
        lines[gate.output.index()] = if is_undefined(gate) {
            Argument::plain(builder.circuit.add(Node::Input(BIT), None))
        } else if takes_apart && gate.inputs.len() <= lookup_table::MOST_INPUTS {
            let inputs: Vec<Argument> = gate.inputs.iter().map(|input| lines[input.index()]).collect();
            let table = lookup_table::table_of(&gate.rows, gate.value);
            lookup_table::gates_of(&mut builder, table, &inputs)
        } else {
            cover(&mut builder, gate, &lines)
        };
    }
    for latch in &blif.latches {
        let state = lines[latch.output.index()].line;
        let value = lines[latch.input.index()];
        builder.circuit.add(Node::Next { state, value }, None);
    }
    for &output in &blif.outputs {
        builder
            .circuit
            .add(Node::Output(lines[output.index()]), name(output));
    }
    builder.circuit
}

/// The value of a cover: some row agrees, or none does.
fn cover(builder: &mut Builder, gate: &Gate, lines: &[Argument]) -> Argument {
    let mut rows = Vec::with_capacity(gate.rows.len());
    for row in &gate.rows {
        let entries = row.iter().zip(&gate.inputs);
        let agreeing = entries.filter_map(|(entry, input)| {
            let line = lines[input.index()];
            entry.map(|wanted| if wanted { line } else { complement(line) })
        });
        let agreeing: Vec<Argument> = agreeing.collect();
        let agrees = builder.all(agreeing);
        rows.push(complement(agrees));
    }
    let none = builder.all(rows);
    match gate.value {
        true => complement(none),
        false => none,
    }
}
