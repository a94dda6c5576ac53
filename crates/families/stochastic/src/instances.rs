//! One model text with several values of its constants, seen as one model.
//!
//! Names, properties and options are those of the first instance: the text is the same. What differs between an experiment and a chain with a
//! parameter is what is asked of the instances together; [`Instances`] says that, [`Together`] does the rest.

use crate::model::StochasticModel;
use entail_answer::{Answer, Statistics};
use entail_family::{
    Checker, Conclusion, Heading, LoadError, Model, Options, ReadError, Session, Turn, Usage, Walk,
};
use entail_logic::Logic;
use entail_source::{Diagnostic, Source};
use serde_json::{Map, Value as Json};

/// Instances of one model text; never none.
pub(crate) trait Instances: Send + Sync {
    /// The first instance.
    fn first(&self) -> &StochasticModel;

    /// All instances, the first one first.
    fn each(&mut self) -> impl Iterator<Item = &mut StochasticModel>;

    /// Whether the options make sense for the instances together.
    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError>;

    /// A session that asks the instances.
    fn open<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Session + 'm>, Usage>;

    /// The checker of what such a session answers.
    fn checker<'m>(&'m self, options: &'m Options) -> Box<dyn Checker + 'm>;

    /// Figures of the model, with those of the instances together.
    fn figures(&self) -> Statistics {
        self.first().figures()
    }

    /// Files and charts made of all answers.
    fn conclude(&self, _: &[(usize, &Answer)], _: &Options) -> Option<Result<Conclusion, String>> {
        None
    }
}

/// Refuses options that do not go with another one.
pub(crate) fn refuse(options: &Options, names: &[&str], with: &str) -> Result<(), LoadError> {
    match names.iter().find(|name| options.has(name)) {
        Some(name) => Err(Usage(format!("--{name} does not go with {with}")).into()),
        None => Ok(()),
    }
}

/// Instances as one model.
pub(crate) struct Together<I>(pub I);

impl<I: Instances> Model for Together<I> {
    fn source(&self) -> &Source {
        self.0.first().source()
    }

    fn language(&self) -> &'static str {
        self.0.first().language()
    }

    fn warnings(&self) -> &[Diagnostic] {
        self.0.first().warnings()
    }

    fn properties(&self) -> &[Heading] {
        self.0.first().properties()
    }

    fn unsupported(&self) -> Vec<(Heading, String)> {
        self.0.first().unsupported()
    }

    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError> {
        let mut position = 0;
        for model in self.0.each() {
            position = model.add_property(text, logic)?;
        }
        Ok(position)
    }

    fn figures(&self) -> Statistics {
        self.0.figures()
    }

    fn settings(&self, options: &Options) -> Map<String, Json> {
        self.0.first().settings(options)
    }

    fn options_of(&self, document: &Json) -> Result<Options, ReadError> {
        self.0.first().options_of(document)
    }

    fn check_options(&self, properties: &[usize], options: &Options) -> Result<(), LoadError> {
        self.0.check_options(properties, options)
    }

    fn schedule(&self, property: usize, options: &Options, racing: bool) -> Vec<Turn> {
        self.0.first().schedule(property, options, racing)
    }

    fn open<'m>(&'m self, options: &'m Options, _racing: bool) -> Result<Box<dyn Session + 'm>, Usage> {
        self.0.open(options)
    }

    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage> {
        Ok(self.0.checker(options))
    }

    fn conclude(
        &self,
        answers: &[(usize, &Answer)],
        options: &Options,
    ) -> Option<Result<Conclusion, String>> {
        self.0.conclude(answers, options)
    }

    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        let message = "a walk needs one value for each constant";
        Some(Err(Usage(message.to_owned()).into()))
    }
}
