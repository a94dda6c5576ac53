//! What a project says about names and codes, done to the circuits before they are compared.
//!
//! A renamed gate is a circuit like others: another process can be handed its text. Gate's signals get gold's names; a register that shall belong to nothing gets a name that gold does not have.
//! A re-encoded register (`[recode …]`) becomes an output of both circuits: of gold the register, of gate what its value stands for; and another output says that it stands for something.

use super::side::{register_names, word};
use entail_btor2::{Argument, BitSort, Btor2, LineIndex, Node, Operator};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The names of the inputs, registers and outputs of a circuit.
pub(super) fn names(circuit: &Btor2) -> BTreeSet<String> {
    named_lines(circuit).into_values().collect()
}

/// Inputs, registers and outputs that have names.
fn named_lines(circuit: &Btor2) -> BTreeMap<LineIndex, String> {
    let called = register_names(circuit);
    let mut found = BTreeMap::new();
    for (line, node) in circuit.lines() {
        let own = circuit.symbols[line.index()].as_deref();
        let name = match node {
            Node::Input(_) | Node::Output(_) => own,
            Node::State(_) => own.or(called.get(&line).copied()),
            _ => None,
        };
        if let Some(name) = name {
            found.insert(line, word(name));
        }
    }
    found
}

/// Gives signals of gate gold's names (`gold_of`), and takes the names of registers that belong to nothing.
pub(super) fn rename(gate: &mut Btor2, gold_of: &FxHashMap<String, String>, apart: &BTreeSet<String>) {
    for (line, name) in named_lines(gate) {
        let is_register = matches!(gate.node(line), Node::State(_));
        let name = match gold_of.get(&name) {
            Some(gold) => gold.clone(),
            None if is_register && apart.contains(&name) => format!("{name}(of gate)"),
            None => name,
        };
        gate.symbols[line.index()] = Some(name);
    }
}

/// Makes a re-encoded register an output of both circuits. Codes are values of gold and of gate. Says what is wrong, if something is.
pub(super) fn recode(
    gold: &mut Btor2,
    gate: &mut Btor2,
    name: &str,
    codes: &[(String, String)],
) -> Result<(), String> {
    // (Registers that are called as an output is keep that name.)
    for circuit in [&mut *gold, &mut *gate] {
        rename(circuit, &FxHashMap::default(), &BTreeSet::new());
    }
    let find = |circuit: &Btor2, which: &str| {
        let lines = named_lines(circuit);
        let found = lines.into_iter().find(|(_, known)| known == name);
        let value = found.map(|(line, _)| match circuit.node(line) {
            Node::Output(argument) => *argument,
            _ => Argument::plain(line),
        });
        value.ok_or_else(|| format!("the {which} circuit has no register or output `{name}`"))
    };
    let (ours, theirs) = (find(gold, "first")?, find(gate, "second")?);
    for (circuit, value, digits, which) in [
        (&*gold, ours, codes.first().map(|code| &code.0), "first"),
        (&*gate, theirs, codes.first().map(|code| &code.1), "second"),
    ] {
        let width = digits.map_or(0, String::len);
        let sort = circuit.sort(value.line);
        if sort != Some(BitSort::Bits(width as u32)) {
            return Err(format!(
                "the values of `{name}` of the {which} circuit have another number of bits than {width}"
            ));
        }
    }
    let (decoded, listed) = decoded(gate, theirs, codes);
    let truth = constant(gold, "1");
    // (Outputs of that name have other widths: these stand in their place.)
    for circuit in [&mut *gold, &mut *gate] {
        let outputs: Vec<LineIndex> = circuit
            .lines()
            .filter(|(line, node)| {
                let own = circuit.symbols[line.index()].as_deref().map(word);
                matches!(node, Node::Output(_)) && own.as_deref() == Some(name)
            })
            .map(|(line, _)| line)
            .collect();
        for line in outputs {
            circuit.symbols[line.index()] = Some(format!("{}{name}", super::UPKEEP));
        }
    }
    for (circuit, value, is_listed) in [(gold, ours, truth), (gate, decoded, listed)] {
        circuit.add(Node::Output(value), Some(format!("recode({name})")));
        circuit.add(Node::Output(is_listed), Some(format!("listed({name})")));
    }
    Ok(())
}

/// What a value of gate stands for, and whether it stands for something.
fn decoded(gate: &mut Btor2, value: Argument, codes: &[(String, String)]) -> (Argument, Argument) {
    let mut found: Option<(Argument, Argument)> = None;
    for (gold, code) in codes {
        let (code, meaning) = (constant(gate, code), constant(gate, gold));
        let is_it = operation(gate, BitSort::Bits(1), Operator::Eq, vec![value, code]);
        found = Some(match found {
            None => (meaning, is_it),
            Some((before, listed)) => {
                let sort = BitSort::Bits(gold.len() as u32);
                let choice = operation(gate, sort, Operator::Ite, vec![is_it, meaning, before]);
                let either = operation(gate, BitSort::Bits(1), Operator::Or, vec![is_it, listed]);
                (choice, either)
            }
        });
    }
    found.unwrap_or((value, value))
}

fn constant(circuit: &mut Btor2, digits: &str) -> Argument {
    let bits = BigUint::parse_bytes(digits.as_bytes(), 2).unwrap_or_default();
    Argument::plain(circuit.add(
        Node::Constant {
            width: digits.len() as u32,
            bits: Arc::new(bits),
        },
        None,
    ))
}

fn operation(circuit: &mut Btor2, sort: BitSort, operator: Operator, arguments: Vec<Argument>) -> Argument {
    Argument::plain(circuit.add(
        Node::Operation {
            sort,
            operator,
            arguments,
            numbers: Vec::new(),
        },
        None,
    ))
}
