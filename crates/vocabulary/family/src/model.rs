//! A model file that has been read.

use crate::{
    Checker, Conclusion, Contest, Coverage, Handover, LoadError, Member, ModelError, Options, ReadError,
    Session, Structure, StructureError, Survey, SurveyWish, Turn, Usage, Walk,
};
use entail_answer::{Answer, CheckReport, Statistics};
use entail_budget::{Budget, Progress};
use entail_logic::Logic;
use entail_show::{Graph, Shown};
use entail_source::{Diagnostic, Source, Span};
use serde_json::{Map, Value as Json};
use std::any::Any;
use std::time::Duration;

/// What is asked about a model, as people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The text as its author wrote it.
    pub text: String,
    /// The logic it is written in.
    pub logic: Logic,
    /// Where it stands in the model's text.
    pub place: Option<Span>,
}

impl Heading {
    /// A property without a name, at a place of the model's text if it stands there.
    pub fn new(text: impl Into<String>, logic: Logic, place: Option<Span>) -> Heading {
        Heading {
            name: None,
            text: text.into(),
            logic,
            place,
        }
    }
}

/// A model in another format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Converted {
    /// The file.
    pub bytes: Vec<u8>,
    /// What the format cannot say and was left out, and what was added to say the rest.
    pub notes: Vec<String>,
}

impl Converted {
    /// A text that says all of the model.
    pub fn whole(text: impl Into<String>) -> Converted {
        Converted {
            bytes: text.into().into_bytes(),
            notes: Vec::new(),
        }
    }
}

/// A smaller model that is bisimilar to another.
#[derive(Clone, Debug)]
pub struct Quotient {
    /// The file.
    pub written: Converted,
    /// States and transitions of the given model.
    pub before: (usize, usize),
    /// States and transitions of the smaller one.
    pub after: (usize, usize),
    /// Which state of it each state of the given model has become.
    pub classes: Vec<u32>,
    /// How long the classes took to find.
    pub time: Duration,
    /// How long it took to check that states of a class are alike and those of different classes are not.
    pub check_time: Duration,
    /// Why that was not checked, if so.
    pub not_checked: Option<String>,
}

/// What comparing two models by a relation of their kind gave.
#[derive(Debug)]
pub struct Beside {
    /// Whether they are related; nothing if that is not known, and why.
    pub related: Result<bool, String>,
    /// What the checker says about that.
    pub check: CheckReport,
    /// States (locations, of kinds that have them) and steps of both.
    pub sizes: [(usize, usize); 2],
    /// What shows it.
    pub shown: Shown,
    /// What shows it, as keys of the JSON document.
    pub details: Map<String, Json>,
    /// What shows it, to be saved and checked again; nothing if there is no answer.
    pub evidence: Option<Json>,
    /// How long it took to find.
    pub time: Duration,
    /// How long it took to check.
    pub check_time: Duration,
}

/// A model that has been read, whatever its kind. Properties are named by their position.
pub trait Model: Send + Sync {
    /// The text, or for a format that is not text, its name.
    fn source(&self) -> &Source;

    /// The language it is written in.
    fn language(&self) -> &'static str;

    /// What the reader wondered about.
    fn warnings(&self) -> &[Diagnostic] {
        &[]
    }

    /// What is asked about it: the properties of the text, then those that were added.
    fn properties(&self) -> &[Heading];

    /// Properties that were recognised but cannot be decided yet, each with the reason.
    fn unsupported(&self) -> Vec<(Heading, String)> {
        Vec::new()
    }

    /// Adds a property in the model's own syntax, or in that of a logic, and gives its position. Diagnostics are about `text`.
    fn add_property(&mut self, text: &str, logic: Option<Logic>) -> Result<usize, LoadError>;

    /// How large the model is, for reports.
    fn figures(&self) -> Statistics {
        Statistics::default()
    }

    /// What verdicts depend on beside model and property (what a dead end means, which runs are fair), as keys of reports and saved
    /// evidence.
    fn settings(&self, _options: &Options) -> Map<String, Json> {
        Map::new()
    }

    /// The options under which a saved document was written: the inverse of [`Model::settings`].
    fn options_of(&self, _document: &Json) -> Result<Options, ReadError> {
        Ok(Options::default())
    }

    /// Whether the options make sense for these properties together (a checkpoint is of one property): asked before anything is decided.
    fn check_options(&self, _properties: &[usize], _options: &Options) -> Result<(), LoadError> {
        Ok(())
    }

    /// Which engines try, in which order, when the user names none; never empty. `racing` says whether several can run at once.
    fn schedule(&self, property: usize, options: &Options, racing: bool) -> Vec<Turn>;

