//! A BTOR2 circuit as a transition system with its properties.
//!
//! States are state variables, inputs inputs; a state that has neither a first nor a next value is chosen anew at every step and is an
//! input, too. Names come from the file, or are `state7` and `input4` after the number of the line; every name occurs once. Named values are
//! defines.
//!
//! Constraints and properties are AIGER's, and are lowered in the same way (see `entail-aiger`'s `lower`): a constraint is a condition of the
//! transition relation, and a bad state counts where all constraints hold.

use crate::circuit::{Argument, BitSort, Btor2, LineIndex, Node};
use crate::operation::{apply, value, word};
use crate::operator::Operator;
use entail_logic::{Formula, Property, Question};
use entail_model::{
    Define, Register, Registers, Sort, SortError, TermId, TransitionSystem, Value, VarId, VarKind, Word,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A circuit as a system with its properties.
#[derive(Clone, Debug)]
pub struct Btor2Model {
    /// The system.
    pub system: TransitionSystem,
    /// Bad-state properties, then justice properties.
    pub properties: Vec<Property<TermId>>,
    /// States and inputs, in order.
    pub registers: Registers,
    /// How many of the properties are about bad states.
    pub bad: usize,
}

/// The system of a circuit. It fails only where a circuit was built with sorts that do not fit; what [`crate::read`] gives is lowered.
pub fn lower(circuit: &Btor2) -> Result<Btor2Model, SortError> {
    let mut lowering = Lowering {
        circuit,
        system: TransitionSystem::new(),
        taken: FxHashSet::default(),
        terms: vec![None; circuit.nodes.len()],
        variables: FxHashMap::default(),
        by_output: FxHashMap::default(),
        registers: Registers::default(),
    };
    lowering.variables();
    lowering.operations()?;
    lowering.steps()?;
    let (properties, bad) = lowering.properties()?;
    Ok(Btor2Model {
        system: lowering.system,
        properties,
        registers: lowering.registers,
        bad,
    })
}

/// A sort of the model.
pub(crate) fn model_sort(sort: BitSort) -> Sort {
    match sort {
        BitSort::Bits(1) => Sort::Bool,
        BitSort::Bits(width) => Sort::word(width),
        BitSort::Array { index, element } => Sort::Array {
            index: Arc::new(Sort::word(index)),
            element: Arc::new(Sort::word(element)),
        },
    }
}

struct Lowering<'a> {
    circuit: &'a Btor2,
    system: TransitionSystem,
    taken: FxHashSet<String>,
    /// The term of each line that has a value.
    terms: Vec<Option<TermId>>,
    /// For each state, its variable and its place among the registers.
    variables: FxHashMap<LineIndex, (VarId, usize)>,
    /// Of states without a symbol, the first output that is just the state.
    by_output: FxHashMap<LineIndex, LineIndex>,
    registers: Registers,
}

