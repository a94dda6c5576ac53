//! Properties of branching time in PSL (its optional branching extension) about designs and circuits.
//!
//! They need no monitor: a formula of CTL over wires of the circuit is asked of the model as it stands, a step being a tick, and judged like one of `--spec`. The circuit is handed to other processes as
//! text; there the formula follows in a comment, in SMV's syntax, so that properties have the same positions everywhere.

use crate::model::Content;
use crate::properties;
use entail_family::LoadError;
use entail_logic::{Formula, Logic};
use entail_source::Span;
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