    /// Starts work. `racing` says that others work on the same property in other processes.
    fn open<'m>(&'m self, options: &'m Options, racing: bool) -> Result<Box<dyn Session + 'm>, Usage>;

    /// Decides properties together with other processes that were asked the same; only the first of them has answers, which it hands out
    /// as they are found. `each` limits the time for each property. Nothing if this kind of system cannot be searched by several processes.
    fn check_together(
        &self,
        _properties: &[usize],
        _options: &Options,
        _member: &Member,
        _limits: (&Budget, Option<Duration>),
        _on_answer: &mut dyn FnMut(usize, Answer),
    ) -> Option<Result<(), String>> {
        None
    }

    /// Whether the options ask for a survey of the model.
    fn survey_wish(&self, _options: &Options) -> SurveyWish {
        SurveyWish::None
    }

    /// What the options ask about the model as a whole (how many states are reachable). Nothing if they ask for nothing.
    fn survey(
        &self,
        _options: &Options,
        _budget: &Budget,
        _progress: &dyn Progress,
    ) -> Option<Result<Survey, ModelError>> {
        None
    }

    /// Files that the options ask for and that are made of answers (a table of results, a scheduler), when all are known. The error says why there
    /// is none.
    fn conclude(
        &self,
        _answers: &[(usize, &Answer)],
        _options: &Options,
    ) -> Option<Result<Conclusion, String>> {
        None
    }

    /// Whether work is saved when it is stopped, so that it must be given time for that.
    fn saves_its_work(&self, _options: &Options) -> bool {
        false
    }

    /// The checker that judges answers.
    fn checker<'m>(&'m self, options: &'m Options) -> Result<Box<dyn Checker + 'm>, Usage>;

    /// What another process needs to read the same model.
    fn handover(&self) -> Handover {
        Handover::File
    }

    /// A walk through the model, not begun (or at the end of a trace that the options name); nothing if this kind has none. The error says what
    /// is wrong with the model, or with that trace.
    fn walk<'m>(&'m self, _options: &'m Options) -> Option<Result<Box<dyn Walk + 'm>, LoadError>> {
        None
    }

    /// A contest between the user and what the evidence of an answer says; nothing if this kind of system, or this evidence, is no game.
    fn contest<'m>(
        &'m self,
        _property: usize,
        _answer: &Answer,
        _options: &'m Options,
    ) -> Option<Result<Box<dyn Contest + 'm>, String>> {
        None
    }

    /// The model as a labelled transition system; nothing if this kind has none.
    fn structure(&self, _options: &Options, _budget: &Budget) -> Option<Result<Structure, StructureError>> {
        None
    }

    /// The model as what it is, for [`Model::beside`]; nothing if models of this kind are not compared so.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// Compares the model with another by a relation of this kind's own, given by its name; nothing if this kind has no such relation. The error says why the two are not compared.
    fn beside(
        &self,
        _other: &dyn Model,
        _relation: &str,
        _budget: &Budget,
    ) -> Option<Result<Beside, String>> {
        None
    }

    /// Checks saved evidence about this model and another, for a relation that only models of this kind have; nothing if there is no such relation. The error says why it is no evidence about such models.
    fn beside_again(
        &self,
        _other: &dyn Model,
        _relation: &str,
        _evidence: &Json,
        _budget: &Budget,
    ) -> Option<Result<Beside, String>> {
        None
    }

    /// The extensions of the formats that [`Model::write`] writes.
    fn formats(&self) -> &'static [&'static str] {
        &[]
    }

    /// The model in the format of an extension, or why it cannot be said there; nothing if the format is none of [`Model::formats`].
    fn write(&self, _extension: &str, _options: &Options) -> Option<Result<Converted, String>> {
        None
    }

    /// The smallest model that is bisimilar to this one, in the format of an extension; nothing if models of this kind are not minimised so.
    fn quotient(
        &self,
        _extension: &str,
        _options: &Options,
        _budget: &Budget,
    ) -> Option<Result<Quotient, String>> {
        None
    }

    /// What of a model with few states no run reaches, and what no proof among the answers, given with the positions of their properties, needed;
    /// nothing if this kind cannot tell.
    fn coverage(
        &self,
        _answers: &[(usize, &Answer)],
        _most_states: usize,
        _budget: &Budget,
    ) -> Option<Coverage> {
        None
    }

    /// The states of a small model as a graph, or why they are not drawn; nothing if this kind has none.
    fn graph(&self, _most_states: usize, _budget: &Budget) -> Option<Result<Graph, String>> {
        None
    }
}