impl Lowering<'_> {
    fn unique(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}#{number}");
            number += 1;
        }
        name
    }

    /// The name of a line: its symbol, that of an output which is nothing else, or what it is and its number.
    fn name(&mut self, line: LineIndex, what: &str) -> String {
        let named = self.by_output.get(&line).copied().unwrap_or(line);
        match &self.circuit.symbols[named.index()] {
            Some(symbol) => self.unique(symbol),
            None => self.unique(&format!("{what}{}", self.circuit.ids[line.index()])),
        }
    }

    fn variables(&mut self) {
        let circuit = self.circuit;
        let bound: FxHashSet<LineIndex> = circuit
            .nodes
            .iter()
            .filter_map(|node| match node {
                Node::Init { state, .. } | Node::Next { state, .. } => Some(*state),
                _ => None,
            })
            // (What a first value is made from is part of the first state.)
            .chain(read_by_first_values(circuit))
            .collect();
        // (yosys writes the name of a register that is an output at the output alone. Names with a dollar are those of tools.)
        let is_written = |symbol: &String| !symbol.contains('$');
        for (line, node) in circuit.lines() {
            if let Node::Output(argument) = node
                && !argument.negated
                && matches!(circuit.nodes[argument.line.index()], Node::State(_))
                && circuit.symbols[argument.line.index()].is_none()
                && circuit.symbols[line.index()].as_ref().is_some_and(is_written)
            {
                self.by_output.entry(argument.line).or_insert(line);
            }
        }
        for (line, node) in circuit.lines() {
            let (sort, what, kind) = match node {
                Node::Input(sort) => (*sort, "input", VarKind::Input),
                Node::State(sort) if bound.contains(&line) => (*sort, "state", VarKind::State),
                Node::State(sort) => (*sort, "state", VarKind::Input),
                _ => continue,
            };
            let name = self.name(line, what);
            let variable = self.system.add_variable(name, model_sort(sort), kind);
            self.terms[line.index()] = Some(self.system.current(variable));
            if matches!(node, Node::State(_)) {
                self.variables
                    .insert(line, (variable, self.registers.registers.len()));
                self.registers.registers.push(Register {
                    variable,
                    init: None,
                    next: None,
                });
            } else {
                self.registers.inputs.push(variable);
            }
        }
    }

    fn term(&mut self, argument: Argument) -> Result<TermId, SortError> {
        let Some(term) = self.terms[argument.line.index()] else {
            return Err(SortError {
                operation: "a use",
                operands: "a line without a value".into(),
            });
        };
        if argument.negated {
            apply(&mut self.system.terms, Operator::Not, &[term], &[])
        } else {
            Ok(term)
        }
    }

    fn operations(&mut self) -> Result<(), SortError> {
        for (line, node) in self.circuit.lines() {
            let term = match node {
                Node::Constant { width, bits } => {
                    let word = Value::Word(Word::new(*width, false, (**bits).clone()));
                    let word = self.system.terms.constant(word);
                    value(&mut self.system.terms, word)?
                }
                Node::Operation {
                    operator,
                    arguments,
                    numbers,
                    ..
                } => {
                    let mut terms = Vec::with_capacity(arguments.len());
                    for &argument in arguments {
                        terms.push(self.term(argument)?);
                    }
                    let term = apply(&mut self.system.terms, *operator, &terms, numbers)?;
                    if let Some(symbol) = &self.circuit.symbols[line.index()] {
                        self.define(symbol, term);
                    }
                    term
                }
                _ => continue,
            };
            self.terms[line.index()] = Some(term);
        }
        Ok(())
    }

    fn define(&mut self, name: &str, term: TermId) -> String {
        let name = self.unique(name);
        self.system.defines.push(Define {
            name: name.as_str().into(),
            term,
        });
        name
    }

    fn steps(&mut self) -> Result<(), SortError> {
        for (_, node) in self.circuit.lines() {
            match node {
                Node::Init { state, value } => {
                    let (variable, place) = self.variables[state];
                    let sort = self.system.variable(variable).sort.clone();
                    let mut first = self.term(*value)?;
                    if matches!(sort, Sort::Array { .. }) && *self.system.terms.sort(first) != sort {
                        let element = word(&mut self.system.terms, first)?;
                        first = self.system.terms.constant_array(sort, element)?;
                    }
                    let now = self.system.current(variable);
                    let begins = self.system.terms.equal(now, first)?;
                    self.system.init.push(begins);
                    self.registers.registers[place].init = Some(first);
                }
                Node::Next { state, value } => {
                    let (variable, place) = self.variables[state];
                    let next = self.term(*value)?;
                    let after = self.system.next(variable);
                    let step = self.system.terms.equal(after, next)?;
                    self.system.transition.push(step);
                    self.registers.registers[place].next = Some(next);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn properties(&mut self) -> Result<(Vec<Property<TermId>>, usize), SortError> {
        let circuit = self.circuit;
        let mut constraints = Vec::new();
        // Names such as b0 count the lines of one kind, as witnesses do.
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        let mut bad = Vec::new();
        let mut just = Vec::new();
        for (line, node) in circuit.lines() {
            let (letter, argument) = match node {
                Node::Bad(argument) => ("b", *argument),
                Node::Constraint(argument) => ("c", *argument),
                Node::Fair(argument) => ("f", *argument),
                Node::Output(argument) => ("o", *argument),
                Node::Justice(conditions) => {
                    just.push((line, conditions));
                    continue;
                }
                _ => continue,
            };
            let number = counts.entry(letter).or_default();
            let plain = format!("{letter}{number}");
            *number += 1;
            if self.by_output.get(&argument.line) == Some(&line) {
                continue;
            }
            let term = self.term(argument)?;
            let name = circuit.symbols[line.index()].clone().unwrap_or(plain);
            let name = self.define(&name, term);
            match node {
                Node::Bad(_) => bad.push((name, term)),
                Node::Constraint(_) => constraints.push(term),
                Node::Fair(_) => self.system.justice.push(term),
                _ => {}
            }
        }
        let holds: Vec<TermId> = constraints
            .iter()
            .copied()
            .filter(|&term| self.system.terms.as_truth(term) != Some(true))
            .collect();
        self.system.transition.extend(holds);
        let mut properties = Vec::new();
        for (name, term) in bad {
            let met = self.system.terms.and(constraints.iter().copied().chain([term]));
            properties.push(Property {
                text: format!("!{}", written(&name)),
                name: Some(name),
                logic: entail_logic::Logic::Invariant,
                question: Question::Invariant(self.system.terms.not(met)),
            });
        }
        let count = properties.len();
        for (number, (line, conditions)) in just.into_iter().enumerate() {
            let wanted = circuit.symbols[line.index()].clone();
            let name = self.unique(&wanted.unwrap_or_else(|| format!("j{number}")));
            let mut recurring = Vec::new();
            let mut texts = Vec::new();
            for (part, &condition) in conditions.iter().enumerate() {
                let term = self.term(condition)?;
                let part = self.define(&format!("{name}_{part}"), term);
                texts.push(format!("G F {}", written(&part)));
                recurring.push(Formula::atom(term).finally().globally());
            }
            let text = if texts.is_empty() {
                "FALSE".to_owned()
            } else {
                format!("!({})", texts.join(" & "))
            };
            properties.push(Property {
                name: Some(name),
                text,
                logic: entail_logic::Logic::Ltl,
                question: Question::Formula(Formula::and(recurring).not().forall()),
            });
        }
        Ok((properties, count))
    }
}

/// A name as formulas have it: in quotes if it is not an identifier.
fn written(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#' | '.');
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("\"{name}\"")
    }
}

/// The states that first values of others are made from.
fn read_by_first_values(circuit: &Btor2) -> Vec<LineIndex> {
    let firsts = circuit.nodes.iter().filter_map(|node| match node {
        Node::Init { value, .. } => Some(value.line),
        _ => None,
    });
    let mut pending: Vec<LineIndex> = firsts.collect();
    let mut seen: FxHashSet<LineIndex> = FxHashSet::default();
    let mut found = Vec::new();
    while let Some(line) = pending.pop() {
        if !seen.insert(line) {
            continue;
        }
        match circuit.node(line) {
            Node::State(_) => found.push(line),
            Node::Operation { arguments, .. } => {
                pending.extend(arguments.iter().map(|argument| argument.line));
            }
            _ => {}
        }
    }
    found
}
