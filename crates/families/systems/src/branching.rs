//! Properties of branching time in PSL (its optional branching extension) about designs and circuits.
//!
//! They need no monitor: a formula of CTL over wires of the circuit is asked of the model as it stands, a step being a tick, and judged like one of `--spec`. CTL is about states, so inputs that the wires
//! depend on become parts of the state: registers whose next values are inputs, which changes no run. The circuit is handed to other processes as
//! text; there the formula follows in a comment, in SMV's syntax, so that properties have the same positions everywhere.

use crate::assertions::{Problems, dropped};
use crate::attempt_values::constant;
use crate::model::Content;
use crate::properties;
use entail_btor2::{Argument, Btor2, LineIndex, Node};
use entail_family::LoadError;
use entail_logic::{Formula, Logic};
use entail_source::Span;
use entail_systemverilog::Design;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// A property over wires of a circuit, which are called by their names.
#[derive(Clone, Debug)]
pub(crate) struct BranchingProperty {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) place: Span,
    pub(crate) formula: Formula<String>,
}

impl BranchingProperty {
    /// A formula whose atoms are numbers, over the wires of these names.
    pub(crate) fn of(
        (name, text, place): (String, String, Span),
        formula: &Formula<usize>,
        wires: &[String],
    ) -> BranchingProperty {
        let formula = formula.map_atoms(&mut |&atom: &usize| wires[atom].clone());
        BranchingProperty {
            name,
            text,
            place,
            formula,
        }
    }

    fn in_smv(&self) -> String {
        let quoted = |wire: &String, out: &mut std::fmt::Formatter<'_>| write!(out, "\"{wire}\"");
        self.formula.display_with(quoted).to_string()
    }
}

/// A property of branching time of an instance, and where it is found in the circuit.
pub(crate) struct Branches {
    pub(crate) property: BranchingProperty,
    /// The number of the check.
    pub(crate) check: usize,
    /// The lines of its atoms, and of the names it is meant for each value of.
    pub(crate) lines: Vec<LineIndex>,
    pub(crate) replicated: Vec<LineIndex>,
}

/// Properties of branching time, the names that they are meant for each value of made constants, and the inputs that they read parts of the state.
pub(crate) fn settled(
    design: &Design,
    circuit: &mut Btor2,
    branches: Vec<Branches>,
    problems: &mut Problems,
) -> Vec<BranchingProperty> {
    let mut found = Vec::with_capacity(branches.len());
    let mut lines = Vec::new();
    for one in branches {
        let check = &design.checks[one.check];
        let are_there = one.replicated.len() == check.replicated.len();
        let made = check.replicated.iter().zip(&one.replicated).all(|(name, &line)| {
            let shown = format!("{}.{name}", one.property.name);
            constant(circuit, line, &shown).is_some()
        });
        if !are_there || !made {
            problems.push((Some(one.property.name), one.check, dropped(check)));
            continue;
        }
        lines.extend(one.lines);
        found.push(one.property);
    }
    expose_inputs(circuit, &lines);
    found
}

/// Makes parts of the state of all inputs that lines depend on, also by way of registers: what a formula means may not depend on which others are asked. (So it is asked once, for the lines of all formulas.)
pub(crate) fn expose_inputs(circuit: &mut Btor2, lines: &[LineIndex]) {
    let bound = circuit.nodes.iter().filter_map(|node| match node {
        Node::Init { state, .. } | Node::Next { state, .. } => Some(*state),
        _ => None,
    });
    let bound: BTreeSet<LineIndex> = bound.collect();
    let nexts = circuit.nodes.iter().filter_map(|node| match node {
        Node::Next { state, value } => Some((*state, value.line)),
        _ => None,
    });
    let nexts: BTreeMap<LineIndex, LineIndex> = nexts.collect();
    let mut seen = BTreeSet::new();
    let mut pending = lines.to_vec();
    let mut open = Vec::new();
    while let Some(line) = pending.pop() {
        if !seen.insert(line) {
            continue;
        }
        match circuit.node(line) {
            Node::Input(sort) => open.push((line, *sort)),
            Node::State(sort) if !bound.contains(&line) => open.push((line, *sort)),
            Node::State(_) => pending.extend(nexts.get(&line)),
            Node::Operation { arguments, .. } => {
                pending.extend(arguments.iter().map(|argument| argument.line));
            }
            _ => {}
        }
    }
    for (state, sort) in open {
        circuit.nodes[state.index()] = Node::State(sort);
        let value = Argument::plain(circuit.add(Node::Input(sort), None));
        circuit.add(Node::Next { state, value }, None);
    }
}

/// What such a property begins with in a circuit that is handed over.
const COMMENT: &str = "; branching ";

/// Adds properties behind those of the circuit.
pub(crate) fn add(content: &mut Content, found: &[BranchingProperty]) -> Result<(), LoadError> {
    content.places.resize(content.properties.len(), Span::default());
    for one in found {
        let mut property = properties::read(content, &one.in_smv(), Some(Logic::Ctl))?;
        property.name = Some(one.name.clone());
        property.text = one.text.clone();
        content.properties.push(property);
        content.places.push(one.place);
    }
    Ok(())
}

/// The lines that hand properties over.
pub(crate) fn written(found: &[BranchingProperty]) -> String {
    found.iter().fold(String::new(), |mut text, one| {
        let _ = writeln!(text, "{COMMENT}{}", one.in_smv());
        text
    })
}

/// Adds what was handed over.
pub(crate) fn add_written(content: &mut Content, text: &str) -> Result<(), LoadError> {
    let lines = text.lines().take_while(|line| line.starts_with(';'));
    for formula in lines.filter_map(|line| line.strip_prefix(COMMENT)) {
        let property = properties::read(content, formula, Some(Logic::Ctl))?;
        content.properties.push(property);
    }
    Ok(())
}
