//! Properties in PSL about the signals of a circuit that is given without its source: `entail check a.btor2 --properties bus.psl`, and the same of AIGER and BLIF files.
//!
//! Names are those that the circuit's lines, inputs and outputs have; `names.rs` finds them, `words.rs` makes lines of expressions, `layer.rs` reads properties. A step of the circuit is a tick: an edge of a
//! clock that the circuit no longer has, or that nothing in it reads, ticks in every step, and a warning says so. A unit is about the whole circuit, or about the instance whose name it gives.
//!
//! From here on a property is one like those of SystemVerilog ([`crate::assertions::watch`]): a monitor in the circuit, the definition for whoever judges evidence.

mod layer;
mod names;
#[cfg(test)]
mod tests;
mod words;

use crate::asked::AskedAssertion;
use crate::assertions::Woven;
use crate::attempt_values::constant;
use crate::branching::{BranchingProperty, expose_inputs};
use crate::load::read_named;
use crate::model::Undecided;
use crate::project::PROPERTIES;
use crate::watch::watch;
use entail_btor2::{Argument, Btor2, Node};
use entail_family::{Input, LoadError};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use entail_systemverilog::{Claim, Directive, Said, UnitDirective, directives};
use layer::CircuitLayer;
use names::Names;
use std::collections::BTreeSet;
use std::path::Path;

/// A circuit that is watched, and the texts that it and its properties were read from.
pub(crate) struct Watched {
    pub(crate) woven: Woven,
    pub(crate) source: Source,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The circuit of a text with the monitors of the properties in PSL that the options name.
pub(crate) fn watched(input: &Input<'_>, text: &Source, mut circuit: Btor2) -> Result<Watched, LoadError> {
    let files = input.options.values(PROPERTIES).iter();
    let files = files.map(|file| read_named(Path::new(file)));
    let files: Vec<Source> = files.collect::<Result<_, _>>()?;
    let source = Source::joined(
        input.name,
        std::iter::once(text.clone()).chain(files.iter().cloned()),
    );
    // (Places in the properties alone lie so much further on in the whole.)
    let begin = source.parts().get(1).map_or(0, |(_, begin)| *begin);
    let properties = Source::joined(input.name, files);
    let moved = |problems: Vec<Diagnostic>| {
        let problems = problems.into_iter().map(|problem| moved(problem, begin));
        LoadError::invalid(&source, Diagnostics(problems.collect()))
    };
    let found = directives(&properties).map_err(|problems| moved(problems.0))?;
    let mut reader = Reader {
        names: Names::of(&circuit),
        text: properties.text(),
        begin,
        problems: Vec::new(),
        warnings: Vec::new(),
        unsupported: Vec::new(),
        branching: Vec::new(),
        branching_lines: Vec::new(),
        taken: BTreeSet::new(),
    };
    let mut waiting = Vec::new();
    for (number, directive) in found.iter().enumerate() {
        if let Some((asked, atoms)) = reader.read(&mut circuit, directive, number) {
            waiting.push((number, asked, atoms));
        }
    }
    if !reader.problems.is_empty() {
        return Err(moved(reader.problems));
    }
    expose_inputs(&mut circuit, &reader.branching_lines);
    let count = found.len();
    let (mut unsupported, warnings, branching) = (reader.unsupported, reader.warnings, reader.branching);
    let watched = watch(&mut circuit, waiting, count);
    let mut refused = Vec::new();
    for (_, asked, problem) in watched.too_large {
        match asked.directive {
            Directive::Assume => refused.push(problem),
            _ => unsupported.push(Undecided {
                name: Some(asked.name),
                text: asked.text,
                place: Some(asked.place),
                reason: problem.message,
            }),
        }
    }
    if !refused.is_empty() {
        return Err(LoadError::invalid(&source, Diagnostics(refused)));
    }
    let warnings = warnings
        .into_iter()
        .map(|warning| self::moved(warning, begin))
        .collect();
    Ok(Watched {
        woven: Woven {
            circuit,
            asked: watched.asked,
            unsupported,
            premises: watched.premises,
            branching,
        },
        source,
        warnings,
    })
}

/// A diagnostic whose places lie further on.
pub(crate) fn moved(mut problem: Diagnostic, by: usize) -> Diagnostic {
    for label in &mut problem.labels {
        label.span = Span::new(label.span.start + by, label.span.end + by);
    }
    problem
}

/// What is read of the directives of all units.
struct Reader<'r> {
    names: Names,
    /// The text of the properties, and where it begins in the whole.
    text: &'r str,
    begin: usize,
    problems: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    unsupported: Vec<Undecided>,
    branching: Vec<BranchingProperty>,
    /// The lines of the atoms of these.
    branching_lines: Vec<entail_btor2::LineIndex>,
    /// The names that properties have.
    taken: BTreeSet<String>,
}

