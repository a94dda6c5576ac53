//! Promela, the language of SPIN.
//!
//! **Here:** [`read`], from the text of a model to a [`PromelaModel`]: a program of communicating processes with what is asked about it, or
//! the errors that prevent it; SPIN's trails, written ([`write_trail`]) and followed ([`follow_trail`]).
//!
//! **Not here:** searching (engines), what a program means (`entail-program`), reading files (the app hands in a way to find included ones).
//!
//! **What a caller may rely on**
//! - The language is SPIN 6's without embedded C, read as SPIN reads it: scopes, inline functions, which statements take a step, which are
//!   merged into one, which variables are forgotten when they are dead. State counts are SPIN's (`bench/promela`).
//! - No input makes the reader panic or overflow the stack. Errors stand at their place in the file before preprocessing.

mod lower;
mod syntax;
mod trail;

use entail_program::{Program, Requirement};
use entail_source::{Diagnostic, Diagnostics, Source, Span};
use rustc_hash::FxHashMap;
use syntax::preprocess::Preprocessor;

pub use syntax::preprocess::Include;
pub use trail::{Trails, follow_trail, write_trail};

/// A model that has been read.
#[derive(Clone, Debug)]
pub struct PromelaModel {
    /// The processes.
    pub program: Program,
    /// What is asked about them: safety first, then formulas and claims in the order of the text, then cycles if labels ask for them.
    pub requirements: Vec<Requirement>,
    /// Where those that have names stand in the main text.
    pub places: FxHashMap<String, Span>,
    /// The conditions of formulas, as positions in [`Program::conditions`] have them, in the words of the text.
    pub condition_texts: Vec<String>,
    /// What is known about its trails.
    pub trails: Trails,
}

/// Reads a text. `include` finds files that it includes.
pub fn read(source: &Source, include: Include<'_>) -> Result<PromelaModel, Trouble> {
    read_with(source, include, &[], &[])
}

/// Reads a text and LTL formulas about it. What is asked in the formulas comes last. Definitions (`N=4`, or `N`, which is 1) are macros that
/// are known from the beginning.
pub fn read_with(
    source: &Source,
    include: Include<'_>,
    formulas: &[String],
    definitions: &[String],
) -> Result<PromelaModel, Trouble> {
    read_reduced(source, include, formulas, definitions, true)
}

/// Reads a text without SPIN's reductions: every statement is a step of its own, and variables keep their values. It has the same verdicts
/// and more states; for tests.
pub fn read_plainly(source: &Source, include: Include<'_>) -> Result<PromelaModel, Trouble> {
    read_reduced(source, include, &[], &[], false)
}

fn read_reduced(
    source: &Source,
    include: Include<'_>,
    formulas: &[String],
    definitions: &[String],
    reduced: bool,
) -> Result<PromelaModel, Trouble> {
    let (tokens, sources) = Preprocessor::run(source, formulas, definitions, include)?;
    let trouble = |found: Vec<(u32, Diagnostic)>| Trouble::of_all(&sources, found);
    let units = syntax::parser::parse(&tokens).map_err(trouble)?;
    lower::lower(&units, sources.clone(), formulas.len(), reduced).map_err(trouble)
}

/// Why a text cannot be used.
#[derive(Clone, Debug)]
pub struct Trouble {
    /// The file that the diagnostics are about.
    pub source: Source,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
}

impl Trouble {
    /// Errors are about one file at a time: the one of the first.
    fn of_all(sources: &[Source], found: Vec<(u32, Diagnostic)>) -> Trouble {
        let file = found.first().map_or(0, |(file, _)| *file);
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        for (other, diagnostic) in found {
            // What is said of an inline function is said at every call.
            if other == file && !diagnostics.contains(&diagnostic) {
                diagnostics.push(diagnostic);
            }
        }
        diagnostics.sort_by_key(Diagnostic::span);
        diagnostics.truncate(syntax::parser::MOST_ERRORS);
        let source = sources[file as usize].clone();
        Trouble {
            diagnostics: Diagnostics(diagnostics).within(source.text()),
            source,
        }
    }

    fn new(sources: &[Source], file: u32, diagnostic: Diagnostic) -> Trouble {
        Trouble {
            source: sources[file as usize].clone(),
            diagnostics: diagnostic.within(sources[file as usize].text()).into(),
        }
    }
}
