//! The SMV language of NuSMV.
//!
//! **Here:** [`read`], from the text of a model to a [`SmvModel`]: a symbolic transition system with its properties, or
//! the errors that prevent it; [`SmvModel::parse_property`], for formulas that come later; [`Scope`], for formulas about systems
//! that came from elsewhere; [`read_abstraction_map`], for what is to be
//! observed of such a system; [`print()`], from any transition system back to a flat SMV model.
//!
//! [`read_unbounded`] reads models with `integer` and `real` variables, as nuXmv does, into first-order systems.
//!
//! **Not here:** deciding anything (engines), showing anything (the app), the meaning of terms (`entail-model`).
//!
//! **What a caller may rely on**
//! - The language is the finite-state part of the NuSMV 2.6/2.7 manual, read as NuSMV itself reads it where the two differ:
//!   tokens, precedences, scoping, typing, processes, and which mistakes are errors.
//! - No input makes the reader panic or overflow the stack. Nesting is limited; several mistakes are reported at once,
//!   each with its place.
//! - Array variables are element variables named `a[3]`, members of instances are named `p.x`; properties keep their text
//!   (blanks collapsed, comments gone, ` IN p` added inside an instance).
//! - What NuSMV treats as a run-time error (a value outside a variable's domain, a `case` without a matching branch, a
//!   division by zero, an index out of range) is either an error here, or shown impossible, or a hazard of the system.

mod abstraction_map;
mod elaborate;
mod printer;
mod scope;
mod syntax;
mod unbounded;

use entail_logic::{Logic, Property};
use entail_model::{TermId, TransitionSystem};
use entail_source::{Diagnostic, Diagnostics, Source, Span};

pub use abstraction_map::{AbstractionMap, DataMap, MapClass, MapMode, read_abstraction_map};
pub use elaborate::names::Hidden;
pub use elaborate::{Branch, Unsupported};
pub use printer::{PrintError, print, print_term};
pub use scope::Scope;
pub use unbounded::{UnboundedModel, UnboundedProperty, looks_unbounded, read_unbounded};

/// A model read from SMV.
#[derive(Debug)]
pub struct SmvModel {
    /// The transition system.
    pub system: TransitionSystem,
    /// Its properties, in the order they were written.
    pub properties: Vec<Property<TermId>>,
    /// Where each of them stands in the text.
    pub places: Vec<Span>,
    /// Where each variable of the system is declared.
    pub variable_places: Vec<Span>,
    /// The branches of its `case`s, without those of specifications.
    pub branches: Vec<Branch>,
    /// Specifications that were recognised but cannot be checked yet.
    pub unsupported: Vec<Unsupported>,
    /// Antecedents in properties that no values of the variables make true (`x = 9` with `x : 0..7`), each with the position of its property.
    pub impossible: Vec<(usize, String)>,
    /// What deserves a look.
    pub warnings: Vec<Diagnostic>,
    /// What its names mean, for formulas that come later.
    pub scope: Scope,
}

/// Reads a model.
pub fn read(source: &Source) -> Result<SmvModel, Diagnostics> {
    read_model(source).map_err(|problems| problems.within(source.text()))
}

fn read_model(source: &Source) -> Result<SmvModel, Diagnostics> {
    let parsed = syntax::parse_model(source)?;
    if let Some(place) = parsed.continuous_time {
        return Err(Diagnostics(vec![
            entail_source::Diagnostic::error(
                "smv::infinite",
                "continuous time has no place in a finite-state model",
                place,
                "here",
            )
            .with_help("`--language nuxmv` reads it"),
        ]));
    }
    let elaborated = elaborate::elaborate(source, parsed)?;
    Ok(SmvModel {
        system: elaborated.system,
        properties: elaborated.properties,
        places: elaborated.places,
        variable_places: elaborated.variable_places,
        branches: elaborated.branches,
        unsupported: elaborated.unsupported,
        impossible: elaborated.impossible,
        warnings: elaborated.warnings,
        scope: Scope::new(elaborated.names),
    })
}

impl SmvModel {
    /// Reads a further formula about this model, in the scope of `main` (or `… IN p`). Spans in the diagnostics refer
    /// to `text`.
    pub fn parse_property(&mut self, text: &str, logic: Logic) -> Result<Property<TermId>, Diagnostics> {
        self.scope.parse_property(&mut self.system, text, logic)
    }
}
