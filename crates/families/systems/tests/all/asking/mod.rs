//! Loading models and asking engines about them through the seam, as the app does it.
use entail_answer::{Answer, CheckReport};
use entail_budget::{Budget, Silent};
use entail_family::{Input, LoadError, Model, ModelError, Options};
use entail_systems::FAMILY;
use std::path::Path;
use std::time::Duration;

/// Options by name and value.
pub fn options(given: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    for (name, value) in given {
        options.give(name, *value);
    }
    options
}

/// Reads a model.
pub fn load_with(bytes: &[u8], language: &str, options: &Options) -> Result<Box<dyn Model>, LoadError> {
    let language = FAMILY
        .languages
        .iter()
        .find(|known| known.name == language)
        .expect("a language of the family");
    (FAMILY.load)(&Input {
        name: "test",
        path: Path::new("test"),
        bytes,
        language,
        options,
        budget: &Budget::unlimited(),
    })
}

/// Reads a model that is right.
pub fn load(bytes: &[u8], language: &str) -> Box<dyn Model> {
    load_with(bytes, language, &Options::default())
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(bytes)))
}

/// An answer and what the checker says about it.
#[derive(Debug)]
pub struct Judged {
    pub answer: Answer,
    pub report: CheckReport,
}

/// An engine's answers to properties, each judged to the end. No evidence may be rejected.
pub fn answers(
    model: &dyn Model,
    engine: &str,
    properties: impl IntoIterator<Item = usize>,
    options: &Options,
) -> Result<Vec<Judged>, ModelError> {
    answers_within(model, engine, properties, options, Limits::default())
}

/// Time limits for each property.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// For the engine: what takes longer is unknown.
    pub deciding: Option<Duration>,
    /// For the checker: what takes longer is left unchecked.
    pub judging: Option<Duration>,
}

/// The same with time limits.
pub fn answers_within(
    model: &dyn Model,
    engine: &str,
    properties: impl IntoIterator<Item = usize>,
    options: &Options,
    limits: Limits,
) -> Result<Vec<Judged>, ModelError> {
    let mut session = model.open(options, false).expect("options that make sense");
    let mut checker = model.checker(options).expect("options that make sense");
    let mut judged = Vec::new();
    for property in properties {
        let budget = Budget::unlimited().with_timeout(limits.deciding);
        let answer = session.check(engine, property, &budget, &Silent)?;
        let budget = Budget::unlimited().with_timeout(limits.judging);
        let report = checker.check(property, &answer, &budget);
        assert!(
            !report.is_rejected(),
            "{engine}, property {property}, {:?}: {report}",
            answer.verdict
        );
        judged.push(Judged { answer, report });
    }
    Ok(judged)
}

/// The same for all properties of a model that has a meaning.
pub fn all_answers(model: &dyn Model, engine: &str) -> Vec<Judged> {
    let all = 0..model.properties().len();
    answers(model, engine, all, &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}
