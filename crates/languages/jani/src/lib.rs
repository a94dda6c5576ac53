//! JANI models (jani-spec.org), version 1.
//!
//! **Here:** reading a model with its properties ([`read`]): automata with locations become components with a location variable, transient
//! variables become labels and rewards, functions are unfolded, arrays, datatypes and options become a variable for each part, properties become those of `entail-markov`;
//! and writing a network ([`write()`]).
//!
//! **Not here:** anything that decides.
//!
//! **Invariants:** no text makes the reader panic; errors have places. Stochastic and hybrid types are refused by
//! name; a property that is not supported does not prevent the others.

mod composite;
mod composition;
mod distributions;
mod edges;
mod json;
mod locations;
mod model;
mod property;
mod scope;
mod selection;
mod variables;
mod write;

pub use model::Constants;
pub use write::write;

use entail_markov::{Network, Property, SemanticError, Timed, observed_clocks};
use entail_source::{Diagnostic, Span};

/// A property of a model.
#[derive(Clone, Debug)]
pub struct JaniProperty {
    /// Its name.
    pub name: String,
    /// Its comment, or its text.
    pub text: String,
    /// Where it stands.
    pub place: Span,
    /// What it means, or why it is not supported.
    pub meaning: Result<Property, String>,
    /// Why it cannot be decided with integers as clocks, if it cannot.
    pub refusal: Option<SemanticError>,
}

/// A model with its properties.
#[derive(Clone, Debug)]
pub struct Jani {
    /// The network.
    pub network: Network,
    /// The properties, in order.
    pub properties: Vec<JaniProperty>,
    /// The network as it was written, if it has a notion of time; in `network` its clocks became integers.
    pub timed: Option<Timed>,
    /// Why integers as clocks do not keep probabilities, if they do not.
    pub refusal: Option<Diagnostic>,
}

/// Reads a model under values for its undefined constants.
pub fn read(text: &str, constants: &Constants) -> Result<Jani, Diagnostic> {
    read_open(text, constants, &[])
}

/// The same with constants of type real left open: they become variables behind all others.
pub fn read_open(text: &str, constants: &Constants, parameters: &[String]) -> Result<Jani, Diagnostic> {
    read_model(text, constants, parameters).map_err(|problem| problem.within(text))
}

fn read_model(text: &str, constants: &Constants, parameters: &[String]) -> Result<Jani, Diagnostic> {
    let document = json::parse(text)?;
    let mut lowered = model::lower_open(&document, constants, parameters)?;
    let mut properties = Vec::new();
    for property in document.elements("properties")? {
        let expression = property.need("expression")?;
        let meaning = lowered
            .property(expression)
            .map_err(|problem| problem.to_string());
        let observed = match (&meaning, &lowered.real) {
            (Ok(property), Some(real)) => {
                observed_clocks::observe(&mut lowered.network, &real.timing.clocks, property)
            }
            _ => Ok(()),
        };
        let text = match property.get("comment").map(json::Json::text) {
            Some(Ok(comment)) => comment.to_owned(),
            _ => text[expression.span.start..expression.span.end]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" "),
        };
        properties.push(JaniProperty {
            name: property.name()?.to_owned(),
            text,
            place: expression.head(),
            meaning,
            refusal: observed.err(),
        });
    }
    Ok(Jani {
        network: lowered.network,
        properties,
        timed: lowered.real,
        refusal: lowered.refusal.map(|problem| problem.within(text)),
    })
}
