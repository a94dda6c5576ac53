//! Asking about SMV models and circuits through the table and the runner, as the command line does.
#![allow(dead_code, reason = "every test uses some of it")]

use entail::run::{self, Decided, Failure, Request};
use entail::{Certified, FAMILIES, Origin, Table, saved};
use entail_answer::CheckReport;
use entail_budget::{Budget, Silent};
use entail_evidence::DeadEnds;
use entail_evidence::json::{dead_ends_name, sealed};
use entail_family::{Command, Input, LoadError, Model, Options, ReadError};
use serde_json::Value as Json;
use std::path::Path;

/// A model of a text.
pub fn read(text: &str, language: &str) -> Result<Box<dyn Model>, LoadError> {
    let origin = Origin {
        path: "random.smv".into(),
        language: Some(language.to_owned()),
        text: Some(text.to_owned()),
    };
    let loaded = Table(FAMILIES).load(&origin, Command::Check, &Options::default(), &Budget::unlimited())?;
    Ok(loaded.model)
}

/// A model of a file that is not text.
pub fn read_bytes(bytes: &[u8], language: &str) -> Result<Box<dyn Model>, LoadError> {
    let language = entail_systems::FAMILY
        .languages
        .iter()
        .find(|known| known.name == language);
    (entail_systems::FAMILY.load)(&Input {
        name: "converted",
        path: Path::new("converted"),
        bytes,
        language: language.expect("a language of the family"),
        options: &Options::default(),
        budget: &Budget::unlimited(),
    })
}

/// A model of a text that is right.
pub fn model(text: &str) -> Box<dyn Model> {
    read(text, "smv").unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The options that say what a dead end means, and how far `bmc` looks.
pub fn options(dead_ends: DeadEnds, bound: Option<u64>) -> Options {
    let mut options = Options::default();
    options.give("dead-ends", dead_ends_name(dead_ends));
    if let Some(bound) = bound {
        options.give("bound", bound.to_string());
    }
    options
}

/// The engines of transition systems.
pub fn engine_names() -> Vec<&'static str> {
    entail_systems::FAMILY
        .engines
        .iter()
        .map(|engine| engine.name)
        .collect()
}

/// An engine's name as requests have it.
pub fn engine(name: &str) -> Option<&'static str> {
    entail_systems::FAMILY.engine(name).map(|engine| engine.name)
}

/// The answers, in the order of the request, each with its saved document.
pub fn check(model: &dyn Model, request: &Request) -> Result<Vec<(Decided, Json)>, Failure> {
    let mut answers = Vec::new();
    run::check(model, request, &Silent, |decided, checker| {
        let document = saved::document(
            model,
            &request.options,
            decided.property,
            decided.engine,
            &decided.answer,
            checker,
        );
        answers.push((decided, document));
    })?;
    answers.sort_by_key(|(decided, _)| decided.property);
    Ok(answers)
}

/// Re-checks a saved document.
pub fn certify(model: &mut dyn Model, text: &str, budget: &Budget) -> Result<Vec<Certified>, ReadError> {
    entail::certify(model, "", text, &Options::default(), budget)
}

/// What the checker says about a document as it is saved.
pub fn recheck(model: &mut dyn Model, document: &Json) -> Result<CheckReport, ReadError> {
    let mut certified = certify(model, &sealed(document.clone()), &Budget::unlimited())?;
    Ok(certified.remove(0).report)
}