impl Reader<'_> {
    /// A directive as an assertion with the lines of its letters; nothing if it is not read, which is noted.
    fn read(
        &mut self,
        circuit: &mut Btor2,
        directive: &UnitDirective,
        number: usize,
    ) -> Option<(AskedAssertion, Vec<entail_btor2::LineIndex>)> {
        let scope = match self.names.scope(directive.module.as_ref()) {
            Ok(scope) => scope,
            Err(problem) => {
                self.problems.push(problem);
                return None;
            }
        };
        let asked_of = match directive.said {
            Said::Assert => Directive::Assert,
            Said::Cover => Directive::Cover,
            _ => Directive::Assume,
        };
        let name = match scope.is_empty() {
            true => directive.name.clone(),
            false => format!("{scope}.{}", directive.name),
        };
        let text = self.text.get(directive.span.start..directive.span.end);
        let text = text
            .unwrap_or("")
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let place = Span::new(directive.span.start + self.begin, directive.span.end + self.begin);
        let mut layer = CircuitLayer::new(circuit, &self.names, &scope, directive, number);
        let read = layer.read();
        let (lines, atoms, replicated) = (layer.lines, layer.atoms, layer.replicated);
        for (clock, span) in layer.unread_clocks {
            let message = format!(
                "the circuit does not read the clock `{clock}`: every step of it is taken for a tick"
            );
            let warning = Diagnostic::warning("psl::clock", message, span, "here");
            if !self.warnings.iter().any(|known| known.message == warning.message) {
                self.warnings.push(warning);
            }
        }
        let read = read.and_then(|claim| {
            for (value, line) in replicated {
                let shown = format!("{name}.{value}");
                if constant(circuit, line, &shown).is_none() {
                    let message = format!("`{value}` is given a value by the circuit");
                    return Err(Diagnostic::error("psl::name", message, directive.span, "here"));
                }
            }
            Ok(claim)
        });
        match read {
            Ok(Claim::Branching(formula)) => {
                let said = (self.unique(name), text, place);
                self.branching_lines.extend(lines);
                self.branching.push(BranchingProperty::of(said, &formula, &atoms));
                None
            }
            Ok(Claim::Linear(assertion)) => {
                let asked = AskedAssertion {
                    name: self.unique(name),
                    directive: asked_of,
                    text,
                    place,
                    assertion: Some(assertion),
                    atoms,
                    terms: Vec::new(),
                    monitor: None,
                    locals: None,
                    ends: Vec::new(),
                };
                Some((asked, lines))
            }
            Err(problem) if problem.code.ends_with("::unsupported") && asked_of != Directive::Assume => {
                let name = self.unique(name);
                self.unsupported.push(Undecided {
                    name: Some(name),
                    text,
                    place: Some(place),
                    reason: problem.message,
                });
                None
            }
            Err(problem) => {
                self.problems.push(problem);
                None
            }
        }
    }

    /// A name that no other property has.
    fn unique(&mut self, wanted: String) -> String {
        let mut name = wanted.clone();
        let mut number = 2;
        while !self.taken.insert(name.clone()) {
            name = format!("{wanted}#{number}");
            number += 1;
        }
        name
    }
}

/// Whether some node of a circuit reads a line.
pub(crate) fn is_read(circuit: &Btor2, line: entail_btor2::LineIndex) -> bool {
    let reads = |argument: &Argument| argument.line == line;
    circuit.nodes.iter().any(|node| match node {
        Node::Operation { arguments, .. } | Node::Justice(arguments) => arguments.iter().any(reads),
        Node::Init { value, .. } | Node::Next { value, .. } => reads(value),
        Node::Bad(value) | Node::Constraint(value) | Node::Fair(value) => reads(value),
        Node::Input(_) | Node::State(_) | Node::Constant { .. } | Node::Output(_) => false,
    })
}
