//! PRISM's language, as PRISM 4.10 reads it: models and properties.
//!
//! **Here:** the reader of models ([`ModelFile`]) and properties files ([`PropertiesFile`]); lowering to a
//! [`Network`] once the undefined constants have values ([`build`]); properties (`Built::properties`).
//!
//! **Not here:** anything that decides; JANI and explicit formats.
//!
//! **Invariants:** no text makes the reader panic; every error has a place. What is recognised but not supported is refused by name.

mod ast;
mod composition;
mod expression;
mod lower;
mod lower_property;
mod model_syntax;
mod operator_query;
mod operator_syntax;
mod scope;
mod token;

pub use scope::Constants;

use entail_markov::{Network, Property, RewardStructure, Timed, Value};
use entail_source::{Diagnostic, Span};
use std::cell::{Cell, RefCell};

/// A model that was read but has no values for its undefined constants yet.
#[derive(Clone, Debug)]
pub struct ModelFile(ast::ModelAst);

/// A properties file that was read.
#[derive(Clone, Debug, Default)]
pub struct PropertiesFile(ast::PropertiesAst);

/// Reads a model.
pub fn read_model(text: &str) -> Result<ModelFile, Diagnostic> {
    let read = model_syntax::model(text).map(ModelFile);
    read.map_err(|problem| problem.within(text))
}

/// Reads a properties file, or a single property.
pub fn read_properties(text: &str) -> Result<PropertiesFile, Diagnostic> {
    let read = model_syntax::properties(text).map(PropertiesFile);
    read.map_err(|problem| problem.within(text))
}

/// A property as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its name.
    pub name: Option<String>,
    /// Where it stands.
    pub span: Span,
}

impl PropertiesFile {
    /// The properties, in order.
    pub fn places(&self) -> Vec<Place> {
        let place = |property: &ast::PropertyAst| Place {
            name: property.name.clone(),
            span: property.body.span,
        };
        self.0.properties.iter().map(place).collect()
    }

    /// Whether a name is declared in it: a label or a named property.
    pub fn declares(&self, name: &str) -> bool {
        self.0.labels.iter().any(|label| label.name == name)
            || (self.0.properties.iter()).any(|property| property.name.as_deref() == Some(name))
    }

    /// The names of constants without values.
    pub fn undefined_constants(&self) -> Vec<&str> {
        undefined(&self.0.constants)
    }
}

impl ModelFile {
    /// Why a name cannot be left open as a parameter, if it cannot: parameters are constants of type double without a value.
    pub fn no_parameter(&self, name: &str) -> Option<String> {
        let declared = (self.0.constants.iter()).find(|constant| constant.name == name);
        match declared {
            None => Some(format!("the model has no constant {name}")),
            Some(constant) if constant.sort != entail_markov::Sort::Real => Some(format!(
                "a parameter is a constant of type double, and {name} is {}",
                constant.sort.name()
            )),
            Some(constant) if constant.value.is_some() => {
                Some(format!("the constant {name} has a value in the model"))
            }
            Some(_) => None,
        }
    }

    /// The names of constants without values.
    pub fn undefined_constants(&self) -> Vec<&str> {
        undefined(&self.0.constants)
    }
}

fn undefined(constants: &[ast::ConstantAst]) -> Vec<&str> {
    (constants.iter())
        .filter(|constant| constant.value.is_none())
        .map(|constant| constant.name.as_str())
        .collect()
}

/// The network of a model.
#[derive(Clone, Debug)]
pub struct Built {
    /// The network.
    pub network: Network,
    /// The network as it was written, if it has clocks; in `network` these became integers.
    pub timed: Option<Timed>,
    /// Why integers as clocks do not keep probabilities, if they do not.
    pub refusal: Option<Diagnostic>,
    /// What the reader wondered about.
    pub warnings: Vec<Diagnostic>,
}

/// Lowers a model under values for its undefined constants.
pub fn build(model: &ModelFile, constants: &Constants) -> Result<Built, Diagnostic> {
    build_open(model, constants, &[])
}

/// The same with constants of type double left open: they become variables behind all others.
pub fn build_open(
    model: &ModelFile,
    constants: &Constants,
    parameters: &[String],
) -> Result<Built, Diagnostic> {
    let lowered = lower::lower(&model.0, constants, parameters)?;
    Ok(Built {
        network: lowered.network,
        timed: lowered.real,
        refusal: lowered.refusal,
        warnings: lowered.warnings,
    })
}

/// Lowers the property at a position of a file about a model; the reward structures that it needs beside the model's come second, numbered
/// from `network.rewards.len()` on. Names are also looked up in the files before.
pub fn lower_property(
    model: &ModelFile,
    network: &Network,
    constants: &Constants,
    others: &[&PropertiesFile],
    file: &PropertiesFile,
    position: usize,
) -> Result<(Property, Vec<RewardStructure>), Diagnostic> {
    lower_property_open(model, network, (constants, &[]), others, file, position)
}

/// The same about a model with constants that were left open.
pub fn lower_property_open(
    model: &ModelFile,
    network: &Network,
    (constants, parameters): (&Constants, &[String]),
    others: &[&PropertiesFile],
    file: &PropertiesFile,
    position: usize,
) -> Result<(Property, Vec<RewardStructure>), Diagnostic> {
    // The scope is built anew: lowering a model is cheap, and scopes borrow from their texts.
    let lowered = lower::lower(&model.0, constants, parameters)?;
    let timed = lowered.timed;
    let mut scope = lowered.scope;
    let files = || others.iter().copied().chain([file]);
    for file in files() {
        for constant in &file.0.constants {
            scope.declare_constant(constant)?;
        }
        for formula in &file.0.formulas {
            scope.declare_formula(formula)?;
        }
    }
    let context = lower_property::Context {
        scope: &scope,
        network,
        timed,
        labels: files()
            .flat_map(|file| &file.0.labels)
            .map(|label| (label.name.as_str(), label))
            .collect(),
        properties: files()
            .flat_map(|file| &file.0.properties)
            .filter_map(|property| Some((property.name.as_deref()?, property)))
            .collect(),
        entered: RefCell::default(),
        extra: RefCell::default(),
        around: Cell::new(0),
        unknown: RefCell::default(),
    };
    let property = context.property(&file.0.properties[position].body)?;
    Ok((property, context.extra.into_inner()))
}

/// The value of a constant as users give it: `true`, `3`, `0.5`, `1/3`.
pub fn constant_value(text: &str) -> Option<Value> {
    match text.trim() {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        number => match number.parse::<i64>() {
            Ok(number) => Some(Value::Int(number)),
            Err(_) => {
                if let Some((a, b)) = number.split_once('/') {
                    let (a, b) = (
                        entail_markov::decimal(a.trim())?,
                        entail_markov::decimal(b.trim())?,
                    );
                    return (!b.is_zero()).then(|| Value::Real(a / b));
                }
                entail_markov::decimal(number).map(Value::Real)
            }
        },
    }
}
