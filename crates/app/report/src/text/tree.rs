//! Trees of paths as text: which formula is true or false where, and why.
//!
//! A path shows its steps; under a step stand the claims about its state, indented, with their own paths. A path that goes on
//! from a state just shown repeats nothing of it.

use super::TextOptions;
use super::trace::{write as write_trace, write_with};
use crate::report::ModelReport;
use crate::signals::SignalTable;
use entail_evidence::{Because, Explanation, Notation, PathWitness};
use std::fmt::Write;

/// Writes the reasons of the root claim.
pub(super) fn write(model: &ModelReport<'_>, tree: &Explanation, options: &TextOptions, out: &mut String) {
    let notation = Notation::new(model.system);
    let writer = Writer {
        model,
        options,
        notation,
    };
    match &tree.because {
        // The line above already says the formula and that it fails.
        Because::Path(witness) if witness.notes.is_empty() => {
            let table = SignalTable::of_trace(model.system, &witness.trace, options.defines);
            write_trace(&table, options, "    ", out);
        }
        _ => writer.claim(tree, None, "    ", out),
    }
}

struct Writer<'a> {
    model: &'a ModelReport<'a>,
    options: &'a TextOptions,
    notation: Notation<'a>,
}

impl Writer<'_> {
    fn claim(
        &self,
        claim: &Explanation,
        before: Option<(&SignalTable, usize)>,
        indent: &str,
        out: &mut String,
    ) {
        let formula = self.notation.formula(&claim.formula);
        let truth = if claim.truth { "true" } else { "false" };
        match &claim.because {
            Because::Evaluation => {
                let _ = writeln!(out, "{indent}{formula} is {truth} here");
            }
            Because::Exhaustion => {
                let _ = writeln!(out, "{indent}{formula} is {truth} here: all paths were searched");
            }
            Because::Operands(operands) => {
                let _ = writeln!(out, "{indent}{formula} is {truth} because");
                let deeper = format!("{indent}  ");
                for operand in operands {
                    self.claim(operand, before, &deeper, out);
                }
            }
            Because::Path(witness) => {
                let shows = if claim.truth {
                    "as on this path"
                } else {
                    "as this path shows"
                };
                let _ = writeln!(out, "{indent}{formula} is {truth}, {shows}:");
                self.path(witness, before, &format!("{indent}  "), out);
            }
        }
    }

    fn path(
        &self,
        witness: &PathWitness,
        before: Option<(&SignalTable, usize)>,
        indent: &str,
        out: &mut String,
    ) {
        let table = SignalTable::of_trace(self.model.system, &witness.trace, self.options.defines);
        let mut notes = |step: usize, indent: &str, out: &mut String| {
            for note in witness.notes.iter().filter(|note| note.position == step) {
                self.claim(&note.explanation, Some((&table, step)), indent, out);
            }
        };
        write_with(&table, before, self.options, indent, &mut notes, out);
    }
}
